"""Additive models in plaintext: the exact search, its evidence within a key's capacity, and a race with a MILP solver.

The models are 300 boosted stumps. The MILP of the same question chooses one position for each column at the least
squared distance such that the score is no longer decided. HiGHS solves it in floats, so its answer may differ from the
exact one by its tolerances: how often it does is counted.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from math import sqrt
from pathlib import Path
from typing import Any

import numpy as np
from scipy.optimize import LinearConstraint, milp

from bench.harness import apart, spread
from bench.harness import table as markdown
from bench.parts import BaseQuestion, Options, Plan
from bench.sample import sample_test_rows
from equiproof.certify.additive import AdditiveModel
from equiproof.certify.data import load
from equiproof.certify.models.ensembles.quantise import quantise_score
from equiproof.certify.models.ensembles.training import train_additive
from equiproof.certify.traversal.search import Counterexample
from equiproof.certify.trees.oriented import Oriented, chains, orient
from equiproof.certify.trees.search import AdditiveSearch, search_under
from equiproof.circuits.spec import Spec

DATASETS = ("german", "adult")
MAX_LEAVES = 4096


@dataclass(frozen=True)
class Question(BaseQuestion):
    """Random test applicants of each model; `seconds` limits each search, `capacity` and `slots` are a key's."""

    points: int = 100
    seconds: float = 60.0
    jobs: int = 1
    stumps: int = 300
    capacity: int = 32
    slots: int = 40


@dataclass(frozen=True)
class Point:
    """One fair applicant: radii in standard deviations, seconds of each search, and what the exact radius needs."""

    radius: float
    share: float
    leaves: int | None
    slots: int
    search: float
    milp: float | None
    agrees: bool


def plan(data_dir: Path | None, options: Options, question: Question | None = None) -> Plan:
    """Return a part for every data set. Raises BenchError for several processes: a race has one."""
    options.one_by_one("trees", "searches")
    asked = options.of(question or Question())
    parts = {name: partial(_measured, name, asked, data_dir) for name in DATASETS}
    return Plan(asked.as_data(), parts)


def table(results: Mapping[str, Any]) -> str:
    """Write one line per model."""
    head = ("model", "predicates", "fair", "radius", "leaves", "slots", "exact", "0.9", "search s", "MILP s", "differs")
    return markdown(head, [_line(name, part) for name, part in results["parts"].items()])


def solved(oriented: Oriented, seconds: float) -> tuple[float | None, float]:
    """Return the least squared distance that a MILP solver finds, None if there is none, and its seconds."""
    begun = time.perf_counter()
    known = chains(oriented.slots)
    costs = [float(step.cost) for chain in known for step in chain.positions]
    changes = [float(step.change) for chain in known for step in chain.positions]
    if not costs:
        return None, time.perf_counter() - begun
    one = np.zeros((len(known), len(costs)))
    place = 0
    for number, chain in enumerate(known):
        one[number, place : place + len(chain.positions)] = 1
        place += len(chain.positions)
    unit = max(costs) or 1.0
    found = milp(
        np.array(costs) / unit,
        integrality=np.ones(len(costs)),
        bounds=(0, 1),
        constraints=[LinearConstraint(one, 1, 1), LinearConstraint(np.array([changes]), -np.inf, -oriented.base)],
        options={"time_limit": seconds, "mip_rel_gap": 0.0},
    )
    taken = None if found.x is None else float(np.round(found.x) @ np.array(costs))
    return taken, time.perf_counter() - begun


def point(model: AdditiveModel, spec: Spec, query: Sequence[int], question: Question) -> Point | None:
    """Measure one applicant; None for one whose decision the sensitive value changes, or who is tied."""
    begun = time.perf_counter()
    found = search_under(model, spec, query, max_leaves=MAX_LEAVES, max_seconds=question.seconds)
    took = time.perf_counter() - begun
    if isinstance(found, Counterexample):
        return None
    cap = spec.max_radius_squared
    oriented = orient(model, query, spec.domain_table, max_radius_squared=cap, box=spec.box)
    if not isinstance(oriented, Oriented):
        raise TypeError("the search and the orientation disagree about the query")
    other, other_took = solved(oriented, question.seconds)
    exact = None if found.upper is None else float(found.upper)
    agrees = other == exact if None in (other, exact) else abs((other or 0) - (exact or 0)) < 0.5
    fits = found.evidence_within(question.capacity, question.slots)
    return Point(
        radius=sqrt(found.radius_squared) / spec.scale_unit,
        share=_share(found, fits.radius_squared, cap),
        leaves=found.needed_leaves,
        slots=found.needed_slots,
        search=took,
        milp=other_took,
        agrees=agrees,
    )


def _share(found: AdditiveSearch, squared: int, cap: int) -> float:
    """Return a radius as a share of the exact one."""
    whole = float(cap if found.upper is None else found.upper)
    return sqrt(squared / whole) if whole else 1.0


def _measured(name: str, question: Question, data_dir: Path | None) -> dict[str, Any]:
    """Measure one model in a fresh process."""
    return apart(_part, name, question, data_dir)


def _part(name: str, question: Question, data_dir: Path | None) -> dict[str, Any]:
    """Train a model and measure its applicants."""
    data = load(name, data_dir)
    score, _, _ = train_additive(data, "boosting", rounds=question.stumps, seed=question.seed)
    model = quantise_score(score, data.spec)
    if not isinstance(model, AdditiveModel):
        raise TypeError("stumps make an additive model")
    queries = [data.spec.encode(data.rows[number]) for number in sample_test_rows(data, question.points, question.seed)]
    points = [found for query in queries if (found := point(model, data.spec, query, question)) is not None]
    needed = [one.leaves for one in points if one.leaves is not None]
    return {
        "predicates": list(model.predicates),
        "points": len(queries),
        "fair_points": len(points),
        "exact_fits": sum(one.share == 1.0 for one in points),
        "nine_tenths_fit": sum(one.share >= 0.9 for one in points),
        "milp_differs": sum(not one.agrees for one in points),
        **spread("radius", [one.radius for one in points], 3),
        **spread("leaves", needed, 0),
        **spread("slots", [one.slots for one in points], 0),
        **spread("search_s", [one.search for one in points], 4),
        **spread("milp_s", [one.milp for one in points if one.milp is not None], 4),
    }


def _line(name: str, part: Mapping[str, Any]) -> list[str]:
    """Return the line of one model: medians, with the largest value."""
    fair = part["fair_points"]
    both = [f"{part[key]:g} / {part[f'{key}_max']:g}" for key in ("radius", "leaves", "slots", "search_s", "milp_s")]
    return [
        name,
        "{} + {}".format(*part["predicates"]),
        f"{fair} of {part['points']}",
        *both[:3],
        f"{part['exact_fits']} of {fair}",
        f"{part['nine_tenths_fit']} of {fair}",
        *both[3:],
        str(part["milp_differs"]),
    ]
