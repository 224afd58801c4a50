"""Rules of change: what somebody can change of a feature, as the spec's owner states it for everybody.

A feature without `changes` is fixed, and so is every sensitive one. A number has an end in each direction that it may
take; a category names the values, or their order. Features that change together have a table of the values that they
may have at once. What the rules allow one person is :mod:`.allowed`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from typing import Any, Literal, Protocol

import msgspec

from equiproof.circuits.encodings import EncodedFeature, EncodingError, Kind, named
from equiproof.circuits.names import listed
from equiproof.circuits.numbers import exact
from equiproof.circuits.tables import say

MAX_CELLS = 1 << 14
"""The most values in all tables of features that change together."""

Direction = Literal["up", "down", "any"]
Decimal = str | msgspec.UnsetType


class Changes(msgspec.Struct, frozen=True, forbid_unknown_fields=True, rename={"start": "from"}):
    """How one feature may change. Numbers are exact decimals in the feature's raw unit.

    A number goes `up` to `to`, `down` to `to`, or to `any` value from `from` to `to`; where these are absent, to the
    end of its range. With `by` it moves so far from today's value at most: the nearer end holds. Values that are shown
    to people are multiples of `step`, and so are all ends; without it those of whole numbers are whole. A category goes
    `up` or `down` in the `order` that is written out, or to `any` of `values`, of its domain where these are absent.
    `cost` is that of one unit of a number, or of any change of a category.
    """

    direction: Direction
    step: Decimal = msgspec.UNSET
    start: Decimal = msgspec.UNSET
    to: Decimal = msgspec.UNSET
    by: Decimal = msgspec.UNSET
    cost: Decimal = msgspec.UNSET
    order: tuple[str, ...] | msgspec.UnsetType = msgspec.UNSET
    values: tuple[str, ...] | msgspec.UnsetType = msgspec.UNSET

    @property
    def stated(self) -> dict[str, Any]:
        """The fields beside `direction` that are there, by the names that a spec has for them."""
        texts = {"step": self.step, "from": self.start, "to": self.to, "by": self.by, "cost": self.cost}
        fields: dict[str, Any] = texts | {"order": self.order, "values": self.values}
        return {name: value for name, value in fields.items() if value is not msgspec.UNSET}

    @property
    def amounts(self) -> dict[str, Fraction]:
        """The numbers that are there, which are exact decimals."""
        return {name: exact(value) for name, value in self.stated.items() if isinstance(value, str)}

    def goes(self, direction: Direction) -> bool:
        """Return whether values may move up, or down."""
        return self.direction in (direction, "any")

    def end(self, direction: Direction) -> str:
        """Return the name of the field with the last value up, or down."""
        return "from" if self.direction == "any" and direction == "down" else "to"


class Together(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Features that change at once, and the rows of values that they may then have, one a feature, as text."""

    features: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


class ChangingFeature(EncodedFeature, Protocol):
    """What rules of change are checked against; the fields are those of :class:`equiproof.circuits.spec.Feature`."""

    @property
    def kind(self) -> Kind:
        """Whether it is a number or a category."""

    @property
    def changes(self) -> Changes | msgspec.UnsetType:
        """How it may change; unset where it is fixed."""


_FIELDS = {
    ("numeric", "up"): ("step", "to", "by", "cost"),
    ("numeric", "down"): ("step", "to", "by", "cost"),
    ("numeric", "any"): ("step", "from", "to", "by", "cost"),
    ("categorical", "up"): ("order", "cost"),
    ("categorical", "down"): ("order", "cost"),
    ("categorical", "any"): ("values", "cost"),
}
"""The fields beside `direction` of each kind of feature."""


def check_changes(feature: ChangingFeature, decimal: Callable[[str, str], Fraction]) -> None:
    """Raise EncodingError for rules of a feature that contradict it or each other.

    `decimal` reads decimal text, and raises an error of its own, naming its second argument, for any other.
    """
    changes, name = feature.changes, named(feature)
    if isinstance(changes, msgspec.UnsetType):
        return
    if feature.sensitive:
        raise EncodingError(say("spec.changes_sensitive", feature=name))
    for field in changes.stated:
        if field not in _FIELDS[feature.kind, changes.direction]:
            raise EncodingError(say("spec.changes_misplaced", feature=name, field=field, direction=changes.direction))
    for field, text in changes.stated.items():
        if not isinstance(text, str):
            continue
        if decimal(text, f"{name}: changes: {field}") <= 0 and field in ("step", "by", "cost"):
            raise EncodingError(say("spec.changes_not_positive", feature=name, field=field))
    if feature.kind == "numeric":
        _check_number(feature, changes, name)
    else:
        _check_category(feature, changes, name)


def _check_number(feature: ChangingFeature, changes: Changes, name: str) -> None:
    """Refuse ends that are missing or reversed, and numbers that are no values of the feature."""
    amounts = changes.amounts
    for field in ("step", "from", "to", "by"):
        if field not in amounts:
            continue
        _check_step(feature, field, changes.stated[field])
    directions: tuple[Direction, Direction] = ("up", "down")
    for direction in directions:
        field = changes.end(direction)
        if changes.goes(direction) and feature.range is None and field not in amounts:
            raise EncodingError(say("spec.changes_unbounded", feature=name, field=field))
    if "from" in amounts and "to" in amounts and amounts["from"] >= amounts["to"]:
        raise EncodingError(say("spec.changes_reversed", feature=name))


def _check_category(feature: ChangingFeature, changes: Changes, name: str) -> None:
    """Refuse an order that is not one of the whole domain, and values that are not of it."""
    if changes.direction != "any" and isinstance(changes.order, msgspec.UnsetType):
        raise EncodingError(say("spec.changes_order_missing", feature=name, direction=changes.direction))
    if not isinstance(changes.order, msgspec.UnsetType) and sorted(changes.order) != sorted(feature.domain):
        raise EncodingError(say("spec.changes_order_unfit", feature=name))
    if not isinstance(changes.values, msgspec.UnsetType):
        own = set(changes.values)
        if not own or len(own) != len(changes.values) or not own <= set(feature.domain):
            raise EncodingError(say("spec.changes_values_unfit", feature=name, known=listed(feature.domain)))


def own_ends(feature: ChangingFeature) -> Iterator[str]:
    """Yield the ends of a number that its rules state, each of which must be a value of the feature."""
    if not isinstance(feature.changes, msgspec.UnsetType):
        yield from (end for end in (feature.changes.start, feature.changes.to) if isinstance(end, str))


def check_together(
    features: Sequence[ChangingFeature], tables: Sequence[Together], columns_of: Callable[[Any, Any], object]
) -> None:
    """Raise EncodingError for tables that do not fit; `columns_of` raises for a value that a feature does not have."""
    known = {feature.name: feature for feature in features if feature.changes is not msgspec.UNSET}
    if not tables or any(len(table.features) < 2 for table in tables):
        raise EncodingError(say("spec.together_too_few"))
    seen: set[str] = set()
    for name in (name for table in tables for name in table.features):
        if name not in known or name in seen:
            raise EncodingError(say("spec.together_feature_unfit", feature=repr(name[:40])))
        seen.add(name)
    if sum(len(row) for table in tables for row in table.rows) > MAX_CELLS:
        raise EncodingError(say("spec.together_too_large", most=MAX_CELLS))
    for table in tables:
        if not table.rows or len(set(table.rows)) != len(table.rows):
            raise EncodingError(say("spec.together_rows_unfit", features=listed(table.features)))
        for row in table.rows:
            if len(row) != len(table.features):
                raise EncodingError(say("spec.together_rows_unfit", features=listed(table.features)))
            for name, value in zip(table.features, row, strict=True):
                columns_of(known[name], value)
                if known[name].kind == "numeric":
                    _check_step(known[name], "together", value)


def _check_step(feature: ChangingFeature, field: str, amount: str) -> None:
    """Refuse a number that is no multiple of its feature's step, or not whole; `field` says where it stands."""
    if feature.whole is True and exact(amount).denominator != 1:
        raise EncodingError(say("spec.changes_not_whole", feature=named(feature), field=field))
    step = msgspec.UNSET if isinstance(feature.changes, msgspec.UnsetType) else feature.changes.step
    if isinstance(step, str) and (exact(amount) / exact(step)).denominator != 1:
        raise EncodingError(say("spec.changes_off_step", feature=named(feature), field=field, step=step, amount=amount))
