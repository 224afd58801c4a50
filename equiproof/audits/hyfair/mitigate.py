"""Mitigation in rounds: findings of a search become rules of a guardrail, or are used for retraining.

One explanation covers the neighborhood of one finding; behind the guardrail the next search finds other applicants. So
search and explanation alternate.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from equiproof.audits.hyfair import retrain
from equiproof.audits.hyfair.clusters import Judge
from equiproof.audits.hyfair.explain import Explanation, Settings, explain, k_of
from equiproof.audits.hyfair.forward import Floats, Forward
from equiproof.audits.hyfair.grid import Integers
from equiproof.audits.hyfair.margin import margin_of_floats
from equiproof.audits.hyfair.rules import Guardrail, Rule, on_rows
from equiproof.audits.hyfair.search import Plan, SearchRecord, search
from equiproof.certify.guardrail import Action
from equiproof.certify.models.network import Network


@dataclass(frozen=True, eq=False)
class Guarded:
    """A guardrail with the searches that led to it, the first without any, and the first explanation.

    `stopped` is the share of `rows` that it stops.
    """

    guardrail: Guardrail
    searches: tuple[SearchRecord, ...]
    explanation: Explanation
    stopped: float


def guard(
    judge: Judge,
    first: SearchRecord,
    plan: Plan,
    settings: Settings,
    rng: np.random.Generator,
    *,
    rows: Integers,
    rounds: int = 4,
    most_stopped: float = 0.1,
    action: Action = "refer",
) -> Guarded:
    """Collect rules round by round, starting with the findings of `first`, and search again with these rules in place.

    `rows` are typical applicants, shape (m, F): a rule that would stop more than the share `most_stopped` of them,
    none, or those whose mean k is not above that of the others, is left out. The last search of the result ran with the
    whole guardrail.
    """
    guardrail = Guardrail((), action)
    k = k_of(judge, rows, settings.clustering) if len(rows) else None

    def borne_out(rule: Rule) -> bool:
        found = None if k is None else on_rows(rule, rows, k)
        return found is None or found.holds is True

    searches = [first]
    opening = None
    for _ in range(rounds):
        latest = searches[-1]
        if not len(latest.top):
            break
        explanation = explain(judge, latest.top, settings, rng)
        opening = opening or explanation
        before = len(guardrail.rules)
        for rule in (one for one in explanation.rules if borne_out(one)):
            longer = Guardrail((*guardrail.rules, rule), action)
            if not len(rows) or longer.stops(rows).mean() <= most_stopped:
                guardrail = longer
        if len(guardrail.rules) == before:
            break
        searches.append(search(judge, plan, rng, refuse=guardrail.stops))
    stopped = float(guardrail.stops(rows).mean()) if len(rows) else 0.0
    return Guarded(guardrail, tuple(searches), opening or Explanation((), 0, 0, None, 0.0, 0.0), stopped)


def debias(
    network: Network,
    judge: Judge,
    rows: tuple[Floats, Floats],
    first: SearchRecord,
    plan: Plan,
    settings: retrain.Retraining,
    rng: np.random.Generator,
    *,
    rounds: int = 2,
) -> tuple[Network, Judge]:
    """Search and retrain on the findings in turns; return the network with the judge of its margin."""
    latest = first
    moved = network
    own = judge
    columns: list[Floats] = []
    targets: list[Floats] = []
    for turn in range(rounds):
        applicants = np.concatenate(
            [part for part in (latest.top[:200], latest.sample[:800]) if part.size] or [latest.top]
        )
        if not len(applicants):
            break
        fresh = retrain.cases(own, applicants)
        columns.append(fresh[0])
        targets.append(fresh[1])
        cases = np.concatenate(columns), np.concatenate(targets)
        moved = retrain.retrain(moved, rows, cases, replace(settings, seed=settings.seed + turn))
        own = Judge(
            Forward(margin_of_floats(moved, judge.forward.margin.input_bits), judge.forward.grid), judge.epsilon
        )
        if turn + 1 < rounds:
            latest = search(own, plan, rng)
    return moved, own
