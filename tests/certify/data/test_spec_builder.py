"""Specs made from rows: ranges that are added later, and the width that follows from them."""

import msgspec
import pytest

from equiproof.certify.data import load
from equiproof.certify.data.dataset import DataError, encode_rows
from equiproof.certify.data.spec_builder import with_ranges
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
