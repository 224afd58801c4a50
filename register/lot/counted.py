"""What the log itself says of a period: its receipts, counted, and whether model and keys were in it.

Every entry of the log up to the close is read and hashed: the receipts are those under the signed root, and no others.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from equiproof.register.lot.errors import LotRefusedError
from equiproof.verifier.checkpoint import Checkpoint
from equiproof.verifier.entries import CommitmentEntry, DecisionEntry, KeyEntry, RetireEntry, parse_entry
from equiproof.verifier.merkle import leaf_hash, root_of


@dataclass(frozen=True)
class Counted:
    """The receipts of a range of entries, in the log's order: entry numbers and digests, which belong together.

    `shown` are owner, kind ("commitment" or "key") and digest of what stands in the log before the range ends and was
    not retired before it began.
    """

    entries: tuple[int, ...]
    receipts: tuple[str, ...]
    shown: frozenset[tuple[str, str, str]]

    def __len__(self) -> int:
        """Return how many receipts there are."""
        return len(self.receipts)


@dataclass
class _Reading:
    """What was seen so far."""

    first: int
    last: int
    entries: list[int] = field(default_factory=list)
    receipts: list[str] = field(default_factory=list)
    seen: dict[str, int] = field(default_factory=dict)
    shown: set[tuple[str, str, str]] = field(default_factory=set)

    def take(self, number: int, data: bytes) -> None:
        """Read one entry; raises CertificateFormatError for one that a log must not hold."""
        entry = parse_entry(data, f"entry {number}")
        if isinstance(entry, DecisionEntry):
            self._receipt(number, entry.receipt)
        elif number > self.last:
            return
        elif isinstance(entry, RetireEntry):
            if number < self.first:
                self.shown.discard((entry.owner, entry.what, entry.digest))
        elif isinstance(entry, CommitmentEntry):
            self.shown.add((entry.owner, entry.kind, entry.commitment))
        elif isinstance(entry, KeyEntry):
            self.shown.add((entry.owner, entry.kind, entry.key))

    def _receipt(self, number: int, receipt: str) -> None:
        """Count a receipt of the range; raises LotRefusedError for one that stands in the log twice."""
        before = self.seen.setdefault(receipt, number)
        within = self.first <= number <= self.last
        if before != number and (within or self.first <= before <= self.last):
            raise LotRefusedError(f"entries {before} and {number} are the same receipt: it would count twice")
        if within:
            self.entries.append(number)
            self.receipts.append(receipt)


def count(entries: Iterable[bytes], checkpoint: Checkpoint, first: int, last: int) -> Counted:
    """Count the receipts among the entries `first` to `last`, both included, of a log's first `size` entries.

    Raises LotRefusedError where the entries do not hash to the checkpoint's root or a receipt stands there twice,
    CertificateFormatError for an entry that is none.
    """
    reading, leaves = _Reading(first, last), list[bytes]()
    for number, data in enumerate(entries):
        leaves.append(leaf_hash(data))
        reading.take(number, data)
    if (len(leaves), root_of(leaves)) != (checkpoint.size, checkpoint.root):
        raise LotRefusedError(f"the log's first {len(leaves)} entries are not those of the period's checkpoint")
    return Counted(tuple(reading.entries), tuple(reading.receipts), frozenset(reading.shown))
