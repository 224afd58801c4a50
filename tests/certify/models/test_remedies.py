"""What refusals of an import advise: each remedy is followed, and the model that it leads to decides as its library."""

import re
from unittest.mock import patch

import numpy as np
import pandas as pd
import pytest
import torch
import xgboost
from interpret.glassbox import ExplainableBoostingClassifier
from lightgbm import LGBMClassifier
from sklearn.dummy import DummyClassifier
from sklearn.ensemble import (
    GradientBoostingClassifier,
    HistGradientBoostingClassifier,
    RandomForestClassifier,
)
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, MinMaxScaler, StandardScaler
from sklearn.tree import DecisionTreeClassifier
from torch import nn

from equiproof import import_model
from equiproof.certify.additive import EnsembleError
from equiproof.certify.models.ensembles import imported
from equiproof.certify.models.ensembles.reading import read_ensemble
from equiproof.certify.models.ensembles.sizes import FOLDED, MAX_PREDICATES, refuse_huge
from equiproof.certify.models.importing import ModelImportError
from equiproof.certify.models.importing.bind import column_names
from equiproof.circuits.spec import Feature
from tests.certify.models.ensembles.samples import GIVEN, LABELS, ROWS, SPEC
from tests.certify.models.importing.samples import COLUMNS
from tests.support import changed

pytestmark = pytest.mark.filterwarnings("ignore")

FRAME = pd.DataFrame(ROWS.astype(int), columns=list(COLUMNS))
FINE = {"input_fraction_bits": 14}
BY_CATEGORY = {"categorical_feature": [3], "min_data_per_group": 1, "cat_smooth": 0}
YEARS = tuple(map(str, sorted({row["years"] for row in GIVEN})))
BY_YEARS = changed(
    SPEC,
    features=tuple(
        Feature("years", "categorical", "rank", False, domain=YEARS) if one.name == "years" else one
        for one in SPEC.features
    ),
)
IN_TEXTS = [{**row, "years": str(row["years"])} for row in GIVEN]


def extreme(**options):
    """Train a small classifier of XGBoost."""
    fit = {name: options.pop(name) for name in ("eval_set",) if name in options}
    return xgboost.XGBClassifier(**{"n_estimators": 3, "max_depth": 2, "n_jobs": 1, **options}).fit(
        FRAME, LABELS, verbose=False, **fit
    )


def light(table=FRAME, **options):
    """Train a small classifier of LightGBM."""
    settings = {"n_estimators": 3, "num_leaves": 4, "verbose": -1, "n_jobs": 1}
    return LGBMClassifier(**{**settings, **options}).fit(table, LABELS)


def fitted(model):
    """Fit a model of scikit-learn on the table."""
    return model.fit(FRAME, LABELS)


def own(model, spec=SPEC, rows=GIVEN, **options):
    """Import a model under a spec on rows, and demand that it decides as its library."""
    made = import_model(model, spec, units="raw", rows=rows, accept_labels=True, **{**FINE, **options})
    assert made.comparisons[0].counts.differing_integers == 0
    return made


def stopped():
    """Train a model that keeps trees behind its best one."""
    return extreme(n_estimators=30, early_stopping_rounds=5, eval_set=[(FRAME, 1 - LABELS)])


def module(*layers):
    """Return layers of torch with fixed weights."""
    torch.manual_seed(0)
    return nn.Sequential(nn.Linear(len(COLUMNS), 2), *layers, nn.Linear(2, 1)).eval()


def hooked():
    """Return a module with a hook."""
    made = module(nn.ReLU())
    made[0].register_forward_hook(lambda *_: None)
    return made


MLP = {"hidden_layer_sizes": (2,), "max_iter": 20, "random_state": 0}
SCALED = (StandardScaler(), MLPClassifier(**MLP))
LEVELS = [["a"] * 3, ["b"] * 3]

CASES = {
    "columns": (
        lambda: own(GradientBoostingClassifier(n_estimators=2).fit(ROWS, LABELS)),
        "name the model's inputs in its order with columns=",
        lambda: own(GradientBoostingClassifier(n_estimators=2).fit(ROWS, LABELS), columns=list(COLUMNS)),
    ),
    "unused": (
        lambda: own(LogisticRegression(max_iter=999).fit(FRAME[list(COLUMNS[:-1])], LABELS)),
        r"unused=\['sex'\]",
        lambda: own(LogisticRegression(max_iter=999).fit(FRAME[list(COLUMNS[:-1])], LABELS), unused=["sex"]),
    ),
    "classes": (
        lambda: own(fitted(DecisionTreeClassifier(max_depth=2)), classes=["no", "yes"]),
        "name the classes as the spec does, in the model's order, with classes=",
        lambda: own(fitted(DecisionTreeClassifier(max_depth=2)), classes=list(SPEC.labels)),
    ),
    "classes left out": (
        lambda: own(
            DecisionTreeClassifier(max_depth=2).fit(FRAME, np.array(SPEC.labels)[LABELS]), classes=["no", "yes"]
        ),
        "leave classes= out",
        lambda: own(DecisionTreeClassifier(max_depth=2).fit(FRAME, np.array(SPEC.labels)[LABELS])),
    ),
    "doubled columns": (
        lambda: own(module(nn.ReLU()), columns=[COLUMNS[0], *COLUMNS[:-1]]),
        "name each column once",
        lambda: own(module(nn.ReLU()), columns=list(COLUMNS)),
    ),
    "logits": (
        lambda: import_model(module(nn.ReLU()), changed(SPEC, logits=2), units="raw", columns=list(COLUMNS)),
        "or change the number in its file",
        lambda: import_model(module(nn.ReLU()), changed(SPEC, logits=1), units="raw", columns=list(COLUMNS)),
    ),
    "units": (
        lambda: import_model(module(nn.ReLU()), SPEC, columns=list(COLUMNS)),
        "units='raw', or the spec's scaled columns, units='spec'",
        lambda: import_model(module(nn.ReLU()), SPEC, units="spec", columns=list(column_names(SPEC))),
    ),
    "grid": (
        lambda: own(fitted(DecisionTreeClassifier(max_depth=8)), input_fraction_bits=4),
        r"use input_fraction_bits=\d+",
        lambda: own(fitted(DecisionTreeClassifier(max_depth=8)), input_fraction_bits=None),
    ),
    "early stopping": (
        lambda: own(stopped()),
        "trees='best' or trees='all'",
        lambda: [own(stopped(), trees=which) for which in ("best", "all")],
    ),
    "missing number": (
        lambda: own(extreme(missing=0)),
        "train with missing=nan",
        lambda: own(extreme(missing=np.nan)),
    ),
    "several classes": (
        lambda: own(xgboost.XGBClassifier(n_estimators=2).fit(FRAME, LABELS + (FRAME["years"] > 15).to_numpy())),
        "train with binary:logistic|train one decision of two classes",
        lambda: own(extreme(objective="binary:logistic")),
    ),
    "linear booster": (
        lambda: own(extreme(booster="gblinear")),
        "a linear model is imported as LogisticRegression",
        lambda: own(fitted(LogisticRegression(max_iter=999))),
    ),
    "linear leaves": (
        lambda: own(light(linear_tree=True)),
        "train with linear_tree=false",
        lambda: own(light(linear_tree=False)),
    ),
    "categories of LightGBM": (
        lambda: own(light(**BY_CATEGORY)),
        "make 'years' a category of the spec",
        lambda: own(light(**BY_CATEGORY), spec=BY_YEARS, rows=IN_TEXTS),
    ),
    "ordered categories of pandas": (
        lambda: own(light(FRAME.assign(years=pd.Categorical(FRAME["years"], ordered=True)))),
        "train with categorical_feature='auto', and on numbers in place of ordered categories",
        lambda: own(light()),
    ),
    "objective of LightGBM": (
        lambda: own(light(objective="poisson")),
        "train with objective=binary",
        lambda: own(light(objective="binary")),
    ),
    "categories of scikit-learn": (
        lambda: own(fitted(HistGradientBoostingClassifier(max_iter=2, categorical_features=[3]))),
        "make 'years' a category of the spec",
        lambda: own(
            fitted(HistGradientBoostingClassifier(max_iter=2, categorical_features=[3])), spec=BY_YEARS, rows=IN_TEXTS
        ),
    ),
    "loss": (
        lambda: own(fitted(GradientBoostingClassifier(n_estimators=2, loss="exponential"))),
        "train with loss='log_loss'",
        lambda: own(fitted(GradientBoostingClassifier(n_estimators=2, loss="log_loss"))),
    ),
    "init": (
        lambda: own(fitted(GradientBoostingClassifier(n_estimators=2, init=LogisticRegression(max_iter=999)))),
        "train with init=None",
        lambda: own(fitted(GradientBoostingClassifier(n_estimators=2, init=None))),
    ),
    "drawn init": (
        lambda: own(fitted(GradientBoostingClassifier(n_estimators=2, init=DummyClassifier(strategy="stratified")))),
        "train with init=None",
        lambda: own(fitted(GradientBoostingClassifier(n_estimators=2, init=None))),
    ),
    "names of labels": (
        lambda: own(DecisionTreeClassifier(max_depth=2).fit(FRAME, np.where(LABELS, b"1", b"0"))),
        "fit it on names of labels",
        lambda: own(DecisionTreeClassifier(max_depth=2).fit(FRAME, np.array(SPEC.labels)[LABELS])),
    ),
    "sparse weights": (
        lambda: own(fitted(LogisticRegression(max_iter=999)).sparsify()),
        r"call densify\(\) first",
        lambda: own(fitted(LogisticRegression(max_iter=999)).sparsify().densify()),
    ),
    "a search without a best": (
        lambda: own(fitted(GridSearchCV(LogisticRegression(max_iter=999), {"C": [1, 2]}, cv=2, refit=False))),
        "fit it with refit=True",
        lambda: own(fitted(GridSearchCV(LogisticRegression(max_iter=999), {"C": [1, 2]}, cv=2, refit=True))),
    ),
    "activation": (
        lambda: own(fitted(make_pipeline(StandardScaler(), MLPClassifier(**MLP, activation="tanh")))),
        "only relu and identity are read",
        lambda: own(fitted(make_pipeline(StandardScaler(), MLPClassifier(**MLP, activation="relu")))),
    ),
    "another function": (
        lambda: own(fitted(make_pipeline(FunctionTransformer(np.sqrt), MLPClassifier(**MLP)))),
        None,
        lambda: own(fitted(make_pipeline(StandardScaler(), MLPClassifier(**MLP)))),
    ),
    "clip": (
        lambda: own(fitted(make_pipeline(MinMaxScaler(clip=True), MLPClassifier(**MLP)))),
        "fit it with clip=False",
        lambda: own(fitted(make_pipeline(MinMaxScaler(clip=False), MLPClassifier(**MLP)))),
    ),
    "a machine behind steps": (
        lambda: own(
            fitted(
                make_pipeline(
                    StandardScaler(),
                    ExplainableBoostingClassifier(
                        feature_types=["continuous", *["nominal"] * 4], max_rounds=2, outer_bags=1, n_jobs=1
                    ),
                )
            )
        ),
        "train the ExplainableBoostingClassifier alone, on raw values",
        lambda: own(fitted(ExplainableBoostingClassifier(max_rounds=2, interactions=0, outer_bags=1, n_jobs=1))),
    ),
    "hooks": (
        lambda: import_model(hooked(), SPEC, units="raw", columns=list(COLUMNS)),
        "remove its hooks",
        lambda: own(module(nn.ReLU()), columns=list(COLUMNS)),
    ),
    "training mode": (
        lambda: import_model(module(nn.Dropout(0.5), nn.ReLU()).train(), SPEC, units="raw", columns=list(COLUMNS)),
        r"call eval\(\) first",
        lambda: own(module(nn.Dropout(0.5), nn.ReLU()).eval(), columns=list(COLUMNS)),
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_each_remedy_leads_to_a_model_that_is_imported(name):
    """The refusal names it, and following it gives a model that decides every row as its library."""
    wrong, advice, right = CASES[name]
    if advice is not None:
        with pytest.raises((ModelImportError, EnsembleError), match=advice):
            wrong()
    else:
        with pytest.raises(ModelImportError):
            wrong()
    right()


def files(tmp_path):
    """Return files that are refused, the advice, and those that it leads to."""
    extreme_model, light_model = extreme().get_booster(), light().booster_
    extreme_model.save_model(tmp_path / "model.ubj")
    extreme_model.save_model(tmp_path / "model.json")
    extreme_model.dump_model(tmp_path / "dump.json", dump_format="json")
    light_model.save_model(tmp_path / "model.txt")
    (tmp_path / "light.json").write_text(re.sub("'", '"', str(light_model.dump_model()).replace("True", "true")
                                                .replace("False", "false").replace("None", "null")))  # fmt: skip
    (tmp_path / "pickled.pkl").write_bytes(b"")
    return [
        ("model.ubj", r"save it as JSON with save_model\('model.json'\)", "model.json"),
        ("dump.json", r"use save_model\('model.json'\)", "model.json"),
        ("light.json", r"use save_model\('model.txt'\)", "model.txt"),
        ("pickled.pkl", "load it yourself where you trust it, and call equiproof.import_model", None),
    ]


def test_each_file_that_advice_leads_to_is_read(tmp_path):
    """Formats for people, binary ones, and those that run code."""
    for name, advice, other in files(tmp_path):
        with pytest.raises(ModelImportError, match=advice):
            import_model(tmp_path / name, SPEC)
        if other is None:
            own(fitted(LogisticRegression(max_iter=999)))
        else:
            assert import_model(tmp_path / other, SPEC, columns=list(COLUMNS), **FINE).quantised


@pytest.fixture(scope="module")
def noise():
    """A table without any pattern, so that trees of it have hundreds of splits."""
    random = np.random.default_rng(1)
    table = pd.DataFrame({name: random.normal(0, 1000, 1200).round(3) for name in "abcd"})
    return table.assign(sex=random.integers(0, 2, 1200)), random.integers(0, 2, 1200)


def test_a_forest_that_is_too_large_is_refused_before_the_work_and_its_remedy_works(noise):
    """With its own splits, in words of forests; a smaller one of the same table is imported."""
    forest = RandomForestClassifier(100, random_state=0).fit(*noise)
    splits = sum(tree.tree_.node_count // 2 for tree in forest.estimators_)
    assert splits > FOLDED * MAX_PREDICATES
    given = {"sensitive": ["sex"], "labels": ["no", "yes"]}
    said = (
        rf"^train with fewer n_estimators, a smaller max_depth or max_leaf_nodes: your 100 trees have {splits:,} splits"
    )
    with pytest.raises(EnsembleError, match=said), patch.object(imported, "additive", side_effect=AssertionError):
        import_model(forest, noise[0].head(50), **given)
    less = RandomForestClassifier(8, max_leaf_nodes=12, random_state=0).fit(*noise)
    made = import_model(less, noise[0].head(100), **given)
    assert made.comparisons[0].counts.differing_integers == 0


def test_just_above_what_fits_the_work_decides(noise):
    """Folding may leave fewer thresholds than there are, so they are counted after it."""
    forest = RandomForestClassifier(30, random_state=0).fit(*noise)
    read = read_ensemble(forest)
    refuse_huge(read)
    with pytest.raises(EnsembleError, match=r"^train with fewer n_estimators.*: [0-9,]+ thresholds are left after"):
        import_model(forest, noise[0].head(20), sensitive=["sex"], labels=["no", "yes"])


def test_smaller_bins_make_smaller_models_of_every_library():
    """What each library is told to lower makes fewer thresholds."""
    counts = {}
    for name, big, small in (
        ("xgboost", extreme(n_estimators=20), extreme(n_estimators=20, max_bin=4, tree_method="hist")),
        ("lightgbm", light(n_estimators=20), light(n_estimators=20, max_bin=4)),
        ("interpret", *(fitted(ExplainableBoostingClassifier(
            max_bins=bins, interactions=0, max_rounds=20, outer_bags=1, n_jobs=1)) for bins in (256, 4))),
    ):  # fmt: skip
        counts[name] = [sum(own(model).quantised.predicates) for model in (big, small)]
    assert all(few < many for many, few in counts.values())


def test_points_that_do_not_fit_are_divided(tmp_path):
    """Points and cut-off in thousands: the same decisions."""
    card = "feature,from,to,value,points\n(cutoff),,,,{0}\nyears,,10,,0\nyears,10,,,{1}\nsex,,,f,0\nsex,,,m,1\n"
    path = tmp_path / "card.csv"
    path.write_text(card.format(5 * 10**12, 10**13))
    with pytest.raises(EnsembleError, match="divide all scores of the model by the same number"):
        import_model(path, SPEC)
    path.write_text(card.format("5", "10").replace("m,1", "m,0.000000000001"))
    assert import_model(path, SPEC, rows=GIVEN).quantised


def test_a_score_of_one_group_is_trained_on_other_features():
    """A tree of the sensitive feature alone has nothing that a certificate could be about."""
    alone = DecisionTreeClassifier(max_depth=1).fit(FRAME[["sex"]], FRAME["sex"])
    others = [feature.name for feature in SPEC.features if feature.name != "sex"]
    with pytest.raises(EnsembleError, match="train on a feature that is not sensitive"):
        import_model(alone, SPEC, units="raw", unused=others, columns=["sex"])
    own(fitted(DecisionTreeClassifier(max_depth=3)))
