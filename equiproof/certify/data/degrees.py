"""Categories whose values are words of degree, such as low, medium and high, which the alphabet orders otherwise."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from equiproof.certify.data.dataset import DataError
from equiproof.circuits.arguments import argument

_SCALES = (
    ("none", "very low", "low", "medium low", "moderate", "medium", "average", "medium high", "high", "very high"),
    ("keine", "sehr niedrig", "niedrig", "gering", "mittel", "durchschnittlich", "erh\u00f6ht", "hoch", "sehr hoch"),
    ("tiny", "very small", "small", "medium", "middle", "large", "very large", "huge"),
    ("sehr klein", "klein", "mittel", "mittelgro\u00df", "gro\u00df", "sehr gro\u00df"),
    ("xxs", "xs", "s", "m", "l", "xl", "xxl"),
    ("child", "teenager", "youth", "young", "young adult", "adult", "middle-aged", "middle aged", "old", "senior"),
    ("kind", "jugendlich", "jung", "junger erwachsener", "erwachsen", "erwachsener", "mittel", "alt", "senior"),
    ("never", "rarely", "seldom", "sometimes", "often", "usually", "always"),
    ("nie", "selten", "manchmal", "oft", "h\u00e4ufig", "immer"),
    ("none", "little", "few", "some", "many", "much"),
    ("very bad", "bad", "very poor", "poor", "fair", "average", "ok", "good", "very good", "great", "excellent"),
    ("sehr schlecht", "schlecht", "mangelhaft", "ausreichend", "mittel", "befriedigend", "gut", "sehr gut"),
    ("primary", "lower secondary", "secondary", "upper secondary", "tertiary"),
    ("first", "second", "third", "fourth", "fifth"),
)
"""Words of degree, each line in an order that people would give them."""


def in_degrees(values: Collection[str]) -> tuple[str, ...] | None:
    """Return at least three values in the order of their words, where all are words of one scale and the alphabet errs.

    A guess to be asked about: None for other texts, and where the alphabet has the same order.
    """
    if len(values) < 3:
        return None
    words = {value.lower().replace("_", " "): value for value in values}
    for scale in _SCALES:
        if len(words) == len(values) and words.keys() <= set(scale):
            ordered = tuple(words[word] for word in scale if word in words)
            return None if ordered == tuple(sorted(values)) else ordered
    return None


def orders_of(texts: Mapping[str, str]) -> dict[str, tuple[str, ...]]:
    """Read the orders that people give, by column, such as low<medium<high; DataError for one with a gap or a twin."""
    orders = {}
    for column, text in texts.items():
        values = tuple(value.strip() for value in text.split("<"))
        if len(values) < 2 or not all(values) or len(set(values)) < len(values):
            raise DataError(
                f"give each value of {column[:80]!r} once, the least first, as in {argument('order', _EXAMPLE)}: "
                f"{text[:60]!r}"
            )
        orders[column] = values
    return orders


def question(column: str, values: Sequence[str]) -> str:
    """Ask whether words of degree stand in an order of their own."""
    order = argument("order", {column: "<".join(values)})
    return (
        f"give the order of column {column[:80]!r}, such as {order}, or {argument('one_hot', True)} for none: its "
        f"words are degrees, and the alphabet puts {min(values)!r} first"
    )


_EXAMPLE = {"risk": "low<medium<high"}
