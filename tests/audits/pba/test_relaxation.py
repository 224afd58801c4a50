"""Rows hold at every input, bounds hold for every neuron, and multipliers never prove more than is true."""

from __future__ import annotations

import random
from fractions import Fraction

import numpy as np
import pytest

from equiproof.audits.pba import greedy, program
from equiproof.audits.pba.copies import Arrays, copies_of
from equiproof.audits.pba.definition import ask, ask_robust
from equiproof.audits.pba.integers import least
from equiproof.audits.pba.propagate import relax
from equiproof.audits.pba.relaxation import ONE, MultiplierError, chord
from tests.certify.tiny import larger

STYLES = ("difference", "separate", "paper")


def scenes(count=30, style="difference"):
    """Yield relaxations of random networks over random boxes with some exact points of each."""
    for seed in range(count):
        rng = random.Random(seed)
        case = larger(seed, 3, rng.choice(((6,), (8, 5), (6, 5, 4))), logits=rng.choice((1, 3)))
        query, labels = case.query, (1, 0) if case.network.logit_count == 1 else tuple(rng.sample(range(3), 2))
        reach = [rng.choice((0, 30, 300, 3000)) for _ in query]
        box = tuple(tuple(x + s * far for x, far in zip(query, reach, strict=True)) for s in (-1, 1))
        if rng.random() < 0.8:
            question = ask(query, *case.table, rng.choice(("observed", "flipped")), labels, box)
        else:
            question = ask_robust(query, case.table[0], labels, box)
        copies = copies_of(Arrays(case.network), question)
        points = [query, *box]
        points += [
            tuple(low + Fraction(rng.randint(0, 64), 64) * (high - low) for low, high in zip(*box, strict=True))
            for _ in range(12)
        ]
        yield case.network, question, relax(copies, copies.lower, copies.upper, style), points


def at(network, question, relaxation, point):
    """Return the exact values of all variables and of z of the open neurons at a point."""
    layers = [network.pre_activations((*point, *row)) for row, _ in question.copies]
    z = [
        layers[copy][depth][neuron]
        for depth, block in enumerate(relaxation.blocks)
        for copy, neuron in zip(block.copy, block.neuron, strict=True)
    ]
    return [point[column] for column in relaxation.copies.varying] + [max(value, 0) for value in z], z


@pytest.mark.parametrize("style", STYLES)
def test_every_row_and_bound_holds_at_every_point(style):
    """At exact points of the box all rows are at least 0, all bounds hold, and the objective is the network's."""
    tied = ramps = 0
    for network, question, relaxation, points in scenes(style=style):
        z_sides = relaxation.bounds()
        rows, ends = relaxation.rows(z_sides), relaxation.variables(z_sides)
        tied += len(relaxation.difference)
        ramps += sum(len(group) == 4 for group in relaxation.difference)
        for point in points:
            v, z = at(network, question, relaxation, point)
            assert all(low <= value <= high for low, value, high in zip(*z_sides[:1], z, *z_sides[1:], strict=True))
            assert all(low <= value <= high for low, value, high in zip(ends.lower, v, ends.upper, strict=True))
            for row in rows:
                assert sum(c * v[k] for k, c in row.h) + sum(c * z[k] for k, c in row.z) + row.constant >= 0
            objective = sum(int(c) * value for c, value in zip(relaxation.objective, v, strict=True))
            assert objective + relaxation.constant == question.at(network, point)
    assert (tied > 50 and ramps > 20) if style == "difference" else tied == 0


def test_pre_activations_of_a_block_are_the_networks():
    """Z v + z0 gives z of every open neuron exactly, over the variables that were made before it."""
    seen = 0
    for network, question, relaxation, points in scenes(12):
        for point in points:
            v, z = at(network, question, relaxation, point)
            for block in relaxation.blocks:
                first = block.start - relaxation.inputs
                for position in range(block.count):
                    row = block.z[position]
                    value_sum = sum(int(c) * value for c, value in zip(row, v[: block.start], strict=True))
                    assert value_sum + int(block.z0[position]) == z[first + position]
                    seen += 1
    assert seen > 100


def test_differences_of_copies_stay_inside_their_bounds():
    """z - z' of a neuron that is open in both copies lies in the bounds that its rows were made from."""
    seen = 0
    for network, question, relaxation, points in scenes():
        for point in points:
            _, z = at(network, question, relaxation, point)
            for block in relaxation.blocks:
                first = block.start - relaxation.inputs
                for (here, there), (low, high) in zip(block.pairs, block.apart, strict=True):
                    assert low <= z[first + here] - z[first + there] <= high
                    seen += 1
    assert seen > 300


def test_no_multipliers_prove_more_than_is_true():
    """Multipliers of HiGHS, of the greedy pass, and drawn at random all prove bounds below the objective everywhere."""
    useful = 0
    for seed, (network, question, relaxation, points) in enumerate(scenes()):
        z_sides = relaxation.bounds()
        rows = relaxation.rows(z_sides)
        lowest = min(question.at(network, point) for point in points)
        solved = program.solve(relaxation, rows, z_sides)
        generator = np.random.default_rng(seed)
        size = 1.0 + np.abs(solved.multipliers).max(initial=0.0)
        tried = [solved.multipliers, solved.multipliers * generator.uniform(0, 2, len(rows))]
        tried += [greedy.multipliers(relaxation, rows, z_sides, tied=tied) for tied in (True, False)]
        tried += [generator.uniform(0, size, len(rows)) for _ in range(3)]
        bounds = [relaxation.prove(rows, z_sides, multipliers) for multipliers in tried]
        assert all(bound <= lowest for bound in bounds)
        # The program's own multipliers are the best, up to the solver's tolerance.
        slack = Fraction(1 << network.logit_fraction_bits, 10**6)
        assert bounds[0] >= max(bounds) - slack
        useful += bounds[0] > min(bounds[1:]) + slack
    assert useful > 10


def test_wrong_duals_prove_nothing():
    """Multipliers that overstate the bound in floats are worth less than the right ones, never more."""
    hurt = 0
    for _, _, relaxation, _ in scenes():
        z_sides = relaxation.bounds()
        rows = relaxation.rows(z_sides)
        solved = program.solve(relaxation, rows, z_sides)
        if relaxation.open:
            right = relaxation.prove(rows, z_sides, solved.multipliers)
            wrong = relaxation.prove(rows, z_sides, solved.multipliers * 3 + 1e6)
            hurt += wrong < right
            assert wrong <= right
    assert hurt > 10


def test_multipliers_that_are_no_evidence_are_refused():
    """A negative, infinite or missing multiplier is refused, whatever it would prove."""
    relaxation = next(one for _, _, one, _ in scenes() if one.open)
    z_sides = relaxation.bounds()
    rows = relaxation.rows(z_sides)
    for wrong in (np.full(len(rows), -1e-9), np.full(len(rows), np.inf), np.full(len(rows), np.nan), np.zeros(1)):
        with pytest.raises(MultiplierError):
            relaxation.prove(rows, z_sides, wrong)


def test_parts_that_no_input_is_in_have_bounds_beyond_any_value():
    """Signs that no input has are proven to have none, by a bound above every value; those of a point never are."""
    empty = 0
    for network, question, relaxation, points in scenes(40):
        if not relaxation.open:
            continue
        values = {}
        for point in points:
            pattern = tuple(value >= 0 for value in at(network, question, relaxation, point)[1])
            values[pattern] = min(values.get(pattern, question.at(network, point)), question.at(network, point))
        highest = relaxation.constant - int(least(-np.abs(relaxation.objective)[None, :], *_widest(relaxation))[0])
        rng = random.Random(relaxation.open)
        for pattern in [*values, *(tuple(rng.random() < 0.5 for _ in range(relaxation.open)) for _ in range(4))]:
            z_sides = relaxation.bounds()
            for neuron, on in enumerate(pattern):
                z_sides[0 if on else 1][neuron] = 0
            rows = relaxation.rows(z_sides)
            solved = program.solve(relaxation, rows, z_sides)
            bound = relaxation.prove(rows, z_sides, solved.multipliers)
            empty += bound > highest
            assert solved.feasible or pattern not in values
            assert pattern not in values or bound <= values[pattern]
    assert empty > 20


def _widest(relaxation):
    ends = relaxation.variables(relaxation.bounds())
    return np.zeros_like(ends.upper), np.maximum(np.abs(ends.lower), np.abs(ends.upper))


def test_chord_lies_above_relu():
    """The rounded chord is at least relu at both ends and at 0, and less than a millionth of the range too high."""
    rng = random.Random(0)
    for _ in range(200):
        low, high = -rng.randint(1, 10**12), rng.randint(1, 10**12)
        slope, offset = chord(low, high)
        assert slope * low + offset >= 0
        assert slope * high + offset >= ONE * high
        assert offset >= 0
        assert offset <= Fraction(-low * high * ONE, high - low) + (high - low)
