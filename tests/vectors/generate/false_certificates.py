"""Well-formed certificates that must be refused: another statement, other words, an unmet policy, a foreign key."""

from __future__ import annotations

import base64
import hashlib
from typing import Any

from equiproof.circuits.canonical import canonical_bytes
from equiproof.verifier import ForContext, ForQuery, MinRadius, SetupIs
from equiproof.verifier.documents import parse_key
from equiproof.verifier.errors import Reason
from tests.trapdoor import INFINITY_G1, PROOF_PLACES, Trapdoor, g1, placed
from tests.vectors.generate.cases import (
    KNOWN,
    Named,
    certificate_vector,
    document,
    edited,
    proof_of,
    restated,
    spec_of,
    with_proof,
)
from tests.vectors.vector import CERTIFICATE, COMMITMENT, CONTEXT, KEY, QUERY, VERIFYING, Policy

FORGED, UNOPENED = Reason.PAIRINGS_DIFFER, Reason.COMMITMENT_NOT_OPENED


def vectors() -> Named:
    """Yield every family."""
    yield from other_statements()
    yield from other_models()
    yield from other_forms()
    yield from other_words()
    yield from unmet_policies()
    yield from other_keys()
    yield from other_proofs()


def refused(name: str, what: str, why: str, reason: str, exception: str = "ProofError", **more: Any) -> Any:
    """Return a named vector that is refused."""
    return name, certificate_vector("reject", what, why, reason, exception=exception, **more)


def other_statements() -> Named:
    """The owner changes a number after the proof, and the words with it."""
    true, most = document(CERTIFICATE)["statement"]["radius_squared"], spec_of().max_radius_squared
    why = "the proof is for the digest of the whole statement"
    for name, fields in {
        "label-flipped": {"label": 0},
        "radius-one-larger": {"radius_squared": true + 1},
        "radius-one-smaller": {"radius_squared": true - 1},
        "radius-largest": {"radius_squared": most},
        "radius-zero": {"radius_squared": 0},
        "query-commitment": {"query_commitment": f"{1:064x}"},
        "context-digest": {"context_digest": f"{1:064x}"},
    }.items():
        yield refused(f"statement-{name}", name.replace("-", " "), why, FORGED, files={CERTIFICATE: restated(**fields)})
    beyond = restated(radius_squared=most + 1)
    yield refused(
        "statement-radius-beyond-the-largest",
        "a radius that no spec states",
        "the circuit checks the radius to a width; a larger one has no meaning",
        Reason.RADIUS_TOO_LARGE,
        files={CERTIFICATE: beyond},
    )
    yield refused(
        "statement-label-of-no-name",
        "a label that the spec does not name",
        "what a label means stands in the spec",
        Reason.UNKNOWN_LABEL,
        files={CERTIFICATE: edited(CERTIFICATE, "statement.label", 2)},
    )


def other_models() -> Named:
    """The statement is about another model, spec or table than the relying party's commitment file."""
    for name, reason in (
        ("model_commitment", Reason.MODEL_DIFFERS),
        ("spec_digest", Reason.SPEC_DIFFERS),
        ("domain_digest", Reason.DOMAIN_DIFFERS),
    ):
        lie = edited(CERTIFICATE, f"statement.{name}", f"{5:064x}")
        title = f"statement-{name.replace('_', '-')}"
        why = "the verifier takes commitment and spec from its own file and recomputes the digests"
        yield refused(title, f"another {name}", why, reason, files={CERTIFICATE: lie})
    why = "one commitment, one spec: what numbers mean cannot be changed after the proof"
    for name, path, value, reason in (
        ("model", "model_commitment", f"{5:064x}", Reason.MODEL_DIFFERS),
        ("labels-swapped", "spec.labels", ["granted", "declined"], Reason.SPEC_DIFFERS),
        ("unit", "spec.features.0.unit", "USD", Reason.SPEC_DIFFERS),
        ("scale", "spec.features.0.scale", "24000", Reason.SPEC_DIFFERS),
        ("renamed", "spec.name", "other", Reason.SPEC_DIFFERS),
        ("value-replaced", "spec.features.2.domain", ["f", "x"], Reason.SPEC_DIFFERS),
    ):
        lie = edited(COMMITMENT, path, value)
        yield refused(f"commitment-{name}", f"a commitment file: {name}", why, reason, files={COMMITMENT: lie})
    other = document(COMMITMENT, "rates")
    yield refused(
        "commitment-of-another-owner",
        "a true commitment of another model",
        why,
        Reason.MODEL_DIFFERS,
        files={COMMITMENT: other},
    )


def other_forms() -> Named:
    """A certificate that shows its model to a link, under a key that needs none."""
    shown = document(CERTIFICATE)
    shown["statement"] |= {"shown": f"{5:064x}"}
    kept = shown | {"proof": base64.b64encode(bytes(228)).decode()}
    yield refused(
        "statement-shown-to-no-link",
        "what a link shows of a model, under a key that opens the model itself",
        "the key says whether a certificate opens its model, and a link is of kept keys only",
        Reason.FORM_DIFFERS,
        files={CERTIFICATE: kept},
    )


def other_words() -> Named:
    """The numbers are the proven ones and the words are not."""
    reason, why = Reason.WORDS_DIFFER, "people read the words; the verifier writes its own"
    for name, path, value in (
        ("label", "reading.label", "declined"),
        ("radius", "reading.radius", "9.000000"),
        ("radius-any", "reading.radius_any", "0.372060"),
        ("at-least", "reading.at_least", True),
        ("sensitive", "reading.sensitive", ["sex", "race"]),
        ("no-sensitive", "reading.sensitive", []),
        ("feature", "reading.features.income", "+- 44,200 EUR"),
        ("more-features", "reading.features.savings", "+- 1 EUR"),
        ("markup", "reading.label", "granted\u001b[2J"),
    ):
        yield refused(
            f"words-{name}", f"words: {name}", why, reason, files={CERTIFICATE: edited(CERTIFICATE, path, value)}
        )


def unmet_policies() -> Named:
    """A true certificate that is not enough, or about somebody or something else."""
    why = "a proof that holds is not all that a relying party needs"
    shown = document(CERTIFICATE)["reading"]["radius_any"]
    more = f"{float(shown) + 0.001:.6f}"
    for name, policy, reason in (
        ("radius-larger", Policy(min_radius=more), MinRadius.reason),
        ("ceremony", Policy(setup="ceremony"), SetupIs.reason),
        ("universal", Policy(setup="universal"), SetupIs.reason),
    ):
        yield refused(f"policy-{name}", f"policy: {name}", why, reason, "PolicyError", policy=policy)
    why = "a certificate is about one applicant's data, tied by the blinding"
    for name, path, value in (
        ("income", "features.income", 31384),
        ("housing", "features.housing", "rent"),
        ("blinding", "blinding", f"{1:064x}"),
    ):
        query = edited(QUERY, path, value)
        yield refused(
            f"query-{name}", f"a query file with another {name}", why, ForQuery.reason, "PolicyError",
            policy=Policy(query=True), files={QUERY: query},
        )  # fmt: skip
        lie = edited(CERTIFICATE, "query", query)
        yield refused(
            f"disclosed-{name}",
            f"a disclosed query with another {name}",
            why,
            ForQuery.reason,
            "PolicyError",
            files={CERTIFICATE: lie},
        )
    why = "a certificate is made for one application: another nonce or date is a replay"
    for name, value in (("nonce", "4f1c6a08e2b97d36"), ("date", "2026-02-01"), ("policy", "added")):
        lie = edited(CONTEXT, name, value)
        yield refused(
            f"context-{name}", f"a context with another {name}", why, ForContext.reason, "PolicyError",
            policy=Policy(context=True), files={CONTEXT: lie},
        )  # fmt: skip


def other_keys() -> Named:
    """The certificate names a key that is not trusted, or calls it what it is not."""
    untrusted = Reason.KEY_NOT_TRUSTED
    for name, path, value, reason in (
        ("unknown", "key.fingerprint", "0" * 64, untrusted),
        ("prefix", "key.fingerprint", document(CERTIFICATE)["key"]["fingerprint"][:63], untrusted),
        ("upper-case", "key.fingerprint", document(CERTIFICATE)["key"]["fingerprint"].upper(), untrusted),
        ("called-ceremony", "key.setup", "ceremony", Reason.SETUP_DIFFERS),
        ("called-universal", "key.setup", "universal", Reason.SETUP_DIFFERS),
    ):
        why = "keys are trusted by the fingerprint of all their metadata, the kind of set-up included"
        lie = edited(CERTIFICATE, path, value)
        yield refused(
            f"key-{name}", f"a key reference: {name}", why, reason, "UntrustedKeyError", files={CERTIFICATE: lie}
        )
    for name, path, value in (
        ("constraints", "constraints", 4763),
        ("circuit", "system_digest", "0" * 64),
        ("shape", "shape.capacity", 16),
    ):
        why = "metadata that was edited is another key's"
        yield refused(
            f"key-other-{name}", f"a trusted key with another {name}", why, untrusted, "UntrustedKeyError",
            files={KEY: edited(KEY, path, value)},
        )  # fmt: skip
    weak = Trapdoor(gamma=KNOWN.delta).key()
    yield refused(
        "key-degenerate", "a trusted key with gamma = delta, and a certificate that names it",
        "whoever filled the store may not know what a verifying key must look like", Reason.DEGENERATE_KEY,
        "UntrustedKeyError", files=renamed(weak),
    )  # fmt: skip
    yield refused(
        "key-of-the-forger", "a trusted key whose secrets are not the proof's, and a certificate that names it",
        "a proof holds under the key that it was made with", UNOPENED, files=renamed(KNOWN.key()),
    )  # fmt: skip
    shape = document(KEY)
    shape["shape"]["slices"] = 4
    yield refused(
        "key-of-another-shape", "a trusted key for four slices, and a certificate that names it",
        "the shape comes from the key and must be one of this spec", Reason.SHAPE_DIFFERS, files=named(shape),
    )  # fmt: skip
    ranges = document(KEY)
    ranges["shape"]["scheme"] = "branch-ranges"
    yield refused(
        "key-of-ranges", "a trusted key for neighbors inside ranges, and a certificate that names it",
        "the spec does not say that neighbors outside are left out", Reason.RANGES_DIFFER, files=named(ranges),
    )  # fmt: skip


def renamed(verifying: bytes) -> dict[str, Any]:
    """Return the files of a store whose key has other bytes, with metadata and a certificate that name them."""
    metadata = document(KEY) | {"verifying_key": hashlib.sha256(verifying).hexdigest()}
    return named(metadata) | {VERIFYING: verifying}


def named(metadata: dict[str, Any]) -> dict[str, Any]:
    """Return key metadata and a certificate that names them."""
    fingerprint = parse_key(canonical_bytes(metadata), KEY).fingerprint
    return {KEY: metadata, CERTIFICATE: edited(CERTIFICATE, "key.fingerprint", fingerprint)}


def other_proofs() -> Named:
    """The statement is the proven one, and the proof is another."""
    proof, why = proof_of(), "the proof must hold for the recomputed statement digest"
    for name, place, data, reason in (
        ("a", "A", g1(3), FORGED),
        ("c-at-infinity", "C", INFINITY_G1, FORGED),
        ("commitment", "D", g1(3), UNOPENED),
        ("knowledge-at-infinity", "pok", INFINITY_G1, UNOPENED),
    ):
        lie = with_proof(placed(proof, PROOF_PLACES[place], data))
        yield refused(f"proof-{name}", f"a proof with another {place}", why, reason, files={CERTIFICATE: lie})
    other = with_proof(proof_of("rates"))
    yield refused(
        "proof-of-another-certificate",
        "a true proof of another certificate",
        why,
        UNOPENED,
        files={CERTIFICATE: other},
    )
