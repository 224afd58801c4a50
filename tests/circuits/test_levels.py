"""Levels are exact: their squares follow from decimal text, and what lies between two of them shows the lower one."""

from fractions import Fraction

import msgspec
import pytest

from equiproof.circuits.canonical import canonical_bytes
from equiproof.circuits.levels import gains, shown, shown_gain, squares
from equiproof.circuits.spec import MAX_FRACTION_BITS, SpecError, checked
from equiproof.circuits.units import at_least
from tests.support import LOANS, changed

BITS = LOANS.input_fraction_bits
LEVELLED = changed(LOANS, levels=("0.1", "0.25", "16"), gain_levels=("0.1", "2"))
FINEST = f"0.{'0' * 39}1"


def test_squares_are_exact():
    """R2 is the floor of the square of the exact product: of a third that is cut, of a number that no float is."""
    assert squares(("0.25", "1", "16"), 8) == (64**2, 256**2, LOANS.max_radius_squared >> (2 * BITS - 16))
    text = "0.3333333333333333333333333333333333333333"
    assert squares((text,), 20) == (int((Fraction(text) * 2**20) ** 2),)


def test_the_largest_level_at_or_below_is_shown():
    """A level shows itself, one less the level before, and less than the first shows 0."""
    first, second, last = squares(LEVELLED.levels, BITS)
    for radius, level in [
        *((0, 0), (1, 0), (first - 1, 0), (first, first), (first + 1, first)),
        *((second - 1, first), (second, second), (last - 1, second), (last, last)),
    ]:
        assert shown(LEVELLED, radius) == level, radius
    assert last == LEVELLED.max_radius_squared
    assert [shown(LOANS, radius) for radius in (0, 7, last)] == [0, 7, last]


@pytest.mark.parametrize("bits", [1, BITS, MAX_FRACTION_BITS])
def test_the_largest_level_is_the_largest_radius_of_every_grid(bits):
    """No spec has a smaller largest radius, so a level above it is one above 16."""
    assert squares(("16",), bits) == (msgspec.structs.replace(LOANS, input_fraction_bits=bits).max_radius_squared,)


def test_gains_are_levels_on_both_sides_of_0():
    """A level of gains is rounded up, so that none promises less than its text; below all of them is nothing."""
    assert gains(LEVELLED, 4) == (-32, -1, 0, 2, 32)
    for gain, level in [(-33, None), (-32, -32), (-2, -32), (-1, -1), (0, 0), (1, 0), (2, 2), (31, 2), (99, 32)]:
        assert shown_gain(LEVELLED, gain, 4) == level, gain
    assert shown_gain(LOANS, 5, 4) == 5
    without = changed(LEVELLED, gain_levels=msgspec.UNSET)
    assert [shown_gain(without, gain, 4) for gain in (-1, 0, 31)] == [None, 0, 0]


def test_a_spec_without_levels_is_as_before():
    """The fields are absent from the document, its digest is that of before, and its radii are exact."""
    assert b"levels" not in canonical_bytes(LOANS)
    assert LOANS.digest != LEVELLED.digest
    assert not at_least(LOANS, 1)
    assert at_least(LOANS, LOANS.max_radius_squared)
    assert at_least(LEVELLED, 0)


@pytest.mark.parametrize("field", ["levels", "gain_levels"])
@pytest.mark.parametrize(
    ("texts", "message"),
    [
        ((), "list 1 to 16 levels"),
        (tuple(f"0.{part}" for part in range(11, 28)), "list 1 to 16 levels"),
        (("0.5", "0.25"), "each one larger than the one before"),
        (("0.5", "0.50"), "each one larger than the one before"),
        (("0",), "levels above 0"),
        (("-1", "1"), "levels above 0"),
        (("1e-1",), "'1e-1' is not a decimal number"),
        ((" 1",), "is not a decimal number"),
        ((FINEST,), "the same on the grid"),
        (("0.5", f"0.5{'0' * 30}1"), "the same on the grid"),
        (("1", "16.0001"), "at most 16"),
    ],
)
def test_lists_that_are_no_levels_are_refused(field, texts, message):
    """One line names the field; the same rules hold for radii and for gains."""
    with pytest.raises(SpecError, match=message) as caught:
        checked(changed(LEVELLED, **{field: texts}))
    assert str(caught.value).startswith(f"{field}: ")
    assert len(str(caught.value)) <= 400


def test_levels_of_gains_alone_are_refused():
    """Under exact radii they would keep nothing."""
    with pytest.raises(SpecError, match="list levels beside gain_levels"):
        checked(changed(LOANS, gain_levels=("0.5",)))
