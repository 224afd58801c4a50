"""Every metric of a prepared classifier with its verdict."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any, Literal

import numpy.typing as npt

from audits.fvgm.bounds import Bounds
from audits.fvgm.learning import CodingError
from audits.fvgm.metrics import (
    Judgement,
    disparate_impact,
    equalized_odds,
    judged,
    path_specific,
    shares,
    statistical_parity,
)
from audits.fvgm.network import Group, Network
from audits.fvgm.pipeline import Prepared
from audits.fvgm.programme import Arithmetic


@dataclass(frozen=True)
class Demands:
    """What is fair: a disparate impact of at least one, differences of at most the other."""

    impact: Fraction = Fraction(4, 5)
    difference: Fraction = Fraction(1, 10)


@dataclass(frozen=True)
class Verification:
    """The metrics of a classifier over groups; `labels` by row give equalized odds, mediators of the settings PCF.

    `deadline` is a moment of `time.monotonic` after which nothing more is computed.
    """

    prepared: Prepared
    groups: Sequence[Group]
    labels: npt.NDArray[Any] | None = None
    demands: Demands = Demands()
    deadline: float | None = None

    def judgements(self) -> Mapping[str, Judgement]:
        """Return each metric's judgement by name; one past the deadline is undecided."""
        difference = self.demands.difference
        found = {"disparate impact": self._judged(self.impact, self.demands.impact, "at least")}
        found["statistical parity"] = self._judged(self.parity, difference, "at most")
        if self.labels is not None:
            found["equalized odds"] = self._judged(self.odds, difference, "at most")
        if self.prepared.settings.mediators:
            found["path-specific causal fairness"] = self._judged(self.path, difference, "at most")
        return found

    def impact(self, arithmetic: Arithmetic = "float") -> Bounds:
        """Return the disparate impact."""
        return disparate_impact(shares(self.prepared.linear, self.prepared.network, self.groups, arithmetic=arithmetic))

    def parity(self, arithmetic: Arithmetic = "float") -> Bounds:
        """Return the statistical parity difference."""
        found = shares(self.prepared.linear, self.prepared.network, self.groups, arithmetic=arithmetic)
        return statistical_parity(found)

    def odds(self, arithmetic: Arithmetic = "float") -> Bounds:
        """Return equalized odds; raises CodingError where a label does not occur."""
        negatives, positives = (
            shares(self.prepared.linear, network, self.groups, arithmetic=arithmetic) for network in self._by_label
        )
        return equalized_odds(negatives, positives)

    def path(self, arithmetic: Arithmetic = "float") -> Bounds:
        """Return the path-specific difference with the mediators of the settings."""
        linear, network, mediators = self.prepared.linear, self.prepared.network, self.prepared.settings.mediators
        return statistical_parity(path_specific(linear, network, mediators, self.groups, arithmetic=arithmetic)[1])

    @cached_property
    def _by_label(self) -> tuple[Network, Network]:
        """The networks of the rows of each label."""
        if self.labels is None:
            raise CodingError("equalized odds need labels")
        return self.prepared.given(self.labels == 0), self.prepared.given(self.labels == 1)

    def _judged(
        self, measure: Callable[[Arithmetic], Bounds], limit: Fraction, demand: Literal["at least", "at most"]
    ) -> Judgement:
        """Judge one metric within the time."""
        if self.deadline is not None and time.monotonic() > self.deadline:
            return Judgement(None, f"{demand} {limit}", "undecided", "the time of the audit ended first")
        try:
            return judged(measure, limit, demand)
        except CodingError as error:
            return Judgement(None, f"{demand} {limit}", "undecided", str(error))
