"""Bytes that are no key, no digest or no proof; and keys under which somebody could prove anything."""

from __future__ import annotations

from py_ecc.optimized_bn128 import add, multiply

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
from verifier.curve import read_g2

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


def said(what: str, python: str, native: str = "") -> tuple[str, str]:
    """Return what both programs say of a point: the native one names no point."""
    where = "proof" if what == "proof" else "verifying key"
    return f"{where}: {native}", f"{where}: {python}"


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
        message = f"{len(data)} bytes, want {196 if part == 'proof' else 528}"
        reason = "what is left over, or is missing, is covered by nothing"
        yield name, proof_vector("malformed", name.replace("-", " "), reason, message, **{part: data})


def counts() -> Named:
    """The lengths inside are known beforehand."""
    reason = "a reader that believes a length reserves memory, or reads the rest of the file as something else"
    for place, count in KEY_COUNTS.items():
        for name, lie in (("more", count + 1), ("huge", (1 << 32) - 1)):
            key = placed(KEY, (place, 4), lie.to_bytes(4, "big"))
            message = f"verifying key: want a length of {count} at byte {place}"
            yield f"key-count-{place}-{name}", proof_vector("malformed", f"a length of {lie}", reason, message, key=key)
    (place,) = PROOF_COUNTS
    for lie in (0, 2, (1 << 32) - 1):
        proof = placed(GOOD, (place, 4), lie.to_bytes(4, "big"))
        message = ("proof: want exactly one commitment", "proof: want a length of 1 at byte 128")
        yield f"proof-count-{lie}", proof_vector("malformed", f"{lie} commitments", reason, message, proof=proof)


def digests() -> Named:
    """A digest has one spelling."""
    message, reason = (
        "statement digest: not below the field's order",
        "7 and 7 + r would be two digests of one statement",
    )
    for name, digest in (
        ("order", ORDER.to_bytes(32, "big")),
        ("plus-order", (DIGEST + ORDER).to_bytes(32, "big")),
        ("all-ones", b"\xff" * 32),
        ("short", bytes(30) + b"\x07"),
        ("long", bytes(32) + b"\x07"),
        ("empty", b""),
    ):
        yield f"digest-{name}", proof_vector("malformed", f"digest: {name}", reason, message, digest=digest)


def misspelled(what: str, name: str, place: tuple[int, int], whole: bytes) -> Named:
    """Spell one point in every wrong way."""
    at, width = place
    good, wide = whole[at : at + width], width == 64
    infinity = INFINITY_G2 if wide else INFINITY_G1
    lies = {
        "without-flag": (bytes([good[0] & 0x3F]) + good[1:], "not in canonical form", CANONICAL),
        "infinity-with-digits": (bytes([good[0] & 0x3F | 0x40]) + good[1:], "", CANONICAL),
        "infinity-with-a-loose-bit": (infinity[:-1] + b"\x01", "", CANONICAL),
        "coordinate-is-the-modulus": (spelled([0, PRIME] if wide else [PRIME], larger=False), "", CANONICAL),
        "coordinate-is-all-ones": (b"\xbf" + b"\xff" * 31 + good[32:], "", CANONICAL),
        "off-the-curve": (off_twist() if wide else off_curve(), "", "there is no y for this x"),
    }
    python = {
        "without-flag": "not in canonical form",
        "infinity-with-digits": "not in canonical form",
        "infinity-with-a-loose-bit": "not in canonical form",
        "coordinate-is-the-modulus": "below the field's modulus",
        "coordinate-is-all-ones": "below the field's modulus",
        "off-the-curve": "not on the curve",
    }
    for kind, (lie, native, reason) in lies.items():
        message = (f"{'proof' if what == 'proof' else 'verifying key'}: {native}", python[kind])
        title = f"{what}-{name.lower().replace('_', '-')}-{kind}"
        data = placed(whole, place, lie)
        yield title, proof_vector("malformed", f"{name} {kind.replace('-', ' ')}", reason, message, **{what: data})


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
                ("proof: ", f"{name} has a coordinate that is not below the field's modulus"),
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
    reason = "the twist has a cofactor; a program that checks only the curve equation accepts such points"
    python = "is not in the subgroup of prime order"
    for name, point in (
        ("stranger", stranger),
        ("cofactor-order", torsion),
        ("good-plus-cofactor-order", add(read_g2(g2(PROOF.b), "B"), torsion)),
    ):
        proof = placed(GOOD, PROOF_PLACES["B"], spell_g2(point))
        message = ("proof: invalid point: subgroup check failed", python)
        yield f"proof-b-outside-{name}", proof_vector("malformed", f"B: {name}", reason, message, proof=proof)
    for name in ("beta", "gamma", "delta", "G", "sigma_G"):
        at, width = KEY_PLACES[name]
        point = add(read_g2(KEY[at : at + width], name), torsion)
        key = placed(KEY, (at, width), spell_g2(point))
        title = f"key-{name.lower().replace('_', '-')}-outside"
        message = ("subgroup check failed", python)
        yield title, proof_vector("malformed", f"{name} plus a point of cofactor order", reason, message, key=key)


def degenerate() -> Named:
    """Keys of set-ups that were never finished, or that somebody made to be able to forge."""
    reason = "under such a key statements can be proven without a witness"
    commitment = "the commitment's key is degenerate"
    lies = {
        "gamma-is-delta": (Trapdoor(gamma=KNOWN.delta).key(), "gamma equals delta"),
        "gamma-is-minus-delta": (Trapdoor(gamma=ORDER - KNOWN.delta).key(), "gamma equals delta or its negative"),
        "gamma-at-infinity": (infinite("gamma"), "gamma is the point at infinity"),
        "commitment-generator-at-infinity": (infinite("G"), commitment),
        "sigma-at-infinity": (infinite("sigma_G"), commitment),
        "sigma-is-one": (Trapdoor(sigma=1).key(), commitment),
        "sigma-is-minus-one": (Trapdoor(sigma=ORDER - 1).key(), commitment),
    }
    for name in ("alpha", "beta", "delta"):
        message = f"{name} is the point at infinity or the generator"
        lies[f"{name}-at-infinity"] = (infinite(name), message)
        lies[f"{name}-is-the-generator"] = (Trapdoor(**{name: 1}).key(), message)
        lies[f"{name}-is-minus-the-generator"] = (Trapdoor(**{name: ORDER - 1}).key(), message)
    for number in range(3):
        message = f"input point {number} is at infinity: nothing binds that input"
        lies[f"input-{number}-at-infinity"] = (infinite(f"K_{number}"), message)
    for name, (key, message) in lies.items():
        yield f"key-{name}", proof_vector("malformed", name.replace("-", " "), reason, message, key=key)


def infinite(name: str) -> bytes:
    """Return the known key with one point at infinity."""
    return placed(KEY, KEY_PLACES[name], INFINITY_G2 if KEY_PLACES[name][1] == 64 else INFINITY_G1)
