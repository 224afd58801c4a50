"""Whether the trail is whole: nothing changed, left out, put in another order, or cut off before a known head."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from typing import ClassVar

from sqlalchemy import select
from sqlalchemy.orm import Session

from equiproof.circuits.exit_codes import MISUSED
from equiproof.service.store.tables import TrailLine
from equiproof.service.trail import BEGINNING, Act, hash_of

MAX_FAULTS = 20
"""So many are told; one is enough."""

_HEAD = re.compile("([1-9][0-9]{0,14}):([0-9a-f]{64})")


class TrailError(ValueError):
    """A head, or a file of an export, that is none; one line."""

    exit_code: ClassVar[int] = MISUSED


@dataclass(frozen=True)
class Head:
    """A line that somebody has kept elsewhere, by its number and its hash."""

    number: int
    hash: str

    def __str__(self) -> str:
        return f"{self.number}:{self.hash}"

    @classmethod
    def parse(cls, words: str) -> Head:
        """Read NUMBER:HASH; raises TrailError."""
        if not (match := _HEAD.fullmatch(words)):
            raise TrailError(f"head {words[:80]!r}: want NUMBER:HASH, as `service trail check` shows it")
        return cls(int(match[1]), match[2])


@dataclass(frozen=True)
class Published:
    """The hash of a line as the public log has it, and the number of the log's entry."""

    entry: int
    hash: str


@dataclass
class Checked:
    """What was found: the lines that are there, the newest as a head, and what is wrong; `old` heads were pruned.

    `logged` of the log's heads are hashes of lines that are there, or of the last one that was pruned.
    """

    first: int = 0
    head: Head | None = None
    old: int = 0
    logged: int = 0
    faults: list[str] = field(default_factory=list)

    @property
    def lines(self) -> int:
        """How many lines there should be between the first and the newest."""
        return 0 if self.head is None else self.head.number - self.first + 1


def checked(session: Session, heads: Collection[Head] = (), published: Sequence[Published] = ()) -> Checked:
    """Walk the trail from its first line, and compare it with heads that were kept elsewhere.

    `published` are those of the public log, in its order: the oldest may be of lines that were pruned.
    """
    found = Checked()
    logged = {one.hash: False for one in published}
    known = {head.number: set[str]() for head in heads}
    for head in heads:
        known[head.number].add(head.hash)
    rows = session.scalars(select(TrailLine).order_by(TrailLine.number).execution_options(yield_per=1000))
    number, before = 0, BEGINNING
    for row in rows:
        if found.head is None:
            found.first = row.number
            number, before = _pruned(session, row.number, found)
            _compare(known, Head(number, before), found)
            _meet(logged, before)
        if row.number != number + 1:
            _tell(found, f"lines {number + 1} to {row.number - 1} are missing")
        elif row.before != before:
            _tell(found, f"line {row.number} does not follow the line before it: one of the two was changed")
        if row.hash != hash_of(row):
            _tell(found, f"line {row.number} was changed")
        number, before = row.number, row.hash
        found.head = Head(number, before)
        _compare(known, found.head, found)
        _meet(logged, row.hash)
    for left in sorted(known):
        if left > number:
            _tell(found, f"the trail is cut: lines {number + 1} to {left} are missing, which a head names")
        else:
            found.old += 1
    _compare_published(published, logged, found)
    return found


def _pruned(session: Session, first: int, found: Checked) -> tuple[int, str]:
    """Return number and hash of the line before the first one, by the line that says what was pruned."""
    if first == 1:
        return 0, BEGINNING
    query = select(TrailLine.detail).where(TrailLine.act == Act.PRUNE, TrailLine.about == str(first - 1))
    detail = session.scalar(query.order_by(TrailLine.number.desc()).limit(1))
    if detail is None:
        _tell(found, f"lines 1 to {first - 1} are missing, and no line says that they were pruned")
    return first - 1, detail or BEGINNING


def _compare(known: dict[int, set[str]], line: Head, found: Checked) -> None:
    """Compare a line with what heads say of it."""
    if known.pop(line.number, {line.hash}) != {line.hash}:
        _tell(found, f"line {line.number} is another one than a head names")


def _meet(logged: dict[str, bool], line: str) -> None:
    """Note that the hash of a line was met, where the public log has it."""
    if line in logged:
        logged[line] = True


def _compare_published(published: Sequence[Published], logged: dict[str, bool], found: Checked) -> None:
    """Tell of the log's heads that no line has: those before the first one that a line has may have been pruned."""
    places = [place for place, one in enumerate(published) if logged[one.hash]]
    pruned = places[0] if places and found.first > 1 else 0
    found.logged = len(places)
    found.old += pruned
    lost = "lines were cut off or changed, or an older copy was put back"
    if found.first > 1 and not places:
        lost += (
            "; or heads were not sent for longer than trail_days, and `purge` deleted the lines of all of them: "
            "with trail = true under [log], compare again once the next head is there"
        )
    for one in published[pruned:]:
        if not logged[one.hash]:
            _tell(found, f"no line has the head that entry {one.entry} of the public log states: {lost}")


def _tell(found: Checked, fault: str) -> None:
    if len(found.faults) < MAX_FAULTS:
        found.faults.append(fault)
