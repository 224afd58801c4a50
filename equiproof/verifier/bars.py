"""How far each feature alone may move with the same decision, in words: one function makes every bar of an answer.

Answers, letters, pages and pictures take them from here. The numbers are those of circuits/reach.py.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from equiproof.circuits.encodings import ENCODINGS
from equiproof.circuits.reach import Reach, moved_most, reach
from equiproof.circuits.spec import Feature, Spec
from equiproof.circuits.units import radius_of_any
from equiproof.verifier.documents import RawValue
from equiproof.verifier.words import Words, isolated, shown_name


def moved_alone(spec: Spec, feature: Feature, radius: Fraction, words: Words) -> str | None:
    """Return in words how far a feature may move whatever its value, below the radius; None for not at all."""
    if ENCODINGS[feature.encoding].kind == "categorical":
        return _moved_category(spec, feature, radius, words)
    most = moved_most(feature, radius)
    return words.say("span.distance", moved=words.number(most), unit=words.unit(feature.unit)) if most > 0 else None


def bars(spec: Spec, radius_squared: int, query: Mapping[str, RawValue] | None, words: Words) -> list[dict[str, Any]]:
    """Return one bar for each non-sensitive feature, as an answer holds them.

    Where no feature may move, or without the values of `query`, nothing is drawn: every bar is of the kind "none".
    """
    if query is None:
        return [_without_value(spec, feature, radius_squared, words) for feature in spec.plain_features]
    reaches = [reach(spec, feature, radius_squared, query[feature.name]) for feature in spec.plain_features]
    drawn = any(one.moves for one in reaches)
    return [
        _bar(spec, feature, one, query[feature.name], words, drawn=drawn)
        for feature, one in zip(spec.plain_features, reaches, strict=True)
    ]


def any_moves(spec: Spec, radius_squared: int, query: Mapping[str, RawValue] | None, words: Words) -> bool:
    """Return whether any feature may move: of the values of `query`, or whatever the values are."""
    if query is None:
        radius = radius_of_any(spec, radius_squared)
        return any(moved_alone(spec, feature, radius, words) for feature in spec.plain_features)
    return any(reach(spec, feature, radius_squared, query[feature.name]).moves for feature in spec.plain_features)


def _bar(spec: Spec, feature: Feature, one: Reach, value: RawValue, words: Words, *, drawn: bool) -> dict[str, Any]:
    """Return the bar of a feature whose value is known."""
    category = ENCODINGS[feature.encoding].kind == "categorical"
    own = isolated(str(value)) if category else words.number(one.own)
    bar = {"name": isolated(shown_name(spec, feature)), "own": own, "span": _span(feature, one, words), "kind": "none"}
    if not drawn:
        return bar
    return bar | (
        {"kind": "category", **_values(feature, one)} if category else {"kind": "number", **_line(one, words)}
    )


def _line(one: Reach, words: Words) -> dict[str, Any]:
    """Return where a number's bar begins and ends, and the ends of what is possible in words, where both are known."""
    limits = [words.number(end) for end in one.possible] if one.listed and one.possible else None
    return {"kind": "number", **one.places(), "limits": limits}


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
    moved = moved_alone(spec, feature, radius_of_any(spec, radius_squared), words)
    span = moved or words.say("span.none")
    return {"name": isolated(shown_name(spec, feature)), "own": None, "span": span, "kind": "none"}


def _span(feature: Feature, one: Reach, words: Words) -> str:
    """Return what is certified in words."""
    if not one.moves:
        return words.say("span.none")
    if ENCODINGS[feature.encoding].kind == "numeric":
        low = words.number(one.low)
        high = words.number(one.high)
        unit = words.unit(feature.unit)
        return words.say("span.range", low=low, high=high, unit=unit)
    if one.everything:
        return words.say("span.any")
    low, high = (words.word(feature.domain[int(end)]) for end in (one.low, one.high))
    return words.say("span.range", low=low, high=high, unit="")


def _moved_category(spec: Spec, feature: Feature, radius: Fraction, words: Words) -> str | None:
    """Return in words how far a category may move, or None."""
    _, high = ENCODINGS[feature.encoding].reached(spec, feature, radius, feature.domain[0])
    steps = Fraction(high)
    last = Fraction(len(feature.domain) - 1)
    if not steps:
        return None
    if steps == last:
        return words.say("span.any")
    return words.say("span.ranks", moved=words.number(steps), n=words.number(last + 1))
