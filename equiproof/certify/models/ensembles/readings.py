"""Files that two programs decide differently: which of both is the lender's, only the lender's own decisions show."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any, TypeVar

from equiproof.certify.models.ensembles.ensemble import Ensemble
from equiproof.certify.models.own_decisions import DecisionsError

Judged = TypeVar("Judged")


def by_decisions(read: Any, judge: Callable[[Any], Judged], *, given: bool) -> Judged:
    """Return what `judge` makes of a model as it was read, or of its other reading where decisions refuse the first.

    `given`: the lender's decisions are there for `judge` to compare with; without them the first reading stands. Raises
    what `judge` raises for the first reading if it refuses both.
    """
    other = read.other if isinstance(read, Ensemble) and given else None
    if other is None:
        return judge(read)
    try:
        return judge(_agreed(read))
    except DecisionsError as error:
        try:
            return judge(_agreed(other))
        except DecisionsError:
            raise error from None


def _agreed(ensemble: Ensemble) -> Ensemble:
    """Return a reading as the one that decisions have agreed with."""
    note = f"the file is read as {ensemble.reading} decides: your own decisions agree with that reading"
    return replace(ensemble, other=None, notes=(note,))
