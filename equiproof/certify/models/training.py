"""Training with torch: small ReLU networks, unfair ones without weight decay and fair ones with a searched decay.

FairProof (section 5) obtains models of different fairness by the weight decay of stochastic gradient descent: 0 for the
unfair ones, one value per data set for the fair ones. Here the fair value is searched for, because a decay that is too
large leaves a network with the same label for every row: fair, certified everywhere, and useless.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from equiproof.certify.data.dataset import Dataset, column_values
from equiproof.certify.digits import percent
from equiproof.certify.models.network import (
    Floats,
    Integers,
    Network,
    TrainingReport,
    balanced_accuracy,
    judge,
    refuse_large,
)
from equiproof.circuits.exit_codes import MISUSED

if TYPE_CHECKING:
    import torch

Progress = Callable[[int, int], None]

DECAY_GRID = (0.5, 0.3, 0.2, 0.1, 0.07, 0.05, 0.03, 0.02, 0.01, 0.005, 0.002, 0.001, 0.0005, 0.0002, 0.0001)
"""The weight decays tried for the fair variant, largest first."""

MAX_LOSS_OF_BALANCED_ACCURACY = 0.02
"""The balanced accuracy that the fair variant may lose against weight decay 0, in cross-validation."""

PAPER_DECAYS: Mapping[str, Mapping[tuple[int, ...], float]] = {
    "adult": {(4, 2): 0.2, (8, 2): 0.2},
    "default_credit": {(4, 2): 2.5, (8, 2): 3.0},
    "german": {(4, 2): 10.0, (8, 2): 10.0},
}
"""FairProof's own weight decays for its fair models (figures 9 and 11); unfair models have 0 (figures 10 and 12)."""

_BATCHES = 6
_VALIDATION_PARTS = 4
_VALIDATION_SEED = 1


class TrainingError(ValueError):
    """A training that cannot reach the requested result; one line."""

    exit_code: ClassVar[int] = MISUSED


@dataclass(frozen=True)
class Settings:
    """The settings of a training: stochastic gradient descent with momentum, cosine decay of the learning rate to 0.

    Batches have at most `batch` rows, and fewer where an epoch would have less than six: small data sets need steps.
    `restarts` networks are trained in parallel from different starting weights, and the one with the smallest penalised
    loss is kept: networks of six neurons often start dead.
    """

    epochs: int = 100
    batch: int = 512
    learning_rate: float = 0.2
    momentum: float = 0.9
    restarts: int = 4
    seed: int = 0


DEFAULTS = Settings()


@dataclass(frozen=True)
class FairSearch:
    """The search for the fair weight decay, by four-fold cross-validation on the training rows.

    `reference` is the balanced accuracy with weight decay 0; `tried` holds (decay, balanced accuracy, whether a network
    gave every row one label) in the order of the grid; `chosen` is the chosen decay.
    """

    reference: float
    tried: tuple[tuple[float, float, bool], ...]
    chosen: float

    def summary(self) -> str:
        """Return the search as text, one line per weight decay."""
        lines = [f"balanced accuracy in cross-validation: {percent(self.reference)} with weight decay 0"]
        for decay, accuracy, constant in self.tried:
            mark = " (one label for every row)" if constant else ""
            lines.append(f"  {decay:g}: {percent(accuracy)}{mark}{', chosen' if decay == self.chosen else ''}")
        return "\n".join(lines)


def train(
    dataset: Dataset,
    hidden: Sequence[int],
    *,
    decay: float = 0.0,
    settings: Settings = DEFAULTS,
    progress: Progress | None = None,
) -> tuple[Network, TrainingReport]:
    """Train one network on the training rows of a data set; weight decay 0 is the unfair variant.

    `progress` is called as (epochs done, epochs in all). Deterministic on one machine for one seed. Raises
    TrainingError for sizes below 1, a negative decay, and a training that diverges.
    """
    columns = column_values(dataset.spec, dataset.rows)
    labels = dataset.label_array()
    rows = np.asarray(dataset.train)
    network = _fit(columns[rows], labels[rows], hidden, dataset.spec.logits, decay, settings, progress)
    return network, judge(network, dataset, seed=settings.seed, epochs=settings.epochs, decay=decay)


def train_fair(
    dataset: Dataset,
    hidden: Sequence[int],
    *,
    settings: Settings = DEFAULTS,
    progress: Progress | None = None,
) -> tuple[Network, TrainingReport, FairSearch]:
    """Train the fair variant: the largest weight decay of the grid that costs at most 2 points of balanced accuracy.

    The cost is measured by four-fold cross-validation on the training rows; test rows are not used. The returned
    network is trained on all training rows with the chosen decay, and does not give every row the same label. Raises
    TrainingError where no decay of the grid qualifies, or as :func:`train`.
    """
    search = _Search(dataset, hidden, settings, progress)
    what = f"{dataset.name}, hidden layers {tuple(hidden)}"
    reference, constant = search.validate(0.0)
    if constant:
        raise TrainingError(
            f"{what}: even without weight decay it gives every row the same label; try more epochs or another seed"
        )
    trials: list[tuple[float, float, bool]] = []
    for decay in DECAY_GRID:
        accuracy, constant = search.validate(decay)
        trials.append((decay, accuracy, constant))
        if constant or accuracy < reference - MAX_LOSS_OF_BALANCED_ACCURACY:
            continue
        network, report = train(dataset, hidden, decay=decay, settings=settings, progress=search.step())
        if not report.constant:
            search.finish()
            return network, report, FairSearch(reference, tuple(trials), decay)
    raise TrainingError(
        f"try another seed or more epochs: {what}: no weight decay from {DECAY_GRID[-1]:g} to {DECAY_GRID[0]:g} "
        f"keeps balanced accuracy within 2 points of {percent(reference)}"
    )


class _Search:
    """Trainings on three quarters of the training rows, measured on the fourth, for each quarter in turn."""

    def __init__(self, dataset: Dataset, hidden: Sequence[int], settings: Settings, progress: Progress | None) -> None:
        """Shuffle the training rows into four parts."""
        order = np.random.Generator(np.random.PCG64(_VALIDATION_SEED)).permutation(len(dataset.train))
        self._parts = np.array_split(np.asarray(dataset.train)[order], _VALIDATION_PARTS)
        self._columns = column_values(dataset.spec, dataset.rows)
        self._labels = dataset.label_array()
        self._dataset = dataset
        self._hidden = hidden
        self._settings = settings
        self._progress = progress
        self._done = 0
        self._total = (_VALIDATION_PARTS * (len(DECAY_GRID) + 1) + 1) * settings.epochs

    def validate(self, decay: float) -> tuple[float, bool]:
        """Return balanced accuracy over the parts, and whether one of them got a single label, which ends the trial."""
        decided: list[Integers] = []
        constant = False
        for part in self._parts:
            decided.append(self._decide(part, decay))
            constant = bool(decided[-1].min() == decided[-1].max())
            if constant:
                break
        rows = np.concatenate(self._parts[: len(decided)])
        return balanced_accuracy(np.concatenate(decided), self._labels[rows]), constant

    def _decide(self, part: Integers, decay: float) -> Integers:
        """Train on the training rows outside `part` and decide those inside."""
        rows = np.setdiff1d(np.asarray(self._dataset.train), part)
        spec = self._dataset.spec
        settings = self._settings
        columns = self._columns[rows]
        labels = self._labels[rows]
        network = _fit(columns, labels, self._hidden, spec.logits, decay, settings, self.step())
        return network.decide(self._columns[part], float(spec.threshold))

    def step(self) -> Progress | None:
        """Return the progress callback of the next training."""
        outer = self._progress
        start = self._done
        self._done += self._settings.epochs
        if outer is None:
            return None
        return lambda epoch, _: outer(min(start + epoch, self._total), self._total)

    def finish(self) -> None:
        """Report completion: the search ends early when a large decay qualifies."""
        if self._progress is not None:
            self._progress(self._total, self._total)


def _fit(
    columns: Floats,
    labels: Integers,
    hidden: Sequence[int],
    logits: int,
    decay: float,
    settings: Settings,
    progress: Progress | None,
) -> Network:
    """Train `restarts` networks in parallel and return the best as arrays."""
    import torch

    if not hidden or min(hidden) < 1 or settings.epochs < 1 or settings.restarts < 1 or not 0 <= decay < np.inf:
        raise TrainingError(f"hidden layers {tuple(hidden)}, weight decay {decay:g}: want sizes from 1 and decay >= 0")
    sizes = (columns.shape[1], *hidden, logits)
    refuse_large(sum((below + 1) * above for below, above in pairwise(sizes)))
    with one_thread():
        generator = torch.Generator().manual_seed(settings.seed)
        weights, biases = _starting_weights(sizes, settings.restarts, generator)
        inputs = torch.from_numpy(columns)
        targets = torch.from_numpy(labels)
        optimiser = torch.optim.SGD(
            [*weights, *biases], lr=settings.learning_rate, momentum=settings.momentum, weight_decay=decay
        )
        schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimiser, settings.epochs)
        # A small data set gets several steps an epoch as well.
        size = min(settings.batch, -(-len(inputs) // _BATCHES))
        for epoch in range(settings.epochs):
            for batch in torch.split(torch.randperm(len(inputs), generator=generator), size):
                optimiser.zero_grad()
                # Restarts share no parameter: the gradient of their sum is that of each alone.
                torch.autograd.backward(_losses(weights, biases, inputs[batch], targets[batch]).sum())
                optimiser.step()
            schedule.step()
            if progress is not None:
                progress(epoch + 1, settings.epochs)
        penalised = _penalised(weights, biases, inputs, targets, decay)
    if not bool(torch.isfinite(penalised).any()):
        raise TrainingError(f"weight decay {decay:g}: take a smaller learning rate: the training diverges")
    # A restart that diverged is never the best.
    best = int(torch.nan_to_num(penalised, nan=torch.inf).argmin())
    return Network(
        tuple(weight[best].detach().numpy().copy() for weight in weights),
        tuple(bias[best, 0].detach().numpy().copy() for bias in biases),
    )


def _starting_weights(
    sizes: Sequence[int], restarts: int, generator: torch.Generator
) -> tuple[list[torch.Tensor], list[torch.Tensor]]:
    """Draw weights (restarts, outputs, inputs) and biases (restarts, 1, outputs), uniform as torch's own layers do."""
    import torch

    weights: list[torch.Tensor] = []
    biases: list[torch.Tensor] = []
    for inputs, outputs in pairwise(sizes):
        bound = inputs**-0.5
        for shape, into in (((restarts, outputs, inputs), weights), ((restarts, 1, outputs), biases)):
            uniform = torch.rand(shape, generator=generator, dtype=torch.float64)
            into.append(((2 * uniform - 1) * bound).requires_grad_())
    return weights, biases


def _penalised(
    weights: list[torch.Tensor], biases: list[torch.Tensor], inputs: torch.Tensor, targets: torch.Tensor, decay: float
) -> torch.Tensor:
    """Return the objective of the descent, loss + decay / 2 |weights and biases|^2, shape (restarts,)."""
    import torch

    with torch.no_grad():
        squares = [(parameter**2).sum(dim=(1, 2)) for parameter in (*weights, *biases)]
        return _losses(weights, biases, inputs, targets) + decay / 2 * torch.stack(squares).sum(dim=0)


def _losses(
    weights: list[torch.Tensor], biases: list[torch.Tensor], inputs: torch.Tensor, targets: torch.Tensor
) -> torch.Tensor:
    """Return the mean cross-entropy of each restart, shape (restarts,)."""
    import torch

    functional = torch.nn.functional
    values = inputs.expand(len(weights[0]), -1, -1)
    for index, (weight, bias) in enumerate(zip(weights, biases, strict=True)):
        values = torch.baddbmm(bias, torch.relu(values) if index else values, weight.transpose(1, 2))
    if values.shape[2] == 1:
        labels = targets.to(values.dtype).expand(len(values), -1)
        losses = functional.binary_cross_entropy_with_logits(values[:, :, 0], labels, reduction="none")
    else:
        labels = targets.expand(len(values), -1)
        losses = functional.cross_entropy(values.transpose(1, 2), labels, reduction="none")
    return losses.mean(1)


@contextmanager
def one_thread() -> Iterator[None]:
    """Run torch on one thread: the order of sums is then fixed, and more threads do not speed up tiny networks."""
    import torch

    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(threads)
