"""The picture of a certificate promises what the certificate does, and nothing that a feature cannot be."""

from decimal import Decimal
from types import SimpleNamespace

import pytest

from equiproof.circuits.spec import Feature
from equiproof.circuits.units import interval, radius_of_any
from equiproof.cli.picture import Bar, bars
from tests.support import HOUSING, SAVINGS, SEX, changed, spec_of

DEBT = Feature("old_debt", "numeric", "scaled", False, mean="4000", scale="2000", unit="EUR", range=("0", "60000"))
AGE = Feature("age", "numeric", "scaled", False, mean="40", scale="10", unit="years")
SPEC = spec_of(DEBT, AGE, HOUSING, SAVINGS, SEX)
ROW = {"old_debt": 3000, "age": 30, "housing": "rent", "savings": "low"}
SEEN = SimpleNamespace(rows=[ROW, ROW | {"age": 19}, ROW | {"age": 75}])


def drawn(radius: str, row=None) -> dict[str, Bar]:
    """Return the bars of a certificate of that radius in the spec's units, by name."""
    squared = (
        int(Decimal(radius) * SPEC.scale_unit + 3) ** 2
    )  # what a radius of any loses to rounding: root of 5 columns
    found = bars(SPEC, row or ROW, SEEN, squared)
    assert radius_of_any(SPEC, squared) == Decimal(radius)
    return {bar.name: bar for bar in found}


def test_every_feature_has_a_bar_the_sensitive_ones_first():
    """A sensitive feature may have any value, and the applicant's own is not on the picture."""
    found = drawn("0.5")
    assert [*found] == ["sex", "old debt", "age", "housing", "savings"]
    assert (found["sex"].words, found["sex"].today) == ("any value (f, m)", None)


def test_a_bar_says_what_the_verifier_says():
    """Between the ends that are drawn and the words beside them stands the interval that `verify` prints."""
    bar = drawn("0.5")["old debt"]
    assert interval(SPEC, DEBT, radius_of_any(SPEC, (512 + 3) ** 2), 3000) == "3,000: 2,000 to 4,000 EUR"
    assert (bar.own, bar.words, bar.stops) == ("3,000", "2,000 to 4,000 EUR", (False, False))
    assert (bar.low, bar.today, bar.high) == pytest.approx((2000 / 60000, 3000 / 60000, 4000 / 60000))


def test_no_bar_goes_below_what_the_feature_can_be():
    """A debt ends at 0, and the bar is marked there."""
    bar = drawn("2")["old debt"]
    assert (bar.words, bar.low, bar.stops) == ("0 to 7,000 EUR", 0.0, (True, False))


def test_without_a_range_the_data_set_bounds_the_bar():
    """A number without a range of its own ends at the values that were seen; the applicant's own always counts."""
    bar = drawn("2")["age"]
    assert (bar.words, bar.low, bar.stops) == ("19 to 50 years", 0.0, (True, False))
    assert drawn("2", ROW | {"age": 17})["age"].words == "17 to 37 years"


@pytest.mark.parametrize(
    ("radius", "housing", "savings"),
    [
        ("0.25", "this value only", "this value only"),
        ("1.25", "this value only", "this value only"),
        ("1.5", "any value (own, rent)", "this value only"),
        ("2.25", "any value (own, rent)", "any value (none, low, high)"),
    ],
)
def test_categories_are_written_in_words(radius, housing, savings):
    """A category keeps its value until the radius covers another one: two indicators, or the next rank."""
    found = drawn(radius)
    assert (found["housing"].words, found["savings"].words) == (housing, savings)


def test_ranks_between_the_ends_are_named():
    """From the lowest rank, a radius of one and a half steps reaches the next rank and no further."""
    spec = spec_of(changed(SAVINGS, scale="1"), SEX)
    (_, bar) = bars(spec, {"savings": "none"}, SEEN, int(1.5 * spec.scale_unit + 1) ** 2)
    assert (bar.words, bar.low, bar.high, bar.stops) == ("none to low", 0.0, 0.5, (True, False))
