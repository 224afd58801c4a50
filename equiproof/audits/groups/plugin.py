"""The audit `groups`: the usual group metrics of the committed model, each with its interval."""

from __future__ import annotations

import random
import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TypedDict

import msgspec

from equiproof.audits.context import AuditContext
from equiproof.audits.errors import AuditError
from equiproof.audits.gaps import DRAWS, IMPACT, PERMUTATION
from equiproof.audits.groups.counterfactual import Counterfactuals
from equiproof.audits.groups.grouping import groupings
from equiproof.audits.groups.rates import equalized_odds, statistical_parity
from equiproof.audits.groups.robustness import SECONDS, Robustness, robust, shares, squared_distance
from equiproof.audits.plugin import Option, settings
from equiproof.audits.presentation import in_words
from equiproof.audits.records import SMALL_GROUP, VERDICTS, Cell, Estimate, Finding, Table
from equiproof.audits.report import AuditReport
from equiproof.certify.many.point import Assignment, Verdict
from equiproof.circuits.text import ends

_NAMED = 6
"""The most groups that a note names."""

_DECISION_STEPS = 100
"""The progress steps for all decisions together; each person's robustness is one more step."""


class Groups:
    """Shares of decisions and errors by group, and people whose decision sensitive features alone change.

    People must judge which gap is too large, so the model as a whole gets no verdict. The exception is a person whose
    decision changes with the sensitive features alone: then the model is unfair, with a counterexample.
    """

    name = "groups"
    version = "3"
    about = "Group metrics with intervals: statistical parity, equalized odds, counterfactual share, robustness."
    needs = frozenset({"rows"})
    options = (
        Option("label", "the label whose rates are compared; empty: the second of two labels, each of more", ""),
        Option("distance", "the radius of robustness in the spec's units: everyone closer is decided the same", 0.1),
        Option("people", "the number of rows, drawn with the seed, that are checked for robustness; 0 for none", 100),
        Option("seconds", "the time limit of each such check, in seconds", SECONDS),
        Option("bands", "the number of bands of about equal size for numbers with more values", 4),
        Option("least-rows", "the least number of rows of a group that is compared with others", SMALL_GROUP),
        Option("draws", "the number of permutations for the p value of equal rates", DRAWS),
    )

    def run(self, context: AuditContext) -> AuditReport:
        """Measure the metrics; equalized odds only if true labels are known."""
        options = settings(self, context.options)
        request = _Request(context, options)
        request.refuse_misfits()
        people = request.sample
        reporting = context.with_options(
            context.options,
            lambda done, total: context.progress(done * _DECISION_STEPS // total, _DECISION_STEPS + len(people)),
        )
        counterfactuals = Counterfactuals(reporting)
        estimates = [*_rates(request, counterfactuals), *counterfactuals.shares()]
        radii = list(_robustness(request, people))
        if radii:
            estimates += shares(context, radii, request.distance)
        verdicts = counterfactuals.verdicts
        return AuditReport(
            audit=self.name,
            audit_version=self.version,
            model=context.model,
            sensitive_features=context.sensitive_features,
            verdict="unfair" if "unfair" in verdicts else None,
            measures="distance, in the spec's units, to the nearest different decision with the same sensitive values",
            settings=options | {"seed": context.seed, "max_seconds": context.max_seconds},
            findings=_findings(counterfactuals, radii),
            estimates=tuple(estimates),
            tables=tuple(_tables(counterfactuals, radii, request)),
            notes=tuple(_notes(counterfactuals, radii, estimates, request.least_rows)),
        )


class _Given(TypedDict):
    """The rows and groupings that rates are computed for."""

    sensitive_features: dict[str, list[str]]
    label: int
    least: int
    seed: int
    draws: int


@dataclass(frozen=True)
class _Request:
    """The options of a run with what follows from them."""

    context: AuditContext
    chosen: Mapping[str, Cell]

    def number(self, name: str) -> float:
        """Return an option that is a number."""
        value = self.chosen[name]
        return float(value) if isinstance(value, int | float) else 0.0

    @property
    def distance(self) -> float:
        """The radius of robustness in the spec's units."""
        return self.number("distance")

    @property
    def least_rows(self) -> int:
        """The least number of rows of a group that is compared with others."""
        return int(self.number("least-rows"))

    @cached_property
    def labels(self) -> tuple[int, ...]:
        """The numbers of the decisions whose rates are compared."""
        names = self.context.spec.labels
        if not self.chosen["label"]:
            return (1,) if len(names) == 2 else tuple(range(len(names)))
        if self.chosen["label"] not in names:
            raise AuditError(f"groups: option label: {self.chosen['label']!r} is not one of {', '.join(names)}")
        return (names.index(str(self.chosen["label"])),)

    @cached_property
    def sample(self) -> tuple[int, ...]:
        """The rows, numbered from 0, that are checked for robustness."""
        count = len(self.context.rows)
        few = min(int(self.number("people")), count)
        return tuple(sorted(random.Random(self.context.seed).sample(range(count), few)))  # noqa: S311  # not a secret

    def refuse_misfits(self) -> None:
        """Raise AuditError for invalid options and for rows without their sensitive features."""
        for name, least in (("people", 0), ("seconds", 0), ("bands", 2), ("least-rows", 1), ("draws", 1)):
            if self.number(name) < least:
                raise AuditError(f"groups: option {name}: want {least} or more, not {self.chosen[name]}")
        _ = self.labels, self.context.slices, squared_distance(self.context.spec, self.distance)


def _rates(request: _Request, counterfactuals: Counterfactuals) -> Iterator[Estimate]:
    """Yield parity and odds of each label in each grouping; values over all rows only once."""
    context = request.context
    keys = set()
    for label in request.labels:
        for by, features in groupings(context, int(request.number("bands"))).items():
            options = _Given(
                sensitive_features=features,
                label=label,
                least=request.least_rows,
                seed=context.seed,
                draws=int(request.number("draws")),
            )
            estimates = statistical_parity(context.labels, counterfactuals.own, **options)
            if context.labels is not None:
                estimates += equalized_odds(context.labels, counterfactuals.own, **options)
            for one in estimates:
                between = one.measure == IMPACT or one.method == PERMUTATION or one.measure.endswith("difference")
                measure = f"{one.measure}{f' by {by}' if between else ''} ({context.spec.labels[label]})"
                if (measure, one.group) not in keys:
                    keys.add((measure, one.group))
                    yield msgspec.structs.replace(one, measure=measure)


def _robustness(request: _Request, people: Sequence[int]) -> Iterator[Robustness]:
    """Yield the robustness of each person in the sample, within the budgets."""
    context = request.context
    deadline = request.context.deadline()
    for done, row in enumerate(people, start=1):
        remainder = None if deadline is None else deadline - time.monotonic()
        if remainder is not None and remainder <= 0:
            yield Robustness(row, "undecided", reason=f"the audit's {context.max_seconds:g} seconds")
        else:
            seconds = request.number("seconds")
            yield robust(context, row, request.distance, seconds if remainder is None else min(seconds, remainder))
        context.progress(_DECISION_STEPS + done, _DECISION_STEPS + len(people))


def _findings(counterfactuals: Counterfactuals, radii: Sequence[Robustness]) -> tuple[Finding, ...]:
    """Return a finding per row: the counterfactual verdict, with the bounds of who was searched for robustness."""
    by_row = {one.row: one for one in radii}
    context = counterfactuals.context
    names = context.spec.labels
    findings = []
    for row, (verdict, label) in enumerate(zip(counterfactuals.verdicts, counterfactuals.own.tolist(), strict=True)):
        near = by_row.get(row, Robustness(row, "undecided"))
        values: dict[str, Cell] = {"decision": names[label] if label >= 0 else None}
        if row in by_row:
            values |= {"robust": near.verdict, "robustness undecided because": near.reason}
        findings.append(
            Finding(
                subject=f"row {row + 1}",
                row=row + 1,
                group=context.groups[row],
                verdict=verdict,
                lower=near.lower,
                upper=near.upper,
                reason="a tie under some value of the sensitive features" if verdict == "undecided" else None,
                counterexample=counterfactuals.counterexample(row) if verdict == "unfair" else near.counterexample,
                seconds=near.seconds,
                values=values,
            )
        )
    return tuple(findings)


def _tables(counterfactuals: Counterfactuals, radii: Sequence[Robustness], request: _Request) -> Iterator[Table]:
    """Yield the counts of verdicts by group."""
    groups = counterfactuals.context.groups
    verdicts = list(zip(groups, counterfactuals.verdicts, strict=True))
    yield _counts("Decisions when only sensitive features change, in rows", verdicts, counterfactuals.context)
    if radii:
        near = [(groups[one.row], one.verdict) for one in radii]
        yield _counts(
            f"Decisions within {request.distance:g} spec units of a person, of the same sensitive values, in people",
            near,
            counterfactuals.context,
        )


def _counts(caption: str, verdicts: Sequence[tuple[Assignment, Verdict]], context: AuditContext) -> Table:
    """Count verdicts by group, the groups in the spec's order."""
    counts = Counter(verdicts)
    groups = dict.fromkeys(context.group(number) for number in range(len(context.spec.domain_table)))
    rows: list[tuple[Cell, ...]] = []
    for group in groups:
        cells = [counts[group, kind] for kind in VERDICTS]
        if any(cells):
            rows.append((in_words(group), *cells))
    return Table(caption, ("group", *VERDICTS), tuple(rows))


def _notes(
    counterfactuals: Counterfactuals, radii: Sequence[Robustness], estimates: Sequence[Estimate], least: int
) -> Iterator[str]:
    """Yield what readers of the numbers must know."""
    if ties := int((counterfactuals.own < 0).sum()):
        yield f"{ties} rows are decided by no label (a tie), and count as selected by none"
    few = dict.fromkeys(
        f"{in_words(one.group)} ({one.n})"
        for one in estimates
        if one.group and one.n < least and one.measure.startswith("selection rate")
    )
    if few:
        yield f"groups of fewer than {least} rows have no part in gaps and ratios: {', '.join(ends(list(few), _NAMED))}"
    if radii and len(radii) < len(counterfactuals.verdicts):
        yield f"robustness: {len(radii)} of {len(counterfactuals.verdicts)} rows, drawn with the seed"
