"""Scores at the threshold: decided as each library decides them, in exact numbers and in integers, and never a tie."""

from fractions import Fraction

import lightgbm
import numpy as np
import pytest
import xgboost
from sklearn.ensemble import (
    AdaBoostClassifier,
    ExtraTreesClassifier,
    GradientBoostingClassifier,
    HistGradientBoostingClassifier,
    RandomForestClassifier,
)
from sklearn.tree import DecisionTreeClassifier

from equiproof import import_model
from equiproof.certify.models.ensembles.ensemble import Ensemble, Ties, Tree, steps, summed
from equiproof.certify.models.ensembles.fidelity import measure_score
from tests.certify.models.ensembles.samples import GIVEN, ROWS, SPEC, imported, in_logits, totals
from tests.certify.models.importing.samples import COLUMNS
from tests.support import changed


def at_zero(kind):
    """Return a model, the table of three values of years that it was trained on, and its labels."""
    table = np.repeat([[0.0, 0, 0, years, 0] for years in (5, 15, 25)], 40, axis=0)
    labels = np.repeat([0, 0, 1, 1], [40, 20, 20, 40])
    own = {
        "gradient": lambda: GradientBoostingClassifier(init="zero", n_estimators=5, max_depth=2, learning_rate=0.5),
        "histogram": lambda: HistGradientBoostingClassifier(max_iter=5, min_samples_leaf=5, early_stopping=False),
        "lightgbm": lambda: lightgbm.LGBMClassifier(n_estimators=5, num_leaves=4, verbose=-1, n_jobs=1),
        "xgboost": lambda: xgboost.XGBClassifier(n_estimators=5, max_depth=2, n_jobs=1, base_score=0.5),
        "tree": DecisionTreeClassifier,
        "extra": lambda: ExtraTreesClassifier(n_estimators=4, bootstrap=False),
    }[kind]()
    return own.fit(table, labels), table, labels


@pytest.mark.sampled(6, each="kind names")
@pytest.mark.parametrize("kind", ["gradient", "histogram", "lightgbm", "xgboost", "tree", "extra"])
@pytest.mark.parametrize("names", [None, ("granted", "declined")])
def test_a_score_of_exactly_0_is_the_class_of_the_library(kind, names):
    """The second class in scikit-learn's GradientBoostingClassifier, the first in all others; in either order."""
    model, table, _ = at_zero(kind)
    given = [dict(row, years=int(years)) for row, years in zip(GIVEN, table[:, 3], strict=False)]
    options = {"columns": COLUMNS, "classes": names} if names else {"columns": COLUMNS}
    found = import_model(model, SPEC, rows=given, **options)
    wanted = model.predict(table) == 1
    in_the_middle = wanted[40:80]
    assert set(in_the_middle.tolist()) == {kind == "gradient"}
    # Under the names given, the library's second class is the spec's first label.
    wanted = wanted != bool(names)
    assert ((totals(found.score, given) > 0) == wanted).all()
    committed = in_logits(found.quantised, SPEC, given)
    assert ((committed > 0) == wanted).all()
    assert (committed != 0).all()
    report = measure_score(found.score, found.quantised, SPEC, given, points=300)
    assert (report.rows.differing, report.rows.ties) == (0, 0)


def test_half_of_the_votes_of_a_forest_are_the_first_class():
    """Of rows that are known, and of others: leaves are pure, so that many rows get four votes of eight."""
    labels = np.random.default_rng(0).integers(0, 2, len(ROWS))
    model = RandomForestClassifier(n_estimators=8, random_state=1).fit(ROWS[:200], labels[:200])
    equal = model.predict_proba(ROWS)[:, 1] == 0.5
    assert equal[200:].sum() > 10
    wanted = model.predict(ROWS) == 1
    for rows in (GIVEN[:200], []):
        found = import_model(model, SPEC, columns=COLUMNS, rows=rows or None)
        committed = in_logits(found.quantised, SPEC)
        assert (committed < 0)[equal].all()
        assert not (totals(found.score) > 0)[equal].any()
    found = import_model(model, SPEC, columns=COLUMNS, rows=GIVEN)
    assert ((in_logits(found.quantised, SPEC) > 0) == wanted).all()
    assert ((totals(found.score) > 0) == wanted).all()


def test_shares_that_no_float_holds_are_a_tie_too():
    """Five sevenths in three trees and two sevenths in three others, added up with six roundings."""
    counts = {(1, 1): 4, (1, 0): 6, (0, 1): 0, (0, 0): 3}
    table = np.array([[0.0, housing, 0, 0, sex] for housing, sex in counts for _ in range(7)])
    labels = [int(place < positive) for positive in counts.values() for place in range(7)]
    forests = (
        RandomForestClassifier(n_estimators=6, max_depth=1, max_features=1, bootstrap=False, random_state=seed)
        for seed in range(100)
    )
    model = next(
        forest
        for forest in forests
        if sorted(tree.tree_.feature[0] for tree in forest.fit(table, labels).estimators_) == [1, 1, 1, 4, 4, 4]
    )
    shares = model.predict_proba(np.array([[0.0, 1, 0, 0, 1]]))[0]
    assert abs(shares[1] - shares[0]) < 1e-15
    sex = SPEC.sensitive_features[0].domain[1]
    tied = dict(GIVEN[0], housing="own", sex=sex)
    for rows in ([tied, *GIVEN], []):
        found = import_model(model, SPEC, columns=COLUMNS, rows=rows or None)
        assert in_logits(found.quantised, SPEC, [tied])[0] < 0
        assert totals(found.score, [tied])[0] < 0


def test_shares_of_single_precision_that_miss_one_half_by_a_hair_are_a_tie():
    """Thirds in single floats do not add up to one: the width of ties covers what a runtime loses in its sum."""
    shares = [Fraction(float(np.float32(share / 3))) for share in (0.2, 0.4, 0.9)]
    others = [Fraction(float(np.float32((1 - share) / 3))) for share in (0.2, 0.4, 0.9)]
    trees = tuple(
        steps(3, [Fraction(15)], [-one, second - first], strict=False)
        for one, first, second in zip(shares, shares, others, strict=True)
    )
    tie = sum((tree.leaves[1] for tree in trees), Fraction(0))
    assert tie != 0
    ties = summed(trees, 24, likely=True)
    assert abs(tie) < ties.width < Fraction(1, 10**5)
    ensemble = Ensemble("onnx", 5, trees, columns=COLUMNS, ties=ties)
    found = import_model(ensemble, SPEC, rows=GIVEN, accept_labels=True)
    assert (in_logits(found.quantised, SPEC) < 0).all()
    assert not (totals(found.score) > 0).any()


def test_votes_of_equal_weight_are_decided_for_the_first_class():
    """AdaBoost: two trees that are alike in weight and contrary in their votes."""
    model = AdaBoostClassifier(DecisionTreeClassifier(max_depth=1), n_estimators=4, random_state=0)
    model.fit(ROWS, (ROWS[:, 3] > 15).astype(int) ^ (ROWS[:, 0] > 4500))
    model.estimator_weights_[:] = 1.0
    equal = model.decision_function(ROWS) == 0
    assert equal.any()
    found = imported(model)
    assert ((in_logits(found.model, SPEC) > 0) == (model.predict(ROWS) == 1)).all()


def test_known_rows_next_to_the_threshold_decide_how_far_a_score_moves():
    """Half a step where nothing speaks against it; less where a known row is decided for the second label so near."""
    tree = steps(3, [Fraction(15)], [Fraction(0), Fraction(1, 10**9)], strict=False)
    other = Tree((), (Fraction(0),))
    wide = steps(0, [Fraction(4500)], [Fraction(0), Fraction(1)], strict=False)
    ensemble = Ensemble("test", 5, (tree, other, wide), columns=COLUMNS, ties=Ties(second=True))
    without = import_model(ensemble, SPEC)
    step = Fraction(1, 2**without.quantised.value_fraction_bits)
    assert without.bound.shift == step / 2
    assert without.quantised.bias == 1
    low = [dict(row, income=1000, years=3) for row in GIVEN[:2]]
    first = import_model(Ensemble("test", 5, (tree, wide), columns=COLUMNS), SPEC, rows=low)
    assert (first.quantised.bias, -step < first.bound.shift < 0) == (-1, True)
    assert first.notes[0].startswith("a tie is 'declined', as in the library: the score was moved by -")


def test_a_model_without_ties_is_committed_as_it_is():
    """Nothing moves where no row is near the threshold and the library decides for the first class."""
    model = lightgbm.train(
        {"objective": "binary", "num_leaves": 4, "verbose": -1, "num_threads": 1},
        lightgbm.Dataset(ROWS, (ROWS[:, 0] > 4500).astype(int)), 10,
    )  # fmt: skip
    found = imported(model)
    assert (found.shift, found.notes) == (0, ())


def test_a_cut_of_the_owner_decides_above_it():
    """With a threshold in the spec, a score at it has the first label, whatever the library does at 0."""
    tree = steps(3, [Fraction(15)], [Fraction(1, 4), Fraction(1)], strict=False)
    ensemble = Ensemble("test", 5, (tree,), columns=COLUMNS, ties=Ties(second=True, likely=True))
    found = import_model(ensemble, changed(SPEC, threshold="0.25"), rows=GIVEN)
    below = np.array([row["years"] <= 15 for row in GIVEN])
    assert ((in_logits(found.quantised, changed(SPEC, threshold="0.25")) > 0) == ~below).all()
