"""What padding of additive models and ensembles to a standard shape costs; :mod:`bench.padding` has networks.

Models are seeded, not trained: costs depend on the shape alone. Exact and padded shape have the room of the standard
one: its slots and rows. Both models are searched around the same random queries with that room.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bench.harness import Progress, machine, nothing
from bench.padding import CAPACITY, SLICES, measured_side, table
from bench.seeded import score_of, spec_of
from equiproof.certify.ensemble import EnsembleModel, ScoredModel
from equiproof.circuits.shape import Shape, additive_shape, ensemble_shape
from equiproof.circuits.spec import Spec
from equiproof.circuits.standard_scores import CATALOGUE, StandardScore
from equiproof.prover.opening import Opening
from equiproof.prover.padding import pad_score

__all__ = ["CASES", "Case", "run", "table"]

LARGEST = 1024
"""Models with more splits than these are not proven: their set-ups alone take minutes."""


@dataclass(frozen=True)
class Case:
    """A model of so many columns, thresholds, trees and splits, and the standard shape that it is padded to."""

    plain: int
    thresholds: int
    shape: StandardScore
    nodes: tuple[int, int] | None = None

    @property
    def name(self) -> str:
        """The sizes of the model, as the table names them."""
        trees = "" if self.nodes is None else "; {} trees, {:,} splits".format(*self.nodes)
        return f"{self.plain} + 1 columns, {self.thresholds} + 1 thresholds{trees}"

    @property
    def is_proven(self) -> bool:
        """Whether keys and proofs are made, not estimated."""
        return self.nodes is None or self.nodes[1] <= LARGEST


CASES = tuple(
    Case(plain, thresholds, shape, nodes)
    for (plain, thresholds, nodes), shape in zip(
        (
            (12, 50, None), (19, 200, None), (48, 640, None),
            (19, 145, (100, 695)), (19, 237, (200, 1376)), (61, 629, (300, 11748)),
        ),
        CATALOGUE,
        strict=True,
    )
)  # fmt: skip
"""One model for each standard shape; ensembles have the sizes of those trained on Adult (bench.research.ensembles)."""


def run(
    _data_dir: Path | None, progress: Progress = nothing, *, cases: Sequence[Case] = CASES, queries: int = 3
) -> dict[str, Any]:
    """Measure every case, exact and padded, at `queries` random queries."""
    results = []
    for done, case in enumerate(cases, start=1):
        results.append(_measured(case, queries))
        progress(done, len(cases))
    return {"suite": "padding-scores", "machine": machine(), "capacity": CAPACITY, "queries": queries,
            "results": results}  # fmt: skip


def _measured(case: Case, queries: int) -> dict[str, Any]:
    """Measure one model in both shapes."""
    spec = spec_of(case.plain, SLICES)
    own = score_of(spec, case.thresholds, case.nodes)
    exact, padded = Opening.of(own, spec, blinding=1), Opening.of(*pad_score(own, spec, case.shape), blinding=1)
    drawn = random.Random(1)  # noqa: S311 - queries for a benchmark
    rows = [{f"x{i}": str(drawn.randint(-2000, 2000) / 1000) for i in range(case.plain)} for _ in range(queries)]
    shapes = shape_of(own, spec, case.shape), case.shape.shape(spec, CAPACITY)
    sides = {
        name: measured_side(opening, shape, rows, proven=case.is_proven)
        for name, opening, shape in zip(("exact", "padded"), (exact, padded), shapes, strict=True)
    }
    found = [side.pop("found") for side in sides.values()]
    return {
        "case": case.name,
        "standard": case.shape.name,
        "proven": case.is_proven,
        "same": sum(one == other for one, other in zip(*found, strict=True)),
        **sides,
    }


def shape_of(own: ScoredModel, spec: Spec, room: StandardScore) -> Shape:
    """Return the exact shape of a model, with a standard shape's slots and rows."""
    if isinstance(own, EnsembleModel):
        return ensemble_shape(spec, own.predicates, own.nodes.sizes, room.slots, room.rows, CAPACITY)
    return additive_shape(spec, own.predicates, room.slots, CAPACITY)
