"""The walk of scheme `traversal` beside FairProof's Algorithm 1, on networks drawn from seeds.

Algorithm 1 runs GeoCert (algorithm 2) with projection distances on every slice, and takes the least radius. Its queue
holds the facets that exist, each at its own distance; the walk takes every hyperplane of a region for a facet, at the
largest distance on the path. Here both are exact: whether a facet exists is decided in integers, and so are distances.
"""

from __future__ import annotations

import heapq
import random
import statistics
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from math import floor, inf, sqrt
from pathlib import Path
from typing import Any

from bench.harness import Progress, machine, nothing
from bench.harness import table as markdown
from equiproof.certify.active_set import Infeasible
from equiproof.certify.network import Layer, QuantisedNetwork
from equiproof.certify.traversal.evidence import Region
from equiproof.certify.traversal.exact import inwards
from equiproof.certify.traversal.facet import Polytope
from equiproof.certify.traversal.search import Counterexample, Start, begin, search

SHAPES = ((2, (4, 2)), (3, (4, 2)), (3, (6, 4)), (4, (8,)))
"""Non-sensitive columns and hidden layers."""

APPLICANTS = 26
"""Networks of each shape, each with an applicant whom it treats fairly and another decision within the cap."""

BITS, WEIGHT_BITS = 10, 12
CAP = 1 << 26
"""The largest squared radius, in grid units: 8 standard deviations."""

_REGIONS = 1 << 14


@dataclass(frozen=True)
class Toy:
    """A network with a query of n_x integers and its two slices."""

    network: QuantisedNetwork
    query: tuple[int, ...]
    table: tuple[tuple[int, ...], ...] = ((-(1 << BITS),), (1 << BITS,))


def toy(seed: int, columns: int, hidden: tuple[int, ...]) -> Toy:
    """Return a network of random weights and a random query, the same for a seed; the sensitive column weighs less."""
    rng = random.Random(seed)  # noqa: S311 - weights for a benchmark
    layers, bits = [], BITS
    for depth, (below, above) in enumerate(pairwise((columns + 1, *hidden, 1))):
        bits += WEIGHT_BITS
        deviation = (1 << WEIGHT_BITS) / sqrt(below)
        weights = [[int(rng.gauss(0, deviation)) for _ in range(below)] for _ in range(above)]
        if depth == 0:
            weights = [[*row[:-1], row[-1] // 8] for row in weights]
        layers.append(Layer(tuple(map(tuple, weights)), tuple(int(rng.gauss(0, 0.3) * (1 << bits)) for _ in weights)))
    query = tuple(int(rng.gauss(0, 1) * (1 << BITS)) for _ in range(columns))
    return Toy(QuantisedNetwork(tuple(layers), BITS, (WEIGHT_BITS,) * len(layers)), query)


def geocert(start: Start, cap: int) -> int:
    """Return the largest integer R2 that Algorithm 1 certifies, at most `cap`."""
    return min(_on_slice(start, centre, cap) for centre in start.centres)


def _on_slice(start: Start, centre: Region, cap: int) -> int:
    """Return the floor of the squared distance at which GeoCert pops a boundary facet first (algorithm 2)."""
    queue: list[tuple[Fraction, int, Region | None]] = []
    seen, pushed = {centre}, 0
    ahead: Region | None = centre
    while ahead is not None:
        for squared, across in facets(start, ahead):
            if across not in seen:
                pushed += 1
                heapq.heappush(queue, (squared, pushed, across))
        popped, ahead = None, None
        while queue and ahead is None:
            popped, _, ahead = heapq.heappop(queue)
            if ahead is None:
                return min(cap, floor(popped))
            if ahead in seen:
                ahead = None
        if ahead is not None:
            seen.add(ahead)
    return cap


def facets(start: Start, region: Region) -> Iterator[tuple[Fraction, Region | None]]:
    """Yield the facets of a region that exist: squared distance, and the region behind, None at a decision boundary."""
    margins, hidden = start.hyperplanes(region)
    polytope = Polytope(*inwards(hidden, region.pattern, range(len(hidden))))
    behind = [None] * len(margins) + [region.across(neuron) for neuron in range(len(hidden))]
    for (row, norm, value), across in zip([*margins, *hidden], behind, strict=True):
        if norm and not isinstance(polytope.facet(row, value), Infeasible):
            yield Fraction(value * value, norm), across


def both(case: Toy, cap: int = CAP) -> tuple[int, int] | None:
    """Return R2 of the walk and of Algorithm 1; None for an unfair decision, and where Algorithm 1 reaches the cap."""
    given = case.network, case.query, case.table
    start = begin(*given, max_radius_squared=cap, max_regions=_REGIONS)
    found = search(*given, max_radius_squared=cap, max_regions=_REGIONS)
    if isinstance(start, Counterexample) or isinstance(found, Counterexample):
        return None
    radius = geocert(start, cap)
    return None if radius == cap else (found.radius_squared, radius)


def run(
    data_dir: Path | None,
    progress: Progress = nothing,
    *,
    shapes: tuple[tuple[int, tuple[int, ...]], ...] = SHAPES,
    applicants: int = APPLICANTS,
) -> dict[str, Any]:
    """Measure the first seeds of each shape that have such an applicant; no data set is read."""
    del data_dir
    results = []
    for columns, hidden in shapes:
        radii: list[tuple[int, int]] = []
        seed = 0
        while len(radii) < applicants:
            if (found := both(toy(seed, columns, hidden))) is not None:
                radii.append(found)
            seed += 1
        results.append({"columns": columns, "hidden": list(hidden), "radii": radii})
        progress(len(results), len(shapes))
    return {"suite": "projection", "results": results, "machine": machine()}


def table(found: Mapping[str, Any]) -> str:
    """Write one line per shape: on how many networks the walk's radius is smaller, equal, larger, and by how much."""
    rows = []
    for result in found["results"]:
        ratios = [sqrt(walk / other) if other else inf for walk, other in result["radii"] if walk or other]
        smaller, larger = ([one for one in ratios if one < 1], [one for one in ratios if one > 1])
        equal = len(result["radii"]) - len(smaller) - len(larger)
        shape = f"{result['columns']} columns, ({', '.join(map(str, result['hidden']))})"
        rows.append((shape, str(len(result["radii"])), _with_ratio(smaller), str(equal), _with_ratio(larger)))
    head = ("network", "networks", "walk smaller (median share)", "equal", "walk larger (median share)")
    return markdown(head, rows)


def _with_ratio(ratios: list[float]) -> str:
    """Return how many ratios there are, and the median in percent."""
    return f"{len(ratios)} ({statistics.median(ratios):.0%})" if ratios else "0"
