"""`equiproof audit pack`: the evidence on a committed model for its validators, as a document and a model card."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from equiproof.cli.commands.audit_page import DateText
from equiproof.cli.commands.common import Force, Json, tell

if TYPE_CHECKING:
    from equiproof.audits.pack.later import Later
    from equiproof.audits.runner import AuditRun

DOCUMENT, CARD = "validation.html", "model-card.cdx.json"


def pack(
    document: Annotated[Path, typer.Argument(help="The file from `equiproof audit run --out`.")],
    commitment: Annotated[Path, typer.Option(help="The published commitment of the audited model.")],
    out: Annotated[Path, typer.Option("--out", help=f"The folder for {DOCUMENT} and {CARD}.")],
    later: Annotated[
        list[Path] | None,
        typer.Option(help="The file from `equiproof audit run groups --out` on later rows; may be repeated."),
    ] = None,
    certified: Annotated[
        list[Path] | None, typer.Option(help="The file from `equiproof certify --out` on later rows; may be repeated.")
    ] = None,
    date: DateText = None,
    force: Force = False,
    as_json: Json = False,
) -> None:
    """Write the evidence on a model for those who validate it.

    A document to print, with what the model is, how it compares with your own decisions, what audits found, what
    certificates give away, what none of it shows, and what is watched later; and a model card (CycloneDX 1.6) for
    inventories. What was not looked at is named in both. Applicants are row numbers, without their data.
    """
    from equiproof.audits.html.provenance import program_versions
    from equiproof.audits.html.validation import render
    from equiproof.audits.pack import card, content
    from equiproof.audits.runner import AuditRun
    from equiproof.circuits.files import refuse_taken, write_file
    from equiproof.verifier.documents import load_commitment

    paths = (out / DOCUMENT, out / CARD)
    refuse_taken(paths, force=force)
    published = load_commitment(commitment)
    run = AuditRun.from_json(document.read_bytes(), str(document))
    known = content(run, published.spec, published.model_commitment, _later(run, later or [], certified or []))
    versions = program_versions()
    page = render(known, date=date or "", versions=versions)
    machine = json.dumps(card(known, date=date or "", version=versions["Equiproof"]), ensure_ascii=False, indent=1)
    out.mkdir(parents=True, exist_ok=True)
    # Group figures of a model are for its owner and whom the owner gives them to.
    for path, text in zip(paths, (page, f"{machine}\n"), strict=True):
        write_file(path, text.encode(), secret=True, force=force)
    missing = f"; not looked at: {', '.join(known.missing)}" if known.missing else ""
    tell(
        as_json=as_json,
        document={
            "document": str(paths[0]),
            "card": str(paths[1]),
            "missing": list(known.missing),
            "later": [one.name for one in known.later],
        },
        text=f"the document to print is {paths[0]}, the model card {paths[1]}{missing}",
    )


def _later(run: AuditRun, runs: Sequence[Path], results: Sequence[Path]) -> list[Later]:
    """Read the figures of later rows, each named by its file."""
    from equiproof.audits.pack.later import audited_later, certified_later
    from equiproof.audits.runner import AuditRun
    from equiproof.certify.many.results import Results

    found = [audited_later(AuditRun.from_json(path.read_bytes(), str(path)), run, path.name) for path in runs]
    return found + [
        certified_later(Results.from_json(path.read_bytes(), str(path)), run.model, path.name) for path in results
    ]
