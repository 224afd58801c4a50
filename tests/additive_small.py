"""A small additive model of income, housing and sex, whose score rises with income."""

from __future__ import annotations

from equiproof.certify.additive import AdditiveModel
from equiproof.circuits.spec import Spec
from tests.support import LOANS

INCOME = [(0, threshold) for threshold in range(-3000, 3001, 400)]


def additive(sex: int = 300, spec: Spec = LOANS) -> AdditiveModel:
    """Return the model: `sex` is what the second value of the sensitive feature adds."""
    plain = spec.plain_columns
    places = [*INCOME, (1, 200), (plain, 500)]
    return AdditiveModel(
        columns=tuple(column for column, _ in places),
        thresholds=tuple(threshold for _, threshold in places),
        jumps=(*(250 for _ in INCOME), 700, sex),
        bias=-2600,
        plain=plain,
        sensitive=spec.sensitive_columns,
        input_fraction_bits=spec.input_fraction_bits,
        value_fraction_bits=10,
    )
