"""The records of a report: model, findings, estimates, tables, and the fields of the report itself."""

from __future__ import annotations

import math

import msgspec

from equiproof.audits.counterexample import Counterexample
from equiproof.certify.many.point import Assignment, Verdict

FORMAT = ("equiproof-audit", 1)

VERDICTS: tuple[Verdict, ...] = ("fair", "unfair", "undecided")

LOGIT_BITS = "logit_fraction_bits"
"""The setting that says how many binary places the integer logits of cases have; the runner adds it."""

Cell = str | int | float | bool | None

SMALL_GROUP = 30
"""Groups of fewer rows are flagged, because their intervals are wide."""


class Model(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """The model that was audited: its commitment and its spec's digest as hexadecimal text, its spec's name, its sizes.

    `layers` are inputs, hidden neurons of each layer, logits; a score has no hidden layer. `commitment` is
    empty before there is one.
    """

    commitment: str
    spec_name: str
    spec_digest: str
    layers: tuple[int, ...]


class Finding(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """What is known of one subject: a row of the data, a partition of a domain, or the model as a whole.

    `row` counts from 1, None where the subject is no row. `lower` and `upper` enclose the quantity that the audit
    measures (its table of columns says in which unit), rounded outward, None where nothing is known. "unfair" has a
    `counterexample` (in JSON: `witness`), and "undecided" a `reason`: what ended first. `values` are the audit's own
    columns.
    """

    subject: str
    verdict: Verdict
    row: int | None = None
    group: Assignment = ()
    lower: float | None = None
    upper: float | None = None
    reason: str | None = None
    counterexample: Counterexample | None = msgspec.field(default=None, name="witness")
    seconds: float = 0.0
    values: dict[str, Cell] = {}

    def __post_init__(self) -> None:
        """Raise ValueError for a verdict without its basis, and for invalid bounds."""
        if self.row is not None and self.row < 1:
            raise ValueError(f"{self.subject}: row {self.row}: rows are counted from 1")
        if self.verdict == "unfair" and self.counterexample is None:
            raise ValueError(f"{self.subject}: unfair without a counterexample")
        if self.verdict == "undecided" and not self.reason:
            raise ValueError(f"{self.subject}: undecided without a reason")
        if any(end is not None and math.isnan(end) for end in (self.lower, self.upper)):
            raise ValueError(f"{self.subject}: a bound is not a number")
        if self.lower is not None and self.upper is not None and self.lower > self.upper:
            raise ValueError(f"{self.subject}: the bounds cross: {self.lower} and {self.upper}")


class Estimate(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A number with its interval: of one group, or over all where `group` is empty.

    `n` counts the rows that it rests on: of a figure that compares groups, those of the smallest one. `method` is how
    the interval of `confidence` was computed, such as "Wilson", "exact" where there is nothing to
    estimate. `value` is None where no row is left.
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
        """Whether it rests on fewer than :data:`SMALL_GROUP` rows."""
        return self.n < SMALL_GROUP


class Table(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A table of the audit's own: a caption, the names of its columns with their units, and its rows."""

    caption: str
    columns: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]

    def __post_init__(self) -> None:
        """Raise ValueError for a row of another length."""
        if any(len(row) != len(self.columns) for row in self.rows):
            raise ValueError(f"{self.caption}: a row does not have {len(self.columns)} cells")


class ReportFields(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """The fields of a report and the checks that tie its verdict to its findings.

    :class:`equiproof.audits.report.AuditReport` adds how a report is read, written and shown.
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
        """Raise ValueError for a verdict that the findings contradict, and for "undecided" without a reason."""
        if self.verdict == "undecided" and not self.reason:
            raise ValueError(f"{self.audit}: undecided without a reason")
        if self.verdict == "fair" and any(finding.verdict != "fair" for finding in self.findings):
            raise ValueError(f"{self.audit}: the verdict is fair, but a finding is not")
        if self.verdict == "unfair" and not self.having("unfair"):
            raise ValueError(f"{self.audit}: the verdict is unfair, but no finding is")

    def having(self, verdict: Verdict) -> tuple[Finding, ...]:
        """Return the findings of one verdict."""
        return tuple(finding for finding in self.findings if finding.verdict == verdict)
