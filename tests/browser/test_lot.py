"""The page of a period in a real browser: one sheet on paper, nothing from elsewhere, readable light, dark, small."""

import re

import pytest

from tests.browser.browser import DESKTOP, PHONE
from tests.browser.test_axe import judged
from tests.browser.test_report import CONTRAST
from tests.register.lot.test_page import page, report


@pytest.fixture(scope="module")
def shown(tmp_path_factory):
    """The file of a page with three decisions that have no certificate."""
    path = tmp_path_factory.mktemp("lot") / "page.html"
    path.write_text(page(report(bad=3)), encoding="utf-8")
    return path


def test_it_asks_for_nothing(browser, shown):
    """No request but for the file itself, and nothing that the page's own policy forbids."""
    browser.show(shown)
    log = browser.log()
    assert log == {"said": [], "asked": [shown.as_uri()]}
    assert browser.js("document.images.length + document.scripts.length") == 0


@pytest.mark.parametrize("size", [DESKTOP, PHONE], ids=["desktop", "phone"])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_everything_is_readable(browser, shown, size, scheme):
    """Every text has the contrast that it needs, and nothing is wider than the window."""
    browser.show(shown, size, scheme=scheme)
    browser.js("document.querySelectorAll('details').forEach((one) => { one.open = true; })")
    seen, low = browser.js(CONTRAST)
    assert seen > 40
    assert low == []
    assert browser.js("document.documentElement.scrollWidth <= innerWidth")


@pytest.mark.slow
def test_it_is_one_sheet(browser, shown, tmp_path):
    """On paper too it is one page."""
    printed = tmp_path / "page.pdf"
    browser.show(shown)
    browser.pdf(path=str(printed))
    assert len(re.findall(rb"/Type\s*/Page\b", printed.read_bytes())) == 1


@pytest.mark.slow
def test_nobody_is_stopped(browser, shown):
    """axe has no finding, light and dark, everything unfolded."""
    browser.show(shown)
    browser.js("document.querySelectorAll('details').forEach((one) => { one.open = true; })")
    judged(browser)
