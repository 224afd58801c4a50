"""A calibrated classifier of scikit-learn: the score from which its probability is above one half.

A calibration is a function of the classifier's own score, which it asks for as a decision or as a probability. It never
falls, or never rises, so that the second class is decided on one side of a single score: the one where the library's
own functions, in doubles, change their mind.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from equiproof.certify.models.importing.chain import Affine
from equiproof.certify.models.importing.classifiers import PERCEPTRON, is_linear, is_logistic
from equiproof.certify.models.importing.curves import Doubles
from equiproof.certify.models.importing.errors import ModelImportError, shown
from equiproof.certify.models.importing.ordered import first_where
from equiproof.certify.models.importing.own_thresholds import threshold_within

_NAME = "CalibratedClassifierCV"
_METHODS = ("sigmoid", "isotonic", "temperature")

SHARES = ("RandomForestClassifier", "ExtraTreesClassifier", "DecisionTreeClassifier", "ExtraTreeClassifier")
"""Trees that give a calibration the share of the second class, of which their score is the part above one half."""

DECISIONS = ("GradientBoostingClassifier", "HistGradientBoostingClassifier", "AdaBoostClassifier")
"""Trees that give a calibration their score."""

_FARTHEST = 2.0**64
_STEEP = 1024.0
"""Scores of decisions are sought up to the first number, those behind a logistic function up to the second."""


class Cut(NamedTuple):
    """The second class is decided where the classifier's score is above `end`, or with `falls` where it is below.

    `second`: it is decided at `end` itself too.
    """

    end: Fraction
    falls: bool
    second: bool = False

    @classmethod
    def of(cls, model: Any, inner: Any) -> Cut:
        """Return the cut of a calibrated model in the score of the classifier inside.

        Raises ModelImportError where the model has one label for every score, or the classifier is none that is read.
        """
        given, farthest = _given(inner)
        decide = _decided(calibration_of(model), of_shares=given is not None)
        second = decide if given is None else (lambda scores: decide(given(scores)))
        lowest, highest = second(np.array([-farthest, farthest])).tolist()
        if lowest == highest:
            raise ModelImportError(f"{_NAME}: it decides the same for every score: calibrate on rows of both classes")
        first = first_where(lambda scores: second(scores) == highest, -farthest, farthest)
        before = float(np.nextafter(first, -np.inf))
        middle = (Fraction(first) + Fraction(before)) / 2
        return cls(middle, bool(lowest))

    @classmethod
    def at(cls, model: Any, inner: Any) -> Cut:
        """Return the threshold of a classifier with one of its own, on a linear classifier or a network inside.

        Raises ModelImportError where it is about the first class, or about a probability that is no logistic function.
        """
        own = threshold_within(model)
        name = type(model).__name__
        if not own.by_probability:
            return cls(own.value, falls=False, second=True)
        if is_linear(inner) and not is_logistic(inner):
            raise ModelImportError(f"{name}: fit it with response_method='decision_function', or on a logistic model")
        return cls(own.as_logit(name), falls=False, second=True)

    def step(self, where: str) -> Affine:
        """Return the map from the classifier's score to one that is above 0 where the second class is decided."""
        sign = Fraction(-1 if self.falls else 1)
        return Affine.diagonal([sign], [-sign * self.end], where)


def calibration_of(model: Any) -> Any:
    """Return the one calibration of a model; raises ModelImportError for none, several, and other methods."""
    some = getattr(model, "calibrated_classifiers_", None)
    if some is None:
        raise ModelImportError(f"{_NAME}: not fitted")
    if len(some) != 1:
        raise ModelImportError(
            f"{_NAME}: fit it with ensemble=False, or calibrate one fitted model, FrozenEstimator(model): it is the "
            f"mean of {len(some)} calibrated models"
        )
    (one,) = some
    if model.method not in _METHODS:
        raise ModelImportError(
            f"{_NAME}: fit it with 'sigmoid' or 'isotonic': method {shown(repr(model.method))} is not read"
        )
    if len(model.classes_) != 2 or len(one.calibrators) != 1:
        raise ModelImportError(f"{_NAME}: only one decision of two classes is read")
    return one


def _decided(one: Any, *, of_shares: bool) -> Callable[[Doubles], npt.NDArray[np.bool_]]:
    """Return the function from what a calibration is given to whether the second class is decided."""
    (calibrator,) = one.calibrators

    def by_chance(values: Doubles) -> npt.NDArray[np.bool_]:
        chances = calibrator.predict(values)
        return np.asarray(chances > 1.0 - chances, dtype=np.bool_)

    def by_temperature(values: Doubles) -> npt.NDArray[np.bool_]:
        columns = [1.0 - values, values] if of_shares else [values]
        chances = calibrator.predict(np.stack(columns, axis=1))
        return np.asarray(chances[:, 1] > chances[:, 0], dtype=np.bool_)

    return by_temperature if one.method == "temperature" else by_chance


def _given(inner: Any) -> tuple[Callable[[Doubles], Doubles] | None, float]:
    """Return what a calibration is given of a classifier's score, None for the score itself, and the largest score."""
    from scipy.special import expit

    name = type(inner).__name__
    own = type(inner).__module__.partition(".")[0] == "sklearn"
    if is_linear(inner) or (own and name in DECISIONS):
        return None, _FARTHEST
    if own and name == PERCEPTRON:
        return expit, _STEEP
    if own and name in SHARES:
        return (lambda scores: scores + 0.5), 0.5
    raise ModelImportError(
        f"a {_NAME} of a {name} is not read: import the model that it calibrates, with the probability that decides, "
        "turned into one of that model's scores, as threshold"
    )
