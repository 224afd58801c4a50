"""`equiproof stamp`: an authority's word of when a file was there."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from equiproof.circuits.tables import speaking
from equiproof.cli.commands.common import Force, Json, tell

if TYPE_CHECKING:
    from equiproof.verifier.stamps import Stamp

app = typer.Typer(no_args_is_help=True, help="Stamp files with the time (RFC 3161).")

AuthorityFile = Annotated[
    Path, typer.Option("--authority", help="Certificates of the time stamp authority that you trust, in PEM.")
]
OwnStamp = Annotated[
    Path | None, typer.Option("--stamp", help="A time stamp of the file, from `equiproof stamp new`; with --authority.")
]
OwnAuthority = Annotated[
    Path | None, typer.Option("--authority", help="Certificates of the stamp's authority that you trust, in PEM.")
]


@app.command()
def new(
    file: Annotated[Path, typer.Argument(help="The file: an evidence package, an export or any other.")],
    url: Annotated[str, typer.Option("--url", help="Where the authority answers: http:// or https://.")],
    authority: AuthorityFile,
    out: Annotated[
        Path | None, typer.Option("--out", help="The file to write. Default: the file's name with .tsr behind it.")
    ] = None,
    force: Force = False,
    as_json: Json = False,
) -> None:
    """Ask an authority to stamp a file with the time.

    The authority gets the file's SHA-256 and nothing else. Its answer is checked before it is written.
    """
    from equiproof.circuits.canonical import read_limited
    from equiproof.circuits.files import refuse_taken, write_file
    from equiproof.register.stamping import ask_stamp
    from equiproof.verifier.stamps import MAX_AUTHORITY_BYTES, parse_authority

    target = out or file.with_name(f"{file.name}.tsr")
    refuse_taken([target], force=force)
    trusted = parse_authority(read_limited(authority, MAX_AUTHORITY_BYTES), str(authority))
    data, stamp = ask_stamp(url, _content(file), trusted)
    write_file(target, data, force=force)
    text = f"STAMPED {target}\n  {stamp.sentence()}"
    tell(as_json=as_json, document={"stamp": str(target), **stamp.document()}, text=text)


@app.command()
def check(
    file: Annotated[Path, typer.Argument(help="The file that was stamped.")],
    stamp: Annotated[Path, typer.Option("--stamp", help="The stamp, from `equiproof stamp new` or any other program.")],
    authority: AuthorityFile,
    as_json: Json = False,
) -> None:
    """Check by when a file was there, offline.

    Says nothing about what is in the file. Exits 1 for a stamp of another file or of an authority that you do not
    trust, and 2 for a malformed one.
    """
    found = of_file(file, stamp, authority)
    tell(as_json=as_json, document=found.document(), text=found.sentence())


def stamp_of(file: Path, stamp: Path | None, authority: Path | None) -> Stamp | None:
    """Return what the stamp of two options says, None where none is given; raises typer's own error for one alone.

    A folder has no stamp: that is of one file.
    """
    if stamp is None and authority is None:
        return None
    if stamp is None or authority is None:
        raise typer.BadParameter("--stamp and --authority: give both: a stamp, and whom you trust to have made it")
    if file.is_dir():
        raise typer.BadParameter("--stamp: name the file that was stamped, and not its folder")
    return of_file(file, stamp, authority)


def with_stamp(answer: dict[str, Any], stamp: Stamp | None) -> dict[str, Any]:
    """Return an answer with what a stamp says among what was checked, in the answer's language."""
    if stamp is None:
        return answer
    with speaking(answer["language"]):
        return answer | {"checked": [*answer["checked"], stamp.sentence()]}


def of_stamp(stamp: Stamp | None) -> dict[str, Any]:
    """Return the field of a stamp in the object of `--json`; without one there is none, as in the other verifiers."""
    return {} if stamp is None else {"stamp": stamp.document()}


def of_file(file: Path, stamp: Path, authority: Path) -> Stamp:
    """Return what a stamp says of a file; raises as `check_stamp` does."""
    from equiproof.circuits.canonical import read_limited
    from equiproof.verifier.stamps import MAX_AUTHORITY_BYTES, MAX_STAMP_BYTES, check_stamp, parse_authority

    trusted = parse_authority(read_limited(authority, MAX_AUTHORITY_BYTES), str(authority))
    return check_stamp(_content(file), read_limited(stamp, MAX_STAMP_BYTES), trusted, str(stamp))


def _content(file: Path) -> bytes:
    """Return a file's bytes; raises CertificateFormatError for one longer than any package."""
    from equiproof.circuits.canonical import read_limited
    from equiproof.circuits.tables import say
    from equiproof.verifier.errors import CertificateFormatError, Reason
    from equiproof.verifier.package import MAX_PACKAGE_BYTES

    data = read_limited(file, MAX_PACKAGE_BYTES)
    if len(data) > MAX_PACKAGE_BYTES:
        raise CertificateFormatError(say("format.too_long", where=str(file), bytes=MAX_PACKAGE_BYTES), Reason.TOO_LONG)
    return data
