"""Certificates of kept models on the checking page and in the element: with their links, and what they say without."""

import pytest

from equiproof.verifier.documents import parse_key, parse_link_key
from equiproof.verifier.link import parse_link
from tests.browser import checker
from tests.browser.test_element import INSIDE
from tests.browser.test_page import given, heading
from tests.linked_cases import KEY, LINK_KEY, bundle_of, kept_bundles
from tests.vectors.generate.linked import ceremonies

KEPT = checker.kept()
LINKED = ("link.json", "keys/link/link-key.json", "keys/link/verifying.key")
"""What a certificate of a kept model needs besides what every certificate needs."""

HOLDS = "The proof holds. The model is not confirmed yet."


def loose(*left_out):
    """Return the files but some, as somebody gives them who has all of them in one folder."""
    return [
        (path.replace("/", "-"), checker.spelled(data))
        for path, data in KEPT.items()
        if path not in ("mine.equiproof", *left_out)
    ]


def test_a_bundle(browser, checking):
    """A bundle holds its link: the proof holds, and one key after the other is compared: one name does not pin both."""
    given(browser, checking, checker.named(KEPT["mine.equiproof"]))
    assert heading(browser) == HOLDS
    link_key = parse_link(KEPT["link.json"], "link.json").link_key.fingerprint
    key = parse_key(KEPT["keys/key/key.json"], "key.json").fingerprint
    assert fields(browser) == ["pin-model", "pin-key"]
    compare(browser, "pin-key", link_key)
    assert "That is another key." in browser.js("document.querySelector('main').textContent")
    compare(browser, "pin-key", key)
    assert fields(browser) == ["pin-model", "pin-link_key"]
    assert "The key came with the certificate itself" in browser.js("document.querySelector('main').textContent")
    compare(browser, "pin-link_key", key)
    assert "That is another key of the link." in browser.js("document.querySelector('main').textContent")
    compare(browser, "pin-link_key", link_key)
    assert fields(browser) == ["pin-model"]
    assert "The key came with the certificate itself" not in browser.js("document.querySelector('main').textContent")


def test_keys_of_ceremonies(browser, checking):
    """Both transcripts are compared, one after the other, and the first alone refuses nothing."""
    ((name, case), *_) = ceremonies()
    assert name == "both"
    given(browser, checking, checker.named(bundle_of(case)))
    own, links = parse_key(case.files[KEY], KEY), parse_link_key(case.files[LINK_KEY], LINK_KEY)
    compare(browser, "pin-key", own.transcript)
    assert heading(browser) == HOLDS
    compare(browser, "pin-link_key", links.transcript)
    assert fields(browser) == ["pin-model"]


def fields(browser):
    """Return the fields in which something is compared."""
    return browser.js("[...document.querySelectorAll('form input[id^=pin-]')].map(({ id }) => id)")


def compare(browser, field, digits):
    """Compare digits in a field of the page."""
    browser.js(
        f"(() => {{ const one = document.getElementById('{field}'); one.value = '{digits}';"
        "one.form.requestSubmit(); })()"
    )


@pytest.mark.parametrize("language", ["en", "de"])
def test_what_is_missing_is_named(browser, checking, language):
    """Without its link a certificate is not checked: what is missing is named, and then checked with what was given."""
    given(browser, checking, loose(*LINKED), locale=language)
    title, names = {
        "en": ("Files are missing.", ("the link to the lender", "link-key.json", "the link’s key itself")),
        "de": ("Es fehlen Dateien.", ("die Verknüpfung mit dem Modell", "link-key.json", "Verknüpfung selbst")),
    }[language]
    assert heading(browser) == title
    said = browser.js("document.querySelector('.panel p').textContent")
    assert all(name in said for name in names), said
    browser.choose(selector=checker.GIVEN, files=[(name, checker.spelled(KEPT[name])) for name in LINKED])
    browser.wait(selector=".bars")
    assert "key.json" not in browser.js("document.querySelector('.panel').textContent")


@pytest.mark.parametrize("left_out", LINKED)
def test_each_is_missed(browser, checking, left_out):
    """Any one of the three is enough to leave a certificate unchecked."""
    given(browser, checking, loose(left_out))
    assert heading(browser) == "Files are missing."


@pytest.mark.parametrize("name", ["without", "another-link", "another-key"])
def test_another_link(browser, checking, name):
    """A bundle without a link, or with parts of another one, is refused; without, the page says what to ask for."""
    given(browser, checking, checker.named(kept_bundles()[name]))
    assert heading(browser) == "This certificate is not enough."
    missing = "The file that links it to the lender's model is missing." in browser.js("document.body.innerText")
    assert missing == (name == "without")


PINNED = ' src="kept/certificate.json" commitment="kept/commitment.json" keys="kept/keys/key"'


def test_the_element_by_digits(browser, lender):
    """Both keys are pinned by their digits; those of one leave the other open, and another's are refused."""
    key = parse_key(KEPT["keys/key/key.json"], "key.json").fingerprint
    link_key = parse_link(KEPT["link.json"], "link.json").link_key.fingerprint
    for attributes, kind, came in (
        (f'keys="{key}" link-keys="{link_key}"', "verified", False),
        (f'keys="{key}"', "verified", True),
        (f'link-keys="{link_key}"', "verified", True),
        (f'keys="{key}" link-keys="{key}"', "refused", False),
        (f'keys="{link_key}" link-keys="{link_key}"', "refused", False),
    ):
        lender(f'<equiproof-certificate src="kept/mine.equiproof" {attributes}></equiproof-certificate>')
        ((said, found),) = browser.js("window.said")
        assert said == kind, (attributes, found)
        text = browser.js(f"{INSIDE}.textContent")
        assert ("whoever made the file may have made the key" in text) == came, attributes
        assert kind == "verified" or found["answer"]["reason"] in ("other-key", "other-link-key"), found


def test_the_element_by_transcripts(browser, lender):
    """Keys of ceremonies are pinned by both transcripts; one is not enough, nor beside a link key made alone."""
    named = {
        name: (parse_key(case.files[KEY], KEY), parse_link_key(case.files[LINK_KEY], LINK_KEY))
        for name, case in ceremonies()
    }
    (own, links), (strong, weak) = named["both"], named["certificates"]
    for name, attributes, reason in (
        ("both", f'keys="{own.transcript}" link-keys="{links.transcript}"', None),
        ("both", f'keys="{own.transcript}"', "other-transcript"),
        ("both", f'link-keys="{links.transcript}"', "other-transcript"),
        ("both", f'keys="{links.transcript}" link-keys="{own.transcript}"', "no-transcript"),
        ("certificates", f'keys="{strong.transcript}" link-keys="{weak.fingerprint}"', "other-transcript"),
    ):
        lender(f'<equiproof-certificate src="ceremony-of-{name}.equiproof" {attributes}></equiproof-certificate>')
        ((said, found),) = browser.js("window.said")
        assert (said, found["answer"]["reason"]) == ("refused" if reason else "verified", reason), attributes
        assert "whoever made the file may have made the key" not in browser.js(f"{INSIDE}.textContent")


@pytest.mark.parametrize(
    ("attributes", "kind"),
    [
        (' src="kept/mine.equiproof"', "verified"),
        (f'{PINNED} link="kept/link.json" link-keys="kept/keys/link"', "verified"),
        (f'{PINNED} link="kept/link.json"', "refused"),
        (PINNED, "unavailable"),
    ],
    ids=["bundle", "pinned", "untrusted", "missing"],
)
def test_the_element(browser, lender, attributes, kind):
    """It takes the link from a bundle, or by its address, and trusts keys for links that an attribute names only."""
    lender(f"<equiproof-certificate{attributes}></equiproof-certificate>")
    ((said, found),) = browser.js("window.said")
    assert said == kind, found
    if kind == "unavailable":
        assert found["message"] == "missing: link"
    if "link-keys" in attributes:
        assert "whoever made the file may have made the key" not in browser.js(f"{INSIDE}.textContent")
