"""Box certificates with the files that they are verified with, and what Python says of them.

Their proofs are forged under a set-up whose secrets are known: so there is one for every statement, of any spec, and
what decides is all else.
"""

from __future__ import annotations

import hashlib
import json
import random
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from fractions import Fraction
from typing import Any

from equiproof.circuits.canonical import canonical_bytes
from equiproof.circuits.commitment import table_digest
from equiproof.circuits.encodings.missing import Missing
from equiproof.circuits.field import to_hex
from equiproof.circuits.numbers import read_number
from equiproof.circuits.shape import Shape, box_shape
from equiproof.circuits.spec import Feature, Spec, SpecError, checked
from equiproof.circuits.statement import BoxStatement, context_digest
from equiproof.verifier import (
    AllOf,
    AnyOf,
    BoxVerifier,
    CertificateFormatError,
    ContextHas,
    CoversFeatures,
    ForContext,
    ForQuery,
    KeyIs,
    MinRadius,
    ModelIs,
    NoRanges,
    NotOlderThan,
    ProofSystemIs,
    SetupIs,
    SignedBy,
    TranscriptIs,
    TrustStore,
    VerificationError,
    parse_box,
    parse_commitment,
    parse_context,
    parse_opened_box,
    parse_query,
)
from equiproof.verifier.box import make_box
from equiproof.verifier.certificate import KeyReference
from equiproof.verifier.documents import COMMITMENT as COMMITMENT_MARK
from equiproof.verifier.documents import CommitmentDocument, parse_key
from equiproof.verifier.logged import BoxDated, Logged, LogPins
from equiproof.verifier.opened_box import OPENED_BOX, OpenedBox, is_listed
from equiproof.verifier.trust import TrustedKey
from tests.support import changed, no_policy
from tests.vectors.generate.cases import KNOWN, document
from tests.vectors.vector import COMMITMENT, CONTEXT, KEY, QUERY, VERIFYING
from tests.verifier.test_logged import terms
from tests.web.specs import drawn

BOX, OPENED = "box.json", "opened.json"
MODEL, BLINDING = 1, 5
CONTEXT_TEXTS = {"nonce": "0123456789abcdef", "date": "2026-01-31", "policy": "p"}
PREDICATES = (5, 1)
VERIFYING_KEY = KNOWN.key()
Ends = dict[str, tuple[Any, ...]]


@dataclass(frozen=True)
class Case:
    """Files by name, what the relying party demands as `judge.mjs` takes it, and the label that is asked for."""

    files: dict[str, bytes]
    policy: dict[str, Any]
    label: str | None = None
    dated: tuple[dict[str, Any], str, int] | None = None
    """The pins of a log, a log proof in hexadecimal digits, and the time."""

    def asked(self) -> dict[str, Any]:
        """Return what the driver is asked."""
        files = {name: data.hex() for name, data in self.files.items()}
        more = {"label": self.label, "dated": self.dated}
        given = {name: value for name, value in more.items() if value is not None}
        return {"files": files, "policy": self.policy} | given

    def judged(self) -> dict[str, Any]:
        """Return what Python says: what was verified, or the exception, its reason and its line."""
        try:
            found = self._verified()
        except (CertificateFormatError, VerificationError, TypeError) as error:
            reason = None if isinstance(error, TypeError) else str(error.reason)
            return {"exception": type(error).__name__, "reason": reason, "message": str(error)}
        said = found.document()
        reading = {"label": said["label"], "sensitive": said["sensitive"]}
        more = {} if found.ends is None else {"ends": found.ends}
        value = {"identity": found.identity, "sentence": said["statement"], "reading": reading, **more}
        return {"value": value | {"made": list(found.made), "notMade": list(found.not_made)}}

    def _verified(self):
        """Read and verify in the order of `judge.mjs`."""
        files = self.files
        certificate, commitment = parse_box(files[BOX], BOX), parse_commitment(files[COMMITMENT], COMMITMENT)
        opened = parse_opened_box(files[OPENED], OPENED) if OPENED in files else None
        key = TrustedKey.of(parse_key(files[KEY], KEY), files[VERIFYING], b"", VERIFYING, KEY)
        verifier = BoxVerifier(commitment, TrustStore([key]))
        policy, dated = policy_of(files, self.policy), self.dated and BoxDated(*logged(self.dated))
        return verifier.verify(certificate, policy, opened=opened, label=self.label, dated=dated)


def logged(asked: Sequence[Any]) -> tuple[LogPins, bytes, int]:
    """Return the pins of a log, a log proof and the time, of plain values."""
    pins, proof, now = asked
    return terms(pins).pins(), bytes.fromhex(proof), now


def policy_of(files: dict[str, bytes], demands: dict[str, Any]):
    """Return the policy of some demands."""
    kinds = {
        "context": lambda _: ForContext(parse_context(files[CONTEXT], CONTEXT)),
        "query": lambda _: ForQuery(parse_query(files[QUERY], QUERY)),
        "covers": CoversFeatures,
        "context_has": lambda texts: ContextHas(parse_context(files[CONTEXT], CONTEXT), texts),
        "not_older": lambda asked: NotOlderThan(
            parse_context(files[CONTEXT], CONTEXT), asked[0], date.fromisoformat(asked[1])
        ),
        "min_radius": MinRadius,
        "setup": SetupIs,
        "transcript": TranscriptIs,
        "key": KeyIs,
        "model": ModelIs,
        "signed_by": lambda asked: SignedBy(tuple(asked[0]), asked[1]),
        "proof_system": ProofSystemIs,
        "log": lambda asked: Logged(*logged(asked)),
        "no_ranges": lambda _: NoRanges(),
        "all_of": lambda parts: AllOf(*(policy_of(files, part) for part in parts)),
        "any_of": lambda parts: AnyOf(*(policy_of(files, part) for part in parts)),
    }
    made = [kinds[name](value) for name, value in demands.items() if value is not False]
    return AllOf(*made) if made else no_policy()


def opened_box(ends: Ends, blinding: int = BLINDING) -> OpenedBox:
    """Return an opened box."""
    return OpenedBox(*OPENED_BOX, ends, to_hex(blinding))


def metadata(shape: Shape | dict[str, Any], **fields: Any) -> dict[str, Any]:
    """Return the metadata of a key of a shape, whose verifying key is the one with known secrets."""
    known = {"verifying_key": hashlib.sha256(VERIFYING_KEY).hexdigest()}
    return document(KEY) | known | {"shape": json.loads(canonical_bytes(shape))} | fields


def statement_of(spec: Spec, opened: OpenedBox, label: int = 1, **fields: int) -> BoxStatement:
    """Return the statement about a box, with other parts where they are given."""
    parts = {
        "model_commitment": MODEL,
        "spec_digest": spec.digest,
        "domain_digest": table_digest(spec),
        "box_commitment": opened.commitment(spec),
        "label": label,
        "context_digest": context_digest(CONTEXT_TEXTS),
    }
    return BoxStatement(**(parts | fields))


def files_of(
    spec: Spec,
    opened: OpenedBox,
    statement: BoxStatement,
    key: dict[str, Any] | None = None,
    *,
    disclosed: OpenedBox | None = None,
) -> dict[str, bytes]:
    """Return the files of a statement whose proof holds."""
    written = canonical_bytes(key or metadata(box_shape(spec, PREDICATES)))
    parsed = parse_key(written, KEY)
    proof = KNOWN.forge(statement.digest(parsed.shape)).data()
    reference = KeyReference(parsed.fingerprint, parsed.setup)
    certificate = make_box(statement, spec, reference, parsed.proof_system, proof, {}, disclosed)
    return {
        BOX: certificate.to_bytes(),
        COMMITMENT: canonical_bytes(CommitmentDocument(*COMMITMENT_MARK, to_hex(MODEL), spec)),
        OPENED: canonical_bytes(opened),
        CONTEXT: canonical_bytes(CONTEXT_TEXTS),
        KEY: written,
        VERIFYING: VERIFYING_KEY,
    }


def drawn_spec(rng: random.Random) -> Spec:
    """Return a drawn spec of whose features some may be missing, with a mark or without one."""
    while True:
        spec = drawn(rng)
        lacking = [_may_miss(feature, rng) for feature in spec.features]
        try:
            found = checked(changed(spec, features=tuple(lacking)))
            box_shape(found, PREDICATES)  # a category may be too wide
            return found
        except SpecError:
            continue


def _may_miss(feature: Feature, rng: random.Random) -> Feature:
    """Return a feature of which a value may be missing, or not."""
    if feature.sensitive or rng.random() < 0.6:
        return feature
    return changed(feature, missing=Missing(mark=True) if rng.random() < 0.5 else Missing())


def drawn_ends(spec: Spec, rng: random.Random) -> Ends:
    """Return ends of every feature; some are outside of a width or a range."""
    return {feature.name: _ends(spec, feature, rng) for feature in spec.plain_features}


def _ends(spec: Spec, feature: Feature, rng: random.Random) -> tuple[Any, ...]:
    """Return ends of a feature."""
    if feature.may_miss and rng.random() < 0.4:
        return ()
    if is_listed(feature):
        return tuple(rng.sample(feature.domain, rng.randint(1, len(feature.domain))))
    if feature.kind == "categorical":
        places = sorted(rng.randrange(len(feature.domain)) for _ in range(2))
        return tuple(feature.domain[place] for place in places)
    value = _value(spec, feature, rng)
    pair = (value, value if rng.random() < 0.2 else _value(spec, feature, rng))
    return tuple(sorted(pair, key=read_number))


def _value(spec: Spec, feature: Feature, rng: random.Random) -> Any:
    """Return a raw number of a feature, written in any way."""
    if feature.range is not None:
        low, high = map(Fraction, feature.range)
    else:
        reach = Fraction(feature.scale) * (1 << spec.input_bits) / (2 << spec.input_fraction_bits)
        low, high = Fraction(feature.mean) - reach, Fraction(feature.mean) + reach
    number = float(low + (high - low) * Fraction(rng.randint(1, 999), 1000))
    if abs(number) >= 1 << 53:
        return f"{number:.3f}"  # as a number it has no canonical form
    return rng.choice((f"{number:.3f}", f"{number:.2e}", round(number), number))


def spoiled(ends: Ends, spec: Spec, rng: random.Random) -> Ends:
    """Return ends of which one feature's are wrong in some way."""
    feature = rng.choice(spec.plain_features)
    own = ends[feature.name]
    found = dict(ends)
    match rng.randrange(7):
        case 0:
            del found[feature.name]
        case 1:
            found |= {rng.choice(("a feature", "zoo", "x" * 50, feature.name.upper())): own}
        case 2:
            found[feature.name] = own[::-1]
        case 3:
            found[feature.name] = (*own, *own[:1])
        case 4:
            found[feature.name] = own[:1]
        case 5:
            found[feature.name] = (*own[:1], rng.choice(("?", "1e70", 12, "", "x" * 60, 0.5)))
        case _:
            found[feature.name] = ()
    return found
