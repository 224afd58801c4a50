"""Mask and blinding of a kept model follow from the opening, and from nothing that anybody else has."""

import hashlib

import pytest

from equiproof.circuits.field import ORDER, FieldError
from equiproof.prover.kept import link_blinding, mask

BLINDING, COMMITMENT, FINGERPRINT = 7**90, 5**100, "0123456789abcdef" * 4

# openssl dgst -sha256 -mac HMAC -macopt hexkey:(7^90 in 32 bytes), of the label, 00, 00 or 01, 5^100 and the key.
MASK = (
    "2857d31c577d49c7aef12951e07935eb9d3e2a99fd8d595f9a98732dc77a99cf"
    "ff8bb16246c7eb396643750cabc1cbcfd991955e5411d374d11e50288216b7db"
)
HIDING = (
    "a7e9975ae7be81238e94351f74480014536e2b9708993e835ecb37ad5edd7b36"
    "1fd597b5c7691ab00c13b8fcecc637e6c1f0d90d5294462550ef4cf42154ba58"
)


@pytest.mark.parametrize(("derive", "blocks"), [(mask, MASK), (link_blinding, HIDING)])
def test_known_values(derive, blocks):
    """The first 384 bits of two blocks, modulo the order, as another program computed them."""
    assert derive(BLINDING, COMMITMENT, FINGERPRINT) == int(blocks[:96], 16) % ORDER


@pytest.mark.parametrize(
    ("derive", "label"), [(mask, b"equiproof.kept.mask"), (link_blinding, b"equiproof.kept.blinding")]
)
def test_the_blocks_are_those_of_the_definition(derive, label):
    """HMAC, written out: the key with 36 and with 5c, and SHA-256 twice."""
    key = BLINDING.to_bytes(32, "big") + bytes(32)
    blocks = b""
    for number in (b"\x00", b"\x01"):
        message = label + b"\x00" + number + COMMITMENT.to_bytes(32, "big") + bytes.fromhex(FINGERPRINT)
        inner = hashlib.sha256(bytes(byte ^ 0x36 for byte in key) + message).digest()
        blocks += hashlib.sha256(bytes(byte ^ 0x5C for byte in key) + inner).digest()
    assert derive(BLINDING, COMMITMENT, FINGERPRINT) == int.from_bytes(blocks[:48], "big") % ORDER


def test_mask_shared():
    """Each purpose, opening, model and key has its own: the difference of two points under one mask can be guessed."""
    cases = [
        (BLINDING, COMMITMENT, FINGERPRINT),
        (BLINDING + 1, COMMITMENT, FINGERPRINT),
        (BLINDING, COMMITMENT + 1, FINGERPRINT),
        (BLINDING, COMMITMENT, "f" * 64),
    ]
    assert len({derive(*case) for derive in (mask, link_blinding) for case in cases}) == 8


def test_only_field_elements_are_taken():
    """A blinding past the order is nobody's: two openings would have one mask."""
    with pytest.raises(FieldError):
        mask(BLINDING + ORDER, COMMITMENT, FINGERPRINT)
    with pytest.raises(FieldError):
        mask(BLINDING, COMMITMENT + ORDER, FINGERPRINT)
