"""Sessions begin with a password and end by themselves; secrets are nowhere; tries are counted."""

import msgspec
import pytest
from sqlalchemy import select

from equiproof.service.console import officers, sessions
from equiproof.service.console.officers import OfficerError, Role, add_officer
from equiproof.service.console.throttle import ADDRESS_LIMIT, PAIR_LIMIT, WINDOW, Throttle
from equiproof.service.store.tables import Login, Officer
from tests.service.console.people import Person, browser_of, sign_in

REAL = officers._nobody
"""A digest made before any test changes what they cost."""

PASSWORD, MINUTE = "correct horse battery", 60_000_000


@pytest.fixture
def ada(service):
    """An officer with a real password, not signed in."""
    with service.shared.database.transaction() as session:
        officer = add_officer(session, "Ada Marsh", Role.OFFICER, PASSWORD, service.clock())
    return Person(service, browser_of(service), officer.id)


def enter(person, name="Ada Marsh", password=PASSWORD, **more):
    return person.post("sign-in", csrf="", name=name, password=password, **more)


def public(service, address):
    settings = msgspec.structs.replace(service.shared.settings, public_url=address)
    object.__setattr__(service.shared, "settings", settings)


def test_signing_in_begins_a_session_and_signing_out_ends_it(service, ada):
    """The cookie is for the console alone; name in any capitals; afterwards the cookie opens nothing."""
    answer = enter(ada, name=" ada MARSH ", next="/console/queue")
    assert (answer.status_code, answer.headers["location"]) == (303, "/console/queue")
    cookie = answer.headers["set-cookie"]
    assert cookie.startswith("equiproof-console=")
    assert cookie.partition("; ")[2] == "HttpOnly; Path=/console/; SameSite=strict"
    assert "Ada Marsh" in ada.get().text
    token = ada.client.cookies["equiproof-console"]
    assert ada.post("sign-out").status_code == 303
    assert Person(service, browser_of(service, token)).get().status_code == 303
    with service.shared.database.transaction() as session:
        assert session.scalars(select(Login)).all() == []


@pytest.mark.parametrize(
    ("address_of_service", "plain"),
    [("http://127.0.0.1:8080", True), ("http://[::1]:1", True), ("http://localhost", True),
     ("https://127.0.0.1", False), ("https://loans.test", False), ("http://loans.test", False)],
)  # fmt: skip
def test_a_cookie_travels_over_tls_unless_on_loopback(service, ada, address_of_service, plain):
    """Elsewhere it is Secure, even where somebody forgot the s, and no other host can set it."""
    public(service, address_of_service)
    cookie = enter(ada).headers["set-cookie"]
    assert ("Secure" in cookie) != plain
    assert cookie.startswith("equiproof-console=" if plain else "__Host-equiproof-console=")
    assert ("Path=/;" in cookie) != plain
    assert "Domain" not in cookie


def test_a_session_is_a_new_one_and_the_one_before_ends(service, ada):
    """A cookie that somebody planted is not taken over."""
    ada.client.cookies.set("equiproof-console", "planted", domain="testserver.local", path="/console/")
    enter(ada)
    first = ada.client.cookies["equiproof-console"]
    assert first != "planted"
    enter(ada)
    assert Person(service, browser_of(service, first)).get().status_code == 303


def test_a_session_ends_by_time(service):
    """After half an hour without a request, and ten hours after it began, whatever was asked."""
    person = sign_in(service, Role.OFFICER)
    for _ in range(19):
        service.clock.now += 29 * MINUTE
        assert person.get("queue").status_code == 200
    service.clock.now += 31 * MINUTE
    assert person.get("queue").status_code == 303
    person, asked = sign_in(service, Role.OFFICER), 0
    while person.get("queue").status_code == 200:
        service.clock.now += 20 * MINUTE
        asked += 1
    assert asked == 30
    assert sessions.MAX_TIME == 600 * MINUTE


def test_a_session_follows_its_account(service, admin):
    """A new role counts from the next request on; a closed account's session is over, and so are forms of it."""
    person = sign_in(service, Role.OFFICER)
    token = person.csrf()
    assert admin.post(f"officers/{person.id}/role", role="auditor").status_code == 303
    assert ", auditor" in person.get("queue").text
    assert person.post("decisions/" + "0" * 32, csrf=token, label="0", reason="x").status_code == 403
    admin.post(f"officers/{person.id}/close")
    assert person.get("queue").status_code == 303
    admin.post(f"officers/{person.id}/open")
    assert person.get("queue").status_code == 303


@pytest.mark.parametrize(
    "then", ["https://evil.test", "//evil.test", "/console/../v1", "/console/\\evil", "/v1", "/console//x?y"]
)
def test_signing_in_leads_nowhere_else(ada, then):
    """An address of another place is not followed, and not repeated in the form."""
    assert enter(ada, next=then).headers["location"] == "/console/"
    assert "evil" not in ada.get("sign-in", params={"next": then}).text


def test_nothing_tells_an_unknown_name_from_a_wrong_password(service, ada, monkeypatch):
    """The same words for both and for a closed account, and each of them costs one computation."""
    computed = []
    verify = officers._hasher.verify
    monkeypatch.setattr(officers, "_hasher", msgspec.defstruct("H", [], dict=True)())
    officers._hasher.verify = lambda kept, given: computed.append(given) or verify(kept, given)
    answers = [enter(ada, password="wrong horse battery"), enter(ada, name="Bob Marsh"), enter(ada, name="")]
    with service.shared.database.transaction() as session:
        officers.disable(session, session.get(Officer, ada.id), 1)
    answers.append(enter(ada))
    assert {answer.status_code for answer in answers} == {403}
    said = {answer.text.replace('value="Ada Marsh"', "").replace('value="Bob Marsh"', "")
            .replace('value=""', "").replace(" autofocus", "").replace("  ", " ") for answer in answers}  # fmt: skip
    assert len({text[text.index('role="alert"') : text.index("<form")] for text in said}) == 1
    assert len(computed) == 4
    assert all(PASSWORD not in answer.text for answer in answers)


def test_tries_are_counted(service, ada):
    """The sixth is not looked at, right or wrong; after a quarter of an hour it is."""
    assert [enter(ada, password="x" * 12).status_code for _ in range(PAIR_LIMIT)] == [403] * PAIR_LIMIT
    late = enter(ada)
    assert late.status_code == 429
    assert 0 < int(late.headers["retry-after"]) <= WINDOW // 10**6
    assert "Try again in" in late.text
    service.clock.now += WINDOW
    assert enter(ada).status_code == 303


def test_limits_of_tries():
    """By pair, by address and by name; a success clears the pair; a clock that jumps back locks nobody out."""
    throttle = Throttle()
    assert [throttle.wait("a", "1", 10) for _ in range(PAIR_LIMIT)] == [0] * PAIR_LIMIT
    assert throttle.wait("A", "1", 10) == WINDOW // 10**6
    assert throttle.wait("a", "2", 10) == 0
    throttle.succeeded("a", "1")
    assert throttle.wait("a", "1", 10) == 0
    for _ in range(3 * ADDRESS_LIMIT):
        assert throttle.wait("b", "2", 10) == 0
        throttle.succeeded("b", "2")
    spread = [throttle.wait(f"name {number}", "9", 20) for number in range(ADDRESS_LIMIT + 1)]
    assert spread == [0] * ADDRESS_LIMIT + [WINDOW // 10**6]
    assert throttle.wait("a", "9", 5) == 0
    assert throttle.wait("late", "9", 21 + WINDOW) == 0


def test_what_is_kept_of_tries_is_bounded(monkeypatch):
    """A flood of names costs a bounded amount of memory."""
    monkeypatch.setattr("equiproof.service.console.throttle.MAX_KEYS", 50)
    throttle = Throttle()
    for number in range(200):
        throttle.wait(f"{number}", f"{number}", number)
    assert len(throttle._tries) == 50


def test_secrets_are_kept_nowhere(service, ada):
    """Neither token nor password is in the database; a password's digest is Argon2id's."""
    enter(ada)
    token = ada.client.cookies["equiproof-console"]
    with service.shared.database.transaction() as session:
        kept = [str(vars(row)) for table in (Officer, Login) for row in session.scalars(select(table))]
    assert len(kept) == 2
    assert all(token not in row and PASSWORD not in row for row in kept)
    assert any("$argon2id$" in row for row in kept)
    assert REAL.startswith("$argon2id$v=19$m=65536,t=3,p=4$")


def test_ones_own_password(service, ada):
    """The present one is needed, and the new one twice; then all other sessions end, and this one goes on."""
    enter(ada)
    other = Person(service, browser_of(service))
    enter(other)
    new = "battery staple correct"
    for fields, said in (
        ({"old": "wrong", "new": new, "again": new}, "present password"),
        ({"old": PASSWORD, "new": new, "again": new + "x"}, "both fields"),
        ({"old": PASSWORD, "new": "short", "again": "short"}, "want 12 to 128 characters"),
        ({"old": PASSWORD, "new": "ada marsh 1234", "again": "ada marsh 1234"}, "too easy"),
    ):
        answer = ada.post("password", **fields)
        assert (answer.status_code, said in answer.text) == (422, True), said
        assert PASSWORD not in answer.text
    assert ada.post("password", old=PASSWORD, new=new, again=new).status_code == 303
    assert ada.get().status_code == 200
    assert other.get().status_code == 303
    assert enter(other).status_code == 403
    assert enter(other, password=new).status_code == 303


@pytest.mark.parametrize("password", ["", "short", "x" * 129, "aaaaaaaaaaaaaaaa", "I am Ada Marsh!"])
def test_weak_passwords(service, password):
    """One line, which does not repeat it."""
    with service.shared.database.transaction() as session, pytest.raises(OfficerError) as refused:
        add_officer(session, "Ada Marsh", Role.OFFICER, password, 1)
    assert "password" in str(refused.value)
    assert not password or password not in str(refused.value)


def test_a_password_is_the_same_in_every_form_of_unicode(service):
    """As keyboards of two systems send it."""
    with service.shared.database.transaction() as session:
        officer = add_officer(session, "Zoë", Role.OFFICER, "n\u00e9cessaire, \u00e0 la carte", 1)
    assert officers.opens(officer, "ne\u0301cessaire, a\u0300 la carte")
    assert not officers.opens(officer, "necessaire, a la carte")
    assert not officers.opens(None, "necessaire, a la carte")


@pytest.mark.parametrize("name", ["", " Ada", "a" * 65, "Ad\u0430", "a\nb"])
def test_names_that_none_can_have(service, name):
    """Empty ones, long ones, and those that could be taken for another's."""
    with service.shared.database.transaction() as session, pytest.raises(OfficerError, match="name"):
        add_officer(session, name, Role.OFFICER, PASSWORD, 1)
