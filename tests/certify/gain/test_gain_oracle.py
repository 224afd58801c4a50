"""What is shown of a gain is true at every point of the ball, and near to the most that is."""

import random
from itertools import product

import pytest

from equiproof.certify.branch.making import slice_bounds
from equiproof.certify.branch.relaxation import SliceRelaxation
from equiproof.certify.gain import Case, GainError, check, farthest, gain_at, most
from equiproof.certify.polytope import margin_signs
from tests.certify import tiny
from tests.certify.oracle import nearest_flip
from tests.soundness.gain_case import pair_of
from tests.support import HOUSING, INCOME, LOANS, SAVINGS, SEX, network, spec_of

SPECS = (
    spec_of(INCOME, SAVINGS, SEX, bits=(2, 12)),
    spec_of(INCOME, HOUSING, SEX, bits=(2, 12), logits=2),
    spec_of(INCOME, SAVINGS, SEX, bits=(2, 12), labels=("a", "b", "c"), logits=3),
)
"""Two or three columns, one to three logits, and few points in a ball."""

HIDDEN = ((3,), (4,), (2, 1), (2, 2))
RADIUS_SQUARED, LEAVES = 30, 64
QUICK, MORE = range(6), range(6, 40)


def case_of(seed):
    """Return a random network with a query near 0, and a value against the other."""
    spec, rng = SPECS[seed % len(SPECS)], random.Random(seed)
    query = tuple(rng.randrange(-6, 7) for _ in range(spec.plain_columns))
    found = network(spec, HIDDEN[seed % len(HIDDEN)], seed, sensitivity=1.0)
    return Case(found, spec, query, seed % 2, 1 - seed % 2, rng.randrange(len(spec.labels)))


def gains(case, radius_squared):
    """Yield the gain at every grid point closer than a radius."""
    reach, table = int(radius_squared**0.5) + 1, case.spec.domain_table
    for step in product(range(-reach, reach + 1), repeat=len(case.query)):
        if sum(move * move for move in step) < radius_squared:
            point = tuple(x + move for x, move in zip(case.query, step, strict=True))
            yield gain_at(case.network, point, table[case.first], table[case.second], case.label)


def within(case, least_gain):
    """Return the squared radius up to which a gain holds, at points between those of the grid too; None if everywhere.

    By enumeration of all patterns of both copies.
    """
    table = [case.spec.domain_table[number] for number in (case.first, case.second)]
    flip = nearest_flip(pair_of(tiny.Case(case.network, case.query, table), case.label, least_gain), case.label)
    return None if flip is None else flip[0]


@pytest.mark.parametrize("seed", [*QUICK, *(pytest.param(seed, marks=pytest.mark.slow) for seed in MORE)])
def test_the_most_is_true_and_near(seed):
    """No grid point gains less, and what is shown is near to what is refuted."""
    case = case_of(seed)
    found = most(case, RADIUS_SQUARED, max_leaves=LEAVES)
    check(found.evidence, case)
    least, everywhere = found.evidence.least_gain, list(gains(case, RADIUS_SQUARED))
    assert least <= min(everywhere)
    assert found.gain == case.gain in everywhere
    assert found.above - least <= 1 + (found.gain - least) // 4


@pytest.mark.parametrize("seed", QUICK)
def test_at_radius_0_the_gain_itself_is_shown(seed):
    """The ball holds nobody else, so what a certificate states is no bound: it gives an equation of the model away."""
    case = case_of(seed)
    assert most(case, 0, max_leaves=LEAVES).evidence.least_gain == case.gain


@pytest.mark.parametrize("seed", [0, 4, *(pytest.param(seed, marks=pytest.mark.slow) for seed in (1, 2, 3, 5, 6, 7))])
def test_what_is_refuted_holds_nowhere(seed):
    """A gain that the search calls refuted is lost at a point of the ball, and one that it shows at none."""
    case = case_of(seed)
    found = most(case, RADIUS_SQUARED, max_leaves=LEAVES)
    shown, refuted = within(case, found.evidence.least_gain), within(case, found.above + 1)
    assert shown is None or shown >= RADIUS_SQUARED
    assert refuted is not None
    assert refuted < RADIUS_SQUARED


@pytest.mark.parametrize("seed", [0, 4, *(pytest.param(seed, marks=pytest.mark.slow) for seed in (1, 2, 3, 5, 6, 7))])
def test_the_farthest_is_true(seed):
    """Up to the radius that is found every grid point gains at least so much; it is no more than the true one."""
    case = case_of(seed)
    least = case.gain - (1 << case.network.logit_fraction_bits - 3)
    found = farthest(case, least, max_leaves=LEAVES)
    check(found.evidence, case)
    radius_squared, true = found.evidence.radius_squared, within(case, least)
    assert found.above is None
    assert true is None or radius_squared <= true
    assert all(gain >= least for gain in gains(case, min(radius_squared, 4 * RADIUS_SQUARED)))


def test_leaves_that_are_too_few_refute_nothing():
    """With one leaf less is shown, and what was not found is not called refuted."""
    case = case_of(0)
    many, few = (most(case, RADIUS_SQUARED, max_leaves=leaves) for leaves in (LEAVES, 2))
    assert few.evidence.least_gain < many.evidence.least_gain <= min(gains(case, RADIUS_SQUARED)) <= few.above


def test_gains_that_do_not_hold_are_not_shown():
    """More than the gain at the query itself is refused in a line."""
    case = case_of(0)
    with pytest.raises(GainError, match=rf"the gain at the query itself is {case.gain}, below {case.gain + 1}"):
        farthest(case, case.gain + 1, max_leaves=LEAVES)


@pytest.mark.parametrize("seed", [0, 1])
def test_a_margin_is_at_least_1_where_floats_cancel(seed):
    """The gain at the query itself leaves a margin of 1, of logits of 60 bits; floats take it for a loss."""
    found = network(LOANS, (4, 3, 2, 2), seed)
    query = tuple(random.Random(seed).randrange(-1500, 1500) for _ in range(LOANS.plain_columns))
    case = Case(found, LOANS, query, 0, 1, 1)
    pair, squared = case.pair(case.gain), 100**2
    bounds = slice_bounds(case.parameters, pair, query, case.row, squared)
    relaxation = SliceRelaxation(case.parameters, pair, query, case.row, bounds, squared)
    (signs,) = margin_signs(1, 1)
    assert sum(sign * logit for sign, logit in zip(signs, pair.logits((*query, *case.row)), strict=True)) == 1
    assert relaxation.ball.objective(signs).unit >= 1
    assert most(case, squared, max_leaves=8).evidence.least_gain <= case.gain
