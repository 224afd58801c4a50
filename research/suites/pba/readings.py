"""Why our networks of CertiFair keep more decisions than the paper's: its loss read in five ways, and with less weight.

The paper has a weighted sum of a classification loss C and a fairness loss, lambda, and no formula. With p the softmax
of the second label for a person and q that of the counterfactual, who has the other sensitive value, the readings are

    mean         (1 - lambda) C + lambda mean |p - q|, that of :mod:`equiproof.certify.models.objectives`
    sum          C + lambda mean |p - q|
    square       (1 - lambda) C + lambda mean (p - q)^2
    sum square   C + lambda mean (p - q)^2
    bound        (1 - lambda) C + lambda B, B as in the program of CertiFair's authors with these lambdas: the mean of
                 -log sigmoid(the lower of both copies' logits), over the rows of the second value that are granted

What is measured is CFA, the share of test rows whose decision the other value does not change. Nothing is timed.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bench.harness import table as markdown
from bench.parts import BaseQuestion, Options, Plan
from equiproof.audits.pba.copies import Arrays
from equiproof.audits.pba.preparation import PREPARATIONS, prepare
from equiproof.audits.pba.scores import Pair, baselines, people
from equiproof.certify.data.dataset import Dataset
from equiproof.certify.models.objectives import CERTIFAIR_WEIGHTS, AdamSettings, Forward, Loss, ends, train_by
from equiproof.certify.models.quantise import quantise
from equiproof.circuits.spec import Spec

if TYPE_CHECKING:
    import torch

Results = Mapping[str, Any]

PRINTED = {("adult", "sex"): (87.7, 92.1), ("adult", "race"): (91.4, 93.3), ("compas", "sex"): (91.6, 91.6)}
"""The CFA of both groups that the paper prints for its CertiFair networks (100,50), in percent (tables 1 and 2)."""

AGNOSTIC = {("adult", "sex"): (86.4, 90.4), ("adult", "race"): (89.2, 89.9), ("compas", "sex"): (90.0, 88.0)}
"""The same for its fairness-agnostic ones."""

LESS = (0.0, 0.05, 0.1, 0.2, 0.5)
"""Weights below the paper's, for the reading `mean`; 0 is the agnostic training."""

HIDDEN = (100, 50)


@dataclass(frozen=True)
class Question(BaseQuestion):
    """`seeds` of starting weights and batches; all test rows are looked at, and nothing has a budget."""

    points: int = 0
    seconds: float = 0.0
    jobs: int = 1
    seeds: tuple[int, ...] = (0, 1, 2, 3, 4)
    pairs: tuple[tuple[str, str], ...] = tuple(PRINTED)
    epochs: tuple[tuple[str, int], ...] = (("adult", 10), ("compas", 15))


def plan(data_dir: Path | None, options: Options, question: Question | None = None) -> Plan:
    """Return a part for each data set and attribute."""
    options.one_by_one("pba-certifair", "networks")
    asked = options.of(question or Question())
    return Plan(
        asked.as_data("pairs", "points", "seconds"),
        {
            f"{name}-{attribute}": partial(measured, partial(prepare, name, data_dir), attribute, asked)
            for name, attribute in asked.pairs
        },
    )


def measured(load: Callable[[], Dataset], attribute: str, question: Question) -> dict[str, Any]:
    """Train the networks of one data set and attribute; return CFA and accuracy by reading, weight and seed."""
    data = load()
    epochs, paper = dict(question.epochs)[data.name], CERTIFAIR_WEIGHTS.get(data.name, 0.9)
    asked = [(reading, paper) for reading in READINGS] + [("mean", weight) for weight in LESS]
    groups = PREPARATIONS[data.name].attributes[attribute]
    pair = Pair(attribute, *groups)
    return {
        "dataset": data.name,
        "attribute": attribute,
        "groups": list(groups),
        "networks": [
            {
                "reading": reading,
                "weight": weight,
                "seeds": {
                    str(seed): _of_seed(data, pair, reading, weight, AdamSettings(epochs, seed=seed))
                    for seed in question.seeds
                },
            }
            for reading, weight in asked
        ],
    }


def table(results: Results) -> str:
    """Write one line for each data set, attribute, reading and weight: CFA of both groups over the seeds."""
    rows = []
    for part in results["parts"].values():
        key = part["dataset"], part["attribute"]
        for network in part["networks"]:
            found = list(network["seeds"].values())
            paper = AGNOSTIC if not network["weight"] else PRINTED
            known = key in paper and network["weight"] in (0.0, CERTIFAIR_WEIGHTS.get(key[0]))
            rows.append(
                (
                    " ".join(key),
                    network["reading"],
                    f"{network['weight']:g}",
                    _range([one["accuracy"] for one in found]),
                    *(_range([one["cfa"][group] for one in found]) for group in part["groups"]),
                    " / ".join(f"{share}%" for share in paper[key]) if known else "",
                )
            )
    head = (
        "data, attribute",
        "reading",
        "lambda",
        "accuracy",
        "CFA, first group",
        "CFA, second group",
        "the paper's CFA",
    )
    return markdown(head, rows)


def _range(values: Sequence[float]) -> str:
    """Write the least and the largest of shares."""
    return f"{min(values):.1%} to {max(values):.1%}"


def _of_seed(data: Dataset, pair: Pair, reading: str, weight: float, settings: AdamSettings) -> dict[str, Any]:
    """Train one network and look at all test rows of both groups."""
    loss = _loss(reading, weight, data.spec, pair.feature)
    network, report = train_by(data, HIDDEN, loss, settings=settings)
    rows, labels = [data.rows[row] for row in data.test], [data.labels[row] for row in data.test]
    everybody = people(Arrays(quantise(network, data.spec)), data.spec, rows, labels, pair)
    cfa = {
        one.group[0][1]: round(one.value, 4)
        for one in baselines(everybody, pair, PREPARATIONS[data.name].favorable)
        if one.measure == "CFA" and one.value is not None
    }
    return {"accuracy": round(report.accuracy[1], 4), "cfa": cfa}


def _bound(own: torch.Tensor, other: torch.Tensor, second: torch.Tensor) -> torch.Tensor:
    """Return B of the module's text; 0 for a batch without such a row."""
    import torch

    low = torch.minimum(own, other)[second & (own.detach() > 0)]
    return -torch.nn.functional.logsigmoid(low).mean() if len(low) else own.new_zeros(())


def _gap(own: torch.Tensor, other: torch.Tensor, power: int) -> torch.Tensor:
    """Return the mean of |p - q|^power."""
    return (own.sigmoid() - other.sigmoid()).abs().pow(power).mean()


Fairness = Callable[["torch.Tensor", "torch.Tensor", "torch.Tensor"], "torch.Tensor"]
READINGS: Mapping[str, tuple[bool, Fairness]] = {
    "mean": (True, lambda own, other, _: _gap(own, other, 1)),
    "sum": (False, lambda own, other, _: _gap(own, other, 1)),
    "square": (True, lambda own, other, _: _gap(own, other, 2)),
    "sum square": (False, lambda own, other, _: _gap(own, other, 2)),
    "bound": (True, _bound),
}
"""Whether C has the weight 1 - lambda, and the fairness loss of the people's logits, their counterfactuals', and which
rows have the second value."""


def _loss(reading: str, weight: float, spec: Spec, feature: str) -> Loss:
    """Return the loss of a batch."""
    import torch

    weighted, fairness = READINGS[reading]
    column, low, high = ends(spec, feature)

    def loss(network: Forward, inputs: torch.Tensor, labels: torch.Tensor) -> torch.Tensor:
        flipped = inputs.clone()
        flipped[:, column] = low + high - inputs[:, column]
        logits, others = network(inputs), network(flipped)
        own, other = logits[:, 1] - logits[:, 0], others[:, 1] - others[:, 0]
        plain = torch.nn.functional.cross_entropy(logits, labels)
        second = inputs[:, column] > (low + high) / 2
        return (1 - weight if weighted else 1) * plain + weight * fairness(own, other, second)

    return loss
