"""What ways and nones give away: copies from them, beside copies from exact radii and from decisions alone.

Models are trained on the lending data under rules of change. Test rows apply: the refused ones get the cheapest way or
a none by the product's own search, all that are treated fairly get simulated certificates. Copies from the same number
of each are compared with the model on training rows, of whom nobody has applied.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from dataclasses import replace as changed
from functools import partial
from pathlib import Path
from typing import Any

import msgspec

from bench.harness import on_one_thread
from bench.harness import table as markdown
from bench.parts import BaseQuestion, Options, Plan
from bench.recourse_models import ruled
from bench.sample import shuffled
from equiproof.certify.additive import AdditiveModel
from equiproof.certify.data import load
from equiproof.certify.data.dataset import Dataset
from equiproof.certify.digits import percent
from equiproof.certify.ensemble import EnsembleModel, ScoredModel
from equiproof.certify.leak.certificates import simulated
from equiproof.certify.leak.curve import LABELS_ALONE, Point, aimed_at, curve, curve_of_ways
from equiproof.certify.leak.thresholds import thresholds_of
from equiproof.certify.leak.ways import answered
from equiproof.certify.models.quantise import quantise
from equiproof.certify.models.training import train
from equiproof.certify.network import QuantisedNetwork
from equiproof.circuits.changes import Changes
from equiproof.circuits.spec import Feature, Spec, checked
from research.suites import leak

DATA = "lending"

MODELS: Mapping[str, str] = {
    "logistic": "a logistic regression",
    "logistic-steps": "the same, steps of an eighth of a scale",
    "scorecard": "a scorecard of 300 stumps",
    "100x3": "100 trees of depth 3",
    "network": "a network of 16 and 8 neurons",
}

WAYS, EXACT, LABELS = "ways", "exact", "labels"

STEPS = 8
"""Coarse steps are this part of a number's scale."""


@dataclass(frozen=True)
class Question(BaseQuestion):
    """Copies from `counts` ways or certificates are made `draws` times, of which the middle one counts.

    Searches for ways, and those for radii, end after `seconds` each; the model decides up to `held_out` others.
    """

    points: int = 800
    seconds: float = 240.0
    jobs: int = 1
    draws: int = 3
    held_out: int = 2000
    counts: tuple[int, ...] = (5, 13, 20, 60, 150)
    models: tuple[str, ...] = tuple(MODELS)


def plan(data_dir: Path | None, options: Options, question: Question | None = None) -> Plan:  # noqa: ARG001 -- synthetic
    """Return a part for every model."""
    asked = options.of(question or Question())
    return Plan(asked.as_data("jobs"), {name: partial(on_one_thread, measured, name, asked) for name in asked.models})


def measured(name: str, question: Question) -> dict[str, Any]:
    """Train a model, let people apply, and return what copies come to."""
    data = ruled(load(DATA))
    if name == "logistic-steps":
        data = changed(data, spec=with_steps(data.spec))
    spec, model = data.spec, trained(name, data)
    applying = shuffled(list(data.test), question.seed)[: question.points]
    others = shuffled(list(data.train), question.seed)[: question.held_out]
    rows = [data.rows[row] for row in applying]
    target = aimed_at(model, spec, [spec.encode(data.rows[row]) for row in others])
    ways = answered(model, spec, rows, max_seconds=question.seconds)
    radii = simulated(model, spec, [spec.encode(row) for row in rows], max_seconds=question.seconds)
    counts, draws, seed = question.counts, question.draws, question.seed
    curves = {
        WAYS: curve_of_ways(target, ways, counts, draws=draws, seed=seed),
        EXACT: curve(target, radii, None, counts, draws=draws, seed=seed),
        LABELS: curve(target, radii, LABELS_ALONE, counts, draws=draws, seed=seed),
    }
    return {
        "model": name,
        "columns": spec.plain_columns,
        "thresholds": len(thresholds_of(model, spec)) if isinstance(model, AdditiveModel | EnsembleModel) else None,
        "applied": len(rows),
        "ways": sum(bool(one.label) for one in ways),
        "nones": sum(not one.label for one in ways),
        "certificates": len(radii),
        "compared": len(target.labels),
        "larger_label": round(float(max(target.labels.mean(), 1 - target.labels.mean())), 4),
        "curves": {shown: [_plain(point) for point in points] for shown, points in curves.items()},
    }


def with_steps(spec: Spec) -> Spec:
    """Return a spec by whose rules numbers move by about a part of their scale, a whole number; caps are rounded up."""

    def coarse(feature: Feature) -> Feature:
        if feature.kind != "numeric" or isinstance(feature.changes, msgspec.UnsetType):
            return feature
        changes: Changes = feature.changes
        step = round(float(feature.scale) / STEPS)
        near = {} if isinstance(changes.by, msgspec.UnsetType) else {"by": str(-(-int(changes.by) // step) * step)}
        return msgspec.structs.replace(feature, changes=msgspec.structs.replace(changes, step=str(step), **near))

    return checked(msgspec.structs.replace(spec, features=tuple(map(coarse, spec.features))))


def trained(name: str, data: Dataset) -> QuantisedNetwork | ScoredModel:
    """Return a model in integers."""
    if name == "network":
        return quantise(train(data, (16, 8))[0], data.spec)
    return leak.trained(name.removesuffix("-steps"), data)


def _plain(point: Point) -> dict[str, Any]:
    """Return a point as plain data."""
    return {
        "count": point.count,
        "agreement": round(point.agreement, 4),
        "claimed": point.claimed,
        "known": point.known,
    }


def table(results: Mapping[str, Any]) -> str:
    """Return a line for each model and number of ways."""
    head = ("model", "number", "ways and nones", "exact radii", "decisions alone", "thresholds named: ways, radii, of")
    lines = [line for name, part in results["parts"].items() for line in _lines(name, part)]
    return markdown(head, lines)


def _lines(name: str, part: Mapping[str, Any]) -> list[tuple[str, ...]]:
    """Return the lines of a model; "-" where so many were not there."""
    points = {shown: {one["count"]: one for one in part["curves"][shown]} for shown in (WAYS, EXACT, LABELS)}
    lines = []
    for count in points[WAYS]:
        found = [points[shown].get(count) for shown in (WAYS, EXACT, LABELS)]
        agreement = ["-" if one is None else percent(one["agreement"]) for one in found]
        known = ", ".join("-" if one is None else str(one["known"]) for one in found[:2])
        named = "-" if part["thresholds"] is None else f"{known}, {part['thresholds']}"
        lines.append((MODELS[name], str(count), *agreement, named))
    return lines


def people(results: Mapping[str, Any]) -> str:
    """Return a line for each model: who applied, and what they got."""
    head = ("model", "applied", "ways", "nones", "certificates", "compared with", "the more frequent label")
    keys = ("applied", "ways", "nones", "certificates", "compared")
    return markdown(
        head,
        [
            (MODELS[name], *(str(part[key]) for key in keys), percent(part["larger_label"]))
            for name, part in results["parts"].items()
        ],
    )
