"""Networks on a box with evidence by hand, as an owner of relation `branch-box` would like to get away with it.

What is said of a box is told by :class:`Words`; what follows from it is filled, and the bias is the least with which
the leaves close. So nothing is to spare, and a word that helps has a statement that is not proven without it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass, field, replace
from itertools import accumulate, pairwise, product
from operator import mul

import pytest
from msgspec import UNSET

from equiproof.certify.branch import box_bounds, making
from equiproof.certify.branch.backward import Signs, Slopes, leaf_parts, margin_start, slopes_of, through
from equiproof.certify.branch.box_search import decide_on_box
from equiproof.certify.branch.evidence import BranchEvidence, LayerBounds, Margin, Row, Split
from equiproof.certify.network import Layer, QuantisedNetwork, decide
from equiproof.certify.people import Box
from equiproof.certify.polytope import margin_signs
from equiproof.circuits.branch_layout import shape_parameters
from equiproof.circuits.categories import Choice
from equiproof.circuits.layer_widths import bias_widths
from equiproof.circuits.shape import FORMAT, VERSION, Architecture, Shape
from equiproof.circuits.statement import BoxStatement
from equiproof.prover.witness.box import Secrets, fill
from tests.soundness.box_told import Told
from tests.soundness.branch_case import FREE, OFF, ON, UNIT, leaf_of, margin_of, split_of
from tests.soundness.cheating_owner import CONTEXT_DIGEST, SPEC_DIGEST
from tests.soundness.tiny_boxes import Boxed, persons

BITS, WEIGHT_BITS = 12, 8
SPARE = 3
"""The neuron of layer 1 that nothing is made of: its excess takes what a leaf has to spare."""

Place = tuple[int, int, int]
"""A neuron of a hidden layer: slice, or leaf, then layer, counted from 1, and number."""


@dataclass(frozen=True)
class Case:
    """A network but for the bias of its logit, a box, a table and a label, with a tree of leaves."""

    layers: tuple[Layer, ...]
    box: Box
    table: tuple[Row, ...] = ((0,), (1,))
    label: int = 1
    splits: tuple[Split, ...] = ()
    leaves: tuple[tuple[int, tuple[tuple[int, int], ...]], ...] = ()

    @property
    def shape(self) -> Shape:
        """The shape of the circuit: four leaves."""
        plain, sensitive = len(self.box.low), len(self.table[0])
        sizes = tuple(layer.outputs for layer in self.layers)
        weights = (WEIGHT_BITS,) * len(sizes)
        architecture = Architecture(
            plain, sensitive, sizes[:-1], sizes[-1], weights, bias_widths(plain + sensitive, BITS, sizes, weights)
        )
        return Shape(
            FORMAT, VERSION, "branch-box", architecture, len(self.table), BITS, 1, 1, 4,
            one_hot=self.box.choices or UNSET,
        )  # fmt: skip

    def network(self, bias: int) -> QuantisedNetwork:
        """Return the network with a bias of its logit."""
        *below, last = self.layers
        return QuantisedNetwork((*below, Layer(last.weights, (bias,))), 1, (0,) * len(self.layers))

    def divided(self, neuron: int) -> Case:
        """Return the case whose tree splits both slices by a neuron of all hidden ones, counted from 0."""
        whole = (FREE,) * sum(layer.outputs for layer in self.layers[:-1])
        halves = [(*whole[:neuron], sign, *whole[neuron + 1 :]) for sign in (ON, OFF)]
        splits = tuple(split_of(number, whole, neuron) for number in range(2))
        return replace(self, splits=splits, leaves=tuple((number, half) for number in range(2) for half in halves))


@dataclass(frozen=True)
class Words:
    """What is said in place of what is true.

    Bounds and lines (A, K, T) of neurons on a slice; of a number's coefficient in a form of a top layer whether it is
    below 0; of a category's coefficients the least; which categories are free; of weights of layer 1, by neuron and
    column, whether they are below 0; of leaves M and the excess. With a bias of the logit leaves end where they do.
    """

    ends: Mapping[Place, tuple[int, int]] = field(default_factory=dict)
    lines: Mapping[Place, tuple[int, int, int]] = field(default_factory=dict)
    below: Callable[[int, int], int] = lambda _top, coefficient: int(coefficient < 0)
    least: Callable[[int, Sequence[int]], int] = lambda _top, coefficients: min(coefficients, default=0)
    free: tuple[int, ...] | None = None
    weights: Mapping[tuple[int, int], int] = field(default_factory=dict)
    multiplier: int = 1
    excess: Mapping[Place, int] = field(default_factory=dict)
    bias: int | None = None


TRUE = Words()


def unchecked(low: Sequence[int], high: Sequence[int], choices: tuple[Choice, ...] = ()) -> Box:
    """Return ends that may be no box."""
    box = object.__new__(Box)
    for name, value in (("low", tuple(low)), ("high", tuple(high)), ("choices", choices)):
        object.__setattr__(box, name, value)
    return box


@dataclass(frozen=True)
class Teller:
    """A case and the words about it."""

    case: Case
    words: Words

    @property
    def numbers(self) -> Row:
        """The columns of no category."""
        return tuple(self.case.shape.numbers)

    @property
    def free(self) -> tuple[int, ...]:
        """Which categories are said to be free."""
        box = self.case.box
        return self.words.free or tuple(int(bool(box.open(choice))) for choice in box.choices)

    def least(self, top: int, coefficients: Sequence[int]) -> list[int]:
        """Return what is said to be the least coefficient of each category."""
        box = self.case.box
        return [self.words.least(top, [coefficients[c] for c in box.open(choice)]) for choice in box.choices]

    def fallen(self, top: int, coefficients: Sequence[int], parts: Mapping[int, int]) -> int:
        """Return how much a form falls by negative parts of its numbers, and by what is said of categories."""
        box = self.case.box
        fall = sum(parts[column] * (box.high[column] - box.low[column]) for column in self.numbers)
        for choice, free, least in zip(box.choices, self.free, self.least(top, coefficients), strict=True):
            fall -= free * least * (choice.high - choice.low)
        return fall

    def fall(self, top: int, coefficients: Sequence[int]) -> int:
        """Return how much a form of a top layer falls by what is said of its signs."""
        parts = {c: -self.words.below(top, coefficients[c]) * coefficients[c] for c in self.numbers}
        return self.fallen(top, coefficients, parts)

    def weight_bit(self, neuron: int, column: int) -> int:
        """Return whether a weight of layer 1 is said to be below 0."""
        return self.words.weights.get((neuron, column), int(self.case.layers[0].weights[neuron][column] < 0))

    def first_falls(self) -> Iterator[int]:
        """Yield how much each neuron of layer 1 falls, and how much it rises."""
        for neuron, row in enumerate(self.case.layers[0].weights):
            for sign in (1, -1):
                bits = {
                    c: self.weight_bit(neuron, c) if sign > 0 else 1 - self.weight_bit(neuron, c) for c in self.numbers
                }
                own = [sign * weight for weight in row]
                yield self.fallen(1, own, {c: -bits[c] * own[c] for c in self.numbers})

    def bounds(self, number: int, row: Row) -> tuple[LayerBounds, ...]:
        """Return bounds and lines of a slice."""
        made: list[LayerBounds] = []
        first = self.first_falls()
        whole = box_bounds.layer_of

        def fall(_box: Box, coefficients: Sequence[int]) -> int:
            return self.fall(len(made) + 1, coefficients) if made else next(first)

        def layer(parameters, low, high, below, above, slopes, *, last):
            depth = len(made) + 1
            places = [(number, depth, neuron) for neuron in range(len(low))]
            ends = [self.words.ends.get(at, own) for at, own in zip(places, zip(low, high, strict=True), strict=True)]
            here = whole(parameters, *zip(*ends, strict=True), below, above, slopes, last=last)
            lower = here.lower or (0,) * len(low)
            lines = dict(zip(places, zip(lower, here.upper, here.offset, strict=True), strict=True))
            lines |= {(number, 1, SPARE): (UNIT, UNIT, 1), **self.words.lines}
            lower, upper, offset = zip(*(lines[place] for place in places), strict=True)
            made.append(replace(here, lower=() if last else lower, upper=upper, offset=offset))
            return made[-1]

        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(box_bounds, "fall", fall)
            for module in (box_bounds, making):
                patch.setattr(module, "layer_of", layer)
            return box_bounds.bounds_on_box(shape_parameters(self.case.shape), self.case.network(0), self.case.box, row)

    def margin(self, leaf: int, at: tuple[LayerBounds, ...], signs: Sequence[Signs], bias: int) -> tuple[Margin, int]:
        """Return the margin of a leaf by what is said, and its value at the end."""
        network, words = self.case.network(bias), self.words
        (over,) = margin_signs(1, self.case.label)
        coefficients, constant = margin_start(network, over, words.multiplier)
        layers = []
        for depth in range(len(at), 0, -1):
            here, signs_here = at[depth - 1], signs[depth - 1]
            fixed = [on or off for on, off in zip(signs_here.on, signs_here.off, strict=True)]
            places = [(leaf, depth, neuron) for neuron in range(len(fixed))]
            true = [0 if is_fixed else max(-c, 0) for is_fixed, c in zip(fixed, coefficients, strict=True)]
            excess = tuple(words.excess.get(place, own) for place, own in zip(places, true, strict=True))
            lower = tuple(UNIT * (low + high > 0) for low, high in zip(here.low, here.high, strict=True))
            parts = leaf_parts(coefficients, signs_here, excess)
            slopes = Slopes(lower, here.upper, here.offset)
            mu, offsets = slopes_of(coefficients, *parts[:2], signs_here, slopes, parts[2], UNIT)
            coefficients, constant = through(network.layers[depth - 1], mu, UNIT * constant - offsets)
            layers.append((lower, excess))
        box, row = self.case.box, self.case.table[self.case.leaves[leaf][0]]
        centre = constant + sum(map(mul, coefficients, (*box.low, *row)))
        plain = coefficients[: len(box.low)]
        return margin_of(words.multiplier, *layers), centre - self.fall(len(at) + 1, plain)

    def told(self) -> Told:
        """Return the wires, with the least bias that the leaves close with."""
        case, words = self.case, self.words
        bounds = tuple(self.bounds(number, row) for number, row in enumerate(case.table))
        cuts = [0, *accumulate(layer.outputs for layer in case.layers[:-1])]
        bare = [leaf_of(number, signs, margin_of()) for number, signs in case.leaves]
        signs = [[Signs(leaf.on[a:b], leaf.off[a:b]) for a, b in pairwise(cuts)] for leaf in bare]
        ends = [self.margin(place, bounds[leaf.slice], signs[place], 0)[1] for place, leaf in enumerate(bare)]
        step = words.multiplier * UNIT ** len(case.network(0).hidden)
        needed = -(-(1 - min(ends)) // step) if words.bias is None else (2 * case.label - 1) * words.bias
        bias, leaves = (2 * case.label - 1) * needed, []
        for place, leaf in enumerate(bare):
            left = ends[place] + needed * step - 1
            own = self
            if words.bias is None:
                own = replace(self, words=replace(words, excess={**words.excess, (place, 1, SPARE): left}))
            margin, end = own.margin(place, bounds[leaf.slice], signs[place], bias)
            assert end == (1 if words.bias is None else left + 1)
            leaves.append(replace(leaf, margins=(margin,)))
        return self._filled(bias, BranchEvidence(case.label, 0, (), bounds, case.splits, tuple(leaves)))

    def _filled(self, bias: int, evidence: BranchEvidence) -> Told:
        """Return the wires of evidence, with what is said of signs and categories."""
        case, shape = self.case, self.case.shape
        blank = BoxStatement(0, SPEC_DIGEST, 0, 0, case.label, CONTEXT_DIGEST)
        wires = deepcopy(dict(fill(shape, blank, Secrets(case.network(bias), 7, case.box, 9, case.table, evidence))))
        width = shape.architecture.columns + shape.architecture.sensitive
        for top in range(2, len(case.layers) + 1):
            values = wires[f"coefficients.{top}.0"]
            forms = [values[at : at + width] for at in range(0, len(values), width)]
            wires[f"negative.{top}.0"] = [self.words.below(top, form[c]) for form in forms for c in self.numbers]
            if shape.choices:
                wires[f"least.{top}.0"] = [value for form in forms for value in self.least(top, form)]
        for neuron, column in self.words.weights:
            wires["negative_weight.1"][neuron * width + column] = self.weight_bit(neuron, column)
        if shape.choices:
            wires["free"] = [*self.free]
            rows = [[s * w for w in row] for row in case.layers[0].weights for s in (1, -1)]
            wires["first_least"] = [value for row in rows for value in self.least(1, row)]
        return Told("", shape, wires)


def told(case: Case, words: Words = TRUE) -> Told:
    """Return the wires of a case by words about it."""
    return Teller(case, words).told()


def searched(network: QuantisedNetwork, box: Box, table: tuple[Row, ...], label: int) -> Told:
    """Return the wires of what the honest search finds of a network of any number of logits, with four leaves."""
    shape = Case(network.layers, box, table).shape
    evidence = decide_on_box(shape_parameters(shape), network, box, table, label, shape.capacity)
    assert isinstance(evidence, BranchEvidence)
    blank = BoxStatement(0, SPEC_DIGEST, 0, 0, label, CONTEXT_DIGEST)
    return Told("", shape, dict(fill(shape, blank, Secrets(network, 7, box, 9, table, evidence))))


def is_false(of: Told) -> bool:
    """Tell whether somebody of the box that wires hold is decided otherwise than they say, by trying everybody."""
    a, wires = of.shape.architecture, of.wires
    layers = []
    for number, (outputs, inputs) in enumerate(a.layers, start=1):
        values = wires[f"weights.{number}"]
        rows = tuple(tuple(values[at * inputs : (at + 1) * inputs]) for at in range(outputs))
        layers.append(Layer(rows, tuple(wires[f"biases.{number}"])))
    network = QuantisedNetwork(tuple(layers), 1, (0,) * len(layers))
    box = unchecked(wires["box_low"], wires["box_high"], of.shape.choices)
    values = iter(wires["table"])
    table = tuple(zip(*[values] * a.sensitive, strict=True))
    everybody = product(persons(Boxed(box, table)), table)
    label = wires["label"][0] if a.logits == 1 else wires["label"].index(1)
    return any(decide(network.logits((*x, *row))) != label for x, row in everybody)
