"""Training for an objective that is fair, and the same training without one: the paper's three ways, and unaware.

Adam with learning rate 0.001 on the mean cross-entropy C, to which two objectives add a fairness loss F, taken on each
batch. One logit f stands for the logits (0, f), in what follows as in training.

    agnostic     C
    unaware      C, on rows whose sensitive columns are 0; afterwards these columns' weights are 0
    certifair    (1 - lambda) C + lambda F,  F the mean of |p(x, s) - p(x, s~)|, p the softmax of the label 1
    fair-n       C + lambda F,  F = |mean margin of one group - mean margin of the other|, the margin the absolute
                 difference of the two logits; the robustness loss has weight 0, as in the paper

All but "unaware" are those of "Uncovering Locally-Persistent Bias via Ceteris Paribus Fairness" (A.3). CertiFair (Khedr
and Shoukry 2023) has lambda 0.95 on Adult, 0.9 on COMPAS and 0.2 on German Credit, all below 1, and is read as a
weighted mean; the paper gives no formula. Fair-N (Sharma and others 2021) has lambda 1. Batches, epochs and the
starting weights are not in the paper, so they are settings here.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Literal

import numpy as np

from equiproof.certify.data.dataset import Dataset, column_values
from equiproof.certify.models.network import Network, TrainingReport, judge, refuse_large
from equiproof.certify.models.training import Progress, TrainingError, one_thread
from equiproof.circuits.spec import Spec

if TYPE_CHECKING:
    import torch

Objective = Literal["agnostic", "unaware", "certifair", "fair-n"]
OBJECTIVES: tuple[Objective, ...] = ("agnostic", "unaware", "certifair", "fair-n")
WITH_FEATURE: tuple[Objective, ...] = ("certifair", "fair-n")
"""The objectives that have a fairness loss, which is about one sensitive feature of two values."""

CERTIFAIR_WEIGHTS = {"adult": 0.95, "adult_spouse": 0.95, "compas": 0.9, "compas_filtered": 0.9, "german": 0.2}
FAIR_N_WEIGHT = 1.0

LEARNING_RATE = 0.001

Forward = Callable[["torch.Tensor"], "torch.Tensor"]
Loss = Callable[[Forward, "torch.Tensor", "torch.Tensor"], "torch.Tensor"]


@dataclass(frozen=True)
class AdamSettings:
    """How a network is trained: epochs, rows of a batch, and the seed of starting weights and batches."""

    epochs: int = 40
    batch: int = 64
    seed: int = 0


@dataclass(frozen=True)
class Aim:
    """An objective, and for one with a fairness loss the sensitive feature that it is about and its weight lambda."""

    objective: Objective
    feature: str | None = None
    weight: float | None = None

    def summary(self) -> str:
        """Return the objective in words."""
        about = "" if self.weight is None else f", weight {self.weight:g}, about {self.feature}"
        return f"objective {self.objective}{about}; Adam, learning rate {LEARNING_RATE:g}"


def aim_at(spec: Spec, name: str, objective: Objective, feature: str | None, weight: float | None) -> Aim:
    """Return the aim of a training on the data set `name`: the spec's only sensitive feature and the paper's weight.

    Raises TrainingError for more than two labels, no or several features where none is named, one without exactly two
    values in one column, no weight where the paper has none for the data, and a weight that is impossible or unused.
    """
    if objective not in WITH_FEATURE:
        if feature is not None or weight is not None:
            raise TrainingError(f"objective {objective}: has no fairness loss, so no feature and no weight")
        return Aim(objective)
    if len(spec.labels) > 2:
        raise TrainingError(f"objective {objective}: {name} has {len(spec.labels)} labels; want two")
    names = [one.name for one in spec.sensitive_features]
    if feature is None and len(names) > 1:
        raise TrainingError(f"objective {objective}: name one of the sensitive features {', '.join(names)}")
    target = names[0] if feature is None else feature
    ends(spec, target)
    return Aim(objective, target, _weight(name, objective, weight))


def train_for(
    dataset: Dataset,
    hidden: Sequence[int],
    aim: Aim,
    *,
    settings: AdamSettings | None = None,
    progress: Progress | None = None,
) -> tuple[Network, TrainingReport]:
    """Train a network on the training rows of a data set for an aim of :func:`aim_at`.

    `progress` is called as (epochs done, epochs in all). Deterministic on one machine for one seed. Raises
    TrainingError for sizes below 1.
    """
    blind = aim.objective == "unaware"
    return train_by(dataset, hidden, _loss(aim, dataset.spec), blind=blind, settings=settings, progress=progress)


def train_by(
    dataset: Dataset,
    hidden: Sequence[int],
    loss: Loss,
    *,
    blind: bool = False,
    settings: AdamSettings | None = None,
    progress: Progress | None = None,
) -> tuple[Network, TrainingReport]:
    """Train a network as :func:`train_for` does, by a loss of a batch; a blind one does not use the sensitive columns.

    The loss gets the network as a function from inputs to two logits, inputs (rows, columns) and labels (rows,).
    """
    options = settings or AdamSettings()
    if not hidden or min(hidden) < 1 or options.epochs < 1 or options.batch < 1:
        raise TrainingError(f"hidden layers {tuple(hidden)}: want sizes, epochs and batches from 1")
    with one_thread():
        layers = _fit(dataset, hidden, loss, blind, options, progress)
    weights = [layer.weight.detach().numpy().astype(np.float64) for layer in layers]
    if blind:
        # No row moved them from their starting values.
        weights[0][:, dataset.spec.plain_columns :] = 0.0
    network = Network(tuple(weights), tuple(layer.bias.detach().numpy().astype(np.float64) for layer in layers))
    return network, judge(network, dataset, seed=options.seed, epochs=options.epochs, decay=0.0)


def _weight(name: str, objective: Objective, choice: float | None) -> float:
    """Return lambda of an objective with a fairness loss."""
    if choice is None and objective == "certifair" and name not in CERTIFAIR_WEIGHTS:
        raise TrainingError(f"objective certifair: give one from 0 to 1: the paper has no weight for {name}")
    weight = choice if choice is not None else CERTIFAIR_WEIGHTS[name] if objective == "certifair" else FAIR_N_WEIGHT
    if not 0 <= weight < np.inf or (objective == "certifair" and weight > 1):
        raise TrainingError(f"weight {weight:g} of {objective}: want 0 or more, and at most 1 for certifair")
    return weight


def ends(spec: Spec, feature: str) -> tuple[int, float, float]:
    """Return the column of a sensitive feature and its two values, in the units of the columns.

    Raises TrainingError for one that has not exactly two values in one column, and for a feature that is not sensitive.
    """
    column = spec.plain_columns
    for one in spec.sensitive_features:
        if one.name == feature:
            values = sorted({row[column - spec.plain_columns] for row in spec.domain_table})
            if one.width != 1 or len(values) != 2:
                raise TrainingError(f"feature {feature!r}: want one column of two values")
            return column, values[0] / spec.scale_unit, values[1] / spec.scale_unit
        column += one.width
    names = ", ".join(one.name for one in spec.sensitive_features)
    raise TrainingError(f"feature {feature!r} is not sensitive; there are {names}")


def _loss(aim: Aim, spec: Spec) -> Loss:
    """Return the loss of a batch: of a network, inputs (rows, columns) and labels (rows,)."""
    import torch

    def entropy(logits: torch.Tensor, labels: torch.Tensor) -> torch.Tensor:
        return torch.nn.functional.cross_entropy(logits, labels)

    def plain(network: Forward, inputs: torch.Tensor, labels: torch.Tensor) -> torch.Tensor:
        return entropy(network(inputs), labels)

    if aim.feature is None or aim.weight is None:
        return plain
    weight = aim.weight
    column, low, high = ends(spec, aim.feature)

    def certifair(network: Forward, inputs: torch.Tensor, labels: torch.Tensor) -> torch.Tensor:
        logits = network(inputs)
        flipped = inputs.clone()
        flipped[:, column] = low + high - inputs[:, column]
        gap = torch.softmax(logits, 1)[:, 1] - torch.softmax(network(flipped), 1)[:, 1]
        return (1 - weight) * entropy(logits, labels) + weight * gap.abs().mean()

    def fair_n(network: Forward, inputs: torch.Tensor, labels: torch.Tensor) -> torch.Tensor:
        """Return the loss of Fair-N; of a batch in which one group is missing there is no gap, and F is 0."""
        logits = network(inputs)
        margins = (logits[:, 1] - logits[:, 0]).abs()
        group = inputs[:, column] > (low + high) / 2
        gap = logits.new_zeros(())
        if bool(group.any()) and not bool(group.all()):
            gap = (margins[group].mean() - margins[~group].mean()).abs()
        return entropy(logits, labels) + weight * gap

    return certifair if aim.objective == "certifair" else fair_n


def _fit(
    dataset: Dataset,
    hidden: Sequence[int],
    loss: Loss,
    blind: bool,
    settings: AdamSettings,
    progress: Progress | None,
) -> list[torch.nn.Linear]:
    """Run Adam over the training rows and return the layers."""
    import torch

    spec = dataset.spec
    rows = np.asarray(dataset.train)
    inputs = torch.from_numpy(column_values(spec, dataset.rows)[rows].astype(np.float32))
    if blind:
        inputs[:, spec.plain_columns :] = 0.0
    labels = torch.from_numpy(dataset.label_array()[rows])
    generator = torch.Generator().manual_seed(settings.seed)
    layers = _starting_layers((inputs.shape[1], *hidden, spec.logits), generator)

    def network(values: torch.Tensor) -> torch.Tensor:
        for layer in layers[:-1]:
            values = torch.relu(layer(values))
        logits: torch.Tensor = layers[-1](values)
        return torch.cat([torch.zeros_like(logits), logits], 1) if spec.logits == 1 else logits

    optimiser = torch.optim.Adam([tensor for layer in layers for tensor in layer.parameters()], lr=LEARNING_RATE)
    for epoch in range(settings.epochs):
        for batch in torch.split(torch.randperm(len(inputs), generator=generator), settings.batch):
            optimiser.zero_grad()
            torch.autograd.backward(loss(network, inputs[batch], labels[batch]))
            optimiser.step()
        if progress is not None:
            progress(epoch + 1, settings.epochs)
    return layers


def _starting_layers(sizes: Sequence[int], generator: torch.Generator) -> list[torch.nn.Linear]:
    """Draw weights and biases, uniform as torch's own layers do, from a generator of their own."""
    import torch

    refuse_large(sum((below + 1) * above for below, above in pairwise(sizes)))
    layers = [torch.nn.Linear(below, above) for below, above in pairwise(sizes)]
    with torch.no_grad():
        for layer in layers:
            bound = layer.in_features**-0.5
            for tensor in (layer.weight, layer.bias):
                tensor.copy_((2 * torch.rand(tensor.shape, generator=generator) - 1) * bound)
    return layers
