"""Exact GeoCert against branch and bound: raced on a small network, counted by hand, and shown on the page."""

import json

import pytest

from bench.harness import BenchError, nothing
from bench.parts import Options, measure
from equiproof.certify.models.training import Settings
from research.suites import race
from research.suites.race import Point

QUESTION = race.Question(racers=(race.Racer("lending", (4, 3), 0.01),), settings=Settings(epochs=3))


def run(**options):
    """Race on a small network."""
    given = Options(points=3, **options)
    return measure("race", race.plan(None, given, QUESTION), given, None, lambda _: None, nothing)


@pytest.fixture(scope="module")
def results():
    """Three applicants with more time than they need."""
    return run(seconds=20)


def test_every_fair_applicant_is_raced(results):
    """On a small network all searches come to their end, in more than no time."""
    part = results["parts"]["lending-4-3"]
    fair = part["fair_points"]
    assert fair + part["unfair_points"] == 3
    assert [part[f"{name}_ended"] for name in race.SEARCHES] == [fair] * 3
    assert min(part["exact_s"], part["branch_s"], part["walk_s"]) > 0
    assert part["both_ended"] == fair > 0
    assert results["question"]["jobs"] == 1


def test_a_search_that_ran_out_of_time_did_not_end():
    """With next to no time, a search counts as ended only where it knows the radius."""
    part = run(seconds=1e-9)["parts"]["lending-4-3"]
    assert part["walk_ended"] == 0
    assert part["walk_s"] is None


def test_sides_are_compared_where_both_ended():
    """Sums and wins are over the applicants where both searches ended."""
    found = race._sides([Point(1.0, 0.5, 0.1), Point(1.0, 2.0, 0.1), Point(None, 3.0, None), Point(4.0, None, None)])
    assert found == {"both_ended": 2, "branch_faster": 1, "exact_sum_s": 2.0, "branch_sum_s": 2.5}


def test_the_table_has_a_line_for_each(results):
    """Results that were read back make the same table, with a line for the network."""
    assert race.table(json.loads(json.dumps(results))) == race.table(results)
    assert race.table(results).splitlines()[2].startswith("| lending (4,3) |")


def test_a_race_has_one_process():
    """Searches that are timed do not run side by side."""
    with pytest.raises(BenchError, match="race: want --jobs 1"):
        race.plan(None, Options(jobs=2), QUESTION)
