"""Shares of groups: who counts, which identities hold between settings and deltas, and what stands beside them."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from equiproof.audits.errors import AuditError
from equiproof.audits.pba.copies import Arrays
from equiproof.audits.pba.definition import default_units
from equiproof.audits.pba.scores import Pair, assess, baselines, people, shares, together
from equiproof.audits.pba.search import Budget, Judgement
from equiproof.certify.network import Layer, QuantisedNetwork
from equiproof.circuits.spec import Feature
from tests.audits.pba.lending import model, two_logits
from tests.support import spec_of

PAIR = Pair("sex", "female", "male")
LARGE = Budget(5000, 120.0)


def everybody():
    data = two_logits()
    return people(Arrays(model()), data.spec, data.rows, data.labels, PAIR)


def assessed(delta, count=24):
    data = two_logits()
    counting = [person for person in everybody() if person.counts][:count]
    arrays, units = Arrays(model()), default_units(data.spec)
    return [assess(arrays, data.spec, one, delta, units, budget=LARGE, robust=True) for one in counting]


def test_decisions_are_the_networks_own():
    """Decisions of many rows at once are those of the exact forward pass, under both values."""
    data, network = two_logits(), model()
    for person in everybody()[:20]:
        assert person.decided == network.decide((*person.query, *data.spec.domain_table[person.own]))
        assert person.flipped == network.decide((*person.query, *data.spec.domain_table[person.other]))
        assert data.spec.domain_values[person.own] == (person.group,)
        assert data.spec.domain_values[person.other] == (PAIR.other(person.group),)


def test_only_the_rightly_and_equally_decided_count():
    """Equation 3: both decisions are the true label; where no label is known, both are the same."""
    data = two_logits()
    found = everybody()
    assert 0 < sum(person.counts for person in found) < len(found)
    for person in found:
        assert person.counts == (person.decided == person.flipped == data.labels[person.row])
    without = people(Arrays(model()), data.spec, data.rows, None, PAIR)
    assert [person.counts for person in without] == [person.decided == person.flipped for person in without]


def test_observed_and_flipped_are_at_most_all():
    """observed(A) + flipped(B) <= 100%, since both are shares of A's people and nobody has both."""
    for delta in (0, 1):
        found = {(one.measure, one.group[0][1]): one for one in shares(assessed(delta), PAIR)}
        for group in PAIR.groups:
            own, shown = found["PBA observed", group], found["PBA flipped", PAIR.other(group)]
            assert own.n == shown.n > 0
            assert own.value + shown.value <= 1
            if delta == 0:
                # At the person alone one of the two holds, but for ties.
                assert own.value + shown.value == pytest.approx(1)


def test_shares_fall_as_delta_grows():
    """Who has persistent bias, or a robust decision, at one delta has it at every smaller one."""
    before = None
    lost = 0
    for delta in (0, 1, 4, Fraction(40)):
        found = assessed(delta, 16)
        answers = [
            (one.biased("observed"), one.biased("flipped"), one.stays("observed"), one.stays("flipped"))
            for one in found
        ]
        if before is not None:
            for row, earlier in zip(answers, before, strict=True):
                assert all(now != "true" or then == "true" for now, then in zip(row, earlier, strict=True))
                lost += sum(now != then for now, then in zip(row, earlier, strict=True))
        before = answers
    assert lost > 5


def test_baselines_are_plain_counts():
    """SP, EO and CFA are what counting the rows gives."""
    data, found = two_logits(), everybody()
    by_measure = {(one.measure, one.group[0][1]): one for one in baselines(found, PAIR, 1)}
    for group in PAIR.groups:
        those = [person for person in found if person.group == group]
        merited = [person for person in those if data.labels[person.row] == 1]
        assert by_measure["SP", group].value == pytest.approx(np.mean([person.decided == 1 for person in those]))
        assert by_measure["EO", group].value == pytest.approx(np.mean([person.decided == 1 for person in merited]))
        assert by_measure["CFA", group].value == pytest.approx(np.mean([one.decided == one.flipped for one in those]))
        assert by_measure["EO", group].n == len(merited)
        assert all(one.lower < one.value < one.upper for (_, name), one in by_measure.items() if name == group)


def test_pairs_that_mean_nothing_are_refused():
    """A feature that is not sensitive, a value it does not have, and a value against itself are errors."""
    data = two_logits()
    for pair in (Pair("age", "20", "30"), Pair("sex", "female", "other"), Pair("sex", "male", "male")):
        with pytest.raises(AuditError, match=pair.feature):
            people(Arrays(model()), data.spec, data.rows, data.labels, pair)


@pytest.mark.parametrize(
    ("answers", "whole"),
    [
        (("true", "true"), "true"),
        (("true", "unknown"), "unknown"),
        (("unknown", "false"), "false"),
        (("false",), "false"),
    ],
)
def test_bias_is_persistent_against_every_other_label(answers, whole):
    """With several labels, one refuted comparison refutes the whole, and one open comparison leaves it open."""
    assert together([Judgement(one, None, Fraction(0), (), "bound") for one in answers]) == whole


def test_a_sensitive_number_is_read_as_a_value_not_as_a_text():
    """40, "40", 40.0 and "4e1" are one value: nobody is left out for how their row is written."""
    income = Feature("income", "numeric", "scaled", False, scale="10")
    age = Feature("age", "numeric", "scaled", True, scale="10", domain=("25", "40"))
    spec = spec_of(income, age)
    rows = [{"income": 7, "age": value} for value in (25, "25.0", 40, "40", 40.0, "4e1")]
    layers = (Layer(((1, 1),), (0,)), Layer(((1,),), (0,)))
    arrays = Arrays(QuantisedNetwork(layers, spec.input_fraction_bits, (0, 0)))
    found = people(arrays, spec, rows, None, Pair("age", "25", "40"))
    assert [(one.row, one.group) for one in found] == [(n, "25" if n < 2 else "40") for n in range(6)]
    for wrong in ({"income": 7}, {"income": 7, "age": "30"}):
        with pytest.raises(AuditError, match="row 2: feature 'age'"):
            people(arrays, spec, [rows[0], wrong], None, Pair("age", "25", "40"))
