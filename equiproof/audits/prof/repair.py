"""Provable repair of a committed network: features made alike, the last layer changed, everything re-checked exactly.

The path, and where the guarantee comes from:

1. Step 1 moves the hidden layers in floats and quantises them again (:mod:`equiproof.audits.prof.calibrate`).
2. The features of all similar inputs are bounded on those integers: as points, a polytope, or a box.
3. Step 2 finds the smallest change of the last layer, with a margin and with what rounding to the committed integers
   can move inside its constraints (:mod:`equiproof.audits.prof.program`), and the layer is rounded.
4. The committed network decides every repair point in integers, over the whole of S(x). If decisions still differ, step
   2 is repeated with ten times the margin. Only a network that passes is returned as Repaired.

The smallest change of the last layer ignores its cost in accuracy. If the kept rows lose more than two percentage
points of correct decisions, step 1 continues from where it ended, so that step 2 has less to do; the best pass is
returned. A least number of correct kept rows, if one is set, is a constraint of step 2 and of the check of the result.

If step 2 finds no change, these are tried in turn: tighter sets (a box, then the polytope, then the points if S(x) is
finite), then weights of twice the size at half the precision. (PROF, algorithm 2; margins, rounding and the
fallbacks are ours.)
"""

from __future__ import annotations

import math
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

import numpy as np
import torch

from equiproof.audits.errors import AuditError
from equiproof.audits.prof.bounds import Region, boxes, one_thread, points, polytopes, tightened
from equiproof.audits.prof.calibrate import RATE, STEPS, Calibrated, Extent, Floats, Integers, Kept, Varied, calibrate
from equiproof.audits.prof.conversion import committed, dyadic, features, rounded
from equiproof.audits.prof.demands import Demand
from equiproof.audits.prof.exact import Alike, Answer, compare
from equiproof.audits.prof.program import NO_ROWS, Change, NoChange, Rows, repair_layer
from equiproof.audits.prof.sets import FeatureSet
from equiproof.audits.prof.similar import Similarity
from equiproof.certify.decisions import decisions
from equiproof.certify.digits import percent
from equiproof.certify.network import NetworkError, QuantisedNetwork

Sets = Literal["points", "symbolic", "concrete"]

TIGHTER: Mapping[Sets, tuple[Sets, ...]] = {
    "concrete": ("concrete", "symbolic", "points"),
    "symbolic": ("symbolic", "points"),
    "points": ("points", "symbolic"),
}
"""Which sets are tried in turn; points are left out where S(x) is not finite."""

MAX_POINTS = 1 << 19
"""The most similar inputs that are listed, over all repair points."""

LEAST_MARGIN = 1e-6
"""The first margin in the network's logit units: above what HiGHS's tolerance of 1e-9 may leave."""

TOLERATED = 0.02
"""The loss of correct decisions on the kept rows above which step 1 continues."""

_ROUNDS, _WIDER, _FINEST = 6, 3, 30


class RepairError(AuditError):
    """Invalid input for a repair; one line."""


@dataclass(frozen=True)
class Settings:
    """How a repair is made.

    `sets` are the features' sets of step 2, `extent` what step 1 makes small. `steps` 0 leaves step 1 out, `last_layer`
    False leaves step 2 out. `slope_steps` choose the slopes of the bounds of step 2. `seconds` bound the choice of
    labels in step 2. Both steps are taken at most `passes` times. At least `least_right` of the kept rows are decided
    correctly afterwards.
    """

    sets: Sets = "symbolic"
    extent: Extent = "bounds"
    steps: int = STEPS
    rate: float = RATE
    slope_steps: int = 50
    seconds: float = 12.0
    seed: int = 0
    passes: int = 3
    last_layer: bool = True
    least_right: int = 0


DEFAULTS = Settings()


@dataclass(frozen=True, eq=False)
class Repaired:
    """A repaired network, all of whose repair points are decided alike over S(x): checked in integers.

    `change` is what step 2 did to the last layer, `calibrated` what step 1 did; `sets` are those that were used, and
    `tried` what was tried before. `margin` is in the network's logit units. `kept` is the share of the kept rows that
    are decided correctly, before and after. `constant`: all repair points now have the same label although the network
    gave them several, so the repair is of little use.
    """

    network: QuantisedNetwork
    labels: tuple[int, ...]
    change: Change
    calibrated: Calibrated | None
    sets: Sets
    margin: float
    rounds: int
    tried: tuple[str, ...]
    constant: bool
    passes: int = 1
    kept: tuple[float, float] = (1.0, 1.0)
    seconds: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True)
class Unrepaired:
    """No repair was found; `reason` is one line, `tried` one line for every attempt."""

    reason: str
    tried: tuple[str, ...]


def repair(
    network: QuantisedNetwork,
    similarity: Similarity,
    queries: Sequence[tuple[int, ...]],
    kept: tuple[Integers, Integers],
    settings: Settings = DEFAULTS,
) -> Repaired | Unrepaired:
    """Repair a network so that every query is decided alike, strictly, over all inputs similar to it.

    `queries` are the repair points, n_x integers each; `kept` are rows (rows, n_x + n_s) of the same scale with their
    labels, which step 1 keeps. Raises RepairError if there are no queries, if they do not fit, and if points are
    requested that cannot be listed.
    """
    if not queries or any(len(query) != similarity.spec.plain_columns for query in queries):
        raise RepairError(f"want at least one repair point, of {similarity.spec.plain_columns} numbers each")
    return _Repair(network, similarity, queries, kept, settings).run()


def step_1(
    network: QuantisedNetwork,
    similarity: Similarity,
    queries: Sequence[tuple[int, ...]],
    kept: tuple[Integers, Integers],
    settings: Settings = DEFAULTS,
) -> tuple[Calibrated | None, QuantisedNetwork]:
    """Return what step 1 alone makes of a network, fair or not; the arguments are those of :func:`repair`."""
    return _Repair(network, similarity, queries, kept, settings).calibrated(*dyadic(network))


class _Repair:
    """One repair: its input, its attempts, and the time of its parts."""

    def __init__(
        self,
        network: QuantisedNetwork,
        similarity: Similarity,
        queries: Sequence[tuple[int, ...]],
        kept: tuple[Integers, Integers],
        settings: Settings,
    ) -> None:
        """Keep the question and list the similar inputs where that can be done."""
        self._network, self._similarity, self._queries, self._settings = network, similarity, queries, settings
        self._kept, self._unit = kept, similarity.spec.scale_unit
        self._tried: list[str] = []
        self._seconds: dict[str, float] = {}
        self._listed = self._points()
        if self._listed is None and "points" in (settings.sets, settings.extent):
            raise RepairError("there are too many similar inputs to list: use symbolic sets, and bounds in step 1")

    def run(self) -> Repaired | Unrepaired:
        """Take both steps, and again where the kept rows lose too much; return the repair that keeps most."""
        best, (weights, biases) = None, dyadic(self._network)
        before = self._kept_share(self._network)
        for number in range(1, max(self._settings.passes, 1) + 1):
            begun = time.perf_counter()
            calibrated, network = self.calibrated(weights, biases)
            self._spend("step_1", begun)
            found = self._second(network)
            if found is not None:
                found = replace(
                    found, calibrated=calibrated, passes=number, kept=(before, self._kept_share(found.network))
                )
                best = found if best is None or found.kept[1] > best.kept[1] else best
            if calibrated is None or (best is not None and before - best.kept[1] <= TOLERATED):
                break
            if found is not None and number < self._settings.passes:
                self._tried.append(
                    f"pass {number} decides {percent(found.kept[1])} of the kept rows correctly, "
                    f"{percent(before)} before"
                )
            weights, biases = list(calibrated.weights), list(calibrated.biases)
        if best is None:
            return Unrepaired(
                "no last layer was found that removes the influence of sensitive values on every repair point",
                tuple(self._tried),
            )
        return replace(best, tried=tuple(self._tried), seconds=self._seconds)

    def _second(self, network: QuantisedNetwork) -> Repaired | None:
        """Take step 2 over the requested sets, then over tighter ones; without it, check what step 1 left."""
        if not self._settings.last_layer:
            return self._unchanged(network)
        for sets in TIGHTER[self._settings.sets]:
            if sets == "points" and self._listed is None:
                continue
            begun = time.perf_counter()
            held = self._sets(network, sets)
            self._spend("sets", begun)
            for wider in range(1, _WIDER):
                found = self._last_layer(network, held, sets, 2.0**wider)
                if found is not None:
                    return found
        return None

    def _unchanged(self, network: QuantisedNetwork) -> Repaired | None:
        """Return a network whose last layer is left alone, if it passes."""
        weights, biases = (arrays[-1] for arrays in dyadic(network))
        change = Change(np.zeros_like(weights), np.zeros_like(biases), (), 0.0, 0.0)
        if isinstance(labels := self._passes(network), str):
            self._tried.append(f"last layer unchanged: {labels}")
            return None
        return self._found(network, labels, change, self._settings.sets, 0.0, 0)

    def _spend(self, part: str, begun: float) -> None:
        """Count the seconds since `begun` for a part."""
        self._seconds[part] = self._seconds.get(part, 0.0) + time.perf_counter() - begun

    def _kept_share(self, network: QuantisedNetwork) -> float:
        """Return the share of the kept rows that a network decides as they are labelled, 1 of none."""
        labels = self._kept[1]
        return self._kept_right(network) / len(labels) if len(labels) else 1.0

    def _kept_right(self, network: QuantisedNetwork) -> int:
        """Return how many of the kept rows a network decides as they are labelled."""
        rows, labels = self._kept
        return int((decisions(network, rows) == labels).sum()) if len(labels) else 0

    def _points(self) -> list[Integers] | None:
        """Return the similar inputs of every repair point, None where they are too many."""
        if not self._similarity.finite:
            return None
        each = len(self._similarity.boxes(self._queries[0]))
        if each * len(self._queries) > MAX_POINTS:
            return None
        return [self._similarity.points(query) for query in self._queries]

    def calibrated(
        self, weights: Sequence[Floats], biases: Sequence[Floats]
    ) -> tuple[Calibrated | None, QuantisedNetwork]:
        """Take step 1 from some layers; its hidden layers are quantised as any network's, the last one is as it was."""
        settings, spec = self._settings, self._similarity.spec
        if not settings.steps:
            return None, self._network
        rows, labels = self._kept
        kept = Kept(rows.astype(np.float64) / self._unit, labels)
        with one_thread():
            found = calibrate(
                weights, biases, Varied(self._region(), self._stacked()), kept, steps=settings.steps,
                rate=settings.rate, extent=settings.extent,
            )  # fmt: skip
        try:
            return found, committed(found.weights, found.biases, spec)
        except NetworkError as error:
            self._tried.append(f"step 1 skipped, its network cannot be committed: {error}")
            return None, self._network

    def _region(self) -> Region:
        """Return the hull of the similar inputs of every repair point."""
        columns = self._similarity.columns
        hulls = [self._similarity.hull(query) for query in self._queries]
        lows, highs = (np.array([hull[side] for hull in hulls]).astype(np.float64) / self._unit for side in (0, 1))
        fixed = lows.copy()
        fixed[:, columns] = 0.0
        parts = (torch.from_numpy(array) for array in (fixed, lows[:, columns], highs[:, columns]))
        first, low, high = parts
        return Region(first, columns, low, high)

    def _stacked(self) -> torch.Tensor | None:
        """Return the similar inputs as one tensor (n, k, inputs)."""
        if self._listed is None or self._settings.extent != "points":
            return None
        most = max(map(len, self._listed))
        filled = [np.concatenate([rows, np.repeat(rows[:1], most - len(rows), axis=0)]) for rows in self._listed]
        return torch.from_numpy(np.array(filled).astype(np.float64) / self._unit)

    def _sets(self, network: QuantisedNetwork, sets: Sets) -> Sequence[FeatureSet]:
        """Return the set of the features of every repair point, on the quantised hidden layers."""
        if sets == "points" and self._listed is not None:
            return points([features(network, rows) for rows in self._listed])
        weights, biases = (list(map(torch.from_numpy, arrays[:-1])) for arrays in dyadic(network))
        region = self._region()
        with one_thread():
            found = tightened(weights, biases, region, self._settings.slope_steps)
        return boxes(found) if sets == "concrete" else polytopes(found, region)

    def _last_layer(
        self, network: QuantisedNetwork, held: Sequence[FeatureSet], sets: Sets, wider: float
    ) -> Repaired | None:
        """Take step 2 with growing margins until the committed network passes; None if it never does."""
        below = network.logit_fraction_bits - network.weight_fraction_bits[-1]
        weights, biases = (arrays[-1] for arrays in dyadic(network))
        largest = wider * max(float(np.abs(weights).max()), 2.0**-10)
        scale = min(_FINEST, math.floor(math.log2(((1 << (self._similarity.spec.weight_bits[1] - 1)) - 1) / largest)))
        if scale < 0:
            self._tried.append(f"{sets}: weights up to {largest:g} fit no scale")
            return None
        step = 2.0**-scale
        margin = max(LEAST_MARGIN, 2.0 ** (2 - below - scale))
        demand = Demand(margin, step / 2, step / 2 * 2.0**-below, largest, self._settings.seconds, self._settings.seed)
        begun, rows = time.perf_counter(), self._rows(network)
        for rounds in range(1, _ROUNDS + 1):
            change = repair_layer(weights, biases, held, demand, rows=rows)
            self._spend("step_2", begun)
            if isinstance(change, NoChange):
                self._tried.append(f"{sets}, weights up to {largest:g}, margin {demand.margin:g}: {change.reason}")
                return None
            made = self._rounded(network, weights + change.weights, biases + change.biases, scale)
            if made is None:
                self._tried.append(f"{sets}, weights up to {largest:g}: a bias does not fit the last layer's width")
                return None
            labels = self._passes(made)
            if not isinstance(labels, str):
                return self._found(made, labels, change, sets, demand.margin, rounds)
            self._tried.append(f"{sets}, margin {demand.margin:g}: {labels}")
            demand, begun = replace(demand, margin=10 * demand.margin), time.perf_counter()
        return None

    def _passes(self, network: QuantisedNetwork) -> tuple[int, ...] | str:
        """Return the label of every repair point, or in words what the exact check refuses."""
        begun = time.perf_counter()
        answers = check(network, self._similarity, self._queries)
        self._spend("check", begun)
        alike = tuple(answer.label for answer in answers if isinstance(answer, Alike))
        if len(alike) < len(answers):
            return f"{len(answers) - len(alike)} repair points fail the exact check"
        if (right := self._kept_right(network)) < self._settings.least_right:
            return f"{right} of the kept rows are decided correctly, {self._settings.least_right} are to be"
        return alike

    def _found(
        self,
        network: QuantisedNetwork,
        labels: tuple[int, ...],
        change: Change,
        sets: Sets,
        margin: float,
        rounds: int,
    ) -> Repaired:
        """Return a network that passed."""
        constant = len(set(labels)) == 1 < len(set(self._before()))
        return Repaired(network, labels, change, None, sets, margin, rounds, tuple(self._tried), constant)

    def _rows(self, network: QuantisedNetwork) -> Rows:
        """Return the kept rows by their features, and how many are to be decided correctly."""
        rows, labels = self._kept
        least = self._settings.least_right
        return Rows(features(network, rows), labels, least) if least else NO_ROWS

    def _before(self) -> list[int]:
        """Return the label of every repair point before, under the first values of the sensitive features."""
        rows = np.array([(*query, *self._similarity.spec.domain_table[0]) for query in self._queries], dtype=np.int64)
        return [int(label) for label in decisions(self._network, rows)]

    def _rounded(
        self, network: QuantisedNetwork, weights: Floats, biases: Floats, coarsest: int
    ) -> QuantisedNetwork | None:
        """Return the network with a new last layer at the finest scale that holds it; None where none so fine does.

        A finer scale than the one that step 2 reckoned with moves weights and biases less.
        """
        below = network.logit_fraction_bits - network.weight_fraction_bits[-1]
        spec = self._similarity.spec
        limits = 1 << (spec.weight_bits[1] - 1), 1 << (spec.bias_widths(network.hidden)[-1] - 1)
        for scale in range(_FINEST, coarsest - 1, -1):
            layer = rounded(weights, biases, scale, below)
            numbers = [number for row in layer.weights for number in row], layer.biases
            if all(-most <= one < most for most, held in zip(limits, numbers, strict=True) for one in held):
                bits = (*network.weight_fraction_bits[:-1], scale)
                return replace(network, layers=(*network.layers[:-1], layer), weight_fraction_bits=bits)
        return None


def check(network: QuantisedNetwork, similarity: Similarity, queries: Sequence[tuple[int, ...]]) -> list[Answer]:
    """Return for every query, in integers, whether all similar inputs are decided alike."""
    return [compare(network, similarity.boxes(query)) for query in queries]
