"""Security keys after a password: who gets in, and every answer that lets nobody in."""

import html
import json
import re
from dataclasses import replace

import cbor2
import msgspec
import pytest
from sqlalchemy import func, select

from equiproof.service.console import factors
from equiproof.service.console.officers import Role, add_officer
from equiproof.service.console.throttle import WINDOW
from equiproof.service.settings import ConsoleSettings, SettingsError, load_settings
from equiproof.service.sites import site_of
from equiproof.service.store.tables import KeyStep, Login, Officer, OfficerKey, TrailLine
from tests.cli.world import command
from tests.service.console.authenticator import Key, read, written
from tests.service.console.people import Person, browser_of, sign_in

PASSWORD = "correct horse battery"
OPTIONS = re.compile('data-options="([^"]*)"')
SITE = "http://localhost:8080"


def set_to(service, second_factor="optional", public_url=SITE):
    console = ConsoleSettings(second_factor=second_factor)
    settings = msgspec.structs.replace(service.shared.settings, console=console, public_url=public_url)
    object.__setattr__(service.shared, "settings", settings)


def account(service, name="Ada Marsh"):
    """Return somebody with a password, a browser and no session."""
    with service.shared.database.transaction() as session:
        officer = add_officer(session, name, Role.OFFICER, PASSWORD, service.clock())
    return Person(service, browser_of(service), officer.id)


@pytest.fixture
def ada(service):
    """An officer, where those who have keys are asked for them."""
    set_to(service)
    return account(service)


def begin(person, name="Ada Marsh", **more):
    return person.post("sign-in", csrf="", name=name, password=PASSWORD, **more)


def options(person, path="sign-in/key"):
    page = person.get(path)
    assert page.status_code == 200, page.text
    return json.loads(html.unescape(OPTIONS.search(page.text)[1]))


def answer(person, said, **more):
    return person.post("sign-in/key", csrf="", answer=said, **more)


def added(person, key=None, **more):
    """Add a key for somebody who is signed in."""
    key = key or Key()
    said = key.created(options(person, "security-keys"), **more)
    assert person.post("security-keys", answer=said, name="blue one").status_code == 303
    return key


def keyed(person, name="Ada Marsh"):
    """Sign in by the password, add a key and sign out again."""
    assert begin(person, name).status_code == 303
    key = added(person)
    person.post("sign-out")
    return key


def waiting(person, name="Ada Marsh"):
    """Give the password; return what the key is asked then."""
    led = begin(person, name, next="/console/queue")
    assert (led.status_code, led.headers["location"]) == (303, "/console/sign-in/key")
    return options(person)


def trail(service):
    with service.shared.database.reading() as session:
        rows = session.scalars(select(TrailLine).order_by(TrailLine.number)).all()
        return [(row.act, row.actor, row.detail) for row in rows]


def counted(service, table):
    with service.shared.database.reading() as session:
        return session.scalar(select(func.count()).select_from(table))


def refused(person, said, fault, *, officer=None, **more):
    """Say that an answer lets nobody in, that its challenge is gone, and that the trail says why."""
    before = trail(person.service)
    page = answer(person, said, **more)
    assert page.status_code == 403
    assert "You are not signed in" in page.text
    assert "equiproof-console=" not in repr(page.headers.get_list("set-cookie"))
    assert person.get("sign-in/key").headers["location"] == "/console/sign-in"
    assert person.get().status_code == 303
    new = trail(person.service)[len(before) :]
    actor = person.id if officer is None else officer
    assert new == ([("sign-in-failed", actor, f"by=key,reason={fault}")] if actor else [])


def test_a_key_is_asked_for_after_the_password(service, ada):
    """There is no session before it; afterwards there is a new one, and lines say what happened."""
    key = keyed(ada)
    asked = waiting(ada)
    assert counted(service, Login) == 0
    assert ada.get().status_code == 303
    assert [one["id"] for one in asked["allowCredentials"]] == [written(key.credential)]
    assert (asked["rpId"], asked["userVerification"], len(read(asked["challenge"]))) == ("localhost", "preferred", 32)
    done = answer(ada, key.signed(asked))
    assert (done.status_code, done.headers["location"]) == (303, "/console/queue")
    cookies = done.headers.get_list("set-cookie")
    assert any(one.startswith("equiproof-console=") and "SameSite=strict" in one for one in cookies)
    assert any(one.startswith('equiproof-key-step=""') and "Max-Age=0" in one for one in cookies)
    assert ada.get("queue").status_code == 200
    assert [line[0] for line in trail(service)] == ["sign-in", "security-key", "sign-out", "sign-in"]
    assert trail(service)[1][2] == trail(service)[3][2].removeprefix("by=key,")
    assert {line[1] for line in trail(service)} == {ada.id}


def test_the_step_has_a_cookie_of_its_own_for_a_while(ada):
    """It is no session's, and no session's is one."""
    keyed(ada)
    led = begin(ada)
    assert led.headers["set-cookie"].startswith("equiproof-key-step=")
    assert "HttpOnly; Max-Age=300; Path=/console/; SameSite=strict" in led.headers["set-cookie"]
    step = ada.client.cookies["equiproof-key-step"]
    assert Person(ada.service, browser_of(ada.service, step)).get().status_code == 303


def test_admins_see_who_has_keys(service, ada):
    """So that they know who would be asked to add the first one; nothing of it where keys are off."""
    keyed(ada)
    admin = sign_in(service, Role.ADMIN)
    page = admin.get("officers").text
    assert re.findall('<bdi>([^<]*)</bdi></th>|data-k="security keys">([^<]*)<', page) == [
        ("Ada Marsh", ""),
        ("", "1"),
        ("Ines Adler", ""),
        ("", "0"),
    ]
    set_to(service, "off")
    assert "ecurity keys" not in admin.get("officers").text


def test_nobody_without_a_key_is_asked_and_nobody_at_all_where_it_is_off(service, ada):
    """With the usual settings the password is enough until a key is there."""
    keyed(ada)
    bo = account(service, "Bo Lind")
    assert begin(bo, "Bo Lind").headers["location"] == "/console/"
    set_to(service, "off")
    assert begin(ada).headers["location"] == "/console/"
    assert "security-keys" not in ada.get("password").text
    assert ada.get("security-keys").status_code == 409


def test_where_a_key_is_needed_the_first_one_is_added_on_the_way_in(service, ada):
    """And nothing is seen before; the last key stays, another one does not have to."""
    set_to(service, "required")
    asked = waiting(ada)
    assert ada.get().status_code == 303
    refused(ada, Key().signed(asked), "answer", name="blue one")
    key = Key()
    done = answer(ada, key.created(waiting(ada)), name="blue one")
    assert (done.status_code, done.headers["location"]) == (303, "/console/queue")
    assert [line[0] for line in trail(service)][-2:] == ["security-key", "sign-in"]
    other = added(ada)
    (first, second) = hashes(service)
    assert ada.post(f"security-keys/{first}/remove", password=PASSWORD).status_code == 303
    kept = ada.post(f"security-keys/{second}/remove", password=PASSWORD)
    assert (kept.status_code, "Add another key first" in kept.text) == (422, True)
    assert hashes(service) == [second]
    ada.post("sign-out")
    asked = waiting(ada)
    left = {factors._digest(one.credential): one for one in (key, other)}[second]
    assert answer(ada, left.signed(asked)).status_code == 303


def hashes(service):
    with service.shared.database.reading() as session:
        return list(session.scalars(select(OfficerKey.hash).order_by(OfficerKey.added, OfficerKey.hash)))


def test_a_first_key_is_not_added_where_one_came_meanwhile(service, ada):
    """Two browsers knew the password: the first that answers has the account, the other begins again."""
    set_to(service, "required")
    second = Person(service, browser_of(service), ada.id)
    asked = waiting(second)
    assert answer(ada, Key().created(waiting(ada)), name="blue one").status_code == 303
    refused(second, Key().created(asked), "step", name="red one")
    assert len(hashes(service)) == 1


def test_an_answer_counts_once(ada):
    """Sent again it finds no challenge, and after a new password it answers the one before."""
    key = keyed(ada)
    said = key.signed(waiting(ada))
    step = ada.client.cookies["equiproof-key-step"]
    assert answer(ada, said).status_code == 303
    ada.post("sign-out")
    ada.client.cookies.set("equiproof-key-step", step, domain="testserver.local", path="/console/")
    refused(ada, said, "step", officer="")
    waiting(ada)
    refused(ada, said, "answer")


def test_a_challenge_is_its_browsers(service, ada):
    """The answer to one browser's does not sign in another one, which knows the password as well."""
    key = keyed(ada)
    other = Person(service, browser_of(service), ada.id)
    asked = waiting(ada)
    waiting(other)
    refused(other, key.signed(asked), "answer")
    stranger = Person(service, browser_of(service), ada.id)
    refused(stranger, key.signed(asked), "step", officer="")
    assert answer(ada, key.signed(asked)).status_code == 303


def test_a_challenge_ends(service, ada):
    """After five minutes; with a new password, and with the account."""
    key = keyed(ada)
    asked = waiting(ada)
    service.clock.now += factors.STEP_TIME
    refused(ada, key.signed(asked), "step", officer="")
    waiting(ada)
    admin = sign_in(service, Role.ADMIN)
    admin.post(f"officers/{ada.id}/close")
    assert counted(service, KeyStep) == 0
    admin.post(f"officers/{ada.id}/open")
    asked = waiting(ada)
    with service.shared.database.transaction() as session:
        session.get(Officer, ada.id).disabled = service.clock()
    refused(ada, key.signed(asked), "closed")


ELSEWHERE = [
    {"origin": "http://localhost:9090"}, {"origin": "https://localhost:8080"}, {"origin": "http://evil.test"},
    {"site": "evil.test"}, {"site": "localhost:8080"},
]  # fmt: skip


def test_an_answer_for_another_site_does_not_hold(service, ada):
    """By the browser's word, or by the key's: signatures, and new keys."""
    key = keyed(ada)
    for changes in ELSEWHERE:
        service.clock.now += WINDOW
        elsewhere = replace(key, **changes)
        refused(ada, elsewhere.signed(waiting(ada)), "answer")
        signed = sign_in(service, Role.OFFICER)
        said = Key(**changes).created(options(signed, "security-keys"))
        assert signed.post("security-keys", answer=said, name="red one").status_code == 422
    service.clock.now += WINDOW
    assert answer(ada, key.signed(waiting(ada))).status_code == 303
    assert len(hashes(service)) == 1


def test_a_count_that_does_not_rise_is_refused(service, ada):
    """There may be a copy; a key that never counts may stay at nought, one that has counted may not go back there."""
    key = keyed(ada)
    key.count = 6
    assert answer(ada, key.signed(waiting(ada))).status_code == 303
    for back in (6, 5, -1):
        ada.client.cookies.clear()
        key.count = back
        refused(ada, key.signed(waiting(ada)), "count")
    bo = account(service, "Bo Lind")
    still = keyed(bo, "Bo Lind")
    still.step = 0
    for _ in range(2):
        assert answer(bo, still.signed(waiting(bo, "Bo Lind"))).status_code == 303


def test_a_key_of_somebody_else_signs_nobody_in(service, ada):
    """Nor can it be added to a second account, or twice to one."""
    keyed(ada)
    bo = account(service, "Bo Lind")
    other = keyed(bo, "Bo Lind")
    refused(ada, other.signed(waiting(ada)), "key")
    refused(ada, Key().signed(waiting(ada)), "key")
    same = Key(credential=other.credential)
    refused(bo, same.signed(waiting(bo, "Bo Lind")), "answer")
    answer(bo, other.signed(waiting(bo, "Bo Lind")))
    said = other.created(options(bo, "security-keys"))
    assert "stands here already" in bo.post("security-keys", answer=said, name="red one").text


NO_ANSWERS = [
    "", "{}", "[]", "nothing", "null", "1" * 5000, "[" * 15000, "{" + '"a":{' * 2000, '{"rawId": 1}', '{"rawId": "é"}',
    '{"id": "AA", "rawId": "AA", "type": "public-key"}', '{"rawId": "' + "A" * 20000 + '"}',
]  # fmt: skip


def test_what_is_no_answer_is_refused(service, ada):
    """One page and one line, no fault: at the sign-in, and for a new key."""
    key = keyed(ada)
    for said in NO_ANSWERS:
        service.clock.now += WINDOW
        waiting(ada)
        refused(ada, said, "answer")
        signed = sign_in(service, Role.OFFICER)
        options(signed, "security-keys")
        assert signed.post("security-keys", answer=said, name="red one").status_code == 422, said[:40]
    service.clock.now += WINDOW
    assert answer(ada, key.signed(waiting(ada))).status_code == 303


PARTS = [
    ("authenticatorData", b""), ("authenticatorData", b"\xff" * 37), ("authenticatorData", b"\x00" * 400),
    ("signature", b""), ("signature", b"\x30\x80" * 40), ("clientDataJSON", b""), ("clientDataJSON", b"[]"),
    ("clientDataJSON", b"\xff"), ("clientDataJSON", b"[" * 5000),
]  # fmt: skip


def test_parts_that_cannot_be_read_are_refused(service, ada):
    """Those below the JSON, which the library reads."""
    key = keyed(ada)
    for part, data in PARTS:
        service.clock.now += WINDOW
        said = json.loads(key.signed(waiting(ada)))
        said["response"][part] = written(data)
        refused(ada, json.dumps(said), "answer")


ATTESTED = [
    {"fmt": "tpm"}, {"fmt": "packed", "attStmt": {"alg": -7, "sig": b"", "x5c": [b"x"]}}, {"fmt": "packed"},
    {"fmt": "nothing"}, {"fmt": 1}, {"fmt": "none", "attStmt": {"sig": b"x"}}, {"authData": b""}, {"authData": 1},
    {"attStmt": 1}, {"authData": bytes(32) + b"\x41" + bytes(500)},
]  # fmt: skip


def test_a_new_key_with_words_that_were_not_asked_for_is_refused(ada):
    """No maker's certificate is read, and what cannot be read is no key."""
    begin(ada)
    for more in ATTESTED:
        said = Key().created(options(ada, "security-keys"), **more)
        assert ada.post("security-keys", answer=said, name="red one").status_code == 422, more
    for data in (b"", b"\x9f" * 4000, cbor2.dumps([1])):
        raw = json.loads(Key().created(options(ada, "security-keys")))
        raw["response"]["attestationObject"] = written(data)
        assert ada.post("security-keys", answer=json.dumps(raw), name="red one").status_code == 422
    assert hashes(ada.service) == []
    added(ada, packed=True)


def test_a_new_key_needs_its_challenge_and_a_name(service, ada):
    """That of this very page, once; ten keys are the most, and names are escaped."""
    begin(ada)
    said = Key().created(options(ada, "security-keys"))
    options(ada, "security-keys")
    assert ada.post("security-keys", answer=said, name="red one").status_code == 422
    for name in ("", "  ", "x" * 65, "a\nb", "\u202eabc"):
        said = Key().created(options(ada, "security-keys"))
        answered = ada.post("security-keys", answer=said, name=name)
        assert (answered.status_code, "Give the key a name" in answered.text) == (422, True)
    said = Key().created(options(ada, "security-keys"))
    assert ada.post("security-keys", answer=said, name="<b>one").status_code == 303
    again = ada.post("security-keys", answer=said, name="two")
    assert (again.status_code, "Begin again" in again.text) == (422, True)
    assert "&lt;b&gt;one" in ada.get("security-keys").text
    for _ in range(factors.MAX_KEYS - 1):
        added(ada)
    full = ada.post("security-keys", answer=Key().created(options(ada, "security-keys")), name="red one")
    assert "ten at most" in full.text
    assert len(hashes(service)) == factors.MAX_KEYS


def test_a_key_is_removed_with_the_password(service, ada):
    """By whose it is; a wrong password is a line and counts, and the trail names the key."""
    keyed(ada)
    bo = account(service, "Bo Lind")
    begin(bo, "Bo Lind")
    (key,) = hashes(service)
    assert "does not have this one" in bo.post(f"security-keys/{key}/remove", password=PASSWORD).text
    asked = waiting(ada)
    refused(ada, Key().signed(asked), "key")
    with service.shared.database.transaction() as session:
        session.query(OfficerKey).update({"officer_id": bo.id})
    wrong = bo.post(f"security-keys/{key}/remove", password="wrong", language="de")
    assert (wrong.status_code, "Das Passwort ist ein anderes" in wrong.text) == (422, True)
    assert hashes(service) == [key]
    assert bo.post(f"security-keys/{key}/remove", password=PASSWORD).status_code == 303
    assert hashes(service) == []
    assert [line[0::2] for line in trail(service)][-2:] == [
        ("sign-in-failed", ""), ("security-key-removed", f"key={key[:16]}")]  # fmt: skip
    for _ in range(5):
        bo.post(f"security-keys/{key}/remove", password="wrong")
    assert bo.post(f"security-keys/{key}/remove", password=PASSWORD).status_code == 429


def test_an_operator_removes_the_keys_of_somebody_who_lost_them(service, ada, tmp_path):
    """With a line of each, and the sessions end; the password opens the account then."""
    keyed(ada)
    command("service", "init", tmp_path / "begun", "--lender", "North Bank")
    path = tmp_path / "begun" / "service.toml"
    path.write_text(path.read_text().replace("sqlite:///service.db", f"sqlite:///{tmp_path / 'service.db'}"))
    (key,) = hashes(service)
    begin(account(service, "Bo Lind"), "Bo Lind")
    done = command("service", "officer", "forget-keys", "ada marsh", "--settings", path)
    assert (done.code, done.out.strip()) == (0, "REMOVED 1 security keys of ada marsh")
    assert hashes(service) == []
    line = trail(service)[-1]
    assert (line[0], line[1].startswith("uid-"), line[2]) == ("security-key-removed", True, f"key={key[:16]}")
    assert begin(ada).headers["location"] == "/console/"
    command("service", "officer", "forget-keys", "nobody", "--settings", path).complaint(2, "no account")


def test_the_pages_have_one_script_and_both_languages(ada):
    """No other page has it, and without it a line says what to do."""
    keyed(ada)
    waiting(ada)
    signed = sign_in(ada.service, Role.OFFICER)
    for person, path, german in ((ada, "sign-in/key", "Ihr Passwort stimmt"), (signed, "security-keys", "Haben Sie")):
        for language, words in (("", "Take another"), ("?language=de", german), ("?language=xx", "Take another")):
            page = person.get(path + language)
            assert words in page.text
            assert page.headers["content-security-policy"].startswith("script-src 'self'; default-src 'none'; ")
            assert page.text.count("<script") == 1
    assert ada.get("key.js").headers["content-type"].startswith("text/javascript")
    assert "Beginnen Sie neu" in answer(ada, "", language="de").text


@pytest.mark.parametrize(
    ("public_url", "site", "takes"),
    [("https://Loans.Test", ("loans.test", "https://loans.test"), True),
     ("https://loans.test:443/", ("loans.test", "https://loans.test"), True),
     ("https://loans.test:8443", ("loans.test", "https://loans.test:8443"), True),
     ("http://localhost:80", ("localhost", "http://localhost"), True),
     ("http://loans.test", ("loans.test", "http://loans.test"), False),
     ("http://127.0.0.1:8080", ("127.0.0.1", "http://127.0.0.1:8080"), False),
     ("https://192.0.2.7", ("192.0.2.7", "https://192.0.2.7"), False)],
)  # fmt: skip
def test_a_site_is_written_as_browsers_write_it(service, tmp_path, public_url, site, takes):
    """Small letters, no usual port; where browsers use no keys, none can be needed, and none is added."""
    found = site_of(public_url)
    assert ((found.host, found.origin), found.takes_keys) == (site, takes)
    command("service", "init", tmp_path / "begun", "--lender", "North Bank")
    path = tmp_path / "begun" / "service.toml"
    text = re.sub("public_url = .*", f'public_url = "{public_url}"', path.read_text())
    path.write_text(text.replace('second_factor = "optional"', 'second_factor = "required"'))
    if takes:
        assert load_settings(path).console.second_factor == "required"
    else:
        with pytest.raises(SettingsError, match=r"console\.second_factor: give public_url https:// and a name first"):
            load_settings(path)
        set_to(service, public_url=public_url)
        page = Person(service, browser_of(service, sign_in(service, Role.OFFICER).token)).get("security-keys")
        assert page.status_code in (303, 409)
