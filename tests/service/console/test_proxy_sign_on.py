"""Signing in by the word of a web server in front: whom it names, and that nobody else's word counts."""

import msgspec
import pytest
from fastapi.testclient import TestClient
from sqlalchemy import select

from equiproof.service.console import identities, throttle
from equiproof.service.console.officers import Role, add_officer, disable, named, officers
from equiproof.service.settings import ProxySignOnSettings
from equiproof.service.store.tables import Login, TrailLine
from equiproof.service.web.app import create_app
from tests.service.console.people import Person

SECRET = "f3c1" * 8
HERE, ELSEWHERE = "10.0.0.5", "203.0.113.9"
ROLES = {"loans": "officer", "internal audit": "auditor", "it": "admin"}
WAY = "sign-on/proxy"
USER, GROUPS, KNOWN = "X-Remote-User", "X-Remote-Groups", "X-Proxy-Secret"
ADA = {USER: "ada.marsh", GROUPS: "all, loans", KNOWN: SECRET}


@pytest.fixture
def settings(tmp_path):
    """The section, with its secret in a file."""
    (tmp_path / "secret").write_text(f"{SECRET}\n")
    (tmp_path / "secret").chmod(0o600)
    return ProxySignOnSettings(USER, GROUPS, str(tmp_path / "secret"), (HERE,), ROLES)


@pytest.fixture
def browser(service, settings):
    """Return a function that makes a browser whose requests come from an address, the proxy's unless one is given."""
    whole = msgspec.structs.replace(service.shared.settings, proxy_sign_on=settings)
    object.__setattr__(service.shared, "settings", whole)
    service.client.app = create_app(service.shared)

    def browser(peer=HERE):
        client = TestClient(service.client.app, raise_server_exceptions=False, client=(peer, 50000))
        return Person(service, client)

    return browser


def lines(service):
    with service.shared.database.reading() as session:
        rows = session.scalars(select(TrailLine).order_by(TrailLine.number)).all()
        return [(row.act, row.detail) for row in rows]


def accounts(service):
    with service.shared.database.reading() as session:
        return officers(session)


def refused(service, answer, reason, status=403):
    """Say that an answer lets nobody in, in one sentence, with a line of the trail that says why."""
    assert (answer.status_code, "set-cookie" in answer.headers) == (status, False)
    assert "You are not signed in" in answer.text
    assert lines(service)[-1] == ("sign-in-failed", f"by=proxy,reason={reason}")
    with service.shared.database.reading() as session:
        assert session.scalars(select(Login)).all() == []


def test_whom_the_proxy_names_gets_in_with_the_role_of_a_group(service, browser):
    """Account, role and session; the page leads on by itself, and the trail has lines."""
    ada = browser()
    assert f'href="/console/{WAY}?next=%2Fconsole%2Fqueue"' in ada.get("sign-in?next=/console/queue").text
    answer = ada.get(f"{WAY}?next=/console/queue", headers=ADA)
    assert answer.status_code == 200
    assert '<meta http-equiv="refresh" content="0; url=/console/queue">' in answer.text
    assert "SameSite=strict" in answer.headers["set-cookie"]
    page = ada.get("queue").text
    assert "ada.marsh" in page
    assert ", officer" in page
    (officer,) = accounts(service)
    assert (officer.issuer, officer.subject, officer.password) == ("proxy", "ada.marsh", "")
    assert lines(service) == [("account", "role=officer,by=proxy"), ("sign-in", "by=proxy")]
    assert ada.get(WAY, headers=ADA | {GROUPS: "internal audit"}).status_code == 200
    assert [line[0] for line in lines(service)[2:]] == ["account-role", "sign-in"]
    with service.shared.database.reading() as session:
        assert len(session.scalars(select(Login)).all()) == 1  # the session before has ended


@pytest.mark.parametrize("peer", [ELSEWHERE, "127.0.0.1", "testclient", "::ffff:10.0.0.5"])
def test_a_stranger_who_sends_the_headers_is_nobody(service, browser, peer):
    """Even with the secret, and whatever he says of where he comes from."""
    stranger = browser(peer)
    for more in ({}, {"X-Forwarded-For": HERE}, {"X-Real-IP": HERE, "Forwarded": f"for={HERE}"}):
        refused(service, stranger.get(WAY, headers=ADA | more), "proxy")
    assert accounts(service) == []


@pytest.mark.parametrize("given", [None, "", SECRET[:-1], f"{SECRET}x", "\xe9" * 32, [SECRET, SECRET], ["x", SECRET]])
def test_another_program_of_the_proxys_machine_is_nobody(service, browser, given):
    """Without the secret, or with two of which one is a client's."""
    secrets = given if isinstance(given, list) else [] if given is None else [given]
    headers = [(name.encode(), value.encode()) for name, value in ADA.items() if name != KNOWN]
    headers += [(KNOWN.encode(), one.encode("latin-1")) for one in secrets]
    refused(service, browser().get(WAY, headers=headers), "proxy")


def test_the_headers_open_no_other_page(service, browser):
    """Only this way reads them: a page without a session leads to the sign-in, and a form is refused."""
    someone = browser()
    assert someone.get("queue", headers=ADA).headers["location"].startswith("/console/sign-in")
    assert someone.post("officers", headers=ADA, name="Eve", role="admin").status_code == 401
    assert accounts(service) == []


@pytest.mark.parametrize(
    ("changed", "reason"),
    [
        ({USER: None}, "name"),
        ({USER: ""}, "name"),
        ({USER: "Ada\xa0Marsh"}, "name"),
        ({USER: "a" * 300}, "name"),
        ({GROUPS: None}, "role"),
        ({GROUPS: ""}, "role"),
        ({GROUPS: "LOANS"}, "role"),
        ({GROUPS: "loans;it"}, "role"),
        ({GROUPS: "loans,it"}, "roles"),
    ],
)
def test_who_has_no_name_or_not_one_role_is_refused(service, browser, changed, reason):
    """One role by the stated groups; none and several are refused, and so is a name that cannot be shown."""
    headers = {name: value for name, value in (ADA | changed).items() if value is not None}
    encoded = [(name.encode(), value.encode("latin-1")) for name, value in headers.items()]
    refused(service, browser().get(WAY, headers=encoded), reason)
    assert accounts(service) == []


@pytest.mark.parametrize(("name", "reason"), [(USER, "name"), (GROUPS, "role")])
def test_a_header_that_stands_there_twice_is_refused(service, browser, name, reason):
    """One of the two may be the client's own: a proxy that adds where it should replace lets nobody in."""
    headers = [(one.encode(), value.encode()) for one, value in ADA.items()]
    refused(service, browser().get(WAY, headers=[(name.encode(), b"it"), *headers]), reason)


def test_nobody_takes_over_an_account_of_ours(service, browser):
    """A name of an account with a password is refused, and an account that was closed here stays closed."""
    with service.shared.database.transaction() as session:
        add_officer(session, "Ada.Marsh", Role.ADMIN, "correct horse battery", service.clock())
    refused(service, browser().get(WAY, headers=ADA), "name")
    assert browser().get(WAY, headers=ADA | {USER: "otto"}).status_code == 200
    with service.shared.database.transaction() as session:
        disable(session, named(session, "otto"), service.clock())
    refused(service, browser().get(WAY, headers=ADA | {USER: "otto"}), "closed")


def test_tries_that_come_to_nothing_have_an_end(service, browser):
    """Those beyond wait, and are no lines; who gets in is not counted."""
    stranger = browser(ELSEWHERE)
    for _ in range(throttle.ADDRESS_LIMIT):
        stranger.get(WAY, headers=ADA)
    count = len(lines(service))
    assert stranger.get(WAY, headers=ADA).status_code == 429
    assert len(lines(service)) == count
    for _ in range(throttle.ADDRESS_LIMIT + 1):
        assert browser().get(WAY, headers=ADA).status_code == 200


def test_without_the_section_there_is_no_such_page(service):
    """And no word of it on the page of the sign-in."""
    assert service.client.get(f"/console/{WAY}", headers=ADA).status_code == 404
    assert WAY not in service.client.get("/console/sign-in").text


@pytest.mark.parametrize(("text", "mode"), [("short", 0o600), ("", 0o600), (SECRET, 0o644), ("\xfc" * 40, 0o600)])
def test_a_secret_is_long_and_its_owners(settings, tmp_path, text, mode):
    """One line names the file."""
    (tmp_path / "secret").write_text(text)
    (tmp_path / "secret").chmod(mode)
    with pytest.raises(identities.SecretError, match="secret"):
        identities.secret_of_proxy(settings)
