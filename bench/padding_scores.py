"""What padding of additive models and ensembles to a standard shape costs; :mod:`bench.padding` has networks.

Models are seeded, not trained: costs depend on the shape alone. Exact and padded shape have the room of the standard
one: its slots and rows. Both models are searched around the same random queries with that room.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bench.harness import Progress, nothing
from bench.padding import CAPACITY, SLICES, Side, measured, table
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

    @property
    def standard(self) -> str:
        """The name of the standard shape."""
        return self.shape.name

    def sides(self) -> tuple[Side, Side]:
        """Return the model in its exact shape, with the standard one's slots and rows, and in the standard one."""
        spec = spec_of(self.plain, SLICES)
        own = score_of(spec, self.thresholds, self.nodes)
        exact, padded = Opening.of(own, spec, blinding=1), Opening.of(*pad_score(own, spec, self.shape), blinding=1)
        return (exact, _exact(own, spec, self.shape)), (padded, self.shape.shape(spec, CAPACITY))


def _exact(own: ScoredModel, spec: Spec, room: StandardScore) -> Shape:
    """Return the exact shape of a model, with a standard shape's slots and rows."""
    if isinstance(own, EnsembleModel):
        return ensemble_shape(spec, own.predicates, own.nodes.sizes, room.slots, room.rows, CAPACITY)
    return additive_shape(spec, own.predicates, room.slots, CAPACITY)


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
"""One model for each standard shape; ensembles have the sizes of those trained on Adult for the suite `ensembles`."""


def run(
    _data_dir: Path | None, progress: Progress = nothing, *, cases: Sequence[Case] = CASES, queries: int = 3
) -> dict[str, Any]:
    """Measure every case, exact and padded, at `queries` random queries."""
    return measured("padding-scores", cases, queries, progress)
