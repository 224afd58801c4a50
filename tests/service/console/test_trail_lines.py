"""Every route and every command that changes something or shows personal data, and the line of the trail it leaves."""

from types import SimpleNamespace

import pytest
import typer
from fastapi.testclient import TestClient
from starlette.routing import Mount

from equiproof.cli.commands import service as commands
from equiproof.prover.keys import KeyStore
from equiproof.service.clients import Scope, add_client
from equiproof.service.clock import now
from equiproof.service.console.officers import Role, add_officer, named
from equiproof.service.console.views import decision
from equiproof.service.decisions import advance
from equiproof.service.links import make_link
from equiproof.service.persons import about
from equiproof.service.settings import load_settings
from equiproof.service.states import State
from equiproof.service.store.database import Database
from equiproof.service.store.tables import Decision, OfficerKey, Person, TrailLine
from equiproof.service.trail import Act, Channel, Who, address_digest, note
from equiproof.service.vault import Vault, new_line, parse_vault
from equiproof.service.web import papers
from tests.cli.world import command
from tests.service import made
from tests.service.console.authenticator import Key
from tests.service.console.people import sign_in
from tests.service.console.test_factor import hashes, options, set_to
from tests.service.console.test_routes import flat
from tests.service.test_recourse import DEPENDENT, SQLITE, ask, refused, ruled, worked  # noqa: F401 -- a fixture

PASSWORD = "correct horse battery"

CONSOLE = {
    ("GET", "/sign-in"): "an empty form",
    ("POST", "/sign-in"): Act.SIGN_IN,
    ("GET", "/sign-on"): "the way to the provider",
    ("GET", "/sign-on/callback"): "lines of each answer: test_sign_on.py",
    ("GET", "/sign-on/proxy"): "lines of each answer: test_proxy_sign_on.py",
    ("GET", "/sign-in/key"): "a challenge",
    ("POST", "/sign-in/key"): "lines of each answer: test_factor.py",
    ("GET", "/key.js"): "a script",
    ("GET", "/language/{language}"): "a choice of the browser alone",
    ("GET", "/style.css"): "a style",
    ("POST", "/sign-out"): Act.SIGN_OUT,
    ("GET", "/password"): "an empty form",
    ("POST", "/password"): Act.PASSWORD,
    ("GET", "/security-keys"): "one's own keys",
    ("POST", "/security-keys"): Act.SECURITY_KEY,
    ("POST", "/security-keys/{key}/remove"): Act.SECURITY_KEY_REMOVED,
    ("GET", "/"): "references and states, no details",
    ("GET", "/queue"): "references and states, no details",
    ("GET", "/workers"): "references and workers, no details",
    ("POST", "/workers/{decision_id}/cancel"): Act.CANCEL,
    ("GET", "/keys"): "models alone",
    ("GET", "/lots"): "pages that are published",
    ("GET", "/lots/{name}"): "pages that are published",
    ("GET", "/decisions/{decision_id}"): Act.DETAILS,
    ("POST", "/decisions/{decision_id}"): Act.OVERRIDE,
    ("POST", "/decisions/{decision_id}/allow"): Act.ALLOWANCE,
    ("POST", "/decisions/{decision_id}/correction"): Act.CORRECTION_REQUEST,
    ("POST", "/decisions/{decision_id}/correction/second"): Act.CORRECTION,
    ("POST", "/decisions/{decision_id}/recourse"): Act.RECOURSE,
    ("POST", "/decisions/{decision_id}/recourse/answer"): Act.RECOURSE_ANSWER,
    ("POST", "/decisions/{decision_id}/recourse/release"): Act.RECOURSE_RELEASED,
    ("GET", "/decisions/{decision_id}/recourse/letter"): Act.RECOURSE_LETTER,
    ("GET", "/decisions/{decision_id}/recourse/{name}/certificate"): "nothing of the applicant",
    ("GET", "/decisions/{decision_id}/recourse/{name}/box"): Act.RECOURSE_BOX,
    ("POST", "/decisions/{decision_id}/again"): Act.AGAIN,
    ("GET", "/decisions/{decision_id}/certificate"): "nothing of the applicant",
    ("GET", "/decisions/{decision_id}/letter"): Act.LETTER,
    ("GET", "/decisions/{decision_id}/evidence"): Act.PACKAGE,
    ("GET", "/officers"): "accounts alone",
    ("POST", "/officers"): Act.ACCOUNT,
    ("POST", "/officers/{officer_id}/password"): Act.ACCOUNT_PASSWORD,
    ("POST", "/officers/{officer_id}/role"): Act.ACCOUNT_ROLE,
    ("POST", "/officers/{officer_id}/close"): Act.ACCOUNT_CLOSED,
    ("POST", "/officers/{officer_id}/open"): Act.ACCOUNT_OPENED,
    ("GET", "/trail"): "the trail itself, identifiers alone",
    ("POST", "/trail/{form}"): Act.EXPORT,
}
"""A route of the console -> its act, or why it has none."""

INTERFACE = {
    ("POST", "/v1/decisions"): "the decision has a history of its own",
    ("GET", "/v1/decisions"): "labels and states, no details",
    ("GET", "/v1/decisions/{decision_id}"): "labels and states, no details",
    ("GET", "/v1/decisions/{decision_id}/certificate"): "nothing of the applicant",
    ("GET", "/v1/decisions/{decision_id}/receipt"): Act.RECEIPT,
    ("GET", "/v1/decisions/{decision_id}/bundle"): Act.BUNDLE,
    ("GET", "/v1/decisions/{decision_id}/letter"): Act.LETTER,
    ("GET", "/v1/decisions/{decision_id}/package"): Act.PACKAGE,
    ("POST", "/v1/decisions/{decision_id}/override"): Act.OVERRIDE,
    ("GET", "/v1/decisions/{decision_id}/corrections"): "names of features, no details and none of the words",
    ("POST", "/v1/decisions/{decision_id}/corrections"): Act.CORRECTION_REQUEST,
    ("POST", "/v1/decisions/{decision_id}/corrections/second"): Act.CORRECTION,
    ("POST", "/v1/decisions/{decision_id}/recourse"): Act.RECOURSE,
    ("GET", "/v1/decisions/{decision_id}/recourse"): Act.RECOURSE_READ,
    ("GET", "/v1/decisions/{decision_id}/recourse/letter"): Act.RECOURSE_LETTER,
    ("GET", "/v1/decisions/{decision_id}/recourse/{name}/certificate"): "nothing of the applicant",
    ("GET", "/v1/decisions/{decision_id}/recourse/{name}/box"): Act.RECOURSE_BOX,
    ("POST", "/v1/decisions/{decision_id}/links"): Act.LINK,
    ("DELETE", "/v1/decisions/{decision_id}/links"): Act.LINKS_REVOKED,
    ("GET", "/v1/models"): "models alone",
    ("GET", "/a"): "an empty page",
    ("GET", "/a/{name}"): "a part of it",
    ("POST", "/a/standing"): "how it stands, no details",
    ("POST", "/a/file"): Act.BUNDLE,
    ("POST", "/a/letter"): Act.LETTER,
    ("GET", "/healthz"): "nothing of anybody",
    ("GET", "/readyz"): "nothing of anybody",
    ("GET", "/metrics"): "counts",
    ("GET", "/openapi.json"): "a document",
}
"""The same of the interface for programs and of the applicant's page."""

COMMANDS = {
    "init": "there is no service yet; its first start has a line of its settings",
    "migrate": "tables alone; the start has a line of what is set otherwise",
    "check": "looks alone",
    "demo": "a service of its own, for show",
    "rotate": Act.ROTATE,
    "again": Act.AGAIN,
    "purge": Act.PURGE,
    "erase": Act.ERASE,
    "hold": Act.HOLD,
    "model add": Act.MODEL,
    "model list": "models alone",
    "client add": Act.KEY,
    "key new": Act.KEY,
    "key revoke": Act.KEY_REVOKED,
    "key list": "no secret",
    "officer add": Act.ACCOUNT,
    "officer role": Act.ACCOUNT_ROLE,
    "officer password": Act.ACCOUNT_PASSWORD,
    "officer close": Act.ACCOUNT_CLOSED,
    "officer forget-keys": Act.SECURITY_KEY_REMOVED,
    "officer list": "accounts alone",
    "trail check": "looks alone",
    "trail export": Act.EXPORT,
}
"""The same of the commands of `equiproof service`."""


def acts(table):
    return {one: act for one, act in table.items() if isinstance(act, Act)}


def without_recourse(routes):
    """Return the routes that no test of recourse walks."""
    return {route for route in routes if "/recourse" not in route[1]}


def lines(database):
    with database.reading() as session:
        return list(session.query(TrailLine).order_by(TrailLine.number))


class Walk:
    """Asks, and sees which line that left: exactly one, of the act that the table names."""

    def __init__(self, database, table):
        self.database, self.left = database, acts(table)
        self.table = table

    def see(self, one, do, *, status=range(200, 400)):
        before = len(lines(self.database))
        answer = do()
        if status is not None:
            assert answer.status_code in status, (one, answer.status_code, answer.text[:300])
        new = lines(self.database)[before:]
        assert [row.act for row in new] == [self.table[one]], one
        self.left.pop(one, None)
        return new[0]


def test_the_tables_list_every_route_and_command(service):
    """One that is added has to be added here, with its act or the reason why it has none."""
    mounted = [route.app for route in service.client.app.routes if isinstance(route, Mount)]
    assert set(flat(mounted[0].routes)) == set(CONSOLE)
    others = set(flat(route for route in service.client.app.routes if not isinstance(route, Mount)))
    assert others == set(INTERFACE)

    def named(group, before=""):
        for name, one in group.commands.items():
            yield from named(one, f"{before}{name} ") if hasattr(one, "commands") else (f"{before}{name}",)

    assert set(named(typer.main.get_command(commands.app))) == set(COMMANDS)


def person_of(service, decision_id):
    """Say whose application a decision is."""
    with service.shared.database.transaction() as session:
        sealed = service.shared.holders.vault.seal(b"a" * 64, about(decision_id))
        session.add(Person(decision_id=decision_id, digest="d" * 64, sealed=sealed, at=1, refused=0))


def test_the_console_leaves_a_line_of_each(service, people, rows, nobody, tmp_path, monkeypatch):
    """By the account, about the decision or the account, and with the digest of the address."""
    ids = [service.post(row).json()["id"] for row in (rows[1], rows[0], rows[0], rows[0])]
    review, certified, failed, proven = ids
    person_of(service, review)
    made.end(service, certified, State.CERTIFIED)
    made.end(service, failed, State.FAILED)
    officer, auditor, admin = (people[role] for role in (Role.OFFICER, Role.AUDITOR, Role.ADMIN))
    made.key(tmp_path / "keys" / "key")
    monkeypatch.setattr(decision, "evidence", lambda *_: b"package")  # no prover made the certificate
    walk = Walk(service.shared.database, CONSOLE)
    path = "/decisions/{decision_id}"
    row = walk.see(("GET", path), lambda: officer.get(f"decisions/{review}"))
    assert (row.channel, row.actor, row.about, len(row.address)) == ("session", officer.id, review, 32)
    walk.see(("POST", path), lambda: officer.post(f"decisions/{review}", label="0", reason="so"))
    walk.see(("POST", f"{path}/allow"), lambda: officer.post(f"decisions/{review}/allow", reason="so"))
    given, way = {"asked": "2026-09-21", "request": "so"}, f"decisions/{review}/correction"
    assert walk.see(("POST", f"{path}/correction"), lambda: officer.post(way, **given)).about == review
    row = walk.see(("POST", f"{path}/correction/second"), lambda: officer.post(f"{way}/second", second=certified))
    assert (row.about, row.detail) == (review, f"second={certified}")
    walk.see(("POST", f"{path}/again"), lambda: officer.post(f"decisions/{failed}/again"))
    made.begin(service, proven, "here")
    row = walk.see(
        ("POST", "/workers/{decision_id}/cancel"), lambda: admin.post(f"workers/{proven}/cancel", then="failed")
    )
    assert (row.about, row.actor, row.detail) == (proven, admin.id, "then=failed")
    walk.see(("GET", f"{path}/letter"), lambda: officer.get(f"decisions/{certified}/letter"))
    walk.see(("GET", f"{path}/evidence"), lambda: officer.get(f"decisions/{certified}/evidence"))
    with service.shared.database.transaction() as session:
        other = add_officer(session, "Bo Lind", Role.OFFICER, PASSWORD, service.clock()).id
    account = "/officers/{officer_id}"
    row = walk.see(("POST", "/sign-in"), lambda: nobody.post("sign-in", csrf="", name="Bo Lind", password=PASSWORD))
    assert row.actor == other
    walk.see(("POST", "/sign-out"), lambda: nobody.post("sign-out"))
    nobody.post("sign-in", csrf="", name="Bo Lind", password=PASSWORD)
    again = {"old": PASSWORD, "new": "staple battery horse", "again": "staple battery horse"}
    walk.see(("POST", "/password"), lambda: nobody.post("password", **again))
    set_to(service)
    said = Key().created(options(nobody, "security-keys"))
    row = walk.see(("POST", "/security-keys"), lambda: nobody.post("security-keys", answer=said, name="blue one"))
    assert row.about == other
    (key,) = hashes(service)
    removed = "/security-keys/{key}/remove"
    walk.see(("POST", removed), lambda: nobody.post(f"security-keys/{key}/remove", password=again["new"]))
    walk.see(("POST", "/officers"), lambda: admin.post("officers", name="Cy Moor", role="officer"))
    row = walk.see(("POST", f"{account}/role"), lambda: admin.post(f"officers/{other}/role", role="auditor"))
    assert (row.about, row.detail) == (other, "role=auditor")
    for what in ("close", "open", "password"):
        walk.see(("POST", f"{account}/{what}"), lambda what=what: admin.post(f"officers/{other}/{what}"))
    walk.see(("POST", "/trail/{form}"), lambda: auditor.post("trail/jsonl"))
    assert not without_recourse(walk.left)


def test_sign_ins_that_fail_leave_a_line_without_what_was_typed(service, nobody):
    """It may be a password; of an account, its id."""
    with service.shared.database.transaction() as session:
        known = add_officer(session, "Bo Lind", Role.OFFICER, PASSWORD, service.clock()).id
    for name in ("Bo Lind", "my secret password"):
        assert nobody.post("sign-in", csrf="", name=name, password="wrong").status_code == 403
    rows = lines(service.shared.database)
    assert [(row.act, row.actor) for row in rows] == [("sign-in-failed", known), ("sign-in-failed", "")]
    assert "secret" not in repr([vars(row) for row in rows])
    nobody.post("sign-in", csrf="", name="Bo Lind", password=PASSWORD)
    wrong = {"old": "wrong", "new": "staple battery horse", "again": "staple battery horse"}
    assert nobody.post("password", **wrong).status_code == 422
    assert [row.act for row in lines(service.shared.database)[2:]] == ["sign-in", "sign-in-failed"]


def test_without_the_permission_nothing_is_shown_and_nothing_written(service, people, rows):
    """An auditor sees no details, so that there is no line of them; a refused act is none."""
    review = service.post(rows[1]).json()["id"]
    before = len(lines(service.shared.database))
    for role in (Role.AUDITOR, Role.ADMIN):
        people[role].get(f"decisions/{review}")
        assert people[role].get(f"decisions/{review}/letter").status_code == 403
    assert people[Role.OFFICER].post(f"decisions/{review}", label="9", reason="so").status_code == 422
    assert [row.act for row in lines(service.shared.database)[before:]] == ["details"]  # the form again, with details


def test_the_interface_leaves_a_line_of_each(service, rows, tmp_path, monkeypatch):
    """By the key's id; applicants are told apart by nothing."""
    admin = service.key(Scope.SUBMIT, Scope.READ, Scope.ADMIN)
    service.headers = {"Authorization": f"Bearer {admin.text}"}
    service.client = TestClient(service.client.app, raise_server_exceptions=False, client=("192.0.2.7", 50000))
    review, certified = (service.post(row).json()["id"] for row in (rows[1], rows[0]))
    made.end(service, certified, State.CERTIFIED)
    made.key(tmp_path / "keys" / "key")
    monkeypatch.setattr(papers, "evidence", lambda *_: b"package")
    walk = Walk(service.shared.database, INTERFACE)
    path = "/v1/decisions/{decision_id}"
    given = {"label": made.LOANS.labels[0], "reason": "so", "name": "B. Weber"}
    post = lambda what, **body: service.client.post(  # noqa: E731
        f"/v1/decisions/{review}/{what}",
        headers=service.headers | {"Idempotency-Key": f"key-of-{what}"},
        json=body or None,
    )
    row = walk.see(("POST", f"{path}/override"), lambda: post("override", **given))
    assert (row.channel, row.actor, row.about) == ("key", admin.id, review)
    shared = service.shared
    assert row.address == address_digest(shared.holders.vault, "192.0.2.7")
    given = {"asked": "2026-09-21", "request": "so", "name": "B. Weber"}
    walk.see(("POST", f"{path}/corrections"), lambda: post("corrections", **given))
    given, way = {"second": certified, "name": "B. Weber"}, "corrections/second"
    row = walk.see(("POST", f"{path}/{way}"), lambda: post(way, **given))
    assert (row.channel, row.actor, row.about, row.detail) == ("key", admin.id, review, f"second={certified}")
    walk.see(("POST", f"{path}/links"), lambda: post("links"))
    links = f"/v1/decisions/{review}/links"
    walk.see(("DELETE", f"{path}/links"), lambda: service.client.delete(links, headers=service.headers))
    for what in ("receipt", "bundle", "letter", "package"):
        walk.see(("GET", f"{path}/{what}"), lambda what=what: service.get(f"/v1/decisions/{certified}/{what}"))
    with service.shared.database.transaction() as session:
        token = make_link(session, certified, service.clock(), 5)
    for what in ("file", "letter"):
        row = walk.see(
            ("POST", f"/a/{what}"), lambda what=what: service.client.post(f"/a/{what}", data={"token": token})
        )
        assert (row.channel, row.actor, row.address, row.about) == ("link", "", "", certified)
    assert not without_recourse(walk.left)


@SQLITE
def test_recourse_leaves_a_line_of_each(ruled):  # noqa: F811
    """Of each route of both interfaces, by key and by account; a certificate alone is nobody's."""
    service = ruled()
    by_key, by_page, unfair = (refused(service) for _ in range(3))
    officer = sign_in(service, Role.OFFICER)
    console, interface = (Walk(service.shared.database, table) for table in (CONSOLE, INTERFACE))
    path, page = "/v1/decisions/{decision_id}/recourse", "/decisions/{decision_id}/recourse"
    row = interface.see(("POST", path), lambda: ask(service, by_key))
    assert (row.channel, row.about) == ("key", by_key)
    worked(service)
    row = console.see(("POST", page), lambda: officer.post(f"decisions/{by_page}/recourse"))
    assert (row.channel, row.actor, row.about) == ("session", officer.id, by_page)
    worked(service)
    ask(service, unfair)
    worked(service, found=DEPENDENT)
    console.see(("POST", f"{page}/answer"), lambda: officer.post(f"decisions/{unfair}/recourse/answer", answer="so"))
    console.see(("POST", f"{page}/release"), lambda: officer.post(f"decisions/{by_key}/recourse/release"))
    for what, end in (("", ""), ("/letter", "/letter"), ("/{name}/box", "/way-1/box")):
        at = f"/v1/decisions/{by_key}/recourse{end}"
        interface.see(("GET", path + what), lambda at=at: service.get(at))
    for what, end in (("/letter", "/letter"), ("/{name}/box", "/way-1/box")):
        console.see(("GET", page + what), lambda at=f"decisions/{by_page}/recourse{end}": officer.get(at))
    assert not {route for route in (*console.left, *interface.left) if "/recourse" in route[1]}


def test_a_key_decides_in_nobodys_name_who_has_an_account(service, officer, rows):
    """Whatever the capitals and blanks; beside any other name the page says whose word it is."""
    admin = service.key(Scope.READ, Scope.ADMIN)
    review = service.post(rows[1]).json()["id"]
    headers = {"Authorization": f"Bearer {admin.text}"}

    def decide(name):
        body = {"label": made.LOANS.labels[0], "reason": "so", "name": name}
        return service.client.post(f"/v1/decisions/{review}/override", headers=headers, json=body)

    for name in ("Ada Marsh", " ada MARSH "):
        answer = decide(name)
        assert (answer.status_code, "account of the console" in answer.text) == (422, True)
    assert decide("B. Weber").status_code == 201
    page = officer.get(f"decisions/{review}").text
    assert f'as the API key <span class="mono">{admin.id}</span> says' in page
    officer.post(f"decisions/{review}", label="0", reason="so")
    assert officer.get(f"decisions/{review}").text.count("as the API key") == 1


@pytest.fixture
def place(service, tmp_path, monkeypatch):
    """A folder of settings over the service's own database."""
    monkeypatch.chdir(tmp_path)
    command("service", "init", "begun", "--lender", "North Bank")
    path = tmp_path / "begun" / "service.toml"
    path.write_text(path.read_text().replace("sqlite:///service.db", f"sqlite:///{tmp_path / 'service.db'}"))
    monkeypatch.setenv("EQUIPROOF_SERVICE", str(tmp_path / "begun" / "service.toml"))
    return tmp_path / "begun"


def test_commands_leave_a_line_of_each(service, rows, place, monkeypatch):
    """By the user of the operating system, whatever the environment says."""
    for name in ("USER", "LOGNAME", "SUDO_USER"):
        monkeypatch.setenv(name, "somebody-else")
    settings = load_settings(place / "service.toml")
    with Database(settings.database) as database:
        with database.transaction() as session:
            key = add_client(session, "shop", [Scope.READ], now(), now() + 10**12)
        walk = Walk(database, COMMANDS)

        def see(name, *words):
            return walk.see(name, lambda: command("service", *name.split(), *words), status=None)

        row = see("client add", "branch")
        assert (row.channel, row.actor.startswith("uid-")) == ("command", True)
        see("key new", "branch")
        assert see("key revoke", key.id).about == key.id
        see("officer add", "Bo Lind")
        assert see("officer role", "Bo Lind", "auditor").detail == "role=auditor"
        see("officer password", "Bo Lind")
        with database.transaction() as session:
            about = named(session, "Bo Lind").id
            words = {
                "hash": "a" * 64,
                "name": "blue one",
                "credential": b"c",
                "public_key": b"k",
                "count": 0,
                "added": 1,
            }
            session.add(OfficerKey(officer_id=about, **words))
        assert see("officer forget-keys", "Bo Lind").about == about
        see("officer close", "Bo Lind")
        see("trail export", place / "trail.csv")
        see("rotate")
        walk.table = COMMANDS | {"rotate --new-key second": Act.VAULT_KEY}
        see("rotate --new-key second")
        see("purge")
        shape = SimpleNamespace(kept=False)
        key = SimpleNamespace(folder="keys", document=SimpleNamespace(shape=shape))
        monkeypatch.setattr(KeyStore, "find_for", lambda *_, _key=key, **__: _key)
        keys = ("--keys", place.parent / "keys")
        assert see("model add", "loans", "--opening", place.parent / "opening.json", *keys).detail == "model=loans"
        failed, other = (service.post(row).json()["id"] for row in rows)
        made.end(service, failed, State.FAILED)
        see("again")
        with service.shared.database.transaction() as session:
            advance(session, session.get(Decision, failed), State.FAILED, "", service.clock())
        assert see("again", failed).about == failed
        assert see("hold", other, "--until", "2999-01-01", "--reason", "a court").detail == "until=2999-01-01"
        assert see("erase", failed, "--reason", "asked for", "--yes").about == failed
        refused = command("service", "erase", other, "--reason", "asked for", "--yes")
        assert (refused.code, lines(database)[-1].about) == (2, failed)
        seen = command("service", "trail", "check")
        assert (seen.code, seen.out.split(":")[0]) == (0, "WHOLE")
        head = seen.out.split()[-1]
        assert command("service", "trail", "check", "--head", head).code == 0
        cut = command("service", "trail", "check", "--head", f"99:{'a' * 64}")
        assert (cut.code, "the trail is cut" in cut.out) == (2, True)
        command("service", "trail", "check", "--head", "99").complaint(2, "want NUMBER:HASH")
        command("service", "trail", "export", place / "trail.txt").complaint(2, ".jsonl or .csv")
    assert (place / "trail.csv").read_text().startswith("number,time,act")
    assert not walk.left


def test_lines_are_found_by_address(service, people):
    """Also those under an older key of the vault, and of IPv6 by the network; what is no address finds none."""
    vault = service.shared.holders.vault
    ids = {}
    with service.shared.database.transaction() as session:
        for number, address in enumerate(("192.0.2.7", "192.0.2.8", "2001:db8::/64"), 1):
            ids[address] = f"{number:032x}"
            who = Who(Channel.KEY, "k", address_digest(vault, address))
            note(session, Act.LETTER, who, service.clock(), about=ids[address])
    older = address_digest(vault, "192.0.2.7")
    object.__setattr__(
        service.shared.holders, "vault", Vault(parse_vault(new_line("second"), "vault").keys | vault.keys)
    )
    auditor = people[Role.AUDITOR]

    def found(text):
        page = auditor.get("trail", params={"address": text}).text
        return [one for one, identifier in ids.items() if f"decisions/{identifier}" in page]

    assert found(" 192.0.2.7 ") == ["192.0.2.7"]
    assert found("2001:db8::5") == ["2001:db8::/64"]
    assert found(older) == ["192.0.2.7"]
    assert [found(text) for text in ("nowhere", "192.0.2.9", "0" * 32, "é")] == [[]] * 4
    assert found("") == list(ids)
    assert 'value="nowhere"' in auditor.get("trail", params={"address": "nowhere"}).text
    file = auditor.post("trail/csv", address="192.0.2.8").text
    assert (ids["192.0.2.8"] in file, ids["192.0.2.7"] in file) == (True, False)
