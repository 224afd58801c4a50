"""Specs made from rows: ranges that are added later, and the width that follows from them."""

import msgspec
import pytest

from equiproof.certify.data import load
from equiproof.certify.data.dataset import DataError, encode_rows
from equiproof.certify.data.spec_builder import most_fraction_bits, with_fraction_bits, with_ranges
from equiproof.circuits.spec import SpecError


def test_ranges_change_what_neighbors_are_and_nothing_else():
    """Rows become the same integers; with ranges in use the box of the spec has their ends."""
    data = load("lending")
    kept = with_ranges(data.spec, data.rows, {"age": ("18", "90")}, use_ranges=True)
    assert (encode_rows(kept, data.rows) == encode_rows(data.spec, data.rows)).all()
    assert data.spec.box is None
    ages = [name.name for name in kept.plain_features].index("age")
    low, high = kept.box
    (youngest,), (oldest,) = (kept.encode({**data.rows[0], "age": age})[ages : ages + 1] for age in (18, 90))
    assert (low[ages], high[ages]) == (youngest, oldest)
    assert kept.digest != data.spec.digest


def test_the_width_holds_the_ends_of_ranges_in_use():
    """A wide range takes more bits once neighbors keep to it, and none before."""
    data = load("lending")
    ranges = {"income": ("-100000000", "100000000")}
    assert with_ranges(data.spec, data.rows, ranges, use_ranges=False).input_bits == data.spec.input_bits
    wide = with_ranges(data.spec, data.rows, ranges, use_ranges=True)
    assert wide.input_bits > data.spec.input_bits
    with pytest.raises(SpecError):
        _ = msgspec.structs.replace(wide, input_bits=wide.input_bits - 1).box


def test_a_finer_grid_takes_as_many_bits_more():
    """The widest number of a column still fits, up to the widths that specs may have; a coarser grid keeps them."""
    spec = load("lending").spec
    most = most_fraction_bits(spec)
    widest = {**load("lending").rows[0], "savings": "60000"}
    for bits in (most, 11, 9, 1):
        other = with_fraction_bits(spec, bits)
        assert other.input_bits - spec.input_bits == max(0, bits - spec.input_fraction_bits)
        assert max(other.encode(widest)) < 1 << (other.input_bits - 1)
    assert (most, other.digest != spec.digest) == (22, True)
    wide = msgspec.structs.replace(spec, input_bits=38)
    assert with_fraction_bits(wide, most_fraction_bits(wide)).input_bits == 40
    for bits in (most_fraction_bits(wide) + 1, 0):
        with pytest.raises(SpecError, match="bits must be"):
            with_fraction_bits(wide, bits)


@pytest.mark.parametrize(
    ("ranges", "error", "said"),
    [
        ({"wage": ("0", "1")}, DataError, "'wage' is not a non-sensitive number"),
        ({"sex": ("0", "1")}, DataError, "'sex' is not a non-sensitive number"),
        ({"housing": ("0", "1")}, DataError, "'housing' is not a non-sensitive number"),
        ({"age": ("20", "60")}, DataError, "row 13: feature 'age': 18 is outside 20 to 60"),
        ({"age": ("90", "18")}, SpecError, "low first"),
        ({"age": ("18", "ninety")}, SpecError, "'ninety' is not a decimal number"),
    ],
)
def test_ranges_that_do_not_fit_are_refused(ranges, error, said):
    """By name, row or value."""
    data = load("lending")
    with pytest.raises(error, match=said):
        with_ranges(data.spec, data.rows, ranges, use_ranges=True)
