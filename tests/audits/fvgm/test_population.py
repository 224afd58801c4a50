"""The committed model over the values of features: networks, additive models, ensembles, and single trees."""

import random
from fractions import Fraction

import numpy as np
import pytest

from equiproof.audits.context import AuditContext
from equiproof.audits.fvgm import committed, plugin
from equiproof.audits.fvgm.clauses import Clauses
from equiproof.audits.fvgm.committed import Committed
from equiproof.audits.fvgm.metrics import shares
from equiproof.audits.fvgm.pipeline import Settings
from equiproof.audits.fvgm.population import MAX_OWN_BINS, prepare_committed
from equiproof.audits.fvgm.trees import accepted
from equiproof.certify.models.ensembles.stepped import as_network
from tests.additive_small import additive
from tests.certify.trees.ensembles import ensemble
from tests.ensemble_small import ensemble as small_ensemble
from tests.support import LOANS, applicant, network

UNIT = LOANS.scale_unit
INCOME, OWN, SEX = 0, 1, 3
"""Columns of LOANS: income, housing is own, sex."""

CUTS = [(INCOME, -UNIT // 2, 0), (INCOME, UNIT // 2, 0), (OWN, UNIT // 2, 0), (SEX, 0, 0)]
TREE = (1, (0, -5, (2, -3, (3, -2, 4))), (3, 6, (2, -1, 7)))
"""A tree over these predicates: a node is (predicate, low, high), a leaf its value."""


def context(model, rows=400, seed=3, **options):
    """A context of random applicants, women with smaller incomes, on a network or on a score."""
    rng = random.Random(seed)
    found = [applicant(LOANS, rng) | {"sex": rng.choice("fm")} for _ in range(rows)]
    for row in found:
        row["income"] = round(row["income"] / 1000) * 1000 - (6000 if row["sex"] == "f" else 0)
    score = None if hasattr(model, "layers") else model
    return AuditContext(
        network=model if score is None else as_network(score), spec=LOANS, commitment="", rows=found, score=score,
        labels=[rng.randint(0, 1) for _ in found], options={"conditioned": "yes"} | options,
    )  # fmt: skip


def tree(bias=0):
    """The committed tree."""
    return ensemble(LOANS, CUTS, [TREE], bias)


def prepared(where, **known):
    """The rows as the model reads them, and its classifier with the network."""
    rows = plugin._encoded(where)
    settings = Settings(conditioned=True, **{name: known.pop(name) for name in ("edges", "max_bins") if name in known})
    return rows, prepare_committed(rows, settings, **({"draws": 500, "least": 30, "labelled": True} | known))


@pytest.mark.parametrize("bias", [0, 2, -4, 9, -9])
def test_a_committed_tree_is_clauses_that_decide_as_it_does(bias):
    """On every row; a score of 0 is a tie and not accepted."""
    where = context(tree(bias))
    rows, found = prepared(where)
    assert isinstance(found.classifier, Clauses)
    assert (accepted(found.classifier, found.coded) == rows.accepted).all()
    assert rows.accepted.tolist() == [
        where.decider.decide([*q, *LOANS.domain_table[s]]) == 1
        for q, s in zip(where.queries, where.slices, strict=True)
    ]


def test_clauses_of_a_tree_have_the_shares_of_adding_up(monkeypatch):
    """The same tree, gone through joint value by joint value, has exactly the shares of its clauses."""
    where = context(tree())
    _, by_clauses = prepared(where)
    monkeypatch.setattr("equiproof.audits.fvgm.population.clauses_of", lambda *given: None)
    _, added = prepared(where)
    assert isinstance(added.classifier, Committed)
    expected = shares(by_clauses.classifier, by_clauses.network).accepted
    assert [one.low for one in shares(added.classifier, added.network, arithmetic="exact").accepted] == [
        one.low for one in expected
    ]
    assert 0 < expected[0].low < expected[1].low < 1


def test_a_score_is_cut_where_it_cuts():
    """Bins are its own, so that each decides as one, and features that it does not read are left out."""
    _, found = prepared(context(ensemble(LOANS, [(INCOME, -100, 3), (INCOME, 900, 4)], [(0, -2, 1)], -3)))
    assert found.coded.names == ("income", "sex")
    assert len(found.coded.values["income"]) == 3
    assert isinstance(found.classifier, Committed)
    assert all(one.sharp for one in found.classifier.members.values())


@pytest.mark.parametrize("model", [additive(120), small_ensemble(), network(LOANS, (3,), 14), tree()])
def test_shares_are_near_those_of_the_rows(model):
    """Of an additive model, of an ensemble and of a network: added up under the network, within a few percent."""
    rows, found = prepared(context(model, rows=1500))
    for group in found.groups():
        own = rows.accepted[found.rows_of(group)].mean()
        bounds = shares(found.classifier, found.network, [group]).accepted[0]
        assert bounds.high - bounds.low < Fraction(1, 10**6)
        assert bounds.middle == pytest.approx(own, abs=0.05)


def test_a_number_with_many_cuts_has_bins_that_stand_for_all_their_rows():
    """More cuts than bins: a bin then stands for what the model tells apart in it, and shares are still added up."""
    cuts = [(INCOME, 90 * number - 2700, number % 3 - 1) for number in range(2 * MAX_OWN_BINS)]
    rows, found = prepared(context(ensemble(LOANS, cuts, [(0, 2, -1)], 0)), max_bins=4)
    assert len(found.coded.values["income"]) == 4
    assert not found.classifier.members["income"].sharp
    for group in found.groups():
        own = rows.accepted[found.rows_of(group)].mean()
        assert shares(found.classifier, found.network, [group]).accepted[0].middle == pytest.approx(own, abs=0.05)


def test_no_bin_is_without_rows():
    """Edges that no row is beyond are left out, since a value must stand for somebody."""
    _, found = prepared(
        context(network(LOANS, (2,), 14)), edges={"income": [-(10.0**6), 20000.0, 20000.5, 20000.7, 30000.0]}
    )
    assert found.coded.values["income"] == (
        "< 20000", "[20000, 20000.7)", "[20000.7, 30000)", ">= 30000",
    )  # fmt: skip
    assert np.unique(found.coded.column("income")).tolist() == [0, 1, 2, 3]


def test_the_level_of_intervals_counts_every_share():
    """Two groups with odds: six shares hold together with 95 %."""
    _, found = prepared(context(network(LOANS, (2,), 14)))
    assert found.classifier.level == pytest.approx(1 - 0.05 / 6)
    _, found = prepared(context(network(LOANS, (2,), 14)), labelled=False)
    assert found.classifier.level == pytest.approx(1 - 0.05 / 2)


def test_the_report_says_how_shares_are_known(monkeypatch):
    """As fractions, added up, or drawn by the seed: then with an interval, and influences say how far off."""
    audit = plugin.GraphicalModel()
    report = audit.run(context(tree()))
    assert any("one tree: its shares under the network are exact fractions" in note for note in report.notes)
    report = audit.run(context(network(LOANS, (2,), 14)))
    assert any("added up over all joint values" in note for note in report.notes)
    (influences,) = [one for one in report.tables if one.caption.startswith("Influence")]
    assert {row[-1] for row in influences.rows} == {None}
    monkeypatch.setattr(committed, "MAX_ENUMERATED", 0)
    report, again = (audit.run(context(network(LOANS, (2,), 14), draws="700")) for _ in range(2))
    assert report == again
    assert any("of 700 applicants drawn from it" in note for note in report.notes)
    drawn = [
        one for one in report.estimates if one.measure == "selection rate of the committed model under the network"
    ]
    assert [(one.method, one.n) for one in drawn] == [("Clopper-Pearson, draws from the network", 700)] * 2
    assert all(0 < one.lower < one.value < one.upper < 1 for one in drawn)
    (influences,) = [one for one in report.tables if one.caption.startswith("Influence")]
    assert all(0 < row[-1] < 1 for row in influences.rows)


def test_influences_of_sets_and_other_assumptions_are_listed():
    """Named sets stand beside single features, by group too; independence hides what the features carry."""
    report = plugin.GraphicalModel().run(context(tree(), subsets="income,housing;income"))
    (influences,) = [one for one in report.tables if one.caption.startswith("Influence")]
    assert influences.columns[:4] == (
        "features", "FIF on the disparate impact", "FIF on sex = f", "FIF on sex = m",
    )  # fmt: skip
    assert sorted(row[0] for row in influences.rows) == ["housing", "housing, income", "income"]
    sizes = [abs(row[1]) for row in influences.rows]
    assert sizes == sorted(sizes, reverse=True)
    (other,) = [one for one in report.tables if one.caption == "The committed model under other assumptions"]
    network_has, within, apart = (row[1] for row in other.rows)
    metrics = next(one for one in report.tables if one.caption == "Metrics of the committed model").rows[0]
    assert metrics[4] <= network_has <= metrics[5]
    assert apart - network_has > 0.1
    assert abs(within - network_has) < 0.1
