"""What the rules of change allow somebody, and the box of all of it.

Numbers are exact and in the raw units of the features, and so are ends: rounding to the integers of columns never
falls as a number grows, so that a box that holds all raw values that are allowed holds all of their integers too. What
somebody wishes, such as not to move house, narrows what they are allowed and nothing else.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from dataclasses import field as member
from decimal import Context, Decimal
from fractions import Fraction
from typing import Any

import msgspec

from equiproof.circuits.changes import Changes, Direction
from equiproof.circuits.encodings import ENCODINGS
from equiproof.circuits.names import quoted
from equiproof.circuits.numbers import exact, read_number
from equiproof.circuits.spec import Feature, Spec, SpecError, decimal
from equiproof.circuits.tables import say

_DIGITS = Context(prec=400)
"""As many as any sum of two numbers has that readers of numbers and of specs take."""


_WHOLE = 100

_LARGEST = 1 << 53
"""Where integers of JSON end."""


class WishError(SpecError):
    """A wish that does not fit the spec."""


class WiderWishError(WishError):
    """A wish for more than the rules allow."""


class Wish(msgspec.Struct, frozen=True, forbid_unknown_fields=True, rename={"start": "from"}):
    """What somebody does not want to change of a feature: it is `fixed`, or keeps to nearer ends or fewer values."""

    fixed: bool | msgspec.UnsetType = msgspec.UNSET
    start: str | msgspec.UnsetType = msgspec.UNSET
    to: str | msgspec.UnsetType = msgspec.UNSET
    by: str | msgspec.UnsetType = msgspec.UNSET
    values: tuple[str, ...] | msgspec.UnsetType = msgspec.UNSET

    @property
    def stated(self) -> dict[str, Any]:
        """The fields that are there, by the names that a file has for them."""
        fields = {"fixed": self.fixed, "from": self.start, "to": self.to, "by": self.by, "values": self.values}
        return {name: value for name, value in fields.items() if value is not msgspec.UNSET}


@dataclass(frozen=True)
class Span:
    """A number: today's, and the least and the greatest that it may become.

    `step` is what shown values are multiples of, None where they may be any.
    """

    own: Fraction = member(repr=False)
    low: Fraction = member(repr=False)
    high: Fraction = member(repr=False)
    step: Fraction | None


@dataclass(frozen=True)
class Values:
    """A category: today's value, and those that it may have, in the domain's order; today's is one of them."""

    own: str = member(repr=False)
    all: tuple[str, ...] = member(repr=False)


Range = Span | Values | None
"""What one feature may be; None for a value that is not stated, which stays so."""


@dataclass(frozen=True)
class Allowed:
    """What somebody may change: each feature alone, and for features that change at once the rows that are left."""

    features: Mapping[str, Range]
    together: tuple[tuple[tuple[str, ...], tuple[tuple[str, ...], ...]], ...]

    def box(self, spec: Spec) -> dict[str, tuple[Any, ...]]:
        """Return the box of all that is allowed: the ends of each feature, as an opened box has them.

        Of features that change at once it has each with each, as no table has.
        """
        return {feature.name: _ends(feature, self.features[feature.name]) for feature in spec.plain_features}

    def within(self, percent: int) -> Allowed:
        """Return what is left where each number goes only so many percent, 1 to 99, of the way to each of its ends.

        Nothing else is narrower: a category may be all that it may be. Raises ValueError for another percent.
        """
        refuse_percent(percent)
        part = Fraction(percent, 100)
        return Allowed({name: _nearer(found, part) for name, found in self.features.items()}, self.together)

    @property
    def numbers(self) -> tuple[str, ...]:
        """The features with numbers that may change."""
        found = self.features.items()
        return tuple(name for name, may in found if isinstance(may, Span) and may.low < may.high)


def allowed(spec: Spec, row: Mapping[str, Any], wishes: Mapping[str, Wish]) -> Allowed:
    """Return what the rules of a spec allow somebody of this raw row, which fits the spec, under their wishes.

    Raises WishError for a wish that does not fit the spec and WiderWishError for one that goes beyond the rules.
    """
    known = {feature.name: feature for feature in spec.plain_features}
    for name in wishes:
        if name not in known:
            raise WishError(say("wishes.unknown_feature", feature=repr(name[:40])))
    alone = {name: _alone(feature, row.get(name), wishes.get(name, Wish())) for name, feature in known.items()}
    tables = []
    for table in () if isinstance(spec.together, msgspec.UnsetType) else spec.together:
        left = tuple(row for row in table.rows if _fits(alone, table.features, row))
        alone |= {name: _of_rows(alone[name], [row[at] for row in left]) for at, name in enumerate(table.features)}
        tables.append((table.features, left))
    return Allowed(alone, tuple(tables))


def refuse_percent(percent: int) -> None:
    """Raise ValueError for what is no part of what numbers may change."""
    if not 0 < percent < _WHOLE:
        raise ValueError(say("pair.within_unfit"))


def _nearer(found: Range, part: Fraction) -> Range:
    """Return what a feature may be where a number goes a part of the way to each end."""
    if not isinstance(found, Span):
        return found
    own = found.own
    return Span(own, own - part * (own - found.low), own + part * (found.high - own), found.step)


def _alone(feature: Feature, value: Any, wish: Wish) -> Range:
    """Return what one feature may be, whatever the others are."""
    changes = None if isinstance(feature.changes, msgspec.UnsetType) else feature.changes
    if wish.fixed is not msgspec.UNSET and (len(wish.stated) > 1 or wish.fixed is not True):
        raise WishError(say("wishes.fixed_alone", feature=quoted(feature.name)))
    if feature.kind == "numeric":
        return _number(feature, changes, value, wish)
    return _category(feature, changes, value, wish)


def _number(feature: Feature, changes: Changes | None, value: Any, wish: Wish) -> Span | None:
    """Return the ends of a number."""
    rules, wanted = _ends_of(feature, changes), _wanted(feature, changes, wish)
    if value is None:
        return None
    own = read_number(value)
    step = None if changes is None else _step(feature, changes)
    low, high = own, own
    if wish.fixed is not True:
        near = [ends["by"] for ends in (rules, wanted) if "by" in ends]
        ups = [ends["up"] for ends in (rules, wanted) if "up" in ends]
        downs = [ends["down"] for ends in (rules, wanted) if "down" in ends]
        high = max(own, min(ups + [own + by for by in near])) if ups else own
        low = min(own, max(downs + [own - by for by in near])) if downs else own
    return Span(own, low, high, step)


def _step(feature: Feature, changes: Changes) -> Fraction | None:
    """Return what shown values of a number are multiples of: whole numbers without a step are whole."""
    if isinstance(changes.step, msgspec.UnsetType):
        return Fraction(1) if feature.whole is True else None
    return exact(changes.step)


def _ends_of(feature: Feature, changes: Changes | None) -> dict[str, Fraction]:
    """Return the last values of a number's rules, `up` and `down` as far as it goes there, and the distance `by`."""
    if changes is None:
        return {}
    stated = changes.amounts
    found = {"by": stated["by"]} if "by" in stated else {}
    for direction, field in _fields_of(changes).items():
        if field in stated:
            found[direction] = stated[field]
        elif feature.range is not None:
            found[direction] = exact(feature.range[direction == "up"])
    return found


def _fields_of(changes: Changes) -> dict[str, str]:
    """Return the directions that values may take, and of each the name of the field with its last value."""
    directions: tuple[Direction, Direction] = ("up", "down")
    return {direction: changes.end(direction) for direction in directions if changes.goes(direction)}


def _wanted(feature: Feature, changes: Changes | None, wish: Wish) -> dict[str, Fraction]:
    """Return the same of a wish; raises for one that is wider than the rules, or says what they do not."""
    rules, name, found = _ends_of(feature, changes), quoted(feature.name), {}
    places = {} if changes is None else {field: way for way, field in _fields_of(changes).items()} | {"by": "by"}
    for field, text in wish.stated.items():
        if field == "values":
            raise WishError(say("wishes.field_unfit", feature=name, field=field))
        if field == "fixed":
            continue
        amount = decimal(text, f"{say('word.wishes')}: {name}: {field}")
        if field not in places:
            raise WiderWishError(say("wishes.no_such_change", feature=name, field=field))
        place = places[field]
        if place == "by" and amount <= 0:
            raise WishError(say("wishes.field_unfit", feature=name, field=field))
        if place in rules and (amount < rules[place] if place == "down" else amount > rules[place]):
            raise WiderWishError(say("wishes.wider", feature=name, field=field))
        found[place] = amount
    return found


def _category(feature: Feature, changes: Changes | None, value: Any, wish: Wish) -> Values | None:
    """Return the values that a category may have."""
    name = quoted(feature.name)
    for field in wish.stated:
        if field not in ("fixed", "values"):
            raise WishError(say("wishes.field_unfit", feature=name, field=field))
    wanted = None if isinstance(wish.values, msgspec.UnsetType) else set(wish.values)
    if wanted is not None and (not wanted <= set(feature.domain) or len(wanted) < len(wish.stated["values"])):
        raise WishError(say("wishes.field_unfit", feature=name, field="values"))
    if value is None:
        return None
    rules = {value, *_reached(feature, changes, value)}
    if wanted is not None and not wanted <= rules:
        raise WiderWishError(say("wishes.wider", feature=name, field="values"))
    left = {value} if wish.fixed is True else rules if wanted is None else {value, *wanted}
    return Values(value, tuple(one for one in feature.domain if one in left))


def _reached(feature: Feature, changes: Changes | None, value: str) -> Sequence[str]:
    """Return the values that the rules let a category move to."""
    if changes is None:
        return ()
    if isinstance(changes.order, msgspec.UnsetType):
        return feature.domain if isinstance(changes.values, msgspec.UnsetType) else changes.values
    place = changes.order.index(value)
    return changes.order[place:] if changes.direction == "up" else changes.order[: place + 1]


def _fits(alone: Mapping[str, Range], names: Sequence[str], row: Sequence[str]) -> bool:
    """Return whether each feature alone may have its value of a row: one that is not stated has none."""
    return all(_may_be(alone[name], value) for name, value in zip(names, row, strict=True))


def _may_be(found: Range, value: str) -> bool:
    """Return whether a feature alone may have a value."""
    if isinstance(found, Span):
        return found.low <= exact(value) <= found.high
    return found is not None and value in found.all


def _of_rows(found: Range, values: Sequence[str]) -> Range:
    """Return what a feature may be of a table of which the rows with these values are left."""
    if isinstance(found, Span):
        numbers = [found.own, *map(exact, values)]
        return Span(found.own, min(numbers), max(numbers), found.step)
    if found is None:
        return None
    return Values(found.own, tuple(one for one in found.all if one == found.own or one in values))


def _ends(feature: Feature, found: Range) -> tuple[Any, ...]:
    """Return the ends of one feature as an opened box has them: a number that is not whole as decimal text."""
    if found is None:
        return ()
    if isinstance(found, Span):
        return written_number(found.low), written_number(found.high)
    if is_listed(feature):
        return found.all
    return found.all[0], found.all[-1]


def is_listed(feature: Feature) -> bool:
    """Return whether a box names the values of a feature one by one, since it has a column for each."""
    encoding = ENCODINGS[feature.encoding]
    return feature.kind == "categorical" and not encoding.ordered and encoding.width(feature) > 1


def wanted_label(spec: Spec, label: str | None = None) -> int:
    """Return the number of the label that is asked for, by default the last one; SpecError for an unknown one."""
    if label is None:
        return len(spec.labels) - 1
    if label not in spec.labels:
        raise SpecError(f"label {label[:40]!r} is unknown: want one of {', '.join(spec.labels)}")
    return spec.labels.index(label)


def integer_ends(spec: Spec, feature: Feature, given: Sequence[Any]) -> tuple[list[int], list[int]]:
    """Return the least and the largest integers of a feature's columns, from its ends as an opened box has them.

    Raises SpecError for values that do not fit the spec.
    """
    if not given:
        missing = spec.columns_of(feature, None)
        return missing, missing
    columns = [spec.columns_of(feature, value) for value in given]
    if not is_listed(feature) or len(columns) == 1:
        return columns[0], columns[-1]
    every = [spec.columns_of(feature, value) for value in feature.domain]
    return [min(column) for column in zip(*every, strict=True)], [max(column) for column in zip(*columns, strict=True)]


def written_number(number: Fraction) -> int | str:
    """Return a number as an opened box has it."""
    if number.denominator == 1 and abs(number) < _LARGEST:
        return int(number)
    return f"{_DIGITS.divide(Decimal(number.numerator), Decimal(number.denominator)).normalize():f}"
