"""The paper's three ways to train (A.3): fairness-agnostic, CertiFair, and Fair-N, on torch.

Adam with learning rate 0.001 on the mean cross-entropy C of two or more logits, to which the last two add a fairness
loss F, taken on each batch:

    agnostic     C
    CertiFair    (1 - lambda) C + lambda F,  F the mean of |p(x, s) - p(x, s~)|, p the softmax of the label 1
    Fair-N       C + lambda F,  F = |mean margin of one group - mean margin of the other|, the margin the absolute
                 difference of the two logits; the robustness loss has weight 0, as in the paper

CertiFair (Khedr and Shoukry 2023) has lambda 0.95 on Adult, 0.9 on COMPAS and 0.2 on German Credit, all below 1, and
is read as a weighted mean; the paper gives no formula. Fair-N (Sharma and others 2021) has lambda 1. Batches, epochs
and the starting weights are not in the paper, so they are settings here.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Literal

import numpy as np

from equiproof.certify.data.dataset import Dataset, column_values
from equiproof.certify.models.network import Network, TrainingReport, judge
from equiproof.certify.models.training import TrainingError

if TYPE_CHECKING:
    import torch

Mode = Literal["agnostic", "certifair", "fair-n"]
MODES: tuple[Mode, ...] = ("agnostic", "certifair", "fair-n")

CERTIFAIR_WEIGHTS = {"adult": 0.95, "compas": 0.9, "german": 0.2}
FAIR_N_WEIGHT = 1.0

LEARNING_RATE = 0.001


@dataclass(frozen=True)
class Training:
    """How a network is trained: epochs, rows of a batch, and the seed of starting weights and batches."""

    epochs: int = 40
    batch: int = 64
    seed: int = 0


def train(
    dataset: Dataset,
    hidden: Sequence[int],
    mode: Mode,
    attribute: str,
    *,
    weight: float | None = None,
    settings: Training | None = None,
) -> tuple[Network, TrainingReport]:
    """Train a network on the training rows of a data set, fair in one sensitive attribute unless agnostic.

    `weight` is lambda, the paper's by default. Deterministic on one machine for one seed. Raises TrainingError for
    sizes below 1, one logit, an attribute without exactly two values, and a mode without a weight for the data.
    """
    import torch

    chosen = settings or Training()
    if not hidden or min(hidden) < 1 or chosen.epochs < 1 or chosen.batch < 1:
        raise TrainingError(f"hidden layers {tuple(hidden)}: want sizes, epochs and batches from 1")
    if dataset.spec.logits < 2:
        raise TrainingError(f"{dataset.name}: one logit; the losses are of two or more")
    share = _weight(dataset.name, mode, weight)
    ends = _ends(dataset, attribute)
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        layers = _fit(dataset, hidden, _loss(mode, share, ends), chosen)
    finally:
        torch.set_num_threads(threads)
    network = Network(
        tuple(layer.weight.detach().numpy().astype(np.float64) for layer in layers),
        tuple(layer.bias.detach().numpy().astype(np.float64) for layer in layers),
    )
    return network, judge(network, dataset, seed=chosen.seed, epochs=chosen.epochs, decay=0.0)


def _weight(name: str, mode: Mode, given: float | None) -> float:
    """Return lambda of a mode."""
    if mode == "agnostic":
        return 0.0
    if given is None and mode == "certifair" and name not in CERTIFAIR_WEIGHTS:
        raise TrainingError(f"{name}: the paper has no weight of CertiFair for it; name one")
    weight = given if given is not None else CERTIFAIR_WEIGHTS[name] if mode == "certifair" else FAIR_N_WEIGHT
    if weight < 0 or (mode == "certifair" and weight > 1):
        raise TrainingError(f"weight {weight:g} of {mode}: want 0 or more, and at most 1 for certifair")
    return weight


def _ends(dataset: Dataset, attribute: str) -> tuple[int, float, float]:
    """Return the column of a sensitive attribute and its two values, in the units of the columns."""
    spec = dataset.spec
    column = spec.plain_columns
    for feature in spec.sensitive_features:
        if feature.name == attribute:
            values = sorted({row[column - spec.plain_columns] for row in spec.domain_table})
            if feature.width != 1 or len(values) != 2:
                raise TrainingError(f"feature {attribute!r}: want one column of two values")
            return column, values[0] / spec.scale_unit, values[1] / spec.scale_unit
        column += feature.width
    names = ", ".join(feature.name for feature in spec.sensitive_features)
    raise TrainingError(f"feature {attribute!r} is not sensitive; there are {names}")


Forward = Callable[["torch.Tensor"], "torch.Tensor"]
Loss = Callable[[Forward, "torch.Tensor", "torch.Tensor"], "torch.Tensor"]


def _loss(mode: Mode, weight: float, ends: tuple[int, float, float]) -> Loss:
    """Return the loss of a batch: of a network, inputs (rows, columns) and labels (rows,)."""
    import torch

    column, low, high = ends

    def entropy(logits: torch.Tensor, labels: torch.Tensor) -> torch.Tensor:
        return torch.nn.functional.cross_entropy(logits, labels)

    def agnostic(network: Forward, inputs: torch.Tensor, labels: torch.Tensor) -> torch.Tensor:
        return entropy(network(inputs), labels)

    def certifair(network: Forward, inputs: torch.Tensor, labels: torch.Tensor) -> torch.Tensor:
        logits, flipped = network(inputs), inputs.clone()
        flipped[:, column] = low + high - inputs[:, column]
        gap = torch.softmax(logits, 1)[:, 1] - torch.softmax(network(flipped), 1)[:, 1]
        return (1 - weight) * entropy(logits, labels) + weight * gap.abs().mean()

    def fair_n(network: Forward, inputs: torch.Tensor, labels: torch.Tensor) -> torch.Tensor:
        """Return the loss of Fair-N; of a batch in which one group is missing there is no gap, and F is 0."""
        logits = network(inputs)
        margins, group = (logits[:, 1] - logits[:, 0]).abs(), inputs[:, column] > (low + high) / 2
        gap = logits.new_zeros(())
        if bool(group.any()) and not bool(group.all()):
            gap = (margins[group].mean() - margins[~group].mean()).abs()
        return entropy(logits, labels) + weight * gap

    return {"agnostic": agnostic, "certifair": certifair, "fair-n": fair_n}[mode]


def _fit(dataset: Dataset, hidden: Sequence[int], loss: Loss, settings: Training) -> list[torch.nn.Linear]:
    """Run Adam over the training rows and return the layers."""
    import torch

    rows = np.asarray(dataset.train)
    inputs = torch.from_numpy(column_values(dataset.spec, dataset.rows)[rows].astype(np.float32))
    labels = torch.from_numpy(dataset.label_array()[rows])
    generator = torch.Generator().manual_seed(settings.seed)
    sizes = (inputs.shape[1], *hidden, dataset.spec.logits)
    layers = [torch.nn.Linear(below, above) for below, above in pairwise(sizes)]
    with torch.no_grad():
        for layer in layers:
            bound = layer.in_features**-0.5
            for tensor in (layer.weight, layer.bias):
                tensor.copy_((2 * torch.rand(tensor.shape, generator=generator) - 1) * bound)

    def network(values: torch.Tensor) -> torch.Tensor:
        for layer in layers[:-1]:
            values = torch.relu(layer(values))
        found: torch.Tensor = layers[-1](values)
        return found

    optimiser = torch.optim.Adam([tensor for layer in layers for tensor in layer.parameters()], lr=LEARNING_RATE)
    for _ in range(settings.epochs):
        for batch in torch.split(torch.randperm(len(inputs), generator=generator), settings.batch):
            optimiser.zero_grad()
            torch.autograd.backward(loss(network, inputs[batch], labels[batch]))
            optimiser.step()
    return layers
