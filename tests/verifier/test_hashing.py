"""Hashing to the field follows RFC 9380."""

import pytest

from equiproof.circuits.field import ORDER
from equiproof.verifier.hashing import expand_message, hash_to_field

DOMAIN = b"QUUX-V01-CS02-with-expander-SHA256-128"


@pytest.mark.parametrize(
    ("message", "expanded"),
    [
        (b"", "68a985b87eb6b46952128911f2a4412bbc302a9d759667f87f7a21d803f07235"),
        (b"abc", "d8ccab23b5985ccea865c6c97b6e5b8350e794e603b4b97902f53a8a0d605615"),
    ],
)
def test_expansion_is_that_of_the_standard(message, expanded):
    """Two vectors of RFC 9380, appendix K.1: expand_message_xmd with SHA-256 to 32 bytes."""
    assert expand_message(message, DOMAIN, 32).hex() == expanded


def test_lengths_are_separate_streams():
    """A longer expansion does not begin with a shorter one: the length is hashed along."""
    long, short = expand_message(b"abc", DOMAIN, 128), expand_message(b"abc", DOMAIN, 48)
    assert (len(long), len(short)) == (128, 48)
    assert long[:48] != short


def test_an_element_is_the_remainder_of_48_bytes():
    """A field element is 48 bytes of expansion, taken modulo the field's order; the domain separates."""
    expanded = int.from_bytes(expand_message(b"abc", DOMAIN, 48), "big")
    assert hash_to_field(b"abc", DOMAIN) == expanded % ORDER
    assert hash_to_field(b"abc", b"another") != hash_to_field(b"abc", DOMAIN)
