"""Multipliers without a linear program, by one backward pass through a relaxation with one row per coefficient.

A positive coefficient of h is paid with h >= z or h >= 0, a negative one with the chord; where the two copies of a
neuron have coefficients of different signs, the smaller part of them is paid first with the row between the copies.
The result is a guess in floats; :meth:`equiproof.audits.pba.relaxation.Relaxation.prove` computes the exact bound that
it proves.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from equiproof.audits.pba.relaxation import ONE, Block, Relaxation, Row, Sides

Floats = npt.NDArray[np.float64]


def multipliers(relaxation: Relaxation, rows: list[Row], z_sides: Sides, *, tied: bool = True) -> Floats:
    """Return a multiplier for every row of `relaxation.rows(z_sides)`; those between copies only where `tied`."""
    multipliers = np.zeros(len(rows))
    over_v = relaxation.objective.astype(np.float64)
    pair = len(relaxation.difference)
    place = len(rows)
    for block in reversed(relaxation.blocks):
        mu = np.zeros(block.count)
        for position in range(len(block.pairs) - 1, -1, -1):
            pair -= 1
            place -= len(relaxation.difference[pair])
            if tied:
                _pay_pair(block, position, over_v, mu, multipliers[place:], rows[place:])
        _pay_single(relaxation, block, z_sides, over_v, mu, multipliers, rows)
        over_v[: block.start] += mu @ block.z.astype(np.float64)
    return multipliers


def _pay_pair(block: Block, position: int, over_v: Floats, mu: Floats, multipliers: Floats, rows: list[Row]) -> None:
    """Pay what the coefficients of a pair have in common; `multipliers` and `rows` begin with the pair's own."""
    here, there = block.pairs[position]
    a = block.start + here
    b = block.start + there
    common = min(abs(over_v[a]), abs(over_v[b]))
    if over_v[a] * over_v[b] >= 0:
        return
    # The first row bounds h - h' from above, the second from below.
    which = 0 if over_v[a] < 0 else 1
    multipliers[which] = common
    over_v[a] -= common if which else -common
    over_v[b] += common if which else -common
    sign = -1.0 if which else 1.0
    slope = sign * rows[which].z[0][1] / ONE
    mu[here] -= sign * common * slope
    mu[there] += sign * common * slope


def _pay_single(
    relaxation: Relaxation,
    block: Block,
    z_sides: Sides,
    over_v: Floats,
    mu: Floats,
    multipliers: Floats,
    rows: list[Row],
) -> None:
    """Pay every coefficient of a block that is left."""
    for position in range(block.count):
        variable = block.start + position
        neuron = variable - relaxation.inputs
        rho = over_v[variable]
        if rho > 0 and z_sides.upper[neuron] > -z_sides.lower[neuron]:
            multipliers[2 * neuron] = rho
            mu[position] += rho
        elif rho < 0:
            multipliers[2 * neuron + 1] = -rho
            mu[position] += rho * rows[2 * neuron + 1].z[0][1] / ONE
        else:
            continue
        over_v[variable] = 0.0
