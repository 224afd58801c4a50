"""Trained scorecards and boosted stumps: better than guessing, monotone where asked, the same after import."""

import numpy as np
import pytest

from equiproof import import_model
from equiproof.certify.data import load
from equiproof.certify.data.dataset import encode_rows
from equiproof.certify.models.ensembles import training
from equiproof.certify.models.ensembles.fidelity import measure_score_on
from equiproof.certify.models.ensembles.quantise import quantise_score
from equiproof.certify.models.ensembles.scorecard import read_scorecard, write_scorecard
from equiproof.certify.models.ensembles.scoring import committed_scores
from equiproof.certify.models.ensembles.training import train_additive
from equiproof.certify.models.training import TrainingError


@pytest.fixture(scope="module")
def lending():
    """The generated data set."""
    return load("lending")


@pytest.mark.parametrize("kind", ["boosting", "scorecard"])
def test_no_row_is_decided_otherwise_after_rounding(lending, kind):
    """All thresholds lie between the grid points of the rows, so the integers decide every row as the floats do."""
    score, _, report = train_additive(lending, kind, rounds=40)
    found = measure_score_on(score, quantise_score(score, lending.spec), lending, 300)
    assert found.rows.differing == 0
    assert found.rows.accuracy[0] == pytest.approx(np.mean([report.accuracy[0]] * 4 + [report.accuracy[1]]), abs=1e-9)
    assert report.balanced_accuracy[1] > 0.7


def test_a_scorecard_is_its_table(lending):
    """The table that is written for the owner, imported again, is the same model of whole points."""
    score, card, _ = train_additive(lending, "scorecard", rounds=40)
    again = import_model((read_scorecard(write_scorecard(card)), ""), lending.spec, rows=lending.rows)
    assert again.quantised == quantise_score(score, lending.spec)
    assert all(step.jump.denominator == 1 for step in score.steps)


@pytest.mark.parametrize(("direction", "sign"), [(1, 1), (-1, -1)])
def test_a_monotone_feature_only_moves_the_score_one_way(lending, direction, sign):
    """All jumps of income have the requested sign, against the data too, after rounding to integers."""
    score, _, _ = train_additive(lending, "scorecard", rounds=40, monotone={"income": direction})
    model = quantise_score(score, lending.spec)
    place = [feature.name for feature in lending.spec.plain_features].index("income")
    jumps = [jump for column, jump in zip(model.columns, model.jumps, strict=True) if column == place]
    assert all(jump * sign > 0 for jump in jumps)
    assert bool(jumps) == (direction == 1)


def test_half_of_the_votes_of_a_trained_forest_are_the_first_class(lending, monkeypatch):
    """The score is moved below the share of votes, as an import moves it, and decides as the library."""
    made, own = [], training._estimator
    monkeypatch.setattr(training, "_estimator", lambda *words: made.append(own(*words)) or made[0])
    score, _, _ = train_additive(lending, "forest", rounds=6, depth=2)
    spec = lending.spec
    inputs = encode_rows(spec, lending.rows)
    shares = made[0].predict_proba(inputs / spec.scale_unit)[:, 1]
    exact = np.array([int(total) / score.unit for total in score.totals(spec, lending.rows)])
    moved = shares - 0.5 - exact
    assert moved.min() > 0
    np.testing.assert_allclose(moved, moved[0], rtol=1e-6)
    committed = committed_scores(quantise_score(score, spec), inputs)
    assert (committed != 0).all()
    assert ((committed > 0) == (shares > 0.5)).all()


def test_features_without_an_order_have_no_direction(lending):
    """One-hot columns and unknown features are refused."""
    for name in ("purpose", "shoe size"):
        with pytest.raises(TrainingError, match=f"monotone: '{name}' is not a feature of one column"):
            train_additive(lending, "boosting", rounds=2, monotone={name: 1})
