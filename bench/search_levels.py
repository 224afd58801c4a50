"""What the search of a certificate takes at levels, beside the exact one: processor seconds of the same queries.

Models are seeded, not trained. Each query is searched for its exact radius, at one level, and at three levels, one
after the other in one process; levels are the radii that nine, five and three in ten of the queries reach, as drafts
choose them.
"""

from __future__ import annotations

import random
import statistics
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from msgspec.structs import replace

from bench import padding, padding_scores
from bench.harness import BenchError, Progress, machine, nothing
from bench.harness import table as markdown
from equiproof.certify.traversal.search import Counterexample
from equiproof.circuits.shape import Shape, traversal_shape
from equiproof.circuits.spec import checked
from equiproof.circuits.units import length
from equiproof.prover.evidence import find_evidence
from equiproof.prover.opening import Opening

QUERIES = 30
PLACES = (0.1, 0.5, 0.7)
"""Where in the ascending radii of the queries the levels stand."""


class Case(NamedTuple):
    """A model, and the shape in which it is searched."""

    name: str
    opening: Opening
    shape: Shape


def cases() -> list[Case]:
    """Return models of scheme `branch`, one of them under scheme `traversal` as well, and of scheme `trees`."""
    found = []
    for of_scheme in (*padding.CASES[:4], *padding_scores.CASES[:4]):
        opening, shape = of_scheme.sides()[0]
        found.append(Case(f"{of_scheme.name}, `{shape.scheme}`", opening, shape))
    smallest = padding.CASES[0]
    opening = found[0].opening
    shape = traversal_shape(opening.spec, smallest.hidden, padding.CAPACITY)
    return [Case(f"{smallest.name}, `{shape.scheme}`", opening, shape), *found]


def run(
    _data_dir: Path | None,
    progress: Progress = nothing,
    *,
    searched: Sequence[Case] | None = None,
    queries: int = QUERIES,
) -> dict[str, Any]:
    """Measure every model at `queries` random queries."""
    listed = cases() if searched is None else searched
    results = []
    for done, case in enumerate(listed, start=1):
        results.append(_measured(case, queries))
        progress(done, len(listed))
    return {"suite": "search-levels", "machine": machine(), "queries": queries, "results": results}


def _measured(case: Case, queries: int) -> dict[str, Any]:
    """Search every query exactly, at one level and at three; seconds are medians, ratios those of single queries."""
    spec, drawn = case.opening.spec, random.Random(1)  # noqa: S311 - queries for a benchmark
    rows = [{one.name: str(drawn.randint(-2000, 2000) / 1000) for one in spec.plain_features} for _ in range(queries)]
    integers = [spec.encode(row) for row in rows]
    _search(case.opening, case.shape, integers[0])  # what is loaded and counted once
    radii = sorted(_search(case.opening, case.shape, query)[1] for query in integers)
    texts = [f"{length(spec, radii[int(place * queries)]):.6f}" for place in PLACES]
    if len({text for text in texts if float(text)}) < len(PLACES):
        raise BenchError(f"{case.name}: want queries of different radii, to have {len(PLACES)} levels: {texts}")
    sides = {
        "exact": case.opening,
        "one": _at(case.opening, texts[:1]),
        "three": _at(case.opening, texts),
    }
    seconds = {name: list[float]() for name in sides}
    for query in integers:
        for name, opening in sides.items():
            seconds[name].append(_search(opening, case.shape, query)[0])
    ratios = {
        name: statistics.median(one / exact for one, exact in zip(taken, seconds["exact"], strict=True))
        for name, taken in seconds.items()
    }
    return {
        "case": case.name,
        **{f"{name}_s": round(statistics.median(taken), 5) for name, taken in seconds.items()},
        **{f"{name}_ratio": round(ratios[name], 3) for name in ("one", "three")},
    }


def _at(opening: Opening, levels: Sequence[str]) -> Opening:
    """Return the same model under a spec with levels."""
    return Opening.of(opening.model, checked(replace(opening.spec, levels=tuple(levels))), opening.blinding)


def _search(opening: Opening, shape: Shape, query: Sequence[int]) -> tuple[float, int]:
    """Return the processor seconds of a search and the squared radius; raises TypeError for an unfair query."""
    begun = time.process_time()
    found = find_evidence(opening, shape, query, None, None)
    seconds = time.process_time() - begun
    if isinstance(found, Counterexample):
        raise TypeError("want a seeded model without weight on sensitive columns, so that no query is unfair")
    return seconds, found.evidence.radius_squared


def table(found: Mapping[str, Any]) -> str:
    """Write one line for each model."""
    rows = [
        (
            row["case"],
            *(f"{1000 * row[f'{name}_s']:,.1f}" for name in ("exact", "one", "three")),
            *(f"{row[f'{name}_ratio']:.2f}" for name in ("one", "three")),
        )
        for row in found["results"]
    ]
    head = ("model, scheme", "exact, CPU ms", "one level", "three levels", "ratio, one level", "ratio, three levels")
    return markdown(head, rows)
