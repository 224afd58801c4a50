"""How near the bounds of the unfair share come on published networks, by boxes judged.

The networks are those of Fairify that it has partitions of (nearly) all of the domain of, with the integers that an
import commits to. Beside the bounds stands the share among random applicants, each decided exactly, with Wilson's
interval: the two must meet.
"""

from __future__ import annotations

import csv
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from bench.fairify_networks import folder_in
from bench.harness import BenchError, on_one_thread
from bench.harness import table as markdown
from bench.parts import BaseQuestion, Options, Plan
from equiproof.audits.hyfair.clusters import Judge
from equiproof.audits.intervals import rounded_down, rounded_up, wilson
from equiproof.audits.unfair.networks import NetworkOnBoxes
from equiproof.audits.unfair.search import Share, narrowing
from equiproof.audits.unfair.weights import uniform
from equiproof.certify.digits import percent
from research.suites.hyfair.fairify import TABLE, committed

NETWORKS = (("BM-5", "age"), ("BM-6", "age"), ("GC-3", "sex"), ("GC-4", "sex"))

WIDTH = 0.01
"""The width that is aimed at: one point."""

SECONDS = 60.0

_BATCH = 4096
_CONFIDENCE = 0.999


@dataclass(frozen=True)
class Question(BaseQuestion):
    """`points` boxes are judged, or as many as fit into `seconds` of the processor if that is not 0.

    `drawn` random applicants are decided beside them.
    """

    points: int = 1 << 14
    seconds: float = 0.0
    jobs: int = 1
    drawn: int = 100_000


TIMED = Question(points=1 << 24, seconds=SECONDS)


def plan(data_dir: Path | None, options: Options, question: Question | None = None) -> Plan:
    """Return a part for every network. Raises BenchError for several processes: boxes are timed."""
    options.one_by_one("unfair", "boxes")
    asked = options.of(question or Question())
    folder = folder_in(data_dir)
    parts = {
        f"{name}-{protected}": partial(on_one_thread, measured, folder, name, protected, asked)
        for name, protected in NETWORKS
    }
    return Plan(asked.as_data(), parts)


def measured(folder: Path, name: str, protected: str, question: Question) -> dict[str, Any]:
    """Measure one network; raises BenchError where the bounds contradict the random applicants."""
    judge = committed(folder, name, protected)
    weights = uniform(judge.forward.grid)
    model = NetworkOnBoxes([judge], weights)
    steps = list(course(narrowing(model, weights, question.points), question.seconds))
    drawn = share_of(model, judge, question)
    last = steps[-1]
    if last["lower"] > drawn[1] or last["upper"] < drawn[0]:
        raise BenchError(f"{name}: bounds of {last['lower']} to {last['upper']} contradict {drawn[0]} to {drawn[1]}")
    return {
        "hidden": [len(biases) for _, biases in judge.forward.margin.layers[:-1]],
        "applicants": weights.total,
        "fairify": partitions(folder, name, protected),
        "drawn": drawn,
        "steps": steps,
    }


def course(shares: Iterator[Share], seconds: float) -> Iterator[dict[str, Any]]:
    """Yield the bounds after 4, 16, 64, ... boxes or more, and at the end; with seconds if they limit the search."""
    begun = time.process_time()
    due = 4
    step: dict[str, Any] = {}
    for share in shares:
        spent = time.process_time() - begun
        step = {"boxes": share.boxes, "lower": rounded_down(share.lower), "upper": rounded_up(share.upper)}
        if seconds:
            step["seconds"] = round(spent, 3)
        if share.boxes >= due:
            yield step
            due = 4 * share.boxes
            step = {}
        if seconds and spent >= seconds:
            break
    if step:
        yield step


def share_of(model: NetworkOnBoxes, judge: Judge, question: Question) -> tuple[float, float]:
    """Return Wilson's interval of the unfair share from random applicants; ties count as unfair at its upper end."""
    rng = np.random.default_rng(question.seed)
    unfair = fair = 0
    for start in range(0, question.drawn, _BATCH):
        people = judge.forward.grid.draw(rng, min(_BATCH, question.drawn - start))
        decided = model.applicants(people)
        fair += int(decided[0].sum())
        unfair += int(decided[1].sum())
    n = question.drawn
    return wilson(unfair, n, _CONFIDENCE)[0], wilson(n - fair, n, _CONFIDENCE)[1]


def partitions(folder: Path, name: str, protected: str) -> dict[str, int]:
    """Return how many of Fairify's partitions have a case, have none, and are open, by its table V."""
    path = folder / TABLE
    if not path.is_file():
        raise BenchError(f"{path}: want table V of the Fairify paper here (--data-dir)")
    for row in csv.DictReader(path.read_text().splitlines()):
        if (row["model"], row["protected"]) == (name.replace("-", ""), protected):
            return {"cases": int(row["sat"]), "none": int(row["unsat"]), "open": int(row["unknown"])}
    raise BenchError(f"{path}: has no row of {name} by {protected}")


def table(results: Mapping[str, Any]) -> str:
    """Write the bounds of every network, and the boxes that it took to get them within a point."""
    head = (
        "network, feature", "hidden", "applicants", "Fairify: partitions with a case, with none",
        "unfair share", "width, points", "boxes", "width below a point after", "random applicants",
    )  # fmt: skip
    rows = []
    for name, part in results["parts"].items():
        last = part["steps"][-1]
        near = next((step for step in part["steps"] if step["upper"] - step["lower"] < WIDTH), None)
        rows.append(
            (
                name.replace("-", " by ").replace(" by ", "-", 1),
                ", ".join(map(str, part["hidden"])),
                f"{part['applicants']:.1e}",
                f"{part['fairify']['cases']}, {part['fairify']['none']}",
                f"{percent(last['lower'], 'down', 3)} to {percent(last['upper'], 'up', 3)}",
                f"{100 * (last['upper'] - last['lower']):.2g}",
                f"{last['boxes']:,}",
                "" if near is None else _after(near),
                f"{percent(part['drawn'][0], 'down', 3)} to {percent(part['drawn'][1], 'up', 3)}",
            )
        )
    return markdown(head, rows)


def _after(step: Mapping[str, Any]) -> str:
    """Return the boxes of a step, and its seconds where they were measured."""
    seconds = f", {step['seconds']:.1f} s" if "seconds" in step else ""
    return f"{step['boxes']:,} boxes{seconds}"
