"""Models of LightGBM and scikit-learn with missing values and categories decide every row as the library does."""

import math
import random
import re

import lightgbm
import msgspec
import numpy as np
import pandas as pd
import pytest
from sklearn.compose import ColumnTransformer
from sklearn.ensemble import AdaBoostClassifier, GradientBoostingClassifier, HistGradientBoostingClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OrdinalEncoder, StandardScaler
from sklearn.tree import DecisionTreeClassifier

from equiproof import import_model
from equiproof.certify.additive import EnsembleError
from equiproof.certify.models.ensembles.imported import bound_score
from equiproof.certify.models.ensembles.lightgbm import read_lightgbm
from equiproof.certify.models.ensembles.reading import read_ensemble
from equiproof.certify.models.ensembles.zeros import ZERO
from equiproof.certify.models.importing.errors import ModelImportError
from equiproof.circuits.encodings.missing import Missing
from equiproof.circuits.spec import Feature
from tests.certify.models.ensembles.tiny_native import (
    DOMAINS,
    KINDS,
    NAMES,
    TREES,
    as_categories,
    drawn,
    raw,
    spec,
    tiny,
)
from tests.sampling import blocks
from tests.support import changed, spec_of

LIGHT = {
    "objective": "binary", "num_leaves": 6, "min_data_in_leaf": 1, "min_data_per_group": 1, "cat_smooth": 0,
    "cat_l2": 0, "min_sum_hessian_in_leaf": 0, "verbose": -1, "num_threads": 1,
}  # fmt: skip
EXACT = 1e-9
"""What a library's sum of doubles may be off."""


def compare(kind, seeds):
    """Compare models of a kind with the library on all their cells; one of constant scores has no certificate."""
    constant = sets = 0
    for seed in seeds:
        case = tiny(kind, seed)
        read = read_ensemble(case.model)
        sets += any(split.among is not None for tree in read.trees for split in tree.splits)
        assert all(split.missing is not None for tree in read.trees for split in tree.splits)
        try:
            assert case.gap() < EXACT, seed
        except EnsembleError:
            constant += 1
    assert 10 * constant <= len(seeds)
    assert (sets > 0) == (kind not in TREES)


@pytest.mark.parametrize("kind", KINDS)
def test_tiny_models_decide_all_cells_as_their_library(kind):
    """Values below, at and above zero, missing ones, and categories that the model never saw."""
    compare(kind, range(1000, 1004))


@pytest.mark.slow
@pytest.mark.sampled(1, each="kind")
@pytest.mark.parametrize("seeds", blocks(84, 6))
@pytest.mark.parametrize("kind", KINDS)
def test_a_thousand_tiny_models_decide_all_cells_as_their_library(kind, seeds):
    """84 of each kind."""
    compare(kind, seeds)


def lines(text, name):
    """Return the values of a line in each tree of a LightGBM file."""
    return [found.split() for found in re.findall(rf"^{name}=(.*)$", text, re.MULTILINE)]


def zeros_model():
    """Return a model of two columns that takes zero for missing, on numbers on both sides of it."""
    rng = np.random.default_rng(4)
    rows = rng.choice([-2, -1, 0, 0, 1, 2, np.nan], (300, 2))
    labels = (rows[:, 0] == 0) ^ (np.nan_to_num(rows[:, 1]) > 1) ^ (rng.random(300) < 0.1)
    return lightgbm.train({**LIGHT, "zero_as_missing": True}, lightgbm.Dataset(rows, labels.astype(int)), 3)


def reached(tree, row):
    """Return the leaf of a row of doubles, nan where one is missing."""
    place = 0 if tree.splits else ~0
    while place >= 0:
        split = tree.splits[place]
        value = row[split.column]
        above = split.missing if math.isnan(value) else value > split.threshold
        place = split.above if above else split.below
    return float(tree.leaves[~place])


def test_what_lightgbm_takes_for_zero_goes_where_missing_values_go():
    """The largest number that it takes for zero, the next ones, and their negatives: as the library decides them."""
    model = zeros_model()
    kinds = {int(kind) & 14 for some in lines(model.model_to_string(), "decision_type") for kind in some}
    assert kinds == {4, 6}, "zero and missing values go left at some splits, and right at others"
    after = [np.nextafter(ZERO, 1), np.nextafter(ZERO, 0), ZERO]
    ends = [0.0, -0.0, 1e-300, -1e-300, *after, *(-one for one in after), -2, -1, 1, 2, 1.5, -1.5, np.nan]
    rows = [(one, other) for one in ends for other in ends]
    ensemble = read_ensemble(model)
    mine = [sum(reached(tree, row) for tree in ensemble.trees) for row in rows]
    np.testing.assert_allclose(mine, model.predict(np.array(rows), raw_score=True), atol=EXACT)
    assert max(len(tree.splits) for tree in ensemble.trees) > LIGHT["num_leaves"] - 1


def test_thresholds_within_what_lightgbm_takes_for_zero():
    """It writes 1e-35 itself; a file may have others there."""
    text = re.sub(r"tree_sizes=.*\n", "", zeros_model().model_to_string())
    first = lines(text, "threshold")[0]
    for number in ("0", "1e-36", "-1e-36", repr(ZERO), repr(-ZERO), repr(float(np.nextafter(-ZERO, -1))), "inf"):
        changed = text.replace("threshold=" + " ".join(first), "threshold=" + " ".join([number] * len(first)), 1)
        model = lightgbm.Booster(model_str=changed)
        rows = [(one, other) for one in (-1, 0, 1, np.nan, 1e-36, -1e-36, -ZERO) for other in (-1, 0, 1, np.nan)]
        ensemble = read_ensemble(model)
        mine = [sum(reached(tree, row) for tree in ensemble.trees) for row in rows]
        np.testing.assert_allclose(mine, model.predict(np.array(rows), raw_score=True), atol=EXACT)


def test_deep_trees_that_take_zero_for_missing_are_refused_where_they_grow_too_large():
    """A side that is asked for twice is repeated at each of many splits."""
    rng = np.random.default_rng(0)
    rows = rng.normal(size=(4000, 40))
    labels = (rng.random(4000) < 0.5).astype(int)
    options = {**LIGHT, "zero_as_missing": True, "num_leaves": 2000}
    model = lightgbm.train(options, lightgbm.Dataset(rows, labels), 1)
    with pytest.raises(ModelImportError, match=r"^tree 1: train with zero_as_missing=false, or smaller trees"):
        read_ensemble(model)


@pytest.mark.parametrize("child", ["0", "99", "-99"])
def test_trees_that_take_zero_for_missing_and_are_none_are_refused(child):
    """A child that stands before its parent, and ones that are not there: no loop, and no other error."""
    text = re.sub(r"(left_child=)\S+", rf"\g<1>{child}", zeros_model().model_to_string())
    with pytest.raises(ModelImportError, match=r"^tree 1: save the model again: its nodes do not form one tree"):
        read_lightgbm(text.encode())


def by_names(table):
    """Return a LightGBM classifier of a table with categories of pandas."""
    labels = table["grade"].isin(["a", "c"]) ^ (table["x"] > 0)
    return lightgbm.train(LIGHT, lightgbm.Dataset(table, labels.astype(int)), 3)


def test_values_of_pandas_are_those_of_the_columns_that_were_trained_as_categories():
    """A column of one value only is a category too, whole numbers are texts, and codes are in the file's order."""
    rng = np.random.default_rng(0)
    table = pd.DataFrame({
        "x": rng.integers(-1, 3, 200),
        "one": pd.Categorical(["z"] * 200),
        "grade": pd.Categorical(rng.choice(["a", "b", "c"], 200), categories=["c", "b", "a", "d"]),
        "year": pd.Categorical(rng.choice([2020, 2021], 200)),
        "rate": pd.Categorical(rng.choice([1.0, 2.0], 200)),
    })  # fmt: skip
    read = read_ensemble(by_names(table))
    assert {read.columns[place]: dict(one.codes) for place, one in read.categories.items()} == {
        "one": {"z": 0}, "grade": {"c": 0, "b": 1, "a": 2, "d": 3}, "year": {"2020": 0, "2021": 1},
        "rate": {"1": 0, "2": 1},
    }  # fmt: skip
    # x has whole numbers from below 0 on: no codes. With such, an ordered column could be meant.
    assert not read.notes
    table["x"] = rng.integers(0, 2, 200)
    assert "compare your own decisions: the file lists values" in " ".join(read_ensemble(by_names(table)).notes)


def test_categories_that_the_file_does_not_place_are_refused():
    """Ordered categories of pandas are numbers to the library; values that are neither texts nor whole numbers."""
    table = as_categories(drawn(random.Random(0), ["a", "b", "c"], 0))
    ordered = table.assign(group=table["group"].cat.as_ordered())
    with pytest.raises(
        ModelImportError, match=r"numbers in place of ordered categories of pandas: 2 .* splits 1 as su"
    ):
        read_ensemble(by_names(ordered))
    text = by_names(table).model_to_string()
    for wrong, message in (
        ('[["a"], ["p", "q", "r"]]', "input 2: train with categorical_feature='auto' on categories of pandas alone"),
        ('[["a", "b", "c"], ["p", "q", "q"]]', "input 3: give each category a name of its own"),
        ('[["a", "b", "c"], [0.5, 1.5, 2]]', "input 3: turn it into texts or whole numbers .* is 0.5"),
        ('[["a", "b", "c"], [true, false, 2]]', "input 3: turn it into texts or whole numbers .* is True"),
        ('{"a": 1}', "save the model again: pandas_categorical is not a list of lists"),
    ):
        changed = re.sub(r"pandas_categorical:.*", f"pandas_categorical:{wrong}", text)
        with pytest.raises(ModelImportError, match=message):
            read_lightgbm(changed.encode())


def test_damaged_sets_of_categories_are_refused():
    """Words of more than 32 bits, ends past the last word, a set that is not there, an unknown kind of decision."""
    text = by_names(as_categories(drawn(random.Random(0), ["a", "b", "c"], 0))).model_to_string()
    for pattern, wrong, message in (
        (r"cat_threshold=.*", f"cat_threshold={1 << 32}", "cat_threshold does not have 32-bit words"),
        (r"cat_boundaries=.*", "cat_boundaries=0 9", "cat_boundaries are not those of cat_threshold"),
        (r"cat_boundaries=.*", "cat_boundaries=0", "split [0-9]: save the model again: it has no set of categories"),
        (r"decision_type=[0-9]+", "decision_type=13", "split 1: save the model again: its decision_type is 13"),
    ):
        with pytest.raises(ModelImportError, match=f"^tree [0-9]: .*{message}"):
            read_lightgbm(re.sub(pattern, wrong, text).encode())


def test_releases_before_4_say_nothing_of_missing_categories_that_they_never_saw():
    """They make an integer of a missing value, which machines do in different ways."""
    table = as_categories(drawn(random.Random(0), ["a", "b", "c"], 0))
    text = by_names(table).model_to_string()
    for version, silent in (("v4", False), ("v3", True)):
        read = read_lightgbm(text.replace("version=v4", f"version={version}").encode())
        sides = {split.missing is None for tree in read.trees for split in tree.splits if split.among is not None}
        assert sides == {silent}
        assert all(split.missing is not None for tree in read.trees for split in tree.splits if split.among is None)


def plain_table(seed=0, lacks=0.0):
    """Return a table of categories of pandas, with labels that depend on them."""
    table = drawn(random.Random(seed), ["a", "b", "c"], lacks)
    while len(table) < 60 or table["grade"].nunique() < 3 or table["group"].nunique() < 3:
        seed += 1
        table = drawn(random.Random(seed), ["a", "b", "c"], lacks)
    return as_categories(table), (table["grade"].isin(["a", "c"]) ^ (table["x"] > 0)).astype(int)


@pytest.mark.parametrize("kind", [kind for kind in TREES if kind != "forest of numbers"])
def test_estimators_that_never_saw_a_missing_value_know_a_side_for_it(kind):
    """That of more rows, by the library's own word; so do all seeds, also of splits at infinity."""
    table, labels = plain_table()
    rows = table[["x"]].assign(other=range(len(table))).to_numpy()
    model = type(TREES[kind])(**TREES[kind].get_params() | {"random_state": 0}).fit(rows, labels)
    ensemble = read_ensemble(model)
    cells = [(one, other) for one in (-1, 0, 1, 2, np.nan) for other in (3, 30, np.nan)]
    mine = [float(ensemble.base) + sum(reached(tree, row) for tree in ensemble.trees) for row in cells]
    np.testing.assert_allclose(mine, model.predict_proba(np.array(cells))[:, 1] - 0.5, atol=EXACT)


@pytest.mark.parametrize(
    "model", [GradientBoostingClassifier(n_estimators=2), AdaBoostClassifier(DecisionTreeClassifier(max_depth=2))]
)
def test_estimators_that_take_no_missing_value_say_nothing_of_one(model):
    """Their trees do, but the library refuses such rows."""
    table, labels = plain_table()
    rows = table[["x"]].to_numpy()
    model.fit(rows, labels)
    with pytest.raises(ValueError, match="NaN"):
        model.predict([[np.nan]])
    assert {split.missing for tree in read_ensemble(model).trees for split in tree.splits} == {None}


def test_a_category_of_one_value_and_missing_ones_shares_a_set_in_scikit_learn():
    """The library leaves the number of the set at 0 there, which is that of another split; it decides by it."""
    rng = np.random.default_rng(0)
    table = pd.DataFrame({
        "x": rng.integers(-1, 3, 200).astype(float),
        "grade": pd.Categorical(np.where(rng.random(200) < 0.5, "a", None)),
        "group": pd.Categorical(rng.choice(["p", "q", "r"], 200)),
    })  # fmt: skip
    labels = (table["grade"].isna() ^ (table["group"] == "q")) | (table["x"] > 1)
    model = HistGradientBoostingClassifier(max_iter=3, categorical_features="from_dtype").fit(table, labels)
    nodes = model._predictors[0][0].nodes
    shared = nodes["is_categorical"].astype(bool) & np.isinf(nodes["num_threshold"])
    assert shared.any()
    assert not nodes["bitset_idx"][shared].any()
    given = spec(random.Random(0), coded=False, numeric=False)
    grade = Feature("grade", "categorical", "one-hot", False, domain=("a", "b"), missing=Missing())
    under = spec_of(given.features[0], grade, given.features[2])
    cells = pd.DataFrame([(0.0, grade, group) for grade in ("a", "b", None) for group in "pqr"], columns=[*NAMES])
    rows = raw(cells)
    found = bound_score(read_ensemble(model), under, rows=rows, values={"grade": {"b": ""}})
    exact = (found.score.totals(under, rows) / found.score.unit - found.shift).astype(float)
    np.testing.assert_allclose(exact, model.decision_function(as_categories(cells)), atol=EXACT)


def test_categories_of_scikit_learn_that_are_no_texts_are_refused():
    """A missing value that was given as None is a category of its own to the library's encoder."""
    table, labels = plain_table()
    rows = table.astype(object).to_numpy()
    rows[::7, 1] = None
    model = HistGradientBoostingClassifier(max_iter=2, categorical_features=[1, 2]).fit(rows, labels)
    message = "HistGradientBoostingClassifier: input 2: turn it into texts or whole numbers .* a category of it is None"
    with pytest.raises(ModelImportError, match=message):
        read_ensemble(model)


def encoder(**options):
    """Return a step that counts categories in another order than that of the table, before numbers."""
    orders = [["c", "a", "d", "b"], ["r", "p", "q"]]
    return ColumnTransformer([
        ("orders", OrdinalEncoder(categories=orders, **options), ["grade", "group"]),
        ("numbers", "passthrough", ["x"]),
    ])  # fmt: skip


BOOSTERS = {
    "histograms": lambda by: HistGradientBoostingClassifier(
        max_iter=5, min_samples_leaf=2, categorical_features=by, early_stopping=False
    ),
    "lightgbm": lambda by: lightgbm.LGBMClassifier(n_estimators=5, **LIGHT, categorical_feature=by),
}


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("kind", BOOSTERS)
def test_behind_an_encoder_the_spec_has_the_categories_themselves(kind):
    """Counted by the encoder, and then by the library itself; values that it never saw need its owner's word."""
    table, labels = plain_table()
    model = make_pipeline(encoder(), BOOSTERS[kind]([0, 1])).fit(table.astype({"grade": str, "group": str}), labels)
    read = read_ensemble(model)
    assert any(split.among for tree in read.trees for split in tree.splits)
    cells = pd.DataFrame([(x, grade, group) for x in (-1, 0, 1, 2) for grade in "abcd" for group in "pqr"])
    cells.columns = [*NAMES]
    plain = spec(random.Random(1), coded=False, numeric=False)
    stated = spec_of(*(changed(one, missing=msgspec.UNSET) for one in plain.features))
    rows = raw(cells)
    unseen = {"grade": {"d": ""}} if kind == "histograms" else None
    found = bound_score(read, stated, rows=rows, values=unseen)
    exact = (found.score.totals(stated, rows) / found.score.unit - found.shift).astype(float)
    own = model[-1].predict(model[0].transform(cells), raw_score=True) if kind == "lightgbm" else None
    np.testing.assert_allclose(exact, model.decision_function(cells) if own is None else own, atol=EXACT)
    with pytest.raises(ModelImportError, match=r"^leave missing out of feature 'grade': this model does not say where"):
        bound_score(read, plain, rows=rows, values=unseen)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("kind", BOOSTERS)
def test_other_steps_before_categories_are_refused(kind):
    """A scaler; a category that the model takes for a number; values that the encoder does not know."""
    table, labels = plain_table()
    texts = table.astype({"grade": str, "group": str})
    numbers = ColumnTransformer([
        ("orders", OrdinalEncoder(), ["grade", "group"]), ("numbers", StandardScaler(), ["x"]),
    ])  # fmt: skip
    strange = {"handle_unknown": "use_encoded_value", "unknown_value": 7}
    foreign = texts.assign(grade=texts["grade"].replace("a", "other"))
    for step, by, given, message in (
        (numbers, [0, 1], texts, "^leave scalers and functions out before trees that split by categories: column 3 "),
        (encoder(), [0], texts, "^make 'group' a category of the model too, or of none: an encoder counts it"),
        (encoder(**strange), [0, 1], foreign, "^train on values that the encoder knows: .* categories of 'grade'"),
    ):
        fitted = step.fit(texts)
        model = make_pipeline(fitted, BOOSTERS[kind](by))
        model[-1].fit(fitted.transform(given), (given["grade"] == "other").astype(int) if given is foreign else labels)
        with pytest.raises(ModelImportError, match=message):
            read_ensemble(model)


def test_the_classifier_of_lightgbm_takes_tables_with_missing_values_and_categories():
    """Rows with any values missing, and a sensitive category, as the object decides them."""
    table, labels = plain_table(lacks=0.2)
    model = lightgbm.LGBMClassifier(n_estimators=5, **LIGHT).fit(table, np.array(["no", "yes"])[labels])
    under = spec(random.Random(2), coded=False, numeric=False)
    rows = raw(table)
    named = changed(under, labels=("no", "yes"))
    found = bound_score(read_ensemble(model), named, rows=rows, values={"grade": {"d": ""}})
    exact = (found.score.totals(named, rows) / found.score.unit - found.shift).astype(float)
    np.testing.assert_allclose(exact, model.predict(table, raw_score=True), atol=EXACT)
    assert {*DOMAINS["group"]} == {row["group"] for row in rows}


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("kind", ["pipeline of histograms", "pipeline of lightgbm", "histograms", "lightgbm"])
@pytest.mark.parametrize("of", ["texts", "numbers"])
def test_objects_are_compared_with_their_imports(kind, of):
    """Under a drafted spec, on the table of the training and on the same as texts."""
    table, labels = plain_table()
    table = table.astype({"x": int})
    if of == "numbers":
        codes = {"grade": {"a": 3, "b": 7, "c": 1}, "group": {"p": 5, "q": 2, "r": 0}}
        table = table.assign(**{name: table[name].map(some).astype(int) for name, some in codes.items()})
    if kind.startswith("pipeline"):
        order = OrdinalEncoder(handle_unknown="use_encoded_value", unknown_value=-1)
        steps = [("orders", order, ["grade", "group"]), ("numbers", "passthrough", ["x"])]
        table = table.astype({"grade": str, "group": str}) if of == "texts" else table
        model = make_pipeline(ColumnTransformer(steps), BOOSTERS[kind.split()[-1]]([0, 1]))
    elif of == "numbers":
        model = BOOSTERS[kind]([1, 2])
    else:
        model = BOOSTERS[kind]("from_dtype" if kind == "histograms" else "auto")
    model.fit(table, labels)
    texts = table.astype(str).to_dict("records")
    for given in (table, texts) if of == "texts" or kind in BOOSTERS else (table,):
        made = import_model(model, given, sensitive=["group"], labels=["no", "yes"], accept_labels=True)
        (compared,) = made.comparisons
        assert compared.counts.rows == len(table)
        assert not compared.counts.differing
        assert {one.name: one.kind for one in made.spec.features} == {
            "grade": "categorical", "group": "categorical", "x": "numeric"
        }  # fmt: skip
