"""`equiproof audit`: plug-ins that look at a committed model in plaintext, and their reports."""

from __future__ import annotations

import inspect
import sys
import textwrap
from collections.abc import Collection, Mapping, Sequence
from contextlib import redirect_stdout
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import msgspec
import typer

from equiproof import failures
from equiproof.auditing import Split, Subject
from equiproof.commands import audit_page
from equiproof.commands.columns import aligned
from equiproof.commands.common import DataDir, Force, Json, split_names, tell
from equiproof.console import bars

if TYPE_CHECKING:
    from audits.plugin import Audit, Broken, Option
    from audits.runner import AuditRun

app = typer.Typer(
    no_args_is_help=True,
    help="Audit a committed model in plaintext: what it does to groups, to single people, and over whole domains.",
)

ALL = "all"

Names = Annotated[list[str], typer.Argument(help=f"Audits that `equiproof audit list` names; {ALL} for every one.")]
OpeningFile = Annotated[
    Path | None,
    typer.Option("--opening", help="The owner's secret opening file; reports name the model by its commitment."),
]
Model = Annotated[
    Path | None,
    typer.Option(help="A model folder: its data set gives the rows. Without --opening, the model not yet committed."),
]
Rows = Annotated[
    Path | None, typer.Option(help="Raw rows with their sensitive features, JSON or CSV, instead of a data set.")
]
Label = Annotated[
    str | None, typer.Option(help="The column of --rows with the true decision, by its name in the spec.")
]
DataSet = Annotated[
    str | None, typer.Option(help="A data set that `equiproof data list` names, instead of the folder's own.")
]
Part = Annotated[Split, typer.Option(help="Which part of a data set.")]
Sample = Annotated[int | None, typer.Option(help="How many of the rows, evenly spread; all of them by default.", min=1)]
Linear = Annotated[
    bool,
    typer.Option(
        "--linear", help="Fit a logistic regression to the data set's training rows, for audits that need it."
    ),
]
Sensitive = Annotated[
    str | None,
    typer.Option(help="The sensitive features to look at, such as sex,race; all of the spec's by default."),
]
Options = Annotated[
    list[str] | None, typer.Option("--option", help="An option of an audit, as audit.name=value; may come many times.")
]
Seed = Annotated[int, typer.Option(help="Every random choice follows from it.", min=0)]
MaxSeconds = Annotated[float | None, typer.Option(help="The budget of each audit; endless by default.", min=0.0)]
Resume = Annotated[
    Path | None, typer.Option(help="A folder that keeps each finished report, to go on from another time.")
]
Out = Annotated[Path | None, typer.Option(help="The file of all reports (JSON).")]

_NEEDS = {
    "rows": "rows of raw features, the sensitive ones among them: --rows, --dataset or --model",
    "labels": "the true decision of each row: --label, --dataset or --model",
    "linear": "a linear model beside the network: --linear with a data set",
}
"""What an audit may need, and the words that give it."""


@app.command("list")
def list_audits(as_json: Json = False) -> None:
    """List the audits that are installed, and which of them do not load."""
    entries = [_entry(name, audit) for name, audit in _found().items()]
    rows = [
        (
            entry["name"],
            entry["version"] or "-",
            ", ".join(entry["needs"]),
            entry["about"] or f"broken: {entry['error']}",
        )
        for entry in entries
    ]
    text = aligned([("name", "version", "needs", "what it says"), *rows]) if rows else "no audits are installed"
    tell(as_json=as_json, document={"audits": entries}, text=text)


@app.command()
def info(
    name: Annotated[str, typer.Argument(help="An audit that `equiproof audit list` names.")], as_json: Json = False
) -> None:
    """Say what an audit looks at, what it needs, and which options it has."""
    from audits.errors import AuditError
    from audits.plugin import Broken

    audits = _found()
    if name not in audits:
        raise AuditError(f"no audit is called {name!r}; there are {', '.join(audits) or 'none'}")
    audit = audits[name]
    if isinstance(audit, Broken):
        raise AuditError(f"{name}: does not load: {audit.error}")
    tell(as_json=as_json, document=_entry(name, audit), text=_told(audit))


@app.command()
def run(
    names: Names,
    opening: OpeningFile = None,
    model: Model = None,
    rows: Rows = None,
    label: Label = None,
    dataset: DataSet = None,
    split: Part = "test",
    sample: Sample = None,
    linear: Linear = False,
    sensitive: Sensitive = None,
    option: Options = None,
    seed: Seed = 0,
    max_seconds: MaxSeconds = None,
    resume: Resume = None,
    out: Out = None,
    html: audit_page.HtmlFile = None,
    results: audit_page.ResultsFile = None,
    date: audit_page.DateText = None,
    data_dir: DataDir = None,
    force: Force = False,
    as_json: Json = False,
) -> None:
    """Audit a model: each audit gives a report with its verdict, witnesses and intervals.

    One that fails is reported, and the others go on. Exits 3 if any verdict is unfair, else 4 if one is undecided, an
    audit failed, or one that was named has nothing to say of this model.
    """
    from audits.runner import run_all
    from prover.files import refuse_taken

    subject = Subject(opening, model, rows, label, dataset, split, sample, linear, data_dir)
    subject.refuse_misfits()
    options, audits = _options(option or []), _found()
    chosen = list(audits) if ALL in names else names
    files = audit_page.Files(out, html, results, date, force=force)
    refuse_taken([path for path in (out, html) if path is not None], force=force)
    context = subject.context(split_names(sensitive) or (), seed, max_seconds)
    certified = files.certified(context)
    # Standard output is for the result, whatever a plug-in prints.
    with bars(quiet=as_json) as progress, redirect_stdout(sys.stderr):
        done = run_all(context, audits, chosen, options=options, keep=resume, progress=progress)
    files.write(done, context, certified, audits)
    lacking = {need for name in chosen for need in getattr(audits[name], "needs", ())} - context.has
    tell(as_json=as_json, document=msgspec.to_builtins(done), text=_text(done, files.told, lacking))
    raise typer.Exit(_code(done, () if ALL in names else names))


app.command()(audit_page.report)


def _found() -> dict[str, Audit | Broken]:
    """Return the installed audits by name."""
    from audits.plugin import found

    with redirect_stdout(sys.stderr):
        return found()


def _entry(name: str, audit: Audit | Broken) -> dict[str, Any]:
    """Return an audit as data; what is unknown of a broken one is empty."""
    from audits.plugin import Broken

    if isinstance(audit, Broken):
        return {"name": name, "version": None, "about": None, "needs": [], "options": [], "error": audit.error}
    options = [{"name": one.name, "kind": one.kind, "default": one.default, "help": one.help} for one in audit.options]
    needs = sorted(audit.needs)
    return {
        "name": name, "version": audit.version, "about": audit.about, "needs": needs, "options": options, "error": None,
    }  # fmt: skip


def _told(audit: Audit) -> str:
    """Describe an audit, with what its class says of itself."""
    lines = [f"{audit.name} {audit.version}", *_wrapped(audit.about, "  ")]
    for part in (inspect.getdoc(type(audit)) or "").split("\n\n"):
        lines += ["", *_wrapped(" ".join(part.split()), "  ")] if part else []
    needs = [_NEEDS[name] for name in _NEEDS if name in audit.needs]
    lines += ["", "needs beside the model", *(f"  {need}" for need in needs or ["nothing"])]
    if audit.options:
        lines += ["", f"options, as --option {audit.name}.NAME=VALUE"]
        for one in audit.options:
            lines += [f"  {one.name}: {_default(one)}", *_wrapped(one.help, "    ")]
    return "\n".join(lines)


def _default(option: Option) -> str:
    """Say what an option takes, and what it is where none is given."""
    shown = str(option.default).lower() if isinstance(option.default, bool) else option.default
    return f"{option.kind}, {shown if shown != '' else 'empty'} by default"


def _wrapped(text: str, indent: str) -> list[str]:
    """Return a text in lines that fit a terminal of 80 columns."""
    return textwrap.wrap(text, 80, initial_indent=indent, subsequent_indent=indent)


def _options(words: Sequence[str]) -> Mapping[str, Mapping[str, str]]:
    """Read options of audits; raises typer.BadParameter for a word that is none, or that comes twice."""
    found: dict[str, dict[str, str]] = {}
    for word in words:
        place, equals, value = word.partition("=")
        audit, dot, name = place.partition(".")
        if not (equals and dot and audit and name):
            raise typer.BadParameter(f"--option {word[:60]}: want audit.name=value, such as groups.people=50")
        if name in found.setdefault(audit, {}):
            raise typer.BadParameter(f"--option {place}: given twice")
        found[audit][name] = value
    return found


def _text(done: AuditRun, written: Sequence[str], lacking: Collection[str]) -> str:
    """Return the summary, how to give what audits lacked, and where every finding is."""
    hints = [f"to give {words}" for need, words in _NEEDS.items() if need in lacking]
    told = [done.summary(), *hints] if hints else [done.summary()]
    return "\n".join([*told, "", *written] if written else told)


def _code(done: AuditRun, named: Sequence[str]) -> int:
    """Return the exit code: unfair before what is open before done."""
    verdicts = {report.verdict for report in done.reports}
    if "unfair" in verdicts:
        return failures.UNFAIR
    # That an audit has nothing to say of a model is news only to those who asked for it by name.
    missing = [one for one in done.failures if one.outcome == "failed" or one.audit in named]
    return failures.EXHAUSTED if "undecided" in verdicts or missing else failures.OK
