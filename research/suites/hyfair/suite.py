"""Discrimination clusters of twenty networks: verdicts, rates and mitigation, a part per network.

Seconds are of the processor, in one process and one thread, so that other work on the machine does not count. Every
reported applicant was judged again on the exact numbers of the published weights.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from bench.harness import BenchError, on_one_thread
from bench.parts import BaseQuestion, Options
from bench.parts import Plan as Parts
from equiproof.audits.hyfair.branch import Budget
from equiproof.audits.hyfair.clusters import PROPERTIES, Judge, Property
from equiproof.audits.hyfair.explain import Settings
from equiproof.audits.hyfair.forward import Forward
from equiproof.audits.hyfair.grid import Integers
from equiproof.audits.hyfair.hybrid import Limits, settle
from equiproof.audits.hyfair.margin import margin_of
from equiproof.audits.hyfair.milp import ask
from equiproof.audits.hyfair.mitigate import debias, guard
from equiproof.audits.hyfair.retrain import Retraining
from equiproof.audits.hyfair.rules import Guardrail
from equiproof.audits.hyfair.scores import score
from equiproof.audits.hyfair.search import Plan, SearchRecord, search
from research.suites.hyfair.networks import NETWORKS, PROTECTED, Published, Rows, accuracy, open_network, rows_of
from research.suites.hyfair.searches import as_data

_ROWS = 400
"""Rows of the data whose clusters are counted before and after mitigation."""


@dataclass(frozen=True)
class Question(BaseQuestion):
    """`seconds` of the processor for each search, `points` applicants a batch for the rate.

    The solver has its own limit, by the clock.
    """

    points: int = 4096
    seconds: float = 0.5
    jobs: int = 1
    solver_seconds: float = 10.0
    guard_rounds: int = 3
    samples: int = 5000
    retraining_epochs: int = 2
    networks: tuple[str, ...] = tuple(NETWORKS)


def plan(data_dir: Path | None, options: Options, question: Question | None = None) -> Parts:
    """Return a part for every network. Raises BenchError for several processes: searches are timed one by one."""
    options.one_by_one("hyfair", "searches")
    asked = options.of(question or Question())
    parts = {name: partial(on_one_thread, measured, data_dir or Path(), name, asked) for name in asked.networks}
    return Parts(asked.as_data("networks"), parts)


def measured(data_dir: Path, name: str, question: Question) -> dict[str, Any]:
    """Measure one network on both protected domains."""
    which = PROTECTED[name[:2]]
    published, enlarged = (open_network(data_dir, name, which[kind]) for kind in ("published", "enlarged"))
    rows, rng = rows_of(data_dir, name, enlarged), np.random.default_rng(question.seed)
    asked = Plan(seconds=question.seconds, clock=time.process_time)
    return {
        "hidden": list(published.imported.quantised.hidden),
        "groups": {"published": len(published.grid.table), "enlarged": len(enlarged.grid.table)},
        "applicants": {"published": float(published.grid.size), "enlarged": float(enlarged.grid.size)},
        **_rate(published, question),
        "settled": {wanted: _settled(published, wanted, question, rng) for wanted in PROPERTIES},
        "solver": _solved(published, question, rng),
        "mitigation": _mitigated(enlarged, rows, search(enlarged.judge, asked, rng), asked, question, rng),
    }


def _rate(published: Published, question: Question) -> dict[str, float]:
    """Return applicants and rows judged a second, over batches of drawn applicants, k by both clusterings included."""
    rng, spent, done = np.random.default_rng(question.seed), 0.0, 0
    while spent < min(1.0, question.seconds) or done < 2:
        applicants = published.grid.draw(rng, question.points)
        begun = time.process_time()
        published.judge.judge(applicants)
        # The first batch makes what all of them share.
        spent += (time.process_time() - begun) if done else 0.0
        done += 1
    rate = (done - 1) * question.points / max(spent, 1e-9)
    return {"applicants_per_s": rate, "rows_per_s": rate * len(published.grid.table)}


def _settled(published: Published, wanted: Property, question: Question, rng: np.random.Generator) -> dict[str, Any]:
    """Return the verdict on a property over the published domain, and its witness, replayed."""
    limits = Limits(
        solver_seconds=question.solver_seconds, branch=Budget(20_000, 10 * question.seconds), clock=time.process_time
    )
    found = settle(published.judge, wanted, published.grid.whole, limits, rng)
    verdict: dict[str, Any] = {"verdict": found.verdict, "by": found.by, "first_s": found.first_seconds}
    if found.counterexample is not None:
        verdict |= _witness(published, found.counterexample, wanted)
    return verdict


def _witness(published: Published, applicant: Integers, wanted: Property) -> dict[str, Any]:
    """Return a witness with its scores; raises BenchError where the exact numbers do not confirm it."""
    if not published.judge.has(wanted, applicant):
        raise BenchError(f"a witness of {wanted} does not replay")
    committed = Judge(Forward(margin_of(published.imported.quantised), published.grid))
    margins = published.judge.forward.exact(applicant)
    return {
        "row": published.grid.row(applicant),
        "scores": [round(float(sum(score(margin)) / 2), 4) for margin in margins],
        "committed_too": committed.has(wanted, applicant),
    }


def _solved(published: Published, question: Question, rng: np.random.Generator) -> dict[str, Any]:
    """Return the verdict of the mixed-integer program alone on the published domain, and its seconds."""
    begun = time.process_time()
    answer = ask(published.judge, "apart", published.grid.whole, rng, question.solver_seconds)
    return {"outcome": answer.outcome, "seconds": time.process_time() - begun}


def _mitigated(
    enlarged: Published, rows: Rows, found: SearchRecord, asked: Plan, question: Question, rng: np.random.Generator
) -> dict[str, Any]:
    """Return the effect of guardrails and retraining; each state is searched again for as long."""
    network, judge = enlarged.imported.network, enlarged.judge
    sample = rows.applicants[rng.permutation(len(rows.applicants))[:_ROWS]]
    settings, rounds = Settings(samples=question.samples), question.guard_rounds
    guarded = guard(judge, found, asked, settings, rng, rows=rows.applicants, rounds=rounds)
    data = rows.columns[rows.train], rows.labels[rows.train].astype(np.float64)
    retraining = Retraining(epochs=question.retraining_epochs, seed=question.seed)
    moved, after = debias(network, judge, data, found, asked, retraining, rng)
    fresh = search(after, asked, rng)
    both = guard(after, fresh, asked, settings, rng, rows=rows.applicants, rounds=1)
    before_accuracy, after_accuracy = accuracy(network, rows), accuracy(moved, rows)
    return {
        "original": _state(judge, found, before_accuracy, sample, Guardrail(())),
        "guarded": _state(judge, guarded.searches[-1], before_accuracy, sample, guarded.guardrail, guarded.stopped),
        "retrained": _state(after, fresh, after_accuracy, sample, Guardrail(())),
        "retrained_guarded": _state(after, both.searches[-1], after_accuracy, sample, both.guardrail, both.stopped),
    }


def _state(
    judge: Judge, found: SearchRecord, right: float, sample: Integers, guardrail: Guardrail, stopped: float = 0.0
) -> dict[str, Any]:
    """Return one row of the mitigation: the search, the accuracy, and the rows whose scores are still apart."""
    judged = judge.judge(sample)
    asked = ~guardrail.stops(sample)
    return as_data(judge, found, "buckets") | {
        "accuracy": round(right, 4),
        "rules": len(guardrail.rules),
        "rows_stopped": round(stopped, 4),
        "rows_apart": round(float((judged.apart & asked).mean()), 4),
        "rows_mean_k": round(float(judged.buckets[asked].mean()), 3) if asked.any() else None,
    }


def per_second_wanted(part: Mapping[str, Any]) -> float:
    """Return the target rate of applicants a second: 100,000 over the number of groups."""
    return 100_000 / float(part["groups"]["published"])
