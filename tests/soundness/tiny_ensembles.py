"""Tiny ensembles, whose cells can all be listed, and what a liar says of them: partitions of the cells with everything
chosen at random that the rules leave to the prover, and right in all but what is false."""

from __future__ import annotations

import random
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import product

from msgspec import UNSET

from equiproof.certify.ensemble import Child, EnsembleModel
from equiproof.certify.trees.ensemble_evidence import EnsembleEvidence, EnsembleLeaf
from equiproof.certify.trees.rows import children_of, live_rows, resolved
from equiproof.certify.trees.scale import EnsembleScale, ensemble_scale
from equiproof.circuits.shape import FORMAT, VERSION, Architecture, Shape
from equiproof.circuits.spec import Box
from equiproof.prover.witness.relation import Secrets
from tests.certify.trees.ensembles import drawn
from tests.soundness.additive_told import Told
from tests.soundness.trees_told import filled_under

CAP = 400


@dataclass(frozen=True)
class Tiny:
    """A model with a query of n_x integers and a table of two to five slices; with a box, neighbors are kept to it."""

    model: EnsembleModel
    query: tuple[int, ...]
    table: tuple[tuple[int, ...], ...]
    box: Box | None = None
    input_bits: int = 8

    @property
    def labels(self) -> set[int | None]:
        """What is decided at the query, over all slices; None for a tie."""
        return {self.model.decide((*self.query, *row)) for row in self.table}

    @cached_property
    def scale(self) -> EnsembleScale:
        """The widths of its evidence."""
        return ensemble_scale(self.model)

    def side(self, place: int) -> bool:
        """Return whether the query is at most a plain predicate's threshold."""
        return self.query[self.model.additive.columns[place]] <= self.model.additive.thresholds[place]

    def gap2(self, place: int) -> int:
        """Return the squared distance to a plain predicate's threshold."""
        return (self.query[self.model.additive.columns[place]] - self.model.additive.thresholds[place]) ** 2

    def inside(self, place: int) -> bool:
        """Return whether somebody inside the ranges crosses a plain predicate's threshold; nobody without its value."""
        if self.model.additive.lacks(place, self.query):
            return False
        if self.box is None:
            return True
        column, threshold = self.model.additive.columns[place], self.model.additive.thresholds[place]
        low, high = self.box
        return threshold < high[column] if self.side(place) else threshold >= low[column]

    def passed(self, place: int, row: int) -> bool:
        """Return whether a slice is above a sensitive predicate's threshold."""
        own = self.model.additive
        return self.table[row][own.columns[place] - self.model.plain] > own.thresholds[place]

    def exact(self, label: int) -> int | None:
        """Return the least squared distance of a cell that is not decided as the label; None beyond the cap."""
        own, ends = self.model.additive, []
        crossed = [place for place in range(self.model.predicates[0]) if self.inside(place)]
        for column, x in enumerate(self.query):
            thresholds = [own.thresholds[place] for place in crossed if own.columns[place] == column]
            ends.append([(0, x), *(((t - x) ** 2, t + 1 if x <= t else t) for t in thresholds)])
        wrong = (
            sum(gap for gap, _ in cell)
            for cell in product(*ends)
            if any(self.model.decide((*(x for _, x in cell), *row)) != label for row in self.table)
        )
        return min((squared for squared in wrong if squared < CAP), default=None)

    def told(self, evidence: EnsembleEvidence) -> Told:
        """Return the wires of evidence, under a shape that has hardly room for more."""
        rows = live_rows(self.model, self.query, evidence.slots)
        architecture = Architecture(
            self.model.plain, self.model.sensitive, (), 1, (16,), (24,), self.model.predicates, self.model.nodes.sizes,
            UNSET if self.model.additive.absent is None else True,
        )  # fmt: skip
        shape = Shape(
            format=FORMAT, version=VERSION, scheme="trees" if self.box is None else "trees-ranges",
            architecture=architecture, slices=len(self.table),
            input_bits=self.input_bits, input_fraction_bits=1, radius_bits=self.scale.radius_bits,
            capacity=1 << (len(evidence.leaves) - 1).bit_length(), slots=max(1, len(evidence.slots)),
            rows=max(1, len(rows)),
        )  # fmt: skip
        return filled_under(shape, Secrets(self.model, 7, self.query, 9, self.table, self.box), evidence)


def tiny(seed: int) -> Tiny:
    """Return a case: thresholds lie at the query and at slices as often as not, trees share predicates and columns."""
    rng = random.Random(seed)
    while True:
        plain, sensitive = rng.randint(1, 3), rng.randint(1, 2)
        model = drawn(
            rng, plain=plain, sensitive=sensitive, predicates=rng.randint(2, 7), trees=rng.randint(1, 4),
            depth=rng.randint(1, 3), reach=3, jumps=rng.choice([0, 0.5]),
        )  # fmt: skip
        query = tuple(rng.randint(-4, 4) for _ in range(plain))
        rows = {tuple(rng.randint(-3, 3) for _ in range(sensitive)) for _ in range(rng.randint(2, 5))}
        if model.predicates[0] and len(rows) > 1:
            return Tiny(model, query, tuple(sorted(rows)))


def kept(seed: int) -> Tiny:
    """Return a case of four bits inside ranges: query, ranges and slices lie at the ends as often as not."""
    rng, low, high = random.Random(seed), -8, 7
    while True:
        plain, sensitive = rng.randint(1, 2), rng.randint(1, 2)
        model = drawn(
            rng, plain=plain, sensitive=sensitive, predicates=rng.randint(2, 7), trees=rng.randint(1, 3),
            depth=rng.randint(1, 3), reach=high, jumps=rng.choice([0, 0.5]),
        )  # fmt: skip
        query = tuple(rng.choice([low, high, rng.randint(low, high)]) for _ in range(plain))
        box = (
            tuple(rng.choice([low, x, rng.randint(low, x)]) for x in query),
            tuple(rng.choice([high, x, rng.randint(x, high)]) for x in query),
        )
        drawn_rows = range(rng.randint(2, 4))
        rows = {tuple(rng.choice([low, high, rng.randint(low, high)]) for _ in range(sensitive)) for _ in drawn_rows}
        if model.predicates[0] and len(rows) > 1:
            return Tiny(model, query, tuple(sorted(rows)), box, 4)


def lacking(seed: int) -> Tiny:
    """Return a case of either kind in which some values of the query are missing; nodes send these either way."""
    rng = random.Random(seed)
    case = rng.choice([tiny, kept])(seed)
    absent = (1 << (case.input_bits - 1)) - 1
    nodes = replace(case.model.nodes, highs=tuple(rng.randint(0, 1) for _ in case.model.nodes.predicates))
    model = EnsembleModel(replace(case.model.additive, absent=absent), nodes)
    # Four bits are so few that a stated value would often be the largest one.
    stated = [min(x, absent - 1) for x in case.query]
    query = tuple(absent if rng.random() < 0.5 else x for x in stated)
    # Nobody states the largest integer, so that no range ends there.
    box = case.box and (tuple(map(min, case.box[0], stated)), tuple(min(x, absent - 1) for x in case.box[1]))
    return replace(case, model=model, query=query, box=box)


@dataclass(frozen=True)
class Liar:
    """Draws evidence for a label and a radius, right or wrong."""

    rng: random.Random
    case: Tiny
    label: int
    radius_squared: int

    def evidence(self, fine: float) -> EnsembleEvidence:
        """Return evidence of which nothing is wrong but, perhaps, that a leaf does not close.

        `fine` is how often a part is halved where it can be. At 1 every leaf is a cell of one slice, which closes
        exactly where it is decided as the label.
        """
        case, plain = self.case, range(self.case.model.predicates[0])
        slots = tuple(place for place in plain if case.inside(place) and case.gap2(place) < self.radius_squared)
        columns = [case.model.additive.columns[place] for place in slots]
        spans = tuple((0, columns.count(column)) for column in sorted(set(columns)))
        parts, leaves = [(spans, tuple(range(len(case.table))))], []
        while parts:
            part = parts.pop()
            halves = self._halved(part) if self.rng.random() < fine else []
            parts += halves
            if not halves:
                leaves.append(self._leaf(slots, columns, *part, cell=fine == 1))
        return EnsembleEvidence(self.label, self.radius_squared, slots, tuple(leaves))

    def _halved(self, part):
        """Return both halves of a part, by a column or by its slices; nothing of a cell of one slice."""
        spans, slices = part
        wide = [at for at, (low, high) in enumerate(spans) if low < high] + ([-1] if len(slices) > 1 else [])
        if not wide:
            return []
        at = self.rng.choice(wide)
        if at == -1:
            middle = self.rng.randrange(1, len(slices))
            return [(spans, slices[:middle]), (spans, slices[middle:])]
        low, high = spans[at]
        middle = self.rng.randrange(low, high)
        return [((*spans[:at], half, *spans[at + 1 :]), slices) for half in ((low, middle), (middle + 1, high))]

    def _leaf(self, slots, columns, spans, slices, *, cell) -> EnsembleLeaf:
        """Return a leaf of a part: signs that are as free as the part is, or of its slices where they agree."""
        case, rng, signs, seen = self.case, self.rng, [], dict.fromkeys(columns, 0)
        by_column = dict(zip(sorted(set(columns)), spans, strict=True))
        for place, column in zip(slots, columns, strict=True):
            low, high = by_column[column]
            absolute = 1 if seen[column] < low else -1 if seen[column] >= high else 0
            signs.append(absolute if case.side(place) else -absolute)
            seen[column] += 1
        sensitive = []
        for place in range(case.model.predicates[0], sum(case.model.predicates)):
            passed = {case.passed(place, row) for row in slices}
            fixed = len(passed) == 1 and (cell or rng.random() < 0.8)
            sensitive.append((1 if passed.pop() else -1) if fixed else 0)
        used = self._distance(slots, columns, signs) < max(1, self.radius_squared)
        most = (1 << case.scale.multiplier_bits) - 1
        multiplier = rng.choice([0, 0, 1, rng.randrange(1 << case.scale.radius_bits), rng.randrange(most), most])
        multiplier = 0 if cell else multiplier
        charges = self._charges(slots, (*signs, *sensitive))
        return EnsembleLeaf(tuple(signs), tuple(sensitive), slices, multiplier, used, charges)

    def _distance(self, slots, columns, signs) -> int:
        """Return the squared distance of the crossed slots: of each column the farthest."""
        farthest = dict.fromkeys(columns, 0)
        for place, column, sign in zip(slots, columns, signs, strict=True):
            if sign == 1:
                farthest[column] = max(farthest[column], self.case.gap2(place))
        return sum(farthest.values())

    def _charges(self, slots, signs) -> tuple[int, ...]:
        """Return charges of free rows, often none or all that their children differ by."""
        case, values, found = self.case, {}, []
        model, sigma = case.model, 2 * self.label - 1
        sign_of = dict(zip((*slots, *range(model.predicates[0], sum(model.predicates))), signs, strict=True))

        def value(child: Child) -> int:
            child = resolved(model, child, case.query, slots)
            return values[child.number] if child.is_node else sigma * child.number << case.scale.value_bits

        for node in reversed(live_rows(model, case.query, slots)):
            stay, cross = (value(child) for child in children_of(model, node, case.query))
            apart, sign = abs(stay - cross), sign_of[model.nodes.predicates[node]]
            gamma = 0 if sign else self.rng.choice([0, 0, apart, self.rng.randint(0, apart)])
            values[node] = (min(stay, cross) if sign == 0 else cross if sign == 1 else stay) + gamma
            found.append(gamma)
        return tuple(reversed(found))
