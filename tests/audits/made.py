"""A context on a model that can be worked out by hand, reports about it, and audits that do what a test needs."""

from __future__ import annotations

from equiproof.audits.context import AuditContext
from equiproof.audits.counterexample import Counterexample
from equiproof.audits.records import Estimate, Finding, Table
from equiproof.audits.report import AuditReport
from tests.certify.hand_made import by_income, by_sex
from tests.support import LOANS

ROWS = tuple(
    {"income": income, "housing": housing, "sex": sex}
    for income, housing, sex in (
        (20000, "own", "f"),
        (45000, "rent", "m"),
        (29000, "rent", "f"),
        (31000, "own", "m"),
    )
)
"""Two below the mean income of 30000 and two above, two women and two men."""

LABELS = (0, 1, 1, 1)


def context(network=None, **changed) -> AuditContext:
    """Return a context on the model that grants by income, or on another one; some fields changed."""
    known = {"spec": LOANS, "commitment": "ab" * 32, "rows": ROWS, "labels": LABELS} | changed
    return AuditContext(network=network or by_income(), **known)


def pair(where: AuditContext, query=(0, 1024, 0)) -> Counterexample:
    """Return the cases of a query in both slices of LOANS."""
    return Counterexample("sex alone decides", (where.decided_input(query, 0), where.decided_input(query, 1)))


def report(where: AuditContext | None = None, **changed) -> AuditReport:
    """Return a report with everything that a report may hold."""
    where = where or context(by_sex())
    women, men = (("sex", "f"),), (("sex", "m"),)
    known = {
        "audit": "made",
        "audit_version": "1",
        "model": where.model,
        "sensitive_features": where.sensitive_features,
        "verdict": "unfair",
        "measures": "distance in grid units",
        "settings": {"seed": 0, "delta": 0.5, "exact": True, "name": "x", "nothing": None},
        "findings": (
            Finding(subject="row 1", row=1, group=women, verdict="fair", lower=0.25, upper=1.0, values={"steps": 3}),
            Finding(
                subject="row 2", row=2, group=men, verdict="unfair", counterexample=pair(where), values={"note": "a"}
            ),
            Finding(subject="the domain", verdict="undecided", lower=0.5, reason="100 nodes"),
        ),
        "estimates": (
            Estimate(measure="rate", value=0.5, lower=0.1, upper=0.9, n=40, method="Wilson"),
            Estimate(measure="rate", group=women, value=0.25, lower=0.0, upper=1.0, n=4, method="Wilson"),
            Estimate(measure="rate", group=men, value=None, n=0, method="Wilson"),
        ),
        "tables": (Table("counts", ("group", "n"), (("f", 4), ("m", None))),),
        "notes": ("a note",),
        "seconds": 1.5,
    }
    return AuditReport(**(known | changed))


def bare(where: AuditContext, audit="made", **changed) -> AuditReport:
    """Return a report of any model that has found nothing and says so."""
    known = {
        "audit": audit,
        "audit_version": "1",
        "model": where.model,
        "sensitive_features": where.sensitive_features,
    }
    return AuditReport(**(known | changed))


class Made:
    """An audit that needs nothing, has an option of each kind, and calls its model fair."""

    name = "made"
    version = "1"
    about = "Reports what the test gives it."
    needs: frozenset[str] = frozenset()
    options = ()

    def __init__(self, act=None, **changed) -> None:
        self.act = act or bare
        self.runs = 0
        for name, value in changed.items():
            setattr(self, name, value)

    def run(self, where):
        self.runs += 1
        return self.act(where)
