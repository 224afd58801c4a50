"""`equiproof audit compare`: the gaps of several trainings of one kind of model, with a joint confidence."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from equiproof.cli.commands.columns import aligned
from equiproof.cli.commands.common import Json, tell

if TYPE_CHECKING:
    from equiproof.audits.report import AuditReport
    from equiproof.audits.trainings import Gap

Documents = Annotated[
    list[Path], typer.Argument(help="Files from `equiproof audit run pba --out`, one for each training.")
]


def compare(documents: Documents, as_json: Json = False) -> None:
    """Compare the gaps of several trainings.

    Shows each gap of the audit `pba` in every training, and the mean with an interval: all intervals hold together with
    95 % confidence. Trainings must be audited alike, and should differ in nothing but their seed.
    """
    from equiproof.audits.trainings import compared

    reports = [_report(document) for document in documents]
    names = [str(document) for document in documents]
    gaps = compared(reports, names)
    undecided = sum(len(report.having("undecided")) for report in reports)
    document = {"trainings": names, "gaps": [_as_data(one) for one in gaps], "undecided": undecided}
    tell(as_json=as_json, document=document, text=_text(gaps, len(reports), undecided))


def _report(path: Path) -> AuditReport:
    """Read the report of a training; raises AuditError for a file without one of the audit `pba`."""
    from equiproof.audits.errors import AuditError
    from equiproof.audits.runner import AuditRun

    run = AuditRun.from_json(path.read_bytes(), str(path))
    match = next((report for report in run.reports if report.audit == "pba"), None)
    if match is None:
        raise AuditError(f"{path}: make one with `equiproof audit run pba --out`: it is no report of the audit pba")
    return match


def _as_data(gap: Gap) -> dict[str, Any]:
    """Return a gap as JSON data."""
    return {
        "measure": gap.measure,
        "group": [list(pair) for pair in gap.group],
        "values": list(gap.values),
        "n": gap.n,
        "mean": gap.mean.value,
        "lower": gap.mean.lower,
        "upper": gap.mean.upper,
        "p": gap.p,
        "differs": gap.differs and not gap.small,
    }


def _text(gaps: Sequence[Gap], trainings: int, undecided: int) -> str:
    """Return the gaps as a table, and what is claimed of them."""
    from equiproof.audits.presentation import in_words
    from equiproof.audits.records import SMALL_GROUP
    from equiproof.certify.digits import between, number, percent

    rows = [("gap", "n", "each training", "mean", "interval", "not 0")]
    for gap in gaps:
        name, _, rest = gap.measure.partition(":")
        delta = rest.rpartition(", ")[2]
        rows.append(
            (
                f"{name}, {delta}, {in_words(gap.group)}",
                number(gap.n),
                ", ".join(percent(value) for value in gap.values),
                percent(gap.mean.value),
                between(gap.mean.lower, gap.mean.upper, share=True),
                "few" if gap.small else "yes" if gap.differs else "no",
            )
        )
    claim = (
        f"with 95 % confidence, all intervals together hold the mean gaps of trainings such as these {trainings}, on "
        "these rows (Student, Bonferroni); not 0: Holm's test at 5 % for all gaps; n: the people of the smallest group"
    )
    lines = [aligned(rows), claim]
    if any(gap.small for gap in gaps):
        lines.append(
            f"few: a group has fewer than {SMALL_GROUP} people; such gaps are listed, and nothing is said of them"
        )
    if undecided:
        lines.append(f"{undecided} undecided findings count as without persistent bias")
    return "\n".join(lines)
