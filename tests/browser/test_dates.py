"""A certificate about a date on every page that shows one: the table of each build has what dates are written by."""

import re
import shutil
from datetime import date, timedelta

import pytest

from equiproof.circuits.shape import shape_of
from equiproof.circuits.tables import LANGUAGES
from equiproof.cli.main import run
from equiproof.prover.opening import Opening
from equiproof.verifier.words import Words, table
from tests.browser import checker
from tests.browser.browser import DESKTOP
from tests.support import copied_key, network, spec_of
from tests.vectors.generate.words import OPENED, SEX
from tests.web import web

SPEC = spec_of(OPENED, SEX)
GIVEN = date(2014, 3, 30)
OWN = re.compile(r'"((?:letter|page|label)\.[a-z_]+)"')
INSIDE = "document.querySelector('equiproof-certificate').shadowRoot"


@pytest.fixture(scope="module")
def dated(tmp_path_factory):
    """An applicant's own bundle, about the day on which an account was opened."""
    folder = tmp_path_factory.mktemp("dated")
    opening = Opening.of(network(SPEC, (2,), 6), SPEC, blinding=5)
    (folder / "opening.json").write_bytes(opening.secret())
    (folder / "commitment.json").write_bytes(opening.public())
    (folder / "row.json").write_text(f'{{"{OPENED.name}": {(GIVEN - date(2000, 1, 1)).days}}}')
    copied_key(folder / "keys", shape_of("branch", SPEC, (2,), 4))
    certificate, query, bundle = (folder / name for name in ("c.json", "q.json", "my.equiproof"))
    known = ("--opening", folder / "opening.json", "--keys", folder / "keys")
    public = ("--commitment", folder / "commitment.json", "--key", folder / "keys")
    for words in (
        ("prove", folder / "row.json", *known, "--out", certificate, "--query-out", query),
        ("bundle", certificate, *public, "--for-applicant", query, "--out", bundle),
    ):
        assert run([*map(str, words)]) == 0, words
    yield bundle.read_bytes()
    shutil.rmtree(folder)


def spoken(shown, language):
    """Fail unless a bar says the own day and two others around it, in the words of a language."""
    words = Words(language)
    assert words.day(GIVEN) in shown
    moved = (GIVEN + timedelta(days=moved) for moved in range(-9000, 9000))
    assert sum(words.day(day) in shown for day in moved) >= 3


def test_the_checking_page_shows_dates(browser, checking, dated):
    """In English, and in German once it is chosen."""
    for language, locale in (("en", "en-GB"), ("de", "de-DE")):
        browser.show(checking, DESKTOP, locale=locale)
        browser.choose(selector=checker.GIVEN, files=checker.named(dated))
        browser.wait(selector=checker.OUTCOME)
        spoken(browser.js("document.querySelector('.bars').textContent"), language)
        assert browser.log()["said"] == []


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_element_shows_dates(browser, lender, dated, language):
    """German is loaded for it."""
    lender(f'<equiproof-certificate src="mine.equiproof" lang="{language}"></equiproof-certificate>')
    browser.js(
        "new Promise((done) => { const one = document.querySelector('equiproof-certificate');"
        "one.addEventListener('verified', () => done(0), { once: true });"
        f"one.bytes = Uint8Array.from({list(dated)}); }})"
    )
    spoken(browser.js(f"{INSIDE}.querySelector('.bars').textContent"), language)


@pytest.mark.parametrize("build", ["page", "element", "applicant"])
def test_a_build_has_the_sentences_that_its_modules_say(build):
    """Of those that only some pages need: any that is missing would stop the page where it is said."""
    web.refuse_or_skip()
    folder = web.kept_build(build, lambda folder: web.run("node", checker.WEB / build / "build.mjs", folder))
    sources = [path for room in {"verifier", "element", build} for path in (checker.WEB / room / "src").glob("*.ts")]
    said = {name for path in sources for name in OWN.findall(path.read_text(encoding="utf-8"))} & table()["en"].keys()
    assert {"letter.date", "letter.months"} <= said
    built = "".join(path.read_text(encoding="utf-8") for path in folder.iterdir() if path.suffix in {".js", ".html"})
    # The element's table is a list of names with lines between them.
    assert [name for name in said if not re.search(rf'"{name}":|\|{name}[|"]', built)] == []
