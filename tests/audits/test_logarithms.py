"""Audits of models with logarithms: what they say of columns is true of every raw value, by enumeration."""

from __future__ import annotations

import functools
import itertools
import random
from fractions import Fraction

import numpy as np
import pytest

from equiproof.audits.context import AuditContext
from equiproof.audits.fvgm.plugin import GraphicalModel
from equiproof.audits.groups.plugin import Groups
from equiproof.audits.html.bars import bar
from equiproof.audits.html.decoding import raw
from equiproof.audits.hyfair import levels
from equiproof.audits.hyfair.branch import Budget
from equiproof.audits.hyfair.domain import domain_of
from equiproof.audits.hyfair.grid import grid_of
from equiproof.audits.hyfair.hybrid import Limits, settle
from equiproof.audits.hyfair.plugin import DiscriminationClusters
from equiproof.audits.pba.definition import ask, default_units, neighborhood
from equiproof.audits.pba.plugin import PersistentBias
from equiproof.audits.prof.box import judges, prove, read_box
from equiproof.audits.prof.metrics import sampled
from equiproof.audits.prof.similar import Similarity
from equiproof.certify.decisions import decisions
from equiproof.circuits.encodings import ENCODINGS
from equiproof.circuits.spec import Feature
from equiproof.circuits.units import radius_of_any
from tests.support import changed, network, spec_of

PAY = Feature("pay", "numeric", "log", False, mean="7", scale="1.5", range=("20", "400"), whole=True, offset="0")
OWED = Feature("owed", "numeric", "log", False, mean="2", scale="1.2", range=("0", "15"), whole=True, offset="1")
HOME = Feature("home", "categorical", "one-hot", False, domain=("own", "rent"))
SEX = Feature("sex", "categorical", "rank", True, mean="0.5", scale="0.5", domain=("f", "m"))
AGE = Feature("age", "numeric", "log", True, mean="5.3", scale="0.5", domain=("20", "30", "45", "60"), offset="0")
SPEC = spec_of(PAY, OWED, HOME, SEX, bits=(4, 12), name="logarithms")
AGES = spec_of(PAY, OWED, HOME, AGE, bits=(4, 12), name="ages")


def everyone(pays=range(20, 401), owed=range(16), homes=("own", "rent")):
    """Return every raw applicant of a part of the domain, sensitive values apart."""
    return [{"pay": pay, "owed": debt, "home": home} for pay, debt, home in itertools.product(pays, owed, homes)]


@functools.cache
def column(name, number):
    """Return the column of a number of SPEC."""
    return SPEC.encode({"pay": 20, "owed": 0, "home": "own"} | {name: number})[name == "owed"]


def labels(made, spec, rows):
    """Return the decision of each raw row under each assignment of the sensitive features, shape (S, rows)."""
    queries = np.array([spec.encode(row) for row in rows])
    return np.stack([decisions(made, np.hstack([queries, np.tile(one, (len(rows), 1))])) for one in spec.domain_table])


def context(made, spec=SPEC, rows=(), **fields):
    """Return a context."""
    return AuditContext(network=made, spec=spec, commitment="ab" * 32, rows=rows, **fields)


def drawn(spec, count, seed=0):
    """Return random raw rows with sensitive values."""
    rng = random.Random(seed)
    return [
        rng.choice(everyone()) | {one.name: rng.choice(one.domain) for one in spec.sensitive_features}
        for _ in range(count)
    ]


@pytest.mark.parametrize("most_listed", [1 << 16, 2])
def test_every_raw_value_is_in_the_level_of_its_own_column(monkeypatch, most_listed):
    """Listed one by one or by intervals, the domain has each raw applicant once, with the spec's own columns."""
    monkeypatch.setattr(levels, "_MAX_LISTED", most_listed)
    grid = grid_of(SPEC)
    rows = everyone()
    assert grid.size == len(rows)
    places = np.array([grid.find(row) for row in rows])
    assert grid.columns(places).tolist() == [list(SPEC.encode(row)) for row in rows]
    for feature in grid.features:
        if feature.merged:
            assert (np.diff(feature.columns[:, 0]) > 0).all()
    if most_listed == 2:
        assert len(grid.features[0].first) < 100
    for digits, step in ((1, Fraction(1, 10)), (2, Fraction(1, 100))):
        found = levels.levels_of(SPEC, SPEC.features[1], (0, 3), digits)
        for first, last, column in zip(found.first, found.last, found.columns[:, 0], strict=True):
            for value in (first, last):
                assert SPEC.encode({"pay": 20, "owed": value, "home": "own"})[1] == column
        assert [Fraction(one) for one in found.first[1:]] == [Fraction(one) + step for one in found.last[:-1]]


def test_ends_from_rows_are_those_that_have_a_logarithm():
    """A number without a range is audited from the least value that has a logarithm on."""
    open_pay = changed(PAY, range=None, whole=SEX.whole)
    spec = spec_of(open_pay, OWED, HOME, SEX, bits=(4, 12))
    rows = [{"pay": pay, "owed": 3, "home": "own", "sex": "f"} for pay in ("0.4", "5.5", "90")]
    grid = domain_of(context(network(spec, (2,), 3), spec, rows), "pay=1")
    assert (grid.features[0].first[0], grid.features[0].last[-1]) == ("0.1", "90")


@pytest.mark.sampled(2)
@pytest.mark.parametrize("seed", range(8))
def test_hyfair_finds_a_flip_exactly_where_some_raw_applicant_has_one(monkeypatch, seed):
    """The verdict of the search is that of 12,192 applicants decided one by one."""
    monkeypatch.setattr(levels, "_MAX_LISTED", 2)
    made = network(SPEC, (3,), seed, sensitivity=0.02)
    rows = everyone()
    under = labels(made, SPEC, rows)
    # The property is about one label, so that a tie is the other one.
    grid = grid_of(SPEC)
    judge = judges(made, grid)[0]
    found = settle(
        judge, "flipped", grid.whole, Limits(solver_seconds=0, branch=Budget(20_000, 20.0)), np.random.default_rng(0)
    )
    assert found.verdict == ("unfair" if ((under[0] == 1) != (under[1] == 1)).any() else "fair")
    report = DiscriminationClusters().run(context(made, options={"search_seconds": "0.1", "solver_seconds": "0"}))
    assert f"searched were {len(rows):,} applicants" in report.notes[0]


def test_a_box_is_proven_for_every_raw_applicant_in_it():
    """Ends of a box are raw values; the proof agrees with enumeration over exactly these."""
    verdicts = set()
    for seed in range(12):
        made = network(SPEC, (3,), seed, sensitivity=0.02)
        box = read_box("pay=90..140,owed=2..6,home=own", SPEC)
        rows = everyone(range(90, 141), range(2, 7), ("own",))
        assert box.count == len(rows)
        under = labels(made, SPEC, rows)
        fair = all((under[0] == label).tolist() == (under[1] == label).tolist() for label in (0, 1))
        proof = prove(made, box, Limits(solver_seconds=0, branch=Budget(20_000, 20.0)))
        assert (type(proof).__name__ == "Proof") == fair
        verdicts.add(fair)
    assert verdicts == {False, True}


@pytest.mark.parametrize("delta", [1, 2, Fraction(5, 2)])
def test_the_neighborhood_of_persistent_bias_holds_every_raw_neighbor(delta):
    """All raw values within delta units of any raw value of the query's columns, cut at nothing that is possible."""
    units = {"pay": Fraction(10), "owed": Fraction(1)}
    for row in random.Random(1).sample(everyone(homes=("own",)), 60):
        query = SPEC.encode(row)
        low, high = neighborhood(SPEC, query, delta, units)
        same = [one for one in range(20, 401) if column("pay", one) == query[0]]
        for pay in range(20, 401):
            if min(abs(pay - one) for one in same) <= 10 * delta:
                assert low[0] <= column("pay", pay) <= high[0]
        for owed in range(16):
            if abs(owed - row["owed"]) <= delta:
                assert low[1] <= column("owed", owed) <= high[1]
        assert (low[2:], high[2:]) == (query[2:], query[2:])
        # No wider than the columns beside those of the ends, as far as these have a logarithm.
        ends = [max(20, min(same) - 10 * delta - 1), min(400, max(same) + 10 * delta + 1)]
        near = [column("pay", str(float(end))) for end in ends]
        assert ends[0] == 20 or near[0] - 1 <= low[0]
        assert ends[1] == 400 or high[0] <= near[1] + 1
    assert default_units(SPEC) == {"pay": 1, "owed": 1}


def test_persistent_bias_is_proven_for_every_raw_neighbor():
    """Where the report says that confidence rises everywhere near, it does at each raw value within the units."""
    options = {"delta": "2", "units": "pay=10", "people": "8"}
    proven = 0
    for seed in range(2):
        made = network(SPEC, (3,), seed)
        rows = drawn(SPEC, 24, seed)
        truth = [int(decisions(made, np.array([[*SPEC.encode(row), *SPEC.encode_sensitive(row)]]))[0]) for row in rows]
        report = PersistentBias().run(context(made, rows=rows, labels=truth, options=options))
        for finding in report.findings:
            if finding.verdict != "unfair":
                continue
            row = rows[finding.row - 1]
            own, other = SPEC.encode_sensitive(row), SPEC.encode_sensitive({"sex": "fm"[row["sex"] == "f"]})
            decided = truth[finding.row - 1]
            setting = finding.values["setting"]
            for pay in range(max(20, row["pay"] - 20), min(400, row["pay"] + 20) + 1):
                for owed in range(max(0, row["owed"] - 2), min(15, row["owed"] + 2) + 1):
                    query = SPEC.encode(row | {"pay": pay, "owed": owed})
                    question = ask(query, own, other, setting, (decided, 1 - decided), (query, query))
                    assert question.at(made, query) > 0
            proven += 1
    assert proven


def test_similar_inputs_are_those_of_every_raw_value_as_near():
    """The box of a relaxed logarithm holds each raw value within the distance, and stays in the range."""
    similar = Similarity.of(SPEC, {"pay": 25, "owed": 2})
    assert not similar.finite
    assert Similarity.of(SPEC, {"pay": 0}).finite
    for row in random.Random(2).sample(everyone(homes=("rent",)), 60):
        query = SPEC.encode(row)
        low, high = similar.hull(query)
        for pay in range(max(20, row["pay"] - 25), min(400, row["pay"] + 25) + 1):
            assert low[0] <= column("pay", pay) <= high[0]
        for owed in range(max(0, row["owed"] - 2), min(15, row["owed"] + 2) + 1):
            assert low[1] <= column("owed", owed) <= high[1]
        ends = [SPEC.encode(row | {"pay": pay, "owed": owed})[:2] for pay, owed in ((20, 0), (400, 15))]
        assert all(ends[0][place] <= low[place] <= high[place] <= ends[1][place] for place in (0, 1))
    assert len(sampled(SPEC, 50, 1)) == 50


def test_shares_of_groups_are_counted_over_raw_rows():
    """Groups by a sensitive logarithm are those of its raw values, and their shares those of a count."""
    made = network(AGES, (3,), 5)
    rows = drawn(AGES, 80)
    inputs = np.array([[*AGES.encode(row), *AGES.encode_sensitive(row)] for row in rows])
    granted = decisions(made, inputs) == 1
    report = Groups().run(context(made, AGES, rows))
    rates = {dict(one.group).get("age"): one for one in report.estimates if one.measure == "selection rate (granted)"}
    for age in AGE.domain:
        own = [bool(one) for one, row in zip(granted, rows, strict=True) if row["age"] == age]
        assert rates[age].value == pytest.approx(sum(own) / len(own))
        assert rates[age].n == len(own)


def test_a_graphical_model_speaks_of_raw_numbers():
    """Bins are those of raw numbers, and the committed model is drawn from as it decides."""
    made = network(SPEC, (3,), 9)
    report = GraphicalModel().run(context(made, rows=drawn(SPEC, 200), options={"draws": "2000"}))
    rates = [one for one in report.estimates if "selection rate" in one.measure]
    bounded = [one for one in rates if one.lower is not None]
    assert bounded
    assert all(one.lower <= one.value <= one.upper for one in bounded)
    names = {str(row[0]) for table in report.tables for row in table.rows}
    assert {"pay", "owed"} <= names


def test_columns_are_read_back_as_raw_numbers():
    """What is shown of a column is a number whose column it is."""
    for pay, owed in itertools.product(range(20, 401, 7), range(16)):
        columns = SPEC.encode({"pay": pay, "owed": owed, "home": "own"})
        for feature, column in zip((PAY, OWED), columns, strict=False):
            text = raw(feature, [Fraction(column)], SPEC.scale_unit)
            assert text == str(pay if feature is PAY else owed) or feature.name == "pay"
            assert SPEC.encode({"pay": 20, "owed": 0, "home": "own"} | {feature.name: text})[feature is OWED] == column


def test_bars_of_reports_reach_as_far_as_raw_values_may_move():
    """By enumeration: the bar ends with the last whole number whose column is certified, or at the range."""
    encoding = ENCODINGS["log"]
    for pay, squared in itertools.product((20, 57, 128, 399), (9, 20, 100, 900)):
        moved = radius_of_any(SPEC, squared) * Fraction(PAY.scale)
        own = encoding.level(PAY, Fraction(pay))
        inside = [one for one in range(20, 401) if abs(encoding.level(PAY, Fraction(one)) - own) < moved]
        found = bar(SPEC, PAY, squared, pay)
        if len(inside) <= 1:
            assert found is None
            continue
        low, high = (Fraction(end - 20, 380) * 100 for end in (min(inside), max(inside)))
        assert 0 <= Fraction(str(found.low)) - low < Fraction(1, 100)
        assert 0 <= high - Fraction(str(found.high)) < Fraction(1, 100)
