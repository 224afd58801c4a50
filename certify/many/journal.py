"""The file from which a run over many applicants resumes: a header that identifies the run, then a line per point.

It holds applicants' data and what they reveal about a secret model, so only its owner can read it. Nothing is ever
overwritten. Each line is appended in one write: a process that dies leaves at most an incomplete last line, which is
dropped.
"""

from __future__ import annotations

import fcntl
import hashlib
import json
import os
import stat
from pathlib import Path
from types import TracebackType
from typing import Self

import msgspec

from equiproof.certify.errors import RunError
from equiproof.certify.many.point import Limits, PointResult
from equiproof.certify.network import QuantisedNetwork
from equiproof.circuits.files import naming
from equiproof.circuits.spec import Spec

FORMAT = ("equiproof-run", 2)

Query = tuple[int, ...]


class Header(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The run that a file belongs to: the digests of model and spec, and the limits of the searches."""

    format: str
    version: int
    model: str
    spec: str
    limits: Limits

    @classmethod
    def of(cls, network: QuantisedNetwork, spec: Spec, limits: Limits) -> Header:
        """Return the header of a run."""
        integers = [
            [[layer.weights, layer.biases] for layer in network.layers],
            [network.input_fraction_bits, network.weight_fraction_bits],
        ]
        model = hashlib.sha256(json.dumps(integers).encode()).hexdigest()
        return cls(FORMAT[0], FORMAT[1], model, f"{spec.digest:062x}", limits)

    def refuse_other(self, other: Header, path: Path) -> None:
        """Raise RunError for the header of another run, naming the first difference."""
        pairs = {
            "format": ((other.format, other.version), (self.format, self.version)),
            "model": (other.model, self.model),
            "spec": (other.spec, self.spec),
        }
        # The scheme comes first: another scheme has other budgets, which the user did not choose.
        for name in self.limits.__struct_fields__:
            pairs[name] = (getattr(other.limits, name), getattr(self.limits, name))
        for what, (there, here) in pairs.items():
            if there != here:
                raise RunError(f"{path}: belongs to a run with another {what}; name another file to resume from")


class Entry(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One finished point: its query of n_x integers and its result."""

    query: Query
    point: PointResult


class Journal:
    """The finished points of a run on disk, held open by one run at a time; use it as a context manager.

    `points` maps queries to the results in the file when it was opened. Raises RunError for a file that is not a
    journal, belongs to another run or is in use, OSError where it cannot be opened.
    """

    def __init__(self, path: Path, header: Header) -> None:
        self.points: dict[Query, PointResult] = {}
        self._path = path
        self._handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o600)
        try:
            self._lock()
            self._read(header)
        except BaseException:
            os.close(self._handle)
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Close the file, which releases the lock."""
        os.close(self._handle)

    def append(self, query: Query, point: PointResult) -> None:
        """Keep a finished point."""
        self._write(Entry(query, point))

    def _lock(self) -> None:
        """Raise RunError for anything but a regular file, and for a file that another run appends to."""
        if not stat.S_ISREG(os.fstat(self._handle).st_mode):
            raise RunError(f"{self._path}: not a plain file; name another one")
        try:
            fcntl.flock(self._handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise RunError(f"{self._path}: another run is writing to it; wait, or name another file") from None

    def _read(self, header: Header) -> None:
        """Read a file's points up to an incomplete last line, or write the header of an empty file."""
        first = msgspec.json.encode(header) + b"\n"
        data = self._path.read_bytes()
        whole = data[: data.rfind(b"\n") + 1]
        # A process that died while it wrote the header leaves a prefix of it; other text without a line end is not a
        # journal.
        if not whole and not first.startswith(data):
            raise RunError(f"{self._path}: no file to resume from; name another one")
        if whole:
            self._take(whole.splitlines(), header)
        # Only now is it known to be a journal: a file of somebody else's keeps its mode, as it keeps its bytes.
        with naming(self._path):
            os.fchmod(self._handle, 0o600)
            os.ftruncate(self._handle, len(whole))
        if not whole:
            self._write(header)

    def _take(self, lines: list[bytes], header: Header) -> None:
        """Read the lines of a file."""
        try:
            found = msgspec.json.decode(lines[0], type=Header)
        except (msgspec.MsgspecError, UnicodeError, RecursionError):
            raise RunError(f"{self._path}: no file to resume from; name another one") from None
        header.refuse_other(found, self._path)
        for number, line in enumerate(lines[1:], start=2):
            try:
                entry = msgspec.json.decode(line, type=Entry)
            except (msgspec.MsgspecError, UnicodeError, RecursionError):
                raise RunError(f"{self._path}: line {number} is no finished point; name another file") from None
            self.points[entry.query] = entry.point

    def _write(self, line: Header | Entry) -> None:
        """Append one line."""
        data = msgspec.json.encode(line) + b"\n"
        with naming(self._path):
            while data:
                data = data[os.write(self._handle, data) :]
