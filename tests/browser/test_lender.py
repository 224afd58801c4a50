"""The example's loan form in a real browser: asked, answered, refused and printed, on a small service."""

import socket
import subprocess
import sys
import threading

import pytest

pytest.importorskip("fastapi", reason="the extra `service` is not installed")

import uvicorn

from equiproof.service.states import State
from tests.browser.browser import DESKTOP, PHONE
from tests.browser.test_axe import judged
from tests.browser.test_report import CONTRAST
from tests.service import made
from tests.service.conftest import address, rows, service, sqlite_template, started  # noqa: F401 -- fixtures
from tests.support import LOANS, ROOT

pytestmark = [pytest.mark.slow, pytest.mark.parametrize("address", ["sqlite"], indirect=True)]

LENDER = ROOT / "examples" / "lender" / "lender.py"


@pytest.fixture
def form(browser, service, tmp_path):  # noqa: F811
    """The address of the form, before a service over loopback."""
    key = tmp_path / "client.key"
    key.write_text(service.headers["Authorization"].removeprefix("Bearer "))
    with socket.socket() as listening, socket.create_server(("127.0.0.1", 0)) as free:
        listening.bind(("127.0.0.1", 0))
        at = f"127.0.0.1:{free.getsockname()[1]}"
        server = uvicorn.Server(uvicorn.Config(service.client.app, log_level="warning"))
        running = threading.Thread(target=server.run, kwargs={"sockets": [listening]})
        running.start()
        free.close()
        site = f"http://127.0.0.1:{listening.getsockname()[1]}"
        words = [sys.executable, LENDER, "--service", site, "--key-file", key, "--listen", at, "--model", "loans"]
        with subprocess.Popen(list(map(str, words)), stdout=subprocess.PIPE, text=True) as process:
            assert process.stdout.readline() == f"FORM http://{at}\n"
            yield f"http://{at}/"
            process.terminate()
        server.should_exit = True
        running.join()


def filled(browser, row):
    """Fill the form as an applicant does, and send it."""
    browser.fill(selector="#identity", text="L01X 00T47")
    for feature in LOANS.plain_features:
        place, value = f"#{feature.name}", str(row[feature.name])
        if feature.domain:
            browser.js(f"(document.querySelector({place!r}).value = {value!r})")
        else:
            browser.fill(selector=place, text=value)
    browser.click(selector="button")
    browser.wait(selector="main strong")


def readable(browser):
    """Nothing is wrong for axe, contrast or width, light and dark, on a desk and on a phone."""
    for width, height in (DESKTOP, PHONE):
        browser.size(width=width, height=height)
        assert browser.js("document.documentElement.scrollWidth <= innerWidth")
        for scheme in ("light", "dark"):
            browser.media(scheme=scheme)
            seen, low = browser.js(CONTRAST)
            assert seen
            assert low == [], scheme
    judged(browser)


def test_an_applicant_asks_and_gets_a_link(browser, service, form, rows):  # noqa: F811
    """Every field has a label with its unit; the decision comes at once, the link once the certificate is there."""
    browser.open(address=form, width=DESKTOP[0], height=DESKTOP[1])
    labels = browser.js("[...document.querySelectorAll('label')].map((one) => one.textContent)")
    assert labels[0] == "Number of your identity card"
    for feature, label in zip(LOANS.plain_features, labels[1:], strict=True):
        assert label[0].isupper()
        assert label.endswith(f", in {feature.unit}") == bool(feature.unit)
    readable(browser)
    browser.media(scheme="light")
    filled(browser, rows[0])
    assert "Our decision: " in browser.js("document.body.innerText")
    decision = browser.js("location.pathname").rpartition("/")[2]
    made.end(service, decision, State.CERTIFIED)
    browser.wait(selector="form[action$=link] button")
    readable(browser)
    browser.click(selector="form[action$=link] button")
    browser.wait(selector="a[href*='/a#']")
    readable(browser)
    assert browser.log()["said"] == []


def test_a_person_looks_and_a_mistake_comes_back(browser, form, rows):  # noqa: F811
    """Nothing hints at why; a value that cannot be is told beside what was given, in the words of the field."""
    browser.open(address=form, width=PHONE[0], height=PHONE[1])
    filled(browser, rows[1])
    assert "One of our officers looks at your application." in browser.js("document.body.innerText")
    browser.open(address=form, width=PHONE[0], height=PHONE[1])
    browser.js("document.querySelector('form').noValidate = true")
    number = next(feature for feature in LOANS.plain_features if not feature.domain)
    browser.fill(selector="#identity", text="L01X 00T47")
    browser.fill(selector=f"#{number.name}", text="999999999999")
    browser.click(selector="button")
    browser.wait(selector="[role=alert]")
    said = browser.js("document.querySelector('[role=alert]').textContent")
    assert said.startswith(f"'{number.name}': want a number")
    assert browser.js(f"document.querySelector('#{number.name}').value") == "999999999999"
    judged(browser)
