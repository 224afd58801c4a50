"""Networks and linear models that take the logarithm of a number themselves, under specs that have it."""

import io

import numpy as np
import pandas as pd
import pytest
from sklearn.compose import ColumnTransformer
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, MinMaxScaler, OneHotEncoder, StandardScaler

from equiproof import import_model
from equiproof.certify.data import load
from equiproof.certify.data.dataset import encode_rows
from equiproof.certify.data.spec_builder import with_fraction_bits
from equiproof.certify.decisions import decisions
from equiproof.certify.models.fidelity import measure
from equiproof.certify.models.importing import ModelImportError, read_model
from equiproof.certify.models.importing.bind import other_names
from equiproof.certify.models.importing.npz import read_npz
from equiproof.certify.models.importing.onnx_graph import read_onnx
from tests.certify.models.importing.graphs import network
from tests.certify.models.importing.samples import SPEC as SCALED
from tests.certify.models.importing.samples import forward, raw_rows, weights
from tests.support import changed

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")

DATA = load("lending")
ROWS = [dict(row) for row in DATA.rows[:500]]
TABLE = pd.DataFrame(ROWS)
LABELS = [DATA.spec.labels[label] for label in DATA.labels[:500]]
LINEAR = LogisticRegression(max_iter=500)
DEEP = MLPClassifier((5,), max_iter=80, random_state=0)

INCOME = changed(SCALED.features[0], encoding="log", offset="1", mean="11.2", scale="1.4")
SPEC = changed(SCALED, features=(INCOME, *SCALED.features[1:]))
NAMES = ("log1p(income)", "housing=own", "housing=rent", "years", "sex")


def logged(*functions, scaler):
    """Return a transformer that takes logarithms of income, savings and debt, in this order."""
    parts = zip(("income", "savings", "debt"), functions, strict=True)
    return ColumnTransformer(
        [
            *((name, make_pipeline(SimpleImputer(), FunctionTransformer(one), scaler), [name]) for name, one in parts),
            ("rest", StandardScaler(), ["age", "term"]),
            ("kinds", OneHotEncoder(), ["sex", "purpose"]),
        ]
    )


@pytest.mark.parametrize(
    ("last", "income", "offset", "name"),
    [
        (LINEAR, np.log, "0", "log"),
        (LINEAR, np.log2, "0", "log2"),
        (LINEAR, np.log10, "0", "log10"),
        (DEEP, np.log1p, "1", "log1p"),
    ],
)
@pytest.mark.sampled(4, each="last income offset name scaler")
@pytest.mark.parametrize("scaler", [MinMaxScaler(), StandardScaler()])
def test_a_pipeline_of_logarithms_decides_as_its_import(last, income, offset, name, scaler):
    """Every base becomes the encoding log, and on a fine grid rows are decided as by the pipeline."""
    pipeline = make_pipeline(logged(income, np.log1p, np.log1p, scaler=scaler), last).fit(TABLE, LABELS)
    words = {"sensitive": ["sex"], "units": {"income": "EUR/month"}}
    # Some of these models grant every row: that is meant.
    imported = import_model(pipeline, TABLE, **words, accept_labels=True)
    features = {one.name: one for one in imported.spec.features}
    assert (features["income"].encoding, features["income"].offset) == ("log", offset)
    assert (features["income"].unit, features["income"].whole) == ("EUR/month", True)
    assert imported.columns[:2] == (f"{name}(income)", "log1p(savings)")
    fine = import_model(pipeline, with_fraction_bits(imported.spec, 20), units="raw", widen=True)
    decided = decisions(fine.quantised, encode_rows(fine.spec, ROWS))
    assert [fine.spec.labels[one] for one in decided] == pipeline.predict(TABLE).tolist()
    columns = encode_rows(fine.spec, ROWS) / fine.spec.scale_unit
    chances = pipeline.predict_proba(TABLE)[:, 1]
    np.testing.assert_allclose(fine.network.logits(columns)[:, 0], np.log(chances / (1 - chances)), atol=1e-3)


def test_all_columns_may_be_logarithms_and_a_sensitive_number_too():
    """A FunctionTransformer before everything else takes the logarithm of every column, age among them."""
    table = TABLE[["income", "term", "age"]]
    pipeline = make_pipeline(FunctionTransformer(np.log2), StandardScaler(), LINEAR).fit(table, LABELS)
    imported = import_model(pipeline, table, sensitive=["age"])
    (age,) = imported.spec.sensitive_features
    assert (age.encoding, age.offset, age.domain[0]) == ("log", "0", str(min(table["age"])))
    fine = import_model(pipeline, with_fraction_bits(imported.spec, 20), units="raw", widen=True)
    decided = decisions(fine.quantised, encode_rows(fine.spec, ROWS))
    assert [fine.spec.labels[one] for one in decided] == pipeline.predict(table).tolist()


@pytest.mark.parametrize("form", ["npz", "onnx", "torch"])
def test_networks_take_columns_of_the_spec_or_logarithms_by_name(form):
    """With the spec's units, and with an input that is named as the logarithm which the model takes."""
    raw = raw_rows(40)
    rows = [
        {"income": int(a), "housing": "own" if b else "rent", "years": int(c), "sex": "fm"[int(d)]}
        for a, b, _, c, d in raw.tolist()
    ]
    arrays = weights((5, 4, 1))
    taken = np.concatenate([np.log1p(raw[:, :1]), raw[:, 1:]], axis=1)
    spec = with_fraction_bits(SPEC, 20)
    columns = encode_rows(spec, rows) / spec.scale_unit
    by_name = import_model(_model(form, arrays), spec, units="raw", columns=NAMES)
    np.testing.assert_allclose(by_name.network.logits(columns), forward(arrays, taken), atol=2e-5)
    other = import_model(_model(form, arrays), spec, units="spec", columns=("income", *NAMES[1:]))
    np.testing.assert_allclose(other.network.logits(columns), forward(arrays, columns), atol=1e-9)


def _model(form, arrays):
    """Return the network of arrays in a form."""
    if form == "npz":
        stream = io.BytesIO()
        np.savez(stream, **arrays)
        return read_npz(stream.getvalue())
    if form == "onnx":
        return read_onnx(network(arrays))
    import torch

    layers = []
    for number in range(2):
        layer = torch.nn.Linear(*arrays[f"W{number}"].shape)
        state = {"weight": torch.tensor(arrays[f"W{number}"].T.copy()), "bias": torch.tensor(arrays[f"b{number}"])}
        layer.load_state_dict(state)
        layers += [torch.nn.ReLU(), layer]
    return torch.nn.Sequential(*layers[1:]).eval()


def test_what_a_spec_and_a_model_have_otherwise_is_refused_in_one_line():
    """A number itself under its logarithm, a logarithm of another offset, and one under the number itself."""
    model = _model("npz", weights((5, 4, 1)))
    for spec, first, said in (
        (
            SPEC,
            "income",
            r"write scaled for income in the spec, .* input log1p\(income\) or log\(income \+",
        ),
        (SPEC, "log(income)", r"what the spec has of income is log1p\(income\) or .*: change its offset"),
        (SPEC, "log1p(years)", "takes the logarithm of years, draft the spec with logarithms="),
        (SCALED, "log2(income)", "takes the logarithm of income, draft the spec with logarithms="),
    ):
        with pytest.raises(ModelImportError, match=said) as caught:
            import_model(model, spec, units="raw", columns=(first, *NAMES[1:]))
        assert "\n" not in str(caught.value)
        assert len(str(caught.value)) <= 400


@pytest.mark.parametrize(
    ("part", "said"),
    [
        (FunctionTransformer(lambda table: np.log(table + 1)), r"of <lambda> is not read: use np\.log, np\.log2"),
        (FunctionTransformer(np.log, kw_args={"where": True}), "of log is not read: use .* itself, without kw_args"),
        (FunctionTransformer(np.square), "of square is not read: use .* np.sqrt"),
        (FunctionTransformer(np.sqrt), "before trees only: compute the column in the table that the pipeline is fit"),
        (make_pipeline(MinMaxScaler(), FunctionTransformer(np.log1p)), "as the first step of its columns only"),
        (make_pipeline(FunctionTransformer(np.log), FunctionTransformer(np.log1p)), "as the first step of its columns"),
    ],
)  # fmt: skip
def test_what_is_no_logarithm_of_a_raw_number_is_refused(part, said):
    """Functions of one's own, scaled numbers, and logarithms of logarithms."""
    table = ColumnTransformer([("one", part, ["income"]), ("two", "passthrough", ["age"])])
    with pytest.raises(ModelImportError, match=said) as caught:
        read_model(make_pipeline(table, LINEAR).fit(TABLE, LABELS))
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("other", [FunctionTransformer(np.log1p), StandardScaler()])
def test_a_column_is_taken_in_one_way(other):
    """Two logarithms of one number, or the number beside its logarithm, are no single column of a spec."""
    parts = [("one", FunctionTransformer(np.log), ["income"]), ("two", other, ["age", "income"])]
    with pytest.raises(ModelImportError, match="column 'income' is encoded in two ways"):
        read_model(make_pipeline(ColumnTransformer(parts), LINEAR).fit(TABLE, LABELS))
    twice = [("one", FunctionTransformer(np.log), ["income"]), ("two", FunctionTransformer(np.log), ["income", "age"])]
    assert read_model(make_pipeline(ColumnTransformer(twice), LINEAR).fit(TABLE, LABELS)).columns == (
        "log(income)", "log(age)",
    )  # fmt: skip


def test_what_rounding_changes_counts_the_steps_of_the_logarithm():
    """The proven bound of a logit holds against the float model on logarithms that are not rounded at all."""
    spec = with_fraction_bits(SPEC, 16)
    spec = changed(spec, features=(changed(INCOME, range=("0", "100000")), *spec.features[1:]))
    arrays = weights((5, 4, 1))
    imported = import_model(_model("npz", arrays), spec, units="raw", columns=NAMES)
    raw = raw_rows(200)
    rows = [
        {"income": int(a), "housing": "own" if b else "rent", "years": int(c), "sex": "fm"[int(d)]}
        for a, b, _, c, d in raw.tolist()
    ]
    taken = np.concatenate([np.log1p(raw[:, :1]), raw[:, 1:]], axis=1)
    report = measure(imported.network, imported.quantised, spec, rows, points=100)
    bits = imported.quantised.logit_fraction_bits
    committed = np.array([imported.quantised.logits(row)[0] / 2**bits for row in encode_rows(spec, rows).tolist()])
    gaps = np.abs(committed - forward(arrays, taken)[:, 0])
    assert 0 < gaps.max() <= report.logit_bound


def test_a_name_of_two_logarithms_stands_for_neither():
    """The name log(income + 1) is what a model takes for "income" plus 1, and for "income + 1" plus nothing."""
    longer = changed(INCOME, name="income + 1", offset="0")
    names = other_names(changed(SPEC, features=(INCOME, longer, *SPEC.features[1:])))
    assert {name: feature.name for name, (feature, _) in names.items()} == {"log1p(income)": "income"}
