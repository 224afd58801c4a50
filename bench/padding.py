"""What padding to a standard shape costs: constraints, times and keys of the exact shape and of the padded one.

Networks are seeded, not trained: costs depend on the shape alone. Both are searched around the same random queries, and
radius and leaves are compared. Set-up and proving run in a process each, after one proof to warm up; for the largest
shapes they are estimated from the constraints, which are counted.
"""

from __future__ import annotations

import random
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from bench.branch.proofs import Found, prove_all, summary
from bench.harness import Progress, machine, nothing, spread
from bench.harness import table as markdown
from bench.seeded import network_of, spec_of
from equiproof.certify.traversal.search import Counterexample
from equiproof.circuits.shape import Shape, branch_shape
from equiproof.circuits.standard import CATALOGUE, StandardShape
from equiproof.prover.estimate import estimate
from equiproof.prover.evidence import find_evidence
from equiproof.prover.opening import Opening
from equiproof.prover.padding import pad

CAPACITY = 8
SLICES = 2


LARGEST = 64
"""Models of more hidden neurons than these are not proven: their set-ups alone take minutes."""


Side = tuple[Opening, Shape]
"""A model with the shape that it is proven in."""


class Padded(Protocol):
    """A model with the standard shape that it is padded to."""

    @property
    def plain(self) -> int:
        """How many columns the model has beside the sensitive one."""

    @property
    def name(self) -> str:
        """The sizes of the model, as the table names them."""

    @property
    def standard(self) -> str:
        """The name of the standard shape."""

    @property
    def is_proven(self) -> bool:
        """Whether keys and proofs are made, not estimated."""

    def sides(self) -> tuple[Side, Side]:
        """Return the model in its exact shape and in the standard one."""


@dataclass(frozen=True)
class Case:
    """A model of so many columns and neurons, and the standard shape that it is padded to."""

    plain: int
    hidden: tuple[int, ...]
    shape: StandardShape

    @property
    def name(self) -> str:
        """The sizes of the model, as the table names them."""
        return f"{self.plain} + 1 columns, {self.hidden}"

    @property
    def is_proven(self) -> bool:
        """Whether keys and proofs are made, not estimated."""
        return sum(self.hidden) <= LARGEST

    @property
    def standard(self) -> str:
        """The name of the standard shape."""
        return self.shape.name

    def sides(self) -> tuple[Side, Side]:
        """Return the model in its exact shape and in the standard one."""
        spec = spec_of(self.plain, SLICES)
        own = network_of(spec, self.hidden)
        exact, padded = Opening.of(own, spec, blinding=1), Opening.of(*pad(own, spec, self.shape), blinding=1)
        shapes = [branch_shape(one.spec, one.network.hidden, CAPACITY) for one in (exact, padded)]
        return (exact, shapes[0]), (padded, shapes[1])


CASES = tuple(
    Case(plain, hidden, shape)
    for (plain, hidden), shape in zip(
        ((12, (4, 2)), (19, (16, 8)), (48, (16, 8)), (19, (32, 16)), (61, (64, 32)), (61, (100, 50))),
        CATALOGUE,
        strict=True,
    )
)
"""One model for each standard shape: columns of the public data sets, ranked or one-hot."""


def run(
    _data_dir: Path | None, progress: Progress = nothing, *, cases: Sequence[Case] = CASES, queries: int = 3
) -> dict[str, Any]:
    """Measure every case, exact and padded, at `queries` random queries."""
    return measured("padding", cases, queries, progress)


def measured(suite: str, cases: Sequence[Padded], queries: int, progress: Progress) -> dict[str, Any]:
    """Measure every case of a suite, exact and padded, at `queries` random queries."""
    results = []
    for done, case in enumerate(cases, start=1):
        results.append(_measured(case, queries))
        progress(done, len(cases))
    return {"suite": suite, "machine": machine(), "capacity": CAPACITY, "queries": queries, "results": results}


def _measured(case: Padded, queries: int) -> dict[str, Any]:
    """Measure one model in both shapes."""
    drawn = random.Random(1)  # noqa: S311 - queries for a benchmark
    rows = [{f"x{i}": str(drawn.randint(-2000, 2000) / 1000) for i in range(case.plain)} for _ in range(queries)]
    both = zip(("exact", "padded"), case.sides(), strict=True)
    sides = {name: _measured_side(*side, rows, proven=case.is_proven) for name, side in both}
    found = [side.pop("found") for side in sides.values()]
    return {
        "case": case.name,
        "standard": case.standard,
        "proven": case.is_proven,
        "same": sum(one == other for one, other in zip(*found, strict=True)),
        **sides,
    }


def _measured_side(
    opening: Opening, shape: Shape, rows: Sequence[Mapping[str, str]], *, proven: bool
) -> dict[str, Any]:
    """Search and prove all rows with one opening; `found` has the squared radius and leaves of each.

    Raises TypeError for a model that the sensitive columns sway.
    """
    seconds, known = list[float](), list[Found]()
    for row in rows:
        begun, query = time.perf_counter(), opening.spec.encode(row)
        searched = find_evidence(opening, shape, query, None, None)
        seconds.append(time.perf_counter() - begun)
        if isinstance(searched, Counterexample):
            raise TypeError("want a seeded model without weight on sensitive columns, so that no query is unfair")
        known.append((query, searched.evidence))
    costs = _proven(opening, shape, known) if proven else _estimated(shape)
    found = [(evidence.radius_squared, evidence.size) for _, evidence in known]
    return costs | spread("search_s", seconds, 3) | {"found": found}


def _proven(opening: Opening, shape: Shape, known: Sequence[Found]) -> dict[str, Any]:
    """Make a key and prove all evidence under it."""
    with tempfile.TemporaryDirectory() as folder:
        return summary(prove_all(opening, shape, known, Path(folder)))


def _estimated(shape: Shape) -> dict[str, Any]:
    """Count the constraints of a shape, and estimate what they cost."""
    cost = estimate(shape)
    return {
        "constraints": cost.constraints,
        "setup_s": round(cost.setup_seconds, 2),
        "prove_s": round(cost.prove_seconds, 4),
        "peak_mb": round(cost.prove_megabytes, 1),
        "key_mb": round(cost.key_megabytes, 2),
    }


def table(found: Mapping[str, Any]) -> str:
    """Write one line per model: each cost exact, padded, and as a ratio of constraints."""
    rows = []
    for row in found["results"]:
        sides = row["exact"], row["padded"]
        ratio = sides[1]["constraints"] / sides[0]["constraints"]
        rows.append(
            (
                row["case"] if row["proven"] else f"{row['case']}, estimated",
                row["standard"],
                _both(sides, "constraints", ","),
                f"{ratio:.2f}",
                _both(sides, "setup_s", ".1f"),
                _both(sides, "prove_s", ".2f"),
                _both(sides, "peak_mb", ",.0f"),
                _both(sides, "key_mb", ".1f"),
                _both(sides, "search_s", ".2f"),
                f"{row['same']} of {found['queries']}",
            )
        )
    return markdown(
        (
            "model", "standard shape", "constraints", "ratio", "set-up, s", "prove, s", "memory, MB", "key, MB",
            "search, s", "same radius and leaves",
        ),
        rows,
    )  # fmt: skip


def _both(sides: Sequence[Mapping[str, Any]], name: str, form: str) -> str:
    """Write a figure of the exact and of the padded shape."""
    return " / ".join(f"{side[name]:{form}}" for side in sides)
