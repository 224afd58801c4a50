"""The research suites; each is measured only when it is named on the command line."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from pathlib import Path

from bench.suite import Collection, Suite
from research import headlines
from research.suites import (
    additive_growth,
    audit_proven,
    branch_growth,
    facets,
    kept_models,
    kept_tables,
    kernel,
    leak,
    leak_ways,
    lenders,
    metrics,
    projection,
    race,
    subcircuits,
    tables,
    target_tables,
    targets,
    threads,
    trees,
    unfair,
    veritas,
    visited,
    walk,
)
from research.suites.fvgm import authors as fvgm_authors
from research.suites.fvgm import authors_trees as fvgm_authors_trees
from research.suites.fvgm import beside as fvgm_beside
from research.suites.fvgm import example as fvgm_example
from research.suites.fvgm import suite as fvgm
from research.suites.hyfair import fairify as hyfair_fairify
from research.suites.hyfair import searches as hyfair_searches
from research.suites.hyfair import suite as hyfair
from research.suites.hyfair import tables as hyfair_tables
from research.suites.ocean import suite as ocean
from research.suites.pba import readings as pba_readings
from research.suites.pba import seeds as pba_seeds
from research.suites.pba import suite as pba
from research.suites.pba import tables as pba_tables
from research.suites.prof import ablation, boxes, losses, rivals, wider
from research.suites.prof import table as prof

HERE = Path(__file__).resolve().parent

SUITES: Mapping[str, Suite] = {
    "subcircuits": Suite(
        "subcircuits", {"subcircuits": subcircuits.table}, {"subcircuits": subcircuits.plot}, run=subcircuits.run
    ),
    "walk": Suite("walk", {"walk": walk.table}, {"walk": walk.plot}, run=walk.run),
    "facets": Suite("facets", {"facets": facets.table}, run=facets.run),
    "metrics": Suite("metrics", {"metrics": metrics.table}, plan=metrics.plan),
    "race": Suite("race", {"race": race.table}, plan=race.plan),
    "projection": Suite("race", {"projection": projection.table}, run=projection.run),
    "trees": Suite("trees", {"trees": trees.table}, plan=trees.plan),
    "additive-growth": Suite(
        "trees",
        {"additive-growth": additive_growth.table},
        {"additive-growth": additive_growth.plot},
        run=additive_growth.run,
    ),
    "ensembles": Suite("ensembles", {"ensembles": kernel.table}, plan=kernel.plan),
    "threads": Suite("ensembles", {"threads": threads.table}, plan=threads.plan),
    "veritas": Suite("ensembles", {"veritas": veritas.table}, plan=veritas.plan),
    "ocean": Suite("ocean", {"ocean": ocean.table}, plan=ocean.plan),
    "targets": Suite(
        "targets",
        {
            "targets-costs": target_tables.costs,
            "targets-reach": target_tables.reach,
            "targets-missed": target_tables.misses,
        },
        plan=targets.plan,
    ),
    "branch-growth": Suite(
        "branch-growth",
        {"branch-growth": branch_growth.table},
        {"branch-growth": branch_growth.plot},
        plan=branch_growth.plan,
    ),
    "prof": Suite("prof", {"prof": prof.table, "prof-falls": prof.summary}, plan=prof.plan),
    "prof-fresh": Suite(
        "prof",
        {"prof-fresh": prof.table, "prof-fresh-falls": prof.summary},
        plan=partial(prof.plan, question=prof.FRESH),
    ),
    "prof-wider": Suite("prof", {"prof-wider": wider.table, "prof-wider-falls": wider.summary}, plan=wider.plan),
    "prof-ablation": Suite(
        "prof",
        {"prof-ablation": ablation.table},
        {"prof-naive": ablation.plot_naive},
        plan=ablation.plan,
    ),
    "prof-losses": Suite("prof", {}, {"prof-losses": losses.plot}, plan=losses.plan),
    "prof-boxes": Suite("prof", {"prof-boxes": boxes.table}, plan=boxes.plan),
    "prof-rivals": Suite(
        "prof",
        {
            "prof-rivals": rivals.fairness,
            "prof-rivals-attacked": rivals.attacked,
            "prof-rivals-falls": rivals.summary,
        },
        plan=rivals.plan,
    ),
    "pba": Suite(
        "pba",
        {"pba-seconds": pba_tables.seconds, "pba-scores": pba_tables.scores, "pba-finding": pba_tables.finding},
        plan=pba.plan,
    ),
    "pba-people": Suite(
        "pba",
        {"pba-people-gaps": pba_tables.gaps, "pba-people-finding": pba_tables.finding},
        plan=partial(pba.plan, question=pba.MANY),
    ),
    "pba-seeds": Suite(
        "pba",
        {"pba-seeds-gaps": pba_seeds.gaps, "pba-seeds-outcomes": pba_seeds.outcomes},
        plan=pba_seeds.plan,
    ),
    "pba-certifair": Suite("pba", {"pba-certifair": pba_readings.table}, plan=pba_readings.plan),
    "leak": Suite(
        "leak",
        {"leak": leak.table, "leak-levels": leak.levels_table, "leak-curves": leak.curves_table},
        plan=leak.plan,
    ),
    "leak-ways": Suite(
        "leak-ways",
        {"leak-ways": leak_ways.table, "leak-ways-people": leak_ways.people},
        plan=leak_ways.plan,
    ),
    "audit-proven": Suite(
        "audit-proven",
        {"audit-proven-constraints": audit_proven.constraints, "audit-proven-gains": audit_proven.gains},
        plan=audit_proven.plan,
    ),
    "lenders": Suite(
        "lenders",
        {"lenders-costs": lenders.costs, "lenders-people": lenders.people, "lenders-public": lenders.published},
        plan=lenders.plan,
    ),
    "kept": Suite(
        "kept",
        {
            "kept-constraints": kept_tables.constraints,
            "kept-costs": kept_tables.costs,
            "kept-visiting": kept_tables.visiting,
        },
        plan=kept_models.plan,
    ),
    "tables": Suite("tables", {"tables": tables.costs}, plan=tables.plan),
    "visited": Suite(
        "visited",
        {
            "visited-finding": visited.finding,
            "visited-costs": visited.costs_table,
            "visited-nodes": visited.nodes_table,
        },
        plan=visited.plan,
    ),
    "hyfair": Suite(
        "hyfair",
        {"hyfair-verdicts": hyfair_tables.verdicts, "hyfair-mitigation": hyfair_tables.mitigation},
        plan=hyfair.plan,
    ),
    "hyfair-fairify": Suite("hyfair-fairify", {"hyfair-fairify": hyfair_fairify.table}, plan=hyfair_fairify.plan),
    "hyfair-search": Suite(
        "hyfair-search",
        {
            "hyfair-search-alternated": hyfair_tables.alternated,
            "hyfair-search-enlarged": hyfair_tables.searches,
            "hyfair-search-reached": hyfair_tables.reached,
            "hyfair-search-explanations": hyfair_tables.explanations,
        },
        plan=hyfair_searches.plan,
    ),
    "unfair": Suite("unfair", {"unfair": unfair.table}, plan=unfair.plan),
    "unfair-time": Suite("unfair", {"unfair-time": unfair.table}, plan=partial(unfair.plan, question=unfair.TIMED)),
    "fvgm": Suite(
        "fvgm",
        {f"fvgm-{name}": block for name, block in fvgm.BLOCKS.items()},
        {f"fvgm-{name}": draw for name, draw in fvgm.FIGURES.items()},
        plan=fvgm.plan,
    ),
    "fvgm-beside": Suite(
        "fvgm",
        {
            "fvgm-example": fvgm_example.table,
            "fvgm-beside": fvgm_beside.table,
            "fvgm-committed": fvgm_beside.committed_table,
        },
        plan=fvgm_beside.plan,
    ),
    "fvgm-authors": Suite(
        "fvgm",
        {"fvgm-authors": fvgm_authors.table, "fvgm-authors-trees": fvgm_authors_trees.table},
        plan=fvgm_authors.plan,
    ),
}

RESEARCH = Collection(
    "research", SUITES, (), HERE / "results", HERE / "pages", HERE / "pages" / "figures", headlines.made
)
