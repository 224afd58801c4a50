"""The cheapest choice under a network, against all choices, and each answer in integers on every row."""

import itertools
import math
import random
from dataclasses import replace
from fractions import Fraction

import msgspec
import pytest

from equiproof.certify import integer_program
from equiproof.certify.network import Layer, QuantisedNetwork
from equiproof.certify.recourse import network_guess, network_program
from equiproof.certify.recourse.asked import Asked
from equiproof.certify.recourse.moves import Number, movers
from equiproof.certify.recourse.networks import cheapest
from equiproof.circuits.allowed import allowed
from equiproof.circuits.changes import Changes, Together
from equiproof.circuits.spec import Feature
from tests.support import AGE, GENDER, SEX, applicant, changed, network, spec_of

LABELS = ("refused", "standard", "reduced")
PLAIN = (
    Feature("income", "numeric", "scaled", False, mean="10", scale="4", range=("0", "20")),
    Feature("debt", "numeric", "scaled", False, mean="9", scale="7", range=("0", "20"), whole=True),
    Feature("wealth", "numeric", "log", False, mean="3", scale="0.8", range=("0", "20"), offset="1"),
    Feature("savings", "categorical", "rank", False, mean="1", scale="0.5", domain=("none", "low", "high")),
    Feature("housing", "categorical", "one-hot", False, domain=("own", "rent", "free")),
)
SCHOOL = Feature("school", "categorical", "one-hot", False, domain=("hs", "ba"), changes=Changes("any"))
YEARS = Feature("years", "numeric", "scaled", False, mean="12", scale="3", range=("0", "20"), changes=Changes("up"))
PAIRS = Together(("school", "years"), (("hs", "12"), ("ba", "12"), ("ba", "16")))
CASES = 20
"""How many networks a block of cases has."""


def ruled(rng, feature):
    """Return a feature with drawn rules of change."""
    if feature.kind == "categorical":
        ordered = rng.random() < 0.5
        own = {"direction": "up", "order": tuple(rng.sample(feature.domain, 3))} if ordered else {"direction": "any"}
        return changed(feature, changes=Changes(**own, **rng.choice(({}, {"cost": "0.4"}))))
    own = {"direction": rng.choice(("up", "down", "any")), "step": rng.choice(("1", "2", "4"))}
    own |= rng.choice(({}, {"by": "8"})) | rng.choice(({}, {"cost": rng.choice(("0.05", "0.3"))}))
    return changed(feature, changes=Changes(**own))


def drawn(seed, hidden):
    """Return a random network, and somebody whom it does not decide as is wanted on at least one row."""
    rng = random.Random(f"{seed} {hidden}")
    plain = [ruled(rng, feature) for feature in rng.sample(PLAIN, rng.choice((1, 2, 2, 3)))]
    tables = (PAIRS,) if rng.random() < 0.3 else ()
    plain += [SCHOOL, YEARS] if tables else []
    groups = rng.choice(([SEX], [GENDER], [changed(AGE, domain=("25", "40", "60"))]))
    logits = rng.choice((1, 1, 2, 3))
    more = {"labels": LABELS[: max(logits, 2)], "logits": logits} | ({"together": tables} if tables else {})
    spec = spec_of(*plain, *groups, bits=rng.choice(((4, 10), (10, 18))), **more)
    model = network(spec, hidden, seed, sensitivity=rng.choice((0.1, 1.0)))
    row = applicant(spec, rng)
    if tables:
        row |= {"school": "hs", "years": 12}
    query = spec.encode(row)
    table = spec.domain_table[: rng.choice((1, len(spec.domain_table)))]
    decided = {model.decide((*query, *own)) for own in table}
    label = rng.choice([one for one in range(max(logits, 2)) if decided != {one}])
    return model, Asked(tuple(query), tuple(table), label, movers(spec, allowed(spec, row, {})))


def options(mover):
    """Return all options of a mover, with every step of a number."""
    if not isinstance(mover, Number):
        return mover.options({})
    return [mover.own, *(mover.at(way, step) for way in mover.directions for step in range(mover.count(way)))]


def least(logits, label):
    """Return the least margin of a label."""
    if len(logits) == 1:
        return logits[0] if label else -logits[0]
    return logits[label] - max(logit for place, logit in enumerate(logits) if place != label)


def enumerated(model, asked, margin, gathered):
    """Return the cheapest cost of all choices; `gathered` is min for all rows and max for one, None for no choice."""
    costs = []
    for taken in itertools.product(*map(options, asked.movers)):
        point = asked.point(taken)
        margins = [least(model.logits((*point, *row)), asked.label) for row in asked.table]
        if gathered(margins) >= margin:
            costs.append(sum((option.cost for option in taken), Fraction(0)))
    return min(costs, default=None)


def check(model, asked, margin=1, every=True):
    """Compare an answer with all choices, and check it in integers; return it."""
    gathered = min if every else max
    found = cheapest(model, asked, margin=margin, every=every)
    best = enumerated(model, asked, margin, gathered)
    assert found.complete
    assert found.cost == best
    if found.taken is not None:
        assert found.lower == best
        point = asked.point(found.taken)
        assert gathered(least(model.logits((*point, *row)), asked.label) for row in asked.table) >= margin
    return found


def cases(block, hidden):
    """Return the networks of a block, each with somebody."""
    return [drawn(seed, hidden) for seed in range(block * CASES, (block + 1) * CASES)]


@pytest.fixture
def refuted(monkeypatch):
    """No choice is guessed; return a list that grows with each choice of the program that does not hold."""
    wrong = []
    exclude = network_program.Moves.refute

    def noted(moves, places):
        wrong.append(places)
        exclude(moves, places)

    monkeypatch.setattr(network_guess, "guesses", lambda *_: [])
    monkeypatch.setattr(network_program.Moves, "refute", noted)
    return wrong


@pytest.mark.sampled(4, each="hidden")
@pytest.mark.parametrize("hidden", [(3,), (4, 3)], ids=str)
@pytest.mark.parametrize("block", range(20))
def test_as_cheap_as_the_cheapest_of_all_choices(hidden, block):
    """Numbers by value and by logarithm, up and down, categories, tables; one to three rows, one to three logits."""
    flipped = {check(model, asked).taken is not None for model, asked in cases(block, hidden)}
    assert flipped == {True, False}


@pytest.mark.sampled(4, each="hidden")
@pytest.mark.parametrize("hidden", [(3,), (4, 3)], ids=str)
@pytest.mark.parametrize("block", range(20))
def test_the_program_alone_finds_it(refuted, hidden, block):
    """Without a guess, and so without a budget, the answers are the same."""
    for model, asked in cases(block, hidden):
        check(model, asked)


@pytest.mark.sampled(2)
@pytest.mark.parametrize("block", range(10))
def test_on_one_row_at_least(block):
    """The cheapest of what suffices on a row is no dearer than what suffices on all."""
    apart = 0
    for model, asked in cases(block, (3,)):
        one, every = check(model, asked, every=False), cheapest(model, asked)
        assert every.taken is None or one.cost <= every.cost
        apart += one.cost != every.cost
    assert apart > 0


@pytest.mark.sampled(1)
@pytest.mark.parametrize("block", range(10))
def test_a_larger_margin(refuted, block):
    """One more than what the cheapest choice has by chance: no float shows the difference, and it is excluded."""
    for model, asked in cases(block, (3, 2)):
        found = check(model, asked)
        if found.taken is not None:
            point = asked.point(found.taken)
            own = min(least(model.logits((*point, *row)), asked.label) for row in asked.table)
            before = len(refuted)
            check(model, asked, margin=own)
            assert len(refuted) == before
            more = check(model, asked, margin=own + 1)
            assert more.taken is None or more.cost >= found.cost
    assert refuted


@pytest.mark.sampled(2)
@pytest.mark.parametrize("block", range(10))
def test_bands_of_logarithms_are_split_until_they_are_exact(refuted, monkeypatch, block):
    """With one stretch of few samples the program is far from the logarithm, and comes to the same answers."""
    monkeypatch.setattr(network_program, "_SAMPLES", 2)
    monkeypatch.setattr(network_program, "_STRETCHES", 1)
    rng = random.Random(block)
    for seed in range(3):
        rules = Changes("any", step="1", cost="1")
        wealth, debt = (changed(PLAIN[2], name=name, changes=rules) for name in ("wealth", "debt"))
        spec = spec_of(wealth, debt, SEX)
        model = network(spec, (3,), 3 * block + seed)
        row = {"wealth": rng.randint(1, 19), "debt": rng.randint(1, 19)}
        query = tuple(spec.encode(row))
        label = 1 - (model.decide((*query, *spec.domain_table[0])) or 0)
        check(model, Asked(query, spec.domain_table, label, movers(spec, allowed(spec, row, {}))))
    assert refuted


@pytest.mark.parametrize("direction", ["up", "down"])
@pytest.mark.parametrize("feature", PLAIN[:3], ids=lambda feature: feature.encoding)
def test_each_step_is_in_its_band(monkeypatch, feature, direction):
    """Whatever the samples, and after splits; whole m in the band of a line are what the spec rounds to."""
    spec = spec_of(changed(feature, changes=Changes(direction, step="0.1"), whole=msgspec.UNSET), SEX)
    for samples, parts, own in itertools.product((1, 2, 5), (1, 3), (3, 10, "16.33")):
        monkeypatch.setattr(network_program, "_SAMPLES", samples)
        monkeypatch.setattr(network_program, "_STRETCHES", parts)
        (number,) = movers(spec, allowed(spec, {feature.name: own}, {}))
        grid = network_program.Grid(number, direction)
        for split in (None, 0, 11, grid.last):
            if split is not None:
                grid.split(split)
                assert next(one for one in grid.stretches if one.first == split).last == split
            ends = [(one.first, one.last) for one in grid.stretches]
            assert [*itertools.chain(*(range(first, last + 1) for first, last in ends))] == [*range(grid.last + 1)]
            for one in grid.stretches:
                for step in range(one.first, one.last + 1):
                    line = one.start + one.slope * (step - one.first)
                    assert line + one.low - 1e-9 <= grid.moved(step) <= line + one.high + 1e-9
                    assert abs(grid.moved(step)) == abs(grid.option(step).point[0] - number.own.point[0])


@pytest.mark.parametrize("seed", range(10))
def test_without_time_nothing_is_proven(refuted, seed):
    """With neither a guess nor a program there is no choice, and no bound but 0."""
    found = cheapest(*drawn(seed, (4, 3)), seconds=0.0)
    assert (found.taken, found.lower, found.complete) == (None, 0, False)


@pytest.mark.parametrize("every", [True, False])
def test_without_time_a_guess_is_a_guess(every):
    """What is guessed holds, costs no less than the optimum, and is complete only where it must be the optimum."""
    guessed = 0
    for seed in range(30):
        model, asked = drawn(seed, (4, 3))
        found, best = (cheapest(model, asked, every=every, seconds=seconds) for seconds in (0.0, None))
        assert best.complete
        assert best.taken is None or found.lower <= best.cost
        if found.taken is not None:
            guessed += 1
            gathered = min if every else max
            point = asked.point(found.taken)
            assert gathered(least(model.logits((*point, *row)), asked.label) for row in asked.table) >= 1
            assert found.cost >= best.cost
        assert not found.complete or found.cost == found.lower == 0
    assert guessed > 5


def test_a_bound_without_an_answer_is_the_next_cost(refuted, monkeypatch):
    """Where the solver is stopped with a bound, no cost that a choice can have lies between that and `lower`."""
    solve, bounds = integer_program.Program.solve, []

    def stopped(program, seconds):
        solved = solve(program, seconds)
        return integer_program.Solved("stopped", None, math.inf, solved.bound)

    for seed in range(30):
        model, asked = drawn(seed, (4, 3))
        best = cheapest(model, asked)
        if best.taken is not None:
            with monkeypatch.context() as patched:
                patched.setattr(integer_program.Program, "solve", stopped)
                found = cheapest(model, asked)
            assert (found.taken, found.complete) == (None, False)
            bounds.append(found.lower == best.cost)
            assert found.lower <= best.cost
    assert bounds.count(True) > 5


def test_what_holds_today_costs_nothing():
    """Somebody who is decided so on every row changes nothing, and needs no time."""
    model, asked = drawn(0, (3,))
    found = cheapest(model, asked, margin=-(1 << 60), seconds=0.0)
    assert (found.cost, found.lower, found.complete) == (0, 0, True)


def test_who_can_change_nothing_has_no_choice():
    """Without movers there is none at any cost."""
    model, asked = drawn(1, (3,))
    found = cheapest(model, replace(asked, movers=()))
    assert (found.taken, found.complete) == (None, True)


@pytest.mark.parametrize("direction", ["up", "down"])
def test_no_number_is_shown_farther_than_it_must_be(refuted, direction):
    """Of 25 thousand steps in one of the grid, which cost the same, it is the nearest."""
    income = changed(PLAIN[0], scale="400", range=("-90", "110"), changes=Changes(direction, step="0.001"))
    spec = spec_of(income, SEX, bits=(4, 18))
    layers = Layer(((1 if direction == "up" else -1, 0),), (0,)), Layer(((1,),), (-1,))
    row = {"income": 10}
    asked = Asked(tuple(spec.encode(row)), spec.domain_table, 1, movers(spec, allowed(spec, row, {})))
    found = cheapest(QuantisedNetwork(layers, 4, (0, 0)), asked)
    # Two steps of the grid from today's 10: rounded half up, from 47.5 on, and below -27.5.
    assert found.cost == Fraction(2, 16)
    assert found.taken[0].ends["income"] == (("47.5", 110) if direction == "up" else (-90, "-27.501"))


def test_the_same_search_has_the_same_answer():
    """Nothing of a search depends on chance."""
    for seed in range(10):
        model, asked = drawn(seed, (4, 3))
        assert cheapest(model, asked) == cheapest(model, asked)
