"""PROF's table II and table III: fairness and accuracy before and after repair, one sensitive feature at a time.

Per network and feature: 100 repair points and the rows to keep are drawn from the training rows of a random split, as
in the paper; the repair takes the paper's symbolic sets. All counts are exact, on the integers that are committed. CUR
is over the repair points, IDI-D over all rows, IDI-S over 100,000 random inputs, accuracy over the test rows.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from audits.prof.metrics import SAMPLES, accuracy, sampled, unfair_rows
from audits.prof.repair import DEFAULTS, Repaired, Settings, repair
from audits.prof.similar import Similarity
from bench.harness import apart
from bench.harness import table as markdown
from bench.parts import Asked, Options, Plan
from bench.prof.nets import CASES, Loaded, load_case
from certify.network import QuantisedNetwork

POINTS = 100
RATES = ("cur", "idi_d", "idi_s")
TOGETHER = ("Adult", "German", "Bank")

PRINTED: Mapping[str, tuple[float, ...]] = {
    "COMPAS-sex": (5.0, 6.25, 0.0, 1.76, 0.0, 73.85, 72.06),
    "COMPAS-race": (9.0, 8.77, 0.0, 2.73, 0.0, 73.85, 72.47),
    "COMPAS-age": (42.0, 44.86, 0.49, 10.94, 0.96, 73.85, 70.28),
    "Adult-sex": (3.0, 2.74, 0.79, 0.65, 0.12, 85.24, 82.50),
    "Adult-race": (2.0, 4.15, 1.48, 0.53, 0.30, 85.24, 82.05),
    "Adult-age": (14.0, 21.64, 0.83, 3.65, 0.26, 85.24, 83.67),
    "German-sex": (3.0, 2.60, 0.0, 7.43, 0.0, 72.67, 69.67),
    "German-age": (4.0, 2.90, 0.0, 8.77, 0.0, 72.67, 69.67),
    "Bank-age": (1.0, 1.12, 0.29, 6.67, 1.31, 89.53, 89.35),
}
"""What the paper prints, in percent: CUR before (0 after), then before and after IDI-D, IDI-S and accuracy."""


@dataclass(frozen=True)
class Question(Asked):
    """`points` repair points for every seed; `seconds` bound the choice of labels of step 2."""

    points: int = POINTS
    seconds: float = 12.0
    jobs: int = 1
    seeds: tuple[int, ...] = (2025, 2026, 2027)
    samples: int = SAMPLES
    settings: Settings = DEFAULTS


def plan(data_dir: Path | None, options: Options, question: Question | None = None) -> Plan:
    """Return a part for every network and sensitive feature."""
    asked = options.of(question or Question())
    parts = {
        f"{name}-{feature}": partial(apart, measured, name, feature, asked, data_dir)
        for name, case in CASES.items()
        for feature in case.sensitive
    }
    return Plan(asked.told("seed"), parts)


def measured(name: str, feature: str, question: Question, data_dir: Path | None) -> dict[str, Any]:
    """Measure the repairs of all seeds for one network and sensitive feature."""
    loaded = load_case(name, [feature], data_dir)
    samples = sampled(loaded.spec, question.samples, question.seed, loaded.rows)
    before = _rates(loaded, loaded.network, samples)
    return {
        "network": CASES[name].network,
        "hidden": list(loaded.network.hidden),
        "rows": len(loaded.rows),
        "similar": len(loaded.spec.domain_table),
        "repairs": [_repaired(name, loaded, before, samples, seed, question) for seed in question.seeds],
    }


def _repaired(
    name: str, loaded: Loaded, before: Mapping[str, float], samples: Any, seed: int, question: Question
) -> dict[str, Any]:
    """Draw the split of one seed, repair, and measure what came out."""
    rng, case = np.random.Generator(np.random.PCG64(seed)), CASES[name]
    order = rng.permutation(len(loaded.rows))
    cut = round(case.trained_share * len(order))
    train, test = order[:cut], order[cut:]
    chosen = rng.choice(train, question.points, replace=False)
    kept = rng.choice(train, min(case.kept_rows, len(train)), replace=False)
    plain = loaded.spec.plain_columns
    queries = [tuple(row[:plain]) for row in loaded.inputs[chosen].tolist()]
    begun, wall = time.process_time(), time.perf_counter()
    settings = replace(question.settings, seconds=question.seconds, seed=seed)
    made = repair(
        loaded.network, Similarity.of(loaded.spec), queries, (loaded.inputs[kept], loaded.labels[kept]), settings
    )
    spent = {"cpu_s": round(time.process_time() - begun, 2), "wall_s": round(time.perf_counter() - wall, 2)}
    told = {"seed": seed, **spent, "before": {**before, **_own(loaded, loaded.network, chosen, test)}}
    if not isinstance(made, Repaired):
        return told | {"after": None, "reason": made.reason}
    after = _rates(loaded, made.network, samples) | _own(loaded, made.network, chosen, test)
    return told | {
        "after": after,
        "change": made.change.objective,
        "sets": made.sets,
        "rounds": made.rounds,
        "passes": made.passes,
        "constant": made.constant,
        "fairness_loss": 1.0 if made.calibrated is None else made.calibrated.fairness[1],
    }


def _rates(loaded: Loaded, network: QuantisedNetwork, samples: Any) -> dict[str, float]:
    """Return what does not depend on the split: IDI-D and IDI-S."""
    queries = loaded.inputs[:, : loaded.spec.plain_columns]
    return {
        "idi_d": float(unfair_rows(network, loaded.spec, queries).mean()),
        "idi_s": float(unfair_rows(network, loaded.spec, samples).mean()),
    }


def _own(loaded: Loaded, network: QuantisedNetwork, chosen: Any, test: Any) -> dict[str, float]:
    """Return what depends on the split: CUR, accuracy, and the share that would be right by one label alone."""
    queries, labels = loaded.inputs[chosen, : loaded.spec.plain_columns], loaded.labels[test]
    return {
        "cur": float(unfair_rows(network, loaded.spec, queries).mean()),
        "accuracy": accuracy(network, loaded.inputs[test], labels),
        "one_label": float(max(np.mean(labels == label) for label in range(len(loaded.spec.labels)))),
    }


def _mean(repairs: Sequence[Mapping[str, Any]], side: str, name: str) -> float:
    """Return the mean over the seeds."""
    return statistics.fmean(one[side][name] for one in repairs)


def table(results: Mapping[str, Any]) -> str:
    """Write one line per network and feature, ours beside the paper's, and the drops of the means below."""
    rows = [_line(name, part) for name, part in results["parts"].items()]
    head = (
        "network, sensitive feature", "CUR %, before → after", "paper", "IDI-D %", "paper", "IDI-S %", "paper",
        "accuracy %", "paper", "one label alone %", "CPU seconds, median (max)",
    )  # fmt: skip
    return markdown(head, rows)


def summary(results: Mapping[str, Any]) -> str:
    """Write by how much the means fall, over Adult, German and Bank together and over all nine."""
    parts = results["parts"]
    groups = {
        " + ".join(TOGETHER): [part for name, part in parts.items() if name.partition("-")[0] in TOGETHER],
        "all": list(parts.values()),
    }
    rows = [_fall(name, held) for name, held in groups.items() if held]
    head = ("networks", "CUR after, largest", "IDI-D falls by", "IDI-S falls by", "accuracy lost, points",
            "CPU seconds per repair, mean (max)")  # fmt: skip
    return markdown(head, rows)


def _fall(name: str, parts: Sequence[Mapping[str, Any]]) -> tuple[str, ...]:
    """Return one line of the summary: ratios of means, each network and feature counting alike."""
    before, after = (
        {key: statistics.fmean(_mean(part["repairs"], side, key) for part in parts) for key in (*RATES, "accuracy")}
        for side in ("before", "after")
    )
    seconds = [one["cpu_s"] for part in parts for one in part["repairs"]]
    return (
        name,
        f"{100 * max(one['after']['cur'] for part in parts for one in part['repairs']):.2f} %",
        *(f"{100 * (1 - after[key] / before[key]):.1f} %" for key in RATES[1:]),
        f"{100 * (before['accuracy'] - after['accuracy']):.2f}",
        f"{statistics.fmean(seconds):.1f} ({max(seconds):.1f})",
    )


def _line(name: str, part: Mapping[str, Any]) -> tuple[str, ...]:
    """Return one line of the table; means over the seeds."""
    domain, _, feature = name.partition("-")
    printed, repairs = PRINTED[name], part["repairs"]
    if any(one["after"] is None for one in repairs):
        return (f"{domain} ({part['network']}), {feature}", *["not repaired"] * 10)
    pairs = {key: [100 * _mean(repairs, side, key) for side in ("before", "after")] for key in (*RATES, "accuracy")}
    seconds = [one["cpu_s"] for one in repairs]
    return (
        f"{domain} ({part['network']}), {feature}",
        _arrow(*pairs["cur"]),
        _arrow(printed[0], 0.0),
        _arrow(*pairs["idi_d"]),
        _arrow(*printed[1:3]),
        _arrow(*pairs["idi_s"]),
        _arrow(*printed[3:5]),
        _arrow(*pairs["accuracy"]),
        _arrow(*printed[5:7]),
        f"{100 * _mean(repairs, 'before', 'one_label'):.2f}",
        f"{statistics.median(seconds):.1f} ({max(seconds):.1f})",
    )


def _arrow(before: float, after: float) -> str:
    """Write two percentages."""
    return f"{before:.2f} → {after:.2f}"
