"""The results of a run over many applicants: frozen, one per row, saved as one JSON document."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, overload

import msgspec
import rfc8785

from equiproof.certify.errors import RunError
from equiproof.certify.many import notebook, summary
from equiproof.certify.many.point import Limits, PointResult, Verdict
from equiproof.circuits.spec import Spec, SpecError, checked

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

FORMAT = ("equiproof-results", 2)


class Results(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The results of a run, a sequence in the order of its rows, with the spec and limits of the run."""

    format: str
    version: int
    spec: Spec
    limits: Limits
    points: tuple[PointResult, ...]

    def __len__(self) -> int:
        return len(self.points)

    def __iter__(self) -> Iterator[PointResult]:
        return iter(self.points)

    @overload
    def __getitem__(self, index: int) -> PointResult: ...
    @overload
    def __getitem__(self, index: slice) -> Results: ...
    def __getitem__(self, index: int | slice) -> PointResult | Results:
        if isinstance(index, slice):
            return msgspec.structs.replace(self, points=self.points[index])
        return self.points[index]

    def __repr__(self) -> str:
        counts = ", ".join(f"{len(self.having(verdict))} {verdict}" for verdict in ("fair", "unfair", "undecided"))
        return f"<Results of {len(self)} rows of {self.spec.name}: {counts}>"

    def _repr_html_(self) -> str:
        """Return what a notebook shows: verdicts counted, radii, and the worst applicants."""
        return notebook.shown(self)

    def having(self, verdict: Verdict) -> tuple[PointResult, ...]:
        """Return the points of one verdict."""
        return tuple(point for point in self.points if point.verdict == verdict)

    def to_frame(self) -> pd.DataFrame:
        """Return one line per row; lengths become floats, and counterexamples stay in the results."""
        return summary.frame(self)

    def summary(self) -> str:
        """Return a few lines for people."""
        return summary.in_words(self)

    def plot(self, axes: Axes | None = None) -> Figure:
        """Draw the radii of the fair as a histogram, with the counts of the unfair and undecided beside it.

        Without `axes`, the figure is not registered with pyplot: save it with `savefig`; it need not be closed.
        """
        return summary.plot(self, axes)

    def to_json(self) -> str:
        """Return the JSON document, canonical (RFC 8785) unless an integer exceeds 2^53; no digit is lost."""
        document = msgspec.to_builtins(self)
        try:
            return rfc8785.dumps(document).decode()
        except rfc8785.CanonicalizationError:
            return json.dumps(document, sort_keys=True, separators=(",", ":"), ensure_ascii=False)

    @classmethod
    def from_json(cls, text: str | bytes, where: str = "results") -> Results:
        """Read a document of :meth:`to_json`; raises RunError naming `where` for anything else."""
        try:
            results = msgspec.json.decode(text, type=cls)
            checked(results.spec)
        except (msgspec.MsgspecError, UnicodeError, RecursionError, SpecError) as error:
            # Names in a document may contain line breaks.
            raise RunError(f"{where}: no document of results: {' '.join(str(error).split())}") from None
        if (results.format, results.version) != FORMAT:
            version = f"{results.format[:40]!r} version {results.version}"
            raise RunError(f"{where}: this is {version}, not {FORMAT[0]!r} version {FORMAT[1]}")
        return results


Sequence.register(Results)
