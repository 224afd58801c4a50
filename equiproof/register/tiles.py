"""The tree of a log, read from its tiles (https://c2sp.org/tlog-tiles): nodes, proofs and entries.

Notation: a tile of level L holds up to 256 nodes, each above 256^L entries. MTH(a, b) is the root of the tree of the
entries a to b - 1 (RFC 9162, 2.1.1). Nothing read here is known to be right until it hashes to a checkpoint's root:
:mod:`equiproof.register.log` checks that.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterator

from equiproof.circuits.tables import say
from equiproof.register.errors import AbsentError, LogError
from equiproof.register.source import Source
from equiproof.verifier.entries import MAX_ENTRY_BYTES
from equiproof.verifier.merkle import EMPTY_ROOT, HASH_BYTES, node_hash

WIDTH = 256
"""How many nodes or entries a full tile has."""

_HEIGHT = 8
_MOST_CACHED = 64
"""How many full tiles of level 0 are kept. Paths need no two at once, and a scan takes one after the other."""


class _Tile:
    """The nodes of a tile, and above them those of the small tree that it is, made when they are asked for."""

    def __init__(self, data: bytes) -> None:
        self._rows = [[data[at : at + HASH_BYTES] for at in range(0, len(data), HASH_BYTES)]]

    @property
    def nodes(self) -> list[bytes]:
        """The tile's own nodes."""
        return self._rows[0]

    def above(self, height: int, place: int) -> bytes:
        """Return the root over the 2^height nodes from `place` on."""
        while len(self._rows) <= height:
            # Read in pairs; a last node without a neighbor is under no whole node of this tile.
            row = iter(self._rows[-1])
            self._rows.append([node_hash(left, right) for left, right in zip(row, row, strict=False)])
        return self._rows[height][place >> height]


class Tiles:
    """The tree of the first `size` entries of a log.

    No file is read twice by who goes through the entries in one direction: tiles of the upper levels, one above 65,536
    entries, are all kept, and so is the last one of level 0, which is in every path; of the others the last ones.
    """

    def __init__(self, source: Source, size: int) -> None:
        self.size = size
        self._source = source
        self._upper: dict[tuple[int, int], _Tile] = {}
        self._lower: OrderedDict[tuple[int, int], _Tile] = OrderedDict()

    def root(self, first: int, last: int) -> bytes:
        """Return MTH(first, last), where `first` is a multiple of the largest power of two in the range."""
        count = last - first
        if count == 0:
            return EMPTY_ROOT
        if count & (count - 1) == 0:
            height = count.bit_length() - 1
            return self.node(height, first >> height)
        middle = first + _split(count)
        return node_hash(self.root(first, middle), self.root(middle, last))

    def node(self, height: int, index: int) -> bytes:
        """Return the root above the 2^height entries from index 2^height * `index`, all of them in the tree."""
        level, above = divmod(height, _HEIGHT)
        first = index << above
        return self._tile(level, first // WIDTH).above(above, first % WIDTH)

    def inclusion(self, index: int) -> tuple[bytes, ...]:
        """Return the path of an entry to the root, from its neighbor upwards (RFC 9162, 2.1.3.1)."""
        first = 0
        last = self.size
        path = list[bytes]()
        while last - first > 1:
            middle = first + _split(last - first)
            if index < middle:
                path.append(self.root(middle, last))
                last = middle
            else:
                path.append(self.root(first, middle))
                first = middle
        return tuple(reversed(path))

    def consistency(self, old: int) -> tuple[bytes, ...]:
        """Return the path that shows that the tree begins with its first `old` entries (RFC 9162, 2.1.4.1)."""
        if old in (0, self.size):
            return ()
        first = 0
        last = self.size
        path = list[bytes]()
        whole = True
        while old != last:
            middle = first + _split(last - first)
            if old <= middle:
                path.append(self.root(middle, last))
                last = middle
            else:
                path.append(self.root(first, middle))
                first = middle
                whole = False
        if not whole:
            path.append(self.root(first, last))
        return tuple(reversed(path))

    def leaves(self, number: int) -> list[bytes]:
        """Return the hashes of the entries of one tile of level 0."""
        return self._tile(0, number).nodes

    def entries(self, first: int, last: int) -> Iterator[bytes]:
        """Yield the entries from `first` to `last` - 1, one file of them at a time; raises LogError."""
        for number in range(first // WIDTH, -(-last // WIDTH)):
            start = number * WIDTH
            bundle = self.bundle(number)
            yield from bundle[max(first - start, 0) : last - start]

    def bundle(self, number: int) -> list[bytes]:
        """Return the entries of one file of them; raises LogError for one that is cut off or has too many."""
        count = self._width(0, number)
        path = f"tile/entries/{_spelled(number)}"
        # Each entry stands behind its length in two bytes. A file may have more entries than the tree has there.
        data = self._read(path, count, WIDTH * (MAX_ENTRY_BYTES + 2))
        entries = list[bytes]()
        at = 0
        while at < len(data) and len(entries) < count:
            end = at + 2 + int.from_bytes(data[at : at + 2], "big")
            if end > len(data):
                break
            entries.append(data[at + 2 : end])
            at = end
        if len(entries) < count:
            raise LogError(
                say("source.tile_cut_off", log=self._source.name, path=path, actual=len(entries), required=count)
            )
        return entries

    def _tile(self, level: int, number: int) -> _Tile:
        """Return a tile with as many hashes as the tree has there; raises LogError."""
        place = (level, number)
        count = self._width(level, number)
        cache = self._upper if level or count < WIDTH else self._lower
        tile = cache.get(place)
        if tile is None:
            path = f"tile/{level}/{_spelled(number)}"
            data = self._read(path, count, WIDTH * HASH_BYTES)
            if len(data) not in (count * HASH_BYTES, WIDTH * HASH_BYTES):
                sizes = f"{len(data)} bytes, want {count * HASH_BYTES}"
                raise LogError(f"{self._source.name}: {path}: cut off, or of another tree: {sizes}")
            # A full tile may have taken the place of a partial one: of its nodes, those of this tree count.
            tile = cache[place] = _Tile(data[: count * HASH_BYTES])
            if len(self._lower) > _MOST_CACHED:
                self._lower.popitem(last=False)
        elif cache is self._lower:
            self._lower.move_to_end(place)
        return tile

    def _read(self, path: str, count: int, most: int) -> bytes:
        """Read a file of `count` nodes or entries; a log may drop a partial one once the full one is there."""
        if count == WIDTH:
            return self._source.read(path, most)
        try:
            return self._source.read(f"{path}.p/{count}", most)
        except AbsentError as absent:
            try:
                return self._source.read(path, most)
            except AbsentError:
                raise absent from None

    def _width(self, level: int, number: int) -> int:
        """Return how many nodes a tile has in this tree."""
        return min(WIDTH, (self.size >> _HEIGHT * level) - number * WIDTH)


def _split(count: int) -> int:
    """Return the largest power of two below a count of at least 2."""
    return 1 << ((count - 1).bit_length() - 1)


def _spelled(number: int) -> str:
    """Return a tile's number as paths spell it, such as x001/x234/067."""
    groups = [f"{number % 1000:03d}"]
    while number := number // 1000:
        groups.append(f"x{number % 1000:03d}")
    return "/".join(reversed(groups))
