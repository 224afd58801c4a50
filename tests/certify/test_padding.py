"""Padded networks: the same logits, radii and leaves as their own; and what columns of the padding can move."""

import pickle
import random
from dataclasses import replace

import numpy as np
import pytest

from equiproof.certify.branch import BranchSearch, check, network_parameters, search_under
from equiproof.certify.data.dataset import encode_rows
from equiproof.certify.many.certifier import Certifier
from equiproof.certify.network import Layer, NetworkError
from equiproof.certify.padding import Idle, pad_network, same_model, without_columns
from equiproof.certify.traversal.exact import interval_under
from equiproof.certify.traversal.search import Search, search
from equiproof.circuits.standard import StandardShape
from tests.support import KEPT, LOANS, RATES, applicant, changed, network

RATES_10 = changed(RATES, input_fraction_bits=10, input_bits=18)
CASES = [(LOANS, (4, 2)), (KEPT, (4, 3)), (RATES_10, (2, 2)), (LOANS, (9, 6))]
SHAPE = StandardShape(12, (10, 8))


def padded(spec, hidden, seed, shape=SHAPE):
    """Return a seeded network, and it padded with its spec."""
    own = network(spec, hidden, seed)
    return own, pad_network(own, spec, shape.columns, shape.hidden), shape.spec(spec)


def applicants(spec, seed, count):
    """Return raw rows."""
    rng = random.Random(seed)
    return [applicant(spec, rng) for _ in range(count)]


@pytest.mark.parametrize(("spec", "hidden"), CASES)
def test_radius_and_leaves_stay_the_same(spec, hidden):
    """By scheme branch every applicant has the same verdict, radius, leaves and nearest flip; the checker agrees."""
    searched = 0
    for seed in range(2):
        own, whole, wide = padded(spec, hidden, seed)
        for row in applicants(spec, seed, 1):
            before = search_under(own, spec, spec.encode(row), max_leaves=12)
            after = search_under(whole, wide, wide.encode(row), max_leaves=12)
            assert type(before) is type(after)
            if isinstance(before, BranchSearch):
                searched += 1
                assert (after.radius_squared, after.leaves, after.upper) == (
                    before.radius_squared,
                    before.leaves,
                    before.upper,
                )
                case = network_parameters(wide, whole.hidden), whole, wide.encode(row), wide.domain_table, wide.box
                check(after.evidence, *case)
    assert searched


@pytest.mark.parametrize(("spec", "hidden"), [case for case in CASES if case[0] is not KEPT])
def test_traversal_finds_the_same_regions(spec, hidden):
    """Neurons that are 0 everywhere have no hyperplane: enumeration and exact search are those of the model."""
    for seed in range(2):
        own, whole, wide = padded(spec, hidden, seed)
        (row,) = applicants(spec, seed, 1)
        limits = {"max_radius_squared": spec.max_radius_squared, "max_regions": 20}
        before = search(own, spec.encode(row), spec.domain_table, **limits)
        after = search(whole, wide.encode(row), wide.domain_table, **limits)
        assert type(before) is type(after)
        if isinstance(before, Search):
            assert (after.radius_squared, len(after.regions)) == (before.radius_squared, len(before.regions))
            exact = [
                interval_under(net, one, one.encode(row), max_regions=20) for net, one in ((own, spec), (whole, wide))
            ]
            assert exact[0].lower == exact[1].lower


def test_smaller_capacities_and_copies_of_a_search_are_padded_too():
    """Evidence within fewer leaves, also after pickling, and the point of the flip are those of the padded network."""
    own, whole, wide = padded(LOANS, (4, 2), 0)
    found = search_under(whole, wide, wide.encode({"income": 30000, "housing": "own"}), max_leaves=16)
    alone = search_under(own, LOANS, LOANS.encode({"income": 30000, "housing": "own"}), max_leaves=16)
    assert found.leaves > 4
    assert len(found.boundary_point.point) == wide.plain_columns
    case = network_parameters(wide, whole.hidden), whole, wide.encode({"income": 30000, "housing": "own"})
    for one in (found, pickle.loads(pickle.dumps(found))):  # noqa: S301 -- our own bytes
        fewer = one.evidence_within(4)
        check(fewer, *case, wide.domain_table, wide.box)
        assert fewer.radius_squared == alone.evidence_within(4).radius_squared


def test_weights_in_the_padding_can_only_make_radii_smaller():
    """Without ranges such a column is one more direction of neighbors; with ranges nobody moves there."""
    smaller = 0
    for spec in (LOANS, KEPT):
        for seed in range(2):
            _, whole, wide = padded(spec, (4, 2), seed)
            lying = with_padding_weight(whole, spec, 900)
            for row in applicants(spec, seed, 2):
                query = wide.encode(row)
                assert lying.logits((*query, *wide.domain_table[0])) == whole.logits((*query, *wide.domain_table[0]))
                honest, lie = (search_under(net, wide, query, max_leaves=16) for net in (whole, lying))
                if not (isinstance(honest, BranchSearch) and isinstance(lie, BranchSearch)):
                    assert type(honest) is type(lie)
                    continue
                if honest.complete and lie.complete:
                    assert lie.radius_squared <= honest.radius_squared
                    assert lie.radius_squared == honest.radius_squared or spec is LOANS
                    smaller += lie.radius_squared < honest.radius_squared
    assert smaller


def with_padding_weight(net, spec, weight):
    """Return a network whose neurons have a weight in the first column of the padding."""
    first, own = net.layers[0], spec.own_columns
    rows = tuple((*row[:own], weight, *row[own + 1 :]) for row in first.weights)
    return replace(net, layers=(Layer(rows, first.biases), *net.layers[1:]))


def test_idle_is_what_moves_nothing():
    """A weight in the padding, a weight in or out of a neuron, or a bias, and it is searched with the rest."""
    own, whole, wide = padded(LOANS, (4, 2), 1)
    idle = Idle.of(whole, wide)
    small, spec = idle.reduced(whole, wide)
    assert (small, spec.padding) == (own, 0)
    assert not Idle.of(own, LOANS)
    assert Idle.of(with_padding_weight(whole, LOANS, 1), wide).columns == wide.plain_columns
    first, second, last = whole.layers
    busy = replace(whole, layers=(Layer(first.weights, (*first.biases[:-1], 1)), second, last))
    assert Idle.of(busy, wide).used[0] == (True,) * 4 + (False,) * 5 + (True,)
    outward = Layer(tuple((*row[:-1], 1) for row in last.weights), last.biases)
    assert Idle.of(replace(whole, layers=(first, second, outward)), wide).used[1][-1]


def test_a_layer_without_any_weight_keeps_a_neuron():
    """A network that is constant is reduced to one neuron in each layer, not to none."""
    zero = Layer(((0,) * 4,) * 2, (0, 0)), Layer(((0, 0),), (7,))
    constant = replace(network(LOANS, (2,), 0), layers=zero)
    small, _ = Idle.of(constant, LOANS).reduced(constant, LOANS)
    assert small.hidden == (1,)


def test_padding_never_shrinks():
    """Fewer columns, fewer neurons and another depth are refused."""
    own = network(LOANS, (4, 2), 0)
    for columns, hidden in ((2, (4, 2)), (3, (3, 2)), (3, (4, 2, 2)), (3, (4,))):
        with pytest.raises(NetworkError, match="does not fit into"):
            pad_network(own, LOANS, columns, hidden)
    assert pad_network(own, LOANS, 3, (4, 2)) == own


def test_a_padded_network_is_recognised():
    """Only idle neurons may be added."""
    own, whole, wide = padded(LOANS, (4, 2), 0)
    narrow, spec = without_columns(whole, wide)
    assert same_model(own, narrow)
    assert spec.plain_columns == LOANS.plain_columns
    assert not same_model(network(LOANS, (4, 2), 1), narrow)
    assert not same_model(whole, narrow)
    assert not same_model(narrow, own)


def test_certifier_and_tables_take_padded_models():
    """Runs over many applicants give the model's own results; encoded tables have the columns of the padding."""
    own, whole, wide = padded(LOANS, (4, 2), 3)
    rows = applicants(LOANS, 3, 3)
    before, after = (Certifier(net, one).certify(rows) for net, one in ((own, LOANS), (whole, wide)))
    shown = [[(p.verdict, p.radius_squared, p.leaves, p.radius) for p in results] for results in (before, after)]
    assert shown[0] == shown[1]
    named = [row | {"sex": "f"} for row in rows]
    table = encode_rows(wide, named)
    assert np.array_equal(table[:, :12], [wide.encode(row) for row in named])
    assert np.array_equal(table[:, 12:], encode_rows(LOANS, named)[:, 3:])
