"""The tables of the audit `recourse`: outcomes, costs and changes by group, and rows that depend on a value."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Sequence

from equiproof.audits.context import AuditContext
from equiproof.audits.intervals import median_ends, wilson
from equiproof.audits.presentation import in_words
from equiproof.audits.records import Cell, Estimate, Table
from equiproof.audits.recourse.asked import TODAY, Answer, Group, Request, within
from equiproof.audits.recourse.told import MEAN, MEDIAN, OUTCOMES, TODAY_CAPTION, TODAY_COLUMNS, WAY
from equiproof.certify.recourse.search import Witness
from equiproof.circuits.text import several

OUTCOMES_CAPTION = "What those asked can do, in people"
COSTS = "Cost of the cheapest way"
CHANGES = "Features that the cheapest way changes, of those with a way"
DEPENDING = "Rows whose recourse depends on a sensitive value: an allowed change, whom it helps and whom not"

NO_WAY = "no way"
"""A median cost where half of those asked have no way."""


def tables(request: Request, answers: Sequence[Answer], estimates: Sequence[Estimate]) -> Iterator[Table]:
    """Yield the tables; those of groups have a line for all, and each group once."""
    groups = list({group.name: group for group in reversed(request.groups)}.values())[::-1]
    asked = [(group, within(group, answers)) for group in groups]
    yield Table(
        TODAY_CAPTION,
        TODAY_COLUMNS,
        tuple((_words(group), len(group.rows), *(_count(request, group, kind) for kind in TODAY)) for group in groups),
    )
    yield Table(
        OUTCOMES_CAPTION,
        ("group", "asked", *OUTCOMES),
        tuple(
            (_words(group), len(own), *(sum(one.found.outcome == kind for one in own) for kind in OUTCOMES))
            for group, own in asked
        ),
    )
    yield _costs(asked, estimates)
    yield _changes(asked)
    depending = [(one, one.found.witness) for one in sorted(answers, key=lambda one: one.row)]
    yield Table(
        DEPENDING,
        ("row", "group", "change", "granted for", "not granted for"),
        tuple(
            (one.row + 1, in_words(request.context.groups[one.row]), *told(request, one, witness))
            for one, witness in depending
            if witness is not None
        ),
    )


def told(request: Request, answer: Answer, witness: Witness) -> tuple[str, str, str]:
    """Return a witness in words: the change, for which listed values it is granted, and for which not."""
    context, own = request.context, request.context.rows[answer.row]
    change = several([f"{name} {own.get(name)} to {witness.values[name]}" for name in witness.changed])
    query = context.spec.encode(witness.values)
    groups: dict[bool, list[str]] = {True: [], False: []}
    for values, integers in zip(context.spec.domain_values, context.spec.domain_table, strict=True):
        granted = context.decider.decide((*query, *integers)) == request.wanted
        groups[granted].append(", ".join(_named(context, values)))
    return change, _listed(groups[True]), _listed(groups[False])


def _named(context: AuditContext, values: Sequence[str]) -> list[str]:
    """Return sensitive values, with the names of the features where there are several."""
    names = [feature.name for feature in context.spec.sensitive_features]
    pairs = zip(names, values, strict=True)
    return [f"{name} = {value}" for name, value in pairs] if len(names) > 1 else list(values)


def _listed(groups: Sequence[str]) -> str:
    """Return groups of sensitive values in a row."""
    return several(groups) if all("," not in one for one in groups) else several([f"({one})" for one in groups])


def _words(group: Group) -> str:
    """Return a group in words."""
    return in_words(group.name) or "all"


def _count(request: Request, group: Group, kind: str) -> int:
    """Return how many rows of a group are decided so."""
    return sum(request.today[row] == kind for row in group.rows)


def _costs(asked: Sequence[tuple[Group, Sequence[Answer]]], estimates: Sequence[Estimate]) -> Table:
    """Return median and mean by group, beside the share with a way; a median without limit is in words."""
    known = {(one.measure, one.group): one for one in estimates}
    rows: list[tuple[Cell, ...]] = []
    for group, own in asked:
        way, median, mean = (known[measure, group.name] for measure in (WAY, MEDIAN, MEAN))
        costs = [one.least_cost for one in own], [one.most_cost for one in own]
        ends = [None, None] if (found := median_ends(*costs)) is None else [_cost(end) for end in found]
        value = NO_WAY if own and median.value is None else median.value
        rows.append((_words(group), len(own), way.value, value, *ends, mean.value, mean.n))
    return Table(
        COSTS,
        (
            "group", "asked", "share with a way", "median of all asked", "least median", "largest median",
            "mean of those with a way", "with a way",
        ),
        tuple(rows),
    )  # fmt: skip


def _cost(end: float) -> Cell:
    """Return an end of a median, in words where it is infinite."""
    return end if math.isfinite(end) else NO_WAY


def _changes(asked: Sequence[tuple[Group, Sequence[Answer]]]) -> Table:
    """Return how often each feature is changed, by group, most often first."""
    rows: list[tuple[Cell, ...]] = []
    for group, own in asked:
        ways = [one.found.ways[0] for one in own if one.found.ways]
        counts = Counter(name for way in ways for name in way.changed)
        for name, count in counts.most_common():
            share, (least, largest) = count / len(ways), wilson(count, len(ways))
            rows.append((_words(group), name, count, len(ways), share, least, largest))
    return Table(
        CHANGES,
        ("group", "feature", "ways that change it", "ways", "share", "least share", "largest share"),
        tuple(rows),
    )
