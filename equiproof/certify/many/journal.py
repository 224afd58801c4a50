"""The file from which a run over many applicants resumes: a header that identifies the run, then a line per point.

It holds applicants' data and what they reveal about a secret model, so only its owner can read it
(:mod:`equiproof.circuits.journal`).
"""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from types import TracebackType
from typing import Self

import msgspec

from equiproof.certify.additive import AdditiveModel
from equiproof.certify.ensemble import EnsembleModel
from equiproof.certify.errors import RunError
from equiproof.certify.many.point import Limits, PointResult
from equiproof.certify.network import QuantisedNetwork
from equiproof.circuits import journal
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
    def of(cls, network: QuantisedNetwork | AdditiveModel | EnsembleModel, spec: Spec, limits: Limits) -> Header:
        """Return the header of a run."""
        model = hashlib.sha256(json.dumps(_integers(network)).encode()).hexdigest()
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
                raise RunError(f"{path}: name another file to resume from: belongs to a run with another {what}")


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
        self._header = header
        try:
            self._lines = journal.Journal(path, msgspec.json.encode(header), self._take)
        except journal.JournalError as error:
            raise RunError(str(error)) from None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Close the file, which releases the lock."""
        self._lines.__exit__(kind, error, trace)

    def append(self, query: Query, point: PointResult) -> None:
        """Keep a finished point."""
        self._lines.append(msgspec.json.encode(Entry(query, point)))

    def _take(self, lines: list[bytes]) -> None:
        """Read the lines of a file."""
        try:
            header = msgspec.json.decode(lines[0], type=Header)
        except (msgspec.MsgspecError, UnicodeError, RecursionError):
            raise RunError(f"{self._path}: name another one: no file to resume from") from None
        self._header.refuse_other(header, self._path)
        for number, line in enumerate(lines[1:], start=2):
            try:
                entry = msgspec.json.decode(line, type=Entry)
            except (msgspec.MsgspecError, UnicodeError, RecursionError):
                raise RunError(f"{self._path}: name another file: line {number} is no finished point") from None
            self.points[entry.query] = entry.point


def _integers(model: QuantisedNetwork | AdditiveModel | EnsembleModel) -> list[object]:
    """Return the integers of a model."""
    if isinstance(model, EnsembleModel):
        nodes = model.nodes
        return ["ensemble", _integers(model.additive), nodes.roots, nodes.predicates, nodes.kinds, nodes.values]
    if isinstance(model, AdditiveModel):
        return ["additive", model.columns, model.thresholds, model.jumps, model.bias, model.input_fraction_bits]
    return [
        [[layer.weights, layer.biases] for layer in model.layers],
        [model.input_fraction_bits, model.weight_fraction_bits],
    ]
