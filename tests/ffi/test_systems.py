"""Compiled circuits are pinned: their digests name keys, and a change of one must be meant."""

import pytest

from circuits.shape import shape_of, traversal_shape
from circuits.subcircuit import GADGETS, scheme_of, subcircuit
from ffi import backend
from tests.pins import assert_pinned
from tests.support import LOANS, RATES


def test_compiled_circuits_are_pinned():
    """Constraint counts and digests of three small circuits are these, whoever compiles them, wherever."""
    found = {}
    for spec, hidden, capacity in ((LOANS, (2, 2), 2), (LOANS, (2, 2), 8), (RATES, (2,), 8)):
        shape = traversal_shape(spec, hidden, capacity)
        description = backend.describe(shape.document)
        found[shape.name] = {"constraints": description.constraints, "system_digest": description.system_digest}
    assert_pinned("systems", found)


@pytest.mark.parametrize("gadget", GADGETS)
def test_sub_circuits_say_what_their_constraints_are_for(gadget):
    """The parts of each sub-circuit add up to its constraints; the gadget and its instance's digest are among them."""
    shape = shape_of(scheme_of(gadget) or "traversal", LOANS, (2, 2), 8)
    description = backend.describe(subcircuit(gadget, shape).document)
    parts = dict(description.parts)
    assert sum(parts.values()) == description.constraints
    assert {gadget, "instance"} <= set(parts)
    assert "rest" not in parts
