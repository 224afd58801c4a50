"""Honest files of ensembles, as their libraries write them, to start mutations from."""

from __future__ import annotations

import tempfile
from functools import cache
from pathlib import Path

from tests.certify.models.ensembles import test_files as made
from tests.certify.models.ensembles import test_onnx_trees as graphs
from tests.certify.models.ensembles.samples import imported
from tests.support import ROOT


@cache
def _lightgbm() -> bytes:
    """Write stumps and trees of several columns."""
    return made.light(2, num_leaves=4).model_to_string().encode()


@cache
def _xgboost() -> bytes:
    """Write a JSON model file."""
    return bytes(made.extreme(2, max_depth=2).save_raw("json"))


@cache
def _machines() -> list[bytes]:
    """Write a machine with a pair, and one with a category."""
    found = []
    with tempfile.TemporaryDirectory() as folder:
        types = ["continuous", "nominal", *["continuous"] * 3]
        for options in ({"interactions": [(0, 3)]}, {"feature_types": types}):
            path = Path(folder) / "machine.json"
            made.machine(max_rounds=2, max_bins=4, outer_bags=1, **options).to_json(str(path))
            found.append(path.read_bytes())
    return found


@cache
def _graph() -> bytes:
    """Write an ONNX graph of stumps."""
    with tempfile.TemporaryDirectory() as folder:
        return graphs.model(Path(folder), "BRANCH_LEQ").read_bytes()


def _boosted() -> list[bytes]:
    """Take symmetric and nested trees of CatBoost."""
    folder = ROOT / "tests" / "vectors" / "catboost"
    return [(folder / f"{name}.json").read_bytes() for name in ("cut", "lossguide", "one-hot")]


def _graphs() -> list[bytes]:
    """Take ONNX graphs of each operator of trees, with others behind them, and write one of stumps."""
    folder = ROOT / "tests" / "vectors" / "onnx"
    return [_graph(), *((folder / f"{name}.onnx").read_bytes() for name in ("version-5", "named", "factors", "forest"))]


_CARD = b"""feature,from,to,value,points
(cutoff),,,,1
income,,5,,1
income,5,,,2
housing,,,own,3
housing,,,rent,0.5
"""

_TABLES = ROOT / "tests/vectors/scorecards"

FILES = {
    "model-lightgbm": (".txt", lambda: [_lightgbm()]),
    "model-xgboost": (".json", lambda: [_xgboost()]),
    "model-machine": (".json", _machines),
    "model-catboost": (".json", _boosted),
    "model-trees-onnx": (".onnx", _graphs),
    "model-scorecard": (".csv", lambda: [_CARD]),
    "model-cards": (".csv", lambda: [path.read_bytes() for path in sorted(_TABLES.glob("*.csv"))]),
    "model-card-rules": (".json", lambda: [(_TABLES / "toad.json").read_bytes()]),
}
"""How files of each reader end, and honest ones."""


@cache
def scores() -> list[bytes]:
    """Return files of scores, with trees and without."""
    return [imported(made.light(2, num_leaves=leaves)).score.to_bytes() for leaves in (2, 4)]
