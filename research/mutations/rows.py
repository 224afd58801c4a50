"""What a row of the tables that programs share may become: each mutant is one row with one change.

research/mutations/tables.py tries them.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

from research.mutations.build import ROOT

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

LIST = Path("tests", "golden", "tables.json")
SENTENCES = ("messages", "written", "words")
_PLACE = re.compile(r"\{[a-z_]+\}")


@dataclass(frozen=True, eq=False)
class Mutant:
    """One row with one change: what the row becomes, None where it goes."""

    table: str
    row: str
    change: str
    becomes: Any

    def __str__(self) -> str:
        """Name the row as tests list it."""
        return f"{self.table}.json: {self.row}: {self.change}"


def listed() -> dict[str, dict[str, Any]]:
    """Return the rows of the tables as they are, by table and name; a test holds tests/golden/tables.json to that."""
    found: dict[str, dict[str, Any]] = json.loads((ROOT / LIST).read_text(encoding="utf-8"))
    return found


def of_sentence(text: str) -> Iterator[tuple[str, str | None]]:
    """Yield what a sentence may become, with a name for the change."""
    places = _PLACE.findall(text)
    around = _PLACE.sub(lambda place: "\0" * len(place[0]), text)
    last = max((at for at, sign in enumerate(around) if sign != "\0" and not sign.isspace()), default=None)
    if last is not None:
        yield "another character", f"{text[:last]}{'x' if text[last] != 'x' else 'y'}{text[last + 1 :]}"
    for first, second in pairwise(places):
        swapped = text.replace(first, "\0").replace(second, first).replace("\0", second)
        yield "two places swapped", swapped
    for place in places:
        yield "a place renamed", text.replace(place, f"{place[:-1]}_other}}")
        without = " ".join(text.replace(place, "").split(" ")).strip()
        if without:
            yield "a place dropped", without
    yield "row removed", None


def others(rows: Iterable[Any], value: Any) -> Iterator[Any]:
    """Yield other valid values of a field: one that another row has, the other of a switch, the next of a number."""
    if isinstance(value, bool):
        yield not value
    elif isinstance(value, int):
        yield value + 1
    elif isinstance(value, list):
        if value:
            yield value[1:]
        if len(value) > 1:
            yield [*value[1:], value[0]]
        yield from [other for other in rows if isinstance(other, list) and other not in (value, [])][:1]
    else:
        yield from [other for other in rows if isinstance(other, str) and other != value][:1]


def of_row(row: Any, beside: list[Any]) -> Iterator[tuple[str, Any]]:
    """Yield what a row of fields, or of one value, may become."""
    if isinstance(row, dict):
        for field, value in row.items():
            given = [other[field] for other in beside if isinstance(other, dict) and field in other]
            for other in others(given, value):
                yield f"another {field}", row | {field: other}
            yield f"without {field}", {name: inner for name, inner in row.items() if name != field}
    else:
        for other in others(beside, row):
            yield "another value", other
    yield "row removed", None


def of_part(part: list[dict[str, Any]], table: dict[str, Any]) -> Iterator[tuple[str, Any]]:
    """Yield what a part of answers or reports may become, of which each row is a sentence and when it is said."""
    facts = {name.removeprefix("facts "): values for name, values in table.items() if name.startswith("facts ")}
    whole = [row for rows in table.values() if isinstance(rows[0], dict) for row in rows]
    for at, row in enumerate(part):

        def changed(*instead: Any, at: int = at) -> list[Any]:
            return [*part[:at], *instead, *part[at + 1 :]]

        when = row.get("when", {})
        for field, value in row.items():
            if field != "when":
                for other in others([one[field] for one in whole if field in one], value):
                    yield f"another {field}", changed(row | {field: other})
            if field != "say":
                yield f"without {field}", changed({name: inner for name, inner in row.items() if name != field})
        for fact, values in when.items():
            without = {name: inner for name, inner in when.items() if name != fact}
            yield "a fact dropped", changed(row | {"when": without})
            unused = next(name for name in facts if name not in when)
            yield "another fact", changed(row | {"when": without | {unused: facts[unused][:1]}})
            yield "another value", changed(row | {"when": when | {fact: [v for v in facts[fact] if v not in values]}})
            for value in values[: len(values) > 1 and len(values)]:
                yield "a value dropped", changed(row | {"when": when | {fact: [v for v in values if v != value]}})
        yield "a row dropped", changed()
        if at + 1 < len(part):
            yield "two rows swapped", [*part[:at], part[at + 1], row, *part[at + 2 :]]
    yield "row removed", None


def mutants(table: str, rows: dict[str, Any]) -> list[Mutant]:
    """Return every mutant of a table."""
    found = []
    for name, row in rows.items():
        beside = [other for key, other in rows.items() if key.split(" ")[0] == name.split(" ")[0] or " " not in name]
        if table in SENTENCES:
            changes = of_sentence(row)
        else:
            listed_rows = table in ("answers", "reports") and isinstance(row[0], dict)
            changes = of_part(row, rows) if listed_rows else of_row(row, beside)
        found += [Mutant(table, name, change, becomes) for change, becomes in changes if becomes != row]
    return found


def batches(tried: Iterable[Mutant]) -> list[list[Mutant]]:
    """Put mutants together that are of one table, of one kind of change, and of different rows."""
    found: dict[tuple[str, str, str, int], list[Mutant]] = {}
    seen: Counter[tuple[str, str, str]] = Counter()
    for one in tried:
        language = one.row.split(" ")[0] if one.table in ("words", "messages") else ""
        seen[one.table, one.row, one.change] += 1
        found.setdefault((one.table, language, one.change, seen[one.table, one.row, one.change]), []).append(one)
    return list(found.values())
