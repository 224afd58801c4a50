"""Counterexamples as raw values: what the spec made of a value is read back as that value."""

import random
from fractions import Fraction

import pytest

from equiproof.audits.counterexample import Counterexample, DecidedInput, decided_input
from equiproof.audits.html.decoding import TIE, pair, raw
from equiproof.circuits.spec import Feature
from tests.audits.html.sample import rows_of
from tests.support import AGE, INCOME, KEPT, LOANS, RATES, changed, network, spec_of


@pytest.mark.parametrize("spec", [LOANS, RATES, KEPT])
def test_encoded_rows_are_read_back(spec):
    """What is shown of a query is a row that the spec encodes to that query, whole numbers as they were typed."""
    net = network(spec, (2,), 3)
    for row in rows_of(spec, 30):
        found = pair(Counterexample("", (decided_input(net, spec, spec.encode(row), 0),)), spec)
        values = {line.name: line.values[0].replace(",", "").replace("−", "-") for line in found.same}
        assert spec.encode(values) == spec.encode(row)
        for feature in spec.plain_features:
            if feature.kind == "categorical":
                assert values[feature.name] == row[feature.name]


def test_whole_numbers_are_read_as_they_were_typed():
    """Years and counts on a grid finer than one come back without the digits of its rounding."""
    years = changed(INCOME, name="years", mean="35.57", scale="11.375", unit="years")
    spec = spec_of(years, LOANS.plain_features[1], AGE)
    for number in (0, 1, 28, 75, 99):
        columns = spec.encode({"years": number, "housing": "own"})
        assert raw(years, [Fraction(columns[0])], spec.scale_unit) == str(number)


def test_days_are_read_as_dates():
    """A counterexample's days are dates where the spec states the start; what is no day says since when it counts."""
    opened = Feature("opened", "numeric", "scaled", False, "8800", "900", unit="days", whole=True, start="2000-01-01")
    spec = spec_of(opened, LOANS.plain_features[1], AGE, bits=(14, 24))
    net = network(spec, (2,), 3)
    cases = tuple(decided_input(net, spec, spec.encode({"opened": day, "housing": "own"}), 0) for day in (8804, 9567))
    found = pair(Counterexample("", cases), spec)
    assert found.moves == ("opened: 2024-02-08 → 2026-03-12",)
    assert [line.unit for line in found.changed] == [""]
    column = spec.encode({"opened": 8804, "housing": "own"})[0] + Fraction(1, 2)
    assert raw(opened, [column], spec.scale_unit).endswith(" days since 2000-01-01")


def test_places_between_values_are_said_to_be():
    """A rank between two values and a mixture of indicators are no value of the domain, and are not called one."""
    rank, one_hot = RATES.plain_features[1], LOANS.plain_features[1]
    assert raw(rank, [Fraction(256)], RATES.scale_unit) == "between values: place 2.5 of 3"
    assert raw(one_hot, [Fraction(512), Fraction(512)], LOANS.scale_unit) == "a mixture: own 0.5, rent 0.5"
    assert raw(one_hot, [Fraction(0), Fraction(0)], LOANS.scale_unit) == "a mixture: none"


def test_scaled_categories_are_read_as_the_spec_rounds_them():
    """Indicators and ranks whose mean and scale do not fit the grid are recognised after rounding."""
    rng = random.Random(2)
    for encoding in ("rank", "one-hot"):
        feature = changed(
            LOANS.plain_features[1], encoding=encoding, mean="0.37", scale="0.29", domain=("a", "b", "c", "d")
        )
        spec = spec_of(INCOME, feature, AGE)
        for _ in range(20):
            value = rng.choice(feature.domain)
            columns = spec.encode({"income": 1, "housing": value})[1:]
            assert raw(feature, [Fraction(column) for column in columns], spec.scale_unit) == value


def test_what_differs_stands_apart_and_is_named():
    """Features that differ stand apart and are listed as moves, even where their shown values are the same."""
    net = network(LOANS, (2,), 3)
    query = LOANS.encode({"income": 30000, "housing": "own"})
    near = (Fraction(query[0]) + Fraction(1, 1000), *query[1:])
    found = pair(Counterexample("s", (decided_input(net, LOANS, query, 0), decided_input(net, LOANS, near, 1))), LOANS)
    assert [line.name for line in found.changed] == ["sex", "income"]
    assert [line.name for line in found.same] == ["housing"]
    assert found.moves == ("sex: f → m", "income: 30,000 EUR (by less than the digits shown)")


def test_columns_stand_in_grid_units_without_a_spec():
    """Without the spec nothing is decoded, and the columns' exact numbers are shown."""
    given = DecidedInput(inputs=("3", "-7/2"), sensitive=(("sex", "f"),), label=None, logits=("1" * 49, "-1/3"))
    found = pair(Counterexample("s", (given,)), None)
    assert not found.decoded
    assert [line.values for line in found.same] == [("f",), ("3",), ("-7/2",)]
    assert found.decisions.values == (TIE,)
    assert [line.values[0] for line in found.logits] == ["1.111e48", "−0.3333"]
    assert "in units of its last place" in found.logits[0].name


def test_logits_are_numbers_where_their_binary_places_are_known():
    """An integer of ten binary places is shown as the number that it stands for, with a few digits."""
    given = DecidedInput(inputs=("3",), sensitive=(("sex", "f"),), label="no", logits=("-1366",))
    (line,) = pair(Counterexample("s", (given,)), None, 10).logits
    assert (line.name, line.values) == ("score (logit)", ("−1.334",))
