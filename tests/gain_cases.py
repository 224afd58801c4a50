"""Statements about gains, drawn or of tests/vectors, with what Python says: other programs are asked the same."""

from __future__ import annotations

import json
import random
from typing import Any

import msgspec

from equiproof.circuits.canonical import canonical_bytes
from equiproof.circuits.commitment import pair_digest
from equiproof.circuits.field import ORDER, to_hex
from equiproof.circuits.shape import Shape, gain_shape
from equiproof.circuits.spec import Spec
from equiproof.circuits.statement import GainStatement
from equiproof.verifier import CertificateFormatError, VerificationError, parse_gain
from equiproof.verifier.gain import GainFields, GainReading
from tests.vectors.generate import additive_keys, cases
from tests.vectors.generate.gain_cases import GainVector
from tests.vectors.vector import COMMITMENT, CONTEXT, FOLDER, GAIN, KEY, QUERY, VERIFYING, certificate_base
from tests.verifier.test_gain import policy_of, verifier

CASES = {case.name: case for case in map(GainVector.of, json.loads((FOLDER / "gain.json").read_bytes())["cases"])}

_ELEMENTS = ("model_commitment", "spec_digest", "domain_digest", "query_commitment", "context_digest")


def drawn_gain(spec: Spec, shape: Shape, rng: random.Random) -> dict[str, Any]:
    """Return label, R2, rows, least gain and unit of a statement; gains lie close to what the words round to, too."""
    unit = rng.choice((0, 1, rng.randint(2, 60), 4096))
    largest, logit, most = spec.max_radius_squared, 1 << unit, 1 << (shape.sizes.gain_bits - 1)
    size = rng.choice((0, 1, logit, logit // 10**6 + 1, rng.randrange(4 * logit), rng.randrange(most)))
    first, second = rng.sample(range(len(spec.domain_table)), 2)
    return {
        "label": rng.randrange(len(spec.labels)),
        "radius": rng.choice((0, 1, rng.randrange(10**4), rng.randrange(largest), largest)),
        "first": first,
        "second": second,
        "least_gain": str(rng.choice((-1, 1)) * min(size, most - 1)),
        "unit": unit,
    }


def expected_gain(spec: Spec, asked: dict[str, Any], shape: Shape) -> dict[str, Any]:
    """Return digests and words of a statement about a gain whose other parts are 1 to 4."""
    pair, least = pair_digest(spec, asked["first"], asked["second"]), int(asked["least_gain"])
    parts = {"label": asked["label"], "radius_squared": asked["radius"], "logit_fraction_bits": asked["unit"]}
    statement = GainStatement(
        model_commitment=1, spec_digest=2, domain_digest=pair, query_commitment=3, context_digest=4, least_gain=least,
        **parts,
    )  # fmt: skip
    rows = {name: asked[name] for name in ("first", "second", "least_gain")}
    reading = GainReading.of(spec, GainFields(**dict.fromkeys(_ELEMENTS, ""), **parts, **rows))
    return {
        "pair_digest": to_hex(pair),
        "statement_digest": to_hex(statement.digest(shape)),
        "reading": json.loads(canonical_bytes(reading)),
        "sentence": reading.sentence(least),
    }


def edges(shape: Shape) -> list[str]:
    """Return gains at the edges of their width under a shape, and ones whose residues are those of others."""
    half = 1 << (shape.sizes.gain_bits - 1)
    return [str(gain) for gain in (0, half - 1, half, -half, -half - 1, ORDER, ORDER - 1, 1 - ORDER, 10**80 - 1)]


HELD = [True, True, False, True, False, False, False, False, False]
"""Which of these have their width."""


def asked(case: GainVector) -> dict[str, Any]:
    """Return the files of a case, in hexadecimal, and its policy."""
    files = {name: case.file(name).hex() for name in (GAIN, COMMITMENT, QUERY, CONTEXT, KEY, VERIFYING)}
    return {"files": files, "policy": msgspec.to_builtins(case.policy)}


def judged(case: GainVector) -> dict[str, Any]:
    """Return what Python says of a case: what was verified, or the exception, its reason and its line."""
    try:
        certificate = parse_gain(case.file(GAIN), GAIN)
        found = verifier(case).verify(certificate, policy_of(case))
    except (CertificateFormatError, VerificationError) as error:
        return {"exception": type(error).__name__, "reason": str(error.reason), "message": str(error)}
    said = {"identity": found.identity, "sentence": found.document()["statement"]}
    return {"value": said | {"made": list(found.made), "notMade": list(found.not_made)}}


def of_a_gains_key() -> dict[str, bytes]:
    """Return the files of a certificate whose proof holds under a key of gains, for the same spec."""
    shape = json.loads(gain_shape(cases.spec_of(), (2, 2), 8).document)
    files = additive_keys.store(additive_keys.metadata() | {"shape": shape})
    base = certificate_base(cases.LOANS)
    return base | {name: data if isinstance(data, bytes) else canonical_bytes(data) for name, data in files.items()}
