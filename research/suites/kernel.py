"""Ensembles of deeper trees in plaintext: the kernel's exact search, its leaves, and a race with a MILP solver.

The mixed integer program is that of Kantchelian et al. (ICML 2016) for the Euclidean norm, with a binary variable for
each predicate and a share for each leaf, solved by HiGHS in floats. Seconds are CPU time of the process.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from math import prod, sqrt
from pathlib import Path
from typing import Any

import numpy as np
from scipy.optimize import LinearConstraint, milp
from scipy.sparse import coo_array

from bench.harness import on_one_thread, spread
from bench.harness import table as markdown
from bench.parts import BaseQuestion, Options, Plan
from bench.sample import shuffled
from equiproof.circuits.spec import Spec
from equiproof.ffi.search import Scale, leaves, nearest
from research.suites.ensembles import Ensemble, dumped, trained

MODELS = ((100, 3, 16), (100, 4, 32), (200, 3, 32), (300, 6, 8))
"""Trees, depth, and the leaves of a key."""

MAX_LEAVES = 256
VALUE_BITS = 4


@dataclass(frozen=True)
class Question(BaseQuestion):
    """The first fair ones of random test applicants; `seconds` limits each search. MILP is run for `raced` of them."""

    points: int = 40
    seconds: float = 10.0
    jobs: int = 1
    raced: int = 5
    datasets: tuple[str, ...] = ("german", "adult")


@dataclass(frozen=True)
class Point:
    """One applicant: the squared radius if it is exact, CPU seconds, and leaves at the radius and at 0.9 of it."""

    squared: int | None
    search: float
    slots: int = 0
    rows: int = 0
    exact: int | None = None
    most: int | None = None
    made: float = 0.0


@dataclass(frozen=True)
class Race:
    """What the MILP solver found for one applicant: its optimum if it ended, and CPU seconds."""

    squared: float | None
    seconds: float


def plan(data_dir: Path | None, options: Options, question: Question | None = None) -> Plan:
    """Return a part for every model. Raises BenchError for several processes: a race has one."""
    options.one_by_one("ensembles", "searches")
    asked = options.of(question or Question())
    parts = {
        f"{name}-{trees}x{depth}": partial(on_one_thread, _part, name, (trees, depth, capacity), asked, data_dir)
        for trees, depth, capacity in MODELS
        for name in asked.datasets
    }
    return Plan(asked.as_data(), parts)


def table(results: Mapping[str, Any]) -> str:
    """Write one line per model."""
    head = (
        "model", "nodes (predicates)", "exact", "radius", "search s, median / 90% / most", "V", "A", "K",
        "radius with K", "0.9 with K", "leaves s", "MILP ended", "MILP s", "search s", "differ",
    )  # fmt: skip
    return markdown(head, [_line(name, part) for name, part in results["parts"].items()])


def scale_of(spec: Spec, trees: int) -> Scale:
    """Return the scale of evidence, as scheme `trees` has it."""
    radius_bits = 2 * spec.input_fraction_bits + 9
    return Scale(radius_bits - VALUE_BITS, VALUE_BITS, radius_bits + 16 + trees.bit_length())


def point(problem: str, cap: int, scale: Scale, capacity: int, seconds: float) -> Point:
    """Search one applicant, and make leaves."""
    limit = round(1000 * seconds)
    begun = time.process_time()
    found = nearest(problem, cap, milliseconds=limit)
    took = time.process_time() - begun
    if not found.complete:
        return Point(None, took)
    begun = time.process_time()
    exact = leaves(problem, found.lower2, MAX_LEAVES, scale, milliseconds=limit)
    most = leaves(problem, 81 * found.lower2 // 100, capacity, scale, milliseconds=limit)
    return Point(
        squared=found.lower2,
        search=took,
        slots=len(exact.slots),
        rows=len(exact.rows),
        exact=None if exact.reason else len(exact.leaves),
        most=None if most.reason else len(most.leaves),
        made=time.process_time() - begun,
    )


def solved(problem: Mapping[str, Any], seconds: float) -> Race:
    """Solve the mixed integer program of a problem whose slices are all combinations of its sensitive predicates."""
    slots, sensitive = problem["slots"], problem["sensitive"]
    columns = [slot["column"] for slot in sensitive]
    if len(set(map(tuple, problem["slices"]))) != prod(columns.count(column) + 1 for column in set(columns)):
        raise ValueError("slices: not all combinations")
    rows = list(_rows(problem))
    plain = len(slots) + len(sensitive)
    width = plain + sum(1 for _, _, column in _values(problem) if column is not None)
    costs = np.zeros(width)
    upper = np.ones(width)
    for place, delta in _deltas(slots):
        costs[place] = delta or 0
        upper[place] = delta is not None
    unit = costs.max() or 1.0
    entries = [(number, place, value) for number, (_, _, row) in enumerate(rows) for place, value in row]
    at = tuple(np.array(list(part)) for part in zip(*[(number, place) for number, place, _ in entries], strict=True))
    matrix = coo_array(([value for _, _, value in entries], at), shape=(len(rows), width)).tocsr()
    begun = time.process_time()
    found = milp(
        costs / unit,
        integrality=np.arange(width) < plain,
        bounds=(0, upper),
        constraints=[LinearConstraint(matrix, [low for low, _, _ in rows], [high for _, high, _ in rows])],
        options={"time_limit": seconds, "mip_rel_gap": 0.0},
    )
    taken = float(np.round(found.x[:plain]) @ costs[:plain]) if found.status == 0 else None
    return Race(taken, time.process_time() - begun)


Row = tuple[float, float, list[tuple[int, float]]]


def _deltas(slots: Sequence[Mapping[str, Any]]) -> Iterator[tuple[int, int | None]]:
    """Yield what it costs to cross each slot behind the next nearer one, None where it is out of reach."""
    for place, slot in enumerate(slots):
        inner = _inner(slots, place)
        near = 0 if inner is None else slots[inner]["gap2"]
        yield place, None if slot["gap2"] is None else slot["gap2"] - near


def _inner(slots: Sequence[Mapping[str, Any]], place: int) -> int | None:
    """Return the next nearer slot on the same side of the query."""
    inner = place - 1 if slots[place]["above"] else place + 1
    if not 0 <= inner < len(slots) or any(slots[inner][key] != slots[place][key] for key in ("column", "above")):
        return None
    return inner


def _rows(problem: Mapping[str, Any]) -> Iterator[Row]:
    """Yield the constraints, (low, high, coefficients): order along columns, trees, and the decision."""
    slots, sensitive = problem["slots"], problem["sensitive"]
    for place, slot in enumerate(slots):
        if (inner := _inner(slots, place)) is not None:
            yield -np.inf, 0, [(place, 1), (inner, -1)]
        elif slot["above"] and place and slots[place - 1]["column"] == slot["column"]:
            yield -np.inf, 1, [(place, 1), (place - 1, 1)]
    for number in range(1, len(sensitive)):
        if sensitive[number]["column"] == sensitive[number - 1]["column"]:
            yield -np.inf, 0, [(len(slots) + number, 1), (len(slots) + number - 1, -1)]
    score: list[tuple[int, float]] = [(place, slot["step"]) for place, slot in enumerate((*slots, *sensitive))]
    below: list[list[int]] = [[] for _ in problem["nodes"]]
    constant = problem["base"]
    for path, value, column in _values(problem):
        if column is None:
            constant += value
            continue
        score.append((column, value))
        for node, crosses in path:
            below[node].append(column if crosses else -column)
    for node, members in zip(problem["nodes"], below, strict=True):
        yield -np.inf, 0, [(column, 1.0) for column in members if column > 0] + [(node["slot"], -1.0)]
        yield -np.inf, 1, [(-column, 1.0) for column in members if column < 0] + [(node["slot"], 1.0)]
    for kind, root in problem["roots"]:
        if kind:
            yield 1, 1, [(abs(column), 1.0) for column in below[root]]
    yield -np.inf, -constant, score


def _values(problem: Mapping[str, Any]) -> Iterator[tuple[list[tuple[int, bool]], int, int | None]]:
    """Yield each leaf: the nodes on its path and whether it crosses them, its value, and its variable."""
    column = len(problem["slots"]) + len(problem["sensitive"])
    for root in problem["roots"]:
        if not root[0]:
            yield [], root[1], None
            continue
        stack: list[tuple[Sequence[int], list[tuple[int, bool]]]] = [(root, [])]
        while stack:
            (kind, number), path = stack.pop()
            if kind:
                node = problem["nodes"][number]
                stack += [(node["stay"], [*path, (number, False)]), (node["cross"], [*path, (number, True)])]
            else:
                yield path, number, column
                column += 1


def _part(name: str, model: tuple[int, int, int], question: Question, data_dir: Path | None) -> dict[str, Any]:
    """Train a model and measure its applicants."""
    trees, depth, capacity = model
    ensemble, rows, test = trained(name, trees, depth, data_dir)
    fair = (rows[number] for number in shuffled(test, question.seed) if ensemble.label(rows[number]) is not None)
    problems = [ensemble.problem(query) for query, _ in zip(fair, range(question.points), strict=False)]
    cap, scale = ensemble.spec.max_radius_squared, scale_of(ensemble.spec, trees)
    points = [point(dumped(problem), cap, scale, capacity, question.seconds) for problem in problems]
    races = [solved(problem, question.seconds) for problem in problems[: question.raced]]
    return {**_summary(ensemble, points, capacity), **_raced(points, races)}


def _summary(ensemble: Ensemble, points: Sequence[Point], capacity: int) -> dict[str, Any]:
    """Summarize the searches of one model."""
    ended = [one for one in points if one.squared is not None]
    times = sorted(one.search for one in points)
    return {
        "nodes": len(ensemble.nodes),
        "predicates": len(ensemble.predicates),
        "capacity": capacity,
        "points": len(points),
        "ended": len(ended),
        "search_s_90": round(times[(9 * len(times) - 1) // 10], 4),
        **spread("radius", [sqrt(one.squared or 0) / ensemble.spec.scale_unit for one in ended], 3),
        **spread("search_s", times, 4),
        **spread("slots", [one.slots for one in ended], 0),
        **spread("rows", [one.rows for one in ended], 0),
        **spread("leaves_s", [one.made for one in ended], 4),
        "exact_fits": sum(one.exact is not None and one.exact <= capacity for one in ended),
        "nine_tenths_fit": sum(one.most is not None for one in ended),
    }


def _raced(points: Sequence[Point], races: Sequence[Race]) -> dict[str, Any]:
    """Summarize the race: the seconds of both over its applicants, and how often both end and differ."""
    pairs = list(zip(points, races, strict=False))
    both = [(one.squared, race.squared) for one, race in pairs if None not in (one.squared, race.squared)]
    return {
        "raced": len(races),
        "milp_ended": sum(race.squared is not None for race in races),
        "milp_differs": sum(abs((exact or 0) - (other or 0)) >= 0.5 for exact, other in both),
        **spread("milp_s", [race.seconds for race in races], 3),
        **spread("raced_s", [one.search for one, _ in pairs], 4),
    }


def _line(name: str, part: Mapping[str, Any]) -> list[str]:
    """Return the line of one model."""
    return [
        name,
        f"{part['nodes']:,} ({part['predicates']})",
        f"{part['ended']} of {part['points']}",
        *(f"{part[key]:g} / {part[f'{key}_max']:g}" for key in ("radius",)),
        f"{part['search_s']:g} / {part['search_s_90']:g} / {part['search_s_max']:g}",
        *(f"{part[key]:g} / {part[f'{key}_max']:g}" for key in ("slots", "rows")),
        str(part["capacity"]),
        f"{part['exact_fits']} of {part['points']}",
        f"{part['nine_tenths_fit']} of {part['points']}",
        f"{part['leaves_s']:g} / {part['leaves_s_max']:g}",
        f"{part['milp_ended']} of {part['raced']}",
        f"{part['milp_s']:g} / {part['milp_s_max']:g}",
        f"{part['raced_s']:g} / {part['raced_s_max']:g}",
        str(part["milp_differs"]),
    ]
