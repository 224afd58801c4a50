"""What each step of PROF does alone and with the other: its fourth question, figure 5.

Step 1 usually leaves nothing for step 2, so step 2 is looked at where it has work: without step 1, and after a tenth of
its steps. There the naive box of equation (14) stands beside the polytope of equation (22), and beside a step 2 that
may lose at most two points on the rows to keep. All counts are exact, on committed integers.
"""

from __future__ import annotations

import math
import statistics
import time
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from bench.harness import apart
from bench.harness import table as markdown
from bench.parts import Options, Plan
from equiproof.audits.prof.calibrate import STEPS
from equiproof.audits.prof.metrics import accuracy
from equiproof.audits.prof.repair import Repaired, Settings, repair, step_1
from equiproof.audits.prof.similar import Similarity
from equiproof.certify.network import QuantisedNetwork
from research.suites.prof import table as single
from research.suites.prof.nets import NETWORKS, load_network
from research.suites.prof.table import SINGLE, Asking, Look, Split

FEW = STEPS // 10
TOLERATED = 2
"""Percentage points that step 2 may lose on the rows to keep, where these are a constraint."""

_BINDING = -1
"""Stands in a variant for the number that a split gives."""

VARIANTS: Mapping[str, Settings] = {
    "step 1 alone": Settings(last_layer=False),
    "step 2 alone, box": Settings(steps=0, sets="concrete"),
    "step 2 alone, polytope": Settings(steps=0, sets="symbolic"),
    "step 2 alone, polytope, rows kept": Settings(steps=0, sets="symbolic", least_right=_BINDING),
    f"{FEW} steps alone": Settings(steps=FEW, last_layer=False),
    f"{FEW} steps, box": Settings(steps=FEW, sets="concrete"),
    f"{FEW} steps, polytope": Settings(steps=FEW, sets="symbolic"),
    f"{FEW} steps, polytope, rows kept": Settings(steps=FEW, sets="symbolic", least_right=_BINDING),
    "both": Settings(),
}
"""Each with one pass."""

NAIVE = {
    "step 2 alone": ("step 2 alone, box", "step 2 alone, polytope"),
    f"after {FEW} steps": (f"{FEW} steps, box", f"{FEW} steps, polytope"),
}
"""The pairs of figure 5: the naive box and the polytope."""

PARTS = tuple(one for one in SINGLE if one.sensitive != ("age",) or one.name in ("German", "Bank"))
"""The networks and features with few sensitive values: by age, the others have 65 or 91."""


@dataclass(frozen=True)
class Question(single.Question):
    """As of :class:`research.suites.prof.table.Question`; without IDI-S."""

    seconds: float = 3.0


def plan(data_dir: Path | None, options: Options, question: Question | None = None) -> Plan:
    """Return a part for every network and feature."""
    fresh = single.FRESH
    asked = options.of(question or Question(seed=fresh.seed, seeds=fresh.seeds[:2], training=fresh.training))
    return Plan(asked.as_data(), {one.part: partial(apart, measured, one, asked, data_dir) for one in PARTS})


def measured(asking: Asking, question: Question, data_dir: Path | None) -> dict[str, Any]:
    """Measure every variant on one network with all seeds."""
    loaded = load_network(asking.name, asking.sensitive, data_dir, question.training)
    queries = loaded.inputs[:, : loaded.spec.plain_columns]
    look = Look(loaded, Similarity.of(loaded.spec), queries, queries[:0])
    seeds = [_seed(asking.name, look, seed, question) for seed in question.seeds]
    return {"network": NETWORKS[asking.name].network, "seeds": seeds}


def _seed(name: str, look: Look, seed: int, question: Question) -> dict[str, Any]:
    """Measure every variant on the split of one seed."""
    split = Split.of(name, look.loaded, seed, question.points)
    before = _judged(look.loaded.network, look, split)
    variants = {}
    for variant, settings in VARIANTS.items():
        own = replace(settings, passes=1, seconds=question.seconds, seed=seed)
        if settings.least_right == _BINDING:
            count = len(split.kept[1])
            own = replace(own, least_right=round(before["kept"] * count) - TOLERATED * count // 100)
        variants[variant] = _variant(look, split, own)
    return {"seed": seed, "before": before, "variants": variants}


def _variant(look: Look, split: Split, settings: Settings) -> dict[str, Any]:
    """Repair in one way and judge the result; step 1 alone is judged whether it suffices or not."""
    begun = time.process_time()
    if not settings.last_layer:
        _, network = step_1(look.loaded.network, look.similarity, split.queries, split.kept, settings)
        return {**_judged(network, look, split), "change": 0.0, "cpu_s": round(time.process_time() - begun, 2)}
    made = repair(look.loaded.network, look.similarity, split.queries, split.kept, settings)
    spent = {"cpu_s": round(time.process_time() - begun, 2)}
    if not isinstance(made, Repaired):
        return {"reason": made.reason, **spent}
    return {**_judged(made.network, look, split), "change": made.change.objective, "sets": made.sets, **spent}


def _judged(network: QuantisedNetwork, look: Look, split: Split) -> dict[str, float]:
    """Return the rates of a network, and its accuracy on the rows to keep."""
    rates = {**look.rates(network), **look.own(network, split), "kept": accuracy(network, *split.kept)}
    return {name: value for name, value in rates.items() if name != "idi_s"}


def table(results: Mapping[str, Any]) -> str:
    """Write a line per variant: means over the networks and seeds that were repaired, and how many were."""
    records = {variant: _records(results, variant) for variant in VARIANTS}
    before = [seed["before"] for part in results["parts"].values() for seed in part["seeds"]]
    fair = sum(record["cur"] == 0.0 for record in before)
    rows = [("no repair", f"{fair} of {len(before)}", *_means(before), "-", "-")]
    for variant, found in records.items():
        made = [record for record in found if "cur" in record]
        if not made:
            rows.append((variant, f"0 of {len(found)}", *["-"] * 6))
            continue
        fair = sum(record["cur"] == 0.0 for record in made)
        changed = [record["change"] for record in made if record["change"] > 0]
        cost = f"{statistics.fmean(changed):.3f} ({len(changed)})" if changed else "0"
        seconds = f"{statistics.fmean(record['cpu_s'] for record in found):.1f}"
        rows.append((variant, f"{fair} of {len(found)}", *_means(made), cost, seconds))
    head = ("variant", "all points alike", "CUR %", "IDI-D %", "accuracy %", "kept rows right %",
            "mean change where above 0 (repairs)", "CPU seconds")  # fmt: skip
    return markdown(head, rows)


def _records(results: Mapping[str, Any], variant: str) -> list[Mapping[str, Any]]:
    """Return what was measured of a variant."""
    return [seed["variants"][variant] for part in results["parts"].values() for seed in part["seeds"]]


def _means(records: list[Mapping[str, Any]]) -> tuple[str, ...]:
    """Write the means of the rates in percent."""
    names = ("cur", "idi_d", "accuracy", "kept")
    return tuple(f"{100 * statistics.fmean(record[name] for record in records):.2f}" for name in names)


def plot_naive(results: Mapping[str, Any], path: Path) -> None:
    """Draw accuracy and change with the box and with the polytope, a column per place of step 2: figure 5."""
    from bench.drawing import figure

    parts = results["parts"]
    with figure(path, 2, len(NAIVE), width=4.6) as panels:
        for column, (title, pair) in enumerate(NAIVE.items()):
            for place, (variant, label) in enumerate(zip(pair, ("box", "polytope"), strict=True)):
                where = np.arange(len(parts)) + (place - 0.5) * 0.4
                for row, key in enumerate(("accuracy", "change")):
                    heights = [_mean(part, variant, key) for part in parts.values()]
                    panels[row][column].bar(where, heights, 0.4, label=label)
            for row, said in enumerate(("accuracy", "change of the last layer")):
                panels[row][column].set_ylabel(said)
                panels[row][column].set_xticks(np.arange(len(parts)), list(parts), rotation=45, ha="right")
            panels[0][column].set_title(title)
        panels[0][0].legend(fontsize="small")


def _mean(part: Mapping[str, Any], variant: str, name: str) -> float:
    """Return the mean over the seeds of one part, not a number where one was not repaired."""
    return statistics.fmean(seed["variants"][variant].get(name, math.nan) for seed in part["seeds"])
