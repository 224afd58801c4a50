"""The tables of the paper on persistent bias, rebuilt: three data sets, three sizes, three ways to train, three deltas.

Each part is a network of its own, trained and quantised, and people drawn from its test rows: as many who
qualify of each group. Seconds are of one person's question of persistent bias in both settings, until it is answered
exactly or the budget ends: CPU seconds, and clock seconds, which include delays by other work on the machine.
"""

from __future__ import annotations

import math
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from bench.harness import apart, spread
from bench.parts import BaseQuestion, Options, Plan
from equiproof.audits.pba.copies import Arrays
from equiproof.audits.pba.definition import SETTINGS, Setting, ask, checked_units, neighborhood, rivals
from equiproof.audits.pba.preparation import PREPARATIONS, prepare
from equiproof.audits.pba.scores import Assessment, Pair, Person, assess, baselines, drawn, people, robustness, shares
from equiproof.audits.pba.search import Budget, judge
from equiproof.audits.records import Estimate
from equiproof.certify.data.dataset import Dataset
from equiproof.certify.models.network import Network, TrainingReport
from equiproof.certify.models.objectives import WITH_FEATURE, AdamSettings, Objective, aim_at, train_for
from equiproof.certify.models.quantise import quantise
from equiproof.circuits.spec import Spec

DELTAS = (1, 2, 3)
PAPER_SECONDS = {(100, 50): (0.24, 0.30, 0.36), (200, 100): (0.90, 1.30, 1.66), (500, 100): (2.15, 3.04, 3.82)}
"""Seconds per point at delta 1, 2, 3, on eight cores with a commercial solver."""

MAX_PARTS = 300


@dataclass(frozen=True)
class Model:
    """A network of the tables, and its sensitive attribute."""

    dataset: str
    attribute: str
    hidden: tuple[int, ...]
    mode: Objective

    @property
    def name(self) -> str:
        """The part's name."""
        return f"{self.dataset}-{self.attribute}-{'-'.join(map(str, self.hidden))}-{self.mode}"


MODES: tuple[Objective, ...] = ("agnostic", *WITH_FEATURE)
"""The paper's ways to train."""

MODELS = tuple(
    Model(dataset, attribute, hidden, mode)
    for hidden in PAPER_SECONDS
    for dataset, how in PREPARATIONS.items()
    for attribute in how.attributes
    for mode in MODES
)


@dataclass(frozen=True)
class Question(BaseQuestion):
    """`points` people of each group; the budget of one question of one person is `seconds` and 300 parts."""

    points: int = 40
    seconds: float = 20.0
    jobs: int = 1
    models: tuple[Model, ...] = MODELS
    deltas: tuple[int, ...] = DELTAS
    epochs: tuple[tuple[str, int], ...] = (("adult", 10), ("compas", 15), ("german", 60))


MANY = Question(points=100, seconds=10.0, models=tuple(one for one in MODELS if one.hidden == (100, 50)), deltas=(1,))
"""More people of the smallest networks at delta 1, for narrower intervals."""


def plan(data_dir: Path | None, options: Options, question: Question | None = None) -> Plan:
    """Return a part for every network. Raises BenchError for several processes: questions are timed one by one."""
    options.one_by_one("pba", "questions")
    asked = options.of(question or Question())
    return Plan(
        asked.as_data("models", "deltas"), {one.name: partial(_measured, one, asked, data_dir) for one in asked.models}
    )


def _measured(model: Model, question: Question, data_dir: Path | None) -> dict[str, Any]:
    """Prepare the data and measure in a fresh process."""
    return apart(measured, prepare(model.dataset, data_dir), model, question)


def measured(data: Dataset, model: Model, question: Question) -> dict[str, Any]:
    """Train a network and ask about its people; return the figures of the tables."""
    how = PREPARATIONS[model.dataset]
    network, report = trained(data, model, dict(question.epochs)[model.dataset])
    arrays = Arrays(quantise(network, data.spec))
    pair = Pair(model.attribute, *how.attributes[model.attribute])
    rows, labels = [data.rows[row] for row in data.test], [data.labels[row] for row in data.test]
    everybody = people(arrays, data.spec, rows, labels, pair)
    chosen = drawn(everybody, pair, question.points, question.seed)
    looked = _Look(arrays, data.spec, checked_units(data.spec, how.units), Budget(MAX_PARTS, question.seconds))
    return {
        "dataset": model.dataset,
        "attribute": model.attribute,
        "groups": list(pair.groups),
        "hidden": list(model.hidden),
        "mode": model.mode,
        "accuracy": round(report.accuracy[1], 4),
        "counting": {group: sum(one.counts and one.group == group for one in everybody) for group in pair.groups},
        "baselines": [plain(one) for one in baselines(everybody, pair, how.favorable)],
        "deltas": {str(delta): looked.at(delta, chosen, pair) for delta in question.deltas},
    }


def trained(data: Dataset, model: Model, epochs: int, seed: int = 0) -> tuple[Network, TrainingReport]:
    """Train a network of the tables."""
    feature = model.attribute if model.mode in WITH_FEATURE else None
    aim = aim_at(data.spec, data.name, model.mode, feature, None)
    return train_for(data, model.hidden, aim, settings=AdamSettings(epochs=epochs, seed=seed))


@dataclass(frozen=True)
class _Look:
    """A network, and the limits of the questions about its people."""

    arrays: Arrays
    spec: Spec
    units: Mapping[str, Any]
    budget: Budget

    def at(self, delta: int, chosen: Sequence[Person], pair: Pair) -> dict[str, Any]:
        """Ask about everybody at one delta."""
        found, clock, processor = [], [], []
        for person in chosen:
            begun, used = time.perf_counter(), time.process_time()
            known = assess(self.arrays, self.spec, person, delta, self.units, budget=self.budget)
            clock.append(time.perf_counter() - begun)
            processor.append(time.process_time() - used)
            robust = robustness(self.arrays, self.spec, person, delta, self.units, budget=self.budget)
            found.append(Assessment(person, delta, known.bias, robust))
        answers = [one.biased(setting) for one in found for setting in SETTINGS]
        means = [judged.by for one in found for setting in SETTINGS for judged in one.bias[setting]]
        return {
            "shares": [plain(one) for one in shares(found, pair)],
            "answers": {answer: answers.count(answer) for answer in ("true", "false", "unknown")},
            "means": {name: means.count(name) for name in sorted(set(means))},
            "paper_true": sum(self._as_the_paper(one, s) for one in found for s in SETTINGS if one.biased(s) == "true"),
            **spread("clock_s", clock, 4),
            **spread("processor_s", processor, 4),
            "processor_mean_s": round(math.fsum(processor) / max(1, len(processor)), 4),
        }

    def _as_the_paper(self, found: Assessment, setting: Setting) -> bool:
        """Return whether the paper's own linear program proves what was proven."""
        person, spec = found.person, self.spec
        box = neighborhood(spec, person.query, found.delta, self.units)
        label = person.decided or 0
        own, other = spec.domain_table[person.own], spec.domain_table[person.other]
        questions = [
            ask(person.query, own, other, setting, (label, against), box)
            for against in rivals(self.arrays.network, label)
        ]
        return all(judge(self.arrays, one, style="paper").answer == "true" for one in questions)


def plain(estimate: Estimate) -> dict[str, Any]:
    """Return an estimate as plain data."""
    ends = {
        name: None if value is None else round(value, 4)
        for name, value in (("value", estimate.value), ("lower", estimate.lower), ("upper", estimate.upper))
    }
    return {"measure": estimate.measure, "group": estimate.group[0][1], "n": estimate.n, **ends}
