"""`equiproof identity`: the key by which others know you."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from equiproof.cli.commands.common import Json, tell

if TYPE_CHECKING:
    from equiproof.verifier.notes import Signer

app = typer.Typer(no_args_is_help=True, help="Make your signing key. Others know you by it in ceremonies and exports.")


@app.command()
def new(
    name: Annotated[str, typer.Argument(help="Your name: letters, digits and ._@:/- without blanks.")],
    out: Annotated[Path, typer.Option("--out", help="Where to write the secret signing key (readable by you only).")],
    as_json: Json = False,
) -> None:
    """Make your signing key, and print what others know it by.

    Whoever begins a ceremony takes the verifier key; whoever checks your exports pins the fingerprint. Give each in a
    way by which they know that it is yours.
    """
    from equiproof.circuits.files import write_file
    from equiproof.verifier.notes import Signer

    made = Signer.new(name)
    write_file(out, f"{made.text}\n".encode(), secret=True)
    _tell_public(made, out, as_json=as_json)


@app.command()
def show(
    key: Annotated[Path, typer.Argument(help="Your secret signing key, from `equiproof identity new`.")],
    as_json: Json = False,
) -> None:
    """Print again what others know your key by, and nothing secret."""
    _tell_public(read_signer(key), key, as_json=as_json)


def read_signer(path: Path) -> Signer:
    """Read a secret signing key; raises NoteError naming the file, and none of its text."""
    from equiproof.circuits.canonical import read_limited
    from equiproof.verifier.notes import NoteError, Signer

    try:
        return Signer.parse(read_limited(path, 1 << 10).decode("utf-8", "replace").strip())
    except NoteError as error:
        raise NoteError(f"{path}: {error}") from None


def _tell_public(signer: Signer, path: Path, *, as_json: bool) -> None:
    """Print the public half of a signing key."""
    from equiproof.verifier.identity import Identity

    fingerprint = Identity(signer.verifier.public).fingerprint
    line = signer.verifier.text
    text = (
        f"IDENTITY {signer.name}\n  secret key {path}: keep it\n  fingerprint, to pin: {fingerprint}\n"
        f"  verifier key, for ceremonies and as the key of a log or a witness:\n{line}"
    )
    document = {"signing_key": str(path), "verifier_key": line, "fingerprint": fingerprint}
    tell(as_json=as_json, document=document, text=text)
