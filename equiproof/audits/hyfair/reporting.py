"""The parts of the report: findings with replayed counterexamples, shares of rows by group, tables and notes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal

import numpy as np

from equiproof.audits import gaps
from equiproof.audits.context import AuditContext
from equiproof.audits.counterexample import Counterexample
from equiproof.audits.hyfair import scores
from equiproof.audits.hyfair.ceiling import Ceiling
from equiproof.audits.hyfair.clusters import Judge, Property
from equiproof.audits.hyfair.explain import Explanation, k_of
from equiproof.audits.hyfair.grid import Grid, Integers
from equiproof.audits.hyfair.hybrid import Alternated, Settled
from equiproof.audits.hyfair.rules import OnRows, on_rows
from equiproof.audits.hyfair.search import Clustering
from equiproof.audits.hyfair.tables import RULE_COLUMNS, TREE_CAPTION, TREE_COLUMNS
from equiproof.audits.intervals import share
from equiproof.audits.records import SMALL_GROUP, Cell, Estimate, Finding, Table
from equiproof.certify.many.point import Assignment
from equiproof.circuits.spec import Spec

EXAMPLE = "example"
ANY_COMBINATION = "any combination of values"

_SUBJECTS = {"apart": "scores apart", "flipped": "label flips"}

_LONG = 15
"""More digits than these are no number that people read."""

_LARGEST_K_BY_VERDICT: Mapping[str, Cell] = {"fair": 1, "unfair": 2, "undecided": "1 or 2"}
"""The largest k by buckets where no scores are apart, by the verdict on k above 1."""


@dataclass(frozen=True)
class Rows:
    """The rows on the domain: applicants, shape (m, F), and their numbers from 0."""

    places: Integers
    numbers: tuple[int, ...]

    def named(self, applicant: Integers) -> str:
        """Say which row an applicant is, or that it is none."""
        same = np.flatnonzero((self.places == applicant).all(axis=1))
        return f"row {self.numbers[same[0]] + 1}" if len(same) else ANY_COMBINATION


def most_clusters(judge: Judge, search: Alternated | None, places: Integers, clustering: Clustering) -> Integers | None:
    """Return the applicant with the most clusters found, a row where one has as many; None if there is none."""
    if search is None or search.record.best is None or not len(places):
        return None if search is None else search.record.best
    judgement = judge.judge(places)
    same = np.flatnonzero(judgement.apart & (getattr(judgement, clustering) == search.record.max_k))
    return places[same[0]] if len(same) else search.record.best


def findings(
    context: AuditContext,
    judge: Judge,
    settled: Mapping[Property, Settled],
    best: Integers | None,
    split: Settled | None,
    rows: Rows,
    label: int,
) -> tuple[Finding, ...]:
    """Return a finding per property of one label's score.

    Scores apart are shown on `best`, the applicant with the most clusters found.
    """
    findings = []
    for name, one in settled.items():
        applicant = one.counterexample
        if name == "apart" and best is not None:
            applicant = best
        values: dict[str, Cell] = {"settled by": one.by}
        counterexample = None
        upper = None
        if applicant is not None:
            buckets, gaps, _, _ = judge.exactly(applicant)
            values |= {EXAMPLE: rows.named(applicant), "k by buckets": buckets, "k by gaps": gaps}
            counterexample = _counterexample(context, judge, applicant, _subject(judge, name, context.spec, label))
        elif name == "apart" and split is not None:
            values |= {"k by buckets": _LARGEST_K_BY_VERDICT[split.verdict], "k by gaps": 1}
        if one.branched is not None:
            values |= {"boxes": one.branched.boxes, "share covered": one.branched.covered}
        if one.tree is not None:
            values["leaves checked"] = one.tree.leaves
            upper = float(judge.epsilon) if name == "apart" else None
        findings.append(
            Finding(
                subject=_subject(judge, name, context.spec, label),
                verdict="unfair" if counterexample is not None else one.verdict,
                upper=upper,
                reason=one.reason if counterexample is None else None,
                counterexample=counterexample,
                seconds=one.seconds,
                values=values,
            )
        )
    return tuple(findings)


def _subject(judge: Judge, name: str, spec: Spec, label: int) -> str:
    """Name a property in words; of three or more labels, flips are those of the one whose score is judged."""
    if name == "apart":
        return f"{_SUBJECTS[name]} by more than {float(judge.epsilon):g}"
    return _SUBJECTS[name] if len(spec.labels) <= 2 else f"{_SUBJECTS[name]} to or from {spec.labels[label]}"


def _counterexample(context: AuditContext, judge: Judge, applicant: Integers, subject: str) -> Counterexample:
    """Return one case per bucket of an applicant's scores, the least and the largest among them, replayed."""
    grid = judge.forward.grid
    margins = judge.forward.exact(applicant)
    group_of: dict[int, int] = {}
    order = sorted(range(len(margins)), key=lambda group: margins[group])
    for group in (order[0], order[-1], *order):
        group_of.setdefault(scores.bucket(margins[group], judge.epsilon), group)
    groups = sorted({*group_of.values(), order[0], order[-1]}, key=lambda group: margins[group])
    plain = grid.columns(applicant[None])[0].tolist()
    cases = []
    for group in groups:
        columns = [0] * len(grid.order)
        for place, value in zip(grid.order, (*plain, *grid.table[group].tolist()), strict=True):
            columns[place] = int(value)
        count = context.spec.plain_columns
        number = context.spec.domain_table.index(tuple(columns[count:]))
        cases.append(context.decided_input(columns[:count], number))
    row = ", ".join(f"{name} {grid.shown(name, value)}" for name, value in grid.row(applicant).items())
    shows = f"{subject}: one applicant ({row}) under {len(cases)} assignments of the sensitive features"
    counterexample = Counterexample(shows, tuple(cases))
    counterexample.replay(context.decider, context.spec)
    return counterexample


def estimates(
    context: AuditContext, judge: Judge, places: Integers, numbers: Sequence[int], label: int
) -> tuple[Estimate, ...]:
    """Return the shares of the rows with either property, over all and by group; each row is judged exactly.

    Beside them stand the largest difference of two groups that are large enough, if there are two, and the p value of
    equal shares.
    """
    if not len(places):
        return ()
    judgement = judge.judge(places)
    groups: dict[Assignment, list[int]] = {(): list(range(len(numbers)))}
    for index, number in enumerate(numbers):
        groups.setdefault(context.groups[number], []).append(index)
    found: list[Estimate] = []
    for name, flags in (("apart", judgement.apart), ("flipped", judgement.flipped)):
        what = f"rows with {_subject(judge, name, context.spec, label)}"
        hits = {group: int(flags[np.array(members)].sum()) for group, members in groups.items()}
        found += [share(what, hits[group], len(members), group=group) for group, members in groups.items()]
        counts = np.array([[len(members) - hits[group], hits[group]] for group, members in groups.items() if group])
        large = gaps.compared(counts, SMALL_GROUP)
        if np.count_nonzero(large.sum(axis=1)) > 1:
            found.append(gaps.parity(f"difference between groups, {what}", large))
            found.append(gaps.equality(f"p value of equal shares, {what}", large, seed=context.seed))
    return tuple(found)


def search_table(judge: Judge, search: Alternated | None, above: Ceiling | None) -> tuple[Table, ...]:
    """Return the table of the search for the largest k, with its upper bound."""
    if search is None:
        return ()
    totals = search.record
    columns = (
        "largest k",
        "at most",
        "sensitive assignments",
        "applicants judged",
        "instances",
        "mean k of instances",
        "with largest k",
        "rounds",
        "starts from the solver",
        "settled by integers",
    )
    row: tuple[Cell, ...] = (
        totals.max_k,
        None if above is None else above.most,
        len(judge.forward.grid.table),
        totals.evaluations,
        totals.instances,
        totals.mean_k,
        totals.at_max,
        search.rounds,
        search.solver_points,
        totals.settled,
    )
    return (Table("Search for the applicant with the most clusters", columns, (row,)),)


def k_note(split: Settled | None, search: Alternated | None, above: Ceiling | None, clustering: str) -> str:
    """Return what is known of the largest k in one sentence, whatever the verdicts are."""
    if split is not None:
        return f"no scores are apart: the largest k is {_LARGEST_K_BY_VERDICT[split.verdict]} by buckets and 1 by gaps"
    if search is None:
        return "the largest k is not known: option search_seconds leaves no time to search for it"
    most = "" if above is None else f"; no applicant has more than {above.most}"
    return f"the largest k by {clustering} that was found is {search.record.max_k}{most}"


@dataclass(frozen=True, eq=False)
class Explained:
    """An explanation, and what each of its rules does to the rows: None without rows."""

    explanation: Explanation
    on_rows: tuple[OnRows | None, ...]


def explained(
    judge: Judge, explanation: Explanation | None, places: Integers, clustering: Clustering
) -> Explained | None:
    """Return an explanation with what its rules do to the rows, shape (m, F); None without an explanation."""
    if explanation is None:
        return None
    k = k_of(judge, places, clustering) if len(places) else np.empty(0, dtype=np.int64)
    return Explained(explanation, tuple(on_rows(rule, places, k) for rule in explanation.rules))


def rules_note(found: Explained | None) -> tuple[str, ...]:
    """Return why there is no table of rules although they were searched for, or which rules no rows bear out."""
    if found is None:
        return ()
    if not found.explanation.rules:
        delta = found.explanation.delta
        return (f"no rule describes where k is largest: none lowers the mean k by {delta:g} where it fails",)
    return tuple(
        f"no guardrail: rule{'s' * (len(wrong) > 1)} {', '.join(wrong)}; {reason}"
        for holds, reason in _NO_GUARDRAIL.items()
        if (wrong := [str(place) for place, one in enumerate(found.on_rows, 1) if one and one.holds is holds])
    )


_NO_GUARDRAIL: Mapping[bool | None, str] = {
    False: "the rows stopped have no larger mean k than the others",
    None: "none of the rows is stopped, or all are, so that nothing is shown of people who occur",
}
_HOLDS: Mapping[bool | None, str] = {True: "yes", False: "no", None: "it stops none, or all"}


def rules_tables(grid: Grid, found: Explained | None) -> tuple[Table, ...]:
    """Return the rules, each with what it does to the rows as a guardrail, and the tree that they are paths of."""
    if found is None or not found.explanation.tree:
        return ()
    explanation = found.explanation
    nodes = tuple(
        (place, node.depth, node.condition, node.neighbors, node.mean_k, node.high, node.rule)
        for place, node in enumerate(explanation.tree, 1)
    )
    tree = Table(TREE_CAPTION, TREE_COLUMNS, nodes)
    if not explanation.rules:
        return (tree,)
    rows = tuple(
        (place, rule.text(grid), rule.mean_k, rule.negated_k, float(rule.coverage()), *_beside(one))
        for place, (rule, one) in enumerate(zip(explanation.rules, found.on_rows, strict=True), 1)
    )
    caption = f"Where the most clusters are: rules whose negation lowers the mean k by {explanation.delta:g} or more"
    return Table(caption, RULE_COLUMNS, rows), tree


def _beside(one: OnRows | None) -> tuple[Cell, ...]:
    """Return the cells of a rule that are about the rows."""
    if one is None:
        return None, None, None, None, None
    return one.stopped, one.mean_k, 1 - one.stopped, one.others_k, _HOLDS[one.holds]


def domain_notes(context: AuditContext, grid: Grid, placed: int) -> tuple[str, ...]:
    """Return the audited domain in words."""
    alike: dict[str, list[str]] = {}
    for name, values in (_range(grid, f) for f in range(len(grid.names))):
        alike.setdefault(values, []).append(name)
    parts = "; ".join(f"{', '.join(names)} {values}".rstrip() for values, names in alike.items())
    notes = [
        f"searched were {_size(grid.size)} applicants, in any combination, and no values in between: {parts}",
        f"{' and '.join(grid.protected)}: {len(grid.table)} values{' together' if len(grid.protected) > 1 else ''}",
    ]
    for name, feature in zip(grid.names, grid.features, strict=True):
        if feature.stride > 1:
            notes.append(
                f"{name} has more values that the model can tell apart than an audit holds: only one in "
                f"{feature.stride} is judged; a narrower range, or fewer decimals, is judged in full"
            )
    if lacking := [feature.name for feature in context.spec.plain_features if feature.may_miss]:
        notes.append(
            f"nothing is said of applicants who do not state {' or '.join(lacking)}: values that are stated were "
            "searched; the audit groups judges rows without them"
        )
    if context.rows and placed < len(context.rows):
        notes.append(
            f"{len(context.rows) - placed} of {len(context.rows)} rows lie outside that domain and are left out"
        )
    return tuple(notes)


def label_notes(spec: Spec, label: int) -> tuple[str, ...]:
    """Return which label's score is judged, if there are more than two."""
    if len(spec.labels) <= 2:
        return ()
    score = (
        f"scores are those of label {spec.labels[label]!r}: 1 / (1 + exp(-m)), m its logit minus the largest other one"
    )
    return (f"{score}; a label flip is a change to or from it",)


def _size(count: int) -> str:
    """Write a number of applicants: one of many digits as a power of ten."""
    exponent = len(str(count)) - 1
    if exponent < _LONG:
        return f"{count:,}"
    return f"about {Decimal(count).scaleb(-exponent).quantize(Decimal('0.1'))} x 10^{exponent}"


def _range(grid: Grid, f: int) -> tuple[str, str]:
    """Return feature f with its ends, and how its values lie between them, in words."""
    name, feature = grid.names[f], grid.features[f]
    count = len(feature.first)
    if not grid.ordered[f]:
        return name, f"(any of {count} values)"
    low, high = grid.shown(name, feature.first[0]), grid.shown(name, feature.last[-1])
    if feature.count == 1:
        return f"{name} {low}", ""
    steps = (Decimal(feature.last[-1]) - Decimal(feature.first[0])) / (feature.count - 1)
    apart = f", {count:,} of which differ for the model" if feature.merged else ""
    unit = f" day{'s' * (steps != 1)}" if name in grid.dated else ""
    return f"{name} {low} to {high}", f"in steps of {steps.normalize():f}{unit}{apart}"
