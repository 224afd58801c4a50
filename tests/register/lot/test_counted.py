"""Counting a log's receipts: what is kept of an entry is small, and what is counted is what the log holds."""

import hashlib
import random
import tracemalloc

import pytest

from equiproof.register.lot.counted import count
from equiproof.register.lot.errors import LotRefusedError
from equiproof.verifier.checkpoint import Checkpoint
from equiproof.verifier.entries import ENTRY, DecisionEntry, certificate_entry
from equiproof.verifier.merkle import leaf_hash, root_of
from tests.verifier.logs import LOG


def digest(number):
    """Return the digest of a receipt."""
    return hashlib.sha256(b"%d" % number).hexdigest()


def entry(number):
    """Return the entry of a receipt."""
    return DecisionEntry(*ENTRY, "decision", digest(number)).data


def checkpoint(entries):
    """Return what a log with these entries signs."""
    return Checkpoint(LOG.verifier.name, len(entries), root_of([leaf_hash(data) for data in entries]))


@pytest.mark.parametrize("size", [1, 2, 255, 256, 257, 700])
def test_the_range_is_counted_in_the_logs_order(size):
    """Entry and digest belong together, and one that is not there has no entry."""
    entries = [entry(number) if number % 7 else certificate_entry(b"%d" % number).data for number in range(1, size + 1)]
    first, last = size // 3, size - 1 - size // 4
    found = count(entries, checkpoint(entries), first, last)
    wanted = {place: digest(place + 1) for place in range(first, last + 1) if (place + 1) % 7}
    assert found.of(found.entries) == wanted
    assert len(found) == len(wanted)
    for place, named in wanted.items():
        assert found.entry_of(named) == place
    assert found.entry_of(digest(0)) is None
    with pytest.raises(KeyError):
        found.of([last + 1])


def test_a_digest_is_found_at_its_own_place_alone():
    """Bytes that begin inside one digest and end in the next are no receipt."""
    entries = [entry(1), entry(2)]
    found = count(entries, checkpoint(entries), 0, 1)
    assert found.entry_of((digest(1) + digest(2))[2:66]) is None


@pytest.mark.parametrize(
    ("doubled", "said"),
    [
        ({40: 5}, "entries 5 and 40 "),
        ({5: 30}, "entries 5 and 30 "),
        ({290: 30}, "entries 30 and 290 "),
        ({40: 30, 35: 33}, "entries 33 and 35 "),
        ({5: 4, 290: 280, 291: 3}, None),
    ],
)
def test_a_receipt_counts_once(doubled, said):
    """Wherever the other one stands; the first that is met again is named. Two outside the range harm nothing."""
    entries = [entry(doubled.get(number, number)) for number in range(300)]
    made = checkpoint(entries)
    if said is None:
        assert len(count(entries, made, 20, 250)) == 231
        return
    with pytest.raises(LotRefusedError, match=said):
        count(entries, made, 20, 250)


def test_other_entries_than_the_checkpoints_are_refused():
    """One byte, one more, one fewer, another order."""
    entries = [entry(number) for number in range(300)]
    made = checkpoint(entries)
    for other in (
        entries[:-1],
        [*entries, entry(300)],
        [*entries[:-1], entry(301)],
        [entries[1], entries[0], *entries[2:]],
    ):
        with pytest.raises(LotRefusedError, match="not those of the period's checkpoint"):
            count(other, made, 0, 299)


def test_memory_is_that_of_the_digests():
    """For each receipt in the range some ninety bytes stay, for one outside fifty: no object stands for an entry."""
    rng, size = random.Random(3), 8_000
    named = [rng.randbytes(32).hex() for _ in range(size)]
    made = checkpoint([DecisionEntry(*ENTRY, "decision", one).data for one in named])
    tracemalloc.start()
    try:
        count((DecisionEntry(*ENTRY, "decision", one).data for one in named), made, size // 2, size - 1)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 110 * size
