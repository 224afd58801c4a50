"""Retraining: cases carry one target for all protected values, and the network says less apart afterwards."""

import numpy as np
import pytest

from equiproof.audits.hyfair.clusters import Judge
from equiproof.audits.hyfair.forward import Forward
from equiproof.audits.hyfair.grid import grid_of
from equiproof.audits.hyfair.margin import margin_of_floats
from equiproof.audits.hyfair.mitigate import debias
from equiproof.audits.hyfair.retrain import Retraining, cases, retrain
from equiproof.audits.hyfair.search import Plan, search
from equiproof.certify.models.network import Network
from tests.audits.hyfair.small import SPEC, everyone


def drawn(seed=0):
    """A float network of SPEC's seven columns that listens to the protected ones."""
    rng = np.random.default_rng(seed)
    return Network((rng.normal(size=(8, 7)), rng.normal(size=(1, 8))), (rng.normal(size=8), rng.normal(size=1)))


def judge_of(network, protected=None):
    return Judge(Forward(margin_of_floats(network, SPEC.input_fraction_bits), grid_of(SPEC, protected=protected)))


@pytest.mark.parametrize("protected", [None, ("age",), ("group",)])
def test_cases_are_columns_of_the_network_and_share_a_target(protected):
    """Their margins through the float network are the judge's, whichever features are protected."""
    network = drawn()
    judge = judge_of(network, protected)
    applicants = judge.forward.grid.draw(np.random.default_rng(1), 5)
    columns, targets = cases(judge, applicants)
    groups = len(judge.forward.grid.table)
    margins = network.logits(columns)[:, 0].reshape(5, groups)
    assert margins == pytest.approx(judge.forward.margins(applicants), abs=1e-9)
    scores = 1 / (1 + np.exp(-margins))
    assert targets.reshape(5, groups) == pytest.approx(np.repeat(scores.mean(axis=1)[:, None], groups, axis=1))


def test_retraining_lowers_the_clusters_of_the_cases():
    """Mean k over the cases falls, the same seed gives the same network, and weights are of single precision."""
    network = drawn()
    judge = judge_of(network)
    applicants = judge.forward.grid.draw(np.random.default_rng(1), 400)
    applicants = applicants[judge.judge(applicants).buckets >= 4]
    columns, _ = cases(judge, everyone(judge.forward.grid)[::9])
    scores = 1 / (1 + np.exp(-network.logits(columns)[:, 0]))
    settings = Retraining(epochs=20, learning_rate=0.02, share=4.0)
    one, other = (retrain(network, (columns, scores), cases(judge, applicants), settings) for _ in range(2))
    assert all((a == b).all() for a, b in zip(one.weights, other.weights, strict=True))
    assert all((weight == weight.astype(np.float32)).all() for weight in one.weights)
    before, after = judge.judge(applicants), judge_of(one).judge(applicants)
    assert after.buckets.mean() < before.buckets.mean()


def test_no_epoch_changes_nothing_but_rounding():
    """Standardizing and folding back leaves the network as it was."""
    network = drawn()
    judge = judge_of(network)
    columns, targets = cases(judge, everyone(judge.forward.grid)[::9])
    same = retrain(network, (columns, targets), (columns, targets), Retraining(epochs=0))
    assert same.logits(columns) == pytest.approx(network.logits(columns), abs=1e-4)


def test_rounds_collect_what_is_found_then():
    """Two rounds, and the judge that is returned is the new network's."""
    network = drawn()
    judge = judge_of(network)
    columns, _ = cases(judge, everyone(judge.forward.grid)[::9])
    labels = (network.logits(columns)[:, 0] > 0).astype(np.float64)
    plan, rng = Plan(chains=32, seconds=None, evaluations=1500), np.random.default_rng(0)
    first = search(judge, plan, rng)
    moved, own = debias(network, judge, (columns, labels), first, plan, Retraining(epochs=10, learning_rate=0.02), rng)
    assert own.forward.given == margin_of_floats(moved, SPEC.input_fraction_bits)
    assert search(own, plan, rng).hits < first.hits


def test_more_logits_than_one_are_refused():
    """Their targets would be others."""
    network = Network((np.ones((2, 7)), np.ones((2, 2))), (np.ones(2), np.ones(2)))
    with pytest.raises(ValueError, match="2 logits"):
        retrain(network, (np.ones((1, 7)), np.ones(1)), (np.ones((1, 7)), np.ones(1)), Retraining())
