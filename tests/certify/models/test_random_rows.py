"""Random rows: of the spec's domain, always the same, and never out of the columns' width."""

from fractions import Fraction

import pytest

from equiproof.certify.data.dataset import DataError, encode_rows
from equiproof.certify.models.fidelity import measure
from equiproof.certify.models.quantise import quantise
from equiproof.certify.models.random_rows import random_rows
from equiproof.circuits.spec import Feature
from tests.certify.models.rounding import make_spec, random_network


def test_random_points_are_of_the_domain_and_always_the_same():
    """Every row encodes; ends, values and steps are those of the features; a seed gives the same rows."""
    free = Feature("free", "numeric", "scaled", False, mean="10", scale="0.5")
    spec = make_spec(features=(*make_spec().features, free))
    rows = random_rows(spec, 2000, 0)
    assert rows == random_rows(spec, 2000, 0) != random_rows(spec, 2000, 1)
    assert len(encode_rows(spec, rows)) == 2000
    assert {row["group"] for row in rows} == {"a", "b", "c"}
    assert {row["age"] for row in rows} == {"20", "30", "67"}
    incomes = [int(row["income"]) for row in rows]
    assert (min(incomes) < 50, max(incomes) > 8950) == (True, True)
    for name, low, high in (("share", -0.25, 1.5), ("free", 8.0, 12.0)):
        values = [Fraction(row[name]) for row in rows]
        assert low <= min(values) < low + 0.01 * (high - low)
        assert high - 0.01 * (high - low) < max(values) <= high
        assert len(set(values)) > 500


def test_points_that_no_column_holds_are_left_out():
    """A range or domain is cut to what its columns hold; where that is nothing, the feature is named."""
    rank = Feature("r", "categorical", "rank", False, domain=tuple(f"v{index}" for index in range(9)))
    group = Feature("g", "categorical", "rank", True, domain=("a", "b"))
    wide = Feature("n", "numeric", "scaled", False, range=("-100", "100"))
    spec = make_spec((3, 6), features=(rank, wide, group))
    rows = random_rows(spec, 300, 0)
    assert {row["r"] for row in rows} == {"v0", "v1", "v2", "v3"}
    assert {int(row["n"]) for row in rows} == set(range(-4, 4))
    assert len(encode_rows(spec, rows)) == 300
    network = random_network(spec, (2,), 0)
    assert measure(network, quantise(network, spec), spec, points=50).random.points == 50
    beyond = make_spec((3, 6), features=(Feature("n", "numeric", "scaled", False, range=("7", "8")), group))
    with pytest.raises(DataError, match=r"^feature 'n': no value of it fits 6 bits"):
        random_rows(beyond, 1, 0)


def test_a_number_that_counts_by_its_logarithm_is_drawn_where_it_has_a_column():
    """With a range evenly over its numbers, without one evenly over its columns, and never beyond the width."""
    group = Feature("g", "categorical", "rank", True, domain=("a", "b"))
    pay = Feature("pay", "numeric", "log", False, mean="10", scale="2", offset="0")
    owed = Feature("owed", "numeric", "log", False, mean="5", scale="4", offset="1", range=("0", "900"))
    spec = make_spec((6, 12), features=(pay, owed, group))
    rows = random_rows(spec, 1000, 0)
    columns = encode_rows(spec, rows)
    assert columns[:, 0].min() == -4 * 64
    assert columns[:, 0].max() == 4 * 64
    quarters = [int((columns[:, 0] < edge).sum()) for edge in (-128, 0, 128)]
    assert all(abs(count - 250 * place) < 60 for place, count in enumerate(quarters, start=1))
    numbers = [int(row["owed"]) for row in rows]
    assert min(numbers) < 10
    assert max(numbers) > 890
    assert 350 < sorted(numbers)[500] < 550
    narrow = make_spec((6, 8), features=(pay, owed, group))
    held = random_rows(narrow, 200, 0)
    assert len(encode_rows(narrow, held)) == 200
    assert max(float(row["pay"]) for row in held) > 2 ** (10 + 3.9)
    far = Feature("pay", "numeric", "log", False, scale="0.01", mean="10", offset="0", range=("1", "2"))
    with pytest.raises(DataError, match=r"^feature 'pay': no value of it fits 8 bits"):
        random_rows(make_spec((6, 8), features=(far, group)), 1, 0)
