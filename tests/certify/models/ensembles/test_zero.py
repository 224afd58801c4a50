"""A threshold next to 0: the value 0 falls on the side where the library has it, whether or not a row has it."""

import json

import lightgbm
import numpy as np
import pytest
import xgboost

from equiproof import import_model
from tests.certify.models.ensembles.samples import SPEC, in_logits
from tests.support import changed

NAMES = ["income", "housing=own", "housing=rent", "years", "sex"]
VALUES = np.array([-3.0, -2.0, -1.0, 0.0, 1.0, 2.0, 3.0])


def signed():
    """Return the spec with years around 0, whole ones not declared, and the rows that the models are trained on."""
    years = changed(SPEC.features[3], mean="0", scale="1")
    spec = changed(SPEC, features=(*SPEC.features[:3], years))
    rows = np.zeros((len(VALUES) * 20, 5))
    rows[:, 3] = np.tile(VALUES, 20)
    return spec, rows


def light(rows, labels):
    """Train LightGBM, whose threshold beside 0 is 1e-35 above or below it."""
    options = {"objective": "binary", "num_leaves": 2, "verbose": -1, "num_threads": 1, "min_data_in_leaf": 1}
    names = [name.replace("=", "_") for name in NAMES]
    return lightgbm.train(options, lightgbm.Dataset(rows, labels, feature_name=names), 2)


def extreme(rows, labels):
    """Train XGBoost."""
    options = {"objective": "binary:logistic", "max_depth": 1, "nthread": 1, "tree_method": "exact"}
    return xgboost.train(options, xgboost.DMatrix(rows, labels, feature_names=NAMES), 2)


@pytest.mark.parametrize("above", [True, False])
@pytest.mark.parametrize("name", ["lightgbm", "xgboost"])
def test_zero_falls_on_the_side_of_the_library_without_any_row(name, above, tmp_path):
    """Labels change at 0, on either side of it; the import sees no row, and only small thresholds are at stake."""
    spec, rows = signed()
    labels = (rows[:, 3] > 0 if above else rows[:, 3] >= 0).astype(int)
    if name == "lightgbm":
        model = light(rows, labels)
        path = tmp_path / "model.txt"
        model.save_model(path)
        assert "e-35" in path.read_text()
        wanted = model.predict(np.array([[0, 0, 0, 0.0, 0]]), raw_score=True)[0] > 0
    else:
        document = json.loads(bytes(extreme(rows, labels).save_raw("json")))
        for tree in document["learner"]["gradient_booster"]["model"]["trees"]:
            # The smallest single float is what a column of zeros and others leaves beside 0.
            tree["split_conditions"][0] = 1e-45 if above else -1e-45
        path = tmp_path / "model.json"
        path.write_text(json.dumps(document))
        model = xgboost.Booster(model_file=str(path))
        table = xgboost.DMatrix(np.array([[0, 0, 0, 0.0, 0]]), feature_names=NAMES)
        wanted = model.predict(table, output_margin=True)[0] > 0
    found = import_model(path, spec, columns=NAMES)
    zero = [{"income": 3000, "housing": "own", "years": 0, "sex": spec.sensitive_features[0].domain[0]}]
    assert (in_logits(found.quantised, spec, zero)[0] > 0) == wanted
