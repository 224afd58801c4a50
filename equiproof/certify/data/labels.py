"""Labels in their usual spellings: names, and True and False, 1 and 0, 1.0 and 0.0, 1 and -1 for them."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal, InvalidOperation
from fractions import Fraction
from typing import Any

_TRUTHS = {"true": Fraction(1), "false": Fraction(0)}

_SIGNS = [Fraction(-1), Fraction(1)]


def written(value: Any) -> str:
    """Return a value as text; scalars of numpy as the Python objects that they stand for."""
    plain = value.item() if hasattr(value, "item") else value
    return "" if plain is None else str(plain).strip()


def number_of(value: Any) -> Fraction | None:
    """Return the exact number that a value is or writes, None where it is none; true and false are 1 and 0."""
    text = written(value)
    if text.lower() in _TRUTHS:
        return _TRUTHS[text.lower()]
    try:
        number = Decimal(text)
    except InvalidOperation:
        return None
    # An exponent of many digits would take all memory as a fraction.
    return Fraction(number) if number.is_finite() and abs(number.adjusted()) < 400 else None


def class_of(value: Any) -> str | int | None:
    """Return the class of a model as text or whole number, True and False as 1 and 0; None for anything else."""
    plain = value.item() if hasattr(value, "item") else value
    if isinstance(plain, str):
        return plain
    number = number_of(plain) if isinstance(plain, bool | int | float) else None
    return int(number) if number is not None and number.denominator == 1 else None


def places(values: Sequence[str | int], labels: Sequence[str]) -> list[int] | None:
    """Return the place among labels of each of as many values, which are all different; None where it is not clear.

    Values are labels by name, or as numbers. Where the labels are words, 0, 1, ... are their places, and -1 and 1 the
    first and the second of two; so are these where other numbers than they are the labels.
    """
    if all(isinstance(value, str) for value in values) and sorted(map(str, values)) == sorted(labels):
        return [labels.index(str(value)) for value in values]
    numbers = [number for value in values if (number := number_of(value)) is not None]
    own = [number for label in labels if (number := number_of(label)) is not None]
    if len(numbers) != len(labels) or len(set(numbers)) != len(numbers) or len(values) != len(labels):
        return None
    if len(own) == len(labels) and set(own) == set(numbers):
        return [own.index(number) for number in numbers]
    if sorted(numbers) == list(range(len(labels))):
        return [int(number) for number in numbers]
    return [int(number == 1) for number in numbers] if sorted(numbers) == _SIGNS else None
