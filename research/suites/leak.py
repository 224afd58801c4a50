"""What certificates give away, for the models that lenders use: copies from 100 certificates, at levels and without.

Models are trained on a data set's training rows and rounded to integers. Test applicants get simulated certificates
with the product's search; copies are compared with the model on other rows. Numbers are medians of several draws.
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from bench.harness import apart
from bench.harness import table as markdown
from bench.parts import BaseQuestion, Options, Plan
from bench.sample import shuffled
from equiproof.certify.additive import AdditiveModel
from equiproof.certify.data import load
from equiproof.certify.data.dataset import Dataset, encode_rows
from equiproof.certify.digits import number, percent
from equiproof.certify.ensemble import ScoredModel
from equiproof.certify.leak.certificates import family, simulated
from equiproof.certify.leak.curve import LABELS_ALONE, Point, aimed_at, curve
from equiproof.certify.leak.draft import MOST_GAIN, Draft, Proposal, draft_levels
from equiproof.certify.leak.thresholds import thresholds_of
from equiproof.certify.models.network import Network
from equiproof.certify.models.quantise import quantise
from equiproof.certify.models.training import train
from equiproof.certify.network import QuantisedNetwork
from research.suites.target_models import MODELS, committed

KINDS: Mapping[str, str] = {
    "logistic": "a logistic regression",
    "scorecard": "a scorecard of 300 stumps",
    "ebm": "an explainable boosting machine",
    "100x3": "100 trees of depth 3",
    "network": "a network of 8 and 4 neurons",
}
NAMES: Mapping[str, str] = {"german": "German", "adult": "Adult", "lending": "lending"}


@dataclass(frozen=True)
class Question(BaseQuestion):
    """`points` test rows apply, copies are compared on `held_out` others, `draws` times, in `seconds` of search."""

    points: int = 160
    seconds: float = 240.0
    jobs: int = 1
    draws: int = 3
    held_out: int = 2000
    datasets: tuple[str, ...] = ("german", "adult", "lending")


def plan(data_dir: Path | None, options: Options, question: Question | None = None) -> Plan:
    """Return a part for every kind of model and data set."""
    asked = options.of(question or Question())
    parts = {
        f"{dataset}-{kind}": partial(apart, measured, dataset, kind, asked, data_dir)
        for kind in KINDS
        for dataset in asked.datasets
    }
    return Plan(asked.as_data("datasets", "jobs"), parts)


def measured(dataset: str, kind: str, question: Question, data_dir: Path | None) -> dict[str, Any]:
    """Train a model, simulate certificates, and return the figures of the draft of its levels."""
    data = load(dataset) if dataset == "lending" else load(dataset, data_dir)
    model = trained(kind, data)
    order = shuffled(list(data.test), question.seed)
    applying, others = order[: question.points], [*data.train, *order[question.points :]]
    queries = [data.spec.encode(data.rows[row]) for row in applying]
    pool = simulated(model, data.spec, queries, max_seconds=question.seconds)
    held_out = shuffled(others, question.seed)[: question.held_out]
    target = aimed_at(model, data.spec, [data.spec.encode(data.rows[row]) for row in held_out])
    draft = draft_levels(target, pool, draws=question.draws, seed=question.seed)
    few = (data.spec.plain_columns + 2,)
    exact, labels = (
        curve(target, pool, levels, few, draws=question.draws, seed=question.seed) for levels in (None, LABELS_ALONE)
    )
    radii = [math.sqrt(one.radius_squared) / data.spec.scale_unit for one in pool]
    return {
        "dataset": dataset,
        "kind": kind,
        "family": family(model),
        "columns": data.spec.plain_columns,
        "thresholds": len(thresholds_of(model, data.spec)) if isinstance(model, AdditiveModel) else None,
        "applied": len(applying),
        "certificates": len(pool),
        "larger_label": round(float(max(target.labels.mean(), 1 - target.labels.mean())), 4),
        "median_radius": round(statistics.median(radii), 4),
        "few": {"exact": [_plain(one) for one in exact], "labels": [_plain(one) for one in labels]},
        "labels": _plain(draft.labels),
        "proposals": [_proposed(one, draft) for one in draft.proposals],
    }


def trained(kind: str, data: Dataset) -> QuantisedNetwork | ScoredModel:
    """Return a model of a kind, in integers."""
    if kind == "logistic":
        return _logistic(data)
    if kind == "network":
        return quantise(train(data, (8, 4))[0], data.spec)
    return committed(next(model for model in MODELS if model.name == kind), data)


def _logistic(data: Dataset) -> QuantisedNetwork:
    """Return a logistic regression as the two neurons that an import makes of it."""
    from sklearn.linear_model import LogisticRegression

    rows = np.asarray(data.train)
    inputs = encode_rows(data.spec, data.rows)[rows] / data.spec.scale_unit
    fitted = LogisticRegression(max_iter=2000).fit(inputs, data.label_array()[rows])
    weights = np.vstack([fitted.coef_[0], -fitted.coef_[0]])
    biases = np.array([fitted.intercept_[0], -fitted.intercept_[0]])
    return quantise(Network((weights, np.array([[1.0, -1.0]])), (biases, np.zeros(1))), data.spec)


def _proposed(one: Proposal, draft: Draft) -> dict[str, Any]:
    """Return a proposal as plain data."""
    return {
        "levels": list(one.levels),
        "reached": round(one.reached, 4),
        "kept": round(one.kept, 4),
        "gain": round(one.gain(draft.labels), 2),
        "chosen": one == draft.chosen,
    } | _plain(one.copy)


def _plain(point: Point) -> dict[str, Any]:
    """Return a point as plain data."""
    return {
        "count": point.count,
        "agreement": round(point.agreement, 4),
        "claimed": point.claimed,
        "known": point.known,
    }


def table(results: Mapping[str, Any]) -> str:
    """Return a line for each model: what copies come to, the drafted levels and what they keep."""
    head = (
        "model", "certificates", "labels alone", "exact radii", "drafted levels", "a copy at them", "more than labels",
        "target", "median radius kept", "thresholds known: exact, drafted, of",
    )  # fmt: skip
    return markdown(head, list(_lines(results["parts"])))


def _lines(parts: Mapping[str, Mapping[str, Any]]) -> Iterator[tuple[str, ...]]:
    """Yield the cells of each model."""
    for part in parts.values():
        chosen = next(one for one in part["proposals"] if one["chosen"])
        exact = part["proposals"][-1]
        known = "-" if part["thresholds"] is None else f"{exact['known']}, {chosen['known']}, {part['thresholds']}"
        yield (
            f"{NAMES[part['dataset']]}, {KINDS[part['kind']]}",
            str(chosen["count"]),
            percent(part["labels"]["agreement"]),
            percent(exact["agreement"]),
            ", ".join(chosen["levels"]),
            percent(chosen["agreement"]),
            f"{chosen['gain']:+.1f}",
            number(MOST_GAIN[part["family"]]),
            percent(chosen["kept"], places=0),
            known,
        )
