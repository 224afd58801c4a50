"""scikit-learn's classifiers with a threshold of their own: the model inside, decided from its cut on."""

from __future__ import annotations

import dataclasses
from fractions import Fraction
from typing import Any

from equiproof.certify.models.cuts import logit
from equiproof.certify.models.ensembles.ensemble import Ensemble
from equiproof.certify.models.importing.errors import ModelImportError

NAMES = ("FixedThresholdClassifier", "TunedThresholdClassifierCV")

_ROUNDING = Fraction(1, 1 << 52)
"""How far a share or a probability of the library is off at most, beside what its own sum is off."""


def inside(model: Any) -> Any:
    """Return the fitted model inside; raises ModelImportError where there is none."""
    own = getattr(model, "estimator_", None)
    # A fixed threshold may stand on a model that was fitted before, or is frozen.
    own = getattr(model, "estimator", None) if own is None else own
    own = getattr(own, "estimator", own) if type(own).__name__ == "FrozenEstimator" else own
    if own is None or not hasattr(model, "classes_"):
        raise ModelImportError(f"{type(model).__name__}: not fitted")
    return own


def at_its_cut(model: Any, ensemble: Ensemble) -> Ensemble:
    """Return the ensemble inside a classifier with a threshold, less its cut, which belongs to the second class.

    Raises ModelImportError where the threshold is about the first class, or about scores that are not read.
    """
    name = type(model).__name__
    classes = model.classes_.tolist()
    positive = _positive(model)
    if positive is not None and positive != classes[1]:
        raise ModelImportError(
            f"{name}: its threshold is about the class {positive!r}; fit it on pos_label={classes[1]!r}"
        )
    by_probability = _by_probability(model)
    cut = model.best_threshold_ if name == "TunedThresholdClassifierCV" else model.threshold
    value = (
        Fraction(1, 2) if cut == "auto" and by_probability else Fraction(0) if cut == "auto" else Fraction(float(cut))
    )
    if not by_probability:
        return _moved(ensemble, value, _ROUNDING)
    if ensemble.scale == "share":
        return _moved(ensemble, value - Fraction(1, 2), _ROUNDING)
    if ensemble.scale != "logit" or not 0 < value < 1:
        raise ModelImportError(
            f"{name}: a threshold of {float(value):g} on its probability decides alike for every row"
        )
    # A probability that is off by so much has a logit that is off by more, the nearer it is to 0 or 1.
    return _moved(ensemble, logit(value), (_ROUNDING + ensemble.ties.width) / (value * (1 - value)))


def _moved(ensemble: Ensemble, cut: Fraction, width: Fraction) -> Ensemble:
    """Return an ensemble less a cut, from which on the second class is decided."""
    ties = ensemble.ties._replace(second=True, width=max(width, ensemble.ties.width))
    return dataclasses.replace(ensemble, base=ensemble.base - cut, ties=ties, scale="cut")


def _positive(model: Any) -> Any:
    """Return the class that the threshold is about, None for the second one."""
    if type(model).__name__ == "FixedThresholdClassifier":
        return model.pos_label
    # The library has no public name for it; tests hold this against its decisions.
    return model._curve_scorer._get_pos_label()  # noqa: SLF001


def _by_probability(model: Any) -> bool:
    """Return whether the threshold is on a probability, and not on what the model decides by."""
    if model.response_method != "auto":
        return bool(model.response_method == "predict_proba")
    return hasattr(inside(model), "predict_proba")
