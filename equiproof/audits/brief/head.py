"""The first screen of a run: one sentence on the people looked at, every audit in short, and what to do next."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from equiproof.audits.brief import groups, prof
from equiproof.audits.brief.one import asked, brief
from equiproof.audits.brief.parts import (
    Brief,
    Ended,
    Figure,
    Run,
    Step,
    Tag,
    joined,
    named,
    of,
    sensitive,
)
from equiproof.audits.measures import interval_of
from equiproof.audits.records import Estimate, ReportFields
from equiproof.certify.digits import number
from equiproof.certify.many.results import Results
from equiproof.certify.models.comparison import audited

MAX_INTERVAL_WIDTH = 0.05
"""An interval wider than this asks for more people."""

_LAYERLESS_SIZES = 2
"""Inputs and logits: the sizes of an additive model or an ensemble, which `repair` refuses."""

PEOPLE = "people"
REPAIR = "repair"
"""Parts of the page that steps lead to."""

CERTIFICATION = "certification"


@dataclass(frozen=True)
class Head:
    """The first screen: a claim, a line below it, the audits in short, and what to do next, in this order.

    `compared` are lines on the comparison with the owner's own decisions, above all of it.
    """

    compared: tuple[str, ...]
    claim: str
    below: str
    briefs: tuple[Brief, ...]
    steps: tuple[Step, ...]


@dataclass(frozen=True)
class _Looked:
    """How many people were looked at; for how many the decision changes, and for how many it is not known."""

    name: str
    total: int
    changed: int
    undecided: int
    share: Estimate | None = None


def head(run: Run, results: Results | None = None, about: Mapping[str, str] | None = None) -> Head:
    """Return the first screen of a run; `results` are of the same model, `about` describes audits by name."""
    texts = about or {}
    reported = [brief(report, texts.get(report.audit, "")) for report in run.reports]
    failed = [_failed(one, texts.get(one.audit, "")) for one in run.failures]
    certified = [] if results is None or not len(results) else [_certified(results)]
    looked = _looked(run.reports, results)
    briefs = sorted((*reported, *certified, *failed), key=lambda one: one.rank)
    return Head(
        tuple(audited(run.compared)),
        _claim(looked, run),
        _below(reported, failed, looked),
        tuple(briefs),
        tuple(_steps(run, looked, results)),
    )


def _looked(reports: Sequence[ReportFields], results: Results | None) -> _Looked | None:
    """Return what is known of the people looked at: from the audit of groups, certification, or a repair."""
    for report in reports:
        if report.audit == "groups" and groups.brief(report) is not None:
            share = next(one for one in named(report.estimates, groups.COUNTERFACTUAL_SHARE) if not one.group)
            return _counted(report, share)
    if results is not None and len(results):
        unfair = results.having("unfair")
        ties = [one for one in results.having("undecided") if one.reason == "tie"]
        name = joined([feature.name for feature in results.spec.sensitive_features])
        return _Looked(name, len(results), len(unfair), len(ties))
    for report in reports:
        if report.audit == "prof" and prof.brief(report) is not None and not report.settings.get("relaxed"):
            return _counted(report, None)
    return None


def _counted(report: ReportFields, share: Estimate | None) -> _Looked:
    """Count the people of a report by verdict."""
    unfair = len(report.having("unfair"))
    undecided = len(report.having("undecided"))
    return _Looked(sensitive(report), len(report.findings), unfair, undecided, share)


def _claim(looked: _Looked | None, run: Run) -> str:
    """Return the headline."""
    if looked is None:
        cases = [report for report in run.reports if report.verdict == "unfair"]
        if not run.reports and not run.failures:
            return "No audit was run."
        return "Cases were found." if cases else _measured(run)
    also = f" For {number(looked.undecided)}, it is not known." if looked.undecided else ""
    alone = f"with {looked.name} alone"
    if looked.undecided == looked.total:
        people = "the one person" if looked.total == 1 else f"any of the {number(looked.total)} people"
        return f"For {people} looked at, it is not known whether the decision changes {alone}."
    people = f"the {number(looked.total)} people looked at"
    if looked.total == 1:
        changes = "changes" if looked.changed else "does not change"
        return f"For the one person looked at, the decision {changes} {alone}.{also}"
    if not looked.changed and looked.undecided:
        known = looked.total - looked.undecided
        return f"For {number(known)} of {people}, the decision does not change {alone}.{also}"
    if not looked.changed:
        return f"For none of {people} does the decision change {alone}."
    return f"For {number(looked.changed)} of {people}, the decision changes {alone}.{also}"


def _measured(run: Run) -> str:
    """Return the headline where nobody was asked whether a decision changes: who was looked at, and what is open."""
    findings = [one for report in run.reports for one in report.findings if one.row is not None]
    people = len({one.row for one in findings})
    if not people:
        return "No person was looked at one by one."
    looked = "One person was" if people == 1 else f"{number(people)} people were"
    undecided = sum(one.verdict == "undecided" for one in findings)
    rest = f"; {of(undecided, len(findings))} comparisons are undecided" if undecided else ""
    return f"{looked} looked at one by one{rest}."


def _below(briefs: Sequence[Brief], failed: Sequence[Brief], looked: _Looked | None) -> str:
    """Say how the audits ended."""
    tags = [one.tag for one in (*briefs, *failed)]
    if not tags:
        return ""
    kinds: dict[Tag, int] = {tag: tags.count(tag) for tag in dict.fromkeys(tags)}
    such = "such cases" if looked is not None and looked.changed else "cases"
    verbs: Mapping[Tag, tuple[str, str]] = {
        "undecided": ("is undecided", "are undecided"),
        "measures only": ("reports measurements only", "report measurements only"),
        "not applicable": ("does not apply", "do not apply"),
    }
    parts = [f"{kinds.get('cases found', 0)} found {such}"]
    for tag, (one, several) in verbs.items():
        if many := kinds.get(tag, 0):
            parts.append(f"{many} {one if many == 1 else several}")
    audits = "1 audit" if len(tags) == 1 else f"{len(tags)} audits"
    return ", ".join([f"{audits} ran: {parts[0]}", *parts[1:], f"{kinds.get('failed', 0)} failed."])


def _steps(run: Run, looked: _Looked | None, results: Results | None) -> Iterator[Step]:
    """Yield what to do next."""
    for one in run.failures:
        if one.outcome == "failed":
            yield Step(f"See why the audit {one.audit} failed: {one.reason}")
    yield from _mending(run, looked)
    for report in run.reports:
        if report.audit == "groups" and (gap := groups.gap(report)) is not None:
            yield Step(f"Explain the gap: {gap}. No repair aims at it.")
    if looked is not None and _wide(looked.share):
        ends = "" if looked.share is None else interval_of(looked.share, 0)
        yield Step(f"Audit more people: with {number(looked.total)}, the share may be {ends}.")
    if looked is not None and looked.changed:
        change = "the repair" if len(run.model.layers) > _LAYERLESS_SIZES else "that"
        yield Step(f"Audit again after {change}, on others.")
    for report in run.reports:
        if report.verdict == "undecided":
            yield Step(f"Give the audit {report.audit} more time: {report.reason}")
        elif report.audit in {"fvgm", "leak"} and brief(report).tag == "undecided":
            yield Step(f"Give the audit {report.audit} more time: nothing is known yet.")
        elif report.audit == "pba" and (undecided := len(report.having("undecided"))):
            many = of(undecided, len(report.findings))
            yield Step(f"Give the audit pba more time, or fewer people: {many} comparisons are undecided.")
    if results is None and looked is not None and not looked.changed:
        yield Step("Certify: how far does each of these decisions hold?")


def _mending(run: Run, looked: _Looked | None) -> Iterator[Step]:
    """Yield what to do for people whose decision changes, and about the model."""
    repaired = _repaired(run.reports)
    if looked is not None and looked.changed:
        link = "the one" if looked.changed == 1 else f"the {number(looked.changed)}"
        after = ": there is no certificate." if looked.changed == 1 else ": they get no certificate."
        yield Step("Let a person decide ", link, after, PEOPLE)
        if len(run.model.layers) > _LAYERLESS_SIZES:
            yield Step("Try a ", "repair", f"{_effect(repaired)}.", REPAIR)
        else:
            yield Step(f"Train anew without {looked.name}, or weigh its values alike: repairs are for networks.")
    elif repaired is not None:
        yield Step("Try a ", "repair", f"{_effect(repaired)}.", REPAIR)
    for report in run.reports:
        if report.audit == "recourse" and (cases := len(report.having("unfair"))):
            who = "the one person" if cases == 1 else f"the {number(cases)} people"
            yield Step(f"Let somebody look at {who} whose recourse depends on {sensitive(report)} alone.")


def _effect(repaired: prof.Repair | None) -> str:
    """Say what a repair did here."""
    if repaired is None or repaired.left is None:
        return ": a change of the model that mends these decisions"
    effect = f"leaves {number(repaired.left) if repaired.left else 'none'} of {number(repaired.total)} here"
    if repaired.cost is None:
        return f": it {effect}"
    points = number(round(abs(100 * repaired.cost), 1))
    if points == "0":
        return f": it {effect}, and costs no accuracy"
    return (
        f": it {effect}, {'for' if repaired.cost > 0 else 'and adds'} {points} point{'s' * (points != '1')} of accuracy"
    )


def _repaired(reports: Iterable[ReportFields]) -> prof.Repair | None:
    """Return the repair that an audit made for people with cases."""
    repairs = (prof.repair(report) for report in reports if report.audit == "prof" and report.having("unfair"))
    return next((one for one in repairs if one is not None), None)


def _wide(share: Estimate | None) -> bool:
    """Return whether a share is known only roughly."""
    if share is None or share.lower is None or share.upper is None:
        return False
    return share.upper - share.lower > MAX_INTERVAL_WIDTH


def _certified(results: Results) -> Brief:
    """Return the results of certification in short."""
    total = len(results)
    fair, unfair, undecided = (len(results.having(one)) for one in ("fair", "unfair", "undecided"))
    tag: Tag = "cases found" if unfair else "undecided" if undecided else "no case found"
    lengths = sorted(point.radius for point in results.having("fair") if point.radius is not None)
    name = joined([feature.name for feature in results.spec.sensitive_features])
    figures = [Figure(of(fair, total), "can be certified")]
    if lengths:
        middle = lengths[(len(lengths) - 1) // 2]
        figures.append(Figure(number(middle, "down"), "radius in the middle, in the spec’s units"))
    rest = (undecided, "are undecided") if undecided else (unfair, f"change with {name}")
    return Brief(
        CERTIFICATION,
        tag,
        "How far does a decision hold?",
        f"{of(fair, total)} decisions hold for every value of {name}, and for everyone closer than the radius.",
        (*figures, Figure(of(rest[0], total), rest[1])),
    )


def _failed(one: Ended, about: str) -> Brief:
    """Return an audit without a report in short."""
    statement = "It has no result" if one.outcome == "failed" else "It does not apply here"
    return Brief(one.audit, one.outcome, asked(one.audit, about), f"{statement}: {one.reason}.")
