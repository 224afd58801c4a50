"""Trees, machines and scorecards on raw numbers or on logarithms of them, under specs that have the logarithm."""

from fractions import Fraction

import lightgbm
import numpy as np
import pandas as pd
import pytest
import xgboost
from interpret.glassbox import ExplainableBoostingClassifier
from sklearn.compose import ColumnTransformer
from sklearn.ensemble import GradientBoostingClassifier, HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, MinMaxScaler, OrdinalEncoder, StandardScaler

from equiproof import import_model
from equiproof.certify.data import load
from equiproof.certify.data.dataset import encode_rows
from equiproof.certify.models.ensembles.additive import additive
from equiproof.certify.models.ensembles.ensemble import Ensemble, steps
from equiproof.certify.models.ensembles.quantise import quantise_score
from equiproof.certify.models.ensembles.reading import read_ensemble
from equiproof.certify.models.ensembles.scorecard import read_scorecard, write_scorecard
from equiproof.certify.models.ensembles.scoring import committed_scores
from equiproof.certify.models.ensembles.training import train_additive
from equiproof.certify.models.importing import ModelImportError
from equiproof.certify.models.importing.chain import Affine
from tests.certify.models.ensembles.samples import GIVEN, LABELS, ROWS
from tests.certify.models.ensembles.test_scorecard import CARD, points
from tests.certify.models.importing.samples import COLUMNS
from tests.certify.models.importing.samples import SPEC as SCALED
from tests.support import changed

INCOME = changed(SCALED.features[0], encoding="log", offset="1", mean="11.5", scale="1.4", whole=True)
SPEC = changed(SCALED, features=(INCOME, *SCALED.features[1:]), input_fraction_bits=16, input_bits=30)
MORE = [row | {"income": income} for row, income in zip(GIVEN, range(0, 12_000, 30), strict=False)]
TABLE = pd.DataFrame(GIVEN)[["income", "years", "sex"]]
LIGHT = {"n_estimators": 20, "verbose": -1, "n_jobs": 1, "min_child_samples": 2}


def decided(found, rows):
    """Return the committed decisions of rows."""
    return (committed_scores(found.quantised, encode_rows(found.spec, rows)) > 0).astype(int).tolist()


def in_columns(rows):
    """Return raw rows as numbers in the order of COLUMNS."""
    return np.array(
        [
            [row["income"], row["housing"] == "own", row["housing"] == "rent", row["years"], row["sex"] == "m"]
            for row in rows
        ],
        dtype=np.float64,
    )


@pytest.mark.parametrize(
    "model",
    [
        lightgbm.LGBMClassifier(**LIGHT, num_leaves=8),
        lightgbm.LGBMClassifier(**LIGHT, num_leaves=2),
        xgboost.XGBClassifier(n_estimators=12, max_depth=3, n_jobs=1),
        GradientBoostingClassifier(n_estimators=12, random_state=0),
        RandomForestClassifier(6, max_depth=5, random_state=0),
        HistGradientBoostingClassifier(max_iter=10),
        ExplainableBoostingClassifier(interactions=0, outer_bags=1, max_rounds=40, n_jobs=1),
    ],
    ids=lambda model: type(model).__name__,
)
@pytest.mark.filterwarnings("ignore::UserWarning")
def test_trees_on_raw_numbers_are_followed_through_the_logarithm(model):
    """Every whole number is decided as by the library, those that no row has among them."""
    model.fit(ROWS, LABELS)
    found = import_model(model, SPEC, rows=GIVEN, columns=COLUMNS)
    assert decided(found, GIVEN) == model.predict(ROWS).astype(int).tolist()
    assert decided(found, MORE) == model.predict(in_columns(MORE)).astype(int).tolist()


def test_a_scorecard_keeps_its_raw_ends():
    """A bin begins with its own number, and the one below it belongs to the bin before."""
    ends = [dict(GIVEN[0], income=income, years=years) for income in (1999, 2000, 4999, 5000) for years in (9, 10)]
    rows = [*ends, *MORE]
    found = import_model((read_scorecard(CARD.encode()), ""), SPEC)
    assert decided(found, rows) == [int(points(row) >= 130) for row in rows]


@pytest.mark.parametrize(
    "last",
    [
        GradientBoostingClassifier(n_estimators=12, random_state=0),
        HistGradientBoostingClassifier(max_iter=10),
        xgboost.XGBClassifier(n_estimators=12, max_depth=2, n_jobs=1),
    ],
    ids=lambda model: type(model).__name__,
)
@pytest.mark.sampled(3, each="last function")
@pytest.mark.parametrize("function", [np.log1p, np.log])
def test_trees_behind_logarithms_and_scalers_decide_as_the_pipeline(last, function):
    """The very numbers that the pipeline computes are compared, encoders and single precision included."""
    offset = "1" if function is np.log1p else "0"
    above = [row | {"income": row["income"] + 1} for row in GIVEN]
    table = pd.DataFrame(above)[["income", "years", "sex"]]
    front = ColumnTransformer(
        [
            ("incomes", make_pipeline(FunctionTransformer(function), StandardScaler()), ["income"]),
            ("years", MinMaxScaler(), ["years"]),
            ("sexes", OrdinalEncoder(categories=[["m", "f"]]), ["sex"]),
        ]
    )
    pipeline = make_pipeline(front, StandardScaler(), last).fit(table, LABELS)
    spec = changed(SPEC, features=(changed(INCOME, offset=offset), *SPEC.features[1:]))
    found = import_model(pipeline, spec, rows=above, unused=["housing"])
    assert decided(found, above) == pipeline.predict(table).astype(int).tolist()
    assert set(found.columns) == {f"{function.__name__}(income)", "years", "sex"}


@pytest.mark.parametrize("bits", [16, 22])
@pytest.mark.parametrize("strict", [False, True])
def test_a_threshold_that_is_the_very_logarithm_of_a_number_puts_it_where_the_library_does(bits, strict):
    """Whether a float lies below or above the true logarithm, the library compares floats; so do known numbers here."""
    spec = changed(SPEC, input_fraction_bits=bits, input_bits=bits + 16)
    front = (Affine.diagonal([1.0], [-7.25], "less"), Affine.divided([3.7], "divided"))
    for income in range(700, 730):
        own = float(np.log1p(np.array([float(income)]))[0])
        tree = steps(0, [Fraction((own - 7.25) / 3.7)], [Fraction(-1), Fraction(1)], strict=strict)
        ensemble = Ensemble("test", 1, (tree,), columns=("log1p(income)",), front=front)
        score = additive(ensemble, spec, units="raw", columns=ensemble.columns, unused=["housing", "years", "sex"])
        rows = [GIVEN[0] | {"income": income + more} for more in (-1, 0, 1)]
        wanted = [False, strict, True]
        assert (score.totals(spec, rows) > 0).tolist() == wanted
        assert (committed_scores(quantise_score(score, spec), encode_rows(spec, rows)) > 0).tolist() == wanted


@pytest.mark.parametrize(
    ("offset", "end", "passes"), [("0", -3, True), ("0", 0, True), ("5", -6, True), ("0", 2**66, False)]
)
def test_thresholds_beyond_all_that_has_a_logarithm_are_passed_by_all_or_none(offset, end, passes):
    """A split at or below 0, and one above the largest number that the encoding takes."""
    spec = changed(SPEC, features=(changed(INCOME, offset=offset), *SPEC.features[1:]))
    trees = tuple(steps(0, [Fraction(one)], [Fraction(-1), Fraction(1)], strict=False) for one in (end, 3000))
    ensemble = Ensemble("test", 5, trees, columns=COLUMNS)
    rows = [GIVEN[0] | {"income": income} for income in (1, 2, 3000, 3001, 90_000)]
    model = quantise_score(additive(ensemble, spec, units="raw", columns=COLUMNS, rows=rows), spec)
    found = committed_scores(model, encode_rows(spec, rows)) / 2**model.value_fraction_bits
    assert found.tolist() == [(1 if passes else -1) + (1 if row["income"] > 3000 else -1) for row in rows]


def test_numbers_that_share_a_column_and_are_parted_are_refused():
    """No grid tells them apart, and the refusal names one of them."""
    near = ["3000", "3000.0000000000000001"]
    trees = (steps(0, [Fraction(3000)], [Fraction(-1), Fraction(1)], strict=False),)
    ensemble = Ensemble("test", 5, trees, columns=COLUMNS, exact=True)
    spec = changed(SPEC, features=(changed(SPEC.features[0], whole=SCALED.features[0].whole), *SPEC.features[1:]))
    rows = [GIVEN[0] | {"income": income} for income in near]
    with pytest.raises(ModelImportError, match=r"'income': move a threshold .* beside 3000 have one") as one:
        additive(ensemble, spec, units="raw", columns=COLUMNS, rows=rows)
    assert "\n" not in str(one.value)
    for own in near:  # either alone is decided as the library decides it
        score = additive(ensemble, spec, units="raw", columns=COLUMNS, rows=[GIVEN[0] | {"income": own}])
        row = GIVEN[0] | {"income": own}
        assert (score.totals(spec, [row])[0] > 0) == (own != "3000")
        assert (committed_scores(quantise_score(score, spec), encode_rows(spec, [row]))[0] > 0) == (own != "3000")


def test_numbers_that_the_grid_joins_are_refused_with_their_raw_values():
    """The refusal names both numbers as a person reads them, and the grid that tells them apart."""
    trees = (steps(0, [Fraction(8000)], [Fraction(-1), Fraction(1)], strict=False),)
    coarse = changed(SPEC, input_fraction_bits=8, input_bits=20)
    with pytest.raises(ModelImportError, match=r"between 8000 and 8001, .*: use input_fraction_bits=1[0-9]"):
        additive(Ensemble("test", 5, trees, columns=COLUMNS), coarse, units="raw", columns=COLUMNS, rows=GIVEN)


def test_what_stands_before_trees_and_is_not_read_is_refused():
    """A pipeline takes raw numbers; a column of the trees comes from one of them."""
    front = ColumnTransformer([("a", FunctionTransformer(np.log1p), ["income"]), ("b", "passthrough", ["years"])])
    pipeline = make_pipeline(front, GradientBoostingClassifier(n_estimators=2)).fit(TABLE[["income", "years"]], LABELS)
    with pytest.raises(ModelImportError, match=r"leave units= out: .* behind steps of a pipeline"):
        import_model(pipeline, SPEC, units="spec", unused=["housing", "sex"])
    joined = Affine.dense([[1.0, 1.0]], [0.0], "a sum")
    tree = steps(0, [Fraction(1)], [Fraction(-1), Fraction(1)], strict=False)
    summed = Ensemble("test", 2, (tree,), columns=("log1p(income)", "years"), front=(joined,))
    with pytest.raises(ModelImportError, match="column 1 of the trees is not made of a single input: a sum"):
        additive(summed, SPEC, units="raw", columns=summed.columns, unused=["housing", "sex"])
    with pytest.raises(ModelImportError, match="a LogisticRegression is not read as an ensemble"):
        read_ensemble(make_pipeline(StandardScaler(), LogisticRegression()).fit(ROWS, LABELS))


def test_a_trained_scorecard_has_raw_ends_and_decides_alike_when_it_is_read_again():
    """Bins of an income that counts by its logarithm begin with whole numbers; every whole number is decided alike."""
    data = load("lending", logs={"income": None, "savings": "1"})
    score, card, _ = train_additive(data, "scorecard", rounds=25)
    found = import_model((read_scorecard(write_scorecard(card)), ""), data.spec, rows=data.rows)
    assert [one.low for one in card.bins["income"]][1:]
    assert all(one.low is None or one.low.denominator == 1 for one in card.bins["income"])
    rows = [dict(data.rows[0], income=income, savings=5 * income) for income in range(600, 12_000, 7)]
    trained = quantise_score(score, data.spec)
    own = (committed_scores(trained, encode_rows(data.spec, rows)) > 0).astype(int).tolist()
    assert decided(found, rows) == own
    assert len(set(own)) == 2
