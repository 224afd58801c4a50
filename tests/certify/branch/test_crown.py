"""Ascent on batches of parts, and slopes for deeper bounds: sound against points and programs, and as good as these."""

import random
from functools import cache

import pytest

from equiproof.certify.branch.crown import Part, bounds
from equiproof.certify.branch.making import slice_bounds
from equiproof.certify.branch.relaxation import SliceRelaxation
from equiproof.certify.branch.slopes import tight_slopes
from equiproof.certify.polytope import margin_signs
from tests.certify.branch.cases import parameters_of
from tests.certify.tiny import larger

REACH = 700


class Setting:
    """One slice of a random case, with and without slopes chosen for deeper bounds."""

    def __init__(self, seed, hidden, logits=1, columns=8):
        self.case = larger(seed, columns, hidden, logits=logits)
        self.row = self.case.table[0]
        self.label = self.case.network.decide((*self.case.query, *self.row))
        self.over = margin_signs(logits, self.label)
        self.parameters = parameters_of(self.case)
        here = (self.parameters, self.case.network, self.case.query, self.row)
        (self.slopes,), _ = tight_slopes(*here[:3], [self.row], self.over, REACH**2)
        self.plain = slice_bounds(*here, REACH**2)
        self.tight = slice_bounds(*here, REACH**2, self.slopes)
        self.relaxation = SliceRelaxation(*here, self.tight, REACH**2)

    def parts(self, rng, count):
        """Return the whole ball and parts with a few random signs of unstable neurons."""
        loose = [
            i for i, bit in enumerate(bit for layer in self.relaxation.ball.layers for bit in layer.unstable) if bit
        ]
        parts = [Part((0,) * self.case.network.neurons, (0,) * self.case.network.neurons, None)]
        while len(parts) < count:
            signs = [0] * self.case.network.neurons
            for i in rng.sample(loose, min(len(loose), rng.randint(1, 3))):
                signs[i] = rng.choice((-1, 1))
            parts.append(Part(tuple(int(s > 0) for s in signs), tuple(int(s < 0) for s in signs), None))
        return parts

    def points(self, rng, count):
        """Yield pre-activations of the hidden layers at points of the ball, and margins as shares of the query's."""
        query, network = self.case.query, self.case.network
        at_query = self.margins(query)
        for _ in range(count):
            way = [rng.gauss(0, 1) for _ in query]
            length = rng.random() ** 0.3 * REACH / sum(v * v for v in way) ** 0.5
            point = [q + int(v * length) for q, v in zip(query, way, strict=True)]
            *hidden, _ = network.pre_activations((*point, *self.row))
            shares = [m / unit for m, unit in zip(self.margins(point), at_query, strict=True)]
            yield hidden, shares

    def margins(self, point):
        """Return the margins of the label."""
        logits = self.case.network.logits((*point, *self.row))
        return [sum(s * z for s, z in zip(signs, logits, strict=True)) for signs in self.over]


@cache
def settings():
    """Return settings of two and three hidden layers, with one logit and with three."""
    return [
        *(Setting(seed, (10, 6), logits=1 + 2 * (seed % 2)) for seed in range(6)),
        *(Setting(seed, (8, 6, 5)) for seed in range(3)),
    ]


def test_bounds_of_ascent_hold_on_sampled_points():
    """No sampled point of a part has a smaller margin than ascent proves, after few steps and after many."""
    rng, held = random.Random(1), 0
    for setting in settings():
        parts, points = setting.parts(rng, 8), list(setting.points(rng, 150))
        for place, logits in enumerate(setting.over):
            for steps in (0, 3, 30):
                results = bounds(setting.relaxation, parts, logits, steps)
                for part, here in zip(parts, results, strict=True):
                    for hidden, shares in points:
                        values = [z for layer in hidden for z in layer]
                        signs = zip(values, part.on, part.off, strict=True)
                        if all((not on or z >= 0) and (not off or z <= 0) for z, on, off in signs):
                            assert here.bound <= shares[place] + 1e-9
                            held += 1
    assert held > 5000


def test_ascent_comes_to_what_the_program_finds():
    """After enough steps the bound of the whole ball and of parts is the program's, but for little; never above it."""
    rng, near, count = random.Random(2), 0, 0
    for setting in settings():
        parts = setting.parts(rng, 6)
        for logits in setting.over:
            results = bounds(setting.relaxation, parts, logits, 120)
            for part, here in zip(parts, results, strict=True):
                exact = setting.relaxation.solve(part.on, part.off, logits)
                if exact.guess.multiplier != 1.0 or exact.bound > 0:
                    # Proven by both, or empty: then neither needs to be the largest.
                    assert here.bound > -0.05
                    continue
                count += 1
                near += here.bound >= exact.bound - 0.02 * max(1.0, abs(exact.bound))
    assert count > 20
    assert near > 0.9 * count


def test_a_child_begins_where_the_part_above_ended():
    """With the multipliers of the part above, no step is needed to be at least as good on a part of it."""
    rng, better = random.Random(3), 0
    for setting in settings():
        for logits in setting.over:
            whole, *others = setting.parts(rng, 5)
            above = bounds(setting.relaxation, [whole], logits, 40)[0]
            children = [Part(part.on, part.off, above) for part in others]
            for here in bounds(setting.relaxation, children, logits, 0):
                better += here.bound >= above.bound - 1e-9
                assert here.guess.multiplier == 1.0
    assert better > 0


def test_slopes_make_the_bounds_of_deeper_layers_tighter():
    """Bounds with chosen slopes hold on sampled points, and prove more of the margin of the whole ball."""
    rng, won, lost = random.Random(4), 0, 0
    for setting in (Setting(seed, (8, 8, 6, 4)) for seed in range(16)):
        for hidden, _ in setting.points(rng, 100):
            for values, layer in zip(hidden, setting.tight, strict=True):
                assert all(a <= z <= b for z, a, b in zip(values, layer.low, layer.high, strict=True))
        assert [len(row) for row in setting.slopes] == [len(layer.low) for layer in setting.tight[:-1]]
        assert all(0 <= a <= setting.parameters.unit for row in setting.slopes for a in row)
        here = (setting.parameters, setting.case.network, setting.case.query, setting.row)
        whole = setting.parts(rng, 1)
        plain = SliceRelaxation(*here, setting.plain, REACH**2)
        for logits in setting.over:
            tight, before = (bounds(of, whole, logits, 100)[0].bound for of in (setting.relaxation, plain))
            won += tight > before + 0.01 * abs(before)
            lost += tight < before - 0.01 * abs(before)
    assert won > 4 * lost
    assert won > 4


@pytest.mark.parametrize("steps", [0, 5])
def test_parts_come_back_in_their_order(steps):
    """A batch gives what its parts give one by one, whichever are proven first."""
    setting = Setting(1, (10, 6))
    parts = setting.parts(random.Random(5), 10)
    together = bounds(setting.relaxation, parts, setting.over[0], steps)
    for part, here in zip(parts, together, strict=True):
        alone = bounds(setting.relaxation, [part], setting.over[0], steps)[0]
        # What is proven alone stops there, in a batch it goes on for a while.
        assert here.bound == pytest.approx(alone.bound, abs=1e-9) or min(here.bound, alone.bound) > 0
