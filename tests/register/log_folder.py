"""A log written by a few lines of Python, for tests of everything that reads logs: a folder of C2SP tlog-tiles.

It keeps all entries in memory and writes every tile again at each checkpoint: right and slow. It can also do what no
honest log does: `forked` shares a first part with another log and signs with the same key.
"""

from __future__ import annotations

import base64
import hashlib
import struct
from collections.abc import Sequence
from pathlib import Path

from equiproof.verifier.notes import Signer

WIDTH = 256


def tree_root(leaves: Sequence[bytes]) -> bytes:
    """Return the root over leaf hashes as RFC 9162 defines it, by its recursion."""
    if not leaves:
        return hashlib.sha256(b"").digest()
    if len(leaves) == 1:
        return leaves[0]
    split = 1 << (len(leaves) - 1).bit_length() - 1
    return hashlib.sha256(b"\x01" + tree_root(leaves[:split]) + tree_root(leaves[split:])).digest()


def leaf(entry: bytes) -> bytes:
    """Return the hash of an entry's leaf."""
    return hashlib.sha256(b"\x00" + entry).digest()


def tile_name(index: int) -> str:
    """Return a tile's number as paths spell it: x001/x234/067."""
    groups = [f"{index % 1000:03d}"]
    while index := index // 1000:
        groups.insert(0, f"x{index % 1000:03d}")
    return "/".join(groups)


class LogFolder:
    """A log in a folder; `signer` is its key, whose name is the origin."""

    def __init__(self, root: Path, signer: Signer, entries: Sequence[bytes] = ()) -> None:
        self.root = root
        self.signer = signer
        self.entries = list(entries)
        root.mkdir(parents=True, exist_ok=True)

    def forked(self, root: Path, size: int) -> LogFolder:
        """Return another log of the same name and key that shares the first `size` entries."""
        return LogFolder(root, self.signer, self.entries[:size])

    def append(self, *entries: bytes) -> list[int]:
        """Append entries and publish a checkpoint; one that is there already keeps its index."""
        places = []
        for entry in entries:
            if entry not in self.entries:
                self.entries.append(entry)
            places.append(self.entries.index(entry))
        self.publish()
        return places

    def text(self, size: int | None = None) -> str:
        """Return the text of the checkpoint of the first `size` entries."""
        known = self.entries[:size]
        root = base64.b64encode(tree_root([leaf(entry) for entry in known])).decode()
        return f"{self.signer.name}\n{len(known)}\n{root}\n"

    def checkpoint(self, size: int | None = None) -> bytes:
        """Return the signed checkpoint of the first `size` entries."""
        return self.signer.sign(self.text(size)).encode()

    def publish(self, cosignatures: str = "") -> bytes:
        """Write all tiles and the checkpoint, with these lines of witnesses below it."""
        hashes, level = [leaf(entry) for entry in self.entries], 0
        while hashes:
            self._write(str(level), [b"".join(part) for part in _cut(hashes)], len(hashes))
            full = len(hashes) // WIDTH
            hashes = [tree_root(hashes[n * WIDTH : (n + 1) * WIDTH]) for n in range(full)]
            level += 1
        framed = [struct.pack(">H", len(entry)) + entry for entry in self.entries]
        self._write("entries", [b"".join(part) for part in _cut(framed)], len(framed))
        signed = self.checkpoint() + cosignatures.encode()
        (self.root / "checkpoint").write_bytes(signed)
        return signed

    def _write(self, level: str, tiles: Sequence[bytes], count: int) -> None:
        """Write the tiles of a level, the last one as a partial tile unless it is full."""
        for number, data in enumerate(tiles):
            width = min(WIDTH, count - number * WIDTH)
            path = self.root / "tile" / level / tile_name(number)
            if width < WIDTH:
                path = path.with_name(f"{path.name}.p") / str(width)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(data)


def _cut(parts: Sequence[bytes]) -> list[Sequence[bytes]]:
    """Return the parts in groups of a tile's width."""
    return [parts[start : start + WIDTH] for start in range(0, len(parts), WIDTH)]
