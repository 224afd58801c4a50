"""Pipelines as banks fit them: raw tables, encoders and scalers in a ColumnTransformer, and one of the classifiers."""

import re
from fractions import Fraction

import msgspec
import numpy as np
import pandas as pd
import pytest
from sklearn.compose import ColumnTransformer
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler, OneHotEncoder, OrdinalEncoder, StandardScaler

from equiproof import import_model
from equiproof.certify.data import DataError, load
from equiproof.certify.models.importing import ModelImportError, column_names
from equiproof.certify.models.importing.chain import layers_of
from equiproof.certify.models.importing.reading import read_model

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")

DATA = load("lending")
TABLE = pd.DataFrame(DATA.rows)[:400].astype({"income": float, "savings": float, "debt": float})
LABELS = [DATA.spec.labels[label] for label in DATA.labels][:400]
NUMBERS = ["age", "income", "savings", "debt"]
ORDERS = [list(next(one.domain for one in DATA.spec.features if one.name == "education"))]


def transformer(**changes):
    """Return a ColumnTransformer with every kind of part."""
    parts = {
        "numbers": (make_pipeline(SimpleImputer(), StandardScaler()), NUMBERS[:2]),
        "shares": (MinMaxScaler(), NUMBERS[2:]),
        "kinds": (OneHotEncoder(handle_unknown="ignore"), ["purpose", "sex"]),
        "grades": (make_pipeline(OrdinalEncoder(categories=ORDERS), StandardScaler()), ["education"]),
        "rest": ("passthrough", ["term"]),
        "left": ("drop", ["loan_amount"]),
    } | changes
    return ColumnTransformer([(name, *part) for name, part in parts.items() if part])


def fitted(part=None, last=None, table=TABLE, labels=LABELS):
    """Return a fitted pipeline."""
    return make_pipeline(part or transformer(), last or MLPClassifier((4,), max_iter=60, random_state=0)).fit(
        table, labels
    )


def outputs(imported, row):
    """Return the float network's logits of a raw row."""
    spec = imported.spec
    columns = [value / spec.scale_unit for value in (*spec.encode(row), *spec.encode_sensitive(row))]
    return imported.network.logits(np.array([columns]))[0]


@pytest.mark.parametrize("last", [MLPClassifier((4,), max_iter=60, random_state=0), LogisticRegression()])
def test_a_pipeline_and_its_table_become_a_spec_and_a_network(last):
    """Features are as the encoders have them; rows get the logits of the pipeline, up to rounding of the columns."""
    pipeline = fitted(last=last)
    imported = import_model(pipeline, TABLE, sensitive=["sex"], units={"income": "EUR/month"})
    found = {one.name: one for one in imported.spec.features}
    assert set(found) == {*NUMBERS, "purpose", "sex", "education", "term"}
    assert (found["purpose"].encoding, found["education"].encoding) == ("one-hot", "rank")
    assert found["education"].domain == tuple(ORDERS[0])
    assert (found["income"].unit, found["age"].whole) == ("EUR/month", True)
    assert [one.name for one in imported.spec.sensitive_features] == ["sex"]
    assert set(imported.spec.labels) == set(LABELS)
    assert re.fullmatch(
        f"<ImportedModel .* {len(found)} features: {' or '.join(imported.spec.labels)}; 0 of 400 differ>",
        repr(imported),
    )
    for number in range(0, 60, 7):
        logit = outputs(imported, TABLE.iloc[number].to_dict())[0]
        chance = pipeline.predict_proba(TABLE.iloc[[number]])[0][1]
        assert logit == pytest.approx(np.log(chance / (1 - chance)), abs=0.05)


def test_chains_are_exact():
    """The map from named numbers to the encoded table is the very one of the transformer, in fractions."""
    part = transformer()
    pipeline = fitted(part=part, last=LogisticRegression())
    source = read_model(pipeline)
    row = TABLE.iloc[[3]]
    named = [
        Fraction(int(row[name.split("=")[0]].iloc[0] == name.split("=")[1]))
        if "=" in name
        else Fraction(ORDERS[0].index(row[name].iloc[0]) if name == "education" else float(row[name].iloc[0]))
        for name in source.columns
    ]
    (first, *_) = source.steps
    encoded = np.asarray(pipeline[:-1].transform(row))[0]
    assert [float(value) for value in first(named)] == pytest.approx(encoded.tolist(), abs=1e-12)
    assert layers_of(source.steps, source.inputs)


def test_categories_of_two_values_are_bound_either_way():
    """A spec that ranks what the model has one-hot, or in the other order, gives the same decisions."""
    ranked = transformer(
        kinds=(OneHotEncoder(), ["purpose"]), sexes=(OrdinalEncoder(categories=[["male", "female"]]), ["sex"])
    )
    dropped = transformer(kinds=(OneHotEncoder(drop="if_binary"), ["purpose", "sex"]))
    base = import_model(fitted(), TABLE, sensitive=["sex"]).spec
    kept = {one.name: one for one in base.features}
    for part in (ranked, dropped):
        pipeline = fitted(part=part)
        imported = import_model(pipeline, _with_ranked_sex(base, kept), units="raw")
        for number in range(0, 40, 5):
            chance = pipeline.predict_proba(TABLE.iloc[[number]])[0][1]
            logit = outputs(imported, TABLE.iloc[number].to_dict())[0]
            assert logit == pytest.approx(np.log(chance / (1 - chance)), abs=0.05)


def _with_ranked_sex(spec, kept):
    """Return the spec with the sensitive feature as a rank."""
    sex = msgspec.structs.replace(kept["sex"], encoding="rank", domain=("female", "male"))
    features = tuple(sex if one.name == "sex" else one for one in spec.features)
    return msgspec.structs.replace(spec, features=features)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"numbers": (SimpleImputer(missing_values=0), NUMBERS[:2]), "x": None}, "with missing_values=np.nan: it repl"),
        ({"numbers": (make_pipeline(StandardScaler(), OneHotEncoder()), ["age"])}, "only StandardScaler, MinMax"),
        ({"grades": (OrdinalEncoder(), ["education"]), "more": (OneHotEncoder(), ["education"])}, "in two ways"),
        ({"kinds": (OneHotEncoder(), ["age"]), "ages": None, "numbers": (OneHotEncoder(), ["income"])}, "a category"),
    ],
)  # fmt: skip
def test_what_is_not_exact_is_refused(change, said):
    """One line names the step and the transformer."""
    with pytest.raises(ModelImportError, match=said) as caught:
        read_model(fitted(part=transformer(**change)))
    assert "\n" not in str(caught.value)


def test_weights_of_transformers_are_refused():
    """They scale numbers that no step is seen to scale: a spec alone would not show it."""
    model = fitted(transformer().set_params(transformer_weights={"numbers": 2.0}), LogisticRegression())
    with pytest.raises(ModelImportError, match="fit it without transformer_weights"):
        read_model(model)
    assert read_model(fitted(transformer().set_params(transformer_weights={"numbers": 1}), LogisticRegression()))


@pytest.mark.parametrize("missing", [np.nan, pd.NA])
def test_imputers_of_missing_values_are_read(missing):
    """Whichever way a missing value is written: complete rows stay as they are."""
    part = make_pipeline(SimpleImputer(missing_values=missing, strategy="most_frequent"), StandardScaler())
    assert read_model(fitted(transformer(numbers=(part, NUMBERS[:2])), LogisticRegression()))


@pytest.mark.parametrize(
    ("sex", "said"),
    [
        (lambda texts: " " + texts, "strip column 'sex', which has the value ' female'"),
        (lambda texts: texts == "male", "turn column 'sex' into texts, table.* and fit again: .* is False"),
    ],
)
def test_categories_that_a_spec_cannot_have_come_with_a_remedy(sex, said):
    """Blanks that nobody sees, and true and false; the remedy is followed."""
    table = TABLE.assign(sex=sex(TABLE.sex))
    with pytest.raises((ModelImportError, DataError), match=said):
        import_model(fitted(last=LogisticRegression(), table=table), table, sensitive=["sex"])
    table = TABLE.assign(sex=table.sex.astype(str).str.strip())
    assert import_model(fitted(last=LogisticRegression(), table=table), table, sensitive=["sex"])


def test_unnamed_tables_and_orders_that_differ_are_refused():
    """A transformer without names of columns has no meaning, and a rank has one order."""
    pipeline = make_pipeline(ColumnTransformer([("a", StandardScaler(), [0, 1])]), LogisticRegression())
    with pytest.raises(ModelImportError, match="without names of columns"):
        read_model(pipeline.fit(TABLE[NUMBERS].to_numpy(), LABELS))
    spec = import_model(fitted(), TABLE, sensitive=["sex"]).spec
    other = fitted(part=transformer(grades=(OrdinalEncoder(categories=[ORDERS[0][::-1]]), ["education"])))
    with pytest.raises(ModelImportError, match="write the values of 'education' into the spec in the model's order"):
        import_model(other, spec, units="raw")


@pytest.mark.parametrize(
    ("table", "more", "error", "said"),
    [
        (TABLE.drop(columns="age"), {}, DataError, "no column 'age'"),
        (
            TABLE.assign(sex=["female"] * 399 + [None]),
            {},
            DataError,
            "missing in 'sex' 1, 0.25 % .*fill them in, or leave such rows out .leave_out_missing=True",
        ),
        (TABLE.assign(purpose="yacht"), {}, DataError, "'yacht', which its encoder does not know"),
        (TABLE, {"sensitive": ["race"]}, DataError, "no feature is called 'race'"),
        (TABLE, {"labels": ["no", "yes"]}, ModelImportError, "names its classes itself"),
        (TABLE, {"units": {"wage": "EUR"}}, DataError, "leave 'wage' out of units"),
        (TABLE.assign(income=TABLE.income[::-1].to_numpy(), debt=0.0), {}, None, ""),
    ],
)
def test_tables_that_do_not_fit_are_refused(table, more, error, said):
    """Whatever the pipeline and the table do not have in common is one line; other rows of the same kind are none."""
    words = {"sensitive": ["sex"]} | more
    if error is None:
        assert import_model(fitted(), table, **words)
        return
    with pytest.raises(error, match=said):
        import_model(fitted(), table, **words)


def test_classes_that_are_numbers_need_names():
    """0 and 1 say nothing to an applicant."""
    numbers = [DATA.spec.labels.index(label) for label in LABELS]
    pipeline = fitted(labels=numbers)
    with pytest.raises(
        ModelImportError, match=r"name the 2 decisions in the model's order with labels=: the classes are 0, 1"
    ):
        import_model(pipeline, TABLE, sensitive=["sex"])
    imported = import_model(pipeline, TABLE, sensitive=["sex"], labels=["refused", "granted"])
    assert imported.spec.labels == ("refused", "granted")


def test_two_logits_are_folded_into_one():
    """The difference of both logits decides as the larger of them, in either order; a threshold goes with one logit."""
    rng = np.random.default_rng(0)
    spec = load("lending").spec
    columns = spec.plain_columns + spec.sensitive_columns
    arrays = {
        "W0": rng.normal(size=(columns, 3)),
        "b0": rng.normal(size=3),
        "W1": rng.normal(size=(3, 2)),
        "b1": rng.normal(size=2),
    }

    imported = import_model(arrays, spec, units="spec", columns=column_names(spec))
    turned = import_model(arrays, spec, units="spec", columns=column_names(spec), classes=spec.labels[::-1])
    values = rng.normal(size=(5, columns))
    hidden = np.maximum(values @ arrays["W0"] + arrays["b0"], 0)
    logits = hidden @ arrays["W1"] + arrays["b1"]
    assert imported.network.logits(values)[:, 0] == pytest.approx(logits[:, 1] - logits[:, 0])
    assert turned.network.logits(values)[:, 0] == pytest.approx(logits[:, 0] - logits[:, 1])
