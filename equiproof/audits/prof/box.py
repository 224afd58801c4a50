"""Repair over a box of applicants: the result is proven for everyone in it, or refused.

A box names ranges of plain features; every other feature takes all its values. These are too many applicants to list,
so the repair is a loop of guesses and proofs:

1. The network is repaired for some points, as ever.
2. The result is searched for an applicant of the box whose decision a sensitive value changes: random draws, a
   mixed-integer program, then branch and bound in exact integers (:mod:`equiproof.audits.hyfair`).
3. Such applicants become repair points. The smallest weights of sensitive columns that step 1 left are set to 0, in
   each round a larger share of them, and step 2 is taken again. In the last round none is left.

Why weights have to go: a network is continuous. If sensitive values move its output where the box crosses the edge
between two decisions, some input beside that edge is decided both ways. Repair points only move the edge.

Only the proof counts: trees of boxes that the exact checker accepts show, for every label, that no applicant of the box
gets it under one sensitive value and not under another. (Loop and proof are ours; the paper repairs listed points.)
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal, InvalidOperation
from fractions import Fraction
from math import ceil, prod

import numpy as np

from equiproof.audits.errors import AuditError
from equiproof.audits.hyfair.branch import Budget
from equiproof.audits.hyfair.clusters import Judge
from equiproof.audits.hyfair.forward import Forward
from equiproof.audits.hyfair.grid import Box, Grid, Integers, grid_of
from equiproof.audits.hyfair.hybrid import Limits, settle
from equiproof.audits.hyfair.levels import GridError
from equiproof.audits.hyfair.margin import margin_of
from equiproof.audits.prof.clock import ENDLESS, Clock
from equiproof.audits.prof.repair import DEFAULTS, Repaired, Settings, Unrepaired, repair
from equiproof.audits.prof.similar import Similarity
from equiproof.certify.network import Layer, QuantisedNetwork
from equiproof.circuits.spec import Feature, Spec

Query = tuple[int, ...]

DRAWN = 100
"""The repair points that are drawn from the box where none are given."""

MORE = 50
"""The most applicants that a round adds."""

ROUNDS = 6

_PROOF_BOXES = 200_000
"""The most boxes that one proof bounds."""

_REPAIR_SHARE = 0.5
"""The part of the time left that the repair of a round may take; its proof takes the rest."""

_ROUND_DRAWS = 20_000
"""The applicants drawn in a round for those whose decision still differs."""


class BoxError(AuditError):
    """An invalid box of applicants; one line naming the feature and how to mend it."""


@dataclass(frozen=True, eq=False)
class Applicants:
    """A box of applicants: the grid of their features, and the least and the largest index of each, shape (F,)."""

    grid: Grid
    box: Box

    @property
    def count(self) -> int:
        """The number of applicants in raw values, sensitive values apart."""
        low, high = self.box
        columns = zip(self.grid.features, low.tolist(), high.tolist(), strict=True)
        # A feature that is not narrowed has all its raw values, of which several may share a step of the grid.
        return prod(
            feature.count if last - first + 1 == len(feature.first) else last - first + 1
            for feature, first, last in columns
        )

    def draw(self, rng: np.random.Generator, count: int) -> list[Query]:
        """Return applicants drawn evenly, as queries of n_x integers, each once."""
        return self.queries(self.grid.draw(rng, count, self.box))

    def queries(self, applicants: Integers) -> list[Query]:
        """Return applicants of shape (n, F) as queries, each once."""
        return list(dict.fromkeys(tuple(row) for row in self.grid.columns(applicants).tolist()))


def read_box(text: str, spec: Spec) -> Applicants:
    """Read a box such as "age=30..40,home=own": ranges with both ends, a category from one value to a later one.

    Ends written with decimals stand for numbers in such steps, others for whole numbers. Raises BoxError for anything
    else, and for a number without a range in box or spec.
    """
    features = {feature.name: feature for feature in spec.plain_features}
    numbers: dict[str, tuple[Fraction, Fraction]] = {}
    decimals: dict[str, int] = {}
    categories: dict[str, tuple[int, int]] = {}
    for part in filter(None, (part.strip() for part in text.split(","))):
        name, separator, ends = part.rpartition("=")
        if not separator or name not in features:
            raise BoxError(f"box: want plain features and ranges, such as age=30..40, not {part[:40]!r}")
        low, _, high = ends.partition("..")
        if features[name].domain:
            categories[name] = _places(features[name], low, high or low)
        else:
            numbers[name], decimals[name] = _range(features[name], low, high or low)
    if not numbers and not categories:
        raise BoxError("box: want at least one feature and a range, such as age=30..40")
    try:
        grid = grid_of(spec, numbers, decimals=decimals)
    except GridError as error:
        raise BoxError(f"box: {error}") from None
    return Applicants(grid, _narrow(grid, categories))


def _narrow(grid: Grid, categories: Mapping[str, tuple[int, int]]) -> Box:
    """Return the whole box of a grid with some categories narrowed."""
    low, high = (end.copy() for end in grid.whole)
    for name, ends in categories.items():
        place = grid.names.index(name)
        low[place], high[place] = ends
    return low, high


def _places(feature: Feature, low: str, high: str) -> tuple[int, int]:
    """Return the places of two categories in the spec's order."""
    for value in (low, high):
        if value not in feature.domain:
            raise BoxError(f"box: feature {feature.name!r} has no value {value[:40]!r}")
    first = feature.domain.index(low)
    last = feature.domain.index(high)
    if last < first:
        raise BoxError(f"box: feature {feature.name!r}: turn the ends round: {low!r} comes after {high!r} in the spec")
    return first, last


def _range(feature: Feature, low: str, high: str) -> tuple[tuple[Fraction, Fraction], int]:
    """Return the ends of a number and their decimals; raises BoxError outside the spec's range."""
    try:
        numbers = [Decimal(low), Decimal(high)]
        ends = Fraction(numbers[0]), Fraction(numbers[1])
    except (InvalidOperation, ValueError, OverflowError):
        raise BoxError(f"box: feature {feature.name!r}: want a range of numbers, not {low[:20]}..{high[:20]}") from None
    if ends[1] < ends[0]:
        raise BoxError(f"box: feature {feature.name!r}: turn the ends round: {low} is above {high}")
    if feature.range is not None and not Fraction(feature.range[0]) <= ends[0] <= ends[1] <= Fraction(feature.range[1]):
        raise BoxError(f"box: feature {feature.name!r}: want a range within {' to '.join(feature.range)}")
    return ends, max(0, *(-int(number.as_tuple().exponent) for number in numbers))


@dataclass(frozen=True)
class Proof:
    """That no sensitive value changes a decision in the box: trees of boxes, `leaves` of them, `boxes` bounded."""

    leaves: int
    boxes: int


@dataclass(frozen=True, eq=False)
class Unproven:
    """An applicant of the box whose decision a sensitive value changes, shape (F,), or None with a `reason`."""

    applicant: Integers | None
    reason: str


@dataclass(frozen=True, eq=False)
class RepairedBox:
    """A repaired network with its proof for all `applicants` of the box, the rounds, and the last one's points."""

    repaired: Repaired
    proof: Proof
    applicants: int
    rounds: int
    points: int


def judges(network: QuantisedNetwork, grid: Grid) -> list[Judge]:
    """Return a judge per label whose decision is examined: with two labels both, so that a tie counts as neither."""
    labels = max(2, network.logit_count)
    if labels == 2:
        margins = [margin_of(network), margin_of(_negate(network))]
    else:
        margins = [margin_of(network, label) for label in range(labels)]
    return [Judge(Forward(margin, grid)) for margin in margins]


def _negate(network: QuantisedNetwork) -> QuantisedNetwork:
    """Return a network whose logits are the negatives."""
    last = network.layers[-1]
    layer = Layer(tuple(tuple(-weight for weight in row) for row in last.weights), tuple(-bias for bias in last.biases))
    return replace(network, layers=(*network.layers[:-1], layer))


def prove(
    network: QuantisedNetwork, applicants: Applicants, limits: Limits, seed: int = 0, clock: Clock = ENDLESS
) -> Proof | Unproven:
    """Prove that for every applicant of a box and every label, all sensitive values give the label or none does.

    Returns a Proof whose trees the exact checker accepted, or what stands against it. No search begins once the clock
    has ended.
    """
    rng = np.random.default_rng(seed)
    leaves = 0
    boxes = 0
    for judge in judges(network, applicants.grid):
        if clock.over:
            return Unproven(None, "the time ended")
        outcome = settle(judge, "flipped", applicants.box, _within(limits, clock), rng)
        if outcome.tree is None or outcome.branched is None:
            return Unproven(outcome.counterexample, outcome.reason or "an applicant of the box is decided differently")
        leaves += outcome.tree.leaves
        boxes += outcome.branched.boxes
    return Proof(leaves, boxes)


def _within(limits: Limits, clock: Clock) -> Limits:
    """Return limits of one search that leave some of the time: the solver has a quarter of it, and boxes half."""
    budget = replace(limits.branch, seconds=min(limits.branch.seconds, clock.rest / 2))
    return replace(limits, solver_seconds=min(limits.solver_seconds, clock.rest / 4), branch=budget)


@dataclass(frozen=True)
class BoxLimits:
    """Limits of a repair over a box: rounds, and what each proof may take."""

    proof: Limits
    rounds: int = ROUNDS

    @classmethod
    def of(cls, seconds: float) -> BoxLimits:
        """Return the limits where each search of a proof may take so many seconds, the solver five at most."""
        return cls(Limits(solver_seconds=min(5.0, seconds), branch=Budget(_PROOF_BOXES, seconds)))


def repair_box(
    network: QuantisedNetwork,
    similarity: Similarity,
    applicants: Applicants,
    kept: tuple[Integers, Integers],
    settings: Settings = DEFAULTS,
    limits: BoxLimits | None = None,
    points: Sequence[Query] = (),
    clock: Clock = ENDLESS,
) -> RepairedBox | Unrepaired:
    """Repair a network so that no sensitive value changes the decision of any applicant of a box.

    `kept` are rows to keep as for :func:`equiproof.audits.prof.repair.repair`, `points` further repair points. `clock`
    ends every round: each repair has half of the time left. Raises BoxError for a relaxed relation: a box replaces it.
    """
    if similarity.relaxed:
        raise BoxError("box: leave out either the box or the relaxed features: they do not go together")
    limits = limits or BoxLimits.of(settings.seconds)
    rng = np.random.default_rng(settings.seed)
    queries = list(dict.fromkeys(points)) or applicants.draw(rng, DRAWN)
    tried: list[str] = []
    for number in range(limits.rounds):
        if clock.over:
            return Unrepaired(f"the time ended after {number} rounds, without a proof for the box", tuple(tried))
        if number:
            # Step 1 is done; what it left of the sensitive columns goes, the smallest weights first.
            network = prune(network, similarity.spec, Fraction(number, limits.rounds - 1))
            settings = replace(settings, steps=0)
        outcome = repair(network, similarity, queries, kept, settings, clock.share(_REPAIR_SHARE))
        outcome = replace(outcome, tried=(*tried, *outcome.tried))
        if isinstance(outcome, Unrepaired):
            return outcome
        proof = prove(outcome.network, applicants, limits.proof, settings.seed + number, clock)
        if isinstance(proof, Proof):
            return RepairedBox(outcome, proof, applicants.count, number + 1, len(queries))
        tried.append(f"round {number + 1}, {len(queries)} points: {proof.reason}")
        if proof.applicant is not None:
            flipped = _flipped(outcome.network, applicants, proof.applicant, rng)
            queries += [query for query in flipped if query not in queries]
        network = outcome.network
    return Unrepaired(f"{limits.rounds} rounds ended without a proof for the box", tuple(tried))


def prune(network: QuantisedNetwork, spec: Spec, share: Fraction) -> QuantisedNetwork:
    """Return a network without the smallest weights of the sensitive columns, a share of them, ties included."""
    first = network.layers[0]
    start = spec.plain_columns
    sizes = sorted(abs(weight) for row in first.weights for weight in row[start:] if weight)
    if not sizes or not share:
        return network
    largest = sizes[min(len(sizes), ceil(share * len(sizes))) - 1]
    rows = tuple(
        row[:start] + tuple(weight if abs(weight) > largest else 0 for weight in row[start:]) for row in first.weights
    )
    return replace(network, layers=(Layer(rows, first.biases), *network.layers[1:]))


def _flipped(
    network: QuantisedNetwork, applicants: Applicants, counterexample: Integers, rng: np.random.Generator
) -> list[Query]:
    """Return a counterexample, shape (F,), and other applicants of the box whose decision differs, as queries."""
    draws = applicants.grid.draw(rng, _ROUND_DRAWS, applicants.box)
    is_flipped = np.any([judge.judge(draws).flipped for judge in judges(network, applicants.grid)], axis=0)
    return applicants.queries(np.concatenate([counterexample[None], draws[is_flipped][: MORE - 1]]))
