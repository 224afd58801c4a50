"""A run of private wires: its name, its length and the interval of each wire."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import overload

from equiproof.circuits.widths import Interval


@dataclass(frozen=True)
class Alike(Sequence[Interval | None]):
    """A constant sequence of one interval in O(1) memory, so that huge shapes can be measured."""

    interval: Interval | None
    length: int

    def __len__(self) -> int:
        return self.length

    @overload
    def __getitem__(self, place: int) -> Interval | None: ...
    @overload
    def __getitem__(self, place: slice) -> Alike: ...
    def __getitem__(self, place: int | slice) -> Interval | Alike | None:
        if isinstance(place, slice):
            return Alike(self.interval, len(range(self.length)[place]))
        if not -self.length <= place < self.length:
            raise IndexError(place)
        return self.interval


@dataclass(frozen=True)
class Segment:
    """A run of private wires: its name, and for each wire its interval, or None for any element."""

    name: str
    intervals: Sequence[Interval | None]

    @classmethod
    def of(cls, name: str, length: int, interval: Interval | None) -> Segment:
        """Return a segment whose wires have one interval in common."""
        return cls(name, Alike(interval, length))
