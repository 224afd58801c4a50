"""Gain certificates with one thing wrong, each with a proof that holds: under a key whose secrets are known.

So only the check that is meant refuses them. The base is the published one, under that key.
"""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cache
from typing import Any

import msgspec

from equiproof.circuits.canonical import canonical_bytes
from equiproof.circuits.commitment import pair_digest
from equiproof.circuits.field import ORDER, to_hex
from equiproof.circuits.poseidon2 import hash_elements
from equiproof.circuits.shape import branch_shape, gain_shape
from equiproof.circuits.spec import Spec
from equiproof.circuits.statement import GainStatement, start
from equiproof.verifier import (
    AllOf,
    CertificateFormatError,
    ForContext,
    ForQuery,
    GainOf,
    GainVerifier,
    MinGain,
    MinRadius,
    TranscriptIs,
    TrustStore,
    VerificationError,
    parse_commitment,
    parse_context,
    parse_gain,
    parse_query,
)
from equiproof.verifier.documents import parse_key
from equiproof.verifier.facts import Policy
from equiproof.verifier.gain import GainFields, GainReading
from equiproof.verifier.trust import TrustedKey
from tests.pins import FOLDER
from tests.support import no_policy
from tests.trapdoor import Trapdoor
from tests.vectors.vector import COMMITMENT, CONTEXT, GAIN, KEY, QUERY, VERIFYING

KNOWN = Trapdoor()
BASE = "gain"
Files = dict[str, bytes]


@dataclass(frozen=True)
class Case:
    """Files of a verification, what is demanded, and the reason for a refusal; None where it is verified."""

    files: Files
    reason: str | None
    policy: dict[str, Any] = field(default_factory=dict)

    @property
    def hex(self) -> dict[str, str]:
        """The files in hexadecimal."""
        return {name: data.hex() for name, data in self.files.items()}


@cache
def published(name: str = BASE) -> Files:
    """Return the files of a published gain certificate."""
    return {file: (FOLDER / name / file).read_bytes() for file in (GAIN, COMMITMENT, QUERY, CONTEXT, KEY, VERIFYING)}


@cache
def spec() -> Spec:
    """Return the spec of the base."""
    return parse_commitment(published()[COMMITMENT], COMMITMENT).spec


@cache
def known_key() -> bytes:
    """Return the verifying key of the known secrets."""
    return KNOWN.key()


def key_files(**fields: Any) -> Files:
    """Return the files of the key with the known secrets, with fields of its metadata replaced."""
    document = json.loads(published()[KEY]) | {"verifying_key": hashlib.sha256(known_key()).hexdigest()} | fields
    return {KEY: canonical_bytes(document), VERIFYING: known_key()}


def restated(**fields: Any) -> dict[str, Any]:
    """Return the published document with fields of its statement replaced, and the words right, if there are any.

    Where the pair changes, so does its digest, unless it is given.
    """
    document = json.loads(published()[GAIN])
    stated = document["statement"] = document["statement"] | fields
    rows = (stated["first"], stated["second"])
    if "domain_digest" not in fields and max(rows) < len(spec().domain_table) and min(rows) >= 0:
        stated["domain_digest"] = to_hex(pair_digest(spec(), *rows))
        if stated["label"] < len(spec().labels):
            words = GainReading.of(spec(), msgspec.convert(stated, GainFields))
            document["reading"] = msgspec.to_builtins(words)
    return document


def forged(key: Files | None = None, reading: dict[str, Any] | None = None, **fields: Any) -> Files:
    """Return the files of a gain certificate with fields of its statement replaced, its proof true, its words right.

    Fields of `reading` are replaced at the end.
    """
    key, document = key or key_files(), restated(**fields)
    stated = document["statement"]
    document["reading"] |= reading or {}
    metadata = parse_key(key[KEY], KEY)
    document["key"]["fingerprint"] = metadata.fingerprint
    digests = ("model_commitment", "spec_digest", "domain_digest", "query_commitment", "context_digest")
    numbers = {name: int(stated[name], 16) for name in digests}
    numbers |= {name: stated[name] for name in ("label", "radius_squared", "logit_fraction_bits")}
    statement = GainStatement(**numbers, least_gain=int(stated["least_gain"]))
    digest = hash_elements(statement.elements(), start(metadata.shape))
    document["proof"] = base64.b64encode(KNOWN.forge(digest).data()).decode()
    return published() | key | {GAIN: canonical_bytes(document)}


def edited(change: Callable[[dict[str, Any]], None], files: Files | None = None) -> Files:
    """Return the published files, or others, with their gain certificate changed and its proof left alone."""
    files = files or published()
    change(document := json.loads(files[GAIN]))
    return files | {GAIN: canonical_bytes(document)}


@cache
def cases() -> dict[str, Case]:
    """Return all cases by name."""
    return dict(_true()) | dict(_refused()) | dict(_malformed()) | dict(_policies())


def _true() -> Iterator[tuple[str, Case]]:
    """Yield what is verified."""
    for name in ("gain", "gain-lower"):
        yield f"published {name}", Case(published(name), None, {"query": True, "context": True, "min_radius": "0.1"})
    yield "the base under the known key", Case(forged(), None)
    yield "a gain of nothing", Case(forged(least_gain="0"), None, {"min_gain": "0"})
    yield "a gain that is smaller than what is shown", Case(forged(least_gain="1"), None, {"min_gain": "0"})
    yield "a loss that is smaller than what is shown", Case(forged(least_gain="-1"), None)
    yield "no radius", Case(forged(radius_squared=0), None)
    yield "the largest radius", Case(forged(radius_squared=spec().max_radius_squared), None)
    yield "the other order", Case(forged(first=0, second=1), None)
    yield "no unit", Case(forged(logit_fraction_bits=0), None)
    yield "the longest unit", Case(forged(logit_fraction_bits=4096), None)


def _refused() -> Iterator[tuple[str, Case]]:
    """Yield what a verifier refuses by itself."""
    other = to_hex(5)
    half = 1 << (parse_key(published()[KEY], KEY).shape.sizes.gain_bits - 1)
    domain = json.loads(published()[GAIN])["statement"]["domain_digest"]
    hidden = parse_key(published()[KEY], KEY).shape.architecture.hidden
    decisions = key_files(shape=msgspec.to_builtins(branch_shape(spec(), hidden, 8)))
    wider = key_files(shape=msgspec.to_builtins(gain_shape(msgspec.structs.replace(spec(), input_bits=19), hidden, 8)))
    yield "another model", Case(forged(model_commitment=other), "model-differs")
    yield "another spec", Case(forged(spec_digest=other), "spec-differs")
    yield "another digest of the pair", Case(forged(domain_digest=other), "domain-differs")
    yield "the digest of the other order", Case(forged(first=0, second=1, domain_digest=domain), "domain-differs")
    yield "a value against itself", Case(forged(first=1, second=1), "unknown-values")
    yield "a row behind the table", Case(forged(first=2), "unknown-values")
    yield "another row behind the table", Case(forged(second=16383), "unknown-values")
    yield "a key of decisions", Case(forged(decisions), "shape-differs")
    yield "a key of another spec", Case(forged(wider), "shape-differs")
    yield "a label of no name", Case(forged(label=2), "unknown-label")
    yield "a radius of no spec", Case(forged(radius_squared=spec().max_radius_squared + 1), "radius-too-large")
    yield "a gain beyond its width", Case(forged(least_gain=str(half)), "gain-too-large")
    yield "a loss beyond its width", Case(forged(least_gain=str(-half - 1)), "gain-too-large")
    yield "the largest gain whose residue is its own", Case(forged(least_gain=str(ORDER // 2)), "gain-too-large")
    for name, value in {
        "label": "granted", "gain": "0.619336", "radius": "0.501954", "radius_any": "0.500001", "at_least": True,
        "first": {"sex": "f"}, "second": {"sex": "m"}, "features": {"housing": "this value only"},
    }.items():  # fmt: skip
        yield f"another {name} in words", Case(forged(reading={name: value}), "words-differ")
    for name, value in {
        "query_commitment": other, "context_digest": other, "label": 1, "radius_squared": 264197, "first": 0,
        "second": 0, "least_gain": "680966893569", "logit_fraction_bits": 39,
    }.items():  # fmt: skip
        fields = {"first": 0, "second": 1} if name in ("first", "second") else {name: value}
        lie = canonical_bytes(restated(**fields))
        yield f"another {name} than proven", Case(published() | {GAIN: lie}, "pairings-differ")
    yield "an untrusted key", Case(edited(lambda one: one["key"].update(fingerprint="0" * 64)), "key-not-trusted")
    yield "another kind of set-up", Case(edited(lambda one: one["key"].update(setup="ceremony")), "setup-differs")


def _malformed() -> Iterator[tuple[str, Case]]:
    """Yield what is no gain certificate."""
    for name, value in {
        "label": 1 << 14, "radius_squared": -1, "first": -1, "second": 1 << 14, "logit_fraction_bits": 4097,
        "least_gain": str(ORDER // 2 + 1),
    }.items():  # fmt: skip
        files = edited(lambda one, name=name, value=value: one["statement"].update({name: value}))
        yield f"{name} out of range", Case(files, "out-of-range")
    proven = json.loads(published()[GAIN])["statement"]["least_gain"]
    for name, value in {"more": int(proven) + ORDER, "less": int(proven) - ORDER}.items():
        files = edited(lambda one, value=value: one["statement"].update(least_gain=str(value)))
        yield f"the proven gain and the field's order {name}", Case(files, "out-of-range")
    for value in ("-0", "+1", "01", "1.0", "", "0x1", "\u0661", "9" * 81, "-", "1\n"):
        files = edited(lambda one, value=value: one["statement"].update(least_gain=value))
        yield f"least_gain {value!r}", Case(files, "wrong-fields")
    yield "a gain as a number", Case(edited(lambda one: one["statement"].update(least_gain=1)), "wrong-fields")
    yield "no rows", Case(edited(lambda one: one["statement"].pop("first")), "wrong-fields")
    yield "a reading of a decision", Case(edited(lambda one: one["reading"].update(sensitive=[])), "wrong-fields")
    yield "another mark", Case(edited(lambda one: one.update(format="equiproof-certificate")), "other-format")
    yield "another version", Case(edited(lambda one: one.update(version=3)), "other-format")
    loans = (FOLDER / "loans" / "certificate.json").read_bytes()
    yield "a certificate", Case(published() | {GAIN: loans}, "wrong-fields")
    shape = json.loads(published()[KEY])["shape"]
    for name, value in {"slices": 3, "hidden": [2049]}.items():
        wrong = (
            shape | {name: value} if name in shape else shape | {"architecture": shape["architecture"] | {name: value}}
        )
        files = published() | {KEY: canonical_bytes(json.loads(published()[KEY]) | {"shape": wrong})}
        yield f"a key with other {name}", Case(files, "bad-shape")


def _policies() -> Iterator[tuple[str, Case]]:
    """Yield policies that are met, and ones that are not."""
    files, lost = published(), published("gain-lower")
    m, f = {"sex": "m"}, {"sex": "f"}
    exact = "0.6193357817828655242919921875"
    for name, policy, reason in (
        ("least gain", {"min_gain": "0.6"}, None),
        ("the exact gain", {"min_gain": exact}, None),
        ("more than the exact gain", {"min_gain": exact + "1"}, "gain-too-small"),
        ("a large gain", {"min_gain": "0.7"}, "gain-too-small"),
        ("never worse", {"min_gain": "0"}, None),
        ("a loss", {"min_gain": "-1"}, None),
        ("label and values", {"gain_of": ("declined", m, f)}, None),
        ("the other label", {"gain_of": ("granted", m, f)}, "other-gain"),
        ("an unknown label", {"gain_of": ("granted'\u001b", m, f)}, "other-gain"),
        ("the other order", {"gain_of": ("declined", f, m)}, "other-gain"),
        ("one value twice", {"gain_of": ("declined", m, m)}, "other-gain"),
        ("an unknown value", {"gain_of": ("declined", {"sex": "x"}, f)}, "other-gain"),
        ("an unknown feature", {"gain_of": ("declined", m, {"age": "25"})}, "other-gain"),
        ("one feature too many", {"gain_of": ("declined", m | {"age": "25"}, f)}, "other-gain"),
        ("a missing value", {"gain_of": ("declined", m, {})}, "other-gain"),
        ("a large radius", {"min_radius": "0.6"}, "radius-too-small"),
        ("another transcript", {"transcript": "0" * 64}, "other-transcript"),
    ):
        yield f"policy: {name}", Case(files, reason, policy)
    yield "policy: a loss that is never worse", Case(lost, "gain-too-small", {"min_gain": "0"})
    yield "policy: no more than it loses", Case(lost, None, {"min_gain": "-0.25"})
    both = ({"age": "25", "gender": "f"}, {"gender": "m", "age": "60"})
    yield "policy: two features, in any order", Case(lost, None, {"gain_of": ("reduced", *both)})
    yield "policy: one of two features", Case(lost, "other-gain", {"gain_of": ("reduced", {"age": "25"}, both[1])})
    yield "policy: another person", Case(files | {QUERY: lost[QUERY]}, "bad-query", {"query": True})
    blinded = json.loads(files[QUERY]) | {"blinding": to_hex(1)}
    yield "policy: other data", Case(files | {QUERY: canonical_bytes(blinded)}, "other-query", {"query": True})
    later = canonical_bytes({"nonce": "0123456789abcdef"})
    yield "policy: another context", Case(files | {CONTEXT: later}, "other-context", {"context": True})


def judged(case: Case) -> dict[str, Any]:
    """Return what Python says of a case: what was verified, or the exception, its reason and its line."""
    files = case.files
    try:
        certificate = parse_gain(files[GAIN], GAIN)
        commitment = parse_commitment(files[COMMITMENT], COMMITMENT)
        document = parse_key(files[KEY], "keys/key/key.json")
        key = TrustedKey.of(document, files[VERIFYING], b"", "keys/key/verifying.key", "key.json")
        verified = GainVerifier(commitment, TrustStore([key])).verify(certificate, policy_of_case(case))
    except (CertificateFormatError, VerificationError) as error:
        return {"exception": type(error).__name__, "reason": str(error.reason), "message": str(error)}
    document = verified.document()
    made, not_made = document["checks_made"], document["checks_not_made"]
    return {
        "value": {
            "identity": verified.identity,
            "sentence": document["statement"],
            "made": made,
            "notMade": not_made,
        }
    }


def policy_of_case(case: Case) -> Policy:
    """Return the policy that a case demands."""
    demands, files = case.policy, case.files
    policies: list[Policy] = []
    if demands.get("query"):
        policies.append(ForQuery(parse_query(files[QUERY], QUERY)))
    if demands.get("context"):
        policies.append(ForContext(parse_context(files[CONTEXT], CONTEXT)))
    for name, kind in {"min_radius": MinRadius, "transcript": TranscriptIs, "min_gain": MinGain}.items():
        if name in demands:
            policies.append(kind(demands[name]))
    if "gain_of" in demands:
        policies.append(GainOf(*demands["gain_of"]))
    return AllOf(*policies) if policies else no_policy()
