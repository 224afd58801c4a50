"""The page of `equiproof audit`: the results of audits and certification of one model, in one file for a browser."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from contextlib import redirect_stdout
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from equiproof.circuits.tables import say
from equiproof.cli.commands.common import Force, Json, tell

if TYPE_CHECKING:
    from equiproof.audits.context import AuditContext
    from equiproof.audits.plugin import Audit, Broken
    from equiproof.audits.runner import AuditRun
    from equiproof.certify.many.results import Results
    from equiproof.circuits.spec import Spec

HtmlFile = Annotated[
    Path | None,
    typer.Option("--html", help="Where to write an HTML page of all results; it loads no other files."),
]
ResultsFile = Annotated[
    Path | None,
    typer.Option(
        "--results", help="The file from `equiproof certify --out` for the same rows; the page then shows radii."
    ),
]
DateText = Annotated[str | None, typer.Option("--date", help="The date of the audits, for the page. Default: no date.")]


@dataclass(frozen=True)
class Files:
    """The files of `equiproof audit run` besides its rows: reports, page, and results for the page."""

    out: Path | None
    html: Path | None
    results: Path | None
    date: str | None
    force: bool

    def refuse_misfits(self) -> None:
        """Raise typer.BadParameter for results that no page shows, FileExistsRefusedError for a file in the way."""
        from equiproof.circuits.files import refuse_taken

        if self.results is not None and self.html is None:
            raise typer.BadParameter("--results is for the page: add --html FILE, or leave --results out")
        refuse_taken([path for path in (self.out, self.html) if path is not None], force=self.force)

    def certified(self, context: AuditContext) -> Results | None:
        """Read the results, if any; raises RunError or AuditError unless they are of this model and its rows.

        Called before the audits run, so that a mismatch is reported at once.
        """
        from equiproof.audits.html import fitting

        results = read_results(self.results)
        if self.html is not None:
            fitting(context.model, spec=context.committed_spec, results=results, rows=context.rows)
            _refuse_other_rows(context, results)
        return results

    def write(
        self, done: AuditRun, context: AuditContext, certified: Results | None, audits: Mapping[str, Audit | Broken]
    ) -> None:
        """Write the requested files, readable by their owner only: they reveal the model and applicants."""
        from equiproof.circuits.files import write_file

        if self.out is not None:
            write_file(self.out, done.to_json().encode(), secret=True, force=self.force)
        if self.html is not None:
            write_page(
                self.html,
                done,
                spec=context.committed_spec,
                results=certified,
                rows=context.rows,
                audits=audits,
                date=self.date,
                force=self.force,
            )

    @property
    def written(self) -> list[str]:
        """The files in words."""
        lines = [] if self.out is None else [f"every finding is in {self.out}"]
        return lines if self.html is None else [*lines, say("page.written", path=str(self.html))]


def report(
    document: Annotated[Path, typer.Argument(help="The file from `equiproof audit run --out`.")],
    html: Annotated[Path, typer.Option(help="Where to write the HTML page; it loads no other files.")],
    results: ResultsFile = None,
    spec: Annotated[
        Path | None, typer.Option(help="The spec, to show inputs as raw values; not needed with --results.")
    ] = None,
    rows: Annotated[
        Path | None, typer.Option(help="The audited raw rows (JSON or CSV), to add a card for each applicant.")
    ] = None,
    cards: Annotated[int, typer.Option(help="At most how many applicants get a card, worst first.", min=0)] = 300,
    date: DateText = None,
    force: Force = False,
    as_json: Json = False,
) -> None:
    """Write the HTML page for saved reports."""
    from equiproof.audits.html import fitting
    from equiproof.audits.plugin import installed
    from equiproof.audits.runner import AuditRun
    from equiproof.certify.data.rows import read_rows
    from equiproof.circuits.files import refuse_taken
    from equiproof.circuits.spec import load_spec

    refuse_taken((html,), force=force)
    run = AuditRun.from_json(document.read_bytes(), str(document))
    certified = read_results(results)
    raw = [] if rows is None else read_rows(rows)
    fits = fitting(run.model, spec=None if spec is None else load_spec(spec), results=certified, rows=raw)
    # Standard output is reserved for the result: plug-ins print to standard error.
    with redirect_stdout(sys.stderr):
        audits = installed()
    write_page(html, run, spec=fits, results=certified, rows=raw, audits=audits, date=date, cards=cards, force=force)
    tell(
        as_json=as_json,
        document={"html": str(html), "audits": len(run.reports)},
        text=say("page.written", path=str(html)),
    )


def _refuse_other_rows(context: AuditContext, results: Results | None) -> None:
    """Raise AuditError for results of other rows than the audited ones, as far as decisions show it."""
    from equiproof.audits.html.applicants import refuse_other_rows
    from equiproof.certify.network import decide

    fair = [] if results is None else [point.row for point in results.having("fair")]
    spec = context.spec
    table = context.spec.domain_table
    label_of = {row: decide(context.network.logits((*spec.encode(context.rows[row - 1]), *table[0]))) for row in fair}
    refuse_other_rows(results, {row: None if label is None else spec.labels[label] for row, label in label_of.items()})


def read_results(path: Path | None) -> Results | None:
    """Read results of certification; raises RunError naming the file."""
    from equiproof.certify.many.results import Results

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
    """Write the page, readable by its owner only: it reveals the model and applicants."""
    from equiproof.audits.html import CARDS, render
    from equiproof.audits.html.provenance import abouts, program_versions
    from equiproof.circuits.files import write_file

    page = render(
        run,
        spec=spec,
        results=results,
        rows=rows,
        date=date or "",
        versions=program_versions(),
        about=abouts(run, audits),
        cards=CARDS if cards is None else cards,
    )
    write_file(html, page.encode(), secret=True, force=force)
