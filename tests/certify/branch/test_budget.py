"""Budgets of a search: whatever takes long asks before each step; what is counted ends it in the same place again."""

import pytest

from equiproof.certify.branch import budget, radius_search
from equiproof.certify.branch.budget import Meter, NoTreeError
from equiproof.certify.branch.crown import Part, bounds
from equiproof.certify.branch.evidence_check import check
from equiproof.certify.branch.making import slice_bounds
from equiproof.certify.branch.relaxation import SliceRelaxation
from equiproof.certify.branch.slopes import tight_slopes, unsplit_radius
from equiproof.certify.branch.tree import Grower
from equiproof.certify.polytope import margin_signs
from equiproof.certify.traversal.search import begin
from tests.certify.branch.cases import parameters_of, run
from tests.certify.tiny import larger

CASE = larger(1, 12, (16, 12, 8))
PARAMETERS = parameters_of(CASE)
LABEL = CASE.network.decide((*CASE.query, *CASE.table[0]))
OVER = margin_signs(CASE.network.logit_count, LABEL)
RADIUS_SQUARED = 400**2
CAP = 1 << 28


class Clock:
    """A clock that is set by hand."""

    def __init__(self):
        self.now = 0.0

    def monotonic(self):
        """Return the time."""
        return self.now


@pytest.fixture
def clock(monkeypatch):
    """The clock of all meters."""
    clock = Clock()
    monkeypatch.setattr(budget, "time", clock)
    return clock


def test_a_try_has_its_share_of_the_seconds(clock):
    """A try ends after its share of what is left; work is not counted against it."""
    meter = Meter(8.0, 1)
    meter.allot(0.5)
    clock.now = 3.9
    meter.pay(1000)
    clock.now = 4.0
    with pytest.raises(NoTreeError, match="seconds"):
        meter.pay(0)
    meter.allot(0.5)
    clock.now = 5.9
    meter.pay(1)
    meter.allow()
    clock.now = 100.0
    meter.pay(1)
    assert meter.is_spent


def test_a_try_has_its_share_of_the_work(clock):
    """Without seconds, work is what ends a try, and the clock nothing."""
    meter = Meter(None, 100)
    meter.allot(0.25)
    clock.now = 1e9
    meter.pay(25)
    with pytest.raises(NoTreeError, match="work"):
        meter.pay(1)
    meter.allow()
    assert not meter.is_spent
    meter.pay(74)
    assert meter.is_spent


def spent():
    """Return a meter with nothing left."""
    meter = Meter(None, 0)
    meter.allot(1.0)
    return meter


def made(meter=None):
    """Return the relaxation of a ball, with this meter."""
    here = (PARAMETERS, CASE.network, CASE.query, CASE.table[0])
    return SliceRelaxation(*here, slice_bounds(*here, RADIUS_SQUARED), RADIUS_SQUARED, None, meter)


FREE = (0,) * CASE.network.neurons
STEPS = {
    "slopes": lambda meter: tight_slopes(
        PARAMETERS, CASE.network, CASE.query, CASE.table, OVER, RADIUS_SQUARED, None, meter
    ),
    "bounds": lambda meter: slice_bounds(
        PARAMETERS, CASE.network, CASE.query, CASE.table[0], RADIUS_SQUARED, (), meter
    ),
    "ascent": lambda meter: bounds(made(meter), [Part(FREE, FREE, None)], OVER[0], 5),
    "programs": lambda meter: made(meter).solve(FREE, FREE, OVER[0]),
    "nearest": lambda meter: made(meter).nearest(FREE, FREE, OVER[0]),
}


@pytest.mark.parametrize("step", STEPS.values(), ids=STEPS)
def test_whatever_takes_long_can_be_ended(step):
    """Each loop of a search asks its meter before a step, and goes on where there is no limit."""
    with pytest.raises(NoTreeError, match="work"):
        step(spent())
    meter = Meter()
    step(meter)
    assert meter.work > 0


def test_counted_work_ends_a_search_in_the_same_place(monkeypatch):
    """The result of a budget of work is the same every time, named as such, and larger with more work."""
    radii = {}
    for most in (0, 3_000, 6_000):
        monkeypatch.setattr(radius_search, "MAX_WORK", most)
        first, again = (run(CASE, max_radius_squared=CAP, max_leaves=128) for _ in range(2))
        assert (first.radius_squared, first.evidence) == (again.radius_squared, again.evidence)
        assert first.ended == "work"
        check(first.evidence, PARAMETERS, CASE.network, CASE.query, CASE.table, None)
        radii[most] = first.radius_squared
    assert 0 < radii[0] < radii[3_000] < radii[6_000]


def test_the_first_evidence_needs_hardly_a_split():
    """Balls that floats prove whole are proven by the integers with one split, the one that every system has."""
    for seed in range(6):
        case = larger(seed, 12, (16, 12))
        here = begin(case.network, case.query, case.table, max_radius_squared=CAP, max_regions=99, box=None)
        grower = Grower(here, parameters_of(case), lambda *_: CAP)
        radius_squared = unsplit_radius(case.network, case.query, case.table, grower.margins, None, CAP)
        assert radius_squared > 0
        meter = Meter()
        evidence = grower.grow(radius_squared, 64, meter, plain=True)
        assert len(evidence.leaves) == len(case.table) + 1
        smaller = unsplit_radius(case.network, case.query, case.table, grower.margins, None, radius_squared)
        assert smaller < radius_squared


def test_plain_lines_that_fail_say_nothing_of_others(monkeypatch):
    """In nine layers the integers may not prove what floats do with the tighter lower lines; slopes prove more."""
    monkeypatch.setattr(radius_search, "MAX_WORK", 45_000)
    case = larger(0, 12, (5,) * 9)
    search = run(case, max_radius_squared=CAP, max_leaves=64)
    assert search.radius_squared >= 2074**2
    assert run(case, max_radius_squared=CAP, max_leaves=64, max_seconds=0.0).ended == "seconds"


@pytest.mark.parametrize("seed", range(3))
def test_more_is_proven_whole_inside_a_box(seed):
    """Ranges that cut the ball let floats prove a larger one unsplit; without any, it is that of no box."""
    case = larger(seed, 12, (16, 12))
    label = case.network.decide((*case.query, *case.table[0]))
    here = (case.network, case.query, case.table, margin_signs(case.network.logit_count, label))
    whole = unsplit_radius(*here, None, CAP)
    wide, narrow = (tuple((x - room, x + room) for x in case.query) for room in (1 << 17, 20))
    assert unsplit_radius(*here, tuple(zip(*wide, strict=True)), CAP) == whole
    assert unsplit_radius(*here, tuple(zip(*narrow, strict=True)), CAP) > whole
