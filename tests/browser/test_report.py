"""The report in a real browser: it loads nothing, works by mouse, keyboard and finger, prints, and can be read."""

from itertools import pairwise

import pytest

from equiproof.audits.html.sections import PRINTED_CARDS
from tests.audits.html.sample import HOSTILE
from tests.browser.browser import DESKTOP, PHONE

TABS = "[...document.querySelectorAll('[role=tab]')]"
SHOWN = "[...document.querySelectorAll('[role=tabpanel]')].filter((one) => one.offsetHeight).map((one) => one.id)"
CARDS = "[...document.querySelectorAll('#people article')].filter((one) => one.offsetHeight)"

INTRUDER = """(() => {
  const script = document.createElement("script"), image = new Image();
  script.textContent = "window.ran = true";
  image.src = "data:image/gif;base64,R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7";
  document.body.append(script, image);
  document.body.setAttribute("style", "color: red");
  return new Promise((done) => setTimeout(done, 200));
})()"""

CONTRAST = """(() => {
  const parse = (text) => { const [r, g, b, a = 1] = text.match(/[\\d.]+/g).map(Number); return [r, g, b, a]; };
  const light = (c) => c.slice(0, 3).map((v) => v / 255)
    .map((v) => (v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4))
    .reduce((sum, v, i) => sum + v * [0.2126, 0.7152, 0.0722][i], 0);
  const ground = (one) => {
    for (let up = one; up; up = up.parentElement) {
      const found = parse(getComputedStyle(up).backgroundColor);
      if (found[3] === 1) return found;
    }
    return [255, 255, 255];
  };
  const low = [], walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  let seen = 0;
  while (walker.nextNode()) {
    const one = walker.currentNode.parentElement;
    if (!walker.currentNode.data.trim() || !one.getClientRects().length || one.closest("script, style")) continue;
    const style = getComputedStyle(one), svg = one.closest("svg");
    const [a, b] = [light(parse(svg ? style.fill : style.color)), light(ground(one))];
    const ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
    seen += 1;
    if (ratio < 4.5) low.push([walker.currentNode.data.trim(), ratio]);
  }
  return [seen, low];
})()"""


@pytest.fixture(params=["rates", "hostile"])
def page(request, pages):
    """Either page."""
    return pages[request.param]


def each_panel(browser):
    """Choose one tab after the other, and yield the id of its panel."""
    for place in range(browser.js(f"{TABS}.length")):
        browser.js(f"{TABS}[{place}].click()")
        yield browser.js(f"{TABS}[{place}].getAttribute('aria-controls')")


def test_the_page_asks_for_nothing_and_complains_of_nothing(browser, page):
    """All tabs opened and everything unfolded, the page itself is the only request, and the console stays empty."""
    browser.show(page)
    assert len(list(each_panel(browser))) == 6
    browser.js("document.querySelectorAll('details').forEach((one) => { one.open = true; })")
    browser.js("document.querySelectorAll('th button, [data-show]').forEach((one) => one.click())")
    log = browser.log()
    assert log["said"] == []
    assert log["asked"] == [page.resolve().as_uri()]


def test_the_policy_stops_what_the_page_does_not_bring(browser, pages):
    """A script, a style and an image that are put into the page neither run nor show; the browser says why."""
    browser.show(pages["rates"])
    browser.js(INTRUDER)
    assert browser.js("[window.ran === undefined, getComputedStyle(document.body).color]") == [True, "rgb(23, 32, 42)"]
    assert browser.js("document.images[0].naturalWidth") == 0
    assert sum("Content Security Policy" in line for line in browser.log()["said"]) >= 3


def test_markup_in_names_is_shown_and_never_made(browser, pages):
    """Hostile names are read as they are; none of them is an element, and no title is cut short."""
    browser.show(pages["hostile"])
    assert browser.js("document.title") == f"Audit of “</title>{HOSTILE}”: Equiproof"
    assert browser.js("document.querySelector('h1').textContent") == f"Audit of the model “</title>{HOSTILE}”"
    assert browser.js("document.querySelectorAll('img, b, iframe, [onerror], [onclick], body > title').length") == 0
    assert browser.js("document.querySelectorAll('script').length") == 1


def test_tabs_are_chosen_by_mouse(browser, pages):
    """One panel is shown at a time, the first one at the start; a click shows another and marks its tab."""
    browser.show(pages["rates"])
    assert browser.js(SHOWN) == ["audit-1"]
    browser.click(selector="#tab-radii")
    assert browser.js(SHOWN) == ["radii"]
    assert browser.js(f"{TABS}.filter((one) => one.ariaSelected === 'true').map((one) => one.id)") == ["tab-radii"]


def test_tabs_are_chosen_by_keyboard(browser, pages):
    """Only the chosen tab is in the order of the tab key; arrows, Home and End go around."""
    browser.show(pages["rates"])
    browser.js(f"{TABS}[0].focus()")
    seen = []
    for key in ("ArrowRight", "ArrowLeft", "ArrowLeft", "ArrowRight", "End", "Home"):
        browser.press(key=key)
        seen += browser.js(SHOWN)
        assert browser.js("document.activeElement.getAttribute('aria-controls')") == seen[-1]
        assert browser.js(f"{TABS}.filter((one) => one.tabIndex === 0).length") == 1
    assert seen == ["audit-2", "audit-1", "method", "audit-1", "method", "audit-1"]
    browser.press(key="Tab")
    assert browser.js("document.activeElement.id") == "audit-1"


def test_findings_lead_to_the_applicants_card(browser, pages):
    """By mouse and by keyboard, the link of a finding opens the card, even one that a filter has hidden."""
    browser.show(pages["rates"])
    for act in (lambda: browser.click(selector="#audit-1 tbody a"), lambda: browser.press(key="Enter")):
        browser.js(f"{TABS}.find((one) => one.id === 'tab-people').click()")
        browser.click(selector="#people [data-show=fair]")
        browser.js(f"{TABS}[0].click()")
        browser.js("document.querySelector('#audit-1 tbody a').focus()")
        wanted = browser.js("document.activeElement.hash.slice(1)")
        assert browser.js(f"document.getElementById('{wanted}').hidden")
        browser.js("history.replaceState(null, '', '#')")
        act()
        assert browser.js("new Promise((done) => setTimeout(() => done(document.activeElement.id), 50))") == wanted
        assert browser.js(SHOWN) == ["people"]
        top = browser.js(f"document.getElementById('{wanted}').getBoundingClientRect().top")
        assert -1 <= top < DESKTOP[1]


def test_an_address_opens_what_it_names(browser, pages):
    """A page opened at a card shows that card."""
    browser.show(pages["rates"], anchor="#person-3")
    assert browser.js(SHOWN) == ["people"]
    assert browser.js("document.activeElement.id") == "person-3"


def test_cards_are_filtered_by_mouse_and_keyboard(browser, pages):
    """A verdict's button shows its cards alone, a row's number that row alone; what is shown is counted in words."""
    browser.show(pages["rates"])
    browser.click(selector="#tab-people")
    total = browser.js(f"{CARDS}.length")
    browser.click(selector="#people [data-show=unfair]")
    unfair = browser.js(f"{CARDS}.map((one) => one.dataset.verdict)")
    assert 0 < len(unfair) < total
    assert set(unfair) == {"unfair"}
    assert browser.js("document.querySelector('#people output').textContent") == f"{len(unfair)} of {total} shown"
    assert browser.js("document.querySelector('#people [data-show=unfair]').ariaPressed") == "true"
    browser.js("document.querySelector('#people [data-show=\"\"]').focus()")
    browser.press(key="Space")
    assert browser.js(f"{CARDS}.length") == total
    browser.fill(selector="#people [data-find]", text="Row 2")
    assert browser.js(f"{CARDS}.map((one) => one.id)") == ["person-2"]
    browser.fill(selector="#people [data-find]", text="no such text")
    assert browser.js("document.querySelector('#people output').textContent") == f"0 of {total} shown"


def test_details_of_a_card_open_by_keyboard(browser, pages):
    """What is folded in a card is opened by the Enter key."""
    browser.show(pages["rates"])
    browser.click(selector="#tab-people")
    browser.js("document.querySelector('#people summary').focus()")
    browser.press(key="Enter")
    assert browser.js("document.querySelector('#people details').open")


def test_tables_are_sorted_by_their_heads(browser, pages):
    """A click sorts numbers as numbers, a second one the other way; the head says which way it is."""
    browser.show(pages["rates"])
    table = "#audit-1 [aria-label=Findings]"
    column = f"{table} thead th:last-child"
    times = f"[...document.querySelectorAll('{table} tbody td:last-child')].map((one) => +one.dataset.key)"
    for kind, descending in (("ascending", False), ("descending", True)):
        browser.click(selector=f"{column} button")
        found = browser.js(times)
        assert found == sorted(found, reverse=descending)
        assert len(set(found)) > 10
        assert browser.js(f"document.querySelector('{column}').ariaSort") == kind


def test_nothing_scrolls_sideways_on_a_phone(browser, page):
    """At 360 pixels the page is no wider than the window in any panel, and what is wide scrolls in its own frame."""
    browser.show(page, PHONE)
    for panel in each_panel(browser):
        browser.js("document.querySelectorAll('details').forEach((one) => { one.open = true; })")
        assert browser.js("document.documentElement.scrollWidth") == PHONE[0], panel
        beyond = browser.js(
            "[...document.querySelectorAll('main *')].filter((one) => one.getBoundingClientRect().right > 361 "
            "&& !one.closest('.wide')).map((one) => one.outerHTML.slice(0, 80))"
        )
        assert beyond == [], panel


def test_targets_are_large_enough_for_a_finger(browser, pages):
    """Tabs, buttons and what unfolds are at least 24 pixels high on a phone."""
    browser.show(pages["rates"], PHONE)
    for _ in each_panel(browser):
        small = browser.js(
            "[...document.querySelectorAll('[role=tab], button, summary, input')].filter((one) => one.offsetHeight "
            "&& one.offsetHeight < 24).map((one) => one.textContent)"
        )
        assert small == []


def pages_of(path) -> int:
    """Return how many pages a printed file has."""
    return path.read_bytes().count(b"/Type /Page\n")


def test_paper_has_every_section_and_no_control(browser, pages):
    """Printed, every panel is there without its controls; what is folded stays in the file, as do most cases."""
    browser.show(pages["rates"])
    browser.media(media="print")
    assert len(browser.js(SHOWN)) == 6
    hidden = "#tabs, .filters button, details, #people article:nth-child(n + 5)"
    assert set(browser.js(f"[...document.querySelectorAll('{hidden}')].map((one) => one.offsetHeight)")) == {0}
    assert browser.js(f"{CARDS}.length") == PRINTED_CARDS
    said = browser.js("document.querySelector('#people .printonly').innerText")
    assert said == "The worst 4 cases of 24 applicants; the file has the others."


def test_many_applicants_print_on_few_pages(browser, many_applicants, tmp_path):
    """Hundreds of applicants, findings, estimates and rows of tables print on twelve pages at most."""
    browser.show(many_applicants)
    browser.pdf(path=str(tmp_path / "many.pdf"))
    assert 3 <= pages_of(tmp_path / "many.pdf") <= 12


@pytest.mark.slow
@pytest.mark.parametrize("page", ["many_applicants", "many_audits"])
def test_many_of_anything_print_on_few_pages_without_script(browser, request, page, tmp_path):
    """What paper leaves out is left out by the style alone, also where a model has had many audits."""
    browser.show(request.getfixturevalue(page), script=False)
    browser.pdf(path=str(tmp_path / "many.pdf"))
    assert 3 <= pages_of(tmp_path / "many.pdf") <= 12


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_text_stands_out_from_its_ground(browser, pages, scheme):
    """By day and in the dark, every text has a contrast of at least 4.5 to 1, in plots as well."""
    browser.show(pages["rates"])
    browser.media(media="screen", scheme=scheme)
    for panel in each_panel(browser):
        browser.js("document.querySelectorAll('details').forEach((one) => { one.open = true; })")
        seen, low = browser.js(CONTRAST)
        assert seen > 40
        assert low == [], panel


def test_the_page_is_dark_where_people_read_in_the_dark(browser, pages):
    """The ground follows the reader's choice, and paper is white all the same."""
    ground = "getComputedStyle(document.body).backgroundColor"
    browser.show(pages["rates"])
    found = []
    for media, scheme in (("screen", "light"), ("screen", "dark"), ("print", "dark")):
        browser.media(media=media, scheme=scheme)
        found.append(browser.js(ground))
    assert found == ["rgb(245, 246, 248)", "rgb(15, 20, 25)", "rgb(255, 255, 255)"]


def test_the_first_screen_is_one_screen(browser, pages):
    """Claim, steps and the outcome of every audit are above the fold of a desktop, and a step opens what it names."""
    browser.show(pages["rates"])
    bottom = "document.querySelector('.audits').getBoundingClientRect().bottom"
    assert browser.js(bottom) < DESKTOP[1]
    # The page learns of a followed link after the click has returned.
    browser.click(selector=".steps a[href='#repair']")
    browser.wait(selector="#repair[open]")
    browser.click(selector=".steps a[href='#people']")
    browser.wait(selector="#people:not([hidden])")
    assert browser.js(SHOWN) == ["people"]


def test_every_control_has_a_name_and_headings_go_down_step_by_step(browser, pages):
    """Inputs have labels, plots a name and a description, and no heading skips a level."""
    browser.show(pages["rates"])
    assert browser.js("[...document.querySelectorAll('input')].every((one) => one.labels.length === 1)")
    named = browser.js(
        "[...document.querySelectorAll('svg[role=img]')].map((one) => one.getAttribute('aria-labelledby').split(' ')"
        ".map((id) => document.getElementById(id).textContent.trim().length > 0))"
    )
    assert len(named) > 4
    assert all(found == [True, True] for found in named)
    levels = browser.js("[...document.querySelectorAll('h1, h2, h3, h4, h5, h6')].map((one) => +one.tagName[1])")
    assert levels[0] == 1
    assert all(below <= above + 1 for above, below in pairwise(levels))


def test_without_script_everything_is_there(browser, pages):
    """Where scripts are off, all panels stand below each other, and no control pretends to work."""
    browser.show(pages["rates"], PHONE, script=False)
    assert browser.log()["said"] == []
    heights = browser.js("[...document.querySelectorAll('.tabbed')].map((one) => one.offsetHeight)")
    assert len(heights) == 6
    assert min(heights) > 0
    assert browser.js("[...document.querySelectorAll('.filters')].every((one) => !one.offsetHeight)")
    assert browser.js("document.documentElement.scrollWidth") == PHONE[0]
