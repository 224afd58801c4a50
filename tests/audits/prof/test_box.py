"""Repair over a box: what is returned is proven for every applicant in it; what is not proven is refused."""

import itertools
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

from equiproof.audits.hyfair.branch import Budget
from equiproof.audits.hyfair.hybrid import Limits
from equiproof.audits.prof.box import (
    BoxError,
    BoxLimits,
    Proof,
    RepairedBox,
    Unproven,
    prove,
    prune,
    read_box,
    repair_box,
)
from equiproof.audits.prof.repair import Settings, Unrepaired
from equiproof.audits.prof.similar import Similarity
from equiproof.certify.decisions import decisions
from equiproof.certify.network import Layer, QuantisedNetwork
from tests.audits.prof.tiny import CLASSES, HOME, LOANS, network, queries

LIMITS = BoxLimits(Limits(draws=50, solver_seconds=0.0, branch=Budget(100_000, 600.0)))
QUICK = Settings(steps=30, slope_steps=10, seconds=600.0, passes=1, sets="points")
FINE = "amount=0.00..20.00,home=own..rent"


def everyone(applicants):
    """Return every applicant of a box as queries, listed one by one."""
    ranges = [range(int(low), int(high) + 1) for low, high in zip(*applicants.box, strict=True)]
    return applicants.grid.columns(np.array(list(itertools.product(*ranges))))


def decided(net, spec, query):
    """Return the labels of one applicant under every sensitive value, None for a tie."""
    return {net.decide((*query, *line)) for line in spec.domain_table}


def repaired(spec, net, box, settings=QUICK, limits=LIMITS):
    """Repair a network over a box, and keep thirty of its own decisions."""
    kept = np.array([(*query, *spec.domain_table[0]) for query in queries(spec, 30, seed=9)])
    labels = np.maximum(decisions(net, kept), 0)
    applicants = read_box(box, spec)
    return repair_box(net, Similarity.of(spec), applicants, (kept, labels), settings, limits)


@pytest.mark.parametrize(("spec", "box"), [(LOANS, "amount=0..8"), (CLASSES, "amount=3..9,home=rent")])
def test_every_applicant_of_the_box_is_decided_alike(spec, box):
    """All of them, listed and decided one by one, have one label under every sensitive value."""
    net, applicants = network(spec, seed=2), read_box(box, spec)
    assert any(len(decided(net, spec, query)) > 1 for query in everyone(applicants))
    outcome = repaired(spec, net, box)
    assert isinstance(outcome, RepairedBox)
    assert outcome.applicants == applicants.count == len(everyone(applicants))
    assert all(len(decided(outcome.repaired.network, spec, query)) == 1 for query in everyone(applicants))
    assert outcome.proof.leaves >= len(spec.labels)


def test_weights_of_sensitive_columns_go_until_the_proof_is_there():
    """By hundredths, where the repair of points leaves some applicants, further rounds leave none of 4,002."""
    net, applicants = network(LOANS, seed=2), read_box(FINE, LOANS)
    outcome = repaired(LOANS, net, FINE, replace(QUICK, steps=0))
    assert isinstance(outcome, RepairedBox)
    assert outcome.rounds > 1
    assert outcome.applicants == len(everyone(applicants)) == 4002
    assert all(
        len(decided(outcome.repaired.network, LOANS, query)) == 1 for query in everyone(applicants).tolist()[::7]
    )
    assert "round 1, " in outcome.repaired.tried[0]


def grainy(spec, seed):
    """Return a network with weights in halves and without biases: it ties often, and beside decisions."""
    fine = network(spec, seed=seed)
    layers = [
        Layer(tuple(tuple(round(w / 2 ** (bits - 1)) for w in row) for row in layer.weights), (0,) * len(layer.biases))
        for layer, bits in zip(fine.layers, fine.weight_fraction_bits, strict=True)
    ]
    return replace(fine, layers=tuple(layers), weight_fraction_bits=(1,) * len(layers))


@pytest.mark.sampled(2, each="spec")
@pytest.mark.parametrize("seed", [3, 4, 5])
@pytest.mark.parametrize("spec", [LOANS, CLASSES])
def test_a_proof_is_found_exactly_where_all_are_alike(spec, seed):
    """A box has a proof exactly if no applicant has two answers, a tie being one; else an applicant who has them."""
    net, proven = grainy(spec, seed), set()
    for low, home in itertools.product(range(0, 20, 4), HOME.domain):
        applicants = read_box(f"amount={low}..{low + 1},home={home}", spec)
        alike = all(len(decided(net, spec, query)) == 1 for query in everyone(applicants))
        answer = prove(net, applicants, LIMITS.proof)
        assert isinstance(answer, Proof) == alike
        proven.add(alike)
        if isinstance(answer, Unproven):
            (query,) = applicants.queries(answer.applicant[None])
            assert len(decided(net, spec, query)) > 1
    assert proven == {True, False}


@pytest.mark.parametrize("sign", [1, -1])
def test_a_tie_beside_a_decision_is_no_proof(sign):
    """A network that ties for one sex and decides for the other is refused, whichever label it decides."""
    column = LOANS.plain_columns
    rows = tuple(tuple(int(place == column) for place in range(4)) for _ in range(1))
    shift = min(line[0] for line in LOANS.domain_table)
    net = QuantisedNetwork((Layer(rows, (-shift,)), Layer(((sign,),), (0,))), LOANS.input_fraction_bits, (0, 0))
    labels = decided(net, LOANS, queries(LOANS, 1)[0])
    assert labels == {None, 1 if sign > 0 else 0}
    assert isinstance(prove(net, read_box("amount=0..20", LOANS), LIMITS.proof), Unproven)


def test_what_is_not_proven_is_refused():
    """A single round by hundredths ends without a proof, and so does a proof without a budget."""
    net = network(LOANS, seed=2)
    outcome = repaired(LOANS, net, FINE, replace(QUICK, steps=0), replace(LIMITS, rounds=1))
    assert isinstance(outcome, Unrepaired)
    assert outcome.reason == "1 rounds ended without a proof for the box"
    none = prove(net, read_box("amount=0..20", LOANS), Limits(0, 0.0, Budget(0, 600.0)))
    assert isinstance(none, Unproven)
    assert none.applicant is None
    assert "the limit of 0 boxes" in none.reason


def test_a_box_keeps_the_rows_that_it_has_to():
    """A repair that keeps too few rows is refused with a box as without."""
    net = network(LOANS, seed=4)
    free, none = (repaired(LOANS, net, "amount=0..20", replace(QUICK, least_right=least)) for least in (0, 30))
    assert isinstance(free, RepairedBox)
    assert free.repaired.kept[1] < 1
    assert isinstance(none, Unrepaired)


def test_the_smallest_sensitive_weights_go_first():
    """Half of the weights of sensitive columns are 0 afterwards, the smaller ones; plain columns keep theirs."""
    net = network(LOANS, seed=1)
    start = LOANS.plain_columns
    before, half, none = (
        np.array(prune(net, LOANS, Fraction(share)).layers[0].weights) for share in (0, Fraction(1, 2), 1)
    )
    assert np.array_equal(before, np.array(net.layers[0].weights))
    gone, left = (abs(before[:, start:])[half[:, start:] == 0], abs(before[:, start:])[half[:, start:] != 0])
    assert len(gone) == len(left) == before[:, start:].size / 2
    assert gone.max() <= left.min()
    assert not none[:, start:].any()
    for after in (half, none):
        assert np.array_equal(after[:, :start], before[:, :start])


def test_boxes_are_read():
    """Ranges have both ends, categories are named in the spec's order, decimals give the steps."""
    whole, part = read_box("amount=0..20", LOANS), read_box(" amount=3..4, home=rent..none", LOANS)
    assert (whole.count, part.count, read_box("amount=2.50..2.75", LOANS).count) == (63, 4, 78)
    lowest, highest = (part.grid.row(end) for end in part.box)
    assert lowest == {"amount": "3", "home": "rent"}
    assert highest == {"amount": "4", "home": "none"}
    assert set(part.draw(np.random.default_rng(0), 200)) == set(map(tuple, everyone(part).tolist()))


@pytest.mark.parametrize(
    ("text", "complaint"),
    [("", "at least one feature"), ("shoe=1..2", "want plain features and ranges"), ("sex=f", "want plain features"),
     ("amount", "want plain features"), ("amount=a..b", "want a range of numbers"), ("amount=5..3", "5 is above 3"),
     ("amount=0..21", "within 0 to 20"), ("home=tent", "has no value 'tent'"), ("home=none..own", "comes after"),
     ("amount=nan..3", "want a range of numbers, not nan"), ("amount=2.5..2.5,home=x", "has no value")],
)  # fmt: skip
def test_boxes_without_a_meaning_are_refused(text, complaint):
    """Each is named in one line."""
    with pytest.raises(BoxError, match=complaint):
        read_box(text, LOANS)


def test_a_box_and_a_relaxed_relation_do_not_go_together():
    """The range of the feature belongs into the box."""
    with pytest.raises(BoxError, match="do not go together"):
        repair_box(
            network(LOANS), Similarity.of(LOANS, {"amount": 1}), read_box("amount=0..3", LOANS),
            (np.zeros((0, 4), dtype=np.int64), np.zeros(0, dtype=np.int64)),
        )  # fmt: skip
