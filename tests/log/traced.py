"""What would be left if the power failed: the system calls of a program, and which names of a folder are on the disk.

A file's bytes are there once it was written with O_SYNC or synced after its last write; a name once its folder was
synced after the name was made. That is all that POSIX promises: what a file system does beyond it is not counted on.
"""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest

CALLS = "openat,renameat,renameat2,linkat,unlinkat,mkdirat,fsync,fdatasync,write,writev,pwrite64,sendto"
_LINE = re.compile(r"\d+ +(?P<call>\w+)\((?P<words>.*)\) += (?P<result>-?\d+)")
_BEGUN = re.compile(r"(?P<thread>\d+) +(?P<words>.*) <unfinished \.\.\.>")
_ENDED = re.compile(r"(?P<thread>\d+) +<\.\.\. \w+ resumed>(?P<words>.*)")
_NAME = re.compile(r'"((?:[^"\\]|\\.)*)"')
_OPEN = re.compile(r"^(?P<handle>\d+)<(?P<path>[^>]*)>")


@dataclass(frozen=True)
class Call:
    """A system call that did what it was asked."""

    name: str
    words: str
    begun: int
    """How many calls had ended when it began: a sync covers those."""

    @property
    def opened(self) -> str:
        """The path behind the handle in its first word."""
        found = _OPEN.match(self.words)
        return found["path"] if found else ""

    @property
    def names(self) -> list[str]:
        """The texts among its words."""
        return _NAME.findall(self.words)


def calls(program: Path, *words: object, given: bytes, trace: Path) -> list[Call]:
    """Run a program to its end; return its calls. Skips where calls cannot be watched."""
    strace = shutil.which("strace")
    if strace is None:
        pytest.skip("no strace: system calls cannot be watched")
    command = [strace, "-f", "-y", "-s", "200", "-e", f"trace={CALLS}", "-e", "signal=none", "-o", trace, program]
    done = subprocess.run([*map(str, command), *map(str, words)], input=given, capture_output=True, check=False)
    if b"PTRACE" in done.stderr or b"Operation not permitted" in done.stderr:
        pytest.skip("this machine lets no program be watched")
    assert done.returncode == 0, done.stderr
    return list(_read(trace.read_text(encoding="utf-8", errors="replace").splitlines()))


def _read(lines: Iterable[str]) -> Iterator[Call]:
    """Yield the calls in the order in which they ended, those that failed left out."""
    waiting: dict[str, tuple[str, int]] = {}
    ended = 0
    for said in lines:
        line, begun = said, ended
        if cut := _BEGUN.fullmatch(line):
            waiting[cut["thread"]] = (cut["words"], ended)
            continue
        if cut := _ENDED.fullmatch(line):
            first, begun = waiting.pop(cut["thread"])
            line = f"{cut['thread']} {first}{cut['words']}"
        found = _LINE.match(line)
        if found and int(found["result"]) >= 0:
            ended += 1
            yield Call(found["call"], found["words"], begun)


@dataclass
class Disk:
    """The names in a folder that are not on the disk yet, with the number of the call that made each."""

    root: Path
    loose: dict[str, int] = field(default_factory=dict)
    """Names whose folder was not synced since."""
    unwritten: dict[str, int] = field(default_factory=dict)
    """Files whose bytes were not."""
    synchronous: set[str] = field(default_factory=set)

    def left(self) -> list[str]:
        """Return what a failure of the power could take away, below the root."""
        return sorted(
            str(Path(path).relative_to(self.root))
            for path in self.loose.keys() | self.unwritten.keys()
            if Path(path).is_relative_to(self.root)
        )

    def take(self, number: int, call: Call) -> None:
        """Take over what a call did."""
        names = [str(self.root.parent / name) for name in call.names]
        match call.name:
            case "openat" if "O_CREAT" in call.words:
                self.synchronous.discard(names[0])
                if "O_SYNC" in call.words:
                    self.synchronous.add(names[0])
            case "write" | "pwrite64" if call.opened not in self.synchronous:
                self.unwritten[call.opened] = number
            case "renameat" | "renameat2" | "linkat":
                self.loose[names[1]] = number
                if (since := self.unwritten.pop(names[0], None)) is not None:
                    self.unwritten[names[1]] = since
            case "mkdirat":
                self.loose[names[0]] = number
            case "unlinkat":
                self.loose.pop(names[0], None)
                self.unwritten.pop(names[0], None)
            case "fsync" | "fdatasync":
                self._synced(call)

    def _synced(self, call: Call) -> None:
        """Take over that a file or a folder was synced: what was done before the call began is on the disk."""
        for kept, belongs in ((self.loose, parent), (self.unwritten, str)):
            for path, since in list(kept.items()):
                if belongs(path) == call.opened and since < call.begun:
                    del kept[path]


def parent(path: str) -> str:
    """Return the folder of a name."""
    return str(Path(path).parent)


def lost(found: list[Call], root: Path, said: Callable[[Call], bool], *, loose: Iterable[str] = ()) -> list[list[str]]:
    """Return what could be lost at each moment at which the program says something, such as that an entry is safe.

    `loose` are names that are not on the disk when the program begins.
    """
    disk = Disk(root, dict.fromkeys(loose, -1))
    moments = []
    for number, call in enumerate(found):
        if said(call):
            moments.append(disk.left())
        disk.take(number, call)
    return moments
