"""Bounds over boxes enclose every applicant, in machine integers and in Python's."""

import numpy as np
import pytest

from equiproof.audits.hyfair.bounds import corners, guiding, proving
from equiproof.audits.hyfair.margin import Margin, margin_of
from tests.audits.hyfair.small import everyone, judge_of, network


def boxes(grid, rng, count):
    """Draw boxes of the grid."""
    ends = np.sort(np.stack([grid.draw(rng, count), grid.draw(rng, count)]), axis=0)
    return ends[0], ends[1]


def exact(judge, box):
    """The integer margins of a box's applicants, shape (n, S)."""
    applicants = everyone(judge.forward.grid, box)
    unit = judge.forward.margin.unit
    return np.array([[int(m * unit) for m in judge.forward.exact(applicant)] for applicant in applicants], dtype=object)


@pytest.mark.parametrize("hidden", [(3,), (4, 3), (3, 3, 2)])
def test_exact_bounds_enclose_every_margin_and_every_difference(hidden):
    """Over random boxes, against enumeration in integers."""
    rng = np.random.default_rng(7)
    for seed in range(5):
        judge = judge_of(network(seed, hidden))
        low, high = boxes(judge.forward.grid, rng, 6)
        columns = corners(judge.forward.grid, (low, high))
        kind = judge.proving.table.dtype
        found = judge.proving.bound(columns[0].astype(kind), columns[1].astype(kind))
        for index in range(len(low)):
            margins = exact(judge, (low[index], high[index]))[::3]
            assert (margins.min(axis=0) >= found.low[index]).all()
            assert (margins.max(axis=0) <= found.high[index]).all()
            apart = (margins[:, :, None] - margins[:, None, :]).max(axis=0)
            assert (apart <= found.between[index]).all()


def test_bounds_of_a_single_applicant_are_its_margins():
    """Nothing is relaxed where nothing varies."""
    judge = judge_of(network(1, (4, 3)))
    applicant = judge.forward.grid.draw(np.random.default_rng(0), 1)
    columns = corners(judge.forward.grid, (applicant, applicant))
    found = judge.proving.bound(*(column.astype(judge.proving.table.dtype) for column in columns))
    margins = exact(judge, (applicant[0], applicant[0]))
    assert (found.low == margins).all()
    assert (found.high == margins).all()


def test_one_neuron_by_hand():
    """relu(x) - 2 for x from -6 to 10: at -6 nothing is left but the bias, at 10 there is no room above relu."""
    judge = judge_of(network(0))
    grid = judge.forward.grid
    # Of seven columns only income counts.
    first = (((1, 0, 0, 0, 0, 0, 0),), (0,))
    made = Margin((first, (((1,),), (-2,))), 1, (0, 0))
    relaxation = proving(made.layers, grid)
    found = relaxation.bound(*(np.array([[end, 0, 0, 0, 0]], dtype=relaxation.table.dtype) for end in (-6, 10)))
    assert (found.low == -2).all()
    assert (found.high == 8).all()
    assert (found.between <= 10).all()


def test_machine_integers_are_used_only_where_no_sum_leaves_them():
    """Small networks fit, large weights through several layers do not."""
    judge = judge_of(network(0, (3,)))
    assert judge.proving.table.dtype == np.int64
    deep = judge_of(network(0, (3, 3, 3, 3, 3), spread=30000))
    assert deep.proving.table.dtype == object


def test_floats_guide_to_the_same_bounds():
    """The same lines in floats: on small numbers they differ by rounding only."""
    judge = judge_of(network(4, (4, 3)))
    grid = judge.forward.grid
    layers = margin_of(network(4, (4, 3))).layers
    columns = corners(grid, tuple(end[None] for end in grid.whole))
    sure = proving(layers, grid)
    by_floats = guiding(layers, grid).bound(*(column.astype(np.float64) for column in columns))
    proven = sure.bound(*(column.astype(sure.table.dtype) for column in columns))
    width = (proven.high - proven.low).astype(np.float64)
    assert (abs(by_floats.low - proven.low.astype(np.float64)) <= 0.05 * width + 2).all()


def test_corners_of_indicators_are_those_of_the_values_inside():
    """Of three purposes two are inside: neither indicator is sure, the third is 0."""
    grid = judge_of(network(0)).forward.grid
    low, high = (end[None].copy() for end in grid.whole)
    high[0, grid.names.index("purpose")] = 1
    least, most = corners(grid, (low, high))
    assert least[0].tolist() == [-48, 0, 0, 0, 0]
    assert most[0].tolist() == [96, 16, 16, 0, 32]
