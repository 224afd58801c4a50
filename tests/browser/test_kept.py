"""Certificates of kept models on the checking page and in the element: with their links, and what they say without."""

import pytest

from equiproof.verifier.documents import parse_key
from equiproof.verifier.link import parse_link
from tests.browser import checker
from tests.browser.test_element import INSIDE
from tests.browser.test_page import given, heading
from tests.linked_cases import kept_bundles

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
    """A bundle holds its link: the proof holds, and no field offers to pin both keys by one name."""
    given(browser, checking, checker.named(KEPT["mine.equiproof"]))
    assert heading(browser) == HOLDS
    assert browser.js("[document.getElementById('pin-model') !== null, document.getElementById('pin-key')]") == [
        True,
        None,
    ]


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
