"""Proofs that are well formed and do not hold: each is one step away from one that does."""

from __future__ import annotations

from equiproof.verifier.errors import Reason
from tests.trapdoor import INFINITY_G1, ORDER, PROOF_PLACES, Proof, Trapdoor, digest_bytes, g1, g2, placed
from tests.vectors.generate.cases import DIGEST, KNOWN, PROOF, Named, proof_of, proof_vector

OPENS = Reason.COMMITMENT_NOT_OPENED
DIFFER = Reason.PAIRINGS_DIFFER


def vectors() -> Named:
    """Yield every family."""
    yield from changed_proofs()
    yield from unknown_commitments()
    yield from errors_that_cancel_out()
    yield from other_statements()
    yield from other_keys()
    yield from published()


def of(name: str, what: str, why: str, proof: Proof) -> tuple[str, object]:
    """Return the vector of a proof whose pairings differ."""
    return name, proof_vector("reject", what, why, DIFFER, proof=proof.data())


def changed_proofs() -> Named:
    """One of A, B and C is another point."""
    why = "the main equation binds each of A, B and C"
    yield of("a-negated", "A negated", why, PROOF.with_(a=-PROOF.a))
    yield of("b-negated", "B negated", why, PROOF.with_(b=-PROOF.b))
    yield of("c-negated", "C negated", why, PROOF.with_(c=-PROOF.c))
    yield of("c-at-infinity", "C is infinity", why, PROOF.with_(c=0))
    yield of("a-at-infinity", "A is infinity", why, PROOF.with_(a=0))
    yield of("a-and-c-swapped", "A and C swapped", why, PROOF.with_(a=PROOF.c, c=PROOF.a))
    yield of("b-generator", "B is the generator of G2", why, PROOF.with_(b=1))
    nothing = PROOF.with_(a=0, b=0, c=0, commitment=0, knowledge=0)
    yield of("nothing", "every point is infinity", "both sides are not one by themselves", nothing)
    trivial = PROOF.with_(a=KNOWN.alpha, b=KNOWN.beta, c=0, commitment=0, knowledge=0)
    why = "alpha and beta cancel out; the statement's points remain"
    yield of("alpha-and-beta", "A is alpha, B is beta, the rest infinity", why, trivial)


def unknown_commitments() -> Named:
    """The commitment comes with a proof that its maker can open it."""
    lies = {
        "knowledge-negated": ("the proof of knowledge negated", PROOF.with_(knowledge=-PROOF.knowledge)),
        "knowledge-at-infinity": ("the proof of knowledge is infinity", PROOF.with_(knowledge=0)),
        "knowledge-is-the-commitment": ("the commitment as its own proof", PROOF.with_(knowledge=PROOF.commitment)),
        "commitment-at-infinity": ("the commitment is infinity, its proof is not", PROOF.with_(commitment=0)),
        "commitment-exchanged": ("another commitment with the old proof", PROOF.with_(commitment=14)),
        "commitment-and-knowledge-swapped": (
            "commitment and proof of knowledge swapped",
            PROOF.with_(commitment=PROOF.knowledge, knowledge=PROOF.commitment),
        ),
    }
    for name, (what, proof) in lies.items():
        why = "without the proof of knowledge, wires could be chosen after the challenge"
        yield name, proof_vector("reject", what, why, OPENS, proof=proof.data())
    # D = 0 was refused above for its proof; here the commitment is known, and not the one that was proven with.
    for name, commitment in (("another-known-commitment", 14), ("known-commitment-at-infinity", 0)):
        proof = PROOF.with_(commitment=commitment, knowledge=commitment * KNOWN.sigma)
        why = "the commitment enters the main equation, and so does its hash"
        yield of(name, "a commitment that can be opened, and is not this proof's", why, proof)


def errors_that_cancel_out() -> Named:
    """Both equations fail, and the product of all their pairings is one: whoever merges them needs a random weight."""
    for name, key in (
        ("errors-cancel-out", KNOWN),
        ("errors-cancel-out-in-a-ceremony", Trapdoor(gamma=1, generator=1)),
    ):
        honest = key.forge(DIGEST)
        c = honest.c - key.generator * pow(key.delta, -1, ORDER)
        proof = honest.with_(c=c, knowledge=honest.knowledge + 1)
        what = "a wrong proof of knowledge, and a C that makes up for it in the product of both equations"
        why = "each equation holds by itself, or the proof shows nothing"
        yield name, proof_vector("reject", what, why, OPENS, key=key.key(), proof=proof.data())


def other_statements() -> Named:
    """A proof holds for one digest."""
    why = "the digest is the only public input, and multiplies K_1"
    for name, digest in (("next", DIGEST + 1), ("zero", 0), ("negative", ORDER - DIGEST)):
        yield (
            f"digest-{name}",
            proof_vector("reject", f"the {name} digest", why, DIFFER, digest=digest_bytes(digest)),
        )


def other_keys() -> Named:
    """A proof holds under one key."""
    for name, secrets in (
        ("alpha", {"alpha": 99}),
        ("beta", {"beta": 99}),
        ("gamma", {"gamma": 99}),
        ("delta", {"delta": 99}),
        ("constant", {"inputs": (99, *KNOWN.inputs[1:])}),
        ("statement-point", {"inputs": (KNOWN.inputs[0], 99, KNOWN.inputs[2])}),
        ("hash-point", {"inputs": (*KNOWN.inputs[:2], 99)}),
    ):
        what, why = f"a key with another {name.replace('-', ' ')}", "the proof was made under another key"
        yield f"key-{name}", proof_vector("reject", what, why, DIFFER, key=Trapdoor(**secrets).key())
    why = "the commitment is known to nobody under this key"
    key = Trapdoor(sigma=99).key()
    yield "key-sigma", proof_vector("reject", "a key with another sigma", why, OPENS, key=key)


def published() -> Named:
    """The same on a proof of a real set-up."""
    proof = proof_of()
    why = "the main equation binds each of A, B and C"
    changes = {"a": ("A", g1(5)), "b": ("B", g2(5)), "c": ("C", INFINITY_G1)}
    for name, (place, data) in changes.items():
        lie = placed(proof, PROOF_PLACES[place], data)
        yield (
            f"published-{name}-replaced",
            proof_vector("reject", f"another {place}", why, DIFFER, base="published", proof=lie),
        )
    flipped = bytes([proof[0] ^ 0x40]) + proof[1:]
    yield (
        "published-a-other-flag",
        proof_vector(
            "reject", "the flag of A changed", "the flag stands for the other y", DIFFER, "published", proof=flipped
        ),
    )
