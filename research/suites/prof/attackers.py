"""Two gradient attackers of individual fairness, rebuilt from what their papers say: ADF and EIDIG.

Both look for discriminatory instances: applicants whose decision a sensitive value changes. A global phase moves rows
of the data towards a decision boundary, along the plain features whose gradients have the same sign for the two most
different sensitive values; a local phase changes few features of each instance found, those first that move the output
least. ADF (Zhang and others, 2020) takes the gradient of the loss in every step. EIDIG (Zhang and others, 2021) takes
that of the output, with momentum, and in the local phase a new one only every few steps.

An applicant is a vector of indices of a grid, and a step is one level of a feature, so all that is found can exist.
Gradients are floats; whether an applicant is discriminatory is decided in the committed integers.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt

from equiproof.audits.hyfair.grid import Grid, Integers
from equiproof.audits.prof.conversion import dyadic
from equiproof.audits.prof.metrics import unfair_rows
from equiproof.certify.network import QuantisedNetwork
from equiproof.circuits.spec import Spec

Floats = npt.NDArray[np.float64]
Attacker = Literal["ADF", "EIDIG"]
ATTACKERS: tuple[Attacker, ...] = ("ADF", "EIDIG")

_MOMENTUM = 0.5
_KEEP = 5


@dataclass(frozen=True)
class Effort:
    """How long an attacker works: steps of the global phase, and of the local phase from at most `local` instances."""

    steps: int = 10
    local: int = 100
    local_steps: int = 50


class _Attack:
    """One network with one output, its gradients, and the discriminatory instances found so far."""

    def __init__(self, network: QuantisedNetwork, spec: Spec, grid: Grid, rng: np.random.Generator) -> None:
        """Prepare the float layers; columns in the spec's units."""
        self._network, self._spec, self._grid, self._rng = network, spec, grid, rng
        self._weights, self._biases = dyadic(network)
        self._table = grid.table / spec.scale_unit
        self.found: set[tuple[int, ...]] = set()

    def pairs(self, applicants: Integers) -> tuple[Floats, Floats]:
        """Return outputs (2, n) and gradients (2, n, n_x) under the two sensitive values that differ most."""
        plain = self._grid.columns(applicants) / self._spec.scale_unit
        count, groups = len(plain), len(self._table)
        every = np.concatenate([np.repeat(plain, groups, axis=0), np.tile(self._table, (count, 1))], axis=1)
        outputs, gradients = self._forward(every)
        outputs = outputs.reshape(count, groups)
        gradients = gradients.reshape(count, groups, -1)[:, :, : plain.shape[1]]
        ends, rows = (outputs.argmin(axis=1), outputs.argmax(axis=1)), np.arange(count)
        return np.stack([outputs[rows, end] for end in ends]), np.stack([gradients[rows, end] for end in ends])

    def _forward(self, inputs: Floats) -> tuple[Floats, Floats]:
        """Return the outputs of inputs and their gradients."""
        values, masks = inputs, []
        for weight, bias in zip(self._weights[:-1], self._biases[:-1], strict=True):
            values = values @ weight.T + bias
            masks.append(values > 0)
            values = np.maximum(values, 0.0)
        outputs = (values @ self._weights[-1].T + self._biases[-1])[:, 0]
        gradient = np.repeat(self._weights[-1], len(inputs), axis=0)
        for weight, mask in zip(reversed(self._weights[:-1]), reversed(masks), strict=True):
            gradient = (gradient * mask) @ weight
        return outputs, gradient

    def rises(self, applicants: Integers, gradients: Floats) -> Floats:
        """Return by how much one level up moves the output, feature by feature: (n, F), from gradients (n, n_x)."""
        parts, start = [], 0
        for f, levels in enumerate(self._grid.levels):
            width = levels.shape[1]
            place = np.minimum(applicants[:, f], max(len(levels) - 2, 0))
            step = (levels[np.minimum(place + 1, len(levels) - 1)] - levels[place]) / self._spec.scale_unit
            parts.append((gradients[:, start : start + width] * step).sum(axis=1))
            start += width
        return np.stack(parts, axis=1)

    def note(self, applicants: Integers) -> npt.NDArray[np.bool_]:
        """Keep those applicants that are discriminatory, and return which are."""
        unfair = unfair_rows(self._network, self._spec, self._grid.columns(applicants))
        self.found.update(map(tuple, applicants[unfair].tolist()))
        return unfair

    def moved(self, applicants: Integers, steps: Integers) -> Integers:
        """Return applicants after steps of levels, kept in the grid."""
        return np.asarray(np.clip(applicants + steps, 0, self._grid.sizes - 1))

    def global_phase(self, kind: Attacker, starts: Integers, steps: int) -> None:
        """Move starts towards the boundary until they are discriminatory or the steps end."""
        applicants, kept = starts, np.zeros((2, len(starts), len(self._grid.levels)))
        left = ~self.note(applicants)
        for _ in range(steps):
            if not left.any():
                return
            outputs, gradients = self.pairs(applicants)
            rises = np.stack([self.rises(applicants, one) for one in gradients])
            if kind == "ADF":
                # d CE / d x = (sigmoid(output) - label) d output / d x, the label being the decision.
                rises = rises * (1 / (1 + np.exp(-outputs)) - (outputs > 0))[:, :, None]
                directions = np.sign(rises)
            else:
                kept = _MOMENTUM * kept + rises
                directions = np.sign(kept) * -np.sign(outputs)[:, :, None]
            agreed = np.where(directions[0] == directions[1], directions[0], 0).astype(np.int64)
            stuck = ~agreed.any(axis=1)
            agreed[stuck] = self._rng.integers(-1, 2, size=(int(stuck.sum()), agreed.shape[1]))
            applicants = np.where(left[:, None], self.moved(applicants, agreed), applicants)
            left &= ~self.note(applicants)

    def local_phase(self, kind: Attacker, seeds: Integers, steps: int) -> None:
        """Change one feature of each instance at a time, those more likely that move the output less."""
        applicants, chances = seeds, np.zeros((0, 0))
        for step in range(steps):
            if kind == "ADF" or step % _KEEP == 0:
                _, gradients = self.pairs(applicants)
                size = np.sum([abs(self.rises(applicants, one)) for one in gradients], axis=0)
                chances = 1 / (size + 1e-6)
                chances = (chances / chances.sum(axis=1, keepdims=True)).cumsum(axis=1)
            feature = (self._rng.random((len(applicants), 1)) > chances[:, :-1]).sum(axis=1)
            steps_of = np.zeros_like(applicants)
            steps_of[np.arange(len(applicants)), feature] = self._rng.choice([-1, 1], size=len(applicants))
            tried = self.moved(applicants, steps_of)
            applicants = np.where(self.note(tried)[:, None], tried, applicants)


def attack(
    kind: Attacker,
    network: QuantisedNetwork,
    spec: Spec,
    grid: Grid,
    starts: Integers,
    seed: int,
    effort: Effort | None = None,
) -> set[tuple[int, ...]]:
    """Return the discriminatory applicants that an attacker finds from some starts, (n, F), as vectors of indices.

    For networks of one output. The same effort is spent on any network.
    """
    effort = effort or Effort()
    run = _Attack(network, spec, grid, np.random.Generator(np.random.PCG64(seed)))
    run.global_phase(kind, starts, effort.steps)
    if run.found and effort.local:
        seeds = np.array(sorted(run.found)[: effort.local], dtype=np.int64)
        run.local_phase(kind, seeds, effort.local_steps)
    return run.found
