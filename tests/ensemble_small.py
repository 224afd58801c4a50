"""A small ensemble of income, housing and sex: trees of two features over the predicates of a small additive model."""

from __future__ import annotations

import random

from equiproof.certify.ensemble import EnsembleModel
from equiproof.circuits.spec import Spec
from tests.additive_small import INCOME, additive
from tests.certify.trees.ensembles import table_of
from tests.support import LOANS

_HOUSING, _SEX = len(INCOME), len(INCOME) + 1
"""The places of the predicates of housing and of the sensitive feature."""


def ensemble(sex: int = 120, spec: Spec = LOANS) -> EnsembleModel:
    """Return the model: `sex` is what the second value of the sensitive feature adds in half of the trees."""
    rng = random.Random(7)
    trees = [
        (place, (_HOUSING, -rng.randint(50, 200), 0), (_SEX, 40, 40 + sex) if place % 2 else (place - 1, 30, 60))
        for place in range(1, len(INCOME))
    ]
    return EnsembleModel(additive(0, spec), table_of(trees))
