"""The signature of a round of drand's quicknet.

Quicknet is unchained: a round's message is SHA-256 over its number, 8 bytes, highest first. The signature is BLS with
signatures in G1 of BLS12-381 (scheme bls-unchained-g1-rfc9380): the message is hashed to G1 as RFC 9380 says, and the
pairing of the signature with G2's generator equals that of the hash with the network's key. So the signature must be
read in one spelling only, and lie in the subgroup of prime order: points of small order added to it would pass the
pairing, and whoever adds them would choose the random value.
"""

from __future__ import annotations

import hashlib
import sys

from equiproof.circuits.tables import say
from equiproof.register.lot.errors import BeaconError

# py_ecc raises the interpreter's recursion limit to 100,000, with which a nested document overflows the stack.
_limit = sys.getrecursionlimit()
from py_ecc.bls.hash_to_curve import hash_to_G1  # noqa: E402
from py_ecc.bls.point_compression import decompress_G1, decompress_G2  # noqa: E402
from py_ecc.bls.typing import G1Compressed, G2Compressed  # noqa: E402
from py_ecc.optimized_bls12_381 import G2, curve_order, is_inf, multiply, pairing  # noqa: E402

sys.setrecursionlimit(_limit)

_KEY = G2Compressed(
    (
        0x83CF0F2896ADEE7EB8B5F01FCAD3912212C437E0073E911FB90022D3E760183C8C4B450B6A0A6C3AC6A5776A2D106451,
        0x0D1FEC758C921CC22B0E17E63AAF4BCB5ED66304DE9CF809BD274CA73BAB4AF5A6E9C76A4BC09E76EAE8991EF5ECE45A,
    )
)
_DOMAIN = b"BLS_SIG_BLS12381G1_XMD:SHA-256_SSWU_RO_NUL_"


def check(round_number: int, signature: bytes) -> None:
    """Raise BeaconError unless quicknet signed the round; the signature has as many bytes as those of all rounds."""
    point = _point(signature)
    message = hashlib.sha256(round_number.to_bytes(8, "big")).digest()
    hashed = hash_to_G1(message, _DOMAIN, hashlib.sha256)  # type: ignore[arg-type]  # the constructor, as py_ecc means
    if pairing(G2, point) != pairing(decompress_G2(_KEY), hashed):
        raise BeaconError(say("beacon.signature_of_other_round", round=round_number))


def _point(signature: bytes):  # type: ignore[no-untyped-def]  # noqa: ANN202  # a triple of py_ecc's field elements
    """Read a signature, a point of the subgroup in its one spelling; raises BeaconError."""
    try:
        point = decompress_G1(G1Compressed(int.from_bytes(signature, "big")))
    except ValueError:
        raise BeaconError(say("beacon.signature_not_point")) from None
    if is_inf(point) or not is_inf(multiply(point, curve_order)):
        raise BeaconError(say("beacon.signature_not_in_subgroup"))
    return point
