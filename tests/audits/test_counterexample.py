"""A counterexample is what the model says of it, in exact numbers, or it is refused."""

from fractions import Fraction

import msgspec
import pytest

from equiproof.audits.counterexample import Counterexample, assignment, decided_input
from equiproof.audits.errors import CounterexampleError
from tests.audits.made import context, pair
from tests.certify.hand_made import by_sex, never
from tests.support import LOANS, RATES, network


def replaced(counterexample, number, **fields):
    """Return a counterexample with some fields of one case replaced."""
    cases = list(counterexample.cases)
    cases[number] = msgspec.structs.replace(cases[number], **fields)
    return Counterexample(counterexample.shows, tuple(cases))


def test_a_true_counterexample_is_replayed():
    """What the model says of its own cases passes."""
    where = context(by_sex())
    counterexample = pair(where)
    assert [one.label for one in counterexample.cases] == ["declined", "granted"]
    assert [one.logits for one in counterexample.cases] == [("-512",), ("512",)]
    counterexample.replay(where.network, where.spec)


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"logits": ("513",)}, "decides otherwise"),
        ({"logits": ("512", "0")}, "decides otherwise"),
        ({"label": "declined"}, "decides otherwise"),
        ({"label": None}, "decides otherwise"),
        ({"sensitive": (("sex", "f"),)}, "decides otherwise"),
        ({"sensitive": (("sex", "x"),)}, "not an input of this spec"),
        ({"sensitive": ()}, "not an input of this spec"),
        ({"inputs": ("0", "1024")}, "not an input of this spec"),
        ({"inputs": ("0", "1024", "0", "0")}, "not an input of this spec"),
        ({"inputs": ("0", "1024", "many")}, "is not an exact number"),
        ({"inputs": ("0", "1024", "1/0")}, "is not an exact number"),
        ({"inputs": ("0", "1024", "1e1000000000")}, "is not an exact number"),
        ({"inputs": ("0", "1024", "9" * 5000)}, "is not an exact number"),
        ({"inputs": ("0", "1024", "0.5")}, "is not an exact number"),
        ({"inputs": ("0", "2048/2", "0")}, "decides otherwise"),
    ],
)
def test_a_changed_counterexample_is_refused(fields, said):
    """One other logit, label, value or slice, and the case is named."""
    where = context(by_sex())
    with pytest.raises(CounterexampleError, match=f"^case 2: .*{said}"):
        replaced(pair(where), 1, **fields).replay(where.network, where.spec)


def test_another_model_refuses_the_counterexample():
    """A counterexample speaks of one model only."""
    where = context(by_sex())
    with pytest.raises(CounterexampleError, match=r"^case 1: the model decides otherwise"):
        pair(where).replay(never(), where.spec)


def test_a_tie_has_no_label():
    """Where no label wins, the case says so and is replayed as such."""
    where = context(never())
    counterexample = pair(where)
    assert {one.label for one in counterexample.cases} == {None}
    counterexample.replay(where.network, where.spec)


def test_points_between_grid_points_are_exact():
    """Logits at fractions are the fractions, not their neighbors."""
    where = context()
    found = where.decided_input((Fraction(1, 3), 0, 0), 0)
    assert (found.inputs, found.logits, found.label) == (("1/3", "0", "0"), ("1/3",), "granted")
    Counterexample("a third", (found,)).replay(where.network, where.spec)


def test_logits_are_those_of_the_network():
    """Two sensitive features and three logits: the case is what the network says of the slice's row."""
    model = network(RATES, (5, 4), 3)
    query = (17, -80)
    for number, row in enumerate(RATES.domain_table):
        found = decided_input(model, RATES, query, number)
        exact = model.logits((*query, *row))
        assert found.logits == tuple(map(str, exact))
        assert found.label == RATES.labels[exact.index(max(exact))]
        assert found.sensitive == assignment(RATES, RATES.domain_values[number])


def test_an_assignment_has_a_value_for_each_feature():
    """Values are named in the spec's order, and none may be missing."""
    assert assignment(LOANS, ("f",)) == (("sex", "f"),)
    with pytest.raises(ValueError):
        assignment(RATES, ("f",))
