"""The audit by lot: bounds, draws, seeds and rounds of a beacon, for programs in other languages.

The rounds are quicknet's own, as https://api.drand.sh/CHAIN/public/ROUND answers them, CHAIN being the hash below;
round 657413 also stands in the README of mcdcam/python-drand-verify, 1000 to 1003 in tests of several programs. Nothing
is taken on trust: tests/register/lot/test_drand.py checks each signature under the network's key.
"""

from __future__ import annotations

import json
from fractions import Fraction
from hashlib import sha256
from typing import Any

from py_ecc.bls.point_compression import compress_G1, decompress_G1
from py_ecc.optimized_bls12_381 import add, curve_order, is_inf, multiply, neg

from equiproof.register.lot import bound, drand, draw

FILE = "lot.json"

ROUNDS = {
    1000: "b44679b9a59af2ec876b1a6b1ad52ea9b1615fc3982b19576350f93447cb1125e342b73a8dd2bacbe47e4b6b63ed5e39",
    1001: "b33bf3667cbd5a82de3a24b4e0e9fe5513cc1a0e840368c6e31f5fcfa79bea03f73896b25883abf2853d10337fb8fa41",
    1002: "ab066f9c12dd6de1336fca0f925192fb0c72a771c3e4c82ede1fd362c1a770f9eb05843c6308ce2530b53a99c0281a6e",
    1003: "b104c82771698f45fd8dcfead083d482694c31ab519bcef077f126f3736fe98c8392fd5d45d88aeb76b56ccfcb0296d7",
    657413: "b713718a38ae728dfd477991af2822e08d2f305e47718cef9f7848ce4050e7be41076862b98fad56e91a6b85b89cd97b",
}

_BOUNDS = [
    *((48_211, 300, bad, "0.95") for bad in (0, 1, 3, 150, 299, 300)),
    *((48_211, 300, 0, confidence) for confidence in ("0.9", "0.99", "0.999")),
    *((10_000_000, 3_000, bad, "0.95") for bad in (0, 3, 40)),
    *((20, drawn, bad, "0.95") for drawn in (1, 2, 19, 20) for bad in (0, 1)),
    *((12, 6, bad, "0.5") for bad in range(7)),
    (1, 1, 0, "0.95"),
    (1, 1, 1, "0.95"),
    (4_294_967_296, 3_000, 2, "0.99"),
]
_DRAWS = [(1, 1), (2, 1), (2, 2), (10, 10), (97, 40), (48_211, 300), (4_294_967_296, 20), ((1 << 63) + 1, 12)]


def written() -> bytes:
    """Return the file."""
    document = {
        "bounds": [_bound(*case) for case in _BOUNDS],
        "draws": [_draw(*case) for case in _DRAWS],
        "draws_for": [_draws_for(*case) for case in ((48_211, "0.99"), (20, "0.9"), (2, "0.99"), (100, "1"))],
        "sealed": _sealed(),
        "seeds": _seeds(),
        "chain": drand.CHAIN,
        "rounds": [_round(number, signature) for number, signature in ROUNDS.items()],
        "not_rounds": _not_rounds(),
    }
    return (json.dumps(document, indent=1) + "\n").encode()


def bytes_of(what: str) -> bytes:
    """Return 32 bytes that stand for anything."""
    return sha256(what.encode()).digest()


def _bound(receipts: int, drawn: int, bad: int, confidence: str) -> dict[str, Any]:
    """Return a bound; what it says is compared with other programs' distributions in tests/register."""
    at_least = bound.at_least(receipts, drawn, bad, Fraction(confidence))
    return {"receipts": receipts, "drawn": drawn, "bad": bad, "confidence": confidence, "at_least": at_least}


def _draws_for(receipts: int, share: str) -> dict[str, Any]:
    needed = bound.draws_for(receipts, Fraction(share), Fraction("0.95"))
    return {"receipts": receipts, "share": share, "confidence": "0.95", "bad": 0, "drawn": needed}


def _draw(receipts: int, drawn: int) -> dict[str, Any]:
    """Return a draw; the number of receipts as text, since it may need 64 bits."""
    seed = bytes_of(f"draw {receipts} {drawn}")
    places = draw.drawn_places(seed, receipts, drawn)
    return {"seed": seed.hex(), "receipts": str(receipts), "drawn": drawn, "places": [str(place) for place in places]}


def _sealed() -> list[dict[str, str]]:
    parts = {name: bytes_of(name) for name in ("period", "party", "nonce")}
    return [{name: part.hex() for name, part in parts.items()} | {"sealed": draw.sealed(**parts).hex()}]


def _seeds() -> list[dict[str, Any]]:
    period, nonces = bytes_of("period"), [bytes_of("nonce"), bytes_of("other nonce"), bytes_of("third")]
    randomness = sha256(bytes.fromhex(ROUNDS[1000])).digest()
    by_nonces = [
        {"nonces": [nonce.hex() for nonce in some], "seed": draw.seed_of_nonces(period, some).hex()}
        for some in (nonces[:2], nonces, nonces[1::-1])
    ]
    by_beacon = {"randomness": randomness.hex(), "seed": draw.seed_of_beacon(period, randomness).hex()}
    return [{"period": period.hex()} | one for one in (*by_nonces, by_beacon)]


def _round(number: int, signature: str) -> dict[str, Any]:
    at, value = int(drand.time_of(number).timestamp()), sha256(bytes.fromhex(signature)).hexdigest()
    return {"round": number, "time": at, "signature": signature, "randomness": value}


def _not_rounds() -> list[dict[str, Any]]:
    """Return signatures that are none: each would choose another random value for a round if it were accepted."""
    signature = bytes.fromhex(ROUNDS[1000])
    point = decompress_G1(int.from_bytes(signature, "big"))
    cases = {
        "another round's": (1001, signature),
        "its negative": (1000, _written(neg(point))),
        "doubled": (1000, _written(multiply(point, 2))),
        "with a point of small order added: the pairing holds": (1000, _written(add(point, _small()))),
        "of the first round, which is another": (1, signature),
        "infinity": (1000, b"\xc0" + bytes(47)),
        "not compressed": (1000, bytes([signature[0] & 0x7F]) + signature[1:]),
        "off the curve": (1000, _off_curve()),
        "a coordinate past the prime": (1000, b"\x9f" + b"\xff" * 47),
        "a byte short": (1000, signature[:-1]),
        "a byte longer": (1000, signature + b"\x00"),
        "round 0": (0, signature),
        "a round that never comes": (1 << 36, signature),
    }
    return [{"what": what, "round": number, "signature": data.hex()} for what, (number, data) in cases.items()]


def _written(point: Any) -> bytes:
    return int(compress_G1(point)).to_bytes(48, "big")


def _small() -> Any:
    """Return a point of G1's curve whose order divides the cofactor."""
    for x in range(1, 100):
        try:
            found = multiply(decompress_G1((1 << 383) + x), curve_order)
        except ValueError:
            continue
        if not is_inf(found):
            return found
    raise AssertionError("no point of small order among the first hundred")


def _off_curve() -> bytes:
    for x in range(1, 100):
        try:
            decompress_G1((1 << 383) + x)
        except ValueError:
            return ((1 << 383) + x).to_bytes(48, "big")
    raise AssertionError("no x without a point among the first hundred")
