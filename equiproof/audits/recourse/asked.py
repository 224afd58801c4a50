"""Whom the audit `recourse` asks, and what was found: decisions of all rows, a sample of the refused, a search each."""

from __future__ import annotations

import math
import random
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Literal

import numpy as np
import numpy.typing as npt

from equiproof.audits.context import AuditContext
from equiproof.audits.errors import AuditError, NotApplicableError
from equiproof.audits.groups.grouping import groupings
from equiproof.audits.records import Cell
from equiproof.certify.boxes import BoxRoom, room_without_key
from equiproof.certify.decisions import TIE
from equiproof.certify.many.point import Assignment
from equiproof.certify.recourse.search import Recourse, search

Today = Literal["granted", "unfair", "tie", "refused"]
"""How a row is decided over all listed values: as is wanted, in two ways, with a tie, or refused for every one."""

TODAY: tuple[Today, ...] = ("granted", "unfair", "tie", "refused")

DECISION_STEPS = 100
"""The progress steps for all decisions together; each row that is asked is one more step."""

_BATCH_ROWS = 1 << 16


@dataclass(frozen=True)
class Group:
    """Rows, numbered from 0, of some value of the features `by`; all rows where both are empty."""

    by: str
    name: Assignment
    rows: tuple[int, ...]


@dataclass(frozen=True)
class Answer:
    """What was found of a row, numbered from 0."""

    row: int
    found: Recourse

    @property
    def most(self) -> Fraction | None:
        """The cost of the cheapest way that is known; None where none is."""
        return self.found.ways[0].cost if self.found.ways else None

    @property
    def can_have_way(self) -> bool:
        """Whether there is a way, or nothing rules one out."""
        if self.found.outcome == "undecided":
            return self.found.why == "seconds" or self.found.lower is not None
        return self.found.outcome == "way"

    @property
    def least(self) -> Fraction | None:
        """What no way costs less than; None where there is no way."""
        return self.found.lower or Fraction(0) if self.can_have_way else None

    @property
    def least_cost(self) -> float:
        """The same, infinite where there is no way."""
        return math.inf if self.least is None else float(self.least)

    @property
    def most_cost(self) -> float:
        """The cost of the cheapest way that is known, infinite where none is."""
        return math.inf if self.most is None else float(self.most)


@dataclass(frozen=True)
class Request:
    """A context with the options of a run, and what follows from them."""

    context: AuditContext
    chosen: Mapping[str, Cell]

    def number(self, name: str) -> float:
        """Return an option that is a number."""
        value = self.chosen[name]
        return float(value) if isinstance(value, int | float) else 0.0

    def refuse_misfits(self) -> None:
        """Raise AuditError for invalid options and rows, NotApplicableError for a spec without rules of change."""
        if not self.context.spec.has_changes:
            raise NotApplicableError(
                "have changes written into the spec, then train and commit anew: it has no rules of change "
                "(equiproof spec --changes drafts them)"
            )
        for name, least in (("rows", 0), ("seconds", 0), ("bands", 2), ("least-rows", 1)):
            if self.number(name) < least:
                raise AuditError(f"recourse: option {name}: want {least} or more, not {self.chosen[name]}")
        _ = self.wanted, self.context.slices

    @property
    def least_rows(self) -> int:
        """The least number of rows of a group that is compared with others."""
        return int(self.number("least-rows"))

    @cached_property
    def wanted(self) -> int:
        """The number of the label that the refused ask for."""
        labels, label = self.context.spec.labels, self.chosen["label"]
        if not label:
            return len(labels) - 1
        if label not in labels:
            raise AuditError(f"recourse: option label: {str(label)[:40]!r} is not one of {', '.join(labels)}")
        return labels.index(str(label))

    @cached_property
    def decisions(self) -> npt.NDArray[np.int64]:
        """The decisions of every row under every row of the spec's table, shape (rows, S)."""
        context = self.context
        spec, count = context.spec, len(context.queries)
        plain = np.array(context.queries, dtype=np.int64).reshape(count, spec.plain_columns)
        found = np.full((count, len(spec.domain_table)), TIE, dtype=np.int64)
        for number, values in enumerate(spec.domain_table):
            for first in range(0, count, _BATCH_ROWS):
                some = plain[first : first + _BATCH_ROWS]
                own = np.tile(np.array(values, dtype=np.int64), (len(some), 1))
                found[first : first + _BATCH_ROWS, number] = context.decisions(np.hstack([some, own]))
            context.progress(DECISION_STEPS * (number + 1) // len(spec.domain_table), DECISION_STEPS)
        return found

    @cached_property
    def today(self) -> tuple[Today, ...]:
        """How each row is decided."""
        return tuple(self._today(labels) for labels in self.decisions)

    def _today(self, labels: npt.NDArray[np.int64]) -> Today:
        """Return how a row with these decisions is decided."""
        known = set(labels.tolist())
        if len(known - {TIE}) > 1:
            return "unfair"
        if TIE in known:
            return "tie"
        return "granted" if known == {self.wanted} else "refused"

    @cached_property
    def drawn(self) -> tuple[int, ...]:
        """The refused rows that are asked, in the order of the draw, so that any first part is a sample as well."""
        refused = [row for row, kind in enumerate(self.today) if kind == "refused"]
        random.Random(self.context.seed).shuffle(refused)  # noqa: S311  # not a secret
        return tuple(refused[: int(self.number("rows")) or len(refused)])

    def answers(self) -> Iterator[Answer]:
        """Yield what is found of each row that is asked, until the audit's time ends."""
        room = room_without_key(self.context.decider, self.context.spec)
        deadline, seconds = self.context.deadline(), self.number("seconds") or None
        for done, row in enumerate(self.drawn, start=1):
            left = None if deadline is None else deadline - time.monotonic()
            if left is not None and left <= 0:
                return
            limits = [one for one in (left, seconds) if one is not None]
            yield Answer(row, self._search(room, row, min(limits, default=None)))
            self.context.progress(DECISION_STEPS + done, DECISION_STEPS + len(self.drawn))

    def _search(self, room: BoxRoom, row: int, seconds: float | None) -> Recourse:
        """Look for the recourse of a row."""
        context, refused = self.context, int(self.decisions[row, 0])
        return search(
            context.decider, context.spec, context.rows[row], refused, self.wanted, room, most=1, seconds=seconds
        )

    @cached_property
    def groups(self) -> tuple[Group, ...]:
        """All rows, and those of each group: by each sensitive feature alone, and by all jointly."""
        context = self.context
        found = [Group("", (), tuple(range(len(context.rows))))]
        for by, features in groupings(context, int(self.number("bands"))).items():
            members: dict[Assignment, list[int]] = {}
            for row, values in enumerate(zip(*features.values(), strict=True)):
                members.setdefault(tuple(zip(features, values, strict=True)), []).append(row)
            ranked = sorted(members.items(), key=lambda one: min(context.slices[row] for row in one[1]))
            found += [Group(by, name, tuple(rows)) for name, rows in ranked]
        return tuple(found)


def within(group: Group, answers: Sequence[Answer]) -> list[Answer]:
    """Return the answers of a group's rows."""
    own = set(group.rows)
    return [one for one in answers if one.row in own]
