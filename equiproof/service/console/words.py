"""Times and numbers as people read them, in the language that is spoken and the time zone of the settings."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from fractions import Fraction
from zoneinfo import ZoneInfo

from equiproof.circuits.tables import ENGLISH, spoken
from equiproof.verifier.words import MINUS, NO_BREAK, Words

SECOND = 1_000_000
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_DAYS = {
    "en": ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"),
    "de": ("Montag", "Dienstag", "Mittwoch", "Donnerstag", "Freitag", "Samstag", "Sonntag"),
}
_MAX_DIGITS = 6
_DIRECTIONS = re.compile("[\u200e\u200f\u202a-\u202e\u2066-\u2069]")


def reader() -> Words:
    """Return the words of the language that is spoken: numbers, days, units and lists."""
    return Words(spoken())


@dataclass(frozen=True)
class Zone:
    """Where the lender's people are."""

    zone: ZoneInfo

    def at(self, microseconds: int) -> datetime:
        """Return a time of the tables."""
        return (_EPOCH + timedelta(microseconds=microseconds)).astimezone(self.zone)

    def when(self, microseconds: int) -> str:
        """Return day and time."""
        at = self.at(microseconds)
        return f"{day(at.date())}, {at:%H:%M}{NO_BREAK}{at:%Z}"

    def stamp(self, microseconds: int, language: str) -> str:
        """Return day and time to the second, with the zone, in a language."""
        at = self.at(microseconds)
        return f"{Words(language).day(at.date())}, {at:%H:%M:%S}{NO_BREAK}{at:%Z}"

    def short(self, microseconds: int, now: int) -> str:
        """Return the time of today, else the day as well."""
        return f"{self._day(microseconds, now)}{self.at(microseconds):%H:%M}"

    def exact(self, microseconds: int, now: int) -> str:
        """Return the time of today to the second, else the day as well."""
        return f"{self._day(microseconds, now)}{self.at(microseconds):%H:%M:%S}"

    def _day(self, microseconds: int, now: int) -> str:
        """Return a day in short, with what parts it from the time; nothing for today."""
        at = self.at(microseconds).date()
        present = self.at(now).date()
        if at == present:
            return ""
        year = "" if at.year == present.year else f"{NO_BREAK}{at.year}"
        month = reader().say("letter.months").split()[at.month - 1][:3]
        point = "" if spoken() == ENGLISH else "."
        return f"{at.day}{point}{NO_BREAK}{month}{year},{NO_BREAK}"

    def span(self, date_: date) -> tuple[int, int]:
        """Return where a day begins and ends, in microseconds; days have 23 to 25 hours."""
        ends = (datetime.combine(one, time(), self.zone) for one in (date_, date_ + timedelta(days=1)))
        first, last = ((end - _EPOCH) // timedelta(microseconds=1) for end in ends)
        return first, last


def foreign(text: object) -> str:
    """Return text of anybody's without the signs that change the direction of what follows; a mark stands for each."""
    return _DIRECTIONS.sub("\ufffd", str(text))


def day(date_: date) -> str:
    """Return a day."""
    return reader().day(date_)


def weekday(date_: date) -> str:
    """Return a day with its name."""
    return f"{_DAYS[spoken()][date_.weekday()]}, {day(date_)}"


def number(count: int) -> str:
    """Return a count, its digits in groups."""
    return reader().number(Fraction(count))


def lasted(microseconds: int) -> str:
    """Return how long something took or takes: two units at most, cut."""
    seconds = max(0, microseconds) // SECOND
    for unit, part, length, least in (("d", "h", 86_400, 3_600), ("h", "min", 3_600, 60), ("min", "s", 60, 1)):
        if seconds >= length:
            rest = seconds % length // least
            return f"{seconds // length}{NO_BREAK}{unit}" + (f" {rest}{NO_BREAK}{part}" if rest else "")
    return f"{seconds}{NO_BREAK}s"


def seconds(microseconds: int) -> str:
    """Return a time that a machine took, in seconds: rounded up, so that nothing looks faster than it was."""
    hundredths = -(-microseconds // 10_000)
    digits = 2 if hundredths < 100 else 1
    digits_shown = hundredths if digits == 2 else -(-hundredths // 10)
    return f"{reader().number(Fraction(digits_shown, 10**digits))}{NO_BREAK}s"


def radius(value: Fraction) -> str:
    """Return a proven radius with three decimals, cut."""
    return reader().number(Fraction(value.numerator * 1000 // value.denominator, 1000))


def score(value: Fraction) -> str:
    """Return a score with its sign: two decimals, and more where two would show a nought that is none."""
    digits = next((digits for digits in range(2, _MAX_DIGITS) if round(value, digits)), 2)
    rounded = f"{float(round(abs(value), digits)):.{digits}f}"
    sign = MINUS if value < 0 else "+" if value > 0 else ""
    return f"{sign}{rounded.replace('.', reader().say('number.point'))}"
