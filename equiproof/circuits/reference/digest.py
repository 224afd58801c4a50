"""R-STATEMENT: the one public input is the digest of the whole statement, with scheme and shape as constants."""

from __future__ import annotations

from equiproof.circuits.commitment import tag
from equiproof.circuits.layout import gained_segments
from equiproof.circuits.reference.field import Wires, elements, require_equal
from equiproof.circuits.reference.hashing import hashed
from equiproof.circuits.shape import Shape


def digest(shape: Shape, wires: Wires) -> None:
    """Refuse a stated `statement_digest` that is not that of the statement's parts."""
    label = wires["label"]
    index = label[0] if len(label) == 1 else (label * elements(range(len(label)))).sum()
    of = "box" if shape.boxes else "query"
    commitments = ("model_commitment", "spec_digest", "domain_digest", f"{of}_commitment")
    parts = [wires[name][0] for name in commitments]
    radius = [] if shape.boxes else [wires["radius_squared"][0]]
    gained = [wires[segment.name][0] for segment in gained_segments(shape)]
    shown = [wires["shown"][0]] if shape.kept else []
    statement = [*parts, index, *radius, wires["context_digest"][0], *gained, *shown]
    computed = hashed("equiproof.statement", [tag(shape.scheme), shape.digest, *statement])
    require_equal("R-STATEMENT", "statement_digest", wires["statement_digest"][0], computed)
