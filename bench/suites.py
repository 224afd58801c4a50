"""The suites of the product by name, which `python -m bench` measures."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from pathlib import Path

from bench import (
    batch_proving,
    ceremony,
    chain,
    everyday,
    growth,
    headlines,
    kept,
    log,
    long_runs,
    lot,
    many,
    padding,
    padding_scores,
    plonk,
    recourse,
    search_levels,
    service_database,
    service_kills,
    service_load,
    service_queue,
    service_soak,
    service_tables,
    service_webhooks,
    verify,
    web,
)
from bench.branch import fairify, larger
from bench.branch import paper as branch
from bench.paper import whole as paper
from bench.suite import Collection, Suite

DOCS = Path(__file__).resolve().parents[1] / "docs"

SUITES: Mapping[str, Suite] = {
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
    "many": Suite("verify", {"many": many.table}, run=many.run),
    "batch-proving": Suite("batch-proving", {"batch-proving": batch_proving.table}, run=batch_proving.run),
    "padding": Suite("padding", {"padding": padding.table}, run=padding.run),
    "padding-scores": Suite("padding", {"padding-scores": padding_scores.table}, run=padding_scores.run),
    "web": Suite("verify", {"web": web.table}, run=web.run),
    "chain": Suite("verify", {"chain": chain.table}, run=chain.run),
    "everyday": Suite("everyday", {"everyday": everyday.table}, run=everyday.run),
    "search-levels": Suite("search-levels", {"search-levels": search_levels.table}, run=search_levels.run),
    "recourse": Suite("recourse", {"recourse": recourse.table}, plan=recourse.plan),
    "log": Suite("log", {"log": log.table}, run=log.run),
    "service-kills": Suite(
        "service-kills",
        {"service-kills": service_kills.table, "service-kills-kinds": service_kills.kinds},
        plan=service_kills.plan,
    ),
    "service-load": Suite("service-load", {"service-load": service_load.times}, plan=service_load.plan),
    "service-queue": Suite(
        "service-load",
        {"service-queue": service_queue.times, "service-queue-order": service_queue.order},
        plan=service_queue.plan,
    ),
    "service-webhooks": Suite(
        "service-webhooks", {"service-webhooks": service_webhooks.rates}, plan=service_webhooks.plan
    ),
    "lot": Suite("log", {"lot": lot.table}, run=lot.run),
    "long-runs": Suite("long-runs", {"long-runs": long_runs.table}, run=long_runs.run),
    "service-database": Suite("service", {"service-database": service_database.table}, run=service_database.run),
    "service-soak": Suite(
        "service",
        {
            "service-soak": service_tables.times,
            "service-soak-memory": service_tables.memory,
            "service-soak-sizing": service_tables.sizing,
        },
        plan=service_soak.plan,
    ),
    "service-soak-busy": Suite(
        "service",
        {"service-soak-busy": service_tables.busy, "service-soak-busy-memory": service_tables.growing},
        plan=partial(service_soak.plan, question=service_soak.BUSY),
    ),
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

PRODUCT = Collection(
    "bench", SUITES, tuple(SUITES), kept.RESULTS, DOCS / "benchmarks", DOCS / "figures", headlines.product
)
