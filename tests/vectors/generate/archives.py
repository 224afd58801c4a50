"""Zip archives in which any field may lie, written without a line of `verifier.archive`; and what differs of two."""

from __future__ import annotations

import struct
import zlib
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from difflib import SequenceMatcher
from itertools import accumulate, takewhile

FIRST_DAY = 33
"""The first of January 1980."""


@dataclass(frozen=True)
class Headers:
    """The fields of an entry's headers; None is the truth about its content."""

    version: int = 20
    flags: int = 0
    method: int = 0
    time: int = 0
    date: int = FIRST_DAY
    checksum: int | None = None
    stored: int | None = None
    length: int | None = None
    name: bytes | None = None
    extra: bytes = b""

    def fields(self, entry: Entry) -> bytes:
        """Return what the two headers of an entry have in common."""
        data, name = entry.content, entry.name if self.name is None else self.name
        checksum = zlib.crc32(data) if self.checksum is None else self.checksum
        sizes = [len(data) if size is None else size for size in (self.stored, self.length)]
        return struct.pack(
            "<5H3L2H", self.version, self.flags, self.method, self.time, self.date, checksum, *sizes, len(name),
            len(self.extra),
        )  # fmt: skip


@dataclass(frozen=True)
class Entry:
    """One file of an archive: its header, its content, and its record in the directory."""

    name: bytes
    content: bytes
    header: Headers = Headers()
    record: Headers = Headers()
    comment: bytes = b""
    made_by: int = 3 << 8 | 20
    attributes: int = 0o600 << 16
    place: int | None = None

    def both(self, **fields: object) -> Entry:
        """Return the entry with fields changed in both of its headers."""
        return replace(self, header=replace(self.header, **fields), record=replace(self.record, **fields))

    def local(self) -> bytes:
        """Return the header before the content."""
        name = self.name if self.header.name is None else self.header.name
        return b"PK\x03\x04" + self.header.fields(self) + name + self.header.extra

    def central(self, place: int) -> bytes:
        """Return the record in the directory."""
        record = self.record
        name = self.name if record.name is None else record.name
        at = place if self.place is None else self.place
        fields = struct.pack("<3H2L", len(self.comment), 0, 0, self.attributes, at)
        made_by = struct.pack("<H", self.made_by)
        return b"PK\x01\x02" + made_by + record.fields(self) + fields + name + record.extra + self.comment


@dataclass(frozen=True)
class Archive:
    """An archive with other bytes around its entries; `records` are the places of those that the directory lists."""

    entries: tuple[Entry, ...]
    before: bytes = b""
    between: bytes = b""
    after: bytes = b""
    comment: bytes = b""
    records: tuple[int, ...] | None = None
    end: dict[str, int] = field(default_factory=dict)

    def segments(self) -> list[bytes]:
        """Return the archive's bytes in parts, one behind the other."""
        parts, places, at = [self.before], [], len(self.before)
        for entry in self.entries:
            places.append(at)
            parts += [entry.local(), entry.content]
            at += len(entry.local()) + len(entry.content)
        listed = range(len(self.entries)) if self.records is None else self.records
        records = [self.entries[number].central(places[number]) for number in listed]
        size = sum(map(len, records))
        fields = {"here": len(records), "all": len(records), "size": size, "place": at + len(self.between)} | self.end
        end = struct.pack("<4H2LH", 0, 0, *fields.values(), len(self.comment))
        return [*parts, self.between, *records, b"PK\x05\x06" + end + self.comment, self.after]


def splices(old: Sequence[bytes], new: Sequence[bytes]) -> tuple[tuple[int, int, str], ...]:
    """Return what differs of two lists of parts: places in the old bytes, how many there, and what stands there now."""
    places, found = [0, *accumulate(map(len, old))], []
    for _, start, end, now_start, now_end in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        pairs = [(start, b"".join(old[start:end]), b"".join(new[now_start:now_end]))]
        if end - start == now_end - now_start:
            parts = zip(range(start, end), old[start:end], new[now_start:now_end], strict=True)
            pairs = list(parts)
        for at, before, now in pairs:
            if before != now:
                head, tail = _ends(before, now)
                here = now[head : len(now) - tail].hex()
                found.append((places[at] + head, len(before) - head - tail, here))
    return tuple(found)


def _ends(old: bytes, new: bytes) -> tuple[int, int]:
    """Return how many bytes are the same at the beginning, and of the rest at the end."""

    def alike(left: bytes, right: bytes) -> int:
        return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(left, right, strict=False)))

    head = alike(old, new)
    return head, alike(old[head:][::-1], new[head:][::-1])
