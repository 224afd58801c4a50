"""How the cost of scheme `branch` grows: constraints, times and memory against neurons, features, slices and leaves.

As :mod:`bench.growth`: seeded networks, one size varied at a time. A certificate's cost depends on the shape alone;
the cost of a search depends on network and query, so it is the median over some random queries. Constraints follow a
straight line in one term along each axis; proving and set-up follow straight lines in the constraints, over all points,
and the search one in its work: programs solved, times the weights that each goes through.
"""

from __future__ import annotations

import random
import statistics
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import Any

from bench import growth
from bench.branch.points import Task, branched
from bench.branch.proofs import prove_all, summary
from bench.growth import COSTS, draw, line
from bench.harness import BenchError
from bench.harness import table as markdown
from bench.parts import BaseQuestion, Options, Plan, side_by_side
from bench.seeded import network_of, spec_of
from equiproof.circuits.layout import layout
from equiproof.circuits.shape import Shape, branch_shape
from equiproof.prover.opening import Opening


@dataclass(frozen=True)
class Sizes(growth.Sizes):
    """The sizes of scheme `branch`: larger networks and fewer leaves."""

    hidden: tuple[int, ...] = (16, 8)
    capacity: int = 16

    @property
    def shape(self) -> Shape:
        """The shape of these sizes."""
        return branch_shape(spec_of(self.plain, self.slices), self.hidden, self.capacity)

    @property
    def wires(self) -> int:
        """The private wires of the shape."""
        return sum(length for _, length in layout(self.shape))

    @property
    def weights(self) -> int:
        """The weights of the network."""
        return sum(below * above for below, above in pairwise((self.plain + 1, *self.hidden, 1)))


BASE = Sizes()


@dataclass(frozen=True)
class Axis:
    """One size varied around the base: `value` is drawn from left to right; constraints follow a + b `term`."""

    label: str
    points: tuple[Sizes, ...]
    value: Callable[[Sizes], int]
    term: Callable[[Sizes], int]
    law: str


def _wires(sizes: Sizes) -> int:
    return sizes.wires


AXES: Mapping[str, Axis] = {
    "first-layer": Axis(
        "neurons h of layer 1, layers (h, 8)",
        tuple(replace(BASE, hidden=(h, 8)) for h in (4, 8, 16, 32, 64)),
        lambda s: s.hidden[0], lambda s: s.hidden[0], "a + b h",
    ),
    "both-layers": Axis(
        "neurons h of each layer, layers (h, h)",
        tuple(replace(BASE, hidden=(h, h)) for h in (4, 8, 16, 32, 48)),
        lambda s: s.hidden[0], _wires, "a + b w, w the private wires: of order h^2",
    ),
    "depth": Axis(
        "hidden layers of 8 neurons",
        tuple(replace(BASE, hidden=(8,) * d) for d in (1, 2, 3, 4)),
        lambda s: len(s.hidden), _wires,
        "a + b w: of order d^2, as every layer's bounds go through all below; values widen with depth",
    ),
    "features": Axis(
        "non-sensitive columns n_x",
        tuple(replace(BASE, plain=n) for n in (5, 10, 19, 40, 80)),
        lambda s: s.plain, lambda s: s.plain, "a + b n_x: each pass ends with n_x coefficients",
    ),
    "slices": Axis(
        "slices S",
        tuple(replace(BASE, slices=s, capacity=32) for s in (2, 4, 8, 16, 30)),
        lambda s: s.slices, lambda s: s.slices, "a + b S, K = 32: bounds of every slice",
    ),
    "leaves": Axis(
        "leaves K",
        tuple(replace(BASE, capacity=k) for k in (4, 8, 16, 32, 64, 128)),
        lambda s: s.capacity, lambda s: s.capacity, "a + b K",
    ),
}  # fmt: skip


@dataclass(frozen=True)
class Question(BaseQuestion):
    """`points` random queries searched at each point of an axis, and `proofs` proofs of one of them."""

    points: int = 5
    seconds: float = 20.0
    jobs: int = 1
    proofs: int = 3
    axes: tuple[str, ...] = tuple(AXES)


def plan(_data_dir: Path | None, options: Options, question: Question | None = None) -> Plan:
    """Return a part for every axis."""
    asked = options.of(question or Question())
    return Plan(asked.as_data("axes"), {name: partial(measured, AXES[name], asked) for name in asked.axes})


def measured(axis: Axis, question: Question) -> dict[str, Any]:
    """Measure every point of an axis, and fit its law."""
    points = [_point(sizes, question) | {"value": axis.value(sizes), "term": axis.term(sizes)} for sizes in axis.points]
    terms, counts = [point["term"] for point in points], [point["constraints"] for point in points]
    base, slope, error = line(terms, counts)
    return {"points": points, "law": {"a": base, "b": slope, "error": error}}


def _point(sizes: Sizes, question: Question) -> dict[str, Any]:
    """Search around random queries, and prove the first fair one; raises BenchError if no query is fair."""
    spec = spec_of(sizes.plain, sizes.slices)
    network = network_of(spec, sizes.hidden)
    rng = random.Random(question.seed)  # noqa: S311 - queries for a benchmark
    unit = 1 << spec.input_fraction_bits
    queries = [tuple(round(rng.gauss(0, unit)) for _ in range(sizes.plain)) for _ in range(question.points)]
    tasks = [Task(network, spec, query, sizes.capacity, question.seconds) for query in queries]
    found = side_by_side(branched, tasks, question.jobs)
    fair = [(query, one) for query, one in zip(queries, found, strict=True) if one is not None]
    if not fair:
        raise BenchError(f"{sizes}: no query is decided")
    opening = Opening.of(network, spec, blinding=1)
    with tempfile.TemporaryDirectory() as folder:
        asked = [(query, one.evidence) for query, one in fair[:1]] * question.proofs
        proven = summary(prove_all(opening, sizes.shape, asked, Path(folder)))
    return {
        **asdict(sizes),
        "wires": sizes.wires,
        **{name: proven[name] for name in ("constraints", *COSTS, "check_ms", "proof_bytes")},
        "prove_s_spread": [proven["prove_s_q1"], proven["prove_s_max"]],
        "certify_s": statistics.median(one.seconds for _, one in fair),
        "leaves": statistics.median(one.leaves for _, one in fair),
        "work": statistics.median(one.programs * sizes.weights for _, one in fair),
    }


def lines(results: Mapping[str, Any]) -> dict[str, dict[str, float]]:
    """Return the straight lines of all costs in the constraints and of the search in its work, with largest errors."""
    points = [point for part in results["parts"].values() for point in part["points"]]
    return {
        **{cost: _line(points, "constraints", cost) for cost in COSTS},
        "certify_s": _line([point for point in points if point["work"]], "work", "certify_s"),
    }


def _line(points: Sequence[Mapping[str, Any]], term: str, cost: str) -> dict[str, float]:
    """Return the straight line of a cost in a term, with its largest relative error."""
    base, slope, error = line([point[term] for point in points], [point[cost] for point in points])
    return {"base": base, "slope": slope, "error": error}


def table(results: Mapping[str, Any]) -> str:
    """Write the points, the laws of the constraints and the lines of the costs as Markdown."""
    shown = {"certify_s": "search, s", "leaves": "leaves found", **COSTS, "check_ms": "check, ms"}
    points = [
        (AXES[name].label, str(point["value"]), f"{point['constraints']:,}", *(f"{point[cost]:.3g}" for cost in shown))
        for name, part in results["parts"].items()
        for point in part["points"]
    ]
    laws = [
        (AXES[name].label, AXES[name].law, f"{law['a']:,.0f}", f"{law['b']:,.4g}", f"{law['error']:.1%}")
        for name, part in results["parts"].items()
        for law in (part["law"],)
    ]
    named = COSTS | {"certify_s": "search, s"}
    terms = dict.fromkeys(COSTS, "1,000 constraints") | {"certify_s": "million of programs times weights"}
    costs = [
        (named[cost], f"{found['base']:.3g}", f"{found['slope'] * (1e6 if cost == 'certify_s' else 1e3):.3g}",
         terms[cost], f"{found['error']:.0%}")
        for cost, found in lines(results).items()
    ]  # fmt: skip
    parts = (
        markdown(("varied", "value", "constraints", *shown.values()), points),
        "Constraints by straight lines, fitted along each axis:",
        markdown(("varied", "constraints", "a", "b", "largest error"), laws),
        "Other costs by straight lines over all points:",
        markdown(("cost", "base", "slope", "per", "largest error"), costs),
        _proofs(results),
    )
    return "\n\n".join(parts)


def _proofs(results: Mapping[str, Any]) -> str:
    """Write one sentence on the proofs and their checks over all sizes."""
    every = [point for part in results["parts"].values() for point in part["points"]]
    counts, checks = [point["constraints"] for point in every], [point["check_ms"] for point in every]
    return (
        f"From {min(counts):,} to {max(counts):,} constraints a proof has "
        f"{max(point['proof_bytes'] for point in every)} bytes, and its check takes {min(checks):.1f} to "
        f"{max(checks):.1f} ms."
    )


def plot(results: Mapping[str, Any], path: Path) -> None:
    """Draw constraints, times and memory against what is varied, a column per axis, into an SVG file."""
    columns = [(AXES[name].label, part["points"]) for name, part in results["parts"].items()]
    draw(path, columns, COSTS | {"certify_s": "search, s"})
