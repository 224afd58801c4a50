"""Counting a log's receipts: what is kept of an entry is small, and what is counted is what the log holds."""

import contextlib
import gc
import hashlib
import random
import re
import resource
import tempfile
import tracemalloc
from pathlib import Path

import pytest

from equiproof.register.lot import receipts
from equiproof.register.lot.counted import count
from equiproof.register.lot.errors import LotRefusedError
from equiproof.verifier.checkpoint import Checkpoint
from equiproof.verifier.entries import ENTRY, DecisionEntry, KeyEntry, certificate_entry
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
    assert found.of(found.receipts) == wanted
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


@pytest.mark.parametrize("run", [receipts.RUN, 7])
@pytest.mark.parametrize(
    ("doubled", "said"),
    [
        ({40: 5}, "entries 5 and 40 "),
        ({5: 30}, "entries 5 and 30 "),
        ({290: 30}, "entries 30 and 290 "),
        ({40: 30, 35: 33}, "entries 33 and 35 "),
        ({5: 4, 290: 280, 291: 3}, None),
        (dict.fromkeys(range(300), 7), "entries 0 and 20 "),
        (dict.fromkeys(range(251, 300), 7) | {7: 8}, None),
    ],
)
def test_a_receipt_counts_once(monkeypatch, doubled, said, run):
    """Wherever the other one stands; the first that is met again is named. Two outside the range harm nothing."""
    monkeypatch.setattr(receipts, "RUN", run)
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


def test_many_receipts_take_no_more_memory(monkeypatch):
    """Of an entry nothing stays in memory, wherever it stands and whatever else the log says of others."""
    monkeypatch.setattr(receipts, "RUN", 512)
    monkeypatch.setattr(receipts, "_IN_MEMORY", 1 << 12)
    rng = random.Random(3)

    def peak(size):
        named = [rng.randbytes(32).hex() for _ in range(size)]
        entries = [KeyEntry(*ENTRY, "key", f"Bank {one[:8]}", one, None).data for one in named[: size // 4]]
        entries += [DecisionEntry(*ENTRY, "decision", one).data for one in named[size // 4 :]]
        made = checkpoint(entries)
        tracemalloc.start()
        try:
            found = count(entries, made, size // 2, size - 1, [("Bank", "key", named[0])])
            assert found.entry_of(named[-1]) == size - 1
            return tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()

    few = peak(4_000)
    assert peak(16_000) < few + 12 * 2_000
    assert few < 4_000 * 90


def _sizes(folder):
    """Return the sizes of this process's open files in a folder, whether or not they have a name there."""
    sizes = []
    for link in Path("/proc/self/fd").iterdir():
        with contextlib.suppress(FileNotFoundError):
            if str(link.readlink()).startswith(str(folder)):
                sizes.append(link.stat().st_size)
    return sorted(sizes)


@pytest.mark.skipif(not Path("/proc/self/fd").is_dir(), reason="a system that does not show a process's files")
def test_temporary_files_have_no_name_and_a_bounded_size(monkeypatch, tmp_path):
    """Forty bytes for each receipt twice; the folder shows nothing, so that nothing can be left there."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    monkeypatch.setattr(receipts, "RUN", 64)
    monkeypatch.setattr(receipts, "_READ_AT_ONCE", 64)
    monkeypatch.setattr(receipts, "_IN_MEMORY", 64)
    entries = [entry(number) for number in range(640)]

    def looked_at():
        yield from entries
        assert _sizes(tmp_path) == [40 * 640, 40 * 640]
        assert list(tmp_path.iterdir()) == []

    found = count(looked_at(), checkpoint(entries), 0, 639)
    assert _sizes(tmp_path) == [40 * 640]
    del found
    gc.collect()
    assert _sizes(tmp_path) == []


def test_a_full_disk_names_the_folder(monkeypatch, tmp_path):
    """The folder that has no room is in the error, which names no file of its own."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    monkeypatch.setattr(receipts, "_IN_MEMORY", 64)
    monkeypatch.setattr(receipts, "RUN", 4)
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (400, hard))
    try:
        with pytest.raises(OSError, match=re.escape(str(tmp_path))):
            count(map(entry, range(100)), checkpoint([entry(0)]), 0, 99)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
