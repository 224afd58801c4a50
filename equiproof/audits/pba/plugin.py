"""The audit `pba`: who is decided with more confidence because of a sensitive value, everywhere in a neighborhood.

There is one finding per eligible person, pair of values and delta. "unfair": bias is persistent in one of the two
settings, which is proven in exact numbers for the whole neighborhood and shown at the person's own values. "fair": a
point of the neighborhood refutes each setting. "undecided": the budget ended first. The model as a whole gets no
verdict, because hardly any network is exactly equally confident for all values; what matters is how the shares of
groups differ.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import zip_longest
from typing import TypedDict

from msgspec.structs import replace

from equiproof.audits.context import AuditContext
from equiproof.audits.counterexample import Counterexample
from equiproof.audits.errors import AuditError, NotApplicableError
from equiproof.audits.pba.copies import Arrays
from equiproof.audits.pba.definition import SETTINGS, Setting, checked_units, rivals
from equiproof.audits.pba.outcomes import by_outcome, gaps, joint, magnitudes, proven
from equiproof.audits.pba.questions import AGAINST, by_question
from equiproof.audits.pba.scores import Assessment, Pair, Person, assess, baselines, drawn, people, shares
from equiproof.audits.pba.search import Budget, Judgement
from equiproof.audits.plugin import Option, settings
from equiproof.audits.records import Cell, Estimate, Finding
from equiproof.audits.report import AuditReport, StoppedAuditError
from equiproof.certify.many.point import Assignment
from equiproof.circuits.names import after_number
from equiproof.circuits.spec import Spec

MAX_VALUES = 8
"""The most values of a sensitive feature that are compared in pairs; with more, group the values first."""


_PAIRS = 3
"""The most pairs whose samples are described one by one in the notes."""

MEASURES = (
    "the least gain in confidence from a sensitive value in the neighborhood: the log odds ratio between both values, "
    "above 0 if the bias is persistent; for the setting that is not refuted, or refuted last"
)


WORDS = {
    "CFA": "share with the same label under the other value",
    "PBA observed": "share with persistent bias because of their own value",
    "PBA flipped": "of people of the other values, share with persistent bias when shown with this one",
    "gap observed": "the first group's share with persistent bias because of their own value minus the second's; "
    "all gaps' intervals hold together",
    "gap flipped": "PBA flipped of the first group minus that of the second",
    "gain observed": "proven gain in log odds from their own value, median of those with persistent bias",
    "gain flipped": "of people of the other values, proven gain in log odds when shown with this one, median of those "
    "with persistent bias",
    "RB observed": "share with the same decision in the whole neighborhood",
    "RB flipped": "share with the same decision in the whole neighborhood under this value",
}
"""The measures in words; shares of people of each group."""

RATES = {"SP": "selection rate", "EO": "true positive rate"}
"""The names that all audits have for two of the paper's measures, which the favorable label follows."""


Question = tuple[Pair, Fraction]
"""A pair of values and a delta: what is asked about every person."""


class _About(TypedDict):
    """The fields of a finding that say what was asked."""

    subject: str
    row: int
    group: Assignment
    values: dict[str, Cell]


class PersistentBias:
    """The plug-in; see the module."""

    name = "pba"
    version = "6"
    about = "persistent bias: more confidence because of a sensitive value, everywhere in a neighborhood"
    needs = frozenset({"rows"})
    options: tuple[Option, ...] = (
        Option("delta", "how far numeric features may move, in units of each; several separated by commas", "1"),
        Option("units", "one unit of a feature in its raw unit, as NAME=NUMBER with commas; 0 keeps it fixed", ""),
        Option("favorable", "the number of the label that rates are of; -1 for the last one", -1),
        Option("robust", "whether to measure RB, which doubles the time", default=False),
        Option("people", "the number of people of each group, drawn with the seed; 0 for all", 0),
        Option("parts", "the most parts of a neighborhood in branch and bound", 500),
        Option("seconds", "seconds of branch and bound per question", 10.0),
    )

    def run(self, context: AuditContext) -> AuditReport:
        """Judge every eligible person; raises NotApplicableError if no person is eligible, or for a score."""
        options = settings(self, context.options)
        context.refuse_score("pba bounds how confident the layers of a network are, and this model has none")
        context.refuse_marks()
        spec = context.spec
        units = checked_units(spec, _units(str(options["units"])))
        deltas = _deltas(str(options["delta"]))
        favorable = _favorable(int(options["favorable"] or 0), len(spec.labels))
        arrays = Arrays(context.network)
        wide = _too_many(context)
        todo = [(pair, people(arrays, spec, context.rows, context.labels, pair)) for pair in _pairs(context)]
        limit = int(options["people"] or 0) or len(context.rows)
        samples = [(pair, drawn(everybody, pair, limit, context.seed)) for pair, everybody in todo]
        jobs = _jobs({(pair, delta): _in_turn(sample, pair) for pair, sample in samples for delta in deltas})
        if not jobs:
            raise NotApplicableError(
                "give more rows (of a data set, --split all): none of these is decided correctly and identically under "
                "another sensitive value"
            )
        findings: list[Finding] = []
        assessments: dict[Question, list[Assessment]] = {}
        deadline = context.deadline()
        robust = bool(options["robust"])
        is_stopped = False
        try:
            for (pair, delta), person in jobs:
                budget = _budget(options, deadline)
                if budget is None:
                    findings.append(_unanswered(pair, delta, person, "seconds"))
                    continue
                one = assess(arrays, spec, person, delta, units, budget=budget, robust=robust, seed=context.seed)
                findings.append(_finding(context, pair, delta, one))
                assessments.setdefault((pair, delta), []).append(one)
                context.progress(len(findings), len(jobs))
        except KeyboardInterrupt:
            is_stopped = True
            findings += [_unanswered(*question, person, "stopped") for question, person in jobs[len(findings) :]]
        known = {question: assessments[question] for question, _ in jobs if question in assessments}
        ranked = tuple(_by_row(jobs, findings))
        report = AuditReport(
            audit=self.name,
            audit_version=self.version,
            model=context.model,
            sensitive_features=context.sensitive_features,
            measures=MEASURES,
            settings=options | {"seed": context.seed},
            findings=ranked,
            estimates=tuple(_estimates(context, todo, known, favorable)),
            tables=(by_question(ranked),),
            notes=(_units_note(spec, units), *_claim(_gaps(known)), *_counting(todo, limit, context.seed), *wide),
        )
        if is_stopped:
            raise StoppedAuditError(report)
        return report


def _jobs(people: Mapping[Question, Sequence[Person]]) -> list[tuple[Question, Person]]:
    """Return the people of every question in turn, so that a budget that ends leaves answers to each question."""
    turns = zip_longest(*people.values())
    return [
        (question, person)
        for turn in turns
        for question, person in zip(people, turn, strict=True)
        if person is not None
    ]


def _in_turn(sample: Sequence[Person], pair: Pair) -> list[Person]:
    """Return people of both groups in turn, so that a budget that ends leaves a sample of each."""
    groups = [[one for one in sample if one.group == group] for group in pair.groups]
    return [one for both in zip_longest(*groups) for one in both if one is not None]


def _by_row(jobs: Sequence[tuple[Question, Person]], findings: Sequence[Finding]) -> list[Finding]:
    """Return findings by pair and delta in the requested order, and within these in the order of the rows."""
    places = {question: place for place, question in enumerate(dict.fromkeys(question for question, _ in jobs))}
    keys = [(places[question], person.row) for question, person in jobs]
    return [finding for _, finding in sorted(zip(keys, findings, strict=True), key=lambda one: one[0])]


def _counting(todo: Sequence[tuple[Pair, Sequence[Person]]], limit: int, seed: int) -> Iterator[str]:
    """Yield notes on the samples of each pair, and on values without people."""
    missing: dict[str, None] = {}
    samples = []
    for pair, everybody in todo:
        counts = {group: sum(one.counts and one.group == group for one in everybody) for group in pair.groups}
        if any(count > limit for count in counts.values()):
            parts = " and ".join(f"{min(limit, count)} of {count} {group}" for group, count in counts.items() if count)
            samples.append(f"{pair.feature}: sample of {parts} eligible people, drawn with seed {seed}")
        there = {one.group for one in everybody}
        missing |= {f"{pair.feature} {group}": None for group in pair.groups if group not in there}
    if len(samples) > _PAIRS:
        samples = [f"sample of at most {limit} eligible people of each group, drawn with seed {seed}"]
    yield from samples
    if missing:
        yield f"no row has {', '.join(missing)}"


def _estimates(
    context: AuditContext,
    todo: Sequence[tuple[Pair, Sequence[Person]]],
    by_pair: Mapping[Question, Sequence[Assessment]],
    favorable: int,
) -> Iterator[Estimate]:
    """Yield the estimates of groups that have people; if a feature has more than two values, each pair has its own."""
    several = {one.name for one in context.spec.sensitive_features if len(one.domain) > 2}
    keys: set[tuple[str, Assignment]] = set()
    for pair, everybody in todo:
        for one in baselines(everybody, pair, favorable):
            estimate = _rate(one, context.spec.labels[favorable]) if one.measure in RATES else _worded(one)
            estimate = _against(estimate, pair) if one.measure == "CFA" and pair.feature in several else estimate
            if estimate.n and (estimate.measure, estimate.group) not in keys:
                keys.add((estimate.measure, estimate.group))
                yield estimate
    unit = 1 << context.network.logit_fraction_bits
    for (pair, delta), assessments in by_pair.items():
        outcomes = by_outcome(assessments, pair, context.spec.labels)
        sizes = magnitudes(assessments, pair, unit)
        for one in map(_worded, [*shares(assessments, pair), *outcomes, *sizes]):
            if one.n:
                yield _at(delta, _against(one, pair) if pair.feature in several else one)
        yield from (
            _at(delta, _worded(one)) for one in gaps(assessments, pair, _gaps(by_pair)) if one.value is not None
        )


def _gaps(assessments: Mapping[Question, Sequence[Assessment]]) -> int:
    """Return how many gaps are reported together."""
    return len(SETTINGS) * len(assessments)


def _claim(count: int) -> Iterator[str]:
    """Say in one sentence what the intervals of gaps claim, if there are any."""
    if not count:
        return
    yield (
        f"gaps: with 95 % confidence all {count} intervals together (each at {100 * joint(count):.4g} %, Bonferroni) "
        "hold the gaps among all people of whom these are a sample, for this model and not for another training of it"
    )


def _worded(estimate: Estimate) -> Estimate:
    """Say what is measured."""
    return replace(estimate, measure=f"{estimate.measure}: {WORDS[estimate.measure.split(' among ')[0]]}")


def _rate(estimate: Estimate, label: str) -> Estimate:
    """Return a rate of a label under the name that it has in every audit."""
    return replace(estimate, measure=f"{RATES[estimate.measure]} ({label})")


def _against(estimate: Estimate, pair: Pair) -> Estimate:
    """Name the other value of a pair in an estimate."""
    ((feature, group),) = estimate.group
    return replace(estimate, group=((feature, f"{group} against {pair.other(group)}"),))


def _budget(options: Mapping[str, Cell], deadline: float | None) -> Budget | None:
    """Return the budget of the next person's questions, None where no time is left."""
    budget = Budget(
        int(options["parts"] or 0), float(options["seconds"] or 0.0), math.inf if deadline is None else deadline
    )
    return budget if budget.left > 0 else None


def _pairs(context: AuditContext) -> Iterator[Pair]:
    """Yield every pair of values of the sensitive features with few values."""
    for feature in context.spec.sensitive_features:
        if feature.name in context.sensitive_features and len(feature.domain) <= MAX_VALUES:
            for number, first in enumerate(feature.domain):
                for second in feature.domain[number + 1 :]:
                    yield Pair(feature.name, first, second)


def _too_many(context: AuditContext) -> list[str]:
    """Return notes on sensitive features with too many values for pairs; raises NotApplicableError if all have."""
    wide = [
        feature
        for feature in context.spec.sensitive_features
        if feature.name in context.sensitive_features and len(feature.domain) > MAX_VALUES
    ]
    notes = [
        f"{one.name} has {len(one.domain)} values: declare groups of values in the spec to compare them" for one in wide
    ]
    if len(wide) == len(context.sensitive_features):
        raise NotApplicableError("; ".join(notes))
    return notes


def _unanswered(pair: Pair, delta: Fraction, person: Person, reason: str) -> Finding:
    """Return the finding of a person whom no time was left for; `reason` says what ended first."""
    return Finding(verdict="undecided", reason=reason, **_about(pair, delta, person))


def _about(pair: Pair, delta: Fraction, person: Person) -> _About:
    """Return what a finding says of its question."""
    against = pair.other(person.group)
    return {
        "subject": f"row {person.row + 1}, {pair.feature} {person.group} and {against}, delta {float(delta):g}",
        "row": person.row + 1,
        "group": ((pair.feature, person.group),),
        "values": {"delta": float(delta), AGAINST: against},
    }


def _finding(context: AuditContext, pair: Pair, delta: Fraction, assessment: Assessment) -> Finding:
    """Return the finding of a person."""
    person = assessment.person
    about = _about(pair, delta, person)
    answers = {setting: assessment.biased(setting) for setting in SETTINGS}
    seconds = sum(one.seconds for judgements in assessment.bias.values() for one in judgements)
    setting = _favored(assessment)
    least = _least(assessment.bias[setting])
    unit = 1 << context.network.logit_fraction_bits
    judgements = assessment.bias[setting]
    bound = proven(judgements) if len(judgements) == len(rivals(context.network, 0)) else None
    lower = None if bound is None else math.nextafter(float(bound / unit), -math.inf)
    about["values"] |= {"setting": setting, "by": least.by, "parts": sum(one.parts for one in assessment.bias[setting])}
    upper = math.nextafter(float(least.upper / unit), math.inf)
    finding = Finding(verdict="fair", lower=lower, upper=upper, seconds=round(seconds, 4), **about)
    if "true" in answers.values():
        return replace(finding, verdict="unfair", counterexample=_counterexample(context, person, setting))
    if "unknown" in answers.values():
        reason = next(one.reason for one in assessment.bias[setting] if one.answer == "unknown")
        return replace(finding, verdict="undecided", reason=reason)
    return finding


def _favored(assessment: Assessment) -> Setting:
    """Return the setting that is not refuted, or whose minimum is the larger one."""
    answers = {setting: assessment.biased(setting) for setting in SETTINGS}
    for answer in ("true", "unknown"):
        for setting in SETTINGS:
            if answers[setting] == answer:
                return setting
    return max(SETTINGS, key=lambda setting: _least(assessment.bias[setting]).upper)


def _least(judgements: Sequence[Judgement]) -> Judgement:
    """Return the judgement that decides several: a refuted one if any, otherwise the one with the least value."""
    return min(judgements, key=lambda one: (one.answer != "false", one.upper if one.lower is None else one.lower))


def _counterexample(context: AuditContext, person: Person, setting: Setting) -> Counterexample:
    """Return the counterexample: the person under both values."""
    label = context.spec.labels[person.decided or 0]
    owner = "their own" if setting == "observed" else "the other"
    shows = (
        f"{label} is decided with more confidence under {owner} value, here and, as was proven, in the whole "
        "neighborhood"
    )
    return Counterexample(
        shows, (context.decided_input(person.query, person.own), context.decided_input(person.query, person.other))
    )


def _at(delta: Fraction, estimate: Estimate) -> Estimate:
    """Name the delta in an estimate."""
    return replace(estimate, measure=f"{estimate.measure}, delta {float(delta):g}")


def _units_note(spec: Spec, units: Mapping[str, Fraction]) -> str:
    """Say what one unit is; features with the same one together."""
    own = {feature.name: after_number(feature.unit) for feature in spec.features}
    alike: dict[str, list[str]] = {}
    for name, unit in units.items():
        alike.setdefault(f"{float(unit):g}{own[name]}", []).append(name)
    return "one unit of delta: " + "; ".join(f"{', '.join(names)} {unit}" for unit, names in alike.items())


def _favorable(number: int, labels: int) -> int:
    """Return the number of the favorable label; raises AuditError for an unknown one."""
    if not -labels <= number < labels:
        raise AuditError(f"pba: option favorable: want the number of one of the {labels} labels, not {number}")
    return number % labels


def _deltas(text: str) -> list[Fraction]:
    """Read deltas; raises AuditError for invalid text."""
    try:
        deltas = [Fraction(part.strip()) for part in text.split(",")]
    except (ValueError, ZeroDivisionError):
        raise AuditError(f"pba: option delta: want a number, or numbers with commas, not {text[:40]!r}") from None
    if any(delta < 0 for delta in deltas):
        raise AuditError(f"pba: option delta: want numbers of 0 or more, not {text[:40]!r}")
    return deltas


def _units(text: str) -> dict[str, Fraction]:
    """Read units; raises AuditError for invalid text."""
    units = {}
    for part in filter(None, (one.strip() for one in text.split(","))):
        name, _, number = part.rpartition("=")
        try:
            units[name.strip()] = Fraction(number.strip())
        except (ValueError, ZeroDivisionError):
            raise AuditError(f"pba: option units: want NAME=NUMBER, not {part[:40]!r}") from None
    return units
