"""The cheapest change of an ensemble's decision against every choice that the rules allow, step by step."""

import random
from dataclasses import replace
from fractions import Fraction
from itertools import pairwise

import pytest

from equiproof.certify.additive import AdditiveModel
from equiproof.certify.ensemble import EnsembleModel
from equiproof.certify.recourse import ensembles
from equiproof.certify.recourse.asked import Asked
from equiproof.certify.recourse.ensembles import cheapest
from equiproof.certify.recourse.moves import Listed, Number, Option, movers
from equiproof.circuits.allowed import allowed
from equiproof.circuits.changes import Changes
from equiproof.circuits.spec import Feature
from tests.certify.recourse.cases import asked_drawn, choices, ensemble_drawn, least, spec_drawn
from tests.certify.trees.ensembles import drawn, table_of
from tests.support import SEX, spec_of


def case(seed):
    """A random ensemble with somebody under a spec, who is refused on every row in most cases, and a margin."""
    rng = random.Random(seed)
    spec = spec_drawn(rng)
    model = ensemble_drawn(rng, spec, trees=rng.randint(2, 6), depth=rng.randint(1, 4))
    asked = asked_drawn(rng, spec, label=rng.randint(0, 1))
    if rng.random() < 0.9:
        own = model.additive
        short = max(margins(model, asked, asked.query)) + rng.randint(0, 3)
        model = replace(model, additive=replace(own, bias=own.bias - asked.sign * short))
    return model, asked, rng.choice((1, 1, 1, 3))


def margins(model, asked, point):
    """The score for the wanted label on each row."""
    return [asked.sign * model.score((*point, *row)) for row in asked.table]


def enough(model, asked, margin, count=min):
    """Whether a point has the margin on every row of the table, or with `max` on one."""
    return lambda point: count(margins(model, asked, point)) >= margin


def compared(seed, tally):
    """Compare one case, for every row and for one, with all choices."""
    model, asked, margin = case(seed)
    costs = {}
    for every, count in ((True, min), (False, max)):
        found = cheapest(model, asked, margin=margin, every=every)
        want = least(asked, enough(model, asked, margin, count))
        assert found.complete, seed
        assert found.cost == want, (seed, every)
        if want is not None:
            assert found.lower == want
            assert count(margins(model, asked, asked.point(found.taken))) >= margin
        costs[every] = want
    tally["none"] += costs[True] is None
    tally["free"] += costs[True] == 0
    tally["paid"] += costs[True] is not None and costs[True] > 0
    tally["dependent"] += costs[True] is None and costs[False] is not None
    alone = [least(asked, enough(model, replace(asked, table=(row,)), margin)) for row in asked.table]
    if costs[True] is not None:
        tally["apart"] += costs[False] < costs[True]
        tally["dearer"] += max(alone) < costs[True]
    tally["sets"] += bool(model.sets)
    tally["absent"] += model.additive.absent is not None and model.additive.absent in asked.query
    tally["together"] += any(len(mover.features) > 1 for mover in asked.movers)
    tally["one-hot"] += any(isinstance(mover, Listed) and len(mover.columns) == 3 for mover in asked.movers)
    for mover in asked.movers:
        if isinstance(mover, Number):
            tally["both"] += len(mover.directions) == 2
            tally["down"] += mover.directions == ("down",)
            taken = mover.options({mover.column: range(-40, 40)})
            tally["skipped"] += any(abs(a.point[0] - b.point[0]) > 1 for a, b in pairwise(taken))


CASES = (
    "none",
    "free",
    "paid",
    "dependent",
    "apart",
    "dearer",
    "sets",
    "absent",
    "together",
    "one-hot",
    "both",
    "down",
    "skipped",
)


def test_small_ensembles_cost_what_all_choices_do():
    """Joint optima that are dearer than each row's alone are among them, and people whom nothing helps."""
    tally = dict.fromkeys(CASES, 0)
    for seed in range(250):
        compared(seed, tally)
    assert min(tally[name] for name in CASES if name != "dearer") >= 5, tally


@pytest.mark.slow
def test_more_small_ensembles_cost_what_all_choices_do():
    """As above."""
    tally = dict.fromkeys(CASES, 0)
    for seed in range(1000, 2500):
        compared(seed, tally)
    assert min(tally.values()) >= 5, tally


def bits(costs):
    """Movers of one column each, which may become 1 at a cost."""
    return tuple(
        Listed(
            (f"f{column}",),
            (column,),
            tuple(Option(price, {}, {}, *[(bit,)] * 3) for bit, price in ((0, Fraction(0)), (1, Fraction(cost)))),
        )
        for column, cost in enumerate(costs)
    )


def deciding(plain, trees, bias):
    """An ensemble over so many bits and a sensitive one."""
    count = plain + 1
    own = AdditiveModel(tuple(range(count)), (0,) * count, (0,) * count, bias, plain, 1, 0)
    return EnsembleModel(own, table_of(trees))


def test_every_row_at_once_may_cost_more_than_any_row_alone():
    """One row needs the first change, the other the second; the third suffices for both, and is dearer than one."""
    model = deciding(3, [(3, (0, 0, 1), (1, 0, 1)), (2, 0, 1)], 0)
    for third, paid in ((4, 3), (2, 2)):
        asked = Asked((0, 0, 0), ((0,), (1,)), 1, bits((1, 2, third)))
        assert cheapest(model, asked).cost == paid
        assert cheapest(model, asked, every=False).cost == 1
        assert cheapest(model, replace(asked, table=((1,),))).cost == min(2, third)


def test_a_budget_that_ends_early_leaves_a_bound(monkeypatch):
    """Nothing is claimed to be the cheapest, or impossible; the bound is at most the cost, above 0 in some cases."""
    monkeypatch.setattr(ensembles, "MAX_BOXES", 1)
    early = bounded = 0
    for seed in range(120):
        model, asked, margin = case(seed)
        want = least(asked, enough(model, asked, margin))
        for seconds in (None, 0):
            found = cheapest(model, asked, margin=margin, seconds=seconds)
            assert want is None or found.lower <= want
            assert found.taken is None or found.cost >= want
            if not found.complete:
                early += 1
                bounded += found.lower > 0
            else:
                assert found.cost == want
    assert early > 100
    assert bounded > 20


def test_costs_of_many_digits_are_rounded_down_for_the_bound_alone():
    """What is paid is exact; the bound is below it by less than a part in 2^39, and the search is not complete."""
    rough = 0
    for seed in range(150):
        rng = random.Random(seed)
        model = drawn(rng, plain=5, sensitive=1, predicates=9, trees=4, reach=2)
        model = replace(model, additive=replace(model.additive, bias=-6))
        costs = [Fraction(rng.randint(1, 9) * 10**30 + rng.randint(0, 10**9), 10**30 + 57) for _ in range(5)]
        asked = Asked((0,) * 5, ((0,), (1,)), 1, bits(costs))
        found = cheapest(model, asked)
        want = least(asked, enough(model, asked, 1))
        if want is None:
            assert (found.taken, found.complete) == (None, True)
            continue
        assert found.lower <= want <= found.cost <= found.lower + 10 * Fraction(5, 1 << 40)
        assert found.complete == (found.cost == found.lower)
        rough += not found.complete
    assert rough > 10


def test_a_margin_that_no_score_has_is_out_of_reach():
    """Whatever somebody changes; the largest margin of a choice is in reach."""
    reached = 0
    for seed in range(20):
        model, asked, _ = case(seed)
        top = max(min(margins(model, asked, point)) for _, point in choices(asked))
        if top >= 1:
            taken = cheapest(model, asked, margin=top).taken
            assert min(margins(model, asked, asked.point(taken))) == top
            reached += 1
        for margin in (max(top, 0) + 1, 1 << 40):
            found = cheapest(model, asked, margin=margin)
            assert (found.taken, found.complete) == (None, True)
    assert reached >= 3


def test_nobody_who_can_change_nothing_pays():
    """Without a mover the answer is today's decision."""
    model = deciding(1, [(0, -1, 1)], 0)
    granted = cheapest(model, Asked((1,), ((0,), (1,)), 1, ()))
    assert (granted.taken, granted.cost, granted.complete) == ((), 0, True)
    refused = cheapest(model, Asked((0,), ((0,), (1,)), 1, ()))
    assert (refused.taken, refused.complete) == (None, True)


def test_what_does_not_fit_is_an_error():
    """A margin of a tie, a query of another length, and a table without rows."""
    model = deciding(1, [(0, -1, 1)], 0)
    asked = Asked((0,), ((0,),), 1, bits((1,)))
    assert cheapest(model, asked).cost == 1
    for wrong, margin in ((asked, 0), (replace(asked, query=(0, 0)), 1), (replace(asked, table=()), 1)):
        with pytest.raises(ValueError, match="want a margin of at least 1"):
            cheapest(model, wrong, margin=margin)


@pytest.mark.parametrize("encoding", ["scaled", "log"])
def test_the_nearest_step_is_the_first_behind_a_threshold(encoding):
    """Whatever the mean, scale and step of a number: by its integers, no step before it is, and it is itself."""
    rng = random.Random(7)
    offset = {"offset": "1"} if encoding == "log" else {}
    kinds = set()
    for _ in range(60):
        mean, scale = rng.choice((("3", "0.8"), ("10.25", "4"), ("-1.5", "0.37")))
        feature = Feature(
            "amount", "numeric", encoding, False, mean=mean, scale=scale, range=("0", "20"),
            changes=Changes("any", step=rng.choice(("1", "0.3", "2.5"))), **offset,
        )  # fmt: skip
        spec = spec_of(feature, SEX, bits=(3, 10))
        (mover,) = movers(spec, allowed(spec, {"amount": rng.choice((0, "7.3", 12, 20))}, {}))
        for direction in mover.directions:
            integers = [mover.at(direction, number).point[0] for number in range(mover.count(direction))]
            for threshold in range(min(integers) - 2, max(integers) + 3):
                passed = [one > threshold if direction == "up" else one <= threshold for one in integers]
                want = passed.index(True) if any(passed) else None
                assert mover.first_beyond(direction, threshold) == want
                kinds.add((direction, want is None, want == 0))
    assert len(kinds) == 6
