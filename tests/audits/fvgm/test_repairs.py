"""Reweighing makes label and group independent; the optimised map meets its demands; poison shows in the impact."""

from collections import defaultdict
from fractions import Fraction

import numpy as np
import pytest

from equiproof.audits.fvgm.learning import Coded
from equiproof.audits.fvgm.poisoning import poison, poisoned
from equiproof.audits.fvgm.reweighing import reweighed, weights_by_cell
from equiproof.audits.fvgm.scaling import Scores
from equiproof.audits.fvgm.transport import InfeasibleError, cells_of, optimised


def biased(seed=0, rows=2000):
    """Rows whose label depends on group and features."""
    rng = np.random.default_rng(seed)
    groups = rng.integers(0, 2, rows)
    codes = np.stack([rng.integers(0, 4, rows), np.minimum(rng.integers(0, 3, rows) + groups, 2)], axis=1)
    labels = (rng.random(rows) < 0.1 + 0.15 * codes[:, 0] + 0.3 * groups).astype(np.int64)
    return Coded({"x": tuple("0123"), "z": tuple("012")}, codes), groups, labels


def test_reweighed_label_and_group_are_independent():
    """Under the weights the joint share of each group and label is the product of the marginals, exactly."""
    _, groups, labels = biased()
    groups, labels = groups.tolist(), labels.tolist()
    weights = weights_by_cell(groups, labels)
    mass = defaultdict(Fraction)
    for cell in zip(groups, labels, strict=True):
        mass[cell] += weights[cell]
    assert sum(mass.values()) == len(labels)
    for group, label in mass:
        assert mass[group, label] == Fraction(groups.count(group) * labels.count(label), len(labels))
    assert reweighed(groups, labels)[0] == float(weights[groups[0], labels[0]])


@pytest.mark.parametrize("epsilon", [0.05, 0.2])
def test_optimised_map_meets_parity_and_distortion(epsilon):
    """Each start's moves add to 1 and cost no more than allowed, and every group's rate is within 1 +- epsilon."""
    data, groups, labels = biased()
    found = optimised(data, ["x", "z"], groups, labels, epsilon=epsilon, max_distortion=0.6)
    cells = cells_of(data, ["x", "z"])
    overall, accepted, total = labels.mean(), defaultdict(float), defaultdict(int)
    for start in zip(groups.tolist(), cells.tolist(), labels.tolist(), strict=True):
        ends = found.moves[start]
        assert sum(share for *_, share in ends) == pytest.approx(1, abs=1e-6)
        here = np.array(np.unravel_index(start[1], found.sizes))
        cost = sum(
            share * (np.abs(np.array(np.unravel_index(cell, found.sizes)) - here).sum() + (label != start[2]))
            for cell, label, share in ends
        )
        assert cost <= 0.6 + 1e-6
        accepted[start[0]] += sum(share for _, label, share in ends if label == 1)
        total[start[0]] += 1
    for group, count in total.items():
        assert abs(accepted[group] / count / overall - 1) <= epsilon + 1e-6


def test_sampled_rows_follow_the_map():
    """Moved rows have the map's rates, close to parity, and features outside the map stay."""
    data, groups, labels = biased(rows=4000)
    found = optimised(data, ["x"], groups, labels, epsilon=0.05, max_distortion=0.8)
    moved, new = found.sampled(data, groups, labels, np.random.default_rng(1))
    assert (moved.column("z") == data.column("z")).all()
    before = abs(labels[groups == 0].mean() - labels[groups == 1].mean())
    after = abs(new[groups == 0].mean() - new[groups == 1].mean())
    assert after < before / 3


def test_demands_that_no_map_meets_are_refused():
    """Parity without any distortion is impossible on biased data, and the message says what to loosen."""
    data, groups, labels = biased()
    with pytest.raises(InfeasibleError, match="loosen"):
        optimised(data, ["x"], groups, labels, epsilon=0.01, max_distortion=0.0)


def test_poison_is_the_best_refused_and_the_worst_accepted():
    """By turns the disfavored with the best score as refused, the others with the worst as accepted."""
    X = np.array([[0.0], [1.0], [2.0], [3.0]])
    disfavored = np.array([True, False, True, False])
    rows, labels = poison(Scores(np.array([1.0]), 0.0), X, disfavored, 5)
    assert rows.tolist() == [2, 1, 0, 3, 2]
    assert labels.tolist() == [0, 1, 0, 1, 0]
    added, wrong = poisoned(X, np.array([0, 0, 1, 1]), rows, labels)
    assert added[4:, 0].tolist() == [2, 1, 0, 3, 2]
    assert wrong.tolist() == [0, 0, 1, 1, 0, 1, 0, 1, 0]
    with pytest.raises(ValueError, match="need at least one row"):
        poison(Scores(np.array([1.0]), 0.0), X, np.ones(4, dtype=bool), 1)
