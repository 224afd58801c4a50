"""scikit-learn's classifiers with a threshold of their own: what is inside, and the cut on what they decide by."""

from __future__ import annotations

from fractions import Fraction
from typing import Any, NamedTuple

from equiproof.certify.models.cuts import logit
from equiproof.certify.models.importing.errors import ModelImportError

NAMES = ("FixedThresholdClassifier", "TunedThresholdClassifierCV")


class OwnThreshold(NamedTuple):
    """A threshold, from which on the second class is decided: on its probability, or on the score."""

    value: Fraction
    by_probability: bool

    def as_logit(self, name: str) -> Fraction:
        """Return the threshold of a probability on its logit; raises ModelImportError where every row is above it."""
        if 0 < self.value < 1:
            return logit(self.value)
        raise ModelImportError(
            f"{name}: a threshold of {float(self.value):g} on its probability decides alike for every row"
        )


def has_threshold(model: Any) -> bool:
    """Return whether a model is a classifier of scikit-learn with a threshold of its own."""
    return type(model).__module__.partition(".")[0] == "sklearn" and type(model).__name__ in NAMES


def inside(model: Any) -> Any:
    """Return the fitted model inside; raises ModelImportError where there is none."""
    own = getattr(model, "estimator_", None)
    # A fixed threshold may stand on a model that was fitted before, or is frozen.
    own = getattr(model, "estimator", None) if own is None else own
    own = getattr(own, "estimator", own) if type(own).__name__ == "FrozenEstimator" else own
    if own is None or not hasattr(model, "classes_"):
        raise ModelImportError(f"{type(model).__name__}: not fitted")
    return own


def threshold_within(model: Any) -> OwnThreshold:
    """Return the threshold of a model; raises ModelImportError where it is about the first class."""
    name = type(model).__name__
    classes = model.classes_.tolist()
    positive = _positive(model)
    if positive is not None and positive != classes[1]:
        raise ModelImportError(
            f"{name}: fit it on pos_label={classes[1]!r}: its threshold is about the class {positive!r}"
        )
    by_probability = _by_probability(model)
    cut = model.best_threshold_ if name == "TunedThresholdClassifierCV" else model.threshold
    middle = Fraction(1, 2) if by_probability else Fraction(0)
    return OwnThreshold(middle if cut == "auto" else Fraction(float(cut)), by_probability)


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
