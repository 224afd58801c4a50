"""The formula of scheme `branch` is exact: compiled circuits say so, gadget by gadget."""

import pytest

from bench.branch.formula import by_gadget, constraints
from bench.seeded import spec_of
from certify.branch.parameters import KEPT_BITS
from circuits.branch_layout import looks_up_slices, parameters_of, places_of
from circuits.shape import branch_shape
from ffi import backend
from prover.estimate import wires
from tests.support import LOANS, RATES, changed

SEEDED = [
    (18, 2, (1,), 4),
    (18, 2, (3,), 64),
    (5, 3, (2, 5), 16),
    (7, 8, (6, 3), 16),
    (40, 53, (4, 2), 64),
    (18, 2, (1, 1, 1), 16),
    (9, 7, (3, 4, 2), 32),
    (18, 2, (12, 8), 8),
    (5, 2, (2,) * 9, 8),
]
"""(n_x, S, hidden layers, K): few and many slices, one to nine layers."""

LONG = [(310, (2,)), (299, (3, 2)), (298, (4, 2)), (18, (160, 2)), (18, (2, 160))]
"""(n_x, hidden layers) where sums grow to 300 terms, or keys to several words."""


def assert_exact(shape):
    """Compare the formula with the compiled circuit."""
    description = backend.describe(shape.document)
    assert by_gadget(shape) == dict(description.parts)
    assert constraints(shape) == description.constraints


@pytest.mark.parametrize(("plain", "slices", "hidden", "capacity"), SEEDED)
def test_the_formula_is_exact(plain, slices, hidden, capacity):
    """Every gadget takes what the formula says."""
    assert_exact(branch_shape(spec_of(plain, slices), hidden, capacity))


@pytest.mark.parametrize("spec", [LOANS, RATES], ids=["one logit", "three logits"])
@pytest.mark.parametrize("hidden", [(2,), (3, 3), (2, 2, 2)])
def test_the_formula_knows_several_logits_and_sensitive_columns(spec, hidden):
    """One-hot labels, their margins and sensitive groups are counted as they compile."""
    assert_exact(branch_shape(spec, hidden, 16))


@pytest.mark.parametrize(("plain", "slices", "hidden", "capacity"), SEEDED)
def test_the_formula_knows_ranges(plain, slices, hidden, capacity):
    """Neighbors that keep to ranges take two checks a column, and a cut of every margin's form."""
    spec = changed(spec_of(plain, slices), use_ranges=True)
    assert_exact(branch_shape(spec, hidden, capacity))


@pytest.mark.parametrize(("plain", "hidden"), LONG)
def test_the_formula_knows_long_sums_and_keys(plain, hidden):
    """Sums of 300 terms and more take wires of their own, and keys of several words more products."""
    assert_exact(branch_shape(spec_of(plain, 2), hidden, 4))


def test_the_cases_are_of_every_kind():
    """Among them are slices that are looked up and some that are not, rounded coefficients, keys of several words."""
    shapes = [branch_shape(spec_of(plain, slices), hidden, capacity) for plain, slices, hidden, capacity in SEEDED]
    assert {looks_up_slices(shape) for shape in shapes} == {True, False}
    assert {any(map(any, parameters_of(shape).rounding)) for shape in shapes} == {True, False}
    assert max(places_of(branch_shape(spec_of(plain, 2), hidden, 4)).words for plain, hidden in LONG) == 3


def test_coefficients_over_inputs_are_never_rounded():
    """Where hidden coefficients keep their bits, those over the inputs fit, for layers far wider than any circuit."""
    for hidden in ((1 << 20,), (1 << 20,) * 2, (1 << 20,) * 3, (1 << 12,) * 5):
        shape = branch_shape(spec_of(1000, 2), hidden, 4)
        assert not any(parameters_of(shape).coefficient_rounding)
    assert KEPT_BITS == 48


def test_the_formula_reaches_where_nothing_compiles():
    """A shape that would take long to compile is counted, above what it certainly needs."""
    shape = branch_shape(spec_of(18, 2), (1000, 1000), 1024)
    assert wires(shape) < constraints(shape) < 12 * wires(shape)
