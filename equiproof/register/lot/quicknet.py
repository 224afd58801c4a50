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

SIGNATURE_BYTES = 48

_KEY = bytes.fromhex(
    "83cf0f2896adee7eb8b5f01fcad3912212c437e0073e911fb90022d3e760183c8c4b450b6a0a6c3ac6a5776a2d106451"
    "0d1fec758c921cc22b0e17e63aaf4bcb5ed66304de9cf809bd274ca73bab4af5a6e9c76a4bc09e76eae8991ef5ece45a"
)
_DOMAIN = b"BLS_SIG_BLS12381G1_XMD:SHA-256_SSWU_RO_NUL_"


def check(round_number: int, signature: bytes) -> None:
    """Raise BeaconError unless quicknet signed the round; the number is that of a round."""
    point = _point(signature)
    message = hashlib.sha256(round_number.to_bytes(8, "big")).digest()
    hashed = hash_to_G1(message, _DOMAIN, hashlib.sha256)  # type: ignore[arg-type]  # the constructor, as py_ecc means
    key = decompress_G2(
        G2Compressed((int.from_bytes(_KEY[:SIGNATURE_BYTES], "big"), int.from_bytes(_KEY[SIGNATURE_BYTES:], "big")))
    )
    if pairing(G2, point) != pairing(key, hashed):
        raise BeaconError(say("beacon.signature_of_other_round", round=round_number))


def _point(signature: bytes):  # type: ignore[no-untyped-def]  # noqa: ANN202  # a triple of py_ecc's field elements
    """Read a signature, a point of the subgroup in its one spelling; raises BeaconError."""
    if len(signature) != SIGNATURE_BYTES:
        raise BeaconError(say("beacon.signature_length_wrong", actual=len(signature), required=SIGNATURE_BYTES))
    try:
        point = decompress_G1(G1Compressed(int.from_bytes(signature, "big")))
    except ValueError:
        raise BeaconError(say("beacon.signature_not_point")) from None
    if is_inf(point) or not is_inf(multiply(point, curve_order)):
        raise BeaconError(say("beacon.signature_not_in_subgroup"))
    return point
