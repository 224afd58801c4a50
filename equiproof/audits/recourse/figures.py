"""The figures of the audit `recourse`: shares, costs and their differences between groups, each with its interval.

Who has no way has no cost that is a number. So the median is that of all who were asked, with an unlimited cost for
those without a way, and differences are of such medians and of shares. A mean is of those with a way alone, who are
other people in each group: it stands beside their share and is compared with no other mean.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import msgspec

from equiproof.audits import gaps
from equiproof.audits.intervals import Counted, mean_of, median_between, share, share_between
from equiproof.audits.records import Estimate
from equiproof.audits.recourse.asked import Answer, Group, Request, within
from equiproof.audits.recourse.told import DEPENDENT, MEAN, MEDIAN, NONE, REFUSED, WAY, gap_of
from equiproof.certify.many.point import Assignment

_TWO = 2


@dataclass(frozen=True)
class Figures:
    """The figures of one group."""

    group: Group
    answers: Sequence[Answer]

    @property
    def n(self) -> int:
        """How many were asked."""
        return len(self.answers)

    def counted(self, measure: str) -> Counted:
        """Return how many of those asked are counted, at least and at most: the undecided may be."""
        undecided = [one for one in self.answers if one.found.outcome == "undecided"]
        if measure == WAY:
            return self._counted("way", sum(one.can_have_way for one in undecided))
        if measure == NONE:
            return self._counted("none", len(undecided))
        return self._counted("dependent", sum(one.found.why == "seconds" for one in undecided))

    def _counted(self, outcome: str, open_: int) -> Counted:
        """Return the count of an outcome, with as many who may have it as well."""
        sure = sum(one.found.outcome == outcome for one in self.answers)
        return Counted(sure, sure + open_, self.n)

    def share(self, measure: str) -> Estimate:
        """Return the share of an outcome."""
        counted = self.counted(measure)
        return share_between(measure, counted.least, counted.most, self.n, group=self.group.name)

    @property
    def costs(self) -> tuple[list[float], list[float]]:
        """What the cheapest way of each costs at least, and at most: infinite where there is none, or none is known."""
        return [one.least_cost for one in self.answers], [one.most_cost for one in self.answers]

    @property
    def median(self) -> Estimate:
        """The median cost of all who were asked."""
        return median_between(MEDIAN, *self.costs, group=self.group.name)

    @property
    def mean(self) -> Estimate:
        """The mean cost of those with a way; without an interval where fewer than two differ."""
        costs = [float(one.most) for one in self.answers if one.most is not None]
        bare = Estimate(measure=MEAN, group=self.group.name, value=None, n=len(costs), method="Student")
        if not costs:
            return bare
        value = math.fsum(costs) / len(costs)
        if len(set(costs)) < _TWO:
            return msgspec.structs.replace(bare, value=value)
        found = mean_of(costs)
        return msgspec.structs.replace(bare, value=value, lower=found.lower, upper=found.upper)


def estimates(request: Request, answers: Sequence[Answer]) -> Iterator[Estimate]:
    """Yield the figures of all, of each group, and the differences between groups of enough people."""
    known = [Figures(group, within(group, answers)) for group in request.groups]
    named: dict[Assignment, Figures] = {}
    for one in known:
        # With one sensitive feature the groups of all features jointly are those of it alone.
        named.setdefault(one.group.name, one)
    for one in named.values():
        refused = sum(request.today[row] == "refused" for row in one.group.rows)
        yield share(REFUSED, refused, len(one.group.rows), group=one.group.name)
    for measure in (WAY, NONE, DEPENDENT):
        yield from (one.share(measure) for one in named.values())
    yield from (one.median for one in named.values())
    yield from (one.mean for one in named.values())
    for by in dict.fromkeys(one.group.by for one in named.values() if one.group.by):
        large = [one for one in named.values() if one.group.by == by and one.n >= request.least_rows]
        yield from _gaps(by, large)


def _gaps(by: str, groups: Sequence[Figures]) -> Iterator[Estimate]:
    """Yield the differences between groups: the higher minus the lower of two, the largest of more."""
    for measure in (WAY, NONE):
        yield gaps.shares(gap_of(measure, by), [one.counted(measure) for one in groups])
    yield gaps.medians(gap_of(MEDIAN, by), [one.costs for one in groups])
