"""Searches under a spec with levels: they end at the largest level for which there is evidence."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol, TypeVar

import msgspec

from equiproof.certify.countdown import Countdown
from equiproof.certify.traversal.search import Counterexample
from equiproof.circuits.levels import shown
from equiproof.circuits.spec import Spec

_SHARE = 0.75
"""The part of the seconds that are left which a search gets under levels, so that one at a lower level can run."""


class _OfRadius(Protocol):
    """Evidence of any scheme."""

    @property
    def radius_squared(self) -> int:
        """The squared radius that it proves."""


class _WithEvidence(Protocol):
    """What a search found."""

    @property
    def evidence(self) -> _OfRadius:
        """The evidence of the largest radius."""


F = TypeVar("F", bound=_WithEvidence)


def on_level(
    spec: Spec, max_seconds: float | None, search: Callable[[int, float | None], F | Counterexample]
) -> F | Counterexample:
    """Search up to the spec's largest radius, and under levels again at the level below what was found.

    `search` takes the largest squared radius that it looks for, and its seconds. Evidence is made for a radius, so that
    of a lower level is searched for, and is found fast: it is known to hold.
    """
    if isinstance(spec.levels, msgspec.UnsetType):
        return search(spec.max_radius_squared, max_seconds)
    cap = shown(spec, spec.max_radius_squared)
    budget = Countdown(max_seconds)
    while True:
        found = search(cap, budget.left(_SHARE))
        if isinstance(found, Counterexample):
            return found
        level = shown(spec, found.evidence.radius_squared)
        if level == found.evidence.radius_squared:
            return found
        cap = level
