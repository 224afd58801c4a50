"""Every metric of a prepared classifier with its verdict."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from equiproof.audits.fvgm.bounds import Bounds
from equiproof.audits.fvgm.budget import OutOfTimeError, check
from equiproof.audits.fvgm.learning import CodingError
from equiproof.audits.fvgm.metrics import (
    Demand,
    Judgement,
    Limit,
    disparate_impact,
    equalized_odds,
    judged,
    path_specific,
    shares,
    statistical_parity,
)
from equiproof.audits.fvgm.network import Group, Network
from equiproof.audits.fvgm.pipeline import Prepared, PreparedValues
from equiproof.audits.fvgm.programme import Arithmetic
from equiproof.audits.gaps import IMPACT, ODDS, PARITY
from equiproof.audits.presentation import in_words

PATH = "path-specific difference"
"""The largest difference of two groups' selection rates where mediators are those of the most favored group."""


@dataclass(frozen=True)
class Demands:
    """The demands: the least disparate impact, the largest differences that are fair, and the least rows to judge by.

    Equalized odds need `rows` rows of each true label in each group.
    """

    impact: Fraction = Fraction(4, 5)
    difference: Fraction = Fraction(1, 10)
    rows: int = 1


def limits(demands: Demands, *, labelled: bool, mediated: bool) -> Mapping[str, Limit]:
    """Return the demand on each available metric, by name."""
    difference: Limit = (demands.difference, "at most")
    limits: dict[str, Limit] = {IMPACT: (demands.impact, "at least"), PARITY: difference}
    if labelled:
        limits[ODDS] = difference
    if mediated:
        limits[PATH] = difference
    return limits


def undecided(requested: Mapping[str, Limit], reason: str) -> Mapping[str, Judgement]:
    """Return undecided judgements for metrics that were not computed."""
    return {
        name: Judgement(None, f"{demand} {limit}", "undecided", reason) for name, (limit, demand) in requested.items()
    }


@dataclass(frozen=True)
class Verification:
    """The metrics of a classifier over groups; `labels` by row give equalized odds, mediators of the settings PCF.

    `deadline` is a moment of `time.monotonic` after which no further metric is begun and no network is learned.
    """

    prepared: Prepared | PreparedValues
    groups: Sequence[Group]
    labels: npt.NDArray[Any] | None = None
    demands: Demands = Demands()
    deadline: float | None = None

    @property
    def limits(self) -> Mapping[str, Limit]:
        """The demand on each metric, by name."""
        mediated = bool(self.prepared.settings.mediators)
        return limits(self.demands, labelled=self.labels is not None, mediated=mediated)

    def judgements(self) -> Mapping[str, Judgement]:
        """Return each metric's judgement by name; one past the deadline is undecided."""
        measures = {
            IMPACT: self.impact,
            PARITY: self.parity,
            ODDS: self.odds,
            PATH: self.path,
        }
        return {name: self._judged(measures[name], *limit) for name, limit in self.limits.items()}

    def impact(self, arithmetic: Arithmetic = "float") -> Bounds:
        """Return the disparate impact."""
        return disparate_impact(
            shares(self.prepared.classifier, self.prepared.network, self.groups, arithmetic=arithmetic)
        )

    def parity(self, arithmetic: Arithmetic = "float") -> Bounds:
        """Return the statistical parity difference."""
        group_shares = shares(self.prepared.classifier, self.prepared.network, self.groups, arithmetic=arithmetic)
        return statistical_parity(group_shares)

    def odds(self, arithmetic: Arithmetic = "float") -> Bounds:
        """Return equalized odds; raises CodingError where a label does not occur, or in a group in too few rows."""
        negatives, positives = (
            shares(self.prepared.classifier, network, self.groups, arithmetic=arithmetic) for network in self._by_label
        )
        return equalized_odds(negatives, positives)

    def path(self, arithmetic: Arithmetic = "float") -> Bounds:
        """Return the path-specific difference with the mediators of the settings."""
        linear = self.prepared.classifier
        network = self.prepared.network
        mediators = self.prepared.settings.mediators
        return statistical_parity(path_specific(linear, network, mediators, self.groups, arithmetic=arithmetic)[1])

    @cached_property
    def _by_label(self) -> tuple[Network, Network]:
        """The networks of the rows of each label."""
        if self.labels is None:
            raise CodingError("equalized odds need labels")
        for group in self.groups:
            own = self.prepared.rows_of(group)
            for label, what in ((0, "refused"), (1, "accepted")):
                many = int(np.count_nonzero(own & (self.labels == label)))
                if many < self.demands.rows:
                    raise CodingError(
                        f"{many} rows of {in_words(tuple(group.items()))} are {what} by their true label; "
                        f"{self.demands.rows} are needed"
                    )
        negatives, positives = (self.prepared.given(self.labels == label, self.deadline) for label in (0, 1))
        return negatives, positives

    def _judged(self, measure: Callable[[Arithmetic], Bounds], limit: Fraction, demand: Demand) -> Judgement:
        """Judge one metric within the time."""
        try:
            check(self.deadline, "metrics were computed")
            return judged(measure, limit, demand)
        except (CodingError, OutOfTimeError) as error:
            return Judgement(None, f"{demand} {limit}", "undecided", str(error))
