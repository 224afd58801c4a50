"""What the log itself says of a period: its receipts, counted, and whether model and keys were in it.

Every entry of the log up to the close is read and hashed: the receipts are those under the signed root, and no others.
Of an entry nothing is kept but a receipt's digest and its number, since a log may have millions.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from equiproof.circuits.tables import say
from equiproof.register.frontier import Frontier
from equiproof.register.lot.errors import LotRefusedError
from equiproof.verifier.checkpoint import Checkpoint
from equiproof.verifier.entries import CommitmentEntry, DecisionEntry, KeyEntry, RetireEntry, parse_entry
from equiproof.verifier.merkle import HASH_BYTES, leaf_hash

BUCKETS = 256
"""Receipts are looked through for doubled ones a bucket at a time, by the first byte of their digests."""

_NUMBER_BYTES = 8
_HASHED_AT_ONCE = 256


@dataclass(frozen=True)
class Counted:
    """The receipts of a range of entries, in the log's order: entry numbers, and digests of 32 bytes each, together.

    `shown` are owner, kind ("commitment" or "key") and digest of what stands in the log before the range ends and was
    not retired before it began.
    """

    entries: Sequence[int]
    digests: bytes
    shown: frozenset[tuple[str, str, str]]

    def __len__(self) -> int:
        """Return how many receipts there are."""
        return len(self.entries)

    def of(self, entries: Iterable[int]) -> dict[int, str]:
        """Return the digests of the receipts at entries of the range, by entry; KeyError for an entry that is none."""
        digests = {}
        for entry in entries:
            place = bisect_left(self.entries, entry)
            if place == len(self) or self.entries[place] != entry:
                raise KeyError(entry)
            digests[entry] = self.digests[place * HASH_BYTES : (place + 1) * HASH_BYTES].hex()
        return digests

    def entry_of(self, receipt: str) -> int | None:
        """Return the entry of a receipt, by its digest; None where it is not counted."""
        digest = bytes.fromhex(receipt)
        at = -1
        while (at := self.digests.find(digest, at + 1)) >= 0:
            # The same bytes may lie across two digests.
            if at % HASH_BYTES == 0:
                return self.entries[at // HASH_BYTES]
        return None


@dataclass
class _Reading:
    """What was seen so far; `seen` are all receipts of the log, each with its entry's number behind it."""

    first: int
    last: int
    entries: array[int] = field(default_factory=lambda: array("Q"))
    digests: bytearray = field(default_factory=bytearray)
    seen: list[bytearray] = field(default_factory=lambda: [bytearray() for _ in range(BUCKETS)])
    shown: set[tuple[str, str, str]] = field(default_factory=set)

    def take(self, number: int, data: bytes) -> None:
        """Read one entry; raises CertificateFormatError for one that a log must not hold."""
        entry = parse_entry(data, f"entry {number}")
        if isinstance(entry, DecisionEntry):
            self._receipt(number, bytes.fromhex(entry.receipt))
        elif number > self.last:
            return
        elif isinstance(entry, RetireEntry):
            if number < self.first:
                self.shown.discard((entry.owner, entry.what, entry.digest))
        elif isinstance(entry, CommitmentEntry):
            self.shown.add((entry.owner, entry.kind, entry.commitment))
        elif isinstance(entry, KeyEntry):
            self.shown.add((entry.owner, entry.kind, entry.key))

    def refuse_doubled(self) -> None:
        """Raise LotRefusedError for a receipt that stands in the log twice, once in the range at least."""
        doubled = [pair for bucket in self.seen for pair in self._doubled(bucket)]
        if doubled:
            again, before = min(doubled)
            raise LotRefusedError(say("lot.receipt_twice", entry=before, other=again))

    def _receipt(self, number: int, digest: bytes) -> None:
        """Count a receipt of the range, and remember any."""
        self.seen[digest[0]] += digest + number.to_bytes(_NUMBER_BYTES, "big")
        if self.first <= number <= self.last:
            self.entries.append(number)
            self.digests += digest

    def _doubled(self, bucket: bytearray) -> Iterator[tuple[int, int]]:
        """Yield for each doubled receipt of a bucket, one of the two in the range, its later and its first entry."""
        first_entries = dict[bytes, int]()
        for at in range(0, len(bucket), HASH_BYTES + _NUMBER_BYTES):
            digest = bytes(bucket[at : at + HASH_BYTES])
            number = int.from_bytes(bucket[at + HASH_BYTES : at + HASH_BYTES + _NUMBER_BYTES], "big")
            before = first_entries.setdefault(digest, number)
            if before != number and any(self.first <= one <= self.last for one in (before, number)):
                yield number, before


def count(entries: Iterable[bytes], checkpoint: Checkpoint, first: int, last: int) -> Counted:
    """Count the receipts among the entries `first` to `last`, both included, of a log's first `size` entries.

    Raises LotRefusedError where the entries do not hash to the checkpoint's root or a receipt stands there twice,
    CertificateFormatError for an entry that is none.
    """
    reading = _Reading(first, last)
    tree = Frontier()
    leaves = list[bytes]()
    for number, data in enumerate(entries):
        leaves.append(leaf_hash(data))
        if len(leaves) == _HASHED_AT_ONCE:
            tree, leaves = tree.grown(leaves), []
        reading.take(number, data)
    tree = tree.grown(leaves)
    if (tree.size, tree.root) != (checkpoint.size, checkpoint.root):
        raise LotRefusedError(say("lot.log_entries_differ", size=tree.size))
    reading.refuse_doubled()
    return Counted(reading.entries, bytes(reading.digests), frozenset(reading.shown))
