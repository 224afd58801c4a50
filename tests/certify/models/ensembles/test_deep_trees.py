"""Trees of several columns: margins of the real libraries, folding, one scale, and the file."""

from fractions import Fraction

import lightgbm
import numpy as np
import pytest
import xgboost
from sklearn.ensemble import (
    ExtraTreesClassifier,
    GradientBoostingClassifier,
    HistGradientBoostingClassifier,
    RandomForestClassifier,
)
from sklearn.tree import DecisionTreeClassifier

from equiproof.certify.additive import AdditiveModel, EnsembleError
from equiproof.certify.data import load
from equiproof.certify.ensemble import EnsembleModel
from equiproof.certify.models.ensembles import ebm
from equiproof.certify.models.ensembles.additive import additive
from equiproof.certify.models.ensembles.ensemble import Ensemble, Split, Tree
from equiproof.certify.models.ensembles.exact_trees import MAX_DEPTH
from equiproof.certify.models.ensembles.fidelity import measure_score, measure_score_on
from equiproof.certify.models.ensembles.quantise import quantise_score
from equiproof.certify.models.ensembles.score import Score
from equiproof.certify.models.ensembles.training import train_additive
from equiproof.certify.models.importing import ModelImportError
from equiproof.certify.models.training import TrainingError
from equiproof.circuits.canonical import DocumentError
from tests.certify.models.ensembles.samples import GIVEN, LABELS, ROWS, SPEC, imported, in_logits, totals, unmoved
from tests.certify.models.ensembles.test_files import machine
from tests.certify.models.importing.samples import COLUMNS

HALF = Fraction(1, 2)


def share(model):
    """Return the margin of a forest: the share of class 1 less a half."""
    return model.predict_proba(ROWS)[:, 1] - 0.5


def light():
    """Return a LightGBM classifier with its margins."""
    model = lightgbm.LGBMClassifier(num_leaves=9, n_estimators=12, verbose=-1, n_jobs=1).fit(ROWS, LABELS)
    return model, model.predict(ROWS, raw_score=True)


def extreme():
    """Return an XGBoost classifier with its margins."""
    model = xgboost.XGBClassifier(max_depth=4, n_estimators=12, n_jobs=1).fit(ROWS, LABELS)
    return model, model.predict(ROWS, output_margin=True)


def pairs():
    """Return an explainable boosting machine with pairs, and its margins."""
    model = machine(interactions=[(0, 3), (0, 4)])
    return model, model.decision_function(ROWS)


def fitted(model):
    """Return a model of scikit-learn with its margins."""
    model.fit(ROWS, LABELS)
    return model, model.decision_function(ROWS) if hasattr(model, "decision_function") else share(model)


@pytest.mark.parametrize(
    "make",
    [
        light,
        extreme,
        pairs,
        lambda: fitted(GradientBoostingClassifier(n_estimators=10, max_depth=3, random_state=0)),
        lambda: fitted(HistGradientBoostingClassifier(max_iter=10, max_leaf_nodes=9, early_stopping=False)),
        lambda: fitted(RandomForestClassifier(n_estimators=10, max_depth=5, random_state=0)),
        lambda: fitted(ExtraTreesClassifier(n_estimators=10, max_depth=5, random_state=0)),
        lambda: fitted(DecisionTreeClassifier(max_depth=6, random_state=0)),
    ],
    ids=["lightgbm", "xgboost", "interpret", "gradient", "histogram", "forest", "extra", "tree"],
)
def test_margins_are_those_of_the_library(make):
    """Every row's exact score is the library's margin; the integers are within the bound, ties and labels apart."""
    model, wanted = make()
    found = imported(model)
    assert isinstance(found.model, EnsembleModel)
    assert np.abs(unmoved(found) - wanted).max() < 1e-5
    rounded = in_logits(found.model, SPEC)
    report = measure_score(found.score, found.model, SPEC, GIVEN, points=300)
    gaps = np.abs(totals(found.score) - rounded)
    assert gaps.max() == pytest.approx(report.rows.largest_gap, abs=1e-9)
    assert gaps.max() <= report.logit_bound
    assert gaps.max() < 0.01
    assert report.rows.differing == ((totals(found.score) > 0) != (rounded > 0)).sum()


def test_flips_are_those_of_every_value_of_the_sensitive_feature():
    """Rows are decided under both values, by the score and by the integers."""
    found = imported(RandomForestClassifier(n_estimators=9, max_depth=5, random_state=3).fit(ROWS, LABELS))
    report = measure_score(found.score, found.model, SPEC, GIVEN, points=300)
    other = [dict(row, sex="f" if row["sex"] == "m" else "m") for row in GIVEN]
    wanted = (totals(found.score) > 0) != (totals(found.score, other) > 0)
    rounded = (in_logits(found.model, SPEC) > 0) != (in_logits(found.model, SPEC, other) > 0)
    assert report.rows.flips[0] == wanted.sum() > 0
    assert abs(report.rows.flips[1] - rounded.sum()) <= 2 * report.rows.ties


def score_of(*trees, base=0):
    """Return the score of trees over COLUMNS."""
    ensemble = Ensemble("test", len(COLUMNS), trees, base=Fraction(base), columns=COLUMNS)
    return additive(ensemble, SPEC, units="raw", columns=COLUMNS, rows=GIVEN)


def deep(first, second, *leaves, columns=(0, 3)):
    """Return a tree that splits one column and then, on both sides, another."""
    one, other = columns
    return Tree(
        (
            Split(one, Fraction(first), False, 1, 2),
            *(Split(other, Fraction(second), False, ~i, ~(i + 1)) for i in (0, 2)),
        ),
        tuple(map(Fraction, leaves)),
    )


def test_trees_that_read_one_column_after_folding_become_jumps():
    """A split beyond the width leaves one column, two of them a constant; nothing is left for the table."""
    beyond = 10**12
    found = quantise_score(score_of(deep(beyond, 12, 1, 3, 7, 9), deep(beyond, -beyond, 1, 5, 7, 9), base=-6), SPEC)
    assert isinstance(found, AdditiveModel)
    assert found.predicates == (1, 0)
    assert found.jumps[0] == 2 << found.value_fraction_bits
    assert found.bias == 0


def test_a_threshold_beyond_the_width_is_passed_by_nobody_behind_another_of_its_column():
    """Two of three leaves are left, whatever the tree has asked of the column before."""
    splits = (Split(0, Fraction(4000), False, ~0, 1), Split(0, Fraction(10**12), False, 2, ~1),
              Split(3, Fraction(12), False, ~2, ~3))  # fmt: skip
    tree = Tree(splits, tuple(map(Fraction, (-1, 9, 3, 4))))
    found = quantise_score(score_of(tree), SPEC)
    assert isinstance(found, EnsembleModel)
    scores = in_logits(found, SPEC)
    assert set(scores.tolist()) == {-1, 3, 4}


def test_trees_are_centered_so_that_an_initial_score_costs_no_digits():
    """A tree around 1000 has the scale of the same tree around 0."""
    near, far = (quantise_score(score_of(deep(2500, 12, *leaves)), SPEC) for leaves in ((0, 1, 2, 3), (90, 91, 92, 93)))
    assert near.value_fraction_bits == far.value_fraction_bits
    assert near.nodes == far.nodes
    assert far.additive.bias - near.additive.bias == 90 << near.value_fraction_bits


def test_sensitive_thresholds_of_trees_between_the_same_values_are_one_predicate():
    """0.2 and 0.7 part the same values of sex; in one tree the second is not asked again."""
    trees = [deep(2500, Fraction(end, 10), 0, 1, 2, 4, columns=(0, 4)) for end in (2, 7)]
    found = quantise_score(score_of(*trees), SPEC)
    assert found.predicates == (1, 1)
    again = deep(Fraction(2, 10), Fraction(7, 10), 0, 1, 2, 4, columns=(4, 4))
    assert isinstance(quantise_score(score_of(again, deep(2500, 12, 0, 1, 2, 4)), SPEC), EnsembleModel)


def test_equal_children_are_joined_also_after_rounding():
    """A split between leaves that become one integer is left out."""
    found = quantise_score(score_of(deep(2500, 12, 0, Fraction(1, 10**9), 2, 4)), SPEC)
    assert found.nodes.sizes == (1, 2)


def test_leaves_too_large_and_trees_too_deep_are_refused():
    """16 bits at scale 1, and the depth that recursion takes."""
    with pytest.raises(EnsembleError, match="divide all scores"):
        quantise_score(score_of(deep(2500, 12, 0, 1, 2, 10**6)), SPEC)
    count = MAX_DEPTH + 1
    chain = tuple(
        Split((0, 3)[i % 2], Fraction(i), False, ~i, i + 1 if i + 1 < count else ~count) for i in range(count)
    )
    with pytest.raises(EnsembleError, match=f"tree 1 is {count} splits deep"):
        score_of(Tree(chain, tuple(map(Fraction, range(count + 1)))))


def test_a_file_with_trees_is_read_again_and_damaged_ones_are_refused():
    """Version 2 holds the trees; version 1 with trees, a child of two parents, an unknown step do not pass."""
    score = score_of(deep(2500, 12, 0, Fraction(1, 3), 2, 4))
    data = score.to_bytes()
    assert Score.parse(data, "ensemble.json") == score
    for old, new in ((b'"version":2', b'"version":1'), (b"[0,1,2]", b"[0,1,1]"), (b"[0,1,2]", b"[9,1,2]")):
        assert old in data
        with pytest.raises(DocumentError, match=r"^ensemble\.json"):
            Score.parse(data.replace(old, new), "ensemble.json")


def test_large_pairs_of_a_machine_are_refused_by_name(monkeypatch):
    """Above the stated number of cells the message names both features and the option."""
    monkeypatch.setattr(ebm, "MAX_CELLS", 3)
    with pytest.raises(ModelImportError, match=r"the pair income and years has more than 3 cells; .*interaction_bins"):
        imported(machine(interactions=[(0, 3)]))


@pytest.mark.parametrize(("kind", "depth"), [("boosting", 3), ("forest", 4)])
def test_trained_trees_decide_as_their_integers(kind, depth):
    """Boosted trees and a forest on the generated data set, monotone in income by option."""
    data = load("lending")
    score, card, report = train_additive(data, kind, rounds=10, depth=depth, monotone={"income": 1})
    model = quantise_score(score, data.spec)
    assert card is None
    assert report.nodes == model.nodes.sizes
    assert report.balanced_accuracy[1] > 0.6
    assert measure_score_on(score, model, data, 300).rows.differing <= 2
    place = [feature.name for feature in data.spec.plain_features].index("income")
    low, high = -(1 << (data.spec.input_bits - 1)), (1 << (data.spec.input_bits - 1)) - 1
    for row in data.rows[:40]:
        inputs = [*data.spec.encode(row), *data.spec.encode_sensitive(row)]
        scores = [model.score([*inputs[:place], value, *inputs[place + 1 :]]) for value in (low, inputs[place], high)]
        assert scores == sorted(scores)


def test_a_scorecard_has_no_deeper_trees():
    """Points belong to bins of one feature."""
    with pytest.raises(TrainingError, match="depth 1"):
        train_additive(load("lending"), "scorecard", depth=2)
