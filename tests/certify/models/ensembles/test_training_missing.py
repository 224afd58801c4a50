"""Trainings on missing values and on categories decide rows as the library does that was trained."""

import dataclasses

import numpy as np
import pytest

from equiproof import Certifier
from equiproof.audits.context import AuditContext
from equiproof.audits.fvgm import plugin
from equiproof.certify.data.dataset import Dataset, encode_rows, split_rows
from equiproof.certify.models.ensembles import training
from equiproof.certify.models.ensembles.quantise import quantise_score
from equiproof.certify.models.ensembles.score import Score
from equiproof.certify.models.ensembles.scoring import committed_scores
from equiproof.certify.models.ensembles.stepped import as_network
from equiproof.certify.models.ensembles.trained_inputs import inputs_of
from equiproof.certify.models.ensembles.training import train_additive
from equiproof.certify.models.ensembles.unpadded import without_padding
from equiproof.certify.models.training import TrainingError
from equiproof.certify.sets import seen_rows
from equiproof.circuits.encodings.missing import Missing
from equiproof.circuits.spec import Feature, SpecError
from tests.certify.models.ensembles.test_by_category import features, raw, table
from tests.support import changed, spec_of


def data_of(spec, seed=0, rows=400, missing=0.12):
    """Return a data set of the generated table, whose labels depend on what is missing."""
    frame, granted = table(seed, rows, missing)
    return Dataset("own.csv", tuple(raw(frame)), tuple(granted.tolist()), *split_rows(rows, "own.csv"), spec)


def trained(monkeypatch, data, *words, **options):
    """Train, and return the score, the report, and the library's own estimator."""
    made, own = [], training._estimator
    monkeypatch.setattr(training, "_estimator", lambda *given: made.append(own(*given)) or made[0])
    score, _, report = train_additive(data, *words, **options)
    return score, report, made[0]


@pytest.mark.parametrize(
    ("model", "options"),
    [
        ("boosting", {"depth": 3}),
        ("boosting", {"depth": 1}),
        ("boosting", {"depth": 3, "native": True}),
        ("boosting", {"depth": 3, "monotone": {"income": 1}}),
        ("forest", {"depth": 4}),
    ],
)
@pytest.mark.parametrize("missing", [True, False])
def test_rows_are_decided_as_the_library_decides_them(monkeypatch, model, options, missing):
    """Exact and committed scores of the rows, and of other rows with any of their values missing."""
    spec = spec_of(*features("one-hot", missing=missing))
    data = data_of(spec, missing=0.12 if missing else 0)
    score, report, library = trained(monkeypatch, data, model, rounds=12, **options)
    quantised = quantise_score(score, spec)
    assert Score.parse(score.to_bytes(), "score").to_bytes() == score.to_bytes()
    assert report.balanced_accuracy[1] > 0.6
    for seed, some in ((0, data), (100, data_of(spec, 100, missing=0.4 if missing else 0))):
        inputs = inputs_of(some, native=options.get("native", False))
        shares = library.predict_proba(inputs.values)[:, 1]
        wanted = shares - 0.5 if model == "forest" else library.decision_function(inputs.values)
        exact = np.array([int(total) / score.unit for total in score.totals(spec, some.rows)])
        np.testing.assert_allclose(exact, wanted, atol=1e-6 if model == "boosting" else 1e-4)
        committed = committed_scores(quantised, encode_rows(spec, some.rows))
        near = np.abs(wanted) < 1e-3
        assert (((committed > 0) == (shares > 0.5)) | near).all(), seed
        assert near.mean() < 0.05
    if missing:
        ways = {branch.up for tree in score.trees for branch in tree.branches}
        assert ways == ({True, False} if score.trees else set())
        assert set(score.absent) == set(range(8))


def test_categories_are_split_by_sets_of_their_values(monkeypatch):
    """The library has them as such; a value that no training row has goes where a missing one goes."""
    spec = spec_of(*features("one-hot"))
    data = data_of(spec)
    _, _, library = trained(monkeypatch, data, "boosting", rounds=12, depth=3, native=True)
    assert library.is_categorical_.tolist() == [False, True, True, False, False, False]
    assert inputs_of(data, native=True).values.shape == (400, 6)
    nodes = np.concatenate([stage[0].nodes for stage in library._predictors])
    assert nodes["is_categorical"].any()


@pytest.fixture(scope="module")
def asking():
    """A data set with a category of many values, one of no row, and a score that asks sets of them."""
    values = tuple(f"v{number:02}" for number in range(70))
    spec = spec_of(
        Feature("income", "numeric", "scaled", False),
        Feature("place", "categorical", "one-hot", False, domain=values, missing=Missing()),
        Feature("group", "categorical", "rank", True, domain=("a", "b")),
    )
    rng = np.random.default_rng(0)
    places = rng.integers(0, 69, 2400)
    incomes = rng.integers(-4, 5, 2400)
    groups = rng.integers(0, 2, 2400)
    rows = [
        {"income": str(income), "place": None if place == 3 else values[place], "group": "ab"[group]}
        for income, place, group in zip(incomes.tolist(), places.tolist(), groups.tolist(), strict=True)
    ]
    odd = rng.permutation(70) % 2
    labels = tuple((odd[places] ^ (incomes > 2 - 4 * groups)).tolist())
    data = Dataset("own.csv", tuple(rows), labels, *split_rows(2400, "own.csv"), spec)
    return data, *train_additive(data, "boosting", rounds=6, depth=3, native=True)


def test_a_category_of_many_values_is_asked_by_sets(asking):
    """They are columns behind the others, and the committed integers decide as the score."""
    data, score, _, report = asking
    assert score.set_count
    assert report.accuracy[1] > 0.85
    rows = [*data.rows, *({"income": "0", "place": place, "group": "a"} for place in (None, "v69"))]
    committed = committed_scores(quantise_score(score, data.spec), encode_rows(data.spec, rows))
    totals = score.totals(data.spec, rows)
    assert ((committed > 0) == (totals > 0)).all()
    assert totals[-2] == totals[-1]


def test_a_score_that_asks_sets_is_a_network_at_whole_units(asking):
    """Audits search it: the logit is the score of everybody who states everything, for either group."""
    data, score, *_ = asking
    bare, spec = without_padding(quantise_score(score, data.spec), data.spec)
    assert bare.sets
    found = as_network(bare)
    factor = 1 << (found.logit_fraction_bits - bare.value_fraction_bits)
    stated = [row | {"group": group} for row in data.rows[:150] if row["place"] is not None for group in "ab"]
    inputs = encode_rows(spec, stated).tolist()
    assert len({bare.score(row) for row in inputs}) > 20
    assert [found.logits(row)[0] for row in inputs] == [bare.score(row) * factor for row in inputs]


def test_a_table_is_certified_by_a_score_that_asks_sets(asking):
    """Nobody's radius reaches another value of the category."""
    data, score, *_ = asking
    results = Certifier(quantise_score(score, data.spec), data.spec, scheme="trees").certify(data.rows[:40])
    fair = results.having("fair")
    assert len(fair) > 5
    assert all(one.radius_squared <= 2 * data.spec.scale_unit**2 for one in fair)


def test_the_audit_of_correlated_features_tells_values_apart_by_sets(asking):
    """As many kinds of a category as the sets make, and the score's sensitive thresholds are those of its column."""
    data, score, *_ = asking
    model = quantise_score(score, data.spec)
    where = AuditContext(
        network=as_network(model), spec=data.spec, commitment="", rows=data.rows[:600], score=model,
        labels=data.labels[:600], options={},
    )  # fmt: skip
    rows = plugin._encoded(where)
    assert set(rows.read) == {"income", "place", "group"}
    seen = seen_rows(model.sets, rows.matrix, model.stated)
    asked = sorted({column for column in model.additive.columns if model.stated <= column < model.plain})
    kinds = {tuple(row) for row in seen[:, asked].tolist()}
    assert len(np.unique(rows.told["place"], axis=0)) == len(kinds) + (model.additive.absent is not None)
    assert len(np.unique(rows.told["group"], axis=0)) == 2


def test_what_is_not_trained_together_is_refused():
    """In one line with the remedy; a spec without a category of columns has none to split."""
    data, ranked = (data_of(spec_of(*features(encoding))) for encoding in ("one-hot", "rank"))
    complete = data_of(spec_of(*features("one-hot", missing=False)), missing=0)
    for some, model, options, said in (
        (data, "scorecard", {}, "train boosting of depth 1: a scorecard has no points .* 'income'"),
        (data, "forest", {"monotone": {"income": 1}}, "train boosting, or leave out monotone"),
        (complete, "forest", {"native": True}, "native categories are for boosted trees"),
        (complete, "scorecard", {"native": True}, "native categories are for boosted trees"),
        (ranked, "boosting", {"native": True}, "leave out native categories, or encode categories one-hot"),
    ):
        with pytest.raises(TrainingError, match=said):
            train_additive(some, model, rounds=2, **options)


def test_nothing_is_trained_under_a_spec_whose_value_reads_as_a_missing_one():
    """People are told both alike; with words of its own the spec is trained under."""
    income, *others = features("one-hot")
    home = Feature("home", "categorical", "one-hot", False, domain=("own", "rent", "Not stated"), missing=Missing())
    rows = data_of(spec_of(income, *others)).rows
    told = changed(home, missing=Missing(en="left blank"))
    for feature, said in ((home, "^feature 'home': empty the cells that say 'Not stated'"), (told, None)):
        spec = spec_of(income, feature, *others)
        data = dataclasses.replace(
            data_of(spec_of(income, *others)), spec=spec, rows=tuple({**row, "home": "own"} for row in rows)
        )
        if said is None:
            assert train_additive(data, "boosting", rounds=2)
            continue
        with pytest.raises(SpecError, match=said):
            train_additive(data, "boosting", rounds=2)
