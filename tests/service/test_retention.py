"""What is erased when, what stays, and that every box can be sealed anew."""

from pathlib import Path

import pytest
from sqlalchemy import select

from equiproof.service import findings, letters
from equiproof.service.clients import Scope
from equiproof.service.decisions import opened
from equiproof.service.findings import CounterexampleDocument, Side
from equiproof.service.links import DAY, make_link
from equiproof.service.overrides import override
from equiproof.service.retention import ERASURE_MARK, Cleared, Purged, clear, purge
from equiproof.service.rotation import refuse_lost_key, rotate
from equiproof.service.settings import RetentionSettings
from equiproof.service.states import State
from equiproof.service.store.tables import (
    Certificate,
    Decision,
    Finding,
    Letter,
    Link,
    Outgoing,
    Override,
    Request,
    Transition,
)
from equiproof.service.vault import Vault, VaultError, key_name, new_line, parse_vault
from tests.service import made
from tests.service.databases import BOTH, name_of, text
from tests.service.test_decisions import everything

KEPT = RetentionSettings(applicant_days=100, letter_days=50, request_days=7, link_days=90)
FOUND = CounterexampleDocument("flip", (Side({"sex": "f"}, 0), Side({"sex": "m"}, 1)))


def filled(service, rows):
    """Make a certified decision with a letter and a link, and a review that a person settled."""
    vault, clock = service.shared.holders.vault, service.clock
    certified = service.post(rows[0], reference="SECRET-REFERENCE").json()["id"]
    made.end(service, certified, State.CERTIFIED)
    review = service.post(rows[1]).json()["id"]
    with service.shared.database.transaction() as session:
        make_link(session, certified, clock(), 365)
        make_link(session, review, clock(), 1)
        box = vault.seal(b"<p>income</p>", letters.about(certified, "en"))
        session.add(Letter(decision_id=certified, language="en", sealed=box, digest="ab" * 32, made=clock()))
        findings.keep(session, review, FOUND, vault, clock())
        override(session, session.get(Decision, review), 1, "her SECRET income", "B. Weber", clock(), by=made.OFFICER)
        session.add(
            Outgoing(kind="webhook", decision_id=review, body=b"SECRET-BODY", created=clock(), done=clock(), due=0)
        )
    return certified, review


def purged(service, days):
    """Erase as of so many days after the beginning."""
    with service.shared.database.transaction() as session:
        return purge(session, KEPT, service.clock() + days * DAY)


def cleared(service, days, most=1):
    """Delete what has served its purpose, as of so many days after the beginning."""
    return clear(service.shared.database, KEPT, service.clock() + days * DAY, most)


@BOTH
def test_what_was_sent_goes_and_what_waits_stays(service, rows):
    """Answers and rows of every kind a week after they served, one at a time or together; receipts once logged."""
    filled(service, rows)
    with service.shared.database.transaction() as session:
        (change,) = session.scalars(select(Outgoing).where(Outgoing.kind == "webhook")).all()
        first = session.scalars(select(Outgoing).where(Outgoing.kind == "receipt").order_by(Outgoing.id)).first()
        first.done = service.clock()
        session.add(
            Outgoing(kind="change", decision_id=change.decision_id, body=b"{}", created=1, done=service.clock())
        )
    assert cleared(service, 6) == Cleared()
    assert cleared(service, 8) == Cleared(requests=2, messages=3)
    assert [(row.kind, row.done) for row in everything(service, Outgoing)] == [("receipt", None)]
    assert cleared(service, 10_000, 1000) == Cleared()


def test_each_kind_goes_in_its_time(service, rows):
    """Letters after fifty days, people after a hundred; never twice."""
    filled(service, rows)
    assert purged(service, 0) == Purged()
    assert purged(service, 2) == Purged(links=1)
    assert purged(service, 51) == Purged(letters=1)
    assert purged(service, 101) == Purged(decisions=2, links=1)
    assert purged(service, 10_000) == Purged()


@BOTH
def test_what_is_erased_is_gone_and_what_counts_stays(service, rows):
    """No value, reference, salt, blinding or reason is in any table; receipts, states and digests are."""
    certified, review = filled(service, rows)
    vault = service.shared.holders.vault
    boxes = [row.sealed for table in (Decision, Finding, Letter) for row in everything(service, table)]
    before = {row.id: (row.receipt, row.state, row.query_commitment) for row in everything(service, Decision)}
    purged(service, 101)
    cleared(service, 101)
    everywhere = text(service.shared.database)
    for box in boxes:
        assert box.hex() not in everywhere
    for word in (b"SECRET", b"SECRET-REFERENCE", b"SECRET-BODY"):
        assert word.decode() not in everywhere
        assert word.hex() not in everywhere
    after = everything(service, Decision)
    assert {row.id: (row.receipt, row.state, row.query_commitment) for row in after} == before
    assert all(row.erased and opened(row, vault) is None for row in after)
    assert [row.digest for row in everything(service, Letter)] == ["ab" * 32]
    assert [row.decision_id for row in everything(service, Certificate)] == [certified]
    assert [(row.reason, row.name, row.decision_id) for row in everything(service, Override)] == [
        (ERASURE_MARK, "B. Weber", review)
    ]
    assert len(everything(service, Transition)) == 4
    assert [row.kind for row in everything(service, Outgoing)] == ["receipt", "receipt"]
    assert not everything(service, Link)
    assert not everything(service, Request)


def test_an_erased_decision_has_no_papers(service, rows):
    """Neither letter nor bundle nor package is made of what is gone."""
    certified, _ = filled(service, rows)
    purged(service, 101)
    statuses = {paper: service.get(f"/v1/decisions/{certified}/{paper}").status_code for paper in ("letter", "bundle")}
    assert statuses == {"letter": 410, "bundle": 410}
    assert service.get(f"/v1/decisions/{certified}/package").status_code == 404


def test_what_came_late_is_erased_the_next_time(service, rows):
    """A letter, a finding, a link or a person's words that were written while the decision was erased do not stay."""
    certified, review = filled(service, rows)
    purged(service, 101)
    vault, clock = service.shared.holders.vault, service.clock
    with service.shared.database.transaction() as session:
        session.get(Letter, (certified, "en")).sealed = vault.seal(b"late", letters.about(certified, "en"))
        session.get(Letter, (certified, "en")).made = clock() + 101 * DAY
        session.get(Finding, review).sealed = vault.seal(b"late", findings.about(review))
        override(session, session.get(Decision, review), 0, "her SECRET savings", "B. Weber", clock(), by=made.OFFICER)
        make_link(session, certified, clock() + 101 * DAY, 365)
    assert purged(service, 102) == Purged(letters=1, links=1)
    assert not [row for table in (Finding, Letter) for row in everything(service, table) if row.sealed is not None]
    assert {row.reason for row in everything(service, Override)} == {ERASURE_MARK}
    assert purged(service, 103) == Purged()


def test_every_box_is_sealed_anew(service, rows):
    """Under the key on top, each as what it was; then the old key can go, and a second run has nothing to do."""
    certified, review = filled(service, rows)
    old = service.shared.holders.vault
    both = Vault({**parse_vault(new_line("second"), "new").keys, **old.keys})
    database = service.shared.database
    new = Vault({"second": both.keys["second"]})
    with database.reading() as session, pytest.raises(VaultError, match="line of the key 'first' back"):
        refuse_lost_key(session, new)
    assert rotate(database, both) == 4
    assert rotate(database, both) == 0
    with database.reading() as session:
        refuse_lost_key(session, new)
    with database.transaction() as session:
        for row in session.scalars(select(Decision)):
            assert opened(row, new) is not None
        assert findings.finding_of(session, session.get(Decision, review), new) == FOUND
        letter = session.get(Letter, (certified, "en"))
        assert new.open(letter.sealed, letters.about(certified, "en")) == b"<p>income</p>"
        assert {key_name(row.sealed) for row in session.scalars(select(Finding))} == {"second"}


@pytest.mark.parametrize("address", ["sqlite"], indirect=True)
def test_two_machines_change_the_key_without_a_gap(address, started, rows):
    """In the order that the operator's page gives, each reads what the other has sealed at every step of the way."""
    first, second = new_line("first"), new_line("second")
    steps = [
        (first, first),
        (first + second, first),
        (first + second, first + second),
        (second + first, first + second),
    ]
    headers, made_so_far = {}, []
    for lines in steps:
        machines = [started(address, line) for line in lines]
        headers = headers or {"Authorization": f"Bearer {machines[0].key(Scope.SUBMIT, Scope.READ).text}"}
        for machine in machines:
            machine.headers = headers
            key = f"application-{len(made_so_far)}"
            made_so_far.append(machine.post(rows[0], key=key).json()["id"])
        for machine in machines:
            said = [machine.get(f"/v1/decisions/{one}/receipt").status_code for one in made_so_far]
            assert said == [200] * len(made_so_far)
    sealed = {row.id: key_name(row.sealed) for row in everything(machines[0], Decision)}
    assert [sealed[one] for one in made_so_far] == ["first"] * 6 + ["second", "first"]
    assert rotate(machines[0].shared.database, machines[0].shared.holders.vault) == 7
    alone = started(address, second)
    alone.headers = headers
    assert {alone.get(f"/v1/decisions/{one}/receipt").status_code for one in made_so_far} == {200}


def test_a_box_of_another_place_is_refused(service, rows):
    """Somebody who writes to the database cannot have one column's box shown as another's."""
    certified, _ = filled(service, rows)
    vault = service.shared.holders.vault
    with service.shared.database.transaction() as session:
        decision = session.get(Decision, certified)
        decision.sealed = session.get(Letter, (certified, "en")).sealed
        with pytest.raises(VaultError, match="about something else"):
            opened(decision, vault)


@pytest.mark.parametrize("address", ["sqlite"], indirect=True)
def test_what_is_erased_is_in_no_byte_of_the_files(service, address, rows):
    """Neither in a free page nor in the log of writes: boxes, references, reasons and bodies are written over."""
    certified, review = filled(service, rows)
    database = service.shared.database
    with database.reading() as session:
        boxes = [session.get(Decision, one).sealed for one in (certified, review)]
        boxes += [session.get(Finding, review).sealed, session.get(Letter, (certified, "en")).sealed]
    path = Path(name_of(address))
    files = [path, path.with_name(f"{path.name}-wal")]

    def there():
        whole = b"".join(file.read_bytes() for file in files)
        return [one for one in (*boxes, b"SECRET-REFERENCE", b"SECRET income", b"SECRET-BODY") if one in whole]

    assert there()
    database.forget()
    assert len(there()) == len(boxes) + 3
    purged(service, 1000)
    cleared(service, 1000)
    database.forget()
    assert there() == []
