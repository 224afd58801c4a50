"""Proofs of how many rows of a table's cells a kept network grants, part by part."""

from __future__ import annotations

import secrets as random
from dataclasses import dataclass

from equiproof.circuits.field import ORDER
from equiproof.circuits.table import Counts, Table, TableStatement, margin
from equiproof.circuits.table_shape import TableShape
from equiproof.ffi import backend
from equiproof.prover.witness.table import Counted, TableSecrets, generate


@dataclass(frozen=True)
class TableAbout:
    """What the proofs of a table are about beside model and rows, as field elements."""

    spec_digest: int
    context_digest: int


@dataclass(frozen=True)
class ProvenPart:
    """A proof about one part, with the digests of the counts before and after it."""

    before: int
    after: int
    proof: bytes


@dataclass(frozen=True)
class ProvenTable:
    """The counts of a whole table, and the proofs of its parts in order."""

    counts: Counts
    parts: tuple[ProvenPart, ...]


def counted_parts(shape: TableShape, secrets: TableSecrets, table: Table) -> list[tuple[Table, Counted, Counted]]:
    """Return each part with the counts before and after it; those between parts are behind uniform blindings.

    Raises TableError for a table that is not of the shape.
    """
    found, before = [], Counted(Counts.zero(shape.cells), 0)
    parts = table.parts(shape)
    for number, part in enumerate(parts, start=1):
        margins = (margin(secrets.model.logits(row)) for row in part.rows)
        # The last counts are published.
        blinding = random.randbelow(ORDER) if number < len(parts) else 0
        after = Counted(before.counts.more(part.cells, margins), blinding)
        found.append((part, before, after))
        before = after
    return found


def prove_table(
    key: backend.ProvingKey, shape: TableShape, secrets: TableSecrets, mask: bytes, about: TableAbout, table: Table
) -> ProvenTable:
    """Prove the counts of a table under a loaded key; `mask` is that of the network's point.

    Raises TableError for a table that is not of the shape, WitnessError for a network that is not, UnsatisfiedError
    where no proof is found, and MalformedInputError for a key of another circuit.
    """
    proven, digest, counts = [], table.digest, Counts.zero(shape.cells)
    for number, (part, before, after) in enumerate(counted_parts(shape, secrets, table)):
        statement = TableStatement(
            model_commitment=secrets.model_commitment,
            spec_digest=about.spec_digest,
            context_digest=about.context_digest,
            table_digest=digest,
            part=number,
            before=before.digest,
            after=after.digest,
            shown=secrets.shown(shape),
        )
        witness = generate(shape, statement, secrets, part, before, after)
        proven.append(ProvenPart(before.digest, after.digest, key.prove_kept(witness, mask)))
        counts = after.counts
    return ProvenTable(counts, tuple(proven))
