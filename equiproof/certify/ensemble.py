"""An ensemble of trees over an additive model: what boosted trees and forests are once their numbers are integers.

F(x) = the additive score of x, and the value of the leaf that x reaches in each of T trees. Nodes ask the predicates of
the additive part, whose jumps may be 0: a node goes low where the column is at most the threshold, else high.

Nodes stand level by level, roots first, so that no child's place is written down: going through the nodes in order, low
before high, the r-th child that is a node (r from 0) is node T + r, the r-th child that is a leaf has `values[r]`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import compress
from typing import NamedTuple

from equiproof.certify.additive import AdditiveModel, EnsembleError
from equiproof.certify.sets import Sets
from equiproof.circuits.categories import with_sets
from equiproof.circuits.schemes import MAX_NODES, MAX_TREES
from equiproof.circuits.spec import JUMP_BITS, Spec


class Child(NamedTuple):
    """A child: node number `number`, or a leaf of that value."""

    is_node: bool
    number: int


@dataclass(frozen=True, repr=False)
class NodeTable:
    """The nodes of `roots` trees in level order.

    Node i asks predicate `predicates[i]`; `kinds[i]` has 1 for each child, low and high, that is a node, 0 for a leaf;
    `values` are the leaves' in the order in which nodes have them. `highs[i]` is 1 where node i sends missing values
    high; there are none where no value can be missing. Raises EnsembleError for numbers of nodes or values that do not
    fit together, a node that is its own descendant, and values out of width.
    """

    roots: int
    predicates: tuple[int, ...]
    kinds: tuple[tuple[int, int], ...]
    values: tuple[int, ...]
    highs: tuple[int, ...] = ()

    def __post_init__(self) -> None:
        """Refuse what is no forest in level order."""
        nodes = len(self.predicates)
        numbers = (
            self.roots,
            *self.predicates,
            *self.values,
            *self.highs,
            *(bit for kinds in self.kinds for bit in kinds),
        )
        if any(type(number) is not int for number in numbers):
            raise EnsembleError("a number of the trees is not a plain integer")
        if not 1 <= self.roots <= min(nodes, MAX_TREES) or nodes > MAX_NODES:
            raise EnsembleError(f"{self.roots} trees with {nodes} nodes; want 1 to {MAX_TREES}, with up to {MAX_NODES}")
        if [len(kinds) for kinds in self.kinds] != [2] * nodes or any(not set(kinds) <= {0, 1} for kinds in self.kinds):
            raise EnsembleError("the kinds of children are not two bits for each node")
        if self.highs and (len(self.highs) != nodes or not set(self.highs) <= {0, 1}):
            raise EnsembleError("the sides of missing values are not a bit for each node")
        referenced = self.roots
        for number, kinds in enumerate(self.kinds):
            if number >= referenced:
                raise EnsembleError(f"node {number} belongs to no tree, or the nodes are not in level order")
            referenced += sum(kinds)
        if referenced != nodes or len(self.values) != nodes + self.roots:
            raise EnsembleError(f"{referenced} nodes and {len(self.values)} leaves do not make {self.roots} trees")
        limit = 1 << (JUMP_BITS - 1)
        if any(not -limit <= value < limit for value in self.values):
            raise EnsembleError(f"a leaf's value does not fit {JUMP_BITS} signed bits")

    def __repr__(self) -> str:
        """Show the sizes only: the trees are secret."""
        return f"<{type(self).__name__} {self.roots} trees, {len(self.predicates)} nodes>"

    @property
    def sizes(self) -> tuple[int, int]:
        """(T, N): the numbers of trees and of nodes."""
        return self.roots, len(self.predicates)

    @cached_property
    def children(self) -> tuple[tuple[Child, Child], ...]:
        """The children of every node, low and high."""
        low, high = (
            [Child(True, at) if at >= 0 else Child(False, self.values[~at]) for at in side]
            for side in zip(*self.ahead, strict=True)
        )
        return tuple(zip(low, high, strict=True))

    @cached_property
    def ahead(self) -> tuple[tuple[int, int], ...]:
        """The children of every node, low and high, by their places: r for node r, and ~r for the leaf of value r."""
        node = self.roots
        leaf = 0
        pairs = []
        for kinds in self.kinds:
            pair = []
            for kind in kinds:
                pair.append(node if kind else ~leaf)
                node += kind
                leaf = leaf + 1 - kind
            pairs.append((pair[0], pair[1]))
        return tuple(pairs)


@dataclass(frozen=True, repr=False)
class EnsembleModel:
    """Trees and the additive model whose predicates they ask; trees of a single node are jumps of the latter.

    Raises EnsembleError for a node whose predicate there is not, and for sides of missing values where none can be.
    """

    additive: AdditiveModel
    nodes: NodeTable

    def __post_init__(self) -> None:
        """Refuse nodes without a predicate."""
        count = len(self.additive.columns)
        for number, predicate in enumerate(self.nodes.predicates):
            if not 0 <= predicate < count:
                raise EnsembleError(f"node {number} refers to an unknown predicate (there are {count})")
        if bool(self.nodes.highs) != (self.additive.absent is not None):
            raise EnsembleError("nodes say where missing values go exactly where values can be missing")

    @property
    def plain(self) -> int:
        """The number of plain columns that predicates read, n_x and one for each set."""
        return self.additive.plain

    @property
    def stated(self) -> int:
        """The number of plain columns that a query has, n_x."""
        return self.additive.stated

    @property
    def sets(self) -> tuple[Sets, ...]:
        """The sets of values that nodes ask."""
        return self.additive.sets

    @property
    def sensitive(self) -> int:
        """The number of sensitive columns, n_s."""
        return self.additive.sensitive

    @property
    def inputs(self) -> int:
        """The number of input columns, n_x + n_s."""
        return self.additive.inputs

    @property
    def predicates(self) -> tuple[int, int]:
        """(P_x, P_s): the numbers of predicates over plain and over sensitive columns."""
        return self.additive.predicates

    @property
    def input_fraction_bits(self) -> int:
        """The scale of thresholds and inputs, f_x."""
        return self.additive.input_fraction_bits

    @property
    def value_fraction_bits(self) -> int:
        """The scale of values, jumps and bias, for the owner's eyes only."""
        return self.additive.value_fraction_bits

    @property
    def logit_count(self) -> int:
        """The number of logits: the score alone."""
        return 1

    @property
    def logit_fraction_bits(self) -> int:
        """The fractional bits that the score carries."""
        return self.value_fraction_bits

    def __repr__(self) -> str:
        """Show the sizes only."""
        return f"<{type(self).__name__} {self.additive!r} {self.nodes!r}>"

    def logits(self, inputs: Sequence[int]) -> tuple[int, ...]:
        """Return the score at one input of n_x + n_s integers, as the one logit of a model for two labels."""
        return (self.score(inputs),)

    def score(self, inputs: Sequence[int]) -> int:
        """Return F at one input of n_x + n_s integers, with or without the columns of the sets."""
        if len(inputs) == self.stated + self.sensitive:
            inputs = self.additive.seen(inputs)
        own, nodes = self.additive, self.nodes
        above = [inputs[column] > end for column, end in zip(own.columns, own.thresholds, strict=True)]
        total = own.bias + sum(compress(own.jumps, above))
        lacking = own.absent is not None and own.absent in inputs
        for root in range(nodes.roots):
            at = root
            while at >= 0:
                high = self.goes_high(at, inputs) if lacking else above[nodes.predicates[at]]
                at = nodes.ahead[at][high]
            total += nodes.values[~at]
        return total

    def goes_high(self, node: int, inputs: Sequence[int]) -> bool:
        """Return to which child of a node an input leads, which has the columns of the sets.

        For a plain predicate, the sensitive columns may be left out.
        """
        place = self.nodes.predicates[node]
        if self.additive.lacks(place, inputs):
            return bool(self.nodes.highs[node])
        return inputs[self.additive.columns[place]] > self.additive.thresholds[place]

    def decide(self, inputs: Sequence[int]) -> int | None:
        """Return the label that is decided strictly, or None for a tie."""
        score = self.score(inputs)
        return None if score == 0 else int(score > 0)


ScoredModel = AdditiveModel | EnsembleModel
"""A model of scheme `trees`: a score that jumps at thresholds."""


def sets_of(spec: Spec, stated: Sequence[tuple[int, tuple[tuple[int, ...], ...]]], field: str) -> tuple[Sets, ...]:
    """Return sets of the categories of a spec, which are stated by first columns; raises EnsembleError with the field.

    It does so for sets of no such category, or of one twice, and for sets of another number of bits.
    """
    members = dict(stated)
    categories = with_sets(spec, {first: len(some) for first, some in members.items()})
    if len(categories) != len(stated):
        raise EnsembleError(
            f"field {field}: want sets of categories that have one column a value in the spec, of each one once"
        )
    sets = tuple(Sets(category, members[category.first]) for category in categories)
    for category, some in sets:
        width = category.members(missing=spec.has_absent)
        if any(len(bits) != width or not set(bits) <= {0, 1} for bits in some):
            raise EnsembleError(f"field {field}: want sets of {width} bits for the category of column {category.first}")
    return sets
