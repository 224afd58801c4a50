"""The whole way on data with a known answer: the closed form for Gaussian features, and what rows say themselves."""

import math
from dataclasses import replace

import numpy as np
import pytest
from sklearn.svm import LinearSVC

from equiproof.audits.fvgm.coding import Binning, design
from equiproof.audits.fvgm.gaussian import Population, drawn
from equiproof.audits.fvgm.learning import CodingError, independent
from equiproof.audits.fvgm.metrics import disparate_impact, shares
from equiproof.audits.fvgm.pipeline import Rows, Settings, prepare
from equiproof.audits.fvgm.scaling import Contributions, Scores, scaled, scores_of
from equiproof.audits.fvgm.verification import PATH, Demands, Verification
from equiproof.audits.gaps import IMPACT, ODDS, PARITY

EXAMPLE = Population(((0.4, 0.3), (0.6, 0.7)), 0.1)
"""Example 1.1: income and fitness of group 0, below 40 years, and of group 1."""


def rows_of(population, count, seed):
    """Rows of a population, and the support vector machine trained on them."""
    groups, X, labels = population.sample(count, np.random.default_rng(seed))
    columns = {f"x{i}": X[:, i] for i in range(X.shape[1])} | {"group": groups.astype(str).astype(object)}
    matrix = np.column_stack([X, groups])
    rows = Rows(columns, matrix, {name: [i] for i, name in enumerate(columns)}, ("group",))
    return rows, scores_of(LinearSVC(random_state=0).fit(matrix, labels)), labels


def test_closed_form_is_the_share_of_a_large_sample():
    """The formula of footnote 3, with each group's own distribution, is what rows of the population say."""
    scores = Scores(np.array([9.37, 9.75, -0.34]), -9.4)
    groups, X, _ = EXAMPLE.sample(400_000, np.random.default_rng(0))
    accepted = scores.accepts(np.column_stack([X, groups]))
    for group, share in enumerate(EXAMPLE.shares(scores)):
        assert accepted[groups == group].mean() == pytest.approx(share, abs=0.003)


def test_closed_form_of_example_1_1():
    """Its classifier, with standard deviation 0.1: a share of 0.977 of those from 40 on, 0.022 of the younger."""
    young, old = EXAMPLE.shares(Scores(np.array([9.37, 9.75, -0.34]), -9.4))
    deviation = 0.1 * math.hypot(9.37, 9.75)
    assert old == pytest.approx(0.5 * (1 + math.erf((9.37 * 0.6 + 9.75 * 0.7 - 0.34 - 9.4) / deviation / math.sqrt(2))))
    assert (round(young, 3), round(old, 3)) == (0.022, 0.977)


def test_network_is_near_the_closed_form_where_independence_is_not():
    """On five populations the disparate impact is on average within 0.02 of the closed form, independence far off."""
    near, far = [], []
    for seed in range(5):
        population = drawn(3, np.random.default_rng(seed))
        rows, scores, _ = rows_of(population, 6000, seed)
        exact = population.shares(scores)
        truth = min(exact) / max(exact)
        prepared = prepare(scores, rows, Settings(cuts=("frequency",)))
        near.append(abs(disparate_impact(shares(prepared.linear, prepared.network)).middle - truth))
        apart = independent(prepared.coded, ["group"])
        far.append(abs(disparate_impact(shares(prepared.linear, apart)).middle - truth))
    assert np.mean(near) < 0.02
    assert np.mean(far) > 0.2


def test_shares_are_close_to_those_of_the_rows():
    """With sensitive features over everything, the groups' shares are near the ones counted in the rows."""
    rng = np.random.default_rng(5)
    sex, race = rng.integers(0, 2, 5000), rng.integers(0, 3, 5000)
    columns = {
        "job": np.array([f"j{v}" for v in (rng.integers(0, 2, 5000) + sex)], dtype=object),
        "pay": rng.normal(30 + 5 * sex + 2 * race, 6),
        "sex": sex.astype(str).astype(object),
        "race": race.astype(str).astype(object),
    }
    X, blocks = design(columns)
    scores = Scores(np.linspace(0.4, 1.0, X.shape[1]), -1.2)
    prepared = prepare(scores, Rows(columns, X, blocks, ("sex", "race")), Settings(max_multiplier=30))
    accepted = scores.accepts(X)
    assert prepared.agreement > 0.95
    for group in prepared.groups():
        inside = prepared.rows_of(group)
        found = shares(prepared.linear, prepared.network, [group]).accepted[0].middle
        assert found == pytest.approx(accepted[inside].mean(), abs=0.05)
    assert (
        prepare(scores, Rows(columns, X, blocks, ("sex", "race")), Settings(max_multiplier=30)).linear
        == prepared.linear
    )


def test_sensitive_numbers_are_cut_at_edges_or_the_median():
    """A sensitive number makes groups at the given edges; without any, below the median and from it on."""
    rng = np.random.default_rng(6)
    columns = {"age": rng.integers(18, 80, 500).astype(float), "pay": rng.normal(size=500)}
    X, blocks = design(columns)
    rows, scores = Rows(columns, X, blocks, ("age",)), Scores(np.array([0.2, 1.0]), 0.0)
    cut = prepare(scores, rows, Settings(max_multiplier=5, edges={"age": [25, 60]}))
    assert [group["age"] for group in cut.groups()] == ["< 25", "[25, 60)", ">= 60"]
    halves = prepare(scores, rows, Settings(max_multiplier=5))
    assert len(halves.groups()) == 2
    assert abs(np.mean(halves.rows_of(halves.groups()[0])) - 0.5) < 0.05


def test_verification_judges_every_metric():
    """Labels give equalized odds and mediators the path-specific effect; past the deadline nothing is decided."""
    rows, scores, labels = rows_of(EXAMPLE, 2000, 1)
    prepared = prepare(scores, rows, Settings(max_multiplier=20, mediators=("x0",)))
    found = Verification(prepared, prepared.groups(), labels, Demands()).judgements()
    assert list(found) == [
        IMPACT, PARITY, ODDS, PATH,
    ]  # fmt: skip
    assert found[IMPACT].verdict == found[PARITY].verdict == "unfair"
    assert found[PATH].value.high < found[PARITY].value.low
    late = Verification(prepared, prepared.groups(), labels, deadline=0.0).judgements()
    assert {one.verdict for one in late.values()} == {"undecided"}


def test_rows_that_do_not_fit_are_refused():
    """Too few rows, a sensitive name that is no column, and blocks of other features raise in one line."""
    X = np.zeros((30, 1))
    with pytest.raises(CodingError, match="give 20 rows or more"):
        Rows({"x": X[:5, 0]}, X[:5], {"x": [0]}, ())
    with pytest.raises(CodingError, match="there is no column"):
        Rows({"x": X[:, 0]}, X, {"x": [0]}, ("sex",))
    with pytest.raises(CodingError, match="different features"):
        Rows({"x": X[:, 0]}, X, {"y": [0]}, ())


def test_known_tables_come_close_to_the_closed_form_as_bins_grow():
    """With the population's own tables and hundreds of narrow bins, the programme gives the closed form."""
    scores = Scores(np.array([9.37, 9.75, -0.34]), -9.4)
    errors = []
    for count in (5, 50, 400):
        binning = Binning(tuple(np.linspace(-0.2, 1.3, count + 1)[1:-1].tolist()))
        network = EXAMPLE.network([binning, binning])
        middles = np.linspace(-0.2, 1.3, 2 * count + 1)[1::2]
        found = Contributions({f"x{i}": tuple((scores.weights[i] * middles).tolist()) for i in (0, 1)}, 9.4)
        whole = scaled(replace(found, values=found.values | {"group": (0.0, -0.34)}), 20 * count)
        assert all(sum(row) == 1 for chance in network.chances for row in chance.table)
        given = shares(whole, network).accepted
        errors.append(max(abs(a.middle - b) for a, b in zip(given, EXAMPLE.shares(scores), strict=True)))
    assert errors == sorted(errors, reverse=True)
    assert errors[0] > 0.01
    assert errors[-1] < 0.001
