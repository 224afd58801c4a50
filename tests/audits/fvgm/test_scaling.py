"""Coding and scaling: bins hold rows, fine weights decide as the model does, and tuning finds the best of its grid."""

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import PolynomialFeatures, StandardScaler
from sklearn.svm import LinearSVC
from sklearn.tree import DecisionTreeClassifier

from equiproof.audits.fvgm.budget import OutOfTimeError
from equiproof.audits.fvgm.coding import OTHER, Binning, bins, coder, design
from equiproof.audits.fvgm.learning import CodingError
from equiproof.audits.fvgm.scaling import NotLinearError, Scores, contributions, decisions, scaled, scores_of, tuned


@pytest.mark.parametrize("cut", ["width", "frequency"])
def test_bins_are_at_most_so_many_and_none_is_empty(cut):
    """Bins of many shapes of data: at most k, each with a row, and equal numbers in one bin."""
    rng = np.random.default_rng(1)
    shapes = [rng.normal(size=500), rng.integers(0, 4, 500), np.where(rng.random(500) < 0.9, 0, rng.pareto(1, 500))]
    for values in [*shapes, np.zeros(5), np.array([1.0, 2.0])]:
        for count in (2, 3, 10):
            binning = bins(values, count, cut)
            codes = binning.codes(values)
            assert len(binning.labels) <= count
            assert set(codes.tolist()) == set(range(len(binning.labels)))
            assert (np.diff(codes[np.argsort(values, kind="stable")]) >= 0).all()


def test_a_frequent_number_has_its_own_bin():
    """Nine zeros in ten, as in capital gains: zero is a bin of its own, and the others share the rest evenly."""
    values = np.concatenate([np.zeros(900), np.arange(1, 101)])
    codes = bins(values, 5, "frequency").codes(values)
    assert np.bincount(codes).tolist() == [900, 25, 25, 25, 25]


def test_labels_name_half_open_bins():
    """The labels of bins say which end belongs to them; a number on an edge is in the upper bin."""
    binning = Binning((25.0, 40.0))
    assert binning.labels == ("< 25", "[25, 40)", ">= 40")
    assert binning.codes(np.array([24.9, 25.0, 40.0])).tolist() == [0, 1, 2]


def test_rare_categories_are_put_together_unless_sensitive():
    """Of more than sixteen values the fifteen most frequent stay; unknown ones raise where there is no other."""
    values = np.array([f"c{i}" for i in range(20) for _ in range(i + 1)], dtype=object)
    found = coder({"c": values})
    assert len(found.categories["c"]) == 16
    assert found.categories["c"][-1] == OTHER
    whole = coder({"c": values}, whole=["c"])
    assert len(whole.categories["c"]) == 20
    with pytest.raises(CodingError, match="'new' is not one of"):
        whole.coded({"c": np.array(["new"], dtype=object)})


def model_rows(seed=0, rows=800):
    """Rows with numbers and categories, and what a linear model makes of them."""
    rng = np.random.default_rng(seed)
    columns = {
        "income": rng.normal(40, 10, rows),
        "job": rng.choice(np.array(["a", "b", "c"], dtype=object), rows),
        "sex": rng.choice(np.array(["f", "m"], dtype=object), rows),
    }
    X, blocks = design(columns)
    labels = (X[:, 0] + (columns["job"] == "a") + 0.3 * rng.normal(size=rows) > 0.3).astype(int)
    return columns, X, blocks, labels


@pytest.mark.parametrize("make", [LogisticRegression, LinearSVC, lambda: make_pipeline(StandardScaler(), LinearSVC())])
def test_scores_decide_as_the_model(make):
    """Coefficients read from scikit-learn decide as `predict`, scalers of a pipeline folded in."""
    _, X, _, labels = model_rows()
    model = make().fit(X, labels)
    assert (scores_of(model).accepts(X) == (model.predict(X) == 1)).all()


@pytest.mark.parametrize(
    "model",
    [DecisionTreeClassifier(), make_pipeline(PolynomialFeatures(), LogisticRegression()), LogisticRegression()],
)
def test_what_is_not_linear_or_not_fitted_is_refused(model):
    """A tree, a pipeline that mixes columns, and an unfitted model raise in one line."""
    _, X, _, labels = model_rows()
    if not isinstance(model, LogisticRegression):
        model.fit(X, labels)
    with pytest.raises(NotLinearError, match="want"):
        scores_of(model)


def test_fine_weights_decide_as_the_model():
    """With a bin for each number and a large multiplier, whole weights decide as the model on every row."""
    columns, X, blocks, labels = model_rows(rows=60)
    scores = scores_of(LogisticRegression().fit(X, labels))
    coded = coder(columns, bins_of=60).coded(columns)
    linear = scaled(contributions(scores, X, blocks, coded), 10**9)
    assert (decisions(linear, coded) == scores.accepts(X)).all()


def test_units_of_columns_do_not_matter():
    """A column in other units, with its coefficient in return, gives the same whole weights."""
    columns, X, blocks, labels = model_rows()
    scores = scores_of(LogisticRegression().fit(X, labels))
    coded = coder(columns).coded(columns)
    factor = np.ones(X.shape[1])
    factor[0] = 1024.0
    other = Scores(scores.weights / factor, scores.bias)
    assert scaled(contributions(scores, X, blocks, coded), 50) == scaled(
        contributions(other, X * factor, blocks, coded), 50
    )


def test_tuning_finds_the_best_of_its_grid():
    """No setting and multiplier of the grid has a smaller sum of disagreement and largest gap of a group's share."""
    columns, X, blocks, labels = model_rows(3)
    scores = scores_of(LogisticRegression().fit(X, labels))

    def prepared(count):
        coded = coder(columns, bins_of=count).coded(columns)
        return contributions(scores, X, blocks, coded), coded

    wanted, groups = scores.accepts(X), (columns["sex"] == "m").astype(np.int64)
    best = tuned((2, 4, 8), prepared, wanted, groups, range(1, 30))
    tried = {}
    for count in (2, 4, 8):
        found, coded = prepared(count)
        for multiplier in range(1, 30):
            own = decisions(scaled(found, multiplier), coded)
            gap = max(abs(own[groups == g].mean() - wanted[groups == g].mean()) for g in (0, 1))
            tried[count, multiplier] = float(np.mean(own != wanted) + gap)
    least = min(tried.values())
    assert 1 - best.agreement + best.gap == pytest.approx(least)
    assert tried[best.setting, best.multiplier] == pytest.approx(least)


def test_tuning_looks_at_the_time_before_each_setting(monkeypatch):
    """A clock that passes the deadline after two settings: two were tried, and no better one is pretended."""
    columns, X, blocks, labels = model_rows(3)
    scores = scores_of(LogisticRegression().fit(X, labels))
    clock, tried = iter(range(10)), []
    monkeypatch.setattr("equiproof.audits.fvgm.budget.time.monotonic", lambda: next(clock))

    def prepared(count):
        tried.append(count)
        coded = coder(columns, bins_of=count).coded(columns)
        return contributions(scores, X, blocks, coded), coded

    with pytest.raises(OutOfTimeError, match="2 of 3 settings tried"):
        tuned((2, 4, 8), prepared, scores.accepts(X), np.zeros(len(X), dtype=np.int64), deadline=1.5)
    assert tried == [2, 4]
