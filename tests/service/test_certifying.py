"""A decision's job, done once or many times, by provers that die, lie or break: one end, at most one certificate."""

import json
import re
from types import SimpleNamespace

import msgspec
import pytest
from sqlalchemy import select

from equiproof.certify.branch import PrecisionError
from equiproof.certify.errors import CapacityError
from equiproof.certify.models.ensembles.gaps import BetweenError
from equiproof.circuits.canonical import canonical_bytes
from equiproof.ffi.errors import RefusedError
from equiproof.prover.errors import KeyStoreError
from equiproof.service.again import AgainError, again
from equiproof.service.decisions import Sealed, job_of
from equiproof.service.findings import CounterexampleDocument, Side, finding_of
from equiproof.service.models import Models
from equiproof.service.overrides import override
from equiproof.service.store.tables import Certificate, Decision, Finding, Model, Transition
from equiproof.service.vault import new_line, parse_vault
from equiproof.service.worker import child
from equiproof.service.worker.certifying import MAX_ATTEMPTS, Certifying, waiting_jobs
from equiproof.service.worker.child import Outcome
from equiproof.service.worker.provers import DiedError, HungError
from equiproof.service.worker.resting import FIRST_SECONDS, MAX_SECONDS, Resting
from equiproof.verifier import PolicyError, ProofError, TrustStore, pairing, parse_context, parse_query
from equiproof.verifier.errors import Reason
from equiproof.verifier.receipt import RECEIPT, Receipt
from tests.service.databases import BOTH
from tests.service.made import OFFICER
from tests.service.test_decisions import everything
from tests.support import ROOT

GOLDEN = ROOT / "tests" / "golden" / "loans"


@pytest.fixture
def worker(service):
    """Return a function that does all jobs with a prover of the test's; it returns what the worker said."""

    def done(prover, vault=None):
        said = []
        holders = service.shared.holders
        work = Certifying(service.shared.database, vault or holders.vault, prover, service.clock, said.append)
        for _, decision_id in holders.jobs.done:
            work(decision_id)
        return said

    return done


def changes(service):
    """Return all changes of state in the order in which they were written."""
    return sorted(everything(service, Transition), key=lambda row: row.id)


def states(service):
    """Return the states that each decision had."""
    found = {}
    for row in changes(service):
        found.setdefault(row.decision_id, []).append(row.state)
    return list(found.values())


def change(service, decide):
    """Change the rows of all decisions."""
    with service.shared.database.transaction() as session:
        for row in session.query(Decision):
            decide(row)


def seal(service, kept):
    """Have the waiting decision be about other data, in its row and in its box."""
    box, receipt = canonical_bytes(kept), kept.receipt

    def decide(row):
        row.sealed = service.shared.holders.vault.seal(box, row.id)
        row.receipt, row.label, row.query_commitment = receipt.digest, receipt.label, receipt.query_commitment

    change(service, decide)


def golden(service):
    """Return the outcome of a real certificate, and make the waiting decision the one that it is about."""
    document = json.loads((GOLDEN / "certificate.json").read_bytes())
    body = canonical_bytes(document)
    statement = document["statement"]
    (row,) = everything(service, Decision)
    kept = msgspec.json.decode(service.shared.holders.vault.open(row.sealed, row.id), type=Sealed)
    receipt = msgspec.structs.replace(
        kept.receipt, **{name: statement[name] for name in ("model_commitment", "query_commitment", "context_digest")},
        label=statement["label"],
    )  # fmt: skip
    seal(service, msgspec.structs.replace(kept, receipt=receipt))
    return Outcome("fair", body, document["key"]["fingerprint"])


@BOTH
def test_a_job_that_is_done_twice_makes_one_certificate(service, rows, worker):
    """The second worker finds the decision ended; one that was slower than the other keeps nothing."""
    service.post(rows[0])
    outcome = golden(service)
    (decision,) = everything(service, Decision)
    holders = service.shared.holders

    def slow(_):
        Certifying(service.shared.database, holders.vault, lambda _: outcome, service.clock)(decision.id)
        return outcome

    assert worker(slow) == []
    assert worker(lambda _: pytest.fail("proven again")) == []
    assert states(service) == [["decided", "certifying", "certified"]]
    (made,) = everything(service, Certificate)
    assert (made.body, made.key_fingerprint) == (outcome.certificate, outcome.key_fingerprint)


@pytest.mark.parametrize("field", ["model_commitment", "query_commitment", "context_digest", "label"])
def test_a_certificate_about_something_else_is_not_kept(service, rows, worker, field):
    """A prover's answer that is about another model, person, context or decision ends as failed."""
    service.post(rows[0])
    outcome = golden(service)
    (row,) = everything(service, Decision)
    vault = service.shared.holders.vault
    kept = msgspec.json.decode(vault.open(row.sealed, row.id), type=Sealed)
    other = 1 - kept.receipt.label if field == "label" else "0" * 63 + "1"
    changed = msgspec.structs.replace(kept, receipt=msgspec.structs.replace(kept.receipt, **{field: other}))
    seal(service, changed)
    assert worker(lambda _: outcome)
    assert states(service) == [["decided", "certifying", "failed"]]
    assert not everything(service, Certificate)


def test_a_certificate_under_another_key_is_not_kept(service, rows, worker):
    """The key that the certificate names is the one that the prover loaded."""
    service.post(rows[0])
    outcome = golden(service)
    worker(lambda _: Outcome("fair", outcome.certificate, "0" * 64))
    assert states(service)[0][-1] == "failed"
    assert not everything(service, Certificate)


def test_a_prover_that_dies_is_tried_again_and_then_given_up(service, rows, worker):
    """Each attempt is in the history, and the last state says that an admin must look."""
    service.post(rows[0])

    def dies(_):
        raise DiedError

    worker(dies)
    tried = ["decided", "certifying"]
    assert states(service) == [[*tried * MAX_ATTEMPTS, "failed"]]
    last = changes(service)[-1]
    assert last.reason == f"the prover stopped, attempt {MAX_ATTEMPTS} of {MAX_ATTEMPTS}"


def test_a_prover_that_hangs_is_an_attempt(service, rows, worker):
    """The history says so, without anything of the machine."""
    service.post(rows[0])

    def hangs(_):
        raise HungError("the prover did not end in 300 s, and was ended")

    worker(hangs)
    reasons = [row.reason for row in changes(service) if row.state in ("decided", "failed") and row.reason]
    words = "the prover did not end in 300 s, and was ended"
    assert reasons == [f"{words}, attempt {number} of {MAX_ATTEMPTS}" for number in range(1, MAX_ATTEMPTS + 1)]


def test_a_fault_of_proving_is_an_end_and_shows_nothing(service, rows, worker):
    """Whatever is raised ends this decision, and words that may hold the applicant's values go nowhere."""
    service.post({**rows[0], "income": 48_213})

    def broken(_):
        raise ValueError("income 48213")

    said = worker(broken)
    assert states(service) == [["decided", "certifying", "failed"]]
    # Names of decisions are random digits.
    assert "48213" not in re.sub("[0-9a-f]{32}", "", "".join(said)) + changes(service)[-1].reason
    assert "ValueError" in said[0]


def test_what_was_found_is_sealed_for_the_owner(service, rows, worker):
    """An unfair outcome is in review with its counterexample, of which the database's file shows nothing."""
    service.post(rows[0])
    found = CounterexampleDocument("flip", (Side({"sex": "f"}, 0), Side({"sex": "m"}, 1)))
    worker(lambda _: Outcome("unfair", reason="decides otherwise", found=found))
    assert states(service) == [["decided", "certifying", "review"]]
    (decision,), (kept,) = everything(service, Decision), everything(service, Finding)
    with service.shared.database.transaction() as session:
        assert finding_of(session, decision, service.shared.holders.vault) == found
    assert b"flip" not in kept.sealed


def test_what_was_found_about_an_erased_decision_is_not_kept(service, rows, worker):
    """It was erased while a prover was at work."""
    service.post(rows[0])

    def erasing(_):
        change(service, lambda row: setattr(row, "sealed", None))
        sides = CounterexampleDocument("flip", (Side({"sex": "f"}, 0), Side({"sex": "m"}, 1)))
        return Outcome("unfair", reason="decides otherwise", found=sides)

    worker(erasing)
    assert states(service) == [["decided", "certifying", "review"]]
    assert not everything(service, Finding)


@BOTH
def test_a_key_that_cannot_be_used_fails_no_decision(service, rows):
    """All wait on; one is tried once the files have rested, each rest longer, and with the right key all end."""
    for _ in range(2):
        service.post(rows[0])
    shared, said, asked, now = service.shared, [], [], [0.0]
    answers = [Outcome("unready", reason="waits", detail="/keys: no secret")] * 2 + [Outcome("undecided")] * 2

    def prover(order):
        asked.append(order)
        return answers[len(asked) - 1]

    work = Certifying(shared.database, shared.holders.vault, prover, service.clock, said.append, lambda: now[0])

    def sweep(at):
        now[0] = at
        for identifier in waiting_jobs(shared.database, Models()).values():
            work(identifier)
        return len(asked)

    assert [sweep(at) for at in (0.0, 15.0, FIRST_SECONDS)] == [1, 1, 2]
    assert len(waiting_jobs(shared.database, Models())) == 2
    assert [sweep(at) for at in (2 * FIRST_SECONDS, 3 * FIRST_SECONDS)] == [2, 4]
    tried = ["decided", "certifying"]
    assert sorted(states(service), key=len) == [[*tried, "undecided"], [*tried * 3, "undecided"]]
    assert len(said) == 2
    assert "no secret" in said[0]


def test_files_rest_twice_as_long_up_to_a_bound():
    """And from the beginning once they could be used."""
    now, files = [0.0], ("opening.json", "keys")
    resting, rests = Resting(lambda: now[0]), []
    for _ in range(7):
        resting.lay(files)
        resting.lay(files)
        begun = now[0]
        while resting.rests(files):
            now[0] += FIRST_SECONDS
        rests.append(now[0] - begun)
    assert rests == [30, 60, 120, 240, 480, MAX_SECONDS, MAX_SECONDS]
    resting.lay(files)
    resting.wake(files)
    assert not resting.rests(files)


@BOTH
def test_what_failed_is_tried_again(service, rows, worker):
    """All that failed, or those that are named; a decision that waits or is certified is refused, and then none is."""
    for _ in range(2):
        service.post(rows[0])
    worker(lambda _: Outcome("failed", reason="no key"))
    first, second = sorted(everything(service, Decision), key=lambda row: row.received)
    with service.shared.database.transaction() as session:
        assert again(session, [first.id, first.id], service.clock()) == 1
    refuse = pytest.raises(AgainError, match=f"{first.id}: it is certifying; want one that is failed or undecided")
    with refuse, service.shared.database.transaction() as session:
        again(session, [second.id, first.id], service.clock())
    assert set(waiting_jobs(service.shared.database, Models()).values()) == {first.id}
    with service.shared.database.transaction() as session:
        assert again(session, [], service.clock()) == 1
    assert set(waiting_jobs(service.shared.database, Models()).values()) == {first.id, second.id}
    worker(lambda _: Outcome("undecided", reason="time"))
    assert states(service) == [["decided", "certifying", "failed", "certifying", "undecided"]] * 2


def test_what_a_person_has_decided_is_not_tried_again(service, rows, worker):
    """A certificate of the model's decision would contradict the person's, which may have left in writing."""
    for _ in range(2):
        service.post(rows[0])
    worker(lambda _: Outcome("failed", reason="no key"))
    settled, other = sorted(everything(service, Decision), key=lambda row: row.received)
    with service.shared.database.transaction() as session:
        decision = session.get(Decision, settled.id)
        override(session, decision, 1, "payslips", "B. Weber", service.clock(), by=OFFICER)
    refuse = pytest.raises(AgainError, match=f"{settled.id}: a person has decided")
    with refuse, service.shared.database.transaction() as session:
        again(session, [settled.id], service.clock())
    with service.shared.database.transaction() as session:
        assert again(session, [], service.clock()) == 1
    assert set(waiting_jobs(service.shared.database, Models()).values()) == {other.id}


@pytest.mark.parametrize(("identifier", "said"), [("0" * 32, "no such decision"), (None, "its data were erased")])
def test_what_cannot_be_proven_is_not_tried(service, rows, worker, identifier, said):
    """An unknown decision, or whose data are gone."""
    service.post(rows[0])
    worker(lambda _: Outcome("failed", reason="no key"))
    change(service, lambda row: setattr(row, "sealed", None))
    (decision,) = everything(service, Decision)
    with service.shared.database.transaction() as session:
        with pytest.raises(AgainError, match=said):
            again(session, [identifier or decision.id], service.clock())
        assert again(session, [], service.clock()) == 0


def test_a_decision_that_was_erased_ends(service, rows, worker):
    """Nothing is left to prove, and nothing waits for ever."""
    service.post(rows[0])
    change(service, lambda row: setattr(row, "sealed", None))
    worker(lambda _: pytest.fail("nothing to prove"))
    assert changes(service)[-1].reason == "the applicant's data were erased"


def test_a_vault_without_the_key_fails_no_decision(service, rows):
    """As on a machine that has not got the new key yet: the log names it now and then, and with it all go on."""
    for _ in range(2):
        service.post(rows[0])
    shared, said, now = service.shared, [], [0.0]
    prove = (service.clock, said.append, lambda: now[0])
    lacking = Certifying(
        shared.database, parse_vault(new_line("second"), "vault"), lambda _: pytest.fail("not opened"), *prove
    )
    for now[0] in (0.0, 15.0, FIRST_SECONDS):
        for identifier in waiting_jobs(shared.database, Models()).values():
            lacking(identifier)
    assert states(service) == [["decided"]] * 2
    assert len(said) == 2
    assert "'first', which the key file does not have: mend the file" in said[0]
    with_it = Certifying(shared.database, shared.holders.vault, lambda _: Outcome("undecided"), *prove)
    for identifier in waiting_jobs(shared.database, Models()).values():
        with_it(identifier)
    assert states(service) == [["decided", "certifying", "undecided"]] * 2


def test_a_box_that_was_changed_ends_the_job(service, rows, worker):
    """The worker's log says so, and the lender's program is told no more than it needs."""
    service.post(rows[0])
    with service.shared.database.transaction() as session:
        decision = session.scalars(select(Decision)).one()
        decision.sealed = decision.sealed[:-1] + bytes([decision.sealed[-1] ^ 1])
    said = worker(lambda _: pytest.fail("nothing to prove"))
    assert "a box that was changed" in said[0]
    assert changes(service)[-1].reason == "the sealed data cannot be opened"


@pytest.mark.parametrize("moved", [-(10**15), 10**15])
def test_a_clock_that_jumps_changes_no_end(service, rows, worker, moved):
    """History is in the order in which it was written, whatever the times beside it say."""
    service.post(rows[0])
    outcome = golden(service)

    def jumps(_):
        service.clock.now += moved
        return outcome

    worker(jumps)
    assert states(service) == [["decided", "certifying", "certified"]]
    numbers = [row.number for row in changes(service)]
    assert numbers == [0, 1, 2]


def test_jobs_are_named_by_statement_and_key(service, rows):
    """Each decision has a job of its own, the same each time it is asked for, and another under another key."""
    receipts = [service.post(rows[0]).json()["receipt"] for _ in range(3)]
    names = waiting_jobs(service.shared.database, Models())
    assert list(names) == [job for job, _ in service.shared.holders.jobs.done]
    assert len({*names, *(job_of(one, "f" * 64) for one in receipts)}) == 6


@pytest.fixture
def kept():
    """What the vault would hold of the published certificate's decision."""
    statement = json.loads((GOLDEN / "certificate.json").read_bytes())["statement"]
    given = ("model_commitment", "query_commitment", "context_digest", "label")
    receipt = Receipt(*RECEIPT, *(statement[name] for name in given), "2026-03-04T10:00:00Z", "0" * 64)
    context = parse_context((GOLDEN / "context.json").read_bytes(), "context")
    return Sealed(receipt, parse_query((GOLDEN / "query.json").read_bytes(), "query"), context)


class Published:
    """The published model and key, as a prover holds its own."""

    @staticmethod
    def public():
        return (GOLDEN / "commitment.json").read_bytes()

    @classmethod
    def key(cls):
        (found,) = TrustStore.open(GOLDEN / "keys")._keys.values()
        return found


@pytest.mark.slow
def test_a_certificate_is_kept_once_both_programs_verify_it(kept, monkeypatch):
    """Each is asked; one that the plain-Python program alone refuses, or is about another receipt, is refused."""
    certificate = (GOLDEN / "certificate.json").read_bytes()
    child.verify(certificate, Published, Published.key(), None, kept)
    label = msgspec.structs.replace(kept.receipt, label=1 - kept.receipt.label)
    with pytest.raises(PolicyError):
        child.verify(certificate, Published, Published.key(), None, msgspec.structs.replace(kept, receipt=label))

    def refused(*_):
        raise RefusedError("the pairings differ", "pairings-differ")

    monkeypatch.setattr(pairing.VerifyingKey, "verify", refused)
    with pytest.raises(ProofError):
        child.verify(certificate, Published, Published.key(), None, kept)


def test_a_certificate_that_the_log_has_is_verified_again(kept, monkeypatch, tmp_path):
    """By both programs, under the key that it names; of what does not hold, is damaged or gone, the file is named."""
    monkeypatch.setattr(child, "ready", lambda *_: SimpleNamespace(opening=Published))
    certificate = (GOLDEN / "certificate.json").read_bytes()
    file = tmp_path / "first.json"
    file.write_bytes(certificate)
    outcome = child.prove(child.Order(tmp_path, GOLDEN / "keys", 1.0, kept, file))
    assert (outcome.verdict, outcome.certificate, outcome.key_fingerprint) == (
        "fair",
        certificate,
        Published.key().document.fingerprint,
    )
    document = json.loads(certificate)
    document["proof"] = document["proof"][:-2] + ("00" if document["proof"][-2:] != "00" else "01")
    for wrong, keys in (
        (canonical_bytes(document), GOLDEN / "keys"),
        (certificate[:-1], GOLDEN / "keys"),
        (certificate, tmp_path),
        (None, GOLDEN / "keys"),
    ):
        file.unlink() if wrong is None else file.write_bytes(wrong)
        outcome = child.prove(child.Order(tmp_path, keys, 1.0, kept, file))
        assert (outcome.verdict, outcome.certificate) == ("failed", b"")
        assert outcome.detail.startswith(f"mend or remove {file}, then `equiproof service again`: ")
        assert str(tmp_path) not in outcome.reason


@pytest.mark.parametrize(
    ("where", "error", "verdict"),
    [
        ("_proven", ProofError("the pairings differ", Reason.PAIRINGS_DIFFER), "failed"),
        ("_proven", KeyStoreError("no key"), "failed"),
        ("_proven", PrecisionError(), "undecided"),
        ("_proven", CapacityError(38, 37, None, "rows"), "undecided"),
        ("_proven", CapacityError(9, 8, None, "leaves"), "undecided"),
        ("_proven", CapacityError(5, 4, None, "passed"), "undecided"),
        ("_proven", BetweenError("feature 'income': 41000.5 lies between"), "undecided"),
        ("ready", KeyStoreError("no secret"), "unready"),
        ("ready", OSError("no file"), "unready"),
    ],
)
def test_what_ends_a_proof_is_an_outcome(kept, monkeypatch, tmp_path, where, error, verdict):
    """No certificate, and a reason that names nothing of this machine; files that cannot be used are no failure."""

    def ends(*_):
        raise error

    monkeypatch.setattr(child, "ready", lambda *_: None)
    monkeypatch.setattr(child, where, ends)
    outcome = child.prove(child.Order(tmp_path, tmp_path, 1.0, kept))
    assert (outcome.verdict, outcome.certificate) == (verdict, b"")
    assert str(error) not in outcome.reason or not str(error)
    if isinstance(error, CapacityError):
        assert outcome.reason == f"this application needs more {error.words} than the key has"
        needed = f"it needs {error.needed} {error.words}, and the key has room for {error.capacity}"
        assert outcome.detail == needed


def test_a_lost_opening_holds_up_its_own_decisions_only(service, rows, tmp_path):
    """The others are still looked at; one line names the file."""
    service.post(rows[0])
    (kept,) = everything(service, Decision)
    with service.shared.database.transaction() as session:
        model = session.get_one(Model, kept.model_id)
        values = {column.key: getattr(model, column.key) for column in Model.__table__.columns}
        lost = Model(**values | {"id": "0" * 32, "opening": str(tmp_path / "lost.json"), "commitment": "0" * 64})
        session.add(lost)
    service.post(rows[0])
    other = next(row for row in everything(service, Decision) if row.id != kept.id)
    change(service, lambda row: setattr(row, "model_id", lost.id) if row.id == other.id else None)
    lines = []
    assert set(waiting_jobs(service.shared.database, Models(), lines.append).values()) == {kept.id}
    (line,) = lines
    assert "lost.json" in line
