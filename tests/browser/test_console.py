"""The console in a real browser: an officer's way through it without script, by keyboard, small, dark and on paper."""

import re
import socket
import threading
import time
from contextlib import contextmanager

import msgspec
import pytest

pytest.importorskip("fastapi", reason="the extra `service` is not installed")

import uvicorn
from joserfc.jwk import ECKey

from equiproof.service.console.officers import Role, add_officer
from equiproof.service.console.provider import Provider
from equiproof.service.decisions import advance
from equiproof.service.jobs.heartbeat import beat
from equiproof.service.settings import SignOnSettings
from equiproof.service.states import State
from equiproof.service.store.tables import Certificate, Decision
from tests.browser.browser import DESKTOP, PHONE
from tests.browser.test_axe import judged
from tests.browser.test_report import CONTRAST
from tests.service.conftest import rows, service, sqlite_template, started  # noqa: F401 -- fixtures
from tests.service.console.conftest import cheap  # noqa: F401 -- of every test
from tests.service.console.issuer import CLIENT, SECRET, Issuer, serving
from tests.service.made import begin
from tests.support import LOANS

PASSWORD = "correct horse battery"
PAGES = (
    "",
    "decisions/{review}",
    "decisions/{certified}",
    "decisions/{decided}",
    "queue",
    "workers",
    "keys",
    "lots",
    "password",
)


@pytest.fixture
def address(tmp_path, sqlite_template):  # noqa: F811
    """A fresh SQLite file."""
    path = tmp_path / "service.db"
    path.write_bytes(sqlite_template.read_bytes())
    return f"sqlite:///{path}"


@pytest.fixture
def console(browser, service, rows):  # noqa: F811
    """The address of a console with decisions and an officer, served over loopback; and the decisions' ids."""
    made = {name: service.post(row, reference=f"2026-{name}").json()["id"]
            for name, row in (("review", rows[1]), ("certified", rows[0]), ("decided", rows[0]))}  # fmt: skip
    with service.shared.database.transaction() as session:
        decision = session.get(Decision, made["certified"])
        for state in (State.CERTIFYING, State.CERTIFIED):
            advance(session, decision, state, "", service.clock())
        kept = {"body": b"{}", "key_fingerprint": "ab" * 32, "made": service.clock()}
        radius = f"{int((0.6 * LOANS.scale_unit) ** 2):064x}"
        session.add(Certificate(decision_id=decision.id, radius_squared=radius, **kept))
    with served(service) as site:
        yield site, made


@contextmanager
def served(service):  # noqa: F811
    """Serve a console over loopback, with an account of each role, while the block runs; yields its address."""
    with service.shared.database.transaction() as session:
        add_officer(session, "Ada Marsh", Role.OFFICER, PASSWORD, service.clock())
        add_officer(session, "Ines Adler", Role.ADMIN, PASSWORD, service.clock())
        add_officer(session, "Otto Auer", Role.AUDITOR, PASSWORD, service.clock())
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        site = f"http://127.0.0.1:{listening.getsockname()[1]}"
        settings = msgspec.structs.replace(service.shared.settings, public_url=site)
        object.__setattr__(service.shared, "settings", settings)
        server = uvicorn.Server(uvicorn.Config(service.client.app, log_level="warning"))
        running = threading.Thread(target=server.run, kwargs={"sockets": [listening]})
        running.start()
        try:
            yield f"{site}/console/"
        finally:
            server.should_exit = True
            running.join()


def enter(browser, site, size=DESKTOP, *, name="Ada Marsh", **options):
    """Open the console and sign in by keyboard alone: name, Tab, password, Enter."""
    browser.open(address=site, width=size[0], height=size[1], **options)
    browser.fill(selector="#name", text=name)
    browser.press(key="Tab")
    assert options.get("script") is False or browser.js("document.activeElement.id") == "password"
    browser.fill(selector="#password", text=PASSWORD)
    browser.press(key="Enter")
    browser.wait(selector="nav")


def go(browser, site, path):
    """Open another page of the console, as a link would, until its script has run."""
    browser.js(f"(() => {{ const a = document.createElement('a'); a.href = {site + path!r}; a.id = 'go';"
               "a.textContent = 'go'; document.body.append(a); })()")  # fmt: skip
    browser.click(selector="#go")
    browser.wait(selector="main")
    end = time.monotonic() + 10
    while not browser.js(f"location.href === {site + path!r} && document.readyState === 'complete'"):
        assert time.monotonic() < end
        time.sleep(0.02)


def test_the_console_speaks_german_on_a_phone(browser, console):
    """One link changes the language of every page; longer words make no page wider than the screen."""
    site, made = console
    enter(browser, site, PHONE)
    browser.click(selector="a[href*='language/de']")
    browser.wait(selector="html[lang=de]")
    for path in PAGES:
        go(browser, site, path.format(**made))
        assert browser.js("document.documentElement.lang") == "de", path
        assert browser.js("document.documentElement.scrollWidth <= innerWidth"), path
    assert "Ihr Passwort ändern" in browser.js("document.body.innerText")
    browser.click(selector="a[href*='language/en']")
    browser.wait(selector="html[lang=en]")
    assert "Change your password" in browser.js("document.body.innerText")


def test_an_officer_decides_without_script(browser, console):
    """From the sign-in over the list to the recorded decision; nothing is asked of anybody else."""
    site, made = console
    enter(browser, site, script=False)
    browser.click(selector=f"a[href$='{made['review']}']")
    browser.wait(selector=".sides")
    browser.click(selector="input[name=label][value='1']")
    browser.fill(selector="#reason", text="Asked twice.")
    browser.press(key="Tab")
    browser.press(key="Enter")
    browser.wait(selector=".person")
    assert "Asked twice." in browser.tree(selector=".person")
    browser.click(selector="header button")
    browser.wait(selector="#password")
    log = browser.log()
    assert log["said"] == []
    assert all(one.startswith(site) for one in log["asked"])


def test_keyboard_and_focus(browser, console):
    """The first Tab leads past the navigation; every control is reached in its order, and shows that it is."""
    site, made = console
    enter(browser, site)
    go(browser, site, f"decisions/{made['review']}")
    browser.js("document.querySelector('#go')?.remove()")
    browser.press(key="Tab")
    assert browser.js("document.activeElement.className") == "skip"
    reached = []
    while not reached or browser.js("document.activeElement.className") != "skip":
        browser.press(key="Tab")
        reached.append(
            browser.js("""(() => {
          const one = document.activeElement, place = [...document.querySelectorAll('*')].indexOf(one);
          return [place, one.textContent.trim() || one.name, getComputedStyle(one).outlineWidth, one.tagName];
        })()""")
        )
        assert len(reached) < 40
    ends = (place for place, one in enumerate(reached) if one[3] in ("BODY", "HTML") or one[1] == "To the content")
    around = reached[: next(ends)]
    names = [name for _, name, *_ in around]
    assert [place for place, *_ in around] == sorted(place for place, *_ in around)
    assert names[-5:-2] == ["label", "reason", "Record decision"]
    assert names[-2].startswith("The applicant says that details were wrong")
    assert names[-1] == "Deutsch"
    assert {ring for _, _, ring, _ in around} == {"3px"}


def test_a_small_screen_gives_every_detail_a_line_of_its_own(browser, console):
    """Names of details stand above their two values there, so that no word of either is broken; tables stay tables."""
    site, made = console
    enter(browser, site, PHONE)
    go(browser, site, f"decisions/{made['review']}")
    lines = browser.js("""[...document.querySelectorAll('.sides tbody tr')].map((row) =>
        [...row.children].map((one) => one.getBoundingClientRect()).map((one) => [one.top, one.width]))""")
    for (above, wide), (first, half), (second, other) in lines:
        assert above < first == second
        assert half == other < wide / 1.9
    assert "- rowheader" in browser.tree(selector=".sides")


@pytest.mark.parametrize(
    "size", [pytest.param(DESKTOP, id="desktop"), pytest.param(PHONE, id="phone", marks=pytest.mark.slow)]
)
def test_pages_are_readable_and_stop_nobody(browser, console, size):
    """No finding of axe, contrast everywhere, nothing wider than the window, no page of ours breaks its own policy."""
    site, made = console
    enter(browser, site, size)
    for path in PAGES if size == DESKTOP else PAGES[:3]:
        go(browser, site, path.format(**made))
        browser.js("document.querySelector('#go')?.remove()")
        assert browser.js("document.documentElement.scrollWidth <= innerWidth"), path
        judged(browser)
        for scheme in ("light", "dark"):
            browser.media(scheme=scheme)
            seen, low = browser.js(CONTRAST)
            assert seen > 8, path
            assert low == [], (path, scheme)
    assert browser.log()["said"] == []


def readable(browser, said, place):
    """Fail unless a page says this in a place and, without script, fits the window and is read by everybody."""
    browser.js("document.querySelector('#go')?.remove()")
    assert said in browser.tree(selector=place)
    legible(browser)


def legible(browser):
    """Fail unless a page as it stands has no finding of axe, fits the window, and has contrast in light and dark."""
    judged(browser)
    where = browser.js("location.href")
    assert browser.js("document.documentElement.scrollWidth <= innerWidth"), where
    for scheme in ("light", "dark"):
        browser.media(scheme=scheme)
        assert browser.js(CONTRAST)[1] == [], (where, scheme)


@pytest.mark.parametrize(
    "size", [pytest.param(DESKTOP, id="desktop"), pytest.param(PHONE, id="phone", marks=pytest.mark.slow)]
)
def test_a_correction_is_recorded_and_readable(browser, console, size):
    """By two forms, of which the first opens where it refuses; the pair is on both pages, as readable as the others."""
    site, made = console
    enter(browser, site, size)
    for day, then in (("2999-01-01", "#fault"), ("2026-09-21", "#corrected-1")):
        go(browser, site, f"decisions/{made['review']}")
        browser.js("document.querySelector('#go')?.remove()")
        browser.click(selector="section[aria-labelledby=ask] summary")
        browser.js(f"document.querySelector('#asked').value = '{day}'")
        browser.fill(selector="#request", text="Income and housing are those of somebody else.")
        browser.press(key="Tab")
        browser.press(key="Enter")
        browser.wait(selector=then)
        judged(browser)
    for second, then in (("none", "#fault"), (made["certified"], "section[aria-labelledby=corrected-1] table")):
        browser.js("document.querySelector('#go')?.remove()")
        browser.fill(selector="#second", text=second)
        browser.press(key="Enter")
        browser.wait(selector=then)
        judged(browser)
    assert "form" not in browser.tree(selector="main")
    for name in ("review", "certified"):
        go(browser, site, f"decisions/{made[name]}")
        readable(browser, "Income and housing", "section[aria-labelledby=corrected-1]")
    said = browser.log()["said"]
    assert ["422" in one for one in said] == [True, True]  # the browser's own word of the forms that were refused


@pytest.mark.parametrize(
    "size", [pytest.param(DESKTOP, id="desktop"), pytest.param(PHONE, id="phone", marks=pytest.mark.slow)]
)
def test_the_trail_is_readable_in_both_languages(browser, console, size):
    """As the other pages; the lines of one act are found without script."""
    site, made = console
    enter(browser, site)
    go(browser, site, f"decisions/{made['review']}")
    enter(browser, site, size, name="Otto Auer")
    for language, words in (("en", "details seen"), ("de", "Angaben eingesehen")):
        go(browser, site, f"trail?language={language}")
        readable(browser, words, "tbody")
    go(browser, site, f"trail?decision={made['review']}")
    assert browser.js("document.querySelectorAll('tbody tr').length") == 1
    assert browser.log()["said"] == []


@pytest.mark.parametrize(
    "size", [pytest.param(DESKTOP, id="desktop"), pytest.param(PHONE, id="phone", marks=pytest.mark.slow)]
)
def test_the_workers_are_readable_and_a_proof_is_ended(browser, console, service, rows, size):  # noqa: F811
    """Without script; as the other pages, with a worker at work, one that is silent, and a fault."""
    site, made = console
    with service.shared.database.transaction() as session:
        for name, back in (("worker-of-a-long-name.machines.north-bank.example", 0), ("second", 3600 * 1_000_000)):
            beat(session, name, service.clock() - back)
    begin(service, made["decided"], "worker-of-a-long-name.machines.north-bank.example")
    other = service.post(rows[0]).json()["id"]
    begin(service, other, "second")
    enter(browser, site, size, name="Ines Adler")
    go(browser, site, "workers")
    readable(browser, "silent", "main")
    browser.click(selector="button[value=failed]")
    browser.wait(selector="main")
    readable(browser, "is being ended, then failed", "main")
    with service.shared.database.transaction() as session:
        advance(session, session.get(Decision, other), State.UNDECIDED, "", service.clock())
    browser.click(selector="button[value=decided]")
    browser.wait(selector="#fault")
    readable(browser, "nothing was ended", "main")
    said = browser.log()["said"]
    assert ["409" in one for one in said] == [True]  # the browser's own word of the form that was refused


@pytest.mark.slow
def test_accounts_and_refusals_stop_nobody(browser, console):
    """The admin's page with a password that is shown, a form with a fault, and the sign-in with one."""
    site, _ = console
    enter(browser, site, name="Ines Adler")
    go(browser, site, "officers")
    browser.fill(selector="#name", text="Eve Stone")
    browser.js("document.querySelector('#go')?.remove()")
    browser.click(selector="#add ~ form button")
    browser.wait(selector=".secret")
    judged(browser)
    browser.fill(selector="#name", text="Eve Stone")
    browser.click(selector="#add ~ form button")
    browser.wait(selector="#fault")
    judged(browser)
    browser.click(selector="header button")
    browser.wait(selector="#password")
    browser.fill(selector="#name", text="Eve Stone")
    browser.fill(selector="#password", text="wrong horse battery")
    browser.press(key="Enter")
    browser.wait(selector="#fault")
    judged(browser)
    assert "belong together" in browser.tree(selector="main")


@pytest.mark.slow
def test_what_differs_is_told_without_color(browser, console):
    """A word, a sign and a thick edge; in forced colors and on paper too."""
    site, made = console
    enter(browser, site)
    go(browser, site, f"decisions/{made['review']}")
    for media in ({}, {"forced": "active"}, {"media": "print"}):
        browser.media(**media)
        row = browser.js("""(() => {
          const one = document.querySelector('.sides .differs'), word = one.querySelector('.word');
          return [word.textContent, word.getClientRects().length > 0, word.querySelector('svg').getClientRects().length,
            getComputedStyle(one.firstElementChild).borderLeftWidth];
        })()""")
        assert row == ["differs", True, 1, "6px"]


@pytest.mark.slow
def test_a_decision_is_printed_on_one_sheet(browser, console, tmp_path):
    """Without navigation, forms and buttons."""
    site, made = console
    enter(browser, site)
    for name in ("review", "certified"):
        go(browser, site, f"decisions/{made[name]}")
        browser.js("document.querySelector('#go')?.remove()")
        browser.media(media="print")
        hidden = (
            "[...document.querySelectorAll('nav, button, textarea, form')].filter((one) => one.getClientRects().length)"
        )
        assert browser.js(f"{hidden}.length") == 0
        path = tmp_path / f"{name}.pdf"
        browser.pdf(path=str(path))
        assert len(re.findall(rb"/Type\s*/Page\b", path.read_bytes())) == 1
        browser.media(media="screen")


@pytest.fixture
def issuer(console, service, tmp_path):  # noqa: F811
    """A provider on another site than the console, which has somebody with a role."""
    person = {"sub": "u-1", "preferred_username": "Cy Moor", "groups": ["loans"]}
    issuer = Issuer(ECKey.generate_key("P-256", {"kid": "one"}), "localhost", now=lambda: service.clock.now / 1e6)
    issuer.person = person
    server = serving(issuer)
    secret = tmp_path / "secret"
    secret.touch(0o600)
    secret.write_text(SECRET)
    settings = SignOnSettings(issuer.address, CLIENT, {"loans": "officer"}, str(secret))
    (mounted,) = [route.app for route in service.client.app.routes if getattr(route, "path", "") == "/console"]
    mounted.state.provider = Provider(settings, console[0].removesuffix("/console/"), service.clock)
    yield issuer
    server.shutdown()
    server.server_close()


@pytest.mark.parametrize(
    "size", [pytest.param(DESKTOP, id="desktop"), pytest.param(PHONE, id="phone", marks=pytest.mark.slow)]
)
def test_somebody_signs_in_by_a_provider(browser, console, issuer, size):
    """By way of another site, with whose answer no strict cookie comes: one press, and the page that was asked for."""
    site, _ = console
    browser.open(address=f"{site}queue", width=size[0], height=size[1])
    browser.wait(selector="#password")
    judged(browser)
    assert browser.js("document.documentElement.scrollWidth <= innerWidth")
    browser.click(selector="a[href*='sign-on?next']")
    browser.wait(selector="nav")
    assert browser.js("location.href") == f"{site}queue"
    assert "Cy Moor" in browser.tree(selector="header")
    browser.click(selector="header button")
    browser.wait(selector="#password")
    issuer.person["groups"] = []
    for language, words in (("de", "Keine von Ihren hat hier eine Rolle"), ("en", "none of yours has a role")):
        if browser.js("document.documentElement.lang") != language:
            browser.click(selector=f"a[href*='language/{language}']")
            browser.wait(selector=f"html[lang={language}] #password")
        browser.click(selector="a[href*='sign-on?next']")
        browser.wait(selector="a[href$='/sign-in']")
        assert words in browser.tree(selector="main")
        legible(browser)
        browser.click(selector="main a")
        browser.wait(selector="#password")
    assert [one for one in browser.log()["said"] if "403" not in one] == []


@pytest.mark.parametrize(
    "size", [pytest.param(DESKTOP, id="desktop"), pytest.param(PHONE, id="phone", marks=pytest.mark.slow)]
)
def test_somebody_adds_a_security_key_and_signs_in_with_it(browser, console, service, size):  # noqa: F811
    """By the one script of the console, in German and English."""
    site = console[0].replace("127.0.0.1", "localhost")
    settings = msgspec.structs.replace(service.shared.settings, public_url=site.removesuffix("/console/"))
    object.__setattr__(service.shared, "settings", settings)

    enter(browser, site, size)
    browser.plug()
    go(browser, site, "security-keys?language=de")
    assert browser.js("[...document.querySelectorAll('#cannot, #stopped')].every((one) => one.hidden)")
    legible(browser)
    browser.fill(selector="#name", text="blau")
    browser.click(selector="#press")
    browser.wait(selector="th:has-text('blau')")
    legible(browser)
    browser.click(selector="header button")
    browser.wait(selector="#password")
    browser.fill(selector="#name", text="Ada Marsh")
    browser.fill(selector="#password", text=PASSWORD)
    browser.press(key="Enter")
    browser.wait(selector="#press")
    legible(browser)
    browser.click(selector="#press")
    browser.wait(selector="nav")
    assert "Ada Marsh" in browser.tree(selector="header")
    assert [one for one in browser.log()["said"] if not one.startswith("verbose")] == []


def test_without_script_the_page_of_keys_says_what_to_do(browser, console, service):  # noqa: F811
    """And has no button that does nothing."""
    site = console[0].replace("127.0.0.1", "localhost")
    settings = msgspec.structs.replace(service.shared.settings, public_url=site.removesuffix("/console/"))
    object.__setattr__(service.shared, "settings", settings)
    enter(browser, f"{site}security-keys", script=False)
    words = browser.tree(selector="main")
    assert "Take another browser, with script" in words
    assert "button" not in words
