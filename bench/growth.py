"""How cost grows: constraints, times and memory against neurons, features, slices and capacity, one varied at a time.

Networks are seeded, not trained: the cost of a proof depends on the shape alone. Set-up and proving run in a process
each. Constraints are counted; times, memory and key sizes follow them by straight lines, fitted by least squares of
relative errors over all points. Those lines are the constants of `prover/estimate.py`.
"""

from __future__ import annotations

import statistics
import tempfile
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from bench.harness import Progress, apart, machine, nothing, peak_megabytes, set_up
from bench.harness import table as markdown
from bench.seeded import network_of, spec_of
from equiproof.circuits.shape import Shape, traversal_shape
from equiproof.prover import KeyStore, Proven, Prover
from equiproof.prover.estimate import products
from equiproof.prover.opening import Opening

Points = Sequence[Mapping[str, Any]]

COSTS = {
    "setup_s": "set-up, s",
    "prove_s": "proof, s",
    "witness_s": "witness, s",
    "peak_mb": "peak memory of proving, MB",
    "key_mb": "proving key, MB",
}
"""The measurements of every point that follow its constraints by a straight line, with their labels."""


@dataclass(frozen=True)
class Sizes:
    """The sizes that determine a cost: n_x columns (and one sensitive column), S slices, hidden layers, K regions."""

    plain: int = 19
    slices: int = 2
    hidden: tuple[int, ...] = (4, 2)
    capacity: int = 32

    @property
    def shape(self) -> Shape:
        """The shape of these sizes."""
        return traversal_shape(spec_of(self.plain, self.slices), self.hidden, self.capacity)

    @property
    def opening(self) -> Opening:
        """A seeded model of these sizes."""
        spec = spec_of(self.plain, self.slices)
        return Opening.of(network_of(spec, self.hidden), spec, blinding=1)


BASE = Sizes()


@dataclass(frozen=True)
class Axis:
    """One size varied around the base.

    `value` is the horizontal axis of the figure. Constraints follow a + b `term` along the axis: exactly the terms that
    grow, up to the lengths of range checks, which grow with the logarithm of sizes.
    """

    name: str
    label: str
    points: tuple[Sizes, ...]
    value: Callable[[Sizes], int]
    term: Callable[[Sizes], int]
    law: str


def _products(sizes: Sizes) -> int:
    """Return the products of one region's forms, as `prover/estimate.py` counts them."""
    doubled = replace(sizes, capacity=2 * sizes.capacity)
    return (products(doubled.shape) - products(sizes.shape)) // sizes.capacity


def axes(
    wide: Iterable[int] = (2, 4, 8, 12, 16),
    square: Iterable[int] = (2, 3, 4, 6, 8),
    deep: Iterable[int] = (1, 2, 3, 4),
    plain: Iterable[int] = (5, 10, 19, 40, 80),
    slices: Iterable[int] = (2, 4, 8, 16, 30),
    capacity: Iterable[int] = (8, 32, 64, 128, 256, 512),
) -> tuple[Axis, ...]:
    """Return the axes with the values that each is measured at."""
    products = "a + b p, p the products of one region (docs/adr/0002)"
    return (
        Axis(
            "first layer", "neurons h of layer 1, layers (h, 2)",
            tuple(replace(BASE, hidden=(h, 2)) for h in wide), lambda s: s.hidden[0], _products,
            f"{products}: of order h^2",
        ),
        Axis(
            "both layers", "neurons h of each layer, layers (h, h)",
            tuple(replace(BASE, hidden=(h, h)) for h in square), lambda s: s.hidden[0], _products,
            f"{products}: of order h^4",
        ),
        Axis(
            "depth", "hidden layers of 4 neurons",
            tuple(replace(BASE, hidden=(4,) * d) for d in deep), lambda s: len(s.hidden), _products,
            f"{products}: of order d; values widen with depth, so range checks grow as well",
        ),
        Axis(
            "features", "non-sensitive columns n_x",
            tuple(replace(BASE, plain=n) for n in plain), lambda s: s.plain, lambda s: s.plain,
            "a + b n_x: a region is free of n_x",
        ),
        Axis(
            "slices", "slices S",
            tuple(replace(BASE, slices=s) for s in slices), lambda s: s.slices, lambda s: s.slices,
            "a + b S: centres, first-layer facets and the table",
        ),
        Axis(
            "capacity", "regions K",
            tuple(replace(BASE, capacity=k) for k in capacity), lambda s: s.capacity, lambda s: s.capacity,
            "a + b K",
        ),
    )  # fmt: skip


def run(
    _data_dir: Path | None,
    progress: Progress = nothing,
    *,
    varied: Sequence[Axis] | None = None,
    rounds: int = 5,
    suite: str = "growth",
) -> dict[str, Any]:
    """Measure every point of the axes, each distinct one once, with `rounds` proofs after one to warm up.

    Returns `machine`, `rounds`, `axes` (with `points` and the `law` of the constraints) and `lines`, the straight lines
    of all costs in the constraints.
    """
    varied = axes() if varied is None else varied
    distinct = list(dict.fromkeys(sizes for axis in varied for sizes in axis.points))
    measured = {}
    for done, sizes in enumerate(distinct, start=1):
        measured[sizes] = _measured(sizes, rounds)
        progress(done, len(distinct))
    return {
        "suite": suite,
        "machine": machine(),
        "rounds": rounds,
        "axes": [_curve(axis, measured) for axis in varied],
        "lines": {cost: _line(list(measured.values()), cost) for cost in COSTS},
    }


def _measured(sizes: Sizes, rounds: int) -> dict[str, Any]:
    """Measure one point."""
    with tempfile.TemporaryDirectory() as folder:
        costs = apart(set_up, folder, sizes.shape) | apart(_prove, folder, sizes, rounds)
    return asdict(sizes) | costs


def _prove(folder: str, sizes: Sizes, rounds: int) -> dict[str, Any]:
    """Prove in this process, once to warm up and then `rounds` times."""
    opening = sizes.opening
    row = {feature.name: 0 for feature in opening.spec.plain_features}
    with Prover(opening, KeyStore(Path(folder)).all()[0]) as prover:
        found = [prover.prove(row) for _ in range(1 + rounds)][1:]
    seconds = [proven.seconds for proven in found if isinstance(proven, Proven)]
    prove = [one["prove"] for one in seconds]
    return {
        "prove_s": statistics.median(prove),
        "prove_s_spread": [min(prove), max(prove)],
        "witness_s": statistics.median(one["witness"] for one in seconds),
        "peak_mb": peak_megabytes(),
    }


def _curve(axis: Axis, measured: Mapping[Sizes, Mapping[str, Any]]) -> dict[str, Any]:
    """Return the points of an axis, and the straight line of the law."""
    points = [{"value": axis.value(sizes), "term": axis.term(sizes), **measured[sizes]} for sizes in axis.points]
    counts = [point["constraints"] for point in points]
    base, slope, error = line([point["term"] for point in points], counts)
    return {
        "name": axis.name,
        "label": axis.label,
        "points": points,
        "law": {"text": axis.law, "a": base, "b": slope, "error": error},
    }


def _line(points: Sequence[Mapping[str, Any]], cost: str) -> dict[str, float]:
    """Return the straight line of a cost in the constraints, with its largest relative error."""
    base, slope, error = line([point["constraints"] for point in points], [point[cost] for point in points])
    return {"base": base, "per_constraint": slope, "error": error}


def line(terms: Sequence[float], costs: Sequence[float]) -> tuple[float, float, float]:
    """Return base and slope of the line through costs, and its largest relative error."""
    base, slope = fit(terms, costs)
    return base, slope, worst([base + slope * term for term in terms], costs)


def fit(terms: Sequence[float], costs: Sequence[float]) -> tuple[float, float]:
    """Return base and slope of the line that minimises the sum of squared relative errors."""
    found = np.asarray(costs, dtype=float)
    system = np.column_stack([1 / found, np.asarray(terms, dtype=float) / found])
    base, slope = np.linalg.lstsq(system, np.ones(len(found)), rcond=None)[0]
    return float(base), float(slope)


def worst(predicted: Sequence[float], found: Sequence[float]) -> float:
    """Return the largest relative error."""
    return max(abs(one - other) / other for one, other in zip(predicted, found, strict=True))


def table(results: Mapping[str, Any]) -> str:
    """Write the points, the laws of the constraints and the lines of the costs as Markdown."""
    points = [
        (axis["label"], str(point["value"]), f"{point['constraints']:,}", *(f"{point[cost]:.3g}" for cost in COSTS))
        for axis in results["axes"]
        for point in axis["points"]
    ]
    laws = [
        (axis["name"], law["text"], f"{law['a']:,.0f}", f"{law['b']:,.4g}", f"{law['error']:.1%}")
        for axis in results["axes"]
        for law in (axis["law"],)
    ]
    lines = [
        (COSTS[cost], f"{line['base']:.3g}", f"{1000 * line['per_constraint']:.3g}", f"{line['error']:.0%}")
        for cost, line in results["lines"].items()
    ]
    parts = (
        markdown(("varied", "value", "constraints", *COSTS.values()), points),
        "Constraints by straight lines, fitted along each axis:",
        markdown(("varied", "constraints", "a", "b", "largest error"), laws),
        "Other costs by straight lines over all points:",
        markdown(("cost", "base", "per 1,000 constraints", "largest error"), lines),
    )
    return "\n\n".join(parts)


def plot(results: Mapping[str, Any], path: Path) -> None:
    """Draw constraints, times and memory against what is varied, one column per axis, into an SVG file."""
    draw(path, [(axis["label"], axis["points"]) for axis in results["axes"]], COSTS)


def draw(path: Path, columns: Sequence[tuple[str, Points]], costs: Mapping[str, str]) -> None:
    """Draw constraints, and `costs` by their unit, against the values of each column's points, into an SVG file."""
    from bench.drawing import figure

    def in_unit(end: str) -> dict[str, str]:
        return {cost: label for cost, label in costs.items() if cost.endswith(end)}

    rows = (
        ("constraints", "linear", {"constraints": "counted"}),
        ("seconds, logarithmic", "log", in_unit("_s")),
        ("MB", "linear", in_unit("_mb")),
    )
    with figure(path, len(rows), len(columns)) as panels:
        for column, (varied, points) in enumerate(columns):
            values = [point["value"] for point in points]
            for panel, (label, scale, shown) in zip(panels[:, column], rows, strict=True):
                for cost, name in shown.items():
                    panel.plot(values, [point[cost] for point in points], "o-", label=name)
                panel.set_yscale(scale)
                if scale == "linear":
                    panel.set_ylim(bottom=0)
                panel.set_xlabel(varied)
                panel.set_ylabel(label)
                if column == 0:
                    panel.legend(fontsize="small")
