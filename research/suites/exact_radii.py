"""Exact GeoCert with ten minutes at the applicants whose exact radius `bench.branch.fairify` left unknown.

Each is searched once, one after the other; a line of JSON reports each. `python -m research.suites.exact_radii
--data-dir DATA` takes three hours at most. The figures in docs/benchmarks/fairify.md were measured with ten minutes of
processor time each, beside other work; here the time is the clock's.
"""

from __future__ import annotations

import argparse
import json
import random
import statistics
from collections.abc import Iterator
from pathlib import Path
from typing import Any, TypeAlias

from bench import kept
from bench.branch.fairify import Question
from bench.branch.points import Task, radii, walked_exactly
from bench.fairify_networks import draw, folder_in, load
from bench.harness import BenchError

Part: TypeAlias = dict[str, Any]
"""The kept results of one network."""

NETWORKS = ("AC-7", "BM-8", "GC-5")
SECONDS = 600.0


def unknown(part: Part) -> list[int]:
    """Return the applicants of a kept network whose exact radius is not known."""
    return [number for number, known in enumerate(part["known_all"]) if not known]


def searched(data_dir: Path, name: str, part: Part, seconds: float) -> Iterator[dict[str, Any]]:
    """Yield the interval of the radius of each such applicant; raises BenchError where the network is missing."""
    imported = load(folder_in(data_dir), name)
    rng = random.Random(name)  # noqa: S311 -- the applicants of the kept suite
    queries = [draw(imported.spec, rng) for _ in range(Question.points)]
    for number in unknown(part):
        task = Task(imported.quantised, imported.spec, queries[number], Question.capacity, seconds)
        found = walked_exactly(task)
        if found is None:
            raise BenchError(f"{name}, applicant {number}: the decision depends on the sensitive values")
        known, spent = found
        least, most = radii(imported.spec, [known.least, known.most])
        yield {
            "network": name, "applicant": number, "exact": known.exact, "least": least, "most": most,
            "seconds": round(spent),
        }  # fmt: skip


def shares(part: Part, rows: list[dict[str, Any]]) -> list[float]:
    """Return what of the smallest known upper bound is certified, for every applicant of a network."""
    most = list(part["most_all"])
    for row in rows:
        most[row["applicant"]] = min(most[row["applicant"]], row["most"])
    return [radius / bound for radius, bound in zip(part["radius_all"], most, strict=True)]


def main() -> None:
    """Search, and print what is known then."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data-dir", type=Path, required=True, help="the raw data sets")
    parser.add_argument("--seconds", type=float, default=SECONDS, help="time limit of one search")
    options = parser.parse_args()
    parts = kept.load("fairify")["parts"]
    for name in NETWORKS:
        rows = []
        for row in searched(options.data_dir, name, parts[name], options.seconds):
            print(json.dumps(row), flush=True)
            rows.append(row)
        share = shares(parts[name], rows)
        ended = sum(bool(row["exact"]) for row in rows)
        print(f"{name}: {ended} of {len(rows)}; share {statistics.median(share):.1%} ({min(share):.1%})", flush=True)


if __name__ == "__main__":
    main()
