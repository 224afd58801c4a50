"""Fitted objects with an attribute exchanged, of every reader: read as they decide, or refused in one line."""

import copy
import random

import numpy as np
import pandas as pd
import pytest
from sklearn.calibration import CalibratedClassifierCV
from sklearn.compose import ColumnTransformer
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import (
    FunctionTransformer,
    KBinsDiscretizer,
    MaxAbsScaler,
    MinMaxScaler,
    OneHotEncoder,
    OrdinalEncoder,
    PowerTransformer,
    QuantileTransformer,
    RobustScaler,
    StandardScaler,
)
from sklearn.svm import LinearSVC
from sklearn.tree import DecisionTreeClassifier

from equiproof.certify.models.ensembles.reading import is_ensemble_object, read_ensemble
from equiproof.certify.models.importing import ModelImportError, read_model

pytestmark = pytest.mark.filterwarnings("ignore")

RNG = np.random.default_rng(2)
TABLE = pd.DataFrame(
    {"income": RNG.uniform(500, 9000, 90), "age": RNG.integers(18, 80, 90), "town": list("abcbaabcd") * 10}
)
DECISIONS = np.array(["no", "yes"])[(TABLE.income > 4000).astype(int)]

NUMBERS = ["income", "age"]
FRONTS = {
    "scalers": lambda: make_pipeline(RobustScaler(), MaxAbsScaler(), MinMaxScaler(), StandardScaler()),
    "powers": lambda: make_pipeline(PowerTransformer(), MinMaxScaler(clip=True)),
    "quantiles": lambda: make_pipeline(FunctionTransformer(np.sqrt), QuantileTransformer(n_quantiles=9)),
    "bins": lambda: KBinsDiscretizer(4),
    "ordinal bins": lambda: KBinsDiscretizer(4, encode="ordinal"),
}
LASTS = {
    "linear": LogisticRegression(),
    "calibrated": CalibratedClassifierCV(LinearSVC(), ensemble=False, method="isotonic"),
    "frozen": CalibratedClassifierCV(FrozenEstimator(LinearSVC().fit([[0, 0, 0], [1, 1, 1]], ["no", "yes"]))),
    "network": MLPClassifier((3,), max_iter=5),
    "tree": DecisionTreeClassifier(max_depth=3),
}
WRONG = (
    None, 0, -1, "text", [], {}, float("nan"), np.zeros(0), np.zeros((0, 3)), np.zeros((2, 2, 2)), np.full(2, np.nan),
    np.array([np.inf, 1.0]), np.array([1, 2, 3, 4]), np.array(["a", "b"], dtype=object), np.array(5.0), [np.zeros(1)],
    np.array([1 + 2j, 0]), 10**400, np.array([True, False]),
)  # fmt: skip
CHANGES = 12


def parts(part, depth=0):
    """Yield an object and all objects of scikit-learn in it."""
    if depth > 6 or not type(part).__module__.startswith("sklearn") or not hasattr(part, "__dict__"):
        return
    yield part
    for value in vars(part).values():
        flat = [value]
        while flat:
            one = flat.pop()
            if isinstance(one, list | tuple):
                flat += one
            else:
                yield from parts(one, depth + 1)


@pytest.mark.sampled(10, each="front last")
@pytest.mark.parametrize("front", FRONTS)
@pytest.mark.parametrize("last", LASTS)
def test_an_attribute_that_is_exchanged_is_read_or_refused_in_one_line(front, last):
    """No other error than that of the import, whatever stands in an attribute."""
    encoded = ColumnTransformer(
        [("numbers", FRONTS[front](), NUMBERS), ("towns", OrdinalEncoder(max_categories=3), ["town"])]
    )
    if last == "calibrated":
        encoded.set_params(towns=OneHotEncoder(min_frequency=0.2))
    honest = make_pipeline(encoded, copy.deepcopy(LASTS[last]))
    if last == "frozen":
        front_only = make_pipeline(copy.deepcopy(encoded), LinearSVC()).fit(TABLE, DECISIONS)
        honest = CalibratedClassifierCV(FrozenEstimator(front_only))
    honest.fit(TABLE, DECISIONS)
    draw = random.Random(f"{front} {last}")
    refusals = []
    for _ in range(CHANGES):
        model = copy.deepcopy(honest)
        own = draw.choice([part for part in parts(model) if vars(part)])
        name = draw.choice(sorted(vars(own)))
        setattr(own, name, copy.deepcopy(draw.choice(WRONG)))
        try:
            (read_ensemble if is_ensemble_object(model) else read_model)(model)
        except ModelImportError as error:
            refusals.append(str(error))
    assert refusals
    assert [said for said in refusals if "\n" in said or len(said) > 400] == []
