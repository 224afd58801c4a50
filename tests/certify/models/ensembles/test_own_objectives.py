"""Trees that were trained by a function of their owner's: the file does not say what the score is, the owner does."""

import lightgbm
import numpy as np
import pytest
import xgboost

from equiproof import import_model
from equiproof.certify.models.importing import ModelImportError
from tests.certify.models.ensembles.samples import GIVEN, LABELS, ROWS, SPEC
from tests.certify.models.importing.samples import COLUMNS

CLEAR = {"columns": list(COLUMNS), "rows": GIVEN}


def logistic(scores, labels):
    """Return the gradient and the curvature of the logistic loss."""
    share = 1 / (1 + np.exp(-scores))
    return share - labels, share * (1 - share)


def boosters():
    """Return models of both libraries, and what each calls a score."""
    stumps = {"max_depth": 2, "num_leaves": 4, "verbose": -1, "n_jobs": 1}
    by_set = lambda scores, data: logistic(scores, data.get_label())  # noqa: E731
    by_labels = lambda labels, scores: logistic(scores, labels)  # noqa: E731
    data = xgboost.DMatrix(ROWS, LABELS)
    extreme = xgboost.train({"max_depth": 2, "nthread": 1}, data, 4, obj=by_set)
    light = lightgbm.train({"objective": by_set, **stumps}, lightgbm.Dataset(ROWS, LABELS), 4)
    wrapped = lightgbm.LGBMClassifier(n_estimators=4, objective=by_labels, **stumps).fit(ROWS, LABELS)
    return {
        "xgboost": (extreme, extreme.predict(data, output_margin=True)),
        "lightgbm": (light, light.predict(ROWS, raw_score=True)),
        "wrapped": (wrapped, wrapped.predict(ROWS, raw_score=True)),
    }


@pytest.mark.parametrize("name", ["xgboost", "lightgbm", "wrapped"])
@pytest.mark.filterwarnings("ignore")
def test_the_owners_word_makes_the_score_a_logit(tmp_path, name):
    """Refused with the option; with it every row is decided as by the library's own score, from object and file."""
    model, scores = boosters()[name]
    if name == "xgboost":
        # Its files have the objective of a number then: they are read so, and the import says what else they may be.
        plain = import_model(model, SPEC, accept_labels=True, **CLEAR)
        assert plain.notes[-1].endswith("of which a score above 0 decides, say score_is_logit=True")
    else:
        with pytest.raises(ModelImportError, match=r"^say score_is_logit=True if a score above 0 decides"):
            import_model(model, SPEC, **CLEAR)
    made = import_model(model, SPEC, score_is_logit=True, **CLEAR)
    assert made.compared.differing == made.compared.differing_integers == 0
    assert made.compared.labels[1].own == int((scores > 0).sum())
    path = tmp_path / ("model.json" if name == "xgboost" else "model.txt")
    (model.booster_ if name == "wrapped" else model).save_model(str(path))
    assert import_model(path, SPEC, score_is_logit=True, **CLEAR).quantised == made.quantised


def test_other_objectives_are_refused_whatever_is_said():
    """Shares of a distribution and counts are no logits."""
    data = xgboost.DMatrix(ROWS, LABELS)
    counted = xgboost.train({"objective": "count:poisson", "max_depth": 1, "nthread": 1}, data, 1)
    with pytest.raises(ModelImportError, match=r"train with binary:logistic .*: objective 'count:poisson' is not read"):
        import_model(counted, SPEC, score_is_logit=True, **CLEAR)
    options = {"objective": "poisson", "num_leaves": 2, "verbose": -1, "num_threads": 1}
    counted = lightgbm.train(options, lightgbm.Dataset(ROWS, LABELS), 1)
    with pytest.raises(ModelImportError, match="train with objective=binary: objective 'poisson' of 1"):
        import_model(counted, SPEC, score_is_logit=True, **CLEAR)


def test_a_network_has_no_such_score():
    """The option is for trees."""
    weights = {"W0": np.ones((len(COLUMNS), 1)), "b0": np.zeros(1)}
    with pytest.raises(ModelImportError, match="leave score_is_logit=True out"):
        import_model(weights, SPEC, score_is_logit=True)
