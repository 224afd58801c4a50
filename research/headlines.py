"""What the product's pages quote of research results: their entries in docs/headlines.json."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any

from bench import headlines
from bench.suite import Headlines
from research.suites import branch_growth, target_tables

Results = Mapping[str, Any]


def made(results: Mapping[str, Results | None]) -> Headlines:
    """Make the entries, for results by suite."""
    return headlines.sentences(results, _SENTENCES)


def boosted(targets: Results) -> str:
    """Say how large the circuit of 100 boosted trees of depth 3 is: the larger of the two data sets'."""
    most = max(part["constraints"] for part in targets["parts"].values() if part["model"] == "100x3")
    return f"takes {round(most, -4):,} constraints"


def late(race: Results) -> str:
    """Say by how much branch and bound takes longer than exact GeoCert on networks of ten neurons or fewer."""
    small = [part for part in race["parts"].values() if sum(part["hidden"]) <= 10]
    most = max(part["branch_s"] - part["exact_s"] for part in small)
    return f"on networks of ten neurons or fewer, by less than {math.floor(10 * most + 1) / 10:.1f} s"


def proof_line(growth: Results) -> str:
    """Say what the straight line of proofs gives for the largest network that was taken through."""
    fitted = branch_growth.lines(growth)["prove_s"]
    return f"of an idle machine says {fitted['base'] + fitted['slope'] * LARGEST:.0f} s"


LARGEST = 4_534_353
"""The constraints of the network of six hundred neurons in docs/benchmarks/larger.md."""

_SENTENCES: Mapping[str, tuple[str, str, Callable[[Results], str]]] = {
    "trees": ("targets", headlines.OVERVIEW, target_tables.headline),
    "boosted": ("targets", "docs/models.md", boosted),
    "late": ("race", "docs/python.md", late),
    "proof-line": ("branch-growth", "docs/benchmarks/larger.md", proof_line),
}
