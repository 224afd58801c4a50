"""`equiproof audit`: plug-ins that examine a committed model in plaintext, and their reports."""

from __future__ import annotations

import inspect
import sys
import textwrap
from collections.abc import Collection, Mapping, Sequence
from contextlib import redirect_stdout
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import msgspec
import typer

from equiproof.circuits import exit_codes
from equiproof.cli import steps
from equiproof.cli.auditing import Split, Subject
from equiproof.cli.commands import audit_compare, audit_pack, audit_page
from equiproof.cli.commands.columns import aligned
from equiproof.cli.commands.common import DataDir, Force, Json, refuse_missing, split_names, tell
from equiproof.cli.console import bars, width

if TYPE_CHECKING:
    from equiproof.audits.plugin import Audit, Broken, Option
    from equiproof.audits.runner import AuditRun

app = typer.Typer(
    no_args_is_help=True,
    help="Audit a model in plaintext. Audits judge how it treats groups, single people and whole domains.",
)

ALL = "all"

Names = Annotated[list[str], typer.Argument(help=f"Names from `equiproof audit list`, or {ALL}.")]
OpeningFile = Annotated[
    Path | None,
    typer.Option("--opening", help="The owner's secret opening file; reports state its commitment."),
]
Model = Annotated[
    Path | None,
    typer.Option(help="A model folder, whose data set provides the rows. Without --opening, its model is audited."),
]
Rows = Annotated[
    Path | None, typer.Option(help="Raw rows with sensitive features (JSON or CSV) instead of a data set.")
]
Label = Annotated[
    str | None, typer.Option(help="The column of --rows with the true decisions; these must be labels of the spec.")
]
DataSet = Annotated[str | None, typer.Option(help="A data set from `equiproof data list` instead of the folder's own.")]
Part = Annotated[Split, typer.Option(help="Which part of a data set.")]
Sample = Annotated[
    int | None, typer.Option(help="How many rows to use, evenly spread over the data. Default: all.", min=1)
]
Linear = Annotated[
    bool,
    typer.Option(
        "--linear",
        help="Fit a logistic regression, for audits that need one: to the data set's training rows, or to --rows with "
        "--label.",
    ),
]
Sensitive = Annotated[
    str | None,
    typer.Option(help="The sensitive features to audit, such as sex,race. Default: all of the spec's."),
]
Options = Annotated[
    list[str] | None, typer.Option("--option", help="An option of an audit, as audit.name=value; may be repeated.")
]
Seed = Annotated[int, typer.Option(help="The seed of every random choice.", min=0)]
MaxSeconds = Annotated[
    float | None, typer.Option(help="The time limit of all audits together, in seconds. Default: no limit.", min=0.0)
]
Resume = Annotated[
    Path | None, typer.Option(help="A folder that saves finished reports, so that a later run can continue.")
]
Out = Annotated[Path | None, typer.Option(help="The file for all reports (JSON).")]

_NEEDED_OPTIONS = {
    "rows": "rows of raw features, including the sensitive ones: --rows, --dataset or --model",
    "labels": "the true decision of each row: --rows with --label, --dataset or --model",
    "linear": "a linear model besides the network: --linear, with --dataset, --model, or --rows and --label",
}
"""What an audit may need, and the options that provide it."""

_EXIT_CODES = {"unfair": exit_codes.UNFAIR, "undecided": exit_codes.EXHAUSTED, None: exit_codes.OK}


@app.command("list")
def list_audits(as_json: Json = False) -> None:
    """List the installed audits, including any that fail to load."""
    from equiproof.audits.plugin import describe

    entries = [describe(name, audit) for name, audit in _installed().items()]
    rows = [
        (
            entry["name"],
            entry["version"] or "-",
            ", ".join(entry["needs"]),
            entry["about"] or f"broken: {entry['error']}",
        )
        for entry in entries
    ]
    text = aligned([("name", "version", "needs", "what it reports"), *rows]) if rows else "no audits are installed"
    tell(as_json=as_json, document={"audits": entries}, text=text)


@app.command()
def info(
    name: Annotated[str, typer.Argument(help="A name from `equiproof audit list`.")], as_json: Json = False
) -> None:
    """Show what an audit examines, what it needs, and its options."""
    from equiproof.audits.plugin import describe, find

    audit = find(name, _installed())
    tell(as_json=as_json, document=describe(name, audit), text=_description(audit))


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
    """Audit a model, and report verdicts with counterexamples.

    If an audit fails, the others continue. Exits 3 if a verdict is unfair; otherwise 4 if a verdict is undecided, an
    audit failed, or a requested audit does not apply to this model. After Ctrl-C, the files have what is finished.
    """
    from equiproof.audits.runner import InterruptedAuditsError, lacking, refuse_misnamed, run_all

    subject = Subject(opening, model, rows, label, dataset, split, sample, linear, data_dir)
    subject.refuse_misfits()
    files = audit_page.Files(out, html, results, date, force=force)
    files.refuse_misfits()
    refuse_missing(opening, model, rows, results)
    options = _options(option or [])
    features = split_names(sensitive) or ()
    audits = _installed()
    chosen = list(audits) if ALL in names else names
    refuse_misnamed(audits, chosen, options)
    with steps.step("reading model and rows"):
        context = subject.context(features, seed, max_seconds)
        certified = files.certified(context)
    # Standard output is reserved for the result: plug-ins print to standard error.
    stopped = None
    with bars(quiet=as_json) as progress, redirect_stdout(sys.stderr):
        try:
            done = run_all(context, audits, chosen, options=options, keep=resume, progress=progress)
        except InterruptedAuditsError as stop:
            if not stop.finished.reports:
                raise
            stopped = stop
            done = stop.finished
    for report in done.reports:
        steps.note(report.audit, report.seconds)
    files.write(done, context, certified, audits)
    text = _text(done, files.written, lacking(context, audits, chosen))
    tell(as_json=as_json, document=msgspec.to_builtins(done), text=text)
    if stopped is not None:
        raise stopped
    raise typer.Exit(_EXIT_CODES[done.worst(named=() if ALL in names else names)])


app.command()(audit_page.report)
app.command()(audit_compare.compare)
app.command()(audit_pack.pack)


def _installed() -> dict[str, Audit | Broken]:
    """Return the installed audits by name."""
    from equiproof.audits.plugin import installed

    with redirect_stdout(sys.stderr):
        return installed()


def _description(audit: Audit) -> str:
    """Describe an audit in words: about, docstring, needs and options."""
    lines = [f"{audit.name} {audit.version}", *_wrapped(audit.about, "  ")]
    for part in (inspect.getdoc(type(audit)) or "").split("\n\n"):
        lines += ["", *_wrapped(" ".join(part.split()), "  ")] if part else []
    needs = [_NEEDED_OPTIONS[name] for name in _NEEDED_OPTIONS if name in audit.needs]
    lines += ["", "needs besides the model", *(f"  {need}" for need in needs or ["nothing"])]
    if audit.options:
        lines += ["", f"options, as --option {audit.name}.NAME=VALUE"]
        for one in audit.options:
            lines += [f"  {one.name}: {_default(one)}", *_wrapped(one.help, "    ")]
    return "\n".join(lines)


def _default(option: Option) -> str:
    """Return the kind of an option and its default in words."""
    shown = str(option.default).lower() if isinstance(option.default, bool) else option.default
    return f"{option.kind}, {shown if shown != '' else 'empty'} by default"


def _wrapped(text: str, indent: str) -> list[str]:
    """Return a text in lines that fit a terminal of 80 columns."""
    return textwrap.wrap(text, 80, initial_indent=indent, subsequent_indent=indent)


def _options(texts: Sequence[str]) -> Mapping[str, Mapping[str, str]]:
    """Read options of audits; raises typer.BadParameter for an invalid or repeated one."""
    from equiproof.audits.errors import OptionError
    from equiproof.audits.plugin import read_options

    try:
        return read_options(texts)
    except OptionError as error:
        raise typer.BadParameter(f"--option: {error}") from None


def _text(done: AuditRun, written: Sequence[str], unmet: Collection[str]) -> str:
    """Return the summary, the options that provide unmet needs, and the files that were written."""
    lines = [
        done.summary(width()),
        *(f"to provide {words}" for need, words in _NEEDED_OPTIONS.items() if need in unmet),
    ]
    return "\n".join([*lines, "", *written] if written else lines)
