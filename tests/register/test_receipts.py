"""Log proofs for a folder of receipts: each file of the log is read once, what is there is kept, and a run goes on."""

from collections import Counter

import pytest

from equiproof.register import receipts
from equiproof.register.errors import LogError
from equiproof.register.log import Log
from equiproof.register.receipts import places, without_proof, write_proofs
from tests.register.log_folder import LogFolder
from tests.register.receipt_folder import checked, folder_of, receipt
from tests.register.samples import LOG, OTHER_LOG, decision

MANY = 1000


class Counted:
    """A source that counts what is read of it."""

    def __init__(self, source):
        self.source, self.name, self.reads = source, source.name, Counter()

    def read(self, path, most):
        """Read a file."""
        self.reads[path] += 1
        return self.source.read(path, most)


def counted(folder):
    """Return a log whose reads are counted."""
    log = Log(str(folder), LOG.verifier)
    log.source = Counted(log.source)
    return log


def run(log, folder, *, force=False):
    """Write the proofs that are missing; return how many were."""
    found = places(folder)
    return len(list(write_proofs(log, found if force else without_proof(log, found), force=force)))


@pytest.fixture(scope="module")
def log(tmp_path_factory):
    """A log of a thousand receipts, in no order, among thousands of other entries: more tiles than a reader keeps."""
    entries = [decision(number) for number in range(20_000)]
    for number in range(MANY):
        entries.insert(number * 7919 % 19_000, receipt(number).entry().data)
    made = LogFolder(tmp_path_factory.mktemp("log") / "log", LOG, entries)
    made.publish()
    return made


@pytest.mark.slow
def test_a_thousand_proofs_read_each_file_once(log, tmp_path):
    """The checkpoint and every tile once, and no file of entries; then nothing at all."""
    folder, read = folder_of(tmp_path / "march", range(MANY)), counted(log.root)
    assert run(read, folder) == MANY
    assert set(read.source.reads.values()) == {1}
    tiles = -(-len(log.entries) // 256)
    assert 1 + tiles <= len(read.source.reads) <= 1 + tiles + 2
    assert not [path for path in read.source.reads if path.startswith("tile/entries/")]
    assert checked(folder) == {len(log.entries): MANY}
    again = counted(log.root)
    assert run(again, folder) == 0
    assert again.source.reads == {}


def test_receipts_of_one_month_read_that_month(log, tmp_path):
    """What is older than the oldest of the receipts is not read."""
    first = len(log.entries) - 3000
    newest = [number for number in range(MANY) if receipt(number).entry().data in log.entries[first:]]
    read = counted(log.root)
    assert run(read, folder_of(tmp_path, newest)) == len(newest) > 10
    assert sum(path.startswith("tile/0/") for path in read.source.reads) <= 13


def test_a_run_goes_on_where_it_was_cut_off(log, tmp_path, monkeypatch):
    """What was written before an error stays as it is, and is not asked for again."""
    folder, wrote, read = folder_of(tmp_path, range(300)), [], counted(log.root)

    def failing(path, data, **more):
        if len(wrote) == 200:
            raise OSError(28, "No space left on device", str(path))
        wrote.append(path)
        write_file(path, data, **more)

    write_file = receipts.write_file
    monkeypatch.setattr(receipts, "write_file", failing)
    with pytest.raises(OSError, match="No space left"):
        run(read, folder)
    assert set(read.source.reads.values()) == {1}
    monkeypatch.undo()
    before = {path: path.stat().st_mtime_ns for path in wrote}
    assert run(counted(log.root), folder) == 100
    assert {path: path.stat().st_mtime_ns for path in wrote} == before
    assert checked(folder) == {len(log.entries): 300}


def wrong_proofs(proof, other):
    """Return files that are no proof of a receipt, by what is said of them."""
    lines = proof.split(b"\n")
    path = next(at for at, line in enumerate(lines) if len(line) == 44)
    bent = [*lines[:path], lines[path + 1], lines[path], *lines[path + 2 :]]
    return {
        "not a log proof": b"x",
        "about another entry than the receipt's": other,
        "no signature of this log's key": proof.replace(b" log.example/loans ", b" log.example/loans AAAA"),
        "root": b"\n".join(bent),
    }  # fmt: skip


def test_a_wrong_proof_beside_a_receipt_is_no_proof(tmp_path):
    """One that is damaged, another receipt's, another log's or of another place is named, and nothing is written."""
    log = LogFolder(tmp_path / "log", LOG)
    log.append(*(receipt(number).entry().data for number in range(8)))
    folder = folder_of(tmp_path / "march", range(8))
    assert run(counted(log.root), folder) == 8
    first, second = (place.proof for place in places(folder)[:2])
    good = first.read_bytes()
    places(folder)[7].proof.unlink()
    for said, data in wrong_proofs(good, second.read_bytes()).items():
        first.write_bytes(data)
        with pytest.raises(LogError, match=rf"{first}: remove it, or have all written anew with --force: .*{said}"):
            run(counted(log.root), folder)
        assert not places(folder)[7].proof.exists()
    first.write_bytes(good)
    with pytest.raises(LogError, match="no signature of this log's key"):
        without_proof(Log(str(log.root), OTHER_LOG.verifier), places(folder))
    assert run(counted(log.root), folder, force=True) == 8


def test_a_damaged_tile_gives_no_proof(log, tmp_path):
    """A hash that was changed in a tile ends the run in one line; what was written before is right, and stays."""
    other = LogFolder(tmp_path / "log", LOG, log.entries[:600])
    other.publish()
    tile = other.root / "tile/0/001"
    data = bytearray(tile.read_bytes())
    data[40] ^= 1
    tile.write_bytes(bytes(data))
    numbers = [number for number in range(MANY) if receipt(number).entry().data in log.entries[:600]]
    folder = folder_of(tmp_path / "march", numbers)
    with pytest.raises(LogError, match="do not hash to the root of the checkpoint of 600 entries"):
        run(counted(other.root), folder)
    written = [place for place in places(folder) if place.proof.exists()]
    assert all(log.entries.index(place.entry) >= 512 for place in written)
    assert len(without_proof(counted(other.root), places(folder))) == len(numbers) - len(written)


def test_one_receipt_in_two_folders(tmp_path):
    """Both get the proof."""
    log = LogFolder(tmp_path / "log", LOG)
    log.append(receipt(0).entry().data)
    folder = folder_of(tmp_path / "march", [0])
    copy = folder / "applicants" / "copy"
    copy.mkdir()
    (copy / "receipt.json").write_bytes((folder / "applicants/case-0000/receipt.json").read_bytes())
    assert run(counted(log.root), folder) == 2
    assert checked(folder) == {1: 2}
