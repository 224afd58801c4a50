"""CUR, IDI-D, IDI-S: counted one by one on a tiny domain."""

import numpy as np
import pytest

from equiproof.audits.prof.metrics import accuracy, instances, sampled, unfair_rows
from equiproof.audits.prof.similar import Similarity
from tests.audits.prof.tiny import HOME, LOANS, network, queries
from tests.support import INCOME, SEX, spec_of


def test_instances_are_counted_one_by_one():
    """A row is an instance exactly where two of its similar inputs are decided differently."""
    net, applicants = network(LOANS, seed=1), np.array(queries(LOANS, 60))
    by_hand = [
        len({net.decide((*query, *line)) for line in LOANS.domain_table}) > 1
        for query in map(tuple, applicants.tolist())
    ]
    assert unfair_rows(net, LOANS, applicants).tolist() == by_hand
    count = instances(net, Similarity.of(LOANS), applicants)
    assert (count.found, count.of, count.unsettled) == (sum(by_hand), 60, 0)
    assert 0 < count.share == sum(by_hand) / 60


def test_a_relaxed_relation_has_more_instances():
    """Whoever is an instance stays one when more inputs count as similar."""
    net, applicants = network(LOANS, seed=1), np.array(queries(LOANS, 40))
    strict, relaxed = (
        instances(net, Similarity.of(LOANS, more), applicants) for more in ({}, {"home": 2, "amount": 1})
    )
    assert strict.found <= relaxed.found
    assert relaxed.unsettled == 0


def test_random_inputs_are_the_spec_s_own():
    """Every drawn input encodes a whole number of the range and a value of the domain; the seed says which."""
    drawn = sampled(LOANS, 500, seed=3)
    amounts = {LOANS.encode({"amount": n, "home": "own"})[0] for n in range(21)}
    homes = {LOANS.encode({"amount": 0, "home": home})[1] for home in HOME.domain}
    assert set(drawn[:, 0].tolist()) == amounts
    assert set(drawn[:, 1].tolist()) == homes
    assert np.array_equal(drawn, sampled(LOANS, 500, seed=3))
    assert not np.array_equal(drawn, sampled(LOANS, 500, seed=4))


def test_a_number_without_a_range_takes_that_of_the_rows():
    """Without range and rows random inputs are refused; with rows they lie between the rows' ends."""
    spec = spec_of(INCOME, SEX)
    with pytest.raises(ValueError, match="'income' has no range"):
        sampled(spec, 5, seed=0)
    drawn = sampled(spec, 200, 0, [{"income": 20000}, {"income": "26000"}])
    low, high = (spec.encode({"income": end})[0] for end in (20000, 26000))
    assert low <= drawn.min() < drawn.max() <= high


def test_accuracy_counts_what_is_decided_as_labelled():
    """A network's own decisions have accuracy 1, and the opposite labels 0."""
    net = network(LOANS)
    rows = np.concatenate([Similarity.of(LOANS).points(query) for query in queries(LOANS, 10)])
    labels = np.array([net.decide(row) for row in rows.tolist()])
    assert accuracy(net, rows, labels) == 1.0
    assert accuracy(net, rows, 1 - labels) == 0.0
