"""The minimum of a question by other means: exactly along one column, in floats by mixed-integer programs."""

from __future__ import annotations

import itertools
import random
from fractions import Fraction

import numpy as np
from scipy.optimize import Bounds, LinearConstraint, milp

from equiproof.audits.pba.definition import Question, margin_row
from tests.certify.tiny import larger, tiny


def tiny_question(seed, varying=None, span=12, **kinds):
    """Return a random tiny network with a question about it; `varying` limits how many columns vary."""
    rng = random.Random(seed)
    case = tiny(seed, **kinds)
    own, other = rng.sample(case.table, 2)
    labels = max(2, case.network.logit_count)
    label, against = rng.sample(range(labels), 2)
    reach = [rng.randint(0, span) for _ in case.query]
    if varying is not None:
        reach = [far if column < varying else 0 for column, far in enumerate(reach)]
    lower = tuple(x - far for x, far in zip(case.query, reach, strict=True))
    upper = tuple(x + rng.randint(0, 1) * far for x, far in zip(case.query, reach, strict=True))
    sign = rng.choice((1, -1))
    copies = ((own, sign), (other, -sign)) if rng.random() < 0.8 else ((own, sign),)
    return case.network, Question(case.query, copies, label, against, lower, upper)


def larger_question(seed, hidden, varying=1, span=3000):
    """Return a random network at scale 2^10 with a question about it; its first columns vary, widely."""
    rng = random.Random(seed)
    case = larger(seed, 4, hidden, logits=rng.choice((1, 3)))
    label, against = rng.sample(range(max(2, case.network.logit_count)), 2)
    reach = [rng.randint(100, span) if column < varying else 0 for column in range(len(case.query))]
    lower = tuple(x - far for x, far in zip(case.query, reach, strict=True))
    upper = tuple(x + far for x, far in zip(case.query, reach, strict=True))
    sign = rng.choice((1, -1))
    return case.network, Question(
        case.query, ((case.table[0], sign), (case.table[1], -sign)), label, against, lower, upper
    )


def grid(question):
    """Return every grid point of a question's box."""
    ends = zip(question.lower, question.upper, strict=True)
    return list(itertools.product(*(range(low, high + 1) for low, high in ends)))


def along_a_line(network, question):
    """Return the exact minimum where only the first column varies.

    Between two neighboring breakpoints every neuron keeps its sign, so the minimum is at a breakpoint or an end.
    """
    points = [Fraction(question.lower[0]), Fraction(question.upper[0])]
    for depth, (row, _) in itertools.product(range(len(network.layers) - 1), question.copies):
        roots = set()
        for low, high in itertools.pairwise(points):
            below = _layer(network, (low, *question.query[1:], *row), depth)
            above = _layer(network, (high, *question.query[1:], *row), depth)
            roots |= {low - a * (high - low) / (b - a) for a, b in zip(below, above, strict=True) if a * b < 0}
        points = sorted({*points, *roots})
    return min(question.at(network, (point, *question.query[1:])) for point in points)


def by_mixed_integers(network, question):
    """Return the minimum in logits, with a 0/1 variable per neuron and copy and the largest sums as its big numbers."""
    columns, unit = len(question.query), float(1 << network.input_fraction_bits)
    lower, upper, rows, ends = [x / unit for x in question.lower], [x / unit for x in question.upper], [], []
    whole, objective = [0] * columns, {}
    top, constant = margin_row(network, question.label, question.against)
    total = float(1 << network.logit_fraction_bits)

    def variable(low, high, integral):
        lower.append(float(low))
        upper.append(float(high))
        whole.append(integral)
        return len(lower) - 1

    for sensitive, sign in question.copies:
        values = [({column: 1.0}, 0.0) for column in range(columns)] + [({}, value / unit) for value in sensitive]
        scale = unit
        for layer, bits in zip(network.layers[:-1], network.weight_fraction_bits, strict=False):
            above, step = [], float(1 << bits)
            scale *= step
            for weights, bias in zip(layer.weights, layer.biases, strict=True):
                z, z0 = {}, bias / scale
                for weight, (coefficients, start) in zip(weights, values, strict=True):
                    z0 += weight / step * start
                    for key, value in coefficients.items():
                        z[key] = z.get(key, 0.0) + weight / step * value
                most = abs(z0) + sum(abs(v) * max(abs(lower[k]), abs(upper[k])) for k, v in z.items()) + 1
                h, on = variable(0, most, 0), variable(0, 1, 1)
                rows += [{h: 1.0, **{k: -v for k, v in z.items()}}]
                ends += [(z0, np.inf)]
                rows += [{h: 1.0, on: most, **{k: -v for k, v in z.items()}}]
                ends += [(-np.inf, z0 + most)]
                rows += [{h: 1.0, on: -most}]
                ends += [(-np.inf, 0.0)]
                above.append(({h: 1.0}, 0.0))
            values = above
        for weight, (coefficients, _) in zip(top, values, strict=True):
            for key, value in coefficients.items():
                objective[key] = objective.get(key, 0.0) + sign * weight * value * scale / total
    matrix = np.zeros((len(rows), len(lower)))
    for number, row in enumerate(rows):
        for key, value in row.items():
            matrix[number, key] = value
    costs = np.array([objective.get(key, 0.0) for key in range(len(lower))])
    found = milp(
        costs,
        constraints=LinearConstraint(matrix, *np.array(ends).T),
        bounds=Bounds(lower, upper),
        integrality=whole,
    )
    assert found.status == 0
    return found.fun + constant / total * sum(sign for _, sign in question.copies)


def _layer(network, inputs, depth):
    return network.pre_activations(inputs)[depth]
