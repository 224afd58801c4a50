"""Fitted objects of every library, from the table of a lender to a model folder: drafted, read, compared, written."""

import json

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from pyarrow import parquet
from sklearn.compose import ColumnTransformer
from sklearn.ensemble import (
    AdaBoostClassifier,
    ExtraTreesClassifier,
    GradientBoostingClassifier,
    HistGradientBoostingClassifier,
    RandomForestClassifier,
)
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, RandomizedSearchCV
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, MinMaxScaler, OneHotEncoder, OrdinalEncoder, StandardScaler
from sklearn.tree import DecisionTreeClassifier

from equiproof import import_model
from equiproof.certify.data import DataError
from equiproof.certify.models.importing import ModelImportError
from equiproof.certify.models.own_decisions import DecisionsError
from equiproof.circuits.spec import load_spec

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")

ROWS = 90
OPENED = "opened in days since 2000-01-01"
RATINGS = ["low", "medium", "high"]


def lender(rows=ROWS, seed=57):
    """Return an invented table: amounts, a date as a number of days, codes, texts, grades and two groups; decisions."""
    rng = np.random.default_rng(seed)
    table = pd.DataFrame(
        {
            "income": rng.normal(2600, 700, rows).clip(900).round(2),
            "savings": rng.lognormal(7, 1.2, rows).round(0).astype(int),
            OPENED: rng.integers(4000, 9500, rows),
            "region": rng.choice([1, 2, 7], rows),
            "contract": rng.choice(["permanent", "temporary", "freelance"], rows),
            "rating": rng.choice(RATINGS, rows),
            "origin": rng.choice(["a", "b", "c"], rows),
            "sex": rng.choice(["female", "male"], rows),
        }
    )
    score = table["income"] / 900 + np.log1p(table["savings"]) / 2 - table[OPENED] / 4000
    score += 0.4 * (table["sex"] == "male")
    score += table["rating"].map(dict(zip(RATINGS, (-0.8, 0, 0.8), strict=True))) - 0.5 * (table["origin"] == "c")
    return table, np.where(score + rng.normal(0, 0.5, rows) > score.median(), "granted", "refused")


TABLE, DECISIONS = lender()
CODES = (DECISIONS == "granted").astype(int)


def encoded(logarithms=False):
    """Return a transformer of the whole table."""
    savings = make_pipeline(FunctionTransformer(np.log1p), StandardScaler()) if logarithms else MinMaxScaler()
    return ColumnTransformer(
        [
            ("amounts", StandardScaler(), ["income", OPENED]),
            ("savings", savings, ["savings"]),
            ("kinds", OneHotEncoder(), ["region", "contract", "origin", "sex"]),
            ("grades", OrdinalEncoder(categories=[RATINGS]), ["rating"]),
        ]
    )


def searched(search, last, **parameters):
    """Return a search over pipelines, of which the best one decides."""
    return search(make_pipeline(encoded(), last), parameters, cv=2)


def xgb(**options):
    """Return a classifier of XGBoost."""
    return pytest.importorskip("xgboost").XGBClassifier(n_estimators=8, max_depth=2, n_jobs=1, **options)


def lgbm():
    """Return a classifier of LightGBM."""
    light = pytest.importorskip("lightgbm")
    return light.LGBMClassifier(n_estimators=8, num_leaves=4, n_jobs=1, verbose=-1)


def machine():
    """Return an explainable boosting machine."""
    glassbox = pytest.importorskip("interpret.glassbox")
    return glassbox.ExplainableBoostingClassifier(max_rounds=20, interactions=1, max_bins=8, outer_bags=1, n_jobs=1)


PIPELINES = {
    "logistic regression": lambda: make_pipeline(encoded(), LogisticRegression()),
    "perceptron": lambda: make_pipeline(encoded(), MLPClassifier((4,), max_iter=60, random_state=0)),
    "grid search": lambda: searched(GridSearchCV, LogisticRegression(), logisticregression__C=[0.1, 1.0]),
    "random search": lambda: searched(
        lambda *words, cv: RandomizedSearchCV(*words, cv=cv, n_iter=2, random_state=0),
        RandomForestClassifier(5, max_depth=3, random_state=0),
        randomforestclassifier__min_samples_leaf=[1, 5],
    ),
    "random forest": lambda: make_pipeline(encoded(), RandomForestClassifier(7, max_depth=3, random_state=0)),
    "extra trees": lambda: make_pipeline(encoded(), ExtraTreesClassifier(7, max_depth=3, random_state=0)),
    "tree": lambda: make_pipeline(encoded(), DecisionTreeClassifier(max_depth=4, random_state=0)),
    "gradient boosting": lambda: make_pipeline(encoded(), GradientBoostingClassifier(n_estimators=8, random_state=0)),
    "histograms": lambda: make_pipeline(encoded(), HistGradientBoostingClassifier(max_iter=8)),
    "adaboost": lambda: make_pipeline(encoded(), AdaBoostClassifier(n_estimators=8, random_state=0)),
    "lightgbm": lambda: make_pipeline(encoded(), lgbm()),
    "machine": machine,
}
"""Pipelines whose classes are texts; XGBoost's are numbers."""


@pytest.mark.parametrize("name", PIPELINES)
def test_a_fitted_object_and_its_table_become_a_folder(name, tmp_path):
    """One call drafts, reads, compares and writes; no row differs, and the draft is as the encoders say."""
    model = PIPELINES[name]().fit(TABLE, DECISIONS)
    words = {"sensitive": ["origin", "sex"], "units": {"income": "EUR"}}
    imported = import_model(model, TABLE, **words, out=tmp_path / "model")
    (compared,) = imported.comparisons
    assert (compared.counts.rows, compared.counts.differing, compared.counts.differing_integers) == (ROWS, 0, 0)
    assert repr(imported).endswith(f"of 8 features: granted or refused; 0 of {ROWS} differ>")
    spec = load_spec(tmp_path / "model" / "spec.json")
    assert spec == imported.spec
    features = {one.name: one for one in spec.features}
    assert (features["income"].unit, features[OPENED].unit, features[OPENED].whole) == ("EUR", "days", True)
    assert features[OPENED].start == "2000-01-01"
    assert (features["savings"].encoding, features["savings"].whole) == ("scaled", True)
    if name != "machine":
        assert (features["rating"].encoding, features["rating"].domain) == ("rank", tuple(RATINGS))
        assert features["region"].domain == ("1", "2", "7")
    assert (features["origin"].encoding, features["origin"].domain) == ("one-hot", ("a", "b", "c"))
    assert [one.name for one in spec.sensitive_features] == ["origin", "sex"]


def test_logarithms_of_a_pipeline_are_those_of_the_draft():
    """A number that the pipeline takes the logarithm of has the encoding log, with its offset."""
    imported = import_model(
        make_pipeline(encoded(logarithms=True), LogisticRegression()).fit(TABLE, DECISIONS), TABLE, sensitive=["sex"]
    )
    features = {one.name: one for one in imported.spec.features}
    assert (features["savings"].encoding, features["savings"].offset) == ("log", "1")
    assert imported.compared.differing_integers == 0


def test_classes_that_are_numbers_take_names_and_a_search_may_be_the_last_step(tmp_path):
    """XGBoost counts its classes; the labels are named in that order."""
    model = make_pipeline(encoded(), GridSearchCV(xgb(), {"learning_rate": [0.3, 0.5]}, cv=2)).fit(TABLE, CODES)
    with pytest.raises(ModelImportError, match=r"name the 2 decisions in the model's order with labels=: the classes"):
        import_model(model, TABLE, sensitive=["sex"])
    imported = import_model(model, TABLE, sensitive=["sex"], labels=["refused", "granted"], out=tmp_path / "model")
    assert imported.comparisons[0].counts.differing_integers == 0
    assert json.loads((tmp_path / "model" / "import.json").read_bytes())["kind"] == "xgboost"


NUMBERS = ["income", "savings", OPENED]
INPUTS = [*NUMBERS, "contract=freelance", "contract=permanent", "contract=temporary", "sex=male"]


def matrix(table=TABLE):
    """Return the inputs as a lender computes them beside the model."""
    columns = [table[name].to_numpy() if name in table else None for name in INPUTS]
    for place, name in enumerate(INPUTS):
        if columns[place] is None:
            column, _, value = name.partition("=")
            columns[place] = (table[column] == value).to_numpy()
    return np.stack(columns, axis=1).astype(float)


def boosters():
    """Yield objects that name nothing, or number their inputs, each with its fit."""
    xgboost, lightgbm = pytest.importorskip("xgboost"), pytest.importorskip("lightgbm")
    options = {"objective": "binary:logistic", "max_depth": 2, "nthread": 1}
    yield xgboost.train(options, xgboost.DMatrix(matrix(), CODES), 6)
    yield xgboost.XGBModel(n_estimators=6, objective="binary:logistic", n_jobs=1).fit(matrix(), CODES)
    light = {"objective": "binary", "num_leaves": 4, "verbose": -1, "num_threads": 1}
    yield lightgbm.train(light, lightgbm.Dataset(matrix(), CODES), 6)
    yield RandomForestClassifier(5, max_depth=3, random_state=0).fit(matrix(), DECISIONS)


def test_inputs_without_names_are_named_in_order_and_compared():
    """Columns of the table, and column=value for a category that the model has one-hot: all compared by `predict`."""
    for model in boosters():
        labels = None if hasattr(model, "classes_") else ["refused", "granted"]
        imported = import_model(model, TABLE, sensitive=["sex"], columns=INPUTS, labels=labels)
        assert imported.comparisons[0].counts.differing_integers == 0
        features = {one.name: one for one in imported.spec.features}
        assert (features["contract"].encoding, features["sex"].encoding) == ("one-hot", "rank")
        assert features["sex"].domain == ("female", "male")


def test_a_network_of_torch_is_drafted_one_hot_where_it_is_so():
    """A sensitive category of three values with an input each is one-hot in the draft."""
    torch = pytest.importorskip("torch")
    names = [*NUMBERS, "origin=a", "origin=b", "origin=c"]
    values = np.stack([*(TABLE[name] / 1000 for name in NUMBERS), *(TABLE["origin"] == one for one in "abc")], axis=1)
    torch.manual_seed(0)
    model = torch.nn.Sequential(torch.nn.Linear(6, 4), torch.nn.ReLU(), torch.nn.Linear(4, 1))
    optimiser = torch.optim.Adam(model.parameters(), lr=0.02)
    taken, wanted = torch.tensor(values, dtype=torch.float32), torch.tensor(CODES, dtype=torch.float32)[:, None]
    for _ in range(60):
        optimiser.zero_grad()
        torch.nn.functional.binary_cross_entropy_with_logits(model(taken), wanted).backward()
        optimiser.step()
    with torch.no_grad():
        model[0].weight[:, :3] /= 1000
    imported = import_model(model.eval(), TABLE, sensitive=["origin"], columns=names, labels=["refused", "granted"])
    assert imported.comparisons[0].counts.source == "Sequential.forward"
    (origin,) = imported.spec.sensitive_features
    assert (origin.encoding, origin.domain) == ("one-hot", ("a", "b", "c"))


def test_every_kind_of_table_gives_the_same_spec(tmp_path):
    """A list, pyarrow, and files of three kinds: the same rows, the same draft, the same comparison."""
    model = PIPELINES["tree"]().fit(TABLE, DECISIONS)
    TABLE.to_csv(tmp_path / "table.csv", index=False)
    TABLE.to_json(tmp_path / "table.json", orient="records")
    arrow = pa.Table.from_pandas(TABLE, preserve_index=False)
    parquet.write_table(arrow, tmp_path / "table.parquet")
    tables = [TABLE.to_dict("records"), arrow, *(tmp_path / f"table.{kind}" for kind in ("csv", "json", "parquet"))]
    first = import_model(model, TABLE, sensitive=["sex"])
    for table in tables:
        imported = import_model(model, table, sensitive=["sex"])
        assert (imported.spec, imported.quantised) == (first.spec, first.quantised)
        assert imported.comparisons[0].counts.differing_integers == 0


def test_given_decisions_are_compared_and_one_that_differs_is_refused(tmp_path):
    """A column by its name, or one a row; a wrong one is shown, and another number of them is an error."""
    model = PIPELINES["tree"]().fit(TABLE, DECISIONS)
    own = model.predict(TABLE)
    decided = TABLE.assign(decision=own)
    imported = import_model(model, decided, decisions="decision", sensitive=["sex"])
    assert [one.counts.source for one in imported.comparisons] == ["Pipeline.predict", "column decision of the table"]
    wrong = own.copy()
    wrong[7] = "refused" if wrong[7] == "granted" else "granted"
    with pytest.raises(DecisionsError, match=rf"allow_differing.*: 1 of {ROWS} rows .*; row 8: yours"):
        import_model(model, TABLE, decisions=wrong, sensitive=["sex"])
    allowed = import_model(model, TABLE, decisions=wrong, sensitive=["sex"], allow_differing=0.02, out=tmp_path / "m")
    assert allowed.comparisons[1].counts.differing == 1
    with pytest.raises(DecisionsError, match=f"{ROWS - 1} decisions for {ROWS} rows"):
        import_model(model, TABLE, decisions=own[1:], sensitive=["sex"])
    with pytest.raises(DecisionsError, match="name a column of the table with decisions=: it has no 'granted'"):
        import_model(model, TABLE, decisions="granted", sensitive=["sex"])


def test_an_object_under_a_spec_is_compared_on_rows():
    """Without rows nothing is compared, and the report's first line says so; decisions without rows are an error."""
    model = PIPELINES["random forest"]().fit(TABLE, DECISIONS)
    spec = import_model(model, TABLE, sensitive=["sex"]).spec
    alone = import_model(model, spec)
    assert alone.report().startswith("NOT COMPARED")
    assert repr(alone).endswith("not compared>")
    assert import_model(model, spec, rows=TABLE[:50]).comparisons[0].counts.rows == 50
    with pytest.raises(DecisionsError, match="give the rows that were decided, rows="):
        import_model(model, spec, decisions=DECISIONS)
    other = PIPELINES["random forest"]().fit(TABLE, DECISIONS[::-1])
    with pytest.raises(DecisionsError, match=r"row \d+: yours"):
        import_model(other, spec, rows=TABLE, decisions=model.predict(TABLE))


@pytest.mark.parametrize("threshold", ["-0.3", "0.25"])
def test_with_a_threshold_the_scores_of_the_object_decide(threshold):
    """The cut of a logit, and of a forest's share less one half."""
    for name in ("logistic regression", "random forest", "perceptron", "lightgbm"):
        model = PIPELINES[name]().fit(TABLE, DECISIONS)
        imported = import_model(model, TABLE, sensitive=["sex"], threshold=threshold)
        assert imported.spec.threshold == threshold
        assert imported.comparisons[0].counts.differing_integers == 0


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"sensitive": []}, r"name the sensitive columns with sensitive=: there are income, savings"),
        ({"sensitive": ["race"]}, "no feature is called 'race'"),
        ({"labels": ["no", "yes"]}, "leave labels= out: the model names its classes itself: granted, refused"),
        ({"units": "raw"}, r"give the units of numbers by column, such as units=\{'income': 'EUR'\}"),
        ({"rows": TABLE}, "leave rows= out"),
        ({"trees": "best"}, "leave trees= out: it is for XGBoost models"),
        ({"table": TABLE.drop(columns="income")}, "has no column 'income', which the model takes; it has savings"),
        ({"table": TABLE.assign(sex=None)}, rf"values are missing in 'sex' {ROWS}.*leave_out_missing=True"),
        (
            {"missing": ["income"]},
            "leave missing out of feature 'income': how the model takes a missing value of it is not known",
        ),
        ({"table": TABLE.assign(contract="none")}, "'none', which its encoder does not know; it has freelance"),
        ({"table": 7}, "give a list of mappings, .*: a int is not a table"),
    ],
)
def test_what_does_not_fit_is_refused_in_one_line_that_names_arguments(change, said):
    """Each refusal says what to give."""
    model = PIPELINES["logistic regression"]().fit(TABLE, DECISIONS)
    words = {"table": TABLE, "sensitive": ["sex"]} | change
    with pytest.raises((ModelImportError, DataError), match=said) as refused:
        import_model(model, words.pop("table"), **words)
    assert "\n" not in str(refused.value)
    assert len(str(refused.value)) <= 400


def spoilt():
    """Return the rows of the table as texts, with five different problems."""
    rows = [{name: str(value) for name, value in row.items()} for row in TABLE.to_dict("records")]
    for row in rows:
        row["income"] = row["income"].replace(".", ",")
    rows[3]["savings"] = ""
    rows[7]["contract"] = "none"
    rows[9][OPENED] = "much"
    return [row | {"rating": "highest"} if number == 11 else row for number, row in enumerate(rows)]


@pytest.mark.parametrize("drafts", [True, False])
def test_every_problem_of_a_table_is_told_at_once(drafts):
    """One line each, for a table that a spec is drafted from and for rows under a spec; each is short."""
    model = PIPELINES["logistic regression"]().fit(TABLE, DECISIONS)
    if drafts:
        table, words = spoilt(), {"sensitive": ["sex"]}
    else:
        table, words = import_model(model, TABLE, sensitive=["sex"]).spec, {"rows": spoilt()}
    with pytest.raises(DataError) as refused:
        import_model(model, table, **words)
    parts = {"give decimal=','": "income", "row 10": OPENED, "row 8": "contract", "row 12": "rating"}
    lines = refused.value.problems
    assert len(lines) == 5
    for part, column in parts.items():
        assert [column in line for line in lines if part in line] == [True]
    assert [("missing" in line) for line in lines if "savings" in line] == [True]
    assert all(line.startswith("the rows: ") and len(line) <= 400 for line in lines)
    with pytest.raises(DataError, match=r"has no column 'income' and 1 more, which the model takes"):
        import_model(model, TABLE.drop(columns=[OPENED, "income"]), sensitive=["sex"])


def with_dates(start="2000-01-01"):
    """Return the table with days in a column `opened`, as a model is fitted on it, and with the dates themselves."""
    days = TABLE.rename(columns={OPENED: "opened"})
    return days, days.assign(opened=np.datetime64(start) + days["opened"].to_numpy().astype("timedelta64[D]"))


@pytest.mark.parametrize("as_texts", [True, False])
def test_dates_of_a_table_are_counted_from_the_day_that_is_said(as_texts):
    """The spec states the day; rows have dates or days, and the object itself is asked for the days."""
    days, dates = with_dates()
    if as_texts:
        dates = [row | {"opened": row["opened"].date().isoformat()} for row in dates.to_dict("records")]
    model = xgb().fit(days[["income", "opened", "savings"]], CODES)
    words = {"sensitive": ["sex"], "unused": ["sex"], "labels": ["refused", "granted"], "units": {"income": "EUR"}}
    with pytest.raises(DataError, match=r"say from which day the model counts column 'opened', as dates=\{'opened': "):
        import_model(model, dates, **words)
    imported = import_model(model, dates, **words, dates={"opened": "2000-01-01"})
    opened = next(one for one in imported.spec.features if one.name == "opened")
    assert (opened.start, opened.unit, opened.whole) == ("2000-01-01", "days", True)
    assert [one.counts.differing_integers for one in imported.comparisons] == [0]
    assert import_model(model, days, **words, dates={"opened": "2000-01-01"}).spec == imported.spec
    kept = {"sensitive": ["sex"], "unused": ["sex"], "labels": ["refused", "granted"]}
    again = import_model(
        model, import_model(model, days, **kept).spec, rows=dates, unused=["sex"], dates={"opened": "2000-01-01"}
    )
    assert [one.counts.differing_integers for one in again.comparisons] == [0]
    assert any(one.start == "2000-01-01" for one in again.spec.features)


@pytest.mark.parametrize(
    ("dates", "said"),
    [
        ({"closed": "2000-01-01"}, "leave 'closed' out of dates: the model takes no column of this name"),
        ({"opened": "01/02/2000"}, "want the date to count from, such as 2000-01-01"),
        ({"sex": "2000-01-01"}, "dates: leave out 'sex', which is sensitive"),
        ({"income": "2000-01-01"}, "dates: leave out 'income': only a number of days"),
    ],
)
def test_dates_that_are_none_are_refused(dates, said):
    """A column that the model does not take, a start that is no date, a sensitive column, an amount."""
    days, _ = with_dates()
    model = xgb().fit(days[["income", "opened", "savings"]], CODES)
    words = {"sensitive": ["sex"], "unused": ["sex"], "labels": ["refused", "granted"], "units": {"income": "EUR"}}
    with pytest.raises(DataError, match=said):
        import_model(model, days, **words, dates=dates)


def test_a_column_that_the_model_does_not_take_may_be_sensitive_when_it_is_said():
    """A model without the sensitive column is imported with `unused`; rows without a value are left out on request."""
    columns = ["income", "savings"]
    model = make_pipeline(StandardScaler(), LogisticRegression()).fit(TABLE[columns], DECISIONS)
    with pytest.raises(ModelImportError, match=r"add unused=\['sex'\]: the model takes no column 'sex'"):
        import_model(model, TABLE, sensitive=["sex"])
    holes = TABLE.assign(sex=TABLE["sex"].where(TABLE.index > 4, None))
    imported = import_model(model, holes, sensitive=["sex"], unused=["sex"], leave_out_missing=True)
    assert imported.comparisons[0].counts.rows == ROWS - 5
    assert imported.report().count("5 rows were left out") == 1


def test_points_that_may_stand_between_thousands_have_a_word():
    """Texts such as 1.100 are read as fractions, with what they may be otherwise; numbers have no such note."""
    columns = ["income", "savings"]
    model = make_pipeline(StandardScaler(), LogisticRegression()).fit(TABLE[columns], DECISIONS)
    words = {"sensitive": ["sex"], "unused": ["sex"], "accept_labels": True}
    grouped = TABLE.assign(income=[f"{1 + place}.100" for place in range(len(TABLE))])
    note = "income: every point stands before three digits, as in 1.100, and was read as that of a fraction; if that is"
    assert import_model(model, grouped, **words).report().count(f"{note} 1100, say so (decimal=',' thousands='.')") == 1
    assert "every point" not in import_model(model, TABLE, **words).report()


def test_values_may_be_missing_where_it_is_said_of_a_column():
    """Trees are drafted on all rows, which the object itself decides alike; a table that does not say so is refused."""
    columns = ["income", "savings"]
    holes = TABLE[columns].astype(float)
    holes.loc[holes.index % 7 == 3, "income"] = np.nan
    model = xgb().fit(holes, CODES)
    table = holes.assign(sex=TABLE["sex"])
    words = {"sensitive": ["sex"], "unused": ["sex"], "labels": ["refused", "granted"]}
    with pytest.raises(DataError, match=r"'income' \d+, 14.\d % \(first.*\(missing=\['income'\]\), or leave"):
        import_model(model, table, **words)
    with pytest.raises(DataError, match="missing: leave out 'sex': it is sensitive, and each of its values counts"):
        import_model(model, table, **words, missing=["sex"])
    with pytest.raises(DataError, match="missing: no column is called 'wage'; there are income, savings, sex"):
        import_model(model, table, **words, missing=["wage"])
    imported = import_model(model, table, **words, missing=["income"])
    assert (imported.comparisons[0].counts.rows, imported.comparisons[0].counts.differing) == (ROWS, 0)
    assert [one.name for one in imported.spec.features if one.may_miss] == ["income"]
    assert "income: may be missing; " in imported.report()
    with pytest.raises(ModelImportError, match="leave missing out of feature 'income': this model does not say where"):
        import_model(
            GradientBoostingClassifier(n_estimators=2).fit(TABLE[columns], CODES), table, **words, missing=["income"]
        )


def test_an_unfitted_search_is_refused():
    """Without a refit nothing decides."""
    search = searched(GridSearchCV, LogisticRegression(), logisticregression__C=[1.0]).set_params(refit=False)
    with pytest.raises(ModelImportError, match="fit it with refit=True: it has no best_estimator_"):
        import_model(search.fit(TABLE, DECISIONS), TABLE, sensitive=["sex"])
