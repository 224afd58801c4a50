"""Clusters of many applicants at once are those of the exact numbers, one by one."""

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

from equiproof.audits.hyfair.clusters import Judge
from equiproof.audits.hyfair.forward import Forward
from equiproof.audits.hyfair.grid import grid_of
from equiproof.audits.hyfair.margin import Margin, margin_of, margin_of_floats
from equiproof.certify.models.network import Network
from equiproof.certify.network import Layer, QuantisedNetwork
from equiproof.circuits.spec import SpecError, checked
from tests.audits.hyfair.small import SPEC, counted, everyone, judge_of, network


@pytest.mark.parametrize("hidden", [(3,), (4, 3), (3, 3, 2)])
def test_counts_are_the_exact_ones_on_the_whole_domain(hidden):
    """Floats with their proven error, and integers where it does not suffice, against integers alone."""
    for seed in range(6):
        judge = judge_of(network(seed, hidden))
        applicants = everyone(judge.forward.grid)[seed::4]
        found = judge.judge(applicants)
        columns = np.stack([found.buckets, found.gaps, found.apart, found.flipped], axis=1)
        assert (columns == counted(judge, applicants)).all()


def test_the_error_bound_holds_for_every_applicant():
    """The float margin and the exact one are never further apart than promised."""
    for seed in range(6):
        forward = judge_of(network(seed, (6, 5), spread=3000)).forward
        applicants = everyone(forward.grid)[seed::4]
        margins = forward.margins(applicants)
        for row, applicant in zip(margins, applicants, strict=True):
            for value, exact in zip(row, forward.exact(applicant), strict=True):
                assert abs(Fraction(float(value)) - exact) <= Fraction(forward.error)


def test_what_floats_cannot_tell_is_settled_by_integers():
    """Sums of huge terms that cancel: their error is larger than the edges' distances, and every count is exact."""
    first = Layer(((1 << 14,) * 7, (1 << 14,) * 7), (1 << 52, (1 << 52) + 1))
    last = Layer(((-(1 << 14), 1 << 14),), (0,))
    judge = judge_of(QuantisedNetwork((first, last), 4, (0, 0)))
    applicants = everyone(judge.forward.grid)[::8]
    found = judge.judge(applicants)
    assert judge.forward.error > 1
    assert found.settled == len(applicants)
    columns = np.stack([found.buckets, found.gaps, found.apart, found.flipped], axis=1)
    assert (columns == counted(judge, applicants)).all()


def test_margins_are_those_of_the_network_itself():
    """The exact margin of an applicant is the network's own logit over its unit."""
    made = network(3)
    forward = judge_of(made).forward
    applicant = forward.grid.find({"income": 2, "purpose": "house", "grade": "high"})
    query = SPEC.encode({"income": 2, "purpose": "house", "grade": "high"})
    wanted = [
        Fraction(made.logits([*query, *values])[0], 1 << made.logit_fraction_bits) for values in SPEC.domain_table
    ]
    assert list(forward.exact(applicant)) == wanted


def test_two_logits_have_the_margin_of_their_softmax():
    """The score of label 1 is that of the second logit minus the first."""
    layers = (Layer(((1, 0), (0, 1)), (0, 0)), Layer(((1, 2), (5, -1)), (3, -4)))
    made = QuantisedNetwork(layers, 0, (0, 0))
    logits = made.logits([2, 7])
    assert margin_of(made)([2, 7]) == logits[1] - logits[0]


def test_float_networks_are_taken_as_they_are():
    """Every weight is the fraction it stands for: the margin is exact, not rounded to 16 bits."""
    rng = np.random.default_rng(5)
    weights = [rng.normal(size=shape).astype(np.float32).astype(np.float64) for shape in ((4, 3), (1, 4))]
    biases = [rng.normal(size=n).astype(np.float32).astype(np.float64) for n in (4, 1)]
    margin = margin_of_floats(Network(tuple(weights), tuple(biases)), 1)
    inputs = [3, -5, 8]
    hidden = [
        max(0, sum(Fraction(w) * Fraction(x, 2) for w, x in zip(row, inputs, strict=True)) + Fraction(b))
        for row, b in zip(weights[0].tolist(), biases[0].tolist(), strict=True)
    ]
    wanted = sum(Fraction(w) * h for w, h in zip(weights[1][0].tolist(), hidden, strict=True)) + Fraction(biases[1][0])
    assert margin(inputs) == wanted


def test_narrower_buckets_are_counted_by_their_number():
    """A width of 1/100 leaves the words of 63 bits, and counts the same way."""
    judge = judge_of(network(1), epsilon=Fraction(1, 100))
    applicants = everyone(judge.forward.grid)[::7]
    found = judge.judge(applicants)
    columns = np.stack([found.buckets, found.gaps, found.apart, found.flipped], axis=1)
    assert (columns == counted(judge, applicants)).all()


def test_a_width_that_does_not_fill_the_scores_has_no_judge():
    """Widths are checked when the judge is made."""
    forward = Forward(Margin((((((1,) * 7,)), (0,)),), 1, (0,)), grid_of(SPEC))
    with pytest.raises(ValueError, match="1/n"):
        Judge(forward, Fraction(2, 7))


def test_a_spec_without_protected_values_has_no_clusters():
    """The spec itself refuses: nothing would be varied."""
    with pytest.raises(SpecError):
        checked(replace_features(SPEC))


def replace_features(spec):
    """Return the spec without its sensitive features."""
    import msgspec

    return msgspec.structs.replace(spec, features=spec.plain_features)


def test_groups_can_be_restricted():
    """Of fewer protected assignments there are never more clusters."""
    judge = judge_of(network(2))
    grid = judge.forward.grid
    fewer = Judge(replace(judge.forward, grid=grid.restricted(np.array([0, 3]))))
    applicants = everyone(grid)
    assert (fewer.judge(applicants).buckets <= judge.judge(applicants).buckets).all()
    assert fewer.judge(applicants).buckets.max() <= 2
