"""The program that keeps a log, built from the sources as they are, and what Python reads in the log's folder."""

from __future__ import annotations

import hashlib
import http.client
import json
import re
import shlex
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from equiproof.verifier.checkpoint import Checkpoint, open_checkpoint
from equiproof.verifier.entries import ENTRY, DecisionEntry
from equiproof.verifier.merkle import leaf_hash, root_of
from equiproof.verifier.notes import Signer, VerifierKey
from tests.static import build
from tests.support import ROOT

MODULE = ROOT / "go-log"
ORIGIN = "lender.example/log"
FLAGS = re.search(
    r"cd go-log && CGO_ENABLED=0 \$\(GO\) (build .*) -o (\S+) \.", (ROOT / "Makefile").read_text(encoding="utf-8")
)
"""How `make log` builds the program."""

BUNDLE = 256
SIGNER = Signer(ORIGIN, hashlib.sha256(b"the key of the log in these tests").digest())


def program(path: Path, module: Path = MODULE) -> Path:
    """Build the program as `make log` does, from the sources in a folder; return its file."""
    assert FLAGS is not None
    build.run(*shlex.split(FLAGS[1]), "-o", path, ".", folder=module)
    return path


def entry(number: int) -> bytes:
    """Return one of many different entries."""
    return DecisionEntry(*ENTRY, "decision", hashlib.sha256(b"%d" % number).hexdigest()).data


def name(data: bytes) -> str:
    """Return the name of an entry."""
    return hashlib.sha256(data).hexdigest()


class Log:
    """A folder, and the program that writes it."""

    def __init__(self, program: Path, folder: Path) -> None:
        self.program, self.folder = program, folder

    def said(self, *words: object, given: bytes = b"", **settings: object) -> tuple[int, str, str]:
        """Run the program; return its exit code and both outputs."""
        done = subprocess.run(
            [self.program, *map(str, words)], input=given, capture_output=True, timeout=120, check=False, **settings
        )
        return done.returncode, done.stdout.decode(), done.stderr.decode()

    def make(self) -> None:
        """Make the folder of an empty log."""
        key = self.folder.with_suffix(".key")
        key.write_text(f"{SIGNER.text}\n", encoding="utf-8")
        assert self.said("init", self.folder, "--origin", ORIGIN, "--key", key) == (0, f"{SIGNER.verifier.text}\n", "")

    def append(self, *entries: bytes) -> list[int]:
        """Append entries and return their indexes."""
        code, out, err = self.said("append", self.folder, "-", given=b"".join(one + b"\n" for one in entries))
        assert (code, err) == (0, "")
        lines = [line.split(" ") for line in out.splitlines()]
        assert [named for _, named in lines] == [name(one) for one in entries]
        return [int(index) for index, _ in lines]

    def checkpoint(self) -> Checkpoint:
        """Return the published checkpoint, signed by the log."""
        return opened((self.folder / "checkpoint").read_bytes())

    def entries(self) -> list[bytes]:
        """Return the entries that the published checkpoint covers, after comparing their root with it."""
        checkpoint, found = self.checkpoint(), list[bytes]()
        for bundle in range(-(-checkpoint.size // BUNDLE)):
            width = min(BUNDLE, checkpoint.size - bundle * BUNDLE)
            found += split(bundle_path(self.folder, bundle, width).read_bytes(), width)
        assert root_of([leaf_hash(one) for one in found]) == checkpoint.root
        return found

    @contextmanager
    def serving(self, *words: object) -> Iterator[Served]:
        """Serve the log on a free port, and end the program if that has not happened."""
        command = [self.program, "serve", self.folder, "--listen", "127.0.0.1:0", *map(str, words)]
        with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
            try:
                assert process.stdout is not None
                said = process.stdout.readline()
                found = re.fullmatch(r"serving .* with (\d+) entries at http://127\.0\.0\.1:(\d+)\n", said)
                assert found, said + process.stderr.read()
                yield Served(process, int(found[2]))
            finally:
                process.kill()


class Served:
    """A running service."""

    def __init__(self, process: subprocess.Popen[str], port: int) -> None:
        self.process, self.port = process, port

    def client(self) -> http.client.HTTPConnection:
        """Return a connection to it."""
        return http.client.HTTPConnection("127.0.0.1", self.port, timeout=20)

    def stopped(self) -> tuple[int, str]:
        """Wait for its end; return exit code and what it said."""
        _, err = self.process.communicate(timeout=30)
        return self.process.returncode, err


def posted(client: http.client.HTTPConnection, data: bytes) -> tuple[int, str]:
    """Send an entry; return the status and the answer."""
    client.request("POST", "/add", body=data)
    answer = client.getresponse()
    return answer.status, answer.read().decode()


def index_of(answer: tuple[int, str], data: bytes) -> int:
    """Return the index in an answer about an entry."""
    assert answer[0] == 200, answer
    said = json.loads(answer[1])
    assert said["name"] == name(data)
    return int(said["index"])


def opened(data: bytes, log: VerifierKey = SIGNER.verifier) -> Checkpoint:
    """Return a checkpoint that the log signed."""
    return open_checkpoint(data, log).checkpoint


def bundle_path(folder: Path, bundle: int, width: int) -> Path:
    """Return the file of entries: three digits of its index a part, each but the last behind an x."""
    path, rest = f"{bundle % 1000:03}", bundle // 1000
    while rest:
        path, rest = f"x{rest % 1000:03}/{path}", rest // 1000
    return folder / "tile" / "entries" / (path if width == BUNDLE else f"{path}.p/{width}")


def split(data: bytes, count: int) -> list[bytes]:
    """Return the entries of a file, each behind its length in two bytes."""
    found, at = list[bytes](), 0
    while at < len(data):
        length = int.from_bytes(data[at : at + 2], "big")
        found.append(data[at + 2 : at + 2 + length])
        at += 2 + length
    assert len(found) == count
    return found
