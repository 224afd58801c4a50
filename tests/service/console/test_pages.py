"""What pages show to whom, and what their forms record; every text of others stays text."""

import html
import re

import msgspec
import pytest
from sqlalchemy import select

from equiproof.service.console.officers import Role
from equiproof.service.decisions import advance, opened
from equiproof.service.settings import ConsoleSettings, PolicySettings, SettingsError, load_settings
from equiproof.service.states import State
from equiproof.service.store.database import UnavailableError
from equiproof.service.store.tables import Certificate, Decision, Finding, LogProof, Override
from equiproof.service.vault import new_line, parse_vault
from tests.service import made
from tests.service.console.people import sign_in
from tests.support import LOANS, changed

HOSTILE = "</title><script>alert(1)</script>\"'><img src=x onerror=alert(1)>{{7*7}}\u202eeman\u2069"


def words_of(answer):
    """Return a page's words, without tags."""
    return " ".join(html.unescape(re.sub("<[^>]*>", " ", answer.text)).split())


@pytest.fixture
def torn(service, rows):
    """The id of a decision in review."""
    return service.post(rows[1], reference="2026-0431").json()["id"]


@pytest.fixture
def certified(service, rows):
    """The id of a certified decision of radius 0.5 and a bit."""
    identifier = service.post({**rows[0]}, reference="2026-0412").json()["id"]
    with service.shared.database.transaction() as session:
        decision = session.get(Decision, identifier)
        for state in (State.CERTIFYING, State.CERTIFIED):
            advance(session, decision, state, "", service.clock())
        radius = f"{int((0.6 * LOANS.scale_unit) ** 2):064x}"
        kept = opened(decision, service.shared.holders.vault)
        certificate = made.row(identifier, label=decision.label, receipt=kept.receipt)
        certificate.key_fingerprint, certificate.radius_squared, certificate.made = "ab" * 32, radius, service.clock()
        session.add(certificate)
        session.add(LogProof(decision_id=identifier, entry=511_808, body=None, at=service.clock()))
    return identifier


def test_review_stands_first_with_both_cases(service, officer, torn, rows):
    """Both values of sex with their decisions and scores, what differs marked by a word, and every detail of both."""
    first = words_of(officer.get())
    assert "Waiting for a person: 1" in first
    assert first.index("2026-0431") < first.index("All others of today")
    shown = words_of(officer.get(f"decisions/{torn}"))
    assert "Only sex differs, and so does the decision" in shown
    assert shown.count("differs") >= 3
    for label in LOANS.labels:
        assert label in shown
    assert re.search("score [+−][0-9]", shown)
    assert "Waits for a person" in shown
    assert "No certificate can be made" in shown


def test_details_are_for_officers(service, people, torn, certified, rows):
    """Auditors and admins see states, labels and what differs, and no detail, score, letter or package."""
    with service.shared.database.reading() as session:
        assert len(session.scalars(select(Finding)).all()) == 1
    for page in (torn, certified):
        seen = words_of(people[Role.OFFICER].get(f"decisions/{page}"))
        for role in (Role.AUDITOR, Role.ADMIN):
            shown = words_of(people[role].get(f"decisions/{page}"))
            assert "masked for your role" in shown
            assert "score" not in shown
            assert "given:" not in shown
            assert "Record decision" not in shown
            assert "Letter, as" not in shown
        assert f"{rows[page == torn]['income']:,}" in seen
    shown = words_of(people[Role.AUDITOR].get(f"decisions/{torn}"))
    assert "Only sex differs" in shown
    assert f"{rows[1]['income']:,}" not in shown


def test_a_person_decides(service, officer, torn):
    """Under the name of the account, once however often it is sent; the list and the page say so from then on."""
    fields = {"label": "1", "reason": "Asked twice.\r\nNothing came.", "name": "Somebody Else"}
    assert [officer.post(f"decisions/{torn}", **fields).status_code for _ in range(2)] == [303, 303]
    with service.shared.database.reading() as session:
        (kept,) = session.scalars(select(Override)).all()
        assert (kept.label, kept.reason, kept.name) == (1, "Asked twice.\nNothing came.", "Ada Marsh")
        assert session.get(Decision, torn).state == State.REVIEW
    shown = words_of(officer.get(f"decisions/{torn}"))
    assert f"Ada Marsh decided: {LOANS.labels[1]}" in shown
    assert "Waits for a person" not in shown
    first = words_of(officer.get())
    assert "Waiting for a person: 0" in first
    assert "decided by a person" in first
    officer.post(f"decisions/{torn}", label="0", reason="Mended.")
    assert "(replaced by a later one)" in words_of(officer.get(f"decisions/{torn}"))


def test_what_failed_is_certified_again(service, people, rows):
    """By an officer or an admin, once; an auditor has no button, and nobody what a person has decided."""
    failed, undecided, waiting = (service.post(rows[0]).json()["id"] for _ in range(3))
    made.end(service, failed, State.FAILED, "no key")
    made.end(service, undecided, State.UNDECIDED)
    paths = {one: f"decisions/{one}" for one in (failed, undecided, waiting)}
    shown = {role: "Certify again" in person.get(paths[failed]).text for role, person in people.items()}
    assert shown == {Role.OFFICER: True, Role.ADMIN: True, Role.AUDITOR: False}
    assert people[Role.AUDITOR].post(f"{paths[failed]}/again").status_code == 403
    assert people[Role.ADMIN].post(f"{paths[failed]}/again", csrf="0" * 64).status_code == 403
    assert people[Role.ADMIN].post(f"{paths[failed]}/again").status_code == 303
    assert people[Role.OFFICER].post(f"{paths[failed]}/again").status_code == 409
    assert people[Role.OFFICER].post(f"{paths[waiting]}/again").status_code == 409
    assert people[Role.OFFICER].post(f"decisions/{'0' * 32}/again").status_code == 404
    people[Role.OFFICER].post(paths[undecided], label="1", reason="so")
    assert people[Role.OFFICER].post(f"{paths[undecided]}/again").status_code == 409
    assert "Certify again" not in people[Role.OFFICER].get(paths[undecided]).text
    with service.shared.database.reading() as session:
        states = [session.get(Decision, one).state for one in (failed, undecided, waiting)]
    assert states == [State.CERTIFYING, State.UNDECIDED, State.DECIDED]


def test_a_certificate_that_is_held_is_an_officers(service, officer, rows):
    """The page says why nothing leaves, and has the form; then that the person's decision leaves."""
    decision = service.post(rows[0]).json()["id"]
    made.end(service, decision, State.CERTIFIED)
    assert "Record decision" not in officer.get(f"decisions/{decision}").text
    settings = changed(service.shared.settings, policy=PolicySettings(min_radius="1000000"))
    object.__setattr__(service.shared, "settings", settings)
    shown = officer.get(f"decisions/{decision}")
    assert "below 1000000, the least that the policy lets out: nothing leaves unless" in words_of(shown)
    assert "Record decision" in shown.text
    assert officer.post(f"decisions/{decision}", label="1", reason="Seen.").status_code == 303
    assert "the applicant gets the person’s decision, without it" in words_of(officer.get(f"decisions/{decision}"))
    assert LOANS.labels[1] in officer.get(f"decisions/{decision}/letter").text


def test_a_decision_that_cannot_be_recorded_is_told(service, officer, torn, certified):
    """What was written stays in the form; nothing is recorded."""
    for fields, said in (
        ({"label": "2", "reason": "so"}, "choose one"),
        ({"label": "-1", "reason": "so"}, "choose one"),
        ({"label": "0", "reason": "  "}, "reason: want 1 to"),
        ({"label": "0", "reason": "x" * 2001}, "reason: want 1 to"),
        ({"label": "0", "reason": "a\x00b"}, "control characters"),
    ):
        answer = officer.post(f"decisions/{torn}", **fields)
        assert (answer.status_code, said in answer.text) == (422, True), fields
        assert html.escape(fields["reason"]) in answer.text
    assert officer.post(f"decisions/{certified}", label="0", reason="so").status_code == 422
    assert "Record decision" not in officer.get(f"decisions/{certified}").text
    with service.shared.database.reading() as session:
        assert session.scalars(select(Override)).all() == []


def test_what_is_certified_is_said_in_the_words_of_the_letter(service, officer, certified):
    """Three sentences, a bar for each feature, the radius cut, who made the key, and the place in the register."""
    answer = officer.get(f"decisions/{certified}")
    shown = words_of(answer)
    assert "Our model decided:" in shown
    assert "the decision does not depend on" in shown
    assert "How far each detail could differ" in shown
    assert answer.text.count('class="who"') == len(LOANS.plain_features)
    units = {feature.unit for feature in LOANS.plain_features if feature.unit}
    assert units
    for unit in units:
        assert re.search(rf"given: [0-9.,]+\s{re.escape(unit)}", shown), unit
    assert "entry 511,808" in shown
    assert "one party alone made it" in shown
    assert "radius 0.5" in words_of(officer.get())
    assert officer.get(f"decisions/{certified}/certificate").headers["content-disposition"].startswith("attachment")


@pytest.mark.parametrize("role", list(Role))
def test_text_of_others_stays_text(service, rows, role):
    """A reference, a reason and a search that are markup make no element, and turn no writing around."""
    person = sign_in(service, role)
    made = [service.post(row, reference=HOSTILE[:-1] + str(number)).json()["id"] for number, row in enumerate(rows)]
    with service.shared.database.transaction() as session:
        decision = session.get(Decision, made[1])
        session.add(Override(decision_id=decision.id, label=0, reason=HOSTILE, name=HOSTILE, at=service.clock()))
    pages = [person.get(params={"q": HOSTILE}), person.get(), person.get("queue")]
    pages += [person.get(f"decisions/{one}") for one in made]
    for page in pages:
        assert page.status_code == 200
        assert not re.search(r"<(script|img|iframe|object|style)\b", page.text)
        assert page.text.count("</title>") == 1
        plain = re.sub(r'<input id="q"[^>]*>', "", page.text)
        assert not re.search("[\u202a-\u202e\u2066-\u2069]", plain)
        assert "{{7*7}}" in page.text or "queue" in str(page.url)
        assert "49" not in re.findall(r"onerror=[^&]*?&gt;(\d+)", page.text)


def test_lists_are_found_and_paged(service, officer, rows, monkeypatch):
    """By words of the reference on all days, by state, by day; a page leads to the next one."""
    monkeypatch.setattr("equiproof.service.console.views.today.PAGE_SIZE", 2)
    for number in range(5):
        service.post(rows[0], reference=f"A-{number}")
    first = officer.get()
    assert "2 of 5 shown" in words_of(first)
    seen, page = [], first
    for _ in range(3):
        seen += re.findall("A-[0-9]", words_of(page))
        following = re.search('href="/console/([^"]+)" rel="next"', page.text)
        page = officer.get(html.unescape(following[1])) if following else None
    assert page is None
    assert seen == ["A-4", "A-3", "A-2", "A-1", "A-0"]
    service.clock.now += 3 * 86_400_000_000
    officer = sign_in(service, Role.OFFICER)
    assert "None." in words_of(officer.get())
    assert "A-3" in words_of(officer.get("?q=a-3" if service.shared.database.is_sqlite else "?q=A-3"))
    assert "A-3" in words_of(officer.get("?day=2026-09-21&state=decided"))
    assert "A-3" not in words_of(officer.get("?day=2026-09-21&state=failed"))
    for odd in ("?day=x", "?day=9999-99-99", "?day=0001-01-01", "?state=x", "?cursor=x", "?q=" + "%25" * 60):
        assert officer.get(odd).status_code == 200, odd
    assert officer.get("?q=" + "x" * 200).status_code == 404


def test_erased_details_are_said_to_be_so(service, officer, torn, certified):
    """The finding stays readable without details and scores until it is erased as well."""
    with service.shared.database.transaction() as session:
        for made in (torn, certified):
            session.get(Decision, made).sealed = None
    shown = words_of(officer.get(f"decisions/{torn}"))
    assert "Only sex differs" in shown
    assert "score" not in shown
    assert "have been erased" in words_of(officer.get(f"decisions/{certified}"))
    assert officer.get(f"decisions/{certified}/evidence").status_code == 409
    with service.shared.database.transaction() as session:
        session.get(Finding, torn).sealed = None
    shown = words_of(officer.get(f"decisions/{torn}"))
    assert "does not decide alike" in shown
    assert "have been erased" in shown


def test_a_letter_that_is_held_says_why(service, officer, torn, rows):
    """One line for the officer, in place of the way to it; the page of a letter is shut off from the console."""
    way = f"decisions/{torn}/letter"
    page = officer.get(f"decisions/{torn}")
    assert way not in page.text
    assert "No letter now: a person decides about this applicant first." in words_of(page)
    held = officer.get(f"decisions/{torn}/letter")
    assert (held.status_code, "A person decides about this applicant first." in held.text) == (409, True)
    officer.post(f"decisions/{torn}", label="1", reason="so")
    assert way in officer.get(f"decisions/{torn}").text
    letter = officer.get(f"decisions/{torn}/letter")
    assert letter.status_code == 200
    assert letter.headers["content-security-policy"].startswith("sandbox; default-src 'none'")
    assert "score" not in letter.text


def test_files_that_cannot_be_used_stop_one_page_and_not_the_list(service, officer, torn, tmp_path):
    """An opening that is gone, a key of the vault that is gone: 503 and one sentence without a path."""
    service.shared.models._known.clear()
    opening = tmp_path / "opening.json"
    kept = opening.read_bytes()
    opening.unlink()
    assert officer.get().status_code == 200
    assert "cannot be read on this machine" in officer.get("keys").text
    for act in (officer.get, lambda path: officer.post(path, label="0", reason="so")):
        refused = act(f"decisions/{torn}")
        assert (refused.status_code, str(tmp_path) in refused.text) == (503, False)
    opening.write_bytes(kept)
    assert officer.get(f"decisions/{torn}").status_code == 200
    holders = service.shared.holders
    object.__setattr__(holders, "vault", parse_vault(new_line("other"), "vault"))
    assert officer.get(f"decisions/{torn}").status_code == 503


def test_pages_of_lots_come_from_their_folder_alone(service, officer, tmp_path):
    """Files of plain names, shut off from the console; links and other files are not there."""
    assert "No folder of pages is set" in words_of(officer.get("lots"))
    folder = tmp_path / "lots"
    settings = msgspec.structs.replace(service.shared.settings, console=ConsoleSettings(lots=str(folder)))
    object.__setattr__(service.shared, "settings", settings)
    assert "holds no page yet" in words_of(officer.get("lots"))
    folder.mkdir()
    (folder / "march.html").write_text("<script>alert(1)</script><h1>March</h1>")
    (folder / "march.json").write_text(
        '{"period":"<b>March","owner":"x","sentence":"At least 99.0 % <i>.","promise_shown":false,'
        '"receipts":1200,"drawn":300,"certified":297,"more":1}'
    )
    (folder / "april.html").write_text("April")
    (folder / "april.json").write_text("[")
    (folder / ".hidden.html").write_text("secret")
    (folder / "notes.txt").write_text("secret")
    (folder / "link.html").symlink_to(tmp_path / "opening.json")
    shown = officer.get("lots")
    assert "&lt;b&gt;March" in shown.text
    assert "At least 99.0 % &lt;i&gt;." in shown.text
    assert "not shown" in shown.text
    assert ".hidden" not in shown.text
    assert "link.html" not in shown.text
    page = officer.get("lots/march.html")
    assert page.text == "<script>alert(1)</script><h1>March</h1>"
    assert page.headers["content-security-policy"].startswith("sandbox; default-src 'none'")
    for name in ("link.html", "notes.txt", ".hidden.html", "%2e%2e%2fopening.json", "none.html", "march.json"):
        assert officer.get(f"lots/{name}").status_code == 404, name


def test_queue_and_keys(service, officer, certified, torn):
    """Numbers of today, costs at the settings' price, models with their keys; what cannot be known is not shown."""
    shown = words_of(officer.get("queue"))
    assert "Prices are not known here" in shown
    priced = msgspec.structs.replace(
        service.shared.settings, console=ConsoleSettings(hour_price="0.12", currency="EUR")
    )
    with service.shared.database.transaction() as session:
        session.get(Certificate, certified).made = service.clock() + 36_000_000
    object.__setattr__(service.shared, "settings", priced)
    shown = words_of(officer.get("queue"))
    assert re.search("for a thousand certificates 1.2[0-9]? EUR|1.2[0-9]? EUR for a thousand certificates", shown)
    assert "half took no longer" in shown
    assert "None. What waits for a person’s decision is on the page Today." in shown
    assert "EUR" in shown
    models = words_of(officer.get("keys"))
    assert "no longer in its folder" in models
    assert "sex (" in models.replace("( ", "(")


def test_local_times(service, officer, torn):
    """Times are those of the zone in the settings, and days begin there at midnight."""
    settings = msgspec.structs.replace(service.shared.settings, console=ConsoleSettings(time_zone="Asia/Tokyo"))
    before = words_of(officer.get(f"decisions/{torn}"))
    object.__setattr__(service.shared, "settings", settings)
    assert "UTC" in before
    assert "JST" in words_of(officer.get(f"decisions/{torn}"))


def test_a_fault_of_ours_says_nothing_of_itself(service, officer, monkeypatch):
    """500, one sentence, and the headers of every page; the log has the cause."""
    monkeypatch.setattr("equiproof.service.store.overview.counts", lambda *_: 1 // 0)
    failed = officer.get()
    assert (failed.status_code, "This did not work" in failed.text) == (500, True)
    assert "ZeroDivision" not in failed.text
    assert failed.headers["cache-control"] == "no-store"


def test_a_database_that_does_not_answer_is_told(service, officer, monkeypatch):
    """503 with a time to come back; nothing of its address."""

    def gone(*_):
        raise UnavailableError("password authentication failed")

    monkeypatch.setattr("equiproof.service.store.overview.counts", gone)
    failed = officer.get()
    assert (failed.status_code, failed.headers["retry-after"]) == (503, "60")
    assert "Nothing was recorded" in failed.text
    assert "authentication" not in failed.text


@pytest.mark.parametrize(
    ("section", "said"),
    [
        ('hour_price = "free"', "field console.hour_price"),
        ('hour_price = "-1"', "field console.hour_price"),
        (
            'time_zone = "Mars/Olympus"',
            "field console.time_zone: want a name such as Europe/Berlin, not 'Mars/Olympus'",
        ),
        ('time_zone = "../../etc/passwd"', "field console.time_zone"),
        ("lot = 1", "field console"),
    ],
)
def test_settings_that_cannot_be(tmp_path, section, said):
    """One line naming file and field."""
    path = tmp_path / "service.toml"
    path.write_text(f'vault = "v"\n[lender]\nname = "x"\n[console]\n{section}\n')
    with pytest.raises(SettingsError, match=re.escape(said)):
        load_settings(path)


def test_a_folder_of_the_settings_is_seen_from_their_file(tmp_path):
    """As every path there."""
    path = tmp_path / "service.toml"
    path.write_text('vault = "v"\n[lender]\nname = "x"\n[console]\nlots = "lots"\n')
    assert load_settings(path).console.lots == str(tmp_path / "lots")
