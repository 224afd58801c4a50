"""The tables from release to release: revisions forward and back, each whole or not at all, on both databases.

A revision is a module of `versions`. Its `least` is the lowest revision whose programs still work on the tables that it
leaves, so that old and new programs can run side by side while a release is rolled out. Columns that it adds are
nullable or have a default of the server's, since programs that do not know them write rows too. What old programs use
goes away one release later, in a revision with a `least` of its own.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from alembic import command
from alembic.config import Config
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import Connection, delete, insert, inspect, select, text
from sqlalchemy.engine import make_url

from equiproof.service.store.database import BUSY_SECONDS, Database, DatabaseError, reported
from equiproof.service.store.tables import SchemaVersion

FOLDER = Path(__file__).parent
VERSIONS = (FOLDER / "versions",)

BASE = "base"

_LOCK = 0x45515549
"""Of PostgreSQL's advisory locks, the one that a program holds while it changes tables."""


@dataclass(frozen=True)
class Version:
    """The revision of a database's tables, "" for none, and the lowest one whose programs work on them."""

    revision: str = ""
    least: str = ""


def upgrade(address: str) -> None:
    """Bring the tables to this program's revision; those that are newer, and that it works with, stay as they are.

    Raises DatabaseError for tables that are too new for this program, or whose rows the change would break, and
    UnavailableError where the database does not answer, or others use the tables.
    """
    with _changing(address) as connection:
        version = _version(connection)
        if version.revision > head():
            _refuse_newer(version)
        else:
            _move(connection, partial(command.upgrade, revision="head"))


def downgrade(address: str, revision: str) -> None:
    """Bring the tables back to an earlier revision, "base" for none; what only later ones hold is lost.

    Raises DatabaseError for tables or a revision that this program does not know.
    """
    with _changing(address) as connection:
        here = _version(connection).revision
        revisions = {BASE, *_known()}
        if here > head() or revision not in revisions or (revision != BASE and revision > here):
            raise DatabaseError(f"database: no way back from revision {here or BASE} to {revision[:32]!r}")
        _move(connection, partial(command.downgrade, revision=revision))


def refuse_other(address: str) -> None:
    """Raise DatabaseError, in one line that says what to do, for tables that this program does not work with.

    Raises UnavailableError where the database does not answer.
    """
    with Database(address) as database, reported():
        version = _present(database)
    if not version.revision:
        url = make_url(address)
        if url.get_backend_name() == "sqlite" and url.database and not Path(url.database).exists():
            raise DatabaseError(
                f"{url.database}: put the file back, or begin anew with `equiproof service migrate`: there is none"
            )
        raise DatabaseError("database: it has no tables yet: run `equiproof service migrate`")
    if version.revision < head():
        raise DatabaseError(
            "database: run `equiproof service migrate`: its tables are of revision "
            f"{version.revision}, this program's of {head()}"
        )
    _refuse_newer(version)


def _move(connection: Connection, step: Callable[[Config], None]) -> None:
    """Change the tables, and write which programs work on them now."""
    config = _config()
    config.attributes["connection"] = connection
    step(config)
    if (revision := MigrationContext.configure(connection).get_current_revision()) is None:
        return
    script = ScriptDirectory.from_config(config).get_revision(revision)
    connection.execute(delete(SchemaVersion))
    connection.execute(insert(SchemaVersion).values(least=script.module.least))


def head() -> str:
    """Return this program's revision."""
    return max(_known())


def _known() -> list[str]:
    return [script.revision for script in ScriptDirectory.from_config(_config()).walk_revisions()]


def _config() -> Config:
    """Return what alembic is told: no file of settings, and the folders of the revisions."""
    config = Config()
    config.set_main_option("script_location", str(FOLDER))
    config.set_main_option("path_separator", "newline")
    config.set_main_option("version_locations", "\n".join(map(str, VERSIONS)))
    return config


def _refuse_newer(version: Version) -> None:
    """Raise DatabaseError for tables that need a newer program than this."""
    if version.least > head():
        raise DatabaseError(
            f"database: install the newer release: its tables are of revision {version.revision}, too new for this "
            f"program's {head()}"
        )


def _present(database: Database) -> Version:
    """Read what a database says of its tables; a SQLite file that is not there is not made."""
    if database.is_sqlite and not Path(database.engine.url.database or "").is_file():
        return Version()
    with database.engine.connect() as connection:
        return _version(connection)


def _version(connection: Connection) -> Version:
    """Read what a database says of its tables."""
    revision = MigrationContext.configure(connection).get_current_revision()
    if revision is None or not inspect(connection).has_table(SchemaVersion.__tablename__):
        return Version()
    return Version(revision, connection.scalar(select(SchemaVersion.least)) or "")


@contextmanager
def _changing(address: str) -> Iterator[Connection]:
    """Open the one transaction of a change, while no other program makes one."""
    with Database(address) as database, reported(), database.engine.connect() as connection:
        if database.is_sqlite:
            # Tables that are written anew are dropped in between; no row is looked at until the end.
            connection.connection.cursor().execute("PRAGMA foreign_keys = OFF")
        with connection.begin():
            if not database.is_sqlite:
                # Others' changes may take long, and ours; a table that is in use is not waited for, since all who come
                # after us would wait as well.
                connection.execute(text("set local statement_timeout = 0; set local lock_timeout = 0"))
                connection.execute(text("select pg_advisory_xact_lock(:lock)"), {"lock": _LOCK})
                connection.execute(text(f"set local lock_timeout = '{BUSY_SECONDS:g}s'"))
            yield connection
            if database.is_sqlite and (broken := connection.exec_driver_sql("PRAGMA foreign_key_check").first()):
                raise DatabaseError(f"database: a row of {broken[0]} names one of {broken[2]} that is not there")
