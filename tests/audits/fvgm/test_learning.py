"""Learning: score and tables against pgmpy, edges that are forbidden or given, and the recovery of a network."""

import math
import random
import time
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest

from equiproof.audits.fvgm.budget import OutOfTimeError
from equiproof.audits.fvgm.learning import Coded, CodingError, counts, fitted, independent, k2_score, learn, likelihood


def sample(seed, rows=3000):
    """Rows of a known network: sex -> job -> pay, and a feature apart."""
    rng = np.random.default_rng(seed)
    sex = rng.integers(0, 2, rows)
    job = (rng.random(rows) < np.where(sex == 1, 0.8, 0.3)).astype(int)
    pay = np.where(rng.random(rows) < 0.15, rng.integers(0, 3, rows), 2 * job)
    apart = rng.integers(0, 2, rows)
    values = {"sex": ("f", "m"), "job": ("0", "1"), "pay": ("0", "1", "2"), "apart": ("0", "1")}
    return Coded(values, np.stack([sex, job, pay, apart], axis=1))


def test_score_is_the_formula():
    """The K2 score equals its formula term by term, assignments that do not occur among them."""
    for seed in range(50):
        rng = random.Random(seed)
        N = np.array([[rng.choice([0, 0, 1, 5]) for _ in range(3)] for _ in range(4)])
        by_hand = sum(
            math.lgamma(3) - math.lgamma(sum(row) + 3) + sum(math.lgamma(count + 1) for count in row)
            for row in N.tolist()
        )
        assert k2_score(N) == pytest.approx(by_hand, abs=1e-9)


def test_score_is_that_of_pgmpy():
    """Where every assignment of the parents occurs, the score is pgmpy's."""
    from pgmpy.structure_score import K2

    data = sample(1)
    theirs = K2(pd.DataFrame(data.codes, columns=list(data.names)).astype("category"))
    for name, parents in [("job", ["sex"]), ("pay", ["sex", "job"]), ("apart", [])]:
        assert k2_score(counts(data, name, parents)) == pytest.approx(theirs.local_score(name, tuple(parents)))


def test_tables_are_those_of_pgmpy():
    """Relative frequencies are pgmpy's maximum likelihood estimates, as fractions."""
    from pgmpy.models import DiscreteBayesianNetwork

    data = sample(2)
    model = DiscreteBayesianNetwork([("sex", "pay"), ("job", "pay")])
    frame = pd.DataFrame(data.codes, columns=list(data.names))
    model.fit(frame[["sex", "job", "pay"]])
    theirs = model.get_cpds("pay")
    own = next(c for c in fitted(data, ["sex"], {"pay": ["sex", "job"]}).chances if c.name == "pay")
    for row, (sex, job) in zip(own.table, [(0, 0), (0, 1), (1, 0), (1, 1)], strict=True):
        for pay, share in enumerate(row):
            assert float(share) == pytest.approx(theirs.get_value(sex=sex, job=job, pay=pay), abs=1e-12)


def test_learning_finds_the_edges_of_the_source():
    """Hill climbing finds sex - job - pay and nothing for the feature apart, and the same in two runs."""
    network = learn(sample(3), ["sex"])
    parents = {chance.name: set(chance.parents) for chance in network.chances}
    assert parents["apart"] == set()
    assert "sex" in parents["job"] or "sex" in parents["pay"]
    assert "job" in parents["pay"] or "pay" in parents["job"]
    assert learn(sample(3), ["sex"]) == network


def test_no_edge_leads_into_a_sensitive_feature_and_mediators_take_none_from_others():
    """Sensitive features are choices; mediators have only sensitive parents and other mediators."""
    for seed in range(5):
        network = learn(sample(seed), ["sex"], mediators=["pay"])
        assert [choice.name for choice in network.choices] == ["sex"]
        pay = next(chance for chance in network.chances if chance.name == "pay")
        assert set(pay.parents) <= {"sex"}


@pytest.mark.parametrize("max_parents", [0, 1, 2])
def test_conditioned_networks_have_the_group_over_everything(max_parents):
    """With `conditioned`, each feature has the sensitive one as a parent, and at most so many others."""
    network = learn(sample(4), ["sex"], max_parents=max_parents, conditioned=True)
    assert all("sex" in chance.parents and len(chance.parents) <= 1 + max_parents for chance in network.chances)


def test_independence_has_the_marginals():
    """Without edges, tables are the exact shares of all rows; what does not occur with its parents is uniform."""
    data = Coded({"a": ("0", "1"), "x": ("0", "1", "2")}, np.array([[0, 0], [0, 0], [0, 2], [0, 2], [0, 2]]))
    assert independent(data, ["a"]).chances[0].table == ((Fraction(2, 5), Fraction(0), Fraction(3, 5)),)
    assert fitted(data, ["a"], {"x": ["a"]}).chances[0].table[1] == (Fraction(1, 3),) * 3


def test_codes_without_a_value_are_refused():
    """A code past the values, and no rows at all, raise."""
    with pytest.raises(CodingError, match="x: a code"):
        Coded({"x": ("0", "1")}, np.array([[2]]))
    with pytest.raises(CodingError, match="no row"):
        learn(Coded({"x": ("0", "1")}, np.zeros((0, 1), dtype=np.int64)), [])


def test_learning_stops_at_the_time():
    """Hill climbing looks at the time before each score; without a deadline, or before it, it finds its network."""
    data = sample(1)
    with pytest.raises(OutOfTimeError, match="while the network was learned"):
        learn(data, ["sex"], deadline=time.monotonic() - 1)
    assert learn(data, ["sex"], deadline=time.monotonic() + 600) == learn(data, ["sex"])


def test_the_likelihood_of_held_out_rows_is_the_sum_term_by_term():
    """With one more of each value than was counted; and rows of another law are less likely."""
    data, held = sample(5, 400), sample(6, 40)
    network = learn(data, ["sex"])
    by_hand = 0.0
    for row in held.codes:
        for chance in network.chances:
            own = data.codes
            for parent in chance.parents:
                column = data.names.index(parent)
                own = own[own[:, column] == row[column]]
            column = data.names.index(chance.name)
            met = int(np.count_nonzero(own[:, column] == row[column]))
            by_hand += math.log((met + 1) / (len(own) + len(chance.values)))
    assert likelihood(network, data, held) == pytest.approx(by_hand / 40)
    rng = np.random.default_rng(7)
    drawn = np.stack([rng.integers(0, len(data.values[name]), 40) for name in data.names], axis=1)
    assert likelihood(network, data, Coded(data.values, drawn)) < likelihood(network, data, held)
