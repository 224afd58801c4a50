"""`equiproof log`: a public register, its writer, its entries and its proofs; watching one is in :mod:`.log_watch`."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from equiproof.cli.commands import log_entry, log_watch
from equiproof.cli.commands.common import Force, Json, tell
from equiproof.cli.commands.log_proofs import prove_all
from equiproof.cli.commands.log_watch import LogKey, read_log_key

if TYPE_CHECKING:
    from equiproof.register.log import Log
    from equiproof.verifier.checkpoint import Checkpoint

app = typer.Typer(no_args_is_help=True)
app.add_typer(log_entry.app, name="entry")
app.command()(log_watch.monitor)
app.command()(log_watch.witness)

_PASS_ON_SETTINGS = {"ignore_unknown_options": True, "allow_extra_args": True}
Words = Annotated[list[str] | None, typer.Argument(help="Passed on as they are.")]


@app.callback()
def _group() -> None:
    """Keep a public log, follow one, and prove what stands in it."""


@app.command(context_settings=_PASS_ON_SETTINGS)
def init(words: Words = None) -> None:
    """Make an empty log: DIR --origin NAME --key FILE.

    Runs `equiproof-log init`, the program that writes logs.
    """
    _become("init", words)


@app.command(context_settings=_PASS_ON_SETTINGS)
def append(
    words: Annotated[list[str] | None, typer.Argument(help="DIR or URL, then files of one entry each, or -.")] = None,
) -> None:
    """Append entries to a log, by its folder or its server.

    Of a folder this runs `equiproof-log append`. A server is http://127.0.0.1:PORT or unix:///PATH. With -,
    entries come from standard input, one a line. Prints index and name of each. One that is in the log already keeps
    its index.
    """
    if words and words[0].startswith(("http://", "unix://")):
        _send(words[0], words[1:])
    else:
        _become("append", words)


@app.command(context_settings=_PASS_ON_SETTINGS)
def serve(words: Words = None) -> None:
    """Serve a log and take entries: DIR --listen 127.0.0.1:PORT.

    Runs `equiproof-log serve`; or with --socket PATH instead of --listen.
    """
    _become("serve", words)


@app.command(context_settings=_PASS_ON_SETTINGS)
def checkpoint(words: Words = None) -> None:
    """Print a log's signed checkpoint: DIR.

    Runs `equiproof-log checkpoint`.
    """
    _become("checkpoint", words)


@app.command()
def proof(
    log: Annotated[str, typer.Argument(help="The log's folder or URL.")],
    what: Annotated[
        Path,
        typer.Argument(
            help="An entry, a receipt, a commitment file, a certificate or box certificate, or the folder from "
            "`receipt new --out-dir`."
        ),
    ],
    log_key: LogKey,
    out: Annotated[
        Path | None, typer.Option("--out", help="Where to write it: NAME.tlog-proof. Not for a folder.")
    ] = None,
    index: Annotated[
        int | None, typer.Option("--index", min=0, help="Where the entry stands, as `append` printed it: reads less.")
    ] = None,
    force: Force = False,
    as_json: Json = False,
) -> None:
    """Prove that an entry or a folder of receipts is in a log.

    Writes log proofs, each checked first. Without --index, the log is searched, the newest entries first. Of a
    commitment file or a link, the newest entry that names it is taken; of a certificate, the entry that dates its file.
    Of a folder, each receipt gets its proof beside it; those that are there are checked and kept, unless --force has
    all written anew. No file of the log is read twice.
    """
    from equiproof.circuits.files import refuse_taken, write_file
    from equiproof.register.log import Log

    if what.is_dir():
        if out is not None or index is not None:
            raise typer.BadParameter("--out and --index are for one entry: a folder's proofs lie beside its receipts")
        return prove_all(Log(log, read_log_key(log_key)), what, force=force, as_json=as_json)
    if out is None:
        raise typer.BadParameter("--out is missing: where to write the proof of one entry")
    if out.suffix != ".tlog-proof":
        raise typer.BadParameter(f"--out: {str(out)[:80]!r} does not end with .tlog-proof")
    refuse_taken((out,), force=force)
    read = Log(log, read_log_key(log_key))
    data, signed = read.newest()
    at, entry = _entry_of(read, signed.checkpoint, what, index)
    made = read.proof(data, signed.checkpoint, at, entry)
    write_file(out, made.data, force=force)
    document = {"proof": str(out), "index": at, "size": signed.checkpoint.size, "origin": signed.checkpoint.origin}
    text = f"LOGGED entry {at} of {signed.checkpoint.size} in {signed.checkpoint.origin}\n  proof {out}"
    return tell(as_json=as_json, document=document, text=text)


def _entry_of(log: Log, checkpoint: Checkpoint, path: Path, index: int | None) -> tuple[int, bytes]:
    """Return index and bytes of the entry that a file is, or is about; raises LogError where the log has none."""
    from hashlib import sha256

    from equiproof.circuits.canonical import read_limited
    from equiproof.circuits.kinds import kind_of
    from equiproof.register.entries import dating_entry
    from equiproof.verifier.documents import parse_commitment
    from equiproof.verifier.entries import commitment_digest, parse_entry
    from equiproof.verifier.link import LINK, parse_link
    from equiproof.verifier.receipt import parse_receipt

    data = read_limited(path)
    if kind_of(data) == "equiproof-commitment":
        digest = commitment_digest(parse_commitment(data, str(path)))
        return _announced(log, checkpoint, digest, path, "commitment")
    if kind_of(data) == LINK[0]:
        parse_link(data, str(path))
        return _announced(log, checkpoint, sha256(data).hexdigest(), path, "link")
    if kind_of(data) == "equiproof-receipt":
        entry = parse_receipt(data, str(path)).entry().data
    elif kind_of(data) in ("equiproof-certificate", "equiproof-box"):
        entry = dating_entry(data, str(path)).data
    else:
        entry = parse_entry(data, str(path)).data
    return (log.find(checkpoint, entry) if index is None else index), entry


def _announced(log: Log, checkpoint: Checkpoint, digest: str, path: Path, kind: str) -> tuple[int, bytes]:
    """Return the newest entry about a commitment or a link."""
    from equiproof.register.entries import announces
    from equiproof.register.errors import LogError

    match = log.search(checkpoint, lambda data: announces(data, digest))
    if match is None:
        raise LogError(f"{log.source.name}: no entry is about {path}; make one with `equiproof log entry {kind}`")
    return match


def _send(url: str, words: list[str]) -> None:
    """Append entries to the log of a server, once all of them are read."""
    from equiproof.cli.console import show
    from equiproof.register.client import append_all

    if not words:
        raise typer.BadParameter("no entry is given: name files of one entry each, or - for one a line")
    entries = [entry for word in words for entry in _given(word)]
    for appended in append_all(url, entries):
        show(f"{appended.index} {appended.name}")


def _given(word: str) -> list[bytes]:
    """Return the entry of a file, or of standard input one a line; raises CertificateFormatError for what is none."""
    from equiproof.circuits.canonical import read_limited
    from equiproof.verifier.entries import parse_entry

    if word != "-":
        return [parse_entry(read_limited(Path(word)), word).data]
    lines = sys.stdin.buffer.read().removesuffix(b"\n").split(b"\n")
    return [parse_entry(line, f"-: line {number}").data for number, line in enumerate(lines, start=1)]


def _become(command: str, words: list[str] | None) -> None:
    """Run the program that writes logs in the place of this one; it goes on with -v and --log."""
    from equiproof.cli.steps import passed_on
    from equiproof.register.program import become

    become([command, *passed_on(), *(words or ())])
