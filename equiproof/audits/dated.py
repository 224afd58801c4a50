"""Numbers of days in the words of an audit: dates such as 2024-03-31, where the spec states what they count from."""

from __future__ import annotations

from fractions import Fraction

import msgspec

from equiproof.circuits.encodings.days import dates
from equiproof.circuits.numbers import NumberError, read_number
from equiproof.circuits.spec import Feature


def dated(feature: Feature, number: Fraction) -> str:
    """Return the date that a number of days is; empty text where it is none."""
    days = dates(feature, (number,))
    return "" if days is None else days[0].isoformat()


def shown(feature: Feature, value: object) -> str:
    """Return a raw value as people read it: of a feature with a start its date, or what no date is with the start.

    Of a value that is missing, None, it says that it is.
    """
    if value is None:
        own = None if isinstance(feature.missing, msgspec.UnsetType) else feature.missing.text("en")
        return own or "not stated"
    text = str(value)
    if not isinstance(feature.start, str):
        return text
    try:
        number = read_number(value)
    except NumberError:
        return text  # a date already
    return dated(feature, number) or f"{text} {feature.unit} since {feature.start}"
