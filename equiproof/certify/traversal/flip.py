"""A grid point near the query with another decision: an upper bound to report beside the certified radius.

The query is projected onto the decision hyperplanes of the regions that a search entered, nearest first, rounded away
from the label and evaluated exactly. A returned point was evaluated on the network; None proves nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from equiproof.certify.network import QuantisedNetwork
from equiproof.certify.polytope import LinearForm, slices
from equiproof.certify.traversal.search import Search

_STEPS = ((1, 1), (5, 4), (3, 2), (2, 1))
"""The tried multiples of the projection distance: the decision hyperplane may bend away in the region beyond."""


@dataclass(frozen=True)
class Flip:
    """A grid point of n_x integers with another decision than the query, on the slice with this number.

    `label` is the decision there, None for a tie; `distance_squared` is that to the query, in grid units squared.
    """

    slice: int
    point: tuple[int, ...]
    label: int | None
    distance_squared: int


def nearest_flip(
    network: QuantisedNetwork,
    query: Sequence[int],
    table: Sequence[Sequence[int]],
    search: Search,
    *,
    attempts: int = 16,
) -> Flip | None:
    """Return the nearest flip among those behind the `attempts` nearest decision hyperplanes, or None.

    `query` (n_x) and `table` (S, n_s) are those of `search`. No flip is nearer than the certified radius, and
    a nearer one than the returned may exist.
    """
    flips = []
    for number, form in _decision_hyperplanes(network, query, table, search)[:attempts]:
        behind = _step_behind(network, query, table[number], form, search.label)
        if behind is not None:
            point = _pull_back(network, query, table[number], behind, search.label)
            away = sum((p - q) ** 2 for p, q in zip(point, query, strict=True))
            flips.append(Flip(number, point, network.decide((*point, *table[number])), away))
    return min(flips, key=lambda flip: flip.distance_squared, default=None)


def _decision_hyperplanes(
    network: QuantisedNetwork, query: Sequence[int], table: Sequence[Sequence[int]], search: Search
) -> list[tuple[int, LinearForm]]:
    """Return (slice, margin form) of the regions of the search, nearest first; distances are rounded down."""
    sliced = slices(network, table)
    forms = [
        (region.slice, form)
        for region in search.regions
        for form in sliced[region.slice].margin_forms(region.pattern, search.label)
        if form.norm_squared
    ]
    # Rounding cannot mislead: the order decides only which guesses are tried.
    return sorted(forms, key=lambda entry: entry[1].value(query) ** 2 // entry[1].norm_squared)


def _step_behind(
    network: QuantisedNetwork, query: Sequence[int], row: Sequence[int], form: LinearForm, label: int
) -> tuple[int, ...] | None:
    """Return the first grid point behind the hyperplane with another decision than the label."""
    value = form.value(query)
    for numerator, denominator in _STEPS:
        # x - (value / |c|^2) c, each coordinate rounded towards a smaller value of the form: exact integer division.
        scale = denominator * form.norm_squared
        push = numerator * value
        point = tuple(
            v - (-(-push * c // scale) if c > 0 else push * c // scale)
            for v, c in zip(query, form.coefficients, strict=True)
        )
        if network.decide((*point, *row)) != label:
            return point
    return None


def _pull_back(
    network: QuantisedNetwork, query: Sequence[int], row: Sequence[int], point: tuple[int, ...], label: int
) -> tuple[int, ...]:
    """Move the coordinates back towards the query, in ever smaller steps, while the decision differs."""
    best = list(point)
    step = 1 << max(abs(p - q) for p, q in zip(point, query, strict=True)).bit_length()
    while step:
        for column, q in enumerate(query):
            previous = best[column]
            gap = q - best[column]
            best[column] += max(-step, min(step, gap))
            if gap and network.decide((*best, *row)) == label:
                best[column] = previous
        step >>= 1
    return tuple(best)
