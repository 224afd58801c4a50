"""Proofs that hold, at the edges of what a proof may be: whoever refuses one of them checks too much."""

from __future__ import annotations

from py_ecc.optimized_bn128 import add, multiply, neg

from equiproof.verifier.curve import read_g1, read_g2
from tests.trapdoor import (
    INFINITY_G1,
    KEY_PLACES,
    ORDER,
    PROOF_PLACES,
    Trapdoor,
    digest_bytes,
    hashed,
    placed,
    spell_g1,
    spell_g2,
)
from tests.vectors.generate.cases import DIGEST, KNOWN, PROOF, Named, proof_of, proof_vector
from tests.vectors.vector import VERIFYING, certificate_base


def vectors() -> Named:
    """Yield every family."""
    yield from digests()
    yield from infinities()
    yield from rewritten()
    yield from keys()


def digests() -> Named:
    """Every number below the order is a digest."""
    for name, digest in (("zero", 0), ("one", 1), ("largest", ORDER - 1)):
        yield (
            f"digest-{name}",
            proof_vector(
                "accept",
                f"a proof for the digest {name}",
                "every number from 0 to r - 1 is a statement digest",
                digest=digest_bytes(digest),
                proof=KNOWN.forge(digest).data(),
            ),
        )
    yield (
        "published",
        proof_vector("accept", "a proof of a real set-up", "it holds for its own statement digest", base="published"),
    )
    yield "known", proof_vector("accept", "the base of the forged proofs", "the equations hold, whoever made it")


def infinities() -> Named:
    """Nothing forbids a point of a proof to be infinity where the equations hold."""
    why = "both equations hold; only keys have points that must not be infinity"
    for name, secrets in (("a", {"a": 0}), ("b", {"b": 0}), ("commitment", {"commitment": 0})):
        proof = KNOWN.forge(DIGEST, **secrets).data()
        yield f"{name}-at-infinity", proof_vector("accept", f"{name} is infinity", why, proof=proof)
    constant, statement, challenge = KNOWN.inputs
    digest = -(constant + hashed(13) * challenge + 13) * pow(statement, -1, ORDER) % ORDER
    yield (
        "public-part-at-infinity",
        proof_vector(
            "accept",
            "the points of statement, hash and commitment sum to infinity",
            "a pairing with infinity is one, in every program",
            digest=digest_bytes(digest),
            proof=KNOWN.forge(digest, commitment=13).data(),
        ),
    )


def rewritten() -> Named:
    """Anybody can turn a proof into another one of the same statement."""
    why = "Groth16 proofs can be re-randomised without a witness: a certificate is named by its statement"
    yield (
        "a-and-b-negated",
        proof_vector("accept", "A and B both negated", why, proof=PROOF.with_(a=-PROOF.a, b=-PROOF.b).data()),
    )
    yield (
        "rerandomised",
        proof_vector("accept", "A, B and C drawn anew", why, base="published", proof=rerandomised()),
    )


def rerandomised(factor: int = 5, shift: int = 9) -> bytes:
    """Return the published proof as A / f, f B + f s delta, C + s A: of the same statement, with no secret."""
    proof = proof_of()
    a, c = (read_g1(part(proof, name), name) for name in ("A", "C"))
    b, delta = read_g2(part(proof, "B"), "B"), read_g2(certificate_base("loans")[VERIFYING][224:288], "delta")
    proof = placed(proof, PROOF_PLACES["A"], spell_g1(multiply(a, pow(factor, -1, ORDER))))
    shifted = add(multiply(b, factor), multiply(delta, factor * shift))
    proof = placed(proof, PROOF_PLACES["B"], spell_g2(shifted))
    return placed(proof, PROOF_PLACES["C"], spell_g1(add(c, multiply(a, shift))))


def part(proof: bytes, name: str) -> bytes:
    """Return the bytes of one point."""
    at, width = PROOF_PLACES[name]
    return proof[at : at + width]


def keys() -> Named:
    """What a key may be."""
    ceremony = Trapdoor(gamma=1)
    yield (
        "gamma-is-the-generator",
        proof_vector(
            "accept",
            "a key whose gamma is the generator",
            "ceremonies choose it so; sound as long as nobody knows delta",
            key=ceremony.key(),
            proof=ceremony.forge(DIGEST).data(),
        ),
    )
    ceremony = Trapdoor(gamma=1, generator=1)
    yield (
        "gamma-and-g-are-the-generator",
        proof_vector(
            "accept",
            "a key in the form of every ceremony's: gamma and the commitment's G are the generator",
            "ceremonies choose both so; sound as long as nobody knows delta and sigma",
            key=ceremony.key(),
            proof=ceremony.forge(DIGEST).data(),
        ),
    )
    for name in ("beta_g1", "delta_g1"):
        yield (
            f"unused-{name.replace('_', '-')}-at-infinity",
            proof_vector(
                "accept",
                f"a key whose {name} is infinity",
                "verification does not use this point; it is read, and nothing more",
                key=placed(KNOWN.key(), KEY_PLACES[name], INFINITY_G1),
            ),
        )
    yield (
        "another-unused-point",
        proof_vector(
            "accept",
            "a key whose beta in G1 is not that of G2",
            "verification does not use this point",
            key=placed(KNOWN.key(), KEY_PLACES["beta_g1"], spell_g1(neg(read_g1(KNOWN.key()[:32], "alpha")))),
        ),
    )
