"""`equiproof letter`: one printable page beside a decision, about a certificate that verifies."""

from __future__ import annotations

from datetime import UTC, date, datetime
from pathlib import Path
from typing import Annotated

import typer

from equiproof.cli.answers import LanguageText, words_of
from equiproof.cli.commands.bundle import gathered
from equiproof.cli.commands.common import ContextFile, Force, Json, tell

_DEFAULT_TEXT = " Default: the one beside the certificate."


Certified = Annotated[Path, typer.Argument(help="A certificate, a folder with one, or a bundle.")]
Out = Annotated[Path, typer.Option("--out", help="Where to write the page: letter.html.")]
Lender = Annotated[str, typer.Option("--lender", help="Your name, as the head of the page shows it.")]
Link = Annotated[
    str,
    typer.Option(
        "--link",
        help="Where the applicant gets the file, such as https://lender.example/a. The QR code holds it with the "
        "certificate's name behind a #. Without it, the code holds the name alone.",
    ),
]
Called = Annotated[
    str, typer.Option("--reference", help="What the decision is called, such as an application's number.")
]
Day = Annotated[
    str | None, typer.Option("--date", help="The date of the decision letter, such as 2026-01-31. Default: today.")
]
Commitment = Annotated[Path | None, typer.Option("--commitment", help="The public commitment file." + _DEFAULT_TEXT)]
KeyFolder = Annotated[
    Path | None, typer.Option("--key", help="The folder of the certificate's key, or of several keys." + _DEFAULT_TEXT)
]
Query = Annotated[
    Path | None, typer.Option("--query", help="The applicant's query file, whose data are shown." + _DEFAULT_TEXT)
]


def letter(
    certificate: Certified,
    out: Out,
    lender: Lender,
    link: Link = "",
    reference: Called = "",
    day: Day = None,
    language: LanguageText = "en",
    commitment: Commitment = None,
    key: KeyFolder = None,
    query: Query = None,
    context: ContextFile = None,
    force: Force = False,
    as_json: Json = False,
) -> None:
    """Write a page about a certificate to print for the applicant.

    One A4 page to print: three sentences, a bar for each feature, a QR code, and what it does not say. Nothing is
    written unless the certificate verifies. The page shows the applicant's data, so that only you can read the file.
    """
    from equiproof.circuits.files import refuse_taken, write_file
    from equiproof.verifier import policy_of
    from equiproof.verifier.findings import findings
    from equiproof.verifier.letter import Sender
    from equiproof.verifier.letter import letter as page

    words_of(language)
    sender = Sender(lender, _day(day), reference, link)
    refuse_taken((out,), force=force)
    options = {"commitment": commitment, "key": key, "query": query, "context": context}
    presented = gathered(certificate, {name: path for name, path in options.items() if path is not None})
    policy = policy_of()
    verified = presented.verify(policy)
    written = page(verified, findings(verified, policy, presented), sender, language)
    write_file(out, written.encode(), secret=True, force=force)
    document = {"letter": str(out), "certificate": verified.identity, "label": verified.reading.label}
    tell(as_json=as_json, document=document, text=f"LETTER about certificate {verified.identity}\n  page {out}")


def _day(text: str | None) -> date:
    """Read a date such as 2026-01-31, by default today's; raises typer's own error for other text."""
    if text is None:
        return datetime.now(UTC).date()
    try:
        day = date.fromisoformat(text)
    except ValueError:
        day = None
    if day is None or day.isoformat() != text:
        raise typer.BadParameter(f"--date: {text[:40]!r} is not a date such as 2026-01-31")
    return day
