"""Retraining on found cases: each discriminatory applicant under every protected value, with the same target.

The target is the mean score over the protected values, so the network learns to give all of them the same answer. The
data's own rows are trained on, too, so that accuracy is kept. Columns are standardized for the descent and folded back,
and weights are rounded to single precision, as networks are published.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from equiproof.audits.hyfair.clusters import Judge
from equiproof.audits.hyfair.forward import Floats
from equiproof.audits.hyfair.grid import Integers
from equiproof.certify.models.network import Network


@dataclass(frozen=True)
class Retraining:
    """Settings of retraining: epochs of Adam over the rows; each batch adds cases, `share` times its number of rows."""

    epochs: int = 5
    batch: int = 256
    learning_rate: float = 1e-3
    share: float = 0.5
    seed: int = 0


def cases(judge: Judge, applicants: Integers) -> tuple[Floats, Floats]:
    """Return columns (n S, n_x + n_s) in the units of the float network, and targets (n S,) of applicants (n, F)."""
    grid = judge.forward.grid
    plain = grid.columns(applicants)
    groups = len(grid.table)
    ordered = np.concatenate([np.repeat(plain, groups, axis=0), np.tile(grid.table, (len(plain), 1))], axis=1)
    columns = np.empty_like(ordered)
    columns[:, list(grid.order)] = ordered
    scores = 0.5 * (1.0 + np.tanh(judge.forward.margins(applicants) / 2))
    return columns / float(1 << judge.forward.margin.input_bits), np.repeat(scores.mean(axis=1), groups)


def retrain(
    network: Network, rows: tuple[Floats, Floats], cases: tuple[Floats, Floats], settings: Retraining
) -> Network:
    """Return a network of one logit retrained on rows and found cases: columns in the network's units, and targets.

    The same seed gives the same network on one machine. Raises ValueError for more logits than one.
    """
    import torch

    if len(network.biases[-1]) != 1:
        raise ValueError(f"{len(network.biases[-1])} logits: retraining takes networks of one")
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        return _descended(network, rows, cases, settings)
    finally:
        torch.set_num_threads(threads)


def _descended(
    network: Network, rows: tuple[Floats, Floats], cases: tuple[Floats, Floats], settings: Retraining
) -> Network:
    """Run the descent on standardized columns."""
    import torch

    mean = rows[0].mean(axis=0)
    scale = rows[0].std(axis=0)
    scale = np.where(scale > 0, scale, 1.0)
    first = network.weights[0] * scale
    weights = [torch.tensor(w, dtype=torch.float64, requires_grad=True) for w in (first, *network.weights[1:])]
    offsets = (network.biases[0] + network.weights[0] @ mean, *network.biases[1:])
    biases = [torch.tensor(b, dtype=torch.float64, requires_grad=True) for b in offsets]
    data = [torch.from_numpy((columns - mean) / scale) for columns, _ in (rows, cases)]
    targets = [torch.from_numpy(np.asarray(target, dtype=np.float64)) for _, target in (rows, cases)]
    generator = torch.Generator().manual_seed(settings.seed)
    optimizer = torch.optim.Adam([*weights, *biases], lr=settings.learning_rate)
    extra = round(settings.batch * settings.share)
    for _ in range(settings.epochs):
        for batch in torch.split(torch.randperm(len(data[0]), generator=generator), settings.batch):
            draws = torch.randint(len(data[1]), (extra,), generator=generator)
            values = torch.cat([data[0][batch], data[1][draws]])
            labels = torch.cat([targets[0][batch], targets[1][draws]])
            for index, (weight, bias) in enumerate(zip(weights, biases, strict=True)):
                values = (torch.relu(values) if index else values) @ weight.T + bias
            optimizer.zero_grad()
            torch.autograd.backward(torch.nn.functional.binary_cross_entropy_with_logits(values[:, 0], labels))
            optimizer.step()
    raw_weights = [weight.detach().numpy().copy() for weight in weights]
    raw_weights[0] = raw_weights[0] / scale
    raw_biases = [bias.detach().numpy().copy() for bias in biases]
    raw_biases[0] = raw_biases[0] - raw_weights[0] @ mean
    single = [part.astype(np.float32).astype(np.float64) for part in (*raw_weights, *raw_biases)]
    return Network(tuple(single[: len(raw_weights)]), tuple(single[len(raw_weights) :]))
