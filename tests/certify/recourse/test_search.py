"""Recourse against enumeration: outcomes, costs, and what is claimed of everybody in a box."""

import random
from fractions import Fraction

import pytest

from equiproof.certify.boxes import BoxRoom, decide_box, margin
from equiproof.certify.recourse.search import PARTS, NotRefusedError, box_of, search
from equiproof.circuits.allowed import allowed
from tests.recourse_cases import ROW, RULED, becoming, drawn_additive, drawn_row, simple

ROOM = BoxRoom(1)


def refused(spec, model, row):
    """Return whether a model refuses a row on every row of the table."""
    query = spec.encode(row)
    return all(margin(model, 0, (*query, *one)) >= 1 for one in spec.domain_table)


def granted(spec, model, values):
    """Return on how many rows of the table a model grants somebody."""
    query = spec.encode(values)
    return sum(margin(model, 1, (*query, *one)) >= 1 for one in spec.domain_table)


@pytest.mark.parametrize("seed", range(4))
def test_outcomes_and_costs_are_those_of_enumeration(seed):
    """A none where nobody is granted, a way at the least cost of who is granted on every row, and no other claim."""
    rng, met = random.Random(seed), []
    while len(met) < 14:
        model, row = drawn_additive(rng), drawn_row(rng)
        if not refused(RULED, model, row):
            continue
        found = search(model, RULED, row, 0, 1, ROOM)
        met.append(found.outcome)
        everybody = [(cost, granted(RULED, model, values)) for values, cost in becoming(RULED, row)]
        every = [cost for cost, rows in everybody if rows == len(RULED.domain_table)]
        if found.outcome == "none":
            assert not any(rows for _, rows in everybody)
        elif found.outcome == "way":
            # Beyond a shown value people may be refused, so that a way can cost more than its least point.
            assert found.ways[0].cost >= min(every) == found.lower
        elif found.outcome == "dependent":
            assert not every
            assert any(rows for _, rows in everybody)
            assert found.witness.granted != found.witness.refused
        else:
            assert found.why == "ends"
    assert len(set(met)) > 1


@pytest.mark.parametrize("seed", range(3))
def test_the_cheapest_way_is_the_cheapest_box_that_is_decided(seed):
    """Of all choices whose people are all granted, from what is shown on, none costs less."""
    rng, seen = random.Random(100 + seed), 0
    while seen < 6:
        model, row = drawn_additive(rng), drawn_row(rng)
        if not refused(RULED, model, row):
            continue
        found = search(model, RULED, row, 0, 1, ROOM, most=1)
        costs = [
            cost
            for values, cost in becoming(RULED, row)
            if cost and granted(RULED, model, values) == len(RULED.domain_table) and holds(model, row, values)
        ]
        if costs:
            seen += 1
            assert found.ways[0].cost == min(costs)
        for way in found.ways:
            # Without such a choice a number may end nearer than the rules allow.
            assert decide_box(model, box_of(RULED, way.ends), RULED.domain_table, 1, ROOM).holds


def holds(model, row, values):
    """Return whether everybody who goes at least as far as some values is granted."""
    ends = {name: (value,) if name == "housing" else (value, value) for name, value in values.items()}
    if values["income"] != row["income"]:
        ends["income"] = (values["income"], "60")
    if float(values["debt"]) > row["debt"]:
        ends["debt"] = (values["debt"], "9")
    elif float(values["debt"]) < row["debt"]:
        ends["debt"] = ("-3", values["debt"])
    return decide_box(model, box_of(RULED, ends), RULED.domain_table, 1, ROOM).holds


def test_every_outcome_is_met():
    """Of drawn applicants some have a way, most of them none, and some depend on a sensitive value."""
    rng, met = random.Random(3), set()
    for _ in range(120):
        model, row = drawn_additive(rng), drawn_row(rng)
        if refused(RULED, model, row):
            found = search(model, RULED, row, 0, 1, ROOM)
            met.add((found.outcome, found.why))
    assert met == {("none", None), ("way", None), ("dependent", None), ("undecided", "ends")}


def test_a_none_of_a_part_is_the_largest_that_is_decided():
    """Where only people between steps are granted, numbers go as far to their ends as the list of parts lets them."""
    rng, met, tried = random.Random(3), set(), 0
    while len(met) < 3:
        tried += 1
        model, row = drawn_additive(rng), drawn_row(rng)
        if not refused(RULED, model, row):
            continue
        found = search(model, RULED, row, 0, 1, ROOM)
        if found.outcome != "undecided":
            assert found.within is None
            continue
        may, met = allowed(RULED, row, {}), met | {found.within}
        holding = [
            percent for percent in PARTS
            if decide_box(model, box_of(RULED, may.within(percent).box(RULED)), RULED.domain_table, 0, ROOM).holds
        ]  # fmt: skip
        assert found.within == max(holding, default=None)
        assert found.ends == (may.within(found.within).box(RULED) if holding else None)
        assert tried < 2000
    assert None in met


def test_ways_differ():
    """None changes all that another one does; the first is the cheapest, and they cost more and more."""
    rng, most = random.Random(7), 0
    for _ in range(40):
        model, row = drawn_additive(rng, most=24), drawn_row(rng)
        if not refused(RULED, model, row):
            continue
        ways = search(model, RULED, row, 0, 1, ROOM).ways
        most = max(most, len(ways))
        changes = [set(way.changed) for way in ways]
        assert all(not one <= other for one in changes for other in changes if one is not other)
        assert [way.cost for way in ways] == sorted(way.cost for way in ways)
        assert all(decide_box(model, box_of(RULED, way.ends), RULED.domain_table, 1, ROOM).holds for way in ways)
    assert most > 1


def test_every_single_change_that_is_enough_is_a_way():
    """Three features of which each is enough alone are three ways, by cost, and no way changes two."""
    found = search(simple(), RULED, ROW, 0, 1, ROOM)
    assert [(way.changed, way.cost) for way in found.ways] == [
        (("debt",), 1), (("housing",), Fraction(3, 2)), (("income",), 2),
    ]  # fmt: skip
    assert found.ways[0].ends["debt"] == (-3, 2)
    assert found.ways[1].ends["housing"] == ("own",)
    assert found.ways[2].ends["income"] == (40, 60)
    assert len(search(simple(), RULED, ROW, 0, 1, ROOM, most=2).ways) == 2


def test_who_is_not_refused_is_asked_for_another():
    """Recourse is about those who are refused for every listed value."""
    rng = random.Random(3)
    while True:
        model, row = drawn_additive(rng), drawn_row(rng)
        if granted(RULED, model, row):
            break
    with pytest.raises(NotRefusedError, match="refused for every listed value"):
        search(model, RULED, row, 0, 1, ROOM)
