"""A draft of the rules of change, for its owner to review: what somebody can change of a feature, no table says.

Guessed is as little as possible: an age goes up only, what looks like history is fixed, and so are dates of days that
have been. Every other number may change either way between the least and the greatest value of the table, every other
category to any of its values.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from decimal import Decimal
from fractions import Fraction

import msgspec

from equiproof.certify.data.dataset import Value
from equiproof.circuits.changes import Changes
from equiproof.circuits.encodings import ENCODINGS
from equiproof.circuits.numbers import read_number
from equiproof.circuits.spec import Feature, Spec, checked
from equiproof.circuits.text import several

_WORD = re.compile(r"[^\W\d_]+")
_AGES = ("age", "ages", "alter")
_HISTORY = (
    "arrear", "bankrupt", "convict", "default", "delinq", "histor", "inquir", "overdue", "past", "previous", "prior",
    "record",
)  # fmt: skip
"""How words in the names of features begin that are about what has been."""

_MOST_NAMED = 6
_ROOM = 120


def with_changes(spec: Spec, columns: Mapping[str, Sequence[Value]]) -> tuple[Spec, tuple[str, ...]]:
    """Return a spec with drafted rules of change, and notes on them; `columns` has the values that are stated."""
    features: list[Feature] = []
    ages: list[str] = []
    fixed: list[str] = []
    free: list[str] = []
    for feature in spec.features:
        if feature.sensitive:
            features.append(feature)
            continue
        words = [word.lower() for word in _WORD.findall(feature.name)]
        if isinstance(feature.start, str) or any(word.startswith(_HISTORY) for word in words):
            fixed.append(feature.name)
            features.append(feature)
            continue
        is_age = feature.kind == "numeric" and not set(_AGES).isdisjoint(words)
        changes = _rules(feature, columns[feature.name], is_age=is_age)
        (fixed if changes is None else ages if is_age else free).append(feature.name)
        features.append(msgspec.structs.replace(feature, changes=msgspec.UNSET if changes is None else changes))
    notes = [
        f"{what}: {several(names, _MOST_NAMED, _ROOM)}; {remedy}"
        for what, names, remedy in (
            ("may only go up", ages, "take changes away from what nobody can change"),
            (
                "fixed, as history or dates, or since the table has one value",
                fixed,
                "write changes for what can change after all",
            ),
            ("may change in any direction among the values of the table", free, "write of each whether and how far"),
        )
        if names
    ]
    return checked(msgspec.structs.replace(spec, features=tuple(features))), tuple(notes)


def _rules(feature: Feature, values: Iterable[Value], *, is_age: bool) -> Changes | None:
    """Return the rules of a feature by its values; None where they leave nothing to change."""
    if feature.kind == "categorical":
        return Changes("any") if len(feature.domain) > 1 else None
    numbers = [read_number(value) for value in values]
    step = ENCODINGS[feature.encoding].step(feature)
    if not numbers or step is None:
        return None
    low, high = math.ceil(min(numbers) / step) * step, math.floor(max(numbers) / step) * step
    if low >= high:
        return None
    if is_age:
        return Changes("up", step=_written(step), to=_written(high))
    return Changes("any", step=_written(step), start=_written(low), to=_written(high))


def _written(number: Fraction) -> str:
    """Return a multiple of a power of ten as decimal text."""
    return f"{Decimal(number.numerator) / Decimal(number.denominator):f}"
