"""How often one person may apply: what the limit refuses, who lets somebody apply again, and what is kept of it."""

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import msgspec
import pytest
from fastapi.testclient import TestClient
from sqlalchemy import func, select

from equiproof.service import persons
from equiproof.service.clients import Scope
from equiproof.service.console.officers import Role
from equiproof.service.links import DAY
from equiproof.service.retention import erase, purge
from equiproof.service.rotation import rotate
from equiproof.service.settings import PersonSettings, RetentionSettings
from equiproof.service.store.tables import Allowance, Decision, Person
from equiproof.service.vault import Vault, new_line, parse_vault
from equiproof.service.web.app import create_app
from tests.service.console.people import sign_in
from tests.service.databases import BOTH, text
from tests.service.test_decisions import everything
from tests.support import LOANS

ANNA, BERT = "a" * 64, "b" * 64
SQLITE = pytest.mark.parametrize("address", ["sqlite"], indirect=True)


def with_limit(service, limit):
    """Start the application again under a limit."""
    settings = msgspec.structs.replace(service.shared.settings, persons=limit)
    shared = replace(service.shared, settings=settings)
    return replace(service, shared=shared, client=TestClient(create_app(shared), raise_server_exceptions=False))


@pytest.fixture
def limited(service):
    """A service in which one person may have two decisions in thirty days."""
    return with_limit(service, PersonSettings(2, 30))


def ends(answer):
    """Return the status of an answer, and how its type ends."""
    return answer.status_code, answer.json().get("type", "").rpartition(":")[2]


REFUSED = (409, "person-limit")


@BOTH
def test_a_person_has_so_many_decisions(limited, rows):
    """Whatever the data; another person is not concerned, and neither is the same person once the days are over."""
    first = limited.post(rows[0], person=ANNA, key="request-of-anna")
    assert limited.post(rows[1], person=ANNA).status_code == 201
    said = limited.post(rows[0], person=ANNA)
    assert ends(said) == REFUSED
    assert (
        said.json()["detail"] == "person: has had as many decisions as one may, 2 in 30 days; an officer can allow more"
    )
    assert limited.post(rows[0], person=BERT).status_code == 201
    # A retry is no further decision.
    again = limited.post(rows[0], person=ANNA, key="request-of-anna")
    assert (again.status_code, again.json()["id"]) == (201, first.json()["id"])
    limited.clock.now += 30 * DAY
    limited.headers = {"Authorization": f"Bearer {limited.key(Scope.SUBMIT).text}"}
    assert limited.post(rows[0], person=ANNA).status_code == 201


@SQLITE
def test_without_a_person_nothing_is_decided_under_a_limit(limited, service, rows):
    """Or whoever leaves it out has no limit. A service without a limit takes both, and counts nothing."""
    assert ends(limited.post(rows[0])) == (422, "no-person")
    assert ends(limited.post(rows[0], person="A" * 64)) == (422, "invalid-request")
    assert everything(limited, Decision) == []
    assert [service.post(rows[0], person=ANNA).status_code for _ in range(4)] == [201] * 4
    assert service.post(rows[0]).status_code == 201


@BOTH
def test_many_at_once_are_counted(limited, rows):
    """Two processes that decide about one person at the same time let pass no more than the limit."""
    other = with_limit(limited, limited.shared.settings.persons)
    other.count = 1000
    with ThreadPoolExecutor(8) as pool:
        asked = [pool.submit(one.post, rows[0], person=ANNA) for _ in range(4) for one in (limited, other)]
        statuses = sorted(one.result().status_code for one in asked)
    assert statuses == [201, 201] + [409] * 6
    assert len(everything(limited, Decision)) == 2
    (row,) = [row for row in everything(limited, Person) if row.refused]
    assert row.refused == 6


@SQLITE
def test_the_pseudonym_leaves_the_service_nowhere(service, rows):
    """Not in clear in the database, in no answer, and not in the receipt, which has the same parts as without one."""
    without = service.post(rows[0]).json()
    answer = service.post(rows[0], person=ANNA)
    assert ANNA not in text(service.shared.database) + answer.text
    receipts = [service.get(f"/v1/decisions/{one['id']}/receipt").json() for one in (without, answer.json())]
    assert receipts[0].keys() == receipts[1].keys()
    (row,) = everything(service, Person)
    vault = service.shared.holders.vault
    assert vault.open(row.sealed, persons.about(answer.json()["id"])).decode() == ANNA
    assert row.digest not in Vault({"guessed": bytes(32)}).digests(b"person\n" + ANNA.encode())


@SQLITE
def test_a_refusal_is_an_alarm(limited, rows):
    """A metric, a panel on the console's first page, and the earlier application beside the later one."""
    first = limited.post(rows[0], person=ANNA, reference="first").json()["id"]
    last = limited.post({**rows[0], "income": rows[1]["income"]}, person=ANNA, reference="second").json()["id"]
    officer, auditor = sign_in(limited, Role.OFFICER), sign_in(limited, Role.AUDITOR)
    assert "Refused by the limit" not in officer.get().text
    assert [limited.post(row, person=ANNA).status_code for row in rows] == [409, 409]
    limited.headers = {"Authorization": f"Bearer {limited.key(Scope.ADMIN).text}"}
    process = limited.shared.metrics.numbers.process
    assert f'equiproof_person_limit_total{{process="{process}"}} 2.0' in limited.get("/metrics").text
    home = officer.get().text
    assert "Refused by the limit: 1 person" in home
    assert f"decisions/{last}" in home[home.index("Refused by the limit") : home.index("All others")]
    shown = officer.get(f"decisions/{last}").text
    section = shown[shown.index("The same person") : shown.index("What happened")]
    assert "The limit refused 2 applications" in section
    assert f"decisions/{first}" in section
    assert f"{rows[0]['income']:,}" in section
    # Another role sees that there is one, and no detail of it.
    masked = auditor.get(f"decisions/{last}").text
    assert f"decisions/{first}" in masked
    assert f"{rows[0]['income']:,}" not in masked
    assert "Allow one more" not in masked


@SQLITE
def test_an_officer_allows_one_more(limited, rows):
    """With a reason that is kept, once for each time; a decision of nobody in particular has nothing to allow."""
    path = f"decisions/{limited.post(rows[0], person=ANNA).json()['id']}/allow"
    officer = sign_in(limited, Role.OFFICER)
    assert "Allow one more" not in officer.get(path.removesuffix("/allow")).text
    limited.post(rows[0], person=ANNA)
    assert "Allow one more" in officer.get(path.removesuffix("/allow")).text
    refused = officer.post(path, reason=" ")
    assert (refused.status_code, "reason: want 1 to" in refused.text) == (422, True)
    assert everything(limited, Allowance) == []
    assert officer.post(path, reason="A typing error in the first one.").status_code == 303
    assert [limited.post(rows[0], person=ANNA).status_code for _ in range(2)] == [201, 409]
    # One person, whose refusals stand beside two decisions.
    limited.post(rows[0], person=ANNA)
    assert len([row for row in everything(limited, Person) if row.refused]) == 1
    officer.post(path, reason="And one in the second.")
    assert [limited.post(rows[0], person=ANNA).status_code for _ in range(2)] == [201, 409]
    assert len([row for row in everything(limited, Person) if row.refused]) == 2
    assert "Refused by the limit: 1 person" in officer.get().text
    row, _ = everything(limited, Allowance)
    assert (row.name, row.reason) == ("Ada Marsh", "A typing error in the first one.")
    assert "A typing error in the first one." in officer.get(path.removesuffix("/allow")).text
    unnamed = with_limit(limited, None).post(rows[0]).json()["id"]
    assert officer.post(f"decisions/{unnamed}/allow", reason="so").status_code == 404


@SQLITE
def test_a_new_key_of_the_vault_forgets_nobody(limited, rows):
    """Neither while the old key is there nor once it has gone, after `rotate`."""
    limited.post(rows[0], person=ANNA)
    old = limited.shared.holders.vault
    new = parse_vault(new_line("second"), "vault")
    both = Vault(new.keys | old.keys)
    under = replace(limited, shared=replace(limited.shared, holders=replace(limited.shared.holders, vault=both)))
    under.client = TestClient(create_app(under.shared), raise_server_exceptions=False)
    assert [under.post(rows[0], person=ANNA).status_code for _ in range(2)] == [201, 409]
    rotate(under.shared.database, both)
    alone = replace(under, shared=replace(under.shared, holders=replace(under.shared.holders, vault=new)))
    alone.client = TestClient(create_app(alone.shared), raise_server_exceptions=False)
    assert ends(alone.post(rows[0], person=ANNA)) == REFUSED


@SQLITE
def test_who_has_all_erased_is_limited_all_the_same(limited, rows):
    """Nothing names the person any more, and no application more is decided; once the time is over nothing is left."""
    for _ in range(2):
        identifier = limited.post(rows[0], person=ANNA).json()["id"]
        with limited.shared.database.transaction() as session:
            erase(session, session.get(Decision, identifier), "asked for", limited.clock())
    assert ends(limited.post(rows[0], person=ANNA)) == REFUSED
    assert [row.sealed for row in everything(limited, Person)] == [None, None]
    rotate(limited.shared.database, limited.shared.holders.vault)
    assert ends(limited.post(rows[0], person=ANNA)) == REFUSED
    with limited.shared.database.transaction() as session:
        purge(session, RetentionSettings(), limited.clock() + 774 * DAY)
        assert session.scalar(select(func.count()).select_from(Person)) == 2
        purge(session, RetentionSettings(), limited.clock() + 776 * DAY)
        assert session.scalar(select(func.count()).select_from(Person)) == 0


@SQLITE
@pytest.mark.parametrize(
    "person",
    [
        "A" * 64,
        f"{ANNA} ",
        f" {ANNA}",
        f"{ANNA}\n",
        "\u0430" * 64,
        "\uff41" * 64,
        "a" * 63,
        "a" * 65,
        "",
        None,
        1,
        [ANNA],
    ],
)
def test_a_person_has_one_spelling(limited, rows, person):
    """In any other nothing is decided, whatever else comes with it."""
    assert [limited.post(rows[0], person=ANNA).status_code for _ in range(2)] == [201, 201]
    assert ends(limited.post(rows[0], person=person)) == (422, "no-person" if person is None else "invalid-request")
    assert len(everything(limited, Decision)) == 2


@SQLITE
def test_nothing_answers_beyond_the_limit(limited, rows):
    """Another key, model name, client, reference, invented or broken data: no answer says what the model decides."""
    assert [limited.post(rows[0], person=ANNA).status_code for _ in range(2)] == [201, 201]
    before = text(limited.shared.database).count("\n")
    answers = [
        limited.post(rows[0], person=ANNA),
        limited.post(rows[1], person=ANNA),
        limited.post(rows[0], person=ANNA, reference="other"),
        limited.post(rows[0], person=ANNA, key="request-again"),
        limited.post(rows[1], person=ANNA, key="request-again"),
        limited.post({**rows[0], "income": 10**9}, person=ANNA),
        limited.post(rows[0], person=ANNA, model="others"),
    ]
    limited.headers = {"Authorization": f"Bearer {limited.key(Scope.SUBMIT, client='other').text}"}
    answers.append(limited.post(rows[0], person=ANNA))
    assert {one.status_code for one in answers} == {404, 409, 422}
    for one in answers:
        assert not set(one.json()) & {"label", "outcome", "state", "receipt"}
        assert not any(f'"{label}"' in one.text for label in LOANS.labels)
    # The other client's key is all that was written beside the count of what was refused.
    assert text(limited.shared.database).count("\n") == before + 1


@SQLITE
def test_whose_it_was_is_erased_with_the_rest(limited, rows):
    """With the applicant's data and the words of a leave."""
    identifier = limited.post(rows[0], person=ANNA).json()["id"]
    with limited.shared.database.transaction() as session:
        persons.allow(session, session.get(Person, identifier), "her SECRET", "Ada Marsh", limited.clock())
        purge(session, RetentionSettings(), limited.clock() + 1000 * DAY)
        assert session.scalar(select(func.count()).select_from(Person)) == 0
    assert "SECRET" not in text(limited.shared.database)
