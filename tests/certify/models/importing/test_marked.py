"""Networks behind imputers and encoders: what the library makes of a missing value is what their marks make of it."""

import dataclasses
import itertools
import re

import msgspec
import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.compose import ColumnTransformer
from sklearn.experimental import enable_iterative_imputer  # noqa: F401  # makes IterativeImputer
from sklearn.impute import IterativeImputer, KNNImputer, MissingIndicator, SimpleImputer
from sklearn.linear_model import LogisticRegression
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, MinMaxScaler, OneHotEncoder, OrdinalEncoder, StandardScaler
from sklearn.tree import DecisionTreeClassifier

from equiproof import import_model
from equiproof.certify.data.dataset import encode_rows
from equiproof.certify.many.certifier import Certifier
from equiproof.certify.models.importing import ModelImportError, column_names
from equiproof.certify.models.importing import imported as imported_module
from equiproof.circuits.encodings.missing import Missing
from equiproof.circuits.spec import SpecError
from tests.support import changed

pytestmark = pytest.mark.filterwarnings(
    "ignore::sklearn.exceptions.ConvergenceWarning", "ignore:Found unknown categories"
)

NAMES = ("income", "debt", "purpose")
PURPOSES = ("car", "house", "trip")


def table(seed, rows=300):
    """Return applicants of whom many lack one or several of three values, and their decisions."""
    rng = np.random.default_rng(seed)
    made = pd.DataFrame(
        {
            "income": rng.normal(3500, 900, rows).round(),
            "debt": rng.normal(9000, 3000, rows).round(),
            "purpose": rng.choice(PURPOSES, rows).astype(object),
            "sex": rng.choice(["female", "male"], rows).astype(object),
        }
    )
    score = made.income - made.debt / 4 + (made.purpose == "car") * 500 + rng.normal(0, 300, rows)
    for name in NAMES:
        made.loc[rng.random(rows) < 0.2, name] = np.nan
    return made, np.where(score > 1300, "granted", "refused")


TABLE, DECISIONS = table(1)

MEANS = make_pipeline(SimpleImputer(add_indicator=True), StandardScaler())
BELOW = make_pipeline(SimpleImputer(strategy="constant", fill_value=-1), MinMaxScaler())
NAMED = make_pipeline(SimpleImputer(strategy="constant", fill_value="missing"), OneHotEncoder(handle_unknown="ignore"))
USUAL = make_pipeline(SimpleImputer(strategy="most_frequent"), OrdinalEncoder())
RARE = OneHotEncoder(min_frequency=60, handle_unknown="infrequent_if_exist")
PARTS = {
    "means and their indicators, a column of the encoder": (MEANS, OneHotEncoder()),
    "medians, a text that is filled in": (make_pipeline(SimpleImputer(strategy="median"), StandardScaler()), NAMED),
    "a number below all, the most frequent rank": (BELOW, USUAL),
    "means that are scaled alone, a rank of its own": (
        make_pipeline(SimpleImputer(), StandardScaler(with_mean=False)),
        OrdinalEncoder(encoded_missing_value=-1),
    ),
    "the most frequent number, rare values": (
        make_pipeline(SimpleImputer(strategy="most_frequent", add_indicator=True), MinMaxScaler()),
        RARE,
    ),
}
LASTS = {
    "line": LogisticRegression(max_iter=2000),
    "network": MLPClassifier((5,), max_iter=200, random_state=0),
}


def fitted(parts, last, frame=TABLE, decisions=DECISIONS):
    """Return a pipeline that was fitted on the table."""
    numbers, categories = parts
    before = ColumnTransformer(
        [
            ("numbers", numbers, ["income", "debt"]),
            ("purpose", categories, ["purpose"]),
            ("sex", OneHotEncoder(drop="first"), ["sex"]),
        ]
    )
    return make_pipeline(before, last).fit(frame, decisions)


def cells():
    """Return all ways of lacking values, each beside some numbers and all categories."""
    numbers = [(float(income), float(debt)) for income in (1200, 3500, 6000) for debt in (500, 9000, 20000)]
    rows = [(*pair, purpose, sex) for pair, purpose, sex in itertools.product(numbers, PURPOSES, ("female", "male"))]
    lacking = []
    for left in itertools.chain.from_iterable(itertools.combinations(range(3), count) for count in range(1, 4)):
        lacking += [tuple(np.nan if place in left else value for place, value in enumerate(row)) for row in rows]
    return pd.DataFrame(rows + lacking, columns=[*NAMES, "sex"]).drop_duplicates(ignore_index=True)


def stated(frame):
    """Return rows as a spec takes them: None where a value is missing."""
    return [
        {name: None if isinstance(value, float) and np.isnan(value) else value for name, value in row.items()}
        for row in frame.to_dict("records")
    ]


@pytest.mark.parametrize("last", LASTS)
@pytest.mark.parametrize("parts", PARTS)
def test_rows_are_decided_as_the_library_decides_them(parts, last):
    """Also those that no training had, with every way of lacking values."""
    model = fitted(PARTS[parts], LASTS[last])
    imported = import_model(model, TABLE, sensitive=["sex"], missing=NAMES, levels="exact")
    (compared,) = imported.comparisons
    assert (compared.counts.rows, compared.counts.differing, compared.counts.differing_integers) == (300, 0, 0)
    spec = imported.spec
    assert [feature.missing for feature in spec.plain_features] == [Missing(mark=True)] * 3
    assert [name for name in column_names(spec) if name.startswith("missing(")] == [f"missing({one})" for one in NAMES]
    others = cells()
    columns = encode_rows(spec, stated(others)) / spec.scale_unit
    logits = imported.network.logits(columns).ravel()
    scores = model.decision_function(others) if last == "line" else model.predict_proba(others)[:, 1] - 0.5
    clear = np.abs(logits) > 0.01
    assert clear.mean() > 0.9
    turned = 1 if spec.labels[1] == model.classes_[1] else -1
    assert ((logits > 0) == (turned * scores > 0))[clear].all()


def test_neighbors_who_lack_the_same_are_decided_alike_by_the_library():
    """People within the radius of somebody who lacks a value, of any sex."""
    model = fitted(PARTS["means and their indicators, a column of the encoder"], LASTS["line"])
    imported = import_model(model, TABLE, sensitive=["sex"], missing=NAMES, levels="exact")
    rows = [row for row in stated(TABLE) if None in row.values()][:40]
    spec = imported.spec
    results = Certifier(imported.quantised, spec, progress=False).certify(rows).points
    assert {one.verdict for one in results} <= {"fair", "unfair"}
    rng, drawn, checked = np.random.default_rng(3), 0, 0
    for row, point in zip(rows, results, strict=True):
        if point.verdict != "fair":
            continue
        people = []
        for _ in range(60):
            other = dict(row)
            for name in ("income", "debt"):
                if row[name] is not None:
                    other[name] = float(round(row[name] + rng.normal(0, 400)))
            people.append(other | {"sex": rng.choice(["female", "male"])})
        distances = ((encode_rows(spec, people) - encode_rows(spec, [row]))[:, : spec.plain_columns] ** 2).sum(axis=1)
        near = [other for other, squared in zip(people, distances, strict=True) if squared < point.radius_squared]
        drawn += len(people)
        checked += len(near)
        said = model.predict(pd.DataFrame(near).fillna(np.nan)) if near else []
        assert {str(one) for one in said} <= {point.label}
    assert checked > 100


def test_a_sensitive_category_lists_missing_among_its_values():
    """Who does not state it is tried as any other value, and decided as the library decides such a row."""
    frame = TABLE.copy()
    frame.loc[np.random.default_rng(8).random(len(frame)) < 0.3, "sex"] = np.nan
    parts = [("numbers", MEANS, ["income", "debt"]), ("texts", OneHotEncoder(), ["purpose", "sex"])]
    model, other = (
        make_pipeline(ColumnTransformer(parts), LogisticRegression(max_iter=2000)).fit(each, DECISIONS)
        for each in (frame, TABLE)
    )
    complete = import_model(other, TABLE, sensitive=["sex"], missing=NAMES, levels="exact").spec
    features = tuple(
        msgspec.structs.replace(one, domain=(*one.domain, "missing")) if one.sensitive else one
        for one in complete.features
    )
    spec = msgspec.structs.replace(complete, features=features)
    imported = import_model(model, spec, rows=frame)
    (compared,) = imported.comparisons
    assert (compared.counts.rows, compared.counts.differing, compared.counts.differing_integers) == (300, 0, 0)


@pytest.mark.parametrize(
    ("parts", "said"),
    [
        (
            (StandardScaler(), OneHotEncoder()),
            "leave missing out of feature 'income': how the model takes a missing value",
        ),
        ((MEANS, make_pipeline(OneHotEncoder(), StandardScaler(with_mean=False))), None),
    ],
)
def test_what_a_model_makes_of_a_missing_value_is_never_guessed(parts, said):
    """Steps that take no missing value, and scaled indicators, of which it is known."""
    frame = TABLE.dropna() if said else TABLE
    model = fitted(parts, LASTS["line"], frame, DECISIONS[frame.index])
    if said is None:
        (compared,) = import_model(model, TABLE, sensitive=["sex"], missing=NAMES, levels="exact").comparisons
        assert compared.counts.differing == 0
        return
    with pytest.raises(ModelImportError, match=re.escape(said)) as refused:
        import_model(model, frame, sensitive=["sex"], missing=["income"], levels="exact")
    assert len(str(refused.value)) <= 400


@pytest.mark.parametrize("last", LASTS)
def test_inputs_may_have_names_of_their_own(last):
    """A model that was fitted on an array, or on columns of other names, shows what is missing all the same."""
    numbers, names = TABLE.assign(sex=(TABLE.sex == "male") * 1.0).drop(columns="purpose"), ["income", "debt", "sex"]
    steps = (SimpleImputer(add_indicator=True), StandardScaler(), LASTS[last])
    for given in (numbers.to_numpy(dtype=float), numbers.rename(columns={"income": "a", "debt": "b", "sex": "c"})):
        model = make_pipeline(*steps).fit(given, DECISIONS)
        words = {"sensitive": ["sex"], "missing": ["income", "debt"], "columns": names, "levels": "exact"}
        for table in (numbers, numbers.dropna().reset_index(drop=True)):
            (compared,) = import_model(model, table, **words).comparisons
            assert (compared.counts.differing, compared.counts.differing_integers) == (0, 0)
        imported = import_model(model, numbers.dropna().reset_index(drop=True), **words)
        columns = encode_rows(imported.spec, stated(numbers)) / imported.spec.scale_unit
        decided = np.array(imported.spec.labels)[(imported.network.logits(columns).ravel() > 0).astype(int)]
        assert (decided != model.predict(given)).sum() <= 1


def test_a_fill_in_that_the_encoder_does_not_know_is_what_it_makes_of_it():
    """Not what it makes of a missing value, which is another code here."""
    known = [[*PURPOSES, np.nan]]
    coded = OrdinalEncoder(
        categories=known, handle_unknown="use_encoded_value", unknown_value=-1, encoded_missing_value=-9
    )
    filled = SimpleImputer(strategy="constant", fill_value="zzz")
    model = fitted((MEANS, make_pipeline(filled, coded)), LASTS["line"])
    imported = import_model(model, TABLE.dropna(), sensitive=["sex"], missing=NAMES, levels="exact")
    others = cells()
    logits = imported.network.logits(encode_rows(imported.spec, stated(others)) / imported.spec.scale_unit).ravel()
    assert np.abs(np.abs(logits) - np.abs(model.decision_function(others))).max() < 0.02


def test_rows_that_lack_a_value_are_asked_about_though_the_table_has_none(monkeypatch):
    """A reading that is wrong about missing values alone is refused by the name of the column."""
    model = fitted(PARTS["means and their indicators, a column of the encoder"], LASTS["line"])
    right = imported_module.bind_marked

    def wrong(*given):
        source, first = right(*given)
        rows = [{column: -99 * value if column == 1 else value for column, value in row.items()} for row in first.rows]
        return source, dataclasses.replace(first, rows=tuple(rows))

    monkeypatch.setattr(imported_module, "bind_marked", wrong)
    with pytest.raises(
        ModelImportError, match=r"^leave 'income' out of missing=, .* decided otherwise than by Pipeline"
    ):
        import_model(model, TABLE.dropna(), sensitive=["sex"], missing=NAMES, levels="exact")


def test_a_model_in_columns_of_the_spec_has_an_input_for_each_mark():
    """Otherwise it is not known what it makes of a missing value."""
    spec = import_model(
        fitted(PARTS["means and their indicators, a column of the encoder"], LASTS["line"]),
        TABLE, sensitive=["sex"], missing=NAMES, levels="exact",
    ).spec  # fmt: skip
    names = [name for name in column_names(spec) if not name.startswith("missing(")]
    rng = np.random.default_rng(2)
    model = LogisticRegression().fit(rng.normal(size=(60, len(names))), rng.integers(0, 2, 60))
    with pytest.raises(ModelImportError, match="leave missing out of feature 'income': how the model takes a missing"):
        import_model(model, spec, units="spec", columns=names, classes=[0, 1])


def test_trees_refuse_marks_in_one_line():
    """They ask for a missing value themselves."""
    model = fitted(PARTS["medians, a text that is filled in"], LASTS["line"])
    spec = import_model(model, TABLE, sensitive=["sex"], missing=NAMES, levels="exact").spec
    trees = fitted(PARTS["medians, a text that is filled in"], DecisionTreeClassifier(max_depth=3, random_state=0))
    with pytest.raises(ModelImportError, match="'income': leave mark out of missing: models of scheme trees know a"):
        import_model(trees, spec)


@pytest.mark.parametrize("last", LASTS)
@pytest.mark.parametrize("function", [np.log, np.log10, np.log1p])
def test_logarithms_behind_an_imputer_are_those_of_what_it_fills_in(function, last):
    """As the first steps of some columns, and before all else."""
    frame = TABLE.assign(income=TABLE.income.abs(), debt=TABLE.debt.abs())
    steps = (SimpleImputer(strategy="median"), FunctionTransformer(function), StandardScaler())
    model = fitted((make_pipeline(*steps), OneHotEncoder(handle_unknown="ignore")), clone(LASTS[last]), frame)
    alone = make_pipeline(*steps, clone(LASTS[last])).fit(frame[["income", "debt"]], DECISIONS)
    for one, names, more in ((model, NAMES, {}), (alone, NAMES[:2], {"unused": ["sex"]})):
        taken = frame if one is model else frame[["income", "debt", "sex"]]
        imported = import_model(one, taken, sensitive=["sex"], missing=names, levels="exact", **more)
        (compared,) = imported.comparisons
        assert (compared.counts.differing, compared.counts.differing_integers) == (0, 0)
        assert [feature.encoding for feature in imported.spec.plain_features][:2] == ["log", "log"]
        rows = cells() if one is model else cells().drop(columns="purpose").drop_duplicates(ignore_index=True)
        logits = imported.network.logits(encode_rows(imported.spec, stated(rows)) / imported.spec.scale_unit).ravel()
        taken = rows if one is model else rows[["income", "debt"]]
        own = one.decision_function(taken) if last == "line" else one.predict_proba(taken)[:, 1] - 0.5
        turned = 1 if imported.spec.labels[1] == one.classes_[1] else -1
        clear = np.abs(logits) > 0.02
        assert clear.mean() > 0.8
        assert ((logits > 0) == (turned * own > 0))[clear].all()


def test_a_text_that_is_filled_in_and_no_value_of_the_spec_is_named():
    """With the value in the domain the model is imported; naming inputs would not help."""
    spec = import_model(
        fitted(PARTS["means and their indicators, a column of the encoder"], LASTS["line"]),
        TABLE, sensitive=["sex"], missing=NAMES, levels="exact",
    ).spec  # fmt: skip
    filled = make_pipeline(SimpleImputer(strategy="constant", fill_value="other"), OneHotEncoder())
    model = fitted((clone(MEANS), filled), LASTS["line"])
    with pytest.raises(ModelImportError, match=r"^add 'other' to the domain of 'purpose' in the spec, or fit"):
        import_model(model, spec, rows=TABLE)
    features = tuple(
        msgspec.structs.replace(one, domain=(*one.domain, "other")) if one.name == "purpose" else one
        for one in spec.features
    )
    (compared,) = import_model(model, msgspec.structs.replace(spec, features=features), rows=TABLE).comparisons
    assert compared.counts.differing == 0


def typed(values, kind):
    """Return a column of a type of pandas of which every fifth value is missing."""
    column = pd.Series([values[place % len(values)] for place in range(len(TABLE))], dtype=object)
    return column.where(np.arange(len(TABLE)) % 5 > 0, None if kind == "None" else np.nan).astype(
        "object" if kind == "None" else kind
    )


@pytest.mark.parametrize(
    ("column", "said", "mended"),
    [
        (
            typed([1, 2, 3], "Int64"),
            "turn column 'purpose' into texts",
            "table['purpose'].map(str, na_action='ignore')",
        ),
        (typed([True, False], "boolean"), "turn column 'purpose' into texts", ".astype(object), and fit again"),
        (typed([1.0, 2.0], "float64"), "turn column 'purpose' into texts", ": a category of it is 1.0"),
        (typed(PURPOSES, "None"), "write the missing values of column 'purpose' as np.nan", ".fillna(np.nan), and fit"),
    ],
)
@pytest.mark.parametrize("encoder", [OneHotEncoder(handle_unknown="ignore"), OneHotEncoder()])
def test_a_column_that_an_encoder_reads_otherwise_comes_with_a_line_that_mends_it(column, said, mended, encoder):
    """The line of pandas in the message is what is done."""
    table = TABLE.assign(purpose=column)
    with pytest.raises(ModelImportError, match=f"{re.escape(said)}.*{re.escape(mended)}") as refused:
        import_model(fitted((clone(MEANS), encoder), LASTS["line"], table), table, sensitive=["sex"], missing=NAMES)
    assert len(str(refused.value)) <= 400
    line = re.search(r", (table\[.*\)), and fit again", str(refused.value)).group(1)
    table = table.assign(purpose=eval(line, {"table": table, "np": np, "str": str, "object": object}))  # noqa: S307
    model = fitted((clone(MEANS), encoder), LASTS["line"], table)
    (compared,) = import_model(model, table, sensitive=["sex"], missing=NAMES, levels="exact").comparisons
    assert compared.counts.differing == 0


def test_a_category_without_any_value_is_to_be_left_out():
    """It has no value that a spec could list."""
    table = TABLE.assign(purpose=pd.Series([np.nan] * len(TABLE), dtype=object))
    model = fitted((clone(MEANS), OneHotEncoder()), LASTS["line"], table)
    with pytest.raises(ModelImportError, match=r"leave column 'purpose' out, and fit it again: it has no value$"):
        import_model(model, table, sensitive=["sex"], missing=NAMES)


@pytest.mark.parametrize(
    ("step", "said"),
    [
        (KNNImputer(), "fit one SimpleImputer in its place, before the other steps"),
        (IterativeImputer(max_iter=1), "fit one SimpleImputer in its place, before the other steps"),
        (MissingIndicator(), "fit a SimpleImputer with add_indicator=True in its place"),
    ],
)
def test_other_ways_to_treat_missing_values_come_with_one_that_is_read(step, said):
    """What they fill in is no number of their own; a SimpleImputer behind other steps goes before them."""
    numbers = TABLE[["income", "debt"]].fillna({"income": 0})
    for before in (step, ColumnTransformer([("numbers", step, ["income", "debt"])])):
        model = make_pipeline(before, LogisticRegression()).fit(numbers, DECISIONS)
        with pytest.raises(ModelImportError, match=rf"\({type(step).__name__}\): {re.escape(said)}") as refused:
            import_model(model, numbers, sensitive=["debt"], missing=["income"])
        assert len(str(refused.value)) <= 400
    late = make_pipeline(StandardScaler(), SimpleImputer(), LogisticRegression()).fit(numbers, DECISIONS)
    with pytest.raises(ModelImportError, match="put the SimpleImputer before the other steps"):
        import_model(late, numbers, sensitive=["debt"], missing=["income"])


@pytest.mark.parametrize("value", ["not stated", "keine Angabe"])
def test_a_value_that_reads_as_a_missing_one_needs_words_of_its_own(value):
    """People are told both alike, unless the spec says other words of a missing value."""
    table = TABLE.assign(purpose=TABLE.purpose.where(TABLE.purpose != "trip", value))
    model = fitted((clone(MEANS), OneHotEncoder()), LASTS["line"], table)
    with pytest.raises(SpecError, match=f"^feature 'purpose': empty the cells that say '{value}'"):
        import_model(model, table, sensitive=["sex"], missing=NAMES)
    complete = {"sensitive": ["sex"], "missing": NAMES[:2], "leave_out_missing": True, "levels": "exact"}
    spec = import_model(model, table, **complete).spec
    for missing, wrong in ((Missing(mark=True), True), (Missing(en="left blank", de="leer", mark=True), False)):
        features = [changed(one, missing=missing) if one.name == "purpose" else one for one in spec.features]
        given = changed(spec, features=tuple(features))
        if wrong:
            with pytest.raises(ModelImportError, match="or write other words into missing, such as"):
                import_model(model, given, rows=table)
            continue
        (compared,) = import_model(model, given, rows=table).comparisons
        assert compared.counts.differing == 0
