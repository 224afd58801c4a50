"""Training: deterministic, each mode lowers what it is for, and what cannot be trained is refused."""

from __future__ import annotations

import numpy as np
import pytest

from equiproof.audits.pba.training import MODES, Training, train
from equiproof.certify.data.dataset import column_values
from equiproof.certify.data.lending import make_lending
from equiproof.certify.models.training import TrainingError
from tests.audits.pba.lending import two_logits

SHORT = Training(epochs=15, batch=16)


@pytest.mark.parametrize("mode", MODES)
def test_the_same_seed_gives_the_same_network(mode):
    """Two trainings of one seed are equal to the last bit, another seed gives another network."""
    weight = 0.5 if mode == "certifair" else None
    first, again, other = (
        train(two_logits(), (6,), mode, "sex", weight=weight, settings=Training(epochs=2, batch=32, seed=seed))[0]
        for seed in (1, 1, 2)
    )
    assert all((a == b).all() for a, b in zip(first.weights, again.weights, strict=True))
    assert any((a != b).any() for a, b in zip(first.weights, other.weights, strict=True))


def test_certifair_lowers_the_gap_between_counterfactuals():
    """The mean difference of the two softmax values of the same person falls far below the agnostic network's."""
    gaps = {}
    for mode, weight in (("agnostic", None), ("certifair", 0.9)):
        network, _ = train(two_logits(), (8, 4), mode, "sex", weight=weight, settings=SHORT)
        gaps[mode] = float(np.abs(np.diff(_shares(network), axis=0)).mean())
    assert gaps["certifair"] < gaps["agnostic"] / 2


def test_fair_n_lowers_the_gap_between_the_groups_margins():
    """The mean margins of both groups come closer on the training rows."""
    data, gaps = two_logits(), {}
    rows = np.asarray(data.train)
    columns = column_values(data.spec, data.rows)[rows]
    women = np.array([data.rows[row]["sex"] == "female" for row in rows])
    for mode, weight in (("agnostic", None), ("fair-n", 2.0)):
        network, _ = train(data, (8, 4), mode, "sex", weight=weight, settings=SHORT)
        margins = np.abs(np.diff(network.logits(columns), axis=1))[:, 0]
        gaps[mode] = abs(margins[women].mean() - margins[~women].mean())
    assert gaps["fair-n"] < max(gaps["agnostic"] / 2, 0.05)


def test_what_cannot_be_trained_is_refused():
    """One logit, no layer, a feature that is not sensitive, and a missing or impossible weight are errors."""
    data = two_logits()
    with pytest.raises(TrainingError, match="one logit"):
        train(make_lending(60), (4,), "agnostic", "sex")
    with pytest.raises(TrainingError, match="hidden"):
        train(data, (), "agnostic", "sex")
    with pytest.raises(TrainingError, match="age"):
        train(data, (4,), "fair-n", "age")
    with pytest.raises(TrainingError, match="no weight"):
        train(data, (4,), "certifair", "sex")
    with pytest.raises(TrainingError, match=r"weight 1\.5"):
        train(data, (4,), "certifair", "sex", weight=1.5)


def _shares(network):
    """Return the softmax of label 1 of every row under both values, shape (2, rows)."""
    data = two_logits()
    columns = column_values(data.spec, data.rows)
    found = []
    for (value,) in data.spec.domain_table:
        columns[:, data.spec.plain_columns] = value / data.spec.scale_unit
        logits = network.logits(columns)
        found.append(1 / (1 + np.exp(logits[:, 0] - logits[:, 1])))
    return np.array(found)
