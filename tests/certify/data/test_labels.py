"""Labels in their usual spellings: of models, specs and tables, each beside each."""

import numpy as np
import pandas as pd
import pytest
from lightgbm import LGBMClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.tree import DecisionTreeClassifier
from xgboost import XGBClassifier

from equiproof import import_model
from equiproof.certify.data.labels import class_of, places
from equiproof.certify.data.spec_draft import draft_spec
from equiproof.certify.data.wishes import Wishes
from equiproof.certify.models.importing import ModelImportError
from tests.support import changed

WORDS = ("refused", "granted")


@pytest.mark.parametrize(
    ("values", "labels", "order"),
    [
        ((0, 1), WORDS, [0, 1]),
        ((1, 0), WORDS, [1, 0]),
        ((-1, 1), WORDS, [0, 1]),
        ((1, -1), WORDS, [1, 0]),
        (("False", "True"), WORDS, [0, 1]),
        (("0.0", "1.0"), WORDS, [0, 1]),
        (("granted", "refused"), WORDS, [1, 0]),
        ((0, 1), ("1", "0"), [1, 0]),
        ((0, 1), ("True", "False"), [1, 0]),
        ((0, 1), ("0.0", "1.0"), [0, 1]),
        ((0, 1), ("-1", "1"), [0, 1]),
        ((-1, 1), ("0", "1"), [0, 1]),
        ((1, 2), ("1", "2"), [0, 1]),
        ((0, 1), ("1", "2"), [0, 1]),
        ((0, 1, 2), ("a", "b", "c"), [0, 1, 2]),
        ((1, 2), WORDS, None),
        ((-1, 1), ("a", "b", "c"), None),
        ((0, 0), WORDS, None),
        (("yes", "no"), WORDS, None),
        ((0,), WORDS, None),
        ((0, 1), ("0", "granted"), [0, 1]),
    ],
)
def test_values_are_labels_by_name_number_or_place(values, labels, order):
    """Words first, then numbers, then places; nothing where it is not clear."""
    assert places(values, labels) == order


def test_classes_are_texts_or_whole_numbers():
    """Of Python and of numpy."""
    assert [class_of(one) for one in (True, np.bool_(False), 1.0, np.float32(0), np.int64(-1), "a", np.str_("b"))] == [
        1, 0, 1, 0, -1, "a", "b",
    ]  # fmt: skip
    assert [class_of(one) for one in (0.5, None, float("nan"), b"a")] == [None] * 4


@pytest.fixture(scope="module")
def table():
    """An invented table, and 0 or 1 for each row."""
    random = np.random.default_rng(3)
    rows = pd.DataFrame({"income": random.integers(800, 6000, 160), "sex": random.choice(["f", "m"], 160)})
    return rows, (rows["income"] + 400 * (rows["sex"] == "m") + random.normal(0, 500, 160) > 3200).to_numpy()


SPELLINGS = {
    "booleans": lambda good: good,
    "floats": lambda good: good.astype(float),
    "signs": lambda good: np.where(good, 1, -1),
    "numbers": lambda good: good.astype(int),
    "words": lambda good: np.where(good, "granted", "refused"),
}
LABELS = {"words": WORDS, "truths": ("False", "True"), "numbers": ("0", "1"), "signs": ("-1", "1")}
MODELS = {
    "logistic": lambda: LogisticRegression(max_iter=2000),
    "tree": lambda: DecisionTreeClassifier(max_depth=1, random_state=0),
    "lightgbm": lambda: LGBMClassifier(n_estimators=2, verbose=-1, min_child_samples=5),
}


@pytest.mark.parametrize("spelling", SPELLINGS)
@pytest.mark.parametrize("model", MODELS)
@pytest.mark.filterwarnings("ignore")
def test_models_of_every_spelling_decide_alike_under_every_spec(table, model, spelling):
    """An object that was fitted on any spelling needs no word about it, unless the labels are other words."""
    rows, good = table
    inputs = pd.DataFrame({"income": rows["income"], "sex": (rows["sex"] == "m").astype(int)})
    fitted = MODELS[model]().fit(inputs, SPELLINGS[spelling](good))
    drafted = draft_spec(
        "t",
        rows.assign(decision=np.where(good, "granted", "refused")).to_dict("records"),
        Wishes("decision", ("sex",), WORDS),
    ).spec
    for labels in LABELS.values():
        spec = changed(drafted, labels=labels)
        if spelling == "words" and labels != WORDS:
            with pytest.raises(ModelImportError, match="name the classes as the spec does, in the model's order"):
                import_model(fitted, spec, units="raw")
            continue
        made = import_model(fitted, spec, units="raw", rows=rows)
        assert made.compared.rows == len(rows)
        assert made.compared.differing == 0
        assert made.compared.labels[1].own == int(
            (fitted.predict(inputs) == SPELLINGS[spelling](np.array([True]))).sum()
        )


@pytest.mark.parametrize("cells", [["0", "1"], ["-1", "1"], ["0.0", "1.0"], ["False", "True"]])
def test_a_table_of_numbers_is_drafted_under_words(table, cells):
    """Its labels are the names that were given, in the order of the numbers; counts go with them."""
    rows, good = table
    decided = rows.assign(decision=[cells[one] for one in good.astype(int)]).to_dict("records")
    made = draft_spec("t", decided, Wishes("decision", ("sex",), WORDS))
    assert made.spec.labels == WORDS
    assert made.shares == (int((~good).sum()), int(good.sum()))
    turned = draft_spec("t", decided, Wishes("decision", ("sex",), tuple(cells[::-1])))
    assert (turned.spec.labels, turned.shares) == (tuple(cells[::-1]), made.shares[::-1])


def test_classes_of_xgboost_are_named_anew(table):
    """Numbers may be named; texts may not."""
    rows, good = table
    inputs = pd.DataFrame({"income": rows["income"], "sex": (rows["sex"] == "m").astype(int)})
    fitted = XGBClassifier(n_estimators=2, max_depth=1).fit(inputs, good.astype(int))
    drafted = draft_spec(
        "t", rows.assign(decision=good.astype(int)).to_dict("records"), Wishes("decision", ("sex",))
    ).spec
    turned = changed(drafted, labels=("1", "0"))
    by_number = import_model(fitted, turned, units="raw", rows=rows)
    named = import_model(fitted, changed(drafted, labels=("yes", "no")), units="raw", rows=rows, classes=["no", "yes"])
    assert by_number.quantised == named.quantised


@pytest.mark.filterwarnings("ignore")
def test_a_sensitive_category_of_many_values_is_one_hot_where_the_model_has_it_so():
    """Of a spec's rank by the import of trees and of a pipeline's network, and of a table by `equiproof spec`."""
    random = np.random.default_rng(4)
    rows = pd.DataFrame({"income": random.integers(800, 6000, 200), "origin": random.choice(["a", "b", "c"], 200)})
    good = rows["income"] + 900 * (rows["origin"] == "b") + random.normal(0, 300, 200) > 3300
    records = rows.assign(decision=np.where(good, "granted", "refused")).to_dict("records")
    ranked = draft_spec("t", records, Wishes("decision", ("origin",), WORDS)).spec
    encoded = draft_spec("t", records, Wishes("decision", ("origin",), WORDS, one_hot=True)).spec
    assert [one.encoding for one in encoded.features] == ["scaled", "one-hot"]
    inputs = pd.get_dummies(rows, columns=["origin"], prefix_sep="=", dtype=int)
    for model in (DecisionTreeClassifier(max_depth=3, random_state=0), LogisticRegression(max_iter=3000)):
        fitted = model.fit(inputs, np.where(good, "granted", "refused"))
        made = import_model(fitted, ranked, units="raw", rows=rows, input_fraction_bits=16)
        assert made.spec.features == encoded.features
        assert made.notes[0] == "origin: the spec has one column a value, as the model has it"
        assert made.compared.differing_integers == 0
        assert made.quantised == import_model(fitted, encoded, units="raw", rows=rows, input_fraction_bits=16).quantised
