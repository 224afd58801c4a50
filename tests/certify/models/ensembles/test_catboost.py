"""Models that CatBoost wrote: every decision of the library itself, and of onnxruntime for its ONNX files."""

import json
import math
import pickle
import shutil

import msgspec
import numpy as np
import pytest

from equiproof import import_model
from equiproof.certify.models.ensembles import catboost
from equiproof.certify.models.ensembles.reading import read_ensemble
from equiproof.certify.models.importing import ModelImportError
from equiproof.certify.models.importing.reading import read_model
from equiproof.circuits.spec import Feature
from tests.certify.models.ensembles.samples import in_logits
from tests.certify.models.ensembles.trees_small import labels, scores
from tests.support import ROOT, changed, spec_of

FOLDER = ROOT / "tests" / "vectors" / "catboost"
DECISIONS = json.loads((FOLDER / "decisions.json").read_text())
ROWS = DECISIONS["rows"]
MATRIX = np.array([ROWS["income"], ROWS["rate"], ROWS["sex"], [0.0] * len(ROWS["sex"])]).T
TRAINING = 120
"""The first rows are of the training; those behind lie on borders and next to them, and are no multiples of a grid."""

SPEC = changed(
    spec_of(
        Feature("income", "numeric", "scaled", False, mean="2500", scale="800", unit="EUR"),
        Feature("rate", "numeric", "scaled", False, mean="5", scale="2.3"),
        Feature("sex", "categorical", "rank", True, mean="0.5", scale="0.5", domain=("f", "m")),
    ),
    input_fraction_bits=14,
    input_bits=24,
)
GIVEN = [
    {"income": income, "rate": rate, "sex": "fm"[int(sex)]}
    for income, rate, sex in zip(ROWS["income"][:TRAINING], ROWS["rate"], ROWS["sex"], strict=False)
]
FILES = sorted(path.stem for path in FOLDER.glob("*.json") if path.stem in DECISIONS)


@pytest.mark.parametrize("name", FILES)
def test_each_row_has_the_score_and_the_label_of_the_library(name):
    """All grow policies and losses, in exact numbers, also on borders and beside them in both precisions."""
    ensemble = read_ensemble(FOLDER / f"{name}.json")
    own = DECISIONS[name]
    start = math.log(0.3 / 0.7) if name == "cut" else 0
    np.testing.assert_allclose(
        [float(score) + start for score in scores(ensemble, MATRIX)], own["scores"], rtol=0, atol=1e-12
    )
    if "labels" in own:
        assert labels(ensemble, MATRIX) == own["labels"]
        assert 20 < sum(own["labels"]) < len(own["labels"]) - 20


@pytest.mark.parametrize("name", [name for name in FILES if name not in ("regressor", "signed", "unused-category")])
def test_the_committed_integers_decide_as_the_library(name):
    """Under a spec whose labels are those of the classes where these are texts."""
    spec = changed(SPEC, labels=("no", "yes")) if name == "texts" else SPEC
    columns = ("income", "rate", "sex") if name == "unnamed" else None
    imported = import_model(FOLDER / f"{name}.json", spec, rows=GIVEN, columns=columns)
    committed = in_logits(imported.quantised, spec, GIVEN)
    assert (committed > 0).astype(int).tolist() == DECISIONS[name]["labels"][:TRAINING]
    assert (committed != 0).all()


def test_a_regressor_has_a_threshold_of_the_spec():
    """Its prediction decides above the threshold, not above 0."""
    spec = changed(SPEC, threshold="0.45")
    imported = import_model(FOLDER / "regressor.json", spec, rows=GIVEN)
    own = np.array(DECISIONS["regressor"]["scores"][:TRAINING]) > 0.45
    assert ((in_logits(imported.quantised, spec, GIVEN) > 0) == own).all()
    assert 20 < own.sum() < 100


def test_what_the_file_says_of_its_classes_and_its_own_threshold():
    """Texts are names, truths and floats are numbers, and a probability of the file is said to decide."""
    classes = {name: read_ensemble(FOLDER / f"{name}.json").classes for name in FILES}
    assert classes["symmetric"] == classes["truths"] == classes["floats"] == (0, 1)
    assert classes["texts"] == ("no", "yes")
    assert classes["signed"] == (-1, 1)
    assert classes["cross-entropy"] is classes["regressor"] is None
    assert read_ensemble(FOLDER / "unnamed.json").columns is None
    assert read_ensemble(FOLDER / "unused-category.json").columns == ("income", "rate", "sex", "city")
    assert "from probability 0.3 on (set_probability_threshold)" in read_ensemble(FOLDER / "cut.json").notes[0]


@pytest.mark.parametrize("name", ["symmetric", "texts", "signed"])
def test_onnx_files_decide_as_the_library_and_as_onnxruntime(name):
    """Labels of both, and the probability of the second class; onnxruntime answers 0 and 1 for whole numbers."""
    ensemble = read_ensemble(FOLDER / f"{name}.onnx")
    own, runtime = DECISIONS[name], DECISIONS[f"{name}.onnx"]
    assert labels(ensemble, MATRIX) == own["labels"]
    classes = (ensemble.other or ensemble).classes
    assert [classes[label] for label in labels(ensemble.other or ensemble, MATRIX)] == runtime["answers"]
    shares = [1 / (1 + math.exp(-score)) for score in scores(ensemble, MATRIX)]
    np.testing.assert_allclose(shares, runtime["probabilities"], rtol=0, atol=1e-6)
    assert (ensemble.other is not None) == (name == "signed")
    if name == "signed":
        assert ensemble.classes == (-1, 1)
        assert ensemble.notes == ("onnxruntime answers 0 and 1 in place of the classes -1 and 1 of this file",)


def test_a_bias_is_read_as_catboost_decides_and_as_onnxruntime_does():
    """Which of both is the lender's, only decisions show: both readings are there, each with its name."""
    ensemble = read_ensemble(FOLDER / "bias.onnx")
    runtime = DECISIONS["bias.onnx"]
    assert labels(ensemble, MATRIX) == DECISIONS["bias"]["labels"]
    assert labels(ensemble.other, MATRIX) == runtime["answers"]
    shares = [1 / (1 + math.exp(-score)) for score in scores(ensemble.other, MATRIX)]
    np.testing.assert_allclose(shares, runtime["probabilities"], rtol=0, atol=1e-6)
    assert (
        sum(one != other for one, other in zip(labels(ensemble, MATRIX), labels(ensemble.other, MATRIX), strict=True))
        > 80
    )
    assert (ensemble.reading, ensemble.other.reading) == ("the ONNX standard", "onnxruntime")
    assert "as CatBoost decides; onnxruntime adds" in ensemble.notes[0]


def test_a_regressor_in_onnx_has_the_predictions_of_the_runtime():
    """One target, without any class."""
    ensemble = read_ensemble(FOLDER / "regressor.onnx")
    predictions = DECISIONS["regressor.onnx"]["scores"]
    np.testing.assert_allclose([float(one) for one in scores(ensemble, MATRIX)], predictions, rtol=0, atol=1e-6)


REFUSED = {
    "statistics": r"tree 1: train with one_hot_max_size of as many values .*: it splits by statistics of the target",
    "multiclass": r"train with loss_function Logloss or CrossEntropy: 'MultiClass' is not read",
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_no_function_of_numbers_is_refused_with_a_remedy(name):
    """Files of the library itself: statistics of the target, and several classes."""
    with pytest.raises(ModelImportError, match=REFUSED[name]):
        read_ensemble(FOLDER / f"{name}.json")


def edited(tmp_path, name, edit):
    """Write a changed file and return its path."""
    document = json.loads((FOLDER / f"{name}.json").read_text())
    edit(document)
    path = tmp_path / "model.json"
    path.write_text(json.dumps(document))
    return path


def _tree(document):
    """Return the first symmetric tree."""
    return document["oblivious_trees"][0]


EDITS = {
    "another member": (lambda file: file.update(more=1), r"unknown field `more`"),
    "another member of a split": (lambda file: _tree(file)["splits"][0].update(turned=True), r"unknown field `turned`"),
    "another kind of split": (
        lambda file: _tree(file)["splits"][0].update(split_type="Estimated"),
        r"tree 1: train on numbers alone: a split of the kind 'Estimated' is not read",
    ),
    "an unknown number": (
        lambda file: _tree(file)["splits"][0].update(float_feature_index=-1),
        r"tree 1: save the model again: a split names the number -1, which is unknown",
    ),
    "a leaf too few": (
        lambda file: _tree(file)["leaf_values"].pop(),
        r"tree 1: save the model again: 7 leaves for 3 splits",
    ),
    "a border past the largest float": (
        lambda file: _tree(file)["splits"][0].update(border=1e300),
        r"tree 1: save the model again: a border is none that single precision holds",
    ),
    "two columns in one place": (
        lambda file: file["features_info"]["float_features"][0].update(flat_feature_index=1),
        r"the flat_feature_index of features is not 0, 1, 2",
    ),
    "one number twice": (
        lambda file: file["features_info"]["float_features"][0].update(feature_index=1),
        r"two numbers have one feature_index",
    ),
    "two biases": (
        lambda file: file.update(scale_and_bias=[1, [0, 0]]),
        r"train one decision of two classes .*: it has 2 classes or targets",
    ),
    "texts": (lambda file: file["features_info"].update(text_features=[{}]), r"features of texts are not read"),
    "both kinds of trees": (
        lambda file: file.update(trees=[]),
        r"save the model again: it has not one of oblivious_trees and trees",
    ),
    "a threshold of one": (
        lambda file: file["model_info"].update(binclass_probability_threshold="1"),
        r"set binclass_probability_threshold between 0 and 1: it is '1'",
    ),
}


@pytest.mark.parametrize("kind", EDITS)
def test_what_a_file_must_not_hold_is_named(tmp_path, kind):
    """One change of an honest file, and the line that names it."""
    edit, message = EDITS[kind]
    with pytest.raises(ModelImportError, match=message) as refused:
        read_ensemble(edited(tmp_path, "symmetric", edit))
    assert "\n" not in str(refused.value)
    assert len(str(refused.value).removeprefix(str(tmp_path))) <= 400


def test_nodes_in_nodes_are_either_splits_or_leaves(tmp_path):
    """A node with a value and two sides, or with one side."""
    for edit in (lambda node: node.update(value=1.0), lambda node: node.pop("left")):
        path = edited(tmp_path, "lossguide", lambda file, edit=edit: edit(file["trees"][0]))
        with pytest.raises(ModelImportError, match="tree 1: save the model again: a node is neither a split"):
            read_ensemble(path)


def test_a_newer_release_is_said(tmp_path):
    """The version of the file is compared with the newest that was tested."""
    path = edited(
        tmp_path, "symmetric", lambda file: file["model_info"].update(catboost_version_info="Branch: tags/v1.3.0\n")
    )
    (note,) = read_ensemble(path).notes
    assert note == "the file is of CatBoost 1.3.0, and 1.2.10 is the newest that was tested: compare your own decisions"


def test_hostile_sizes_are_refused_before_they_take_memory(tmp_path, monkeypatch):
    """Nesting beyond the parser, more values than are counted, and more splits than are read."""
    nested = b'{"split":' + msgspec.json.encode({"split_type": "FloatFeature"}) + b',"left":'
    data = b'{"features_info":{},"scale_and_bias":[1,[0]],"trees":[' + nested * 100_000 + b"]}"
    with pytest.raises(ModelImportError, match="not a JSON model file of CatBoost"):
        catboost.read_catboost(data)
    with pytest.raises(
        ModelImportError, match=r"train fewer or smaller trees: [0-9]+ values and lists, at most 4194304 are read"
    ):
        catboost.read_catboost(b"[" * (1 << 23))
    monkeypatch.setattr(catboost, "MAX_NODES", 10)
    with pytest.raises(ModelImportError, match="tree 2: train fewer or smaller trees: it has more than the 3 splits"):
        read_ensemble(FOLDER / "symmetric.json")


def test_the_binary_format_is_refused_with_the_call_that_writes_json(tmp_path):
    """The message is about CatBoost, whichever reader a file is given to."""
    path = tmp_path / "model.cbm"
    path.write_bytes(b"CBM1")
    for read in (read_ensemble, read_model):
        with pytest.raises(ModelImportError, match=r"save_model\('model.json', format='json'\).*CatBoost's"):
            read(path)


class CatBoostClassifier:
    """What the library's object offers, in place of the library, which the tests do without: a file, and decisions."""

    __module__ = "catboost.core"
    classes_ = (0, 1)

    def save_model(self, path, format):  # noqa: A002  # the library's own name
        """Write the model's file."""
        assert format == "json"
        shutil.copy(FOLDER / "bias.json", path)

    def predict(self, rows, prediction_type="Class"):
        """Return the library's own decisions on the rows of the training."""
        assert len(rows) == TRAINING
        own = DECISIONS["bias"]
        return np.array(own["scores" if prediction_type == "RawFormulaVal" else "labels"])[:TRAINING]


def test_a_fitted_object_is_read_by_way_of_its_file_and_asked_itself():
    """Labels at score 0, and scores under a threshold."""
    for options, above in (({}, 0), ({"threshold": "probability=0.7"}, math.log(0.7 / 0.3))):
        imported = import_model(CatBoostClassifier(), SPEC, rows=GIVEN, **options)
        (compared,) = imported.comparisons
        assert (compared.counts.differing, compared.counts.differing_integers) == (0, 0)
        own = np.array(DECISIONS["bias"]["scores"][:TRAINING]) > above
        assert [one.own for one in compared.counts.labels] == [TRAINING - own.sum(), own.sum()]


@pytest.mark.parametrize(
    "data",
    [b'{"features_info":{},"oblivious_trees":[]}', b'{"features_info":{"float_features":[{"borders":[0.5,'],
    ids=["without its scale", "cut off"],
)
def test_a_broken_file_is_called_by_its_own_library(tmp_path, data):
    """A file of CatBoost that cannot be read is never said to be one of XGBoost."""
    path = tmp_path / "model.json"
    path.write_bytes(data)
    with pytest.raises(ModelImportError, match="not a JSON model file of CatBoost"):
        read_ensemble(path)


def test_a_pickle_by_another_name_is_called_one(tmp_path):
    """The ending of a text file makes no pickle readable."""
    path = tmp_path / "model.model"
    path.write_bytes(pickle.dumps({"learner": 1}))
    with pytest.raises(ModelImportError, match=r"import_model: this is a pickle"):
        read_ensemble(path)
