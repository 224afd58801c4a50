"""What padding costs: a small model of each kind in both shapes, by the product's own searches and proofs."""

import json

import pytest

from bench import padding, padding_scores
from bench.seeded import score_of, spec_of
from equiproof.circuits.standard import StandardShape
from equiproof.circuits.standard_scores import StandardScore

SMALL = {
    "network": (padding, (padding.Case(2, (2,), StandardShape(3, (3,))),)),
    "scores": (
        padding_scores,
        (
            padding_scores.Case(2, 4, StandardScore(3, (8, 2), 3)),
            padding_scores.Case(2, 4, StandardScore(3, (8, 2), 3, (4, 12), 6), (2, 6)),
        ),
    ),
}


@pytest.mark.slow
@pytest.mark.parametrize(("suite", "cases"), SMALL.values(), ids=SMALL)
def test_each_case_is_measured_in_both_shapes(suite, cases):
    """The padded circuit is larger, radius and leaves are the same, and the table survives JSON."""
    reported = []
    found = suite.run(None, lambda done, total: reported.append((done, total)), cases=cases, queries=2)
    assert reported == [(done, len(cases)) for done in range(1, len(cases) + 1)]
    for case, row in zip(cases, found["results"], strict=True):
        assert (row["case"], row["standard"], row["same"]) == (case.name, case.shape.name, 2)
        assert row["padded"]["constraints"] > row["exact"]["constraints"]
        assert min(row[side]["prove_s"] for side in ("exact", "padded")) > 0
    assert suite.table(json.loads(json.dumps(found))) == suite.table(found)
    assert all(case.name in suite.table(found) for case in cases)


@pytest.mark.parametrize("case", padding_scores.CASES, ids=lambda case: case.shape.name)
def test_seeded_scores_have_their_sizes_and_fit(case):
    """The model has as many thresholds, trees and splits as its case says, which fit the standard shape."""
    spec = spec_of(case.plain, padding.SLICES)
    own = score_of(spec, case.thresholds, case.nodes)
    sizes = (*own.predicates, *(own.nodes.sizes if case.nodes else ()))
    assert sizes == (case.thresholds, 1, *(case.nodes or ()))
    assert not case.shape.misfit(spec, sizes)
