"""Reports for people: a table, a summary in words, and a plot."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from equiproof.audits.records import SMALL, Cell, Estimate, ReportFields, Table
from equiproof.certify.many.point import Assignment, Verdict

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

VERDICTS: tuple[Verdict, ...] = ("fair", "unfair", "undecided")
COLORS = {"fair": "#4477aa", "unfair": "#cc3311", "undecided": "#bbbbbb"}
_BARS = 12
_LISTED = 30
"""The most estimates that a summary lists in full; beyond this, those of small groups are only counted."""
_ROWS, _COLUMNS = 6, 3
"""The largest table that a summary shows; larger ones are in the report only."""


def frame(report: ReportFields) -> pd.DataFrame:
    """Return one line per finding: subject, row, group in words, verdict, bounds, reason, seconds, own columns."""
    import pandas as pd

    own = list(dict.fromkeys(name for finding in report.findings for name in finding.values))
    columns = ["subject", "row", "group", "verdict", "lower", "upper", "reason", "seconds", *own]
    lines: list[dict[str, Any]] = [
        {
            "subject": finding.subject,
            "row": finding.row,
            "group": in_words(finding.group),
            "verdict": finding.verdict,
            "lower": finding.lower,
            "upper": finding.upper,
            "reason": finding.reason,
            "seconds": finding.seconds,
        }
        | finding.values
        for finding in report.findings
    ]
    return pd.DataFrame(lines, columns=columns).astype({"row": "Int64", "lower": "float64", "upper": "float64"})


def summary(report: ReportFields) -> str:
    """Return the verdict, the number of findings by verdict, estimates, small tables and notes as text."""
    head = f"{report.audit}: {report.model.spec_name}"
    measured = report.findings or report.estimates
    lines = [f"{head}: {report.verdict or 'measured, without a verdict'}" if report.verdict or measured else head]
    if report.reason:
        lines.append(f"  {report.reason}")
    counts = {verdict: len(report.having(verdict)) for verdict in VERDICTS}
    total = len(report.findings)
    lines += [f"  {verdict:<11}{count} ({count / total:.1%})" for verdict, count in counts.items() if count]
    listed, small = _listed(report.estimates)
    if listed:
        width = max(len(_title(estimate)) for estimate in listed)
        lines += [f"  {_title(estimate):<{width}}  {estimate_text(estimate)}" for estimate in listed]
    if small:
        lines.append(f"  and {small} estimates of groups of fewer than {SMALL} rows, listed in the report")
    for table in report.tables:
        if len(table.rows) <= _ROWS and len(table.columns) <= _COLUMNS:
            lines += [f"  {table.caption}", *(f"    {line}" for line in _in_columns(table))]
    return "\n".join([*lines, *(f"  {note}" for note in report.notes)])


def _listed(estimates: Sequence[Estimate]) -> tuple[Sequence[Estimate], int]:
    """Return the estimates that a summary lists, and the number of small groups left out."""
    if len(estimates) <= _LISTED:
        return estimates, 0
    kept = [estimate for estimate in estimates if not (estimate.group and estimate.small)]
    return kept, len(estimates) - len(kept)


def _in_columns(table: Table) -> list[str]:
    """Return a table's lines, its columns below their names."""
    cells = [table.columns, *([_cell(value) for value in row] for row in table.rows)]
    widths = [max(len(line[place]) for line in cells) for place in range(len(table.columns))]
    return ["  ".join(f"{text:<{width}}" for text, width in zip(line, widths, strict=True)).rstrip() for line in cells]


def _cell(value: Cell) -> str:
    """Write a cell."""
    return "-" if value is None else f"{value:.4g}" if isinstance(value, float) else str(value)


def estimate_text(estimate: Estimate) -> str:
    """Return an estimate as "0.25 (0.19 to 0.32, n = 120)", marked if the group is small."""
    if estimate.value is None:
        return f"- (n = {estimate.n})"
    ends = "" if estimate.lower is None or estimate.upper is None else f"{estimate.lower:.4g} to {estimate.upper:.4g}, "
    return f"{estimate.value:.4g} ({ends}n = {estimate.n}{', small' if estimate.small else ''})"


def in_words(group: Assignment) -> str:
    """Return a group as "sex = female, race = white", and an empty text for all rows."""
    return ", ".join(f"{name} = {value}" for name, value in group)


def plot(report: ReportFields, axes: Axes | None = None) -> Figure:
    """Draw estimates by group, or the bounds of the findings as intervals in the order of their lower ends."""
    from matplotlib.figure import Figure

    if axes is None:
        axes = Figure(figsize=(8, 4), layout="constrained").subplots()
    shown = [estimate for estimate in report.estimates if estimate.value is not None]
    if shown:
        _draw_estimates(axes, shown)
    else:
        _draw_bounds(axes, report)
    axes.set_title(f"{report.audit}: {report.model.spec_name}")
    figure = axes.get_figure(root=True)
    if figure is None:
        raise ValueError("axes belong to no figure")
    return figure


def _draw_estimates(axes: Axes, shown: Sequence[Estimate]) -> None:
    """Draw the first estimates as points with intervals; the axis label states how many are left out."""
    for place, estimate in enumerate(shown[:_BARS]):
        value = estimate.value or 0.0
        lower, upper = estimate.lower, estimate.upper
        if lower is not None and upper is not None:
            axes.hlines(place, lower, upper, color="#4477aa", linewidth=2)
        axes.plot(value, place, "o", color="#4477aa" if not estimate.small else "#bbbbbb")
    axes.set_yticks(range(len(shown[:_BARS])), [_title(estimate) for estimate in shown[:_BARS]])
    axes.invert_yaxis()
    more = f", {len(shown) - _BARS} more in the table" if len(shown) > _BARS else ""
    axes.set_xlabel(f"value with its interval{more}")


def _draw_bounds(axes: Axes, report: ReportFields) -> None:
    """Draw the bounds of each finding; a finding with one known end is drawn as a single mark."""
    known = [finding for finding in report.findings if finding.lower is not None or finding.upper is not None]
    known.sort(key=lambda finding: finding.lower if finding.lower is not None else finding.upper or 0.0)
    for place, finding in enumerate(known):
        ends = [end for end in (finding.lower, finding.upper) if end is not None]
        axes.plot(ends, [place] * len(ends), "|-", color=COLORS[finding.verdict])
    axes.set(xlabel=report.measures or "bounds", ylabel="findings, in order")


def _title(estimate: Estimate) -> str:
    """Return measure and group."""
    return f"{estimate.measure}, {in_words(estimate.group)}" if estimate.group else estimate.measure
