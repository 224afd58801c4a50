"""What a report says of one model: metrics with verdicts, shares, influences, and other assumptions beside them.

The linear model and the committed one are described in the same form, each under its own name.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from equiproof.audits.fvgm.additive import Sizes, added
from equiproof.audits.fvgm.beside import RowMetrics, error_note, foreign_note, group_shares, shares_table
from equiproof.audits.fvgm.bounds import Bounds
from equiproof.audits.fvgm.budget import OutOfTimeError, check
from equiproof.audits.fvgm.influence import drawn as without
from equiproof.audits.fvgm.learning import fitted, independent
from equiproof.audits.fvgm.metrics import Shares, disparate_impact, shares
from equiproof.audits.fvgm.network import Group
from equiproof.audits.fvgm.pipeline import Prepared, PreparedValues
from equiproof.audits.fvgm.verification import Demands, Verification, limits, undecided
from equiproof.audits.gaps import IMPACT, PARITY
from equiproof.audits.presentation import in_words
from equiproof.audits.records import Cell, Estimate, Table

_MAX_GROUP_COLUMNS = 6
"""The most groups whose influences have a column each; of more, the most and the least favored one have."""

_VISIBLE_WIDTH = 1e-6
"""Ends that are further apart than this are listed: those of draws, and not of float rounding."""

Features = tuple[str, ...]


@dataclass(frozen=True)
class Section:
    """What is said of one model."""

    estimates: tuple[Estimate, ...]
    tables: tuple[Table, ...]
    notes: tuple[str, ...]


@dataclass(frozen=True)
class Compared:
    """What is asked of a model: groups, labels (None: unknown), demands, sets of features, and the time limit.

    `sizes` are those of influences that add up.
    """

    groups: Sequence[Group]
    labels: npt.NDArray[Any] | None
    demands: Demands
    subsets: Sequence[Features] = ()
    deadline: float | None = None
    sizes: Sizes = field(default_factory=Sizes)


def nothing(model: str, request: Compared, error: OutOfTimeError, *, mediated: bool) -> Section:
    """Return the section of a model for which time ended before any share was known: every metric is undecided."""
    demands = limits(request.demands, labelled=request.labels is not None, mediated=mediated)
    table = RowMetrics(model, {}).table(undecided(demands, str(error)))
    return Section((), (table,), (f"nothing was verified of the {model}: {error}",))


def section(
    model: str, prepared: Prepared | PreparedValues, accepted: npt.NDArray[np.bool_], request: Compared
) -> Section:
    """Return what is said of a model; `accepted` are its own decisions on the rows. Raises OutOfTimeError."""
    classifier = prepared.classifier
    network = prepared.network
    base = shares(classifier, network, request.groups)
    verification = Verification(prepared, request.groups, request.labels, request.demands, request.deadline)
    judgements = verification.judgements()
    compared = group_shares(model, prepared, base, accepted)
    metrics = RowMetrics.of(model, prepared, request.groups, accepted, request.labels)
    judgements = metrics.borne_out(judgements, verification.limits)
    notes = [prepared.choice.note, *foreign_note(model, judgements), error_note(compared)]
    tables = [metrics.table(judgements), shares_table(compared)]
    for name, table_of in (("influences of the features", _influences), ("other assumptions", _assumptions)):
        try:
            tables.append(table_of(model, prepared, base, request))
        except OutOfTimeError:
            notes.append(_late(name, model))
    try:
        own = added(model, prepared, accepted, request.groups, request.subsets, request.sizes, request.deadline)
        tables += [] if own.table is None else [own.table]
        notes += own.notes
    except OutOfTimeError:
        notes.append(_late("influences that add up", model))
    # Measure by measure, so that the groups of one measure stand below each other.
    of_groups = itertools.chain(*zip(*(one.estimates() for one in compared), strict=True))
    return Section((*of_groups, *metrics.estimates.values()), tuple(tables), tuple(notes))


def _late(name: str, model: str) -> str:
    """Return that there was no time for a table."""
    return f"{name} are not listed for the {model}: the time limit was reached first"


def _influences(model: str, prepared: Prepared | PreparedValues, base: Shares, request: Compared) -> Table:
    """Return the influence of each feature, and of the named sets, on each group's share and on the disparate impact.

    The largest influence on the disparate impact comes first. Raises OutOfTimeError past the deadline.
    """
    single = [(chance.name,) for chance in prepared.network.chances]
    names = {name for (name,) in single}
    sets = [*single, *(own for own in request.subsets if set(own) <= names and own not in single)]
    numbers = list(range(len(base.groups)))
    if len(base.groups) > _MAX_GROUP_COLUMNS:
        numbers = [base.groups.index(group) for group in (base.most_favored, base.least_favored)]
    lines: list[tuple[float, tuple[Cell, ...]]] = []
    for features in sets:
        check(request.deadline, "influences were computed")
        shares_without = shares(*without(prepared.classifier, prepared.network, features), base.groups)
        impact = disparate_impact(base) - disparate_impact(shares_without)
        parts = [base.accepted[number] - shares_without.accepted[number] for number in numbers]
        middles = [base.accepted[number].middle - shares_without.accepted[number].middle for number in numbers]
        whole = _impact_of(base) - _impact_of(shares_without)
        lines.append((-abs(whole), (", ".join(features), whole, *middles, _off([whole, *middles], [impact, *parts]))))
    ordered = tuple(line for _, line in sorted(lines, key=lambda one: (one[0], str(one[1][0]))))
    of_groups = (f"FIF on {in_words(tuple(base.groups[number].items()))}" for number in numbers)
    columns = ("features", "FIF on the disparate impact", *of_groups)
    caption = (
        f"Influence of features on the {model} (FIF): a figure, minus the figure if the model read uniform draws for "
        "them; below 0 on a share, fewer are accepted because of them"
    )
    return Table(caption, (*columns, "FIF off by at most, by draws"), ordered)


def _impact_of(shares: Shares) -> float:
    """Return the disparate impact of the shares to show."""
    middles = [one.middle for one in shares.accepted]
    return min(middles) / max(middles) if max(middles) else 1.0


def _parity_of(shares: Shares) -> float:
    """Return the statistical parity of the shares to show."""
    middles = [one.middle for one in shares.accepted]
    return max(middles) - min(middles)


def _off(influences: Sequence[float], bounds: Sequence[Bounds]) -> Cell:
    """Return how far shown influences may be off by the chance of draws; None where that is float rounding only."""
    widest = max(
        max(abs(float(one.high) - value), abs(value - float(one.low)))
        for value, one in zip(influences, bounds, strict=True)
    )
    return widest if widest > _VISIBLE_WIDTH else None


def _assumptions(model: str, prepared: Prepared | PreparedValues, base: Shares, request: Compared) -> Table:
    """Return disparate impact and parity under the network, and where features are taken to be independent.

    Verifiers before this one take features as independent, FairSquare and VeriFair, or as independent within each
    group, Justicia (Ghosh, Basu, Meel, AAAI 2021). Raises OutOfTimeError past the deadline.
    """
    coded = prepared.coded
    sensitive = prepared.sensitive
    within = fitted(coded, sensitive, dict.fromkeys(coded.names, tuple(sensitive)))
    by_assumption = {"as the network has them": base}
    for name, network in (
        ("independent within each group (Justicia)", within),
        ("independent of each other and of the group", independent(coded, sensitive)),
    ):
        check(request.deadline, "other assumptions were compared")
        by_assumption[name] = shares(prepared.classifier, network, request.groups)
    lines = [(name, _impact_of(one), _parity_of(one)) for name, one in by_assumption.items()]
    return Table(f"The {model} under other assumptions", ("features", IMPACT, PARITY), tuple(lines))
