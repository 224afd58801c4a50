"""Copies from ways and nones: what a box tells, the linear model that is copied, the thresholds that are named."""

import random
from functools import cache

import msgspec
import numpy as np
import pytest

from equiproof.certify.additive import AdditiveModel
from equiproof.certify.leak.certificates import invented
from equiproof.certify.leak.curve import Target, aimed_at, curve_of_ways
from equiproof.certify.leak.thresholds import thresholds_of
from equiproof.certify.leak.ways import Answer, Step, WaySample, answered, invented_rows, located, right
from equiproof.certify.people import Box
from equiproof.circuits.changes import Changes, Together
from equiproof.circuits.spec import Feature, checked
from tests.certify.leak.made import UNIT, additive, drawn, held_out, linear, ruled, spec

COLUMNS, THRESHOLDS = 6, 14


def rows(columns, count):
    """Return raw rows of the drawn queries."""
    return [{f"p{place}": value / UNIT for place, value in enumerate(query)} for query in drawn(columns, count)]


@cache
def answers(kind, columns, count, step="0.001"):
    """Return the ways and nones of the linear or the additive model."""
    model = linear(columns) if kind == "linear" else additive(columns, THRESHOLDS)
    return tuple(answered(model, ruled(columns, step), rows(columns, count)))


def with_kind(given, **changes):
    """Return a spec with a category of three values in front, of one column each."""
    kind = Feature("kind", "categorical", "one-hot", False, domain=("a", "b", "c"), **changes)
    return checked(msgspec.structs.replace(given, features=(kind, *given.features)))


def rows_with_kind(columns, count):
    """Return raw rows with the three values in turn."""
    return [row | {"kind": "abc"[place % 3]} for place, row in enumerate(rows(columns, count))]


def target(kind, columns, step="0.001"):
    model = linear(columns) if kind == "linear" else additive(columns, THRESHOLDS)
    return Target(model, ruled(columns, step), *held_out(model, columns))


def granted(model, point):
    """Return whether somebody is granted for both sensitive values."""
    return all(model.decide((*map(int, point), value)) == 1 for value in (-UNIT, UNIT))


@pytest.mark.parametrize("kind", ["linear", "additive"])
def test_what_an_answer_says_is_true_of_the_model(kind):
    """The applicant is refused, everybody in a box has its label, and who stops a step before is not granted."""
    model, rng = target(kind, COLUMNS).model, random.Random(1)
    some = answers(kind, COLUMNS, 60)
    assert {one.label for one in some} == {0, 1}
    for one in some:
        assert not any(model.decide((*one.query, value)) == 1 for value in (-UNIT, UNIT))
        inside = [[rng.randint(*ends) for ends in zip(one.box.low, one.box.high, strict=True)] for _ in range(5)]
        assert all(granted(model, point) == one.label for point in (one.nearest, *inside))
        assert one.steps or not one.label
        for step in one.steps:
            assert not granted(model, one.with_number(step.column, step.back))
            assert len(step.thresholds) in (1, 2)


def test_one_way_more_than_columns_copies_a_linear_model():
    """Seven of six columns, in steps of a grid point; in steps of a quarter there are no equations to solve."""
    few = [one for one in answers("linear", COLUMNS, 60) if one.label][: COLUMNS + 1]
    assert target("linear", COLUMNS).attacked_by_ways(few).agreement > 0.99
    coarse = [one for one in answers("linear", COLUMNS, 60, "0.25") if one.label]
    first = target("linear", COLUMNS, "0.25").attacked_by_ways(coarse[: COLUMNS + 1]).agreement
    assert 0.85 < first < 0.99


def test_thresholds_that_ways_name_are_those_of_the_model():
    """Every claim holds one; they are in the columns and at the places of the model's own."""
    some = answers("additive", COLUMNS, 120)
    true = thresholds_of(additive(COLUMNS, THRESHOLDS), ruled(COLUMNS))
    claims = located(some, ruled(COLUMNS))
    assert len(claims) == right(claims, true) >= 5
    assert right(claims, {(column, place.stop) for (column, _), place in claims.items()}) == 0
    assert all(min(abs(at - own) for where, own in true if where == column) <= 1 for column, at in claims)
    point = target("additive", COLUMNS).attacked_by_ways(some)
    assert (point.claimed, point.known) == (len(claims), len(claims))


def test_a_curve_has_ways_and_nones_alike():
    """Counts are of both; more of them copy an additive model better, and a seed gives the curve again."""
    aimed, pool = target("additive", COLUMNS), answers("additive", COLUMNS, 120)
    found = curve_of_ways(aimed, pool, (5, 40, len(pool) + 1), draws=1, seed=2)
    assert [one.count for one in found] == [5, 40]
    assert found[1].agreement > found[0].agreement
    assert found[1].known > found[0].known
    assert found == curve_of_ways(aimed, pool, (5, 40), draws=1, seed=2)


def test_a_model_with_categories_is_copied_too():
    """The columns of a category, which add up to the same for everybody, are no hyperplane between people."""
    given, model = with_kind(ruled(4)), linear(7)
    aimed = aimed_at(model, given, [given.encode(row) for row in rows_with_kind(4, 400)])
    some = [one for one in answered(model, given, rows_with_kind(4, 60)) if one.label]
    assert aimed.attacked_by_ways(some[:9]).agreement > 0.99


def test_ways_of_categories_alone_have_no_steps_and_are_copied():
    """People of both labels have a hyperplane between them, though it is no equation."""
    given, model = with_kind(spec(3), changes=Changes("any")), linear(6)
    some = answered(model, given, rows_with_kind(3, 60))
    assert {one.label for one in some} == {0, 1}
    assert not any(one.steps for one in some)
    aimed = aimed_at(model, given, [given.encode(row) for row in rows_with_kind(3, 400)])
    assert aimed.attacked_by_ways(some).agreement > 0.85


def test_people_of_a_box_have_one_value_of_a_category():
    """A none leaves a category open: who is drawn from it has a value, and numbers between the ends."""
    given = with_kind(ruled(2), changes=Changes("any"))
    model = AdditiveModel((3,), (9 * UNIT,), (5,), -1, 5, 1, 10)
    (one,) = answered(model, given, rows_with_kind(2, 1))
    assert (one.label, one.steps, one.nearest) == (0, (), one.query)
    points = WaySample([one] * 20, given, set(), seed=1).points
    assert (points[:, :3].sum(axis=1) == 1).all()
    assert len({tuple(point) for point in points[:, :3]}) == 3
    assert (np.abs(points[:, 3:] * UNIT - np.array(one.query)[3:]) <= UNIT / 2 + 1).all()


def test_steps_are_those_of_numbers_that_change_alone():
    """A table's rows have none; the step before the first one is today's value."""
    given = ruled(2)
    pairs = tuple((str(number), str(number)) for number in (-1, 0, 1))
    joined = checked(msgspec.structs.replace(given, together=(Together(("p0", "p1"), pairs),)))
    model = AdditiveModel((0,), (512,), (5,), -1, 2, 1, 10)
    row = {"p0": "0.5", "p1": "0.5"}
    (alone,), (both,) = (answered(model, one, [row]) for one in (given, joined))
    assert (alone.label, alone.steps) == (1, (Step(0, 512, 513),))
    assert both.label == 1
    assert both.nearest == (UNIT, UNIT)
    assert both.steps == ()


def test_steps_that_overlap_name_one_threshold():
    """Within what they share, upwards and downwards; steps of other columns and places are others."""
    box = Box((0, 0), (0, 0))
    some = [
        Answer((0, 0), 1, box, steps)
        for steps in ((Step(0, 10, 14),), (Step(0, 16, 12), Step(1, 12, 13)), (Step(0, 14, 15),))
    ]
    claims = located(some, spec(2))
    assert set(claims.values()) == {range(12, 14), range(14, 15), range(12, 13)}
    assert all(at in place for (_, at), place in claims.items())
    assert right(claims, {(0, 13), (1, 14)}) == 1


def test_who_has_neither_or_comes_too_late_is_left_out():
    """Whom the model grants for some value has no answer, and without a second nobody has."""
    model, done = linear(3, sensitive=UNIT), []
    few = rows(3, 40)
    decided = [{model.decide((*query, value)) for value in (-UNIT, UNIT)} for query in drawn(3, 40)]
    found = answered(model, ruled(3), few, progress=done.append)
    assert 0 < len(found) <= decided.count({0}) < 40
    assert done == list(range(1, 41))
    assert answered(model, ruled(3), few, max_seconds=0.0) == []


def test_chosen_applications_are_those_of_certificates():
    """The same seed draws the same ones, raw and encoded."""
    given = with_kind(ruled(3))
    some = rows_with_kind(3, 12)
    made = invented_rows(given, some, 30, seed=4)
    assert [given.encode(row) for row in made] == invented(given, [given.encode(row) for row in some], 30, seed=4)
