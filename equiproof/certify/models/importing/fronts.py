"""What stands before the classifier of a scikit-learn pipeline, taken apart: encoders, scalers, and calibrations."""

from __future__ import annotations

import typing
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from equiproof.certify.models.importing.attributes import as_fitted, width_of
from equiproof.certify.models.importing.calibrated import Cut, calibration_of
from equiproof.certify.models.importing.chain import Affine, identity
from equiproof.certify.models.importing.classifiers import PERCEPTRON, classes_of, is_linear
from equiproof.certify.models.importing.curves import FrontStep
from equiproof.certify.models.importing.errors import ModelImportError
from equiproof.certify.models.importing.imputers import filled_in, is_imputer, names_of, number_of
from equiproof.certify.models.importing.own_thresholds import has_threshold, inside
from equiproof.certify.models.importing.scalers import read_scaler
from equiproof.certify.models.importing.searches import chosen
from equiproof.certify.models.importing.table import Table
from equiproof.certify.models.importing.transformers import is_logarithm, logarithms_of, read_table

_MAX_NESTED = 8
"""How many pipelines, calibrations and frozen models may stand in each other."""


class Front(NamedTuple):
    """What stands in a Pipeline before its classifier: maps of numbers, and the names of those, None without names.

    `encoding` are the steps of a ColumnTransformer, `scaling` those behind it; `cut` is what a calibration makes of one
    half, or a threshold, in the classifier's own score, and `classes` are those of that model, both None without one.
    `table` says what missing values become; where the model has no names, inputs are called by their numbers there.
    """

    names: tuple[str, ...] | None
    encoding: tuple[FrontStep, ...]
    scaling: tuple[FrontStep, ...]
    table: Table
    cut: Cut | None = None
    classes: tuple[str | int, ...] | None = None

    @property
    def steps(self) -> tuple[FrontStep, ...]:
        """All steps in order."""
        return (*self.encoding, *self.scaling)


class Taken(NamedTuple):
    """A model taken apart: the named steps before its classifier, the classifier, and as of :class:`Front` the rest."""

    before: list[tuple[str, Any]]
    last: Any
    names: list[str] | None
    cut: Cut | None
    classes: tuple[str | int, ...] | None


def taken_apart(model: Any) -> Taken:
    """Return the parts of a Pipeline, of a calibrated or frozen model, or of several of these in each other.

    A threshold of its own is taken apart from a linear classifier or a network; trees keep theirs. Raises
    ModelImportError for a calibration that is not one cut of the classifier's score.
    """
    from sklearn.pipeline import Pipeline

    before: list[tuple[str, Any]] = []
    names: list[str] | None = None
    calibrated: list[Any] = []
    at_cuts: list[Any] = []
    for _ in range(_MAX_NESTED):
        model = chosen(model)
        named = getattr(model, "feature_names_in_", None)
        if names is None and named is not None and not before:
            names = list(map(str, named))
        kind = type(model)
        if kind is Pipeline:
            before += model.steps[:-1]
            model = model.steps[-1][1]
        elif kind.__module__.partition(".")[0] == "sklearn" and kind.__name__ == "FrozenEstimator":
            model = model.estimator
        elif kind.__module__.partition(".")[0] == "sklearn" and kind.__name__ == "CalibratedClassifierCV":
            calibrated.append(model)
            model = calibration_of(model).estimator
        elif has_threshold(model) and not is_stepped(taken_apart(inside(model)).last):
            at_cuts.append(model)
            model = inside(model)
        else:
            break
    if len(calibrated) > 1:
        raise ModelImportError("a calibration of a calibrated model is not read: calibrate the model inside once")
    if len(calibrated) + len(at_cuts) > 1:
        raise ModelImportError("several thresholds and calibrations in each other are not read: keep one of them")
    if at_cuts:
        return Taken(before, model, names, Cut.at(at_cuts[0], model), classes_of(at_cuts[0]))
    if not calibrated:
        return Taken(before, model, names, None, None)
    # The classifier inside may have been fitted on the numbers of the classes.
    return Taken(before, model, names, Cut.of(calibrated[0], model), classes_of(calibrated[0]))


def read_front(model: Any) -> tuple[Front, Any]:
    """Return what stands before the last step of a Pipeline, and that step; of another estimator nothing, and itself.

    Raises ModelImportError naming the step that cannot be read exactly.
    """
    before, last, names, cut, classes = taken_apart(model)
    table = Table()
    encoding: list[FrontStep] = []
    name, part = before[0] if before else ("", None)
    if type(part).__name__ == "ColumnTransformer" and type(part).__module__.startswith("sklearn."):
        table = read_table(part, f"step {name!r} (ColumnTransformer)", stepped=is_stepped(last))
        encoding = table.steps()
        names = table.names
        before = before[1:]
    elif is_imputer(part):
        with as_fitted(f"step {name!r}"):
            names, encoding, taken = _imputed(before, names, table)
        before = before[taken:]
    elif before and is_logarithm(part, f"step {name!r}"):
        if names is None:
            raise ModelImportError(f"fit it on a DataFrame: step {name!r}: fitted on a table without names of columns")
        names = logarithms_of(part, names, None, table)
        before = before[1:]
    scaling: list[FrontStep] = []
    for name, part in before:
        with as_fitted(f"step {name!r}"):
            scaling += read_scaler(part, f"step {name!r}")
    front = Front(None if names is None else tuple(names), tuple(encoding), tuple(scaling), table, cut, classes)
    return front, last


def _imputed(
    before: Sequence[tuple[str, Any]], names: list[str] | None, table: Table
) -> tuple[list[str] | None, list[FrontStep], int]:
    """Return the names and the step of an imputer that stands before all other steps, and how many steps these are.

    Logarithms right behind it are read with it, as those of a ColumnTransformer.
    """
    (name, part), *others = before
    where = f"step {name!r} (SimpleImputer)"
    count = width_of(part, where)
    filled, shows = filled_in(part, count, where)
    own = names_of(count, names)
    if len(own) != count:
        raise ModelImportError(f"{where}: fit it again: it knows {count} columns, not {len(own)}")
    if names is not None and not shows and others and is_logarithm(others[0][1], f"step {others[0][0]!r}"):
        return logarithms_of(others[0][1], own, filled, table), [identity(count, where)], 2
    for one, value in zip(own, filled, strict=True):
        table.fills.add(one, number_of(value))
    more = [table.fills.indicator(own[place]) for place in shows]
    return None if names is None else [*own, *more], [identity(count + len(more), where)], 1


def of_complete_rows(front: Front) -> Front:
    """Return a front without inputs that show where a value is missing: of a complete row they are 0."""
    shown = front.table.fills.indicators
    if not shown:
        return front
    first = typing.cast("Affine", front.encoding[0])
    kept = (
        [*range(first.inputs - len(shown))]
        if front.names is None
        else [place for place, name in enumerate(front.names) if name not in shown]
    )
    names = None if front.names is None else tuple(front.names[place] for place in kept)
    return front._replace(names=names, encoding=(first.only(kept), *front.encoding[1:]))


def has_bins(steps: Iterable[tuple[str, Any]]) -> bool:
    """Return whether some of these named steps, or a step within them, puts numbers into bins."""
    return any(_has_bins(part) for _, part in steps)


def _has_bins(part: Any) -> bool:
    """Return whether a step puts numbers into bins."""
    inner = getattr(part, "transformers_", None) or getattr(part, "steps", None)
    if inner is not None:
        return any(_has_bins(one[1]) for one in inner)
    return type(part).__name__ == "KBinsDiscretizer"


def is_stepped(last: Any) -> bool:
    """Return whether a classifier only compares the numbers that it is given: trees do."""
    return not is_linear(last) and type(last).__name__ != PERCEPTRON
