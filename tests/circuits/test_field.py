"""Field elements have one encoding, and drawn ones are elements."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from equiproof.circuits.field import ORDER, FieldError, from_hex, random, to_bytes, to_hex


@given(value=st.integers(0, ORDER - 1))
def test_hex_reads_back(value):
    """An element reads back from its 64 digits, which are those of its 32 bytes."""
    assert from_hex(to_hex(value)) == value
    assert to_bytes(value).hex() == to_hex(value)


@pytest.mark.parametrize("value", [-1, ORDER, ORDER + 1, 1 << 256])
def test_values_outside_the_field_are_not_written(value):
    """Negative values and values from the order up have no encoding."""
    with pytest.raises(FieldError, match="order"):
        to_bytes(value)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "0" * 63,
        "0" * 65,
        "A" * 64,
        "0x" + "0" * 62,
        " " + "0" * 63,
        "0" * 63 + "\n",
        "٠" * 64,
        "_" + "0" * 63,
        "-" + "0" * 63,
        f"{ORDER:064x}",
        f"{ORDER + 1:064x}",
        "f" * 64,
    ],
)
def test_only_canonical_digits_are_read(text):
    """Other lengths, upper case, signs, spaces, digits of other scripts and values >= the order are refused."""
    with pytest.raises(FieldError):
        from_hex(text)


def test_blindings_are_elements_and_differ():
    """Drawn blindings are field elements and never repeat."""
    drawn = {random() for _ in range(100)}
    assert len(drawn) == 100
    assert all(0 <= value < ORDER for value in drawn)
