"""A small network, a table with ties and several parts, real keys, and what the owner publishes of them."""

from __future__ import annotations

import random
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from equiproof.certify.network import Layer, QuantisedNetwork
from equiproof.circuits.commitment import model_commitment
from equiproof.circuits.field import ORDER, to_bytes
from equiproof.circuits.kept import key_element
from equiproof.circuits.shape import FORMAT, VERSION, Architecture
from equiproof.circuits.table import Table
from equiproof.circuits.table_shape import TableShape
from equiproof.ffi import backend
from equiproof.prover.tables import ProvenTable, TableAbout, prove_table
from equiproof.prover.witness.link import Linked, generate
from equiproof.prover.witness.model import words
from equiproof.prover.witness.table import TableSecrets
from equiproof.verifier.curve import read_g1
from equiproof.verifier.pairing import challenges
from equiproof.verifier.table import PresentedPart, TableBasis, TableClaim

SPEC, CONTEXT, BLINDING, MASK, LINK_BLINDING = 101, 102, 103, 104, 105
FINGERPRINT = "0123456789abcdef" * 4
ABOUT = TableAbout(SPEC, CONTEXT)

NETWORK = QuantisedNetwork(
    (
        Layer(((3, -2, 5), (-4, 1, 0), (2, 2, -3)), (7, -11, 2)),
        Layer(((2, -3, 1), (-1, 4, 2)), (5, -6)),
        Layer(((3, -2),), (-40,)),
    ),
    1,
    (0, 0, 0),
)
ARCHITECTURE = Architecture(
    plain=2, sensitive=1, hidden=(3, 2), logits=1, weight_bits=(8, 8, 8), bias_bits=(16, 24, 32)
)

PAIR = QuantisedNetwork((Layer(((3, -2, 5), (-4, 1, 0)), (7, -11)), Layer(((2, 1), (1, 2)), (5, 5))), 1, (0, 0))
"""A network with two logits, of which the second is label 1's."""

OF_PAIR = Architecture(plain=2, sensitive=1, hidden=(2,), logits=2, weight_bits=(8, 8), bias_bits=(16, 24))


def shape_of(rows: int, cells: int, architecture: Architecture = ARCHITECTURE) -> TableShape:
    """Return the shape of proofs about so many rows in so many cells, with 8-bit inputs."""
    return TableShape(FORMAT, VERSION, "table", architecture, cells, 8, rows)


def table_of(rows: int, cells: int, network: QuantisedNetwork = NETWORK) -> Table:
    """Return a drawn table with at least one tie, one grant and one refusal."""
    drawn = random.Random(3)
    found = [tuple(drawn.randrange(-128, 128) for _ in range(3)) for _ in range(100_000)]
    by_decision = {network.decide(row): row for row in found}
    table = [by_decision[None], by_decision[0], by_decision[1], *found[: rows - 3]]
    assert {network.decide(row) for row in table} == {None, 0, 1}
    return Table(table, [drawn.randrange(cells) for _ in table])


@dataclass(frozen=True)
class Published:
    """Keys for tables and for links, the owner's secrets, and the link: point, what is shown, and its proof."""

    shape: TableShape
    keys: backend.Keys
    link_keys: backend.Keys
    prover: backend.ProvingKey
    secrets: TableSecrets
    point: bytes
    link: bytes

    @property
    def basis(self) -> TableBasis:
        """What a verifier knows."""
        return TableBasis(self.secrets.model_commitment, SPEC, CONTEXT, self.secrets.shown(self.shape))

    def prove(self, table: Table) -> ProvenTable:
        """Prove the counts of a table."""
        return prove_table(self.prover, self.shape, self.secrets, to_bytes(MASK), ABOUT, table)

    def native(self) -> backend.LinkedVerifyingKey:
        """Open the link by the native library."""
        links = self.shape.links
        parts = (links.digest, self.secrets.model_commitment, SPEC, key_element(FINGERPRINT))
        with (
            backend.VerifyingKey(self.link_keys.verifying) as loaded,
            backend.KeptVerifyingKey(self.keys.verifying) as kept,
        ):
            shown = to_bytes(self.basis.shown)
            return kept.open(loaded, self.point, shown, self.link, b"".join(map(to_bytes, parts)))


def claim_of(proven: ProvenTable) -> TableClaim:
    """Return what a prover presents."""
    return TableClaim(proven.counts, tuple(PresentedPart(one.before, one.after, one.proof) for one in proven.parts))


@contextmanager
def published(shape: TableShape, network: QuantisedNetwork = NETWORK) -> Iterator[Published]:
    """Make keys and the link of a network."""
    keys, link_keys = backend.setup(shape.document), backend.setup(shape.links.document)
    layers = [(layer.weights, layer.biases) for layer in network.layers]
    commitment = model_commitment(shape.architecture, SPEC, BLINDING, layers)
    with (
        backend.ProvingKey(shape.document, keys.proving) as prover,
        backend.ProvingKey(shape.links.document, link_keys.proving) as linker,
    ):
        numbers = [*words(network, shape.links), commitment]
        point = prover.point(b"".join(to_bytes(number % ORDER) for number in numbers), to_bytes(MASK))
        (at,) = challenges((read_g1(point, "point"),))
        link = Linked(network, BLINDING, commitment, SPEC, key_element(FINGERPRINT), LINK_BLINDING, at)
        secrets = TableSecrets(network, commitment, LINK_BLINDING, at)
        yield Published(shape, keys, link_keys, prover, secrets, point, linker.prove(generate(shape.links, link)))
