"""Audits of padded models: columns of the padding are absent, and the report names what was committed."""

from equiproof.audits.context import AuditContext
from equiproof.audits.counterexample import Counterexample
from equiproof.certify.padding import pad_network
from equiproof.circuits.field import to_hex
from equiproof.circuits.standard import StandardShape
from tests.support import LOANS, network

SHAPE = StandardShape(6, (4, 3))
ROWS = [{"income": 31000, "housing": "own", "sex": "f"}, {"income": 9000, "housing": "rent", "sex": "m"}]


def contexts():
    """Return the contexts of a model, and of the same model padded."""
    own = network(LOANS, (3, 2), 2)
    padded = pad_network(own, LOANS, SHAPE.columns, SHAPE.hidden), SHAPE.spec(LOANS)
    return [
        AuditContext(network=net, spec=spec, commitment="00", rows=ROWS) for net, spec in ((own, LOANS), padded)
    ], padded


def test_columns_of_the_padding_are_absent():
    """Queries, networks and decided inputs have the features' columns only, also in a copy with other options."""
    (own, padded), (_, spec) = contexts()
    for context in (padded, padded.with_options({})):
        assert context.queries == own.queries
        assert context.network.inputs == own.network.inputs
        assert context.decided_input(context.queries[0], 1) == own.decided_input(own.queries[0], 1)
        assert context.committed_spec == spec
        assert context.model.spec_digest == to_hex(spec.digest)
        assert context.model.layers == (4, 4, 3, 1)
    assert own.committed_spec == LOANS


def test_counterexamples_replay_on_the_committed_model():
    """What an audit found is confirmed with the padded network and spec of the opening as well."""
    (_, context), (net, spec) = contexts()
    cases = tuple(context.decided_input(context.queries[1], number) for number in range(2))
    for model in ((net, spec), (context.network, context.spec)):
        Counterexample("two inputs", cases).replay(*model)
