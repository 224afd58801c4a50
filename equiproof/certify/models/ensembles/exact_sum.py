"""Sums of many large integers at once: in limbs that 64 bits hold, put together at the end."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

_LIMB = 32
"""The bits of a limb. Only the last of a number has its sign, and 2^30 of them add up to less than 2^63."""

_MOST_SUMMANDS = 1 << 30

Places = npt.NDArray[np.int64]


class ExactSum:
    """One sum for each row, of integers of any size."""

    def __init__(self, rows: int) -> None:
        """Begin with 0 in each row."""
        self._limbs: list[Places] = []
        self._rows = rows
        self._summands = 0

    def add(self, numbers: Sequence[int], places: Places) -> None:
        """Add to each row the number at its place in `numbers`; raises OverflowError after 2^30 calls."""
        if self._summands == _MOST_SUMMANDS:
            raise OverflowError("too many summands")
        self._summands += 1
        rest = list(numbers)
        limb = 0
        while any(rest):
            is_last = min(rest) >= -(1 << _LIMB) and max(rest) < 1 << _LIMB
            own = rest if is_last else [number & ((1 << _LIMB) - 1) for number in rest]
            rest = [] if is_last else [number >> _LIMB for number in rest]
            if limb == len(self._limbs):
                self._limbs.append(np.zeros(self._rows, dtype=np.int64))
            self._limbs[limb] += np.array(own, dtype=np.int64)[places]
            limb += 1

    def whole(self) -> npt.NDArray[np.object_]:
        """Return the sums as Python integers."""
        total = np.zeros(self._rows, dtype=object)
        for limb, some in enumerate(self._limbs):
            total += some.astype(object) << (_LIMB * limb)
        return total
