"""A witness is what the model says of it, in exact numbers, or it is refused."""

from fractions import Fraction

import msgspec
import pytest

from audits.errors import WitnessError
from audits.witness import Witness, assignment, case
from tests.audits.made import context, pair
from tests.certify.hand_made import by_sex, never
from tests.support import LOANS, RATES, network


def replaced(witness, number, **fields):
    """Return a witness with some fields of one case replaced."""
    cases = list(witness.cases)
    cases[number] = msgspec.structs.replace(cases[number], **fields)
    return Witness(witness.shows, tuple(cases))


def test_a_true_witness_is_replayed():
    """What the model says of its own cases passes."""
    where = context(by_sex())
    witness = pair(where)
    assert [one.label for one in witness.cases] == ["declined", "granted"]
    assert [one.logits for one in witness.cases] == [("-512",), ("512",)]
    witness.replay(where.network, where.spec)


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"logits": ("513",)}, "decides otherwise"),
        ({"logits": ("512", "0")}, "decides otherwise"),
        ({"label": "declined"}, "decides otherwise"),
        ({"label": None}, "decides otherwise"),
        ({"sensitive": (("sex", "f"),)}, "decides otherwise"),
        ({"sensitive": (("sex", "x"),)}, "no input of this spec"),
        ({"sensitive": ()}, "no input of this spec"),
        ({"inputs": ("0", "1024")}, "no input of this spec"),
        ({"inputs": ("0", "1024", "0", "0")}, "no input of this spec"),
        ({"inputs": ("0", "1024", "many")}, "is no number"),
        ({"inputs": ("0", "1024", "1/0")}, "is no number"),
        ({"inputs": ("0", "1024", "1e1000000000")}, "is no number"),
        ({"inputs": ("0", "1024", "9" * 5000)}, "is no number"),
        ({"inputs": ("0", "1024", "0.5")}, "is no number"),
        ({"inputs": ("0", "2048/2", "0")}, "decides otherwise"),
    ],
)
def test_a_changed_witness_is_refused(fields, said):
    """One other logit, label, value or slice, and the case is named."""
    where = context(by_sex())
    with pytest.raises(WitnessError, match=f"^case 2: .*{said}"):
        replaced(pair(where), 1, **fields).replay(where.network, where.spec)


def test_another_model_refuses_the_witness():
    """A witness speaks of one model only."""
    where = context(by_sex())
    with pytest.raises(WitnessError, match=r"^case 1: the model decides otherwise"):
        pair(where).replay(never(), where.spec)


def test_a_tie_has_no_label():
    """Where no label wins, the case says so and is replayed as such."""
    where = context(never())
    witness = pair(where)
    assert {one.label for one in witness.cases} == {None}
    witness.replay(where.network, where.spec)


def test_points_between_grid_points_are_exact():
    """Logits at fractions are the fractions, not their neighbors."""
    where = context()
    found = where.case((Fraction(1, 3), 0, 0), 0)
    assert (found.inputs, found.logits, found.label) == (("1/3", "0", "0"), ("1/3",), "granted")
    Witness("a third", (found,)).replay(where.network, where.spec)


def test_logits_are_those_of_the_network():
    """Two sensitive features and three logits: the case is what the network says of the slice's row."""
    model = network(RATES, (5, 4), 3)
    query = (17, -80)
    for number, row in enumerate(RATES.domain_table):
        found = case(model, RATES, query, number)
        exact = model.logits((*query, *row))
        assert found.logits == tuple(map(str, exact))
        assert found.label == RATES.labels[exact.index(max(exact))]
        assert found.sensitive == assignment(RATES, RATES.domain_values[number])


def test_an_assignment_has_a_value_for_each_feature():
    """Values are named in the spec's order, and none may be missing."""
    assert assignment(LOANS, ("f",)) == (("sex", "f"),)
    with pytest.raises(ValueError):
        assignment(RATES, ("f",))
