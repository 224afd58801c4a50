"""Certification of many applicants of ensembles: tables and words, budgets that end, many slices, one-hot columns."""

import math
import random
from dataclasses import replace
from fractions import Fraction

import pytest

from equiproof.certify.ensemble import EnsembleModel
from equiproof.certify.many.certifier import Certifier
from equiproof.certify.many.results import Results
from equiproof.certify.trees import ensemble_search
from tests.additive_small import additive
from tests.certify.trees.ensembles import table_of
from tests.ensemble_small import ensemble
from tests.support import AGE, GENDER, HOUSING, INCOME, LOANS, applicant, changed, spec_of

MANY = spec_of(INCOME, HOUSING, GENDER, AGE)
"""Two sensitive features in three columns, six slices."""

YEARS = spec_of(INCOME, HOUSING, changed(AGE, domain=tuple(str(age) for age in range(18, 71))))
"""One sensitive feature of 53 values, so as many slices."""


def certified(model, X, spec=LOANS, **parameters):
    """Certify rows, and show no progress."""
    return Certifier(model, spec, scheme="trees", progress=False, **parameters).certify(X)


@pytest.fixture(scope="module")
def rows():
    """Forty random applicants."""
    rng = random.Random(1)
    return [applicant(LOANS, rng) for _ in range(40)]


def test_results_are_tables_words_and_files(rows):
    """Rows stand beside slots and leaves in frame and summary, with the radius of a key of the requested room."""
    results = certified(ensemble(), rows, capacity=2, slots=4, rows=9)
    frame, fair = results.to_frame(), results.having("fair")
    assert {"leaves", "slots", "rows", "radius_at_capacity"} <= set(frame.columns)
    assert "rows" not in certified(additive(), rows[:3]).to_frame().columns
    text = results.summary()
    assert f"rows in the middle, {max(point.rows for point in fair)} at most" in text
    assert "a key of V = 4 slots, A = 9 rows and capacity K = 2 certifies" in text
    assert Results.from_json(results.to_json()) == results


def test_where_a_budget_ends_the_result_is_an_interval(rows, monkeypatch):
    """Too few leaves, or too little work: a certified radius below an upper bound, with the reason."""
    whole = certified(ensemble(), rows)
    hard = [row for row, point in zip(rows, whole, strict=True) if point.verdict == "fair" and point.leaves > 2]
    exact = {point.row: point for point in certified(ensemble(), hard)}
    for reason, limits in (("leaves", {"max_leaves": 3}), ("work", {})):
        if reason == "work":
            monkeypatch.setattr(ensemble_search, "MAX_BOXES", 2)
        some = certified(ensemble(), hard, **limits)
        assert reason in {point.reason for point in some}
        for point in some:
            assert point.radius_squared <= exact[point.row].radius_squared
            if point.reason is not None:
                assert not point.exact.complete
                assert Fraction(point.exact.lower_squared) == point.radius_squared
                if point.exact.upper_squared is not None:
                    assert Fraction(point.exact.upper_squared) >= exact[point.row].radius_squared


@pytest.mark.parametrize("spec", [MANY, YEARS], ids=["three-columns", "53-slices"])
def test_every_slice_counts(spec):
    """Verdicts over a table are those of all slices, and no grid point within the radius is decided otherwise."""
    rng, plain = random.Random(4), spec.plain_columns
    found = {"fair": 0, "unfair": 0}
    model = sensitive_trees(spec)
    rows = [applicant(spec, rng) for _ in range(16)]
    for point, row in zip(certified(model, rows, spec), rows, strict=True):
        query = spec.encode(row)
        labels = {model.decide((*query, *own)) for own in spec.domain_table}
        assert point.verdict == ("fair" if len(labels) == 1 else "unfair")
        found[point.verdict] += 1
        if point.verdict == "unfair":
            continue
        reach = math.isqrt(point.radius_squared - 1) if point.radius_squared else 0
        for _ in range(20):
            way = [rng.gauss(0, 1) for _ in range(plain)]
            length = math.sqrt(sum(step * step for step in way))
            near = [x + int(step / length * reach) for x, step in zip(query, way, strict=True)]
            assert {model.decide((*near, *own)) for own in spec.domain_table} == labels
    assert min(found.values()) > 0


def sensitive_trees(spec):
    """Return an ensemble with a tree for each value of income around each threshold of the sensitive columns."""
    plain = spec.plain_columns
    tables = [sorted({row[column] for row in spec.domain_table}) for column in range(spec.sensitive_columns)]
    middles = [(plain + column, values[len(values) // 2 - 1]) for column, values in enumerate(tables)]
    places = [*((0, threshold) for threshold in range(-2000, 2001, 500)), (1, 512), *middles]
    own = replace(
        additive(0, spec),
        columns=tuple(column for column, _ in places),
        thresholds=tuple(threshold for _, threshold in places),
        jumps=(*(250 for _ in range(9)), 300, *(0 for _ in middles)),
        bias=-1205,  # never a tie
    )
    trees = [(place, (10 + place % len(middles), -60, 60), (9, 0, 90)) for place in range(9)]
    return EnsembleModel(own, table_of(trees))


def test_one_hot_columns_are_real_columns():
    """Two columns of one feature may be crossed at once: a flip that needs both is as far as both thresholds."""
    thresholds = [(0, 5000), (1, 512), (2, 256), (3, 500)]
    own = replace(
        additive(0), columns=tuple(c for c, _ in thresholds), thresholds=tuple(t for _, t in thresholds),
        jumps=(0, 0, 0, 0), bias=-50,
    )  # fmt: skip
    # Granted unless the first column of housing is low and the second one high at once.
    model = EnsembleModel(own, table_of([(1, (2, 100, 0), 100)]))
    (point,) = certified(model, [{"income": 30000, "housing": "own"}])
    assert LOANS.encode({"income": 30000, "housing": "own"}) == (0, 1024, 0)
    assert (point.verdict, point.label) == ("fair", "granted")
    assert point.radius_squared == (1024 - 512) ** 2 + 256**2
    assert (point.slots, point.exact.complete) == (2, True)
