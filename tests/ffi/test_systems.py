"""Compiled circuits are pinned: their digests name keys, and a change of one must be meant."""

import pytest

from equiproof.circuits.schemes import NETWORK_SCHEMES
from equiproof.circuits.shape import (
    additive_shape,
    box_shape,
    ensemble_shape,
    network_box_shape,
    of_boxes,
    shape_of,
)
from equiproof.circuits.subcircuit import (
    FORMAT,
    GADGETS,
    VERSION,
    SubCircuit,
    gadget_scheme,
    gadget_subjects,
    gadgets_of,
    subcircuit,
)
from equiproof.ffi import backend
from equiproof.ffi.errors import MalformedInputError
from tests.pins import assert_pinned
from tests.soundness.box_lies import SPEC
from tests.support import LOANS, RATES, changed

SCORES = changed(LOANS, logits=1)
SCORED = ensemble_shape(SCORES, (3, 1), (2, 4), 2, 3, 4)
ADDED_BOX = box_shape(SPEC, (3, 1))


def test_compiled_circuits_are_pinned():
    """Constraint counts and digests of small circuits of both schemes are these, whoever compiles them, wherever."""
    found = {}
    wide, inside = changed(LOANS, weight_bits=(24, 20)), changed(LOANS, use_ranges=True)
    for scheme, spec, hidden, capacity in (
        ("traversal", LOANS, (2, 2), 2),
        ("traversal", LOANS, (2, 2), 8),
        ("traversal", RATES, (2,), 8),
        ("traversal", wide, (2, 2), 8),
        ("branch", LOANS, (2, 2), 8),
        ("branch", RATES, (2,), 8),
        ("branch", wide, (2, 2), 8),
        ("branch", inside, (2, 2), 8),
    ):
        shape = shape_of(scheme, spec, hidden, capacity)
        description = backend.describe(shape.document)
        found[shape.name] = {"constraints": description.constraints, "system_digest": description.system_digest}
    assert_pinned("systems", found)


SUBJECTS = [(name, about == "box") for name in GADGETS for about in gadget_subjects(name)]


@pytest.mark.parametrize(("gadget", "boxes"), SUBJECTS)
def test_sub_circuits_say_what_their_constraints_are_for(gadget, boxes):
    """The parts of each sub-circuit add up to its constraints; the gadget and its instance's digest are among them.

    Levels of `chain` are held in the leaf that they close, and a box is the part of that name.
    """
    scheme = gadget_scheme(gadget) or ("branch" if boxes else "traversal")
    shape = SCORED if scheme == "trees" else shape_of(scheme, LOANS, (2, 2), 8)
    if boxes:
        shapes = ADDED_BOX, of_boxes(SCORED, SCORES), network_box_shape(LOANS, (2, 2), 8)
        shape = next(one for one in shapes if gadget in gadgets_of(one))
    description = backend.describe(subcircuit(gadget, shape).document)
    parts = dict(description.parts)
    assert sum(parts.values()) == description.constraints
    assert {{"chain": "leaf", "people": "box"}.get(gadget, gadget), "instance"} <= set(parts)
    assert "rest" not in parts


@pytest.mark.parametrize("scheme", [*NETWORK_SCHEMES, "additive", "trees", "additive-box", "trees-box", "branch-box"])
def test_both_sides_list_the_same_sub_circuits(scheme):
    """The library refuses an unknown gadget with a list of those that it has, which are Python's, in the same order."""
    scored = {"additive": additive_shape(SCORES, (3, 1), 2, 4), "trees": SCORED, "additive-box": ADDED_BOX}
    scored |= {"trees-box": of_boxes(SCORED, SCORES), "branch-box": network_box_shape(LOANS, (2, 2), 8)}
    shape = scored[scheme] if scheme in scored else shape_of(scheme, LOANS, (2, 2), 8)
    unknown = SubCircuit(FORMAT, VERSION, "unknown", shape)
    with pytest.raises(MalformedInputError, match=f'no gadget "unknown"; it has {", ".join(gadgets_of(shape))}$'):
        backend.describe(unknown.document)
