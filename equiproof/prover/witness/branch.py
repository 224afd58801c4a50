"""Filling of scheme `branch`: the wires beyond the statement's that go-gnark/relation/branch_layout.go names.

What the circuit has as one wire, or can compute, is given once: the parts of a weight by its sign, a neuron's sign as
-1, 0 or 1, a split row as its key, which says all of it; its children need no numbers. What the circuit cannot compute
cheaply, the coefficients of a pass below each layer, is claimed here and proven there by identities (docs/adr/0009).
Wrong evidence is filled as it is; the circuit refuses it.

Notation: as in certify/branch: a pass of top layer L goes through the layers j = L - 1..1.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from itertools import accumulate, pairwise
from operator import mul

from equiproof.certify.branch.backward import (
    Signs,
    Slopes,
    bound_start,
    final_form,
    leaf_parts,
    margin_start,
    round_down,
    slopes_of,
    split_parts,
    through,
)
from equiproof.certify.branch.evidence import BranchEvidence, LayerBounds, Leaf, Margin, Pass, Row
from equiproof.certify.network import QuantisedNetwork
from equiproof.certify.people import Box as People
from equiproof.certify.polytope import margin_signs
from equiproof.circuits.branch_layout import looks_up_slices, places_of, shape_parameters
from equiproof.circuits.branch_parameters import Parameters
from equiproof.circuits.categories import Choice
from equiproof.circuits.layout import WitnessError
from equiproof.circuits.shape import Shape
from equiproof.circuits.spec import Box

NO_SIGN = 2
"""Given for a neuron that is neither on nor off nor free: no wire of a sign may hold it."""


def fill(
    shape: Shape,
    network: QuantisedNetwork,
    query: Sequence[int],
    table: Sequence[Sequence[int]],
    evidence: BranchEvidence,
    box: Box | None,
) -> dict[str, list[int]]:
    """Return the wires by name, as integers that may be negative.

    Rows past the evidence's repeat one of them. Raises WitnessError where the evidence has no split row to repeat, or
    more rows than there is room for.
    """
    rows = padded(evidence, shape.capacity, len(table))
    filler = Filler.of(shape, network, query, table, rows, box)
    filler.bounds()
    filler.tree()
    for leaf in rows.leaves:
        filler.leaf(leaf)
    return dict(filler.wires)


def fill_on_box(
    shape: Shape,
    network: QuantisedNetwork,
    people: People,
    table: Sequence[Sequence[int]],
    evidence: BranchEvidence,
) -> dict[str, list[int]]:
    """Return the wires of relation `branch-box` by name; raises as :func:`fill`."""
    rows = padded(evidence, shape.capacity, len(table))
    filler = replace(Filler.of(shape, network, people.low, table, rows, None), people=people)
    filler.bounds()
    filler.tree()
    for leaf in rows.leaves:
        filler.leaf(leaf)
    return dict(filler.wires)


def padded(evidence: BranchEvidence, capacity: int, slices: int) -> BranchEvidence:
    """Return evidence of `capacity` leaves and `capacity - slices` splits: the first split and last leaf repeated."""
    splits = evidence.splits
    leaves = evidence.leaves
    # A tree of so many leaves over all slices has as many splits as leaves, less one root for each slice.
    more = capacity - slices - len(splits)
    if not splits or not leaves or more < 0 or len(leaves) > capacity:
        raise WitnessError(f"leaf: {len(splits)} splits and {len(leaves)} leaves do not fit capacity {capacity}")
    return replace(
        evidence,
        splits=(*splits, *[splits[0]] * more),
        leaves=(*leaves, *[leaves[-1]] * (capacity - len(leaves))),
    )


@dataclass(repr=False)  # the fields are secrets
class Filler:
    """The wires so far, segment by segment; `box` is that of ranges, `people` are those that a statement is about."""

    shape: Shape
    parameters: Parameters
    network: QuantisedNetwork
    query: Row
    table: list[Row]
    evidence: BranchEvidence
    box: Box | None
    people: People | None = None
    wires: defaultdict[str, list[int]] = field(default_factory=lambda: defaultdict(list))

    @classmethod
    def of(
        cls,
        shape: Shape,
        network: QuantisedNetwork,
        query: Sequence[int],
        table: Sequence[Sequence[int]],
        evidence: BranchEvidence,
        box: Box | None,
    ) -> Filler:
        """Begin without wires; the evidence has as many rows as there is room for."""
        rows = [tuple(row) for row in table]
        return cls(shape, shape_parameters(shape), network, tuple(query), rows, evidence, box)

    def bounds(self) -> None:
        """Fill radii of layer 1, splits of weights, and each slice's bounds, lines and passes."""
        hidden = len(self.network.hidden)
        evidence = self.evidence
        if self.people is None:
            self._add("first_radii", evidence.first_radii)
        else:
            for row in self.network.layers[0].weights:
                for own in (row, tuple(-weight for weight in row)):
                    self._add("first_least", [_least(self.people, choice, own) for choice in self.people.choices])
        if not self.shape.kept:
            self.wires |= negative_weights(self.network, 2 if self.people is None else 1)
        for at in evidence.bounds:
            for depth, here in enumerate(at, start=1):
                for name, row in (
                    ("low", here.low),
                    ("high", here.high),
                    ("upper", here.upper),
                    ("offset", here.offset),
                ):
                    self._add(f"{name}.{depth}", row)
                if depth < hidden:
                    self._add(f"lower.{depth}", here.lower)
                if depth > 1:
                    self._layer(depth, here, at)

    def _layer(self, top: int, here: LayerBounds, at: Sequence[LayerBounds]) -> None:
        """Fill the passes of one layer's bounds on one slice, the lower one before the upper one of each neuron."""
        for i in range(self.network.hidden[top - 1]):
            for sign, bound_pass in ((1, here.below[i]), (-1, here.above[i])):
                start = bound_start(self.network, top, i, sign)
                positive, negative = split_parts(start[0])
                whole = replace(
                    bound_pass, positive=(positive, *bound_pass.positive), negative=(negative, *bound_pass.negative)
                )
                self._pass(top, start, whole, at, ())

    def tree(self) -> None:
        """Fill the rows of the tree: leaves by slice and signs, splits by their keys and the digit of their neuron."""
        for leaf in self.evidence.leaves:
            self._add("chosen_slice", [int(number == leaf.slice) for number in range(len(self.table))])
            self._add("signs", [_sign(on, off) for on, off in zip(leaf.on, leaf.off, strict=True)])
        nothing = [0] * self.network.neurons
        places = places_of(self.shape)
        for split in self.evidence.splits:
            self._add("key", places.key(split.slice, split.on, split.off))
            self._add("digit", places.key(0, [int(i == split.neuron) for i in range(len(nothing))], nothing))

    def leaf(self, leaf: Leaf) -> None:
        """Fill one leaf: what it looks up of its slice, where slices are many, and its margins."""
        network = self.network
        evidence = self.evidence
        number = leaf.slice if 0 <= leaf.slice < len(self.table) else 0
        if looks_up_slices(self.shape):
            self._add("of_slice", self.table[number])
            for here in evidence.bounds[number]:
                self._add("of_slice", [value for line in zip(here.upper, here.offset, strict=True) for value in line])
        cuts = [0, *accumulate(network.hidden)]
        signs = [Signs(leaf.on[a:b], leaf.off[a:b]) for a, b in pairwise(cuts)]
        over = margin_signs(network.logit_count, evidence.label)
        for margin, logits in zip(leaf.margins, over, strict=True):
            self._margin(margin, margin_start(network, logits, margin.multiplier), evidence.bounds[number], signs)

    def _margin(
        self, margin: Margin, start: tuple[Row, int], at: Sequence[LayerBounds], signs: Sequence[Signs]
    ) -> None:
        """Fill one margin of a leaf."""
        hidden = len(self.network.hidden)
        self._add("multiplier", (margin.multiplier,))
        for place, j in enumerate(range(hidden, 0, -1)):
            self._add(f"leaf_lower.{j}", margin.lower[place])
            self._add(f"excess.{j}", margin.excess[place])
        if self.box is not None:
            self._add("cut", margin.cut)
            self._add("negative_cut", [int(value < 0) for value in margin.cut])
        self._pass(hidden + 1, start, margin, at, signs)

    def _pass(
        self,
        top: int,
        start: tuple[Row, int],
        whole: Pass | Margin,
        at: Sequence[LayerBounds],
        signs: Sequence[Signs],
    ) -> None:
        """Fill what a pass claims: constants, coefficients below each layer, and radii; whole has P and Q of bounds."""
        rounding = self.parameters.rounding[top - 2]
        unit = self.parameters.unit
        coefficients, constant = start
        for place, j in enumerate(range(top - 1, 0, -1)):
            k = rounding[j - 1]
            here = at[j - 1]
            exact = coefficients
            coefficients, constant = round_down(coefficients, constant, k)
            if k:
                self._add(f"kappa.{top}.{j}", (constant,))
            beta: Row = ()
            if isinstance(whole, Pass):
                positive = whole.positive[place]
                negative = whole.negative[place]
                if place:
                    self._split(f"{top}.{j}", exact, positive, negative, k)
                coefficients = tuple(p - q for p, q in zip(positive, negative, strict=True))
                lower = here.lower
                signs_here = None
            else:
                if place:
                    self._add(f"coefficients.{top}.{j}", exact)
                if k:
                    self._add(f"floor.{top}.{j}", coefficients)
                lower = whole.lower[place]
                signs_here = signs[j - 1]
                positive, negative, beta = leaf_parts(coefficients, signs_here, whole.excess[place])
            slopes = Slopes(lower, here.upper, here.offset)
            mu, offsets = slopes_of(coefficients, positive, negative, signs_here, slopes, beta, unit)
            before = unit * constant
            coefficients, constant = through(self.network.layers[j - 1], mu, before - offsets)
            gain = constant - before
            if j == 1:
                gain += sum(map(mul, coefficients, self.query))
            self._add(f"constant.{top}.{j}", (gain,))
        self._ends(top, coefficients, whole)

    def _split(self, place: str, exact: Row, positive: Row, negative: Row, k: int) -> None:
        """Fill P and Q of a layer, and what rounding leaves of the coefficients."""
        self._add(f"positive.{place}", positive)
        self._add(f"negative.{place}", negative)
        if k:
            parts = zip(exact, positive, negative, strict=True)
            self._add(f"rest.{place}", [value - ((p - q) << k) for value, p, q in parts])

    def _ends(self, top: int, coefficients: Row, whole: Pass | Margin) -> None:
        """Fill the form that a pass ends with, and how far it reaches."""
        kc = self.parameters.coefficient_rounding[top - 2]
        self._add(f"coefficients.{top}.0", coefficients)
        if self.people is not None:
            self._add(f"negative.{top}.0", [int(coefficients[column] < 0) for column in self.shape.numbers])
            self._add(f"least.{top}.0", [_least(self.people, choice, coefficients) for choice in self.people.choices])
            return
        if isinstance(whole, Pass) or kc:
            self._add(f"radius.{top}.0", (whole.radius,))
        if kc:
            plain = coefficients[: len(self.query)]
            if isinstance(whole, Margin):
                form = final_form(plain, 0, self.query, (), kc, cut=whole.cut, box=self.box)
            else:
                form = final_form(plain, 0, self.query, (), kc)
            self._add(f"coarse.{top}.0", form.coarse)
            self._add(f"rest_radius.{top}.0", (whole.remainder_radius,))

    def _add(self, name: str, values: Sequence[int]) -> None:
        """Append to a segment."""
        self.wires[name] += values


def _least(box: People, choice: Choice, coefficients: Sequence[int]) -> int:
    """Return the least coefficient of the values that a category leaves open, 0 where it has one value."""
    return min((coefficients[column] for column in box.open(choice)), default=0)


def negative_weights(network: QuantisedNetwork, lowest: int) -> dict[str, list[int]]:
    """Return which weights of the hidden layers from `lowest` up are negative."""
    return {
        f"negative_weight.{number}": [int(weight < 0) for row in layer.weights for weight in row]
        for number, layer in enumerate(network.layers[:-1], start=1)
        if number >= lowest
    }


def _sign(on: int, off: int) -> int:
    """Return 1 for on, -1 for off, 0 for free."""
    return on - off if (on, off) in {(0, 0), (1, 0), (0, 1)} else NO_SIGN
