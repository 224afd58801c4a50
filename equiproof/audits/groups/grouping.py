"""The groups for comparison: by each sensitive feature alone, and by all of them jointly."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence

from equiproof.audits.context import AuditContext
from equiproof.circuits.spec import Feature


def groupings(context: AuditContext, bands: int) -> dict[str, dict[str, list[str]]]:
    """Return for each grouping, named like "sex" or "sex and race", the value of each row by feature.

    A number with more than `bands` values is cut into that many bands of about equal size, so that groups stay large.
    """
    features = [one for one in context.spec.sensitive_features if one.name in context.sensitive_features]
    place = {one.name: number for number, one in enumerate(context.spec.sensitive_features)}
    values = {
        one.name: _banded(
            one, [context.spec.domain_values[number][place[one.name]] for number in context.slices], bands
        )
        for one in features
    }
    alone = {name: {name: column} for name, column in values.items()}
    return alone | {" and ".join(values): values}


def _banded(feature: Feature, column: Sequence[str], bands: int) -> list[str]:
    """Return the values of a feature, or bands for a number with many values."""
    if feature.kind != "numeric" or len(set(column)) <= bands:
        return list(column)
    order = sorted(column, key=float)
    # The last value of each band. Equal values share a band, so a frequent value may lead to fewer bands.
    ends = sorted({order[len(order) * (number + 1) // bands - 1] for number in range(bands)}, key=float)
    numbers = [bisect_left([float(end) for end in ends], float(value)) for value in column]
    names = []
    for band in range(len(ends)):
        inside = sorted({value for value, number in zip(column, numbers, strict=True) if number == band}, key=float)
        names.append(inside[0] if len(inside) == 1 else f"{inside[0]} to {inside[-1]}")
    return [names[number] for number in numbers]
