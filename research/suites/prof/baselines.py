"""The paper's baselines, rebuilt from what it and their papers say of them: FLIP, GRFT and CARE.

FLIP trains on the rows to keep under other sensitive values, labels unchanged. GRFT adds to the loss how far the scores
of the two sides of a discriminatory pair differ. CARE ranks the hidden neurons by how much setting one to its mean
changes the difference within such pairs, and lets a particle swarm scale the outputs of the first ones, at a cost of
unfair pairs and of rows lost. All of them see the rows to keep, and the pairs that a list of applicants has.

Rates, weights, the number of neurons and the size of the swarm are ours: the papers' depend on their own networks.
What they return is committed and judged as any network; nothing about it is proven.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor

from equiproof.audits.prof.bounds import feature_points, one_thread
from equiproof.audits.prof.conversion import committed, dyadic
from equiproof.certify.network import QuantisedNetwork
from equiproof.circuits.spec import Spec

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]

_STEPS, _RATE = 200, 0.01
_NEURONS, _PARTICLES, _ITERATIONS = 0.1, 20, 30
_INERTIA, _PULL = 0.7, 1.4


@dataclass(frozen=True, eq=False)
class Given:
    """What a baseline sees: rows to keep, (rows, n_x + n_s), with labels, and applicants of (n, n_x), in integers."""

    spec: Spec
    inputs: Integers
    labels: Integers
    queries: Integers
    seed: int

    @property
    def table(self) -> Floats:
        """The sensitive values in the spec's units, (S, n_s)."""
        return np.array(self.spec.domain_table) / self.spec.scale_unit

    def pairs(self, network: QuantisedNetwork) -> tuple[Floats, Floats]:
        """Return every applicant, rows included, under the two sensitive values whose outputs differ most."""
        plain = np.concatenate([self.queries, self.inputs[:, : self.spec.plain_columns]]) / self.spec.scale_unit
        table = self.table
        every = np.concatenate(
            [np.repeat(plain, len(table), axis=0), np.tile(table, (len(plain), 1))], axis=1
        )  # fmt: skip
        weights, biases = (list(map(torch.from_numpy, part)) for part in dyadic(network))
        outputs = _outputs(weights, biases, torch.from_numpy(every))
        grouped = outputs.numpy().reshape(len(plain), len(table))
        low, high = (np.concatenate([plain, table[end(grouped, axis=1)]], axis=1) for end in (np.argmin, np.argmax))
        return low, high


def _outputs(weights: Sequence[Tensor], biases: Sequence[Tensor], inputs: Tensor) -> Tensor:
    """Return the single output of inputs, shape (n,)."""
    features = feature_points(weights[:-1], biases[:-1], inputs)
    return (features @ weights[-1].T + biases[-1])[:, 0]


def _tuned(
    network: QuantisedNetwork, given: Given, loss: Callable[[list[Tensor], list[Tensor], int], Tensor]
) -> QuantisedNetwork:
    """Return a network after gradient descent of all its layers on a loss of layers and step."""
    weights, biases = ([torch.from_numpy(one.copy()).requires_grad_() for one in part] for part in dyadic(network))
    adam = torch.optim.Adam([*weights, *biases], lr=_RATE)
    with one_thread():
        for step in range(_STEPS):
            adam.zero_grad()
            torch.autograd.backward(loss(weights, biases, step))
            adam.step()
    made = [[one.detach().numpy() for one in part] for part in (weights, biases)]
    return committed(made[0], made[1], given.spec)


def flip(network: QuantisedNetwork, given: Given) -> QuantisedNetwork:
    """Train on the rows to keep, in each step under other sensitive values drawn evenly, labels unchanged."""
    rng, table, split = np.random.default_rng(given.seed), given.table, given.spec.plain_columns
    plain, targets = given.inputs[:, :split] / given.spec.scale_unit, torch.from_numpy(given.labels.astype(np.float64))

    def loss(weights: list[Tensor], biases: list[Tensor], _: int) -> Tensor:
        drawn = np.concatenate([plain, table[rng.integers(len(table), size=len(plain))]], axis=1)
        outputs = _outputs(weights, biases, torch.from_numpy(drawn))
        return torch.nn.functional.binary_cross_entropy_with_logits(outputs, targets)

    return _tuned(network, given, loss)


def grft(network: QuantisedNetwork, given: Given) -> QuantisedNetwork:
    """Train on the rows to keep and on the difference of the scores within pairs."""
    sides = [torch.from_numpy(side) for side in given.pairs(network)]
    inputs = torch.from_numpy(given.inputs / given.spec.scale_unit)
    targets = torch.from_numpy(given.labels.astype(np.float64))

    def loss(weights: list[Tensor], biases: list[Tensor], _: int) -> Tensor:
        outputs = _outputs(weights, biases, inputs)
        low, high = (torch.sigmoid(_outputs(weights, biases, side)) for side in sides)
        kept = torch.nn.functional.binary_cross_entropy_with_logits(outputs, targets)
        return kept + (high - low).abs().mean()

    return _tuned(network, given, loss)


def care(network: QuantisedNetwork, given: Given) -> QuantisedNetwork:
    """Scale the outputs of the neurons with the largest causal effect on pairs, as a particle swarm finds best."""
    weights, biases = dyadic(network)
    sides = [torch.from_numpy(side) for side in given.pairs(network)]
    inputs = torch.from_numpy(given.inputs / given.spec.scale_unit)
    layers = [list(map(torch.from_numpy, part)) for part in (weights, biases)]
    chosen = _blamed(layers, sides)

    def scaled(factors: Floats) -> list[Floats]:
        made = [one.copy() for one in weights]
        for (layer, neuron), factor in zip(chosen, factors.tolist(), strict=True):
            made[layer + 1][:, neuron] *= factor
        return made

    def cost(factors: Floats) -> float:
        tensors = list(map(torch.from_numpy, scaled(factors)))
        low, high = (_outputs(tensors, layers[1], side) > 0 for side in sides)
        right = (_outputs(tensors, layers[1], inputs) > 0).numpy() == given.labels
        return float((low != high).double().mean()) + 1.0 - float(right.mean())

    factors = _swarm(cost, len(chosen), np.random.default_rng(given.seed))
    return committed(scaled(factors), biases, given.spec)


def _blamed(layers: Sequence[Sequence[Tensor]], sides: Sequence[Tensor]) -> list[tuple[int, int]]:
    """Return (layer, neuron) of a tenth of the hidden neurons, those whose mean in place of them changes pairs most."""
    weights, biases = layers
    effects = []
    for layer in range(len(weights) - 1):
        values = [feature_points(weights[: layer + 1], biases[: layer + 1], side) for side in sides]
        mean = torch.cat(values).mean(dim=0)

        def gap(values: Sequence[Tensor], above: int = layer + 1) -> float:
            ends = [_outputs(weights[above:], biases[above:], one) for one in values]
            return float((ends[1] - ends[0]).abs().mean())

        whole = gap(values)
        for neuron in range(len(mean)):
            held = [one.clone() for one in values]
            for one in held:
                one[:, neuron] = mean[neuron]
            effects.append((abs(whole - gap(held)), layer, neuron))
    count = max(1, round(_NEURONS * len(effects)))
    return [(layer, neuron) for _, layer, neuron in sorted(effects, reverse=True)[:count]]


def _swarm(cost: Callable[[Floats], float], size: int, rng: np.random.Generator) -> Floats:
    """Return the best place of a particle swarm around 1, from -1 to 3; one particle starts at 1."""
    places = np.concatenate([np.ones((1, size)), rng.uniform(-1, 3, size=(_PARTICLES - 1, size))])
    speeds, own = np.zeros_like(places), places.copy()
    costs = np.array([cost(place) for place in places])
    for _ in range(_ITERATIONS):
        pulls = rng.random((2, *places.shape))
        speeds = _INERTIA * speeds + _PULL * (pulls[0] * (own - places) + pulls[1] * (own[costs.argmin()] - places))
        places = np.clip(places + speeds, -1, 3)
        now = np.array([cost(place) for place in places])
        better = now < costs
        own[better], costs[better] = places[better], now[better]
    return np.asarray(own[costs.argmin()])


BASELINES: Mapping[str, Callable[[QuantisedNetwork, Given], QuantisedNetwork]] = {
    "FLIP": flip,
    "CARE": care,
    "GRFT": grft,
}
"""The baselines by the paper's names."""
