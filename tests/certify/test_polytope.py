import itertools

import pytest

from equiproof.certify.network import Layer, QuantisedNetwork
from equiproof.certify.polytope import LinearForm, margin_signs, slices
from tests.certify.tiny import larger, tiny

# h1 = 2 x1 + x2 + 3 s - 1, h2 = -x1 + 4 x2 - s + 2; logits 5 h1 - h2 + 7 and h1 + 2 h2.
HAND = QuantisedNetwork(
    (Layer(((2, 1, 3), (-1, 4, -1)), (-1, 2)), Layer(((5, -1), (1, 2)), (7, 0))),
    input_fraction_bits=1,
    weight_fraction_bits=(0, 0),
)


def test_forms_of_a_hand_computed_network():
    """With both neurons on and s = 10, the forms are those worked out by hand."""
    (here,) = slices(HAND, [(10,)])
    assert here.hidden_forms(0b11) == (LinearForm((2, 1), 29), LinearForm((-1, 4), -8))
    assert here.logit_forms(0b11) == (LinearForm((11, 1), 160), LinearForm((0, 9), 13))
    assert here.margin_forms(0b11, 1) == (LinearForm((-11, 8), -147),)
    assert here.logit_forms(0b01) == (LinearForm((10, 5), 152), LinearForm((2, 1), 29))
    assert here.logit_forms(0b00) == (LinearForm((0, 0), 7), LinearForm((0, 0), 0))
    assert here.hidden_forms(0b11)[1].norm_squared == 17
    assert here.hidden_forms(0b11)[1].value((3, 5)) == 9


@pytest.mark.sampled(20)
@pytest.mark.parametrize("seed", range(60))
def test_forms_agree_with_the_network_where_their_pattern_holds(seed):
    """At every grid point the forms under the point's own pattern have the network's own values."""
    case = tiny(seed, columns=(1, 2, 3))
    for here in slices(case.network, case.table):
        for x in itertools.product(range(-6, 7, 2), repeat=case.columns):
            inputs = (*x, *here.sensitive)
            pattern = case.network.pattern(inputs)
            *hidden, logits = case.network.pre_activations(inputs)
            assert [form.value(x) for form in here.hidden_forms(pattern)] == [z for layer in hidden for z in layer]
            assert [form.value(x) for form in here.logit_forms(pattern)] == list(logits)


@pytest.mark.parametrize("hidden", [(4,), (4, 2), (5, 4, 3)])
@pytest.mark.parametrize("logits", [1, 3])
def test_values_rows_and_norms_are_those_of_the_forms(hidden, logits):
    """Values and squared norms made without coefficients equal those of the forms, under any pattern."""
    case = larger(3, 7, hidden, logits, sensitive=2)
    top = case.network.layers[-1].weights
    for here in slices(case.network, case.table):
        for pattern in range(0, 1 << case.network.neurons, 7):
            *values, last = here.values(pattern, case.query)
            forms, tops = here.hidden_forms(pattern), here.logit_forms(pattern)
            assert [value for layer in values for value in layer] == [form.value(case.query) for form in forms]
            assert last == [form.value(case.query) for form in tops]
            assert here.hidden_rows(pattern) == [(form.coefficients, form.norm_squared) for form in forms]
            assert here.margin_rows(pattern, top) == [(form.coefficients, form.norm_squared) for form in tops]


def test_slices_differ_in_constants_only():
    """The sensitive row moves the constants of the forms and never their coefficients."""
    case = larger(5, 6, (4, 3), 2, sensitive=2)
    sliced = slices(case.network, case.table)
    for pattern in range(1 << case.network.neurons):
        per_slice = [here.hidden_forms(pattern) + here.logit_forms(pattern) for here in sliced]
        for forms in zip(*per_slice, strict=True):
            assert len({form.coefficients for form in forms}) == 1
            assert len(forms[0].coefficients) == case.columns


def test_a_form_depends_on_the_layers_below_only():
    """A neuron's form is the same on both sides of its own hyperplane and under any bits of its own layer and above."""
    case = larger(9, 5, (3, 3, 2))
    here = slices(case.network, case.table)[0]
    start = 0
    for size in case.network.hidden:
        for pattern in range(1 << case.network.neurons):
            below = pattern & ((1 << start) - 1)
            ours = slice(start, start + size)
            assert here.hidden_forms(pattern)[ours] == here.hidden_forms(below)[ours]
        start += size


def test_margins_of_one_logit_change_sign_with_the_label():
    """One logit has the margin +logit for label 1 and -logit for label 0; several compare the label with each other."""
    assert margin_signs(1, 1) == [(1,)]
    assert margin_signs(1, 0) == [(-1,)]
    assert margin_signs(3, 1) == [(-1, 1, 0), (0, 1, -1)]


@pytest.mark.parametrize(("logits", "label"), [(1, 2), (1, -1), (2, 2), (3, 3), (3, -1)])
def test_a_label_that_does_not_exist_is_refused(logits, label):
    """Margins exist only for the labels of the network."""
    with pytest.raises(ValueError, match="does not exist"):
        margin_signs(logits, label)


@pytest.mark.parametrize("table", [[], [(1,), (1, 2)], [(1, 2, 3)], [(1, 2, 3, 4)]])
def test_a_table_that_leaves_no_column_is_refused(table):
    """Slices need rows of one length that leave at least one non-sensitive column."""
    with pytest.raises(ValueError, match="do not fit"):
        slices(HAND, table)


def test_a_point_of_another_length_is_refused():
    """A form has no value at a point of another dimension."""
    with pytest.raises(ValueError, match="argument"):
        LinearForm((1, 2), 3).value((1,))


def test_forms_and_slices_show_no_weight():
    """The coefficients of a first-layer form are weights, and further ones are made of weights."""
    network = QuantisedNetwork((Layer(((23456, 1),), (734561,)), Layer(((23457,),), (734562,))), 1, (0, 0))
    (here,) = slices(network, [(0,)])
    shown = repr((here, here.hidden_forms(1), here.logit_forms(1), here._coefficients.hidden(0, 1)))
    assert "network=<QuantisedNetwork 2-1-1>" in shown
    assert not any(number in shown for number in ("23456", "23457", "734561", "734562", str(23456 * 23457)))
