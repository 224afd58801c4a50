"""Circuit and reference over the field agree on witnesses about additive models: drawn ones, and honest ones changed."""

import random

import pytest

from equiproof.circuits.field import ORDER
from tests.circuits.tiny_cases import altered, free_checkers, verdict
from tests.prover.additive_case import Case, drawn
from tests.soundness.additive_told import HALF, filled, stated
from tests.support import KEPT, LOANS
from tests.vectors.generate.additive import TRUTHS

SLOTS, CAPACITY = 3, 8


@pytest.fixture(scope="module", autouse=True)
def _freed():
    """Free the compiled circuits behind these tests."""
    yield
    free_checkers()


def values(rng, value, others):
    """Return what stands for a value: numbers near it, of its neighbors, halves and the far end of the field."""
    return rng.choice([0, 1, -1, 2, HALF, value + 1, value - 1, -value, ORDER // 2 + rng.randrange(9), *others])


@pytest.mark.parametrize("name", TRUTHS)
@pytest.mark.parametrize("seed", [0, pytest.param(1, marks=pytest.mark.slow), pytest.param(2, marks=pytest.mark.slow)])
def test_changed_witnesses_have_one_verdict(name, seed):
    """One wire or two of an honest witness are replaced, under the digest of what they then state."""
    rng, refused = random.Random(f"{name} {seed}"), set()
    for number in range(30):
        truth = TRUTHS[name][number % len(TRUTHS[name])]()
        wires = truth.wires
        for _ in range(rng.choice([1, 1, 2])):
            segment = rng.choice([run for run in wires if wires[run] and not run.endswith(("blinding", "digest"))])
            place = rng.randrange(len(wires[segment]))
            value = values(rng, wires[segment][place], wires[segment])
            wires = altered(wires, segment, place, value)
        refused.add(verdict(truth.shape, stated(truth.shape, wires).digest(truth.shape), wires))
    assert len(refused) > 5


@pytest.mark.parametrize("spec", [LOANS, KEPT], ids=["anywhere", "inside ranges"])
@pytest.mark.parametrize("seed", [3, 40, 80])
def test_drawn_models_have_one_verdict(spec, seed):
    """Evidence of the exact radius of a drawn model is accepted by both, and of one more refused by both."""
    row = {"income": 33000, "housing": "own"} | ({"savings": "low"} if spec is KEPT else {})
    for number in range(seed, seed + 40):
        case = Case(drawn(spec, number, 5, 2), spec, spec.encode(row))
        exact = case.exact() if case.label is not None else 0
        if not 0 < exact < spec.max_radius_squared:
            continue
        evidence = case.evidence(exact)
        if len(evidence.slots) <= SLOTS and evidence.size <= CAPACITY:
            of = filled(evidence, case, SLOTS, CAPACITY)
            assert verdict(of.shape, of.public, of.wires) is None
            beyond = altered(of.wires, "radius_squared", 0, exact + 1)
            assert verdict(of.shape, stated(of.shape, beyond).digest(of.shape), beyond) is not None
            return
    raise AssertionError("no such case")
