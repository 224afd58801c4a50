"""Every gadget of a statement about a box alone: it holds what its relation holds, and refuses what breaks a rule."""

import random

import pytest

from equiproof.circuits.field import to_bytes
from equiproof.circuits.rules import BOX_RULES, EVERY_RULE, own_rules
from equiproof.circuits.shape import box_shape, ensemble_box_shape, network_box_shape
from equiproof.circuits.subcircuit import GADGETS, SubCircuit, SubCircuitError, gadgets_of, subcircuit
from equiproof.ffi import backend
from equiproof.ffi.errors import MalformedInputError, RefusedError, UnsatisfiedError
from tests.circuits.box_cases import LIES, TRUTHS, OnBox, places
from tests.circuits.test_layout import SPECS
from tests.circuits.test_subcircuit import compare_with_the_library
from tests.circuits.tiny_cases import altered, digest_of, free_checkers, verdict
from tests.soundness import box_lies, box_told, box_values_lies
from tests.support import changed

WIDTHS = ("R-RANGE",)
"""Alone, a wire that is no bit, or too wide, is refused for that before the rule is looked at."""

SHAPES = {
    "additive-box": (
        box_shape(box_lies.SPEC, (3, 2)),
        "people, sides, levels, gains, commitment, digest",
    ),
    "trees-box": (
        ensemble_box_shape(box_lies.SPEC, (3, 2), (2, 6), 2, 3, 8),
        "centre, slots, chain, cover, nodes, rows, people, sides, commitment, digest",
    ),
    "branch-box": (
        network_box_shape(box_lies.SPEC, (3, 2), 4),
        "relaxation, bounds, tree, leaf, people, falls, commitment, digest",
    ),
}
"""By relation: a shape, and the names of its sub-circuits."""


@pytest.fixture(scope="module", autouse=True)
def _freed():
    """Free the compiled circuits behind these tests."""
    yield
    free_checkers()


def random_shape(seed):
    """Return a random shape of a relation of boxes, with other widths of inputs."""
    rng = random.Random(seed)
    spec, predicates = changed(rng.choice(SPECS), logits=1), (rng.randint(1, 9), rng.randint(0, 3))
    match seed % 3:
        case 0:
            shape = box_shape(spec, predicates)
        case 1:
            nodes = rng.randint(1, 12)
            sizes = (rng.randint(1, nodes), nodes)
            shape = ensemble_box_shape(
                spec, predicates, sizes, rng.randint(1, predicates[0]), nodes, 1 << rng.randint(0, 3)
            )
        case _:
            hidden = tuple(rng.randint(1, 3) for _ in range(rng.randint(1, 3)))
            shape = network_box_shape(spec, hidden, 1 << (2 * len(spec.domain_table) - 1).bit_length())
    return changed(shape, radius_bits=rng.randint(4, 29))


@pytest.mark.sampled(6)
@pytest.mark.parametrize("seed", range(18))
def test_wires_and_widths_are_the_librarys(seed):
    """Names and lengths of wires, and the widest integers of the instance's, are those that the library compiles."""
    compare_with_the_library(random_shape(seed))


@pytest.mark.parametrize("relation", SHAPES)
def test_shapes_have_the_gadgets_that_their_statements_are_proven_by(relation):
    """Others are refused in both languages by a line that lists those that the shape has."""
    shape, names = SHAPES[relation]
    assert ", ".join(gadgets_of(shape)) == names
    for gadget in set(GADGETS) - set(gadgets_of(shape)):
        with pytest.raises(SubCircuitError, match=f"has no circuit {gadget}; it has {names}"):
            subcircuit(gadget, shape)
        document = SubCircuit("equiproof-circuit", 2, gadget, shape).document
        with pytest.raises(MalformedInputError, match=f'the shape has no gadget "{gadget}"; it has {names}'):
            backend.describe(document)


def test_gains_are_of_shapes_with_categories():
    """Where a spec has no category with one column a value, nothing is open."""
    shape = changed(SHAPES["additive-box"][0], one_hot=box_shape(SPECS[0], (3, 0)).one_hot)
    assert ("gains" in gadgets_of(shape)) == bool(shape.choices)


@pytest.mark.parametrize("truth", TRUTHS, ids=lambda of: f"{of.__module__}.{of.__name__}")
def test_honest_witnesses_are_accepted_by_every_gadget(truth):
    """What satisfies the relation satisfies every gadget of it, at every place, for circuit and reference."""
    of = OnBox(truth())
    for gadget in gadgets_of(of.shape):
        circuit = subcircuit(gadget, of.shape)
        for number in range(places(circuit)):
            wires = of.alone(circuit, number)
            assert verdict(circuit, circuit.digest(wires), wires) is None, (gadget, number)


@pytest.mark.parametrize("name", LIES)
def test_a_lie_about_the_relation_is_refused_by_a_gadget_of_its_rule(name):
    """What breaks one rule of the relation breaks it in a gadget that holds it, under the digest of the lie."""
    of = OnBox(LIES[name](name))
    found = set()
    for gadget in set(EVERY_RULE[of.told.rule].circuits) & set(gadgets_of(of.shape)):
        circuit = subcircuit(gadget, of.shape)
        for number in range(places(circuit)):
            wires = of.alone(circuit, number)
            found.add(verdict(circuit, digest_of(circuit, wires), wires))
    assert found & {of.told.rule, *WIDTHS}


def test_circuit_and_reference_agree_on_changes_of_a_leaf_with_open_categories():
    """Up to three wires of a leaf are others: both programs judge alike, and each rule of values is broken."""
    rng, found = random.Random(5), set()
    of_values = [OnBox(truth()) for truths in box_values_lies.TRUTHS.values() for truth in truths]
    for _ in range(250):
        of = rng.choice(of_values)
        circuit = subcircuit("chain", of.shape)
        wires = of.alone(circuit, rng.randrange(places(circuit)))
        for _ in range(rng.randint(1, 3)):
            name = rng.choice([name for name, values in wires.items() if values and name != "blinding"])
            at = rng.randrange(len(wires[name]))
            other = rng.choice((wires[name][at] + 1, wires[name][at] - 1, 0, 1, -1, rng.choice(wires[name])))
            wires = altered(wires, name, at, other)
        found.add(verdict(circuit, digest_of(circuit, wires), wires))
    assert found >= {None, "R-X-ENDS", "R-X-CATEGORY", "R-X-GAIN"}


def test_what_a_gadget_proves_of_a_ball_it_does_not_say_of_a_box():
    """No proof about a box names a rule of queries and radii, and none about a ball one of boxes."""
    for gadget in GADGETS:
        assert not own_rules(gadget, of_box=False).keys() & BOX_RULES.keys()
        assert not own_rules(gadget, of_box=True).keys() & {"R-QUERY", "R-B-RADIUS", "R-B-RANGES", "R-B-CUT"}
    for shape, _ in SHAPES.values():
        assert all(own_rules(gadget, of_box=True) for gadget in gadgets_of(shape))
        assert BOX_RULES.keys() & set().union(*(own_rules(gadget, of_box=True) for gadget in gadgets_of(shape)))


PROVEN = [(relation, gadget) for relation, (_, names) in SHAPES.items() for gadget in names.split(", ")]


@pytest.mark.sampled(3)
@pytest.mark.parametrize(("relation", "gadget"), PROVEN)
def test_every_gadget_of_a_box_is_set_up_proven_and_verified_alone(relation, gadget):
    """Keys of its own prove a gadget's honest wires; the proof holds for their digest, and not for the statement's."""
    of = next(
        OnBox(told)
        for told in (truth() for truth in TRUTHS)
        if told.shape.scheme == relation and gadget in gadgets_of(told.shape)
    )
    circuit = subcircuit(gadget, of.shape)
    wires = of.alone(circuit, 0)
    digest = circuit.digest(wires)
    keys = backend.setup(circuit.document)
    with backend.ProvingKey(circuit.document, keys.proving) as prover:
        proof = prover.prove(circuit.witness(wires))
        for other in (digest ^ 1, of.statement.digest(of.shape)):
            with pytest.raises(UnsatisfiedError):
                prover.prove(circuit.witness(wires, other))
    with backend.VerifyingKey(keys.verifying) as verifier:
        verifier.verify(to_bytes(digest), proof)
        for other in (digest ^ 1, circuit.digest({**wires, "blinding": [100]}), of.statement.digest(of.shape)):
            with pytest.raises(RefusedError):
                verifier.verify(to_bytes(other), proof)


def test_the_commitment_alone_opens_the_box_that_is_stated():
    """R-X-BOX: other ends, another blinding or another commitment than the stated one."""
    of = OnBox(box_lies.opened())
    circuit = subcircuit("commitment", of.shape)
    honest = of.alone(circuit, 0)
    for name in ("box_low", "box_high", "box_blinding", "box_commitment"):
        for at in range(len(honest[name])):
            values = list(honest[name])
            values[at] += 1
            wires = {**honest, name: values}
            assert verdict(circuit, digest_of(circuit, wires), wires) == "R-X-BOX"
    swapped = {**honest, "box_low": honest["box_high"], "box_high": honest["box_low"]}
    assert verdict(circuit, digest_of(circuit, swapped), swapped) == "R-X-BOX"
    assert box_told.stated(of.shape, of.told.wires).box_commitment == honest["box_commitment"][0]
