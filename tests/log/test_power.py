"""When the power fails: what was acknowledged or signed is on the disk, by what POSIX promises and nothing more."""

import dataclasses

import pytest

from tests.log.running import ORIGIN, entry
from tests.log.traced import calls, lost


def acknowledges(call):
    """Say whether a call prints that entries are there."""
    return call.name == "write" and call.words.startswith("1<")


def publishes(call):
    """Say whether a call puts a checkpoint in its place."""
    return call.name == "renameat" and call.names[-1].endswith("/checkpoint")


def lines(first, last):
    """Return entries, one a line."""
    return b"".join(entry(number) + b"\n" for number in range(first, last))


@pytest.fixture
def traced(log, tmp_path):
    """Append entries and watch; return the calls. Names are as the program spells them: from the folder's parent."""

    def append(first, last):
        trace = tmp_path / f"trace-{first}"
        return calls(log.program, "append", log.folder, "-", given=lines(first, last), trace=trace)

    return append


def test_what_is_acknowledged_survives_a_failure_of_the_power(log, traced):
    """From an empty folder over a tile's edge, then within a tile: at the acknowledgement, nothing can be lost.

    Of many entries the last acknowledgement is looked at: while the first ones are printed, others may be on their way.
    """
    for first, last in ((0, 1), (1, 3), (3, 700), (700, 701)):
        found = traced(first, last)
        moments = lost(found, log.folder, acknowledges)
        assert moments
        assert moments[-1] == []
        (before,) = lost(found, log.folder, publishes)
        assert before == []
    assert log.entries() == [entry(number) for number in range(701)]


def test_what_a_killed_writer_left_is_made_safe_first(log, traced):
    """Names that a killed writer did not sync are on the disk before anything is acknowledged or signed again."""
    log.append(*map(entry, range(300)))
    left = [str(path) for path in log.folder.rglob("*")]
    found = traced(300, 301)
    assert not any(lost(found, log.folder, acknowledges, loose=left))
    assert lost(found, log.folder, publishes, loose=left) == [[]]
    # An entry that is there is acknowledged without being written, and so must be safe from the start.
    assert not any(lost(traced(5, 6), log.folder, acknowledges, loose=left))


def test_the_size_is_on_the_disk_before_it_is_signed(log, traced):
    """Who signs has read a size that another thread may be writing: it is synced once more, after all entries."""
    found = traced(0, 3)
    told = max(number for number, call in enumerate(found) if acknowledges(call))
    (signed,) = (number for number, call in enumerate(found) if publishes(call))
    assert str(log.folder / ".state") in [call.opened for call in found[told:signed] if call.name == "fsync"]


def test_a_new_log_survives_too(log, tmp_path):
    """`init` prints the key of a folder that will be there."""
    folder, key = tmp_path / "other", log.folder.with_suffix(".key")
    words = ("init", folder, "--origin", ORIGIN, "--key", key)
    found = calls(log.program, *words, given=b"", trace=tmp_path / "trace")
    moments = lost(found, tmp_path, acknowledges)
    assert len(moments) == 1
    assert [name for name in moments[0] if "lock" not in name] == []


@pytest.mark.parametrize("folder", ["tile/entries", "tile/0", "tile", ".state"])
def test_a_folder_that_is_not_synced_is_noticed(log, traced, folder):
    """The check itself: without the syncs of one folder, or with files not written through, something is loose."""
    found = traced(0, 300)
    without = [call for call in found if not (call.name == "fsync" and call.opened == str(log.folder / folder))]
    assert any(lost(without, log.folder, acknowledges))
    lazy = [dataclasses.replace(call, words=call.words.replace("O_SYNC|", "")) for call in found]
    assert any(lost(lazy, log.folder, acknowledges))
