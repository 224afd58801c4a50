"""The authors' program on decision trees: stochastic SAT, by their group's solver, beside our clauses and network.

The solver is ssatABC, a program called `abc`, built from its sources; the package looks for it on the PATH.
"""

from __future__ import annotations

import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from bench.harness import BenchError
from bench.harness import table as markdown
from research.suites.fvgm import authors_run, trees
from research.suites.fvgm.authors_call import call, pair, python, shown
from research.suites.fvgm.beside import LEAST_ROWS
from research.suites.fvgm.populations import population

PART = "tree-"
SOLVER = "abc"


def measured(name: str, sensitive: Sequence[str], seconds: float, data_dir: Path | None) -> dict[str, Any]:
    """Fit a tree, and verify it under both assumptions by both programs."""
    program = python()
    if shutil.which(SOLVER) is None:
        raise BenchError(f"{SOLVER}: not on the PATH; build ssatABC, the solver that justicia calls for trees")
    rows, tree = trees.fitted_tree(population(name, sensitive, data_dir))
    ours = trees.judged(rows, tree, LEAST_ROWS)
    model = {part: getattr(tree.tree_, part) for part in authors_run.TREE}
    theirs = call(program, rows, model, authors_run.STOCHASTIC, seconds)
    return {"dataset": name, **ours, "theirs": theirs}


def table(results: Mapping[str, Any]) -> str:
    """Write disparate impact and parity of every tree by both programs under each assumption."""
    rows = []
    for part in (part for name, part in results["parts"].items() if name.startswith(PART)):
        own = {kind: {metric: part[f"{kind}{metric}"] for metric in ("impact", "parity")}
               for kind in ("counted_", "", "independent_")}  # fmt: skip
        theirs = part["theirs"]
        groups = f"{' x '.join(part['sensitive'])} ({part['groups']})"
        rows.append(
            (
                part["dataset"], groups, f"{part['leaves']}, {part['clauses']}", pair(own["counted_"]),
                f"{pair(own[''])} ({part['shares_s']:g} s)", shown(theirs["network"]),
                pair(own["independent_"]), shown(theirs["independent"]),
            )
        )  # fmt: skip
    head = (
        "data set", "sensitive (groups)", "leaves, clauses", "DI, SP: rows' own shares", "network: ours (CPU)",
        "theirs (CPU)", "independent of the group: ours", "theirs (CPU)",
    )  # fmt: skip
    return markdown(head, rows)
