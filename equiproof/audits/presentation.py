"""Reports for people: a table, a summary in words, and a plot."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from equiproof.audits.brief import Run, brief, counts, finding_words, head
from equiproof.audits.fvgm.picture import draw as draw_influences
from equiproof.audits.leak.picture import draw as draw_copies
from equiproof.audits.measures import DASH, cell, how, interval_of, value_of
from equiproof.audits.records import SMALL_GROUP, Estimate, ReportFields, Table
from equiproof.audits.text import columns, paragraph
from equiproof.certify.digits import number
from equiproof.certify.many.point import Assignment

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

COLORS = {"fair": "#4477aa", "unfair": "#cc3311", "undecided": "#bbbbbb"}
_BARS = 12
_MAX_LISTED = 30
"""The most estimates that a summary lists in full; beyond this, those of small groups are only counted."""
_ROWS = 12
"""The most rows of a table in a summary; the report has all."""

WIDTH = 80
"""The width of a summary where no terminal says another one."""


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


def summary(report: ReportFields, width: int = WIDTH) -> str:
    """Return the outcome in words, the findings by verdict, estimates, tables and notes, in lines of this width."""
    short = brief(report)
    lines = [f"{report.audit}: {report.model.spec_name}: {short.tag}", *paragraph(short.answer, width, "  ")]
    words = finding_words(report)
    lines += [f"  {words[verdict]:<11}{number(many)} {of}" for verdict, many, of in counts(report)]
    estimates, small = _listed(report.estimates)
    lines += _indented(columns(_estimates(estimates), width - 2), "  ")
    if small:
        lines.append(f"  and {small} estimates of groups of fewer than {SMALL_GROUP} rows, listed in the report")
    if sentence := how(estimates):
        lines += paragraph(sentence, width, "  ")
    for table in report.tables:
        lines += _table(table, width)
    return "\n".join([*lines, *(line for note in report.notes for line in paragraph(f"- {note}", width, "  "))])


def run_summary(run: Run, reports: Sequence[str], width: int = WIDTH) -> str:
    """Return the summaries of a run's reports, and after them what they come to: a claim, answers, what to do next."""
    first = head(run)
    lines = ["In short", *(line for text in first.compared for line in paragraph(text, width, "  "))]
    lines += [*paragraph(first.claim, width, "  "), *paragraph(first.below, width, "  ")]
    for one in first.briefs:
        lines += ["", f"{one.audit}: {one.tag}", *paragraph(one.question, width, "  ")]
        lines += paragraph(one.answer, width, "  ")
        lines += _indented(columns([[figure.value, figure.what] for figure in one.figures], width - 4), "    ")
    if first.steps:
        lines += ["", "What to do next"]
        steps = [f"{place}. {step}" for place, step in enumerate(first.steps, 1)]
        lines += [line for step in steps for line in paragraph(step, width, "  ")]
    return "\n\n".join([*reports, "\n".join(lines)])


def _listed(estimates: Sequence[Estimate]) -> tuple[Sequence[Estimate], int]:
    """Return the estimates that a summary lists, and the number of small groups left out."""
    if len(estimates) <= _MAX_LISTED:
        return estimates, 0
    large = [estimate for estimate in estimates if not (estimate.group and estimate.small)]
    return large, len(estimates) - len(large)


def _estimates(estimates: Sequence[Estimate]) -> list[list[str]]:
    """Return estimates by measure: a line for all, and one below it for each group."""
    measures: dict[str, list[Estimate]] = {}
    for estimate in estimates:
        measures.setdefault(estimate.measure, []).append(estimate)
    lines = []
    for measure, rows in measures.items():
        whole = [one for one in rows if not one.group]
        lines += [[measure, *_numbers(one)] for one in whole] or [[measure, "", "", ""]]
        lines += [[f"  {in_words(one.group)}", *_numbers(one)] for one in rows if one.group]
    return lines


def _numbers(estimate: Estimate) -> list[str]:
    """Return the value of an estimate, its interval, and how many rows it rests on."""
    ends = interval_of(estimate)
    rows = f"n = {number(estimate.n)}{', small' if estimate.small and estimate.n else ''}"
    return [value_of(estimate), "" if ends == DASH else f"({ends})", rows]


def _table(table: Table, width: int) -> list[str]:
    """Return a table of any width; of a long one the first rows."""
    places = [place for place in range(len(table.columns)) if any(row[place] is not None for row in table.rows)]
    lines = paragraph(table.caption, width, "  ")
    if not table.rows:
        return [*lines, "    no row: the audit found nothing to list here"]
    names = [table.columns[place] for place in places]
    rows = [[cell(row[place], table.columns[place], str(row[0])) for place in places] for row in table.rows[:_ROWS]]
    lines += _indented(columns(rows, width - 4, names), "    ")
    if (more := len(table.rows) - _ROWS) > 0:
        lines.append(f"    and {number(more)} more {'row' if more == 1 else 'rows'} in the report")
    return lines


def _indented(lines: Sequence[str], indent: str) -> list[str]:
    """Return lines that begin with blanks."""
    return [f"{indent}{line}" for line in lines]


def in_words(group: Assignment) -> str:
    """Return a group as "sex = female, race = white", and an empty text for all rows."""
    return ", ".join(f"{name} = {value}" for name, value in group)


def plot(report: ReportFields, axes: Axes | None = None) -> Figure:
    """Draw curves of copies, influences that add up, estimates by group, or bounds of findings by their lower ends.

    The first of these that the report has is drawn.
    """
    from matplotlib.figure import Figure

    if axes is None:
        axes = Figure(figsize=(8, 4), layout="constrained").subplots()
    estimates = [estimate for estimate in report.estimates if estimate.value is not None]
    if not draw_copies(axes, report) and not draw_influences(axes, report):
        if estimates:
            _draw_estimates(axes, estimates)
        else:
            _draw_bounds(axes, report)
    axes.set_title(f"{report.audit}: {report.model.spec_name}")
    figure = axes.get_figure(root=True)
    if figure is None:
        raise ValueError("axes belong to no figure")
    return figure


def _draw_estimates(axes: Axes, estimates: Sequence[Estimate]) -> None:
    """Draw the first estimates as points with intervals; the axis label states how many are left out."""
    for place, estimate in enumerate(estimates[:_BARS]):
        value = estimate.value or 0.0
        lower = estimate.lower
        upper = estimate.upper
        if lower is not None and upper is not None:
            axes.hlines(place, lower, upper, color="#4477aa", linewidth=2)
        axes.plot(value, place, "o", color="#4477aa" if not estimate.small else "#bbbbbb")
    axes.set_yticks(range(len(estimates[:_BARS])), [_title(estimate) for estimate in estimates[:_BARS]])
    axes.invert_yaxis()
    more = f", {len(estimates) - _BARS} more in the table" if len(estimates) > _BARS else ""
    axes.set_xlabel(f"value with its interval{more}")


def _draw_bounds(axes: Axes, report: ReportFields) -> None:
    """Draw the bounds of each finding; a finding with one known end is drawn as a single mark."""
    findings = [finding for finding in report.findings if finding.lower is not None or finding.upper is not None]
    findings.sort(key=lambda finding: finding.lower if finding.lower is not None else finding.upper or 0.0)
    for place, finding in enumerate(findings):
        ends = [end for end in (finding.lower, finding.upper) if end is not None]
        axes.plot(ends, [place] * len(ends), "|-", color=COLORS[finding.verdict])
    axes.set(xlabel=report.measures or "bounds", ylabel="findings, in order")


def _title(estimate: Estimate) -> str:
    """Return measure and group."""
    return f"{estimate.measure}, {in_words(estimate.group)}" if estimate.group else estimate.measure
