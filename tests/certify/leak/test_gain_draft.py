"""Drafted levels of gains: nine in ten applicants can have the loss proven, and the level tells no more."""

import random
from dataclasses import replace
from fractions import Fraction

import pytest

from equiproof.certify.gain import Case, most
from equiproof.certify.leak.candidates import LevelError
from equiproof.certify.leak.gain_draft import draft_gains, guessed_gain, worst
from equiproof.certify.network import Layer
from equiproof.circuits.levels import squares
from tests.support import LOANS, applicant, changed, network

RADII = ("0.05",)


@pytest.fixture(scope="module")
def queries():
    rng = random.Random(4)
    return [LOANS.encode(applicant(LOANS, rng)) for _ in range(40)]


def losses(model, queries):
    """Return the loss of every applicant by the worst pair of values, proven up to the first level of radii."""
    radius = squares(RADII, LOANS.input_fraction_bits)[0]
    proven = [most(worst(model, LOANS, query), radius, max_leaves=64).evidence.least_gain for query in queries]
    return [Fraction(-gain, 1 << model.logit_fraction_bits) for gain in proven]


def test_nine_in_ten_have_the_level_and_no_smaller_one_of_a_digit_does(queries):
    """The next smaller of 1, 2 or 5 would be reached by fewer."""
    model = network(LOANS, (4,), 3)
    draft = draft_gains(model, LOANS, queries, RADII, seconds=60)
    (level,) = map(Fraction, draft.levels)
    found = losses(model, queries)
    assert level.numerator in (1, 2, 5) or level.denominator % 2 == 0
    smaller = level * (Fraction(2, 5) if "5" in draft.levels[0] else Fraction(1, 2))
    assert sum(loss <= level for loss in found) >= 36
    assert sum(loss <= smaller for loss in found) < 36
    assert draft.note.startswith(f"drafted gain levels: {draft.levels[0]} in log odds; nine in ten of 40 rows")


def test_the_worst_pair_is_the_worst_of_all(queries):
    """No label and no two rows of the table lose more at the query."""
    model, rows = network(LOANS, (4,), 3), range(len(LOANS.domain_table))
    for query in queries[:5]:
        cases = [
            Case(model, LOANS, query, first, second, label)
            for first in rows for second in rows if first != second for label in range(len(LOANS.labels))
        ]  # fmt: skip
        assert worst(model, LOANS, query).gain == min(case.gain for case in cases) < 0


def blind(model, plain):
    """Return a network without a weight from a sensitive column."""
    first = model.layers[0]
    weights = tuple((*row[:plain], *(0 for _ in row[plain:])) for row in first.weights)
    return replace(model, layers=(Layer(weights, first.biases), *model.layers[1:]))


def test_where_nothing_is_lost_0_is_the_only_level(queries):
    """No list is needed for a model that does not look at sensitive values."""
    draft = draft_gains(blind(network(LOANS, (4,), 3), LOANS.plain_columns), LOANS, queries, RADII)
    assert draft.levels == ()
    assert draft.note.startswith("gain levels: 0 alone; nine in ten of 40 rows")


def test_what_has_no_draft_is_one_line(queries):
    """Too few rows, no time, and losses that no level covers."""
    model = network(LOANS, (4,), 3)
    for given, seconds in ((queries[:19], 60), (queries, 0)):
        with pytest.raises(LevelError, match="rows were found in time, and a draft needs 20"):
            draft_gains(model, LOANS, given, RADII, seconds=seconds)
    with pytest.raises(LevelError, match="fewer than nine in ten of 40 rows are proven to lose 16 or less"):
        draft_gains(replace(model, weight_fraction_bits=(0, 0)), LOANS, queries, RADII, seconds=60)


def test_the_guess_is_a_level_on_every_grid():
    """Half of a log odd, and 1 where the grid has no half."""
    assert guessed_gain(LOANS) == "0.5"
    assert guessed_gain(changed(LOANS, input_fraction_bits=0)) == "1"
