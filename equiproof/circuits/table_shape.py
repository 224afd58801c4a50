"""Shapes of counts over tables: what selects the circuit that counts a kept network's decisions by cell."""

from __future__ import annotations

from typing import Literal

import msgspec

from equiproof.circuits.branch_parameters import Sizes
from equiproof.circuits.canonical import canonical_bytes, document_digest
from equiproof.circuits.link_shape import LinkShape
from equiproof.circuits.shape import FORMAT, VERSION, Architecture, Shape

COUNT_BITS, COUNTS_PER_ELEMENT = 32, 7
"""The bits of a count, and how many counts one field element holds."""

MAX_ROWS, MAX_CELLS = 1 << 16, 256
"""The most rows of one proof, and the most cells of a partition."""


class TableShape(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The constants that determine the circuit: a network of one logit or two, and so many rows a proof and cells."""

    format: str
    version: int
    scheme: Literal["table"]
    architecture: Architecture
    cells: int
    input_bits: int
    rows: int

    @property
    def columns(self) -> int:
        """How many numbers a row has, n_x + n_s."""
        return self.architecture.plain + self.architecture.sensitive

    @property
    def elements(self) -> int:
        """How many field elements hold a count of each cell."""
        return -(-self.cells // COUNTS_PER_ELEMENT)

    @property
    def limits(self) -> tuple[int, ...]:
        """The largest |z| of each layer, over all inputs, weights and biases; the margin's last."""
        a = self.architecture
        *hidden, logit = Sizes(
            a.plain, a.sensitive, a.hidden, a.logits, a.weight_bits, self.input_bits, a.bias_bits, 0
        ).value_limits
        return (*hidden, a.logits * logit)

    @property
    def links(self) -> LinkShape:
        """The shape of the links of its models."""
        return LinkShape(FORMAT, VERSION, "link", self.architecture, self.input_bits)

    @property
    def digest(self) -> int:
        """The digest that enters every statement, a field element."""
        return document_digest("equiproof.shape.v2", self)

    @property
    def document(self) -> bytes:
        """The canonical JSON that the proving library reads."""
        return canonical_bytes(self)

    @property
    def name(self) -> str:
        """A readable name for people and folders, unique through the digest."""
        a = self.architecture
        sizes = f"{a.plain}+{a.sensitive}-{a.sized}-i{self.input_bits}-r{self.rows}-g{self.cells}"
        # As of links: eight of the digest's 62 digits tell shapes of equal sizes apart.
        return f"{self.scheme}-{sizes}-{self.digest:062x}"[:-54]


def table_shape(shape: Shape, rows: int, cells: int) -> TableShape:
    """Return the shape of counts over tables for networks of the architecture and inputs of a shape."""
    return TableShape(FORMAT, VERSION, "table", shape.architecture, cells, shape.input_bits, rows)
