"""PROF beside its baselines: fairness and accuracy, and what two attackers find before and after (tables II to V).

Every method gets the same split, repair points and rows to keep, and is judged by the same exact counts on committed
integers. Attackers start from the same rows of the data and spend the same effort on each network; the figure is the
paper's ratio, instances found on a repaired network over those found on the original one.
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from bench.harness import apart
from bench.harness import table as markdown
from bench.parts import Options, Plan
from equiproof.audits.hyfair.grid import Grid, Integers, grid_of
from equiproof.audits.prof.repair import Repaired, repair
from equiproof.audits.prof.similar import Similarity
from equiproof.certify.network import QuantisedNetwork
from research.suites.prof import table as single
from research.suites.prof.attackers import ATTACKERS, attack
from research.suites.prof.baselines import BASELINES, Given
from research.suites.prof.nets import NETWORKS, Loaded, load_network
from research.suites.prof.table import SINGLE, Asking, Look, Split
from research.suites.prof.wider import RELAXED, SEVERAL

METHODS = (*BASELINES, "PROF")

ASKINGS = (*SINGLE, *SEVERAL, *RELAXED)
"""Without attackers where another feature is relaxed: they vary sensitive features only."""

PRINTED: Mapping[str, Mapping[str, tuple[float, ...]]] = {
    "COMPAS-sex": {"FLIP": (0.28, 0.24), "CARE": (0.28, 0.36), "GRFT": (0.00, 0.00), "PROF": (0.00, 0.00)},
    "COMPAS-race": {"FLIP": (0.53, 0.63), "CARE": (0.42, 0.45), "GRFT": (0.17, 0.18), "PROF": (0.00, 0.00)},
    "COMPAS-age": {"FLIP": (0.28, 0.34), "CARE": (0.92, 0.95), "GRFT": (0.21, 0.20), "PROF": (0.12, 0.13)},
    "Adult-sex": {"FLIP": (1.07, 0.68), "CARE": (0.05, 0.04), "GRFT": (0.43, 0.26), "PROF": (0.06, 0.28)},
    "Adult-race": {"FLIP": (0.85, 0.80), "CARE": (0.36, 0.41), "GRFT": (0.73, 0.65), "PROF": (0.18, 0.36)},
    "Adult-age": {"FLIP": (0.26, 0.18), "CARE": (1.15, 1.12), "GRFT": (1.08, 0.96), "PROF": (0.00, 0.01)},
    "German-sex": {"FLIP": (1.07, 0.94), "CARE": (1.11, 1.04), "GRFT": (1.20, 1.01), "PROF": (0.00, 0.00)},
    "German-age": {"FLIP": (1.20, 1.13), "CARE": (1.08, 1.15), "GRFT": (1.16, 1.04), "PROF": (0.00, 0.00)},
    "COMPAS-sex-race": {"FLIP": (0.29, 0.32), "CARE": (0.32, 0.34), "GRFT": (0.44, 0.44), "PROF": (0.00, 0.00)},
    "COMPAS-sex-age": {"FLIP": (0.70, 0.72), "CARE": (0.79, 0.72), "GRFT": (0.21, 0.23), "PROF": (0.15, 0.15)},
    "COMPAS-race-age": {"FLIP": (0.30, 0.38), "CARE": (0.48, 0.47), "GRFT": (0.22, 0.25), "PROF": (0.22, 0.31)},
    "Adult-sex-race": {"FLIP": (0.61, 0.92), "CARE": (0.70, 0.62), "GRFT": (0.69, 0.63), "PROF": (0.09, 0.42)},
    "Adult-sex-age": {"FLIP": (0.35, 0.29), "CARE": (1.05, 0.97), "GRFT": (1.03, 1.01), "PROF": (0.05, 0.06)},
    "Adult-race-age": {"FLIP": (0.40, 0.34), "CARE": (1.14, 1.11), "GRFT": (0.87, 0.86), "PROF": (0.03, 0.08)},
    "German-sex-age": {"FLIP": (1.02, 1.03), "CARE": (0.88, 0.85), "GRFT": (0.86, 0.83), "PROF": (0.00, 0.00)},
    "Bank-age": {"FLIP": (0.62, 0.58), "CARE": (1.27, 1.52), "GRFT": (0.74, 0.80), "PROF": (0.04, 0.16)},
}
"""What table V of the paper prints for ADF and EIDIG."""

GROUPS: Mapping[str, tuple[Sequence[Asking], Mapping[str, tuple[float, ...]]]] = {
    "one": (
        SINGLE,
        {
            "FLIP": (61.45, 60.91, 60.27, 1.81),
            "CARE": (63.86, 56.99, 27.24, 2.37),
            "GRFT": (69.88, 71.44, 72.67, 3.32),
            "PROF": (100.0, 95.93, 93.16, 2.27),
        },
    ),
    "several": (
        SEVERAL,
        {
            "FLIP": (63.47, 66.70, 61.88, math.nan),
            "GRFT": (69.46, 63.99, 69.00, math.nan),
            "PROF": (100.0, 92.97, 89.67, math.nan),
        },
    ),
    "one, another feature by 1": (
        RELAXED,
        {
            "FLIP": (-3.57, 32.22, 42.34, math.nan),
            "GRFT": (67.86, 69.49, 66.18, math.nan),
            "PROF": (100.0, 92.17, 92.27, math.nan),
        },
    ),
}
"""The lines of tables II and IV, and what the paper prints of them: falls in percent, accuracy lost in points."""


@dataclass(frozen=True)
class Question(single.Question):
    """As of :class:`research.suites.prof.table.Question`; attackers begin at `starts` rows."""

    starts: int = 200


def plan(data_dir: Path | None, options: Options, question: Question | None = None) -> Plan:
    """Return a part for every network and feature."""
    fresh = single.FRESH
    default = Question(seed=fresh.seed, seeds=fresh.seeds[:1], training=fresh.training, samples=20_000)
    asked = options.of(question or default)
    return Plan(asked.as_data(), {one.part: partial(apart, measured, one, asked, data_dir) for one in ASKINGS})


def measured(asking: Asking, question: Question, data_dir: Path | None) -> dict[str, Any]:
    """Measure all methods on one network with all seeds."""
    loaded = load_network(asking.name, asking.sensitive, data_dir, question.training)
    look = Look(loaded, Similarity.of(loaded.spec, dict(asking.relaxed)), *single.drawn(asking, loaded, question))
    seeds = [_seed(asking, look, seed, question) for seed in question.seeds]
    return {"network": NETWORKS[asking.name].network, "rows": len(loaded.rows), "seeds": seeds}


def _seed(asking: Asking, look: Look, seed: int, question: Question) -> dict[str, Any]:
    """Draw the split of one seed, run every method, and measure the networks."""
    loaded, split = look.loaded, Split.of(asking.name, look.loaded, seed, question.points)
    given = Given(loaded.spec, *split.kept, np.array(split.queries), seed)
    networks: dict[str, QuantisedNetwork | None] = {"original": loaded.network}
    networks |= {name: method(loaded.network, given) for name, method in BASELINES.items()}
    settings = replace(question.settings, seconds=question.seconds, seed=seed)
    made = repair(loaded.network, look.similarity, split.queries, split.kept, settings)
    networks["PROF"] = made.network if isinstance(made, Repaired) else None
    records: dict[str, Any] = {}
    for method, network in networks.items():
        records[method] = None if network is None else {**look.rates(network), **look.own(network, split)}
        if network is not None and not asking.relaxed:
            records[method]["found"] = _attacked(network, loaded, seed, question.starts)
    return {"seed": seed, "methods": records}


def _attacked(network: QuantisedNetwork, loaded: Loaded, seed: int, count: int) -> dict[str, int]:
    """Return how many instances each attacker finds on a network, from the same rows on every network."""
    grid = _grid(loaded)
    rows = np.random.default_rng(seed).choice(len(loaded.rows), min(count, len(loaded.rows)), replace=False)
    starts: Integers = np.array([grid.find(loaded.rows[row]) for row in rows.tolist()])
    return {kind: len(attack(kind, network, loaded.spec, grid, starts, seed)) for kind in ATTACKERS}


def _grid(loaded: Loaded) -> Grid:
    """Return the domain of the attackers: numbers without a range from the least to the largest in the rows."""
    open_ = [one.name for one in loaded.spec.plain_features if not one.domain and one.range is None]
    ends = {name: [int(float(str(row[name]))) for row in loaded.rows] for name in open_}
    return grid_of(loaded.spec, {name: (min(values), max(values)) for name, values in ends.items()})


def _mean(part: Mapping[str, Any], method: str, name: str) -> float:
    """Return the mean over the seeds, not a number where a method failed for one."""
    records = [seed["methods"][method] for seed in part["seeds"]]
    return math.nan if None in records else statistics.fmean(record[name] for record in records)


def fairness(results: Mapping[str, Any]) -> str:
    """Write CUR, IDI-D, IDI-S and accuracy of every method, a line per network and features."""
    rows = []
    for name, part in results["parts"].items():
        cells = []
        for method in ("original", *METHODS):
            shares = [_figure(100 * _mean(part, method, key)) for key in (*single.RATES, "accuracy")]
            cells.append(f"{', '.join(shares[:3])}; {shares[3]}")
        rows.append((_title(name, part), *cells))
    return markdown(("network, sensitive", "original", *METHODS), rows)


def attacked(results: Mapping[str, Any]) -> str:
    """Write the attackers' ratios, ours and the paper's, what they find on the original, and the mean ratios."""
    parts = {name: part for name, part in results["parts"].items() if name in PRINTED}
    pairs = [(method, place, kind) for method in METHODS for place, kind in enumerate(ATTACKERS)]
    rows = []
    for name, part in parts.items():
        before = {kind: _found(part, "original", kind) for kind in ATTACKERS}
        cells = [
            f"{_ratio(_found(part, method, kind), before[kind])} ({PRINTED[name][method][place]:.2f})"
            for method, place, kind in pairs
        ]
        rows.append((_title(name, part), *(f"{before[kind]:.0f}" for kind in ATTACKERS), *cells))
    means = [
        statistics.fmean(
            _found(part, method, kind) / (_found(part, "original", kind) or math.nan) for part in parts.values()
        )
        for method, _, kind in pairs
    ]
    printed = [statistics.fmean(PRINTED[name][method][place] for name in parts) for method, place, _ in pairs]
    cells = [f"{_figure(mean)} ({paper:.2f})" for mean, paper in zip(means, printed, strict=True)]
    rows.append((f"mean of {len(parts)}", *["-"] * len(ATTACKERS), *cells))
    head = ["network, sensitive", *(f"{kind}: found before" for kind in ATTACKERS)]
    return markdown((*head, *(f"{method}, {kind}" for method, _, kind in pairs)), rows)


def summary(results: Mapping[str, Any]) -> str:
    """Write by how much each method's mean rates fall and what it loses, ours and the paper's, by kind of line."""
    rows = []
    for kind, (askings, printed) in GROUPS.items():
        parts = [results["parts"][one.part] for one in askings if one.part in results["parts"]]
        for method in METHODS if parts else ():
            falls = [_fall(parts, method, key) for key in single.RATES]
            lost = statistics.fmean(
                _mean(part, "original", "accuracy") - _mean(part, method, "accuracy") for part in parts
            )
            paper = printed.get(method, (math.nan,) * 4)
            cells = [f"{_share(100 * fall)} ({_share(one)})" for fall, one in zip(falls, paper, strict=False)]
            rows.append((f"{kind} ({len(parts)})", method, *cells, f"{_figure(100 * lost)} ({_figure(paper[3])})"))
    head = ("sensitive (lines)", "method", "CUR falls by", "IDI-D", "IDI-S", "accuracy lost, points")
    return markdown(head, rows)


def _share(number: float) -> str:
    """Write a percentage, a dash where there is none."""
    return "-" if math.isnan(number) else f"{number:.1f} %"


def _fall(parts: Sequence[Mapping[str, Any]], method: str, name: str) -> float:
    """Return by which share the mean of a rate over parts falls."""
    before, after = (statistics.fmean(_mean(part, one, name) for part in parts) for one in ("original", method))
    return 1 - after / before if before else math.nan


def _found(part: Mapping[str, Any], method: str, kind: str) -> float:
    """Return the mean number of instances that an attacker finds."""
    records: Sequence[Mapping[str, Any] | None] = [seed["methods"][method] for seed in part["seeds"]]
    return statistics.fmean(math.nan if record is None else record["found"][kind] for record in records)


def _title(name: str, part: Mapping[str, Any]) -> str:
    """Name a network, its sensitive features, and the relaxed one."""
    asking = next(one for one in ASKINGS if one.part == name)
    moved = "".join(f"; {feature} by {reach}" for feature, reach in asking.relaxed)
    return f"{asking.name} ({part['network']}), {' and '.join(asking.sensitive)}{moved}"


def _figure(number: float) -> str:
    """Write a figure with two decimals, a dash where there is none."""
    return "-" if math.isnan(number) else f"{number:.2f}"


def _ratio(after: float, before: float) -> str:
    """Write a ratio, a dash where nothing was found before."""
    return _figure(after / before if before else math.nan)
