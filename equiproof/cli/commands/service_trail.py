"""`equiproof service trail`: whether the record of who did what is whole, and a copy of it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from equiproof.cli.commands.common import Json, tell
from equiproof.cli.commands.service_common import USUAL, SettingsFile, note, transaction

if TYPE_CHECKING:
    from equiproof.service.trail_check import Published

app = typer.Typer(no_args_is_help=True)


@app.callback()
def _group() -> None:
    """Check and export the trail: who did what and when."""


@app.command()
def check(
    head: Annotated[
        list[str] | None,
        typer.Option("--head", metavar="NUMBER:HASH", help="A head that you kept elsewhere; repeat it for more."),
    ] = None,
    compare_log: Annotated[
        bool,
        typer.Option("--compare-log", help="Compare with the heads in the public log too; reads all of its entries."),
    ] = False,
    settings: SettingsFile = USUAL,
    as_json: Json = False,
) -> None:
    """Follow the chain of all lines, and compare it with heads that were kept elsewhere.

    Prints the newest line as a head: keep it where nobody who may write the database can reach it. Only a head, kept or
    in the public log, shows that lines at the end are missing. Exits with 2 where a line was changed or left out.
    """
    from equiproof.circuits.exit_codes import MISUSED
    from equiproof.service.trail_check import Head, checked

    heads = [Head.parse(one) for one in head or []]
    logged = _logged(settings) if compare_log else []
    with transaction(settings) as (_, session):
        found = checked(session, heads, logged)
    lines = [
        f"{'BROKEN' if found.faults else 'WHOLE'}: {found.lines} lines from line {found.first} on",
        *([f"  head {found.head}"] if found.head else []),
        *(
            [f"  {found.logged} of {len(logged)} heads in the public log are of lines of this trail"]
            if compare_log
            else []
        ),
        *([f"  {found.old} heads are of lines that were pruned"] if found.old else []),
        *(f"  - {fault}" for fault in found.faults),
    ]
    document = {
        "whole": not found.faults,
        "first": found.first,
        "lines": found.lines,
        "head": str(found.head or ""),
        "logged": found.logged if compare_log else None,
        "faults": found.faults,
    }
    tell(as_json=as_json, document=document, text="\n".join(lines))
    if found.faults:
        raise typer.Exit(MISUSED)


def _logged(path: Path) -> list[Published]:
    """Return the heads of a service in its public log; raises SettingsError without one, and as `published` does."""
    from equiproof.service.public_log import public_log
    from equiproof.service.settings import SettingsError, load_settings
    from equiproof.service.trail_heads import published

    settings = load_settings(path)
    if settings.log is None:
        raise SettingsError(
            f"{path}: write a section `log`, or leave --compare-log out: there is no log to compare with"
        )
    return published(public_log(settings.log), settings.lender.owner or settings.lender.name)


@app.command()
def export(
    out: Annotated[Path, typer.Argument(metavar="FILE", help="A file that ends in .jsonl or .csv.")],
    settings: SettingsFile = USUAL,
    as_json: Json = False,
) -> None:
    """Write the whole trail into a file.

    JSON lines hold each line as it is chained, CSV is for tables. The trail has a line of this too.
    """
    from equiproof.circuits.files import write_file
    from equiproof.service.trail import Act
    from equiproof.service.trail_check import TrailError
    from equiproof.service.trail_reading import Form, Wanted, written

    kind = out.suffix.removeprefix(".")
    if kind not in list(Form):
        raise TrailError(f"{out}: want a name that ends in .jsonl or .csv")
    with transaction(settings) as (_, session):
        note(session, Act.EXPORT, detail=f"form={kind}")
        body = written(session, Wanted(), Form(kind))
    write_file(out, body, secret=True)
    tell(as_json=as_json, document={"file": str(out)}, text=f"EXPORTED the trail to {out}")
