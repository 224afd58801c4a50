"""The letter in a real browser: one sheet of A4 whatever its words are, without requests, and in black and white."""

import re

import pytest

from tests.browser.browser import PHONE
from tests.browser.test_report import CONTRAST
from tests.verifier.letters import SENDER, SPECS, made

QUICK = {("twelve", "de"), ("hundreds", "de"), ("wide", "en")}
"""The fullest pages, which are printed in every run."""

PRINTED = [
    pytest.param(name, language, marks=() if (name, language) in QUICK else pytest.mark.slow)
    for name in SPECS
    for language in ("en", "de")
    if name != "longest"
]


def sheets(browser, page, folder):
    """Return how many pages a browser prints a letter on."""
    shown, printed = folder / "letter.html", folder / "letter.pdf"
    shown.write_text(page, encoding="utf-8")
    browser.show(shown)
    browser.pdf(path=str(printed))
    return len(re.findall(rb"/Type\s*/Page\b", printed.read_bytes()))


@pytest.mark.parametrize(("name", "language"), PRINTED)
def test_a_letter_is_one_sheet(browser, tmp_path, name, language):
    """With many features, long names, wide letters or markup in words, a letter is printed on one page."""
    assert sheets(browser, made(name, language), tmp_path) == 1
    log = browser.log()
    assert log["said"] == []
    assert log["asked"] == [(tmp_path / "letter.html").as_uri()]


@pytest.mark.slow
@pytest.mark.parametrize("radius", [0, 1.9])
def test_a_letter_with_much_room_or_none_is_one_sheet(browser, tmp_path, radius):
    """So it is where nothing may differ, and where nearly everything may."""
    assert sheets(browser, made("twelve", "de", radius=radius), tmp_path) == 1


def test_words_and_bars_stay_inside_the_sheet(browser, tmp_path):
    """Nothing is wider than the page, on paper and on a phone."""
    for name in ("dated", "twelve", "hundreds", "wide"):
        path = tmp_path / f"{name}.html"
        path.write_text(made(name), encoding="utf-8")
        for size in ((800, 1100), PHONE):
            browser.show(path, size)
            assert browser.js("document.documentElement.scrollWidth <= innerWidth"), (name, size)


@pytest.mark.parametrize(("language", "day"), [("en", "2 April 2001"), ("de", "2. April 2001")])
def test_a_letter_shows_days_as_dates(browser, tmp_path, language, day):
    """One sheet, whose own values and ends are dates, and none a number of days."""
    assert sheets(browser, made("dated", language), tmp_path) == 1
    shown = browser.js("document.body.textContent").replace("\u00a0", " ")
    assert shown.count(day) == 3
    for end in ("12 November 1993", "21 August 2008") if language == "en" else ("12. November 1993", "21. August 2008"):
        assert end in shown
    assert not re.search("[0-9][.,][0-9]{3}|days|Tage", shown)


def test_a_letter_is_black_on_white(browser, tmp_path):
    """Every text has full contrast, and no colour carries a meaning: all of them are grey."""
    path = tmp_path / "letter.html"
    path.write_text(made("ordinary"), encoding="utf-8")
    browser.show(path)
    seen, low = browser.js(CONTRAST)
    assert seen > 40
    assert low == []
    style = path.read_text(encoding="utf-8").partition("<style>")[2].partition("</style>")[0]
    colours = re.findall("#([0-9a-f]{3}|[0-9a-f]{6})\\b", style)
    assert all(len(set(re.findall("..", colour) if len(colour) == 6 else colour)) == 1 for colour in colours)


def test_names_do_not_move_the_words_around_them(browser, tmp_path):
    """Each word of the lender's is isolated in the page's own structure."""
    path = tmp_path / "letter.html"
    path.write_text(made("hostile"), encoding="utf-8")
    browser.show(path)
    shown = browser.js("[...document.querySelectorAll('bdi')].map((one) => one.textContent)")
    assert {SENDER.name, SENDER.link, "<i>refused", "<b>sex", "</bdi>f"} <= set(shown)
    assert browser.js("document.images.length + document.scripts.length") == 0
