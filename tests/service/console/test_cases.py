"""The two cases of a review are those of the committed integers; times and numbers are cut as promises are."""

import random
from datetime import date
from fractions import Fraction
from zoneinfo import ZoneInfo

import pytest

from equiproof.prover.opening import Opening
from equiproof.service.console import cases, words
from equiproof.service.console.cases import Case
from equiproof.service.findings import CounterexampleDocument, Side
from tests.support import LOANS, RATES, applicant, network


@pytest.fixture
def opening():
    """A model with two sensitive features and three labels."""
    return Opening.of(network(RATES, (2,), 3, sensitivity=1.0), RATES, blinding=5)


def test_every_value_is_computed_as_it_is_decided(opening):
    """Labels are those of the integers, scores their logits in the model's unit."""
    row = applicant(RATES, random.Random(1))
    found = cases.computed(opening, row)
    columns = RATES.encode(row)
    assert [case.values for case in found] == list(RATES.domain_values)
    for case, integers in zip(found, RATES.domain_table, strict=True):
        logits = opening.network.logits((*columns, *integers))
        assert case.label == opening.network.decide((*columns, *integers))
        assert [score * 2**opening.network.logit_fraction_bits for score in case.scores] == list(logits)


def test_the_pair_differs_in_as_little_as_can_be():
    """Of all pairs with different decisions; a tie is a decision of its own; with one decision there is no pair."""

    def case(values, label):
        return Case(tuple(values), label, ())

    assert cases.compared([case("aa", 0), case("ab", 0)]) is None
    both = cases.compared([case("aa", 0), case("bb", 1), case("ac", 0), case("bc", 0)])
    assert (both.first.values, both.second.values, both.differ) == (("b", "b"), ("b", "c"), (False, True))
    assert cases.compared([case("a", 1), case("b", None)]).differ == (True,)
    assert cases.compared([]) is None


def test_a_finding_names_the_pair(opening):
    """Its decisions are computed again while the details are there; afterwards they are those that were sealed."""
    row = applicant(RATES, random.Random(1))
    names = [feature.name for feature in RATES.sensitive_features]
    sides = tuple(Side(dict(zip(names, RATES.domain_values[number], strict=True)), 2 - number) for number in (1, 0))
    found = CounterexampleDocument("flip", sides)
    known, gone = (cases.of_finding(opening, found, features) for features in (row, None))
    assert [case.values for case in known] == [case.values for case in gone] == [RATES.domain_values[n] for n in (1, 0)]
    assert [case.label for case in known] == [cases.computed(opening, row)[n].label for n in (1, 0)]
    assert [(case.label, case.scores) for case in gone] == [(1, ()), (2, ())]


def test_scores_stand_on_a_line_around_nought():
    """Both inside it, the farther one a fifth from the end, on their own sides."""
    both = cases.Compared(Case(("f",), 0, (Fraction(-1, 4),)), Case(("m",), 1, (Fraction(2),)), (True,))
    first, second = cases.axis(both)
    assert (first, second) == (4500, 9000)
    assert cases.axis(cases.Compared(Case(("f",), 0, ()), Case(("m",), 1, ()), (True,))) is None
    assert cases.scores(LOANS, both.first) == "score −0.25"
    assert cases.scores(RATES, Case(("f",), 0, (Fraction(1), Fraction(0), Fraction(-1, 800)))) == (
        "scores: refused +1.00, standard 0.00, reduced −0.001"
    )


@pytest.mark.parametrize(
    ("given", "shown"),
    [(0, "0 s"), (59_999_999, "59 s"), (60_000_000, "1 min"), (61_000_000, "1 min 1 s"), (7_860_000_000, "2 h 11 min"),
     (90_000_000_000, "1 d 1 h"), (-5, "0 s")],
)  # fmt: skip
def test_lengths_are_cut(given, shown):
    """Two units at most."""
    assert words.lasted(given).replace("\u00a0", " ") == shown


@pytest.mark.parametrize(
    ("given", "shown"), [(0, "0 s"), (1, "0.01 s"), (330_000, "0.33 s"), (2_100_001, "2.2 s"), (398_000_000, "398 s")]
)
def test_times_of_machines_are_rounded_up(given, shown):
    """So that nothing looks faster than it was."""
    assert words.seconds(given).replace("\u00a0", " ") == shown


def test_radii_are_cut():
    """2.3569 is not 2.357."""
    assert words.radius(Fraction(23569, 10000)) == "2.356"
    assert words.radius(Fraction(0)) == "0"


def test_days_are_as_long_as_they_are():
    """With 23 and 25 hours where clocks change; a time of another day says which."""
    zone = words.Zone(ZoneInfo("Europe/Berlin"))
    hours = [(end - begin) // 3_600_000_000 for begin, end in (zone.span(date(2026, 3, n)) for n in (28, 29))]
    assert hours == [24, 23]
    begin, end = zone.span(date(2026, 10, 25))
    assert (end - begin) // 3_600_000_000 == 25
    assert zone.short(begin, begin) == "00:00"
    assert zone.short(begin, end).replace("\u00a0", " ") == "25 Oct, 00:00"
    assert zone.exact(begin, end + 10**14).replace("\u00a0", " ") == "25 Oct 2026, 00:00:00"
    assert zone.stamp(begin, "en").replace("\u00a0", " ") == "25 October 2026, 00:00:00 CEST"
    assert zone.stamp(begin, "de").replace("\u00a0", " ") == "25. Oktober 2026, 00:00:00 CEST"
    assert zone.when(begin).replace("\u00a0", " ") == "25 October 2026, 00:00 CEST"
    assert words.weekday(date(2026, 11, 20)).replace("\u00a0", " ") == "Friday, 20 November 2026"
