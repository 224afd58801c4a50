"""Provable repair of a committed network: features made alike, the last layer changed, everything re-checked exactly.

The path, and where the guarantee comes from:

1. Step 1 moves the hidden layers in floats and quantises them again (:mod:`equiproof.audits.prof.hidden_layers`).
2. The features of all similar inputs are bounded on those integers: as points, a polytope, or a box.
3. Step 2 finds the smallest change of the last layer, with a margin and with what rounding to the committed integers
   can move inside its constraints, and the layer is rounded (:mod:`equiproof.audits.prof.last_layer`).
4. The committed network decides every repair point in integers, over the whole of S(x). If decisions still differ, step
   2 is repeated with ten times the margin. Only a network that passes is returned as Repaired
   (:mod:`equiproof.audits.prof.problem`).

The smallest change of the last layer ignores its cost in accuracy. If the kept rows lose more than two percentage
points of correct decisions, step 1 continues from where it ended, so that step 2 has less to do; the best pass is
returned. A least number of correct kept rows, if one is set, is a constraint of step 2 and of the check of the result.

If step 2 finds no change, these are tried in turn: tighter sets (a box, then the polytope, then the points if S(x) is
finite), then weights of twice the size at half the precision. (PROF, algorithm 2; margins, rounding and the
fallbacks are ours.)
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from equiproof.audits.errors import AuditError
from equiproof.audits.prof.calibrate import Calibrated, Integers
from equiproof.audits.prof.clock import ENDLESS, Clock
from equiproof.audits.prof.conversion import dyadic
from equiproof.audits.prof.hidden_layers import move_hidden_layers
from equiproof.audits.prof.last_layer import LastLayer, LastLayerRepair
from equiproof.audits.prof.problem import KeptRows, RepairLog, RepairProblem
from equiproof.audits.prof.program import Change
from equiproof.audits.prof.settings import DEFAULTS, Sets, Settings
from equiproof.audits.prof.similar import Similarity
from equiproof.certify.digits import percent
from equiproof.certify.network import QuantisedNetwork

__all__ = [
    "DEFAULTS",
    "RepairError",
    "Repaired",
    "Sets",
    "Settings",
    "Unrepaired",
    "repair",
    "step_1",
]

LOSS_LIMIT = 0.02
"""The loss of correct decisions on the kept rows above which step 1 continues, as a share of these rows."""


class RepairError(AuditError):
    """Invalid input for a repair; one line."""


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
    clock: Clock = ENDLESS,
) -> Repaired | Unrepaired:
    """Repair a network so that every query is decided alike, strictly, over all inputs similar to it.

    `queries` are the repair points, n_x integers each; `kept` are rows (rows, n_x + n_s) of the same scale with their
    labels, which step 1 keeps. `clock` ends every step: what is repaired by then is returned. Raises RepairError if
    there are no queries, if they do not fit, and if points are requested that cannot be listed.
    """
    if not queries or any(len(query) != similarity.spec.plain_columns for query in queries):
        raise RepairError(f"want at least one repair point, of {similarity.spec.plain_columns} numbers each")
    problem = replace(_problem(network, similarity, queries, kept, settings), clock=clock)
    log = RepairLog()
    best = _best_pass(problem, settings, log)
    if best is None:
        return Unrepaired(
            "no last layer was found that removes the influence of sensitive values on every repair point",
            tuple(log.attempts),
        )
    return replace(best, tried=tuple(log.attempts), seconds=log.seconds)


def step_1(
    network: QuantisedNetwork,
    similarity: Similarity,
    queries: Sequence[tuple[int, ...]],
    kept: tuple[Integers, Integers],
    settings: Settings = DEFAULTS,
) -> tuple[Calibrated | None, QuantisedNetwork]:
    """Return what step 1 alone makes of a network, fair or not; the arguments are those of :func:`repair`."""
    problem = _problem(network, similarity, queries, kept, settings)
    weights, biases = dyadic(network)
    return move_hidden_layers(problem, settings, weights, biases, RepairLog())


def _problem(
    network: QuantisedNetwork,
    similarity: Similarity,
    queries: Sequence[tuple[int, ...]],
    kept: tuple[Integers, Integers],
    settings: Settings,
) -> RepairProblem:
    """Return the problem; raises RepairError where points are requested that cannot be listed."""
    problem = RepairProblem(network, similarity, queries, KeptRows(*kept), settings.least_right)
    if "points" in (settings.sets, settings.extent) and problem.listed is None:
        raise RepairError("use symbolic sets, and bounds in step 1: there are too many similar inputs to list")
    return problem


def _best_pass(problem: RepairProblem, settings: Settings, log: RepairLog) -> Repaired | None:
    """Take both steps, and again where the kept rows lose too much; return the repair that keeps most.

    Of passes that keep equally many rows the first one is returned: its hidden layers took the fewest steps.
    """
    second_step = LastLayerRepair(problem, settings, log)
    before = problem.kept.share_right(problem.network)
    weights, biases = dyadic(problem.network)
    best: Repaired | None = None
    for number in range(1, max(settings.passes, 1) + 1):
        if best is not None and problem.clock.over:
            break
        with log.timed("step_1"):
            calibrated, network = move_hidden_layers(problem, settings, weights, biases, log)
        last_layer = second_step.repair(network) if settings.last_layer else second_step.unchanged(network)
        share = None
        if last_layer is not None:
            share = problem.kept.share_right(last_layer.network)
            if best is None or share > best.kept[1]:
                best = _repaired(problem, last_layer, calibrated, number, (before, share))
        if calibrated is None or (best is not None and before - best.kept[1] <= LOSS_LIMIT):
            break
        if share is not None and number < settings.passes:
            log.add(f"pass {number} decides {percent(share)} of the kept rows correctly, {percent(before)} before")
        weights = list(calibrated.weights)
        biases = list(calibrated.biases)
    return best


def _repaired(
    problem: RepairProblem, last_layer: LastLayer, calibrated: Calibrated | None, number: int, kept: tuple[float, float]
) -> Repaired:
    """Return the repair of a pass; what was tried, and for how long, is added at the end."""
    return Repaired(
        network=last_layer.network,
        labels=last_layer.labels,
        change=last_layer.change,
        calibrated=calibrated,
        sets=last_layer.sets,
        margin=last_layer.margin,
        rounds=last_layer.rounds,
        tried=(),
        constant=len(set(last_layer.labels)) == 1 < len(set(problem.labels_before())),
        passes=number,
        kept=kept,
    )
