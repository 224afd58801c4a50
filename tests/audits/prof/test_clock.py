"""Every step of a repair ends with the time: clocks that go one second further each time they are asked."""

import math
from fractions import Fraction

import numpy as np
import pytest

from equiproof.audits.prof import bounds
from equiproof.audits.prof.bounds import tightened
from equiproof.audits.prof.box import prune
from equiproof.audits.prof.calibrate import Kept, Varied, calibrate
from equiproof.audits.prof.clock import ENDLESS, Clock
from equiproof.audits.prof.conversion import dyadic
from equiproof.audits.prof.demands import Demand
from equiproof.audits.prof.exact import TIME_ENDED, Differing, check, compare
from equiproof.audits.prof.metrics import Count, counted, in_pieces, instances
from equiproof.audits.prof.problem import KeptRows, Refusal, RepairLog, RepairProblem
from equiproof.audits.prof.program import NoChange, Rows, repair_layer
from equiproof.audits.prof.sets import Points
from equiproof.audits.prof.similar import Similarity
from equiproof.certify.integer_program import Program
from tests.audits.prof.tiny import LOANS, network, queries


def stepping(last):
    """Return a clock that ends when it is asked for the time the `last` time, from 0."""
    asked = iter(range(10_000))
    return Clock(float(last), lambda: float(next(asked)))


def problem_of(net, relation, clock=ENDLESS):
    """Return a repair of twelve applicants that keeps no rows."""
    rows = np.zeros((0, LOANS.plain_columns + LOANS.sensitive_columns), dtype=np.int64)
    return RepairProblem(net, relation, queries(LOANS, 12), KeptRows(rows, rows[:, 0]), 0, clock)


def test_a_clock_has_nothing_left_once_it_has_ended():
    """The rest is never negative; a share and a shorter time end earlier, a longer time with the clock."""
    now = [5.0]
    clock = Clock.of(10.0, lambda: now[0])
    assert (clock.rest, clock.over, clock.share(0.5).end, clock.within(3.0).end, clock.within(30.0).end) == (
        10.0, False, 10.0, 8.0, 15.0,
    )  # fmt: skip
    now[0] = 15.0
    assert (clock.rest, clock.over) == (0.0, True)
    with pytest.raises(TimeoutError, match="the time ended"):
        clock.refuse_over()
    assert Clock.of(None).end == ENDLESS.share(0.5).end == math.inf


def test_the_exact_check_ends_with_the_time():
    """Applicants whose turn does not come are unsettled; in a box of many inputs, the search ends between halves."""
    net, relation = network(LOANS, seed=1), Similarity.of(LOANS)
    whole = check(net, relation, queries(LOANS, 12))
    part = check(net, relation, queries(LOANS, 12), stepping(60))
    done = part.index(TIME_ENDED)
    assert 0 < done < 11
    assert part == [*whole[:done], *[TIME_ENDED] * (12 - done)]
    wide = Similarity.of(LOANS, {"amount": 20}).boxes(queries(LOANS, 1)[0])
    assert not isinstance(compare(net, wide), type(TIME_ENDED))
    assert compare(net, wide, clock=stepping(0)) is TIME_ENDED


def test_a_check_that_the_time_cut_short_confirms_no_repair():
    """A network is refused unless every repair point was judged, and the reason is the time."""
    alike = prune(network(LOANS, seed=1), LOANS, Fraction(1))
    assert not isinstance(problem_of(alike, Similarity.of(LOANS)).judge(alike, RepairLog()), Refusal)
    problem = problem_of(alike, Similarity.of(LOANS), stepping(30))
    assert problem.judge(alike, RepairLog()) == Refusal("the time ended before the exact check")


def test_counts_of_two_networks_are_over_the_same_inputs():
    """A piece during which the time ends is left out for both, and the total says how many were counted."""
    relation, nets = Similarity.of(LOANS, {"amount": 1}), [network(LOANS, seed=seed) for seed in (1, 2)]
    drawn = np.array(queries(LOANS, 12))
    counts = counted(nets, relation, in_pieces(drawn, relation), stepping(150))
    assert 0 < counts[0].of < 12
    assert counts == [instances(net, relation, drawn[: counts[0].of]) for net in nets]
    assert counted(nets, relation, in_pieces(drawn, relation), stepping(0)) == [Count(0, 0)] * 2
    assert counted(nets, relation, in_pieces(drawn, relation)) == [instances(net, relation, drawn) for net in nets]


def test_both_descents_stop_where_the_time_ends(monkeypatch):
    """Step 1 takes three of sixty steps and says three; the slopes of bounds are as after three of fifty steps."""
    net = network(LOANS, seed=1)
    problem = problem_of(net, Similarity.of(LOANS))
    weights, biases = dyadic(net)
    kept = Kept(np.zeros((0, weights[0].shape[1])), np.zeros(0, dtype=np.int64))
    varied = Varied(problem.region, None)
    assert calibrate(weights, biases, varied, kept, steps=60, clock=stepping(3)).steps == 3
    made = []
    monkeypatch.setattr(bounds, "clamp_slopes", made.append)
    hidden = [[bounds.torch.from_numpy(part) for part in layer[:-1]] for layer in (weights, biases)]
    tightened(*hidden, problem.region, 50, stepping(3))
    assert len(made) == 3


@pytest.mark.parametrize("rows", [0, 3])
def test_programs_get_the_time_that_is_left(monkeypatch, rows):
    """No program is given more than is left, not a second more, and none is solved after the end."""
    now, given = [0.0], []
    true = Program.solve

    def watched(self, seconds, *rest, **named):
        given.append((now[0], seconds))
        now[0] += 1.0
        return true(self, 60.0, *rest, **named)

    monkeypatch.setattr(Program, "solve", watched)
    rng = np.random.default_rng(1)
    sets = [Points(rng.random((2, 2))) for _ in range(4)]
    kept = Rows(rng.random((rows, 2)), np.arange(rows) % 2, rows)
    weights, biases = rng.normal(size=(1, 2)), np.zeros(1)
    ended = 0
    for seconds in (0.0, 0.5, 1.5, 2.5, 3.5):
        now[0] = 0.0
        given.clear()
        demand = Demand(margin=0.1, largest=4.0, seconds=100.0, clock=Clock.of(seconds, lambda: now[0]))
        outcome = repair_layer(weights, biases, sets, demand, rows=kept)
        assert all(0 < least <= seconds - at for at, least in given)
        assert len(given) <= math.ceil(seconds)
        ended += outcome == NoChange("the time ended", certain=False)
    assert ended


def test_a_tie_or_difference_found_in_time_stands():
    """What was found before the end is no less true: a difference is the answer although boxes are left."""
    net, relation = network(LOANS, seed=1), Similarity.of(LOANS)
    answers = [compare(net, relation.boxes(query), clock=stepping(24)) for query in queries(LOANS, 12)]
    assert any(isinstance(answer, Differing) for answer in answers)
