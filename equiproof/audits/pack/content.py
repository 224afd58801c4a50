"""What document and card say alike of a committed model, from its spec and the saved reports of its audits.

The parts are those that guidance on model risk asks for, such as SR 26-2 of the Federal Reserve: what the model is, how
it compares with the decisions that it stands for, an analysis of its outcomes, its limits, and what is watched later.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import msgspec

from equiproof.audits.brief import Head, head
from equiproof.audits.errors import AuditError
from equiproof.audits.meanings import in_full
from equiproof.audits.pack.later import Later
from equiproof.audits.records import Model, ReportFields
from equiproof.audits.runner import AuditRun
from equiproof.certify.models.comparison import NOT_AUDITED
from equiproof.circuits.field import to_hex
from equiproof.circuits.spec import Feature, Spec

EXPECTED = ("groups", "pba", "hyfair", "fvgm", "leak")
"""The audits that a validator looks for; `prof` repairs a model, and judges none."""

LEAK = "leak"

LIMITS = (
    "A certificate is about one applicant, and those within the certified distance: no sensitive value matters there.",
    "It says nothing of other columns that stand in for a sensitive feature, or of whether the decision is right.",
    "It says nothing of how groups fare. Audits estimate that, for people like the rows that they were given.",
    "Audits say of a network of people (fvgm) what that network says; where it contradicts the rows, the rows count.",
    "Whoever trained the model chose the rows, the labels and the sensitive features. None of them is proven.",
)
"""What the evidence does not show, whatever it says."""


@dataclass(frozen=True)
class Watch:
    """What is repeated while the model is in use: what, when, by which command, and what calls for a review."""

    what: str
    when: str
    command: str
    review: str


MONITORING = (
    Watch(
        "The model in use is the committed one",
        "every month, on the decisions of that month",
        "equiproof inspect MODEL --rows ROWS --decisions COLUMN",
        "a row that is decided otherwise and is not named",
    ),
    Watch(
        "How groups fare",
        "every quarter, and when the applicants change",
        "equiproof audit run groups hyfair --opening OPENING --rows ROWS --out LATER",
        "a change that the comparison with later rows shows; an interval beyond the limit of your policy",
    ),
    Watch(
        "Every decision has an answer",
        "every month",
        "equiproof lot check LOT",
        "a decision without an entry, or without a certificate and without a reason",
    ),
    Watch(
        "What certificates give away",
        "when the number of certificates grows tenfold, and when the spec's levels change",
        "equiproof audit run leak --opening OPENING --rows ROWS",
        "a copy that agrees clearly more than one from labels alone",
    ),
    Watch(
        "A new version of the model",
        "each time",
        "equiproof commit MODEL --out OWNER",
        "any: it has another commitment, and everything here is about the old one",
    ),
)


@dataclass(frozen=True)
class Content:
    """The parts of the evidence on one committed model.

    `missing` are audits that a validator expects and that have no report, `leak` is the audit of what certificates give
    away, if it was run, and `compared` says whether the decisions of the owner's own system were looked at.
    `later` are the figures of later rows.
    """

    run: AuditRun
    spec: Spec
    head: Head
    missing: tuple[str, ...]
    levels: tuple[str, ...] | None
    compared: bool
    later: tuple[Later, ...] = ()

    @property
    def model(self) -> Model:
        """The model that was audited."""
        return self.run.model

    @property
    def reports(self) -> tuple[ReportFields, ...]:
        """The reports on people and domains, without that on certificates."""
        return tuple(report for report in self.run.reports if report.audit != LEAK)

    @property
    def leak(self) -> ReportFields | None:
        """The report on what certificates give away."""
        return next((report for report in self.run.reports if report.audit == LEAK), None)

    @property
    def features(self) -> tuple[Feature, ...]:
        """All features, those that may not matter last."""
        return (*self.spec.plain_features, *self.spec.sensitive_features)


def content(run: AuditRun, spec: Spec, commitment: str, later: Sequence[Later] = ()) -> Content:
    """Return what is known of a committed model; `commitment` is the published one, in hexadecimal text.

    `later` are figures of later rows of the same model. Raises AuditError for a model without a commitment, a
    commitment to another one, and a run without any report.
    """
    if not run.model.commitment:
        raise AuditError(
            "commit the model, and audit it with `equiproof audit run --opening`: evidence about a model without a "
            "commitment could be about any"
        )
    if (commitment, to_hex(spec.digest)) != (run.model.commitment, run.model.spec_digest):
        raise AuditError(
            f"give the commitment of the audited model, {run.model.spec_name!r}, which begins with "
            f"{run.model.commitment[:12]}: this one, of {spec.name!r}, begins with {commitment[:12]}"
        )
    if not run.reports:
        raise AuditError("run at least one audit to its end, such as `equiproof audit run groups`: no report is here")
    known = {report.audit for report in run.reports}
    run = msgspec.structs.replace(run, reports=tuple(map(in_full, run.reports)))
    return Content(
        run,
        spec,
        head(run),
        tuple(name for name in EXPECTED if name not in known),
        None if isinstance(spec.levels, msgspec.UnsetType) else spec.levels,
        bool(run.compared) and not isinstance(run.compared, msgspec.UnsetType),
        tuple(later),
    )


def not_compared(known: Content) -> str:
    """Return what is said where the model was not compared with the decisions of the owner's own system."""
    if isinstance(known.run.compared, msgspec.UnsetType):
        return "This model was trained by Equiproof itself, so there is no other system that it could differ from."
    return NOT_AUDITED
