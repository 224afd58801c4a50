"""The suite `pba-certifair`: networks that were hardly trained, and losses compared with their formulas in numpy."""

import json

import numpy as np
import pytest
import torch

from bench.harness import BenchError
from bench.parts import Options
from equiproof.audits.pba.preparation import PREPARATIONS, Preparation
from equiproof.certify.models.objectives import Aim, train_for
from research.suites.pba import readings
from tests.audits.pba.lending import two_logits


@pytest.fixture(scope="module")
def results():
    """Both seeds of every reading and weight on a small table, after two epochs."""
    with pytest.MonkeyPatch.context() as patch:
        groups = {"sex": ("female", "male")}
        made = Preparation("lending", groups, favorable=1, kept=lambda _: True, changed=dict)
        patch.setitem(PREPARATIONS, "lending", made)
        patch.setattr(readings, "HIDDEN", (4,))
        question = readings.Question(seeds=(0, 1), pairs=(("lending", "sex"),), epochs=(("lending", 2),))
        found = readings.measured(two_logits, "sex", question)
    return json.loads(json.dumps({"parts": {"lending-sex": found}}))


def test_each_reading_and_weight_has_its_networks(results):
    """Shares are among 0 and 1, each has both seeds, and a line of the table."""
    networks = results["parts"]["lending-sex"]["networks"]
    assert len(networks) == len(readings.READINGS) + len(readings.LESS)
    for one in networks:
        assert list(one["seeds"]) == ["0", "1"]
        for seed in one["seeds"].values():
            assert set(seed["cfa"]) == {"female", "male"}
            assert all(0 <= share <= 1 for share in (seed["accuracy"], *seed["cfa"].values()))
    assert len(readings.table(results).splitlines()) == 2 + len(networks)


def test_the_papers_figures_stand_beside_its_weights_only():
    """A weight of the paper has the CFA that it prints for CertiFair, weight 0 the agnostic one, others none."""
    found = {"0": {"accuracy": 0.8, "cfa": {"Female": 0.9, "Male": 0.95}}}
    networks = [{"reading": "mean", "weight": weight, "seeds": found} for weight in (0.95, 0.0, 0.1)]
    part = {"dataset": "adult", "attribute": "sex", "groups": ["Female", "Male"], "networks": networks}
    last = [line.split(" | ")[-1] for line in readings.table({"parts": {"one": part}}).splitlines()[2:]]
    assert last == ["87.7% / 92.1% |", "86.4% / 90.4% |", " |"]


@pytest.mark.parametrize("reading", readings.READINGS)
def test_losses_are_their_formulas(reading):
    """On a random batch of a random linear model each loss is the formula of the module, computed in numpy."""
    data, weight = two_logits(), 0.3
    loss = readings._loss(reading, weight, data.spec, "sex")
    column, low, high = readings.ends(data.spec, "sex")
    random = np.random.default_rng(5)
    columns = data.spec.plain_columns + len(data.spec.domain_table[0])
    inputs = random.random((50, columns))
    inputs[:, column] = np.where(random.random(50) < 0.5, low, high)
    labels, slopes = random.integers(2, size=50), random.normal(size=(columns, 2))
    flipped = inputs.copy()
    flipped[:, column] = low + high - inputs[:, column]
    own, other = ((rows @ slopes)[:, 1] - (rows @ slopes)[:, 0] for rows in (inputs, flipped))
    assert (own != other).all()
    p, q = 1 / (1 + np.exp(-own)), 1 / (1 + np.exp(-other))
    plain = -np.log(np.where(labels == 1, p, 1 - p)).mean()
    granted = (inputs[:, column] == max(low, high)) & (own > 0)
    assert granted.any()
    want = {
        "mean": 0.7 * plain + 0.3 * abs(p - q).mean(),
        "sum": plain + 0.3 * abs(p - q).mean(),
        "square": 0.7 * plain + 0.3 * ((p - q) ** 2).mean(),
        "sum square": plain + 0.3 * ((p - q) ** 2).mean(),
        "bound": 0.7 * plain + 0.3 * -np.log(1 / (1 + np.exp(-np.minimum(own, other)[granted]))).mean(),
    }[reading]
    got = loss(lambda rows: rows @ torch.from_numpy(slopes), torch.from_numpy(inputs), torch.from_numpy(labels))
    assert got.item() == pytest.approx(want, rel=1e-9)


def test_the_bound_of_nobody_is_nothing():
    """A batch in which no row of the second value is granted has a fairness loss of 0."""
    margins = torch.tensor([-1.0, 2.0])
    assert readings._bound(margins, margins, torch.tensor([True, False])).item() == 0


def test_the_reading_of_the_product_is_mean():
    """`train --objective certifair` trains the network that the suite trains under `mean`."""
    data = two_logits()
    settings = readings.AdamSettings(epochs=1, seed=3)
    product, _ = train_for(data, (4,), Aim("certifair", "sex", 0.4), settings=settings)
    suite, _ = readings.train_by(data, (4,), readings._loss("mean", 0.4, data.spec, "sex"), settings=settings)
    for one, other in zip(product.weights, suite.weights, strict=True):
        np.testing.assert_allclose(one, other, atol=1e-6)


def test_one_process_measures():
    """Networks are trained one after the other."""
    with pytest.raises(BenchError):
        readings.plan(None, Options(jobs=2))
