"""Searches for the largest k over several seeds, its upper bounds, and explanations compared with LIME's.

A part per network. Seconds are of the processor. Every reported applicant was judged again on the exact numbers of
the published weights, and every upper bound has evidence that the checker accepted.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
from functools import partial
from math import ceil
from pathlib import Path
from typing import Any

import numpy as np

from bench.harness import BenchError, on_one_thread
from bench.parts import BaseQuestion, Options
from bench.parts import Plan as Parts
from equiproof.audits.hyfair.branch import Budget
from equiproof.audits.hyfair.ceiling import ceiling
from equiproof.audits.hyfair.clusters import Judge
from equiproof.audits.hyfair.explain import Settings, explain
from equiproof.audits.hyfair.grid import Integers
from equiproof.audits.hyfair.hybrid import alternate
from equiproof.audits.hyfair.search import KINDS, Plan, SearchRecord, search
from research.suites.hyfair.networks import NETWORKS, PROTECTED, Published, open_network
from research.suites.hyfair.published import PAPER
from research.suites.hyfair.surrogate import local

_BOXES = 10_000_000


@dataclass(frozen=True)
class Question(BaseQuestion):
    """`seconds` for each search, `points` neighbors for each explanation, both of them for every one of the `seeds`.

    If the enlarged domain has fewer clusters than the paper reports, branch and bound has `ceiling_seconds` to show
    that no more exist; otherwise a search has `reach_seconds` to find them. The wider domain follows in the same way.
    """

    points: int = 5000
    seconds: float = 0.3
    jobs: int = 1
    seeds: int = 3
    ceiling_seconds: float = 15.0
    reach_seconds: float = 10.0
    networks: tuple[str, ...] = tuple(NETWORKS)


def plan(data_dir: Path | None, options: Options, question: Question | None = None) -> Parts:
    """Return a part for every network. Raises BenchError for several processes: searches are timed one by one."""
    options.one_by_one("hyfair-search", "searches")
    asked = options.of(question or Question())
    parts = {name: partial(on_one_thread, measured, data_dir or Path(), name, asked) for name in asked.networks}
    return Parts(asked.as_data("networks"), parts)


def measured(data_dir: Path, name: str, question: Question) -> dict[str, Any]:
    """Measure one network: every seed on the published and the enlarged domain, and the search for the paper's k."""
    domains = PROTECTED[name[:2]]
    published, enlarged, wider = (open_network(data_dir, name, domains[kind]) for kind in domains)
    seeds = [question.seed + turn for turn in range(question.seeds)]
    runs = [_run(published, enlarged, question, seed) for seed in seeds]
    most = max(run["enlarged"][kind]["max_k"] for run in runs for kind in KINDS)
    target = ceil(PAPER[name].max_k)
    reached = [_reached(enlarged, target, most, question)]
    if reached[0]["max_k"] < target:
        reached.append(_reached(wider, target, 0, question))
    return {
        "hidden": list(published.imported.quantised.hidden),
        "groups": {kind: len(one.grid.table) for kind, one in zip(domains, (published, enlarged, wider), strict=True)},
        "runs": runs,
        "target": target,
        "reached": dict(zip(("enlarged", "wider"), reached, strict=False)),
    }


def _run(published: Published, enlarged: Published, question: Question, seed: int) -> dict[str, Any]:
    """Return the results of one seed."""
    rng, judge = np.random.default_rng(seed), enlarged.judge
    asked = Plan(seconds=question.seconds, clock=time.process_time)
    both = alternate(published.judge, asked, rng, rounds=3, solver_seconds=question.seconds)
    found = {kind: search(judge, replace(asked, kind=kind), rng) for kind in KINDS}
    gaps = search(judge, replace(asked, clustering="gaps"), rng)
    best = max(found.values(), key=lambda one: one.max_k)
    return {
        "published": as_data(published.judge, both.record, "buckets") | {"solver_points": both.solver_points},
        "enlarged": {kind: as_data(judge, one, "buckets") for kind, one in found.items()},
        "gaps": as_data(judge, gaps, "gaps"),
        "explanation": _explained(judge, best.top, question, rng),
        "local": _local(judge, best, question, rng),
    }


def as_data(judge: Judge, found: SearchRecord, clustering: str) -> dict[str, Any]:
    """Return a search as plain data; raises BenchError where its best applicant does not have that many clusters."""
    if found.best is not None:
        exact = judge.exactly(found.best)[("buckets", "gaps").index(clustering)]
        if exact != found.max_k:
            raise BenchError(f"an applicant of {found.max_k} {clustering} has {exact}")
    return {
        "evaluations": found.evaluations,
        "instances": found.instances,
        "success_rate": round(found.success_rate, 4),
        "first_s": found.first_seconds,
        "first_k": found.first_k,
        "max_k": found.max_k,
        "mean_k": round(found.mean_k, 3),
        "at_max": found.at_max,
        "max_s": found.best_seconds,
        "settled_exactly": found.settled,
        "seconds": found.seconds,
    }


def _explained(judge: Judge, tops: Integers, question: Question, rng: np.random.Generator) -> dict[str, Any]:
    """Return the explanation of the largest k: means over its rules, and the first rule in words."""
    found = explain(judge, tops, Settings(samples=question.points), rng)
    rules = found.rules
    mean = {
        name: round(float(np.mean([getattr(rule, name) for rule in rules])), 3) if rules else None
        for name in ("size", "mean_k", "negated_k", "difference")
    }
    return {
        "initial_k": found.initial_k,
        "candidates": found.candidates,
        "rules": len(rules),
        **mean,
        "precision": round(found.precision, 3),
        "recall": round(found.recall, 3),
        "coverage": float(max((rule.coverage() for rule in rules), default=0)),
        "first": rules[0].text(judge.forward.grid) if rules else None,
    }


def _local(judge: Judge, found: SearchRecord, question: Question, rng: np.random.Generator) -> dict[str, Any]:
    """Return LIME's explanation of the search's best applicant."""
    if found.best is None:
        raise BenchError("a search found no instance to explain")
    explained = local(judge, found.best, question.points, rng)
    return {
        "features": list(explained.features),
        "k": explained.k,
        "one_by_one": round(explained.one_by_one, 3),
        "together": round(explained.together, 3),
    }


def _reached(opened: Published, target: int, most: int, question: Question) -> dict[str, Any]:
    """Return how the paper's k was reached on a domain, or an upper bound below it; k = `most` is known to occur.

    `at_most` is the upper bound; `checked_leaves` counts the leaves of its evidence, None if the bound is the number
    of buckets or of groups.
    """
    asked = Plan(seconds=question.reach_seconds, target=target, clock=time.process_time)
    short = replace(asked, seconds=min(10 * question.seconds, question.reach_seconds))
    found = search(opened.judge, short, np.random.default_rng(question.seed))
    reached: dict[str, Any] = {"groups": len(opened.grid.table), **as_data(opened.judge, found, "buckets")}
    reached |= {"at_most": None, "checked_leaves": None, "ceiling_s": None, "boxes": None}
    if most > found.max_k:
        # Of another search, which began no clock of its own.
        reached["max_s"] = None
    most = max(most, found.max_k)
    if most >= target:
        return reached | {"max_k": most}
    budget = Budget(_BOXES, question.ceiling_seconds, time.process_time)
    above = ceiling(opened.judge, most, budget, question.seed)
    leaves = above.tree.leaves if above.tree is not None else None
    bound = {"at_most": above.most, "checked_leaves": leaves, "ceiling_s": above.seconds, "boxes": above.boxes}
    if above.most >= target:
        longer = search(opened.judge, asked, np.random.default_rng(question.seed + 1))
        if longer.max_k >= most:
            reached |= as_data(opened.judge, longer, "buckets")
        most = max(most, longer.max_k)
    return reached | bound | {"max_k": most}
