"""Proofs and keys of PLONK, and certificates that name it: what holds, what is refused, and what is malformed."""

from __future__ import annotations

import base64
from typing import Any

from py_ecc.optimized_bn128 import neg

from equiproof.verifier.curve import read_g1
from equiproof.verifier.errors import Reason
from tests.trapdoor import (
    INFINITY_G1,
    INFINITY_G2,
    ORDER,
    PLONK_KEY_PLACES,
    PLONK_PROOF_COUNTS,
    PLONK_PROOF_PLACES,
    PRIME,
    g1,
    g2,
    off_curve,
    outside_subgroup,
    placed,
    spell_g1,
    spell_g2,
    spelled,
)
from tests.vectors.generate.cases import (
    EVERYTHING,
    LOANS,
    Named,
    certificate_vector,
    document,
    edited,
    proof_bases,
    proof_of,
    proof_vector,
)
from tests.vectors.vector import CERTIFICATE, KEY, VERIFYING, certificate_base

BASE = "plonk"
FOLDER = "loans-plonk"
KEY_BYTES, DIGEST, PROOF = (bytes.fromhex(proof_bases()[BASE][name]) for name in ("key", "digest", "proof"))
SIZE, ROW = (int.from_bytes(KEY_BYTES[at : at + 8], "big") for at in (0, 8))
RELATION, PAIRINGS = Reason.RELATION_FAILS, Reason.PAIRINGS_DIFFER


def vectors() -> Named:
    """Yield every family."""
    yield from published()
    yield from false_proofs()
    yield from false_keys()
    yield from malformed_proofs()
    yield from malformed_keys()
    yield from exchanged()


def value(name: str, number: int) -> bytes:
    """Return the proof with another value."""
    return placed(PROOF, PLONK_PROOF_PLACES[name], number.to_bytes(32, "big"))


def valued(name: str) -> int:
    """Return a value of the proof."""
    at, width = PLONK_PROOF_PLACES[name]
    return int.from_bytes(PROOF[at : at + width], "big")


def pointed(name: str, point: bytes) -> bytes:
    """Return the proof with another point."""
    return placed(PROOF, PLONK_PROOF_PLACES[name], point)


def of_key(name: str, data: bytes) -> bytes:
    """Return the key with another part."""
    return placed(KEY_BYTES, PLONK_KEY_PLACES[name], data)


def of_proof(name: str) -> bytes:
    """Return the bytes of a part of the proof."""
    at, width = PLONK_PROOF_PLACES[name]
    return PROOF[at : at + width]


def published() -> Named:
    """What was published holds."""
    why = "what was published holds for ever"
    yield "proof", proof_vector("accept", "a proof of a real set-up", why, base=BASE)
    for name, policy in (("", None), ("-under-every-policy", EVERYTHING)):
        demands: dict[str, Any] = {} if policy is None else {"policy": policy}
        yield (
            f"published-{FOLDER}{name}",
            certificate_vector("accept", f"the certificate {FOLDER}{name}", why, base=FOLDER, **demands),
        )


def false_proofs() -> Named:
    """Every point and every value matters: before the challenges by the relation, behind them by the openings."""
    why = "the proof must hold for the digest, and no part of it is left over"
    number = int.from_bytes(DIGEST, "big")
    for name, digest in (("next", number + 1), ("zero", 0), ("largest", ORDER - 1)):
        yield (
            f"digest-{name}",
            proof_vector("reject", f"digest: {name}", why, RELATION, BASE, digest=digest.to_bytes(32, "big")),
        )
    for name in ("linear", "l", "r", "o", "s1", "s2", "z"):
        lie = value(name, (valued(name) + 1) % ORDER)
        yield f"value-{name}", proof_vector("reject", f"value {name} plus one", why, RELATION, BASE, proof=lie)
    lie = value("qcp", (valued("qcp") + 1) % ORDER)
    yield (
        "value-qcp",
        proof_vector("reject", "the selector's value plus one", "only its opening holds it", PAIRINGS, BASE, proof=lie),
    )
    for name in ("L", "R", "O", "Z", "D", "H0", "H1", "H2"):
        point = spell_g1(neg(read_g1(of_proof(name), name)))
        lie = pointed(name, point)
        title = name.lower()
        yield f"{title}-negated", proof_vector("reject", f"{name} negated", why, RELATION, BASE, proof=lie)
    for name, title in (("W", "w"), ("W'", "w-shifted")):
        for kind, point in (("at-infinity", INFINITY_G1), ("another", g1(3))):
            lie = pointed(name, point)
            yield f"{title}-{kind}", proof_vector("reject", f"{name}: {kind}", why, PAIRINGS, BASE, proof=lie)
    lie = placed(pointed("W", of_proof("W'")), PLONK_PROOF_PLACES["W'"], of_proof("W"))
    yield "openings-exchanged", proof_vector("reject", "W and W' exchanged", why, PAIRINGS, BASE, proof=lie)
    lie = placed(pointed("L", of_proof("R")), PLONK_PROOF_PLACES["R"], of_proof("L"))
    yield "wires-exchanged", proof_vector("reject", "L and R exchanged", why, RELATION, BASE, proof=lie)


def false_keys() -> Named:
    """A proof holds under its key alone."""
    why = "the proof was made under another key"
    for name, part, data, reason in (
        ("another-tau", "tau", g2(7), PAIRINGS),
        ("qk-at-infinity", "Qk", INFINITY_G1, RELATION),
        ("qr-at-infinity", "Qr", INFINITY_G1, RELATION),
        ("another-ql", "Ql", g1(5), RELATION),
        ("another-s3", "S3", g1(5), RELATION),
        ("domain-twice", "size", (2 * SIZE).to_bytes(8, "big"), RELATION),
        ("row-next", "row", (ROW + 1).to_bytes(8, "big"), RELATION),
        ("row-first", "row", bytes(8), RELATION),
    ):
        yield f"key-{name}", proof_vector("reject", f"key: {name}", why, reason, BASE, key=of_key(part, data))


def malformed_proofs() -> Named:
    """A proof has one length and one spelling."""
    why = "what is left over, or is missing, is covered by nothing"
    for name, data in (
        ("proof-empty", b""),
        ("proof-cut", PROOF[:-1]),
        ("proof-goes-on", PROOF + b"\0"),
        ("proof-of-groth16", proof_of()),
    ):
        vector = proof_vector("malformed", name.replace("-", " "), why, Reason.WRONG_LENGTH, BASE, proof=data)
        yield name, vector
    for at, right in PLONK_PROOF_COUNTS.items():
        for count in (right - 1, right + 1, 1 << 31):
            lie = placed(PROOF, (at, 4), count.to_bytes(4, "big"))
            what = f"the count at byte {at} is {count}"
            yield (
                f"proof-count-{at}-{count}",
                proof_vector("malformed", what, "the counts are fixed", Reason.WRONG_COUNT, BASE, proof=lie),
            )
    why = "a value has one spelling"
    for name in ("linear", "qcp", "z"):
        for kind, number in (("order", ORDER), ("plus-order", valued(name) + ORDER), ("all-ones", (1 << 256) - 1)):
            if number < 1 << 256:
                yield (
                    f"value-{name}-{kind}",
                    proof_vector(
                        "malformed", f"value {name}: {kind}", why, Reason.BAD_ELEMENT, BASE, proof=value(name, number)
                    ),
                )
    for name in ("L", "W", "D"):
        for kind, point, reason in (
            ("uncompressed", bytes([of_proof(name)[0] & 0x3F]) + of_proof(name)[1:], Reason.POINT_NOT_CANONICAL),
            ("infinity-and-more", INFINITY_G1[:-1] + b"\1", Reason.POINT_NOT_CANONICAL),
            ("modulus", spelled([PRIME], larger=False), Reason.COORDINATE_TOO_LARGE),
            ("off-the-curve", off_curve(), Reason.OFF_CURVE),
        ):
            yield (
                f"proof-{name.lower()}-{kind}",
                proof_vector("malformed", f"{name}: {kind}", why, reason, BASE, proof=pointed(name, point)),
            )


def malformed_keys() -> Named:
    """A key has one length, and no part that no circuit and no powers have."""
    why = "a verifier takes all else from these bytes: the domain, the lines of the pairing, the public inputs"
    for name, data in (
        ("key-empty", b""),
        ("key-cut", KEY_BYTES[:-1]),
        ("key-goes-on", KEY_BYTES + b"\0"),
        ("key-of-groth16", certificate_base(LOANS)[VERIFYING]),
    ):
        yield (
            name,
            proof_vector("malformed", name.replace("-", " "), why, Reason.WRONG_LENGTH, BASE, key=data),
        )
    fourth = pow(5, (ORDER - 1) // 4, ORDER)
    for name, part, data in (
        ("domain-zero", "size", bytes(8)),
        ("domain-one", "size", (1).to_bytes(8, "big")),
        ("domain-no-power", "size", (SIZE - 1).to_bytes(8, "big")),
        ("domain-too-large", "size", (1 << 29).to_bytes(8, "big")),
        ("domain-all-ones", "size", b"\xff" * 8),
        ("row-outside", "row", (SIZE - 1).to_bytes(8, "big")),
        ("row-all-ones", "row", b"\xff" * 8),
        ("tau-zero", "tau", INFINITY_G2),
        ("tau-one", "tau", g2(1)),
        ("tau-minus-one", "tau", g2(-1)),
        ("tau-fourth-root", "tau", g2(fourth)),
        ("tau-other-fourth-root", "tau", g2(-fourth)),
        *((f"{name}-at-infinity", name, INFINITY_G1) for name in ("S1", "S2", "S3", "Ql", "Qm", "Qo", "Qcp")),
        ("s1-twice", "S2", KEY_BYTES[16:48]),
    ):
        why = "under such a key somebody could prove anything, or it is of no circuit"
        yield (
            f"key-{name.lower()}",
            proof_vector("malformed", f"key: {name}", why, Reason.DEGENERATE_KEY, BASE, key=of_key(part, data)),
        )
    for name, part, data, reason in (
        ("tau-outside", "tau", spell_g2(outside_subgroup()), Reason.OUTSIDE_SUBGROUP),
        ("qcp-off-the-curve", "Qcp", off_curve(), Reason.OFF_CURVE),
        ("qk-modulus", "Qk", spelled([PRIME], larger=False), Reason.COORDINATE_TOO_LARGE),
        ("ql-uncompressed", "Ql", bytes([1]) + bytes(31), Reason.POINT_NOT_CANONICAL),
    ):
        why = "a point has one spelling, and lies in its subgroup"
        vector = proof_vector("malformed", f"key: {name}", why, reason, BASE, key=of_key(part, data))
        yield f"key-{name}", vector


def exchanged() -> Named:
    """A certificate that names another proof system than its key, with a proof of the length of that one."""
    why = "a proof is of the proof system of its key, whatever the certificate calls it"
    for base, other, name in ((LOANS, FOLDER, "plonk-bn254"), (FOLDER, LOANS, "groth16-bn254")):
        lie = edited(CERTIFICATE, "proof_system", name, base)
        lie["proof"] = base64.b64encode(proof_of(other)).decode()
        yield (
            f"{base}-called-{name}",
            certificate_vector(
                "reject", f"the certificate {base}, called one of {name}", why, Reason.PROOF_SYSTEM_DIFFERS,
                exception="UntrustedKeyError", base=base, files={CERTIFICATE: lie},
            ),
        )  # fmt: skip
        lie = edited(CERTIFICATE, "proof_system", name, base)
        yield (
            f"{base}-renamed-{name}",
            certificate_vector(
                "malformed", f"the proof of {base}, called one of {name}", "each proof system has one length of proofs",
                Reason.WRONG_LENGTH, field="proof", base=base, files={CERTIFICATE: lie},
            ),
        )  # fmt: skip
    metadata = document(KEY, FOLDER) | {"proof_system": "groth16-bn254"}
    yield (
        "key-called-groth16",
        certificate_vector(
            "reject", "a trusted key, called one of another proof system",
            "metadata that was edited is another key's", Reason.KEY_NOT_TRUSTED, exception="UntrustedKeyError",
            base=FOLDER, files={KEY: metadata},
        ),
    )  # fmt: skip
