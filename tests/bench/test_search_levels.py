"""Searches at levels beside exact ones: a small model is searched all three ways, and the table shows each."""

import json

import pytest

from bench import search_levels
from bench.harness import BenchError
from equiproof.certify.data import load
from equiproof.circuits.shape import traversal_shape
from equiproof.prover.opening import Opening
from tests.support import network


def case(hidden):
    """Return a network of the lending data that nobody trained."""
    spec = load("lending").spec
    return search_levels.Case("small", Opening.of(network(spec, hidden, 3), spec, 1), traversal_shape(spec, hidden, 4))


def test_every_applicant_is_searched_in_three_ways():
    """Seconds and ratios are above 0; the table survives JSON, and has a line for each model."""
    reported = []
    found = search_levels.run(
        progress=lambda done, total: reported.append((done, total)), searched=[case((2,))], queries=10
    )
    assert reported == [(1, 1)]
    (row,) = found["results"]
    assert (row["case"], found["queries"]) == ("small", 10)
    assert min(row[f"{name}_s"] for name in ("exact", "one", "three")) > 0
    assert min(row["one_ratio"], row["three_ratio"]) > 0
    assert search_levels.table(json.loads(json.dumps(found))) == search_levels.table(found)
    assert search_levels.table(found).splitlines()[2].startswith("| small | ")


def test_radii_that_are_alike_are_no_levels():
    """One applicant has one radius: there is no list of three."""
    with pytest.raises(BenchError, match="small: want 1 fair rows of different radii"):
        search_levels.run(searched=[case((2,))], queries=1)
