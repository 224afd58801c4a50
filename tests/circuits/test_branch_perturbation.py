"""Private wires of scheme `branch`, changed alone or several at once: what is accepted states the truth."""

import random
from dataclasses import dataclass
from functools import cache

import pytest

from equiproof.certify.branch import BranchSearch
from equiproof.circuits.field import ORDER
from equiproof.circuits.shape import Shape
from equiproof.prover.witness.branch import padded
from tests.certify.branch.cases import run, wide
from tests.certify.tiny import Case, tiny
from tests.circuits.test_perturbation import is_true, stated
from tests.circuits.tiny_cases import altered, circuit_accepts, digest_of, free_checkers
from tests.prover.witness.test_branch import DEEP, capacity_of, shape_of_case, wires_of

HALF = pow(2, -1, ORDER)
SEEDS = [pytest.param(seed, marks=pytest.mark.sampled(1 if seed % 3 == 2 else 2)) for seed in range(6)]
"""In every run one deep case, which are those of every third seed, and two others."""


@dataclass(frozen=True)
class Filled:
    """A case at its largest radius, and the wires of the relation."""

    shape: Shape
    case: Case
    wires: dict[str, list[int]]


@cache
def filled(seed):
    """Return the first case from a seed on that is fair within a radius above 0: every third one is deep."""
    while True:
        case = wide(seed, shapes=DEEP, logits=(1, 2)) if seed % 3 == 2 else tiny(seed)
        found = run(case)
        if isinstance(found, BranchSearch) and found.evidence is not None and found.evidence.radius_squared:
            slices = len(case.table)
            capacity = capacity_of(found.evidence, slices)
            if capacity <= 16:
                shape = shape_of_case(case, capacity)
                return Filled(shape, case, wires_of(shape, case, padded(found.evidence, capacity, slices)))
        seed += 300


def changed(rng, wires):
    """Return wires of which one has another value: a near one, its negative, half of it, or a wire's beside it."""
    name = rng.choice([name for name, values in wires.items() if values])
    number = rng.randrange(len(wires[name]))
    old, other = wires[name][number], rng.choice(wires[name])
    return altered(wires, name, number, rng.choice((old + 1, old - 1, -old, 1 - old, other, old * HALF % ORDER)))


def accepted(seed, tries, at_once):
    """Change wires under the digest that goes with them; return how often that was accepted, true all of it."""
    of, rng, count = filled(seed), random.Random(seed), 0
    assert is_true(*stated(of, of.wires))
    assert circuit_accepts(of.shape, digest_of(of.shape, of.wires), of.wires)
    for _ in range(tries):
        lied = of.wires
        for _ in range(rng.randint(1, at_once)):
            lied = changed(rng, lied)
        if circuit_accepts(of.shape, digest_of(of.shape, lied), lied):
            assert is_true(*stated(of, lied)), (seed, {name for name in lied if lied[name] != of.wires[name]})
            count += lied != of.wires
    return count


def statements(seed, tries):
    """State more than is proven, each time with another number changed, too: what is accepted is true."""
    of, rng = filled(seed), random.Random(seed)
    radius = of.wires["radius_squared"][0]
    for _ in range(tries):
        lied = changed(rng, {**of.wires, "radius_squared": [radius + rng.choice((1, 2, 1 + radius // 2))]})
        if circuit_accepts(of.shape, digest_of(of.shape, lied), lied):
            assert is_true(*stated(of, lied)), seed


@pytest.fixture(scope="module", autouse=True)
def compiled():
    """Free the compiled circuits at the end."""
    yield
    free_checkers()


@pytest.mark.parametrize("seed", SEEDS)
def test_changed_wires_never_prove_a_false_statement(seed):
    """Where changed wires prove another statement, the exact oracle finds that one true."""
    assert accepted(seed, 120, 3)


@pytest.mark.parametrize("seed", SEEDS)
def test_larger_radii_are_never_proven_by_a_change(seed):
    """More than the truth is not proven by any one number that is changed with it."""
    statements(seed, 60)


@pytest.mark.slow
@pytest.mark.sampled(1)
@pytest.mark.parametrize("seed", range(6, 16))
def test_no_wires_of_many_cases_prove_a_false_statement(seed):
    """The same of many more cases."""
    assert accepted(seed, 300, 3)
    statements(seed, 200)
