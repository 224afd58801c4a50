"""The quantised network shows its sizes and none of its numbers."""

from equiproof.certify.network import Layer, QuantisedNetwork
from equiproof.certify.traversal.search import search
from tests.certify.tiny import Case

LAYERS = (Layer(((23456, -23457), (23458, 23459)), (734561, -734562)), Layer(((-23460, 23461),), (734563,)))
NETWORK = QuantisedNetwork(LAYERS, 1, (0, 0))


def test_a_repr_shows_sizes_and_no_weight():
    """A network is printed in logs and tracebacks, where its weights must not be."""
    assert repr(NETWORK) == str(NETWORK) == "<QuantisedNetwork 2-2-1>"
    assert [repr(layer) for layer in LAYERS] == ["<Layer 2-2>", "<Layer 2-1>"]


def test_what_holds_a_network_shows_no_weight():
    """Neither does a record with a network among its fields, or with what a search makes of it."""
    case = Case(NETWORK, (5,), ((0,), (1,)))
    assert "network=<QuantisedNetwork 2-2-1>" in repr(case)
    found = search(NETWORK, case.query, case.table, max_radius_squared=64, max_regions=8)
    for shown in (repr(case), repr(found)):
        assert not any(str(number) in shown for number in (*range(23456, 23462), *range(734561, 734564)))
