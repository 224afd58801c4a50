"""What certificates give away, for the models that lenders use: copies at drafted levels, other levels and without.

Models are trained on a part of a data set and rounded to integers. Levels are drafted from training rows, as an import
does. Then other people apply: test rows, which neither the model nor the draft has seen, and chosen applications, made
up of values of these rows. They get simulated certificates with the product's search; copies from 3 to 1000 of these
are compared with the model on people of whom none has applied.
"""

from __future__ import annotations

import math
import statistics
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from bench.harness import on_one_thread
from bench.harness import table as markdown
from bench.parts import BaseQuestion, Options, Plan
from bench.sample import shuffled
from equiproof.certify.additive import AdditiveModel
from equiproof.certify.data import load
from equiproof.certify.data.dataset import Dataset, encode_rows
from equiproof.certify.digits import number, percent
from equiproof.certify.ensemble import EnsembleModel, ScoredModel
from equiproof.certify.leak.candidates import LevelError
from equiproof.certify.leak.certificates import Certificate, Levels, invented, simulated
from equiproof.certify.leak.curve import LABELS_ALONE, Point, Target, aimed_at, curve
from equiproof.certify.leak.draft import APPLICANTS, HELD_OUT, draft_for
from equiproof.certify.leak.proposals import MOST_GAIN, FirstLevel, kept
from equiproof.certify.leak.spread import spread_level
from equiproof.certify.leak.thresholds import thresholds_of
from equiproof.certify.models.network import Network
from equiproof.certify.models.quantise import quantise
from equiproof.certify.models.training import train
from equiproof.certify.network import QuantisedNetwork
from equiproof.circuits.levels import squares
from equiproof.circuits.spec import Spec
from research.suites.target_models import MODELS, committed

KINDS: Mapping[str, str] = {
    "logistic": "a logistic regression",
    "scorecard": "a scorecard of 300 stumps",
    "ebm": "an explainable boosting machine",
    "100x3": "100 trees of depth 3",
    "network": "a network of 8 and 4 neurons",
}
NAMES: Mapping[str, str] = {"german": "German", "adult": "Adult", "lending": "lending"}

LABELS, LEVELS, EXACT = "labels", "levels", "exact"
ROWS, CHOSEN = "rows", "chosen"
WORDS: Mapping[str, str] = {
    LABELS: "labels alone", LEVELS: "drafted levels", EXACT: "exact radii", ROWS: "test rows", CHOSEN: "chosen",
}  # fmt: skip


@dataclass(frozen=True)
class Question(BaseQuestion):
    """`points` test rows apply, a copy is compared on up to `held_out` people; searches end after `seconds` a source.

    These seconds are of the processor. Linear models also get `linear_chosen` chosen applications, others `chosen`.
    Copies from `counts` certificates are made once, those from `main` of them `draws` times, of which the middle one
    counts.
    """

    points: int = 160
    seconds: float = 240.0
    jobs: int = 1
    draws: int = 3
    held_out: int = 2000
    chosen: int = 340
    linear_chosen: int = 1100
    counts: tuple[int, ...] = (3, 10, 30, 100, 300, 1000)
    main: int = 100
    datasets: tuple[str, ...] = ("german", "adult", "lending")


def plan(data_dir: Path | None, options: Options, question: Question | None = None) -> Plan:
    """Return a part for every kind of model and data set."""
    asked = options.of(question or Question())
    parts = {
        f"{dataset}-{kind}": partial(on_one_thread, measured, dataset, kind, asked, data_dir)
        for kind in KINDS
        for dataset in asked.datasets
    }
    return Plan(asked.as_data("datasets", "jobs"), parts)


def measured(dataset: str, kind: str, question: Question, data_dir: Path | None) -> dict[str, Any]:
    """Train a model, draft its levels, simulate certificates of other people, and return what copies come to."""
    data = load(dataset) if dataset == "lending" else load(dataset, data_dir)
    spec, model = data.spec, trained(kind, data)
    apply, drafted, others = separate(data, question)
    texts, compared = proposed(model, spec, _queries(data, drafted), question.seed)
    target = aimed_at(model, spec, _queries(data, others))
    count = question.linear_chosen if target.family == "linear" else question.chosen
    made_up = invented(spec, _queries(data, apply), count, question.seed)
    pools = {
        source: simulated(model, spec, queries, max_seconds=question.seconds, clock=time.process_time)
        for source, queries in ((ROWS, _queries(data, apply)), (CHOSEN, made_up))
    }
    ends = {LABELS: LABELS_ALONE, LEVELS: squares(texts, spec.input_fraction_bits), EXACT: None}
    curves = {
        source: {
            shown: [_plain(one) for one in _curve(target, pool, levels, question)] for shown, levels in ends.items()
        }
        for source, pool in pools.items()
    }
    radii = [math.sqrt(one.radius_squared) / spec.scale_unit for one in pools[ROWS]]
    return {
        "dataset": dataset,
        "kind": kind,
        "family": target.family,
        "columns": spec.plain_columns,
        "thresholds": len(thresholds_of(model, spec)) if isinstance(model, AdditiveModel | EnsembleModel) else None,
        "applied": len(apply),
        "certificates": {source: len(pool) for source, pool in pools.items()},
        "compared": len(target.labels),
        "larger_label": round(float(max(target.labels.mean(), 1 - target.labels.mean())), 4),
        "median_radius": round(statistics.median(radii), 4),
        "drafted": list(texts),
        "curves": curves,
        "levels": [_at(texts, target, pools[ROWS], question) for texts in compared],
    }


def separate(data: Dataset, question: Question) -> tuple[list[int], list[int], list[int]]:
    """Return rows that apply, rows that levels are drafted from, and rows that copies are compared on.

    No row is in two of them. At most half of the test rows apply; at most half of the training rows serve the draft.
    """
    test, train = (shuffled(list(rows), question.seed) for rows in (data.test, data.train))
    applying = min(question.points, len(test) // 2)
    drafted = min(APPLICANTS + HELD_OUT, len(train) // 2)
    others = [*test[applying:], *train[drafted:]][: question.held_out]
    return test[:applying], train[:drafted], others


def _queries(data: Dataset, rows: Sequence[int]) -> list[tuple[int, ...]]:
    """Return the queries of rows."""
    return [data.spec.encode(data.rows[row]) for row in rows]


def _curve(target: Target, pool: Sequence[Certificate], levels: Levels | None, question: Question) -> list[Point]:
    """Return what copies come to, by the number of certificates; of a smaller pool than `main` the last is of it all.

    Exact radii of n columns are also asked for after n + 2 certificates, which solve the equations of a linear model.
    """
    main = min(question.main, len(pool))
    counts = {*question.counts, main, target.spec.plain_columns + 2}
    points = []
    for count in sorted(one for one in counts if one <= len(pool) and (main == question.main or one <= main)):
        draws = question.draws if count == main else 1
        points += curve(target, pool, levels, (count,), draws=draws, seed=question.seed)
    return points


def proposed(
    model: QuantisedNetwork | ScoredModel, spec: Spec, queries: Sequence[tuple[int, ...]], seed: int
) -> tuple[tuple[str, ...], list[tuple[str, ...]]]:
    """Return the drafted levels, and all lists of levels that the draft compared.

    Where no draft can be made, both are the level of the spread, which an import takes then.
    """
    try:
        draft = draft_for(model, spec, queries, seed=seed)
    except LevelError:
        level = spread_level(spec)
        return (level,), [(level,)]
    if isinstance(draft, FirstLevel):
        return draft.levels, [draft.levels]
    return draft.levels, [one.levels for one in draft.proposals if one.levels]


def _at(texts: tuple[str, ...], target: Target, pool: Sequence[Certificate], question: Question) -> dict[str, Any]:
    """Return what levels keep for the people who apply, and what a copy from their certificates comes to."""
    levels = squares(texts, target.spec.input_fraction_bits)
    reached, left = kept(levels, pool)
    count = min(question.main, len(pool))
    (point,) = curve(target, pool, levels, (count,), draws=question.draws, seed=question.seed)
    return {"levels": list(texts), "reached": round(reached, 4), "kept": round(left, 4)} | _plain(point)


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


def _plain(point: Point) -> dict[str, Any]:
    """Return a point as plain data."""
    return {
        "count": point.count,
        "agreement": round(point.agreement, 4),
        "claimed": point.claimed,
        "known": point.known,
    }


def after(part: Mapping[str, Any], source: str, shown: str, count: int = 100) -> Mapping[str, Any]:
    """Return the point of a curve with `count` certificates, or with the most below it."""
    points: Sequence[Mapping[str, Any]] = part["curves"][source][shown]
    return max((one for one in points if one["count"] <= count), key=lambda one: int(one["count"]))


def gain(part: Mapping[str, Any], source: str) -> float:
    """Return by how many points of percent a copy from 100 certificates at drafted levels beats labels alone."""
    ends = (after(part, source, shown)["agreement"] for shown in (LEVELS, LABELS))
    return round(100 * float(np.subtract(*ends)), 2)


def name_of(part: Mapping[str, Any]) -> str:
    """Return the words for a model."""
    return f"{NAMES[part['dataset']]}, {KINDS[part['kind']]}"


def harm(parts: Mapping[str, Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """Return the models in the order of harm: by the larger gain of a copy, then by the radius that is left."""
    return sorted(parts.values(), key=lambda part: (-max(gain(part, ROWS), gain(part, CHOSEN)), _drafted(part)["kept"]))


def _drafted(part: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return what the drafted levels keep."""
    return next(one for one in part["levels"] if one["levels"] == part["drafted"])


def table(results: Mapping[str, Any]) -> str:
    """Return a line for each model in the order of harm: what copies from 100 certificates come to, what is kept."""
    head = (
        "model", "labels alone", "exact radii", "drafted levels", "a copy at them",
        "more than labels: test rows, chosen", "target", "median radius kept", "have the first level",
        "thresholds known: labels, drafted, exact, of",
    )  # fmt: skip
    return markdown(head, [_line(part) for part in harm(results["parts"])])


def _line(part: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the cells of a model."""
    ends = {shown: after(part, ROWS, shown) for shown in (LABELS, LEVELS, EXACT)}
    known = ", ".join(str(ends[shown]["known"]) for shown in (LABELS, LEVELS, EXACT))
    chosen = _drafted(part)
    return (
        name_of(part),
        percent(ends[LABELS]["agreement"]),
        percent(ends[EXACT]["agreement"]),
        ", ".join(part["drafted"]),
        percent(ends[LEVELS]["agreement"]),
        f"{gain(part, ROWS):+.1f}, {gain(part, CHOSEN):+.1f}",
        number(MOST_GAIN[part["family"]]),
        percent(chosen["kept"]),
        percent(chosen["reached"], places=0),
        "-" if part["thresholds"] is None else f"{known}, {part['thresholds']}",
    )


def levels_table(results: Mapping[str, Any]) -> str:
    """Return a line for each list of levels that a draft compared, measured on the people who applied."""
    head = ("model", "levels", "more than labels alone", "median radius kept", "have the first level")
    return markdown(head, list(_levels_lines(results["parts"])))


def _levels_lines(parts: Mapping[str, Mapping[str, Any]]) -> Iterator[tuple[str, ...]]:
    """Yield the cells of each list of levels."""
    for part in harm(parts):
        alone = after(part, ROWS, LABELS)["agreement"]
        for one in part["levels"]:
            yield (
                name_of(part),
                ", ".join(one["levels"]) + (" (drafted)" if one["levels"] == part["drafted"] else ""),
                f"{100 * (one['agreement'] - alone):+.1f}",
                percent(one["kept"]),
                percent(one["reached"], places=0),
            )


def curves_table(results: Mapping[str, Any]) -> str:
    """Return the curves: a line for each model, kind of applicants and kind of radii, a column for each number."""
    counts = results["question"]["counts"]
    head = ("model", "applicants", "radii", *(str(count) for count in counts))
    return markdown(head, list(_curve_lines(results["parts"], counts)))


def _curve_lines(parts: Mapping[str, Mapping[str, Any]], counts: Sequence[int]) -> Iterator[tuple[str, ...]]:
    """Yield the cells of each curve; "-" where there were fewer certificates."""
    for part in harm(parts):
        for source, curves in part["curves"].items():
            for shown, points in curves.items():
                found = {one["count"]: percent(one["agreement"]) for one in points}
                yield name_of(part), WORDS[source], WORDS[shown], *(found.get(count, "-") for count in counts)
