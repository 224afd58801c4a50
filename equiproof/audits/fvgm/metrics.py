"""Group and causal fairness from the shares accepted (sections 2 and 3.4, appendix B.1), and verdicts on them.

Every metric is a number between two exact ends. A verdict compares these with the demand in fractions; where the ends
of floats lie on both sides of it, everything is computed again in whole numbers.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal

from equiproof.audits.fvgm import clauses
from equiproof.audits.fvgm.bounds import Bounds, OpenError, largest, smallest
from equiproof.audits.fvgm.clauses import Clauses
from equiproof.audits.fvgm.committed import Committed
from equiproof.audits.fvgm.linear import Linear
from equiproof.audits.fvgm.network import Group, Network
from equiproof.audits.fvgm.programme import MAX_CELLS, Arithmetic, acceptance
from equiproof.certify.many.point import Verdict

Classifier = Linear | Clauses | Committed

Demand = Literal["at least", "at most"]
Limit = tuple[Fraction, Demand]


@dataclass(frozen=True)
class Shares:
    """The share of every compound group that is accepted."""

    groups: tuple[dict[str, str], ...]
    accepted: tuple[Bounds, ...]

    @property
    def most(self) -> Bounds:
        """The share of the most favored group."""
        return largest(list(self.accepted))

    @property
    def least(self) -> Bounds:
        """The share of the least favored group."""
        return smallest(list(self.accepted))

    @property
    def most_favored(self) -> dict[str, str]:
        """The most favored group: of those whose bounds overlap, the first with the largest lower end."""
        return self.groups[max(range(len(self.groups)), key=lambda index: self.accepted[index].low)]

    @property
    def least_favored(self) -> dict[str, str]:
        """The least favored group: of those whose bounds overlap, the first with the smallest upper end."""
        return self.groups[min(range(len(self.groups)), key=lambda index: self.accepted[index].high)]

    @property
    def distinguishable(self) -> bool:
        """Whether the most favored group is known."""
        best = self.groups.index(self.most_favored)
        others = [bounds.high for index, bounds in enumerate(self.accepted) if index != best]
        return self.accepted[best].exact or all(high < self.accepted[best].low for high in others)


def share(
    model: Classifier,
    network: Network,
    group: Group,
    *,
    mediators: Collection[str] = (),
    favored: Group | None = None,
    arithmetic: Arithmetic = "float",
    max_cells: int = MAX_CELLS,
) -> Bounds:
    """Return Pr[accepted | group] of any kind of classifier; parameters and errors are those of `acceptance`."""
    if isinstance(model, Committed):
        return model.acceptance(network, group, mediators=mediators, favored=favored, exact=arithmetic == "exact")
    if isinstance(model, Clauses):
        return clauses.acceptance(model, network, group, mediators=mediators, favored=favored)
    return acceptance(
        model, network, group, mediators=mediators, favored=favored, arithmetic=arithmetic, max_cells=max_cells
    )


def shares(
    model: Classifier,
    network: Network,
    groups: Sequence[Group] | None = None,
    *,
    mediators: Collection[str] = (),
    favored: Group | None = None,
    arithmetic: Arithmetic = "float",
    max_cells: int = MAX_CELLS,
) -> Shares:
    """Return the share of every group, or of those named; parameters and errors are those of :func:`share`."""
    selected = [dict(group) for group in (network.groups() if groups is None else groups)]
    bounds = (
        share(model, network, group, mediators=mediators, favored=favored, arithmetic=arithmetic, max_cells=max_cells)
        for group in selected
    )
    return Shares(tuple(selected), tuple(bounds))


def disparate_impact(shares: Shares) -> Bounds:
    """Return the share of the least over that of the most favored group; 1 if no group is accepted at all."""
    return shares.least.ratio(shares.most)


def statistical_parity(shares: Shares) -> Bounds:
    """Return the largest difference of two groups' shares."""
    low = max(shares.most.low - shares.least.high, Fraction(0))
    return Bounds(low, shares.most.high - shares.least.low)


def equalized_odds(negatives: Shares, positives: Shares) -> Bounds:
    """Return the larger of the differences of false and of true positive rates.

    The shares are those under the distributions given label 0 and given label 1.
    """
    return largest([statistical_parity(negatives), statistical_parity(positives)])


def path_specific(
    model: Classifier,
    network: Network,
    mediators: Collection[str],
    groups: Sequence[Group] | None = None,
    *,
    arithmetic: Arithmetic = "float",
    max_cells: int = MAX_CELLS,
) -> tuple[dict[str, str], Shares]:
    """Return the most favored group a_max, and every group's share where mediators are those of a_max.

    A mediator reads its sensitive parents as a_max; all other features read them as the group. In a network that was
    learned with these mediators, no other feature leads into one, and their joint distribution is that given a_max.
    """
    base = shares(model, network, groups, arithmetic=arithmetic, max_cells=max_cells)
    if not base.distinguishable:
        base = shares(model, network, groups, arithmetic="exact", max_cells=max_cells)
    favored = base.most_favored
    by_group = shares(
        model, network, groups, mediators=mediators, favored=favored, arithmetic=arithmetic, max_cells=max_cells
    )
    return favored, by_group


@dataclass(frozen=True)
class Judgement:
    """A metric, the demand on it in words, the verdict, and the reason if it is undecided."""

    value: Bounds | None
    demand: str
    verdict: Verdict
    reason: str | None = None


def judged(measure: Callable[[Arithmetic], Bounds], limit: Fraction, demand: Demand) -> Judgement:
    """Compare a metric with a limit: in floats with their bounds, and exactly if these do not settle it."""
    words = f"{demand} {limit}"
    value: Bounds | None = None
    arithmetics: tuple[Arithmetic, ...] = ("float", "exact")
    for arithmetic in arithmetics:
        try:
            value = measure(arithmetic)
        except OpenError as error:
            return Judgement(value, words, "undecided", str(error))
        verdict = _compared(value, limit, demand)
        if verdict != "undecided":
            return Judgement(value, words, verdict)
    return Judgement(value, words, "undecided", "the bounds lie on both sides of the demand")


def _compared(value: Bounds, limit: Fraction, demand: Demand) -> Verdict:
    """Return the verdict if the bounds lie on one side."""
    if demand == "at least":
        return "fair" if value.low >= limit else "unfair" if value.high < limit else "undecided"
    return "fair" if value.high <= limit else "unfair" if value.low > limit else "undecided"
