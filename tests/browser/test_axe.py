"""Nothing on page or element stops people with disabilities, as far as axe-core can tell, in any state."""

import json

import pytest

from tests.browser import checker
from tests.browser.browser import DESKTOP, PHONE

RUN = """axe.run(document, { resultTypes: ["violations", "incomplete"] }).then(({ violations, incomplete, passes }) => [
  passes.length, ...[violations, incomplete].map((found) => found.map(
    ({ id, nodes }) => [id, nodes.map(({ html }) => html.slice(0, 120))]))])"""
STATES = {"start": None, **checker.states()}


def shown(*states, quick):
    """Return each state; all but the one that is quick are slow tests."""
    return [pytest.param(state, marks=() if state == quick else pytest.mark.slow) for state in states]


def judged(browser):
    """Run axe on the page as it stands, light and dark; nothing may be wrong, and nothing may be left undecided."""
    browser.js(checker.AXE.read_text(encoding="utf-8") + ";0")
    for scheme in ("light", "dark"):
        browser.media(scheme=scheme)
        passed, wrong, undecided = browser.js(RUN)
        assert passed > 15
        assert (scheme, wrong, undecided) == (scheme, [], [])


@pytest.mark.parametrize("state", shown(*STATES, quick="typical"))
def test_the_page(browser, checking, state):
    """The page has no finding in any state, everything unfolded."""
    browser.show(checking, PHONE if state == "not valid" else DESKTOP)
    if STATES[state] is not None:
        browser.choose(selector=checker.GIVEN, files=STATES[state])
        browser.wait(selector=checker.OUTCOME)
    browser.js("document.querySelectorAll('details').forEach((one) => { one.open = true; })")
    judged(browser)


@pytest.mark.slow
def test_the_page_after_comparisons(browser, checking):
    """Nor has it with an error beside a field, in German, and once something is pinned."""
    browser.show(checking, locale="de")
    browser.choose(selector=checker.GIVEN, files=STATES["typical"])
    browser.wait(selector=checker.OUTCOME)
    browser.click(selector=".verdict a")
    browser.fill(selector="#pin-model", text="0" * 64)
    browser.press(key="Enter")
    judged(browser)
    model = json.loads(checker.certificate_base("loans")[checker.CERTIFICATE])["statement"]["model_commitment"]
    browser.fill(selector="#pin-model", text=model)
    browser.press(key="Enter")
    browser.wait(selector=".verdict.open")
    judged(browser)


@pytest.mark.parametrize("name", shown("mine", "forged", "missing", quick="mine"))
def test_the_element(browser, lender, name):
    """The element has no finding in a lender's page that knows light and dark, everything unfolded."""
    lender(f'<equiproof-certificate src="{name}.equiproof"></equiproof-certificate>')
    browser.js(
        "document.querySelector('equiproof-certificate').shadowRoot.querySelectorAll('details')"
        ".forEach((one) => { one.open = true; })"
    )
    browser.js("""(() => {
      const sheet = new CSSStyleSheet();
      sheet.replaceSync("@media (prefers-color-scheme: dark) { body { background: #111; color: #eee; } }");
      document.adoptedStyleSheets = [sheet];
    })()""")
    judged(browser)
