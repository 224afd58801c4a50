"""The models that most lenders use, with the room of their keys, and the targets set before they were built."""

from __future__ import annotations

import importlib
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from bench.harness import BenchError
from equiproof.certify.additive import AdditiveModel
from equiproof.certify.data.dataset import Dataset, encode_rows
from equiproof.certify.ensemble import EnsembleModel
from equiproof.certify.models.ensembles.ensemble import Ensemble
from equiproof.certify.models.ensembles.imported import bound_score
from equiproof.certify.models.ensembles.quantise import quantise_score
from equiproof.certify.models.ensembles.reading import read_ensemble
from equiproof.certify.models.ensembles.training import between_columns, train_additive
from equiproof.certify.models.importing.bind import column_names


class Room(NamedTuple):
    """K leaves, V slots and A rows of a key; no slots for as many as nine of ten applicants need."""

    leaves: int
    slots: int | None = None
    rows: int = 0


class Aims(NamedTuple):
    """At most so many constraints, seconds and MB of a proof; at least these shares of applicants, at 1 and at 0.9.

    None where no target was set.
    """

    constraints: int | None = None
    prove_s: float | None = None
    exact: float | None = None
    near: float | None = None
    peak_mb: float | None = None


@dataclass(frozen=True)
class Model:
    """A model by name: its kind, trees and their depth, the room of its key, and its targets."""

    name: str
    words: str
    kind: str
    trees: int
    depth: int
    room: Room
    aims: Aims


CHECK_MS = 5.0
PROOF_BYTES = 196
MEDIAN_S, NINE_OF_TEN_S = 0.2, 4.0
"""Targets of the search for the exact radius."""

FASTER = 200
"""More trees have no target."""

SCORECARD = Aims(75_000, 1.5, 0.9, 0.99)

MODELS = (
    Model("scorecard", "a scorecard of 300 stumps", "scorecard", 300, 1, Room(32, 40), SCORECARD),
    Model("stumps", "300 boosted stumps", "boosting", 300, 1, Room(32, 40), SCORECARD),
    Model("ebm", "an explainable boosting machine", "ebm", 0, 1, Room(32), Aims(prove_s=5.0)),
    Model("ebm-pairs", "an explainable boosting machine with pairs", "ebm", 0, 2, Room(8, 192, 640), Aims(prove_s=5.0)),
    Model("100x3", "100 trees of depth 3", "boosting", 100, 3, Room(16, 80, 288), Aims(210_000, 4.0, 0.45, 0.85)),
    Model("100x4", "100 trees of depth 4", "boosting", 100, 4, Room(32, 120, 480), Aims(540_000, 9.0, 0.6, 0.9)),
    Model("200x3", "200 trees of depth 3", "boosting", 200, 3, Room(32, 120, 576), Aims(600_000, 10.0, 0.7, 0.9)),
    Model(
        "300x6", "300 trees of depth 6, leaf by leaf", "boosting", 300, 6, Room(8, 192, 640),
        Aims(800_000, 15.0, None, 0.6, 4000.0),
    ),
)  # fmt: skip


def committed(model: Model, data: Dataset) -> AdditiveModel | EnsembleModel:
    """Train a model on a data set's training rows and return its integers.

    Raises BenchError for an explainable boosting machine where the library that trains it is missing.
    """
    if model.kind == "ebm":
        return explainable(data, {} if model.depth > 1 else {"interactions": 0})
    score, _, _ = train_additive(data, model.kind, rounds=model.trees, depth=model.depth)
    return quantise_score(score, data.spec)


def explainable(data: Dataset, options: Mapping[str, Any]) -> AdditiveModel | EnsembleModel:
    """Train an explainable boosting machine with its library's defaults but for options, save it, and import the file.

    It is trained on the columns as they are committed, so its cuts are moved between them. Raises BenchError where the
    library is missing.
    """
    try:
        glassbox: Any = importlib.import_module("interpret.glassbox")
    except ImportError:
        raise BenchError("explainable boosting machines are trained by interpret-core, which is missing") from None
    spec, train = data.spec, np.asarray(data.train)
    inputs, names = encode_rows(spec, data.rows) / spec.scale_unit, list(column_names(spec))
    machine = glassbox.ExplainableBoostingClassifier(
        feature_names=names, feature_types=["continuous"] * len(names), random_state=0, n_jobs=1, **options
    )
    machine.fit(inputs[train], data.label_array()[train])
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "machine.json"
        machine.to_json(str(path))
        read = read_ensemble(path)
    if not isinstance(read, Ensemble):
        raise TypeError("want the trees of a machine")
    return bound_score(between_columns(read, spec), spec, units="spec", rows=data.rows).model
