"""Numbers of a column of many rows at once: as integers over one power of ten.

The slow reading, value by value, is that of :mod:`equiproof.circuits.encodings`. It decides what is refused, and how.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Any, NamedTuple

from equiproof.circuits.encodings import ENCODINGS, Scaled
from equiproof.circuits.numbers import exact
from equiproof.circuits.once import remembered
from equiproof.circuits.spec import Feature

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

_PLAIN = re.compile(r"-?[0-9]+(?:\.[0-9]+)?")
_MOST_DIGITS = 18
"""Numbers of so many digits fit into 64 bits."""

_LIMIT = (1 << 63) - 1

Ends = tuple[Fraction, bool]
"""The end of what a column passes, in scaled columns, and whether the end itself passes."""


class Decimals(NamedTuple):
    """The numbers of a column, `numerators` over 10^`digits`, shape (rows,)."""

    numerators: npt.NDArray[np.int64]
    digits: int

    def on_grid(self, feature: Feature, scale_unit: int, input_bits: int) -> npt.NDArray[np.int64] | None:
        """Return the column as integers at scale 2^f_x, shape (rows,); None where one exceeds the width."""
        import numpy as np

        mean, scale = exact(feature.mean), exact(feature.scale)
        # floor((number - mean) / scale * 2^f_x + 1/2) over one denominator, as the grid of encodings rounds.
        below = 2 * 10**self.digits * mean.denominator * scale.numerator
        factor = 2 * mean.denominator * scale.denominator * scale_unit
        above = below // 2 - 2 * mean.numerator * 10**self.digits * scale.denominator * scale_unit
        columns = [(number * factor + above) // below for number in self.numerators.tolist()]
        limit = 1 << (input_bits - 1)
        if columns and not -limit <= min(columns) <= max(columns) < limit:
            return None
        return np.array(columns, dtype=np.int64)

    def passed(self, feature: Feature, ends: Iterable[Ends]) -> npt.NDArray[np.int64]:
        """Return how many ends, which ascend, each scaled and unrounded number passes, shape (rows,)."""
        import numpy as np

        mean, scale = exact(feature.mean), exact(feature.scale)
        below = scale.denominator * mean.denominator
        tens = 10**self.digits
        least = []
        for end, itself in ends:
            raw = tens * (
                end.numerator * scale.numerator * mean.denominator
                + mean.numerator * end.denominator * scale.denominator
            )
            # The least numerator that passes; what 64 bits do not hold passes always or never.
            first = -(-raw // (end.denominator * below)) if itself else raw // (end.denominator * below) + 1
            least.append(max(-_LIMIT, min(_LIMIT, first)))
        return np.searchsorted(np.array(least, dtype=np.int64), self.numerators, side="right")


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

    values = [row.get(feature.name) for row in rows]
    texts = {value: _text(value) for value in dict.fromkeys(values)}
    if not all(map(_PLAIN.fullmatch, texts.values())):
        return None
    parts = {value: text.partition(".") for value, text in texts.items()}
    digits = max((len(fraction) for _, _, fraction in parts.values()), default=0)
    if any(len(whole) + digits > _MOST_DIGITS for whole, _, _ in parts.values()):
        return None
    numbers = {value: int(whole + fraction.ljust(digits, "0")) for value, (whole, _, fraction) in parts.items()}
    if feature.range is not None and numbers:
        low, high = (exact(end) * 10**digits for end in feature.range)
        if not low <= min(numbers.values()) <= max(numbers.values()) <= high:
            return None
    return Decimals(np.array([numbers[value] for value in values], dtype=np.int64), digits)


def _text(value: Any) -> str:
    """Return a raw value as it is read: a float as it prints; empty text for what is never a number."""
    if isinstance(value, bool):
        return ""
    return repr(float(value)) if isinstance(value, float) else str(value)
