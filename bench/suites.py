"""Every suite: how it is run as a whole, and what of it the page shows."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from bench import facets, growth, subcircuits, verify, walk
from bench.branch import fairify, larger, race
from bench.branch import growth as branch_growth
from bench.branch import paper as branch
from bench.document import conditions
from bench.fvgm import suite as fvgm
from bench.harness import Progress
from bench.hyfair import searches as hyfair_searches
from bench.hyfair import suite as hyfair
from bench.hyfair import tables as hyfair_tables
from bench.paper import whole as paper
from bench.parts import Options, Plan
from bench.pba import suite as pba
from bench.pba import tables as pba_tables
from bench.prof import table as prof
from bench.prof import wider

Results = dict[str, Any]


@dataclass(frozen=True)
class Suite:
    """`run` measures everything, or a `plan` says by which parts; `blocks` are the page's by name; `figures` draw."""

    run: Callable[[Path | None, Progress], Results] | None
    blocks: Mapping[str, Callable[[Results], str]]
    figures: Mapping[str, Callable[[Results, Path], None]]
    plan: Callable[[Path | None, Options], Plan] | None = None


SUITES: Mapping[str, Suite] = {
    "paper": Suite(
        paper.run,
        {f"paper-{name}": block for name, block in paper.BLOCKS.items()},
        {f"paper-{name}": draw for name, draw in paper.FIGURES.items()},
    ),
    "subcircuits": Suite(subcircuits.run, {"subcircuits": subcircuits.table}, {"subcircuits": subcircuits.plot}),
    "growth": Suite(growth.run, {"growth": growth.table}, {"growth": growth.plot}),
    "walk": Suite(walk.run, {"walk": walk.table}, {"walk": walk.plot}),
    "verify": Suite(verify.run, {"verify": verify.table}, {}),
    "facets": Suite(facets.run, {"facets": facets.table}, {}),
    "branch": Suite(
        None, {"branch-reach": branch.reach, "branch-costs": branch.costs}, {"branch-radii": branch.plot}, branch.plan
    ),
    "larger": Suite(None, {"larger-reach": larger.reach, "larger-costs": larger.costs}, {}, larger.plan),
    "fairify": Suite(None, {"fairify": fairify.table}, {}, fairify.plan),
    "branch-growth": Suite(
        None, {"branch-growth": branch_growth.table}, {"branch-growth": branch_growth.plot}, branch_growth.plan
    ),
    "prof": Suite(None, {"prof": prof.table, "prof-falls": prof.summary}, {}, prof.plan),
    "prof-fresh": Suite(
        None,
        {"prof-fresh": prof.table, "prof-fresh-falls": prof.summary},
        {},
        partial(prof.plan, question=prof.FRESH),
    ),
    "prof-wider": Suite(None, {"prof-wider": wider.table, "prof-wider-falls": wider.summary}, {}, wider.plan),
    "race": Suite(None, {"race": race.table}, {}, race.plan),
    "pba": Suite(
        None,
        {"pba-seconds": pba_tables.seconds, "pba-scores": pba_tables.scores, "pba-finding": pba_tables.finding},
        {},
        pba.plan,
    ),
    "pba-people": Suite(
        None,
        {"pba-people-gaps": pba_tables.gaps, "pba-people-finding": pba_tables.finding},
        {},
        partial(pba.plan, question=pba.MANY),
    ),
    "hyfair": Suite(
        None,
        {
            "hyfair-verdicts": hyfair_tables.verdicts,
            "hyfair-mitigation": hyfair_tables.mitigation,
        },
        {},
        hyfair.plan,
    ),
    "hyfair-search": Suite(
        None,
        {
            "hyfair-search-alternated": hyfair_tables.alternated,
            "hyfair-search-enlarged": hyfair_tables.searches,
            "hyfair-search-reached": hyfair_tables.reached,
            "hyfair-search-explanations": hyfair_tables.explanations,
        },
        {},
        hyfair_searches.plan,
    ),
    "fvgm": Suite(
        None,
        {f"fvgm-{name}": block for name, block in fvgm.BLOCKS.items()},
        {f"fvgm-{name}": draw for name, draw in fvgm.FIGURES.items()},
        fvgm.plan,
    ),
}


def blocks(suite: str, results: Results | None) -> dict[str, str]:
    """Return a suite's blocks of the page, and one that says what they were measured on.

    Without results they say how to measure.
    """
    if results is None:
        return dict.fromkeys(
            (*SUITES[suite].blocks, f"{suite}-machine"), f"No results are kept: `python -m bench {suite}` measures."
        )
    found = {name: block(results) for name, block in SUITES[suite].blocks.items()}
    return found | {f"{suite}-machine": conditions(results["machine"])}
