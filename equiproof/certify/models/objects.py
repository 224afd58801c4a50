"""The decisions of a fitted object on rows, by its own `predict`: what its import is compared with.

Only the object's public methods are called. The label of a class is the one that its import gives it.
"""

from __future__ import annotations

import dataclasses
import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from equiproof.certify.data.frames import Frame
from equiproof.certify.data.rows import without_marks
from equiproof.certify.models.ensembles.ensemble import Ensemble, Scale
from equiproof.certify.models.ensembles.estimators import encodes_texts
from equiproof.certify.models.ensembles.xgboost import TreeChoice
from equiproof.certify.models.importing.bind import class_names, label_order
from equiproof.certify.models.importing.own_thresholds import NAMES as WITH_THRESHOLD
from equiproof.certify.models.importing.searches import chosen
from equiproof.certify.models.importing.source import Source
from equiproof.certify.models.network import Floats
from equiproof.certify.models.own_decisions import DecisionsError, OwnDecisions
from equiproof.circuits.spec import Spec

_ENCODING = (
    "Pipeline", "CalibratedClassifierCV", "FrozenEstimator", *WITH_THRESHOLD, "ExplainableBoostingClassifier",
    "ExplainableBoostingRegressor",
)  # fmt: skip
"""Objects that may take a table with its texts."""

Answer = TypeVar("Answer")

Numbers = npt.NDArray[np.generic]


def decides(model: Any) -> bool:
    """Return whether a model is an object that decides: not a file, not arrays, and not a model as it was read."""
    is_table = type(model).__name__ == "DataFrame"
    return not is_table and not isinstance(model, str | Path | Mapping | tuple | Source | Ensemble)


def own_decisions(
    model: Any,
    frame: Frame,
    inputs: Callable[[], Floats],
    spec: Spec,
    classes: Sequence[str | int] | None,
    trees: TreeChoice | None = None,
    scale: Scale = "logit",
) -> OwnDecisions:
    """Return what an object makes of rows; `inputs` makes the matrix for one that does not take the table itself.

    `classes` names the classes in the model's order, where it does not name them as the spec does. With a threshold in
    the spec the object's scores decide; `scale` is what the score of its import is. Raises DecisionsError where the
    object cannot be asked.
    """
    model = chosen(model)
    name = type(model).__name__
    where = f"{name}.{'forward' if _is_of('torch', model) else 'predict'}"
    columns = _columns(model, frame)
    # In a table of pandas, a missing value is nan, and no text that stands for one.
    frame = dataclasses.replace(frame, rows=without_marks(frame.rows, spec, None))
    tables = [inputs()] if columns is None else frame.chosen(columns)

    def decide(taken: Any) -> tuple[list[int], list[str]]:
        """Return the number of each row's label, and what the object said."""
        with warnings.catch_warnings():
            # Libraries warn of a matrix without names; its columns were bound by name.
            warnings.simplefilter("ignore")
            return _decided(model, taken, spec, classes, trees, scale)

    labels, written = first_taken(tables, decide, where, frame.name)
    return OwnDecisions(tuple(labels), tuple(written), where)


def first_taken(tables: Iterable[Any], ask: Callable[[Any], Answer], where: str, name: str) -> Answer:
    """Return what a fitted object answers for the first of some forms of a table that it takes.

    Raises DecisionsError naming the method, `where`, and the table, `name`, if it takes none of them.
    """
    failed: Exception | None = None
    for taken in tables:
        try:
            return ask(taken)
        except (TypeError, ValueError, AttributeError, KeyError, IndexError) as error:
            failed = error
    said = (str(failed).splitlines() or [""])[0]
    raise DecisionsError(
        f"give the rows as the table that the model takes: {where} fails on {name} and cannot be compared: {said[:160]}"
    )


def _columns(model: Any, frame: Frame) -> list[str] | None:
    """Return the columns of the table that an object takes itself, None for one that wants numbers."""
    # A machine that bins numbers alone would take a text for an unknown value, without a word.
    numbers_alone = set(getattr(model, "feature_types_in_", ())) == {"continuous"}
    encodes = (type(model).__name__ in _ENCODING and not numbers_alone) or encodes_texts(model)
    names = getattr(model, "feature_names_in_", None) if encodes else None
    columns = None if names is None else list(map(str, names))
    return columns if columns is not None and set(columns) <= set(frame.columns) else None


def _decided(
    model: Any, taken: Any, spec: Spec, classes: Sequence[str | int] | None, trees: TreeChoice | None, scale: Scale
) -> tuple[list[int], list[str]]:
    """Return the number of each row's label, and what the object said."""
    own = getattr(model, "classes_", None)
    # LightGBM's classifier gives scores for labels where a function of the owner's trained it.
    says_scores = _is_of("lightgbm", model) and callable(getattr(model, "objective", None))
    if own is not None and not says_scores and not Fraction(spec.threshold):
        order = label_order(class_names(_plain(own), classes), spec)
        said = np.asarray(_called(model, "predict", taken, trees)).reshape(-1)
        places = {value: place for place, value in enumerate(np.asarray(own).tolist())}
        return [order[places[value]] for value in said.tolist()], list(map(str, said.tolist()))
    scores = np.asarray(_scores(model, taken, trees), dtype=np.float64) - (0.5 if scale == "share" else 0.0)
    if scores.ndim == 2 and scores.shape[1] > 1:
        order = label_order(classes, spec)
        return [order[place] for place in scores.argmax(axis=1).tolist()], [str(row) for row in scores.tolist()]
    above = scores.reshape(-1) > float(spec.threshold)
    order = label_order(None if own is None else class_names(_plain(own), classes), spec)
    return [order[place] for place in above.astype(int).tolist()], [f"{one:+.6g}" for one in scores.reshape(-1)]


def _scores(model: Any, taken: Any, trees: TreeChoice | None) -> Any:
    """Return the scores of an object: logits, of forests and of regressors shares."""
    if _is_of("torch", model):
        return _forward(model, taken)
    if _is_of("xgboost", model):
        return _called(model, "predict", taken, trees, output_margin=True)
    if _is_of("catboost", model):
        return model.predict(taken, prediction_type="RawFormulaVal")
    if _is_of("lightgbm", model):
        return model.predict(taken, raw_score=True)
    if hasattr(model, "decision_function"):
        return model.decision_function(taken)
    if not hasattr(model, "predict_proba"):
        return model.predict(taken)
    shares = np.asarray(model.predict_proba(taken), dtype=np.float64)
    last = model.steps[-1][1] if hasattr(model, "steps") else model
    if hasattr(chosen(last), "coefs_"):
        with np.errstate(divide="ignore"):
            return np.log(shares[:, 1] / shares[:, 0])
    return shares[:, 1]


def _called(model: Any, method: str, taken: Any, trees: TreeChoice | None, **options: Any) -> Any:
    """Call a method of an object; one of XGBoost that was stopped early is told which trees decide."""
    if not _is_of("xgboost", model):
        return getattr(model, method)(taken, **options)
    if trees is not None:
        booster = model if type(model).__name__ == "Booster" else model.get_booster()
        end = booster.num_boosted_rounds() if trees == "all" else booster.best_iteration + 1
        options["iteration_range"] = (0, end)
    if type(model).__name__ == "Booster":
        from xgboost import DMatrix

        taken = DMatrix(taken, feature_names=model.feature_names, feature_types=model.feature_types)
    return getattr(model, method)(taken, **options)


def _forward(model: Any, taken: Floats) -> Any:
    """Return the logits of a module of torch, computed in the type of its weights.

    Of the probability that a Sigmoid at the end gives, this is the logit: above 0 where it is above one half.
    """
    import torch

    from equiproof.certify.models.importing.modules import ends_in_sigmoid

    kind = next(model.parameters()).dtype
    with torch.no_grad():
        values = model(torch.as_tensor(taken, dtype=kind)).double().numpy()
    if not ends_in_sigmoid(model):
        return values
    with np.errstate(divide="ignore"):
        return np.log(values) - np.log1p(-values)


def _plain(classes: Any) -> list[str | int]:
    """Return classes as Python's own objects."""
    return list(np.asarray(classes).tolist())


def _is_of(library: str, model: Any) -> bool:
    """Return whether an object is of a library, or derived from a class of it."""
    return any(base.__module__.partition(".")[0] == library for base in type(model).__mro__)
