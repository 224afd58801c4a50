"""The applicant's page in a real browser, over a real server: what it shows, sends and checks."""

import json
import re
import socket
import threading
import time
from dataclasses import replace

import pytest
import uvicorn

from equiproof.service.links import make_link, revoke_links
from equiproof.service.overrides import override
from equiproof.service.settings import LenderSettings, LogSettings
from equiproof.service.states import State
from equiproof.service.store.tables import Decision
from equiproof.service.web import applicant, built
from equiproof.service.web.app import create_app
from equiproof.verifier.bundle import parse_bundle
from equiproof.verifier.letter import grouped
from tests.browser.browser import DESKTOP, PHONE, Browser, refuse_or_skip
from tests.browser.test_axe import judged
from tests.service import made
from tests.support import ROOT, changed
from tests.vectors.generate.log import AT, REGISTER, RETIRED
from tests.verifier.logs import ANNA, BEN, LOG
from tests.verifier.packages import SEEN, own_bundle
from tests.web import web

ON_SQLITE = pytest.mark.parametrize("address", ["sqlite"], indirect=True)

INSIDE = "document.querySelector('equiproof-certificate').shadowRoot"
OUTCOME = f"{INSIDE}.querySelector('[role=status]').textContent"
HEADING = "document.querySelector('h1').textContent"
NAMES = "[...document.querySelector('#compare').parentNode.querySelectorAll('.mono')].map((one) => one.textContent)"


@pytest.fixture(scope="module")
def browser():
    """A browser of this module's own."""
    refuse_or_skip()
    started = Browser()
    yield started
    started.close()


@pytest.fixture(scope="module")
def assets():
    """The page, built from the sources as they are."""
    web.refuse_or_skip()
    build = web.ROOT / "web" / "applicant" / "build.mjs"
    return web.kept_build("applicant", lambda folder: web.run("node", build, folder))


@pytest.fixture
def site(service, assets, monkeypatch, tmp_path):
    """The address of a running service with a log in its settings; files of decisions are the published one."""
    (tmp_path / "log.pub").write_text(f"{LOG.verifier.text}\n")
    (tmp_path / "witnesses.pub").write_text(f"{ANNA.verifier.text}\n{BEN.verifier.text}\n")
    log = LogSettings("http://127.0.0.1:9", str(tmp_path / "log.pub"), (str(tmp_path / "witnesses.pub"),), 2)
    lender = LenderSettings("North Bank", "loans@north.example", "Example Bank")
    settings = changed(service.shared.settings, log=log, lender=lender)
    shared = replace(service.shared, settings=settings)
    service.shared = shared
    monkeypatch.setattr(built, "ASSETS", assets)
    monkeypatch.setattr(applicant, "bundle_of", lambda *_: parse_bundle(own_bundle(), "own"))
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        port = found.getsockname()[1]
    server = uvicorn.Server(uvicorn.Config(create_app(shared), port=port, log_level="error"))
    thread = threading.Thread(target=server.run)
    thread.start()
    while not server.started:
        time.sleep(0.01)
    yield f"http://127.0.0.1:{port}"
    server.should_exit = True
    thread.join()


def test_every_sentence_is_there_in_both_languages():
    """With the same places, and used by the page."""
    folder = ROOT / "web" / "applicant" / "src"
    english, german = json.loads((folder / "said.json").read_text(encoding="utf-8")).values()
    assert list(english) == list(german)
    used = "".join((folder / name).read_text(encoding="utf-8") for name in ("applicant.ts", "words.ts"))
    for name in english:
        assert sorted(re.findall(r"\{\w+\}", english[name])) == sorted(re.findall(r"\{\w+\}", german[name]))
        assert f'"{name}"' in used, name


def linked(service, row, state=None):
    """Decide, bring the decision to a state, and return its id with a link's token."""
    decision = service.post(row).json()["id"]
    if state is not None:
        made.end(service, decision, state)
    with service.shared.database.transaction() as session:
        return decision, make_link(session, decision, service.clock(), 90)


def shown(browser, site, token, size=DESKTOP, selector="h1", **options):
    """Open a link and wait until something stands there."""
    browser.open(address=f"{site}/a#{token}", width=size[0], height=size[1], **options)
    browser.wait(selector=selector)


def checked(browser):
    """Wait for the element's answer."""
    browser.js(
        "new Promise((done) => { const look = () => (document.querySelector('equiproof-certificate')?.answer"
        " ? done() : setTimeout(look, 5)); look(); })"
    )


@ON_SQLITE
def test_a_certificate_is_checked_on_the_device(browser, service, site, rows):
    """Against the model that the public register holds; the token leaves in bodies alone, and nothing is complained."""
    _, token = linked(service, rows[0], State.CERTIFIED)
    shown(browser, site, token)
    checked(browser)
    assert browser.js(HEADING) == "Your decision and its certificate"
    assert browser.js(OUTCOME).startswith("The proof holds. Who made the key is open.")
    register = browser.js("document.querySelector('#register').parentNode.textContent")
    assert "register.example/log shows everybody this model, as one of" in register
    assert "2 witnesses have confirmed this, last at" in register
    log = browser.log()
    assert log["said"] == []
    assert {address.removeprefix(site) for address in log["asked"]} <= {
        f"/a#{token}", "/a", "/a/applicant.css", "/a/applicant.js", "/a/standing", "/a/file", "data:,",
    }  # fmt: skip
    assert browser.js("document.cookie + localStorage.length + sessionStorage.length") == "00"
    judged(browser)


@ON_SQLITE
def test_the_digits_of_a_letter_are_compared(browser, service, site, rows, monkeypatch):
    """Both names stand there in full, and 16 digits of either are accepted; all 64 confirm a model of no register."""
    monkeypatch.setattr(applicant, "bundle_of", lambda *_: parse_bundle(own_bundle(log_proof=None), "own"))
    _, token = linked(service, rows[0], State.CERTIFIED)
    shown(browser, site, token)
    checked(browser)
    certificate, model = (name.replace(" ", "") for name in browser.js(NAMES))
    assert [len(certificate), len(model)] == [64, 64]
    said = "document.querySelector('#said-model').textContent"
    unfold = "document.querySelector('#compare').parentNode.querySelector('details').open = true"
    browser.js(unfold)
    for text, begins in (
        (certificate[:16], "These are the digits of this certificate, and they match"),
        (grouped(model), "These 16 digits match."),
        (model[:15], "Type all 64 digits, or the first 16 as in a letter"),
        (model[1:17], "That is another fingerprint."),
    ):
        browser.fill(selector="#pin-model", text=text)
        browser.press(key="Enter")
        assert browser.js(said).startswith(begins)
    assert browser.js(OUTCOME).startswith("The proof holds. The model is not confirmed")
    for _ in range(2):
        browser.js(unfold)
        browser.fill(selector="#pin-model", text=model)
        browser.press(key="Enter")
        checked(browser)
    assert browser.js(OUTCOME).startswith("The proof holds. Who made the key is open.")
    assert "All 64 digits match" in browser.js("document.querySelector('#compare').parentNode.textContent")
    judged(browser)


@ON_SQLITE
@pytest.mark.slow
def test_what_is_folded_is_printed(browser, service, site, rows, tmp_path):
    """On paper nobody can unfold it; on the screen it is folded again afterwards."""
    _, token = linked(service, rows[0], State.CERTIFIED)
    shown(browser, site, token)
    checked(browser)
    opened = "document.querySelector('equiproof-certificate').shadowRoot.querySelectorAll('details[open]').length"
    browser.js(f"addEventListener('beforeprint', () => {{ window.printed = {opened}; }}); 0")
    assert browser.js(opened) == 0
    browser.pdf(path=str(tmp_path / "page.pdf"))
    assert browser.js("window.printed") == 3
    assert browser.js(opened) == 0


@ON_SQLITE
@pytest.mark.slow
@pytest.mark.parametrize(
    ("proof", "said", "outcome"),
    [
        (REGISTER.proof(RETIRED, SEEN).data, "does not hold this model", "The proof holds. The model is not confirmed"),
        (REGISTER.proof(AT, SEEN[:1]).data, "does not hold this model", "The proof holds. The model is not confirmed"),
        (None, "No proof came along", "The proof holds. The model is not confirmed"),
    ],
)
def test_a_model_that_is_not_in_the_register_is_not_pinned(
    browser, service, site, rows, monkeypatch, proof, said, outcome
):
    """Another entry, too few witnesses, no proof: the page says so, and the element takes the model for nobody's."""
    monkeypatch.setattr(applicant, "bundle_of", lambda *_: parse_bundle(own_bundle(log_proof=proof), "own"))
    _, token = linked(service, rows[0], State.CERTIFIED)
    shown(browser, site, token)
    checked(browser)
    assert said in browser.js("document.querySelector('main').textContent")
    assert browser.js(OUTCOME).startswith(outcome)


@ON_SQLITE
@pytest.mark.slow
def test_waiting_looks_alike(browser, service, site, rows):
    """What waits for a prover and what waits for a person: the same page, but for the receipt's number."""
    seen = []
    for row, state in ((rows[0], None), (rows[1], None), (rows[0], State.REVIEW), (rows[0], State.FAILED)):
        decision, token = linked(service, row, state)
        shown(browser, site, token)
        with service.shared.database.transaction() as session:
            receipt = session.get(Decision, decision).receipt
        text = browser.js("document.body.innerText")
        assert " ".join(receipt[place : place + 4] for place in range(0, 64, 4)) in text.replace("\n", " ")
        seen.append(text.replace(" ".join(receipt[place : place + 4] for place in range(0, 64, 4)), "NUMBER"))
        assert browser.js("document.querySelectorAll('form, equiproof-certificate').length") == 0
    assert len(set(seen)) == 1
    assert "There is nothing to check yet." in seen[0]
    assert "every 30 seconds" in seen[0]
    judged(browser)


@ON_SQLITE
@pytest.mark.slow
def test_a_closed_decision_and_a_dead_link(browser, service, site, rows):
    """A person's decision is shown with its letter, also on a phone and in German; a revoked link opens nothing."""
    decision, token = linked(service, rows[1])
    with service.shared.database.transaction() as session:
        override(session, session.get(Decision, decision), 1, "seen", "B. Weber", service.clock(), by=made.OFFICER)
    shown(browser, site, token, PHONE, locale="de")
    assert browser.js(HEADING).startswith("Die Entscheidung:")
    assert browser.js("document.documentElement.scrollWidth <= innerWidth")
    assert browser.js("document.documentElement.lang") == "de"
    assert browser.js("[...new FormData(document.querySelector('form')).keys()].join()") == "token,language"
    judged(browser)
    with service.shared.database.transaction() as session:
        revoke_links(session, decision, service.clock())
    for given in (token, "", "nothing"):
        shown(browser, site, given)
        assert browser.js(HEADING) == "This link opens nothing."


@ON_SQLITE
@pytest.mark.slow
def test_the_letter_opens_in_a_page_of_its_own(browser, service, site, rows):
    """The form brings the letter, with the letter's own policy; nothing of the token is in its address."""
    decision, token = linked(service, rows[1])
    with service.shared.database.transaction() as session:
        override(session, session.get(Decision, decision), 1, "seen", "B. Weber", service.clock(), by=made.OFFICER)
    shown(browser, site, token)
    browser.js("document.querySelector('form').target = '_self'; 0")
    browser.click(selector="form button")
    browser.wait(selector="ol.answer")
    assert browser.js("location.href") == f"{site}/a/letter"
    assert "No certificate could be made" in browser.js("document.body.textContent")
    assert browser.js("getComputedStyle(document.querySelector('ol.answer')).listStyleType") == "none"
    assert browser.log()["said"] == []
