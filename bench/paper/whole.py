"""Every case and variant of the paper's evaluation, with its tables and figures."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from bench.harness import Progress, machine, nothing
from bench.paper import plots, tables
from bench.paper.cases import CASES, Case
from bench.paper.measure import DEFAULT_POINTS, Question, measure


def run(
    data_dir: Path | None,
    progress: Progress = nothing,
    *,
    cases: Sequence[Case] = tuple(CASES.values()),
    points: int = DEFAULT_POINTS,
) -> dict[str, Any]:
    """Measure every case, unfair and fair."""
    questions = [Question(case, variant, points) for case in cases for variant in ("unfair", "fair")]
    own, results = machine(), []
    for question in questions:
        found = measure(question, data_dir)
        results.append({name: value for name, value in found.items() if name not in own})
        progress(len(results), len(questions))
    return {"suite": "paper", "results": results, "machine": own}


def _of_results(block: Callable[[Any], str]) -> Callable[[Mapping[str, Any]], str]:
    return lambda found: block(found["results"])


def _drawn(draw: Callable[[Any, Path], None]) -> Callable[[Mapping[str, Any], Path], None]:
    return lambda found, path: draw(found["results"], path)


BLOCKS = {
    name: _of_results(block)
    for name, block in (
        ("side-by-side", tables.side_by_side),
        ("race", tables.race),
        ("costs", tables.costs),
        ("radii", tables.radii),
        ("beyond", tables.beyond),
        ("sizes", tables.sizes),
    )
}
FIGURES = {
    name: _drawn(draw)
    for name, draw in (("times", plots.times), ("spread", plots.distributions), ("radii", plots.histograms))
}
