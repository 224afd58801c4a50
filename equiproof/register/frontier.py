"""The right edge of a growing tree: all that is needed of the entries read so far to go on hashing."""

from __future__ import annotations

from dataclasses import dataclass

from equiproof.verifier.merkle import EMPTY_ROOT, node_hash


@dataclass(frozen=True)
class Frontier:
    """A tree of `size` entries by its whole subtrees, the largest first: one root for each one-bit of the size."""

    size: int = 0
    peaks: tuple[bytes, ...] = ()

    def grown(self, leaves: list[bytes]) -> Frontier:
        """Return the tree with more leaf hashes at its end."""
        size = self.size
        peaks = list(self.peaks)
        for leaf in leaves:
            node = leaf
            rest = size
            # As 1 is added to a binary number: each one-bit at its end carries, and two subtrees become one.
            while rest & 1:
                node = node_hash(peaks.pop(), node)
                rest >>= 1
            peaks.append(node)
            size += 1
        return Frontier(size, tuple(peaks))

    @property
    def root(self) -> bytes:
        """The root of the tree."""
        if not self.peaks:
            return EMPTY_ROOT
        *rest, node = self.peaks
        for peak in reversed(rest):
            node = node_hash(peak, node)
        return node
