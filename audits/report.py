"""What an audit found: frozen documents that name the model they speak of by its commitment, as JSON, table or picture.

A verdict rests on exact numbers: "fair" on a bound that was re-checked in integers or fractions, "unfair" on a witness
that was replayed, both by the plug-in before it reports. Shares and scores are estimates and carry their intervals.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING, Literal

import msgspec

from audits.documents import canonical, decoded
from audits.witness import Assignment, Witness

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

FORMAT = ("equiproof-audit", 1)

Verdict = Literal["fair", "unfair", "undecided"]

Cell = str | int | float | bool | None

SMALL = 30
"""Groups of fewer rows are flagged: their interval says little more than that."""


class Model(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """The model that was audited: its commitment and its spec's digest as hexadecimal text, its spec's name, its sizes.

    `layers` are inputs, hidden neurons of each layer, logits. `commitment` is empty before there is one.
    """

    commitment: str
    spec_name: str
    spec_digest: str
    layers: tuple[int, ...]


class Finding(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """What is known of one subject: a row of the data, a partition of a domain, or the model as a whole.

    `row` counts from 1, None where the subject is no row. `lower` and `upper` enclose the quantity that the audit
    measures (its table of columns says in which unit), rounded outward, None where nothing is known. "unfair" has a
    `witness`, and "undecided" a `reason`: what ended first. `values` are the audit's own columns.
    """

    subject: str
    verdict: Verdict
    row: int | None = None
    group: Assignment = ()
    lower: float | None = None
    upper: float | None = None
    reason: str | None = None
    witness: Witness | None = None
    seconds: float = 0.0
    values: dict[str, Cell] = {}

    def __post_init__(self) -> None:
        """Refuse a verdict without what it rests on."""
        if self.row is not None and self.row < 1:
            raise ValueError(f"{self.subject}: row {self.row}; rows are counted from 1")
        if self.verdict == "unfair" and self.witness is None:
            raise ValueError(f"{self.subject}: unfair without a witness")
        if self.verdict == "undecided" and not self.reason:
            raise ValueError(f"{self.subject}: undecided without a reason")
        if any(end is not None and math.isnan(end) for end in (self.lower, self.upper)):
            raise ValueError(f"{self.subject}: a bound is no number")
        if self.lower is not None and self.upper is not None and self.lower > self.upper:
            raise ValueError(f"{self.subject}: bounds that cross, {self.lower} and {self.upper}")


class Estimate(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A number with its interval: of one group, or over all where `group` is empty.

    `n` counts the rows that it rests on; `method` says how the interval of `confidence` was made, such as "Wilson" or
    "bootstrap", "exact" where there is nothing to estimate. `value` is None where no row is left.
    """

    measure: str
    group: Assignment = ()
    value: float | None
    lower: float | None = None
    upper: float | None = None
    n: int
    method: str
    confidence: float = 0.95

    @property
    def small(self) -> bool:
        """Whether too few rows stand behind it."""
        return self.n < SMALL


class Table(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A table of the audit's own: a caption, the names of its columns with their units, and its rows."""

    caption: str
    columns: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]

    def __post_init__(self) -> None:
        """Refuse rows of another length."""
        if any(len(row) != len(self.columns) for row in self.rows):
            raise ValueError(f"{self.caption}: a row has not {len(self.columns)} cells")


class AuditReport(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """The outcome of one audit of one model.

    `verdict` is that of the model as a whole under this audit, None for one that measures and does not judge; `reason`
    says why it is undecided. `measures` explains what `lower` and `upper` of the findings are. `settings` are the
    options and budgets it ran under, the seed among them: with them it gives the same report again, but for seconds.
    """

    format: str = FORMAT[0]
    version: int = FORMAT[1]
    audit: str
    audit_version: str
    model: Model
    sensitive_features: tuple[str, ...]
    verdict: Verdict | None = None
    reason: str | None = None
    measures: str = ""
    settings: dict[str, Cell] = {}
    findings: tuple[Finding, ...] = ()
    estimates: tuple[Estimate, ...] = ()
    tables: tuple[Table, ...] = ()
    notes: tuple[str, ...] = ()
    seconds: float = 0.0

    def __post_init__(self) -> None:
        """Refuse a verdict that its findings contradict, and one that says nothing."""
        if self.verdict == "undecided" and not self.reason:
            raise ValueError(f"{self.audit}: undecided without a reason")
        if self.verdict == "fair" and any(finding.verdict != "fair" for finding in self.findings):
            raise ValueError(f"{self.audit}: called fair, and a finding is not")
        if self.verdict == "unfair" and not self.having("unfair"):
            raise ValueError(f"{self.audit}: called unfair, and no finding is")

    def __iter__(self) -> Iterator[Finding]:
        return iter(self.findings)

    def __repr__(self) -> str:
        counts = ", ".join(f"{len(self.having(verdict))} {verdict}" for verdict in ("fair", "unfair", "undecided"))
        return f"<AuditReport {self.audit} of {self.model.spec_name}: {counts}>"

    def having(self, verdict: Verdict) -> tuple[Finding, ...]:
        """Return the findings of one verdict."""
        return tuple(finding for finding in self.findings if finding.verdict == verdict)

    def to_frame(self) -> pd.DataFrame:
        """Return one line per finding, the audit's own columns last; witnesses stay in the report."""
        from audits.presentation import frame

        return frame(self)

    def summary(self) -> str:
        """Return a few lines for people."""
        from audits.presentation import summary

        return summary(self)

    def plot(self, axes: Axes | None = None) -> Figure:
        """Draw the estimates by group with their intervals, or the findings' bounds where there are none.

        Without `axes`, into a figure that pyplot does not know of: save it with `savefig`, there is nothing to close.
        """
        from audits.presentation import plot

        return plot(self, axes)

    def to_json(self) -> str:
        """Return the document as canonical JSON (RFC 8785)."""
        return canonical(self)

    @classmethod
    def from_json(cls, text: str | bytes, where: str = "report") -> AuditReport:
        """Read what :meth:`to_json` wrote; raises AuditError naming `where` for anything else."""
        return decoded(text, cls, FORMAT, where)
