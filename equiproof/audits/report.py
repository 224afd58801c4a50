"""The report of an audit: a frozen document that names its model by the commitment, as JSON, table or picture.

Verdicts rest on exact numbers: "fair" on a bound that was re-checked in integers or fractions, "unfair" on a replayed
counterexample; the plug-in does both before it reports. Shares and scores are estimates with intervals.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from equiproof.audits.documents import canonical, decoded
from equiproof.audits.notebook import shown
from equiproof.audits.presentation import WIDTH, frame, plot, summary
from equiproof.audits.records import FORMAT, Finding, ReportFields

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


class AuditReport(ReportFields, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """The outcome of one audit of one model.

    `verdict` is that of the model as a whole under this audit, None for one that measures and does not judge; `reason`
    says why it is undecided. `measures` explains what `lower` and `upper` of the findings are. `settings` are the
    options and budgets it ran under, the seed among them: with them it gives the same report again, but for seconds.
    """

    def __iter__(self) -> Iterator[Finding]:
        return iter(self.findings)

    def __repr__(self) -> str:
        counts = ", ".join(f"{len(self.having(verdict))} {verdict}" for verdict in ("fair", "unfair", "undecided"))
        return f"<AuditReport {self.audit} of {self.model.spec_name}: {counts}>"

    def _repr_html_(self) -> str:
        """Return what a notebook shows: outcome, answer, numbers, and the worst case side by side."""
        return shown(self)

    def to_frame(self) -> pd.DataFrame:
        """Return one line per finding, the audit's own columns last, without counterexamples."""
        return frame(self)

    def summary(self, width: int = WIDTH) -> str:
        """Return a summary in words, in lines of at most this width."""
        return summary(self, width)

    def plot(self, axes: Axes | None = None) -> Figure:
        """Draw the estimates by group with intervals, or the findings' bounds if there are no estimates.

        Without `axes`, a figure outside pyplot is made: save it with `savefig`; it need not be closed.
        """
        return plot(self, axes)

    def to_json(self) -> str:
        """Return the document as canonical JSON (RFC 8785)."""
        return canonical(self)

    @classmethod
    def from_json(cls, text: str | bytes, where: str = "report") -> AuditReport:
        """Read what :meth:`to_json` wrote; raises AuditError naming `where` for anything else."""
        return decoded(text, cls, FORMAT, where)


class StoppedAuditError(KeyboardInterrupt):
    """Ctrl-C ended an audit; `report` has what it had found until then."""

    def __init__(self, report: AuditReport) -> None:
        """Keep the report."""
        super().__init__(f"{report.audit}: interrupted")
        self.report = report
