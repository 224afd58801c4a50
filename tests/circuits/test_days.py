"""Days as dates: whole days of the years 1 to 9999, never one that is not proven."""

from datetime import date, timedelta
from fractions import Fraction

import msgspec
import pytest

from equiproof.circuits.encodings.days import as_date, dates, inward
from equiproof.circuits.reach import reach
from equiproof.circuits.spec import Feature
from equiproof.circuits.units import interval, kept_to, radius_of_any
from tests.support import SEX, changed, spec_of

OPENED = Feature("opened", "numeric", "scaled", False, "8800", "900", unit="days", whole=True, start="2000-01-01")


def of(feature, *numbers):
    """Return the dates of numbers as text."""
    found = dates(feature, map(Fraction, numbers))
    return found and [one.isoformat() for one in found]


def test_day_zero_is_the_start():
    """Days count on through leap years, years without a leap day, and before the start."""
    assert of(OPENED, 0, 59, 60, 8839, -1) == ["2000-01-01", "2000-02-29", "2000-03-01", "2024-03-14", "1999-12-31"]
    assert of(changed(OPENED, start="1900-02-28"), 1) == ["1900-03-01"]


def test_what_is_no_date_stays_a_number():
    """A part of a day, a day before the first or after the last year, and a number without a start; one is enough."""
    last = (date.max - date(2000, 1, 1)).days
    first = (date.min - date(2000, 1, 1)).days
    assert of(OPENED, first, last) == ["0001-01-01", "9999-12-31"]
    for number in (first - 1, last + 1, "0.5", "8839.999999", 10**60, -(10**60)):
        assert of(OPENED, 0, number) is None
    assert of(changed(OPENED, start=msgspec.UNSET), 0) is None


@pytest.mark.parametrize(
    "text",
    [
        "2023-02-29",
        "0000-01-01",
        "2000-1-1",
        "20000101",
        "2000-01-01 ",
        "01.01.2000",
        "2000-W01-1",
        "２000-01-01",
        "2000-01-01\n",
    ],
)
def test_other_notations_are_no_dates(text):
    """Only YYYY-MM-DD is one."""
    assert as_date(text) is None
    assert as_date("2024-02-29") == date(2024, 2, 29)


def test_ends_of_parts_of_days_are_rounded_inward():
    """Days 1 to 3 lie between 0.4 and 3.6, and none between 0.4 and 0.6."""
    assert inward((Fraction("0.4"), Fraction("3.6"))) == (1, 3)
    assert inward((Fraction(-3), Fraction(-1))) == (-3, -1)
    low, high = inward((Fraction("0.4"), Fraction("0.6")))
    assert low > high


@pytest.mark.parametrize("root", [40, 41, 60, 257, 1000])
def test_dates_of_intervals_are_closer_than_the_radius(root):
    """The first and the last date are, and a day more is not: neither at the radius itself nor beyond it."""
    for scale in ("900", "16", "1024"):
        spec = spec_of(changed(OPENED, scale=scale), SEX)
        (opened,) = spec.plain_features
        radius = radius_of_any(spec, root**2)
        own = date(2024, 3, 14)
        text = interval(spec, opened, radius, 8839)
        if not reach(spec, opened, root**2, 8839).moves:
            assert text == "2024-03-14: this value only"
            continue
        first, last = map(date.fromisoformat, text.removeprefix("2024-03-14: ").split(" to "))
        moved = radius * Fraction(scale)
        assert own - first == last - own
        assert (last - own).days < moved <= (last - own + timedelta(days=1)).days


def test_ranges_name_the_days_between_their_ends():
    """Without a range, neighbors keep to those that the width holds."""
    spec = spec_of(changed(OPENED, range=("-0.5", "366.9")), SEX, use_ranges=True)
    assert kept_to(spec, spec.plain_features[0]) == "2000-01-01 to 2001-01-01"
    spec = spec_of(changed(OPENED, scale="9"), SEX, use_ranges=True)
    assert kept_to(spec, spec.plain_features[0]) == "2020-12-09 to 2027-03-31"
    wide = spec_of(changed(OPENED, scale="90000"), SEX, use_ranges=True)
    assert kept_to(wide, wide.plain_features[0]).endswith(" days")
