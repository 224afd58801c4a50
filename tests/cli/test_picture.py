"""The picture of a certificate promises what the certificate does, and nothing that a feature cannot be."""

from decimal import Decimal

import pytest

from equiproof.circuits.spec import Feature
from equiproof.circuits.units import radius_of_any
from equiproof.cli.picture import Bar, bars
from equiproof.verifier.bars import bars as answer_bars
from equiproof.verifier.words import Words, for_terminal
from tests.support import HOUSING, SAVINGS, SEX, changed, spec_of

DEBT = Feature("old_debt", "numeric", "scaled", False, mean="4000", scale="2000", unit="EUR", range=("0", "60000"))
AGE = Feature("age", "numeric", "scaled", False, mean="40", scale="10", unit="years")
SPEC = spec_of(DEBT, AGE, HOUSING, SAVINGS, SEX)
ROW = {"old_debt": 3000, "age": 30, "housing": "rent", "savings": "low"}


def drawn(radius: str, row=None) -> dict[str, Bar]:
    """Return the bars of a certificate of that radius in the spec's units, by name."""
    squared = (
        int(Decimal(radius) * SPEC.scale_unit + 3) ** 2
    )  # what a radius of any loses to rounding: root of 5 columns
    found = bars(SPEC, row or ROW, squared)
    assert radius_of_any(SPEC, squared) == Decimal(radius)
    return {bar.name: bar for bar in found}


def test_every_feature_has_a_bar_the_sensitive_ones_first():
    """A sensitive feature may have any value, and the applicant's own is not on the picture."""
    found = drawn("0.5")
    assert [*found] == ["sex", "old debt", "age", "housing", "savings"]
    assert (found["sex"].words, found["sex"].today) == ("any value (f, m)", None)


def test_a_bar_says_what_the_verifier_says():
    """Between the ends that are drawn and the words beside them stands what `verify` prints."""
    bar = drawn("0.5")["old debt"]
    said = answer_bars(SPEC, (512 + 3) ** 2, ROW, Words("en"))[0]
    assert for_terminal(said["span"]).replace("\u00a0", " ") == "2,001 to 3,999 EUR"
    assert (bar.own, bar.words, bar.stops) == ("3,000", "2,001 to 3,999 EUR", (False, False))
    assert (bar.low, bar.today, bar.high) == pytest.approx((2000 / 60000, 3000 / 60000, 4000 / 60000), abs=1e-4)
    assert bar.low >= 2000 / 60000
    assert bar.high <= 4000 / 60000


def test_no_bar_goes_below_what_the_feature_can_be():
    """A debt ends at 0, and the bar is marked there."""
    bar = drawn("2")["old debt"]
    assert (bar.words, bar.low, bar.stops) == ("0 to 6,990 EUR", 0.0, (True, False))


def test_without_a_range_a_bar_has_no_end_of_its_own():
    """The line of a number without a range goes a quarter beyond what is certified, and nothing is cut."""
    bar = drawn("2")["age"]
    assert (bar.words, bar.stops) == ("10.1 to 49.9 years", (False, False))
    assert (bar.low, bar.today, bar.high) == pytest.approx((1 / 6, 1 / 2, 5 / 6), abs=1e-3)


@pytest.mark.parametrize(
    ("radius", "housing", "savings"),
    [
        ("0.25", "this value only", "this value only"),
        ("1.25", "this value only", "this value only"),
        ("1.5", "any value", "this value only"),
        ("2.25", "any value", "any value"),
    ],
)
def test_categories_are_written_in_words(radius, housing, savings):
    """A category keeps its value until the radius covers another one: two indicators, or the next rank."""
    found = drawn(radius)
    assert (found["housing"].words, found["savings"].words) == (housing, savings)


def test_ranks_between_the_ends_are_named():
    """From the lowest rank, a radius of one and a half steps reaches the next rank and no further."""
    spec = spec_of(changed(SAVINGS, scale="1"), SEX)
    (_, bar) = bars(spec, {"savings": "none"}, int(1.5 * spec.scale_unit + 1) ** 2)
    assert (bar.words, bar.low, bar.high, bar.stops) == ("none to low", 0.0, 0.5, (True, False))


def test_a_number_that_counts_by_its_logarithm_has_the_bar_of_its_own_value():
    """Its ends are factors of the value and not as far from it on both sides; the words are those of `verify`."""
    pay = Feature("pay", "numeric", "log", False, mean="11", scale="1", unit="EUR", range=("500", "9000"), whole=True,
                  offset="0")  # fmt: skip
    spec = spec_of(pay, HOUSING, SEX)
    squared = (512 + 2) ** 2  # half a unit of the spec: a factor of the root of two
    bar = next(one for one in bars(spec, {"pay": 2000, "housing": "own"}, squared) if one.name == "pay")
    assert (bar.own, bar.words, bar.stops) == ("2,000", "1,415 to 2,828 EUR", (False, False))
    assert (bar.low, bar.today, bar.high) == pytest.approx((915 / 8500, 1500 / 8500, 2328 / 8500), abs=1e-4)
    assert bar.low >= 915 / 8500
    assert bar.high <= 2328 / 8500
