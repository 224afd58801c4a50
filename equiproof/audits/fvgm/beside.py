"""What the rows themselves say, beside what a classifier does under the network.

The network's shares and metrics are exact numbers about a model of the rows, or drawn from it with an interval. The
rows' own have intervals too, since other rows could have come; the distance between the two is the model error.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

import numpy as np
import numpy.typing as npt

from equiproof.audits import gaps
from equiproof.audits.fvgm.bounds import Bounds, Sampled
from equiproof.audits.fvgm.metrics import Judgement, Limit, Shares
from equiproof.audits.fvgm.network import Group
from equiproof.audits.fvgm.pipeline import Prepared, PreparedValues
from equiproof.audits.gaps import FURTHER, NOT_THESE
from equiproof.audits.intervals import rounded_down, rounded_up, share
from equiproof.audits.presentation import in_words
from equiproof.audits.records import Estimate, Table
from equiproof.certify.digits import number, percent

_SAMPLING_METHOD = "Clopper-Pearson, draws from the network"


@dataclass(frozen=True)
class GroupShares:
    """The share that a model accepts of one group: of its rows, and under the network, which encloses it.

    `model` says which one: "linear model" or "committed model".
    """

    model: str
    group: Mapping[str, str]
    rows: Estimate
    network: Bounds

    @property
    def error(self) -> float:
        """The distance between the two: what coding and network cost."""
        return abs(self.network.middle - float(self.rows.value or 0.0))

    @property
    def outside(self) -> bool:
        """Whether the network's share lies outside the interval of the rows' share."""
        return not float(self.rows.lower or 0.0) <= self.network.middle <= float(self.rows.upper or 0.0)

    def estimates(self) -> tuple[Estimate, ...]:
        """Return both shares and their distance.

        A share under the network has an interval only if it was drawn: the ends of one that was computed are those of
        float rounding, and beside a value they would look like chance.
        """
        common: dict[str, Any] = {"group": self.rows.group, "n": self.rows.n, "method": "exact", "confidence": 1.0}
        sampling: dict[str, Any] = {}
        if isinstance(self.network, Sampled):
            ends = {"lower": rounded_down(self.network.low), "upper": rounded_up(self.network.high)}
            sampling = {**ends, "n": self.network.draws, "method": _SAMPLING_METHOD, "confidence": self.network.level}
        under = f"selection rate of the {self.model} under the network"
        return (
            self.rows,
            Estimate(measure=under, value=self.network.middle, **{**common, **sampling}),
            Estimate(
                measure=f"model error of the {self.model}, the distance between the two", value=self.error, **common
            ),
        )


def group_shares(
    model: str, prepared: Prepared | PreparedValues, base: Shares, accepted: npt.NDArray[np.bool_]
) -> tuple[GroupShares, ...]:
    """Return the shares of every compared group; `accepted` is what the model itself says of each row."""
    shares = []
    for group, bounds in zip(base.groups, base.accepted, strict=True):
        own = accepted[prepared.rows_of(group)]
        measure = f"selection rate of the {model} among the rows"
        rows = share(measure, int(np.count_nonzero(own)), len(own), group=tuple(group.items()))
        shares.append(GroupShares(model, group, rows, bounds))
    return tuple(shares)


def shares_table(shares: Sequence[GroupShares]) -> Table:
    """Return the shares of every group with the ends of the network's, rounded outward."""
    rows = tuple(
        (
            in_words(one.rows.group),
            one.rows.n,
            one.rows.value,
            one.rows.lower,
            one.rows.upper,
            rounded_down(one.network.low),
            rounded_up(one.network.high),
            one.error,
        )
        for one in shares
    )
    columns = (
        "group",
        "rows",
        "rate among the rows",
        "least rate (Wilson)",
        "largest rate (Wilson)",
        "least rate under the network",
        "largest rate under the network",
        "model error",
    )
    return Table(f"Selection rates of the {shares[0].model}", columns, rows)


def error_note(shares: Sequence[GroupShares]) -> str:
    """Return what the model error is, and how large."""
    largest = max(one.error for one in shares)
    outside = sum(one.outside for one in shares)
    return (
        f"model error of the {shares[0].model} is the distance from the share of a group's rows to its share under the "
        f"network: {percent(largest, 'up')} at most; {outside} of {len(shares)} groups have a share under the network "
        "outside the interval of their rows"
    )


@dataclass(frozen=True)
class RowMetrics:
    """The metrics of a model on the rows of the compared groups, by the names of `Verification.judgements`.

    Path-specific fairness is not among them: it is about interventions, of which rows alone say nothing.
    """

    model: str
    estimates: Mapping[str, Estimate]

    @classmethod
    def of(
        cls,
        model: str,
        prepared: Prepared | PreparedValues,
        groups: Sequence[Group],
        accepted: npt.NDArray[np.bool_],
        labels: npt.NDArray[Any] | None,
    ) -> RowMetrics:
        """Count what the model accepts; groups are in the order of their values, as the audit `groups` has them.

        So both audits report one interval where they compare the same groups of the same rows.
        """
        ordered = sorted(groups, key=lambda group: tuple(group.values()))
        truth = np.zeros(len(accepted), dtype=np.int64) if labels is None else labels.astype(np.int64)
        counts = np.zeros((len(groups), 2, 2), dtype=np.int64)
        for place, group in enumerate(ordered):
            own = prepared.rows_of(group)
            np.add.at(counts[place], (truth[own], accepted[own].astype(np.int64)), 1)
        selected = counts.sum(axis=1)
        among = f"of the {model} among the rows"
        estimates = {
            gaps.IMPACT: gaps.impact(f"{gaps.IMPACT} {among}", selected),
            gaps.PARITY: gaps.parity(f"{gaps.PARITY} {among}", selected),
        }
        # A group without a true label would drop out of the odds, which the network compares for every group.
        if labels is not None and counts.sum(axis=-1).all():
            estimates[gaps.ODDS] = gaps.odds(f"{gaps.ODDS} {among}", counts)
        return cls(model, estimates)

    def borne_out(self, judgements: Mapping[str, Judgement], limits: Mapping[str, Limit]) -> Mapping[str, Judgement]:
        """Return the judgements, undecided where the rows do not bear a verdict out.

        The network's figure must meet the interval of the rows' figure and be nearer to that figure than to the demand:
        otherwise the verdict would be about the network alone. Rows say nothing of a path-specific difference, which
        falls with the others.
        """
        known = {name: self._contradiction(one, limits[name][0], name) for name, one in judgements.items()}
        foreign = any(why is not None and why.startswith(NOT_THESE) for why in known.values())
        found = {}
        for name, one in judgements.items():
            why = NOT_THESE if foreign and name not in self.estimates else known[name]
            kept = why is None or one.verdict == "undecided"
            found[name] = one if kept else replace(one, verdict="undecided", reason=why)
        return found

    def _contradiction(self, judgement: Judgement, limit: Fraction, name: str) -> str | None:
        """Say why the rows do not bear out a judgement, None where they do or say nothing."""
        own, network = self.estimates.get(name), judgement.value
        if own is None or network is None or own.value is None or own.lower is None or own.upper is None:
            return None
        if network.low > own.upper or network.high < own.lower:
            return f"{NOT_THESE}: {_shown(name, own.value)} among the rows, {_shown(name, network.middle)} under it"
        if abs(network.middle - own.value) > abs(network.middle - float(limit)):
            return FURTHER
        return None

    def table(self, judgements: Mapping[str, Judgement]) -> Table:
        """Return the metrics of the rows beside those under the network, with the verdicts on the latter."""
        rows = []
        for name, one in judgements.items():
            own = self.estimates.get(name)
            value = None if own is None else own.value
            error = None if one.value is None or value is None else abs(one.value.middle - value)
            rows.append(
                (
                    name,
                    value,
                    None if own is None else own.lower,
                    None if own is None else own.upper,
                    None if one.value is None else rounded_down(one.value.low),
                    None if one.value is None else rounded_up(one.value.high),
                    error,
                    one.demand,
                    one.verdict,
                    one.reason,
                )
            )
        columns = (
            "metric",
            "among the rows",
            "least among the rows",
            "largest among the rows",
            "least under the network",
            "largest under the network",
            "distance",
            "demand",
            "verdict under the network",
            "reason",
        )
        return Table(f"Metrics of the {self.model}", columns, tuple(rows))


def foreign_note(model: str, judgements: Mapping[str, Judgement]) -> tuple[str, ...]:
    """Return what the rest of the report is about where the network does not describe the groups."""
    names = [name for name, one in judgements.items() if one.reason is not None and one.reason.startswith(NOT_THESE)]
    if not names:
        return ()
    known = ", ".join(names)
    about = f"influences and other assumptions of the {model} are about the network alone"
    return (f"{about}: the rows contradict its {known}",)


def _shown(name: str, value: float) -> str:
    """Return a metric as people read it: the impact is a ratio, the others are in percent."""
    return number(value) if name == gaps.IMPACT else percent(value)
