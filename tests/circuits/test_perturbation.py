"""Every private wire, changed alone: refused where the others determine it, and never a false statement where not."""

from functools import cache
from itertools import pairwise

import pytest

from equiproof.certify.network import Layer, QuantisedNetwork
from equiproof.circuits.field import ORDER
from equiproof.circuits.layout import segments
from equiproof.circuits.shape import Shape
from equiproof.circuits.subcircuit import GADGETS, subcircuit
from tests.certify.oracle import nearest_flip
from tests.certify.tiny import Case
from tests.circuits.box_cases import ON_BOXES
from tests.circuits.branch_cases import BRANCHING, branched, having
from tests.circuits.score_cases import SCORING
from tests.circuits.tiny_cases import altered, digest_of, filled, free_checkers, verdict

# One hidden layer and two, one logit and three, with and without room for padding, facets that are crossed and not.
SEEDS = (1, pytest.param(4, marks=pytest.mark.slow), pytest.param(7, marks=pytest.mark.slow))
MANY = range(20, 40)


def changes(circuit, wires):
    """Yield (name, number, wires) with every wire changed alone, to each of its neighbors in value or meaning."""
    for segment in segments(circuit) if isinstance(circuit, Shape) else circuit.segments:
        for number, old in enumerate(wires[segment.name]):
            values = {old + 1, old - 1, -old, 1 - old}
            if segment.name == "neighbor":
                values |= set(range(circuit.capacity if isinstance(circuit, Shape) else circuit.shape.capacity))
            for value in sorted({value % ORDER for value in values} - {old % ORDER}):
                yield segment.name, number, altered(wires, segment.name, number, value)


def regions(shape, wires):
    """Return (slice, pattern) of every row."""
    neurons = shape.architecture.neurons
    bits = [tuple(wires["pattern"][neurons * row : neurons * (row + 1)]) for row in range(shape.capacity)]
    return list(zip([*range(shape.slices), *wires["slice"]], bits, strict=True))


def free(shape, name, number, wires, lied):
    """Tell whether a change is one of those that docs/relation-why.md lists as free."""
    neurons, first = shape.architecture.neurons, shape.architecture.hidden[0]
    if name == "neighbor":
        before, after = (regions(shape, wires)[each[name][number]] for each in (wires, lied))
        return before == after
    if name not in ("slice", "pattern"):
        return False
    row = shape.slices + number if name == "slice" else number // neurons
    named_by = {facet // neurons for facet, at in enumerate(wires["neighbor"]) if at == row}
    here = regions(shape, lied)[row][0]
    crossed = wires["crossed_first"][first * here : first * (here + 1)]
    crossed += wires["crossed_deeper"][(neurons - first) * row : (neurons - first) * (row + 1)]
    return row >= shape.slices and named_by <= {row} and not any(crossed)


def stated(of, wires):
    """Return the case, label and squared radius that wires state; raises ValueError where they state none."""
    a = of.shape.architecture
    signed = {
        name: [value - ORDER if value > ORDER // 2 else value for value in values] for name, values in wires.items()
    }
    layers = []
    for number, (inputs, outputs) in enumerate(pairwise((a.plain + a.sensitive, *a.hidden, a.logits)), start=1):
        weights = signed[f"weights.{number}"]
        rows = tuple(tuple(weights[inputs * row : inputs * (row + 1)]) for row in range(outputs))
        layers.append(Layer(rows, tuple(signed[f"biases.{number}"])))
    table = tuple(tuple(signed["table"][a.sensitive * row : a.sensitive * (row + 1)]) for row in range(of.shape.slices))
    network = QuantisedNetwork(tuple(layers), 1, (0,) * len(layers))
    label = signed["label"][0] if a.logits == 1 else signed["label"].index(1)
    return Case(network, tuple(signed["query"]), table), label, signed["radius_squared"][0]


def is_true(case, label, radius_squared):
    """Tell by exact enumeration whether a label holds strictly at the query and closer than the radius to it."""
    flip = nearest_flip(case, label)
    return flip is None or 0 < flip[0] >= radius_squared


def determined_wires_are_refused(seed):
    """Change every wire under the honest digest; return what was accepted, all of it free."""
    of, accepted = filled(seed), []
    digest = digest_of(of.shape, of.wires)
    assert is_true(*stated(of, of.wires))
    for name, number, lied in changes(of.shape, of.wires):
        if verdict(of.shape, digest, lied) is None:
            assert free(of.shape, name, number, of.wires, lied), (seed, name, number)
            accepted.append(name)
    return accepted


def accepted_statements_are_true(seed, case=filled):
    """Change every wire under the digest that goes with the change; return what was accepted, all of it true."""
    of, accepted = case(seed), []
    for name, number, lied in changes(of.shape, of.wires):
        if verdict(of.shape, digest_of(of.shape, lied), lied) is None:
            assert is_true(*stated(of, lied)), (seed, name, number)
            accepted.append(name)
    return accepted


LAWS = (determined_wires_are_refused, accepted_statements_are_true)


@cache
def accepted_by(law, seed):
    """Return the names of the wires of a case that may change by a law; each case is tried once."""
    return frozenset(law(seed))


@pytest.mark.parametrize("seed", SEEDS)
def test_wires_that_the_statement_determines_are_refused(seed):
    """Under a fixed statement a changed wire is refused, unless it only calls equal rows by another number or turns a
    row that no walk enters into another."""
    determined_wires_are_refused(seed)


@pytest.mark.parametrize("seed", SEEDS)
def test_changed_wires_never_prove_a_false_statement(seed):
    """Where a changed wire proves another statement, the exact oracle finds that one true."""
    accepted = accepted_statements_are_true(seed)
    # Blindings and the digests of documents may be anything: the statement then names another commitment or document.
    assert {"model_blinding", "query_blinding", "spec_digest", "context_digest"} <= set(accepted)


LONG = ("nodes", "rows")
"""Gadgets of some three hundred wires."""
MORE = (pytest.mark.slow, pytest.mark.sampled(1))


@pytest.mark.parametrize("gadget", [pytest.param(name, marks=MORE if name in LONG else ()) for name in GADGETS])
@pytest.mark.parametrize("seed", [4])
def test_wires_that_an_instance_determines_are_refused(gadget, seed):
    """Under a fixed instance digest every wire of a sub-circuit is determined, but for numbers of equal rows and, of
    schemes `branch` and `trees` and of boxes, what proves the same of the instance."""
    of = having(gadget, seed)
    circuit = subcircuit(gadget, of.shape)
    wires, instance = of.alone(circuit, 0), {segment.name for segment in circuit.instance}
    digest = circuit.digest(wires)
    for name, number, lied in changes(circuit, wires):
        if verdict(circuit, digest, lied) is None:
            assert name not in instance
            if gadget in (*BRANCHING, *SCORING, *ON_BOXES):
                continue
            assert gadget == "neighbor"
            here = regions(of.shape, {**wires, "slice": wires["slice"][of.shape.slices :]})
            assert here[lied[name][number]] == here[wires[name][number]]


@pytest.mark.parametrize("seed", [1, pytest.param(11, marks=pytest.mark.slow)])
def test_changed_wires_of_branch_and_bound_never_prove_a_false_statement(seed):
    """Under the digest that goes with it, a changed wire of scheme `branch` proves what the exact oracle finds true."""
    accepted = accepted_statements_are_true(seed, branched)
    assert {"model_blinding", "query_blinding", "spec_digest", "context_digest", "radius_squared"} <= set(accepted)


@pytest.mark.slow
@pytest.mark.sampled(2)
@pytest.mark.parametrize("seed", MANY)
def test_no_wire_of_many_cases_proves_a_false_statement(seed):
    """Both laws hold on many more cases."""
    for judge in LAWS:
        accepted_by(judge, seed)


@pytest.mark.release
def test_each_kind_of_free_wire_occurs():
    """All of those cases together try every way in which a wire is free."""
    kinds = [set().union(*(accepted_by(judge, seed) for seed in MANY)) for judge in LAWS]
    assert kinds[0] == {"neighbor", "pattern", "slice"}
    assert {"radius_squared", "biases.1", "weights.1", "query", "table"} <= kinds[1]


@pytest.fixture(scope="module", autouse=True)
def compiled():
    """Free the compiled circuits at the end."""
    yield
    free_checkers()
