"""Every suite by name: those of the product, which `python -m bench` measures, and the research suites."""

from __future__ import annotations

from collections.abc import Mapping

from bench import ceremony, growth, long_runs, padding, plonk, verify, web
from bench.branch import fairify, larger
from bench.branch import paper as branch
from bench.paper import whole as paper
from bench.research.suites import RESEARCH
from bench.suite import Suite

PRODUCT: Mapping[str, Suite] = {
    "paper": Suite(
        "paper",
        {f"paper-{name}": block for name, block in paper.BLOCKS.items()},
        {f"paper-{name}": draw for name, draw in paper.FIGURES.items()},
        run=paper.run,
    ),
    "branch": Suite(
        "branch",
        {"branch-reach": branch.reach, "branch-costs": branch.costs},
        {"branch-radii": branch.plot},
        plan=branch.plan,
    ),
    "growth": Suite("growth", {"growth": growth.table}, {"growth": growth.plot}, run=growth.run),
    "verify": Suite("verify", {"verify": verify.table}, run=verify.run),
    "padding": Suite("padding", {"padding": padding.table}, run=padding.run),
    "web": Suite("verify", {"web": web.table}, run=web.run),
    "long-runs": Suite("long-runs", {"long-runs": long_runs.table}, run=long_runs.run),
    "plonk": Suite("plonk", {"plonk": plonk.table}, plan=plonk.plan),
    "ceremony": Suite(
        "ceremony",
        {
            "ceremony-target": ceremony.target,
            "ceremony-circuits": ceremony.circuits,
            "ceremony": ceremony.times,
            "ceremony-files": ceremony.sizes,
        },
        run=ceremony.run,
    ),
    "larger": Suite("larger", {"larger-reach": larger.reach, "larger-costs": larger.costs}, plan=larger.plan),
    "fairify": Suite("fairify", {"fairify": fairify.table}, plan=fairify.plan),
}

SUITES: Mapping[str, Suite] = {**PRODUCT, **RESEARCH}
