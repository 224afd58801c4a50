"""Shapes of links: what selects the circuit that shows once that a kept model is the committed one."""

from __future__ import annotations

from typing import Literal

import msgspec

from equiproof.circuits.canonical import canonical_bytes, document_digest
from equiproof.circuits.shape import FORMAT, VERSION, Architecture, Shape


class LinkShape(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The constants that determine the circuit of links: those of the model alone.

    One serves all schemes, capacities and tables of the architecture with these `input_bits`. `node_words` is true for
    links of certificates that visit nodes, each of which is then one word, and absent for others.
    """

    format: str
    version: int
    scheme: Literal["link"]
    architecture: Architecture
    input_bits: int
    node_words: bool | msgspec.UnsetType = msgspec.UNSET

    @property
    def visits(self) -> bool:
        """Whether the links are of certificates that visit nodes."""
        return self.node_words is True

    @property
    def additive(self) -> bool:
        """Whether the model is additive or an ensemble over one."""
        return self.architecture.predicates is not msgspec.UNSET

    @property
    def has_nodes(self) -> bool:
        """Whether the model is an ensemble of trees with nodes."""
        return self.architecture.nodes is not msgspec.UNSET

    @property
    def digest(self) -> int:
        """The digest that enters what a link proves, a field element."""
        return document_digest("equiproof.shape.v2", self)

    @property
    def document(self) -> bytes:
        """The canonical JSON that the proving library reads."""
        return canonical_bytes(self)

    @property
    def name(self) -> str:
        """A readable name for people and folders, unique through the digest."""
        a = self.architecture
        form = "-w" * self.visits
        # Eight of the digest's 62 digits tell shapes of equal sizes apart; keys are found by their metadata anyway.
        return f"{self.scheme}-{a.plain}+{a.sensitive}-{a.sized}{form}-i{self.input_bits}-{self.digest:062x}"[:-54]


def link_shape(shape: Shape) -> LinkShape:
    """Return the shape of the links of certificates of a shape, kept or not."""
    words = True if shape.visits else msgspec.UNSET
    return LinkShape(FORMAT, VERSION, "link", shape.architecture, shape.input_bits, words)
