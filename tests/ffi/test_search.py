"""Searches of ensembles through the library: results, errors, budgets and interrupts."""

import json
import signal
import threading
import time

import pytest

from equiproof.ffi.errors import MalformedInputError
from equiproof.ffi.search import Scale, leaves, nearest


def slot(column, gap2, step=0, above=True):
    return {"column": column, "above": above, "gap2": gap2, "step": step}


def node(slot, stay, cross):
    """The five numbers of a node: who stays, who crosses, and its slot."""
    return *stay, *cross, slot


def problem(**changes):
    """Two columns, and one tree that is wrong where both are crossed; a second slice loses 2."""
    known = {
        "base": 3,
        "slots": [slot(0, 4), slot(1, 9), slot(1, 25)],
        "sensitive": [{"column": 2, "step": -2}],
        "slices": [[0], [1]],
        "nodes": [*node(0, (0, 5), (1, 1)), *node(1, (0, 0), (0, -1))],
        "roots": [[1, 0]],
    }
    return json.dumps(known | changes)


def hard(columns=90):
    """A problem that no search ends soon: many equal steps of which half are too many."""
    slots = [slot(column, 1000 + column * column % 97, -1000 + column * column % 89) for column in range(columns)]
    return problem(base=columns * 480, slots=slots, nodes=[], roots=[])


def test_nearest_finds_the_cell_and_the_slice():
    """3 - 1 - 2 is a tie on the second slice, at 4 + 9."""
    found = nearest(problem())
    assert (found.lower2, found.upper2, found.complete) == (13, 13, True)
    assert (found.signs, found.slice) == ((1, 1, -1), 1)


def test_below_a_limit_nothing_is_wrong():
    found = nearest(problem(), 13)
    assert (found.lower2, found.upper2, found.signs, found.slice, found.complete) == (13, None, None, None, True)


def test_every_slice_may_have_to_be_wrong_and_columns_may_be_a_group():
    """3 - 1 is no tie without the second slice's 2; a group is at one of its rows, whose cost is its own."""
    assert nearest(problem(every=True)).complete
    assert nearest(problem(every=True)).upper2 is None
    group = {"columns": [0, 1], "rows": [[0, 0], [1, 2], [0, 1]], "costs": [0, 40, 2]}
    slots = [slot(0, 40), slot(1, 2), slot(1, 40)]
    found = nearest(problem(every=True, base=1, slots=slots, groups=[group]))
    assert (found.upper2, found.signs, found.complete) == (40, (1, 1, 1), True)


def test_leaves_hold_for_the_rows_of_a_group():
    """Whoever crosses both columns is decided wrongly: somebody at any position, nobody at a row that crosses one."""
    slots = [slot(0, 0), slot(1, 0), slot(1, 0)]
    group = {"columns": [0, 1], "rows": [[1, 0], [0, 2]], "costs": [0, 0]}
    assert leaves(problem(slots=slots), 1, 8, SCALE).reason == "wrong"
    found = leaves(problem(slots=slots, groups=[group]), 1, 8, SCALE)
    assert found.reason is None
    assert found.leaves
    both = leaves(problem(slots=slots, groups=[group | {"rows": [[1, 0], [1, 2]]}]), 1, 8, SCALE)
    assert (both.reason, both.signs) == ("wrong", (1, 1, 1))
    with pytest.raises(MalformedInputError, match="leaves of groups are of a radius beyond all cells"):
        leaves(problem(slots=slots, groups=[group]), 0, 8, SCALE)


SCALE = Scale(fraction_bits=8, value_bits=4, multiplier_bits=30)


def test_leaves_prove_the_exact_radius():
    """Up to the nearest wrong decision there is a partition, beyond it the wrong cell; reasons are named."""
    found = leaves(problem(), 13, 8, SCALE)
    assert (found.reason, found.slots, found.rows) == (None, (0, 1), (0, 1))
    assert found.needed == len(found.leaves) > 1
    assert all(len(leaf.signs) == 2 and len(leaf.charges) == 2 for leaf in found.leaves)
    wrong = leaves(problem(), 14, 8, SCALE)
    assert (wrong.reason, wrong.upper2, wrong.signs, wrong.slice) == ("wrong", 13, (1, 1, -1), 1)
    assert (wrong.leaves, found.upper2, found.signs, found.slice) == ((), None, None, None)
    few = leaves(problem(), 13, 1, SCALE)
    assert (few.reason, few.needed) == ("leaves", 2)
    assert (leaves(problem(), 13, 8, SCALE, slots=1).reason, leaves(problem(), 13, 8, SCALE, rows=1).reason) == (
        "slots",
        "rows",
    )
    assert leaves(problem(), 13, 8, SCALE, milliseconds=0).reason == "time"


@pytest.mark.parametrize(
    ("radius2", "capacity", "scale", "message"),
    [
        (-1, 8, SCALE, "radius2 must be 0"),
        (1, 0, SCALE, "capacity at least 1"),
        (1, 8, Scale(65, 4, 30), "scale: above"),
        (1, 8, Scale(8, -1, 30), "cannot unmarshal number -1"),
    ],
)
def test_leaves_refuse_a_malformed_request(radius2, capacity, scale, message):
    with pytest.raises(MalformedInputError, match=message):
        leaves(problem(), radius2, capacity, scale)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"slices": []}, "slices: there must be at least one"),
        ({"slices": [[2]]}, r"slices\[0\]\[0\]: not a bit"),
        ({"slots": [slot(0, 9), slot(0, 8), slot(1, 1)]}, r"slots\[1\]: out of order"),
        ({"slots": [slot(0, 1, above=False), slot(0, 4, above=False), slot(1, 1)]}, r"slots\[1\]: out of order"),
        ({"slots": [slot(0, 2**53)]}, r"slots\[0\]: step or gap2 is too wide"),
        ({"base": 2**40}, "base: 1099511627776 is too wide"),
        ({"roots": [[1, 0], [1, 0]]}, r"nodes\[0\]: 2 references, want one"),
        ({"roots": [[1, 1]]}, r"nodes\[0\]: 0 references, want one"),
        ({"roots": [[1, 2]]}, r"roots\[0\]: no value or node behind"),
        ({"nodes": node(4, (0, 1), (0, 1))}, r"nodes\[0\]: no slot 4"),
        ({"nodes": node(0, (1, 0), (0, 1))}, r"nodes\[0\]: no value or node behind"),
        ({"groups": [{"columns": [1], "rows": [[3]], "costs": [0]}]}, r"groups\[0\]: rows\[0\]\[0\]: no position"),
        ({"nodes": [0, 1, 0]}, "nodes: want 5 numbers a node"),
        ({"surplus": 1}, 'unknown field "surplus"'),
        ({"base": "one"}, "cannot unmarshal string"),
    ],
)
def test_a_malformed_problem_is_refused(changes, message):
    with pytest.raises(MalformedInputError, match=message):
        nearest(problem(**changes))


def test_a_budget_ends_a_search_with_what_is_proven():
    begun = time.monotonic()
    found = nearest(hard(), milliseconds=50)
    assert not found.complete
    assert time.monotonic() - begun < 10
    assert nearest(hard(), nodes=3).nodes <= 4


def test_an_interrupt_ends_a_search():
    """Ctrl-C is heard while the library searches without a budget, and the search itself ends."""
    before = threading.active_count()
    signal.setitimer(signal.ITIMER_REAL, 0.2)
    previous = signal.signal(signal.SIGALRM, signal.default_int_handler)
    try:
        with pytest.raises(KeyboardInterrupt):
            nearest(hard())
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, previous)
    deadline = time.monotonic() + 10
    while threading.active_count() > before and time.monotonic() < deadline:
        time.sleep(0.02)
    assert threading.active_count() <= before
