"""The counted side of a hyperplane: never more than enumeration finds, nearly as much, and what it is worth."""

import itertools

import numpy as np
import pytest

from equiproof.audits.hyfair.grid import grid_of
from equiproof.audits.unfair.halfspaces import Halfspaces
from equiproof.audits.unfair.networks import NetworkOnBoxes, _settled
from equiproof.audits.unfair.search import narrowing
from equiproof.audits.unfair.weights import Weights, uniform
from tests.audits.hyfair.small import judge_of
from tests.audits.unfair.made import SMALL, counted
from tests.support import network

LEVELS = (
    np.arange(0, 40, 2)[:, None],
    np.eye(3, dtype=np.int64) * 7 - 2,
    np.arange(-100, 100)[:, None] * 3,
    np.array([[1], [5], [2]]),
)


@pytest.mark.parametrize("huge", [1, 10**20])
def test_it_counts_from_below(huge):
    """On random boxes, slopes of any size, and constants at and beside the border: a few of a hundred are lost."""
    rng = np.random.default_rng(5)
    lost = whole = 0
    for trial in range(150):
        weights = tuple(rng.integers(0, 4, size=len(level)) for level in LEVELS)
        own = Halfspaces(LEVELS, weights)
        slopes = [
            int(slope) * huge + int(rng.integers(0, min(huge, 10**15))) for slope in rng.integers(-10, 10, size=6)
        ]
        low = np.array([rng.integers(0, len(level)) for level in LEVELS])
        high = np.array([rng.integers(first, len(level)) for first, level in zip(low, LEVELS, strict=True)])
        worth = {}
        for places in itertools.product(*map(range, low, high + 1)):
            columns = [int(value) for level, place in zip(LEVELS, places, strict=True) for value in level[place]]
            value = sum(slope * column for slope, column in zip(slopes, columns, strict=True))
            weight = int(np.prod([part[place] for part, place in zip(weights, places, strict=True)]))
            worth[value] = worth.get(value, 0) + weight
        border = -sorted(worth)[int(rng.integers(0, len(worth)))] + trial % 2
        truth = sum(weight for value, weight in worth.items() if value + border > 0)
        found = own.above(slopes, border, low, high)
        assert found <= truth
        assert own.weight(low, high) == sum(worth.values())
        lost += truth - found
        whole += truth
    assert lost < 0.05 * whole


def test_all_or_none_are_counted_exactly():
    """Where a whole box is on one side, nothing is rounded."""
    own = Halfspaces(LEVELS, tuple(np.ones(len(level), dtype=np.int64) for level in LEVELS))
    low, high = np.zeros(4, dtype=np.int64), np.array([len(level) - 1 for level in LEVELS])
    slopes = [1, 0, 0, 0, 1, 0]
    assert own.above(slopes, 301, low, high) == own.weight(low, high) == 20 * 3 * 200 * 3
    assert own.above(slopes, -(38 + 297), low, high) == 0
    assert own.above([0] * 6, 1, low, high) == own.weight(low, high)
    assert own.above([0] * 6, 0, low, high) == 0


def test_weights_beyond_machine_integers_are_rounded():
    """A hundred bits of weight: the rounded count is below the exact one, and hardly."""
    many = tuple(np.full(len(level), (1 << 30) - 1, dtype=np.int64) for level in LEVELS)
    ones = tuple(np.ones(len(level), dtype=np.int64) for level in LEVELS)
    low, high = np.zeros(4, dtype=np.int64), np.array([len(level) - 1 for level in LEVELS])
    rng = np.random.default_rng(2)
    for _ in range(30):
        slopes, constant = rng.integers(-9, 10, size=6).tolist(), int(rng.integers(-900, 900))
        one = Halfspaces(LEVELS, ones).above(slopes, constant, low, high) * ((1 << 30) - 1) ** 4
        found = Halfspaces(LEVELS, many).above(slopes, constant, low, high)
        assert one - (one >> 20) <= found <= one


def test_domains_with_a_heavy_feature_have_none():
    """Those of a feature whose weights are too large: its boxes are settled as a whole, or halved."""
    grid = grid_of(SMALL)
    assert Halfspaces.of(grid, uniform(grid)) is not None
    assert Halfspaces.of(grid, Weights(tuple((1 << 40,) * len(level) for level in grid.levels))) is None


def test_lines_of_all_assignments_settle_no_more_than_is_true():
    """Of lines with slopes of their own: all above 0 is fair, one of each side unfair; in columns of any sign."""
    rng = np.random.default_rng(9)
    ones = tuple(np.ones(len(level), dtype=np.int64) for level in LEVELS)
    own = Halfspaces(LEVELS, ones)
    shown = np.zeros(2, dtype=np.int64)
    for _ in range(60):
        low = np.array([rng.integers(0, len(level)) for level in LEVELS])
        high = np.array([rng.integers(first, len(level)) for first, level in zip(low, LEVELS, strict=True)])
        inside = [level[first : last + 1] for level, first, last in zip(LEVELS, low, high, strict=True)]
        ends = tuple(
            np.concatenate([getattr(part, end)(axis=0) for part in inside]).astype(object) for end in ("min", "max")
        )
        lines = [
            (rng.integers(-9, 10, size=(3, 6)).astype(object), rng.integers(-2500, 2500, size=3).astype(object))
            for _ in range(2)
        ]
        everybody = np.array([np.concatenate(parts) for parts in itertools.product(*inside)], dtype=object)
        above = [np.array(everybody @ slopes.T + constants > 0, dtype=bool) for slopes, constants in lines]
        fair, unfair = _settled(own, lines, ends, low, high)
        assert fair <= sum(int(one.all(axis=1).sum()) for one in above)
        assert unfair <= (above[0].any(axis=1) & above[1].any(axis=1)).sum()
        shown += fair > 0, unfair > 0
    assert shown.min() > 5


def test_parts_of_boxes_are_proven(monkeypatch):
    """With boxes alone, bounds hold what enumeration finds at every step, and parts bring them there sooner."""
    monkeypatch.setattr(NetworkOnBoxes, "most_counted", 1)
    monkeypatch.setattr("equiproof.audits.unfair.search._BATCH", 4)
    halfspaces = Halfspaces.of
    known = {"parts": 0, "whole": 0}
    for seed in range(6):
        made = network(SMALL, (3,), seed, 1.0)
        judge = judge_of(made, SMALL)
        weights = uniform(judge.forward.grid)
        unfair, fair, tied = counted(made)
        for kind, of in (("parts", halfspaces), ("whole", lambda *_: None)):
            monkeypatch.setattr(Halfspaces, "of", of)
            steps = list(narrowing(NetworkOnBoxes([judge], weights), weights, 10**6))
            assert all(step.unfair <= unfair and step.fair <= fair for step in steps)
            assert (steps[-1].unfair, steps[-1].fair, steps[-1].tied) == (unfair, fair, tied)
            known[kind] += sum(step.unfair + step.fair for step in steps[:4])
    assert known["parts"] > 1.2 * known["whole"]
