"""Recourse in a real browser: from a refusal over its letter to the second decision, on a phone and on paper."""

import pytest

pytest.importorskip("fastapi", reason="the extra `service` is not installed")

from equiproof.service.console.officers import Role
from equiproof.service.links import make_link
from equiproof.service.web import built
from equiproof.service.worker.look import look
from tests.browser.browser import DESKTOP, PHONE
from tests.browser.test_axe import judged
from tests.browser.test_console import address, enter, go, readable, served  # noqa: F401 -- a fixture
from tests.browser.test_element import INSIDE
from tests.browser.test_letter import sheets
from tests.browser.test_page import BEYOND
from tests.browser.test_recourse_page import SAID
from tests.browser.test_report import CONTRAST
from tests.service.conftest import sqlite_template, started  # noqa: F401 -- fixtures
from tests.service.console.conftest import cheap  # noqa: F401 -- of every test
from tests.service.console.people import sign_in
from tests.service.test_recourse import DEPENDENT, ROW, ask, certified, refused, ruled, worked  # noqa: F401 -- a fixture
from tests.web import web


@pytest.mark.parametrize(
    "size", [pytest.param(PHONE, id="phone"), pytest.param(DESKTOP, id="desktop", marks=pytest.mark.slow)]
)
def test_from_a_refusal_to_the_second_decision(browser, ruled, tmp_path, size):  # noqa: F811
    """An officer has recourse looked for, reads the letter, releases it, and records what followed."""
    service = ruled()
    first = refused(service, reference="2026-0431")
    path = f"/v1/decisions/{first}/recourse"
    with served(service) as site:
        enter(browser, site, size)
        go(browser, site, f"decisions/{first}")
        browser.click(selector="form[action$='/recourse'] button")
        browser.wait(selector="#recourse")
        readable(browser, "A prover looks for it", "section[aria-labelledby=recourse]")
        worked(service)
        go(browser, site, f"decisions/{first}")
        readable(browser, "debt had been at most 2", "section[aria-labelledby=recourse]")
        assert service.get(f"{path}/letter").status_code == 409
        assert "Letter about it, in English" in browser.tree(selector="section[aria-labelledby=recourse]")
        seen = sign_in(service, Role.OFFICER).get(f"decisions/{first}/recourse/letter").text
        browser.click(selector="form[action$='/release'] button")
        browser.wait(selector="#recourse")
        readable(browser, "The letter was released by Ada Marsh", "section[aria-labelledby=recourse]")
        letter = service.get(f"{path}/letter").text
        second = service.post({**ROW, "debt": "1.5"}, reference="2026-0502").json()["id"]
        browser.click(selector="section[aria-labelledby=ask] summary")
        browser.js("document.querySelector('#asked').value = '2026-09-21'")
        browser.fill(selector="#request", text="The debts are paid back.")
        browser.press(key="Tab")
        browser.press(key="Enter")
        browser.wait(selector="#corrected-1")
        browser.fill(selector="#second", text="2026-0502")
        browser.press(key="Enter")
        browser.wait(selector="section[aria-labelledby=corrected-1] table")
        for decision in (first, second):
            go(browser, site, f"decisions/{decision}")
            readable(browser, "The details follow way 1", "section[aria-labelledby=corrected-1]")
        assert browser.log()["said"] == []
    assert letter == seen
    assert sheets(browser, letter, tmp_path) == 1
    browser.show(tmp_path / "letter.html", size)
    assert browser.js("document.documentElement.scrollWidth <= innerWidth")
    assert browser.js(CONTRAST)[1] == []


def test_recourse_that_depends_on_a_sensitive_feature_is_answered(browser, ruled):  # noqa: F811
    """It waits on the first page, with whom the change would help on its own; an answer ends that."""
    service = ruled()
    decision = refused(service, reference="2026-0431")
    ask(service, decision)
    worked(service, found=DEPENDENT)
    with served(service) as site:
        enter(browser, site, PHONE)
        readable(browser, "Recourse that depends on a sensitive feature", "main")
        browser.click(selector=f"section[aria-labelledby=unfair] a[href$='{decision}']")
        browser.wait(selector="#answer")
        readable(browser, "is granted to", "section[aria-labelledby=recourse]")
        browser.fill(selector="#answer", text="Granted by hand.")
        browser.press(key="Tab")
        browser.press(key="Enter")
        browser.wait(selector="section[aria-labelledby=recourse] .reason")
        readable(browser, "Granted by hand.", "section[aria-labelledby=recourse]")
        assert browser.log()["said"] == []


@pytest.mark.slow
def test_a_link_shows_recourse_once_it_is_released(browser, ruled, request, monkeypatch):  # noqa: F811
    """By real proofs, checked on the applicant's phone: nothing of it before an officer has released the letter."""
    web.refuse_or_skip()
    build = web.ROOT / "web" / "applicant" / "build.mjs"
    monkeypatch.setattr(built, "ASSETS", web.kept_build("applicant", lambda folder: web.run("node", build, folder)))
    service = ruled()
    decision = certified(request, service)
    ask(service, decision)
    worked(service, search=look)
    with service.shared.database.transaction() as session:
        token = make_link(session, decision, service.clock(), 90)
    with served(service) as site:
        address = f"{site.removesuffix('console/')}a#{token}"
        for released in (False, True):
            browser.open(address=address, width=PHONE[0], height=PHONE[1])
            browser.wait(selector="[part=lists]")
            assert browser.js(f"{INSIDE}.querySelector('[part=recourse]') !== null") == released
            officer = sign_in(service, Role.OFFICER)
            assert officer.post(f"decisions/{decision}/recourse/release").status_code == (422 if released else 303)
        said = browser.js(SAID % INSIDE)
        assert len(said) == 4
        assert (
            said[0]
            .replace("\u00a0", " ")
            .startswith("This model would have decided granted if debt had been at most 2")
        )
        assert said[3].startswith("This holds whichever listed value ")
        assert browser.js(f"{INSIDE}.querySelectorAll('[part=recourse] .bars > li').length") == 3
        assert browser.js(BEYOND % PHONE[0]) == []
        judged(browser)
        assert browser.log()["said"] == []
