"""The gains of a network that is trained on real applicants: none of ten thousand points of the ball gains less."""

import random
from fractions import Fraction
from math import sqrt

import pytest

from equiproof.certify.data import load
from equiproof.certify.gain import Case, check, gain_at, most
from equiproof.certify.models.quantise import quantise
from equiproof.certify.models.training import Settings, train

POINTS, LEAVES = 10_000, 32


@pytest.mark.shared
@pytest.mark.slow
def test_no_point_of_the_ball_gains_less(public_data):
    """Grid points and points between them, most of them near the sphere, for three applicants and both orders."""
    data, rng = load("german", public_data), random.Random(5)
    spec, network = data.spec, quantise(train(data, (8, 2), settings=Settings(epochs=20))[0], data.spec)
    table, radius = spec.domain_table, spec.scale_unit // 4
    for index in rng.sample(data.test, 3):
        query = spec.encode(data.rows[index])
        for order in ((0, 1), (1, 0)):
            case = Case(network, spec, query, *order, label=rng.randrange(2))
            found = most(case, radius**2, max_leaves=LEAVES)
            check(found.evidence, case)
            rows, least = [table[number] for number in order], found.evidence.least_gain
            for number in range(POINTS // 6 + 1):
                way = [rng.gauss(0, 1) for _ in query]
                far = radius * rng.random() ** (1 / len(query)) / sqrt(sum(step * step for step in way))
                if number % 2:
                    point = [x + int(step * far) for x, step in zip(query, way, strict=True)]
                    assert gain_at(network, point, *rows, case.label) >= least
                else:
                    point = [x + Fraction(int(step * far * 1024), 1024) for x, step in zip(query, way, strict=True)]
                    assert gain_at(network, point, *rows, case.label) > least - 1
