"""Tiny models on boxes whose persons can all be listed."""

from __future__ import annotations

import random
from dataclasses import dataclass
from itertools import pairwise, product

from msgspec import UNSET

from equiproof.certify.additive import AdditiveModel
from equiproof.certify.branch.evidence import BranchEvidence
from equiproof.certify.ensemble import EnsembleModel
from equiproof.certify.network import Layer, QuantisedNetwork
from equiproof.certify.people import Box
from equiproof.certify.trees.ensemble_evidence import EnsembleEvidence, EnsembleLeaf
from equiproof.certify.trees.rows import live_rows
from equiproof.circuits.categories import Choice
from equiproof.circuits.layer_widths import bias_widths
from equiproof.circuits.shape import FORMAT, VERSION, Architecture, Shape
from equiproof.circuits.statement import BoxStatement
from equiproof.prover.witness.box import Secrets, fill
from tests.certify.trees.ensembles import drawn
from tests.soundness.box_told import Told
from tests.soundness.cheating_owner import CONTEXT_DIGEST, SPEC_DIGEST


@dataclass(frozen=True)
class Boxed:
    """A box and a table of several slices."""

    box: Box
    table: tuple[tuple[int, ...], ...]


@dataclass(frozen=True)
class Tiny(Boxed):
    """An additive model with them."""

    model: AdditiveModel

    @property
    def shape(self) -> Shape:
        """The shape of the model on boxes."""
        return Shape(
            format=FORMAT, version=VERSION, scheme="additive-box",
            architecture=Architecture(
                self.model.plain, self.model.sensitive, (), 1, (16,), (24,), self.model.predicates
            ),
            slices=len(self.table), input_bits=6, input_fraction_bits=1, radius_bits=4, capacity=1,
            one_hot=self.box.choices or UNSET,
        )  # fmt: skip


def persons(case: Boxed) -> list[tuple[int, ...]]:
    """List everybody in a box: each has one value of every category."""
    ends = [range(low, high + 1) for low, high in zip(case.box.low, case.box.high, strict=True)]
    found = []
    for point in product(*ends):
        values = [[point[column] for column in choice.columns] for choice in case.box.choices]
        of_one = (
            {*own} <= {choice.low, choice.high} and own.count(choice.high) == 1
            for choice, own in zip(case.box.choices, values, strict=True)
        )
        if all(of_one):
            found.append(point)
    return found


def drawn_box(rng: random.Random, numbers: int, categories: int) -> Box:
    """Return a box of so many numbers and categories, in any order: each is of one value as often as not."""
    choices, first = [], 0
    kinds = ["number"] * numbers + ["category"] * categories
    rng.shuffle(kinds)
    low: list[int] = []
    high: list[int] = []
    for kind in kinds:
        if kind == "number":
            start = rng.randint(-4, 3)
            low, high, first = [*low, start], [*high, start + rng.choice((0, 1, 4))], first + 1
            continue
        values = rng.randint(2, 3)
        bottom = rng.randint(-3, 0)
        choices.append(Choice(first, values, bottom, bottom + rng.randint(1, 3)))
        open_ones = rng.sample(range(values), rng.randint(1, values))
        settled = len(open_ones) == 1 and rng.random() < 0.7
        for value in range(values):
            own = value in open_ones
            low.append(choices[-1].high if own and settled else bottom)
            high.append(choices[-1].high if own else bottom)
        first += values
    return Box(tuple(low), tuple(high), tuple(choices))


def tiny(seed: int) -> Tiny:
    """Return a case: one or two numbers and up to two categories, thresholds at the ends as often as not."""
    rng = random.Random(seed)
    box = drawn_box(rng, rng.randint(1, 2), rng.randint(0, 2))
    first = len(box.low)
    sensitive = rng.randint(1, 2)
    places = set()
    while len(places) < rng.randint(1, 8) or not any(column < first for column, _ in places):
        places.add((rng.randrange(first + sensitive), rng.randint(-5, 6)))
    ordered = sorted(places)
    jumps = tuple(rng.choice((-9, -2, -1, 1, 2, 9, 0)) for _ in ordered)
    rows = tuple({tuple(rng.randint(-3, 3) for _ in range(sensitive)) for _ in range(4)})
    table = rows if len(rows) > 1 else (*rows, tuple(value + 1 for value in rows[0]))
    model = AdditiveModel(
        tuple(column for column, _ in ordered), tuple(threshold for _, threshold in ordered), jumps,
        rng.randint(-12, 12), first, sensitive, 1,
    )  # fmt: skip
    return Tiny(box, table, model)


@dataclass(frozen=True)
class TinyTrees(Boxed):
    """An ensemble with them."""

    model: EnsembleModel


def tiny_ensemble(seed: int) -> TinyTrees:
    """Return a case without categories: thresholds lie at the ends as often as not."""
    rng = random.Random(seed)
    while True:
        plain, sensitive = rng.randint(1, 3), rng.randint(1, 2)
        model = drawn(
            rng, plain=plain, sensitive=sensitive, predicates=rng.randint(2, 7), trees=rng.randint(1, 4),
            depth=rng.randint(1, 3), reach=3, jumps=rng.choice([0, 0.5]),
        )  # fmt: skip
        rows = {tuple(rng.randint(-3, 3) for _ in range(sensitive)) for _ in range(rng.randint(2, 5))}
        low = tuple(rng.randint(-4, 3) for _ in range(plain))
        high = tuple(end + rng.choice((0, 1, 3)) for end in low)
        if model.predicates[0] and len(rows) > 1:
            return TinyTrees(Box(low, high), tuple(sorted(rows)), model)


def tiny_ensemble_of_categories(seed: int) -> TinyTrees:
    """Return a case with one or two categories and up to two numbers; values have several thresholds, or none."""
    rng = random.Random(seed)
    while True:
        box = drawn_box(rng, rng.randint(0, 2), rng.randint(1, 2))
        sensitive = rng.randint(1, 2)
        model = drawn(
            rng, plain=len(box.low), sensitive=sensitive, predicates=rng.randint(3, 10), trees=rng.randint(1, 5),
            depth=rng.randint(1, 3), reach=3, jumps=rng.choice([0, 0.5]),
        )  # fmt: skip
        rows = {tuple(rng.randint(-3, 3) for _ in range(sensitive)) for _ in range(rng.randint(2, 4))}
        if model.predicates[0] and len(rows) > 1:
            return TinyTrees(box, tuple(sorted(rows)), model)


def told_leaves(case: TinyTrees, leaves: EnsembleEvidence) -> Told:
    """Return the wires of leaves, under a shape that has hardly room for more."""
    model = case.model
    rows = live_rows(model, case.box.low, leaves.slots)
    shape = Shape(
        format=FORMAT, version=VERSION, scheme="trees-box",
        architecture=Architecture(
            model.plain, model.sensitive, (), 1, (16,), (24,), model.predicates, model.nodes.sizes
        ),
        slices=len(case.table), input_bits=6, input_fraction_bits=1, radius_bits=8,
        capacity=1 << (len(leaves.leaves) - 1).bit_length(), slots=max(1, len(leaves.slots)), rows=max(1, len(rows)),
        one_hot=case.box.choices or UNSET,
    )  # fmt: skip
    statement = BoxStatement(0, SPEC_DIGEST, 0, 0, leaves.label, CONTEXT_DIGEST)
    return Told("", shape, dict(fill(shape, statement, Secrets(model, 7, case.box, 9, case.table, leaves))))


def drawn_leaves(rng: random.Random, case: TinyTrees, label: int) -> EnsembleEvidence:
    """Return up to eight leaves with all cells, split at random, in which no row charges and all slices are served."""
    own = case.model.additive
    low, high = case.box.low, case.box.high
    keys = list(zip(own.columns, own.thresholds, strict=True))[: case.model.predicates[0]]
    slots = tuple(place for place, (column, at) in enumerate(keys) if low[column] <= at < high[column])
    columns = sorted({own.columns[place] for place in slots})
    # Of each column the first and the last position, above so many of its thresholds.
    leaves = [{column: (0, sum(own.columns[place] == column for place in slots)) for column in columns}]
    for _ in range(rng.randint(0, 7) if slots else 0):
        leaf = leaves.pop(rng.randrange(len(leaves)))
        column = rng.choice(columns)
        first, last = leaf[column]
        at = rng.randint(first, last)
        leaves += [leaf | {column: (first, at)}, *([leaf | {column: (at + 1, last)}] if at < last else [])]
    rows = len(live_rows(case.model, low, slots))
    free = (0,) * case.model.predicates[1]
    found = []
    for leaf in leaves:
        signs = []
        for column in columns:
            first, last = leaf[column]
            count = sum(own.columns[place] == column for place in slots)
            signs += [1 if number < first else -1 if number >= last else 0 for number in range(count)]
        found.append(EnsembleLeaf(tuple(signs), free, tuple(range(len(case.table))), 0, True, (0,) * rows))
    return EnsembleEvidence(label, 0, slots, tuple(found))


@dataclass(frozen=True)
class TinyNetwork(Boxed):
    """A network with them."""

    model: QuantisedNetwork

    def shape(self, capacity: int) -> Shape:
        """The shape of the network on boxes, with so many leaves."""
        hidden, logits = self.model.hidden, self.model.logit_count
        plain, inputs = len(self.box.low), self.model.inputs
        widths = (6,) * (len(hidden) + 1)
        biases = bias_widths(inputs, 5, (*hidden, logits), widths)
        return Shape(
            format=FORMAT, version=VERSION, scheme="branch-box",
            architecture=Architecture(plain, inputs - plain, hidden, logits, widths, biases),
            slices=len(self.table), input_bits=5, input_fraction_bits=1, radius_bits=4, capacity=capacity,
            one_hot=self.box.choices or UNSET,
        )  # fmt: skip


def tiny_network(seed: int) -> TinyNetwork:
    """Return a case: up to two numbers and two categories, one to three hidden layers, one logit or three."""
    rng = random.Random(seed)
    numbers = rng.randint(0, 2)
    box = drawn_box(rng, numbers, rng.randint(0 if numbers else 1, 2))
    sensitive = rng.randint(1, 2)
    sizes = [len(box.low) + sensitive, *(rng.randint(1, 4) for _ in range(rng.randint(1, 3))), rng.choice((1, 1, 1, 3))]
    layers = [
        Layer(
            tuple(tuple(rng.randint(-16, 16) for _ in range(inputs)) for _ in range(outputs)),
            # As large as the values of the layer are.
            tuple(rng.randint(-60, 60) << 4 * depth for _ in range(outputs)),
        )
        for depth, (inputs, outputs) in enumerate(pairwise(sizes))
    ]
    network = QuantisedNetwork(tuple(layers), 1, (4,) * len(layers))
    rows = tuple({tuple(rng.randint(-3, 3) for _ in range(sensitive)) for _ in range(3)})
    table = rows if len(rows) > 1 else (*rows, tuple(value + 1 for value in rows[0]))
    return TinyNetwork(box, table, network)


def told_signs(case: TinyNetwork, evidence: BranchEvidence) -> Told:
    """Return the wires of leaves, under a shape that has hardly room for more."""
    shape = case.shape(max(4, 1 << (len(evidence.leaves) - 1).bit_length()))
    statement = BoxStatement(0, SPEC_DIGEST, 0, 0, evidence.label, CONTEXT_DIGEST)
    return Told("", shape, dict(fill(shape, statement, Secrets(case.model, 7, case.box, 9, case.table, evidence))))
