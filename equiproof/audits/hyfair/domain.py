"""The domain of an audit from its context: the spec's own, the rows on it, and the float model's judge over it."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal
from fractions import Fraction
from math import ceil, floor

import numpy as np

from equiproof.audits.context import AuditContext
from equiproof.audits.errors import AuditError, NotApplicableError
from equiproof.audits.hyfair.clusters import Judge
from equiproof.audits.hyfair.forward import Forward
from equiproof.audits.hyfair.grid import Grid, Integers, grid_of
from equiproof.audits.hyfair.levels import GridError
from equiproof.audits.hyfair.margin import margin_of_floats
from equiproof.certify.models.network import Network
from equiproof.circuits.spec import Spec, SpecError

_MAX_DECIMALS = 3
"""The most decimals taken from rows, because more would make too many values; `decimals` can set more."""


def domain_of(context: AuditContext, decimals: str, audit: str = "hyfair") -> Grid:
    """Return the domain of an audit: the spec's own, numbers without a range bounded by the rows, all values stated."""
    context.refuse_marks()
    numbers = [feature for feature in context.spec.plain_features if feature.kind == "numeric"]
    ranges = {}
    for feature in numbers:
        if feature.range is None:
            values = [Fraction(str(value)) for value in _stated(context, feature.name)]
            if not values:
                raise NotApplicableError(
                    f"give rows, or add a range of feature {feature.name!r} to the spec, which has none"
                )
            ranges[feature.name] = (floor(min(values)), ceil(max(values)))
    digits = {feature.name: _decimals(context, feature.name) for feature in numbers} | _requested(decimals, audit)
    try:
        return grid_of(context.spec, ranges, context.sensitive_features, digits)
    except (GridError, SpecError) as error:
        raise NotApplicableError(str(error)) from None


def _decimals(context: AuditContext, name: str) -> int:
    """Return how many decimals the rows write a number with, three at most."""
    exponents = [Decimal(str(value)).normalize().as_tuple().exponent for value in _stated(context, name)]
    return min(_MAX_DECIMALS, max((-one for one in exponents if isinstance(one, int)), default=0, key=int))


def _stated(context: AuditContext, name: str) -> list[object]:
    """Return the values of a feature in the rows that state it."""
    return [row[name] for row in context.rows if row.get(name) is not None]


def _requested(text: str, audit: str) -> dict[str, int]:
    """Read the option: name=decimals with commas."""
    decimals = {}
    for part in filter(None, text.split(",")):
        name, _, count = part.partition("=")
        if not count.strip().isdecimal():
            raise AuditError(f"{audit}: option decimals: want name=decimals, such as rate=2, not {part!r}")
        decimals[name.strip()] = int(count)
    return decimals


def original_judge(original: Network, judge: Judge, spec: Spec, label: int) -> Judge:
    """Return the judge of the float model, the spec's threshold subtracted, on the same grid."""
    *below, last = original.biases
    shifted = replace(original, biases=(*below, last - float(spec.threshold)))
    margin = margin_of_floats(shifted, spec.input_fraction_bits, label)
    return Judge(Forward(margin, judge.forward.grid), judge.epsilon)


def placed(context: AuditContext, grid: Grid) -> tuple[Integers, tuple[int, ...]]:
    """Return the rows that lie on the grid as applicants, shape (m, F), and their numbers from 0."""
    keys = [{tuple(level.tolist()): i for i, level in enumerate(levels)} for levels in grid.levels]
    widths = [levels.shape[1] for levels in grid.levels]
    rows = []
    numbers = []
    for number, query in enumerate(context.queries):
        own = (*query, *context.spec.domain_table[context.slices[number]]) if context.rows else query
        columns = [own[column] for column in grid.order[: sum(widths)]]
        places = []
        start = 0
        for key, width in zip(keys, widths, strict=True):
            places.append(key.get(tuple(columns[start : start + width]), -1))
            start += width
        if min(places) >= 0:
            rows.append(places)
            numbers.append(number)
    return np.array(rows, dtype=np.int64).reshape(-1, len(keys)), tuple(numbers)
