"""The kinds of database that the service's tests run on, and what stands in one."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from itertools import count
from typing import Any

import psycopg
import pytest
from alembic.autogenerate import compare_metadata
from alembic.runtime.migration import MigrationContext
from sqlalchemy import MetaData
from sqlalchemy.engine import make_url

from bench import postgres
from equiproof.service.store.database import Database
from equiproof.service.store.tables import Table
from tests import node

KINDS = ("sqlite", "postgres")

BOTH = pytest.mark.parametrize("address", KINDS, indirect=True)
"""For tests whose SQL is not the same on both: they run on both whenever tests run."""

_NUMBERS: Iterator[int] = count(1)


def refuse_or_skip() -> None:
    """Skip where there is no PostgreSQL server; in CI, where there must be one, fail."""
    node.refuse_or_skip(None if postgres.programs() else "no PostgreSQL server", "postgres")


def fresh_name() -> str:
    """Return the name of a database that no other test has."""
    return f"test_{next(_NUMBERS)}"


def name_of(address: str) -> str:
    """Return the path of a SQLite file, or the name of a database of a server."""
    name = make_url(address).database
    assert name is not None
    return name


def dump(address: str, server: postgres.Server | None) -> str:
    """Return the statements that make a database anew; without a server it is a SQLite file."""
    if server is None:
        with closing(sqlite3.connect(name_of(address))) as connection:
            return "\n".join(connection.iterdump()) + "\n"
    said = server.call("pg_dump", "--inserts", "--no-owner", "--no-privileges", "-d", name_of(address))
    # Without comments, and words to psql, which is not what reads them.
    return "\n".join(line for line in said.splitlines() if line and not line.startswith(("\\", "--"))) + "\n"


def load(statements: str, address: str, server: postgres.Server | None) -> None:
    """Run what `dump` has returned on an empty database."""
    if server is None:
        with closing(sqlite3.connect(name_of(address))) as connection:
            connection.executescript(statements)
        return
    with psycopg.connect(f"host={server.folder} user={postgres.USER} dbname={name_of(address)}") as connection:
        connection.execute(statements.encode())


def text(database: Database) -> str:
    """Return everything that stands in a database, a row to a line, bytes in hexadecimal."""
    found = MetaData()
    found.reflect(database.engine)
    with database.engine.connect() as connection:
        rows = [tuple(row) for table in found.sorted_tables for row in connection.execute(table.select())]
    return "\n".join(repr([part.hex() if isinstance(part, bytes) else part for part in row]) for row in rows)


def differences(address: str) -> list[Any]:
    """Return what the tables of a database lack, or have besides, next to the classes."""
    with Database(address) as database, database.engine.connect() as connection:
        options = {"compare_type": True, "compare_server_default": True}
        return list(compare_metadata(MigrationContext.configure(connection, opts=options), Table.metadata))
