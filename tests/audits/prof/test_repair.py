"""Repair as a whole: what is returned is fair on the committed integers."""

from dataclasses import replace

import numpy as np
import pytest

from equiproof.audits.prof import last_layer, problem
from equiproof.audits.prof import repair as module
from equiproof.audits.prof.conversion import features
from equiproof.audits.prof.exact import Alike, check
from equiproof.audits.prof.repair import Repaired, RepairError, Settings, Unrepaired, repair
from equiproof.audits.prof.similar import Similarity
from equiproof.certify.decisions import decisions
from tests.audits.prof.tiny import CLASSES, LOANS, network, queries

QUICK = Settings(steps=15, slope_steps=10, seconds=3.0, passes=1)


def rows(spec, net, count=30):
    """Return rows under their first sensitive values with the network's own decisions."""
    inputs = np.array([(*query, *spec.domain_table[0]) for query in queries(spec, count, seed=9)])
    return inputs, np.maximum(decisions(net, inputs), 0)


def repaired(spec, net, settings=QUICK, relaxed=None, count=12):
    """Repair a network for some applicants."""
    return repair(net, Similarity.of(spec, relaxed), queries(spec, count), rows(spec, net), settings)


@pytest.mark.sampled(4, each="sets spec")
@pytest.mark.parametrize("sets", ["points", "symbolic", "concrete"])
@pytest.mark.parametrize(("spec", "seed"), [(LOANS, 1), (LOANS, 2), (CLASSES, 1)])
def test_every_repair_point_is_decided_alike(spec, seed, sets):
    """After the repair all similar inputs of every point have the reported label; before it, some did not."""
    net = network(spec, seed=seed)
    assert not all(isinstance(answer, Alike) for answer in check(net, Similarity.of(spec), queries(spec, 12)))
    outcome = repaired(spec, net, replace(QUICK, sets=sets))
    assert isinstance(outcome, Repaired)
    for query, label in zip(queries(spec, 12), outcome.labels, strict=True):
        assert {outcome.network.decide((*query, *line)) for line in spec.domain_table} == {label}
    assert outcome.network.hidden == net.hidden


def test_a_relaxed_relation_is_repaired_over_its_boxes():
    """With a number and a rank that may differ as well, every corner of every box has the reported label."""
    relaxed = {"amount": 1, "home": 1}
    outcome = repaired(LOANS, network(LOANS, seed=1), relaxed=relaxed, count=6)
    assert isinstance(outcome, Repaired)
    similarity = Similarity.of(LOANS, relaxed)
    for query, label in zip(queries(LOANS, 6), outcome.labels, strict=True):
        ends = {end for box in similarity.boxes(query) for end in box}
        assert {outcome.network.decide(end) for end in ends} == {label}


def test_smaller_sets_need_smaller_changes():
    """Without step 1, exact points cost at most what the polytope costs, and this at most the box."""
    net = network(LOANS, seed=2)
    outcomes = [repaired(LOANS, net, replace(QUICK, steps=0, sets=sets)) for sets in ("points", "symbolic", "concrete")]
    costs = [one.change.objective for one in outcomes]
    assert 0 < costs[0] <= costs[1] * (1 + 1e-4) + 1e-9
    assert costs[1] <= costs[2] * (1 + 1e-4) + 1e-9
    assert all(one.network.layers[:-1] == net.layers[:-1] for one in outcomes)


def test_the_same_seed_gives_the_same_network():
    """Nothing but the question decides the result."""
    net = network(LOANS, seed=3)
    assert repaired(LOANS, net).network == repaired(LOANS, net).network


def test_step_1_makes_features_alike():
    """The fairness loss falls, and so does the exact extent of the features, whichever of the two it follows."""
    net = network(LOANS, seed=1)
    for extent in ("bounds", "points"):
        outcome = repaired(LOANS, net, replace(QUICK, steps=60, extent=extent))
        assert outcome.calibrated.fairness[1] < 0.7 * outcome.calibrated.fairness[0]
    wide, narrow = (
        sum(np.ptp(features(one, Similarity.of(LOANS).points(query)), axis=0).sum() for query in queries(LOANS, 12))
        for one in (net, outcome.network)
    )
    assert narrow < wide


def test_where_kept_rows_lose_too_much_step_1_goes_on(monkeypatch):
    """With no loss tolerated every pass is taken, and the one that keeps most of the kept rows is returned."""
    net, spec = network(LOANS, seed=1), LOANS
    single = repaired(spec, net)
    monkeypatch.setattr(module, "LOSS_LIMIT", -2.0)
    outcome = repaired(spec, net, replace(QUICK, passes=3))
    assert isinstance(outcome, Repaired)
    assert sum("of the kept rows correctly" in line for line in outcome.tried) == 2
    assert outcome.kept[1] >= single.kept[1]
    inputs, labels = rows(spec, net)
    for one, share in zip((net, outcome.network), outcome.kept, strict=True):
        assert float(np.mean(decisions(one, inputs) == labels)) == share


def test_a_failed_check_is_answered_by_a_larger_margin(monkeypatch):
    """Where the exact check refuses a network, step 2 is repeated with ten times the margin, and this is reported."""
    true, calls = check, []

    def doubtful(net, similarity, points, clock):
        calls.append(net)
        answers = true(net, similarity, points, clock)
        return [None, *answers[1:]] if len(calls) < 3 else answers

    monkeypatch.setattr(problem, "check", doubtful)
    outcome = repaired(LOANS, network(LOANS, seed=1))
    assert isinstance(outcome, Repaired)
    assert (outcome.rounds, len(calls)) == (3, 3)
    assert outcome.margin == pytest.approx(100 * last_layer.LEAST_MARGIN)
    assert [line.split(": ")[1] for line in outcome.tried] == ["1 repair points fail the exact check"] * 2


def test_if_nothing_helps_the_attempts_are_reported(monkeypatch):
    """Sets are tried from the one asked for to tighter ones, then wider weights; the answer names every attempt."""
    monkeypatch.setattr(problem, "check", lambda net, similarity, points, clock: [None for _ in points])
    outcome = repaired(LOANS, network(LOANS, seed=1), replace(QUICK, steps=0, sets="concrete"), count=4)
    assert isinstance(outcome, Unrepaired)
    assert "no last layer was found" in outcome.reason
    order = list(dict.fromkeys(line.partition(",")[0] for line in outcome.tried))
    assert order == ["concrete", "symbolic", "points"]


def test_questions_without_an_answer_are_refused():
    """No applicants, applicants of another size, and points of a relation that has too many."""
    net = network(LOANS)
    with pytest.raises(RepairError, match="want at least one repair point, of 2 numbers"):
        repair(net, Similarity.of(LOANS), [], rows(LOANS, net))
    with pytest.raises(RepairError, match="want at least one repair point, of 2 numbers"):
        repair(net, Similarity.of(LOANS), [(1, 2, 3)], rows(LOANS, net))
    with pytest.raises(RepairError, match="too many similar inputs to list"):
        repaired(LOANS, net, replace(QUICK, sets="points"), relaxed={"amount": 1})


def keeping(share, seed=2):
    """Repair a few points by step 2 alone and keep so many of ten rows; no second counts."""
    net, settings = network(LOANS, seed=seed), replace(QUICK, steps=0, seconds=600.0, sets="points")
    settings = replace(settings, least_right=share)
    return repair(net, Similarity.of(LOANS), queries(LOANS, 5), rows(LOANS, net, 10), settings)


def test_accuracy_is_a_constraint_of_step_2():
    """The smallest change keeps 5 of 10 rows; larger ones keep 6 or 8, and pass; another network cannot keep 10."""
    free, more, most = keeping(0), keeping(6), keeping(8)
    assert free.kept[1] == 0.5
    assert 0.6 <= more.kept[1] < 0.8 <= most.kept[1]
    assert 0 < free.change.objective < more.change.objective < most.change.objective
    for one in (free, more, most):
        assert all(isinstance(answer, Alike) for answer in check(one.network, Similarity.of(LOANS), queries(LOANS, 5)))
    none = keeping(10, seed=4)
    assert isinstance(none, Unrepaired)
    assert any("no change within the limits" in line for line in none.tried)


def test_the_check_counts_the_kept_rows(monkeypatch):
    """Where the program forgets the rows, the check of the integers refuses what keeps too few of them."""
    monkeypatch.setattr(last_layer.LastLayerRepair, "_rows", lambda self, network: last_layer.NO_ROWS)
    outcome = keeping(6)
    assert isinstance(outcome, Unrepaired)
    assert any("5 of the kept rows are decided correctly, 6 are to be" in line for line in outcome.tried)


def test_step_1_alone_leaves_the_last_layer():
    """Without step 2 the last layer stays, and a network that step 1 does not make fair is no repair."""
    net, settings = network(LOANS, seed=1), replace(QUICK, steps=60, last_layer=False)
    outcome = repaired(LOANS, net, settings)
    assert isinstance(outcome, Repaired)
    assert outcome.change.objective == 0.0
    weights = [
        [w / 2.0 ** one.weight_fraction_bits[-1] for w in one.layers[-1].weights[0]] for one in (net, outcome.network)
    ]
    assert weights[0] == weights[1]
    assert all(isinstance(answer, Alike) for answer in check(outcome.network, Similarity.of(LOANS), queries(LOANS, 12)))
    none = repaired(LOANS, net, replace(settings, steps=0))
    assert isinstance(none, Unrepaired)
    assert "last layer unchanged" in none.tried[0]
