"""Rows between a threshold of a model and its rounding are refused by the opening, and no others."""

import dataclasses
from fractions import Fraction

import pytest

from equiproof.certify.models.ensembles.gaps import Gap, committed_ray, gaps, refuse_between
from equiproof.certify.models.ensembles.quantise import quantise_score
from equiproof.certify.models.ensembles.rays import Ray
from equiproof.certify.models.ensembles.tree_fidelity import tree_bound
from equiproof.circuits.spec import SpecError
from equiproof.prover import Opening
from equiproof.prover.opening import OpeningError, parse_opening
from tests.certify.models.ensembles.samples import GIVEN, SPEC
from tests.certify.models.ensembles.test_additive import score_of as additive_score
from tests.certify.models.ensembles.test_additive import stump
from tests.certify.models.ensembles.test_deep_trees import deep, score_of

INCOME = SPEC.features[0]


def raw(column):
    """Return the raw income of a scaled column."""
    return Fraction(INCOME.mean) + Fraction(INCOME.scale) * column


def opened(score):
    """Return the opening of a score, read again from its file."""
    model = quantise_score(score, SPEC)
    return parse_opening(Opening.of(model, SPEC, 5, gaps(score, model, SPEC)).secret(), "opening.json")


@pytest.mark.parametrize(
    "make", [lambda cut: additive_score(stump(0, cut, 0, 3)), lambda cut: score_of(deep(cut, 12, 0, 1, 2, 4))]
)
@pytest.mark.parametrize("cut", ["2500.501", "2500.54", "3100.7"])
def test_exactly_the_rows_that_are_compared_otherwise_are_refused(make, cut):
    """Incomes around the threshold and around its rounding, of a score and of trees: by the opening's file."""
    score = make(Fraction(cut))
    opening = opened(score)
    (step,) = (step for step in score.steps if step.column == 0)
    tiny = Fraction(1, 10**12)
    places = [raw(end) + move for end in (step.ray.end, committed_ray(step, SPEC).end) for move in (-tiny, 0, tiny)]
    refused = 0
    for income in [*places, (places[1] + places[4]) / 2]:
        text = f"{float(income):.14f}" if income.denominator & (income.denominator - 1) else str(float(income))
        row = dict(GIVEN[0], income=text)
        exact = (Fraction(text) - Fraction(INCOME.mean)) / Fraction(INCOME.scale) in step.ray
        if exact == (SPEC.encode(row)[0] > step.threshold):
            assert opening.encode(row) == SPEC.encode(row)
        else:
            refused += 1
            with pytest.raises(SpecError, match=r"feature 'income': .* lies between a threshold of the model and"):
                opening.encode(row)
    assert refused >= 1
    assert all(opening.encode(row) == SPEC.encode(row) for row in GIVEN)


def test_a_threshold_on_the_edge_of_the_grid_leaves_no_gap_and_costs_no_bound():
    """Where both comparisons are the same nothing is refused, and only rounded values are in the bound."""
    edge = raw(Fraction(7, 2) / SPEC.scale_unit)
    score = score_of(deep(edge, 12, 0, 1, 2, 4))
    steps = tuple(
        step._replace(ray=committed_ray(step, SPEC)) if step.column in (0, 3) else step for step in score.steps
    )
    score = dataclasses.replace(score, steps=steps)
    model = quantise_score(score, SPEC)
    assert gaps(score, model, SPEC) == ()
    assert tree_bound(score, model, SPEC) == 0
    assert b"gaps" not in Opening.of(model, SPEC, 5).secret()


def test_gaps_change_no_commitment_and_damaged_ones_are_refused():
    """They are the owner's own check; a column that is not there and a text that is no fraction are named."""
    score = additive_score(stump(0, "2500.54", 0, 3))
    model = quantise_score(score, SPEC)
    known = gaps(score, model, SPEC)
    assert len(known) == 1
    secret = Opening.of(model, SPEC, 5, known).secret()
    assert Opening.of(model, SPEC, 5).commitment == parse_opening(secret, "opening.json").commitment
    start = f'"gaps":[[{known[0].column},"'.encode()
    assert start in secret
    for bad in (b'"gaps":[[9,"', b'"gaps":[[0,"x'):
        with pytest.raises(OpeningError, match=r"^opening\.json: "):
            parse_opening(secret.replace(start, bad), "opening.json")


def test_a_row_on_no_gap_of_another_column_passes():
    """Only the column of the gap is looked at; both ends belong to the gap or not, as they say."""
    gap = Gap(0, Ray(Fraction(0), closed=True), Ray(Fraction(1), closed=True))
    for income, refused in ((raw(Fraction(0)), True), (raw(Fraction(1)), False)):
        row = dict(GIVEN[0], income=str(float(income)))
        if refused:
            with pytest.raises(SpecError, match="'income'"):
                refuse_between([gap], SPEC, row)
        else:
            refuse_between([gap], SPEC, row)
