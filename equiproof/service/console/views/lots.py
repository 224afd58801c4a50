"""The pages of audits by lot, as `equiproof lot check --html` writes them into a folder of the settings."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import msgspec
from fastapi import APIRouter, Depends, Response
from fastapi.responses import HTMLResponse

from equiproof.circuits.canonical import read_limited
from equiproof.service.console.guard import Permission, Visit, visiting
from equiproof.service.console.pages import page
from equiproof.service.console.refusals import missing

MAX_BYTES = 1 << 22
MAX_LISTED = 100
SANDBOX = "sandbox; default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; frame-ancestors 'none'"
"""A page of a folder runs nothing, and has no part in the console's origin, whoever wrote it."""

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}\.html")

router = APIRouter()

Read = Annotated[Visit, Depends(visiting(Permission.READ))]


class Summary(msgspec.Struct, frozen=True):
    """What `equiproof lot check --json` says of a period, in part."""

    period: str
    owner: str
    sentence: str
    promise_shown: bool
    receipts: int
    drawn: int
    certified: int


@dataclass(frozen=True)
class Lot:
    """A page, and its summary where the document lies beside it under the same name."""

    name: str
    summary: Summary | None


@router.get("/lots")
def lots(visit: Read) -> Response:
    """List the pages, the newest first."""
    folder = visit.shared.settings.console.lots
    return page(visit, "lots", configured=bool(folder), lots=_listed(Path(folder)) if folder else [])


@router.get("/lots/{name}")
def lot(name: str, visit: Read) -> Response:
    """Return a page as it is, shut off from the console."""
    folder = visit.shared.settings.console.lots
    path = Path(folder) / Path(name).name
    if not folder or not _usable(path):
        raise missing()
    return closed(read_limited(path, MAX_BYTES))


def closed(body: bytes) -> Response:
    """Return a whole page with a style of its own, shut off from the console."""
    return HTMLResponse(body, headers={"Content-Security-Policy": SANDBOX})


def _listed(folder: Path) -> list[Lot]:
    """Return what is in the folder; one that is not there is empty."""
    if not folder.is_dir():
        return []
    paths = [path for path in folder.iterdir() if _usable(path)]
    paths.sort(key=lambda path: (path.stat().st_mtime, path.name), reverse=True)
    return [Lot(path.name, _summary(path.with_suffix(".json"))) for path in paths[:MAX_LISTED]]


def _usable(path: Path) -> bool:
    """Return whether a file is one to show: of a plain name, and no link that leads elsewhere."""
    return _NAME.fullmatch(path.name) is not None and path.is_file() and not path.is_symlink()


def _summary(path: Path) -> Summary | None:
    """Return what the document beside a page says, or None without one."""
    try:
        return msgspec.json.decode(read_limited(path), type=Summary)
    except (OSError, msgspec.DecodeError):
        return None
