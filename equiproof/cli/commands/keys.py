"""`equiproof keys`: what a finished key rests on."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from equiproof.cli.commands.ceremony import read_signer
from equiproof.cli.commands.common import Json, OwnerSecret, tell
from equiproof.cli.console import spinner

app = typer.Typer(no_args_is_help=True)


@app.callback()
def _group() -> None:
    """Check keys that others took part in."""
    # Without a callback, typer takes the one command for the group itself.


@app.command()
def check(
    key: Annotated[Path, typer.Argument(help="The folder of the key.")],
    transcript: Annotated[
        Path | None,
        typer.Option("--transcript", help="The folder of its ceremony (phase 2); a universal key has none."),
    ] = None,
    powers: Annotated[
        Path | None,
        typer.Option("--powers", help="Where its powers of tau come from: the folder of phase 1, or the .ptau file."),
    ] = None,
    accept: Annotated[
        bool, typer.Option("--accept", help="Leave your mark on the key, so that `prove` proves under it.")
    ] = False,
    owner_secret: OwnerSecret = None,
    sign: Annotated[
        Path | None,
        typer.Option("--sign", help="Sign that you checked it, with this signing key, for those who trust you."),
    ] = None,
    as_json: Json = False,
) -> None:
    """Verify a key's transcripts, and compute the key again from them.

    The circuit is compiled, and the key compared byte for byte. Lists what was checked and what could not be. --accept
    and --sign need --powers.
    """
    from equiproof.prover.ceremony.key_check import check_key

    signer = None if sign is None else read_signer(sign)
    with spinner("checking", quiet=as_json) as report:
        found = check_key(key, transcript, powers, report)
    marked = found.accept(owner_secret) if accept else None
    note = None if signer is None else found.sign(signer)
    document = {
        "verdict": "verified",
        "key": str(key),
        "fingerprint": found.document.fingerprint,
        "transcript": found.document.transcript,
        "checks_made": list(found.made),
        "checks_not_made": list(found.not_made),
        "accepted": None if marked is None else str(marked),
        "signed": None if note is None else str(note),
    }
    lines = [f"CHECKED {key}", f"  fingerprint {found.document.fingerprint}"]
    lines += [f"  transcript {found.document.transcript}", "Checked:", *(f"  + {line}" for line in found.made)]
    lines += ["Not checked:", *(f"  - {line}" for line in found.not_made)]
    lines += [f"Accepted as yours: {marked}"] * (marked is not None)
    lines += [f"Signed: {note}"] * (note is not None)
    tell(as_json=as_json, document=document, text="\n".join(lines))
