"""Proofs of how many rows of a table's cells a kept network grants, part by part; answers to an auditor's challenge."""

from __future__ import annotations

import secrets as random
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar, cast

import msgspec

from equiproof.circuits.exit_codes import MISUSED
from equiproof.circuits.field import ORDER, to_hex
from equiproof.circuits.table import Counts, Table, TableStatement, margin
from equiproof.circuits.table_shape import TableShape
from equiproof.ffi import backend
from equiproof.prover.keys import StoredTableKey, doubting
from equiproof.prover.linking import KeptModel, OwnLink
from equiproof.prover.opening import Opening
from equiproof.prover.witness.table import Counted, TableSecrets, generate
from equiproof.verifier.certificate import KeyReference
from equiproof.verifier.table import LinkedVerifier, PresentedPart, TableBasis, TableClaim, verify_table
from equiproof.verifier.table_files import Challenge, TableAnswer, make_answer


class ChallengeError(ValueError):
    """A challenge that the owner does not answer; one line."""

    exit_code: ClassVar[int] = MISUSED


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
    key: backend.ProvingKey,
    shape: TableShape,
    secrets: TableSecrets,
    mask: bytes,
    about: TableAbout,
    table: Table,
    progress: Callable[[int, int], None] | None = None,
) -> ProvenTable:
    """Prove the counts of a table under a loaded key; `mask` is that of the network's point.

    `progress` is called with how many parts are proven, and how many there are.

    Raises TableError for a table that is not of the shape, WitnessError for a network that is not, UnsatisfiedError
    where no proof is found, and MalformedInputError for a key of another circuit.
    """
    proven, digest, counts = [], table.digest, Counts.zero(shape.cells)
    parts = counted_parts(shape, secrets, table)
    for number, (part, before, after) in enumerate(parts):
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
        if progress is not None:
            progress(number + 1, len(parts))
    return ProvenTable(counts, tuple(proven))


@dataclass(frozen=True)
class Answered:
    """The answer to a challenge, and the link that it needs beside it."""

    answer: TableAnswer
    link: OwnLink


def answer_challenge(
    opening: Opening,
    key: StoredTableKey,
    challenge: Challenge,
    where: str,
    folder: Path,
    *,
    least_group: int = 1,
    progress: Callable[[int, int], None] | None = None,
) -> Answered:
    """Prove the counts that a challenge asks for, and verify them before anyone sees them.

    `where` names the challenge, `folder` is that in which the owner publishes: the link of the key is made there if
    there is none. Raises ChallengeError for a challenge about another model and for a group of fewer different rows
    than `least_group`, CertificateFormatError for rows that are not of the spec, and KeyStoreError.
    """
    table = accepted(opening, challenge, where, least_group)
    shape = key.document.shape
    with key.load() as loaded:
        model = KeptModel.of(opening, key, loaded)
        link = model.link(folder)
        own = model.secrets
        secrets = TableSecrets(opening.network, own.model_commitment, own.link_blinding, own.at)
        about = TableAbout(opening.spec.digest, challenge.purpose)
        proven = prove_table(loaded, shape, secrets, model.mask, about, table, progress)
    parts = [(part.before, part.after, part.proof) for part in proven.parts]
    answer = make_answer(challenge, proven.counts, KeyReference(key.document.fingerprint, key.document.setup), parts)
    basis = TableBasis(opening.commitment, about.spec_digest, about.context_digest, link.document.shown_element)
    claim = TableClaim(proven.counts, [PresentedPart(*part) for part in parts])
    with doubting(key.folder), link.opened() as checking:
        verify_table(cast(LinkedVerifier, checking), shape, basis, table, claim)
    return Answered(answer, link)


def accepted(opening: Opening, challenge: Challenge, where: str, least_group: int) -> Table:
    """Return the table of a challenge that the owner answers; raises as :func:`answer_challenge`."""
    if challenge.model_commitment != to_hex(opening.commitment):
        raise ChallengeError(f"{where}: take the opening of the model that is asked about: it is another one")
    if challenge.spec_digest != to_hex(opening.spec.digest):
        raise ChallengeError(f"{where}: ask for a challenge under this model's spec: it is of another one")
    table = challenge.table(opening.spec, where)
    different: list[set[tuple[int, ...]]] = [set() for _ in challenge.cells]
    for row, place in zip(table.rows, table.cells, strict=True):
        different[place].add(tuple(row))
    for cell, rows in zip(challenge.cells, different, strict=True):
        if len(rows) < least_group:
            name = cell.name + ("" if cell.label is msgspec.UNSET else f" ({cell.label})")
            raise ChallengeError(
                f"{where}: ask for larger groups: {name[:80]} has {len(rows)} different rows, and counts of fewer than "
                f"{least_group} tell too much about the model (--least-group)"
            )
    return table
