"""Codes of a data set with the meanings that its own description gives them: "A201" is read as "A201 (yes)".

A report keeps the codes, which are the values of the rows; what people read has both.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache

from msgspec.structs import replace

from equiproof.audits.records import Cell, Estimate, Finding, Table
from equiproof.audits.report import AuditReport
from equiproof.certify.data.catalogue import TABLES
from equiproof.certify.many.point import Assignment

Reading = Callable[[str], str]


@cache
def reading(spec_name: str) -> Reading:
    """Return what writes the meaning behind each code in a text, by the name of the data set that a spec is of."""
    table = TABLES.get(spec_name)
    meanings = {} if table is None else {code: text for one in table.columns for code, text in one.meanings.items()}
    if not meanings:
        return _unchanged
    code = re.compile(rf"\b(?:{'|'.join(map(re.escape, meanings))})\b(?! \()")
    return lambda text: code.sub(lambda found: f"{found[0]} ({meanings[found[0]]})", text)


def in_full(report: AuditReport) -> AuditReport:
    """Return a report for people: the codes in its texts with their meanings."""
    read = reading(report.model.spec_name)
    if read is _unchanged:
        return report
    return replace(
        report,
        reason=None if report.reason is None else read(report.reason),
        findings=tuple(_finding(one, read) for one in report.findings),
        estimates=tuple(_estimate(one, read) for one in report.estimates),
        tables=tuple(_table(one, read) for one in report.tables),
        notes=tuple(map(read, report.notes)),
    )


def _unchanged(text: str) -> str:
    """Return a text of a data set without such codes."""
    return text


def _finding(one: Finding, read: Reading) -> Finding:
    """Return a finding in full; the cases of its counterexample are values that are computed with."""
    example = one.counterexample
    return replace(
        one,
        subject=read(one.subject),
        group=_group(one.group, read),
        values={name: _cell(value, read) for name, value in one.values.items()},
        counterexample=None if example is None else replace(example, shows=read(example.shows)),
    )


def _estimate(one: Estimate, read: Reading) -> Estimate:
    """Return an estimate in full."""
    return replace(one, measure=read(one.measure), group=_group(one.group, read))


def _table(one: Table, read: Reading) -> Table:
    """Return a table in full."""
    return replace(
        one, caption=read(one.caption), rows=tuple(tuple(_cell(cell, read) for cell in row) for row in one.rows)
    )


def _group(group: Assignment, read: Reading) -> Assignment:
    """Return a group in full."""
    return tuple((name, read(value)) for name, value in group)


def _cell(cell: Cell, read: Reading) -> Cell:
    """Return a cell in full."""
    return read(cell) if isinstance(cell, str) else cell
