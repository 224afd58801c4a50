"""The mixed-integer program finds what enumeration finds, and nothing it finds counts unreplayed."""

import numpy as np
import pytest

from equiproof.audits.hyfair.milp import ask
from tests.audits.hyfair.small import everyone, judge_of, network

PROPERTIES = {"apart": 2, "flipped": 3}


@pytest.mark.parametrize("wanted", PROPERTIES)
def test_a_counterexample_is_found_where_there_is_one(wanted):
    """Against enumeration; where there is none the solver says so, or leaves it open."""
    outcomes = set()
    for seed in range(8):
        judge = judge_of(network(seed, (4, 3), groups=0.15))
        grid = judge.forward.grid
        truth = getattr(judge.judge(everyone(grid)), wanted).any()
        answer = ask(judge, wanted, grid.whole, np.random.default_rng(seed), 20.0)
        outcomes.add((bool(truth), answer.outcome))
        if answer.counterexample is not None:
            assert judge.exactly(answer.counterexample)[PROPERTIES[wanted]]
    assert (True, "witness") in outcomes
    assert (False, "none") in outcomes
    assert not outcomes & {(False, "witness"), (True, "none")}


def test_a_box_is_kept_to():
    """Counterexamples come from the box that was asked about."""
    judge = judge_of(network(4, (4, 3)))
    grid = judge.forward.grid
    box = grid.within(income=(11, 23))
    answer = ask(judge, "apart", box, np.random.default_rng(0), 20.0)
    assert answer.counterexample is not None
    assert ((answer.counterexample >= box[0]) & (answer.counterexample <= box[1])).all()


def test_without_time_nothing_is_said():
    """The answer is open."""
    judge = judge_of(network(4, (4, 3)))
    answer = ask(judge, "apart", judge.forward.grid.whole, np.random.default_rng(0), 0.0)
    assert (answer.outcome, answer.counterexample) == ("open", None)


def test_another_seed_leads_to_another_point():
    """The objective is drawn anew each time, so that several questions bring several starts."""
    judge = judge_of(network(4, (4, 3)))
    box = judge.forward.grid.whole
    found = {ask(judge, "apart", box, np.random.default_rng(seed), 20.0).counterexample.tobytes() for seed in range(4)}
    assert len(found) > 1
