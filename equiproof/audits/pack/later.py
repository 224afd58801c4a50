"""What is watched while a model is in use: figures of later rows, each beside that of the rows that were audited.

Later rows come as a saved run of the audit `groups`, which names the model's commitment, or as results of certifying,
which name its spec alone. Each change of a share has Newcombe's interval for independent rows, and those of one run
hold together with 95 % confidence (Bonferroni).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from equiproof.audits.errors import AuditError
from equiproof.audits.intervals import CONFIDENCE, Counted, difference, share
from equiproof.audits.records import Estimate, Model, ReportFields
from equiproof.audits.runner import AuditRun
from equiproof.certify.many.point import Assignment, Verdict
from equiproof.certify.many.results import Results
from equiproof.circuits.field import to_hex

_GROUPS = "groups"
"""The audit whose figures are watched."""

_SHORT = 12
_RATE = "selection rate ("
_CHANGED = "decision changes with sensitive features alone"
_VERDICTS: Mapping[str, Verdict] = {_CHANGED: "unfair", "undecided: a tie": "undecided"}
_OUTCOMES: Mapping[Verdict, str] = {
    "fair": "can be certified",
    "unfair": _CHANGED,
    "undecided": "undecided: a tie, or a budget that ended",
}


@dataclass(frozen=True)
class Change:
    """A share of the audited rows, the same of later rows, and the later one minus the audited one."""

    audited: Estimate
    later: Estimate
    change: Estimate

    @property
    def shown(self) -> bool:
        """Whether the rows show that the share has changed: the interval of the change lies beside 0."""
        return not (self.change.lower or 0.0) <= 0 <= (self.change.upper or 0.0)


@dataclass(frozen=True)
class Later:
    """What later rows say: changes against the audited rows, or shares of certifying.

    `rows` is how many there are, and `name` that of the file.
    """

    name: str
    rows: int
    changes: tuple[Change, ...] = ()
    shares: tuple[Estimate, ...] = ()


def audited_later(run: AuditRun, first: AuditRun, name: str) -> Later:
    """Return the figures of a later run of the audit `groups` beside those of the first run.

    `name` says where the later run is from. Raises AuditError for a run of another model, where one of the two has no
    report of that audit, for the same rows again, and where they have no rate in common.
    """
    model = first.model
    if (run.model.commitment, run.model.spec_digest) != (model.commitment, model.spec_digest):
        raise AuditError(
            f"{name}: give a run of the audited model, whose commitment begins with {model.commitment[:_SHORT]}: this "
            f"one is of {run.model.commitment[:_SHORT] or 'a model without a commitment'}"
        )
    before, after = _groups(first, "the audited rows"), _groups(run, name)
    if after.findings == before.findings:
        raise AuditError(f"{name}: give a run on later rows: these are the findings of the audited rows again")
    pairs = list(_pairs(before, after))
    if not any(what.startswith(_RATE) for (what, _), _, _ in pairs):
        raise AuditError(f"{name}: audit with the same options: it has no rate of the same label and group")
    each = 1 - (1 - CONFIDENCE) / len(pairs)
    changes = tuple(
        Change(
            _share(what, group, old),
            _share(what, group, new),
            difference(f"change of: {what}", new, old, confidence=each, group=group),
        )
        for (what, group), old, new in pairs
    )
    return Later(name, len(after.findings), changes)


def certified_later(results: Results, model: Model, name: str) -> Later:
    """Return the shares of verdicts of certifying later rows, which say how many decisions have a certificate.

    Results name a spec and no commitment. Raises AuditError for those of another spec, and of no row.
    """
    if to_hex(results.spec.digest) != model.spec_digest:
        raise AuditError(
            f"{name}: give results of the spec {model.spec_name!r}, whose digest begins with "
            f"{model.spec_digest[:_SHORT]}: these are of {to_hex(results.spec.digest)[:_SHORT]}"
        )
    if not len(results):
        raise AuditError(f"{name}: certify at least one row: there is no result here")
    shares = tuple(share(what, len(results.having(verdict)), len(results)) for verdict, what in _OUTCOMES.items())
    return Later(name, len(results), shares=shares)


def _groups(run: AuditRun, where: str) -> ReportFields:
    """Return the report of the audit `groups`; raises AuditError without one."""
    found = next((one for one in run.reports if one.audit == _GROUPS and one.findings), None)
    if found is None:
        raise AuditError(
            f"{where}: run `equiproof audit run groups` on these rows: later rows are compared by that audit"
        )
    return found


def _pairs(before: ReportFields, after: ReportFields) -> Iterator[tuple[tuple[str, Assignment], Counted, Counted]]:
    """Yield what both reports count: rates over all and of groups of one feature, and people by verdict."""
    for what, verdict in _VERDICTS.items():
        old, new = (
            Counted(count, count, len(report.findings))
            for report in (before, after)
            for count in (len(report.having(verdict)),)
        )
        yield (what, ()), old, new
    now = _rates(after.estimates)
    for key, counted in _rates(before.estimates).items():
        if key in now:
            yield key, counted, now[key]


def _rates(estimates: Sequence[Estimate]) -> dict[tuple[str, Assignment], Counted]:
    """Return the counts behind selection rates, of groups that are large enough to be compared."""
    return {
        (one.measure, one.group): Counted(count, count, one.n)
        for one in estimates
        if one.measure.startswith(_RATE)
        and one.value is not None
        and len(one.group) <= 1
        and not (one.group and one.small)
        for count in (round(one.value * one.n),)
    }


def _share(what: str, group: Assignment, counted: Counted) -> Estimate:
    """Return a share with Wilson's interval."""
    return share(what, counted.least, counted.n, group=group)
