"""Step 2 on the committed network: the smallest change of its last layer, with room for rounding, rounded and tested.

The features of all similar inputs are bounded on the committed hidden layers. A margin, and what rounding to the
committed integers can move, stand inside the constraints of the program (:mod:`equiproof.audits.prof.program`), so the
rounded layer passes the exact test unless floats err; then the program is repeated with ten times the margin.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import torch

from equiproof.audits.prof.bounds import boxes, one_thread, points, polytopes, tightened
from equiproof.audits.prof.calibrate import Floats
from equiproof.audits.prof.conversion import dyadic, features, rounded
from equiproof.audits.prof.demands import Demand
from equiproof.audits.prof.problem import Refusal, RepairLog, RepairProblem
from equiproof.audits.prof.program import NO_ROWS, Change, NoChange, Rows, repair_layer
from equiproof.audits.prof.sets import FeatureSet
from equiproof.audits.prof.settings import TIGHTER, Sets, Settings
from equiproof.certify.network import QuantisedNetwork

LEAST_MARGIN = 1e-6
"""The first margin in the network's logit units: above what HiGHS's tolerance of 1e-9 may leave."""

_MARGIN_FACTOR = 10
"""The ratio of a margin to the one before, which the exact test refused."""

_ROUNDS = 6
"""How often the margin of one attempt is tried."""

_WEIGHT_FACTORS = (2.0, 4.0)
"""How much larger than before weights may become, in turn: each factor costs a bit of their precision."""

_LEAST_WEIGHT = 2.0**-10
"""The largest weight of a layer counts as at least this: a layer of zeros can grow, too."""

PROGRAM_SHARE = 0.8
"""The part of the time left that programs may take: the exact check needs the rest."""

_FINEST_SCALE = 30
"""The most fractional bits of a weight."""


@dataclass(frozen=True, eq=False)
class LastLayer:
    """A network with a repaired last layer that passed the exact test.

    `labels` are those of the repair points, `change` is what the program did, over `sets` and with `margin` in the
    network's logit units, after so many `rounds`.
    """

    network: QuantisedNetwork
    labels: tuple[int, ...]
    change: Change
    sets: Sets
    margin: float
    rounds: int


class LastLayerRepair:
    """Step 2 of one problem, for any hidden layers."""

    def __init__(self, problem: RepairProblem, settings: Settings, log: RepairLog) -> None:
        """Keep them; every failed attempt becomes a line of the log."""
        self._problem = problem
        self._settings = settings
        self._log = log

    def repair(self, network: QuantisedNetwork) -> LastLayer | None:
        """Return a repair over the requested sets, else over tighter ones; None where no attempt passes."""
        for sets in TIGHTER[self._settings.sets]:
            if self._problem.clock.over:
                self._log.add(f"{sets}: the time ended")
                return None
            if sets == "points" and self._problem.listed is None:
                continue
            with self._log.timed("sets"):
                feature_sets = self._feature_sets(network, sets)
            for factor in _WEIGHT_FACTORS:
                repaired = self._over_sets(network, feature_sets, sets, factor)
                if repaired is not None:
                    return repaired
        return None

    def unchanged(self, network: QuantisedNetwork) -> LastLayer | None:
        """Return a network as it is if it passes the exact test, else None."""
        labels = self._problem.judge(network, self._log)
        if isinstance(labels, Refusal):
            self._log.add(f"last layer unchanged: {labels.reason}")
            return None
        weights, biases = _last_layer(network)
        no_change = Change(np.zeros_like(weights), np.zeros_like(biases), (), 0.0, 0.0)
        return LastLayer(network, labels, no_change, self._settings.sets, 0.0, 0)

    def _feature_sets(self, network: QuantisedNetwork, sets: Sets) -> Sequence[FeatureSet]:
        """Return the set of the features of every repair point, on the quantised hidden layers."""
        if sets == "points" and self._problem.listed is not None:
            return points([features(network, rows) for rows in self._problem.listed])
        weights, biases = dyadic(network)
        hidden_weights = [torch.from_numpy(array) for array in weights[:-1]]
        hidden_biases = [torch.from_numpy(array) for array in biases[:-1]]
        region = self._problem.region
        with one_thread():
            lines = tightened(hidden_weights, hidden_biases, region, self._settings.slope_steps, self._problem.clock)
        return boxes(lines) if sets == "concrete" else polytopes(lines, region)

    def _over_sets(
        self, network: QuantisedNetwork, feature_sets: Sequence[FeatureSet], sets: Sets, factor: float
    ) -> LastLayer | None:
        """Solve the program with growing margins until the committed network passes; None if it never does."""
        weights, biases = _last_layer(network)
        largest = factor * max(float(np.abs(weights).max()), _LEAST_WEIGHT)
        scale = self._scale(largest)
        if scale < 0:
            self._log.add(f"{sets}: weights up to {largest:g} fit no scale")
            return None
        demand = self._demand(network, largest, scale)
        for rounds in range(1, _ROUNDS + 1):
            with self._log.timed("step_2"):
                change = repair_layer(weights, biases, feature_sets, demand, rows=self._rows(network))
            if isinstance(change, NoChange):
                self._log.add(f"{sets}, weights up to {largest:g}, margin {demand.margin:g}: {change.reason}")
                return None
            changed = self._rounded(network, weights + change.weights, biases + change.biases, scale)
            if changed is None:
                self._log.add(f"{sets}, weights up to {largest:g}: a bias does not fit the last layer's width")
                return None
            labels = self._problem.judge(changed, self._log)
            if not isinstance(labels, Refusal):
                return LastLayer(changed, labels, change, sets, demand.margin, rounds)
            self._log.add(f"{sets}, margin {demand.margin:g}: {labels.reason}")
            demand = replace(demand, margin=_MARGIN_FACTOR * demand.margin)
        return None

    def _scale(self, largest: float) -> int:
        """Return the most fractional bits with which weights up to a size fit their width."""
        limit = (1 << (self._problem.similarity.spec.weight_bits[1] - 1)) - 1
        return min(_FINEST_SCALE, math.floor(math.log2(limit / largest)))

    def _demand(self, network: QuantisedNetwork, largest: float, scale: int) -> Demand:
        """Return what the changed layer has to keep if it is rounded at a scale."""
        below = _feature_bits(network)
        step = 2.0**-scale
        return Demand(
            # Four steps of the committed logits: the program's decisions differ from a tie by more than floats err.
            margin=max(LEAST_MARGIN, 2.0 ** (2 - below - scale)),
            # Rounding half up moves a number by half of its step at most.
            delta=step / 2,
            delta_b=step / 2 * 2.0**-below,
            largest=largest,
            seconds=self._settings.seconds,
            seed=self._settings.seed,
            clock=self._problem.clock.share(PROGRAM_SHARE),
        )

    def _rows(self, network: QuantisedNetwork) -> Rows:
        """Return the kept rows by their features, and how many are to be decided correctly."""
        least = self._problem.least_right
        if not least:
            return NO_ROWS
        kept = self._problem.kept
        return Rows(features(network, kept.inputs), kept.labels, least)

    def _rounded(
        self, network: QuantisedNetwork, weights: Floats, biases: Floats, coarsest: int
    ) -> QuantisedNetwork | None:
        """Return the network with a new last layer at the finest scale that holds it; None where none so fine does.

        A finer scale than `coarsest`, which the demand is made for, moves weights and biases less: the demand holds.
        """
        spec = self._problem.similarity.spec
        weight_limit = 1 << (spec.weight_bits[1] - 1)
        bias_limit = 1 << (spec.bias_widths(network.hidden)[-1] - 1)
        for scale in range(_FINEST_SCALE, coarsest - 1, -1):
            layer = rounded(weights, biases, scale, _feature_bits(network))
            fits_weights = all(-weight_limit <= weight < weight_limit for row in layer.weights for weight in row)
            if fits_weights and all(-bias_limit <= bias < bias_limit for bias in layer.biases):
                bits = (*network.weight_fraction_bits[:-1], scale)
                return replace(network, layers=(*network.layers[:-1], layer), weight_fraction_bits=bits)
        return None


def _last_layer(network: QuantisedNetwork) -> tuple[Floats, Floats]:
    """Return the weights (logits, d) and biases (logits,) of the last layer as floats."""
    weights, biases = dyadic(network)
    return weights[-1], biases[-1]


def _feature_bits(network: QuantisedNetwork) -> int:
    """Return the fractional bits of the features, the values below the last layer."""
    return network.logit_fraction_bits - network.weight_fraction_bits[-1]
