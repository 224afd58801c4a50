"""Counterfactual share: whose decision changes when nothing but the values of sensitive features do.

The spec lists every value that a sensitive feature has, so nothing is sampled: each person is decided once for each of
their counterparts, in exact integers.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from audits.context import AuditContext
from audits.intervals import share_between
from audits.report import Estimate, Verdict
from audits.witness import Assignment, Witness
from certify.decisions import TIE, decisions
from certify.network import QuantisedNetwork
from circuits.spec import Spec

MEASURE = "counterfactual share"

_AT_A_TIME = 1 << 16
"""How many inputs are held at once."""


def counterfactual_share(
    network: QuantisedNetwork,
    spec: Spec,
    X: Sequence[Mapping[str, Any]],
    *,
    sensitive_features: Sequence[str] = (),
) -> tuple[Estimate, ...]:
    """Return the share of people whose decision changes with `sensitive_features`, over all and by their own group.

    `X` are raw rows with the sensitive features; all of the spec's are changed by default. Who is decided by a tie
    under some value, and never two ways, is counted either way. Raises AuditError for rows that do not fit.
    """
    names = tuple(sensitive_features)
    return Counterfactuals(
        AuditContext(network=network, spec=spec, commitment="", rows=X, sensitive_features=names)
    ).shares()


@dataclass(frozen=True)
class Counterfactuals:
    """What every row of a context is decided under every slice that one of its counterparts has."""

    context: AuditContext

    @cached_property
    def labels(self) -> npt.NDArray[np.int64]:
        """The decisions, shape (rows, S): TIE where no label wins, and where the slice is no counterpart's."""
        spec = self.context.spec
        plain = np.array(self.context.queries, dtype=np.int64).reshape(len(self.context.queries), spec.plain_columns)
        table = np.array(spec.domain_table, dtype=np.int64)
        own = np.array(self.context.slices, dtype=np.int64)
        found = np.full((len(plain), len(table)), TIE, dtype=np.int64)
        done, total = 0, sum(len(self.context.counterparts[number]) for number in self.context.slices)
        for number, others in enumerate(map(np.array, self.context.counterparts)):
            people = np.flatnonzero(own == number)
            size = max(1, _AT_A_TIME // len(others))
            for first in range(0, len(people), size):
                some = people[first : first + size]
                people_first = np.repeat(plain[some], len(others), axis=0)
                inputs = np.hstack([people_first, np.tile(table[others], (len(some), 1))])
                labels = decisions(self.context.network, inputs)
                found[np.ix_(some, others)] = labels.reshape(len(some), len(others))
                done += len(inputs)
                self.context.progress(done, total)
        return found

    @property
    def own(self) -> npt.NDArray[np.int64]:
        """The decision of each row under its own sensitive values, TIE where no label wins."""
        found: npt.NDArray[np.int64] = self.labels[np.arange(len(self.labels)), list(self.context.slices)]
        return found

    @cached_property
    def verdicts(self) -> tuple[Verdict, ...]:
        """unfair: two counterparts are decided differently; undecided: a tie is all that differs."""
        return tuple(self._verdict(number) for number in range(len(self.labels)))

    def shares(self) -> tuple[Estimate, ...]:
        """Return the share of unfair rows, over all and by their own group; the undecided are counted either way."""
        shares = [self._share((), self.verdicts)]
        for group in sorted(set(self.context.groups), key=self._place):
            own = [one for one, kind in zip(self.verdicts, self.context.groups, strict=True) if kind == group]
            shares.append(self._share(group, own))
        return tuple(shares)

    def witness(self, row: int) -> Witness:
        """Return both decisions of an unfair row, numbered from 0: its own where it has one, and a counterpart's."""
        slices = (self.context.slices[row], *self.context.counterparts[self.context.slices[row]])
        decided = [number for number in slices if self.labels[row, number] != TIE]
        other = next(number for number in decided if self.labels[row, number] != self.labels[row, decided[0]])
        query = self.context.queries[row]
        cases = (self.context.case(query, decided[0]), self.context.case(query, other))
        return Witness("the same person under two values of the sensitive features gets two decisions", cases)

    def _verdict(self, row: int) -> Verdict:
        """Judge one row."""
        labels = {int(self.labels[row, number]) for number in self.context.counterparts[self.context.slices[row]]}
        if len(labels - {TIE}) > 1:
            return "unfair"
        return "undecided" if TIE in labels else "fair"

    def _place(self, group: Assignment) -> int:
        """Return where a group stands in the spec's order."""
        return self.context.slices[self.context.groups.index(group)]

    @staticmethod
    def _share(group: Assignment, verdicts: Sequence[Verdict]) -> Estimate:
        """Return the share of the unfair."""
        unfair, undecided = (sum(one == kind for one in verdicts) for kind in ("unfair", "undecided"))
        return share_between(MEASURE, unfair, unfair + undecided, len(verdicts), group=group)
