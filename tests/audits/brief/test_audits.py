"""The words of this project's own audits fit what these audits report."""

import re

import msgspec
import pytest

from equiproof.audits.brief import head
from equiproof.audits.brief.one import brief
from equiproof.audits.context import AuditContext
from equiproof.audits.data import fit_linear, rows_of_data_set
from equiproof.audits.plugin import installed
from equiproof.audits.records import LOGIT_BITS
from equiproof.audits.runner import run_all
from equiproof.certify.data import load
from equiproof.cli.demo import SHIPPED
from equiproof.prover.model_folder import load_model

pytestmark = pytest.mark.slow

OPTIONS = {
    "groups": {"people": "2", "draws": "20"},
    "hyfair": {"search_seconds": "0.2", "ceiling_seconds": "0.2", "samples": "0"},
    "pba": {"people": "4"},
    "prof": {"points": "40", "steps": "0", "samples": "200"},
    "fvgm": {"max-bins": "2", "max-multiplier": "3"},
}


@pytest.fixture(scope="module")
def run():
    """Return a run of all audits on the model that is shipped, on few people and with small budgets."""
    for package in ("fairlearn", "pgmpy"):
        pytest.importorskip(package)
    data, model = load("lending"), load_model(SHIPPED)
    taken = rows_of_data_set(data, "test").sampled(120)
    context = AuditContext(
        network=model.quantised, spec=model.spec, commitment="", rows=taken.rows, labels=taken.labels,
        linear=fit_linear(rows_of_data_set(data, "train"), model.spec), original=model.network,
    )  # fmt: skip
    return run_all(context, installed(), list(OPTIONS), options=OPTIONS)


def test_every_audit_is_told_in_its_own_words(run):
    """Each has its question, its answer and three numbers, and the people looked at are those of the rows."""
    first = head(run)
    assert not run.failures
    assert first.claim == "For 11 of the 120 people looked at, the decision changes with sex alone."
    assert first.below.startswith("5 audits ran: 3 found such cases, 2 report measurements only")
    # Eight people are too few for two figures of groups, and the repair saw all rows that tell of accuracy.
    assert {one.audit: (one.question, len(one.figures)) for one in first.briefs} == {
        "groups": ("Does sex alone change a decision?", 3),
        "hyfair": ("How far can sex split one applicant?", 3),
        "prof": ("Can a change of the model mend it?", 2),
        "pba": ("Is the model surer of itself because of sex?", 1),
        "fvgm": ("How do groups fare where features are correlated?", 3),
    }
    said = {one.audit: one.answer for one in first.briefs}
    assert said["groups"].startswith(
        "Yes, for 11 of the 120 people looked at. Each case was computed again, exactly. With "
    )
    other = re.findall(r"([0-9]+) would get (granted|refused) instead of (refused|granted)", said["groups"])
    assert sum(int(many) for many, *_ in other) == 11
    assert said["hyfair"].startswith(
        "Into two levels of the score. Some get another label, and scores more than 0.05 apart"
    )
    assert "are decided by sex alone; repaired, " in said["prof"]
    assert said["pba"].endswith("of 120 were compared: decided rightly, and alike for both values.")
    assert said["pba"].startswith("Groups are not compared: fewer than two have 30 people.")
    assert said["fvgm"].startswith(
        "Shares are those of the committed model, under a network of how features occur together. A lin"
    )


def test_groups_that_time_left_unexamined_are_no_small_groups(run):
    """Where comparisons are undecided, the sentence speaks of the people who were examined."""
    pba = next(report for report in run.reports if report.audit == "pba")
    first = msgspec.structs.replace(pba.findings[0], verdict="undecided", reason="seconds", counterexample=None)
    late = msgspec.structs.replace(pba, findings=(first, *pba.findings[1:]))
    assert "fewer than two have 30 people who were examined in time." in brief(late).answer


def test_groups_of_enough_people_are_told_apart(run):
    """The same shares of ten times as many people: the answer counts them by decision; two figures are of groups."""
    pba = next(report for report in run.reports if report.audit == "pba")
    many = msgspec.structs.replace(
        pba, estimates=tuple(msgspec.structs.replace(one, n=10 * one.n) for one in pba.estimates)
    )
    short = brief(many)
    assert len(short.figures) == 3
    parts = re.findall(r"([0-9]+) of ([0-9]+) where sex = (?:fe)?male", short.answer)
    assert " Of those rightly granted: " in short.answer
    assert " Of those rightly refused: " in short.answer
    first = [one for one in many.estimates if one.measure.startswith("PBA observed: ")]
    assert sum(int(some) for some, _ in parts) == round(sum(one.value * one.n for one in first))
    assert sum(int(n) for _, n in parts) == sum(one.n for one in first) == 80


def test_the_terminal_shows_every_table(run):
    """Metrics of the models and the largest k, in tables of many columns, are in lines of eighty signs."""
    text = run.summary(80)
    gaps = ("disparate impact", "statistical parity difference", "equalized odds difference")
    for wanted in (*gaps, "intervals: ", "largest k: 2", "to measure accuracy", "FIF"):
        assert wanted in text
    assert all(len(line) <= 80 for line in text.splitlines())
    assert "largest k  at most" in run.summary(160)


def test_reports_state_the_places_of_their_logits(run):
    """So that a page without the network shows logits as numbers."""
    bits = {report.settings[LOGIT_BITS] for report in run.reports}
    assert bits == {load_model(SHIPPED).quantised.logit_fraction_bits}
