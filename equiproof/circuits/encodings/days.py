"""Numbers of days as dates: day v of a feature with a start is the date v days later, in the Gregorian calendar.

Only whole days of the years 1 to 9999 are dates, so that a date never says more or less than its number. The calendar
is extended to the years before it was made, as ISO 8601 has it.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable
from datetime import date
from fractions import Fraction

import msgspec

from equiproof.circuits.encodings.grid import EncodedFeature
from equiproof.circuits.encodings.interface import EncodingError, named
from equiproof.circuits.encodings.reached import Ends
from equiproof.circuits.tables import say

_UNITS = ("day", "days")
_DATE = re.compile("[0-9]{4}-[0-9]{2}-[0-9]{2}")
_LAST = date.max.toordinal()


def as_date(text: str) -> date | None:
    """Return the date that a text such as 2000-01-31 is; None for any other text."""
    if not _DATE.fullmatch(text):
        return None
    try:
        return date.fromisoformat(text)
    except ValueError:
        return None


def dates(feature: EncodedFeature, numbers: Iterable[Fraction]) -> list[date] | None:
    """Return the dates of numbers; None for a feature without a start, and where one of the numbers is no date."""
    start = as_date(feature.start) if isinstance(feature.start, str) else None
    if start is None:
        return None
    days = [start.toordinal() + number for number in numbers]
    if not all(day.denominator == 1 and 1 <= day <= _LAST for day in days):
        return None
    return [date.fromordinal(int(day)) for day in days]


def inward(ends: Ends) -> Ends:
    """Return the first and the last whole number between two ends."""
    return Fraction(math.ceil(ends[0])), Fraction(math.floor(ends[1]))


def check_start(feature: EncodedFeature) -> None:
    """Raise EncodingError for a start that is no date, or not of a number of whole days."""
    if isinstance(feature.start, msgspec.UnsetType):
        return
    name = named(feature)
    if as_date(feature.start) is None:
        raise EncodingError(say("spec.start_malformed", feature=name, value=repr(feature.start[:40])))
    # Only numbers that are not sensitive are whole.
    if feature.whole is not True:
        raise EncodingError(say("spec.start_misplaced", feature=name))
    if feature.unit not in _UNITS:
        raise EncodingError(say("spec.start_unit_unfit", feature=name, unit=repr(feature.unit[:40])))
