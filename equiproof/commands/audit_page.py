"""The page of `equiproof audit`: what audits and certification found of one model, in one file for a browser."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from contextlib import redirect_stdout
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from platform import python_version
from typing import TYPE_CHECKING, Annotated, Any

import typer

from equiproof.commands.common import Force, Json, load_spec, tell

if TYPE_CHECKING:
    from audits.context import AuditContext
    from audits.plugin import Audit, Broken
    from audits.runner import AuditRun
    from certify.results import Results
    from circuits.spec import Spec

HtmlFile = Annotated[
    Path | None, typer.Option("--html", help="The page of everything, for a browser; it loads nothing from elsewhere.")
]
ResultsFile = Annotated[
    Path | None,
    typer.Option("--results", help="What `equiproof certify --out` wrote of the same rows: radii for the page."),
]
DateText = Annotated[
    str | None, typer.Option("--date", help="When the audits were made, as the page shall say it; nothing by default.")
]


@dataclass(frozen=True)
class Files:
    """The files of `equiproof audit run` beside its rows: reports, page, and results for the page."""

    out: Path | None
    html: Path | None
    results: Path | None
    date: str | None
    force: bool

    def certified(self, context: AuditContext) -> Results | None:
        """Read the results, if any; raises RunError and AuditError where they are none of this model and its rows.

        Before anything is run: what does not fit would be found out at the end.
        """
        from audits.html import fitting

        if self.results is not None and self.html is None:
            raise typer.BadParameter("--results is for the page: name it, --html FILE")
        found = read_results(self.results)
        if self.html is not None:
            fitting(context.model, spec=context.spec, results=found, rows=context.rows)
        return found

    def write(
        self, done: AuditRun, context: AuditContext, certified: Results | None, audits: Mapping[str, Audit | Broken]
    ) -> None:
        """Write what was asked for, readable by its owner only: it tells about the model and about applicants."""
        from prover.files import write_file

        if self.out is not None:
            write_file(self.out, done.to_json().encode(), secret=True, force=self.force)
        if self.html is not None:
            write_page(
                self.html, done, spec=context.spec, results=certified, rows=context.rows,
                audits=audits, date=self.date,
                force=self.force,
            )  # fmt: skip

    @property
    def told(self) -> list[str]:
        """Where everything is, for people."""
        told = [] if self.out is None else [f"every finding is in {self.out}"]
        return told if self.html is None else [*told, f"the page is {self.html}"]


def report(
    document: Annotated[Path, typer.Argument(help="The file that `equiproof audit run --out` wrote.")],
    html: Annotated[Path, typer.Option(help="The page, for a browser; it loads nothing from elsewhere.")],
    results: ResultsFile = None,
    spec: Annotated[
        Path | None, typer.Option(help="The spec, to show inputs as raw values; results have it, too.")
    ] = None,
    rows: Annotated[
        Path | None, typer.Option(help="The raw rows that were audited, JSON or CSV, for the applicants' cards.")
    ] = None,
    cards: Annotated[int, typer.Option(help="How many applicants get a card, the worst first.", min=0)] = 300,
    date: DateText = None,
    force: Force = False,
    as_json: Json = False,
) -> None:
    """Write the page of reports that were made before."""
    from audits.html import fitting
    from audits.plugin import found as installed
    from audits.runner import AuditRun
    from equiproof.rows import read_rows
    from prover.files import refuse_taken

    refuse_taken((html,), force=force)
    run = AuditRun.from_json(document.read_bytes(), str(document))
    certified, raw = read_results(results), [] if rows is None else read_rows(rows)
    fits = fitting(run.model, spec=None if spec is None else load_spec(spec), results=certified, rows=raw)
    # Standard output is for the result, whatever a plug-in prints.
    with redirect_stdout(sys.stderr):
        audits = installed()
    write_page(html, run, spec=fits, results=certified, rows=raw, audits=audits, date=date, cards=cards, force=force)
    tell(as_json=as_json, document={"html": str(html), "audits": len(run.reports)}, text=f"the page is {html}")


def read_results(path: Path | None) -> Results | None:
    """Read results of certification; raises RunError naming the file."""
    from certify.results import Results

    return None if path is None else Results.from_json(path.read_bytes(), str(path))


def write_page(
    html: Path,
    run: AuditRun,
    *,
    spec: Spec | None,
    results: Results | None,
    rows: Sequence[Mapping[str, Any]],
    audits: Mapping[str, Audit | Broken],
    date: str | None,
    force: bool,
    cards: int | None = None,
) -> None:
    """Write the page, readable by its owner only: it tells about the model and about applicants."""
    from audits.html import CARDS, render
    from prover.files import write_file

    page = render(
        run, spec=spec, results=results, rows=rows, date=date or "", versions=_versions(), about=_abouts(run, audits),
        cards=CARDS if cards is None else cards,
    )  # fmt: skip
    write_file(html, page.encode(), secret=True, force=force)


def _abouts(run: AuditRun, audits: Mapping[str, Audit | Broken]) -> dict[str, str]:
    """Return what installed audits say of themselves; of another version than the report's, nothing."""
    from audits.plugin import Broken

    versions = {report.audit: report.audit_version for report in run.reports}
    names = [*versions, *(failure.audit for failure in run.failures)]
    known = {name: audits[name] for name in names if name in audits}
    return {
        name: audit.about
        for name, audit in known.items()
        if not isinstance(audit, Broken) and versions.get(name, audit.version) == audit.version
    }


def _versions() -> dict[str, str]:
    """Return the programs that made the page; our own is unknown where it was not installed."""
    try:
        own = version("equiproof")
    except PackageNotFoundError:
        own = "uninstalled"
    return {"Equiproof": own, "Python": python_version()}
