"""How the cost of scheme `trees` grows: constraints, times and memory against sizes of the model and of the key.

As :mod:`bench.growth`, which measures and fits: one size is varied at a time. A proof's cost depends on the shape
alone; seeded models are decided by their bias, so that evidence is one leaf and the search takes no time.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from bench import growth
from bench.growth import Axis, plot, table
from bench.harness import Progress, nothing
from bench.seeded import spec_of
from equiproof.certify.additive import AdditiveModel
from equiproof.circuits.shape import Shape, additive_shape
from equiproof.circuits.spec import Spec
from equiproof.prover.opening import Opening

__all__ = ["BASE", "Sizes", "additive_of", "axes", "plot", "run", "table"]


@dataclass(frozen=True)
class Sizes(growth.Sizes):
    """The sizes of scheme `trees`: (P_x, P_s) predicates, V slots and K leaves."""

    hidden: tuple[int, ...] = ()
    predicates: tuple[int, int] = (80, 4)
    slots: int = 40
    capacity: int = 16

    @property
    def shape(self) -> Shape:
        """The shape of these sizes."""
        return additive_shape(spec_of(self.plain, self.slices), self.predicates, self.slots, self.capacity)

    @property
    def opening(self) -> Opening:
        """A seeded model of these sizes."""
        spec = spec_of(self.plain, self.slices)
        return Opening.of(additive_of(spec, self.predicates), spec, blinding=1)


BASE = Sizes()


def additive_of(spec: Spec, predicates: tuple[int, int]) -> AdditiveModel:
    """Return a model whose predicates are the same every time, and whose bias outweighs all jumps."""
    rng = random.Random(0)  # noqa: S311 - thresholds for a benchmark
    drawn: dict[tuple[int, int], int] = {}
    for count, first, columns in zip(predicates, (0, spec.plain_columns), _columns(spec), strict=True):
        size = len(drawn) + count
        while len(drawn) < size:
            drawn[first + rng.randrange(columns), round(rng.gauss(0, spec.scale_unit))] = rng.randrange(-100, 100)
    places = sorted(drawn)
    return AdditiveModel(
        columns=tuple(column for column, _ in places),
        thresholds=tuple(threshold for _, threshold in places),
        jumps=tuple(drawn[place] for place in places),
        bias=1 + sum(map(abs, drawn.values())),
        plain=spec.plain_columns,
        sensitive=spec.sensitive_columns,
        input_fraction_bits=spec.input_fraction_bits,
    )


def axes(
    predicates: Sequence[int] = (40, 80, 160, 320, 640),
    slots: Sequence[int] = (10, 20, 40, 80),
    capacity: Sequence[int] = (1, 4, 16, 32, 64),
    plain: Sequence[int] = (5, 10, 19, 40, 80),
    slices: Sequence[int] = (2, 4, 8, 16, 30),
) -> tuple[Axis, ...]:
    """Return the axes with the values that each is measured at."""
    return (
        Axis(
            "predicates", "predicates P_x",
            tuple(replace(BASE, predicates=(count, 4)) for count in predicates),
            lambda s: s.shape.architecture.predicate_counts[0], lambda s: s.shape.architecture.predicate_counts[0],
            "a + b P_x: the commitment and where the query lies",
        ),
        Axis(
            "slots", "slots V, K = 16", tuple(replace(BASE, slots=count) for count in slots),
            lambda s: s.shape.slot_count, lambda s: s.shape.slot_count, "a + b V: a leaf has as many signs",
        ),
        Axis(
            "leaves", "leaves K, V = 40", tuple(replace(BASE, capacity=count) for count in capacity),
            lambda s: s.capacity, lambda s: s.capacity, "a + b K",
        ),
        Axis(
            "features", "non-sensitive columns n_x", tuple(replace(BASE, plain=count) for count in plain),
            lambda s: s.plain, lambda s: s.plain, "a + b n_x: the query and its commitment",
        ),
        Axis(
            "slices", "slices S", tuple(replace(BASE, slices=count) for count in slices),
            lambda s: s.slices, lambda s: s.slices, "a + b S: the sensitive sum of every slice",
        ),
    )  # fmt: skip


def run(
    data_dir: Path | None, progress: Progress = nothing, *, varied: Sequence[Axis] | None = None, rounds: int = 5
) -> dict[str, Any]:
    """Measure as :func:`bench.growth.run`."""
    chosen = axes() if varied is None else varied
    return growth.run(data_dir, progress, varied=chosen, rounds=rounds, suite="additive-growth")


def _columns(spec: Spec) -> tuple[int, int]:
    """Return the numbers of plain and of sensitive columns."""
    return spec.plain_columns, spec.sensitive_columns
