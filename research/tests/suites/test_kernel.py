"""The race on ensembles: the kernel's problems, and the mixed integer program of the same question."""

import itertools
import random
from pathlib import Path

import pytest

pytest.importorskip("sklearn")
pytest.importorskip("scipy")
from equiproof.ffi.search import nearest
from research.suites.ensembles import dumped, trained
from research.suites.kernel import Question, _part, solved, table


@pytest.fixture(scope="module")
def lending():
    """A small ensemble on the generated data set, its rows and its test rows."""
    return trained("lending", 6, 3, None)


def fair(lending, count):
    """Yield some queries whose decision does not depend on the sensitive columns."""
    ensemble, rows, test = lending
    return itertools.islice((rows[number] for number in test if ensemble.label(rows[number]) is not None), count)


def test_problems_have_the_ensembles_margins(lending):
    """The staying cell of a problem has the query's margin, and crossing follows the thresholds."""
    ensemble = lending[0]
    for query in fair(lending, 10):
        problem = ensemble.problem(query)
        sigma = 2 * ensemble.label(query) - 1
        for bits, row in zip(problem["slices"], ensemble.spec.domain_table, strict=True):
            assert margin(problem, [0] * len(problem["slots"]) + bits) == sigma * ensemble.margin((*query, *row))
        other = tuple(value + random.Random(value).randrange(-2000, 2000) for value in query)
        crossed = [
            int((other[column] > limit) != (query[column] > limit))
            for column, limit in ensemble.predicates
            if column < len(query)
        ]
        bits, row = problem["slices"][0], ensemble.spec.domain_table[0]
        assert margin(problem, crossed + bits) == sigma * ensemble.margin((*other, *row))


def margin(problem, crossed):
    """Evaluate a problem at a cell."""
    total = problem["base"]
    for root in problem["roots"]:
        kind, number = root
        while kind:
            node = problem["nodes"][number]
            kind, number = node["cross"] if crossed[node["slot"]] else node["stay"]
        total += number
    return total


def test_the_mixed_integer_program_finds_the_kernels_distance(lending):
    """Both are exact searches of one question."""
    distances = set()
    for query in fair(lending, 12):
        problem = lending[0].problem(query)
        found = nearest(dumped(problem), lending[0].spec.max_radius_squared)
        race = solved(problem, 60)
        assert found.complete
        if found.upper2 is not None:
            assert race.squared == pytest.approx(found.upper2, abs=0.5)
            distances.add(found.upper2)
    assert len(distances) > 5


@pytest.mark.slow
def test_a_part_has_a_line(monkeypatch):
    """A small part is measured, and its line has the columns of the head."""
    question = Question(points=2, seconds=5, raced=1)
    part = _part("lending", (5, 2, 4), question, Path())
    head, _, line = table({"parts": {"lending-5x2": part}}).splitlines()
    assert head.count("|") == line.count("|")
    assert part["ended"] == part["points"] == 2
