"""The database: SQLite in one file for one machine, PostgreSQL for several; sessions that are one transaction each."""

from __future__ import annotations

import math
import sqlite3
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cache, partial
from itertools import groupby
from threading import Lock
from typing import Any, ClassVar, cast

import psycopg
from sqlalchemy import Insert, Table, create_engine, event, insert, update
from sqlalchemy.engine import URL, make_url
from sqlalchemy.exc import ArgumentError, DBAPIError
from sqlalchemy.exc import TimeoutError as PoolError
from sqlalchemy.orm import DeclarativeBase, Session

from equiproof.circuits.exit_codes import EXHAUSTED, MISUSED

ANNOUNCEMENT_KEY = "announcing"
"""Where a session holds whether changes of state are written down for webhooks."""

BUSY_SECONDS = 5.0
"""How long a transaction waits for its turn: for a connection, for a writer on SQLite, for a row on PostgreSQL."""

RETRY_SECONDS = 0.001
"""How long a writer on SQLite waits before it asks again for its turn, where another process has it."""

_BUSY_TIMEOUT = f"PRAGMA busy_timeout = {round(BUSY_SECONDS * 1000)}"

CONNECTIONS = 20
"""How many connections one process opens at most."""

SERVER_OPTIONS: dict[str, str | int] = {
    "connect_timeout": 5,
    "keepalives_idle": 10,
    "keepalives_interval": 5,
    "keepalives_count": 3,
    "tcp_user_timeout": 15_000,
}
"""What PostgreSQL is told where the address does not say otherwise: a server that is gone must not hold a request."""

STATEMENT_SECONDS = 30.0
"""How long a statement may take on PostgreSQL, unless whoever opens the database waits for a shorter time."""

LOOK_STEPS = 10_000
"""After how many steps of its machine SQLite looks whether a transaction's time is over: less than a millisecond."""

UNTIL = "until"
"""Where a connection of SQLite holds when its transaction's time is over, in seconds of the monotonic clock."""

_SQLITE_OUTAGES = frozenset(
    {
        sqlite3.SQLITE_BUSY,
        sqlite3.SQLITE_CANTOPEN,
        sqlite3.SQLITE_FULL,
        sqlite3.SQLITE_INTERRUPT,
        sqlite3.SQLITE_IOERR,
        sqlite3.SQLITE_LOCKED,
        sqlite3.SQLITE_NOMEM,
        sqlite3.SQLITE_READONLY,
    }
)

_CONTENTION_CODES = frozenset({"40P01", "55P03"})
"""Codes of PostgreSQL of a transaction that waited too long for another one, or each for the other."""

_POSTGRES_OUTAGES = frozenset({"25006", "XX000"})
"""Codes of a server that has become another one's copy, and of one that fails at its own files."""


def _server(statement_seconds: float) -> dict[str, str | int]:
    """Return what PostgreSQL is told."""
    milliseconds = {
        "lock_timeout": BUSY_SECONDS,
        "statement_timeout": statement_seconds,
        "idle_in_transaction_session_timeout": 60.0,
    }
    options = " ".join(f"-c {name}={round(1000 * seconds)}" for name, seconds in milliseconds.items())
    return SERVER_OPTIONS | {"options": options}


class DatabaseError(ValueError):
    """A database that cannot be used; one line without its password."""

    exit_code: ClassVar[int] = MISUSED


class UnavailableError(Exception):
    """A database that does not answer now, or keeps nothing now; the same again may do later. One line.

    What the transaction wrote is undone, unless the answer to its last word alone was lost: whoever tries again must
    find out, as :mod:`equiproof.service.idempotency` does.
    """

    exit_code: ClassVar[int] = EXHAUSTED


class ContendedError(UnavailableError):
    """A transaction that waited for another one, and was undone; by itself, or later, it may be done."""


class Database:
    """An engine, and transactions on it. Close it, or use it as a context manager."""

    def __init__(self, address: str, *, announcing: bool = False, statement_seconds: float | None = None) -> None:
        """Take "sqlite:///FILE" or "postgresql+psycopg://..."; raises DatabaseError for anything else.

        `announcing`: changes of state are written down for webhooks as well. `statement_seconds` ends a statement on
        PostgreSQL, and on SQLite, where nobody else would, what a transaction runs then.
        """
        self._info = {ANNOUNCEMENT_KEY: announcing}
        url = _known(address)
        self.is_sqlite = url.get_backend_name() == "sqlite"
        self.engine = create_engine(
            url,
            connect_args={}
            if self.is_sqlite
            else {
                name: value
                for name, value in _server(statement_seconds or STATEMENT_SECONDS).items()
                if name not in url.query
            },
            hide_parameters=True,
            max_overflow=0,
            # A server may have closed a connection of the pool meanwhile; a file has not.
            pool_pre_ping=not self.is_sqlite,
            pool_size=CONNECTIONS,
            pool_timeout=BUSY_SECONDS,
        )
        self._writing = Lock() if self.is_sqlite else None
        if self.is_sqlite:
            event.listen(self.engine, "connect", _configured)
            event.listen(self.engine, "begin", _begun)
            if statement_seconds is not None:
                event.listen(self.engine, "connect", _watched)
                event.listen(self.engine, "begin", partial(_timed, statement_seconds))
                event.listen(self.engine, "checkin", _timed_no_more)
        self._reader = self.engine.execution_options(reading=True)

    def __enter__(self) -> Database:
        return self

    def __exit__(self, *_: object) -> None:
        self.engine.dispose()

    @contextmanager
    def transaction(self) -> Iterator[Session]:
        """Run one transaction: kept whole when the block ends, undone whole when it raises. Raises UnavailableError."""
        new = Session(self.engine, expire_on_commit=False, info=self._info)
        # The turn comes first: a thread that waits for it holds no connection.
        with self._turn(), reported(), new as session, session.begin():
            yield session

    @contextmanager
    def reading(self) -> Iterator[Session]:
        """Run one transaction that only reads; on SQLite it waits for no writer. Raises UnavailableError."""
        with reported(), Session(self._reader, expire_on_commit=False) as session, session.begin():
            yield session

    def forget(self) -> None:
        """Take what was deleted or replaced out of SQLite's log of writes too, as far as nobody reads it now.

        PostgreSQL keeps it until its own VACUUM. Raises UnavailableError.
        """
        if not self.is_sqlite:
            return
        with reported(), self.engine.connect() as connection:
            connection.connection.cursor().execute("PRAGMA wal_checkpoint(TRUNCATE)")

    @contextmanager
    def _turn(self) -> Iterator[None]:
        """Let one thread write on SQLite at a time: one that waits here is next, one that waits there asks again."""
        if self._writing is None:
            yield
            return
        if not self._writing.acquire(timeout=BUSY_SECONDS):
            raise UnavailableError("database: another transaction takes too long")
        try:
            yield
        finally:
            self._writing.release()


def insert_rows(session: Session, *rows: DeclarativeBase) -> None:
    """Insert fresh rows in their order, without the session holding them: in half the time of its own bookkeeping.

    Raises IntegrityError at the row that does not fit.
    """
    connection = session.connection()
    for kind, alike in groupby(rows, type):
        values = [{name: value for name, value in vars(row).items() if not name.startswith("_")} for row in alike]
        # One alone is not one of many: a driver may prepare more for these.
        connection.execute(_insert(kind), values if len(values) > 1 else values[0])


def update_rows(session: Session, kind: type[DeclarativeBase], rows: Sequence[Mapping[str, Any]]) -> None:
    """Write new values into many rows of a table at once, each given by its key; all with the same fields."""
    if rows:
        session.execute(update(kind), rows)


@cache
def _insert(kind: type[DeclarativeBase]) -> Insert:
    """Return the statement that inserts a row of a table; the row's key is not asked back."""
    return insert(cast("Table", kind.__table__)).inline()


@contextmanager
def reported() -> Iterator[None]:
    """Turn what the driver says of a database that is gone, busy or full into UnavailableError."""
    try:
        yield
    except PoolError:
        raise UnavailableError("database: every connection is taken") from None
    except DBAPIError as error:
        if not _passes(error.orig):
            raise
        message = str(error.orig).strip().partition("\n")[0]
        kind = ContendedError if getattr(error.orig, "sqlstate", None) in _CONTENTION_CODES else UnavailableError
        raise kind(f"database: {message[:300]}") from None


def _passes(error: BaseException | None) -> bool:
    """Tell whether what a driver raised has to do with the database's state, and with no statement of ours."""
    if isinstance(error, sqlite3.Error):
        # The extended code has the plain one in its last byte.
        return (getattr(error, "sqlite_errorcode", None) or 0) & 0xFF in _SQLITE_OUTAGES
    gone = isinstance(error, psycopg.OperationalError | psycopg.InterfaceError)
    return gone or getattr(error, "sqlstate", None) in _POSTGRES_OUTAGES


def _known(address: str) -> URL:
    """Read an address; raises DatabaseError."""
    try:
        url = make_url(address)
    except ArgumentError:
        raise DatabaseError("database: want sqlite:///FILE or postgresql+psycopg://USER@HOST/NAME") from None
    if url.drivername not in ("sqlite", "postgresql+psycopg"):
        raise DatabaseError(f"database: {url.drivername[:40]!r}: want sqlite or postgresql+psycopg")
    return url


def _configured(connection: sqlite3.Connection, _: Any) -> None:
    """Make SQLite keep what it acknowledged through a power cut, and nothing of what was deleted."""
    connection.isolation_level = None
    for pragma in (
        "journal_mode = WAL",
        "synchronous = FULL",
        "foreign_keys = ON",
        "secure_delete = ON",
    ):
        connection.execute(f"PRAGMA {pragma}")
    connection.execute(_BUSY_TIMEOUT)


def _watched(connection: sqlite3.Connection, record: Any) -> None:
    """Have a connection end by itself what it runs when its transaction's time is over: a thread cannot be ended."""

    def is_over() -> bool:
        until: float = record.info.get(UNTIL, math.inf)
        return time.monotonic() > until

    connection.set_progress_handler(is_over, LOOK_STEPS)


def _timed(seconds: float, connection: Any) -> None:
    """Give a transaction that has begun its time."""
    connection.info[UNTIL] = time.monotonic() + seconds


def _timed_no_more(_: Any, record: Any) -> None:
    """Let a connection that nobody uses have no time that is over."""
    record.info.pop(UNTIL, None)


def _begun(connection: Any) -> None:
    """Begin as a writer, so that two transactions that read and then write wait for each other rather than fail.

    SQLite would sleep longer and longer, up to 100 ms, beside a writer that ended long ago: so the asking is done here.
    """
    if connection.get_execution_options().get("reading", False):
        connection.exec_driver_sql("BEGIN")
        return
    held: sqlite3.Connection = connection.connection.driver_connection
    until = time.monotonic() + BUSY_SECONDS
    held.execute("PRAGMA busy_timeout = 0")
    try:
        while time.monotonic() < until and not _begins(held):
            time.sleep(RETRY_SECONDS)
        # The last try is the engine's own: what SQLite says now is reported as of any other statement.
        if not held.in_transaction:
            connection.exec_driver_sql("BEGIN IMMEDIATE")
    finally:
        held.execute(_BUSY_TIMEOUT)


def _begins(held: sqlite3.Connection) -> bool:
    """Ask for the turn to write; returns whether it has come, or whether it never will."""
    try:
        held.execute("BEGIN IMMEDIATE")
    except sqlite3.OperationalError as error:
        return error.sqlite_errorcode & 0xFF != sqlite3.SQLITE_BUSY
    return True
