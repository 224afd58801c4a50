"""Cards of applicants: what certification and audits say of one row, the worst first, nothing mixed up."""

from decimal import Decimal

import pytest

from equiproof.audits.errors import AuditError
from equiproof.audits.html.applicants import (
    audited_decisions,
    chosen,
    people,
    refuse_other_people,
    refuse_other_rows,
    refuse_rows,
)
from equiproof.certify.many.point import NearFlip, PointResult, SliceDecision
from equiproof.circuits.spec import Feature
from tests.audits.html import sample
from tests.support import AGE, RATES, changed, spec_of


@pytest.fixture(scope="module")
def rates():
    """Context, run and results of the model with two sensitive features."""
    return sample.rates()


def cards(rates, most=1000, **given):
    """Return the cards of the sample."""
    context, run, results = rates
    shown, known = chosen(run.reports, results, most)
    assert known == len(context.rows)
    return people(run.reports, results, RATES, given.get("rows", context.rows), shown)


def test_every_row_has_one_card_with_all_that_is_known(rates):
    """A card holds the point of its row and the finding of its row, and no other's."""
    _, run, results = rates
    found = cards(rates)
    assert sorted(card.row for card in found) == [point.row for point in results]
    for card in found:
        point = results[card.row - 1]
        assert card.certified.verdict == point.verdict
        assert card.certified.radius == ("" if point.radius is None else str(point.radius))
        (finding,) = (one for one in run.reports[0] if one.row == card.row)
        assert [one.finding for one in card.findings] == [finding]


def test_the_worst_stand_first(rates):
    """Unfair before fair, and among these the smallest radius first; a limit keeps the worst."""
    found = cards(rates)
    verdicts = [card.verdict for card in found]
    assert verdicts == sorted(verdicts, key=["unfair", "undecided", "fair"].index)
    assert len(set(verdicts)) == 2
    radii = [Decimal(card.certified.radius) for card in found if card.verdict == "fair"]
    assert radii == sorted(radii)
    assert [card.row for card in cards(rates, most=6)] == [card.row for card in found[:6]]


def test_a_card_is_as_bad_as_its_worst_verdict(rates):
    """A row that certification calls fair and an audit calls unfair is filed under unfair."""
    _, run, results = rates
    finding = run.reports[0].having("unfair")[0]
    fair = tuple(changed(point, verdict="fair", cases=()) for point in results)
    (card,) = people(run.reports[:1], changed(results, points=fair), RATES, (), {finding.row})
    assert card.verdicts == (("certification", "fair"), ("flips", "unfair"))
    assert card.verdict == "unfair"


def test_moves_are_shown_around_the_applicants_own_values(rates):
    """With rows, how far a feature may move starts at the applicant's value; without them it is a distance."""
    context, _, _ = rates
    card = next(card for card in cards(rates) if card.certified.moves)
    income = context.rows[card.row - 1]["income"]
    assert card.certified.moves[0].text.startswith(f"{income:,}: ")
    assert ("income", f"{income} EUR") in card.given
    (bare,) = (other for other in cards(rates, rows=()) if other.row == card.row)
    assert bare.certified.moves[0].text.startswith("+- ")
    assert bare.given == ()


@pytest.mark.parametrize(
    ("value", "shown"),
    [(8804, "2024-02-08"), ("8804", "2024-02-08"), ("2024-02-08", "2024-02-08"), (1.5, "1.5 days since 2000-01-01")],
)
def test_days_of_a_row_are_shown_as_dates(rates, value, shown):
    """Where the spec states the start; a date stays as it is, and what is no day says since when it counts."""
    opened = Feature("opened", "numeric", "scaled", False, "8800", "900", unit="days", whole=True, start="2000-01-01")
    spec = spec_of(opened, AGE, bits=(14, 24))
    _, run, _ = rates
    row = run.reports[0].findings[0].row
    (card,) = people(run.reports[:1], None, spec, [{"opened": value, "age": 40}] * row, {row})
    assert card.given == (("opened", shown), ("age", "40 years"))


def test_reasons_flips_and_ties_are_shown(rates):
    """An undecided point says what ended, the nearest flip its distance, sensitive values and decision."""
    _, _, results = rates
    flip = NearFlip(Decimal("0.5"), 1, (("gender", "f"), ("age", "25")), None)
    tied = (SliceDecision(0, (("gender", "f"), ("age", "25")), None, ("0", "0", "0")),)
    point = PointResult(row=1, verdict="undecided", seconds=0, reason="tie", flip=flip, cases=tied)
    (card,) = people((), changed(results, points=(point,)), RATES, (), {1})
    assert card.certified.reason == "some value leads to a tie, which is no decision"
    assert "0.5" in card.certified.nearest
    assert "gender = f, age = 25: no decision (a tie)" in card.certified.nearest
    assert card.certified.flips == (("gender = f, age = 25", "no decision (a tie)"),)
    assert not card.certified.moves


def test_the_unfair_have_no_radius(rates):
    """Whom a sensitive value decides about has cases, and no radius."""
    for card in cards(rates):
        if card.certified.verdict == "unfair":
            assert card.certified.radius == ""
            assert not card.certified.moves
            assert len({label for _, label in card.certified.flips}) > 1


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        ([{"income": "much", "savings": "low"}], "row 1: feature 'income': 'much' is not a number"),
        ([{"income": 1, "savings": "low"}] * 2, "results: row 3 is certified, but there are only 2 rows"),
    ],
)
def test_other_rows_are_refused(rates, rows, said):
    """Rows that do not fit the spec, or are fewer than the results', are refused in one line."""
    with pytest.raises(AuditError, match=said):
        refuse_rows(rows, RATES, rates[2])


def test_rows_need_a_spec():
    """Without a spec nobody knows what a row's values are."""
    with pytest.raises(AuditError, match="the spec is needed"):
        refuse_rows([{"income": 1}], None, None)


def test_results_of_fewer_rows_are_refused(rates):
    """Results of a part of the rows are not those of the rows with the same numbers."""
    context, _, results = rates
    part = changed(results, points=results.points[:2])
    with pytest.raises(AuditError, match=f"2 rows are certified, but {len(context.rows)} are audited"):
        refuse_rows(context.rows, RATES, part)


def test_results_of_other_rows_are_refused(rates):
    """As many rows in another order would put one person's radius on the card of another."""
    _, run, results = rates
    decided = audited_decisions(run.reports)
    refuse_other_rows(results, decided)
    first = results.having("fair")[0]
    swapped = {**decided, first.row: None}
    with pytest.raises(AuditError, match=rf"of other rows: row {first.row} is certified as {first.label}"):
        refuse_other_rows(results, swapped)


def test_rows_of_other_people_are_refused(rates):
    """A card with the values of one person and the findings of another would be a false report."""
    context, run, _ = rates
    (report, *_) = run.reports
    audited = [changed(report, audit="groups")]
    refuse_other_people(context.rows, audited, RATES)
    refuse_other_people((), audited, RATES)
    refuse_other_people(context.rows[::-1], [report], RATES)
    for others in (context.rows[::-1], context.rows[:2]):
        with pytest.raises(AuditError, match=r"rows: row \d+ is not the audited row \d+: give the rows of the audit"):
            refuse_other_people(others, audited, RATES)
