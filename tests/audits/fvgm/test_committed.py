"""The committed model under a network: shares are those of adding everything up, and draws enclose them."""

import itertools
import math
import random
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

from equiproof.audits.fvgm import committed
from equiproof.audits.fvgm.bounds import Sampled
from equiproof.audits.fvgm.budget import OutOfTimeError
from equiproof.audits.fvgm.committed import Committed, DrawsError, Members
from equiproof.audits.fvgm.influence import influence
from equiproof.audits.fvgm.learning import Coded, fitted
from equiproof.audits.fvgm.metrics import judged, share
from equiproof.audits.fvgm.network import BOOLEAN, Chance, Choice, Network, NetworkError, boolean
from tests.audits.fvgm.drawn import drawn_network


def drawn_model(rng, network, **known):
    """A model over random members of most variables: it decides by a weighted sum, and 0 is a tie."""
    members, width = {}, 0
    for name, values in network.values.items():
        if rng.random() < 0.8:
            codes = sorted([*range(len(values)), *(rng.randrange(len(values)) for _ in range(rng.randint(0, 2)))])
            places = tuple(range(width, width + rng.randint(1, 2)))
            columns = [[rng.randint(-3, 3) for _ in places] for _ in codes]
            counts = np.array([rng.randint(1, 4) for _ in codes])
            members[name] = Members(places, np.array(columns), np.array(codes), counts)
            width = places[-1] + 1
    weights = np.array([rng.choice([-2, -1, 1, 2]) for _ in range(width)])
    base = np.array([rng.randint(-3, 3) for _ in range(width)], dtype=np.int64)

    def decide(inputs):
        total = inputs @ weights
        return np.where(total == 0, -1, total > 0)

    return Committed(decide, base, members, **({"draws": 500, "seed": 1, "level": 0.99} | known))


def added_up(model, network, group, mediators=(), favored=None):
    """The share of a group by going through every value and every member."""
    total = Fraction(0)
    names = [chance.name for chance in network.chances]
    for values in itertools.product(*(chance.values for chance in network.chances)):
        own = {**group, **dict(zip(names, values, strict=True))}
        weight = Fraction(1)
        for chance in network.chances:
            read = {**(favored if favored is not None and chance.name in mediators else group), **own}
            if favored is not None and chance.name in mediators:
                read |= favored
            weight *= network.row(chance, read)[chance.values.index(own[chance.name])]
        if not weight:
            continue
        parts = []
        for name, one in model.members.items():
            variable = model.read_from.get(name, name)
            inside = one.within(network.values[variable].index(own[variable]))
            of_all = int(inside.counts.sum())
            parts.append(
                [(Fraction(int(n), of_all), one.places, c) for n, c in zip(inside.counts, inside.columns, strict=True)]
            )
        for chosen in itertools.product(*parts):
            X = model.base.copy()
            for _, places, columns in chosen:
                X[list(places)] = columns
            if model.decide(X[None, :])[0] == 1:
                total += weight * math.prod((part for part, _, _ in chosen), start=Fraction(1))
    return total


def small_cases(count, **known):
    """Random models over random networks that are quickly added up, with a group and sometimes mediators."""
    for seed in range(count):
        rng = random.Random(seed)
        network = drawn_network(rng, chances=(1, 4))
        model = drawn_model(rng, network, **known)
        groups = list(network.groups())
        given = {}
        if rng.random() < 0.4:
            names = [chance.name for chance in network.chances]
            given = {"mediators": rng.sample(names, rng.randint(1, len(names))), "favored": rng.choice(groups)}
        yield model, network, rng.choice(groups), given


def test_shares_are_those_of_adding_everything_up():
    """On random models and networks, with mediators too: exact ends are the sum, those of floats enclose it."""
    inside = 0
    for model, network, group, given in small_cases(60):
        truth = added_up(model, network, group, **given)
        exact = share(model, network, group, arithmetic="exact", **given)
        near = share(model, network, group, **given)
        assert exact.low == exact.high == truth
        assert near.low <= truth <= near.high
        assert near.high - near.low <= Fraction(1, 10**9)
        inside += 0 < truth < 1
    assert inside > 20


def test_draws_enclose_the_share(monkeypatch):
    """Of 99 % intervals for random cases at most a few miss, and the shares of the draws are near the truth."""
    monkeypatch.setattr(committed, "MAX_ENUMERATED", 0)
    missed, apart = 0, []
    for model, network, group, given in small_cases(40, draws=1000):
        truth = added_up(model, network, group, **given)
        found = share(model, network, group, **given)
        assert isinstance(found, Sampled)
        missed += not found.low <= truth <= found.high
        apart.append(found.middle - float(truth))
    assert missed <= 3
    assert abs(np.mean(apart)) < 0.01
    assert np.std(apart) < 0.02


def test_intervals_of_draws_are_clopper_and_pearsons():
    """Ends solve their equations: as few, or as many, accepted draws have the probability of a tail."""

    def at_least(count, n, p):
        return sum(math.comb(n, k) * p**k * (1 - p) ** (n - k) for k in range(count, n + 1))

    for count, n, level in ((5, 10, 0.95), (1, 30, 0.99), (29, 30, 0.9)):
        found = Sampled.drawn(count, n, level)
        assert math.isclose(at_least(count, n, float(found.low)), (1 - level) / 2, rel_tol=1e-6)
        assert math.isclose(1 - at_least(count + 1, n, float(found.high)), (1 - level) / 2, rel_tol=1e-6)
        assert found.middle == count / n
    none, every = Sampled.drawn(0, 10, 0.95), Sampled.drawn(10, 10, 0.95)
    assert (none.low, every.high) == (0, 1)
    assert math.isclose(float(none.high), 1 - float(every.low)), "the ends mirror each other"
    assert math.isclose(float(none.high), 1 - 0.025**0.1)


def test_what_draws_leave_open_is_undecided(monkeypatch):
    """A demand inside the interval is undecided, with what to do; one outside is settled."""
    monkeypatch.setattr(committed, "MAX_ENUMERATED", 0)
    network = Network((Choice("a", BOOLEAN),), (boolean("x", ["a"], true=["1/2", "1/2"]),))
    members = {"x": Members((0,), np.array([[0], [1]]), np.array([0, 1]), np.array([1, 1]))}
    model = Committed(lambda X: X[:, 0], np.array([0]), members, draws=1000, seed=1, level=0.95)

    def measured(arithmetic):
        return share(model, network, {"a": "0"}, arithmetic=arithmetic)

    found = judged(measured, Fraction(1, 2), "at least")
    assert (found.verdict, found.reason) == ("undecided", "1,000 draws leave it open; raise the option draws")
    assert judged(measured, Fraction(1, 3), "at least").verdict == "fair"
    assert judged(measured, Fraction(2, 3), "at least").verdict == "unfair"
    with pytest.raises(DrawsError):
        measured("exact")


def test_influences_replace_a_value_by_a_uniform_one():
    """The share with a feature drawn is that of a network in which it is uniform and the model reads it there."""
    compared = 0
    for model, network, group, _ in small_cases(40):
        names = [chance.name for chance in network.chances if chance.name in model.members]
        if not names:
            continue
        name = names[0]

        def measured(classifier, joint, group=group):
            return share(classifier, joint, group, arithmetic="exact")

        values = network.values[name]
        uniform = Chance("drawn", values, (), ((Fraction(1, len(values)),) * len(values),))
        other = Network(network.choices, (*network.chances, uniform))
        without = added_up(replace(model, read_from={name: "drawn"}), other, group)
        assert influence(measured, model, network, [name]).low == added_up(model, network, group) - without
        compared += 1
    assert compared > 20


def test_shares_in_parts_are_the_same(monkeypatch):
    """Where joint values are gone through a few at a time, nothing is left out or counted twice."""
    monkeypatch.setattr(committed, "_CHUNK", 5)
    for model, network, group, given in small_cases(15):
        assert share(model, network, group, arithmetic="exact", **given).low == added_up(model, network, group, **given)


def test_members_are_what_the_model_tells_apart():
    """Rows of one value with equal cuts are one member with their number; a value of one member is sharp."""
    columns, codes = np.array([[3], [4], [9], [9], [10]]), np.array([0, 0, 1, 1, 1])
    found = Members.of((2,), columns, codes, np.array([[0], [0], [1], [1], [2]]))
    assert (found.codes.tolist(), found.counts.tolist(), found.columns[:, 0].tolist()) == (
        [0, 1, 1],
        [2, 2, 1],
        [3, 9, 10],
    )
    assert not found.sharp
    assert found.within(0).sharp
    assert Members.of((2,), columns, codes, np.array([[0], [0], [1], [1], [1]])).sharp


def test_what_does_not_fit_is_refused():
    """A feature without a variable, a group of unknown values, and a share that is begun too late."""
    network = fitted(Coded({"a": BOOLEAN, "x": BOOLEAN}, np.array([[0, 1], [1, 0]])), ["a"], {})
    members = {"y": Members((0,), np.array([[0], [1]]), np.array([0, 1]), np.array([1, 1]))}
    model = Committed(lambda X: X[:, 0], np.array([0]), members, draws=10, seed=0, level=0.95)
    with pytest.raises(NetworkError, match="the model reads 'y'"):
        model.acceptance(network, {"a": "0"})
    with pytest.raises(NetworkError, match="a group names a"):
        model.acceptance(network, {})
    with pytest.raises(OutOfTimeError, match="shares of the committed model"):
        replace(model, deadline=0.0).acceptance(network, {"a": "0"})
