"""Vectors of sub-circuits: circuit and reference accept and refuse what the files say, by the rule that they name."""

from importlib import import_module

import pytest

from equiproof.circuits import reference
from equiproof.circuits.rules import EVERY_RULE
from equiproof.ffi.errors import UnsatisfiedError
from tests.circuits.box_cases import ON_BOXES
from tests.circuits.branch_cases import BRANCHING
from tests.circuits.score_cases import SCORING
from tests.circuits.tiny_cases import broken_rule, checker, free_checkers, instance_digest
from tests.vectors.vector import FOLDER, CircuitVector, paths, read

# A module by name: the package shows a function of the same name.
CHECK = import_module("equiproof.circuits.reference.check")

PATHS = [path for path in paths() if path.stem.startswith("circuit-")]
VECTORS = {path.relative_to(FOLDER).with_suffix("").as_posix(): read(path) for path in PATHS}


@pytest.mark.parametrize("name", VECTORS)
def test_circuit_and_reference_say_what_the_vector_says(name):
    """Both programs judge the wires as the folder says, under the digest of the file, which is that of the wires."""
    vector = VECTORS[name]
    circuit, wires, digest = vector.circuit, vector.values(), int(vector.digest, 16)
    assert instance_digest(circuit, wires) == digest
    if vector.verdict == "accept":
        checker(circuit.document).check(circuit.witness(wires, digest))
        reference.check(circuit, digest, wires)
        return
    with pytest.raises(UnsatisfiedError, match="does not satisfy"):
        checker(circuit.document).check(circuit.witness(wires, digest))
    with pytest.raises(reference.RuleError, match=f"^{vector.rule}: "):
        reference.check(circuit, digest, wires)


@pytest.mark.parametrize("name", [name for name, vector in VECTORS.items() if vector.rule])
def test_a_refused_vector_breaks_one_rule_only(monkeypatch, name):
    """Where the reference leaves out the widths, or the gadget, whichever the vector breaks, it accepts."""
    vector = VECTORS[name]
    circuit, wires, digest = vector.circuit, vector.values(), int(vector.digest, 16)
    assert circuit.gadget in EVERY_RULE[vector.rule].circuits
    if vector.rule == "R-RANGE":
        monkeypatch.setattr(CHECK, "ranges", lambda *_: None)
    else:
        monkeypatch.setattr(CHECK, "GADGETS", {**CHECK.GADGETS, circuit.gadget: lambda *_: None})
    assert broken_rule(circuit, digest, wires) is None


@pytest.fixture(scope="module", autouse=True)
def _freed():
    """Free the compiled circuits behind these tests."""
    yield
    free_checkers()


def test_every_gadget_of_branch_and_bound_and_of_scores_has_vectors():
    """Each gadget has vectors of both verdicts, of scheme `trees` the commitment too; each of their rules is broken.

    So have those of boxes, and the digest of a statement about one.
    """
    gadgets = {*BRANCHING, *SCORING, *ON_BOXES, "commitment", "digest"}
    circuits = [vector.circuit for vector in VECTORS.values()]
    assert all(isinstance(vector, CircuitVector) for vector in VECTORS.values())
    assert {(vector.circuit.gadget, vector.verdict) for vector in VECTORS.values()} == {
        (gadget, verdict) for gadget in gadgets for verdict in ("accept", "reject")
    }
    assert all(of.shape.additive or of.shape.boxes for of in circuits if of.gadget in ("commitment", "digest"))
    own = {rule for rule, found in EVERY_RULE.items() if set(found.circuits) & {*BRANCHING, *SCORING, *ON_BOXES}}
    broken = {vector.rule for vector in VECTORS.values()} - {None}
    assert broken == own - {"R-INSTANCE"} | {"R-COMMITMENT", "R-DOMAIN", "R-STATEMENT", "R-X-BOX"}
