"""Keys whose shape is an additive model's, of scheme `trees`: honest ones, of another spec, and malformed ones.

Their verifying key is that of the set-up whose secrets are known, so that there is a proof of any statement under them:
what decides is the shape.
"""

from __future__ import annotations

import base64
import copy
import hashlib
import json
from typing import Any

from equiproof.circuits.canonical import canonical_bytes
from equiproof.circuits.shape import additive_shape
from equiproof.verifier import parse_certificate
from equiproof.verifier.documents import parse_key
from equiproof.verifier.errors import Reason
from tests.vectors.generate.cases import KNOWN, Named, certificate_vector, document, spec_of
from tests.vectors.vector import CERTIFICATE, KEY, VERIFYING

PREDICATES, SLOTS, CAPACITY = (12, 2), 8, 16
ABSENT = object()
"""Stands for a field that is left out."""


def vectors() -> Named:
    """Return the vectors of this family."""
    yield from honest()
    yield from unfitting()
    yield from malformed()


def metadata(*changes: tuple[str, Any]) -> dict[str, Any]:
    """Return the metadata of a key of an additive model, with fields of its shape at dotted paths changed."""
    shape = additive_shape(spec_of(), PREDICATES, SLOTS, CAPACITY)
    found = document(KEY) | {
        "shape": json.loads(canonical_bytes(shape)),
        "verifying_key": hashlib.sha256(KNOWN.key()).hexdigest(),
    }
    for path, value in changes:
        changed(found["shape"], path, value)
    return found


def changed(shape: dict[str, Any], path: str, value: Any) -> None:
    """Change one field of a shape at a dotted path, or leave it out."""
    *way, last = path.split(".")
    for step in way:
        shape = shape[step]
    if value is ABSENT:
        del shape[last]
    else:
        shape[last] = value


def store(found: dict[str, Any]) -> dict[str, Any]:
    """Return the files of a store with this key, and of a certificate whose proof holds under it."""
    key, certificate = parse_key(canonical_bytes(found), KEY), copy.deepcopy(document(CERTIFICATE))
    statement = parse_certificate(canonical_bytes(certificate), CERTIFICATE).to_statement()
    certificate["key"]["fingerprint"] = key.fingerprint
    certificate["proof"] = base64.b64encode(KNOWN.forge(statement.digest(key.shape)).data()).decode()
    return {KEY: found, VERIFYING: KNOWN.key(), CERTIFICATE: certificate}


def honest() -> Named:
    """Keys of additive models under the spec; scheme and sizes are the key's own."""
    why = "a key of scheme trees proves the same statement about another kind of model"
    for name, changes in (
        ("key", ()),
        ("least", (("architecture.predicates", [1, 0]), ("slots", 1), ("capacity", 1))),
        ("most", (("architecture.predicates", [4095, 1]), ("slots", 4095), ("capacity", 4096))),
    ):
        files = store(metadata(*changes))
        yield f"additive-{name}", certificate_vector("accept", f"a key of an additive model: {name}", why, files=files)


def unfitting() -> Named:
    """Keys of additive models of another spec."""
    why = "the shape comes from the key and must be one of this spec"
    differs, ranges = Reason.SHAPE_DIFFERS, Reason.RANGES_DIFFER
    for name, path, value, reason in (
        ("columns", "architecture.plain", 4, differs),
        ("sensitive", "architecture.sensitive", 2, differs),
        ("slices", "slices", 4, differs),
        ("input-bits", "input_bits", 19, differs),
        ("radius-bits", "radius_bits", 30, differs),
        ("ranges", "scheme", "additive-ranges", ranges),
    ):
        lie = store(metadata((path, value)))
        what = f"a key of an additive model under another spec: {name}"
        yield f"additive-other-{name}", certificate_vector("reject", what, why, reason, files=lie)


def malformed() -> Named:
    """Shapes that mix two kinds of models, or that no circuit has."""
    why = "a shape that fits two models, or none, must not select a constraint system"
    shapes = Reason.BAD_SHAPE
    counts = "want at least 1 of plain columns and 0 of sensitive ones, 4096 at most"
    room, power, missing = "want 1 to 12, the predicates of plain columns", "want a power of two", "missing, shapes of "
    for name, path, value, reason, message in (
        ("without-predicates", "architecture.predicates", ABSENT, shapes, f"{missing}additive have it"),
        ("without-slots", "slots", ABSENT, shapes, f"{missing}additive have it"),
        ("with-a-layer", "architecture.hidden", [4], shapes, "want [], an additive model has no layers"),
        ("three-logits", "architecture.logits", 3, shapes, "want 1, an additive model has one score"),
        ("jumps-narrow", "architecture.weight_bits", [15], shapes, "want [16], the width of a jump"),
        ("jumps-twice", "architecture.weight_bits", [16, 16], shapes, "want [16], the width of a jump"),
        ("jumps-none", "architecture.weight_bits", [], shapes, "want [16], the width of a jump"),
        ("bias-wide", "architecture.bias_bits", [25], shapes, "want [24], its width"),
        ("bias-twice", "architecture.bias_bits", [24, 24], shapes, "want [24], its width"),
        ("no-predicate", "architecture.predicates", [0, 1], shapes, counts),
        ("predicates-negative", "architecture.predicates", [1, -1], shapes, counts),
        ("predicates-many", "architecture.predicates", [4096, 1], shapes, counts),
        ("predicates-huge", "architecture.predicates", [2**53 - 1, 2**53 - 1], shapes, counts),
        ("predicates-one", "architecture.predicates", [12], Reason.WRONG_FIELDS, ""),
        ("predicates-three", "architecture.predicates", [12, 2, 0], Reason.WRONG_FIELDS, ""),
        ("predicates-number", "architecture.predicates", 12, Reason.WRONG_FIELDS, ""),
        ("predicates-null", "architecture.predicates", None, Reason.WRONG_FIELDS, ""),
        ("slots-null", "slots", None, Reason.WRONG_FIELDS, ""),
        ("slots-none", "slots", 0, shapes, room),
        ("slots-many", "slots", 13, shapes, room),
        ("slots-negative", "slots", -1, shapes, room),
        ("capacity-none", "capacity", 0, shapes, power),
        ("capacity-negative", "capacity", -8, shapes, power),
        ("capacity-odd", "capacity", 12, shapes, power),
        ("capacity-huge", "capacity", 2**53 - 1, shapes, power),
        ("of-traversal", "scheme", "traversal", shapes, "not a field of networks"),
        ("of-branch", "scheme", "branch", shapes, "not a field of networks"),
        ("ranges-without-slots", "slots", ABSENT, shapes, f"{missing}additive-ranges have it"),
    ):
        changes = [("scheme", "additive-ranges")] if name.startswith("ranges-") else []
        at = f"shape.{'architecture.predicates' if path == 'scheme' else path}"
        yield bad(name, why, reason, metadata(*changes, (path, value)), f"{at}: {message}" if message else at)
    network = document(KEY)
    for name, path, value in (("predicates", "architecture.predicates", [1, 0]), ("slots", "slots", 1)):
        lie = copy.deepcopy(network)
        changed(lie["shape"], path, value)
        yield bad(f"network-with-{name}", why, shapes, lie, f"shape.{path}: not a field of networks")


def bad(name: str, why: str, reason: Reason, lie: dict[str, Any], field: str) -> Any:
    """Return a store with a malformed key; the message has `field`, its place and the refusal."""
    what = f"a key of an additive model: {name.replace('-', ' ')}"
    return f"additive-{name}", certificate_vector("malformed", what, why, reason, field, files={KEY: lie})
