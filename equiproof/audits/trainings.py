"""Several trainings of one kind of model side by side: the gaps of their reports, and what holds for their mean.

The interval of a gap in one report is about the people of one model. How far another training differs shows only in
several trainings: their mean has Student's interval, at 1 - (1 - 0.95) / count for `count` gaps (Bonferroni), so that
all of them hold together with 95 % confidence. A gap lies between -1 and 1, and so does the interval of its mean:
where all trainings have the same gap, there is no spread to measure by, and it is all of that.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from equiproof.audits.errors import AuditError
from equiproof.audits.intervals import CONFIDENCE, DIFFERENCE, Mean, holm, mean_of
from equiproof.audits.records import LOGIT_BITS, SMALL_GROUP, Estimate, ReportFields
from equiproof.certify.many.point import Assignment

_VARIABLE_SETTINGS = ("seed", "max_seconds", LOGIT_BITS)
"""Settings in which trainings may differ: other people may be drawn, and weights have other widths."""


@dataclass(frozen=True)
class Gap:
    """A signed gap: its value in each training, their mean, and Holm's p value for a mean of 0.

    `n` is the people of the smallest group in any of the trainings.
    """

    measure: str
    group: Assignment
    values: tuple[float, ...]
    n: int
    mean: Mean
    p: float

    @property
    def differs(self) -> bool:
        """Whether the mean differs from 0; all answers hold together with 95 % confidence."""
        return self.p < 1 - CONFIDENCE

    @property
    def small(self) -> bool:
        """Whether it rests on so few people that it is listed alone, and nothing is said of it."""
        return self.n < SMALL_GROUP


def compared(reports: Sequence[ReportFields], names: Sequence[str]) -> tuple[Gap, ...]:
    """Return the gaps that reports of several trainings share, in the order of the first one.

    `names` say where each report is from. Raises AuditError for fewer than two reports, for one that differs from the
    first in audit, spec, groups or settings, for one model twice, and for reports without a signed gap.
    """
    if len(reports) < 2:
        raise AuditError("give reports of two trainings or more: their spread is measured")
    first, *others = reports
    for report, name in zip(others, names[1:], strict=True):
        if (what := _difference(first, report)) is not None:
            raise AuditError(f"{name}: audit all trainings alike: its {what} is another than in {names[0]}")
    name_by_bounds: dict[object, str] = {}
    for report, name in zip(reports, names, strict=True):
        bounds = tuple((one.subject, one.lower, one.upper) for one in report.findings)
        if bounds in name_by_bounds:
            raise AuditError(f"{name}: leave it out: the same model as in {name_by_bounds[bounds]}")
        name_by_bounds[bounds] = name
    return _gaps(reports, names)


def _difference(first: ReportFields, other: ReportFields) -> str | None:
    """Return in what two reports differ that must not, None if they are alike."""
    own, its = (
        {key: value for key, value in one.settings.items() if key not in _VARIABLE_SETTINGS} for one in (first, other)
    )
    pairs = {
        "audit": (first.audit, other.audit),
        "version of the audit": (first.audit_version, other.audit_version),
        "spec": (first.model.spec_digest, other.model.spec_digest),
        "choice of sensitive features": (first.sensitive_features, other.sensitive_features),
        **{f"option {key}": (own.get(key), its.get(key)) for key in own | its},
    }
    return next((what for what, (one, two) in pairs.items() if one != two), None)


def _gaps(reports: Sequence[ReportFields], names: Sequence[str]) -> tuple[Gap, ...]:
    """Return the gaps of the first report with their values in all."""
    signed = [{(one.measure, one.group): one for one in report.estimates if _signed(one)} for report in reports]
    if not signed[0]:
        raise AuditError(f"{names[0]}: give reports of the audit pba, whose gaps have a sign: this one has no such gap")
    gaps: list[tuple[str, Assignment, tuple[float, ...], int]] = []
    for key in signed[0]:
        if missing := [name for name, own in zip(names, signed, strict=True) if key not in own]:
            raise AuditError(
                f"{missing[0]}: audit it with more people: it has no {key[0].partition(':')[0]} of these groups"
            )
        values = tuple(float(own[key].value or 0.0) for own in signed)
        gaps.append((*key, values, min(own[key].n for own in signed)))
    # Bonferroni: all intervals together hold with the stated confidence.
    each = 1 - (1 - CONFIDENCE) / len(gaps)
    means = [_within(mean_of(values, each)) for _, _, values, _ in gaps]
    adjusted = holm([one.p for one in means])
    return tuple(Gap(*one, mean, p) for one, mean, p in zip(gaps, means, adjusted, strict=True))


def _within(mean: Mean) -> Mean:
    """Return the mean of gaps: no end of its interval lies beyond those of a gap."""
    return replace(mean, lower=max(-1.0, mean.lower), upper=min(1.0, mean.upper))


def _signed(estimate: Estimate) -> bool:
    """Return whether an estimate is a difference of two named groups, which has a sign."""
    return estimate.method == DIFFERENCE and estimate.value is not None
