"""Runs of audits over real networks for the tests of the page: whatever is called unfair is, and logits are exact."""

from __future__ import annotations

import random
from fractions import Fraction

from equiproof.audits.context import AuditContext
from equiproof.audits.counterexample import Counterexample
from equiproof.audits.intervals import median, share
from equiproof.audits.records import Estimate, Finding, Table
from equiproof.audits.report import AuditReport
from equiproof.audits.runner import AuditRun, Failure
from equiproof.certify.many.point import Limits
from equiproof.certify.many.portfolio import certify_all
from equiproof.circuits.spec import Spec
from tests.support import LOANS, RATES, applicant, changed, network, spec_of

HOSTILE = "<img src=x onerror=fetch(1)>"
"""A name that a spec may have, and that must not become an element."""

COMMITMENT = "1f" * 32


def rows_of(spec: Spec, count: int, seed: int = 3) -> list[dict]:
    """Return random rows with sensitive values."""
    rng = random.Random(seed)
    rows = [applicant(spec, rng) for _ in range(count)]
    for row in rows:
        row |= {feature.name: rng.choice(feature.domain) for feature in spec.sensitive_features}
    return rows


def context_of(spec: Spec, rows: list[dict], *, hidden=(2, 2), seed: int = 14, sensitivity: float = 0.1):
    """Return the context of a seeded network and these rows."""
    net = network(spec, hidden, seed, sensitivity)
    return AuditContext(network=net, spec=spec, commitment=COMMITMENT, rows=rows)


def results_of(context: AuditContext, **limits):
    """Return the certification of the context's rows."""
    return certify_all(context.network, context.spec, context.queries, Limits(max_regions=400, **limits))


def flips(context: AuditContext) -> AuditReport:
    """Return a report with a finding for each row: unfair where a sensitive value alone changes the decision."""
    findings, granted = [], []
    for number, query in enumerate(context.queries, start=1):
        cases = [context.decided_input(query, one) for one in context.counterparts[context.slices[number - 1]]]
        first, group = cases[0], context.groups[number - 1]
        other = next((one for one in cases if one.label != first.label), None)
        granted.append(context.decided_input(query, context.slices[number - 1]).label == context.spec.labels[-1])
        scores = [int(one.logits[0]) / (1 << context.network.logit_fraction_bits) for one in cases]
        findings.append(
            Finding(
                subject=f"row {number}", row=number, group=group, verdict="fair" if other is None else "unfair",
                lower=min(scores), upper=max(scores), values={"slices": len(cases)}, seconds=0.01 * number,
                counterexample=other and Counterexample("Only sensitive values differ.", (first, other)),
            )
        )  # fmt: skip
    whole = "unfair" if any(one.verdict == "unfair" for one in findings) else "fair"
    return AuditReport(
        audit="flips", audit_version="1", model=context.model, sensitive_features=context.sensitive_features,
        verdict=whole, measures="the score (logit)", findings=tuple(findings),
        estimates=tuple(shares(context, granted)), settings={"seed": 0, "most": 2.5, "deep": True, "limit": None},
        tables=(Table("Rows and features", ("what", "how many"), (("rows", len(findings)), ("features", 4.25))),),
        notes=("Every slice was looked at.",), seconds=1.25,
    )  # fmt: skip


def shares(context: AuditContext, granted: list[bool]) -> list[Estimate]:
    """Return the share of the last label, over all and by group, and the middle row."""
    measure = f"share of {context.spec.labels[-1]}"
    found = [share(measure, sum(granted), len(granted))]
    for group in dict.fromkeys(context.groups):
        own = [one for one, other in zip(granted, context.groups, strict=True) if other == group]
        found.append(share(measure, sum(own), len(own), group=group))
    found.append(median("middle row", range(1, len(granted) + 1)))
    return [*found, share("share of nobody", 0, 0)]


def parts(context: AuditContext) -> AuditReport:
    """Return an undecided report on parts of a domain: no rows, one open end each, a case between grid points."""
    query = context.queries[0]
    moved = [str(2 * column + 1) + "/2" for column in query]
    case = context.decided_input([Fraction(text) for text in moved], 0)
    findings = (
        Finding(subject="part 1", verdict="fair", upper=0.25),
        Finding(subject="part 2", verdict="undecided", reason="the budget of 3 s ended first", lower=-1.5),
        Finding(subject="part 3", verdict="unfair", lower=0.5, upper=0.75,
                counterexample=Counterexample("The decision is shown.", (context.decided_input(query, 0), case))),
    )  # fmt: skip
    return AuditReport(
        audit="parts", audit_version="0.2", model=context.model, sensitive_features=context.sensitive_features,
        verdict="undecided", reason="one part was not searched to its end", findings=findings, measures="distance",
    )  # fmt: skip


def run_of(context: AuditContext) -> AuditRun:
    """Return a run with reports of every kind, a failure and an audit that did not apply."""
    measured = AuditReport(
        audit="groups", audit_version="1", model=context.model, sensitive_features=context.sensitive_features,
        estimates=tuple(shares(context, [True] * len(context.rows))),
    )  # fmt: skip
    failures = (
        Failure("broken", "failed", "ValueError: no such thing"),
        Failure("linear", "not applicable", "needs a linear model"),
    )
    return AuditRun(model=context.model, reports=(flips(context), parts(context), measured), failures=failures)


def rates():
    """Return context, run and results of the model with two sensitive features and three labels."""
    context = context_of(RATES, rows_of(RATES, 24), hidden=(2,), seed=13, sensitivity=0.2)
    return context, run_of(context), results_of(context)


def many(count: int = 300):
    """Return context, run and results of so many applicants; most of them are unfair, and every table is long."""
    context = context_of(LOANS, rows_of(LOANS, count), sensitivity=0.9)
    run = run_of(context)
    long = Table("Rows", ("row", "what is known of it"), tuple((row, "a text of some words") for row in range(count)))
    estimates = [one for number in range(12) for one in _numbered(shares(context, [True] * count), number)]
    first = changed(run.reports[0], tables=(long, long), estimates=tuple(estimates), notes=("A note.",) * 40)
    return context, changed(run, reports=(first, *run.reports[1:])), results_of(context)


def _numbered(estimates: list[Estimate], number: int) -> list[Estimate]:
    """Return estimates of other measures."""
    return [changed(one, measure=f"{one.measure} {number}") for one in estimates]


def renamed(finding: Finding) -> Finding:
    """Return a finding whose texts are markup."""
    return changed(finding, subject=f"{HOSTILE} {finding.subject}", values={HOSTILE: HOSTILE})


def hostile():
    """Return context, run and results where every name and text is markup."""
    features = []
    for one in LOANS.features:
        values = tuple(f"{HOSTILE}{value}" for value in one.domain) if one.kind == "categorical" else one.domain
        unit = "<b onclick=alert>" if one.kind == "numeric" else ""
        features.append(changed(one, name=f"{HOSTILE} {one.name}", domain=values, unit=unit))
    spec = spec_of(*features, name=f"</title>{HOSTILE}", labels=(f"{HOSTILE}no", f"{HOSTILE}yes"))
    context = context_of(spec, rows_of(spec, 12), sensitivity=0.4)
    run = run_of(context)
    texts = {"reason": f'"{HOSTILE}', "notes": (f"</script>{HOSTILE}",), "measures": f"{HOSTILE}\u202eevil"}
    table = Table(HOSTILE, (HOSTILE, f'"{HOSTILE}'), ((HOSTILE, 1), (f"{HOSTILE}2", None)))
    first = changed(
        run.reports[0], audit=HOSTILE, tables=(table,), settings={HOSTILE: HOSTILE},
        findings=tuple(map(renamed, run.reports[0])), **texts,
    )  # fmt: skip
    failure = Failure(HOSTILE, "failed", f"{HOSTILE}\x1b[31m")
    return context, changed(run, reports=(first, *run.reports[1:]), failures=(failure,)), results_of(context)
