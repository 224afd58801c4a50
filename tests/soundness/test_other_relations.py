"""A witness speaks of one shape and one relation: no statement under another one goes with it."""

import msgspec
import pytest

from equiproof.circuits.poseidon2 import hash_elements
from equiproof.circuits.shape import follows
from equiproof.circuits.statement import start
from tests.circuits.tiny_cases import circuit_accepts, free_checkers, verdict
from tests.soundness import (
    additive_column_lies,
    additive_lies,
    additive_range_lies,
    trees_column_lies,
    trees_range_lies,
    trees_told,
)
from tests.soundness.additive_told import stated
from tests.soundness.cheating_owner import implied
from tests.soundness.gain_lies import gain_of_one_layer
from tests.support import KEPT, LOANS

TRUTHS = {
    "additive": (additive_lies.honest, LOANS),
    "additive-ranges": (additive_range_lies.kept, KEPT),
    "additive, several columns": (additive_column_lies.full, additive_column_lies.SPEC),
    "trees-ranges": (trees_range_lies.kept, KEPT),
    "trees": (trees_told.honest, trees_told.SPEC),
    "trees, several columns": (trees_column_lies.several, additive_column_lies.SPEC),
}


@pytest.fixture(scope="module", autouse=True)
def _freed():
    """Free the compiled circuits behind these tests."""
    yield
    free_checkers()


def others(shape):
    """Yield shapes that differ from a shape in one thing: the relation, a size of the model, the room, a width."""
    for scheme in {"additive", "additive-ranges", "trees", "trees-ranges", "branch", "traversal"} - {shape.scheme}:
        yield msgspec.structs.replace(shape, scheme=scheme)
    architecture, (plain, sensitive) = shape.architecture, shape.architecture.predicate_counts
    for fields in ({"predicates": (plain - 1, sensitive + 1)}, {"plain": architecture.plain + 1}, {"nodes": (3, 10)}):
        if fields.get("nodes") != shape.architecture.node_counts:
            yield msgspec.structs.replace(shape, architecture=msgspec.structs.replace(architecture, **fields))
    for name in ("slots", "capacity", "slices", "input_bits", "input_fraction_bits", "radius_bits"):
        yield msgspec.structs.replace(shape, **{name: getattr(shape, name) + 1})


@pytest.mark.parametrize("name", TRUTHS)
def test_no_statement_under_another_shape_goes_with_a_witness(name):
    """Relation and shape are constants of the circuit, so a key under another name verifies nothing."""
    of = TRUTHS[name][0]()
    statement = stated(of.shape, of.wires)
    digests = {statement.digest(shape) for shape in others(of.shape)}
    assert len(digests) >= 12
    for digest in digests:
        assert not circuit_accepts(of.shape, digest, of.wires)
    # One for the reference, which is slow and only compares: all of them are other numbers than the own digest.
    assert statement.digest(of.shape) not in digests
    assert verdict(of.shape, min(digests), of.wires) == "R-STATEMENT"


def test_no_statement_under_another_shape_goes_with_a_gain():
    """Nor does one with the parts of a decision, under the own shape: that is what a contract would hash."""
    of = gain_of_one_layer()
    shape, architecture = of.shape, of.shape.architecture
    elements = implied(shape, of.wires).elements()
    others = [
        msgspec.structs.replace(shape, scheme=scheme) for scheme in ("branch", "branch-ranges", "traversal", "trees")
    ]
    others += [
        msgspec.structs.replace(shape, **{name: getattr(shape, name) + 1})
        for name in ("capacity", "slices", "input_bits", "input_fraction_bits", "radius_bits")
    ]
    others += [
        msgspec.structs.replace(shape, architecture=msgspec.structs.replace(architecture, **fields))
        for fields in ({"hidden": (*architecture.hidden, 1)}, {"plain": 2, "sensitive": 1}, {"logits": 2})
    ]
    digests = {hash_elements(elements, start(other)) for other in others} | {hash_elements(elements[:7], start(shape))}
    assert len(digests) == len(others) + 1
    for digest in digests:
        assert verdict(shape, digest, of.wires) == "R-STATEMENT"
    assert verdict(shape, hash_elements(elements, start(shape)), of.wires) is None


@pytest.mark.parametrize("name", TRUTHS)
def test_a_commitment_is_of_one_architecture(name):
    """The same numbers in another architecture, if only by a name for what is absent, are another commitment."""
    of = TRUTHS[name][0]()
    for fields in (
        {"bias_bits": (25,)},
        {"logits": 2},
        {"nodes": (4, 11)},
        {"sensitive": of.shape.architecture.sensitive + 2},
    ):
        architecture = msgspec.structs.replace(of.shape.architecture, **fields)
        shape = msgspec.structs.replace(of.shape, architecture=architecture)
        assert stated(shape, of.wires).model_commitment != stated(of.shape, of.wires).model_commitment


@pytest.mark.parametrize("name", TRUTHS)
def test_the_width_of_thresholds_follows_from_the_spec(name):
    """A commitment has the width of its thresholds by the spec's digest alone; a key's shape must fit the spec."""
    of, spec = TRUTHS[name][0](), TRUTHS[name][1]
    assert follows(of.shape, spec)
    for field in ("input_bits", "input_fraction_bits", "radius_bits"):
        for step in (-1, 1):
            assert not follows(msgspec.structs.replace(of.shape, **{field: getattr(of.shape, field) + step}), spec)
