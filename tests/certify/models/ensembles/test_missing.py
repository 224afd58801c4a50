"""Models of XGBoost that saw missing values in training decide rows without a value as the library does."""

import dataclasses
import random
from fractions import Fraction

import msgspec
import numpy as np
import pytest
import xgboost

from equiproof.certify.data.dataset import DataError, encode_rows
from equiproof.certify.data.rows import as_spec
from equiproof.certify.models.ensembles.decided import score_decided
from equiproof.certify.models.ensembles.ensemble import BEYOND, Split, Tree
from equiproof.certify.models.ensembles.fidelity import measure_score
from equiproof.certify.models.ensembles.imported import bound_score
from equiproof.certify.models.ensembles.quantise import quantise_score
from equiproof.certify.models.ensembles.reading import read_ensemble
from equiproof.certify.models.ensembles.score import Score
from equiproof.certify.models.ensembles.scoring import committed_scores
from equiproof.certify.models.importing.errors import ModelImportError
from equiproof.circuits.encodings.missing import Missing
from equiproof.circuits.spec import Feature
from tests.support import changed, spec_of

NAMES = ("income", "debt", "dependants", "sex")
INCOME = Feature("income", "numeric", "scaled", False, "3000", "900", missing=Missing())
DEBT = Feature("debt", "numeric", "scaled", False, "900", "900", range=("0", "20000"), missing=Missing("not known"))
DEPENDANTS = Feature("dependants", "numeric", "scaled", False, "2", "1.4", range=("0", "9"), whole=True)
SEX = Feature("sex", "numeric", "scaled", True, "0.5", "0.5", domain=("0", "1"))
SPEC = spec_of(INCOME, DEBT, DEPENDANTS, SEX)


def table(seed, rows=400):
    """Return numbers of applicants, nan where one is missing, and labels that depend on what is missing."""
    rng = np.random.default_rng(seed)
    numbers = np.column_stack([
        rng.normal(3000, 900, rows).round(), rng.exponential(900, rows).round(), rng.integers(0, 5, rows),
        rng.integers(0, 2, rows),
    ]).astype(float)  # fmt: skip
    granted = numbers[:, 0] - 0.9 * numbers[:, 1] + 200 * numbers[:, 3] + rng.normal(0, 400, rows) > 1800
    missing = rng.random((rows, 2)) < (0.1, 0.2)
    granted ^= missing[:, 1] & (rng.random(rows) < 0.6)
    numbers[:, :2][missing] = np.nan
    return numbers, granted.astype(int)


def fitted(seed, trees=12, depth=3):
    """Return a booster, and the numbers that it was fitted on."""
    numbers, granted = table(seed)
    model = xgboost.XGBClassifier(n_estimators=trees, max_depth=depth, learning_rate=0.4, random_state=seed, n_jobs=1)
    model.fit(numbers, granted)
    model.get_booster().feature_names = list(NAMES)
    return model.get_booster(), numbers


def raw(numbers):
    """Return numbers as raw rows: None where one is missing."""
    return [
        {name: None if np.isnan(value) else f"{value:g}" for name, value in zip(NAMES, row, strict=True)}
        for row in numbers
    ]


def margins(booster, numbers):
    """Return the library's own scores."""
    return booster.predict(xgboost.DMatrix(numbers, feature_names=list(NAMES)), output_margin=True)


def with_alone(ensemble, column):
    """Return an ensemble with one more tree: 7 where a column is missing, 0 elsewhere."""
    tree = Tree((Split(column, BEYOND, True, ~0, ~1, True),), (Fraction(0), Fraction(7)))
    return dataclasses.replace(ensemble, trees=(*ensemble.trees, tree))


@pytest.mark.parametrize("depth", [1, 3, pytest.param(6, marks=pytest.mark.slow)])
@pytest.mark.parametrize("seed", [0, 1, pytest.param(2, marks=pytest.mark.slow)])
def test_rows_are_decided_as_the_library_decides_them(seed, depth):
    """Exact and committed scores, on rows of the table and on others with any of their values missing."""
    booster, numbers = fitted(seed, depth=depth)
    others, _ = table(seed + 100)
    others[random.Random(seed).sample(range(400), 200), 0] = np.nan
    imported = bound_score(read_ensemble(booster), SPEC, rows=raw(numbers))
    assert {branch.up for tree in imported.score.trees for branch in tree.branches} == (
        {True, False} if depth > 1 else set()
    )
    for some in (numbers, others):
        rows, own = raw(some), margins(booster, some)
        decided = score_decided(imported.score, imported.model, SPEC, rows)
        assert np.abs(np.array(decided.logits)[:, 0] - own).max() < 1e-4
        assert (decided.labels == (own > 0)).all()
        encoded = encode_rows(SPEC, rows)
        committed = committed_scores(imported.model, encoded)
        assert committed.tolist() == [imported.model.score(row) for row in encoded.tolist()]
        differing = (committed > 0) != (own > 0)
        # Rows that are not in the table may lie between a threshold and its rounding.
        assert differing.sum() <= (0 if some is numbers else 2)
    assert Score.parse(imported.score.to_bytes(), "score") == imported.score


def test_what_rounding_changes_is_bounded_where_values_are_missing():
    """The bound holds on random rows of the domain, an eighth of whose values are missing."""
    booster, numbers = fitted(3)
    imported = bound_score(read_ensemble(booster), SPEC, rows=raw(numbers))
    found = measure_score(imported.score, imported.model, SPEC, raw(numbers), points=500)
    assert found.rows.differing == 0
    assert 0 < found.random.largest_gap <= found.logit_bound


def test_a_split_that_parts_missing_values_alone():
    """XGBoost has none in its files, others do: it stays where values can be missing, and goes where they cannot."""
    booster, numbers = fitted(0, depth=2)
    ensemble = read_ensemble(booster)
    split = ensemble.trees[0].splits[0]
    alone = with_alone(ensemble, split.column)
    kept = bound_score(alone, SPEC, rows=raw(numbers))
    rows = raw(numbers)
    totals, before = kept.score.totals(SPEC, rows), bound_score(ensemble, SPEC, rows=rows).score
    moved = [row[NAMES[split.column]] is None for row in rows]
    shift = (
        np.array(totals, dtype=object) / kept.score.unit
        - np.array(before.totals(SPEC, rows), dtype=object) / before.unit
    )
    assert [abs(float(one) - 7) < 1e-9 for one in shift] == moved
    stated = changed(SPEC, features=tuple(changed(one, missing=msgspec.UNSET) for one in SPEC.features))
    complete = [row for row in rows if None not in row.values()]
    plain = bound_score(alone, stated, rows=complete)
    assert not any(step.ray.end >= 1 << 1024 for step in plain.score.steps)


def test_the_file_of_a_score_keeps_such_a_split():
    """Also inside a tree of several columns: no stated value passes it, however wide columns are."""
    booster, numbers = fitted(0, depth=2)
    ensemble = read_ensemble(booster)
    tree = next(one for one in ensemble.trees if len(one.columns) > 1)
    splits = (dataclasses.replace(tree.splits[0], threshold=BEYOND), *tree.splits[1:])
    alone = dataclasses.replace(ensemble, trees=(dataclasses.replace(tree, splits=splits),))
    score = bound_score(alone, SPEC, rows=raw(numbers)).score
    assert any(step.ray.end == BEYOND for step in score.steps)
    again = Score.parse(score.to_bytes(), "score")
    assert (again.steps, again.trees) == (score.steps, score.trees)
    assert quantise_score(again, SPEC) == quantise_score(score, SPEC)


def test_models_that_say_nothing_of_missing_values_are_refused():
    """Its name, and what to do."""
    from sklearn.ensemble import GradientBoostingClassifier

    numbers, granted = table(0)
    complete = ~np.isnan(numbers).any(axis=1)
    model = GradientBoostingClassifier(n_estimators=3).fit(numbers[complete], granted[complete])
    with pytest.raises(ModelImportError, match=r"^leave missing out of feature '(income|debt)': this model does not"):
        bound_score(read_ensemble(model), SPEC, columns=NAMES, rows=raw(numbers[complete]))


def test_tables_spell_missing_values_in_many_ways():
    """Empty cells, marks of programs, no number, null and the spec's own words; other features are refused."""
    rows = [
        {"income": income, "debt": debt, "dependants": "1", "sex": "0"}
        for income, debt in (("", "5"), ("NA", "not known"), (float("nan"), None), ("100", " "), ("n/a", "?"))
    ]
    read = as_spec(rows, SPEC)
    assert [row["income"] for row in read] == [None, None, None, "100", None]
    assert [row["debt"] for row in read] == ["5", None, None, None, None]
    absent = SPEC.absent
    assert encode_rows(SPEC, read)[:, 0].tolist() == [absent, absent, absent, encode_rows(SPEC, read)[3, 0], absent]
    with pytest.raises(DataError, match="dependants"):
        encode_rows(SPEC, [dict(read[0], dependants=None)])
