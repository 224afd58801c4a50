"""Formats move: members that a reader does not know, versions that no test saw, values of other spellings."""

import json

import lightgbm
import numpy as np
import pandas as pd
import pytest
import xgboost

from equiproof import import_model
from equiproof.certify.data import load
from equiproof.certify.models.ensembles.ebm import read_ebm
from equiproof.certify.models.ensembles.lightgbm import read_lightgbm
from equiproof.certify.models.ensembles.reading import read_ensemble
from equiproof.certify.models.ensembles.xgboost import read_xgboost
from equiproof.certify.models.importing import ModelImportError
from tests.certify.models.ensembles.samples import LABELS, ROWS, imported, unmoved
from tests.certify.models.ensembles.test_files import FEATURES, extreme, light, machine
from tests.support import changed

glassbox = pytest.importorskip("interpret.glassbox")


def booster(**options):
    """Return the document of a model of XGBoost."""
    return json.loads(bytes(extreme(4, **options).save_raw("json")))


def written(document):
    """Return the bytes of a document."""
    return json.dumps(document).encode()


def below(document, path):
    """Return the part of a document that a path leads to."""
    for name in path.split(".") if path else ():
        document = document[int(name) if name.isdigit() else name]
    return document


def test_the_weights_of_dropped_trees_are_read_where_each_release_has_them():
    """Releases up to 3.2 write them beside the trees, 3.3 in the booster gbtree, and 3.4 among its trees."""
    model = extreme(6, booster="dart", rate_drop=0.5, one_drop=1)
    old = json.loads(bytes(model.save_raw("json")))
    own = below(old, "learner.gradient_booster")
    assert (own["name"], min(own["weight_drop"]) < 1) == ("dart", True)
    inner = own["gbtree"]["model"]
    middle = {"name": "gbtree", "model": inner, "weight_drop": own["weight_drop"]}
    new = {"name": "gbtree", "model": inner | {"weight_drop": own["weight_drop"]}}
    trees = read_xgboost(written(old)).trees
    for booster_part in (middle, new):
        old["learner"]["gradient_booster"] = booster_part
        assert read_xgboost(written(old)).trees == trees
    wanted = model.predict(xgboost.DMatrix(ROWS, feature_names=FEATURES), output_margin=True)
    np.testing.assert_allclose(unmoved(imported(model)), wanted, atol=2e-5)


def test_weights_that_are_missing_or_stand_twice_are_refused():
    """A model with dropout whose weights are elsewhere is no model without dropout."""
    document = booster(booster="dart", rate_drop=0.5, one_drop=1)
    own = below(document, "learner.gradient_booster")
    weights = own.pop("weight_drop")
    with pytest.raises(ModelImportError, match="weight_drop is missing"):
        read_xgboost(written(document))
    own["gbtree"]["model"]["weight_drop"] = own["weight_drop"] = weights
    with pytest.raises(ModelImportError, match="weight_drop stands in two places"):
        read_xgboost(written(document))


@pytest.mark.parametrize(
    "path",
    ["", "learner", "learner.gradient_booster", "learner.gradient_booster.model", "learner.learner_model_param",
     "learner.objective", "learner.gradient_booster.model.trees.2",
     "learner.gradient_booster.model.trees.2.tree_param", "learner.gradient_booster.model.gbtree_model_param"],
)  # fmt: skip
def test_a_member_of_xgboost_that_is_not_known_is_refused_by_name(path):
    """It may be what a next release writes its weights into."""
    document = booster()
    below(document, path)["leaf_scale"] = "2"
    with pytest.raises(ModelImportError, match=r"save the model with XGBoost 3\.4\.1, .*leaf_scale") as refused:
        read_xgboost(written(document))
    assert len(str(refused.value)) <= 400


@pytest.mark.parametrize("path", ["", "ebm", "ebm.outputs.0", "ebm.features.1", "ebm.terms.1"])
def test_a_member_of_a_machine_that_is_not_known_is_refused_by_name(path):
    """The same of interpret, whose format is in beta."""
    document = machine(max_rounds=2).to_jsonable()
    below(document, path)["link_scale"] = 2
    with pytest.raises(ModelImportError, match=r"save the model with interpret 0\.7\.8, .*link_scale"):
        read_ebm(json.dumps(document, default=str).encode())


@pytest.mark.parametrize(("after", "line"), [("num_class=1", "leaf_scale=2"), ("num_cat=0", "leaf_scale=2")])
def test_a_line_of_lightgbm_that_is_not_known_is_refused_by_name(after, line):
    """In the head of the file and in a tree."""
    text = light(3).model_to_string().replace(f"\n{after}\n", f"\n{after}\n{line}\n", 1)
    with pytest.raises(ModelImportError, match=r"save the model with LightGBM 4\.7\.0, .*'leaf_scale'"):
        read_lightgbm(text.encode())


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("[boosting: gbdt]", "[boosting: mvs]", "train with boosting gbdt, .*: 'mvs' is not read"),
        (
            "objective=binary sigmoid:1",
            "objective=binary sigmoid:1 shift:2",
            "train with objective=binary alone: 'shift:2' beside it is not read",
        ),
        (
            "pandas_categorical:null",
            "pandas_categorical:[[1",
            "save the model again: pandas_categorical is not a list of lists",
        ),
        ("version=v4", "version=next", "version: save the model again: 'next' is not a whole number"),
    ],
)
def test_parameters_of_lightgbm_that_change_decisions_are_refused(old, new, message):
    """Another way of boosting, another link, lists that are none."""
    text = light(3).model_to_string()
    assert old in text
    with pytest.raises(ModelImportError, match=message):
        read_lightgbm(text.replace(old, new, 1).encode())


def test_codes_of_pandas_categories_that_are_taken_for_numbers_are_refused():
    """The order of the codes is that of pandas, and the file does not say which column they are of."""
    table = pd.DataFrame({"years": ROWS[:, 3], "sex": pd.Categorical(np.where(ROWS[:, 4] > 0, "b", "a"))})
    options = {"n_estimators": 5, "num_leaves": 4, "verbose": -1, "n_jobs": 1}
    as_numbers = lightgbm.LGBMClassifier(**options).fit(table, LABELS, categorical_feature=[])
    with pytest.raises(ModelImportError, match="train on columns of numbers: 1 columns of the table were categories"):
        read_ensemble(as_numbers)
    as_categories = lightgbm.LGBMClassifier(min_data_per_group=1, cat_smooth=1, **options).fit(table, LABELS)
    with pytest.raises(ModelImportError, match=r"make one-hot columns of feature .*: it is by categories"):
        read_ensemble(as_categories)


def test_a_version_above_the_newest_tested_is_said():
    """By all three; the version that was tested is not."""
    document = booster()
    assert read_xgboost(written(document)).notes == ()
    document["version"] = [3, 5, 0]
    (note,) = read_xgboost(written(document)).notes
    assert note == "the file is of XGBoost 3.5.0, and 3.4.1 is the newest that was tested: compare your own decisions"
    text = light(3).model_to_string()
    assert read_lightgbm(text.encode()).notes == ()
    assert "format 5" in read_lightgbm(text.replace("version=v4", "version=v5").encode()).notes[0]
    document = machine(max_rounds=2).to_jsonable()
    assert read_ebm(json.dumps(document, default=str).encode()).notes == ()
    document["version"] = "1.1"
    assert "format 1.1" in read_ebm(json.dumps(document, default=str).encode()).notes[0]


@pytest.fixture(scope="module")
def spelled():
    """Return a machine that was trained on values with a blank before them, its table, and the spec without blanks."""
    data = load("lending")
    features = tuple(one for one in data.spec.features if one.name in ("income", "sex"))
    spec = changed(data.spec, features=features, input_fraction_bits=16, input_bits=32)
    rows = [{"income": row["income"], "sex": row["sex"]} for row in data.rows[:200]]
    table = pd.DataFrame([{**row, "sex": f" {row['sex']}"} for row in rows])
    model = glassbox.ExplainableBoostingClassifier(
        interactions=0, max_rounds=100, learning_rate=0.2, outer_bags=1, n_jobs=1
    )
    labels = (table.income.astype(float) + 2000 * (table.sex == table.sex[0]) > table.income.median()).astype(int)
    return model.fit(table, labels), table, rows, spec


def test_a_value_that_the_machine_spells_otherwise_is_refused_until_it_is_named(spelled):
    """It would have the score of unknown values for everybody, and the sensitive feature would be lost."""
    model, table, rows, spec = spelled
    first, second = spec.sensitive_features[0].domain
    with pytest.raises(ModelImportError) as refused:
        import_model(model, spec, rows=rows)
    text = str(refused.value)
    assert f"values={{'sex': {{'{first}': ' {first}'}}}}" in text
    assert f"it has ' {first}', ' {second}', the spec '{first}', '{second}'; nearest is ' {first}'" in text
    assert len(text) <= 400
    named = import_model(model, spec, rows=rows, values={"sex": {first: f" {first}", second: f" {second}"}})
    np.testing.assert_allclose(unmoved(named, rows, spec), model.decision_function(table), atol=1e-9)
    assert named.quantised.predicates[1] == 1
    assert named.notes[0] == f"sex: '{first}' of the spec is ' {first}' to the machine"


def test_a_feature_of_which_no_value_is_known_is_refused_whatever_is_said(spelled):
    """Unknown values of the owner's choice are one thing, a feature that is lost another."""
    model, table, rows, spec = spelled
    first, second = spec.sensitive_features[0].domain
    with pytest.raises(ModelImportError, match="'sex': the model has no value of the spec"):
        import_model(model, spec, rows=rows, values={"sex": {first: "", second: ""}})
    one = import_model(model, spec, rows=rows, accept_labels=True, values={"sex": {first: f" {first}", second: ""}})
    unknown = table.assign(sex=[sex if sex == f" {first}" else "nobody" for sex in table.sex])
    np.testing.assert_allclose(unmoved(one, rows, spec), model.decision_function(unknown), atol=1e-9)


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"sec": {}}, "the spec has no feature 'sec'; it has 'income', 'sex'"),
        ({"income": {}}, "the model has no list of values of 'income'"),
        ({"sex": {"x": " f"}}, "'sex' has no 'x' in the spec"),
        ({"sex": {"female": " woman", "male": " male"}}, "say what ' woman' is to the model"),
    ],
)
def test_what_is_said_of_values_must_be_of_the_spec_and_of_the_model(spelled, values, message):
    """A typing error in the mapping itself."""
    model, _, rows, spec = spelled
    with pytest.raises(ModelImportError, match=message):
        import_model(model, spec, rows=rows, values=values)


def test_values_are_not_given_for_models_without_categories():
    """Trees take columns of numbers: there is nothing to spell."""
    with pytest.raises(ModelImportError, match="leave values= out: it is for models that have values of cat"):
        imported(extreme(2), values={"sex": {}})


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b'{"version": [3, 1], "weights": [0.5]}', "it has the fields 'version', 'weights'"),
        (
            json.dumps({f"column {number}" * 9: 1 for number in range(99)}).encode(),
            "... 95 more ..., 'column 9column 9colu'",
        ),
        (b'{"income": {"intercept": "none"}}', "it has the fields 'income'"),
        (b'{"weights": [0.5', "this JSON is empty, broken or cut off"),
        (b"{}", "this JSON is empty, broken or cut off"),
    ],
)
def test_json_of_no_known_library_is_called_what_it_is(tmp_path, data, message):
    """Its fields are named, and it is never said to be XGBoost's; a cut file of XGBoost is."""
    path = tmp_path / "model.json"
    path.write_bytes(data)
    with pytest.raises(ModelImportError) as refused:
        read_ensemble(path)
    text = str(refused.value).removeprefix(f"{path}: ")
    assert text.startswith("want a LightGBM model file (save_model), an XGBoost or CatBoost model in JSON")
    assert text.endswith(message)
    assert "not a JSON model file of XGBoost" not in text
    assert len(text) <= 400
    path.write_bytes(written(booster())[:-20])
    with pytest.raises(ModelImportError, match="not a JSON model file of XGBoost"):
        read_ensemble(path)
