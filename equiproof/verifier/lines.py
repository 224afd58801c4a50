"""The lines of answers, refusals and letters: which sentences each says, and when, by the rows of answers.json.

A program computes facts, each a name with one of a few values, and the texts for the places of sentences. A row is
said if each fact that it names has one of the values that it lists.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

import msgspec

from equiproof.circuits import tables
from equiproof.verifier import words

Kind = Literal["answer", "refusal", "letter"]


class Row(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True, rename={"inner": "with"}):
    """One sentence and when it is said.

    `each` names a list: the row counts for each of its entries. `inner` names places that the sentences of another part
    fill in, as a list with "and"; where that part says nothing, they keep their texts. A `joined` sentence goes on with
    the one before it. `warning` is for what decides how much the rest is worth, `outcome` for headings.
    """

    say: str
    when: dict[str, tuple[str, ...]] = {}
    each: str | None = None
    inner: dict[str, str] = {}
    joined: bool = False
    warning: bool = False
    outcome: Literal["valid", "open"] | None = None


Parts = dict[str, tuple[Row, ...]]


class Table(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """answers.json: the values of each fact, the names of the lists, and the rows of each part of each document."""

    facts: dict[str, tuple[str, ...]]
    lists: tuple[str, ...]
    answer: Parts
    refusal: Parts
    letter: Parts


def read() -> Table:
    """Read the table; raises TableError for a row that names what no table has."""
    table = tables.table("answers", Table)
    for kind in (table.answer, table.refusal, table.letter):
        for part, rows in kind.items():
            for row in rows:
                if unknown := _unknown(row, table, kind):
                    raise tables.TableError(f"answers.json: {part}: {row.say}: no {unknown}")
    return table


def _unknown(row: Row, table: Table, kind: Parts) -> str:
    """Return the first thing that a row names and no table has, "" for none."""
    sentences = words.table()[tables.ENGLISH]
    if row.say not in sentences:
        return f"sentence {row.say} in words.json"
    if row.each is not None and row.each not in table.lists:
        return f"list {row.each}"
    if unknown := unknown_fact(row.when, table.facts):
        return unknown
    for place, part in row.inner.items():
        if f"{{{place}}}" not in sentences[row.say] or part not in kind:
            return f"place {place} for a part {part}"
    return ""


def unknown_fact(when: Mapping[str, Sequence[str]], facts: Mapping[str, Sequence[str]]) -> str:
    """Return the first fact with a value that is not among those of a table, "" for none."""
    unknown = (
        f"fact {fact} with the value {value}"
        for fact, values in when.items()
        for value in values
        if value not in facts.get(fact, ())
    )
    return next(unknown, "")


def holds(when: Mapping[str, Sequence[str]], facts: Mapping[str, str]) -> bool:
    """Return whether each fact has one of these values."""
    return all(facts[fact] in values for fact, values in when.items())


TABLE = read()


@dataclass(frozen=True)
class Item:
    """An entry of a list: its own facts and texts, beside those of the whole."""

    texts: Mapping[str, str]
    facts: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Line:
    """One line, and the row of its first sentence."""

    row: Row
    text: str


@dataclass(frozen=True)
class Lines:
    """What a document of a kind says in one language of the facts; TableError for a fact that the table lacks."""

    kind: Kind
    words: words.Words
    facts: Mapping[str, str]
    texts: Mapping[str, str] = field(default_factory=dict)
    lists: Mapping[str, Sequence[Item]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Check the facts."""
        if unknown := unknown_fact({name: (value,) for name, value in self.facts.items()}, TABLE.facts):
            raise tables.TableError(f"answers.json: no {unknown}")

    def of(self, part: str) -> list[Line]:
        """Return the lines of a part, in the order of its rows."""
        parts: Parts = getattr(TABLE, self.kind)
        lines: list[Line] = []
        for row in parts[part]:
            for own in [self] if row.each is None else map(self._with, self.lists[row.each]):
                if not holds(row.when, own.facts):
                    continue
                inner = {place: own.said(other) for place, other in row.inner.items()}
                filled = {place: self.words.joined(texts) for place, texts in inner.items() if texts}
                text = self.words.say(row.say, **{**own.texts, **filled})
                if row.joined:
                    lines[-1] = replace(lines[-1], text=f"{lines[-1].text} {text}")
                else:
                    lines.append(Line(row, text))
        return lines

    def _with(self, item: Item) -> Lines:
        """Return the same with the facts and texts of an entry of a list."""
        return replace(self, facts={**self.facts, **item.facts}, texts={**self.texts, **item.texts})

    def said(self, part: str) -> list[str]:
        """Return the texts of a part's lines."""
        return [line.text for line in self.of(part)]
