"""`equiproof log entry`: what an owner announces, as the bytes that a log takes."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from equiproof.cli.commands.common import Force, Json, load, tell

if TYPE_CHECKING:
    from equiproof.verifier.entries import Entry

app = typer.Typer(no_args_is_help=True)

Owner = Annotated[str, typer.Option("--owner", help="Your name, as everybody will read it.")]
Out = Annotated[Path, typer.Option("--out", help="Where to write the entry.")]


@app.callback()
def _group() -> None:
    """Make entries about your commitments, keys and certificates."""


@app.command()
def commitment(
    path: Annotated[Path, typer.Argument(metavar="COMMITMENT", help="The commitment file, from `commit`.")],
    owner: Owner,
    valid_from: Annotated[str, typer.Option("--from", metavar="DATE", help="The first day that it is used.")],
    out: Out,
    force: Force = False,
    as_json: Json = False,
) -> None:
    """Announce which commitment you use, and from when."""
    from equiproof.verifier.documents import parse_commitment
    from equiproof.verifier.entries import ENTRY, CommitmentEntry, commitment_digest

    digest = commitment_digest(load(parse_commitment, path))
    _write(CommitmentEntry(*ENTRY, "commitment", owner, digest, valid_from), out, force=force, as_json=as_json)


@app.command()
def key(
    path: Annotated[Path, typer.Argument(metavar="KEY", help="The folder of a key, or its key.json.")],
    owner: Owner,
    out: Out,
    force: Force = False,
    as_json: Json = False,
) -> None:
    """Announce which key you prove under."""
    from equiproof.verifier.entries import ENTRY, KeyEntry

    names = _key(path)
    _write(KeyEntry(*ENTRY, "key", owner, names[0], names[1] or None), out, force=force, as_json=as_json)


@app.command()
def link(
    path: Annotated[Path, typer.Argument(metavar="LINK", help="The link of a kept key, from `prove`.")],
    commitment: Annotated[Path, typer.Option("--commitment", help="The commitment file that it is of.")],
    owner: Owner,
    out: Out,
    force: Force = False,
    as_json: Json = False,
) -> None:
    """Announce the link of your model under a kept key.

    Of one commitment and key there is one link: monitors report a second one.
    """
    from equiproof.verifier.documents import parse_commitment
    from equiproof.verifier.entries import link_entry
    from equiproof.verifier.link import parse_link

    parsed, of = load(parse_link, path), load(parse_commitment, commitment)
    if parsed.model_commitment != of.model_commitment:
        raise typer.BadParameter(f"--commitment: {commitment} is another one: name that of the link {path}")
    _write(link_entry(owner, parsed, of), out, force=force, as_json=as_json)


@app.command()
def certificate(
    path: Annotated[
        Path,
        typer.Argument(metavar="CERTIFICATE", help="The certificate's own file, or a box certificate's; not a bundle."),
    ],
    out: Out,
    force: Force = False,
    as_json: Json = False,
) -> None:
    """Have the log date a certificate, by the SHA-256 of its file.

    A box certificate gets an entry of its own kind, which dates no certificate about a decision.
    """
    from equiproof.circuits.canonical import read_limited
    from equiproof.register.entries import dating_entry

    _write(dating_entry(read_limited(path), str(path)), out, force=force, as_json=as_json)


@app.command()
def retire(
    what: Annotated[str, typer.Argument(help="A commitment file, or the folder of a key.")],
    owner: Owner,
    why: Annotated[str, typer.Option("--why", help="The reason, at most 200 characters.")],
    out: Out,
    successor: Annotated[
        Path | None, typer.Option("--successor", help="The commitment file or key that takes its place.")
    ] = None,
    force: Force = False,
    as_json: Json = False,
) -> None:
    """Announce what you no longer use, and why."""
    from equiproof.verifier.entries import ENTRY, RetireEntry

    kind, digest = _named(Path(what))
    after = None if successor is None else _named(successor)
    if after is not None and after[0] != kind:
        raise typer.BadParameter(f"--successor: {successor} is a {after[0]}, and what it replaces is a {kind}")
    entry = RetireEntry(*ENTRY, "retire", owner, kind, digest, why, after and after[1])
    _write(entry, out, force=force, as_json=as_json)


def _named(path: Path) -> tuple[Literal["commitment", "key"], str]:
    """Return what a file is, commitment or key, and the digest by which the register knows it."""
    from equiproof.circuits.canonical import read_limited
    from equiproof.circuits.kinds import kind_of
    from equiproof.verifier.documents import parse_commitment
    from equiproof.verifier.entries import commitment_digest

    if path.is_dir() or kind_of(read_limited(path)) == "equiproof-key":
        return "key", _key(path)[0]
    return "commitment", commitment_digest(load(parse_commitment, path))


def _key(path: Path) -> tuple[str, str]:
    """Return fingerprint and transcript digest, "" for none, of a key by its folder or its metadata."""
    from equiproof.verifier.documents import KEY_FILE, parse_key

    document = load(parse_key, path / KEY_FILE if path.is_dir() else path)
    return document.fingerprint, document.transcript


def _write(entry: Entry, out: Path, *, force: bool, as_json: bool) -> None:
    """Write an entry, read back first as every log reads it."""
    from equiproof.circuits.files import write_file
    from equiproof.verifier.entries import parse_entry

    parse_entry(entry.data, "entry")
    write_file(out, entry.data, force=force)
    document = {"entry": str(out), "name": entry.name}
    tell(
        as_json=as_json,
        document=document,
        text=f"ENTRY {out}\n  name {entry.name}\n  append it: `equiproof log append`",
    )
