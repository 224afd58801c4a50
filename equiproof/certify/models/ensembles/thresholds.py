"""Trees with a threshold of their own, as scikit-learn wraps them: the model inside, decided from its cut on."""

from __future__ import annotations

import dataclasses
from fractions import Fraction
from typing import Any

from equiproof.certify.models.ensembles.ensemble import Ensemble
from equiproof.certify.models.importing.errors import ModelImportError
from equiproof.certify.models.importing.own_thresholds import threshold_within

_ROUNDING = Fraction(1, 1 << 52)
"""How far a share or a probability of the library is off at most, beside what its own sum is off."""


def at_its_cut(model: Any, ensemble: Ensemble) -> Ensemble:
    """Return the ensemble inside a classifier with a threshold, less its cut, which belongs to the second class.

    Raises ModelImportError where the threshold is about the first class, or about scores that are not read.
    """
    name = type(model).__name__
    own = threshold_within(model)
    if not own.by_probability:
        return _moved(ensemble, own.value, _ROUNDING)
    if ensemble.scale == "share":
        return _moved(ensemble, own.value - Fraction(1, 2), _ROUNDING)
    if ensemble.scale != "logit":
        raise ModelImportError(f"{name}: its threshold is on a probability, and the model inside has none that is read")
    cut = own.as_logit(name)
    # A probability that is off by so much has a logit that is off by more, the nearer it is to 0 or 1.
    return _moved(ensemble, cut, (_ROUNDING + ensemble.ties.width) / (own.value * (1 - own.value)))


def _moved(ensemble: Ensemble, cut: Fraction, width: Fraction) -> Ensemble:
    """Return an ensemble less a cut, from which on the second class is decided."""
    ties = ensemble.ties._replace(second=True, width=max(width, ensemble.ties.width))
    return dataclasses.replace(ensemble, base=ensemble.base - cut, ties=ties, scale="cut")
