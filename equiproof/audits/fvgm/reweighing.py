"""Reweighing: weights under which label and group are independent (Kamiran and Calders 2012)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Mapping, Sequence
from fractions import Fraction


def weights_by_cell(groups: Sequence[Hashable], labels: Sequence[int]) -> Mapping[tuple[Hashable, int], Fraction]:
    """Return the weight of each group and label that occur together: P(group) P(label) / P(group, label)."""
    if len(groups) != len(labels):
        raise ValueError(f"reweighing: {len(groups)} groups for {len(labels)} labels")
    by_group = Counter(groups)
    by_label = Counter(labels)
    both = Counter(zip(groups, labels, strict=True))
    return {
        (group, label): Fraction(by_group[group] * by_label[label], len(labels) * count)
        for (group, label), count in both.items()
    }


def reweighed(groups: Sequence[Hashable], labels: Sequence[int]) -> list[float]:
    """Return a weight for every row, for training with `sample_weight`."""
    weights = {cell: float(weight) for cell, weight in weights_by_cell(groups, labels).items()}
    return [weights[cell] for cell in zip(groups, labels, strict=True)]
