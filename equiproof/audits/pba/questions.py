"""Answers by question: of each pair of sensitive values and delta, how many people are undecided, surer and not."""

from __future__ import annotations

from collections.abc import Sequence

from equiproof.audits.records import Cell, Finding, Table

AGAINST = "against"
"""The value of a finding that names the value that its person's own is compared with."""

CAPTION = "Answers by question, those with the most undecided people first"
COLUMNS = ("question", "people", "undecided", "surer because of the value", "not surer")


def by_question(findings: Sequence[Finding]) -> Table:
    """Return the table of all questions, in the order of the findings where as many people are undecided."""
    counts: dict[tuple[Cell, ...], dict[str, int]] = {}
    first: dict[tuple[Cell, ...], str] = {}
    for one in findings:
        ((feature, own),) = one.group
        other = str(one.values[AGAINST])
        key = (feature, *sorted((own, other)), one.values["delta"])
        first.setdefault(key, one.subject.partition(", ")[2])
        counts.setdefault(key, dict.fromkeys(("undecided", "unfair", "fair"), 0))[one.verdict] += 1
    ranked = sorted(counts.items(), key=lambda one: -one[1]["undecided"])
    rows: list[tuple[Cell, ...]] = [(first[key], sum(many.values()), *many.values()) for key, many in ranked]
    return Table(CAPTION, COLUMNS, tuple(rows))
