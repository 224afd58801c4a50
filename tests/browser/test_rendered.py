"""Answers on a page, by the module that page and element share: those of the vectors, and names that are markup."""

import json
import re

import pytest

from equiproof.verifier.answer import Findings, KeyMaking, Pinned, answer
from tests.browser.browser import PHONE
from tests.browser.test_page import BEYOND
from tests.support import ROOT, changed, spec_of
from tests.vectors.generate.words import AGE, EDUCATION, SEX
from tests.web.web import refuse_or_skip, run

VECTORS = json.loads((ROOT / "tests" / "vectors" / "words.json").read_text(encoding="ascii"))
MARKUP, LONG = "<img src=x onerror=alert(1)>", "Besch\u00e4ftigungsverh\u00e4ltnis" * 7


@pytest.fixture(scope="module")
def rendered(browser, tmp_path_factory):
    """A function that shows an answer on a page."""
    refuse_or_skip()
    file = tmp_path_factory.mktemp("rendered") / "rendered.html"
    run("node", ROOT / "tests" / "browser" / "rendered.mjs", file)
    browser.show(file, PHONE)
    return lambda found: browser.js(f"rendered({json.dumps(found)})")


@pytest.mark.slow
def test_every_answer_is_shown_in_full(browser, rendered):
    """Every text of each answer of the vectors stands on the page, each word of the lender's in a `bdi` of its own."""
    for case in VECTORS["verified"]:
        found = case["answer"]
        rendered(found)
        shown = browser.js("document.querySelector('main').textContent").replace("\u00a0", " ")
        texts = [
            found["heading"],
            *found["below"],
            *found["sentences"],
            found["bars_heading"],
            found["bars_note"] or "",
        ]
        texts += [*found["checked"], *(one["text"] for one in found["not_checked"]), *found["never_shown"]]
        texts += [text for bar in found["bars"] for text in (bar["name"], bar["own"] or bar["span"])]
        for text in texts:
            assert re.sub("[\u2068\u2069]", "", text).replace("\u00a0", " ") in shown, (case["what"], text)
        words = {word for text in found["sentences"] for word in re.findall("\u2068(.+?)\u2069", text)}
        assert words <= set(browser.js("[...document.querySelectorAll('.answer bdi')].map((one) => one.textContent)"))
        assert not re.search("[\u2068\u2069]", shown)


def test_names_that_are_markup_are_text(browser, rendered):
    """Names, units and labels that look like elements make none, however long they are and wherever they stand."""
    spec = spec_of(
        changed(AGE, name=MARKUP, unit="<b>years</b>"),
        changed(EDUCATION, name=LONG, domain=("<script>x</script>", *(f"value {LONG}{at}" for at in range(3)))),
        changed(SEX, name="<i>", domain=("</main>", "<svg onload=alert(1)>")),
        labels=("</p><p>", "</title>"),
    )
    query = {MARKUP: 40, LONG: "<script>x</script>"}
    for language in ("en", "de"):
        found = Findings(spec, 0, 66_000, KeyMaking("single-party"), Pinned(None, key=False), query=query)
        rendered(answer(found, language))
        assert browser.js("document.querySelectorAll('main :is(img, b, script, i)').length") == 0
        assert browser.js("document.querySelectorAll('main svg[onload], main main').length") == 0
        shown = browser.js("document.querySelector('main').textContent")
        assert all(text in shown for text in (MARKUP, "<b>years</b>", "</p><p>", "<svg onload=alert(1)>"))
        assert browser.js("document.documentElement.scrollWidth") == PHONE[0]
        assert browser.js(BEYOND % (PHONE[0] + 1)) == []
    assert browser.log()["said"] == []


@pytest.mark.parametrize(("language", "day"), [("en", "14 March 2024"), ("de", "14. M\u00e4rz 2024")])
def test_days_are_dates_on_a_phone(browser, rendered, language, day):
    """In sentences and bars, and nothing is cut where dates are the longest."""
    opened = changed(AGE, name="opened", mean="8800", scale="900", unit="days", range=("0", "30000"), whole=True,
                     start="2000-01-01")  # fmt: skip
    spec = spec_of(opened, EDUCATION, SEX)
    query = {"opened": 8839, EDUCATION.name: EDUCATION.domain[0]}
    found = Findings(spec, 0, 66_000, KeyMaking("single-party"), Pinned(None, key=False), query=query)
    rendered(answer(found, language))
    shown = browser.js("document.querySelector('main').textContent").replace("\u00a0", " ")
    assert day in shown
    assert "2082" in shown  # the range's end
    assert not re.search("8[.,]839|30[.,]000| days| Tage", shown)
    assert browser.js("document.documentElement.scrollWidth") == PHONE[0]
    assert browser.js(BEYOND % (PHONE[0] + 1)) == []


def test_words_from_the_right_keep_their_place(browser, rendered):
    """A word that is written from the right is isolated: what stands behind it in the text stands right of it."""
    (case,) = (
        one for one in VECTORS["verified"] if one["what"] == "names written from the right" and one["language"] == "en"
    )
    rendered(case["answer"])
    places = browser.js("""(() => {
      const line = document.querySelector(".answer li"), last = line.lastChild, range = document.createRange();
      range.setStart(last, last.length - 1);
      range.setEnd(last, last.length);
      return [line.querySelector("bdi").getBoundingClientRect().right, range.getBoundingClientRect().left];
    })()""")
    assert places[0] <= places[1] + 12


@pytest.mark.slow
def test_ends_of_bars_are_in_their_places(browser, rendered):
    """Every bar's band, ends and triangle stand at the places of the answer, within the line."""
    for case in VECTORS["verified"]:
        lines = [bar for bar in case["answer"]["bars"] if bar["kind"] == "number"]
        if not lines:
            continue
        rendered(case["answer"])
        found = browser.js("""[...document.querySelectorAll(".bars svg.bar")].map((one) => {
          const at = (part, name) => Number.parseFloat(part.getAttribute(name)) * 100;
          const band = one.querySelector("rect"), caps = [...one.querySelectorAll(".cap")].map((cap) => at(cap, "x1"));
          const ends = band ? [at(band, "x"), at(band, "x") + at(band, "width")] : [caps[0], caps[0]];
          return [...ends, at(one.querySelector("svg"), "x"), band ? caps.length : null].map((n) => n && Math.round(n));
        })""")
        assert found == [
            [bar["low"], bar["high"], bar["you"], sum(bar["caps"]) if bar["low"] < bar["high"] else None]
            for bar in lines
        ]
