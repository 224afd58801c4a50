"""Signing in by a provider: who gets in with which role, and every answer that lets nobody in."""

from urllib.parse import parse_qsl, urlsplit

import msgspec
import pytest
from joserfc.jwk import ECKey, OctKey, RSAKey
from sqlalchemy import select

from equiproof.service.checking import check
from equiproof.service.console import identities, officers, pending, provider, throttle
from equiproof.service.console.officers import Role, add_officer
from equiproof.service.console.throttle import WINDOW
from equiproof.service.settings import SignOnSettings
from equiproof.service.store.tables import Login, Officer, SignOn, TrailLine
from equiproof.service.web.app import create_app
from tests.service.console.issuer import CLIENT, SECRET, Issuer, serving
from tests.service.console.people import Person, browser_of, sign_in

KEY, OTHER = (ECKey.generate_key("P-256", {"kid": kid, "use": "sig"}) for kid in ("first", "second"))
ROLES = {"loans": "officer", "audit": "auditor", "it": "admin"}
ADA = {"sub": "u-1", "preferred_username": "Ada Marsh", "groups": ["all", "loans"]}
CALLBACK = "/console/sign-on/callback"
PASSWORD = "correct horse battery"


@pytest.fixture
def issuer(service):
    """A provider with Ada."""
    service.issuer = issuer = Issuer(KEY, person=dict(ADA), now=lambda: service.clock.now / 1e6)
    server = serving(issuer)
    yield issuer
    server.shutdown()
    server.server_close()


@pytest.fixture
def signing_on(service, issuer, tmp_path):
    """The service with this provider; a function that changes the settings starts it anew."""
    (tmp_path / "secret").write_text(SECRET + "\n")
    (tmp_path / "secret").chmod(0o600)

    def start(**more):
        usual = {"issuer": issuer.address, "client_id": CLIENT, "roles": ROLES}
        sign_on = SignOnSettings(**(usual | {"client_secret": str(tmp_path / "secret")} | more))
        settings = msgspec.structs.replace(service.shared.settings, sign_on=sign_on)
        object.__setattr__(service.shared, "settings", settings)
        service.client.app = create_app(service.shared)
        return Person(service, browser_of(service))

    return start


@pytest.fixture
def ada(signing_on):
    """Somebody with a browser, before the sign-in."""
    return signing_on()


def leave(person, **query):
    """Go to the provider; return where it sends the browser back to, within the console."""
    answer = person.get("sign-on", params=query)
    assert answer.status_code == 303, answer.text
    back = person.service.issuer.authorize(urlsplit(answer.headers["location"]).query)
    assert back.startswith("http://127.0.0.1:8080" + CALLBACK)
    return back.partition("/console/")[2]


def enter(person, **query):
    return person.get(leave(person, **query))


def trail(service):
    with service.shared.database.reading() as session:
        rows = session.scalars(select(TrailLine).order_by(TrailLine.number)).all()
        return [(row.act, row.actor, row.detail) for row in rows]


def refused(service, answer, reason, status=403):
    """Say that an answer lets nobody in, in one sentence, with a line of the trail that says why."""
    assert (answer.status_code, "equiproof-console=" in answer.headers.get("set-cookie", "")) == (status, False)
    assert "You are not signed in" in answer.text
    assert trail(service)[-1][0::2] == ("sign-in-failed", f"by=provider,reason={reason}")
    with service.shared.database.reading() as session:
        assert session.scalars(select(Login)).all() == []
        assert session.scalars(select(SignOn)).all() == []


def test_a_person_gets_in_with_the_role_of_a_group(service, ada):
    """Account, role and session; the page leads on by itself, the cookie of the way is gone, the trail has lines."""
    way = ada.get("sign-on", params={"next": "/console/queue"})
    assert way.headers["set-cookie"].startswith("equiproof-sign-on=")
    assert "SameSite=lax" in way.headers["set-cookie"]
    asked = dict(parse_qsl(urlsplit(way.headers["location"]).query))
    assert asked["scope"] == "openid profile"
    assert not {"client_secret", "code_verifier"} & set(asked)
    answer = enter(ada, next="/console/queue")
    assert answer.status_code == 200
    assert '<meta http-equiv="refresh" content="0; url=/console/queue">' in answer.text
    cookies = answer.headers.get_list("set-cookie")
    assert any(one.startswith("equiproof-console=") and "SameSite=strict" in one for one in cookies)
    assert any(one.startswith('equiproof-sign-on=""') and "Max-Age=0" in one for one in cookies)
    page = ada.get("queue").text
    assert "Ada Marsh" in page
    assert ", officer" in page
    (officer,) = accounts(service)
    assert (officer.issuer, officer.subject, officer.password) == (issuer_of(service), "u-1", "")
    assert [line[0] for line in trail(service)] == ["account", "sign-in"]
    assert {line[1] for line in trail(service)} == {officer.id}
    assert "u-1" not in repr(trail(service))


def accounts(service):
    with service.shared.database.reading() as session:
        return officers.officers(session)


def issuer_of(service):
    return service.shared.settings.sign_on.issuer


def test_role_and_name_are_those_of_the_last_sign_in(service, issuer, ada):
    """Of the account of the subject, in all of its sessions; another subject has another account."""
    enter(ada)
    issuer.person |= {"groups": "audit", "preferred_username": "Ada Moor"}
    enter(Person(service, browser_of(service)))
    assert ", auditor" in ada.get("queue").text
    assert "Ada Moor" in ada.get("queue").text
    assert [line[0::2] for line in trail(service)][-2:] == [
        ("account-role", "role=auditor,by=provider"), ("sign-in", "by=provider")]  # fmt: skip
    issuer.person |= {"sub": "u-2", "preferred_username": "Bo Lind"}
    enter(Person(service, browser_of(service)))
    assert [one.subject for one in accounts(service)] == ["u-1", "u-2"]


WRONG = {
    "expired": ({"exp": 1_790_000_000 - 61}, {}),
    "of another issuer": ({"iss": "https://evil.test"}, {}),
    "for another audience": ({"aud": "another"}, {}),
    "for two audiences": ({"aud": [CLIENT, "another"]}, {}),
    "for another audience, by way of us": ({"aud": "another", "azp": CLIENT}, {}),
    "for another party": ({"azp": "another"}, {}),
    "with another nonce": ({"nonce": "0" * 64}, {}),
    "without a nonce": ({"nonce": None}, {}),
    "without an end": ({"exp": None}, {}),
    "without a subject": ({"sub": None}, {}),
    "with a subject that is none": ({"sub": ["u-1"]}, {}),
    "with a subject without end": ({"sub": "u-1\0"}, {}),
    "with a subject of other signs": ({"sub": "\u00e4"}, {}),
    "with an empty subject": ({"sub": ""}, {}),
    "with an end that is none": ({"exp": "later"}, {}),
    "not yet valid": ({"nbf": 1_790_000_000 + 3600}, {}),
    "of another access token": ({"at_hash": "0" * 22}, {}),
    "unsigned": ({}, {"alg": "none"}),
    "of a key that is not there": ({}, {"kid": "third"}),
}


def test_a_token_that_does_not_hold_lets_nobody_in(service, issuer, ada, subtests):
    """Whatever is wrong with it."""
    for case, (issuer.claims, issuer.header) in WRONG.items():
        with subtests.test(case):
            refused(service, enter(ada), "token")
            assert accounts(service) == []


@pytest.mark.filterwarnings("ignore::joserfc.errors.SecurityWarning")
def test_a_token_signed_by_others_lets_nobody_in(service, issuer, ada):
    """Another key under the same name; the public key, which all have, as a secret; and a secret among the keys."""
    issuer.signing = OTHER
    refused(service, enter(ada), "token")
    shared = OctKey.generate_key(256, {"kid": KEY.kid})
    issuer.signing, issuer.header = KEY.as_pem(private=False), {"alg": "HS256"}
    refused(service, enter(ada), "token")
    issuer.signing = shared
    issuer.answers["/keys"] = 200, {"keys": [shared.as_dict()]}
    service.clock.now += 2 * provider.FRESH
    refused(service, enter(ada), "token")
    weak = RSAKey.generate_key(1024, {"kid": "weak"})
    issuer.answers["/keys"] = 200, {"keys": [weak.as_dict(private=False), 7, {"kty": "RSA"}, {"kty": "new"}]}
    issuer.signing, issuer.header = weak, {"alg": "RS256", "kid": "weak"}
    service.clock.now += 2 * provider.FRESH
    refused(service, enter(ada), "token")


PEOPLE = {
    "no group": ({"groups": None}, "role"),
    "an unknown group": ({"groups": ["guests"]}, "role"),
    "a group in other capitals": ({"groups": ["Loans"]}, "role"),
    "groups that are none": ({"groups": {"loans": True}}, "role"),
    "numbers for groups": ({"groups": ["loans", 1]}, "role"),
    "two roles": ({"groups": ["loans", "audit"]}, "roles"),
    "no name": ({"preferred_username": None}, "name"),
    "a name of signs": ({"preferred_username": "Ad\u0430"}, "name"),
    "a long name": ({"preferred_username": "a" * 65}, "name"),
    "somebody else's name": ({"preferred_username": "INES adler"}, "name"),
    "a long subject": ({"sub": "u" * 256}, "token"),
}


def test_a_person_without_role_or_name_is_refused(service, issuer, ada, subtests):
    """And takes over no account that has the name already."""
    with service.shared.database.transaction() as session:
        own = add_officer(session, "Ines Adler", Role.ADMIN, PASSWORD, service.clock()).id
    for case, (issuer.claims, reason) in PEOPLE.items():
        with subtests.test(case):
            refused(service, enter(ada), reason)
            assert [(one.id, one.issuer) for one in accounts(service)] == [(own, None)]


def test_an_answer_is_for_the_browser_that_asked_and_once(service, ada):
    """Not for another one, into whose session a stranger's would be slipped; not a second time; not late."""
    back = leave(ada)
    other = Person(service, browser_of(service))
    answer = other.get(back)
    assert (answer.status_code, trail(service)[-1][2]) == (403, "by=provider,reason=state")
    begun = leave(other)
    assert other.get(back).status_code == 403  # the state of another sign-on
    assert other.get(begun).status_code == 403  # its own is over by that
    token = ada.client.cookies["equiproof-sign-on"]
    assert ada.get(back).status_code == 200
    ada.client.cookies.clear()
    ada.client.cookies.set("equiproof-sign-on", token)
    assert ada.get(back).status_code == 403
    late = leave(other)
    service.clock.now += pending.PENDING_TIME
    assert other.get(late).status_code == 403
    assert [line[2] for line in trail(service) if line[0] == "sign-in-failed"] == ["by=provider,reason=state"] * 5


RETURNED = [
    ({"state": "0" * 64}, "state"),
    ({"state": "\u00e9"}, "state"),
    ({"state": None}, "state"),
    ({"iss": "https://evil.test"}, "issuer"),
    ({"error": "access_denied"}, "denied"),
    ({"code": None}, "denied"),
    ({"code": "x"}, "provider"),
]


def test_answers_that_are_none(service, issuer, ada, subtests):
    """Of another state, of another provider, and without a code that the provider gave."""
    for issuer.returned, reason in RETURNED:
        with subtests.test(str(issuer.returned)):
            refused(service, enter(ada), reason, 503 if reason == "provider" else 403)
    assert "access_denied" not in repr(trail(service))


def test_a_parameter_that_stands_there_twice_is_refused(service, ada):
    """Readers differ in which of them they take."""
    back = leave(ada)
    refused(service, ada.get(f"{back}&code=x"), "state")


FALSE = {
    "no JSON": ("/token", 200, b"<html>", "provider"),
    "a list": ("/token", 200, [], "provider"),
    "no token": ("/token", 200, {}, "token"),
    "an error": ("/token", 500, {}, "provider"),
    "a redirect": ("/token", 307, "http://127.0.0.1:1/", "provider"),
    "too much": ("/token", 200, b"[" * (provider.MAX_ANSWER_BYTES + 1), "provider"),
    "deep": ("/token", 200, b"[" * 100_000, "provider"),
    "a token that is none": ("/token", 200, {"access_token": "x", "id_token": 7}, "token"),
    "a number for a life": ("/token", 200, {"access_token": "x", "expires_in": "soon"}, "provider"),
    "keys that are none": ("/keys", 200, {"keys": 7}, "provider"),
    "no keys": ("/keys", 404, {}, "provider"),
}
DISCOVERY = "/.well-known/openid-configuration"


def test_a_provider_that_answers_wrongly_lets_nobody_in(service, issuer, ada, subtests):
    """Nothing is followed, and nothing is read without an end."""
    for case, (path, status, said, reason) in FALSE.items():
        with subtests.test(case):
            issuer.answers = {path: (status, said)}
            refused(service, enter(ada), reason, 403 if reason == "token" else 503)


def test_a_provider_that_leads_elsewhere_is_not_followed(service, issuer, ada, subtests):
    """By a discovery document that is not there, or is another's, or names an address without TLS, or none."""
    usual = issuer.answer("GET", DISCOVERY, "", "", "")[1]
    named = ("http://192.0.2.1/x", "ftp://127.0.0.1/", "javascript:alert(1)", "https://", 7, None)
    for answer in (
        (404, {}),
        (200, usual | {"issuer": "https://evil.test"}),
        *((200, usual | {"authorization_endpoint": address}) for address in named),
    ):
        with subtests.test(str(answer)):
            issuer.answers = {DISCOVERY: answer}
            assert ada.get("sign-on").status_code == 503
            assert trail(service)[-1] == ("sign-in-failed", "", "by=provider,reason=provider")
    issuer.answers = {}
    assert ada.get("sign-on").status_code == 303


def test_keys_are_fetched_anew_for_one_that_is_not_known_once_a_minute(service, issuer, ada):
    """So that a provider may change its key, and tokens of strangers do not make us ask it for each."""
    assert enter(ada).status_code == 200
    service.clock.now += provider.AGAIN
    issuer.key = OTHER
    assert enter(ada).status_code == 200
    assert issuer.asked.count("/keys") == 2
    issuer.header = {"kid": "third"}
    for _ in range(3):
        assert enter(ada).status_code == 403
    assert issuer.asked.count("/keys") == 2
    assert issuer.asked.count(DISCOVERY) == 1


def test_stated_addresses_need_no_discovery(issuer, signing_on):
    """And a client is known by its secret in either of the two usual ways."""
    stated = {"authorization_endpoint": "authorize", "token_endpoint": "token", "jwks_uri": "keys"}
    person = signing_on(**{name: f"{issuer.address}/{path}" for name, path in stated.items()})
    assert enter(person).status_code == 200
    assert DISCOVERY not in issuer.asked
    document = issuer.answer("GET", DISCOVERY, "", "", "")[1]
    issuer.answers[DISCOVERY] = 200, document | {"token_endpoint_auth_methods_supported": ["client_secret_post"]}
    assert enter(signing_on()).status_code == 200


def test_the_session_before_ends_and_none_is_taken_over(service, ada):
    """That of another account in this browser, and a cookie that somebody planted on the way."""
    before = sign_in(service, Role.AUDITOR)
    ada.client.cookies.set("equiproof-console", before.token)
    enter(ada)
    assert Person(service, browser_of(service, before.token)).get().status_code == 303
    with service.shared.database.reading() as session:
        assert len(session.scalars(select(Login)).all()) == 1


def test_it_leads_nowhere_else(ada):
    """An address of another place, or too long a one, is not followed."""
    for then in ("https://evil.test", "//evil.test", "/console/../v1", "/v1", "/console/" + "a" * 200):
        assert 'content="0; url=/console/"' in enter(ada, next=then).text


def test_an_account_that_is_closed_here_stays_closed(service, ada):
    """Whatever the provider says; the line names the account, and an admin opens it again."""
    enter(ada)
    (officer,) = accounts(service)
    with service.shared.database.transaction() as session:
        officers.disable(session, session.get(Officer, officer.id), 1)
    answer = enter(Person(service, browser_of(service)))
    refused(service, answer, "closed")
    assert trail(service)[-1][1] == officer.id


def test_an_account_of_the_provider_has_no_password_and_no_role_of_ours(service, ada):
    """No page gives it one; a password opens nothing; and it does not count as the last admin."""
    admin = sign_in(service, Role.ADMIN)
    enter(ada)
    account = next(one for one in accounts(service) if one.issuer)
    assert ada.get("password").status_code == 409
    assert 'href="/console/password"' not in ada.get("queue").text
    page = admin.get("officers").text
    assert "by the provider" in page
    assert f"officers/{account.id}/password" not in page
    for what in ("password", "role"):
        answer = admin.post(f"officers/{account.id}/{what}", role="admin")
        assert (answer.status_code, "provider" in answer.text) == (422, True), what
    for password in ("", PASSWORD):
        assert not officers.opens(account, password)
    with service.shared.database.transaction() as session:
        session.get(Officer, account.id).role = "admin"
    assert "last admin" in admin.post(f"officers/{admin.id}/close").text
    assert admin.post(f"officers/{account.id}/close").status_code == 303
    assert ada.get("queue").status_code == 303


def test_tries_are_counted_by_address(service, ada, monkeypatch):
    """Those that come to nothing, and answers out of nowhere, of which the trail has no more lines than tries."""
    monkeypatch.setattr(throttle, "ADDRESS_LIMIT", 3)
    assert {ada.get("sign-on").status_code for _ in range(3)} == {303}
    for path in ("sign-on", "sign-on/callback?state=x&code=y"):
        ada.client.cookies.clear()
        answer = ada.get(path)
        assert (answer.status_code, answer.headers["retry-after"]) == (429, "900")
    assert trail(service) == []
    service.clock.now += WINDOW
    for _ in range(5):
        assert enter(ada).status_code == 200


def test_pages_in_both_languages(service, issuer, ada):
    """From the sign-in page on; every reason has its sentence in both."""
    page = ada.get("sign-in", params={"next": "/console/queue"}).text
    assert 'href="/console/sign-on?next=%2Fconsole%2Fqueue"' in page
    assert "Sign in with your organisation’s account" in page
    german = ada.get("sign-in", params={"next": "/console/queue"}, headers={"Accept-Language": "de"}).text
    assert "Mit dem Konto Ihrer Organisation anmelden" in german
    assert '<div lang="de">' in enter(ada, language="de").text
    issuer.person |= {"groups": []}
    assert "Keine von Ihren hat hier eine Rolle" in enter(ada, language="de").text
    assert "none of yours has a role here" in enter(ada, language="fr").text


def test_check_asks_the_provider(service, issuer, ada, monkeypatch, tmp_path):
    """Whether it is there, and for its keys; that it is away is a line."""
    monkeypatch.chdir(tmp_path)

    def line():
        (found,) = (one for one in check(service.shared.settings) if one.text.startswith("sign_on: "))
        return found

    assert line().good
    assert "1 key(s) that may sign; roles by groups" in line().text
    issuer.answers[DISCOVERY] = 500, {}
    assert not line().good
    assert "provider: answered 500" in line().text


def test_without_a_provider_there_is_no_such_page(nobody):
    """And the sign-in says nothing of one."""
    for path in ("sign-on", "sign-on/callback"):
        assert nobody.get(path).status_code == 404
    assert "sign-on" not in nobody.get("sign-in").text


def test_secrets_are_kept_nowhere(service, ada):
    """Of the cookie of a sign-on there is a digest alone."""
    leave(ada)
    token = ada.client.cookies["equiproof-sign-on"]
    with service.shared.database.reading() as session:
        (row,) = session.scalars(select(SignOn)).all()
    assert token not in repr(vars(row))
    assert SECRET not in repr(vars(row))


def test_a_secret_that_cannot_be_used_is_named(tmp_path):
    """One that others may read, an empty one, and one of several lines."""
    path = tmp_path / "secret"
    settings = SignOnSettings("https://a.test", "c", {"a": "officer"}, client_secret=str(path))
    for text, mode, said in ((SECRET, 0o644, "chmod 600"), ("\n", 0o600, "alone"), ("a\nb", 0o600, "one line")):
        path.write_text(text)
        path.chmod(mode)
        with pytest.raises(identities.SecretError, match=said):
            identities.secret_of(settings)
