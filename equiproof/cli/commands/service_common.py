"""What the commands of a service share: its settings file, its database, and the time."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from sqlalchemy.orm import Session

    from equiproof.service.settings import Settings
    from equiproof.service.trail import Act

SettingsFile = Annotated[
    Path,
    typer.Option(
        "--settings", envvar="EQUIPROOF_SERVICE", help="The service's settings file, from `equiproof service init`."
    ),
]
USUAL = Path("service.toml")


@contextmanager
def transaction(path: Path) -> Iterator[tuple[Settings, Session]]:
    """Yield settings and one transaction on their database.

    Raises SettingsError, DatabaseError for another schema, UnavailableError for a database that does not answer.
    """
    from equiproof.service.settings import load_settings
    from equiproof.service.store import migrations
    from equiproof.service.store.database import Database

    settings = load_settings(path)
    migrations.refuse_other(settings.database)
    with Database(settings.database) as database, database.transaction() as session:
        yield settings, session


def note(session: Session, act: Act, about: str = "", detail: str = "") -> None:
    """Write a line of the trail about what this command does: by whom, as the operating system knows them."""
    from equiproof.service import trail

    trail.note(session, act, trail.user(trail.Channel.COMMAND), now(), about, detail)


def now() -> int:
    """Return the time in microseconds since 1970, as the service keeps it."""
    from equiproof.service.clock import now as clock

    return clock()


def day_of(microseconds: int) -> str:
    """Return the day of a time, in UTC."""
    from datetime import UTC, datetime

    return datetime.fromtimestamp(microseconds // 1_000_000, UTC).date().isoformat()
