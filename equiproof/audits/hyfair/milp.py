"""The 2-fairness question as a mixed-integer program for HiGHS: two copies of the network on one applicant.

Notation: copy v in {a, b} takes the applicant's columns and those of one protected assignment, chosen by binaries that
sum to 1. A neuron z = W h + b with lo <= z <= hi has h = relu(z) by h >= z, h >= 0, h <= z - lo (1 - d), h <= hi d and
a binary d (Fischetti and Jo 2018; the paper's s is h - z). The paper maximizes |F_a - F_b| and compares the optimum to
eps. Here one feasible point suffices: F_a > 0 >= F_b for a flip, and scores eps apart for a gap, whose necessary
conditions are linear in the margins; an objective drawn at random leads to another point each time.

HiGHS computes in floats to a tolerance. Its points are replayed exactly before they count. If it finds none, that is a
hint, never a verdict.
"""

from __future__ import annotations

import math
import time
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

import highspy
import numpy as np

from equiproof.audits.hyfair.bounds import corners
from equiproof.audits.hyfair.clusters import Judge, Property
from equiproof.audits.hyfair.forward import Floats
from equiproof.audits.hyfair.grid import Box, Grid, Integers
from equiproof.certify import highs

Outcome = Literal["witness", "none", "open"]

_SOLVER_GAP = 1e-6
"""The least distance of a flip's margins from 0: the solver's own tolerance."""


@dataclass(frozen=True, eq=False)
class Answer:
    """What the solver found: a replayed `counterexample` of shape (F,), nothing within its tolerance, or no answer.

    `replayed` counts the points it gave; points that are invalid in exact numbers leave the question open.
    """

    outcome: Outcome
    counterexample: Integers | None
    replayed: int
    seconds: float


@dataclass
class _Program:
    """Columns and rows of a program as they are written down."""

    lower: list[float] = field(default_factory=list)
    upper: list[float] = field(default_factory=list)
    whole: list[bool] = field(default_factory=list)
    cost: list[float] = field(default_factory=list)
    rows: list[tuple[float, float, list[int], list[float]]] = field(default_factory=list)

    def column(self, low: float, high: float, *, whole: bool = False, cost: float = 0.0) -> int:
        """Add a variable and return its number."""
        for values, value in ((self.lower, low), (self.upper, high), (self.cost, cost)):
            values.append(float(value))
        self.whole.append(whole)
        return len(self.lower) - 1

    def row(self, low: float, high: float, terms: dict[int, float]) -> None:
        """Add low <= sum of terms <= high."""
        coefficients = {index: value for index, value in terms.items() if value}
        self.rows.append((low, high, list(coefficients), list(coefficients.values())))


Line = tuple[dict[int, float], float]
"""A linear expression: coefficients by variable, and a constant."""


def ask(judge: Judge, aim: Property, box: Box, rng: np.random.Generator, seconds: float) -> Answer:
    """Ask HiGHS for an applicant of a box with a property, within seconds of the clock."""
    begun = time.perf_counter()
    program, places, margins = _written(judge, box, rng)
    replayed = 0
    for region in _regions(aim, float(judge.epsilon)):
        remainder = seconds - (time.perf_counter() - begun)
        if remainder <= 0:
            break
        status, point = _solved(program, margins, region, remainder, int(rng.integers(1 << 30)))
        if point is not None:
            replayed += 1
            applicant = _applicant(judge.forward.grid, places, point, box)
            if getattr(judge.judge(applicant[None]), aim)[0]:
                return Answer("witness", applicant, replayed, time.perf_counter() - begun)
        if status == "none" and region.necessary:
            return Answer("none", None, replayed, time.perf_counter() - begun)
    return Answer("open", None, replayed, time.perf_counter() - begun)


class _Region(NamedTuple):
    """F_a at least, F_b at most, F_a - F_b at least; `necessary` where every applicant with the property is in it."""

    least: float
    most: float
    apart: float
    necessary: bool


def _regions(aim: Property, epsilon: float) -> list[_Region]:
    """Return the regions to look into, one after the other.

    Scores eps apart need margins 4 artanh(eps) apart, one of them above the logit of eps and one below that of 1 - eps.
    F_b <= logit(p) and F_a >= logit(p + eps) guarantee a gap: p around the middle is tried first, and others, from
    the middle on, where the necessary region also contains points without the property.
    """
    if aim == "flipped":
        return [_Region(_SOLVER_GAP, 0.0, 0.0, necessary=True)]
    end = _logit(1 - epsilon)
    steps = round(2 / epsilon) - 3
    starts = sorted((epsilon / 2 * (step + 1) for step in range(steps)), key=lambda p: abs(p + epsilon / 2 - 0.5))
    sure = [_Region(_logit(p + epsilon) + _SOLVER_GAP, _logit(p) - _SOLVER_GAP, 0.0, necessary=False) for p in starts]
    return [*sure[:1], _Region(-end, end, 4 * math.atanh(epsilon), necessary=True), *sure[1:]]


def _logit(score: float) -> float:
    """Return the margin of a score."""
    return math.log(score / (1 - score))


def _solved(
    program: _Program, margins: tuple[Line, Line], region: _Region, seconds: float, seed: int
) -> tuple[Outcome, Floats | None]:
    """Run HiGHS until its first feasible point; return whether there is one, none, or the run was cut short."""
    (above, a), (below, b) = margins
    difference = {index: above.get(index, 0.0) - below.get(index, 0.0) for index in {*above, *below}}
    rows = [
        *program.rows,
        _listed(region.least - a, math.inf, above),
        _listed(-math.inf, region.most - b, below),
        _listed(region.apart - a + b, math.inf, difference),
    ]
    matrix = highs.by_rows([(numbers, values) for _, _, numbers, values in rows], len(program.cost))
    sides = [low for low, _, _, _ in rows], [high for _, high, _, _ in rows]
    whole = (index for index, chosen in enumerate(program.whole) if chosen)
    model = highs.program(program.cost, (program.lower, program.upper), matrix, sides, whole)
    solver = highs.opened(
        model,
        {
            "random_seed": seed,
            "time_limit": seconds,
            "mip_max_improving_sols": 1,
            "mip_feasibility_tolerance": 1e-9,
        },
    )
    solver.run()
    status = solver.getModelStatus()
    if status == highspy.HighsModelStatus.kInfeasible:
        return "none", None
    if math.isfinite(solver.getInfo().objective_function_value) and solver.getSolution().value_valid:
        return "witness", np.array(solver.getSolution().col_value)
    return "open", None


def _written(judge: Judge, box: Box, rng: np.random.Generator) -> tuple[_Program, list[list[int]], tuple[Line, Line]]:
    """Write both copies down; return the program, the variables of every feature, and the margins of the copies."""
    program = _Program()
    grid = judge.forward.grid
    places = []
    plain = []
    for f in range(len(grid.names)):
        variables, lines = _feature(program, grid, f, box, rng)
        places.append(variables)
        plain += lines
    least, most = corners(grid, (box[0][None], box[1][None]))
    ends = _in_units(judge, judge.guiding.ends(least.astype(np.float64), most.astype(np.float64)))
    copies = [_copy(program, judge, plain, ends) for _ in range(2)]
    return program, places, (copies[0], copies[1])


def _in_units(judge: Judge, ends: list[tuple[Floats, Floats]]) -> list[tuple[Floats, Floats]]:
    """Return the layers' ends in real units, a little further out than floats may have brought them in."""
    margin = judge.forward.margin
    unit_ends = []
    bits = margin.input_bits
    for (low, high), own in zip(ends, margin.weight_bits, strict=True):
        bits += own
        room = 1e-9 * np.maximum(abs(low), abs(high))
        unit_ends.append(((low - room) / float(1 << bits), (high + room) / float(1 << bits)))
    return unit_ends


def _feature(program: _Program, grid: Grid, f: int, box: Box, rng: np.random.Generator) -> tuple[list[int], list[Line]]:
    """Write one feature, the index of an evenly spaced number or binaries; return variables and its columns' lines."""
    low = int(box[0][f])
    high = int(box[1][f])
    level = grid.levels[f]
    steps = np.diff(level[low : high + 1], axis=0)
    if level.shape[1] == 1 and (not len(steps) or (steps == steps[0]).all()):
        step = float(steps[0, 0]) if len(steps) else 0.0
        index = program.column(low, high, whole=True, cost=rng.normal() / (high - low + 1))
        return [index], [({index: step}, float(level[low, 0]) - step * low)]
    if level.shape[1] == 1 and high - low > 64:
        # Unevenly rounded numbers: any place between the ends, which the replay rounds to a value.
        column = program.column(
            level[low, 0], level[high, 0], cost=rng.normal() / float(level[high, 0] - level[low, 0])
        )
        return [column], [({column: 1.0}, 0.0)]
    chosen = [program.column(0, 1, whole=True, cost=rng.normal()) for _ in range(low, high + 1)]
    program.row(1, 1, dict.fromkeys(chosen, 1.0))
    return chosen, [
        ({index: float(level[low + place, column]) for place, index in enumerate(chosen)}, 0.0)
        for column in range(level.shape[1])
    ]


def _copy(program: _Program, judge: Judge, plain: list[Line], ends: list[tuple[Floats, Floats]]) -> Line:
    """Write one copy of the network and return its margin."""
    grid = judge.forward.grid
    groups = [program.column(0, 1, whole=True) for _ in grid.table]
    program.row(1, 1, dict.fromkeys(groups, 1.0))
    lines = [
        *plain,
        *(({index: float(value) for index, value in zip(groups, column, strict=True)}, 0.0) for column in grid.table.T),
    ]
    layers = judge.forward.floats
    for number, (weights, biases) in enumerate(layers):
        sums = [_sum(lines, weights[:, neuron], float(biases[neuron])) for neuron in range(len(biases))]
        if number == len(layers) - 1:
            return sums[0]
        low, high = ends[number]
        lines = [_relu(program, line, *bounds) for line, *bounds in zip(sums, low, high, strict=True)]
    raise AssertionError("a network has layers")


def _relu(program: _Program, line: Line, low: float, high: float) -> Line:
    """Write relu of a line that lies between low and high."""
    terms, constant = line
    if high <= 0:
        return {}, 0.0
    output = program.column(0 if low <= 0 else low, high)
    if low >= 0:
        program.row(constant, constant, _minus(output, terms))
        return {output: 1.0}, 0.0
    active = program.column(0, 1, whole=True)
    program.row(constant, math.inf, _minus(output, terms))
    program.row(-math.inf, constant - low, _minus(output, terms) | {active: -low})
    program.row(-math.inf, 0, {output: 1.0, active: -high})
    return {output: 1.0}, 0.0


def _minus(output: int, terms: dict[int, float]) -> dict[int, float]:
    """Return the coefficients of an output minus terms."""
    return {output: 1.0} | {index: -value for index, value in terms.items()}


def _sum(lines: list[Line], weights: Floats, bias: float) -> Line:
    """Return the weighted sum of lines."""
    terms: dict[int, float] = {}
    for (line, constant), weight in zip(lines, weights.tolist(), strict=True):
        bias += weight * constant
        for index, value in line.items():
            terms[index] = terms.get(index, 0.0) + weight * value
    return terms, bias


def _listed(low: float, high: float, terms: dict[int, float]) -> tuple[float, float, list[int], list[float]]:
    """Return a row as the program keeps it."""
    return low, high, list(terms), list(terms.values())


def _applicant(grid: Grid, places: list[list[int]], point: Floats, box: Box) -> Integers:
    """Round a point of the program to an applicant of the box."""
    indices = []
    for f, variables in enumerate(places):
        values = point[variables]
        low = int(box[0][f])
        high = int(box[1][f])
        level = grid.levels[f][low : high + 1]
        if len(variables) > 1:
            indices.append(low + int(values.argmax()))
        elif len(np.unique(np.diff(level[:, 0]))) <= 1:
            indices.append(int(np.clip(np.rint(values[0]), low, high)))
        else:
            indices.append(low + int(abs(level[:, 0] - values[0]).argmin()))
    return np.array(indices, dtype=np.int64)
