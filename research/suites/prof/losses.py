"""Both losses of step 1 of PROF over its steps, in ten runs: figure 4.

A run is a seed: its own split, repair points and rows to keep, of the same network. Both losses fall from their values
before the repair: that of fairness is the width of the features' bounds over that before, that of the rows to keep
their cross entropy.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from bench.harness import apart
from bench.parts import Options, Plan
from equiproof.audits.prof.repair import step_1
from equiproof.audits.prof.similar import Similarity
from research.suites.prof import table as single
from research.suites.prof.ablation import PARTS
from research.suites.prof.nets import NETWORKS, load_network
from research.suites.prof.table import Asking, Split

RUNS = 10
_EVERY = 5


@dataclass(frozen=True)
class Question(single.Question):
    """As of :class:`research.suites.prof.table.Question`, with the seeds of ten runs; nothing else of it is used."""

    seeds: tuple[int, ...] = tuple(range(single.FRESH.seeds[0], single.FRESH.seeds[0] + RUNS))
    training: int = single.FRESH.training


def plan(data_dir: Path | None, options: Options, question: Question | None = None) -> Plan:
    """Return a part for every network and feature."""
    asked = options.of(question or Question())
    unused = ("seconds", "seed", "samples", "boxes")
    parts = {one.part: partial(apart, measured, one, asked, data_dir) for one in PARTS}
    return Plan(asked.as_data(*unused), parts)


def measured(asking: Asking, question: Question, data_dir: Path | None) -> dict[str, Any]:
    """Return both losses of every run, every few steps: [fairness, rows to keep]."""
    loaded = load_network(asking.name, asking.sensitive, data_dir, question.training)
    similarity, runs = Similarity.of(loaded.spec), []
    for seed in question.seeds:
        split = Split.of(asking.name, loaded, seed, question.points)
        settings = replace(question.settings, seed=seed)
        calibrated, _ = step_1(loaded.network, similarity, split.queries, split.kept, settings)
        found = () if calibrated is None else calibrated.losses[::_EVERY]
        runs.append([[round(value, 5) for value in pair] for pair in found])
    return {"network": NETWORKS[asking.name].network, "runs": runs}


def plot(results: Mapping[str, Any], path: Path) -> None:
    """Draw mean and range of the runs over the steps, a panel per network and feature."""
    from bench.drawing import figure

    parts = results["parts"]
    with figure(path, -(-len(parts) // 3), 3) as panels:
        for panel in panels.flat[len(parts) :]:
            panel.set_visible(False)
        for panel, (name, part) in zip(panels.flat, parts.items(), strict=False):
            made = [run for run in part["runs"] if run]
            runs = np.array([run[: min(map(len, made))] for run in made])
            steps = np.arange(runs.shape[1]) * _EVERY
            for place, (label, color) in enumerate((("fairness", "tab:blue"), ("rows to keep", "tab:orange"))):
                held = runs[:, :, place]
                panel.plot(steps, held.mean(axis=0), color=color, label=label)
                panel.fill_between(steps, held.min(axis=0), held.max(axis=0), color=color, alpha=0.25, linewidth=0)
            panel.set_xlabel(f"{name}: steps")
            panel.set_ylim(bottom=0)
        panels.flat[0].legend(fontsize="small")
