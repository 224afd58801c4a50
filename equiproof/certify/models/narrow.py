"""Networks whose weights are single floats: whether single precision, in which they run, decides rows otherwise.

A network is read and committed in exact numbers. Its own library computes in the precision of its weights, and single
floats have seven digits: where raw numbers are large, or nearly equal ones are subtracted, that can change a decision.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from fractions import Fraction
from typing import Any

import numpy as np
import numpy.typing as npt

from equiproof.certify.data.dataset import Row
from equiproof.certify.models.importing.chain import Affine, Step
from equiproof.certify.models.importing.imported import Imported
from equiproof.certify.models.importing.source import Source
from equiproof.certify.models.input_matrix import input_matrix
from equiproof.certify.models.network import Integers

_DOUBLES = ("scikit-learn",)
"""The kinds of models that compute in double precision, whatever their weights are."""


def narrow_notes(source: Source, bound: Imported, rows: Sequence[Row], unused: Collection[str]) -> tuple[str, ...]:
    """Return a note where a network of single floats decides some of the raw rows otherwise than exact numbers do."""
    if not rows or source.kind in _DOUBLES or not _is_single(source.steps):
        return ()
    inputs = input_matrix(rows, bound.columns, bound.spec, units=bound.units, ranked=source.ranked, unused=unused)
    threshold = float(Fraction(bound.spec.threshold))
    narrow, wide = (_labels(source.steps, inputs, kind, threshold) for kind in (np.float32, np.float64))
    differing = np.flatnonzero(narrow != wide)
    if not len(differing):
        return ()
    note = (
        f"{len(differing):,} of {len(rows):,} rows, row {differing[0] + 1} first, are decided otherwise in single "
        "precision, which the weights are in: scale its inputs, or compute it in double precision"
    )
    return (note,)


def _is_single(steps: Sequence[Step]) -> bool:
    """Return whether every weight and bias is a single float."""
    numbers = (
        number
        for step in steps
        if isinstance(step, Affine)
        for number in (*step.biases, *(weight for row in step.rows for weight in row.values()))
    )
    return all(_single(number) for number in numbers)


def _single(number: Fraction) -> bool:
    """Return whether a number is a single float; those past the largest one become infinite."""
    with np.errstate(over="ignore"):
        near = float(np.float32(float(number)))
    return np.isfinite(near).item() and Fraction(near) == number


def _labels(steps: Sequence[Step], inputs: npt.NDArray[np.float64], kind: type[Any], threshold: float) -> Integers:
    """Return the label of each row, computed in floats of a kind."""
    values = inputs.astype(kind)
    for step in steps:
        if isinstance(step, Affine):
            weights = np.zeros((step.inputs, len(step.rows)), dtype=kind)
            for output, row in enumerate(step.rows):
                for column, weight in row.items():
                    weights[column, output] = float(weight)
            values = values @ weights + np.array([float(bias) for bias in step.biases], dtype=kind)
        else:
            values = np.maximum(values, 0)
    if values.shape[1] > 1:
        return np.asarray(np.argmax(values, axis=1), dtype=np.int64)
    return np.asarray(values[:, 0] > threshold, dtype=np.int64)
