"""Flips where the label changes: found where few applicants have one, and only real ones."""

from dataclasses import replace

import numpy as np
import pytest

from equiproof.audits.hyfair.branch import Budget
from equiproof.audits.hyfair.crossing import WALKERS, crossing
from equiproof.audits.hyfair.hybrid import Limits, settle
from tests.audits.hyfair.small import everyone, judge_of, network

RARE = {12: 2, 23: 2, 29: 4, 31: 3}
"""Seeds of networks with so many flips among 819 applicants; the label of seed 31 is one in 160."""


@pytest.mark.parametrize(("seed", "flips"), RARE.items())
def test_rare_flips_are_found(seed, flips):
    """Whatever is drawn: the place between both labels is walked to."""
    judge = judge_of(network(seed, (4, 3), groups=0.06))
    assert judge.judge(everyone(judge.forward.grid)).flipped.sum() == flips
    for start in range(8):
        found = crossing(judge, judge.forward.grid.whole, 4 * WALKERS, np.random.default_rng(start))
        assert judge.has("flipped", found)


def test_what_is_found_lies_in_the_box():
    """With one feature held, only applicants with this value are found, or none where they have no flip."""
    judge = judge_of(network(29, (4, 3), groups=0.06))
    grid = judge.forward.grid
    hits = everyone(grid)[judge.judge(everyone(grid)).flipped]
    for feature, high in enumerate(grid.whole[1]):
        for value in range(high + 1):
            low, upper = (side.copy() for side in grid.whole)
            low[feature] = upper[feature] = value
            found = crossing(judge, (low, upper), 8 * WALKERS, np.random.default_rng(value))
            assert (found is not None) == (hits[:, feature] == value).any()
            assert found is None or found[feature] == value


def test_without_a_flip_nothing_is_found_and_branching_decides():
    """Both labels, or one alone; draws and the rest of the way are as they were."""
    fair = 0
    for seed in range(30):
        judge = judge_of(network(seed, (4, 3), groups=0.0))
        assert crossing(judge, judge.forward.grid.whole, 2 * WALKERS, np.random.default_rng(seed)) is None
        fair += len(set((judge.forward.margins(everyone(judge.forward.grid)) > 0).ravel())) == 2
    assert 0 < fair < 30
    limits = Limits(draws=64, solver_seconds=0.0, branch=Budget(4000, 60.0))
    judge = judge_of(network(12, (4, 3), groups=0.06))
    found = settle(judge, "flipped", judge.forward.grid.whole, limits, np.random.default_rng(0))
    assert (found.verdict, found.by) == ("unfair", "crossing")
    alone = settle(judge, "flipped", judge.forward.grid.whole, replace(limits, draws=0), np.random.default_rng(0))
    assert alone.by == "branch"
