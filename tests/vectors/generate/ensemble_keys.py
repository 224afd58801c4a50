"""Keys whose shape is an ensemble's, of relation `trees`: honest ones, of another spec, and malformed ones."""

from __future__ import annotations

import copy
import hashlib
import json
from typing import Any

from equiproof.circuits.canonical import canonical_bytes
from equiproof.circuits.shape import ensemble_shape
from equiproof.verifier.errors import Reason
from tests.vectors.generate.additive_keys import ABSENT, changed, store
from tests.vectors.generate.additive_keys import metadata as of_additive
from tests.vectors.generate.cases import KNOWN, Named, certificate_vector, document, spec_of
from tests.vectors.vector import KEY

PREDICATES, NODES, SLOTS, ROWS, CAPACITY = (12, 2), (5, 20), 8, 16, 16


def vectors() -> Named:
    """Return the vectors of this family."""
    yield from honest()
    yield from unfitting()
    yield from malformed()


def metadata(*changes: tuple[str, Any]) -> dict[str, Any]:
    """Return the metadata of a key of an ensemble, with fields of its shape at dotted paths changed."""
    shape = ensemble_shape(spec_of(), PREDICATES, NODES, SLOTS, ROWS, CAPACITY)
    found = document(KEY) | {
        "shape": json.loads(canonical_bytes(shape)),
        "verifying_key": hashlib.sha256(KNOWN.key()).hexdigest(),
    }
    for path, value in changes:
        changed(found["shape"], path, value)
    return found


def honest() -> Named:
    """Keys of ensembles under the spec; scheme and sizes are the key's own."""
    why = "a key of scheme trees proves the same statement about another kind of model"
    for name, changes in (
        ("key", ()),
        ("least", (("architecture.nodes", [1, 1]), ("rows", 1), ("slots", 1), ("capacity", 1))),
        ("most", (("architecture.nodes", [4096, 65536]), ("rows", 65536))),
    ):
        files = store(metadata(*changes))
        yield f"ensemble-{name}", certificate_vector("accept", f"a key of an ensemble: {name}", why, files=files)


def unfitting() -> Named:
    """Keys of ensembles of another spec."""
    why = "the shape comes from the key and must be one of this spec"
    for name, path, value, reason in (
        ("columns", "architecture.plain", 4, Reason.SHAPE_DIFFERS),
        ("slices", "slices", 4, Reason.SHAPE_DIFFERS),
        ("ranges", "scheme", "trees-ranges", Reason.RANGES_DIFFER),
    ):
        lie = store(metadata((path, value)))
        what = f"a key of an ensemble under another spec: {name}"
        yield f"ensemble-other-{name}", certificate_vector("reject", what, why, reason, files=lie)


def malformed() -> Named:
    """Shapes that mix two kinds of models, or that no circuit has."""
    shapes, fields = Reason.BAD_SHAPE, Reason.WRONG_FIELDS
    counts = "want at least 1 tree and as many nodes, 4096 and 65536 at most"
    room, missing = "want 1 to 20, the nodes", "missing, shapes of trees have it"
    for name, path, value, reason, message in (
        ("without-predicates", "architecture.predicates", ABSENT, shapes, missing),
        ("without-slots", "slots", ABSENT, shapes, missing),
        ("without-nodes", "architecture.nodes", ABSENT, shapes, missing),
        ("without-rows", "rows", ABSENT, shapes, missing),
        ("with-a-layer", "architecture.hidden", [4], shapes, "want [], an additive model has no layers"),
        ("no-tree", "architecture.nodes", [0, 20], shapes, counts),
        ("few-nodes", "architecture.nodes", [21, 20], shapes, counts),
        ("many-trees", "architecture.nodes", [4097, 5000], shapes, counts),
        ("many-nodes", "architecture.nodes", [5, 65537], shapes, counts),
        ("nodes-huge", "architecture.nodes", [2**53 - 1, 2**53 - 1], shapes, counts),
        ("nodes-one", "architecture.nodes", [5], fields, ""),
        ("nodes-null", "architecture.nodes", None, fields, ""),
        ("rows-none", "rows", 0, shapes, room),
        ("rows-many", "rows", 21, shapes, room),
        ("rows-null", "rows", None, fields, ""),
        ("rows-text", "rows", "16", fields, ""),
    ):
        yield bad(name, reason, metadata((path, value)), f"shape.{path}: {message}" if message else f"shape.{path}")
    for name, path, value in (("nodes", "architecture.nodes", [1, 1]), ("rows", "rows", 1)):
        lie = copy.deepcopy(document(KEY))
        changed(lie["shape"], path, value)
        yield bad(f"network-with-{name}", shapes, lie, f"shape.{path}: not a field of networks")
        lie = metadata(("scheme", "trees-ranges"), (path, ABSENT))
        yield bad(f"ranges-without-{name}", shapes, lie, f"shape.{path}: missing, shapes of trees-ranges have it")
        lie = of_additive((path, value))
        yield bad(f"additive-with-{name}", shapes, lie, f"shape.{path}: not a field of additive")


def bad(name: str, reason: Reason, lie: dict[str, Any], field: str) -> Any:
    """Return a store with a malformed key; the message has `field`, its place and the refusal."""
    what, why = (
        f"a key of an ensemble: {name.replace('-', ' ')}",
        "a shape that fits two models, or none, selects nothing",
    )
    return f"ensemble-{name}", certificate_vector("malformed", what, why, reason, field, files={KEY: lie})
