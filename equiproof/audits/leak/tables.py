"""What the audit `leak` measured, as the table of its curves and as estimates."""

from __future__ import annotations

from collections.abc import Iterator

from equiproof.audits.intervals import wilson
from equiproof.audits.leak.measured import Measured
from equiproof.audits.leak.told import COLUMNS, CURVES, SOURCES, WAYS, agreement_of, spoken
from equiproof.audits.records import Cell, Estimate, Table


def table(measured: Measured) -> Table:
    """Return the curves as a table."""
    rows: list[tuple[Cell, ...]] = [
        (one.source, one.shown, point.count, point.agreement, point.claimed, point.known)
        for one in measured.series
        for point in one.points
    ]
    return Table(CURVES, COLUMNS, tuple(rows))


def estimates(measured: Measured) -> Iterator[Estimate]:
    """Yield the agreement of each curve at the count that sentences speak of, with Wilson's interval."""
    count = _count(measured)
    for one in measured.series:
        for point in one.points:
            if point.count == count:
                n = measured.held_out
                lower, upper = wilson(round(point.agreement * n), n)
                name = agreement_of(count, one.source, one.shown)
                yield Estimate(measure=name, value=point.agreement, lower=lower, upper=upper, n=n, method="Wilson")


def _count(measured: Measured) -> int | None:
    """Return the count that every curve from certificates of the rows has and sentences speak of."""
    own = [one for one in measured.series if one.source == SOURCES[0] and one.shown != WAYS]
    return spoken(set.intersection(*({point.count for point in one.points} for one in own)))
