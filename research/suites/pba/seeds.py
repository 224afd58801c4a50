"""Persistent bias over several trainings, and by what is decided: figures 2 and 3 of the paper, with other seeds too.

Each part is a kind of network, trained from several seeds, that differ in their starting weights, their batches, and
the people drawn. Nothing is timed, so all parts are measured in this process.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path
from typing import Any

from bench.harness import BenchError
from bench.harness import table as markdown
from bench.parts import BaseQuestion, Options, Plan
from equiproof.audits.intervals import holm, mean_of
from equiproof.audits.pba.copies import Arrays
from equiproof.audits.pba.definition import checked_units
from equiproof.audits.pba.outcomes import by_outcome
from equiproof.audits.pba.preparation import PREPARATIONS, prepare
from equiproof.audits.pba.scores import Pair, assess, drawn, people, shares
from equiproof.audits.pba.search import Budget
from equiproof.certify.data.dataset import Dataset
from equiproof.certify.models.quantise import quantise
from research.suites.pba.paper import printed
from research.suites.pba.suite import MAX_PARTS, MODELS, Model, plain, trained

Results = Mapping[str, Any]

FIGURES = {2: Model("adult", "race", (500, 100), "fair-n"), 3: Model("german", "age", (500, 100), "fair-n")}
"""The networks of the paper's figures."""

CONFIDENCE = 0.95


@dataclass(frozen=True)
class Question(BaseQuestion):
    """`points` people of each group of each training; the budget of one question is `seconds` and 300 parts."""

    points: int = 50
    seconds: float = 5.0
    jobs: int = 1
    seeds: tuple[int, ...] = (0, 1, 2, 3, 4)
    models: tuple[Model, ...] = (*FIGURES.values(), *(one for one in MODELS if one.hidden == (100, 50)))
    epochs: tuple[tuple[str, int], ...] = (("adult", 10), ("compas", 15), ("german", 60))


def plan(data_dir: Path | None, options: Options, question: Question | None = None) -> Plan:
    """Return a part for every kind of network. Raises BenchError for several processes, or one seed."""
    options.one_by_one("pba-seeds", "networks")
    asked = options.of(question or Question())
    if len(asked.seeds) < 2:
        raise BenchError(f"--seeds {','.join(map(str, asked.seeds))}: want at least two, their spread is measured")
    return Plan(
        asked.as_data("models"),
        {one.name: partial(measured, _prepared, data_dir, one, asked) for one in asked.models},
    )


@cache
def _prepared(name: str, data_dir: Path | None) -> Dataset:
    """Prepare a data set once."""
    return prepare(name, data_dir)


def measured(load: Any, data_dir: Path | None, model: Model, question: Question) -> dict[str, Any]:
    """Train networks of one kind and ask about their people at delta 1; return shares by group and by decision."""
    how = PREPARATIONS[model.dataset]
    data, pair = load(model.dataset, data_dir), Pair(model.attribute, *how.attributes[model.attribute])
    return {
        "dataset": model.dataset,
        "attribute": model.attribute,
        "groups": list(pair.groups),
        "hidden": list(model.hidden),
        "mode": model.mode,
        "labels": list(data.spec.labels),
        "seeds": {str(seed): _of_seed(data, model, pair, question, seed) for seed in question.seeds},
    }


def _of_seed(data: Dataset, model: Model, pair: Pair, question: Question, seed: int) -> dict[str, Any]:
    """Train one network and ask about its people."""
    network, report = trained(data, model, dict(question.epochs)[model.dataset], seed)
    arrays, units = Arrays(quantise(network, data.spec)), checked_units(data.spec, PREPARATIONS[model.dataset].units)
    rows, labels = [data.rows[row] for row in data.test], [data.labels[row] for row in data.test]
    chosen = drawn(people(arrays, data.spec, rows, labels, pair), pair, question.points, seed)
    budget = Budget(MAX_PARTS, question.seconds)
    found = [assess(arrays, data.spec, person, 1, units, budget=budget) for person in chosen]
    return {
        "accuracy": round(report.accuracy[1], 4),
        "shares": [plain(one) for one in shares(found, pair)],
        "outcomes": [plain(one) for one in by_outcome(found, pair, data.spec.labels)],
    }


def gaps(results: Results) -> str:
    """Write one line per kind of network: its gap in every training, and their mean with a joint interval."""
    parts = list(results["parts"].values())
    signed = [[_signed(one) for one in part["seeds"].values()] for part in parts]
    each = 1 - (1 - CONFIDENCE) / max(1, len(parts))
    means = [mean_of(values, each) for values in signed]
    adjusted = holm([one.p for one in means])
    rows = []
    for part, values, mean, p in zip(parts, signed, means, adjusted, strict=True):
        accuracies = [one["accuracy"] for one in part["seeds"].values()]
        rows.append(
            (
                f"{part['dataset']} {part['attribute']}",
                f"({','.join(map(str, part['hidden']))}) {part['mode']}",
                " - ".join(part["groups"]),
                f"{min(accuracies):.1%} to {max(accuracies):.1%}",
                ", ".join(_points(one) for one in values),
                f"{_points(mean.value)} [{_points(mean.lower)}, {_points(mean.upper)}]",
                "yes" if p < 1 - CONFIDENCE else "no",
                _printed(part),
            )
        )
    head = (
        "data, attribute", "network", "gap", "accuracy", "gap of each seed", "mean", "not 0 (Holm)", "the paper's",
    )  # fmt: skip
    return markdown(head, rows)


def outcomes(results: Results) -> str:
    """Write the paper's figures: for each network, setting, group and decision the share of every training."""
    rows = []
    for number, model in FIGURES.items():
        part = results["parts"].get(model.name)
        if part is None:
            continue
        for setting in ("observed", "flipped"):
            for group in part["groups"]:
                cells = [_of_label(part, f"PBA {setting} among {label}", group) for label in part["labels"]]
                rows.append((str(number), f"{model.dataset} {model.attribute}", setting, group, *cells))
    head = ("figure", "network", "setting", "group", "of those decided low or bad", "of those decided high or good")
    return markdown(head, rows)


def _signed(found: Mapping[str, Any]) -> float:
    """Return the first group's share with persistent bias minus the second's, in the setting observed; both have n."""
    first, second = (float(one["value"]) for one in found["shares"] if one["measure"] == "PBA observed")
    return first - second


def _printed(part: Mapping[str, Any]) -> str:
    """Write the gap that the paper prints."""
    first, second = printed(part) or (0.0, None)
    return "-" if second is None else _points((first - second) / 100)


def _of_label(part: Mapping[str, Any], measure: str, group: str) -> str:
    """Write the shares of all trainings, with the number of people."""
    found: Sequence[Mapping[str, Any]] = [
        next(one for one in seed["outcomes"] if (one["measure"], one["group"]) == (measure, group))
        for seed in part["seeds"].values()
    ]
    return ", ".join("-" if not one["n"] else f"{100 * one['value']:.0f}% of {one['n']}" for one in found)


def _points(value: float) -> str:
    """Write a signed gap in points."""
    return f"{100 * value:+.0f}"
