"""The exact chain: composition changes no value, and what is no network is refused."""

from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from equiproof.certify.limits import MAX_WORK
from equiproof.certify.models.importing import ModelImportError, chain
from equiproof.certify.models.importing.chain import (
    MAX_BITS,
    MAX_WIDTH,
    Affine,
    Relu,
    folded,
    identity,
    layers_of,
)
from tests.certify.models.importing.samples import affine, evaluate

FRACTIONS = st.fractions(-100, 100, max_denominator=1000)


@st.composite
def chains(draw):
    """Draw a chain of maps and ReLUs that ends in a map, with a point of its inputs."""
    width = inputs = draw(st.integers(1, 3))
    steps = []
    for number in range(draw(st.integers(1, 6))):
        steps += [Relu(f"ReLU {number}")] * draw(st.integers(0, 2))
        outputs = draw(st.integers(1, 3))
        steps.append(affine(outputs, width, draw(st.integers(0, 99))))
        width = outputs
    return inputs, steps, draw(st.lists(FRACTIONS, min_size=inputs, max_size=inputs))


@settings(max_examples=150)
@given(chain=chains())
def test_layers_give_exactly_what_the_steps_give(chain):
    """Folding and splitting change no value at any point, to the last digit."""
    inputs, steps, point = chain
    layers = layers_of(steps, inputs)
    assert len(layers) >= 2
    between = [step for layer in layers for step in (layer, Relu(""))][:-1]
    assert evaluate(between, point) == evaluate(steps, point)


@given(low=st.integers(0, 99), high=st.integers(0, 99), point=st.lists(FRACTIONS, min_size=3, max_size=3))
def test_composition_is_exact(low, high, point):
    """(A after B)(x) is A(B(x)), in rationals and without a rounding."""
    below, above = affine(2, 3, low), affine(3, 2, high)
    assert above.after(below)(point) == above(below(point))


def test_a_step_is_named_where_it_went():
    """A layer that several steps became names them in order; a layer of one step is not reported."""
    steps = [affine(2, 2, 0), affine(2, 2, 1), Relu("r"), affine(1, 2, 2)]
    assert folded(layers_of(steps, 2)) == ("layer 1: step 0, then step 1",)


def test_a_linear_model_gets_two_neurons_for_each_logit():
    """z = relu(z) - relu(-z): two neurons, one of them silent."""
    layers = layers_of([affine(2, 3, 5)], 3)
    assert [len(layer.rows) for layer in layers] == [4, 2]


@pytest.mark.parametrize(
    ("steps", "named"),
    [
        ([affine(2, 2, 1), Relu("the end")], "the end"),
        ([Relu("alone")], "alone"),
        ([], "the model"),
        ([affine(2, 2, 1), affine(1, 3, 2)], "step 2"),
        ([affine(2, 2, 1), Relu("r"), affine(1, 3, 2)], "step 2"),
    ],
)
def test_what_is_no_network_is_refused_by_name(steps, named):
    """A chain that ends in a ReLU, or whose steps do not fit, is refused naming the step."""
    with pytest.raises(ModelImportError, match=named):
        layers_of(steps, 2)


@pytest.mark.parametrize("number", [float("nan"), float("inf"), float("-inf")])
def test_a_number_that_is_not_finite_is_refused(number):
    """NaN and infinity stand for no fraction, among weights, biases and factors."""
    for make in (
        lambda: Affine.dense([[number]], [0.0], "here"),
        lambda: Affine.dense([[1.0]], [number], "here"),
        lambda: Affine.diagonal([number], [0.0], "here"),
        lambda: Affine.divided([number], "here"),
    ):
        with pytest.raises(ModelImportError, match="here"):
            make()


def test_division_by_zero_is_refused():
    """A scale of 0 divides nothing."""
    with pytest.raises(ModelImportError, match="divides by 0"):
        Affine.divided([1.0, 0.0], "here")


def test_compositions_that_would_take_hours_are_refused():
    """Two dense maps past the limit of products are refused, while a diagonal one of the same size is folded."""
    side = int(MAX_WORK ** (1 / 3)) + 2
    dense = Affine(side, ({column: Fraction(1) for column in range(side)},) * side, (Fraction(0),) * side, "dense")
    with pytest.raises(ModelImportError, match="too large"):
        dense.after(dense)
    assert identity(side, "same").after(dense).rows == dense.rows


def test_compositions_share_their_work(monkeypatch):
    """Each of many dense maps is small enough, all of them are not: the one where the work ends is named."""
    monkeypatch.setattr(chain, "MAX_WORK", 10 * 6**3)
    steps = [affine(6, 6, number) for number in range(30)]
    with pytest.raises(ModelImportError, match=r"^step 1?\d: follows step 0.* too large to be multiplied exactly"):
        layers_of(steps, 6)
    assert steps[1].after(steps[0]).inputs == 6


def test_long_numbers_are_more_work(monkeypatch):
    """Numbers of a thousand bits use work up that the same product of short ones leaves."""
    monkeypatch.setattr(chain, "MAX_WORK", 100)
    for number, fits in ((3.0, True), (2.0**-500 + 2.0**-550, False)):
        dense = Affine.dense([[number] * 4] * 4, [0.0] * 4, "dense")
        if fits:
            assert dense.after(dense).rows[0][0] == 4 * Fraction(number) ** 2
        else:
            with pytest.raises(ModelImportError, match="too large to be multiplied exactly"):
                dense.after(dense)


def test_a_product_of_few_weights_may_not_have_many(monkeypatch):
    """A column times a row is refused as soon as it has more weights than a network may have."""
    monkeypatch.setattr(chain, "MAX_NUMBERS", 99)
    column, row = Affine.dense([[1.0]] * 10, [0.0] * 10, "column"), Affine.dense([[1.0] * 10], [0.0], "row")
    with pytest.raises(ModelImportError, match=r"^row, then column: more than 99 weights when they are multiplied$"):
        column.after(row)


def test_layers_wider_than_any_shape_are_refused():
    """A layer past the widest is refused before its numbers are looked at."""
    with pytest.raises(ModelImportError, match=str(MAX_WIDTH)):
        Affine.dense([[1.0] * (MAX_WIDTH + 1)], [0.0], "wide")


def test_numbers_that_grow_without_end_are_refused():
    """Steps whose exact numbers grow at each composition, in weights or in biases, are refused at the step."""
    width = 8
    huge = [Affine.divided([1e300] * width, f"Div {number}") for number in range(20)]
    with pytest.raises(ModelImportError, match=rf"Div 4: a number has more than {MAX_BITS} bits"):
        layers_of(huge, width)
    steps = []
    for number in range(200):
        divisor = [float((1 << 52) + 2 * number + 1)] * width
        steps += [Affine.diagonal(divisor, [1.0] * width, f"Mul {number}"), Affine.divided(divisor, f"Div {number}")]
    with pytest.raises(ModelImportError, match=r"Div \d+: a number has more than 4224 bits"):
        layers_of(steps, width)


def test_scaling_of_many_columns_is_folded():
    """Means and deviations of 200 columns fold into the first layer: its biases may be longer than its weights."""
    width = 200
    centre = Affine.diagonal([1.0] * width, [0.1 * column + 0.3 for column in range(width)], "Sub")
    scale = Affine.divided([0.37 + column / 7 for column in range(width)], "Div")
    dense = Affine.dense([[0.1] * width] * 2, [0.1, 0.2], "Gemm")
    first, _ = layers_of([centre, scale, dense], width)
    assert max(bias.denominator.bit_length() for bias in first.biases) > MAX_BITS


def test_many_scalings_behind_a_layer_cost_it_one_composition(monkeypatch):
    """Steps that take each output from one input become one before they meet the layer, exactly and named in order."""
    width, met, after = 6, [], Affine.after
    monkeypatch.setattr(
        Affine, "after", lambda above, below, work: met.append(below.where) or after(above, below, work)
    )
    scalings = [Affine.diagonal([2.0, 0.5] * 3, [1.0] * width, f"Mul {number}") for number in range(50)]
    steps = [affine(width, width, 1), *scalings, Relu("r"), affine(1, width, 2)]
    layers = layers_of(steps, width)
    assert sum(where == "step 1" for where in met) == 1
    point = [Fraction(number, 7) for number in range(-3, 3)]
    assert evaluate([layers[0], Relu(""), layers[1]], point) == evaluate(steps, point)
    assert layers[0].where.startswith("step 1, then Mul 0, then Mul 1, then Mul 2")
