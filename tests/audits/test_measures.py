"""What of a report is a share, and is shown in percent."""

import pytest

from equiproof.audits.intervals import Counted, difference, share
from equiproof.audits.measures import cell, how, interval_of, is_share, named_share, value_of
from equiproof.audits.records import Estimate


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("selection rate (granted)", True), ("statistical parity difference by sex", True),
        ("equalized odds difference", True), ("disparate impact by sex", False), ("CUR", True), ("IDI-S", True),
        ("mean k", False), ("model error, the distance between the two", True), ("difference of scores", False),
        ("shareholders", False),
    ],
)  # fmt: skip
def test_a_share_is_known_by_its_name(name, expected):
    """Whole words of the name say it, and a ratio is none."""
    assert named_share(name, 0.5) == expected


def test_a_number_beyond_one_is_no_share():
    """Whatever its name says."""
    assert not named_share("rate of interest", 3.5)
    assert cell(3.5, "rate of interest") == "3.5"
    assert cell(0, "share of rows") == "0 %"


def test_wilsons_interval_is_that_of_a_share():
    """The method says so even where the name does not."""
    assert is_share(share("robust within 0.1", 91, 100))
    assert value_of(share("robust within 0.1", 91, 100)) == "91.0 %"
    assert interval_of(share("robust within 0.1", 91, 100), places=0) == "83 to 96 %"


def test_what_has_no_width_has_no_interval():
    """An exact share is not followed by itself."""
    exact = Estimate(measure="IDI-D", value=0.25, lower=0.25, upper=0.25, n=8, method="exact")
    assert (value_of(exact), interval_of(exact)) == ("25.0 %", "–")


def test_cells_are_words():
    """None is a dash; truth values and texts are read as they are."""
    assert [cell(one) for one in (None, True, False, "a", 1200, 0.12345)] == ["–", "yes", "no", "a", "1,200", "0.1234"]


def test_a_difference_of_shares_is_in_percent_with_its_sign():
    """Its interval may reach below 0, and is rounded outward there too."""
    found = difference("gap", Counted(1, 1, 8), Counted(5, 5, 9))
    assert value_of(found) == "-43.1 %"
    assert interval_of(found) == "-70.7 to 2.1 %"


def test_intervals_are_told_with_their_method_and_confidence():
    """Each once; n of a gap is explained, and exact numbers need no word."""
    gap = difference("gap", Counted(1, 1, 8), Counted(5, 5, 9), confidence=0.975)
    exact = Estimate(measure="IDI-D", value=0.25, n=8, method="exact", confidence=1.0)
    shares = [share("a", 1, 3), share("b", 2, 3), exact]
    assert how(shares) == "intervals: shares of rows by Wilson at 95 %"
    assert how([*shares, gap]) == (
        "intervals: shares of rows by Wilson at 95 %, differences of two shares by Newcombe at 97.5 %; n of a figure "
        "that compares groups is that of the smallest group"
    )
    assert how([exact]) == ""
