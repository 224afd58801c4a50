"""Random tiny networks through the real constraint system: it accepts what the plaintext checker accepts.

The networks have few-bit weights, zero rows, proportional rows and ties, so that equalities are common. Whatever is
accepted is also held to the truth: the network is evaluated at every grid point of the ball.
"""

import random
from itertools import pairwise
from math import isqrt

import numpy as np
import pytest

from equiproof.certify.errors import EvidenceError
from equiproof.certify.network import Layer, NetworkError, QuantisedNetwork
from equiproof.certify.traversal.evidence import Evidence, Region
from equiproof.certify.traversal.evidence_check import check
from equiproof.certify.traversal.search import Counterexample, search
from equiproof.circuits.layout import WitnessError
from equiproof.circuits.shape import traversal_shape
from equiproof.circuits.spec import Feature
from tests.circuits.tiny_cases import circuit_accepts, digest_of, free_checkers
from tests.soundness.cheating_owner import filled
from tests.support import SEX, spec_of

HIDDEN, CAPACITY, COLUMNS, SLICES = (2, 1), 8, 2, 2
NEURONS = sum(HIDDEN)
SPEC = spec_of(
    Feature("a", "numeric", "scaled", False), Feature("b", "numeric", "scaled", False), SEX, bits=(1, 8), name="tiny"
)
SHAPE = traversal_shape(SPEC, HIDDEN, CAPACITY)
FREE = {"model_blinding", "spec_digest", "query_blinding", "context_digest"}

FEW, MANY = 12, 600


@pytest.fixture(scope="module", autouse=True)
def compiled():
    """Free the circuit that was compiled."""
    yield
    free_checkers()


def wires_of(network, query, table, evidence):
    """Return the wires that evidence is filled into."""
    return filled(SHAPE, network, query, table, evidence)


def accepted(wires):
    """Tell whether the circuit accepts wires, behind the digest of the statement that they open."""
    return circuit_accepts(SHAPE, digest_of(SHAPE, wires), wires)


def random_layer(rng, inputs, outputs, bias):
    """Return a layer of few-bit weights, now and then with a zero row or a multiple of the row before."""
    rows = []
    for _ in range(outputs):
        kind = rng.random()
        if kind < 1 / 8:
            rows.append((0,) * inputs)
        elif kind < 1 / 4 and rows:
            rows.append(tuple(rng.choice((-2, -1, 1, 2)) * weight for weight in rows[-1]))
        else:
            rows.append(tuple(rng.randint(-3, 3) for _ in range(inputs)))
    return Layer(tuple(rows), tuple(rng.randint(-bias, bias) for _ in range(outputs)))


def random_case(rng):
    """Return network, query and table."""
    sizes = (COLUMNS + 1, *HIDDEN, 1)
    layers = tuple(random_layer(rng, inputs, outputs, 20) for inputs, outputs in pairwise(sizes))
    query = tuple(rng.randint(-8, 8) for _ in range(COLUMNS))
    low = rng.randint(-3, 2)
    return QuantisedNetwork(layers, 1, (0,) * len(layers)), query, ((low,), (low + rng.randint(1, 2),))


def certified_cases(seed):
    """Yield random cases whose evidence fits, with it, without end."""
    rng = random.Random(seed)
    while True:
        network, query, table = random_case(rng)
        found = search(network, query, table, max_radius_squared=SPEC.max_radius_squared, max_regions=2 * CAPACITY)
        if not isinstance(found, Counterexample):
            yield rng, network, query, table, found.evidence_within(CAPACITY)


def holds_in_plaintext(evidence, network, query, table):
    """Tell whether the checker accepts evidence."""
    try:
        check(evidence, network, query, table)
    except EvidenceError:
        return False
    return True


def holds_in_the_circuit(evidence, network, query, table):
    """Tell whether evidence has wires that the circuit accepts."""
    try:
        wires = wires_of(network, query, table, evidence)
    except WitnessError:
        return False
    return accepted(wires)


def is_true(evidence, network, query, table):
    """Tell whether every grid point of the open ball, and the query itself, is decided as the label on every slice."""
    reach = np.arange(-isqrt(evidence.radius_squared), isqrt(evidence.radius_squared) + 1)
    steps = np.stack(np.meshgrid(*[reach] * len(query)), axis=-1).reshape(-1, len(query))
    inside = (steps**2).sum(axis=1) < max(evidence.radius_squared, 1)
    points = np.array(query) + steps[inside]
    for row in table:
        values = np.hstack([points, np.tile(row, (len(points), 1))])
        for layer in network.layers:
            logits = values @ np.array(layer.weights).T + np.array(layer.biases)
            values = np.maximum(logits, 0)
        if not np.all(logits > 0 if evidence.label else logits < 0):
            return False
    return True


def mutated(rng, evidence):
    """Return evidence with one random change."""
    regions = list(evidence.regions)
    radius, label = evidence.radius_squared, evidence.label
    kind = rng.choice(("drop", "drop", "add", "flip", "radius", "radius", "label", "double", "swap"))
    place = rng.randrange(len(regions))
    if kind == "drop":
        del regions[place]
    elif kind == "add":
        regions.append(Region(rng.randrange(SLICES), rng.randrange(1 << NEURONS)))
    elif kind == "flip":
        regions[place] = regions[place].across(rng.randrange(NEURONS))
    elif kind == "radius":
        radius = max(0, radius + rng.choice((-20, -1, 1, 1, 2, 20)))
    elif kind == "label":
        label = 1 - label
    elif kind == "double":
        regions.append(regions[place])
    else:
        other = rng.randrange(len(regions))
        regions[place], regions[other] = regions[other], regions[place]
    return Evidence(label, radius, tuple(regions))


def honest_evidence_is_accepted(seed, count):
    """Hold the circuit to accepting the honest evidence of many networks."""
    crossing = 0
    for _, (_, network, query, table, evidence) in zip(range(count), certified_cases(seed), strict=False):
        check(evidence, network, query, table)
        assert is_true(evidence, network, query, table)
        assert accepted(wires_of(network, query, table, evidence))
        crossing += len(evidence.regions) > SLICES
    assert crossing > count // 4, "many of the networks cross facets"


def circuit_and_checker_agree(seed, count):
    """Compare circuit and checker on randomly changed evidence."""
    verdicts = set()
    for _, (rng, network, query, table, evidence) in zip(range(count), certified_cases(seed), strict=False):
        for _ in range(5):
            changed = mutated(rng, evidence)
            fits = len(changed.regions) <= CAPACITY
            expected = fits and holds_in_plaintext(changed, network, query, table)
            assert holds_in_the_circuit(changed, network, query, table) == expected, (
                network,
                query,
                table,
                changed,
            )
            assert not expected or is_true(changed, network, query, table)
            verdicts.add(expected)
    assert verdicts == {True, False}


def reconstructed(wires):
    """Return evidence, network, query and table that wires stand for; raises where they stand for none."""
    sizes = list(pairwise((COLUMNS + 1, *HIDDEN, 1)))
    layers = []
    for number, (inputs, outputs) in enumerate(sizes, start=1):
        weights = wires[f"weights.{number}"]
        rows = tuple(tuple(weights[inputs * row : inputs * (row + 1)]) for row in range(outputs))
        layers.append(Layer(rows, tuple(wires[f"biases.{number}"])))
    regions = []
    for row, number in enumerate([*range(SLICES), *wires["slice"]]):
        bits = wires["pattern"][NEURONS * row : NEURONS * (row + 1)]
        if not set(bits) <= {0, 1}:
            raise ValueError("a bit is none")
        regions.append(Region(number, sum(bit << place for place, bit in enumerate(bits))))
    (label,), (radius,) = wires["label"], wires["radius_squared"]
    network = QuantisedNetwork(tuple(layers), 1, (0,) * len(layers))
    table = tuple((value,) for value in wires["table"])
    return Evidence(label, radius, tuple(regions)), network, tuple(wires["query"]), table


def with_changed_wires(rng, wires):
    """Return wires with one or two of them changed; blindings and digests of documents are free and stay."""
    lied = {name: list(values) for name, values in wires.items()}
    for _ in range(rng.choice((1, 1, 2))):
        name = rng.choice([name for name in lied if name not in FREE])
        values = lied[name]
        place = rng.randrange(len(values))
        if values[place] in (0, 1) and rng.random() < 0.5:
            values[place] ^= 1
        else:
            values[place] = rng.choice(
                (values[place] + 1, values[place] - 1, -values[place], rng.randint(-9, 9), 2, -1)
            )
    return lied


def whatever_is_accepted_is_true(seed, count):
    """Change random wires; where the circuit still accepts them, they stand for evidence that the checker accepts."""
    passed = 0
    for _, (rng, network, query, table, evidence) in zip(range(count), certified_cases(seed), strict=False):
        wires = wires_of(network, query, table, evidence)
        for _ in range(8):
            lied = with_changed_wires(rng, wires)
            if lied == wires or not accepted(lied):
                continue
            passed += 1
            try:
                proven = reconstructed(lied)
            except (NetworkError, ValueError) as error:
                pytest.fail(f"proven wires stand for nothing: {error}")
            check(*proven)
            assert is_true(*proven), proven
    assert passed, "some changes are harmless"


def test_honest_evidence_is_always_accepted():
    """The evidence of every search satisfies the circuit, and its statement is true at every grid point."""
    honest_evidence_is_accepted(1, FEW)


@pytest.mark.slow
def test_circuit_refuses_exactly_what_the_checker_refuses():
    """Randomly changed evidence is accepted exactly where the plaintext checker accepts it."""
    circuit_and_checker_agree(2, FEW)


def test_whatever_wires_are_accepted_stand_for_a_true_statement():
    """Randomly changed wires are refused, or stand for evidence that the checker accepts and that is true."""
    whatever_is_accepted_is_true(3, FEW)


@pytest.mark.slow
@pytest.mark.sampled(1)
@pytest.mark.parametrize("seed", range(4, 28))
def test_circuit_and_checker_agree_on_many_networks(seed):
    """The three laws hold on many more networks."""
    honest_evidence_is_accepted(seed, MANY // 24)
    circuit_and_checker_agree(seed, MANY // 24)
    whatever_is_accepted_is_true(seed, MANY // 24)
