"""Numbers of a column of many rows at once: as integers over one power of ten.

The slow reading, value by value, is that of :mod:`equiproof.circuits.encodings`. It decides what is refused, and how.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from math import gcd
from typing import TYPE_CHECKING, Any, NamedTuple

from equiproof.circuits.encodings import ENCODINGS, Scaled
from equiproof.circuits.numbers import exact
from equiproof.circuits.once import remembered
from equiproof.circuits.spec import Feature, Spec

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

_LINES = re.compile(r"(?:-?+[0-9]++(?:\.[0-9]++)?+\n)*+")
"""Lines of plain numbers, matched without ever going back."""

_MOST_DIGITS = 18
"""Numbers of so many digits fit into 64 bits."""

_LIMIT = (1 << 63) - 1

Ends = tuple[Fraction, bool]
"""The end of what a column passes, in scaled columns, and whether the end itself passes."""


class Decimals(NamedTuple):
    """The numbers of a column, `numerators` over 10^`digits`, shape (rows,).

    `lacking` says of each row whether its value is missing; any number stands there. None where no value can be.
    """

    numerators: npt.NDArray[np.int64]
    digits: int
    lacking: npt.NDArray[np.bool_] | None = None

    def on_grid(self, feature: Feature, spec: Spec) -> npt.NDArray[np.int64] | None:
        """Return the column as integers at scale 2^f_x, shape (rows,); None where one exceeds the width.

        Of a missing value it is what a spec has there.
        """
        import numpy as np

        mean, scale = exact(feature.mean), exact(feature.scale)
        # floor((number - mean) / scale * 2^f_x + 1/2) over one denominator, as the grid of encodings rounds.
        below = 2 * 10**self.digits * mean.denominator * scale.numerator
        factor = 2 * mean.denominator * scale.denominator * spec.scale_unit
        above = below // 2 - 2 * mean.numerator * 10**self.digits * scale.denominator * spec.scale_unit
        common = gcd(below, factor, above)
        below, factor, above = below // common, factor // common, above // common
        ends = [int(self.numerators.min()), int(self.numerators.max())] if len(self.numerators) else []
        least, most = spec.limits(feature)
        if not all(least * below <= number * factor + above < (most + 1) * below for number in ends):
            return None
        largest = max((abs(number) * factor for number in ends), default=0) + abs(above)
        numerators = self.numerators.astype(np.int64 if max(largest, below, factor) <= _LIMIT else object)
        columns: npt.NDArray[np.int64] = ((numerators * factor + above) // below).astype(np.int64)
        absent = 0 if feature.has_mark else spec.absent
        return columns if self.lacking is None else np.where(self.lacking, absent, columns)

    def passed(self, feature: Feature, ends: Iterable[Ends]) -> npt.NDArray[np.int64]:
        """Return how many ends, which ascend, each scaled and unrounded number passes, shape (rows,).

        One more than there are where the value is missing.
        """
        import numpy as np

        mean, scale = exact(feature.mean), exact(feature.scale)
        # The raw end times 10^digits is (numerator * factor + denominator * shift) / (denominator * below).
        below = scale.denominator * mean.denominator
        factor = 10**self.digits * scale.numerator * mean.denominator
        shift = 10**self.digits * mean.numerator * scale.denominator
        least = []
        for end, itself in ends:
            numerator, denominator = end.as_integer_ratio()
            raw, unit = numerator * factor + denominator * shift, denominator * below
            # The least numerator that passes; what 64 bits do not hold passes always or never.
            first = -(-raw // unit) if itself else raw // unit + 1
            least.append(max(-_LIMIT, min(_LIMIT, first)))
        passed = np.searchsorted(np.array(least, dtype=np.int64), self.numerators, side="right")
        return passed if self.lacking is None else np.where(self.lacking, len(least) + 1, passed)


def decimals(feature: Feature, rows: Sequence[Mapping[str, Any]]) -> Decimals | None:
    """Return the numbers of a feature, read once for the same rows; None where they have to be read one by one.

    That is so for features of another encoding or with a domain, and where a value is no plain number inside the range.
    """
    if not isinstance(ENCODINGS[feature.encoding], Scaled) or feature.domain:
        return None
    return remembered("decimals", lambda: _read(feature, rows), feature, rows)


def _read(feature: Feature, rows: Sequence[Mapping[str, Any]]) -> Decimals | None:
    """Return the numbers of a feature, read."""
    import numpy as np

    values: list[Any] = [row.get(feature.name) for row in rows]
    lacking = None
    if feature.may_miss:
        lacking = np.array([value is None for value in values], dtype=np.bool_)
        any_stated = next((value for value in values if value is not None), 0)
        values = [any_stated if value is None else value for value in values]
    # To tell repeated values apart takes longer than to read each of them.
    found = _plain(values if {*map(type, values)} == {str} else list(map(_text, values)))
    if found is None:
        return None
    if feature.range is not None and values:
        low, high = (exact(end) * 10**found.digits for end in feature.range)
        if not low <= int(found.numerators.min()) <= int(found.numerators.max()) <= high:
            return None
    return found._replace(lacking=lacking)


def _plain(texts: Sequence[str]) -> Decimals | None:
    """Return plain numbers, all in one reading; None where one of them is written otherwise or is too long."""
    import numpy as np

    lines = "\n".join([*texts, ""])
    if lines.count("\n") != len(texts) or not _LINES.fullmatch(lines):
        return None
    codes = np.frombuffer(lines.encode(), dtype=np.uint8)
    ends, points = (np.flatnonzero(codes == ord(mark)) for mark in "\n.")
    fractions = np.zeros(len(ends), dtype=np.int64)
    pointed = np.searchsorted(ends, points)
    fractions[pointed] = ends[pointed] - points - 1
    digits = int(fractions.max(initial=0))
    wholes = np.diff(ends, prepend=-1) - 1 - fractions
    wholes[pointed] -= 1
    if wholes.max(initial=0) + digits > _MOST_DIGITS:
        return None
    # Lines of digits within 64 bits, which are read as integers and never as floats.
    written = np.fromstring(lines.replace(".", ""), dtype=np.int64, sep="\n")
    return Decimals(written * np.power(10, digits - fractions), digits)


def _text(value: Any) -> str:
    """Return a raw value as it is read: a float as it prints; empty text for what is never a number."""
    if isinstance(value, str):
        return value
    if isinstance(value, bool):
        return ""
    return repr(float(value)) if isinstance(value, float) else str(value)
