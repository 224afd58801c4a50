"""Numbers that may be codes for a missing value, such as 9999 among scores of 580 to 820.

The rule: at most three whole numbers at one end of a column, each in two rows or more, lie further from the other
values than these lie from each other; or one value below 0 alone, in two rows or more, is -1 or written with one of the
digits 7, 8 and 9 only; or the greatest value, in two rows or more, is written with one of these digits thrice or more,
and lies further from the next than any two neighbours among the others. At least three other values must be left. On
the public data sets of this package it names three columns, and each of them has such a code: `capital-gain` 99999 of
adult, `pdays` -1 and 999 of bank.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from equiproof.certify.data.dataset import Value

_MOST_CODES = 3
_LEAST_OTHERS = 3
_LEAST_ROWS = 2
_CODE = re.compile("-(1|7+|8+|9+)")
_LONG_CODE = re.compile("7{3,}|8{3,}|9{3,}")


@dataclass(frozen=True)
class Suspects:
    """Values that may be codes, with the rows of each, and the least and the greatest of the other values."""

    rows: dict[Value, int]
    least: Value
    greatest: Value

    def __str__(self) -> str:
        several = ", ".join(f"{value} in {count:,} rows" for value, count in self.rows.items())
        return f"{several} far from the others ({self.least} to {self.greatest})"


def suspects(values: Sequence[Value]) -> Suspects | None:
    """Return the numbers of a column that may be codes for a missing value, None where there are none."""
    rows = Counter(values)
    others = sorted(rows, key=float)
    codes: list[Value] = []
    while at_an_end := _at_an_end(others, rows) or _below(others, rows) or _above(others, rows):
        codes += at_an_end
        others = [value for value in others if value not in at_an_end]
    return Suspects({value: rows[value] for value in codes}, others[0], others[-1]) if codes else None


def _at_an_end(ordered: Sequence[Value], rows: Counter[Value]) -> list[Value]:
    """Return the few values at an end that lie further from the others than these from each other."""
    for count in range(1, _MOST_CODES + 1):
        if len(ordered) < count + _LEAST_OTHERS:
            break
        for last, first, codes, rest in (
            (ordered[-count - 1], ordered[-count], ordered[-count:], ordered[:-count]),
            (ordered[count - 1], ordered[count], ordered[:count], ordered[count:]),
        ):
            is_far = float(first) - float(last) > float(rest[-1]) - float(rest[0])
            if is_far and all(isinstance(code, int) and rows[code] >= _LEAST_ROWS for code in codes):
                return list(codes)
    return []


def _below(ordered: Sequence[Value], rows: Counter[Value]) -> list[Value]:
    """Return the one value below 0 where it is written as codes are."""
    first = ordered[0]
    is_alone = len(ordered) > _LEAST_OTHERS and float(first) < 0 <= float(ordered[1])
    return [first] if is_alone and rows[first] >= _LEAST_ROWS and _CODE.fullmatch(str(first)) else []


def _above(ordered: Sequence[Value], rows: Counter[Value]) -> list[Value]:
    """Return the greatest value where it is written as long codes are, and lies apart from the others."""
    last, numbers = ordered[-1], [float(value) for value in ordered]
    if len(ordered) <= _LEAST_OTHERS or rows[last] < _LEAST_ROWS or not _LONG_CODE.fullmatch(str(last)):
        return []
    gaps = [above - below for below, above in pairwise(numbers)]
    return [last] if gaps[-1] > max(gaps[:-1]) else []
