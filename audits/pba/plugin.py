"""The audit `pba`: who is decided with more confidence because of a sensitive value, wherever one looks near them.

Findings are one per person who counts, pair of values and delta: "unfair" where bias is persistent in one of the two
settings, which is proven for all of the neighborhood in exact numbers and shown at the person's own values; "fair"
where a point of the neighborhood refutes each setting; "undecided" where the budget ended first. The model as a whole
is not judged: hardly any network treats the values of an attribute with the same confidence to the last bit, and what
tells is how the shares of groups differ.
"""

from __future__ import annotations

import math
import time
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import zip_longest

from msgspec.structs import replace

from audits.context import AuditContext
from audits.errors import AuditError, NotApplicableError
from audits.pba.copies import Arrays
from audits.pba.definition import SETTINGS, Setting, checked_units, rivals
from audits.pba.scores import Assessment, Pair, Person, assess, baselines, drawn, people, shares
from audits.pba.search import Budget, Judgement
from audits.plugin import Option, settings
from audits.report import AuditReport, Cell, Estimate, Finding
from audits.witness import Assignment, Witness

MAX_VALUES = 8
"""A sensitive feature of more values makes too many pairs: its values want groups first."""


_PAIRS = 3
"""Pairs whose draws are told one by one."""

MEASURES = (
    "how much surer the decision is because of a sensitive value, at the least near the person: the log odds ratio "
    "between both values, above 0 where the bias is persistent; of the setting that is not refuted, or refuted last"
)


WORDS = {
    "SP": "given the favorable label",
    "EO": "given it, of those who deserve it",
    "CFA": "decided alike under the other value",
    "PBA observed": "surer all around because of their own value",
    "PBA flipped": "surer all around under this value than under their own",
    "RB observed": "decided alike all around",
    "RB flipped": "decided alike all around under this value",
}
"""The measures in words; shares of people of each group."""


class PersistentBias:
    """The plug-in; see the module."""

    name = "pba"
    version = "2"
    about = "persistent bias: more confidence because of a sensitive value, in all of a neighborhood"
    needs = frozenset({"rows"})
    options: tuple[Option, ...] = (
        Option("delta", "how far numeric features move, in units of each; several with commas", "1"),
        Option("units", "one unit of a feature in its raw unit, as NAME=NUMBER with commas; 0 holds it fixed", ""),
        Option("favorable", "number of the label that SP and EO count, -1 for the last one", -1),
        Option("robust", "whether RB is measured, which takes as long again", default=False),
        Option("people", "how many people of each group are looked at, drawn by the seed; 0 for all", 0),
        Option("parts", "budget of branch and bound: parts of a neighborhood", 500),
        Option("seconds", "budget of branch and bound: seconds per question", 10.0),
    )

    def run(self, context: AuditContext) -> AuditReport:
        """Judge every person who counts; raises NotApplicableError where nobody does."""
        chosen = settings(self, context.options)
        spec = context.spec
        units = checked_units(spec, _units(str(chosen["units"])))
        deltas = _deltas(str(chosen["delta"]))
        favorable = _favorable(int(chosen["favorable"] or 0), len(spec.labels))
        arrays = Arrays(context.network)
        wide = _too_many(context)
        todo = [(pair, people(arrays, spec, context.rows, context.labels, pair)) for pair in _pairs(context)]
        limit = int(chosen["people"] or 0) or len(context.rows)
        samples = [(pair, drawn(everybody, pair, limit, context.seed)) for pair, everybody in todo]
        jobs = [(pair, delta, one) for pair, sample in samples for delta in deltas for one in _in_turn(sample, pair)]
        if not jobs:
            raise NotApplicableError("nobody is decided rightly, and no differently under another sensitive value")
        findings: list[Finding] = []
        known: dict[tuple[Pair, Fraction], list[Assessment]] = {}
        deadline = context.deadline()
        for pair, delta, person in jobs:
            budget, found = _budget(chosen, deadline), None
            if budget is not None:
                robust = bool(chosen["robust"])
                found = assess(arrays, spec, person, delta, units, budget=budget, robust=robust, seed=context.seed)
                known.setdefault((pair, delta), []).append(found)
            findings.append(_finding(context, pair, person, delta, found))
            context.progress(len(findings), len(jobs))
        return AuditReport(
            audit=self.name,
            audit_version=self.version,
            model=context.model,
            sensitive_features=context.sensitive_features,
            measures=MEASURES,
            settings=chosen | {"seed": context.seed},
            findings=tuple(_by_row(jobs, findings)),
            estimates=tuple(_estimates(context, todo, known, favorable)),
            notes=(_told(units), *_counting(todo, limit, context.seed), *wide),
        )


def _in_turn(sample: Sequence[Person], pair: Pair) -> list[Person]:
    """Return people of both groups in turn, so that a budget that ends leaves a sample of each."""
    groups = [[one for one in sample if one.group == group] for group in pair.groups]
    return [one for both in zip_longest(*groups) for one in both if one is not None]


def _by_row(jobs: Sequence[tuple[Pair, Fraction, Person]], findings: Sequence[Finding]) -> list[Finding]:
    """Return findings by pair and delta as they were asked for, and within them in the order of the rows."""
    places = {key: place for place, key in enumerate(dict.fromkeys((pair, delta) for pair, delta, _ in jobs))}
    keys = [(places[pair, delta], person.row) for pair, delta, person in jobs]
    return [finding for _, finding in sorted(zip(keys, findings, strict=True), key=lambda one: one[0])]


def _counting(todo: Sequence[tuple[Pair, Sequence[Person]]], limit: int, seed: int) -> Iterator[str]:
    """Say of which pairs some people were drawn, and of how many; and of which values there is nobody."""
    missing: dict[str, None] = {}
    told = []
    for pair, everybody in todo:
        counts = {group: sum(one.counts and one.group == group for one in everybody) for group in pair.groups}
        if any(count > limit for count in counts.values()):
            parts = " and ".join(f"{min(limit, count)} of {count} {group}" for group, count in counts.items() if count)
            told.append(f"{pair.feature}: {parts} who count are looked at, drawn by seed {seed}")
        there = {one.group for one in everybody}
        missing |= {f"{pair.feature} {group}": None for group in pair.groups if group not in there}
    if len(told) > _PAIRS:
        told = [f"of each group at most {limit} of those who count are looked at, drawn by seed {seed}"]
    yield from told
    if missing:
        yield f"no row has {', '.join(missing)}"


def _estimates(
    context: AuditContext,
    todo: Sequence[tuple[Pair, Sequence[Person]]],
    known: Mapping[tuple[Pair, Fraction], Sequence[Assessment]],
    favorable: int,
) -> Iterator[Estimate]:
    """Yield the estimates of groups that have people; of features with more values, each pair's own are told apart."""
    several = {one.name for one in context.spec.sensitive_features if len(one.domain) > 2}
    seen: set[tuple[str, Assignment]] = set()
    for pair, everybody in todo:
        for one in map(_worded, baselines(everybody, pair, favorable)):
            made = _against(one, pair) if one.measure.startswith("CFA") and pair.feature in several else one
            if made.n and (made.measure, made.group) not in seen:
                seen.add((made.measure, made.group))
                yield made
    for (pair, delta), found in known.items():
        for one in map(_worded, shares(found, pair)):
            if one.n:
                yield _at(delta, _against(one, pair) if pair.feature in several else one)


def _worded(estimate: Estimate) -> Estimate:
    """Say what is measured."""
    return replace(estimate, measure=f"{estimate.measure}: {WORDS[estimate.measure]}")


def _against(estimate: Estimate, pair: Pair) -> Estimate:
    """Name the other value of a pair in an estimate."""
    ((feature, group),) = estimate.group
    return replace(estimate, group=((feature, f"{group} against {pair.other(group)}"),))


def _budget(chosen: Mapping[str, Cell], deadline: float | None) -> Budget | None:
    """Return the budget of the next person's questions, None where no time is left."""
    seconds = float(chosen["seconds"] or 0.0)
    if deadline is not None:
        left = deadline - time.monotonic()
        if left <= 0:
            return None
        seconds = min(seconds, left)
    return Budget(int(chosen["parts"] or 0), seconds)


def _pairs(context: AuditContext) -> Iterator[Pair]:
    """Yield every pair of values of the sensitive features that have few."""
    for feature in context.spec.sensitive_features:
        if feature.name in context.sensitive_features and len(feature.domain) <= MAX_VALUES:
            for number, first in enumerate(feature.domain):
                for second in feature.domain[number + 1 :]:
                    yield Pair(feature.name, first, second)


def _too_many(context: AuditContext) -> list[str]:
    """Say which sensitive features have too many values for pairs; raises NotApplicableError where all have."""
    wide = [
        feature
        for feature in context.spec.sensitive_features
        if feature.name in context.sensitive_features and len(feature.domain) > MAX_VALUES
    ]
    said = [f"{one.name} has {len(one.domain)} values: declare groups of them to compare" for one in wide]
    if len(wide) == len(context.sensitive_features):
        raise NotApplicableError("; ".join(said))
    return said


def _finding(context: AuditContext, pair: Pair, person: Person, delta: Fraction, found: Assessment | None) -> Finding:
    """Return what is known of a person."""
    seconds = 0.0
    values: dict[str, Cell] = {"delta": float(delta), "against": pair.other(person.group)}
    shown = ((pair.feature, person.group),)
    subject = (
        f"row {person.row + 1}, {pair.feature} {person.group} and {pair.other(person.group)}, delta {float(delta):g}"
    )
    common = {"subject": subject, "row": person.row + 1, "group": shown}
    if found is None:
        return Finding(verdict="undecided", reason="seconds", values=values, **common)  # type: ignore[arg-type]
    answers = {setting: found.biased(setting) for setting in SETTINGS}
    seconds = sum(one.seconds for judged in found.bias.values() for one in judged)
    setting = _favored(found)
    least = _least(found.bias[setting])
    unit = 1 << context.network.logit_fraction_bits
    proven = _proven(found.bias[setting], len(rivals(context.network, 0)))
    lower = None if proven is None else math.nextafter(float(proven / unit), -math.inf)
    values |= {"setting": setting, "by": least.by, "parts": sum(one.parts for one in found.bias[setting])}
    upper = math.nextafter(float(least.upper / unit), math.inf)
    told = {"lower": lower, "upper": upper, "seconds": round(seconds, 4), "values": values, **common}
    if "true" in answers.values():
        return Finding(verdict="unfair", witness=_witness(context, person, setting), **told)  # type: ignore[arg-type]
    if "unknown" in answers.values():
        reason = next(one.reason for one in found.bias[setting] if one.answer == "unknown")
        return Finding(verdict="undecided", reason=reason, **told)  # type: ignore[arg-type]
    return Finding(verdict="fair", **told)  # type: ignore[arg-type]


def _favored(found: Assessment) -> Setting:
    """Return the setting that is not refuted, or whose minimum is the larger one."""
    answers = {setting: found.biased(setting) for setting in SETTINGS}
    for wanted in ("true", "unknown"):
        for setting in SETTINGS:
            if answers[setting] == wanted:
                return setting
    return max(SETTINGS, key=lambda setting: _least(found.bias[setting]).upper)


def _least(judged: Sequence[Judgement]) -> Judgement:
    """Return the judgement that decides several: the one that is least, one that was refuted before all others."""
    return min(judged, key=lambda one: (one.answer != "false", one.upper if one.lower is None else one.lower))


def _proven(judged: Sequence[Judgement], count: int) -> Fraction | None:
    """Return what was proven of the least of so many, None where one of them was not looked at or has no bound."""
    lowers = [one.lower for one in judged if one.lower is not None]
    return min(lowers) if len(lowers) == count else None


def _witness(context: AuditContext, person: Person, setting: Setting) -> Witness:
    """Show the person under both values."""
    label = context.spec.labels[person.decided or 0]
    owner = "their own" if setting == "observed" else "the other"
    shows = (
        f"{label} is decided with more confidence under {owner} value: here, and as was proven at every point of the "
        "neighborhood"
    )
    return Witness(shows, (context.case(person.query, person.own), context.case(person.query, person.other)))


def _at(delta: Fraction, estimate: Estimate) -> Estimate:
    """Name the delta in an estimate."""
    return replace(estimate, measure=f"{estimate.measure}, delta {float(delta):g}")


def _told(units: Mapping[str, Fraction]) -> str:
    """Say what one unit is."""
    return "one unit of delta: " + ", ".join(f"{name} {float(unit):g}" for name, unit in units.items())


def _favorable(number: int, labels: int) -> int:
    """Return the number of the favorable label; raises AuditError for one that there is not."""
    if not -labels <= number < labels:
        raise AuditError(f"pba: option favorable: {number} is the number of no label; there are {labels}")
    return number % labels


def _deltas(text: str) -> list[Fraction]:
    """Read deltas; raises AuditError for text that is none."""
    try:
        deltas = [Fraction(part.strip()) for part in text.split(",")]
    except (ValueError, ZeroDivisionError):
        raise AuditError(f"pba: option delta: {text[:40]!r} is no number or numbers with commas") from None
    if any(delta < 0 for delta in deltas):
        raise AuditError(f"pba: option delta: {text[:40]!r} has a number below 0")
    return deltas


def _units(text: str) -> dict[str, Fraction]:
    """Read units; raises AuditError for text that is none."""
    found = {}
    for part in filter(None, (one.strip() for one in text.split(","))):
        name, _, number = part.rpartition("=")
        try:
            found[name.strip()] = Fraction(number.strip())
        except (ValueError, ZeroDivisionError):
            raise AuditError(f"pba: option units: {part[:40]!r} is not NAME=NUMBER") from None
    return found
