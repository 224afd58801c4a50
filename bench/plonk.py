"""Both proof systems on six shapes of scheme `branch`: what each costs for the same certificate.

Networks are seeded, not trained: the cost of a proof depends on the shape alone. Set-up and proving run in a process
each, one after the other.
"""

from __future__ import annotations

import random
import tempfile
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import Any

from bench.branch.points import Task, branched
from bench.branch.proofs import prove_all, summary
from bench.harness import BenchError
from bench.harness import table as markdown
from bench.parts import BaseQuestion, Options, Plan
from bench.seeded import network_of, spec_of
from equiproof.circuits.proof_systems import PROOF_SYSTEMS
from equiproof.circuits.shape import Shape, branch_shape
from equiproof.prover.opening import Opening


@dataclass(frozen=True)
class Sizes:
    """Non-sensitive columns (and one sensitive column of two values), hidden layers, and leaves."""

    plain: int
    hidden: tuple[int, ...]
    capacity: int

    @property
    def name(self) -> str:
        """The part's name."""
        return f"{self.plain}-{'x'.join(map(str, self.hidden))}-{self.capacity}"

    @property
    def shape(self) -> Shape:
        """The shape of these sizes."""
        return branch_shape(spec_of(self.plain, 2), self.hidden, self.capacity)


SIZES = (
    Sizes(4, (2,), 4),
    Sizes(19, (4, 2), 4),
    Sizes(19, (8, 2), 32),
    Sizes(19, (16, 8), 32),
    Sizes(19, (32, 16), 32),
    Sizes(19, (64, 64), 32),
)


@dataclass(frozen=True)
class Question(BaseQuestion):
    """`points` random queries at most are searched for a fair one, which is proven `proofs` times."""

    points: int = 5
    seconds: float = 20.0
    jobs: int = 1
    proofs: int = 3


def plan(_data_dir: Path | None, options: Options, question: Question | None = None) -> Plan:
    """Return a part for every shape."""
    options.one_by_one("plonk", "proofs")
    asked = options.of(question or Question())
    return Plan(asked.as_data(), {sizes.name: partial(measured, sizes, asked) for sizes in SIZES})


def measured(sizes: Sizes, question: Question) -> dict[str, Any]:
    """Search around random queries, and prove the first fair one by both proof systems; raises BenchError for none."""
    spec = spec_of(sizes.plain, 2)
    network = network_of(spec, sizes.hidden)
    rng = random.Random(question.seed)  # noqa: S311 - queries for a benchmark
    unit = 1 << spec.input_fraction_bits
    queries = [tuple(round(rng.gauss(0, unit)) for _ in range(sizes.plain)) for _ in range(question.points)]
    for query in queries:
        found = branched(Task(network, spec, query, sizes.capacity, question.seconds))
        if found is not None:
            asked = [(query, found.evidence)] * question.proofs
            break
    else:
        raise BenchError(f"{sizes}: no query is decided")
    opening, costs = Opening.of(network, spec, blinding=1), {}
    for proof_system in PROOF_SYSTEMS:
        with tempfile.TemporaryDirectory() as folder:
            costs[proof_system] = summary(prove_all(opening, sizes.shape, asked, Path(folder), proof_system))
    return asdict(sizes) | {"proof_systems": costs}


def table(results: Mapping[str, Any]) -> str:
    """Write one line for each shape and proof system, and which shapes were not measured."""
    rows = []
    for part in results["parts"].values():
        base = part["proof_systems"][PROOF_SYSTEMS[0]]
        for name, of in part["proof_systems"].items():
            rows.append(
                (
                    f"({','.join(map(str, part['hidden']))}), {part['plain']} columns, K = {part['capacity']}",
                    name.partition("-")[0],
                    f"{of['constraints']:,}",
                    f"{of['constraints'] / base['constraints']:.1f}",
                    f"{of['setup_s']:.1f}",
                    f"{of['prove_s']:.2f}",
                    f"{of['prove_s'] / base['prove_s']:.1f}",
                    f"{of['check_ms']:.1f}",
                    str(of["proof_bytes"]),
                    f"{of['key_mb']:.1f}",
                    f"{of['peak_mb']:,.0f}",
                )
            )
    head = (
        "network", "proof system", "constraints", "times", "set-up s", "prove s", "times", "check ms", "proof B",
        "key MB", "peak MB",
    )  # fmt: skip
    missing = [sizes.name for sizes in SIZES if sizes.name not in results["parts"]]
    note = f"\n\nNot measured: {', '.join(missing)}." if missing else ""
    return markdown(head, rows) + note
