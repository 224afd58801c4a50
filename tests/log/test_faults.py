"""A log that is killed, whose disk is full, or whose folder was touched: nothing is lost, nothing is forked."""

import random
import resource
import shutil
import signal
import subprocess
import threading
import time
from http.client import HTTPException

import pytest

from equiproof.circuits import exit_codes
from equiproof.verifier.merkle import leaf_hash, root_of
from tests.log.running import ORIGIN, Log, entry, index_of, name, opened, posted

pytestmark = pytest.mark.slow

FORKED = 5


class Client(threading.Thread):
    """Sends entries one after the other, notes every answer, and looks at the checkpoint, until the service is gone."""

    def __init__(self, served, numbers):
        super().__init__(daemon=True)
        self._client, self._numbers = served.client(), numbers
        self.indexes, self.seen = {}, set()

    def run(self):
        try:
            for number in self._numbers:
                self.indexes[number] = index_of(posted(self._client, entry(number)), entry(number))
                if number % 5 == 0:
                    self._client.request("GET", "/checkpoint")
                    self.seen.add(self._client.getresponse().read())
        except (OSError, ValueError, HTTPException):
            pass


def answered(clients, count):
    """Wait until so many entries were answered in all."""
    end = time.monotonic() + 30
    while sum(len(client.indexes) for client in clients) < count and time.monotonic() < end:
        time.sleep(0.001)


def held(log, acknowledged, seen):
    """Compare a log with everything that it ever said: each index, each checkpoint; and nothing stands there twice."""
    found = log.entries()
    names = [name(one) for one in found]
    assert len(set(names)) == len(names)
    for number, index in acknowledged.items():
        assert names[index] == name(entry(number))
    hashes = [leaf_hash(one) for one in found]
    for checkpoint in map(opened, seen):
        assert root_of(hashes[: checkpoint.size]) == checkpoint.root
    return len(found)


def test_a_service_that_is_killed(log):
    """Killed at random moments while four clients send, two of them the same entries: all answers still hold."""
    drawn = random.Random(23)
    acknowledged, seen = {}, set()
    for life in range(12):
        with log.serving() as served:
            shared = range(life * 100_000, (life + 1) * 100_000)
            own = [range(10**9 + (2 * life + at) * 100_000, 10**9 + (2 * life + at + 1) * 100_000) for at in (0, 1)]
            clients = [Client(served, numbers) for numbers in (shared, shared, *own)]
            for client in clients:
                client.start()
            answered(clients, drawn.randrange(60))
            time.sleep(drawn.uniform(0, 0.02))
            served.process.send_signal(signal.SIGKILL)
            for client in clients:
                client.join()
        for client in clients:
            for number, index in client.indexes.items():
                assert acknowledged.setdefault(number, index) == index
            seen |= client.seen
    # The same entries again, after all that: the same indexes.
    again = drawn.sample(sorted(acknowledged), 50)
    assert log.append(*map(entry, again)) == [acknowledged[number] for number in again]
    assert held(log, acknowledged, seen) >= len(acknowledged) > 100
    assert len(seen) > 5


def test_an_append_that_is_killed(log):
    """What an ended `append` printed is there, at the index that it printed."""
    drawn = random.Random(7)
    acknowledged = {}
    for life in range(8):
        numbers = range(life * 40_000, (life + 1) * 40_000)
        command = [log.program, "append", log.folder, "-"]
        with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
            fed = threading.Thread(target=feed, args=(process.stdin, numbers), daemon=True)
            fed.start()
            out = b"".join(process.stdout.readline() for _ in range(drawn.choice((0, 1, 5000, 9000))))
            time.sleep(drawn.uniform(0, 0.1))
            process.send_signal(signal.SIGKILL)
            out = (out + process.stdout.read()).decode()
            fed.join()
        lines = [line.split(" ") for line in out.splitlines(keepends=True) if line.endswith("\n")]
        acknowledged |= {number: int(index) for number, (index, _) in zip(numbers, lines, strict=False)}
    log.append(entry(-1))
    assert held(log, acknowledged, ()) > len(acknowledged) > 1000


def feed(stream, numbers):
    """Write entries, one a line, until nobody reads them."""
    try:
        with stream:
            for number in numbers:
                stream.write(entry(number) + b"\n")
    except OSError:
        pass


def test_a_limit_on_the_size_of_files(log):
    """A file that may not grow ends the appending with one line; what was there stays, and appending goes on later."""
    assert log.append(*map(entry, range(40))) == list(range(40))

    def limited():
        resource.setrlimit(resource.RLIMIT_FSIZE, (6000, 6000))

    lines = b"".join(entry(number) + b"\n" for number in range(30, 90))
    code, out, err = log.said("append", log.folder, "-", given=lines, preexec_fn=limited)
    assert (code, err.count("\n")) == (exit_codes.MISUSED, 1)
    assert "an entry could not be written: file too large; mend that and start the log again" in err
    acknowledged = {30 + at: int(line.split(" ")[0]) for at, line in enumerate(out.splitlines())}
    assert log.append(*map(entry, range(90))) == list(range(90))
    held(log, acknowledged, ())


FULL = """
mount -t tmpfs -o size=600k none "$1" && cp -r "$2" "$1/log" && "$3" append "$1/log" - < "$4" > "$5" 2> "$6"
echo $? >> "$6"
cp -r "$1/log" "$7"
"""


def test_a_full_disk(log, tmp_path):
    """The same on a disk that is full: one line, exit 2, and the folder is as good as before."""
    log.append(*map(entry, range(40)))
    disk, given, out, err, after = (tmp_path / part for part in ("disk", "given", "out", "err", "after"))
    disk.mkdir()
    given.write_bytes(b"".join(entry(number) + b"\n" for number in range(12_000)))
    words = ["sh", "-c", FULL, "sh", disk, log.folder, log.program, given, out, err, after]
    done = subprocess.run(
        ["unshare", "--user", "--map-root-user", "--mount", *map(str, words)],
        capture_output=True,
        text=True,
        check=False,
    )
    if not err.exists():
        pytest.skip(f"no disk of its own can be had here: {done.stderr.strip()}")
    said = err.read_text(encoding="utf-8").splitlines()
    assert said[-1] == "2"
    assert len(said) == 2
    assert "an entry could not be written: no space left on device" in said[0]
    saved = Log(log.program, after)
    acknowledged = {at: int(line.split(" ")[0]) for at, line in enumerate(out.read_text(encoding="utf-8").splitlines())}
    assert saved.append(*map(entry, range(12_000))) == list(range(12_000))
    held(saved, acknowledged, ())


def test_a_service_on_a_full_disk_says_so_and_ends(log):
    """Who sent the entry reads why it was not taken, the service ends with the same line, and nothing was lost."""
    log.append(*map(entry, range(40)))
    with log.serving() as served:
        resource.prlimit(served.process.pid, resource.RLIMIT_FSIZE, (4000, 4000))
        status, said = posted(served.client(), entry(40))
        assert status == 503
        assert "an entry could not be written: file too large" in said
        code, err = served.stopped()
    assert (code, err.count("\n")) == (exit_codes.MISUSED, 1)
    assert "mend that and start the log again" in err
    with log.serving() as served:
        assert index_of(posted(served.client(), entry(40)), entry(40)) == 40


def test_a_folder_put_back_from_an_older_copy(log, tmp_path):
    """Older tiles under the newer checkpoint: to append would fork the log, so it is refused with a code of its own."""
    log.append(*map(entry, range(40)))
    older = Log(log.program, tmp_path / "older")
    shutil.copytree(log.folder, older.folder)
    log.append(entry(40))
    shutil.copy(log.folder / "checkpoint", older.folder)
    for words in (("append", older.folder, "-"), ("serve", older.folder, "--listen", "127.0.0.1:0")):
        code, out, err = older.said(*words, given=entry(50))
        assert (code, out, err.count("\n")) == (FORKED, "", 1)
        assert "to append here would fork the log" in err


def test_a_damaged_folder(log):
    """A tile that is cut short, and a byte that is flipped, are found at the start; one line names the file."""
    log.append(*map(entry, range(600)))
    for file, change, why in (
        ("tile/0/001", lambda data: data[:-10], "it has 8182 bytes instead of 8192"),
        ("tile/0/001", lambda data: bytes([data[0] ^ 1]) + data[1:], "it is not what the entries below it hash to"),
        ("tile/entries/001", lambda data: data[:-1] + b"]", "tile/0/001: damaged"),
        ("checkpoint", lambda data: data.replace(ORIGIN.encode(), b"lender.example/lug"), "this log did not sign it"),
    ):
        path = log.folder / file
        before = path.read_bytes()
        path.write_bytes(change(before))
        code, out, err = log.said("append", log.folder, "-", given=entry(900))
        assert (code, out, err.count("\n")) == (exit_codes.MISUSED, "", 1)
        assert why in err
        path.write_bytes(before)
    assert log.append(entry(900)) == [600]
