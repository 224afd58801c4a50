"""What the log itself says of a period: its receipts, counted, and whether model and keys were in it.

Every entry of the log up to the close is read and hashed: the receipts are those under the signed root, and no others.
Of an entry nothing is kept but a receipt's digest and its number, and those in files, since a log may have millions.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Collection, Iterable
from dataclasses import dataclass, field
from typing import TypeAlias

from equiproof.circuits.tables import say
from equiproof.register.frontier import Frontier
from equiproof.register.lot.errors import LotRefusedError
from equiproof.register.lot.receipts import Doubled, Receipts
from equiproof.verifier.checkpoint import Checkpoint
from equiproof.verifier.entries import CommitmentEntry, DecisionEntry, KeyEntry, LinkEntry, RetireEntry, parse_entry
from equiproof.verifier.merkle import leaf_hash

_HASHED_AT_ONCE = 256

Standing: TypeAlias = tuple[str, str, str]
"""Owner, kind ("commitment" or "key") and digest of what stands in a log."""


@dataclass(frozen=True)
class Counted:
    """The receipts of a range of entries, in the log's order.

    `shown` are those of what was asked for that stand in the log before the range ends and were not retired before it
    began.
    """

    receipts: Receipts
    shown: frozenset[Standing]

    def __len__(self) -> int:
        """Return how many receipts there are."""
        return len(self.receipts)

    def of(self, entries: Iterable[int]) -> dict[int, str]:
        """Return the digests of the receipts at entries of the range, by entry; KeyError for an entry that is none."""
        digests = {}
        for entry in entries:
            place = bisect_left(self.receipts, entry)
            if place == len(self) or self.receipts[place] != entry:
                raise KeyError(entry)
            digests[entry] = self.receipts.digest(place).hex()
        return digests

    def entry_of(self, receipt: str) -> int | None:
        """Return the entry of a receipt, by its digest; None where it is not counted."""
        return self.receipts.entry_of(bytes.fromhex(receipt))


@dataclass
class _Reading:
    """What was seen so far: of all receipts of the log, of those in the range, and of what was asked for."""

    first: int
    last: int
    wanted: Collection[Standing]
    receipts: Receipts = field(default_factory=Receipts)
    seen: Doubled = field(default_factory=Doubled)
    shown: set[Standing] = field(default_factory=set)

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
            self._show((entry.owner, entry.kind, entry.commitment))
        elif isinstance(entry, KeyEntry):
            self._show((entry.owner, entry.kind, entry.key))
        elif isinstance(entry, LinkEntry):
            self._show((entry.owner, entry.kind, entry.link))

    def refuse_doubled(self) -> None:
        """Raise LotRefusedError for a receipt that stands in the log twice, once in the range at least."""
        doubled = min((pair for pair in self.seen.pairs() if any(map(self._in_range, pair))), default=None)
        if doubled is not None:
            again, before = doubled
            raise LotRefusedError(say("lot.receipt_twice", entry=before, other=again))

    def _show(self, standing: Standing) -> None:
        """Note what is asked for; a log may show any number of other things."""
        if standing in self.wanted:
            self.shown.add(standing)

    def _receipt(self, number: int, digest: bytes) -> None:
        """Count a receipt of the range, and remember any."""
        self.seen.add(number, digest)
        if self._in_range(number):
            self.receipts.add(number, digest)

    def _in_range(self, number: int) -> bool:
        return self.first <= number <= self.last


def count(
    entries: Iterable[bytes], checkpoint: Checkpoint, first: int, last: int, wanted: Collection[Standing] = ()
) -> Counted:
    """Count the receipts among the entries `first` to `last`, both included, of a log's first `size` entries.

    `wanted` is what the log should show of the period's owner. Raises LotRefusedError where the entries do not hash to
    the checkpoint's root or a receipt stands there twice, CertificateFormatError for an entry that is none, OSError
    where there is no room for temporary files.
    """
    reading = _Reading(first, last, frozenset(wanted))
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
    return Counted(reading.receipts, frozenset(reading.shown))
