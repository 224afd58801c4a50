"""The checking page in a real browser: every state, by mouse, keyboard and reader of screens, and nothing leaves it."""

import gzip
import json
import re

import pytest

from equiproof.circuits import field
from equiproof.verifier.answer import Findings, KeyMaking, Pinned, answer
from equiproof.verifier.documents import parse_query
from equiproof.verifier.letter import grouped
from equiproof.verifier.presented import of_bundle, parse_bundle
from equiproof.verifier.words import table
from tests.browser import checker
from tests.browser.browser import DESKTOP, PHONE
from tests.support import no_policy
from tests.vectors.vector import CERTIFICATE, COMMITMENT, QUERY, certificate_base

INTRUDER = """(() => {
  const script = document.createElement("script"), style = document.createElement("style"), image = new Image();
  style.textContent = "body { color: red }";
  image.src = "data:image/gif;base64,R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7";
  const tried = [];
  for (const act of [
    () => { script.textContent = "window.ran = true"; },
    () => { document.body.insertAdjacentHTML("beforeend", "<b id=made></b>"); },
    () => { document.body.innerHTML = "<b id=made></b>"; },
  ]) { try { act(); } catch (error) { tried.push(error.name); } }
  document.body.append(script, style, image);
  document.body.setAttribute("style", "color: red");
  return new Promise((done) => setTimeout(() => done(tried), 100));
})()"""

BEYOND = """[...document.querySelectorAll("body *")]
  .filter((one) => one.getBoundingClientRect().right > %d && !one.closest("svg, .unseen"))
  .map((one) => one.outerHTML.slice(0, 80))"""
TYPED = "#pin-%s"
UNFOLD = "document.querySelectorAll('details').forEach((one) => { one.open = true; })"
SECTIONS = "[...document.querySelectorAll('main section')].map((one) => one.querySelector('h2')?.textContent)"
SENTENCES = "[...document.querySelectorAll('.answer li')].map((one) => one.textContent)"
LINES = "[...document.querySelectorAll('%s li')].map((one) => one.querySelector('p')?.textContent)"
STATES = checker.states()


def told(texts):
    """Return texts as a page shows them."""
    return [re.sub("[\u2068\u2069]", "", text) for text in texts]


def given(browser, page, files, size=DESKTOP, **options):
    """Open the page and give it files."""
    browser.show(page, size, **options)
    browser.choose(selector=checker.GIVEN, files=files)
    browser.wait(selector=checker.OUTCOME)


def heading(browser):
    """Return the one heading of the first level."""
    assert browser.js("document.querySelectorAll('h1').length") == 1
    return browser.js("document.querySelector('h1').textContent")


def wanted(name, language="en", **others):
    """Return what Python answers about the applicant's own bundle, of which nothing is pinned."""
    presented = of_bundle(parse_bundle(checker.bundle(name), "mine"), "mine")
    verified = presented.verify(no_policy())
    found = {
        "pins": Pinned(None, key=False), "query": presented.query.features, "query_found": True,
        "context": presented.context, "context_found": True, "key": KeyMaking.of(verified.key),
    } | others  # fmt: skip
    return answer(
        Findings(verified.spec, verified.statement.label, verified.statement.radius_squared, **found), language
    )


def test_it_is_one_file_under_a_strict_policy(checking):
    """Script and style are named by their digests, everything else is forbidden, and nothing points elsewhere."""
    text = checking.read_text(encoding="utf-8")
    (policy,) = re.findall(r'<meta http-equiv="Content-Security-Policy" content="([^"]+)">', text)
    rules = dict(rule.split(" ", 1) for rule in policy.split("; "))
    assert rules["default-src"] == "'none'"
    assert all(re.fullmatch(r"'sha256-[A-Za-z0-9+/]{43}='", rules[name]) for name in ("script-src", "style-src"))
    assert rules["base-uri"] == rules["form-action"] == rules["trusted-types"] == "'none'"
    body = text.partition("<html")[2]
    assert not re.search(r"\b(?:src|href|action)=\"|url\(|@import|\bstyle=\"|https?://(?!www\.w3\.org/2000/svg)", body)


def test_it_is_small(checking):
    """Its script has at most 164.2 KB, and 59.6 KB compressed; with words, style and licences at most 243 KB."""
    text = checking.read_text(encoding="utf-8")
    (code,) = re.findall(r"<script>(.*?)</script>", text, re.DOTALL)
    assert len(code.encode()) <= 164_200
    assert len(gzip.compress(code.encode(), 9)) <= 59_600
    assert len(text.encode()) <= 243_000
    assert len(gzip.compress(text.encode(), 9)) <= 82_800


def test_a_page_that_is_opened_loads_nothing(browser, checking):
    """It asks for itself alone, complains of nothing, and says what it is for in the reader's language."""
    browser.show(checking)
    assert browser.log() == {"said": [], "asked": [checking.resolve().as_uri()]}
    assert heading(browser) == "Check a certificate"
    browser.show(checking, locale="de-AT")
    assert heading(browser) == "Ein Zertifikat prüfen"
    assert browser.js("document.documentElement.lang") == "de"


def test_the_policy_stops_what_the_page_does_not_bring(browser, checking):
    """No script, style or image that is put into the page works, and no text becomes markup."""
    browser.show(checking)
    before = browser.js("getComputedStyle(document.body).color")
    assert browser.js(INTRUDER) == ["TypeError"] * 3
    assert browser.js("[window.ran === undefined, document.getElementById('made')]") == [True, None]
    assert browser.js("getComputedStyle(document.body).color") == before
    assert browser.js("document.images[0].naturalWidth") == 0


@pytest.mark.parametrize("state", STATES)
def test_each_state_is_told_by_its_heading(browser, checking, state):
    """A file brings its state: one heading, which has the focus and stands where changes are said aloud."""
    given(browser, checking, STATES[state])
    words = {
        "typical": "The proof holds. The model is not confirmed yet.",
        "unknown details": "The proof holds. The model is not confirmed yet.",
        "not valid": "This certificate is not valid.",
        "not enough": "This certificate is not enough.",
        "not one": "This file is not a certificate.",
        "lacking": "Files are missing.",
    }
    assert heading(browser) == words[state]
    assert browser.js("document.activeElement === document.querySelector('[role=status] h1')")
    assert browser.js("document.title") == f"{words[state].rstrip('.')} · Equiproof"
    log = browser.log()
    assert (log["said"], [address for address in log["asked"] if not address.startswith("file:")]) == ([], [])
    assert browser.js("document.querySelectorAll('[style], [onclick], [onerror]').length") == 0


@pytest.mark.parametrize("name", ["loans", "logarithms"])
@pytest.mark.parametrize("language", ["en", "de"])
def test_the_page_says_what_python_says(browser, checking, language, name):
    """Outcome, sentences, bars and lists are those of the answer in Python, in either language."""
    given(browser, checking, checker.named(checker.bundle(name)), locale=language)
    found = wanted(name, language)
    assert heading(browser) == found["heading"]
    assert browser.js("document.querySelector('.verdict p').textContent") == found["below"][0]
    assert browser.js(SENTENCES) == told(found["sentences"])
    assert browser.js("[...document.querySelectorAll('.bars .span')].map((one) => one.textContent)") == told(
        bar["span"] for bar in found["bars"]
    )
    assert browser.js(LINES % ".checked") == told(found["checked"])
    left = browser.js(LINES % ".can")
    assert [text.removeprefix("Important: ").removeprefix("Wichtig: ") for text in left] == told(
        one["text"] for one in found["not_checked"]
    )
    assert browser.js(LINES % ".cannot") == told(found["never_shown"])


@pytest.mark.slow
def test_the_language_is_changed_in_place(browser, checking):
    """Another language shows the same outcome, and the button keeps the focus."""
    given(browser, checking, STATES["typical"])
    browser.click(selector=".lang [lang=de]")
    assert browser.js(SENTENCES) == told(wanted("loans", "de")["sentences"])
    assert browser.js("[document.activeElement.lang, document.documentElement.lang]") == ["de", "de"]


def test_bars_are_where_the_answer_puts_them(browser, checking):
    """Geometry stands in attributes, in percent of the line."""
    given(browser, checking, STATES["typical"])
    bar = wanted("loans")["bars"][0]
    band = browser.js("(({ x, width }) => [x.baseVal, width.baseVal].map((one) => one.valueAsString))"
                      "(document.querySelector('.bars .band'))")  # fmt: skip
    assert band == [f"{bar['low'] / 100:g}%", f"{(bar['high'] - bar['low']) / 100:g}%"]
    assert browser.js("document.querySelector('.bars svg svg').x.baseVal.valueAsString") == f"{bar['you'] / 100:g}%"
    assert browser.js("document.querySelectorAll('.bars .cap').length") == sum(bar["caps"])


@pytest.mark.parametrize("own", [True, False])
@pytest.mark.parametrize("language", ["en", "de"])
def test_logarithms_on_a_phone(browser, checking, language, own):
    """Ends of bars, and factors where details are unknown, are said as in Python, and nothing is cut."""
    given(browser, checking, checker.named(checker.bundle("logarithms", own=own)), PHONE, locale=language)
    unknown = {"query": None, "query_found": False, "context": None, "context_found": False}
    found = wanted("logarithms", language, **({} if own else unknown))
    spans = browser.js("[...document.querySelectorAll('.bars .span, .facts.short dd')].map((one) => one.textContent)")
    assert spans == told(bar["span"] for bar in found["bars"])
    assert browser.js("document.querySelectorAll('.bars .band').length") == 2 * own
    assert browser.js(BEYOND % (PHONE[0] + 1)) == []


def test_a_model_is_pinned_by_its_fingerprint(browser, checking):
    """The digits of the file's own model make it the lender's; others are said to be others; fewer are counted."""
    given(browser, checking, STATES["typical"])
    model = json.loads(certificate_base("loans")[CERTIFICATE])["statement"]["model_commitment"]
    box = TYPED % "model"
    browser.click(selector=".verdict a")
    assert browser.js("document.activeElement.id") == "pin-model"
    browser.fill(selector=box, text=model[:60])
    browser.press(key="Enter")
    assert "This has 60." in browser.js("document.querySelector('#said-model').textContent")
    other = f"{int(model, 16) ^ 1:064x}"
    browser.fill(selector=box, text=other)
    browser.press(key="Enter")
    said = "That is another fingerprint. Ask the lender why before you rely on this certificate."
    assert browser.js("document.querySelector('#said-model').textContent") == said
    assert browser.js("document.querySelector('[role=status] .said').textContent") == said
    assert browser.js(f"[document.activeElement.id, document.querySelector('{box}').ariaInvalid]") == [
        "pin-model",
        "true",
    ]
    assert heading(browser) == "The proof holds. The model is not confirmed yet."
    browser.click(selector=".lang [lang=de]")
    assert "ein anderer Fingerabdruck" in browser.js("document.querySelector('[role=status] .said').textContent")
    browser.click(selector=".lang [lang=en]")
    browser.click(selector=".verdict a")
    whole = " ".join(model[at : at + 4].upper() for at in range(0, 64, 4))
    browser.fill(selector=box, text=f" {whole}\u00a0")
    browser.press(key="Enter")
    pinned = wanted("loans", pins=Pinned("fingerprint", key=False))
    assert heading(browser) == pinned["heading"] == "The proof holds. Who made the key is open."
    assert browser.js(SENTENCES) == told(pinned["sentences"])
    assert browser.js("document.querySelector('#pin-model')") is None


def test_the_beginning_that_a_letter_shows_is_compared_and_pins_nothing(browser, checking):
    """Its 16 digits are accepted, of model and certificate; the page says what 64 bits assure; others are others."""
    given(browser, checking, STATES["typical"])
    browser.js(UNFOLD)
    verified = of_bundle(parse_bundle(checker.bundle(), "mine"), "mine").verify(no_policy())
    model, identity = field.to_hex(verified.statement.model_commitment), verified.identity
    said, box = "document.querySelector('#said-model').textContent", TYPED % "model"
    for text, wanted_words in (
        (grouped(model), "page.digits_alike"),
        (grouped(identity), "page.digits_certificate"),
        (identity, "page.digits_certificate"),
        (f"{int(model[:16], 16) ^ 1:016x}", "page.different_model"),
        (grouped(model), "page.digits_alike"),
    ):
        browser.fill(selector=box, text=text)
        browser.press(key="Enter")
        assert browser.js(said) == table()["en"][wanted_words]
        different = wanted_words == "page.different_model"
        assert browser.js(f"document.querySelector('{box}').ariaInvalid") == str(different).lower()
        assert browser.js("document.querySelectorAll('.verdict .said').length") == different
        assert heading(browser) == "The proof holds. The model is not confirmed yet."
    browser.fill(selector=box, text=model[:17])
    browser.press(key="Enter")
    assert browser.js(said) == table()["en"]["page.no_digits"].format(n=17)
    browser.fill(selector=TYPED % "key", text=model[:16])
    browser.press(key="Enter")
    assert "has 64 digits" in browser.js("document.querySelector('#said-key').textContent")


def test_a_ceremonys_key_is_pinned_by_its_transcript(browser, checking):
    """With the model's digits and those of the ceremony's transcript, the certificate is valid; state `pinned`."""
    from tests.vectors.vector import bundle_base

    data = bundle_base("ceremony")
    presented = of_bundle(parse_bundle(data, "ceremony"), "ceremony")
    given(browser, checking, checker.named(data))
    browser.js(UNFOLD)
    browser.fill(selector=TYPED % "key", text=presented.key.document.fingerprint)
    browser.press(key="Enter")
    assert browser.js("document.querySelector('#said-key').textContent").startswith("That is another key.")
    for what, name in (
        ("model", presented.commitment.model_commitment),
        ("key", presented.key.document.transcript),
    ):
        browser.js(UNFOLD)
        browser.fill(selector=TYPED % what, text=name)
        browser.press(key="Enter")
    assert heading(browser) == "The certificate is valid."
    assert browser.js("document.querySelector('.verdict').className") == "verdict valid"


def test_companions_are_taken_one_after_the_other(browser, checking):
    """A certificate alone waits for its files; what was given stays, until everything is there."""
    given(browser, checking, checker.loose("loans", CERTIFICATE))
    assert "commitment.json" in browser.js("document.querySelector('.panel').textContent")
    browser.choose(selector=checker.GIVEN, files=checker.loose("loans", COMMITMENT, QUERY))
    browser.wait(selector=".panel")
    assert heading(browser) == "Files are missing."
    rest = [(name, data) for name, data in checker.loose("loans") if name.startswith("keys/")]
    browser.choose(selector=checker.GIVEN, files=rest)
    browser.wait(selector=".answer")
    assert heading(browser) == "The proof holds. The model is not confirmed yet."
    assert browser.js("document.querySelectorAll('.bars .own').length") == 2


@pytest.mark.slow
def test_an_own_query_beside_a_public_bundle_is_the_readers(browser, checking):
    """A query file that does not come with the certificate is checked against it, and is the reader's own."""
    files = [*checker.named(checker.bundle(own=False)), *checker.loose("loans", QUERY)]
    given(browser, checking, files)
    query = parse_query(certificate_base("loans")[QUERY], "query")
    found = wanted("loans", query=query.features, query_found=False, context=None, context_found=False)
    assert browser.js(LINES % ".checked") == told(found["checked"])


@pytest.mark.slow
def test_a_text_is_pasted(browser, checking):
    """The base64 of a bundle is one; the text of a certificate waits for its files; other text is none."""
    for text, words in (
        (checker.spelled(checker.bundle()), "The proof holds. The model is not confirmed yet."),
        (certificate_base("loans")[CERTIFICATE].decode(), "Files are missing."),
        ("what is this", "This file is not a certificate."),
    ):
        browser.show(checking)
        browser.click(selector="summary")
        browser.fill(selector="#paste", text=text)
        browser.click(selector="form button")
        browser.wait(selector=checker.OUTCOME)
        assert heading(browser) == words


def test_files_are_dropped_anywhere(browser, checking):
    """A file that is dropped on the page is checked, in any state; the page shows where it would land."""
    browser.show(checking)
    drop = """(async () => {
      const held = new DataTransfer();
      held.items.add(new File([Uint8Array.from(atob(%s), (sign) => sign.charCodeAt(0))], "mine.equiproof"));
      const send = (kind) => document.body.dispatchEvent(
        new DragEvent(kind, { dataTransfer: held, bubbles: true, cancelable: true }));
      const taken = !send("dragover");
      const over = document.querySelector(".over") !== null;
      return [taken, over, !send("drop"), document.querySelector(".over")];
    })()"""
    for data in (checker.bundle(), checker.forged()):
        assert browser.js(drop % json.dumps(checker.spelled(data))) == [True, True, True, None]
        browser.wait(selector=".panel")
        browser.wait(selector="[role=status] .verdict h1")
    assert heading(browser) == "This certificate is not valid."


def test_an_invalid_certificate_shows_nothing_that_it_claims(browser, checking):
    """Neither label nor feature nor value stands on the page, and the technical reason is folded away."""
    given(browser, checking, STATES["not valid"])
    text = browser.js("document.querySelector('main').textContent")
    assert not re.search(r"granted|income|58,058|EUR", text)
    assert "commitment-not-opened" in text
    assert browser.js("document.querySelector('details').open") is False


def test_the_technical_reason_is_in_the_readers_language(browser, checking):
    """It is German on a German page, and changes with the language; the reason's name stays."""
    given(browser, checking, STATES["not valid"], locale="de")
    said = "document.querySelector('[part=technical] dd').textContent"
    german = "commitment-not-opened: der Beweis stimmt nicht: Er öffnet seine Festlegung nicht"
    assert browser.js(said) == german
    browser.click(selector=".lang [lang=en]")
    assert browser.js(said) == "commitment-not-opened: the proof does not hold: it does not open its commitment"
    browser.click(selector=".lang [lang=de]")
    assert browser.js(said) == german


def test_a_gain_certificate_is_refused_by_its_name(browser, checking):
    """It is found among the files, and named in the reader's language."""
    given(browser, checking, [*checker.loose("loans", COMMITMENT), *checker.named(checker.gain(), "gain.json")])
    assert heading(browser) == "This file is not a certificate."
    said = "document.querySelector('[part=technical] dd').textContent"
    english = "gain.json: this is a gain certificate, want a certificate: verify it with `equiproof gain verify`"
    assert browser.js(said) == f"wrong-fields: {english}"
    browser.click(selector=".lang [lang=de]")
    german = "gain.json: Das ist ein Vorsprungszertifikat, erwartet ist ein Zertifikat"
    assert browser.js(said).startswith(f"wrong-fields: {german}")


@pytest.mark.parametrize(
    "state", ["typical", *(pytest.param(one, marks=pytest.mark.slow) for one in ("start", *STATES) if one != "typical")]
)
def test_a_phone_shows_everything(browser, checking, state):
    """At 360 pixels, and at 640 with letters of twice the size, nothing is cut or stands outside the window."""
    if state == "start":
        browser.show(checking, PHONE)
    else:
        given(browser, checking, STATES[state], PHONE)
    browser.js(UNFOLD)
    for width, zoom in ((PHONE[0], 1), (640, 2)):
        browser.size(width=width, height=PHONE[1])
        browser.js(f"document.documentElement.style.fontSize = '{zoom * 100}%'")
        assert browser.js("document.documentElement.scrollWidth") <= width
        assert browser.js(BEYOND % (width + 1)) == []


@pytest.mark.parametrize("language", ["en", "de"])
def test_two_screens_of_a_phone_hold_what_matters(browser, checking, language):
    """Outcome, sentences, picture and all open points of a certificate end within two screens of 360 by 740 pixels."""
    given(browser, checking, STATES["typical"], PHONE, locale=language)
    ends = (
        "Math.max(...[...document.querySelectorAll('%s')].map((one) => one.getBoundingClientRect().bottom)) + scrollY"
    )
    parts = [browser.js(ends % part) for part in (".verdict", ".answer", ".bars", ".can")]
    assert parts == sorted(parts)
    assert parts[-1] <= 2 * PHONE[1]
    assert browser.js(ends % ".checked") > parts[-1]


def test_a_finger_chooses_the_file(browser, checking):
    """Where nothing can be dropped, the page speaks of no dropping: one button chooses the file."""
    shown = "document.querySelector('.drop .mouse').getClientRects().length"
    browser.show(checking, PHONE, touch=True)
    assert browser.js(shown) == 0
    assert browser.js("document.querySelector('.drop button').textContent") == "Choose the file"
    browser.show(checking)
    assert browser.js(shown) == 1


def test_the_whole_way_by_keyboard(browser, checking):
    """From the top by the tab key alone: languages, choice, both folds; later comparison, print, another file, fold."""
    browser.show(checking)
    seen = []
    for _ in range(5):
        browser.press(key="Tab")
        seen.append(browser.js("document.activeElement.textContent"))
    said = table()["en"]
    assert seen == ["English", "Deutsch", said["page.choose"], said["page.paste"], said["page.about"]]
    given(browser, checking, STATES["typical"])
    seen = []
    for _ in range(7):
        browser.press(key="Tab")
        seen.append(browser.js("document.activeElement.id || document.activeElement.textContent"))
    folded, last = said["page.compare_fold"], [said["page.print"], said["page.another"], said["label.everything"]]
    assert seen == [said["page.compare_now"], folded, folded, *last, seen[-1]]
    browser.js("document.querySelector('.verdict a').focus()")
    browser.press(key="Enter")
    assert browser.js("document.activeElement.id") == "pin-model"
    browser.press(key="Tab")
    assert browser.js("document.activeElement.textContent") == said["page.compare"]


def test_a_reader_of_screens_hears_words_alone(browser, checking):
    """The tree that is read aloud has the outcome, named parts, and no picture."""
    given(browser, checking, STATES["typical"])
    browser.js(UNFOLD)
    tree = browser.tree(selector="main")
    assert re.search(r"status:\n\s+- heading \"The proof holds. The model is not confirmed yet.\" \[level=1\]", tree)
    for name in ("What it says", "How far each detail could differ", "Checked", "Not checked yet"):
        assert f'region "{name}"' in tree
    assert (
        'textbox "The model’s digits: all 64 from the lender’s website or the register, or the first 16 from a letter"'
        in tree
    )
    assert "Important:" in tree
    assert not re.search(r"- img|graphic", tree)


def test_it_prints(browser, checking, tmp_path):
    """On paper there are the outcome, the bars, the lists and the names in full, and no controls; two pages at most."""
    given(browser, checking, STATES["typical"])
    browser.pdf(path=str(tmp_path / "page.pdf"))
    assert len(re.findall(rb"/Type\s*/Page\b", (tmp_path / "page.pdf").read_bytes())) <= 2
    browser.media(media="print")
    shown = "[...document.querySelectorAll('%s')].filter((one) => one.getClientRects().length).length"
    assert browser.js(shown % "button, input, summary, .lang") == 0
    assert browser.js(shown % ".printonly, .bars li, .answer li, .lists section") == 1 + 2 + 3 + 3
