"""Rules over applicants (hyper-rectangles), and the guardrail that stops applicants who fulfil one."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import numpy.typing as npt

from equiproof.audits.hyfair.clusters import Flags
from equiproof.audits.hyfair.grid import Grid, Integers
from equiproof.certify.guardrail import Action, Condition


@dataclass(frozen=True, eq=False)
class Rule:
    """A conjunction over plain features: `allowed[f]` are the values of feature f that fulfil it, None for any.

    `mean_k` is the mean k of the samples that fulfil it, `negated_k` that of samples that do not.
    """

    allowed: tuple[npt.NDArray[np.bool_] | None, ...]
    mean_k: float = 0.0
    negated_k: float = 0.0

    @property
    def size(self) -> int:
        """The number of features in its conditions."""
        return sum(values is not None for values in self.allowed)

    @property
    def difference(self) -> float:
        """How much lower the mean k is where it does not hold."""
        return self.mean_k - self.negated_k

    def holds(self, applicants: Integers) -> Flags:
        """Return which applicants fulfil it."""
        mask: Flags = np.ones(len(applicants), dtype=np.bool_)
        for f, values in enumerate(self.allowed):
            if values is not None:
                mask &= values[applicants[:, f]]
        return mask

    def coverage(self) -> Fraction:
        """Return the share of the domain that fulfils it, exactly; each level of a feature counts alike."""
        share = Fraction(1)
        for values in self.allowed:
            if values is not None:
                share *= Fraction(int(values.sum()), len(values))
        return share

    def text(self, grid: Grid) -> str:
        """Return it as text with feature names and raw values, in the order of the features."""
        parts = [
            condition(grid, f, np.flatnonzero(values)) for f, values in enumerate(self.allowed) if values is not None
        ]
        return " and ".join(parts) or "any applicant"


@dataclass(frozen=True)
class OnRows:
    """What a rule does to real rows: the share that it stops, and the mean k of these and of the others.

    A mean is None where there is no such row.
    """

    stopped: float
    mean_k: float | None
    others_k: float | None

    @property
    def holds(self) -> bool | None:
        """Whether the rows that it stops have the larger mean k; None where it stops none or all of them."""
        return None if self.mean_k is None or self.others_k is None else self.mean_k > self.others_k


def on_rows(rule: Rule, rows: Integers, k: Integers) -> OnRows | None:
    """Return what a rule does to rows, shape (m, F), of these k, shape (m,); None without rows."""
    if not len(rows):
        return None
    stopped = rule.holds(rows)
    mean_k, others_k = (float(k[those].mean()) if those.any() else None for those in (stopped, ~stopped))
    return OnRows(float(stopped.mean()), mean_k, others_k)


def condition(grid: Grid, f: int, inside: Integers) -> str:
    """Write the condition that feature f has one of the levels `inside`, in raw values."""
    name = grid.names[f]
    values = grid.features[f].first
    ends = grid.features[f].last
    if not grid.ordered[f]:
        texts = [values[i] for i in inside]
        return f"{name} is {texts[0]}" if len(texts) == 1 else f"{name} in ({', '.join(texts)})"
    first = int(inside[0])
    last = int(inside[-1])
    low, high = grid.shown(name, values[first]), grid.shown(name, ends[last])
    if first == 0:
        return f"{name} <= {high}"
    if last == len(values) - 1:
        return f"{name} >= {low}"
    return f"{name} = {low}" if low == high else f"{low} <= {name} <= {high}"


def conditions(rule: Rule, grid: Grid) -> tuple[Condition, ...]:
    """Return a rule as the conditions of a guardrail's file, in raw values; ends of the domain are left out."""
    conditions = []
    for name, feature, ordered, allowed in zip(grid.names, grid.features, grid.ordered, rule.allowed, strict=True):
        if allowed is None:
            continue
        inside = np.flatnonzero(allowed)
        if not ordered:
            conditions.append(Condition(name, values=tuple(feature.first[place] for place in inside)))
            continue
        low = int(inside[0])
        high = int(inside[-1])
        least = feature.first[low] if low else None
        conditions.append(Condition(name, least, feature.last[high] if high < len(allowed) - 1 or not low else None))
    return tuple(conditions)


@dataclass(frozen=True, eq=False)
class Guardrail:
    """Rules in front of a model: who fulfils one is refused an automatic answer, or referred to a person."""

    rules: tuple[Rule, ...]
    action: Action = "refer"

    def stops(self, applicants: Integers) -> Flags:
        """Return which applicants the guardrail stops."""
        mask: Flags = np.zeros(len(applicants), dtype=np.bool_)
        for rule in self.rules:
            mask |= rule.holds(applicants)
        return mask

    def outcome(self, applicants: Integers, labels: Integers) -> list[int | Action]:
        """Return each applicant's label, or what happens instead."""
        return [
            self.action if stopped else int(label)
            for stopped, label in zip(self.stops(applicants), labels, strict=True)
        ]
