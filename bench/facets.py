"""Times of the exact radius in plaintext on the 25 networks of Fairify.

The folder `fairify_nets` of the data holds them (`AC-1.npz` and so on) with `input_domains.json`; they are imported as
by `equiproof import --domains`, with one sensitive feature each. Applicants are random integers of the ranges, the same
for every run. One process and one thread.

Per network: applicants solved within the cap, which is of the clock; median and largest CPU time, regions and quadratic
programs of the solved ones; the radius of the projection search, of at most 4096 regions, over the exact one; and for
each applicant that hit the cap the interval that was certain by then. Applicants that flip at once have no radius and
count as solved; `unfair` says how many.
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

from bench.harness import BenchError, Progress, machine, nothing
from bench.harness import table as markdown
from certify.exact import interval_under
from certify.importing import Imported, import_model
from certify.importing.domains import read_domain
from certify.network import QuantisedNetwork
from certify.search import Counterexample, Search, search
from certify.spec_builder import INPUT_FRACTION_BITS
from circuits.spec import Spec

PROJECTION_REGIONS = 4096
SENSITIVE = {"AC": ("adult", "sex"), "BM": ("bank", "age"), "GC": ("german", "sex")}
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
NETWORKS = [f"AC-{n}" for n in range(1, 13)] + [f"BM-{n}" for n in range(1, 9)] + [f"GC-{n}" for n in range(1, 6)]


@dataclass(frozen=True)
class Point:
    """What one applicant cost: seconds, regions, programs; eps where it is known, and the interval in any case."""

    verdict: str
    seconds: float
    regions: int
    programs: int
    lower: float
    upper: float | None
    projection: float | None


def load(data: Path, name: str) -> Imported:
    """Import a network with its domain and the one sensitive feature that counts here."""
    which, sensitive = SENSITIVE[name[:2]]
    path = data / "input_domains.json"
    spec, domain = read_domain(
        path.read_bytes(), str(path), which, labels=("negative", "positive"), sensitive=(sensitive,)
    )
    return import_model(data / f"{name}.npz", spec, columns=domain.order, units="raw")


def drawn(spec: Spec, rng: random.Random) -> tuple[int, ...]:
    """Return a random applicant of the spec's ranges and categories as a query."""
    row: dict[str, int | str] = {}
    for feature in spec.plain_features:
        if feature.range is None:
            row[feature.name] = rng.choice(feature.domain)
        else:
            row[feature.name] = rng.randint(*map(int, feature.range))
    return spec.encode(row)


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
    """Measure every network; `seconds` is the cap per applicant. Raises BenchError where the networks are not there."""
    folder = (data_dir or Path()) / "fairify_nets"
    if not (folder / "input_domains.json").is_file():
        raise BenchError(f"{folder}: want the networks of Fairify and their input_domains.json here (--data-dir)")
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
    points = [measure(imported.quantised, imported.spec, drawn(imported.spec, rng), seconds) for _ in range(applicants)]
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
