"""The cheapest choice under a network, against all choices, and each answer in integers on every row."""

import itertools
import random
from fractions import Fraction

import pytest

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
    assert found.taken is None or found.lower == best
    if found.taken is not None:
        point = asked.point(found.taken)
        assert gathered(least(model.logits((*point, *row)), asked.label) for row in asked.table) >= margin
    return found


@pytest.mark.sampled(4, each="hidden")
@pytest.mark.parametrize("hidden", [(3,), (3, 2)], ids=str)
@pytest.mark.parametrize("block", range(20))
def test_as_cheap_as_the_cheapest_of_all_choices(hidden, block):
    """Numbers by value and by logarithm, up and down, categories, tables; one to three rows, two and three labels."""
    kinds = set()
    for seed in range(block * CASES, (block + 1) * CASES):
        model, asked = drawn(seed, hidden)
        kinds.add(check(model, asked).cost is not None)
    assert kinds == {True, False}
