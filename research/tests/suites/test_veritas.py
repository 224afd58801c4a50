"""VERITAS on the ensembles of the race: its trees are the integers', and its distance is a bound of the exact one."""

import itertools
import random
from math import isqrt, sqrt

import pytest

pytest.importorskip("sklearn")
from bench.harness import BenchError
from bench.parts import Options
from equiproof.ffi.search import nearest
from research.suites import veritas
from research.suites.ensembles import dumped, trained


def test_a_missing_library_is_named(monkeypatch):
    """Without it, nothing is trained first."""
    monkeypatch.setattr(veritas.importlib, "import_module", raising)
    with pytest.raises(BenchError, match="dtai-veritas is missing"):
        veritas.measured("lending", (6, 3), veritas.Question(), None)


def raising(name):
    """Stand in for an import that fails."""
    raise ImportError(name)


def test_the_table_has_a_line_for_each_part():
    """Lines have the columns of the head."""
    pairs = {name: 1.0 for key in ("lower", "radius", "veritas_s", "search_s") for name in (key, f"{key}_max")}
    part = pairs | {"points": 10, "ended": 9, "share": 0.6, "above": 0}
    head, _, line = veritas.table({"parts": {"german-100x3": part}}).splitlines()
    assert head.count("|") == line.count("|")
    assert line.startswith("| german-100x3 | 9 of 10 | 1 / 1 |")


def test_searches_are_timed_one_by_one():
    """Several processes would spoil the times."""
    assert len(veritas.plan(None, Options()).parts) == 8
    with pytest.raises(BenchError, match="one by one"):
        veritas.plan(None, Options(jobs=2))


def test_its_bound_is_one_of_the_euclidean_radius():
    """Both ends of its bisection meet below the exact radius, and no decision inside is wrong."""
    pytest.importorskip("veritas")
    ensemble, rows, test = trained("lending", 6, 3, None)
    rng = random.Random(1)
    fair = (rows[number] for number in test if ensemble.label(rows[number]) is not None)
    distances = set()
    for query in itertools.islice(fair, 12):
        label = ensemble.label(query)
        agrees(ensemble, label, query, rng)
        found = nearest(dumped(ensemble.problem(query)), ensemble.spec.max_radius_squared)
        if found.upper2 is None:
            continue
        bound = veritas.bound(ensemble, query, isqrt(found.upper2) + 2, 10)
        assert bound.ended
        assert bound.lower <= sqrt(found.upper2) + 1
        inside = max(0, int(bound.lower - 1))
        for _ in range(100):
            assert ensemble.label([x + rng.randint(-inside, inside) for x in query]) == label
        distances.add(bound.lower)
    assert len(distances) > 5


def agrees(ensemble, label, query, rng):
    """Check its trees against the integers, at points around a query on every slice."""
    numpy = pytest.importorskip("numpy")
    for row in ensemble.spec.domain_table:
        trees = veritas.wrong(ensemble, label, row)
        for _ in range(10):
            other = [x + rng.randint(-3000, 3000) for x in query]
            wanted = (1 - 2 * label) * ensemble.margin((*other, *row)) + 0.5
            assert trees.eval(numpy.array([other], dtype=float))[0][0] == wanted
