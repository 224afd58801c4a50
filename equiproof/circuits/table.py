"""Counts over tables in plain integers: what one proof states, and what a verifier computes of its own table.

A table is rows of n_x + n_s integers, each in one cell of a partition. Proofs are about parts of so many rows, in their
order; the last one is filled with rows of zeros, which lie in no cell. The rows are no secret, so that the circuit does
not hash them: it shows the value of the polynomial that has their numbers as coefficients, and whoever verifies
computes that value itself (docs/relation-table.md).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import ClassVar

from equiproof.circuits.canonical import digest
from equiproof.circuits.commitment import tag
from equiproof.circuits.exit_codes import MISUSED
from equiproof.circuits.field import ORDER
from equiproof.circuits.poseidon2 import hash_elements
from equiproof.circuits.table_shape import COUNT_BITS, COUNTS_PER_ELEMENT, TableShape

VERSION = 1
"""The version of all digests here."""

MAX_TABLE_ROWS = 1 << 31
"""No count of fewer rows reaches its neighbor in an element."""

NO_CELL = -1
"""The cell of rows that fill a part."""

_POWER = 3
# Range checks argue at the challenge of a proof's last commitment, products at its square, the table behind both.

_ENTRY_BYTES, _CELL_BYTES = 8, 4


class TableError(ValueError):
    """A table that no proof can be about; one line naming the row."""

    exit_code: ClassVar[int] = MISUSED


@dataclass(frozen=True)
class Table:
    """Rows of n_x + n_s integers each, and the cell of each row, from 0."""

    rows: Sequence[Sequence[int]]
    cells: Sequence[int]

    @property
    def digest(self) -> int:
        """The digest of the whole table with its partition, a field element (R-V-TABLE)."""
        columns = len(self.rows[0])
        sizes = b"".join(size.to_bytes(_ENTRY_BYTES, "big") for size in (len(self.rows), columns))
        entries = b"".join(value.to_bytes(_ENTRY_BYTES, "big", signed=True) for row in self.rows for value in row)
        cells = b"".join(cell.to_bytes(_CELL_BYTES, "big") for cell in self.cells)
        return digest("equiproof.table", sizes + entries + cells)

    def parts(self, shape: TableShape) -> list[Table]:
        """Return the parts that proofs of a shape are about, the last one filled with rows of no cell.

        Raises TableError for a table that is not of the shape: no row or too many, another number of columns or cells,
        an entry that does not fit its bits, or a cell that the partition does not have.
        """
        self._refuse_other(shape)
        found = []
        for at in range(0, len(self.rows), shape.rows):
            rows, cells = list(self.rows[at : at + shape.rows]), list(self.cells[at : at + shape.rows])
            missing = shape.rows - len(rows)
            found.append(Table(rows + [(0,) * shape.columns] * missing, cells + [NO_CELL] * missing))
        return found

    def _refuse_other(self, shape: TableShape) -> None:
        if not 0 < len(self.rows) < MAX_TABLE_ROWS or len(self.cells) != len(self.rows):
            raise TableError(f"give every row one cell: {len(self.rows)} rows, {len(self.cells)} cells")
        half = 1 << (shape.input_bits - 1)
        for number, (row, cell) in enumerate(zip(self.rows, self.cells, strict=True), start=1):
            if len(row) != shape.columns:
                raise TableError(f"row {number}: {len(row)} columns, want {shape.columns}")
            if any(type(value) is not int or not -half <= value < half for value in row):
                raise TableError(f"row {number}: give integers of {shape.input_bits} signed bits")
            if type(cell) is not int or not 0 <= cell < shape.cells:
                raise TableError(f"row {number}: cell {cell}, want 0 to {shape.cells - 1}")

    def numbers(self, shape: TableShape) -> list[int]:
        """Return the coefficients of a part's polynomial, the lowest first: its columns, then what its rows count."""
        units = [unit for cell in self.cells for unit in row_units(shape, cell)]
        return [value for row in self.rows for value in row] + units

    def value(self, shape: TableShape, challenge: int) -> int:
        """Return T, the value of a part's polynomial for the challenge of a proof's last commitment."""
        at, value = pow(challenge, _POWER, ORDER), 0
        for number in reversed(self.numbers(shape)):
            value = (value * at + number) % ORDER
        return value


def margin(logits: Sequence[int]) -> int:
    """Return the margin of label 1: the logit where there is one, else how far the second is above the first."""
    return logits[0] if len(logits) == 1 else logits[1] - logits[0]


def row_units(shape: TableShape, cell: int) -> list[int]:
    """Return what a row of a cell counts in each element."""
    place, digit = divmod(cell, COUNTS_PER_ELEMENT)
    return [(1 << (COUNT_BITS * digit)) * (cell != NO_CELL and element == place) for element in range(shape.elements)]


@dataclass(frozen=True)
class Counts:
    """How many rows of each cell are granted (the margin is above 0), and how many are ties (it is 0)."""

    granted: tuple[int, ...]
    tied: tuple[int, ...]

    @classmethod
    def zero(cls, cells: int) -> Counts:
        """Return the counts before the first row."""
        return cls((0,) * cells, (0,) * cells)

    def more(self, cells: Iterable[int], margins: Iterable[int]) -> Counts:
        """Return these counts and those of further rows, with the cell and the margin of each."""
        granted, tied = list(self.granted), list(self.tied)
        for cell, above in zip(cells, margins, strict=True):
            if cell != NO_CELL:
                granted[cell] += above > 0
                tied[cell] += above == 0
        return Counts(tuple(granted), tuple(tied))

    def digest(self, blinding: int) -> int:
        """Return what a proof shows of counts behind a blinding (R-V-CHAIN); 0 where they are public."""
        elements = [*packed_counts(self.granted), *packed_counts(self.tied)]
        return hash_elements([tag("equiproof.table.counts"), VERSION, *elements, blinding])


def packed_counts(counts: Sequence[int]) -> list[int]:
    """Return the elements that hold counts, the first one lowest."""
    runs = [counts[at : at + COUNTS_PER_ELEMENT] for at in range(0, len(counts), COUNTS_PER_ELEMENT)]
    return [sum(count << (COUNT_BITS * place) for place, count in enumerate(run)) for run in runs]


@dataclass(frozen=True)
class TableStatement:
    """What one proof states but for its rows, as field elements; `part` is the number of the part, from 0.

    `before` and `after` are digests of the counts before and after it, `shown` is what it shows of the kept model.
    """

    model_commitment: int
    spec_digest: int
    context_digest: int
    table_digest: int
    part: int
    before: int
    after: int
    shown: int

    def digest(self, shape: TableShape) -> int:
        """Return the digest that is fixed before the last challenge is known (R-V-STATEMENT)."""
        own = (self.model_commitment, self.spec_digest, self.context_digest, self.table_digest)
        head = [tag("equiproof.table.statement"), VERSION, shape.digest]
        return hash_elements([*head, *own, self.part, self.before, self.after, self.shown])

    def public(self, shape: TableShape, value: int) -> int:
        """Return the public input of a proof, from the value of the polynomial of the verifier's part (R-V-TABLE)."""
        return hash_elements([tag("equiproof.table.shown"), VERSION, self.digest(shape), value])
