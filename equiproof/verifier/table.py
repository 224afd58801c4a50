"""Counts over a table, checked: the parts' proofs beside a link, the chain of counts, and the verifier's own table.

Nothing of a table is taken from who proves: rows, cells and their order are the verifier's.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Protocol

from equiproof.circuits.field import to_bytes
from equiproof.circuits.table import MAX_TABLE_ROWS, Counts, Table, TableStatement
from equiproof.circuits.table_shape import TableShape
from equiproof.circuits.tables import say
from equiproof.ffi.errors import RefusedError
from equiproof.verifier.pairing import challenges, read_proof

_COMMITMENTS = 2


class LinkedVerifier(Protocol):
    """A verifying key beside a link that holds, of the native library or in plain Python."""

    def verify(self, digest: bytes, proof: bytes) -> None:
        """Return if the proof holds for the digest and is of the link's model; raises RefusedError otherwise."""


@dataclass(frozen=True)
class PresentedPart:
    """What is presented about one part: digests of the counts before and after it, field elements, and the proof."""

    before: int
    after: int
    proof: bytes


@dataclass(frozen=True)
class TableClaim:
    """What is claimed of a whole table: the counts of its cells, and the parts in their order."""

    counts: Counts
    parts: Sequence[PresentedPart]


@dataclass(frozen=True)
class TableBasis:
    """What a verifier knows of model and purpose, as field elements: `shown` is what the link shows."""

    model_commitment: int
    spec_digest: int
    context_digest: int
    shown: int


def verify_table(key: LinkedVerifier, shape: TableShape, basis: TableBasis, table: Table, claim: TableClaim) -> None:
    """Raise unless the claimed counts are those of the linked model on the verifier's table.

    `key` is the verifying key of the shape, opened beside the link of `basis`. Raises RefusedError for counts that no
    proof holds for, MalformedInputError for malformed proofs, TableError for a table that is not of the shape.
    """
    # 1. The table is cut as proofs of the shape are about it, and there is one of each part.
    parts = table.parts(shape)
    if len(claim.parts) != len(parts):
        raise RefusedError(say("table.parts_missing", stated=len(claim.parts), required=len(parts)))
    # 2. Counts begin at zero, go on from part to part, and end at those claimed.
    _hold_chain(shape, claim)
    # 3. Each part's proof holds for the rows of the verifier.
    digest = table.digest
    blank = TableStatement(
        basis.model_commitment, basis.spec_digest, basis.context_digest, digest, 0, 0, 0, basis.shown
    )
    for number, (part, presented) in enumerate(zip(parts, claim.parts, strict=True)):
        statement = replace(blank, part=number, before=presented.before, after=presented.after)
        _, last = challenges(read_proof(presented.proof, _COMMITMENTS).commitments)
        key.verify(to_bytes(statement.public(shape, part.value(shape, last))), presented.proof)


def _hold_chain(shape: TableShape, claim: TableClaim) -> None:
    """Raise RefusedError unless digests of counts lead from none to those that are claimed."""
    counts = claim.counts
    if len(counts.granted) != shape.cells or len(counts.tied) != shape.cells:
        raise RefusedError(f"give counts of {shape.cells} cells")
    if any(not 0 <= count < MAX_TABLE_ROWS for count in (*counts.granted, *counts.tied)):
        raise RefusedError("give counts of rows, from 0 to 2^31 - 1")
    so_far = Counts.zero(shape.cells).digest(0)
    for number, part in enumerate(claim.parts):
        if part.before != so_far:
            raise RefusedError(say("table.chain_broken", number=number))
        so_far = part.after
    if so_far != counts.digest(0):
        raise RefusedError(say("table.end_differs"))
