"""Counterfactual share: the people whose decision changes when only sensitive features change.

The spec lists every value of a sensitive feature, so nothing is sampled: each person is decided once for each
counterpart, in exact integers.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from equiproof.audits.context import AuditContext
from equiproof.audits.counterexample import Counterexample
from equiproof.audits.intervals import share_between
from equiproof.audits.records import Estimate
from equiproof.certify.decisions import TIE
from equiproof.certify.many.point import Assignment, Verdict
from equiproof.certify.network import QuantisedNetwork
from equiproof.circuits.spec import Spec

MEASURE = "counterfactual share"

_BATCH_INPUTS = 1 << 16
"""The most inputs held in memory at once."""


def counterfactual_share(
    network: QuantisedNetwork,
    spec: Spec,
    X: Sequence[Mapping[str, Any]],
    *,
    sensitive_features: Sequence[str] = (),
) -> tuple[Estimate, ...]:
    """Return the share of people whose decision changes with `sensitive_features`, over all and by their own group.

    `X` are raw rows with the sensitive features; all of the spec's are changed by default. People with a tie under some
    value, but no two different decisions, are undecided: the interval covers both outcomes. Raises AuditError for rows
    that do not fit.
    """
    names = tuple(sensitive_features)
    return Counterfactuals(
        AuditContext(network=network, spec=spec, commitment="", rows=X, sensitive_features=names)
    ).shares()


@dataclass(frozen=True)
class Counterfactuals:
    """The decisions of every row of a context in every slice of its counterparts."""

    context: AuditContext

    @cached_property
    def labels(self) -> npt.NDArray[np.int64]:
        """The decisions, shape (rows, S): TIE if no label wins or the slice is not a counterpart."""
        spec = self.context.spec
        plain = np.array(self.context.queries, dtype=np.int64).reshape(len(self.context.queries), spec.plain_columns)
        table = np.array(spec.domain_table, dtype=np.int64)
        own = np.array(self.context.slices, dtype=np.int64)
        decisions = np.full((len(plain), len(table)), TIE, dtype=np.int64)
        done = 0
        total = sum(len(self.context.counterparts[number]) for number in self.context.slices)
        for number, others in enumerate(map(np.array, self.context.counterparts)):
            people = np.flatnonzero(own == number)
            size = max(1, _BATCH_INPUTS // len(others))
            for first in range(0, len(people), size):
                some = people[first : first + size]
                people_first = np.repeat(plain[some], len(others), axis=0)
                inputs = np.hstack([people_first, np.tile(table[others], (len(some), 1))])
                labels = self.context.decisions(inputs)
                decisions[np.ix_(some, others)] = labels.reshape(len(some), len(others))
                done += len(inputs)
                self.context.progress(done, total)
        return decisions

    @property
    def own(self) -> npt.NDArray[np.int64]:
        """The decision of each row under its own sensitive values, TIE if no label wins."""
        decisions: npt.NDArray[np.int64] = self.labels[np.arange(len(self.labels)), list(self.context.slices)]
        return decisions

    @cached_property
    def verdicts(self) -> tuple[Verdict, ...]:
        """The verdict of each row: unfair if two decisions differ, undecided if only a tie differs."""
        return tuple(self._verdict(number) for number in range(len(self.labels)))

    def shares(self) -> tuple[Estimate, ...]:
        """Return the share of unfair rows, over all and by group; intervals cover both outcomes of undecided rows."""
        shares = [self._share((), self.verdicts)]
        for group in sorted(set(self.context.groups), key=self._place):
            own = [one for one, kind in zip(self.verdicts, self.context.groups, strict=True) if kind == group]
            shares.append(self._share(group, own))
        return tuple(shares)

    def counterexample(self, row: int) -> Counterexample:
        """Return two different decisions of an unfair row, numbered from 0: its own, if any, and a counterpart's."""
        slices = (self.context.slices[row], *self.context.counterparts[self.context.slices[row]])
        decided = [number for number in slices if self.labels[row, number] != TIE]
        other = next(number for number in decided if self.labels[row, number] != self.labels[row, decided[0]])
        query = self.context.queries[row]
        cases = (self.context.decided_input(query, decided[0]), self.context.decided_input(query, other))
        return Counterexample("the same person under two values of the sensitive features gets two decisions", cases)

    def _verdict(self, row: int) -> Verdict:
        """Judge one row."""
        labels = {int(self.labels[row, number]) for number in self.context.counterparts[self.context.slices[row]]}
        if len(labels - {TIE}) > 1:
            return "unfair"
        return "undecided" if TIE in labels else "fair"

    def _place(self, group: Assignment) -> int:
        """Return the position of a group in the spec's order."""
        return self.context.slices[self.context.groups.index(group)]

    @staticmethod
    def _share(group: Assignment, verdicts: Sequence[Verdict]) -> Estimate:
        """Return the share of the unfair."""
        unfair, undecided = (sum(one == kind for one in verdicts) for kind in ("unfair", "undecided"))
        return share_between(MEASURE, unfair, unfair + undecided, len(verdicts), group=group)
