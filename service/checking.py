"""What a service needs before it starts: looked at one after the other, with a line about each."""

from __future__ import annotations

import socket
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from sqlalchemy.engine import make_url
from sqlalchemy.orm import Session

from equiproof.circuits.canonical import read_limited
from equiproof.circuits.files import naming
from equiproof.circuits.text import plain
from equiproof.prover.keys import KeyStore
from equiproof.register.log import Log
from equiproof.service.entrance import line_of
from equiproof.service.models import Models, all_models
from equiproof.service.settings import LogSettings, Settings
from equiproof.service.store import migrations
from equiproof.service.store.database import Database
from equiproof.service.store.tables import Model
from equiproof.service.vault import load_vault
from equiproof.verifier.notes import parse_keys

MAX_KEYS_BYTES = 1 << 16


@dataclass(frozen=True)
class Found:
    """One thing that was looked at, in one line, and whether it is as it must be."""

    good: bool
    text: str


def check(settings: Settings) -> Iterator[Found]:
    """Look at vault, database, models and log of a service; yields a line about each, and raises nothing of theirs."""
    yield _looked("vault", lambda: _vault(settings))
    schema = _looked("database", lambda: _database(settings))
    yield schema
    if schema.good:
        with Database(settings.database) as database, database.transaction() as session:
            deciding = [row for row in all_models(session) if row.retired is None]
            yield from [_looked(f"model {row.name}", partial(_model, session, row)) for row in deciding]
        if not deciding:
            yield Found(False, "models: none decides; `equiproof service model add` adds one")
    if settings.log is not None:
        yield _looked("log", partial(_log, settings.log))


def require(settings: Settings) -> None:
    """Raise OSError, VaultError, DatabaseError or UnavailableError where vault, database or address are not ready."""
    for look in (_vault, _database, _address):
        look(settings)


def _looked(name: str, look: Callable[[], str]) -> Found:
    """Say what a look has found, or why it failed."""
    try:
        return Found(True, plain(f"{name}: {look()}"))
    except Exception as error:
        if not isinstance(error, OSError) and not hasattr(error, "exit_code"):
            raise
        return Found(False, plain(f"{name}: {line_of(error)}"))


def _vault(settings: Settings) -> str:
    vault = load_vault(Path(settings.vault))
    return f"{settings.vault}: {len(vault.keys)} key(s); {vault.newest!r} seals what is new"


def _database(settings: Settings) -> str:
    migrations.refuse_other(settings.database)
    return f"{make_url(settings.database)!r}: its tables are those of this program"


def _address(settings: Settings) -> str:
    """Check that nothing listens at the service's own address yet."""
    host, _, port = settings.listen.rpartition(":")
    host = host.removeprefix("[").removesuffix("]")
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with naming(Path(settings.listen)), socket.create_server((host, int(port)), family=family):
        return f"{settings.listen} is free"


def _model(session: Session, row: Model) -> str:
    """Check that a model's opening is the row's, and that there is a key for it that the owner made."""
    owned = Models().of(session, row.id).opening
    key = KeyStore(Path(row.keys)).find(owned.spec, owned.network.hidden, None)
    return f"commitment {row.commitment[:16]}..., key {key.folder}"


def _log(log: LogSettings) -> str:
    """Check that the log is there, and that its checkpoint is signed by its key."""
    (key,) = parse_keys(read_limited(Path(log.key), MAX_KEYS_BYTES).decode("utf-8", "replace"), log.key)
    _, signed = Log(log.url, key).newest()
    return f"{log.url}: {signed.checkpoint.size} entries of {signed.checkpoint.origin}"
