"""`equiproof log monitor` and `equiproof log witness`: looking over a log's shoulder."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from equiproof.circuits.tables import say
from equiproof.cli.commands.common import Json, tell
from equiproof.cli.console import remark, show, show_json

if TYPE_CHECKING:
    from equiproof.register.kept import Kept
    from equiproof.register.monitor import Monitor, Part
    from equiproof.verifier.notes import VerifierKey

LogKey = Annotated[
    str,
    typer.Option("--log-key", help="The log's verifier key, NAME+HASH+BASE64, or a file with that line."),
]


def monitor(
    log: Annotated[str, typer.Argument(help="The log's URL or folder.")],
    state: Annotated[Path, typer.Option("--state", help="What is kept from one look to the next; made at the first.")],
    log_key: Annotated[
        str | None,
        typer.Option(
            "--log-key", help="The log's verifier key, or a file with it: for the first look, which keeps it."
        ),
    ] = None,
    owner: Annotated[str | None, typer.Option("--owner", help="Report on this owner only.")] = None,
    once: Annotated[bool, typer.Option("--once", help="Look once, and end.")] = False,
    interval: Annotated[float, typer.Option("--interval", min=1.0, help="Seconds from one look to the next.")] = 60.0,
    compare: Annotated[
        Path | None, typer.Option("--compare", help="A checkpoint that somebody else was shown: look once, compare.")
    ] = None,
    as_json: Json = False,
) -> None:
    """Follow a log; report what is new or contradictory.

    Verifies that every checkpoint goes on from the one kept before, and that every entry is in its tree. Reports
    new and retired commitments and keys. Exits 5 for a log that signed two histories or went back; both signed
    checkpoints are kept in a folder beside the state. With --json, one object a line for each part that was read.
    """
    from equiproof.register.kept import Kept
    from equiproof.register.log import Log
    from equiproof.register.monitor import Monitor

    with Kept(state) as file:
        follows = Monitor(Log(log, _pinned(file, log_key)), file, owner)
        if once or compare is not None:
            _look(follows, log, as_json=as_json)
            if compare is not None:
                _compare(follows, compare, as_json=as_json)
        else:
            _follow(follows, log, interval, as_json=as_json)


def witness(
    state: Annotated[
        Path, typer.Option("--state", help="What was signed so far. Never lose it: see docs/register.md.")
    ],
    key: Annotated[Path, typer.Option("--key", help="Your secret signing key, from `equiproof identity new`.")],
    logs: Annotated[Path, typer.Option("--logs", help="The verifier keys of the logs that you watch, one a line.")],
    listen: Annotated[
        str,
        typer.Option("--listen", help="An address of this machine, such as 127.0.0.1:8081; port 0 takes a free one."),
    ],
) -> None:
    """Sign checkpoints that go on from those signed before.

    Takes them at /add-checkpoint, as the C2SP protocol tlog-witness says, until it is interrupted. Sign with a key
    that signs nothing else.
    """
    from equiproof.circuits.canonical import read_limited
    from equiproof.cli.commands.identity import read_signer
    from equiproof.register.kept import Kept
    from equiproof.register.serving import address_of, server_of
    from equiproof.register.witness import Witness
    from equiproof.verifier.notes import parse_keys

    address = address_of(listen)
    signer = read_signer(key)
    known = parse_keys(read_limited(logs, 1 << 16).decode("utf-8", "replace"), str(logs))
    with Kept(state) as file:
        server = server_of(Witness(file, signer, known), address)
        host, port = server.server_address[:2]
        show(f"WITNESS {signer.name}, {len(known)} logs: http://{host!s}:{port}/add-checkpoint")
        with server:
            server.serve_forever()


def typed_log_key(text: str) -> str:
    """Return a log's verifier key as it was typed, or that of the file that was named; raises NoteError."""
    try:
        named = Path(text).is_file()
    except (OSError, ValueError):  # too long, or no name of a file
        named = False
    return read_log_key(text).text if named else text


def read_log_key(text: str, *, witness: bool = False) -> VerifierKey:
    """Read a log's verifier key, or a witness's, given as such or by a file; raises NoteError."""
    from equiproof.circuits.canonical import read_limited
    from equiproof.verifier.notes import NoteError, VerifierKey, parse_keys

    if "+" in text and not Path(text).exists():
        return VerifierKey.parse(text, witness=witness)
    keys = parse_keys(read_limited(Path(text), 1 << 12).decode("utf-8", "replace"), text, witnesses=witness)
    if len(keys) != 1:
        raise NoteError(say("log.too_many_keys", option=text, count=len(keys)))
    return keys[0]


def _pinned(file: Kept, text: str | None) -> VerifierKey:
    """Return the log's key: as given, else as the state has it; raises typer's own error for none."""
    from equiproof.register.monitor import parse_state
    from equiproof.verifier.notes import VerifierKey

    if text is not None:
        return read_log_key(text)
    data = file.read()
    if data is None:
        raise typer.BadParameter("--log-key is missing: the first look needs the log's verifier key")
    return VerifierKey.parse(parse_state(data, str(file.path)).log)


def _follow(follows: Monitor, log: str, interval: float, *, as_json: bool) -> None:
    """Look again and again; a log that is away is said, and looked at again."""
    from equiproof.cli.failures import one_line
    from equiproof.register.errors import LogError

    while True:
        try:
            _look(follows, log, as_json=as_json, quiet=True)
        except LogError as error:
            remark(f"equiproof: {one_line(error)}")
        time.sleep(interval)


def _look(follows: Monitor, log: str, *, as_json: bool, quiet: bool = False) -> None:
    """Look once, and tell what is new; `quiet` says nothing where nothing is."""
    from equiproof.register.errors import HistoryError

    any_news = False
    decisions = 0
    try:
        for part in follows.update():
            any_news = True
            decisions += part.decisions
            if as_json:
                show_json(_document(log, part))
            elif part.events or part.read == part.size:
                show(_text(part, decisions))
    except HistoryError as error:
        if as_json:
            show_json({"log": log, "verdict": "contradiction", "reason": str(error), "evidence": str(error.evidence)})
        raise
    if not any_news and not quiet:
        read = follows.state.read
        nothing = {"log": log, "size": read, "read": read, "decisions": 0, "events": []}
        tell(as_json=as_json, document=nothing, text=f"NOTHING NEW: {read} entries, as before")


def _compare(follows: Monitor, path: Path, *, as_json: bool) -> None:
    """Compare with a checkpoint that somebody else was shown."""
    from equiproof.circuits.canonical import read_limited
    from equiproof.verifier.notes import MAX_NOTE_BYTES

    follows.compare(read_limited(path, MAX_NOTE_BYTES), str(path))
    tell(as_json=as_json, document={"compared": str(path), "same": True}, text=f"ONE HISTORY here and in {path}")


def _document(log: str, part: Part) -> dict[str, object]:
    """Return a part as JSON data."""
    events = [event.document() for event in part.events]
    return {"log": log, "size": part.size, "read": part.read, "decisions": part.decisions, "events": events}


def _text(part: Part, decisions: int) -> str:
    """Return the lines of a part, and below the last one how much was read, with the decisions of this look."""
    lines = [event.text for event in part.events]
    if part.read == part.size:
        lines.append(f"READ {part.read} entries; decisions among the new ones: {decisions}")
    return "\n".join(lines)
