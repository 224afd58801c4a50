"""Training for objectives: deterministic, each lowers what it is for, and what cannot be trained is refused."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import msgspec
import numpy as np
import pytest

from equiproof.certify.data.dataset import column_values
from equiproof.certify.data.lending import make_lending
from equiproof.certify.models.network import decisions_under_all
from equiproof.certify.models.objectives import OBJECTIVES, AdamSettings, Aim, aim_at, train_for
from equiproof.certify.models.training import TrainingError
from equiproof.circuits.spec import checked

SHORT = AdamSettings(epochs=15, batch=16)
AIMS = {
    "agnostic": Aim("agnostic"),
    "unaware": Aim("unaware"),
    "certifair": Aim("certifair", "sex", 0.9),
    "fair-n": Aim("fair-n", "sex", 2.0),
}


@cache
def lending(logits):
    """Return 200 generated applications with one or two logits."""
    data = make_lending(200, seed=3)
    return replace(data, spec=msgspec.structs.replace(data.spec, logits=logits))


@cache
def trained(objective, logits):
    """Return a network that was trained for an objective."""
    return train_for(lending(logits), (8, 4), AIMS[objective], settings=SHORT)[0]


@pytest.mark.parametrize("objective", OBJECTIVES)
def test_the_same_seed_gives_the_same_network(objective):
    """Two trainings of one seed are equal to the last bit, another seed gives another network."""
    settings = [AdamSettings(epochs=2, batch=32, seed=seed) for seed in (1, 1, 2)]
    first, again, other = (train_for(lending(2), (6,), AIMS[objective], settings=one)[0] for one in settings)
    assert all((a == b).all() for a, b in zip(first.weights, again.weights, strict=True))
    assert any((a != b).any() for a, b in zip(first.weights, other.weights, strict=True))


@pytest.mark.parametrize("logits", [1, 2])
def test_every_objective_learns(logits):
    """Every network decides most training rows rightly, more than one label for all would."""
    data = lending(logits)
    rows, labels = np.asarray(data.train), data.label_array()
    most = max(np.mean(labels[rows] == label) for label in (0, 1))
    for objective in ("agnostic", "unaware"):
        decided = trained(objective, logits).decide(column_values(data.spec, data.rows)[rows])
        assert np.mean(decided == labels[rows]) > most + 0.05


def test_an_unaware_network_decides_alike_under_all_values():
    """Weights of sensitive columns are 0, so no label and no logit changes with them; the agnostic network's do."""
    data = lending(1)
    columns = column_values(data.spec, data.rows)
    for objective, equal in (("unaware", True), ("agnostic", False)):
        network = trained(objective, 1)
        assert network.weights[0][:, data.spec.plain_columns :].any() != equal
        logits = [network.logits(_with(data, columns, value)) for (value,) in data.spec.domain_table]
        assert np.array_equal(*logits) == equal
    under = decisions_under_all(trained("unaware", 1), data.spec, columns)
    assert (under.min(axis=0) == under.max(axis=0)).all()


@pytest.mark.parametrize("logits", [1, 2])
def test_certifair_lowers_the_gap_between_counterfactuals(logits):
    """The mean difference of the two softmax values of the same person falls far below the agnostic network's."""
    gaps = {}
    for objective in ("agnostic", "certifair"):
        shares = _shares(trained(objective, logits), lending(logits))
        gaps[objective] = float(np.abs(np.diff(shares, axis=0)).mean())
    assert gaps["certifair"] < gaps["agnostic"] / 2


@pytest.mark.parametrize("logits", [1, 2])
def test_fair_n_lowers_the_gap_between_the_groups_margins(logits):
    """The mean margins of both groups come closer on the training rows."""
    data, gaps = lending(logits), {}
    rows = np.asarray(data.train)
    columns = column_values(data.spec, data.rows)[rows]
    women = np.array([data.rows[row]["sex"] == "female" for row in rows])
    for objective in ("agnostic", "fair-n"):
        margins = np.abs(_margins(trained(objective, logits), columns))
        gaps[objective] = abs(margins[women].mean() - margins[~women].mean())
    assert gaps["fair-n"] < max(gaps["agnostic"] / 2, 0.05)


def test_an_aim_has_the_only_feature_and_the_papers_weight():
    """Where nothing is named: the spec's one sensitive feature; 1 for Fair-N, the data set's own for CertiFair."""
    spec = lending(1).spec
    assert aim_at(spec, "lending", "fair-n", None, None) == Aim("fair-n", "sex", 1.0)
    assert aim_at(spec, "adult_spouse", "certifair", None, None) == Aim("certifair", "sex", 0.95)
    assert aim_at(spec, "lending", "certifair", "sex", 0.0) == Aim("certifair", "sex", 0.0)
    assert aim_at(spec, "lending", "unaware", None, None) == Aim("unaware")


def test_progress_is_reported_by_epoch():
    """The last call says that all epochs are done."""
    calls = []
    settings = AdamSettings(epochs=3, batch=200)
    train_for(lending(1), (2,), Aim("agnostic"), settings=settings, progress=lambda *done: calls.append(done))
    assert calls == [(1, 3), (2, 3), (3, 3)]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("fair-n", "age", None), "'age' is not sensitive; there are sex"),
        (("certifair", "sex", None), "no weight for lending"),
        (("certifair", "sex", 1.5), r"weight 1\.5"),
        (("fair-n", "sex", -1.0), "want 0 or more"),
        (("fair-n", "sex", float("inf")), "weight inf"),
        (("unaware", None, 1.0), "no fairness loss"),
        (("agnostic", "sex", None), "no fairness loss"),
    ],
)
def test_what_is_no_aim_is_refused(arguments, said):
    """A feature that is not sensitive, and a weight that is missing, impossible or unused, are errors."""
    with pytest.raises(TrainingError, match=said):
        aim_at(lending(2).spec, "lending", *arguments)


def test_specs_that_have_no_fairness_loss_are_refused():
    """Three labels, several sensitive features of which none is named, and one of three values."""
    spec = lending(2).spec
    three = msgspec.structs.replace(spec, logits=3, labels=("a", "b", "c"))
    with pytest.raises(TrainingError, match="3 labels"):
        aim_at(three, "lending", "fair-n", None, None)
    also = [msgspec.structs.replace(one, sensitive=True) if one.name == "purpose" else one for one in spec.features]
    several = checked(msgspec.structs.replace(spec, features=tuple(also)))
    with pytest.raises(TrainingError, match="name one of the sensitive features"):
        aim_at(several, "lending", "fair-n", None, None)
    with pytest.raises(TrainingError, match="two values"):
        aim_at(several, "lending", "fair-n", "purpose", None)


def test_no_layer_and_no_epoch_are_refused():
    """So is a layer of no neuron."""
    for hidden, epochs in (((), 1), ((0,), 1), ((4,), 0)):
        with pytest.raises(TrainingError, match="from 1"):
            train_for(lending(1), hidden, Aim("agnostic"), settings=AdamSettings(epochs=epochs))


def _with(data, columns, value):
    """Return columns with the sensitive one set."""
    changed = columns.copy()
    changed[:, data.spec.plain_columns] = value / data.spec.scale_unit
    return changed


def _margins(network, columns):
    """Return the margin of label 1 over label 0 of rows; one logit is a margin."""
    logits = network.logits(columns)
    return logits[:, 0] if logits.shape[1] == 1 else np.diff(logits, axis=1)[:, 0]


def _shares(network, data):
    """Return the softmax of label 1 of every row under both values, shape (2, rows)."""
    columns = column_values(data.spec, data.rows)
    changed = (_with(data, columns, value) for (value,) in data.spec.domain_table)
    return np.array([1 / (1 + np.exp(-_margins(network, one))) for one in changed])
