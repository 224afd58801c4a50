"""Verdicts and minima against other means: every grid point, exact breakpoints along a line, mixed-integer programs."""

from __future__ import annotations

import random
from fractions import Fraction

import pytest

from equiproof.audits.pba import search
from equiproof.audits.pba.copies import Arrays
from equiproof.audits.pba.definition import Question, ask
from equiproof.audits.pba.search import Budget, judge, minimum
from equiproof.certify.network import Layer, QuantisedNetwork
from tests.audits.pba.oracle import along_a_line, by_mixed_integers, grid, larger_question, tiny_question
from tests.certify.tiny import larger, zero
from tests.sampling import blocks

LARGE = Budget(parts=20_000, seconds=300.0)


@pytest.mark.sampled(1)
@pytest.mark.parametrize("seeds", blocks(150, 3), ids=str)
def test_along_a_line_the_minimum_is_that_of_the_breakpoints(seeds):
    """With one varying column the enclosed minimum holds the exact one, and the verdict is its sign."""
    answers = set()
    for seed in seeds:
        network, question = tiny_question(seed, varying=1)
        truth = along_a_line(network, question)
        found = minimum(Arrays(network), question, gap=Fraction(1, 1000), budget=LARGE)
        assert found.lower <= truth <= found.upper <= found.lower + Fraction(1, 1000)
        verdict = judge(Arrays(network), question, budget=LARGE)
        answers.add(verdict.answer)
        assert verdict.answer == ("true" if truth > 0 else "false") or (truth == 0 and verdict.answer == "unknown")
    assert answers >= {"true", "false"}


@pytest.mark.sampled(1)
@pytest.mark.parametrize("seeds", blocks(24, 2), ids=str)
def test_along_a_line_through_many_neurons_the_minimum_is_that_of_the_breakpoints(seeds):
    """On networks of up to 24 neurons per copy the exact minimum is enclosed to a billionth of a logit or nearly so."""
    cut = 0
    for seed in seeds:
        network, question = larger_question(seed, ((8,), (12, 6), (10, 8, 6))[seed % 3])
        truth = along_a_line(network, question)
        unit = Fraction(1 << network.logit_fraction_bits)
        found = minimum(Arrays(network), question, gap=unit / 10**8, budget=LARGE)
        assert found.lower <= truth <= found.upper <= found.lower + unit / 10**6
        cut += found.parts > 2
    assert cut > 4


@pytest.mark.sampled(1)
@pytest.mark.parametrize("seeds", blocks(60, 3), ids=str)
def test_in_the_plane_the_minimum_is_that_of_the_mixed_integer_program(seeds):
    """With two varying columns the enclosed minimum is what the big-M program gives, up to its tolerance."""
    for seed in seeds:
        network, question = tiny_question(seed, columns=(2,))
        unit = 1 << network.logit_fraction_bits
        truth = by_mixed_integers(network, question)
        found = minimum(Arrays(network), question, gap=Fraction(1, 1000), budget=LARGE)
        assert float(found.lower / unit) - 1e-4 <= truth <= float(found.upper / unit) + 1e-4


def test_in_space_the_minimum_is_that_of_the_mixed_integer_program():
    """With three varying columns and 12 neurons per copy both agree to a ten-thousandth of a logit."""
    cut = 0
    for seed in range(8):
        network, question = larger_question(seed, ((6,), (8, 4))[seed % 2], varying=3, span=1500)
        unit = 1 << network.logit_fraction_bits
        truth = by_mixed_integers(network, question)
        found = minimum(Arrays(network), question, gap=Fraction(unit, 10**7), budget=LARGE)
        assert float(found.lower / unit) - 1e-4 <= truth <= float(found.upper / unit) + 1e-4
        cut += found.parts > 2
    assert cut > 3


@pytest.mark.sampled(1)
@pytest.mark.parametrize("seeds", blocks(120, 3), ids=str)
def test_every_grid_point_agrees_with_the_verdict(seeds):
    """Where bias is called persistent every grid point has it, and where it is not a point of the box lacks it."""
    for seed in seeds:
        network, question = tiny_question(seed, columns=(2,), span=6)
        values = [question.at(network, point) for point in grid(question)]
        found = judge(Arrays(network), question, budget=LARGE)
        if found.answer == "true":
            assert min(values) > 0
            assert 0 < found.lower <= min(values)
        if found.answer == "false":
            assert question.contains(found.point)
            assert question.at(network, found.point) == found.upper <= 0
        if min(values) <= 0:
            assert found.answer == "false"


@pytest.mark.parametrize("style", ["difference", "separate", "paper"])
def test_relaxation_lies_below_the_minimum_and_the_minimum_below_the_person(style):
    """One program's bound <= the exact minimum <= the objective at the person, for every relaxation."""
    proven = 0
    for seed in range(80):
        network, question = tiny_question(seed, varying=1)
        truth = along_a_line(network, question)
        assert truth <= question.at(network, question.query)
        found = judge(Arrays(network), question, style=style)
        if found.lower is not None:
            proven += 1
            assert found.lower <= truth
    assert proven > 10


def test_tied_copies_prove_no_less_than_separate_ones():
    """The program with rows between the copies is never weaker, up to rounding, and often stronger."""
    stronger = 0
    for seed in range(12):
        case = larger(seed, 5, (12, 8))
        question = ask(case.query, *case.table, "observed", (1, 0), _around(case.query, 700))
        bounds = {}
        for style in ("difference", "separate"):
            problem = search._Search(Arrays(case.network), question, style, 0)
            part = problem._whole()
            problem._bound(part, lambda _: False)
            bounds[style] = part.bound
        unit = 1 << case.network.logit_fraction_bits
        assert bounds["difference"] >= bounds["separate"] - Fraction(unit, 10**6)
        stronger += bounds["difference"] > bounds["separate"] + Fraction(unit, 10**3)
    assert stronger > 3


def test_persistent_bias_is_lost_as_the_neighborhood_grows():
    """The exact answer is monotone in the neighborhood: false once, false ever after."""
    changes = 0
    for seed in range(10):
        case = larger(seed, 4, (8, 4))
        setting = "observed" if seed % 2 else "flipped"
        answers = []
        for reach in (0, 40, 160, 640, 2560):
            question = ask(case.query, *case.table, setting, (1, 0), _around(case.query, reach))
            answers.append(judge(Arrays(case.network), question, budget=LARGE).answer)
        assert "unknown" not in answers
        assert answers == sorted(answers, reverse=True)
        changes += answers[0] != answers[-1]
    assert changes > 0


def test_nobody_has_persistent_bias_in_both_settings():
    """The objectives of the two settings are opposite, so at most one of them is positive everywhere."""
    for seed in range(20):
        case = larger(seed, 5, (10, 6))
        box = _around(case.query, random.Random(seed).randint(0, 300))
        found = [
            judge(Arrays(case.network), ask(case.query, *case.table, setting, (1, 0), box), budget=LARGE)
            for setting in ("observed", "flipped")
        ]
        assert [one.answer for one in found].count("true") <= 1
        assert found[0].upper <= -found[1].lower if found[1].lower is not None else True


def test_a_network_that_says_the_same_to_all_has_no_bias():
    """Where the objective is 0 everywhere the answer is false, at the person's own values."""
    found = judge(Arrays(zero()), ask((3,), (1,), (2,), "observed", (1, 0), ((0,), (9,))), budget=LARGE)
    assert (found.answer, found.by, found.upper, found.point) == ("false", "value", 0, (3,))


def test_budget_that_ends_leaves_the_answer_open():
    """With a budget of one part the search says unknown, what ended, and encloses the minimum all the same."""
    case = larger(3, 5, (20, 10))
    box = _around(case.query, 400)
    known = minimum(Arrays(case.network), ask(case.query, *case.table, "observed", (1, 0), box), budget=LARGE)
    short = minimum(Arrays(case.network), ask(case.query, *case.table, "observed", (1, 0), box), budget=Budget(parts=1))
    assert short.reason in ("parts", None)
    assert short.lower <= known.lower
    assert known.upper <= short.upper


@pytest.mark.sampled(1)
@pytest.mark.parametrize("seeds", blocks(24, 2), ids=str)
def test_minimum_wider_than_the_gap_says_why(seeds):
    """A gap of one integer logit is kept, or a reason stands beside it: also where a point settles the sign."""
    reasons = {}
    for seed in seeds:
        for parts in (3, 20_000):
            network, question = larger_question(seed, ((8,), (12, 6))[seed % 2], varying=1 + seed % 3)
            found = minimum(Arrays(network), question, gap=1, budget=Budget(parts, 300.0))
            wide = found.upper - found.lower > 1
            assert wide == (found.reason is not None)
            assert found.answer == "unknown" or (found.answer == "false") == (found.upper <= 0)
            reasons[found.answer, found.reason] = reasons.get((found.answer, found.reason), 0) + 1
    assert {("false", "parts"), ("false", "rounding"), ("false", None)} <= set(reasons)


def _around(query, reach):
    return tuple(x - reach for x in query), tuple(x + reach for x in query)


def test_numbers_of_any_size_are_enclosed():
    """Four layers of the largest weights, inputs of 40 bits: nothing overflows, and the minimum is the least end's."""
    large = Layer(((32767, 32767, 0),), (0,))
    layers = (large, *[Layer(((32767,),), (5,))] * 3)
    network = QuantisedNetwork(layers, 10, (0,) * 4)
    end = (1 << 39) - 9
    question = Question((end, end), (((0,), 1),), 1, 0, (end - 8, end), (end + 8, end))
    found = minimum(Arrays(network), question)
    assert found.lower == found.upper == network.logits((end - 8, end, 0))[0]
    assert judge(Arrays(network), question).answer == "true"


def test_by_sign_no_column_is_cut_and_the_verdict_is_the_same(monkeypatch):
    """With signs alone a search never asks along which column to cut, and answers as the whole search does."""
    questions = [larger_question(seed, ((12, 6), (10, 8, 6))[seed % 2]) for seed in range(8)]
    whole = [judge(Arrays(network), question, budget=LARGE).answer for network, question in questions]

    def refuse(part):
        raise AssertionError("a column was looked for")

    monkeypatch.setattr(search, "_blurred", refuse)
    found = [judge(Arrays(one), asked, budget=LARGE, style="paper", by_sign=True) for one, asked in questions]
    assert [one.answer for one in found] == whole
    assert any(one.parts > 2 for one in found)
    monkeypatch.setattr(search, "SIGN_SPLIT_NEURONS", -1)
    network, question = questions[max(range(8), key=lambda at: found[at].parts)]
    with pytest.raises(AssertionError, match="column"):
        judge(Arrays(network), question, budget=LARGE, style="paper")


def test_no_program_begins_after_the_end_of_all_questions(monkeypatch):
    """Once the time of the whole audit is over, a question is settled by a point that is at hand, or by nothing."""
    monkeypatch.setattr(search, "relax", None)
    answers = set()
    for seed in range(20):
        network, question = tiny_question(seed, varying=1)
        found = judge(Arrays(network), question, budget=Budget(until=0.0))
        answers.add((found.answer, found.reason))
    assert answers == {("false", None), ("unknown", "seconds")}
