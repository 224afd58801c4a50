"""A budget of seconds holds for all that `explain` does: searches and counting, by a clock that only steps move."""

from __future__ import annotations

from fractions import Fraction
from types import SimpleNamespace

import pytest

from equiproof.certify import pareto
from equiproof.prover import inspection
from equiproof.prover.estimate import SECONDS_PER_NEED, need
from tests.support import LOANS, network

MODEL = network(LOANS, (4, 2), seed=4)


class Steps:
    """A clock that every step moves by what it takes: a search by all the seconds that it is given."""

    def __init__(self, pace: float = 1.0) -> None:
        """Begin at 0; counting is so many times slower than forecast."""
        self.now, self.pace = 0.0, pace
        self.given: list[float] = []
        self.counted: list[int] = []

    def __call__(self) -> float:
        """Return the seconds until now."""
        return self.now

    def search(self, *_case, max_seconds, **_limits):
        """Take all the seconds, and find what does not fit a smaller capacity."""
        self.given.append(max_seconds)
        self.now += max_seconds
        evidence = SimpleNamespace(radius_squared=9, leaves=(1, 2))
        return SimpleNamespace(
            label=0, upper=Fraction(9), complete=True, capped=False, leaves=64, evidence=evidence,
            evidence_within=lambda _capacity, **limits: self.within(evidence, **limits),
            radius_for=lambda _capacity: 9, regions_for=lambda _radius: 2,
        )  # fmt: skip

    def within(self, evidence, *, max_seconds, max_work):
        """Take all the seconds for evidence of a smaller capacity."""
        self.given.append(max_seconds)
        self.now += max_seconds
        assert max_work <= pareto.MAX_WORK
        return evidence

    def count(self, shape):
        """Take as long for a shape as its forecast says, times the pace."""
        scheme = "branch" if shape.branches else "traversal"
        self.counted.append(shape.capacity)
        self.now += self.pace * SECONDS_PER_NEED[scheme] * need(shape)
        return SimpleNamespace(capacity=shape.capacity)


@pytest.fixture
def run(monkeypatch):
    """Explain the table of a number of queries on a clock of steps."""

    def explained(clock, scheme, max_seconds, queries=1):
        monkeypatch.setattr(pareto.branch, "search_under", clock.search)
        monkeypatch.setattr(pareto, "search", clock.search)
        monkeypatch.setattr(pareto, "interval_under", clock.search)
        monkeypatch.setattr(inspection, "estimate", clock.count)
        monkeypatch.setattr(inspection, "cost_document", lambda cost: {"capacity": cost.capacity})
        monkeypatch.setattr(inspection.documents, "pareto_front", lambda *_: {"verdict": "fair"})
        return inspection.explain(
            MODEL, LOANS, [(0, 0, 0)] * queries, scheme=scheme, max_seconds=max_seconds, clock=clock
        )

    return explained


@pytest.mark.parametrize("scheme", ["branch", "traversal"])
@pytest.mark.parametrize("queries", [1, 3])
def test_searches_and_counting_share_one_budget(run, scheme, queries):
    """Without the shared budget each capacity, and each of the two walks, took all of the seconds again."""
    clock = Steps()
    document = run(clock, scheme, 60.0, queries)
    assert document["beyond"] is None
    assert len(clock.given) == queries * (5 if scheme == "branch" else 2)
    assert clock.now <= 60.0 * queries * (1 + 1e-9)


@pytest.mark.parametrize("scheme", ["branch", "traversal"])
def test_what_cannot_be_interrupted_begins_only_where_its_forecast_fits(run, scheme):
    """Counting has a part of the budget; what it is forecast to exceed is named with its seconds, and not begun."""
    clock = Steps()
    document = run(clock, scheme, 1e-3)
    assert clock.counted == [] == document["capacities"]
    assert clock.now <= 1e-3 * (1 + 1e-9)
    least = 4 if scheme == "branch" else 2
    assert document["beyond"].startswith(f"counting the constraints of capacity {least} takes about 1 s")


def test_the_forecast_learns_from_a_slow_machine(run):
    """After one capacity that took a thousand times longer, the next one is not begun."""
    clock = Steps(pace=1000.0)
    document = run(clock, "branch", 150.0)
    assert len(clock.counted) == 1
    assert "takes about" in document["beyond"]
    assert clock.now <= 150.0 * (1 + 1e-9)


def test_counting_is_told_room_by_room(monkeypatch):
    """Before each capacity whose constraints are counted, how many were counted before it, of how many."""
    clock = Steps()
    monkeypatch.setattr(inspection, "estimate", clock.count)
    told = []
    inspection._costs("branch", LOANS, (4, 2), (4, 8, 16), clock=clock, counting=lambda *one: told.append(one))
    assert told == [(0, 3), (1, 3), (2, 3)]
    assert clock.counted == [4, 8, 16]
