"""Explanations and guardrails: rules hold where they say, and their negation lowers k."""

from fractions import Fraction

import numpy as np
import pytest

from equiproof.audits.hyfair import mitigate
from equiproof.audits.hyfair.clusters import Judge
from equiproof.audits.hyfair.explain import Explanation, Settings, explain, negated, perturbed
from equiproof.audits.hyfair.forward import Forward
from equiproof.audits.hyfair.grid import grid_of
from equiproof.audits.hyfair.margin import Margin
from equiproof.audits.hyfair.mitigate import guard
from equiproof.audits.hyfair.rules import Guardrail, Rule, on_rows
from equiproof.audits.hyfair.search import Plan, search
from tests.audits.hyfair.small import SPEC, everyone, judge_of, network


@pytest.fixture(scope="module")
def planted():
    """A margin that the protected values move only above an income of 20: relu(income - 20) times the group, or so.

    In columns (sixteenths; income by tens): h1 = relu(income - 20), h2 = relu(income - 20 + group), m = 2 (h2 - h1).
    """
    first = (((1, 0, 0, 0, 0, 0, 0), (1, 0, 0, 0, 0, 3, 0)), (-32 - 96, -32 - 96))
    return Judge(Forward(Margin((first, (((-2, 2),), (0,))), 4, (0, 0)), grid_of(SPEC)))


def test_a_planted_cause_is_found(planted):
    """The rule speaks of income, and its negation has a lower k."""
    applicants = everyone(planted.forward.grid)
    k = planted.judge(applicants).buckets
    assert set(k.tolist()) >= {1, 3}
    tops = applicants[k == k.max()]
    found = explain(planted, tops, Settings(samples=2000, percentile=60.0), np.random.default_rng(0))
    assert found.initial_k == k.max()
    assert found.rules
    income = planted.forward.grid.names.index("income")
    for rule in found.rules:
        assert rule.allowed[income] is not None
        assert rule.difference >= 1.0
        inside = applicants[rule.holds(applicants)]
        assert planted.judge(inside).buckets.mean() > k.mean()
    assert "income" in found.rules[0].text(planted.forward.grid)


def test_where_k_is_the_same_everywhere_there_is_nothing_to_explain():
    """No rule, no threshold."""
    judge = judge_of(network(6, (4, 3), groups=0.0))
    found = explain(judge, judge.forward.grid.draw(np.random.default_rng(0), 5), Settings(samples=200),
                    np.random.default_rng(0))  # fmt: skip
    assert (found.rules, found.threshold, found.initial_k) == ((), None, 1)


def test_without_applicants_there_is_no_explanation(planted):
    """It says so."""
    with pytest.raises(ValueError, match="no applicant"):
        explain(planted, np.empty((0, 3), dtype=np.int64), Settings(), np.random.default_rng(0))


def test_a_rule_holds_covers_and_reads_as_it_says():
    """Two conditions: the share of the domain is exact, the text names raw values."""
    grid = judge_of(network(0)).forward.grid
    income = np.arange(91) >= 60
    purpose = np.array([True, False, False])
    allowed = {"income": income, "purpose": purpose, "grade": None}
    rule = Rule(tuple(allowed[name] for name in grid.names))
    applicants = everyone(grid)
    assert Fraction(int(rule.holds(applicants).sum()), grid.size) == rule.coverage() == Fraction(31, 91) / 3
    assert rule.size == 2
    assert sorted(rule.text(grid).split(" and ")) == ["income >= 30", "purpose is car"]


def all_but_grade(grid, values):
    """A rule on every feature but grade."""
    sized = zip(grid.names, grid.sizes.tolist(), strict=True)
    return Rule(tuple(None if name == "grade" else values(size) for name, size in sized))


def test_negations_break_the_rule_and_keep_the_rest():
    """Every sample has a condition broken, and features that the rule does not name are as they were."""
    grid = judge_of(network(0)).forward.grid
    rng = np.random.default_rng(0)
    rule = all_but_grade(grid, lambda size: np.arange(size) < 2)
    inside = everyone(grid)[rule.holds(everyone(grid))]
    outside = negated(rule, inside, rng)
    assert not rule.holds(outside).any()
    grade = grid.names.index("grade")
    assert (outside[:, grade] == inside[:, grade]).all()


def test_neighbors_are_of_the_domain():
    """Some features of each are those of a starting applicant, or none is left out of the draw."""
    grid = judge_of(network(0)).forward.grid
    rng = np.random.default_rng(0)
    samples = perturbed(grid, grid.draw(rng, 3), 400, rng)
    assert ((samples >= 0) & (samples < grid.sizes)).all()
    assert len(np.unique(samples, axis=0)) > 100


def test_a_guardrail_stops_those_whom_a_rule_covers():
    """Refused or referred to a person; all others get their label."""
    grid = judge_of(network(0)).forward.grid
    rule = Rule(tuple(np.arange(3) == 0 if name == "grade" else None for name in grid.names))
    applicants = np.zeros((2, len(grid.names)), dtype=np.int64)
    applicants[1, grid.names.index("grade")] = 1
    assert Guardrail((rule,), "refer").outcome(applicants, np.array([1, 1])) == ["refer", 1]
    assert Guardrail((rule,), "refuse").outcome(applicants, np.array([1, 0])) == ["refuse", 0]


@pytest.mark.slow
def test_guardrails_lower_what_search_still_finds(planted):
    """Behind the rules of the planted cause the mean k falls, and few of the rows are stopped."""
    plan, rng = Plan(chains=64, seconds=None, evaluations=4000), np.random.default_rng(0)
    first = search(planted, plan, rng)
    applicants = everyone(planted.forward.grid)
    settings = Settings(samples=1500, percentile=60.0)
    found = guard(planted, first, plan, settings, rng, rows=applicants, rounds=2, most_stopped=0.9)
    stopped = found.guardrail.stops(applicants)
    assert 0 < found.stopped <= 0.9
    assert planted.judge(applicants[~stopped]).buckets.mean() < planted.judge(applicants).buckets.mean()
    assert found.searches[-1].hits < first.hits
    none = guard(planted, first, plan, settings, rng, rows=applicants, rounds=2, most_stopped=0.0)
    assert none.guardrail.rules == ()


def test_a_rule_that_the_rows_contradict_is_no_guardrail(planted, monkeypatch):
    """It stops rows of lower k than those that it leaves, although its negation lowers the k of drawn neighbors."""
    grid = planted.forward.grid
    applicants = everyone(grid)
    k = planted.judge(applicants).buckets
    income = np.arange(grid.sizes[grid.names.index("income")])
    low, high = income < income[len(income) // 2], income >= income[len(income) // 2]
    rules = [
        Rule(tuple(side if name == "income" else None for name in grid.names), mean_k=3.0, negated_k=1.0)
        for side in (low, high)
    ]
    means = [k[rule.holds(applicants)].mean() for rule in rules]
    assert means[0] < k.mean() < means[1]
    found = [on_rows(rule, applicants, k) for rule in rules]
    assert [one.holds for one in found] == [False, True]
    assert [one.mean_k for one in found] == means
    assert on_rows(rules[0], applicants[:0], k[:0]) is None
    assert on_rows(rules[0], applicants[rules[0].holds(applicants)], k[rules[0].holds(applicants)]).holds is None
    made = Explanation(tuple(rules), 2, 3, 3, 1.0, 1.0)
    monkeypatch.setattr(mitigate, "explain", lambda *_: made)
    plan, rng = Plan(chains=8, seconds=None, evaluations=100), np.random.default_rng(0)
    first = search(planted, plan, rng)
    outcome = guard(planted, first, plan, Settings(), rng, rows=applicants, rounds=1, most_stopped=1.0)
    assert outcome.guardrail.rules == (rules[1],)
    # Rows of low income alone show nothing of people that the second rule stops.
    unshown = guard(
        planted, first, plan, Settings(), rng, rows=applicants[rules[0].holds(applicants)], rounds=1, most_stopped=1.0
    )
    assert unshown.guardrail.rules == ()
