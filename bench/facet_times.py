"""Times of the exact radius on the networks of Fairify: `python -m bench.facet_times --data DIR [--json]`.

DIR holds the networks (`AC-1.npz` and so on) and `input_domains.json`; they are imported as by `equiproof import
--domains`, with one sensitive feature each. Applicants are random integers of the ranges, the same for every run. One
process and one thread; times are of this machine.

Per network: applicants solved within the cap, which is of the clock; median and largest CPU time, regions and quadratic
programs of the solved ones; the radius of the projection search, of at most 4096 regions, over the exact one; and for
each applicant that hit the cap the interval that was certain by then. Applicants that flip at once have no radius and
count as solved; `unfair` says how many.
"""

from __future__ import annotations

import argparse
import json
import random
import statistics
import sys
import time
from dataclasses import asdict, dataclass
from fractions import Fraction
from math import sqrt
from pathlib import Path
from typing import Any

from certify.exact import ExactBudgetError, exact_search
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
    try:
        found = exact_search(network, query, table, max_radius_squared=cap, max_regions=1 << 30, max_seconds=seconds)
    except ExactBudgetError as error:
        found = error.found
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


def run(data: Path, name: str, applicants: int, seconds: float) -> dict[str, Any]:
    """Measure the applicants of one network."""
    imported = load(data, name)
    rng = random.Random(name)  # noqa: S311 - applicants for a benchmark
    points = [measure(imported.quantised, imported.spec, drawn(imported.spec, rng), seconds) for _ in range(applicants)]
    return {"network": name, "hidden": imported.quantised.hidden, "points": [asdict(point) for point in points]}


def line(result: dict[str, Any]) -> str:
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

    cells = (
        f"{result['network']} {'-'.join(map(str, result['hidden']))}",
        f"{len(solved)}/{len(result['points'])}",
        str(len(solved) - len(exact)),
        spread("regions"),
        spread("programs"),
        spread("seconds", 1000.0, 1),
        f"{statistics.median(ratios):.2f} ({min(ratios):.3f})" if ratios else "-",
        " ".join(stuck) or "-",
    )
    return "| " + " | ".join(cells) + " |"


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True, help="the folder of networks and input_domains.json")
    parser.add_argument("--networks", nargs="*", default=NETWORKS, choices=NETWORKS, metavar="NAME")
    parser.add_argument("--applicants", type=int, default=6, help="per network")
    parser.add_argument("--seconds", type=float, default=12.0, help="the cap per applicant")
    parser.add_argument("--json", action="store_true", help="print every applicant as JSON instead of the table")
    given = parser.parse_args()
    results = []
    if not given.json:
        print(f"| {' | '.join(COLUMNS)} |\n|{'---|' * len(COLUMNS)}")
    for name in given.networks:
        results.append(run(given.data, name, given.applicants, given.seconds))
        if not given.json:
            print(line(results[-1]), flush=True)
    if given.json:
        json.dump({"seconds": given.seconds, "results": results}, sys.stdout, indent=1)


if __name__ == "__main__":
    main()
