"""Five audits on Adult on paper: few pages, and the first has what was asked, the answers, and what to do."""

import os
from pathlib import Path

import pytest

from equiproof.audits.brief import brief, head
from equiproof.audits.context import AuditContext
from equiproof.audits.html import render
from equiproof.audits.measures import how
from equiproof.audits.pack.content import EXPECTED
from equiproof.audits.plugin import installed
from equiproof.audits.runner import run_all
from equiproof.certify.data import load
from equiproof.certify.models.quantise import quantise
from equiproof.certify.models.training import Settings, train
from tests.browser.test_report import pages_of

DATA = os.environ.get("EQUIPROOF_DATA")
MOST = 12
SHEET = 1046
"""The pixels of a sheet of A4 between margins of 1 cm, at 96 to the inch."""

BREAKS = "[...document.querySelectorAll('section.own')].map((one) => getComputedStyle(one).breakBefore)"
"""What stands before the section of each audit."""

OPTIONS = {
    "groups": {"people": "20"},
    "pba": {"people": "100"},
    "hyfair": {"search_seconds": "3", "ceiling_seconds": "3", "solver_seconds": "3"},
    "fvgm": {"draws": "5000", "max-parents": "1"},
    "leak": {"people": "120", "draws": "1", "levels": "0.1,0.5"},
}

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not DATA, reason="EQUIPROOF_DATA does not name the public data sets"),
]


@pytest.fixture(scope="module")
def printed(browser, tmp_path_factory):
    """The page of five audits of a small network on a thousand rows, with every applicant's card, and its run."""
    data = load("adult", data_dir=Path(DATA))
    made, _ = train(data, hidden=(4, 2), settings=Settings(epochs=20))
    rows = [data.rows[number] for number in data.test[:1000]]
    labels = [data.labels[number] for number in data.test[:1000]]
    context = AuditContext(
        network=quantise(made, data.spec), spec=data.spec, commitment="22" * 32, rows=rows, labels=labels, seed=0
    )
    run = run_all(context, installed(), list(EXPECTED), options=OPTIONS)
    path = tmp_path_factory.mktemp("adult") / "adult.html"
    path.write_text(render(run, spec=data.spec, rows=rows, date="2026-01-31"), encoding="utf-8")
    return path, run


def test_five_audits_of_adult_are_printed_on_twelve_pages_at_most(browser, printed, tmp_path):
    """With cards and a tree of dozens of nodes, which stays in the file."""
    path, run = printed
    assert [one.audit for one in run.reports] == list(EXPECTED)
    assert "nodes is in the file." in path.read_text()
    browser.show(path)
    browser.media(media="print")
    browser.pdf(path=str(tmp_path / "adult.pdf"))
    assert len(EXPECTED) < pages_of(tmp_path / "adult.pdf") <= MOST
    assert browser.js(BREAKS) == ["page"] * len(EXPECTED)


def test_page_one_says_what_was_asked_the_answer_how_sure_and_what_to_do(browser, printed):
    """Every audit has its question, its outcome and its figures; claim and steps stand on the same sheet of A4."""
    path, run = printed
    browser.show(path, (688, 1000))
    browser.media(media="print")
    told = browser.js("[...document.querySelectorAll('.audits > li')].map((one) => one.innerText)")
    short = [brief(report) for report in run.reports]
    assert len(told) == len(short) == len(EXPECTED)
    for one in short:
        (text,) = [text for text in told if one.question.replace(" ", "") in "".join(text.split())]
        assert one.tag in text
        assert all("".join(figure.value.split()) in "".join(text.split()) for figure in one.figures)
    bracketed = [figure.estimate for one in short for figure in one.figures if figure.estimate is not None]
    assert {report.audit for report in run.reports if set(bracketed) & set(report.estimates)} >= {"groups", "leak"}
    said = browser.js("document.querySelector('.brackets').innerText").replace("\u00a0", " ")
    assert said == f"In brackets, {how(bracketed)}."
    assert browser.js("document.querySelector('.claim').innerText") == head(run).claim
    assert len(browser.js("[...document.querySelectorAll('.steps > li')]")) == len(head(run).steps) > 1
    assert browser.js("document.querySelector('.audits').getBoundingClientRect().bottom") < SHEET
