"""How far each feature alone may move with the same decision, in words: one function makes every bar of an answer.

Answers, letters, pages and pictures take them from here. The numbers are those of circuits/reach.py.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

import msgspec

from equiproof.circuits.encodings import ENCODINGS
from equiproof.circuits.encodings.days import dates, inward
from equiproof.circuits.numbers import read_number
from equiproof.circuits.reach import Reach, reach
from equiproof.circuits.spec import Feature, Spec
from equiproof.circuits.units import radius_of_any
from equiproof.verifier.documents import RawValue
from equiproof.verifier.words import Words, isolated, shown_name


def moved_alone(feature: Feature, radius: Fraction, words: Words) -> str | None:
    """Return in words how far a feature may move whatever its value, below the radius; None for not at all."""
    moved = ENCODINGS[feature.encoding].moved_alone(feature, radius)
    if moved is None:
        return None
    numbers = {place: words.number(number) for place, number in moved.numbers.items()}
    return words.say(f"span.{moved.name}", unit=words.unit(feature.unit_in(words.language)), **numbers)


def own_value(feature: Feature, value: RawValue | None, words: Words) -> str:
    """Return a value of a feature as people read it: a date, a number with its unit, a value of a list, or none."""
    if value is None:
        return not_stated(feature, words)
    if feature.kind != "numeric":
        return isolated(str(value))
    number = read_number(value)
    days = dates(feature, (number,))
    return words.number(number) + words.unit(feature.unit_in(words.language)) if days is None else words.day(days[0])


def not_stated(feature: Feature, words: Words) -> str:
    """Return what is said of a missing value: the owner's own words, or those of the table."""
    own = None if isinstance(feature.missing, msgspec.UnsetType) else feature.missing.text(words.language)
    return words.say("span.not_stated") if own is None else isolated(own)


def put_right(first: tuple[Spec, Mapping[str, RawValue]], second: tuple[Spec, Mapping[str, RawValue]]) -> list[str]:
    """Return the names of the features that two applicants do not share: those of the first spec first."""
    words = Words("en")
    shown = [{one.name: own_value(one, values.get(one.name), words) for one in spec.plain_features}
             for spec, values in (first, second)]  # fmt: skip
    return [name for name in dict.fromkeys([*shown[0], *shown[1]]) if shown[0].get(name) != shown[1].get(name)]


def bars(spec: Spec, radius_squared: int, query: Mapping[str, RawValue] | None, words: Words) -> list[dict[str, Any]]:
    """Return one bar for each non-sensitive feature, as an answer holds them.

    Where no feature may move, or without the values of `query`, nothing is drawn: every bar is of the kind "none".
    """
    if query is None:
        return [_without_value(spec, feature, radius_squared, words) for feature in spec.plain_features]
    drawn = any_moves(spec, radius_squared, query, words)
    return [
        _bar(spec, feature, radius_squared, query.get(feature.name), words, drawn=drawn)
        for feature in spec.plain_features
    ]


def any_moves(spec: Spec, radius_squared: int, query: Mapping[str, RawValue] | None, words: Words) -> bool:
    """Return whether any feature may move: of the values of `query`, or whatever the values are."""
    if query is None:
        radius = radius_of_any(spec, radius_squared)
        return any(moved_alone(feature, radius, words) for feature in spec.plain_features)
    stated = ((feature, query.get(feature.name)) for feature in spec.plain_features)
    return any(value is not None and reach(spec, feature, radius_squared, value).moves for feature, value in stated)


def _bar(
    spec: Spec, feature: Feature, radius_squared: int, value: RawValue | None, words: Words, *, drawn: bool
) -> dict[str, Any]:
    """Return the bar of a feature whose value is known, or known to be missing: then there is nothing to draw."""
    name = isolated(shown_name(spec, feature, words.language))
    if value is None:
        return {"name": name, "own": not_stated(feature, words), "span": words.say("span.missing"), "kind": "none"}
    one = reach(spec, feature, radius_squared, value)
    if one.of_domain:
        own, span = isolated(str(value)), _span(feature, one, words)
        picture = _values(feature, one)
    else:
        own, span, limits = _of_number(feature, one, words)
        picture = {"kind": "number", **one.places(), "limits": limits}
    return {"name": name, "own": own, "span": span, "kind": "none"} | (picture if drawn else {})


def _of_number(feature: Feature, one: Reach, words: Words) -> tuple[str, str, list[str] | None]:
    """Return a number's own value, what is certified, and the ends of what is possible where the spec lists them.

    All of them are dates or none of them is: a date beside a number would leave open what it is counted from.
    """
    possible = one.possible if one.listed else None
    days = dates(feature, (one.own, one.low, one.high, *(inward(possible) if possible else ())))
    if days is None:
        texts = [words.number(number) for number in (one.own, one.low, one.high, *(possible or ()))]
    else:
        texts = list(map(words.day, days))
    own, low, high, *limits = texts
    unit = words.unit(feature.unit_in(words.language)) if days is None else ""
    span = words.say("span.range", low=low, high=high, unit=unit) if one.moves else words.say("span.none")
    return own, span, limits or None


def _values(feature: Feature, one: Reach) -> dict[str, Any]:
    """Return each value of a category, whether it is certified, and which one is the own."""
    return {
        "kind": "category",
        "values": [
            {"text": isolated(text), "in": one.low <= place <= one.high, "you": place == one.own}
            for place, text in enumerate(feature.domain)
        ],
    }


def _without_value(spec: Spec, feature: Feature, radius_squared: int, words: Words) -> dict[str, Any]:
    """Return the bar of a feature whose value is unknown."""
    moved = moved_alone(feature, radius_of_any(spec, radius_squared), words)
    span = moved or words.say("span.none")
    return {"name": isolated(shown_name(spec, feature, words.language)), "own": None, "span": span, "kind": "none"}


def _span(feature: Feature, one: Reach, words: Words) -> str:
    """Return in words which values of a category are certified."""
    if not one.moves:
        return words.say("span.none")
    if one.everything:
        return words.say("span.any")
    low, high = (words.word(feature.domain[int(end)]) for end in (one.low, one.high))
    return words.say("span.range", low=low, high=high, unit="")
