"""Bytes that are no key, no digest or no proof; and keys under which somebody could prove anything."""

from __future__ import annotations

from py_ecc.optimized_bn128 import add, multiply

from equiproof.verifier.curve import read_g2
from equiproof.verifier.errors import Reason
from tests.trapdoor import (
    INFINITY_G1,
    INFINITY_G2,
    KEY_COUNTS,
    KEY_PLACES,
    ORDER,
    PRIME,
    PROOF_COUNTS,
    PROOF_PLACES,
    Trapdoor,
    g2,
    off_curve,
    off_twist,
    outside_subgroup,
    placed,
    spell_g2,
    spelled,
)
from tests.vectors.generate.cases import DIGEST, KNOWN, PROOF, Named, proof_vector

KEY, GOOD = KNOWN.key(), PROOF.data()
CANONICAL = "a point has one spelling: otherwise one proof would be many files, and readers could differ"


def vectors() -> Named:
    """Yield every family."""
    yield from lengths()
    yield from counts()
    yield from digests()
    for what, places, whole in (("proof", PROOF_PLACES, GOOD), ("key", KEY_PLACES, KEY)):
        for name in ("A", "B", "D") if what == "proof" else ("alpha", "delta", "K_2", "sigma_G", "delta_g1"):
            yield from misspelled(what, name, places[name], whole)
    yield from beyond_the_modulus()
    yield from outside()
    yield from degenerate()


def lengths() -> Named:
    """Keys and proofs have one length."""
    for name, part, data in (
        ("proof-empty", "proof", b""),
        ("proof-cut", "proof", GOOD[:-1]),
        ("proof-goes-on", "proof", GOOD + b"\0"),
        ("proof-without-commitment", "proof", GOOD[:128] + bytes(4) + INFINITY_G1),
        ("key-empty", "key", b""),
        ("key-cut", "key", KEY[:-1]),
        ("key-goes-on", "key", KEY + b"\0"),
        ("key-twice", "key", KEY * 2),
    ):
        why = "what is left over, or is missing, is covered by nothing"
        yield name, proof_vector("malformed", name.replace("-", " "), why, Reason.WRONG_LENGTH, **{part: data})


def counts() -> Named:
    """The lengths inside are known beforehand."""
    why = "a reader that believes a length reserves memory, or reads the rest of the file as something else"
    for place, count in KEY_COUNTS.items():
        for name, lie in (("more", count + 1), ("huge", (1 << 32) - 1)):
            key = placed(KEY, (place, 4), lie.to_bytes(4, "big"))
            what = f"a length of {lie}"
            yield f"key-count-{place}-{name}", proof_vector("malformed", what, why, Reason.WRONG_COUNT, key=key)
    (place,) = PROOF_COUNTS
    for lie in (0, 2, (1 << 32) - 1):
        proof = placed(GOOD, (place, 4), lie.to_bytes(4, "big"))
        what = f"{lie} commitments"
        yield f"proof-count-{lie}", proof_vector("malformed", what, why, Reason.WRONG_COUNT, proof=proof)


def digests() -> Named:
    """A digest has one spelling."""
    why = "7 and 7 + r would be two digests of one statement"
    for name, digest in (
        ("order", ORDER.to_bytes(32, "big")),
        ("plus-order", (DIGEST + ORDER).to_bytes(32, "big")),
        ("all-ones", b"\xff" * 32),
        ("short", bytes(30) + b"\x07"),
        ("long", bytes(32) + b"\x07"),
        ("empty", b""),
    ):
        yield f"digest-{name}", proof_vector("malformed", f"digest: {name}", why, Reason.BAD_ELEMENT, digest=digest)


def misspelled(what: str, name: str, place: tuple[int, int], whole: bytes) -> Named:
    """Spell one point in every wrong way."""
    at, width = place
    good, wide = whole[at : at + width], width == 64
    infinity = INFINITY_G2 if wide else INFINITY_G1
    lies = {
        "without-flag": (bytes([good[0] & 0x3F]) + good[1:], Reason.POINT_NOT_CANONICAL),
        "infinity-with-digits": (bytes([good[0] & 0x3F | 0x40]) + good[1:], Reason.POINT_NOT_CANONICAL),
        "infinity-with-a-loose-bit": (infinity[:-1] + b"\x01", Reason.POINT_NOT_CANONICAL),
        "coordinate-is-the-modulus": (
            spelled([0, PRIME] if wide else [PRIME], larger=False),
            Reason.COORDINATE_TOO_LARGE,
        ),
        "coordinate-is-all-ones": (b"\xbf" + b"\xff" * 31 + good[32:], Reason.COORDINATE_TOO_LARGE),
        "off-the-curve": (off_twist() if wide else off_curve(), Reason.OFF_CURVE),
    }
    for kind, (lie, reason) in lies.items():
        why = "there is no y for this x" if reason == Reason.OFF_CURVE else CANONICAL
        title = f"{what}-{name.lower().replace('_', '-')}-{kind}"
        data = placed(whole, place, lie)
        yield title, proof_vector("malformed", f"{name} {kind.replace('-', ' ')}", why, reason, **{what: data})


def beyond_the_modulus() -> Named:
    """The modulus added to a coordinate that leaves room for it: a reader that reduces it sees the same point."""
    for name, secret, at, flagged in (("A", "a", 0, True), ("B", "b", 64, False), ("D", "commitment", 132, True)):
        proofs = (KNOWN.forge(DIGEST, **{secret: factor}).data() for factor in range(11, 100))
        proof = next(proof for proof in proofs if coordinate(proof, at, flagged) + PRIME < 1 << 254)
        number = (coordinate(proof, at, flagged) + PRIME).to_bytes(32, "big")
        flag = proof[at] & 0xC0 if flagged else 0
        yield (
            f"proof-{name.lower()}-plus-modulus",
            proof_vector(
                "malformed",
                f"{name}, the modulus added to its x",
                CANONICAL,
                Reason.COORDINATE_TOO_LARGE,
                proof=placed(proof, (at, 32), bytes([number[0] | flag]) + number[1:]),
            ),
        )


def coordinate(proof: bytes, at: int, flagged: bool) -> int:
    """Return the coordinate at a place, without its flag."""
    return int.from_bytes(proof[at : at + 32], "big") & ((1 << 254) - 1 if flagged else -1)


def outside() -> Named:
    """G2's curve has points outside the subgroup, and no pairing keeps its laws there."""
    stranger = outside_subgroup()
    torsion = multiply(stranger, ORDER)
    why = "the twist has a cofactor; a program that checks only the curve equation accepts such points"
    reason = Reason.OUTSIDE_SUBGROUP
    for name, point in (
        ("stranger", stranger),
        ("cofactor-order", torsion),
        ("good-plus-cofactor-order", add(read_g2(g2(PROOF.b), "B"), torsion)),
    ):
        proof = placed(GOOD, PROOF_PLACES["B"], spell_g2(point))
        yield f"proof-b-outside-{name}", proof_vector("malformed", f"B: {name}", why, reason, proof=proof)
    for name in ("beta", "gamma", "delta", "G", "sigma_G"):
        at, width = KEY_PLACES[name]
        point = add(read_g2(KEY[at : at + width], name), torsion)
        key = placed(KEY, (at, width), spell_g2(point))
        title = f"key-{name.lower().replace('_', '-')}-outside"
        yield title, proof_vector("malformed", f"{name} plus a point of cofactor order", why, reason, key=key)


def degenerate() -> Named:
    """Keys of set-ups that were never finished, or that somebody made to be able to forge."""
    why = "under such a key statements can be proven without a witness"
    lies = {
        "gamma-is-delta": Trapdoor(gamma=KNOWN.delta).key(),
        "gamma-is-minus-delta": Trapdoor(gamma=ORDER - KNOWN.delta).key(),
        "gamma-at-infinity": infinite("gamma"),
        "commitment-generator-at-infinity": infinite("G"),
        "sigma-at-infinity": infinite("sigma_G"),
        "sigma-is-one": Trapdoor(sigma=1).key(),
        "sigma-is-minus-one": Trapdoor(sigma=ORDER - 1).key(),
    }
    for name in ("alpha", "beta", "delta"):
        lies[f"{name}-at-infinity"] = infinite(name)
        lies[f"{name}-is-the-generator"] = Trapdoor(**{name: 1}).key()
        lies[f"{name}-is-minus-the-generator"] = Trapdoor(**{name: ORDER - 1}).key()
    for number in range(3):
        lies[f"input-{number}-at-infinity"] = infinite(f"K_{number}")
    for name, key in lies.items():
        what = name.replace("-", " ")
        yield f"key-{name}", proof_vector("malformed", what, why, Reason.DEGENERATE_KEY, key=key)


def infinite(name: str) -> bytes:
    """Return the known key with one point at infinity."""
    return placed(KEY, KEY_PLACES[name], INFINITY_G2 if KEY_PLACES[name][1] == 64 else INFINITY_G1)
