"""Corrections: a decision with wrong details and the one that followed, linked for good and shown as a pair."""

from datetime import UTC, date, datetime, timedelta

import pytest

from equiproof.service.console.officers import Role
from equiproof.service.retention import ERASURE_MARK, erase
from equiproof.service.states import State
from equiproof.service.store.tables import Correction, CorrectionRequest, Decision
from tests.service import made
from tests.service.conftest import START
from tests.service.console.people import sign_in
from tests.service.databases import BOTH
from tests.service.test_decisions import everything

ANNA, BERT = "a" * 64, "b" * 64
TODAY = datetime.fromtimestamp(START // 1_000_000, UTC).date()
SQLITE = pytest.mark.parametrize("address", ["sqlite"], indirect=True)
REQUEST = "My income was entered without its last digit."


@pytest.fixture
def pair(service, rows):
    """Two decisions about one person; the second has another income."""
    first = service.post(rows[0], person=ANNA, reference="first").json()["id"]
    service.clock.now += 1_000_000
    other = rows[0] | {"income": rows[1]["income"]}
    assert other != rows[0]
    return first, service.post(other, person=ANNA, reference="second").json()["id"]


def ask(service, first, role=Role.OFFICER, **fields):
    """Send the form about a request."""
    given = {"asked": TODAY.isoformat(), "request": REQUEST} | fields
    return sign_in(service, role).post(f"decisions/{first}/correction", **given)


def record(service, first, second, role=Role.OFFICER):
    """Send the form about the second decision, once there is a request."""
    ask(service, first, role)
    return sign_in(service, role).post(f"decisions/{first}/correction/second", second=second)


@BOTH
def test_a_pair_is_shown_on_both_pages(service, rows, pair):
    """Request, details before and after, both decisions with their certificates, and who says so; kept once."""
    first, second = pair
    made.end(service, first, State.CERTIFIED)
    officer, auditor = (sign_in(service, role) for role in (Role.OFFICER, Role.AUDITOR))
    assert "Record a request for correction" in officer.get(f"decisions/{first}").text
    assert "Corrections asked for" not in officer.get().text
    assert ask(service, first).status_code == 303
    text = officer.get().text
    listed = text[text.index("Corrections asked for: 1") :].partition("</section>")[0]
    assert (f"decisions/{first}" in listed, f"decisions/{second}" in listed) == (True, False)
    text = officer.get(f"decisions/{first}").text
    assert ">Correction asked for</h2>" in text
    assert "Record a request for correction" not in text
    assert "Record the second decision" in text
    assert "Record the second decision" not in auditor.get(f"decisions/{first}").text
    assert record(service, first, " second ").status_code == 303
    (asked,), (row,) = (everything(service, table) for table in (CorrectionRequest, Correction))
    assert (row.decision_id, row.second_id, row.changed, row.name) == (first, second, '["income"]', "Ada Marsh")
    assert (asked.request, asked.name, asked.asked) == (REQUEST, "Ada Marsh", TODAY.isoformat())
    for page, heading, other in ((first, "Corrected", second), (second, "Made with details put right", first)):
        text = officer.get(f"decisions/{page}").text
        assert f">{heading}</h2>" in text
        for wanted in (
            REQUEST,
            f'href="/console/decisions/{other}"',
            "Second decision recorded by <bdi>Ada Marsh</bdi>",
        ):
            assert wanted in text
        values = [f"{rows[place]['income']:,}" for place in (0, 1)]
        table = text[text.index(">before<") :]
        assert table.index(f">{values[0]}") < table.index(f">{values[1]}")
        assert f"decisions/{first}/certificate" in text
        assert f'decisions/{second}/certificate" download>certificate of' not in text
        masked = auditor.get(f"decisions/{page}").text
        assert "Put right: " in masked
        assert values[1] not in masked
    assert "Record " not in officer.get(f"decisions/{first}").text
    assert "Corrections asked for" not in officer.get().text


@SQLITE
def test_a_second_correction_follows_the_newest(service, rows, pair):
    """The second decision can be corrected in its turn, and then its page shows both records."""
    first, second = pair
    record(service, first, second)
    service.clock.now += 1_000_000
    third = service.post(rows[0], person=ANNA).json()["id"]
    for refused in (ask(service, first), record(service, first, third)):
        assert (refused.status_code, "correct the one that followed" in refused.text) == (422, True)
    assert record(service, second, third).status_code == 303
    text = sign_in(service, Role.OFFICER).get(f"decisions/{second}").text
    assert text.index("Made with details put right") < text.index(">Corrected<")


@SQLITE
def test_what_is_no_correction_is_refused(service, rows, pair):
    """With one sentence on the page, the fields as they were, and nothing written."""
    first, second = pair
    same = service.post(rows[0], person=ANNA).json()["id"]
    stranger = service.post(rows[1], person=BERT).json()["id"]
    foreign = service.post(rows[1]).json()["id"]
    with service.shared.database.transaction() as session:
        session.get(Decision, foreign).client = "f" * 32
    late = (TODAY + timedelta(days=1)).isoformat()
    asked = [
        ({"request": " "}, "request: want 1 to 2000 characters"),
        *(({"asked": day}, "day of the request: give one from") for day in ("", "20260302", late, str(date.min))),
    ]
    for fields, said in asked:
        answer = ask(service, first, **fields)
        assert (answer.status_code, said in answer.text) == (422, True), said
    assert f">{REQUEST}</textarea>" in answer.text
    closed = sign_in(service, Role.OFFICER).post(f"decisions/{first}/correction/second", second=second)
    assert (closed.status_code, "file the request first" in closed.text) == (422, True)
    assert ask(service, first, Role.ADMIN).status_code == 403
    assert everything(service, CorrectionRequest) == []
    cases = [
        (first, first, "this is the decision itself"),
        (second, first, "it was made before this one"),
        (first, "none", "no such decision"),
        (first, foreign, "no such decision"),
        (first, same, "it has the same details"),
        (first, stranger, "it names another"),
    ]
    for one, other, said in cases:
        answer = record(service, one, other)
        assert (answer.status_code, said in answer.text) == (422, True), said
    assert f'value="{stranger}"' in answer.text
    again = ask(service, first)
    assert (again.status_code, "close the request that is open" in again.text) == (422, True)
    assert record(service, first, second, Role.ADMIN).status_code == 403
    assert everything(service, Correction) == []


@SQLITE
def test_a_decision_corrects_one_other(service, rows, pair):
    """One that corrects a decision corrects no second one."""
    first, second = pair
    record(service, first, second)
    with service.shared.database.transaction() as session:
        session.get(Decision, second).received += 10_000_000
    between = service.post(rows[1], person=ANNA).json()["id"]
    answer = record(service, between, second)
    assert (answer.status_code, "it corrects a decision already" in answer.text) == (422, True)


@SQLITE
@pytest.mark.parametrize("place", [0, 1])
def test_erasing_either_takes_the_words(service, pair, place):
    """The link stays, with the names of the details; what the applicant wrote goes, and no later pair is made."""
    first, second = pair
    record(service, first, second)
    with service.shared.database.transaction() as session:
        erase(session, session.get(Decision, pair[place]), "asked for", service.clock())
    (asked,), (row,) = (everything(service, table) for table in (CorrectionRequest, Correction))
    assert (asked.request, row.changed) == (ERASURE_MARK, '["income"]')
    text = sign_in(service, Role.OFFICER).get(f"decisions/{first}").text
    assert REQUEST not in text
    assert "Put right: " in text


@SQLITE
def test_erased_details_show_no_correction(service, pair):
    """Nothing says any more what was put right."""
    first, second = pair
    with service.shared.database.transaction() as session:
        erase(session, session.get(Decision, second), "asked for", service.clock())
    answer = record(service, first, second)
    assert (answer.status_code, "have been erased" in answer.text) == (422, True)
    with service.shared.database.transaction() as session:
        erase(session, session.get(Decision, first), "asked for", service.clock())
    (row,) = everything(service, CorrectionRequest)
    assert row.request == ERASURE_MARK
    assert "Corrections asked for" not in sign_in(service, Role.OFFICER).get().text


@SQLITE
def test_nothing_is_asked_about_erased_details(service, pair):
    """Nothing could close the request."""
    first, _ = pair
    with service.shared.database.transaction() as session:
        erase(session, session.get(Decision, first), "asked for", service.clock())
    assert "Record a request" not in sign_in(service, Role.OFFICER).get(f"decisions/{first}").text
    answer = ask(service, first)
    assert (answer.status_code, "have been erased" in answer.text) == (422, True)
