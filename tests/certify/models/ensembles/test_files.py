"""Model files of LightGBM, XGBoost and interpret, written by the libraries and read without them."""

import json
import math
import subprocess
import sys
from contextlib import suppress

import numpy as np
import pandas as pd
import pytest

from equiproof import import_model
from equiproof.certify.models.ensembles.reading import read_ensemble
from equiproof.certify.models.importing import ModelImportError
from tests.certify.models.ensembles.samples import GIVEN, LABELS, ROWS, SPEC, imported, in_logits, unmoved
from tests.certify.models.importing.samples import COLUMNS
from tests.support import changed

lightgbm = pytest.importorskip("lightgbm")
xgboost = pytest.importorskip("xgboost")
glassbox = pytest.importorskip("interpret.glassbox")

STUMPS = {"objective": "binary", "num_leaves": 2, "verbose": -1, "num_threads": 1, "learning_rate": 0.3}
ONE_SPLIT = {"objective": "binary:logistic", "max_depth": 1, "nthread": 1}
FEATURES = ["income", "housing=own", "housing=rent", "years", "sex"]


def light(rounds=30, rows=ROWS, data=None, **options):
    """Train LightGBM."""
    return lightgbm.train(STUMPS | options, lightgbm.Dataset(rows, LABELS, **(data or {})), rounds)


def extreme(rounds=30, rows=ROWS, labels=LABELS, **options):
    """Train XGBoost."""
    return xgboost.train(ONE_SPLIT | options, xgboost.DMatrix(rows, labels, feature_names=FEATURES), rounds)


def machine(rows=ROWS, labels=LABELS, **options):
    """Train an explainable boosting machine."""
    chosen = {"interactions": 0, "max_rounds": 50, "outer_bags": 2, "n_jobs": 1, "feature_names": FEATURES} | options
    chosen.setdefault("feature_types", ["continuous"] * 5)
    return glassbox.ExplainableBoostingClassifier(**chosen).fit(rows, labels)


def agree(found, wanted, *, within=1e-9):
    """Check the exact score and the integers against the library's margins, and every decision that is not close."""
    np.testing.assert_allclose(unmoved(found), wanted, atol=within)
    committed = in_logits(found.model, SPEC)
    np.testing.assert_allclose(committed, wanted, atol=within + 6 * 2.0**-found.model.value_fraction_bits)
    sure = np.abs(wanted) > 1e-3
    assert ((committed > 0) == (wanted > 0))[sure].all()
    assert 0 < (wanted > 0).mean() < 1


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"sigmoid": 2.0},
        {"boosting": "dart", "drop_rate": 0.5},
        {"boosting": "rf", "bagging_freq": 1, "bagging_fraction": 0.5},
        {"max_bin": 8},
    ],
    ids=str,
)
def test_lightgbm_files_give_the_margins_of_the_library(tmp_path, options):
    """The file's text alone: margins, dropped trees, averages, another sigmoid, and thresholds near zero."""
    model = light(**options)
    path = tmp_path / "model.txt"
    model.save_model(path)
    probability = model.predict(ROWS)
    agree(imported(path), np.log(probability / (1 - probability)), within=1e-7)


def test_names_that_lightgbm_changed_are_given_anew(tmp_path):
    """It writes a blank as an underscore, and takes no comma: such inputs are named, and one may be unused."""
    spec = changed(SPEC, features=tuple(
        changed(one, name="income, net") if one.name == "income" else one for one in SPEC.features))  # fmt: skip
    booster = light(rows=ROWS[:, :4], data={"feature_name": ["income net", *FEATURES[1:4]]})
    booster.save_model(tmp_path / "light.txt")
    with pytest.raises(
        ModelImportError, match=r"with columns=: the spec has no column income_net; it has \"income, net\", "
    ):
        import_model(tmp_path / "light.txt", spec)
    given = {"columns": ["income, net", *COLUMNS[1:4]], "rows": [{"income, net": row["income"]} | row for row in GIVEN]}
    with pytest.raises(ModelImportError, match=r"add unused=\['sex'\] .* no input sex, "):
        import_model(tmp_path / "light.txt", spec, **given)
    found = import_model(tmp_path / "light.txt", spec, unused=["sex"], **given)
    assert found.quantised.predicates[1] == 0
    without = import_model(light(rows=ROWS[:, :4]), SPEC, columns=COLUMNS[:4], rows=GIVEN, unused=["sex"])
    assert found.quantised == without.quantised


def test_a_threshold_next_to_zero_keeps_the_row_value_zero(tmp_path):
    """LightGBM writes 1e-35 for a split below or above 0: the value 0 stays on its side."""
    rows = ROWS.copy()
    rows[:, 3] -= 15
    labels = (rows[:, 3] > 0).astype(int)
    for shifted in (labels, (rows[:, 3] >= 0).astype(int)):
        model = lightgbm.train(STUMPS, lightgbm.Dataset(rows, shifted), 3)
        model.save_model(tmp_path / "zero.txt")
        text = (tmp_path / "zero.txt").read_text()
        assert "1.0000000180025095e-35" in text
        split = float(text.split("\nthreshold=")[1].split()[0])
        feature = changed(SPEC.features[3], mean="0")
        spec = changed(SPEC, features=(*SPEC.features[:3], feature))
        given = [dict(row, years=row["years"] - 15) for row in GIVEN]
        found = import_model(tmp_path / "zero.txt", spec, columns=COLUMNS, rows=given)
        assert found.quantised.thresholds == ((0,) if split > 0 else (-1,))


def test_a_classifier_object_is_read_by_way_of_its_own_file():
    """LGBMClassifier and XGBClassifier, with their classes."""
    names = np.array(["granted", "declined"])[LABELS]
    model = lightgbm.LGBMClassifier(num_leaves=2, n_estimators=10, verbose=-1, n_jobs=1).fit(ROWS, names)
    agree(imported(model), model.predict(ROWS, raw_score=True), within=1e-7)
    other = xgboost.XGBClassifier(max_depth=1, n_estimators=10, n_jobs=1).fit(ROWS, LABELS)
    agree(imported(other), other.predict(ROWS, output_margin=True), within=1e-5)


@pytest.mark.parametrize(
    ("options", "data", "message"),
    [
        ({"objective": "poisson"}, {}, "objective 'poisson' of 1 classes is not read"),
        ({"objective": "multiclass", "num_class": 2}, {}, "objective=binary"),
        ({"zero_as_missing": True}, {}, "split 1: train with zero_as_missing=false: it takes 0 for missing"),
        ({"linear_tree": True, "num_leaves": 3}, {}, "leaves are linear"),
        (
            {"min_data_per_group": 1, "cat_smooth": 1},
            {"categorical_feature": [3]},
            "split 1: make one-hot columns of feature 4 .*: it is by categories",
        ),
    ],
    ids=str,
)
def test_lightgbm_models_that_are_not_read_are_refused(tmp_path, options, data, message):
    """Other objectives, missing zeros, linear leaves, categories: one line each, naming the file."""
    light(5, data=data, **options).save_model(tmp_path / "model.txt")
    with pytest.raises(ModelImportError, match=message) as refused:
        imported(tmp_path / "model.txt")
    assert str(refused.value).startswith(f"{tmp_path / 'model.txt'}: ")


@pytest.mark.parametrize(
    "options",
    [{}, {"booster": "dart", "rate_drop": 0.5}, {"objective": "binary:logitraw"}, {"base_score": 0.2},
     {"num_parallel_tree": 3, "subsample": 0.5}],
    ids=str,
)  # fmt: skip
def test_xgboost_files_give_the_margins_of_the_library(tmp_path, options):
    """JSON alone: `<`, single precision, base_score as a list, weights of dropped trees."""
    model = extreme(**options)
    path = tmp_path / "model.json"
    model.save_model(path)
    wanted = model.predict(xgboost.DMatrix(ROWS, feature_names=FEATURES), output_margin=True)
    agree(imported(path), wanted, within=2e-5)


def test_raw_scores_say_that_the_wrapper_decides_elsewhere(tmp_path):
    """XGBClassifier compares the raw score of binary:logitraw with 0.5, as a probability; its file does not say so."""
    model = xgboost.XGBClassifier(n_estimators=5, max_depth=2, objective="binary:logitraw", n_jobs=1)
    table = pd.DataFrame(ROWS, columns=FEATURES)[["income", "years", "sex"]]
    model.fit(table, LABELS)
    model.save_model(tmp_path / "model.json")
    assert any("give the threshold score=0.5" in note for note in read_ensemble(tmp_path / "model.json").notes)
    scores = model.predict(table, output_margin=True)
    assert ((scores > 0.5) == model.predict(table)).all()
    assert ((scores > 0) != model.predict(table)).any()
    same = import_model(model, table, sensitive=["sex"], labels=["no", "yes"], threshold="score=0.5")
    assert same.comparisons[0].counts.differing == 0


def test_trees_behind_the_best_iteration_are_taken_only_if_the_owner_says_so(tmp_path):
    """A model that was stopped early holds trees that the library does not use: neither choice is made silently."""
    rng = np.random.default_rng(3)
    noisy = np.where(rng.random(len(LABELS)) < 0.3, 1 - LABELS, LABELS)
    part = [xgboost.DMatrix(ROWS[some], noisy[some], feature_names=FEATURES) for some in (slice(250), slice(250, None))]
    model = xgboost.train(
        ONE_SPLIT | {"eta": 1.0}, part[0], 200, evals=[(part[1], "held")], early_stopping_rounds=5, verbose_eval=False
    )
    assert model.best_iteration + 1 < model.num_boosted_rounds()
    path = tmp_path / "model.json"
    model.save_model(path)
    with pytest.raises(ModelImportError, match=r"trees='best' or trees='all': .* stopped early"):
        imported(path)
    table = xgboost.DMatrix(ROWS, feature_names=FEATURES)
    best = model.predict(table, output_margin=True, iteration_range=(0, model.best_iteration + 1))
    agree(imported(path, trees="best"), best, within=2e-5)
    agree(imported(path, trees="all"), model.predict(table, output_margin=True, iteration_range=(0, 0)), within=2e-5)


def test_xgboost_models_that_are_not_read_are_refused(tmp_path):
    """Other objectives, linear boosters, categories, and the binary format."""
    path = tmp_path / "model.json"
    for model, message in (
        (extreme(2, objective="count:poisson"), "objective 'count:poisson' is not read"),
        (extreme(2, objective="multi:softprob", num_class=3), "'multi:softprob' is not read"),
        (extreme(2, booster="gblinear"), "gblinear"),
    ):
        model.save_model(path)
        with pytest.raises(ModelImportError, match=message):
            imported(path)
    table = xgboost.DMatrix(
        ROWS, LABELS, feature_names=FEATURES, feature_types=["q", "q", "q", "c", "q"], enable_categorical=True
    )
    xgboost.train(ONE_SPLIT | {"colsample_bynode": 0.2}, table, 20).save_model(path)
    with pytest.raises(
        ModelImportError, match=r"make .* a category of the spec, .*: the model splits it by categories"
    ):
        imported(path)
    extreme(2).save_model(tmp_path / "model.ubj")
    with pytest.raises(ModelImportError, match=r"save it as JSON with save_model\('model.json'\)"):
        read_ensemble(tmp_path / "model.ubj")


def test_an_explainable_boosting_machine_gives_the_margins_of_the_library(tmp_path):
    """The JSON export, and the object: cuts belong to the bin above."""
    model = machine()
    model.to_json(str(tmp_path / "machine.json"))
    wanted = model.decision_function(ROWS)
    agree(imported(tmp_path / "machine.json"), wanted)
    assert imported(model).model == imported(tmp_path / "machine.json").model


def test_a_cut_of_a_machine_belongs_to_the_bin_above_it():
    """At the cut itself, the library and the import take the upper bin."""
    rows = ROWS.copy()
    model = machine(rows)
    cut = float(model.bins_[3][0][0])
    read = read_ensemble(model)
    tree = read.trees[3]
    at = np.array([[0, 0, 0, cut, 0], [0, 0, 0, np.nextafter(cut, -1), 0]])
    lower, upper = (float(tree.leaves[place]) for place in (0, 1))
    assert tree.splits[0].strict
    gap = model.decision_function(at)
    assert math.isclose(gap[0] - gap[1], upper - lower, abs_tol=1e-12)
    assert upper != lower


def test_categories_that_the_spec_does_not_have_are_refused_by_name():
    """A nominal feature that is a number, or one column of a category, of the spec."""
    types = ["continuous", "nominal", "continuous", "continuous", "continuous"]
    with pytest.raises(
        ModelImportError, match=r"train 'housing=own' as 'continuous', .* it is nominal in the machine and no category"
    ):
        import_model(machine(feature_types=types, max_rounds=2), SPEC, rows=GIVEN)


@pytest.mark.parametrize("name", ["model.txt", "model.json", "ebm.json", "card.csv"])
def test_damaged_files_raise_no_other_error(tmp_path, name):
    """Prefixes of a good file, and files with a wrong byte, are refused as such or read; no other error escapes."""
    path = tmp_path / name
    if name == "model.txt":
        light(3).save_model(path)
    elif name == "model.json":
        extreme(3).save_model(path)
    elif name == "ebm.json":
        machine(max_rounds=2).to_json(str(path))
    else:
        path.write_bytes(b"feature,from,to,value,points\n(cutoff),,,,1\nincome,,5,,1\nincome,5,,,2\n")
    data = path.read_bytes()
    places = np.random.default_rng(0).integers(0, len(data) - 1, 40).tolist()
    for place in places:
        for damaged in (data[:place], data[:place] + b"\xff" + data[place + 1 :], data[:place] + b"[" + data[place:]):
            path.write_bytes(damaged)
            with suppress(ModelImportError):
                read_ensemble(path)


def test_the_reader_needs_no_library(tmp_path):
    """The same file is read in a process in which none of the libraries can be imported."""
    extreme(3).save_model(tmp_path / "a.json")
    light(3).save_model(tmp_path / "b.txt")
    machine(max_rounds=2).to_json(str(tmp_path / "c.json"))
    code = (
        "import sys\n"
        "for name in ('xgboost', 'lightgbm', 'interpret', 'sklearn'):\n    sys.modules[name] = None\n"
        "from equiproof.certify.models.ensembles.reading import read_ensemble\n"
        f"print([len(read_ensemble(f'{tmp_path}/' + name).trees) for name in ('a.json', 'b.txt', 'c.json')])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.stdout.strip() == "[3, 3, 5]", done.stderr
    assert json.loads((tmp_path / "a.json").read_text())["learner"]
