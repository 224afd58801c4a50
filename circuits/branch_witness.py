"""Filling of scheme `branch`: the wires beyond the statement's that go-gnark/relation/branch_layout.go names.

What the circuit has as one wire, or can compute, is given once: the splits of a pass's top layer by P alone, a sign as
-1, 0 or 1. What it cannot compute cheaply, the coefficients of a pass below each layer, is claimed here and proven
there by identities (docs/adr/0009). Wrong evidence is filled as it is; the circuit refuses it.

Notation: as in certify/branch: a pass of top layer L goes through the layers j = L - 1..1.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from itertools import accumulate, pairwise
from operator import mul

from certify.branch.backward import Signs, Slopes, bound_start, final_form, margin_start, round_down, slopes_of, through
from certify.branch.evidence import BranchEvidence, LayerBounds, Leaf, Margin, Pass, Row, Split
from certify.branch.parameters import Parameters
from certify.network import QuantisedNetwork
from certify.polytope import margin_signs
from circuits.layout import WitnessError

NO_SIGN = 2
"""Given for a neuron that is neither on nor off nor free: no wire of a sign may hold it."""


def fill(
    parameters: Parameters,
    capacity: int,
    network: QuantisedNetwork,
    query: Sequence[int],
    table: Sequence[Sequence[int]],
    evidence: BranchEvidence,
) -> dict[str, list[int]]:
    """Return the wires by name, as integers that may be negative, for `capacity` leaves over all slices.

    Rows past the evidence's repeat one of them. Raises WitnessError where the evidence has no split row to repeat, or
    more rows than there is room for.
    """
    rows = padded(evidence, capacity, len(table))
    filler = _Filler(parameters, network, tuple(query), [tuple(row) for row in table], rows)
    filler.bounds()
    filler.tree()
    for leaf in rows.leaves:
        filler.leaf(leaf)
    return dict(filler.wires)


def padded(evidence: BranchEvidence, capacity: int, slices: int) -> BranchEvidence:
    """Return evidence of `capacity` leaves and `capacity - slices` splits: the first split and last leaf repeated."""
    splits, leaves = list(evidence.splits), list(evidence.leaves)
    more = capacity - slices - len(splits)
    if not splits or not leaves or more < 0 or len(leaves) > capacity:
        raise WitnessError(f"leaf: {len(splits)} splits and {len(leaves)} leaves do not fit capacity {capacity}")
    old = len(splits)
    splits += [splits[0]] * more

    def place(row: int) -> int:
        return row + more if row >= old else row

    return replace(
        evidence,
        roots=tuple(map(place, evidence.roots)),
        splits=tuple(replace(row, on_child=place(row.on_child), off_child=place(row.off_child)) for row in splits),
        leaves=(*leaves, *[leaves[-1]] * (capacity - len(leaves))),
    )


@dataclass
class _Filler:
    """The wires so far, segment by segment."""

    parameters: Parameters
    network: QuantisedNetwork
    query: Row
    table: list[Row]
    evidence: BranchEvidence
    wires: defaultdict[str, list[int]] = field(default_factory=lambda: defaultdict(list))

    def bounds(self) -> None:
        """Fill radii of layer 1, splits of weights, and each slice's bounds, lines and passes."""
        hidden, evidence = len(self.network.hidden), self.evidence
        self._add("first_radii", evidence.first_radii)
        for top, split in enumerate(evidence.weight_splits, start=2):
            for row in split.positive:
                self._add(f"weight_split.{top}", row)
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
        split, weights = self.evidence.weight_splits[top - 2], self.network.layers[top - 1].weights
        for i, row in enumerate(weights):
            positive = split.positive[i]
            negative = tuple(p - w for p, w in zip(positive, row, strict=True))
            for sign, found, parts in (
                (1, here.below[i], (positive, negative)),
                (-1, here.above[i], (negative, positive)),
            ):
                whole = replace(found, positive=(parts[0], *found.positive), negative=(parts[1], *found.negative))
                self._pass(top, bound_start(self.network, top, i, sign), whole, at, None)

    def tree(self) -> None:
        """Fill the rows of the tree."""
        neurons = self.network.neurons
        self._add("roots", self.evidence.roots)
        rows: tuple[Split | Leaf, ...] = (*self.evidence.splits, *self.evidence.leaves)
        for row in rows:
            self._add("slice", (row.slice,))
            self._add("signs", [_sign(on, off) for on, off in zip(row.on, row.off, strict=True)])
        for split in self.evidence.splits:
            self._add("chosen", [int(i == split.neuron) for i in range(neurons)])
            self._add("on_child", (split.on_child,))
            self._add("off_child", (split.off_child,))

    def leaf(self, leaf: Leaf) -> None:
        """Fill one leaf: what it looks up of its slice, and its margins."""
        network, evidence = self.network, self.evidence
        self._add("chosen_slice", [int(number == leaf.slice) for number in range(len(self.table))])
        number = leaf.slice if 0 <= leaf.slice < len(self.table) else 0
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
        hidden, found = len(self.network.hidden), margin.descent
        self._add("multiplier", (margin.multiplier,))
        self._add("margin_split", found.positive[0])
        for place, j in enumerate(range(hidden, 0, -1)):
            self._add(f"leaf_lower.{j}", margin.lower[place])
            self._add(f"beta.{j}", margin.beta[place])
        top = tuple(p - c for p, c in zip(found.positive[0], start[0], strict=True))
        self._pass(hidden + 1, start, replace(found, negative=(top, *found.negative[1:])), at, (margin, signs))

    def _pass(
        self,
        top: int,
        start: tuple[Row, int],
        whole: Pass,
        at: Sequence[LayerBounds],
        margin: tuple[Margin, Sequence[Signs]] | None,
    ) -> None:
        """Fill what a pass claims: constants, splits with what rounding leaves, coefficients at the end, radii."""
        rounding, unit = self.parameters.rounding[top - 2], self.parameters.unit
        coefficients, constant = start
        for place, j in enumerate(range(top - 1, 0, -1)):
            k, here = rounding[j - 1], at[j - 1]
            positive, negative = whole.positive[place], whole.negative[place]
            if place:
                self._add(f"positive.{top}.{j}", positive)
                self._add(f"negative.{top}.{j}", negative)
            if k:
                self._add(f"kappa.{top}.{j}", (constant >> k,))
                parts = zip(coefficients, positive, negative, strict=True)
                self._add(f"rest.{top}.{j}", [value - ((p - q) << k) for value, p, q in parts])
            _, constant = round_down(coefficients, constant, k)
            lower = here.lower if margin is None else margin[0].lower[place]
            beta = () if margin is None else margin[0].beta[place]
            signs = None if margin is None else margin[1][j - 1]
            difference = tuple(p - q for p, q in zip(positive, negative, strict=True))
            slopes = Slopes(lower, here.upper, here.offset)
            mu, taken = slopes_of(difference, positive, negative, signs, slopes, beta, unit)
            before = unit * constant - taken
            coefficients, constant = through(self.network.layers[j - 1], mu, before)
            gained = constant - before
            if j == 1:
                gained += sum(map(mul, coefficients, self.query))
            self._add(f"constant.{top}.{j}", (gained,))
        self._ends(top, coefficients, whole)

    def _ends(self, top: int, coefficients: Row, whole: Pass) -> None:
        """Fill the form that a pass ends with, and how far it reaches."""
        kc = self.parameters.coefficient_rounding[top - 2]
        self._add(f"coefficients.{top}.0", coefficients)
        self._add(f"radius.{top}.0", (whole.radius,))
        if kc:
            plain = coefficients[: len(self.query)]
            self._add(f"coarse.{top}.0", final_form(plain, 0, self.query, (), kc).coarse)
            self._add(f"rest_radius.{top}.0", (whole.remainder_radius,))

    def _add(self, name: str, values: Sequence[int]) -> None:
        """Append to a segment."""
        self.wires[name] += values


def _sign(on: int, off: int) -> int:
    """Return 1 for on, -1 for off, 0 for free."""
    return on - off if (on, off) in {(0, 0), (1, 0), (0, 1)} else NO_SIGN
