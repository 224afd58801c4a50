"""Every gadget of scheme `trees` alone: it holds what its relation holds, and refuses what breaks its rules."""

import pytest

from equiproof.circuits.rules import EVERY_RULE
from equiproof.circuits.subcircuit import gadgets_of, subcircuit
from tests.circuits.score_cases import ADDITIVE, ENSEMBLES, LIES, Scored, leaves
from tests.circuits.tiny_cases import digest_of, free_checkers, verdict

WIDTHS = ("R-RANGE",)
"""Alone, a wire that is no bit, or too wide, is refused for that before the rule is looked at."""


@pytest.fixture(scope="module", autouse=True)
def _freed():
    """Free the compiled circuits behind these tests."""
    yield
    free_checkers()


def some(values, first):
    """Return values as parameters of which every `first` is for each run, and of the others as many are slow."""
    more = (pytest.mark.slow, pytest.mark.sampled(len(values[::first])))
    return [pytest.param(of, marks=() if place % first == 0 else more) for place, of in enumerate(values)]


@pytest.mark.parametrize("truth", some([*ADDITIVE, *ENSEMBLES], 6), ids=lambda of: f"{of.__module__}.{of.__name__}")
def test_honest_witnesses_are_accepted_by_every_gadget(truth):
    """What satisfies the relation satisfies every gadget of it, of every leaf, for circuit and reference."""
    of = Scored(truth())
    for gadget in gadgets_of(of.shape):
        circuit = subcircuit(gadget, of.shape)
        for number in range(leaves(circuit)):
            wires = of.alone(circuit, number)
            assert verdict(circuit, circuit.digest(wires), wires) is None, (gadget, number)


@pytest.mark.parametrize("name", some([*LIES], 20))
def test_a_lie_about_the_relation_is_refused_by_a_gadget_of_its_rule(name):
    """What breaks one rule of the relation breaks it in a gadget that holds it, under the digest of the lie."""
    of = Scored(LIES[name](name))
    found = set()
    for gadget in set(EVERY_RULE[of.told.rule].circuits) & set(gadgets_of(of.shape)):
        circuit = subcircuit(gadget, of.shape)
        for number in range(leaves(circuit)):
            wires = of.alone(circuit, number)
            found.add(verdict(circuit, digest_of(circuit, wires), wires))
    assert found & {of.told.rule, *WIDTHS}
