"""Pipelines of scikit-learn under a spec whose values can be missing: imputers, scalers, and what is not read."""

import msgspec
import pandas as pd
import pytest
import xgboost
from sklearn.compose import ColumnTransformer
from sklearn.ensemble import RandomForestClassifier
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, QuantileTransformer, StandardScaler

from equiproof import import_model
from equiproof.certify.models.ensembles.imported import bound_score
from equiproof.certify.models.ensembles.reading import read_ensemble
from equiproof.certify.models.importing.errors import ModelImportError
from tests.certify.models.ensembles.test_missing import NAMES, SPEC, raw, table
from tests.certify.models.ensembles.tiny_lacking import differing
from tests.support import changed

COMPLETE = changed(SPEC, features=tuple(changed(one, missing=msgspec.UNSET) for one in SPEC.features))
"""The same spec without missing values."""

NUMBERS, GRANTED = table(5)
FRAME = pd.DataFrame(NUMBERS, columns=list(NAMES))
OTHERS = pd.DataFrame(table(6)[0], columns=list(NAMES))
FOREST = RandomForestClassifier(4, max_depth=3, random_state=0)


def boosted():
    """Return boosted trees that learn where missing values go."""
    return xgboost.XGBClassifier(n_estimators=6, max_depth=3, learning_rate=0.5, n_jobs=1)


def shares(model, rows):
    """Return the score of a forest."""
    return model.predict_proba(rows)[:, 1] - 0.5


def behind(model, rows):
    """Return XGBoost's scores behind the steps before it."""
    return model[-1].predict(model[:-1].transform(rows), output_margin=True)


def columns(*parts):
    """Return transformers of the columns, each for some of them."""
    return ColumnTransformer([(f"part {place}", part, names) for place, (part, names) in enumerate(parts)])


@pytest.mark.parametrize("named", [True, False])
@pytest.mark.parametrize("steps", [
    (SimpleImputer(),),
    (SimpleImputer(strategy="median", add_indicator=True),),
    (SimpleImputer(strategy="constant", fill_value=-1, add_indicator=True), StandardScaler()),
], ids=["means", "indicators", "scaled indicators"])  # fmt: skip
def test_an_imputer_before_all_else_needs_no_table_of_columns(steps, named):
    """Fitted on a table or on numbers without names, which are then given."""
    rows = FRAME if named else NUMBERS
    model = make_pipeline(*steps, FOREST).fit(rows, GRANTED)
    options = {} if named else {"columns": NAMES}
    assert not differing(
        read_ensemble(model), SPEC, raw(OTHERS.to_numpy()), shares(model, OTHERS if named else OTHERS.to_numpy()),
        **options,
    )  # fmt: skip


@pytest.mark.parametrize("before", [
    (StandardScaler(),),
    (columns((StandardScaler(), ["debt", "income"]), ("passthrough", ["sex", "dependants"])),),
], ids=["all", "some"])  # fmt: skip
def test_scalers_leave_missing_values_to_the_trees(before):
    """XGBoost has its own side for them."""
    model = make_pipeline(*before, boosted()).fit(FRAME, GRANTED)
    assert not differing(read_ensemble(model), SPEC, raw(OTHERS.to_numpy()), behind(model, OTHERS))


TWICE = columns(
    (SimpleImputer(strategy="constant", fill_value=0), ["income", "debt"]),
    (make_pipeline(SimpleImputer(strategy="constant", fill_value=9000), StandardScaler()), ["income", "sex"]),
    ("passthrough", ["dependants"]),
)
REFUSED = {
    "two fills of one column": (TWICE, "leave missing out of feature 'income'"),
    "quantiles": (
        columns((QuantileTransformer(n_quantiles=9), ["income", "debt"]), ("passthrough", ["dependants", "sex"])),
        "leave missing out of feature '(income|debt)'",
    ),
}


@pytest.mark.parametrize("kind", REFUSED)
def test_what_becomes_of_a_missing_value_is_never_guessed(kind):
    """The feature is named; under a spec without missing values the same model is read."""
    before, message = REFUSED[kind]
    model = make_pipeline(before, boosted()).fit(FRAME, GRANTED)
    complete = raw(OTHERS.dropna().to_numpy())
    with pytest.raises(ModelImportError, match=message):
        bound_score(read_ensemble(model), SPEC, rows=complete)
    assert bound_score(read_ensemble(model), COMPLETE, rows=complete)


def test_an_imputer_behind_another_step_is_refused():
    """It is read where it stands first."""
    late = columns((make_pipeline(StandardScaler(), SimpleImputer()), ["income", "debt"]))
    with pytest.raises(ModelImportError, match="put the SimpleImputer before the other steps"):
        read_ensemble(make_pipeline(late, FOREST).fit(FRAME, GRANTED))


def test_a_column_that_shows_missing_values_is_not_read_before_an_encoder():
    """The encoder would take it for a category."""
    shows = make_pipeline(SimpleImputer(strategy="most_frequent", add_indicator=True), OneHotEncoder())
    with pytest.raises(ModelImportError, match=r"add_indicator=False: .* is not read before a OneHotEncoder"):
        read_ensemble(make_pipeline(columns((shows, ["income"])), FOREST).fit(FRAME, GRANTED))


@pytest.mark.parametrize("last", [LogisticRegression(), MLPClassifier((3,), max_iter=30, random_state=0)])
@pytest.mark.parametrize("strategy", ["mean", "median", "most_frequent", "constant"])
@pytest.mark.filterwarnings("ignore:Stochastic Optimizer")
def test_a_network_or_a_line_behind_an_imputer_decides_complete_rows(last, strategy):
    """What shows missing values is 0 for them; a spec with missing values has to mark them."""
    imputer = SimpleImputer(strategy=strategy, fill_value=7, add_indicator=True)
    model = make_pipeline(columns((make_pipeline(imputer, StandardScaler()), list(NAMES))), last).fit(FRAME, GRANTED)
    rows = OTHERS.dropna()
    found = import_model(model, COMPLETE, rows=raw(rows.to_numpy()))
    (compared,) = found.comparisons
    assert (compared.counts.rows, compared.counts.differing) == (len(rows), 0)
    with pytest.raises(ModelImportError, match=r'feature .income.: write "mark": true into missing, since networks'):
        import_model(model, SPEC, rows=raw(rows.to_numpy()))


@pytest.mark.parametrize("form", ["table", "rows", "file"])
def test_an_object_is_asked_about_rows_that_lack_values(form, tmp_path):
    """Of each kind of table; what stands for a missing value there is nan for the object."""
    model = make_pipeline(columns((SimpleImputer(add_indicator=True), list(NAMES))), FOREST).fit(FRAME, GRANTED)
    OTHERS.to_csv(tmp_path / "rows.csv", index=False)
    rows = {"table": OTHERS, "rows": raw(OTHERS.to_numpy()), "file": tmp_path / "rows.csv"}[form]
    (compared,) = import_model(model, SPEC, rows=rows).comparisons
    assert (compared.counts.rows, compared.counts.differing, compared.counts.differing_integers) == (400, 0, 0)
