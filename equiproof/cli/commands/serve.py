"""`equiproof serve`: the lending service as one tree of processes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import typer

from equiproof.cli.commands.common import Json, tell
from equiproof.cli.commands.service_common import USUAL, SettingsFile
from equiproof.cli.console import remark

if TYPE_CHECKING:
    from equiproof.service.settings import Settings


def serve(settings: SettingsFile = USUAL, as_json: Json = False) -> None:
    """Run a lending service on this machine.

    The web server, a worker with its provers, and what sends receipts to the public log. A process that ends is started
    again. Ctrl-C or SIGTERM lets what has begun end: first requests, then proofs.
    """
    from threading import Event

    from equiproof.service import logs
    from equiproof.service.checking import require, unready
    from equiproof.service.interpreter import holes
    from equiproof.service.processes import Tree, programs, stopping
    from equiproof.service.settings import load_settings
    from equiproof.service.stopping import teller

    known = load_settings(settings)
    require(known)
    for fault in unready(known):
        remark(f"NOT READY: {fault.text}")
    if (newer := holes()) is not None:
        remark(f"WARNING: {newer}")
    logs.configure()
    stop = Event()
    with stopping(stop):
        tree = Tree(programs(known, settings), teller("serve"), stop)
        code = tree.run(_announced(known, as_json=as_json))
    if code:
        raise typer.Exit(code)


def _announced(settings: Settings, *, as_json: bool) -> Iterator[None]:
    """Wait for the web server, and say where it is."""
    from equiproof.service.processes import answers

    while not answers(settings.listen):
        yield
    document = {"serving": f"http://{settings.listen}", "public": settings.public_url}
    tell(as_json=as_json, document=document, text=f"SERVING http://{settings.listen}; Ctrl-C ends it")
