"""Recourse on the checking page and in the element: what would have been enough, from one file or from loose ones."""

from dataclasses import replace

import pytest

from equiproof.verifier import parse_bundle
from equiproof.verifier.presented import of_bundle
from equiproof.verifier.recourse import Told, in_words
from equiproof.verifier.words import table
from tests.browser import checker
from tests.browser.browser import DESKTOP, PHONE
from tests.browser.test_axe import judged
from tests.browser.test_boxes import REASON, both
from tests.browser.test_element import INSIDE, ONE
from tests.browser.test_page import BEYOND, LINES, TYPED, UNFOLD, given, heading, told
from tests.support import no_policy
from tests.vectors.generate import bundle_recourse
from tests.vectors.vector import bundle_base

PART = "[part=recourse]"
SAID = "[...%s.querySelectorAll('[part=recourse] > p:not(.legend)')].map((one) => one.textContent)"
BARS = """[...%s.querySelectorAll('[part=recourse] .bars > li')].map((one) =>
  ['.name', '.own', '.span'].map((part) => one.querySelector(part)?.textContent))"""
BANDS = """[...document.querySelectorAll('[part=recourse] .bar')].map((one) => [one.querySelector('.band')?.x,
  one.querySelector('.band')?.width, one.querySelector('svg')?.x].map((at) => at?.baseVal.valueAsString))"""
WHOLE = parse_bundle(bundle_base("recourse"), "mine")


def say(language, name, **texts):
    """Return a sentence of the table with its places filled in."""
    return table()[language][name].format(**texts)


def bundle(**changed):
    """Return the bundle of a refused applicant with two ways, some of its files changed."""
    return replace(WHOLE, **changed).to_bytes()


def without_a_change():
    """Return the bundle of somebody for whom no change within their wishes helps."""
    files = dict(bundle_recourse.NO_WAYS)
    wished = bundle_recourse.none(bundle_recourse.WANTED)
    return bundle(**files | bundle_recourse.answer("none", wished) | {"wishes": wished.files["wishes.json"]})


def wanted(data, language):
    """Return what Python's letter says of a bundle: sentences and bars."""
    presented = of_bundle(parse_bundle(data, "mine"), "mine")
    verified, query = presented.verify(no_policy()), presented.query.features
    ways = []
    for _, _, opened in presented.recourse.boxes:
        names = [feature.name for feature in verified.spec.plain_features]
        changed = [name for name in names if any(str(end) != str(query[name]) for end in opened.ends[name])]
        ways.append((changed, opened.ends))
    kind = "none" if verified.recourse[0][0] == "none" else "way"
    own = presented.recourse.wishes
    wishes = {} if own is None else own.wishes
    found = Told(kind, query, "granted", ways if kind == "way" else (), wishes, proofs=["0" * 64] * len(ways))
    return in_words(verified.spec, found, language)


@pytest.mark.parametrize(("language", "size"), both(("en", PHONE), ("de", PHONE), slow=(("en", DESKTOP),)))
def test_ways_are_said_and_drawn_as_in_a_letter(browser, checking, tmp_path, language, size):
    """Sentence by sentence, bar by bar, from one file; nothing is wider than a phone, and nothing is hard to reach."""
    given(browser, checking, checker.named(bundle()), size, locale=language)
    assert heading(browser) == say(language, "outcome.model_open")
    said = wanted(bundle(), language)
    assert browser.js(f"document.querySelector('{PART} h2').textContent") == said["title"]
    sentences = [*(one["sentence"] for one in said["ways"]), *said["sentences"]]
    assert browser.js(SAID % "document") == told(sentences)
    assert browser.js(BARS % "document") == [
        told([bar["name"], say(language, "label.yours", value=bar["own"]), bar["span"]])
        for one in said["ways"]
        for bar in one["bars"]
    ]
    assert say(language, "recourse.enough") in browser.js(f"document.querySelector('{PART} .legend').textContent")
    drawn = [bar for one in said["ways"] for bar in one["bars"] if bar["kind"] == "number"]
    assert browser.js(BANDS) == [
        [f"{bar['low'] / 100:g}%", f"{(bar['high'] - bar['low']) / 100:g}%", f"{bar['you'] / 100:g}%"] for bar in drawn
    ]
    assert browser.js(LINES % ".checked")[-1] == say(language, "page.recourse_checked")
    never = [say(language, name) for name in ("page.box_later", "recourse.others")]
    assert browser.js(LINES % ".cannot")[:2] == never
    assert say(language, "page.recourse_key") not in browser.js(LINES % ".can")  # the decision's key came along, too
    assert browser.js(BEYOND % size[0]) == []
    judged(browser)
    assert browser.log()["said"] == []


@pytest.mark.parametrize("language", both("de", slow=["en"]))
def test_that_nothing_helps_is_a_sentence(browser, checking, language):
    """Within the applicant's wishes where they had some; there is nothing to draw, and no other change is spoken of."""
    given(browser, checking, checker.named(without_a_change()), PHONE, locale=language)
    said = wanted(without_a_change(), language)
    assert browser.js(f"document.querySelector('{PART} h2').textContent") == said["title"]
    assert browser.js(SAID % "document") == told(said["sentences"])
    assert "wishes" not in said["sentences"][0]
    assert browser.js(f"document.querySelectorAll('{PART} .bars, {PART} .legend').length") == 0
    assert say(language, "recourse.others") not in browser.js(LINES % ".cannot")


def test_a_pinned_key_of_the_decision_leaves_that_of_the_boxes_open(browser, checking):
    """Once the decision's key is compared, what came with the boxes is named on its own."""
    given(browser, checking, checker.named(bundle()))
    key = of_bundle(WHOLE, "mine").key.document.fingerprint
    browser.js(UNFOLD)
    browser.fill(selector=TYPED % "key", text=key)
    browser.press(key="Enter")
    browser.wait(selector=f"main:not(:has({TYPED % 'key'}))")
    assert say("en", "page.recourse_key") in " ".join(browser.js(LINES % ".can"))


def loose(*left, **changed):
    """Return the files as `equiproof recourse` and the owner write them, in folders, but for some of them."""
    names = {
        "certificate.json": "refusal.json", "commitment.json": "commitment.json", "query.json": "query.json",
        "key/metadata.json": "keys/key.json", "key/verifying.key": "keys/verifying.key",
        "recourse/key/metadata.json": "boxes/key.json", "recourse/key/verifying.key": "boxes/verifying.key",
    }  # fmt: skip
    files = dict(replace(WHOLE, **changed).files())
    return [(names.get(name, name), checker.spelled(data)) for name, data in files.items() if name not in left]


def test_loose_files_come_to_the_same(browser, checking):
    """Refusal, query, box certificates and opened boxes in any order: by what they hold, and not by their names."""
    files = loose("context.json")
    for given_files in (files, files[::-1]):
        given(browser, checking, given_files)
        assert sorted(browser.js(SAID % "document")) == sorted(
            told([*(one["sentence"] for one in wanted(bundle(), "en")["ways"]), *wanted(bundle(), "en")["sentences"]])
        )
    boxes = ("recourse/key/metadata.json", "recourse/key/verifying.key")
    given(browser, checking, loose("context.json", *boxes))
    assert heading(browser) == "Files are missing."
    browser.choose(selector=checker.GIVEN, files=[one for one in files if one[0].startswith("boxes/")])
    browser.wait(selector=PART)


@pytest.mark.parametrize(
    ("changed", "reason", "file"),
    [
        ({"way_1_box": WHOLE.way_2_box}, "other-box", "recourse/way-1/certificate.json"),
        (bundle_recourse.answer("way_1", bundle_recourse.ALL_PAIRED), "other-box", "recourse/way-1/certificate.json"),
        ({"query": WHOLE.query.replace(b'"debt":1100', b'"debt":1200')}, "other-query", "query"),
        ({"way_2": bundle_recourse.WAYS[1].files["box.json"]}, "pairings-differ", "recourse/way-2/certificate.json"),
    ],
)
def test_a_lie_about_the_recourse_refuses_the_whole_file(browser, checking, changed, reason, file):
    """Whatever the rest of it is worth: the page shows nothing of what the file claims."""
    given(browser, checking, checker.named(bundle(**changed)))
    assert browser.js(REASON).startswith(f"{reason}: ")
    assert file in browser.js(REASON)
    assert browser.js(f"document.querySelector('{PART}')") is None
    if "way_1" not in changed and "query" not in changed:
        given(browser, checking, loose("context.json", **changed))
        assert browser.js(REASON).startswith(f"{reason}: recourse/way-")
        assert browser.js(f"document.querySelector('{PART}')") is None


def test_the_element_shows_it_and_hands_it_on(browser, lender):
    """In a page of somebody else, on a phone: the same sentences and bars, and `recourse` in the answer for scripts."""
    lender(ONE % ' src="recourse.equiproof" lang="en"', PHONE)
    said = wanted(bundle(), "en")
    assert browser.js(SAID % INSIDE) == told([*(one["sentence"] for one in said["ways"]), *said["sentences"]])
    assert browser.js("said")[0][1]["answer"]["recourse"] == {
        name: said[name] for name in ("title", "ways", "sentences")
    }
    assert browser.js(BEYOND % PHONE[0]) == []
