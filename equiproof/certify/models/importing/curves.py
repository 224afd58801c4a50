"""Functions of one number that never fall, as a library computes them in doubles: what stands before trees and bins."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from equiproof.certify.models.importing.chain import Affine
from equiproof.certify.models.importing.errors import ModelImportError

Doubles = npt.NDArray[np.float64]

FARTHEST = 2.0**64
"""Curves are sought between this number and its negative; no column of a spec holds more."""


@dataclass(frozen=True, eq=False)
class Curve:
    """A function that takes an array of doubles from `low` to `high` and gives as many; it never falls.

    `edges` are those of bins: the function counts the ones that are not above a number.
    """

    compute: Callable[[Doubles], Doubles]
    low: float = -FARTHEST
    high: float = FARTHEST
    edges: tuple[float, ...] | None = None


@dataclass(frozen=True)
class Curves:
    """A step of a pipeline with a curve for each column, None for one that is passed on.

    `where` names the step, `remedy` says what to do where it cannot be read.
    """

    functions: tuple[Curve | None, ...]
    where: str
    remedy: str

    @property
    def inputs(self) -> int:
        """The number of columns, which is also that of the outputs."""
        return len(self.functions)


FrontStep = Affine | Curves
"""A step before a classifier."""


def outputs_of(step: FrontStep) -> int:
    """Return the number of columns that a step gives."""
    return len(step.rows) if isinstance(step, Affine) else step.inputs


def bins(edges: tuple[float, ...]) -> Curve:
    """Return the number of the bin that a number is in; a bin begins with its edge."""
    ascending = np.array(edges)
    return Curve(lambda values: np.searchsorted(ascending, values, side="right").astype(np.float64), edges=edges)


def only_affine(steps: tuple[FrontStep, ...]) -> tuple[Affine, ...]:
    """Return steps that are all affine; raises ModelImportError naming the first one that is not."""
    for step in steps:
        if isinstance(step, Curves):
            raise ModelImportError(f"{step.where} is read before trees only: {step.remedy}")
    return tuple(step for step in steps if isinstance(step, Affine))
