"""Numbers for people: short, never more than is known, and alike wherever they are shown."""

import random
import re
from decimal import Decimal

import pytest

from equiproof.certify.digits import between, number, part, percent
from tests.support import ROOT


def read(text: str) -> Decimal:
    """Return the number that was written."""
    return Decimal(text.replace(",", "").removesuffix(" %"))


@pytest.mark.parametrize(
    ("share", "text"),
    [
        (0, "0 %"), (1, "100 %"), (0.0916667, "9.2 %"), (0.85, "85.0 %"), (0.0115, "1.2 %"), (2e-5, "0.002 %"),
        (0.000012345, "0.0012 %"), (0.005, "0.5 %"), (0.9999, "99.99 %"), (0.99999999, "99.999999 %"),
        (-0.03, "-3.0 %"), (float("nan"), "not a number"),
    ],
)  # fmt: skip
def test_shares_are_in_percent(share, text):
    """One decimal, two significant digits of a small one; only none is 0 %, only all is 100 %."""
    assert percent(share) == text


def test_ends_of_shares_are_rounded_outward():
    """A lower end is never shown above what is known, an upper one never below."""
    rng = random.Random(4)
    for _ in range(500):
        share = rng.random() * 10.0 ** rng.randint(-6, 0)
        for places in (0, 1):
            down, up = (read(percent(share, mode, places)) / 100 for mode in ("down", "up"))
            assert down <= Decimal(repr(share)) <= up
            assert up - down <= Decimal("0.0101")


def test_two_ends_are_written_with_one_sign():
    """Ends that only float rounding parts are one number; all others are two."""
    assert between(0.0529, 0.1567, share=True, places=0) == "5 to 16 %"
    assert between(0.0, 0.0023, share=True, places=0) == "0 to 1 %"
    assert between(0.49, 0.7469, share=True) == "49.0 to 74.7 %"
    assert between(0.8552417317328135, 0.8552417317341463) == "0.8552"
    assert between(0.25, 0.25, share=True) == "25.0 %"
    assert between(0.85521, 0.85529) == "0.8552 to 0.8553"


def test_a_bound_that_lost_its_last_bit_is_itself_again():
    """The float below 0.1 is a bound of 0.1 that was rounded outward; it is not shown as 0.09999."""
    assert number(0.09999999999999999, "down") == "0.1"
    assert number(0.0999, "down") == "0.0999"


def test_no_other_file_of_the_product_writes_shares():
    """Neither a room nor an example formats percentages itself."""
    files = [path for folder in ("equiproof", "examples") for path in (ROOT / folder).rglob("*.py")]
    assert len(files) > 150
    assert [path for path in files if re.search(r":[^{}'\"]*%\}", path.read_text())] == []


def test_a_part_of_nothing_is_a_dash():
    """A share needs a whole."""
    assert (part(1, 3), part(0, 7), part(0, 0)) == ("33.3 %", "0 %", "–")
