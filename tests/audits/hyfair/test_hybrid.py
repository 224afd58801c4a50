"""Verdicts and rounds: what settles a question, and how two searches are one."""

from dataclasses import replace

import numpy as np
import pytest

from equiproof.audits.hyfair.branch import Budget
from equiproof.audits.hyfair.hybrid import Limits, Settled, alternate, confirmed, settle, together
from equiproof.audits.hyfair.search import Plan, SearchRecord
from tests.audits.hyfair.small import everyone, judge_of, network

NONE = Limits(draws=0, solver_seconds=0.0, branch=Budget(4000, 60.0))


@pytest.mark.parametrize("wanted", ["apart", "flipped"])
def test_verdicts_are_those_of_enumeration_whoever_settles_them(wanted):
    """By draws and branching, and by branching alone."""
    for seed in range(12):
        judge = judge_of(network(seed, (4, 3), groups=0.15))
        truth = bool(getattr(judge.judge(everyone(judge.forward.grid)), wanted).any())
        for limits in (NONE, replace(NONE, draws=200)):
            found = settle(judge, wanted, judge.forward.grid.whole, limits, np.random.default_rng(0))
            assert found.verdict == ("unfair" if truth else "fair")
            assert (found.tree is None) == truth


def test_rows_settle_before_anything_is_drawn():
    """The first row that has the property is the counterexample; rows without it settle nothing."""
    judge = judge_of(network(4, (4, 3)))
    rows = everyone(judge.forward.grid)
    hits = judge.judge(rows).flipped
    found = settle(judge, "flipped", judge.forward.grid.whole, NONE, np.random.default_rng(0), rows)
    assert (found.verdict, found.by) == ("unfair", "rows")
    assert (found.counterexample == rows[hits][0]).all()
    others = settle(judge, "flipped", judge.forward.grid.whole, NONE, np.random.default_rng(0), rows[~hits])
    assert others.by != "rows"


def test_rows_confirm_before_anything_is_drawn():
    """Without a single draw, the first row that has the property in both models takes the place of another one."""
    judge, original = judge_of(network(3, (4, 3))), judge_of(network(4, (4, 3)))
    rows = everyone(judge.forward.grid)
    own, other = judge.judge(rows).flipped, original.judge(rows).flipped
    both, alone = rows[own & other], rows[own & ~other]
    assert len(both)
    found = Settled("unfair", "draws", alone[0], None, None, None, 0.0, 0.0)
    given = (judge, original, "flipped", judge.forward.grid.whole, replace(NONE, draws=0), np.random.default_rng(0))
    better = confirmed(found, *given, rows)
    assert better.by == "rows"
    assert (better.counterexample == both[0]).all()
    assert (confirmed(found, *given, alone).counterexample == alone[0]).all()


def test_the_solver_settles_what_draws_miss():
    """Without draws the program's counterexample decides."""
    judge = judge_of(network(4, (4, 3)))
    limits = Limits(draws=0, solver_seconds=60.0)
    found = settle(judge, "apart", judge.forward.grid.whole, limits, np.random.default_rng(0))
    assert (found.verdict, found.by) == ("unfair", "solver")
    assert judge.exactly(found.counterexample)[2]


def test_a_solver_that_finds_nothing_makes_nothing_fair():
    """The program alone says none; the verdict waits for branching, whose budget ended."""
    judge = judge_of(network(16, (4, 3), groups=0.06))
    limits = Limits(draws=0, solver_seconds=60.0, branch=Budget(0, 60.0))
    found = settle(judge, "flipped", judge.forward.grid.whole, limits, np.random.default_rng(0))
    assert found.verdict == "undecided"
    assert found.reason


def test_rounds_reach_the_largest_k_and_end_there():
    """Search and solver in turn, on a domain that enumeration knows."""
    judge = judge_of(network(3))
    most = int(judge.judge(everyone(judge.forward.grid)).buckets.max())
    plan = Plan(chains=64, seconds=None, evaluations=6000, target=most)
    found = alternate(judge, plan, np.random.default_rng(0), rounds=4, solver_seconds=30.0)
    assert found.record.max_k == most
    assert 1 <= found.rounds <= 4


def test_a_round_that_brings_nothing_is_followed_by_the_solver():
    """The largest k stands after the first round, so the solver gives starts for the others."""
    judge = judge_of(network(3))
    plan = Plan(chains=64, seconds=None, evaluations=9000)
    found = alternate(judge, plan, np.random.default_rng(0), rounds=3, solver_seconds=60.0)
    assert found.rounds == 3
    assert found.solver_points >= 1


def test_rounds_of_search_count_an_instance_once():
    """The instances of all rounds are different applicants: no more than enumeration finds."""
    judge = judge_of(network(6))
    plan = Plan(seconds=None, evaluations=40_000, chains=64)
    found = alternate(judge, plan, np.random.default_rng(0), rounds=4, solver_seconds=0.0).record
    judged = judge.judge(everyone(judge.forward.grid))
    assert 0 < found.instances <= int(judged.apart.sum())


def test_two_searches_together_keep_the_better_and_add_the_counts():
    """Times of the second begin where the first ended."""
    one = SearchRecord(evaluations=10, hits=2, mean_k=2.0, max_k=2, first_seconds=0.5, best_seconds=0.5)
    one.first = one.best = np.array([1])
    one.top = np.array([[1]])
    other = SearchRecord(evaluations=30, hits=2, mean_k=4.0, max_k=5, first_seconds=0.1, best_seconds=0.2)
    other.first = other.best = np.array([7])
    other.top = np.array([[7]])
    both = together(one, other, 3.0)
    assert (both.evaluations, both.hits, both.mean_k, both.max_k) == (40, 4, 3.0, 5)
    assert (both.first_seconds, both.best_seconds) == (0.5, pytest.approx(3.2))
    assert both.top.tolist() == [[7]]
