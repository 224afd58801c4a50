"""Rates, sizes and times of a public log, by the number of its entries, all of them decisions.

- append: `equiproof-log append` of all entries in one call, from start to exit, the last checkpoint signed;
- start: the same with one entry that is there: every file of the log is compared with the others first;
- monitor: `equiproof log monitor` of the whole log, which it has never seen, from its folder;
- post: one entry after the other over HTTP, each answered once it is on the disk;
- check: parsing a log proof of an entry, the log's signature and the path to the root, in plain Python.
"""

from __future__ import annotations

import hashlib
import http.client
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from bench.harness import BenchError, Progress, machine, nothing, spread
from bench.harness import table as markdown
from equiproof.verifier.checkpoint import open_checkpoint
from equiproof.verifier.entries import ENTRY, DecisionEntry, parse_entry
from equiproof.verifier.merkle import check_inclusion, leaf_hash, node_hash
from equiproof.verifier.notes import Signer
from equiproof.verifier.tlog_proof import TlogProof, parse_tlog_proof

PROGRAM = Path(__file__).resolve().parents[1] / "equiproof" / "ffi" / "equiproof-log"
SIZES = (10_000, 100_000, 1_000_000)
POSTED = 200
CHECKED = 100
ORIGIN = "bench.example/log"


def entry(number: int) -> bytes:
    """Return one of many different decisions."""
    return DecisionEntry(*ENTRY, "decision", hashlib.sha256(b"%d" % number).hexdigest()).data


def run(
    _data_dir: Path | None = None, progress: Progress = nothing, *, sizes: Sequence[int] = SIZES, posted: int = POSTED
) -> dict[str, Any]:
    """Measure one log of each size; raises BenchError where there is no program, or it says something wrong."""
    if not PROGRAM.is_file():
        raise BenchError("log: no equiproof-log: call `make log`")
    results = []
    for done, size in enumerate(sizes, 1):
        with tempfile.TemporaryDirectory() as folder:
            results.append(_measured(Path(folder), size, posted))
        progress(done, len(sizes))
    return {"suite": "log", "results": results, "machine": machine()}


def _measured(folder: Path, size: int, posted: int) -> dict[str, Any]:
    """Measure a log of so many entries."""
    signer, log = Signer.new(ORIGIN), folder / "log"
    (folder / "key").write_text(f"{signer.text}\n", encoding="utf-8")
    program("init", log, "--origin", ORIGIN, "--key", folder / "key")
    given = b"".join(entry(number) + b"\n" for number in range(size))
    start = time.perf_counter()
    said = program("append", log, "-", given=given)
    append = time.perf_counter() - start
    checked = _checks(signer, log, [int(line.split()[0]) for line in said.splitlines()])
    found = [path for path in log.rglob("*") if path.is_file()]
    used = sum(path.stat().st_blocks * 512 for path in found)
    start = time.perf_counter()
    program("append", log, "-", given=entry(0) + b"\n")
    again = time.perf_counter() - start
    monitor = _monitor(folder, signer.verifier.text)
    return {
        "entries": size,
        "append_per_s": round(size / append),
        "start_s": round(again, 2),
        "monitor_s": round(monitor, 2),
        "disk_mb": round(used / 1e6, 2),
        "files": len(found),
        **spread("post_ms", list(_posts(log, range(size, size + posted))), 2),
        **checked,
    }


def program(*words: object, given: bytes = b"") -> bytes:
    """Run the program and return what it says; raises BenchError for anything but success."""
    done = subprocess.run([PROGRAM, *map(str, words)], input=given, capture_output=True, check=False)
    if done.returncode:
        raise BenchError(f"log: {done.stderr.decode().strip()}")
    return done.stdout


def _monitor(folder: Path, key: str) -> float:
    """Return the seconds in which a monitor reads a log from its first entry on; raises BenchError if it complains."""
    words = ["log", "monitor", folder / "log", "--state", folder / "state", "--log-key", key, "--once"]
    start = time.perf_counter()
    done = subprocess.run(
        [sys.executable, "-m", "equiproof", *map(str, words)], capture_output=True, text=True, check=False
    )
    if done.returncode:
        raise BenchError(f"log: {done.stderr.strip()}")
    return time.perf_counter() - start


def _posts(log: Path, numbers: Iterable[int]) -> Iterator[float]:
    """Yield the milliseconds of each entry that is sent over HTTP."""
    with _served(log) as client:
        for number in numbers:
            start = time.perf_counter()
            client.request("POST", "/add", body=entry(number))
            answer = client.getresponse()
            answer.read()
            yield (time.perf_counter() - start) * 1e3
            if answer.status != http.HTTPStatus.OK:
                raise BenchError(f"log: an entry was answered with {answer.status}")


@contextmanager
def _served(log: Path) -> Iterator[http.client.HTTPConnection]:
    """Serve a log while the block runs; yields a connection."""
    command = [str(PROGRAM), "serve", str(log), "--listen", "127.0.0.1:0"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        said = process.stdout.readline() if process.stdout else ""
        found = re.search(r":(\d+)\n$", said)
        if found is None:
            raise BenchError("log: it does not serve")
        try:
            yield http.client.HTTPConnection("127.0.0.1", int(found[1]), timeout=60)
        finally:
            process.terminate()


def _checks(signer: Signer, log: Path, indexes: Sequence[int]) -> dict[str, Any]:
    """Measure proofs of entries all over the log: their bytes, and the milliseconds of a check.

    `indexes` are those of the entries by number.
    """
    checkpoint = (log / "checkpoint").read_bytes()
    hashes = [b""] * len(indexes)
    for number, index in enumerate(indexes):
        hashes[index] = leaf_hash(entry(number))
    levels, lengths, times = _levels(hashes), [], []
    for number in (len(indexes) * at // CHECKED for at in range(CHECKED)):
        path = tuple(_path(levels, indexes[number]))
        data = TlogProof(indexes[number], path, checkpoint, entry(number)).data
        start = time.perf_counter()
        proof = parse_tlog_proof(data)
        head = open_checkpoint(proof.checkpoint, signer.verifier).checkpoint
        leaf = leaf_hash(parse_entry(proof.extra, "entry").data)
        check_inclusion(leaf, proof.index, head.size, proof.path, head.root)
        times.append((time.perf_counter() - start) * 1e3)
        lengths.append(len(data))
    return {"proof_bytes": max(lengths), **spread("check_ms", times, 3)}


def _levels(hashes: list[bytes]) -> list[list[bytes]]:
    """Return a tree level by level; a hash without a neighbor goes up as it is."""
    levels = [hashes]
    while len(hashes) > 1:
        above = [node_hash(left, right) for left, right in zip(hashes[::2], hashes[1::2], strict=False)]
        hashes = above + hashes[len(hashes) & ~1 :]
        levels.append(hashes)
    return levels


def _path(levels: Sequence[Sequence[bytes]], index: int) -> Iterator[bytes]:
    """Yield the hashes beside the way from an entry up to the root."""
    for level in levels[:-1]:
        if index ^ 1 < len(level):
            yield level[index ^ 1]
        index >>= 1


def table(found: Mapping[str, Any]) -> str:
    """Write one line for each size."""
    head = (
        "entries", "append, entries/s", "start, s", "monitor, s", "post, ms", "disk, MB", "files", "proof, bytes",
        "check, ms",
    )  # fmt: skip
    rows = [
        (
            f"{row['entries']:,}", f"{row['append_per_s']:,}", f"{row['start_s']}", f"{row['monitor_s']}",
            f"{row['post_ms']:.1f}",
            f"{row['disk_mb']:,}", f"{row['files']:,}", f"{row['proof_bytes']:,}", f"{row['check_ms']:.2f}",
        )
        for row in found["results"]
    ]  # fmt: skip
    return markdown(head, rows)
