"""Box certificates on the checking page and in the element: who is in the box, what is left, and what is refused."""

import json
import re

import pytest

from equiproof.circuits import tables
from equiproof.verifier.words import table
from tests.browser import boxes, checker
from tests.browser.browser import DESKTOP, PHONE
from tests.browser.test_axe import judged
from tests.browser.test_element import INSIDE, ONE, OUTCOME
from tests.browser.test_page import BEYOND, LINES, SENTENCES, TYPED, UNFOLD, given, heading
from tests.vectors.vector import CERTIFICATE, COMMITMENT, CONTEXT, KEY, VERIFYING
from tests.web.box_files import OPENED, Case
from tests.web.test_said import OPTIONS

NAMES = "[...%s.querySelectorAll('.bars .name, .facts.short dt')].map((one) => one.textContent)"
SPANS = "[...%s.querySelectorAll('.bars .span, .facts.short dd')].map((one) => one.textContent)"
REASON = "document.querySelector('[part=technical] dd').textContent"
LEFT = "[...document.querySelectorAll('.left li')].map((one) => one.textContent)"
"""What the page lists in the words of the verifiers."""


def both(*quick, slow):
    """Return cases of which some are slow tests."""
    return [
        *quick,
        *(pytest.param(*(one if isinstance(one, tuple) else (one,)), marks=pytest.mark.slow) for one in slow),
    ]


def say(language, name, **texts):
    """Return a sentence of the table with its places filled in."""
    return table()[language][name].format(**texts)


def python(files, policy=None):
    """Return what Python's verifier says of files, as a page has their names."""
    renamed = {{CERTIFICATE: "box.json"}.get(name, name): data for name, data in files.items()}
    return Case(renamed, policy or {}).judged()


@pytest.mark.parametrize(
    ("language", "disclosed"), both(("en", False), ("de", True), slow=(("en", True), ("de", False)))
)
def test_an_opened_box_is_shown_detail_by_detail(browser, checking, language, disclosed):
    """The label, each detail in its words, what varies before what is fixed; from a file or from the certificate."""
    files = boxes.contents(None if disclosed else boxes.OWN, disclosed=disclosed)
    given(browser, checking, boxes.given(files), locale=language)
    assert heading(browser) == say(language, "outcome.model_open")
    assert browser.js(SENTENCES) == [
        say(language, "page.box_one", label="refused", features="sex (female, male)"),
        say(language, "page.box_shown"),
        say(language, "page.box_outside"),
    ]
    said = boxes.said(language)
    assert dict(zip(browser.js(NAMES % "document"), browser.js(SPANS % "document"), strict=True)) == said
    assert browser.js("document.querySelectorAll('.bars > li').length") == 6
    parts = browser.js("[...document.querySelectorAll('h3')].map((one) => one.textContent)")
    assert parts == [say(language, "page.box_varies"), say(language, "page.box_fixed")]
    came = say(language, "page.box_checked_found" if disclosed else "page.box_checked")
    assert browser.js(LINES % ".checked")[-1] == came
    assert browser.js(LINES % ".cannot")[:2] == [say(language, name) for name in ("page.box_whose", "page.box_later")]
    assert browser.log()["said"] == []


def test_numbers_and_values_are_drawn(browser, checking):
    """A number's bar is on the line of what the lender lists, with no mark of an own value; values inside stand out."""
    given(browser, checking, boxes.given(boxes.contents()))
    bands = browser.js("[...document.querySelectorAll('.bars .band')].map("
                       "({ x, width }) => [x, width].map((one) => one.baseVal.valueAsString))")  # fmt: skip
    low = -(-(2410 - 600) * 10_000 // (12_000 - 600)) / 100
    assert bands[:2] == [[f"{low:g}%", f"{100 - low:g}%"], ["0%", "2.5%"]]
    assert browser.js("document.querySelectorAll('.bars .you').length") == 0
    assert "yours" not in browser.js("document.querySelector('.legend').textContent")
    inside = "[...document.querySelectorAll('.values .in')].map((one) => one.textContent)"
    assert browser.js(inside) == ["secondary", "vocational", "bachelor", "car", "furniture"]


@pytest.mark.parametrize("language", both("en", slow=["de"]))
def test_a_box_that_nobody_opened_is_said_to_be_hidden(browser, checking, language):
    """The certificate is checked, says that it names no box, and takes the opened box later; a wrong one, too."""
    files = boxes.contents(None)
    given(browser, checking, boxes.given(files), locale=language)
    assert heading(browser) == say(language, "outcome.model_open")
    assert browser.js(SENTENCES)[1] == say(language, "page.box_hidden")
    assert say(language, "page.box_open") in browser.js(LINES % ".can")
    assert browser.js(LINES % ".cannot")[0] == say(language, "page.box_whose_unknown")
    assert say(language, "never.missing") not in browser.js(LINES % ".cannot")
    assert browser.js("document.querySelectorAll('.bars, .facts.short').length") == 0
    browser.js(UNFOLD)
    browser.fill(selector=TYPED % "model", text=json.loads(files[COMMITMENT])["model_commitment"])
    browser.press(key="Enter")
    browser.choose(selector=checker.GIVEN, files=boxes.alone(boxes.OTHER))
    browser.wait(selector="[part=technical]")
    assert heading(browser) == say(language, "outcome.not-enough")
    browser.choose(selector=checker.GIVEN, files=boxes.alone(boxes.OWN))
    browser.wait(selector=".bars")
    assert browser.js(SPANS % "document") == list(boxes.said(language).values())
    # What was compared before stays compared.
    assert heading(browser) == say(language, "outcome.key_open")


def test_files_come_one_after_the_other(browser, checking):
    """An opened box waits for its certificate, and that for the rest; nothing says that one file holds them all."""
    files = boxes.contents()
    rest = [name for name in files if name not in {CERTIFICATE, OPENED}]
    given(browser, checking, boxes.alone(boxes.OWN))
    said = browser.js("document.querySelector('.panel').textContent")
    assert said.startswith("This is an opened box, and its certificate is not among the files.")
    assert "certificate.json" in said
    browser.choose(selector=checker.GIVEN, files=boxes.given(files, CERTIFICATE))
    browser.wait(selector=".panel")
    said = browser.js("document.querySelector('.panel').textContent")
    assert said.startswith("This is a certificate, but it came alone.")
    assert "commitment.json" in said
    assert ".equiproof" not in said
    browser.choose(selector=checker.GIVEN, files=boxes.given(files, *rest))
    browser.wait(selector=".bars")
    assert browser.js(SPANS % "document") == list(boxes.said("en").values())


def test_only_an_opened_box_joins_the_files_before_it(browser, checking):
    """Another certificate takes the place of all files, and so does an opened box where no box certificate was."""
    given(browser, checking, boxes.given(boxes.contents(None)))
    for first, added in (
        (None, boxes.given(boxes.contents(), CERTIFICATE)),
        (checker.named(checker.bundle()), boxes.alone(boxes.OWN)),
    ):
        if first:
            given(browser, checking, first)
        browser.choose(selector=checker.GIVEN, files=added)
        browser.wait(selector=".verdict.not-a-certificate")
        assert heading(browser) == "Files are missing."


def test_the_later_of_two_certificates_counts(browser, checking):
    """Whether it is about a decision or a box."""
    decision, box = checker.loose("loans", CERTIFICATE, COMMITMENT, KEY, VERIFYING), boxes.given(boxes.contents())
    for files, about_a_box in (([*decision, *box], True), ([*box, *decision], False)):
        given(browser, checking, files)
        assert heading(browser) == "The proof holds. The model is not confirmed yet."
        assert browser.js("document.querySelector('.left') !== null") == about_a_box


@pytest.mark.parametrize(("language", "opened"), both(("en", False), slow=[("de", True)]))
def test_what_is_left_is_listed_as_in_python(browser, checking, language, opened):
    """What the verifiers list, in their words, stands below everything else, and follows the language."""
    files = boxes.contents(boxes.OWN if opened else None)
    given(browser, checking, boxes.given(files), locale=language)
    for spoken in (language, "de" if language == "en" else "en"):
        browser.click(selector=f".lang [lang={spoken}]")
        with tables.speaking(spoken):
            wanted = python(files)["value"]
            came = [
                tables.say("unproven.compare_digits", sentence=tables.say("unproven.commitment_that_came")),
                tables.say("unproven.key_that_came"),
            ]
        left = [OPTIONS.sub("", line) for line in [*came, *wanted["notMade"]]]
        assert browser.js(LEFT) == left
        assert (
            browser.js("document.querySelector('.left').previousElementSibling.previousElementSibling.textContent")
            == (wanted["sentence"])
        )


REFUSED = {
    "another opened box": (lambda: boxes.contents(boxes.OTHER), "not-enough"),
    "another blinding": (lambda: boxes.contents(boxes.REBLINDED), "not-enough"),
    "a key of decisions": (boxes.under_another_key, "not-valid"),
    "another box commitment": (lambda: boxes.contents(box_commitment=3), "not-enough"),
    "another context": (lambda: boxes.contents(context=True, context_digest=3), "not-enough"),
    "another label": (boxes.under_another_label, "not-valid"),
    "an opened box without a detail": (lambda: boxes.contents(boxes.LACKING), "not-valid"),
}


@pytest.mark.parametrize("language", both("en", slow=["de"]))
def test_refusals_have_the_reasons_and_messages_of_python(browser, checking, language):
    """Of files that do not belong together, or say what is not proven: the reason, and the line in either language."""
    browser.show(checking, locale=language)
    for what, (made, outcome) in REFUSED.items():
        files = made()
        browser.js("document.querySelector('main').id = 'before', 0")
        browser.choose(selector=checker.GIVEN, files=boxes.given(files))
        browser.wait(selector="main:not(#before) [part=technical]")
        with tables.speaking(language):
            wanted = python(files, {"context": True} if CONTEXT in files else {})
        message = re.sub("-[0-9a-f]{8}(?= (?:proves|des))", "", wanted["message"]).replace("box.json", CERTIFICATE)
        assert browser.js(REASON) == f"{wanted['reason']}: {message}", what
        assert heading(browser) == say(language, f"outcome.{outcome}"), what
        shown = browser.js("document.querySelector('main').textContent")
        assert not re.search("income|12[,.]000|refused", shown.partition(OPENED)[0]), what


def test_a_context_and_pins_are_those_of_other_certificates(browser, checking):
    """A context among the files is checked as one that came along; digits of the model and the key are compared."""
    files = boxes.contents(context=True)
    given(browser, checking, boxes.given(files))
    assert any("It was made for the decision that came with it" in line for line in browser.js(LINES % ".checked"))
    fingerprint = json.loads(files[CERTIFICATE])["key"]["fingerprint"]
    for what, name in (("model", json.loads(files[COMMITMENT])["model_commitment"]), ("key", fingerprint)):
        browser.js(UNFOLD)
        browser.fill(selector=TYPED % what, text=name)
        browser.press(key="Enter")
    assert "It was made under a key that you trust." in browser.js(LINES % ".checked")
    assert heading(browser) == "The proof holds. Who made the key is open."


@pytest.mark.parametrize(("language", "opened"), both(("de", True), slow=(("en", True), ("en", False), ("de", False))))
def test_on_a_phone(browser, checking, language, opened):
    """At 360 pixels, and at 640 with letters of twice the size, nothing is cut or stands outside the window."""
    given(browser, checking, boxes.given(boxes.contents(boxes.OWN if opened else None)), PHONE, locale=language)
    browser.js("document.querySelectorAll('details').forEach((one) => { one.open = true; })")
    for width, zoom in ((PHONE[0], 1), (640, 2)):
        browser.size(width=width, height=PHONE[1])
        browser.js(f"document.documentElement.style.fontSize = '{zoom * 100}%'")
        assert browser.js("document.documentElement.scrollWidth") <= width
        assert browser.js(BEYOND % (width + 1)) == []


@pytest.mark.parametrize("opened", both(True, slow=[False]))
def test_it_prints(browser, checking, tmp_path, opened):
    """On paper stand the sentences, every detail, the lists and the names, and no control; two pages at most."""
    given(browser, checking, boxes.given(boxes.contents(boxes.OWN if opened else None)))
    browser.pdf(path=str(tmp_path / "page.pdf"))
    assert len(re.findall(rb"/Type\s*/Page\b", (tmp_path / "page.pdf").read_bytes())) <= 2
    browser.media(media="print")
    shown = "[...document.querySelectorAll('%s')].filter((one) => one.getClientRects().length).length"
    assert browser.js(shown % "button, input, summary, .lang") == 0
    assert browser.js(shown % ".bars > li, .facts.short dt") == len(boxes.ENDS) * opened
    assert browser.js(shown % ".printonly, .answer li, .lists section") == 1 + 3 + 3


@pytest.mark.slow
def test_nothing_stops_people_with_disabilities(browser, checking):
    """Axe finds nothing, everything unfolded, with an opened box on a phone and without one."""
    for opened, size in ((boxes.OWN, PHONE), (None, DESKTOP)):
        given(browser, checking, boxes.given(boxes.contents(opened)), size)
        browser.js("document.querySelectorAll('details').forEach((one) => { one.open = true; })")
        judged(browser)


def shown_by(browser, files, attributes=""):
    """Have the element check loose files, and return the event that it tells with its detail."""
    browser.js(f"document.querySelector('main').innerHTML = `{ONE % attributes}`; said.length = 0")
    loose = json.dumps({name: list(data) for name, data in files.items()})
    browser.js("document.querySelector('equiproof-certificate').bytes = "
               f"Object.fromEntries(Object.entries({loose}).map(([n, d]) => [n, Uint8Array.from(d)]))")  # fmt: skip
    browser.js("new Promise((done) => { const look = () => (said.length ? done() : setTimeout(look, 5)); look(); })")
    return browser.js("said.at(-1)")


@pytest.mark.parametrize("language", both("de", slow=["en"]))
def test_the_element_shows_boxes(browser, lender, language):
    """Files by their names: the box stands open, each detail in its words, on a phone, and the page is told."""
    lender(ONE % ' src="missing.equiproof"', PHONE)
    files = boxes.contents()
    kind, detail = shown_by(browser, files, f' lang="{language}"')
    assert (kind, detail["answer"]["outcome"], detail["answer"]["language"]) == ("verified", "open", language)
    assert detail["identity"] == python(files)["value"]["identity"]
    assert detail["model"] == json.loads(files[COMMITMENT])["model_commitment"]
    assert browser.js(f"{INSIDE}.querySelector('[part=room]').open") is True
    assert browser.js(SPANS % INSIDE) == list(boxes.said(language).values())
    assert [bar["kind"] for bar in detail["answer"]["bars"]] == ["number"] * 4 + ["category"] * 2 + ["none"] * 3
    assert {bar.get("you") for bar in detail["answer"]["bars"]} == {None}
    browser.js(f"{INSIDE}.querySelectorAll('details').forEach((one) => {{ one.open = true; }})")
    assert browser.js("document.documentElement.scrollWidth") == PHONE[0]
    kind, detail = shown_by(browser, boxes.contents(None), f' lang="{language}"')
    assert (kind, detail["answer"]["bars_heading"], detail["answer"]["bars"]) == ("verified", None, [])
    assert browser.js(f"{INSIDE}.querySelector('[part=room]')") is None
    kind, detail = shown_by(browser, boxes.contents(boxes.OTHER), f' lang="{language}"')
    with tables.speaking(language):
        assert (kind, detail["answer"]["technical"]) == ("refused", python(boxes.contents(boxes.OTHER))["message"])


@pytest.mark.parametrize(
    ("attributes", "kind", "outcome"),
    both(
        (' opened="box/opened.json"', "verified", "The proof holds. Who made the key is open."),
        slow=[
            ("", "verified", "The proof holds. Who made the key is open."),
            (' opened="box/other.json"', "refused", "This certificate is not enough."),
            (' opened="box/commitment.json"', "refused", "This file is not a certificate."),
            (' opened="box/nothing.json"', "unavailable", "The certificate could not be loaded."),
            (' minimum="0.5"', "unavailable", "The certificate could not be loaded."),
        ],
    ),
)
def test_attributes(browser, lender, attributes, kind, outcome):
    """An address of the opened box counts like one of its bytes; no box has a least radius."""
    lender(ONE % f' src="box/certificate.json" commitment="box/commitment.json" keys="box/keys/key"{attributes}')
    ((found, detail),) = browser.js("said")
    assert (found, browser.js(OUTCOME)[: len(outcome)]) == (kind, outcome)
    if kind == "verified":
        assert len(detail["answer"]["bars"]) == (len(boxes.ENDS) if attributes else 0)
