"""Step 1 on the committed network: its hidden layers are moved in floats and quantised again.

Nothing is proven here. Step 1 makes the features of similar inputs alike, so that step 2 has less to change.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import torch

from equiproof.audits.prof.bounds import one_thread
from equiproof.audits.prof.calibrate import Calibrated, Floats, Kept, Varied, calibrate
from equiproof.audits.prof.conversion import committed
from equiproof.audits.prof.problem import RepairLog, RepairProblem
from equiproof.audits.prof.settings import Settings
from equiproof.certify.network import NetworkError, QuantisedNetwork

DESCENT_SHARE = 0.5
"""The part of the time left that a descent may take."""


def move_hidden_layers(
    problem: RepairProblem, settings: Settings, weights: Sequence[Floats], biases: Sequence[Floats], log: RepairLog
) -> tuple[Calibrated | None, QuantisedNetwork]:
    """Take step 1 from the given layers, all of a network's, in the units of :func:`.conversion.dyadic`.

    Returns the descent and its network: the hidden layers are quantised as any network's, the last one keeps its
    weights. Without a step, and where the result cannot be committed, these are None and the problem's own network. The
    descent takes half of the time left, and step 2 the rest.
    """
    if not settings.steps or problem.clock.over:
        return None, problem.network
    varied = Varied(problem.region, _listed_inputs(problem, settings))
    kept = Kept(problem.in_units(problem.kept.inputs), problem.kept.labels)
    with one_thread():
        calibrated = calibrate(
            weights,
            biases,
            varied,
            kept,
            steps=settings.steps,
            rate=settings.rate,
            extent=settings.extent,
            clock=problem.clock.share(DESCENT_SHARE),
        )
    try:
        return calibrated, committed(calibrated.weights, calibrated.biases, problem.similarity.spec)
    except NetworkError as error:
        log.add(f"step 1 skipped, its network cannot be committed: {error}")
        return None, problem.network


def _listed_inputs(problem: RepairProblem, settings: Settings) -> torch.Tensor | None:
    """Return the similar inputs as one tensor (n, k, inputs); points with fewer of them repeat their first one."""
    if problem.listed is None or settings.extent != "points":
        return None
    largest = max(map(len, problem.listed))
    padded = [np.concatenate([rows, np.repeat(rows[:1], largest - len(rows), axis=0)]) for rows in problem.listed]
    return torch.from_numpy(problem.in_units(np.array(padded)))
