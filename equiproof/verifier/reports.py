"""What is said of the lot of a period and of many certificates, and when: the rows of reports.json.

A program computes facts, each a name with one of a few values, and the values for the places of sentences. A row is
said if each fact that it names has one of the values that it lists. Twin of go-gnark/verify/tables/reports.go.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Literal

import msgspec

from equiproof.circuits import tables
from equiproof.verifier.lines import holds, unknown_fact

Kind = Literal["lot", "many"]


class Row(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """One sentence of messages.json, and when it is said."""

    say: str
    when: dict[str, tuple[str, ...]] = {}


Parts = dict[str, tuple[Row, ...]]


class Table(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """reports.json: the values of each fact, and the rows of each part of each report."""

    facts: dict[str, tuple[str, ...]]
    lot: Parts
    many: Parts


@cache
def table() -> Table:
    """Return the table; raises TableError for a row that names what no table has."""
    read = tables.table("reports", Table)
    for parts in (read.lot, read.many):
        for part, rows in parts.items():
            for row in rows:
                unknown = unknown_fact(row.when, read.facts)
                if row.say not in tables.messages():
                    unknown = f"sentence {row.say}"
                if unknown:
                    raise tables.TableError(f"reports.json: {part}: {row.say}: no {unknown}")
    return read


def said(kind: Kind, part: str, facts: Mapping[str, str], **values: str | int) -> list[str]:
    """Return the sentences of a part of a report whose facts hold, in the order of the rows.

    `values` fill the places of all of them. Raises TableError for a part, a fact or a value of a fact that the table
    lacks, and for a place without a value.
    """
    read = table()
    parts: Parts = getattr(read, kind)
    if part not in parts or (unknown := unknown_fact({name: (value,) for name, value in facts.items()}, read.facts)):
        raise tables.TableError(f"reports.json: no {unknown if part in parts else f'part {part}'}")
    return [tables.filled(row.say, values) for row in parts[part] if holds(row.when, facts)]


def some(number: int) -> str:
    """Return the value of a fact about how many there are."""
    return "some" if number else "none"


def yes(condition: object) -> str:
    """Return the value of a fact that holds or not."""
    return "yes" if condition else "no"


def given(value: object) -> str:
    """Return the value of a fact about what the reader gave or not."""
    return "given" if value else "none"
