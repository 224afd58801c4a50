"""The options of `equiproof prove`, those for one applicant and those for many."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from equiproof.circuits.schemes import Scheme

if TYPE_CHECKING:
    from equiproof.verifier.documents import QueryDocument

DEFAULT_JOBS = -1
LOCAL = "local"

Rows = Annotated[
    Path,
    typer.Argument(
        help="One applicant: a JSON object of raw features, or a CSV of one row. With --out-dir any number: CSV, JSON, "
        "JSON Lines, .xlsx or .parquet. Where the decision has a receipt: the query file; with --out-dir, the folder "
        "from `receipt new`."
    ),
]
Out = Annotated[Path | None, typer.Option("--out", help="Where to write the certificate of one applicant.")]
QueryOut = Annotated[
    Path | None,
    typer.Option(
        "--query-out", help="Where to write the applicant's own query file (secret); not where a receipt's was given."
    ),
]
ReceiptFile = Annotated[
    Path | None,
    typer.Option("--receipt", help="The decision's receipt: a certificate about anything else is refused."),
]
KeyScheme = Annotated[
    Scheme | None,
    typer.Option("--scheme", help="The key's scheme: branch, traversal or trees. Default: the largest key's."),
]
Capacity = Annotated[int | None, typer.Option("--capacity", help="The key's capacity. Default: the largest key's.")]
Disclose = Annotated[bool, typer.Option("--disclose", help="Write the applicant's data into the certificate.")]
OutDir = Annotated[
    Path | None,
    typer.Option("--out-dir", help="Many applicants: the folder for what they get, and for your manifest (secret)."),
]
Jobs = Annotated[
    int,
    typer.Option(
        "--jobs",
        min=-1,
        help="How many applicants to prove at a time; -1: one per processor, the fastest on two. One at a time takes "
        "less memory.",
    ),
]
Resume = Annotated[
    bool, typer.Option("--resume", help="Go on with the run of --out-dir: finished applicants are kept.")
]
NamesColumn = Annotated[
    str | None,
    typer.Option("--id", metavar="COLUMN", help="The column that names each applicant's files. Default: row numbers."),
]
NoncesColumn = Annotated[
    str | None,
    typer.Option(
        "--nonce",
        metavar="COLUMN",
        help="The column of nonces for the contexts, as applicants chose them. Default: a random one each.",
    ),
]
Bundles = Annotated[bool, typer.Option("--bundles", help="Give each applicant one file, NAME.equiproof.")]
Letters = Annotated[bool, typer.Option("--letters", help="Write each applicant a letter (--lender).")]
Recourse = Annotated[
    Path | None,
    typer.Option(
        "--recourse",
        metavar="KEYS",
        help="Then find what each refused applicant could have changed, proven with the key of boxes in this folder.",
    ),
]
Reasons = Annotated[
    Path | None,
    typer.Option("--reasons", help="Your table of reasons: letters about recourse name those that are proven."),
]
Lender = Annotated[str | None, typer.Option("--lender", help="Your name, as letters show it.")]
Link = Annotated[
    str | None,
    typer.Option("--link", help="Where applicants get their file, for letters: as in `equiproof letter`."),
]
Engine = Annotated[
    str,
    typer.Option(
        "--engine",
        help="Where to prove: local, or dask://HOST:PORT, the scheduler of a Dask cluster. Its workers need opening, "
        "keys and owner's secret at the same paths.",
    ),
]


def query_in_place(row: Path) -> QueryDocument | None:
    """Return the query file that stands in a row's place, None for a row; raises CertificateFormatError."""
    from equiproof.circuits.canonical import read_limited
    from equiproof.circuits.kinds import kind_of
    from equiproof.verifier.documents import parse_query

    if not row.is_file():  # a pipe can be read only once
        return None
    data = read_limited(row)
    return parse_query(data, str(row)) if kind_of(data) == "equiproof-query" else None


def letter_of(lender: str | None, link: str | None, language: str, *, with_letters: bool) -> dict[str, str] | None:
    """Return what letters say of their sender, None where none are wanted; raises typer's own error for a part of it.

    The language of letters is checked as that of `equiproof letter`.
    """
    from equiproof.cli.answers import words_of

    if not with_letters:
        if lender is not None or link is not None:
            raise typer.BadParameter("--lender and --link are for letters: --letters")
        return None
    if lender is None:
        raise typer.BadParameter("--letters needs your name: --lender")
    words_of(language)
    return {"lender": lender, "link": link or "", "language": language}


def refuse_mixed(
    for_one: Mapping[str, object], for_many: Mapping[str, object], *, many: bool, decided: Path | None = None
) -> None:
    """Raise typer's own error for an option that was given and is for one applicant only, or for many only.

    `decided` is the query file that was given in the place of a row: no other one is written then.
    """
    if decided and for_one["--query-out"]:
        wrong = f"{decided}: this is a query file, want raw features"
        raise typer.BadParameter(f"{wrong}; if it is of a receipt, leave out --query-out")
    for option, value in (for_one if many else for_many).items():
        if value:
            raise typer.BadParameter(
                f"{option} is for one applicant, without --out-dir" if many else f"{option} is for many: --out-dir"
            )
    outputs = ("--out",) if decided else ("--out", "--query-out")
    if not many and (missing_options := [option for option in outputs if not for_one[option]]):
        raise typer.BadParameter(
            f"{missing_options[0]} is missing: one applicant takes --out and --query-out, many --out-dir"
        )
