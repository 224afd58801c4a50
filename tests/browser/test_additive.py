"""A scorecard's decision in a real browser: the applicant's page checks its certificate, the console shows a review."""

import socket
import threading

import msgspec
import pytest

pytest.importorskip("fastapi", reason="the extra `service` is not installed")

import uvicorn

from equiproof.service.console.officers import Role, add_officer
from equiproof.service.links import make_link
from equiproof.service.web import built
from tests.browser.test_axe import judged
from tests.browser.test_console import PASSWORD, enter, go
from tests.service.conftest import rows, service, sqlite_template, started  # noqa: F401 -- fixtures
from tests.service.console.conftest import address, cheap  # noqa: F401 -- fixtures
from tests.service.console.test_additive import applicants, files, rolled, work  # noqa: F401 -- fixtures
from tests.service.test_applicant_page import HEADING, OUTCOME, assets, checked, shown  # noqa: F401 -- fixtures

pytestmark = pytest.mark.slow


@pytest.fixture
def site(rolled, applicants, assets, monkeypatch):  # noqa: F811
    """The address of the service with a certified decision and one in review, an officer, and both ids with a link."""
    certified, review = (rolled.post(row).json()["id"] for row in applicants)
    work(rolled, certified)
    monkeypatch.setattr(built, "ASSETS", assets)
    with rolled.shared.database.transaction() as session:
        add_officer(session, "Ada Marsh", Role.OFFICER, PASSWORD, rolled.clock())
        token = make_link(session, certified, rolled.clock(), 90)
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        found = f"http://127.0.0.1:{listening.getsockname()[1]}"
        settings = msgspec.structs.replace(rolled.shared.settings, public_url=found)
        object.__setattr__(rolled.shared, "settings", settings)
        server = uvicorn.Server(uvicorn.Config(rolled.client.app, log_level="warning"))
        running = threading.Thread(target=server.run, kwargs={"sockets": [listening]})
        running.start()
        yield found, certified, review, token
        server.should_exit = True
        running.join()


def test_an_applicant_checks_a_certificate_about_a_scorecard(browser, site):
    """The page's own program verifies the real proof; each feature has its bar, and nothing is complained."""
    found, _, _, token = site
    shown(browser, found, token)
    checked(browser)
    assert browser.js(HEADING) == "Your decision and its certificate"
    assert browser.js(OUTCOME).startswith("The proof holds.")
    inside = browser.js("document.querySelector('equiproof-certificate').shadowRoot.textContent")
    assert "income" in inside
    assert "housing" in inside
    assert browser.log()["said"] == []
    judged(browser)


def test_an_officer_sees_both_cases_of_a_scorecard(browser, site):
    """Both values of sex stand side by side with their scores; the certified decision has its bars."""
    found, certified, review, _ = site
    enter(browser, f"{found}/console/")
    go(browser, f"{found}/console/", f"decisions/{review}")
    both = browser.tree(selector="main")
    assert "Only sex differs, and so does the decision" in both
    assert both.count("score") >= 2
    go(browser, f"{found}/console/", f"decisions/{certified}")
    assert "income" in browser.tree(selector="main")
    judged(browser)
