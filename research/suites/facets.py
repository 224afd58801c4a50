"""Times of the exact radius in plaintext on the 25 networks of Fairify.

They have one sensitive feature each. Applicants are random integers of the ranges, the same for every run. One process
and one thread.

Per network: applicants solved within the cap of seconds by the clock; median and largest CPU time, regions and
quadratic programs of the solved ones; the radius of the projection search, with at most 4096 regions, over the exact
one; and the interval known for each applicant at the cap. Applicants who are treated unfairly themselves have no radius
and count as solved; `unfair` counts them.
"""

from __future__ import annotations

import random
import statistics
import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from fractions import Fraction
from math import sqrt
from pathlib import Path
from typing import Any

from bench.fairify_networks import NETWORKS, draw, folder_in, load
from bench.harness import Progress, machine, nothing
from bench.harness import table as markdown
from equiproof.certify.data.spec_builder import INPUT_FRACTION_BITS
from equiproof.certify.network import QuantisedNetwork
from equiproof.certify.traversal.exact import interval_under
from equiproof.certify.traversal.search import Counterexample, Search, search
from equiproof.circuits.spec import Spec

PROJECTION_REGIONS = 4096
COLUMNS = (
    "net",
    "solved",
    "unfair",
    "regions med (max)",
    "programs med (max)",
    "ms med (max)",
    "projection / exact med (least)",
    "intervals at the cap",
)


@dataclass(frozen=True)
class Point:
    """The costs of one applicant, and the interval of eps: both ends are equal if it is known."""

    verdict: str
    seconds: float
    regions: int
    programs: int
    lower: float
    upper: float | None
    projection: float | None


def measure(network: QuantisedNetwork, spec: Spec, query: tuple[int, ...], seconds: float) -> Point:
    """Time one applicant."""
    table, cap = spec.domain_table, spec.max_radius_squared
    begun = time.process_time()
    found = interval_under(network, spec, query, max_regions=1 << 30, max_seconds=seconds)
    spent = time.process_time() - begun
    if isinstance(found, Counterexample):
        return Point("unfair", spent, 0, 0, 0.0, 0.0, None)
    near = search(network, query, table, max_radius_squared=cap, max_regions=PROJECTION_REGIONS)
    return Point(
        "exact" if found.complete else "cap",
        spent,
        found.regions,
        found.programs,
        eps(found.lower),
        None if found.upper is None else eps(found.upper),
        eps(near.radius_squared) if isinstance(near, Search) else None,
    )


def eps(squared: Fraction | int) -> float:
    """Return a squared distance of grid units as a distance in units of the ranges."""
    return sqrt(squared) / (1 << INPUT_FRACTION_BITS)


def run(
    data_dir: Path | None,
    progress: Progress = nothing,
    *,
    networks: Sequence[str] = NETWORKS,
    applicants: int = 6,
    seconds: float = 30.0,
) -> dict[str, Any]:
    """Measure every network; `seconds` is the cap per applicant. Raises BenchError where the networks are missing."""
    folder = folder_in(data_dir)
    results = []
    for name in networks:
        results.append(_network(folder, name, applicants, seconds))
        progress(len(results), len(networks))
    return {"suite": "facets", "seconds": seconds, "results": results, "machine": machine()}


def table(found: Mapping[str, Any]) -> str:
    """Write one line per network."""
    return markdown(COLUMNS, [_cells(result) for result in found["results"]])


def _network(data: Path, name: str, applicants: int, seconds: float) -> dict[str, Any]:
    """Measure the applicants of one network."""
    imported = load(data, name)
    rng = random.Random(name)  # noqa: S311 - applicants for a benchmark
    points = [measure(imported.quantised, imported.spec, draw(imported.spec, rng), seconds) for _ in range(applicants)]
    return {"network": name, "hidden": imported.quantised.hidden, "points": [asdict(point) for point in points]}


def _cells(result: Mapping[str, Any]) -> tuple[str, ...]:
    """Return one row of the table."""
    solved = [point for point in result["points"] if point["verdict"] != "cap"]
    exact = [point for point in solved if point["verdict"] == "exact"]
    ratios = [point["projection"] / point["upper"] for point in exact if point["upper"]]
    stuck = [
        f"[{p['lower']:.4f}, {'?' if p['upper'] is None else format(p['upper'], '.4f')}]"
        for p in result["points"]
        if p["verdict"] == "cap"
    ]

    def spread(key: str, factor: float = 1.0, digits: int = 0) -> str:
        values = [point[key] * factor for point in exact]
        return f"{statistics.median(values):.{digits}f} ({max(values):.{digits}f})" if values else "-"

    return (
        f"{result['network']} {'-'.join(map(str, result['hidden']))}",
        f"{len(solved)}/{len(result['points'])}",
        str(len(solved) - len(exact)),
        spread("regions"),
        spread("programs"),
        spread("seconds", 1000.0, 1),
        f"{statistics.median(ratios):.2f} ({min(ratios):.3f})" if ratios else "-",
        " ".join(stuck) or "-",
    )
