"""Choices that may flip a network, from a beam search in floats: a program is much smaller below a known cost."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from equiproof.certify.network import QuantisedNetwork
from equiproof.certify.polytope import margin_signs
from equiproof.certify.recourse.network_program import Moves, Place

_PARTS = 4
"""Of the steps of a direction the last is tried, and those at halves of the way, so many times."""

_DEPTH = 4
"""How many movers move at once."""

_BEAM = 64
"""How many choices are carried on, the steepest first."""

_VALUES = 1 << 22
"""About as many values of neurons are computed for the choices that are carried on."""

_KEPT = 8
"""How many choices are returned."""

Floats = npt.NDArray[np.float64]


def guesses(
    network: QuantisedNetwork, moves: Moves, rows: Sequence[Sequence[int]], margin: int
) -> list[tuple[Place, ...]]:
    """Return some choices with such margins on all rows in floats, the cheapest first; none where none is found."""
    single = [(mover, place) for mover, places in enumerate(_places(moves)) for place in places]
    if not single:
        return []
    judge = _Judge(network, moves, rows)
    movers = np.array([mover for mover, _ in single])
    costs = np.array([float(moves.option(*one).cost) for one in single])
    added = np.array([judge.added(moves.option(*one).point, moves.asked.movers[one[0]].columns) for one in single])
    today = judge.margins(np.zeros((1, added.shape[1])))[0]
    width = max(1, min(_BEAM, _VALUES // (len(single) * judge.size)))
    beam: list[tuple[int, ...]] = [()]
    found: dict[tuple[int, ...], float] = {}
    for _ in range(min(_DEPTH, len(moves.asked.movers))):
        sums = np.array([added[list(own)].sum(axis=0) for own in beam])
        paid = np.array([costs[list(own)].sum() for own in beam])[:, None] + costs[None, :]
        taken = np.array([np.isin(movers, movers[list(own)]) for own in beam])
        least = np.concatenate([judge.margins(own[None, :] + added) for own in sums]).reshape(paid.shape)
        cheapest = min(found.values(), default=np.inf)
        for at, one in np.argwhere((least >= margin) & ~taken & (paid < cheapest)):
            found[tuple(sorted((*beam[at], int(one))))] = float(paid[at, one])
        steep = np.where(taken | (least >= margin), -np.inf, (least - today) / np.maximum(paid, 1e-9))
        best = {
            tuple(sorted((*beam[place // len(single)], int(place % len(single)))))
            for place in np.argsort(-steep, axis=None, kind="stable")[:width]
            if steep.flat[place] > 0
        }
        beam = sorted(best)
        if not beam:
            break
    kept = sorted(found, key=lambda own: (found[own], own))[:_KEPT]
    return [_choice(len(moves.asked.movers), [single[one] for one in own]) for own in kept]


class _Judge:
    """The network in floats on all rows, by what moves add to the first layer."""

    def __init__(self, network: QuantisedNetwork, moves: Moves, rows: Sequence[Sequence[int]]) -> None:
        """Compute the first layer today."""
        arrays = [(np.array(one.weights, dtype=float), np.array(one.biases, dtype=float)) for one in network.layers]
        self._query = np.array(moves.asked.query, dtype=float)
        self._first, bias = arrays[0]
        points = np.array([[*moves.asked.query, *row] for row in rows], dtype=float)
        self._today = points @ self._first.T + bias
        self._layers = arrays[1:]
        self._signs = np.array(margin_signs(network.logit_count, moves.asked.label), dtype=float)
        self.size = len(rows) * max(network.hidden)

    def added(self, point: Sequence[int], columns: Sequence[int]) -> Floats:
        """Return what somebody with other values of some columns has more in the first layer."""
        own = list(columns)
        added: Floats = self._first[:, own] @ (np.array(point, dtype=float) - self._query[own])
        return added

    def margins(self, added: Floats) -> Floats:
        """Return the least margin of all rows for each of many sums of such, of shape (n, neurons)."""
        values = np.maximum(self._today[None] + added[:, None, :], 0)
        for weights, biases in self._layers[:-1]:
            values = np.maximum(values @ weights.T + biases, 0)
        weights, biases = self._layers[-1]
        margins: Floats = ((values @ weights.T + biases) @ self._signs.T).min(axis=(1, 2))
        return margins


def _places(moves: Moves) -> list[list[Place]]:
    """Return where each mover may go, without today, as far as it is tried."""
    places: list[list[Place]] = []
    for listed, grids in zip(moves.listed, moves.grids, strict=True):
        own: list[Place] = list(range(1, len(listed)))
        for direction, grid in grids.items():
            own += [(direction, step) for step in sorted({grid.last >> part for part in range(_PARTS)})]
        places.append(own)
    return places


def _choice(movers: int, moved: Sequence[tuple[int, Place]]) -> tuple[Place, ...]:
    """Return a choice by what moves."""
    places: list[Place] = [0] * movers
    for mover, place in moved:
        places[mover] = place
    return tuple(places)
