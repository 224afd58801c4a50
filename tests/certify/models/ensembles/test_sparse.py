"""Models that were trained on sparse tables: only XGBoost takes an absent number for missing, and is caught."""

import lightgbm
import numpy as np
import pytest
import scipy.sparse
import xgboost
from sklearn.ensemble import GradientBoostingClassifier, RandomForestClassifier

from equiproof import import_model
from equiproof.certify.models.own_decisions import DecisionsError
from tests.certify.models.ensembles.samples import SPEC, in_logits
from tests.certify.models.ensembles.test_files import FEATURES
from tests.certify.models.importing.samples import COLUMNS
from tests.support import changed

RNG = np.random.default_rng(4)
DENSE = np.zeros((240, 5))
DENSE[:, [0, 3]] = np.where(RNG.random((240, 2)) < 0.5, 0, RNG.integers(-5, 6, (240, 2)))
LABELS = (np.where(DENSE[:, 3] == 0, 5, DENSE[:, 3]) + np.where(DENSE[:, 0] == 0, -5, DENSE[:, 0]) > 0).astype(int)
"""Of one column zeros are decided as its largest numbers, of another as its least: 0 itself lies between them."""

SPARSE = scipy.sparse.csr_matrix(DENSE)
AROUND_ZERO = changed(
    SPEC,
    features=tuple(
        changed(one, mean="0", scale="1") if one.name in ("income", "years") else one for one in SPEC.features
    ),
)
GIVEN = [
    {"income": int(income), "housing": "own", "years": int(years), "sex": SPEC.sensitive_features[0].domain[0]}
    for income, years in DENSE[:, [0, 3]]
]


@pytest.mark.parametrize("model", [
    lightgbm.LGBMClassifier(n_estimators=8, num_leaves=6, verbose=-1, n_jobs=1, min_child_samples=2),
    RandomForestClassifier(5, random_state=0),
    GradientBoostingClassifier(n_estimators=8),
], ids=lambda model: type(model).__name__)  # fmt: skip
def test_others_take_an_absent_number_for_zero(model):
    """Their models are read as those of dense tables: each decides sparse and dense rows alike."""
    model.fit(SPARSE, LABELS)
    wanted = model.predict(SPARSE)
    assert (wanted == model.predict(DENSE)).all()
    found = import_model(model, AROUND_ZERO, columns=COLUMNS, rows=GIVEN)
    assert ((in_logits(found.quantised, AROUND_ZERO, GIVEN) > 0) == (wanted == 1)).all()


def test_xgboost_takes_an_absent_number_for_missing_and_the_comparison_shows_it(tmp_path):
    """The file does not say that 0 is missing; its decisions do, and splits that send missing values both ways."""
    options = {"objective": "binary:logistic", "max_depth": 3, "eta": 1.0, "nthread": 1}
    sparse = xgboost.DMatrix(SPARSE, LABELS, feature_names=FEATURES)
    model = xgboost.train(options, sparse, 6)
    path = tmp_path / "model.json"
    model.save_model(path)
    used = (model.predict(sparse) > 0.5).astype(int)
    dense = (model.predict(xgboost.DMatrix(DENSE, feature_names=FEATURES)) > 0.5).astype(int)
    assert (used != dense).sum() > 20
    decisions = [AROUND_ZERO.labels[label] for label in used]
    with pytest.raises(DecisionsError, match=r"of 240 rows are decided otherwise"):
        import_model(path, AROUND_ZERO, columns=COLUMNS, rows=GIVEN, decisions=decisions)
    found = import_model(path, AROUND_ZERO, columns=COLUMNS, rows=GIVEN)
    assert any("zeros of a sparse table" in note for note in found.notes)


@pytest.mark.parametrize("method", ["hist", "exact", "approx"])
def test_a_dense_table_without_missing_values_has_no_such_note(method, tmp_path):
    """All splits send missing values to one side, whichever it is."""
    rng = np.random.default_rng(0)
    rows = rng.normal(size=(200, 5))
    options = {"objective": "binary:logistic", "max_depth": 3, "nthread": 1, "tree_method": method}
    labels = (rows @ [1, -1, 0.5, 0, 0.3] + rng.normal(size=200) > 0).astype(int)
    for missing, notes in ((0.0, 0), (0.2, 1)):
        own = np.where(rng.random(rows.shape) < missing, np.nan, rows)
        model = xgboost.train(options, xgboost.DMatrix(own, labels, feature_names=FEATURES), 6)
        path = tmp_path / "model.json"
        model.save_model(path)
        assert len(import_model(path, SPEC, columns=COLUMNS).notes) == notes
