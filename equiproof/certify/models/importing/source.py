"""The result of reading a model: its chain, and the names that the model contains."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from equiproof.certify.models.importing.chain import Affine, Step
from equiproof.certify.models.importing.imputers import Fills


@dataclass(frozen=True)
class Lacking:
    """A model as it takes rows that lack values: with inputs that show where, and what a missing value is at others."""

    columns: tuple[str, ...]
    steps: tuple[Step, ...]
    fills: Fills


@dataclass(frozen=True)
class Source:
    """A model as read; `name` and `sha256` are those of its file, if it has one.

    `columns` names the inputs in order, if the model does. `classes` names the classes, if the model does: one per
    logit, or for a single logit the class at or below the threshold and the class above it. `ranked` and `one_hot` have
    the values of the categories that the model encodes itself, in its order, by column; `logarithms` has by the name of
    an input the column that it is the logarithm of, and what is added to the column before. `scale` says what a single
    logit is: the logarithm of odds, a number of another kind, or what is left behind a cut that the model has itself.
    `lacking` is the same model for rows that lack values; None where it does not say what it makes of these.
    """

    kind: str
    inputs: int
    steps: tuple[Step, ...]
    columns: tuple[str, ...] | None = None
    classes: tuple[str | int, ...] | None = None
    name: str = ""
    sha256: str | None = None
    ranked: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    one_hot: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    logarithms: Mapping[str, tuple[str, str]] = field(default_factory=dict)
    scale: Literal["logit", "share", "score", "cut"] = "logit"
    lacking: Lacking | None = None

    @property
    def outputs(self) -> int:
        """The number of logits, 0 for a model without any layer."""
        return next((len(step.rows) for step in reversed(self.steps) if isinstance(step, Affine)), 0)
