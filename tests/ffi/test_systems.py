"""Compiled circuits are pinned: their digests name keys, and a change of one must be meant."""

from circuits.shape import traversal_shape
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
