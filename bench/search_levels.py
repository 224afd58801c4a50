"""What the search of a certificate takes at levels, beside the exact one: processor seconds of the same applicants.

Models are trained on the built-in lending data, and its test rows apply. Each fair one is searched for the exact
radius, at one level, and at three, in this order in one process; levels are the radii that nine, five and three in
ten of them reach, as drafts choose them.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from msgspec.structs import replace

from bench.harness import BenchError, Progress, machine, nothing
from bench.harness import table as markdown
from equiproof.certify.data import load
from equiproof.certify.data.dataset import Dataset
from equiproof.certify.ensemble import EnsembleModel, ScoredModel
from equiproof.certify.models.ensembles.quantise import quantise_score
from equiproof.certify.models.ensembles.training import train_additive
from equiproof.certify.models.quantise import quantise
from equiproof.certify.models.training import train
from equiproof.certify.traversal.search import Counterexample
from equiproof.circuits.shape import Shape, additive_shape, branch_shape, ensemble_shape, traversal_shape
from equiproof.circuits.spec import Spec, checked
from equiproof.circuits.units import length
from equiproof.prover.evidence import find_evidence
from equiproof.prover.opening import Opening

QUERIES = 20
PLACES = (0.1, 0.5, 0.7)
"""Where in the ascending radii of the applicants the levels stand."""

CAPACITY = 16
SLOTS, ROWS = 64, 512


class Case(NamedTuple):
    """A model, and the shape in which it is searched."""

    name: str
    opening: Opening
    shape: Shape


def cases(data: Dataset) -> list[Case]:
    """Return trained models: networks, of which one is searched by both schemes, a scorecard, and trees."""
    spec = data.spec
    found: list[Case] = []
    for hidden in ((4, 2), (8, 4)):
        opening = Opening.of(quantise(train(data, hidden)[0], spec), spec, 1)
        if not found:
            found.append(Case(f"network {hidden}, `traversal`", opening, traversal_shape(spec, hidden, CAPACITY)))
        found.append(Case(f"network {hidden}, `branch`", opening, branch_shape(spec, hidden, CAPACITY)))
    for name, model, rounds, depth in (
        ("scorecard of 100 stumps", "scorecard", 100, 1),
        ("50 trees of depth 3", "boosting", 50, 3),
    ):
        score = quantise_score(train_additive(data, model, rounds=rounds, depth=depth)[0], spec)
        found.append(Case(f"{name}, `trees`", Opening.of(score, spec, 1), _shape(score, spec)))
    return found


def _shape(score: ScoredModel, spec: Spec) -> Shape:
    """Return the shape of a score with the usual room, or as much as it can use."""
    slots = min(SLOTS, score.predicates[0])
    if isinstance(score, EnsembleModel):
        sizes = score.nodes.sizes
        return ensemble_shape(spec, score.predicates, sizes, slots, min(ROWS, sizes[1]), CAPACITY)
    return additive_shape(spec, score.predicates, slots, CAPACITY)


def run(
    _data_dir: Path | None = None,
    progress: Progress = nothing,
    *,
    searched: Sequence[Case] | None = None,
    queries: int = QUERIES,
) -> dict[str, Any]:
    """Measure every model on the first `queries` test rows that are fair under it."""
    data = load("lending")
    listed = cases(data) if searched is None else searched
    rows = [data.rows[place] for place in data.test]
    results = []
    for done, case in enumerate(listed, start=1):
        results.append(_measured(case, [data.spec.encode(row) for row in rows], queries))
        progress(done, len(listed))
    return {"suite": "search-levels", "machine": machine(), "queries": queries, "results": results}


def _measured(case: Case, applicants: Sequence[tuple[int, ...]], queries: int) -> dict[str, Any]:
    """Search fair applicants exactly, at one level and at three; ratios are those of single applicants.

    Raises BenchError where too few are fair, or where radii are too much alike for three levels.
    """
    fair: dict[tuple[int, ...], int] = {}
    for query in applicants:
        found = _search(case.opening, case.shape, query)
        if found is not None:
            fair[query] = found[1]
        if len(fair) == queries:
            break
    radii = sorted(fair.values())
    texts = [f"{length(case.opening.spec, radii[int(place * len(radii))]):.6f}" for place in PLACES]
    if len(fair) < queries or len({text for text in texts if float(text)}) < len(PLACES):
        raise BenchError(f"{case.name}: want {queries} fair rows of different radii, not {len(fair)} with {texts}")
    sides = {
        "exact": case.opening,
        "one": _at(case.opening, texts[:1]),
        "three": _at(case.opening, texts),
    }
    seconds = {name: list[float]() for name in sides}
    for query in fair:
        for name, opening in sides.items():
            seconds[name].append(_seconds(opening, case.shape, query))
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


def _seconds(opening: Opening, shape: Shape, query: Sequence[int]) -> float:
    """Return the processor seconds of the search for a fair applicant."""
    found = _search(opening, shape, query)
    if found is None:
        raise AssertionError("who is fair at the exact radius is fair at every level")
    return found[0]


def _search(opening: Opening, shape: Shape, query: Sequence[int]) -> tuple[float, int] | None:
    """Return the processor seconds of a search and the squared radius, None for an unfair applicant."""
    begun = time.process_time()
    found = find_evidence(opening, shape, query, None, None)
    seconds = time.process_time() - begun
    return None if isinstance(found, Counterexample) else (seconds, found.evidence.radius_squared)


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
