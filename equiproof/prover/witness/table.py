"""The witness of counts over one part of a table: a kept network, its values on all rows, and the counts so far."""

from __future__ import annotations

from dataclasses import dataclass, field

from equiproof.certify.network import QuantisedNetwork
from equiproof.circuits.kept import shown, value
from equiproof.circuits.layout import WitnessError, encode, layout
from equiproof.circuits.table import Counts, Table, TableStatement, margin, packed_counts, row_units
from equiproof.circuits.table_shape import TableShape
from equiproof.prover.witness.model import word_wires, words
from equiproof.prover.witness.wires import FilledWires


@dataclass(frozen=True)
class TableSecrets:
    """A kept network with what its point hides, and where the polynomial of its words is evaluated.

    `at` is the hash of the point under a key, `link_blinding` hides what is shown; the repr shows neither of these nor
    the network.
    """

    model: QuantisedNetwork = field(repr=False)
    model_commitment: int
    link_blinding: int = field(repr=False)
    at: int

    def shown(self, shape: TableShape) -> int:
        """Return what the link and all proofs under the key show of the model, a field element."""
        return shown(self.link_blinding, value(words(self.model, shape.links), self.model_commitment, self.at))


@dataclass(frozen=True)
class Counted:
    """Counts up to some row, behind a blinding."""

    counts: Counts = field(repr=False)
    blinding: int = field(repr=False)

    @property
    def digest(self) -> int:
        """What proofs show of them."""
        return self.counts.digest(self.blinding)


def generate(
    shape: TableShape, statement: TableStatement, secrets: TableSecrets, part: Table, before: Counted, after: Counted
) -> bytes:
    """Return the witness of a part as the proving library reads it, with the digest of what is stated before its rows.

    Raises WitnessError where the network is not of the shape.
    """
    wires = fill(shape, statement, secrets, part, before, after)
    return encode(shape, statement.digest(shape), [wires[name] for name, _ in layout(shape)])


def fill(
    shape: TableShape, statement: TableStatement, secrets: TableSecrets, part: Table, before: Counted, after: Counted
) -> FilledWires:
    """Return the wires by name; raises as :func:`generate`."""
    wires = FilledWires(word_wires(secrets.model, shape.links))
    wires |= {
        "model_commitment": [secrets.model_commitment],
        "link_blinding": [secrets.link_blinding],
        "spec_digest": [statement.spec_digest],
        "context_digest": [statement.context_digest],
        "table_digest": [statement.table_digest],
        "part": [statement.part],
        "granted_before": packed_counts(before.counts.granted),
        "tied_before": packed_counts(before.counts.tied),
        "blinding_before": [before.blinding],
        "blinding_after": [after.blinding],
        "columns": [number for row in part.rows for number in row],
        "units": [unit for cell in part.cells for unit in row_units(shape, cell)],
    }
    wires |= row_wires(secrets.model, part)
    for name, length in layout(shape):
        if len(wires.get(name, ())) != length:
            raise WitnessError(f"{name}: {len(wires.get(name, ()))} values for {length} wires of shape {shape.name}")
    return wires


def row_wires(model: QuantisedNetwork, part: Table) -> dict[str, list[int]]:
    """Return the values of all neurons on all rows, which of them are negative, and the margins' signs and sizes."""
    passes = [model.pre_activations(row) for row in part.rows]
    wires = dict[str, list[int]]()
    for layer in range(1, len(model.hidden) + 1):
        values = [z for one in passes for z in one[layer - 1]]
        wires |= {f"value.{layer}": values, f"negative.{layer}": [int(z < 0) for z in values]}
    margins = [margin(one[-1]) for one in passes]
    return wires | {"sign": [(z > 0) - (z < 0) for z in margins], "magnitude": [abs(z) for z in margins]}
