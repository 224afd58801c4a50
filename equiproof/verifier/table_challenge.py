"""An auditor's challenge, made from raw rows: which cell each row is in, and the values that both sides read."""

from __future__ import annotations

import secrets
from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import Any, ClassVar

import msgspec

from equiproof.circuits import field
from equiproof.circuits.exit_codes import MISUSED
from equiproof.circuits.table_shape import MAX_CELLS
from equiproof.circuits.text import several
from equiproof.verifier.documents import CommitmentDocument
from equiproof.verifier.table_files import CHALLENGE, Cell, Challenge

_NONCE_BYTES = 16


class PartitionError(ValueError):
    """A table that cannot be divided as it was said; one line naming row and column."""

    exit_code: ClassVar[int] = MISUSED


def make_challenge(
    commitment: CommitmentDocument,
    rows: Sequence[Mapping[str, Any]],
    by: Sequence[str],
    label: str | None,
    least_group: int,
    context: Mapping[str, str] | None = None,
) -> Challenge:
    """Return the challenge to count these rows by groups, and by true labels where `label` names their column.

    Rows have the features of the commitment's spec, and the columns that divide them. Without a `context`, it is a
    nonce alone. Raises PartitionError for a value that is missing, for labels that the spec does not have, for too many
    cells and for a cell of fewer rows than `least_group`, SpecError for rows that are not of the spec.
    """
    spec = commitment.spec
    names = [*by, *([] if label is None else [label])]
    found = [tuple(_value(row, name, number) for name in names) for number, row in enumerate(rows, start=1)]
    if label is not None and (strange := sorted({cell[-1] for cell in found} - set(spec.labels))):
        raise PartitionError(f"{label}: write true labels as the spec does, {several(spec.labels)}: not {strange[0]!r}")
    distinct = sorted(set(found))
    if len(distinct) > MAX_CELLS:
        raise PartitionError(
            f"{several(names)}: divide the rows by fewer values, such as bands of numbers: {len(distinct)} cells, and "
            f"at most {MAX_CELLS} are counted"
        )
    for cell in distinct:
        if (size := found.count(cell)) < least_group:
            raise PartitionError(
                f"{', '.join(cell)}: join it with another group, or leave its rows out: {size} rows, and --least-group "
                f"is {least_group}"
            )
    groups = {cell[: len(by)] for cell in distinct}
    if len({Cell(group).read for group in groups}) < len(groups):
        raise PartitionError(
            f"{several(by)}: write their values without commas or spaces around: two groups read alike"
        )
    places = {cell: place for place, cell in enumerate(distinct)}
    columns = tuple(feature.name for feature in spec.features)
    cells = tuple(Cell(cell) if label is None else Cell(cell[:-1], cell[-1]) for cell in distinct)
    challenge = Challenge(
        format=CHALLENGE[0],
        version=CHALLENGE[1],
        model_commitment=commitment.model_commitment,
        spec_digest=field.to_hex(spec.digest),
        context={"nonce": secrets.token_hex(_NONCE_BYTES)} if context is None else dict(context),
        by=tuple(by),
        cells=cells,
        columns=columns,
        least_group=least_group,
        partition=tuple(places[cell] for cell in found),
        rows=tuple(tuple(written(row[name]) for name in columns) for row in rows),
        label=msgspec.UNSET if label is None else label,
    )
    _hold_values(challenge, commitment, rows)
    return challenge


def written(value: Any) -> str | None:
    """Return a raw value as a challenge writes it: numbers in plain decimals, None for a missing one."""
    if value is None or isinstance(value, str):
        return value
    if isinstance(value, float):
        value = Decimal(repr(value))
    return format(value, "f") if isinstance(value, Decimal) else str(value)


def _value(row: Mapping[str, Any], name: str, number: int) -> str:
    """Return what a row has in a column that divides the table."""
    if name not in row:
        raise PartitionError(f"row {number}: name a column of the table: there is no {name!r}")
    text = written(row[name])
    if text is None or not text.strip():
        raise PartitionError(f"row {number}: {name}: give it a value, or leave the row out: it is in no group")
    return text


def _hold_values(challenge: Challenge, commitment: CommitmentDocument, rows: Sequence[Mapping[str, Any]]) -> None:
    """Compare what a challenge says of each row with the row itself; raises PartitionError for a difference."""
    spec = commitment.spec
    for number, (row, read) in enumerate(zip(rows, challenge.table(spec, "challenge").rows, strict=True), start=1):
        if tuple(read) != spec.encode(row) + spec.encode_sensitive(row):
            raise PartitionError(f"row {number}: write its numbers in plain decimals: they are read otherwise")
