"""One word for a node of an ensemble, as certificates that visit nodes have its model; twin of trees.Words in Go.

A word is the number under which the node finds its predicate, and the references of both children, the low one's first.
A leaf's reference is its value, a node's a multiple of 2^16: one more than its place (docs/relation-visited.md).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from equiproof.circuits.link_shape import LinkShape
from equiproof.circuits.shape import Shape
from equiproof.circuits.widths import Interval


@dataclass(frozen=True)
class NodeWords:
    """How words hold the nodes of an architecture.

    `second` is by how much the number of a node is larger that sends missing values high, `empty` the number of places
    that hold no node, `span` the distance of two nodes' references.
    """

    second: int
    empty: int
    span: int
    number_bits: int
    reference_bits: int

    @classmethod
    def of(cls, shape: Shape | LinkShape) -> NodeWords:
        """Return the words of a shape of an ensemble."""
        a = shape.architecture
        value_bits = a.weight_bits[0]
        # With one predicate its number has a bit in the model's commitment.
        second = max(2, sum(a.predicate_counts))
        empty = second * (2 if a.has_missing else 1)
        references = value_bits + (a.node_counts[1] + 1).bit_length()
        return cls(second, empty, 1 << value_bits, empty.bit_length(), references)

    @property
    def bits(self) -> int:
        """The bits of a word."""
        return self.number_bits + 2 * self.reference_bits

    @property
    def reference(self) -> Interval:
        """The references that a word has room for: with half of `span` added they are not negative."""
        half = self.span >> 1
        return Interval(-half, (1 << self.reference_bits) - 1 - half)

    def pack(self, number: int, low: int, high: int) -> int:
        """Return the word of a number and both references; unique for those of their intervals."""
        half = self.span >> 1
        return number + ((low + half) << self.number_bits) + ((high + half) << (self.number_bits + self.reference_bits))

    def of_nodes(
        self, predicates: Sequence[int], highs: Sequence[int], low: Sequence[int], high: Sequence[int]
    ) -> list[int]:
        """Return the words of nodes by predicate, whether missing values go high (empty for none), and references."""
        numbers = [place + self.second * up for place, up in zip(predicates, highs or [0] * len(low), strict=True)]
        return [self.pack(*node) for node in zip(numbers, low, high, strict=True)]

    def references(
        self, kinds: Sequence[tuple[int, int]], values: Sequence[int], trees: int
    ) -> tuple[list[int], list[int]]:
        """Return the references of the low and of the high children of nodes in level order with these kinds."""
        nodes, leaves = iter(range(trees + 1, len(kinds) + 1)), iter(values)
        pairs = [tuple(self.span * next(nodes) if kind else next(leaves) for kind in pair) for pair in kinds]
        return [low for low, _ in pairs], [high for _, high in pairs]
