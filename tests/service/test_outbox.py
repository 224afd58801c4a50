"""Receipts reach the log once and never get lost, and a proof is kept when relying parties would accept it."""

import logging
from dataclasses import dataclass, field

import pytest

from equiproof.prover.keys import KeyStore
from equiproof.prover.opening import Opening
from equiproof.register.client import Appended
from equiproof.register.errors import LogError
from equiproof.service.models import Files, Models, add_model
from equiproof.service.outbox import MAX_WAIT, MICROSECONDS, Sender
from equiproof.service.public_log import PublicLog
from equiproof.service.states import State
from equiproof.service.store.queries import without_log_proof
from equiproof.service.store.tables import Decision, LogProof, Model, Outgoing
from equiproof.verifier.checkpoint import cosign, parse_checkpoint
from equiproof.verifier.entries import parse_entry
from equiproof.verifier.logged import SKEW, LogPins, standing
from equiproof.verifier.notes import Signer
from tests.register.log_folder import LogFolder
from tests.service import made
from tests.service.databases import BOTH
from tests.service.test_decisions import everything
from tests.support import LOANS, network

SIGNER, WITNESS = Signer.new("bank.example/log"), Signer.new("witness.example/w1")


@dataclass
class Log:
    """A log in a folder, whose writer can be away, lose its answers, or lie about where an entry is."""

    folder: LogFolder
    pins: LogPins
    away: int = 0
    lost: int = 0
    lies: int = 0
    asked: list = field(default_factory=list)

    def append(self, entries):
        """Append together, as a request does: where the log is away, the answers end."""
        found = []
        for entry in entries:
            try:
                found.append(self.appended(entry))
            except LogError as error:
                return [*found, error]
        return found

    def appended(self, entry):
        self.asked.append(entry)
        if self.away:
            self.away -= 1
            raise LogError("the log is away")
        (index,) = self.folder.append(entry)
        if self.lost:
            self.lost -= 1
            raise LogError("the answer broke off")
        return Appended(index + self.lies, parse_entry(entry, "entry").name)

    def names(self):
        return [parse_entry(entry, "entry").name for entry in self.folder.entries]


@pytest.fixture
def log(tmp_path):
    folder = LogFolder(tmp_path / "log", SIGNER)
    folder.publish()
    return Log(folder, LogPins(SIGNER.verifier))


@pytest.fixture
def sending(service, log):
    """Return a function that makes a sender, as a process that has just been started would."""
    return lambda said=None: Sender(
        service.shared.database,
        Models(),
        PublicLog(str(log.folder.root), log.pins, log.append),
        "North Bank",
        (lambda _: None) if said is None else said.append,
    )


def lacking(service):
    with service.shared.database.reading() as session:
        return without_log_proof(session)


def settled(sender, clock):
    """Step until there is nothing more to do."""
    while sender.step(clock()):
        pass


@BOTH
def test_receipts_reach_the_log_with_proofs(service, rows, log, sending):
    """Each decision, a person's too, has one entry and a proof that shows its receipt; nothing else is in the log."""
    for row in (*rows, rows[0]):
        service.post(row)
    settled(sending(), service.clock)
    decisions = {row.id: row for row in everything(service, Decision)}
    assert len(decisions) == 3
    for row in everything(service, LogProof):
        found = standing(row.body, log.pins, service.clock() // MICROSECONDS)
        assert (found.entry.receipt, found.index) == (decisions.pop(row.decision_id).receipt, row.entry)
    assert not decisions
    assert all(row.done for row in everything(service, Outgoing))
    assert len(log.folder.entries) == 3 + 1  # the commitment


def test_each_entry_of_a_decision_has_a_line_with_its_request(service, rows, log, sending, caplog):
    """The id of the request that asked for the decision, with its entry: of receipts and of certificates, once each."""
    answers = [service.post(row) for row in rows[:2]]
    made.end(service, answers[0].json()["id"], State.CERTIFIED)
    with caplog.at_level(logging.INFO, "equiproof"):
        settled(sending(), service.clock)
        settled(sending(), service.clock)
    lines = [one.fields for one in caplog.records if one.getMessage() == "appended"]
    first, second = (answer.headers["x-request-id"] for answer in answers)
    asked = sorted((line["what"], line["request"]) for line in lines)
    assert asked == sorted([("certificate", first), ("receipt", first), ("receipt", second)])
    kinds = [parse_entry(log.folder.entries[line["entry"]], "entry").kind for line in lines]
    assert kinds == [{"receipt": "decision"}.get(line["what"], line["what"]) for line in lines]


def test_an_entry_that_was_appended_and_not_noted_is_there_once(service, rows, log, sending, monkeypatch):
    """The process is killed between the log's answer and the note: the next one gets the same index."""
    service.post(rows[0])

    def killed(*_):
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(Sender, "_note", killed)
        with pytest.raises(KeyboardInterrupt):
            sending().step(service.clock())
    assert len(log.folder.entries) == 2
    assert not everything(service, LogProof)
    settled(sending(), service.clock)
    assert len(log.folder.entries) == 2
    assert log.asked.count(log.folder.entries[1]) == 2
    (row,) = everything(service, LogProof)
    assert row.entry == 1
    assert row.body is not None


def test_an_answer_that_broke_off_is_asked_for_again(service, rows, log, sending):
    """The log has the entry, the service does not know: it is sent again and is there once."""
    service.post(rows[0])
    sender = sending()
    settled(sender, service.clock)
    service.post(rows[0])
    log.lost = 1
    sender.step(service.clock())
    assert sum(row.done is None for row in everything(service, Outgoing)) == 1
    assert len(log.folder.entries) == 3
    service.clock.now += MAX_WAIT
    settled(sender, service.clock)
    assert len(log.folder.entries) == len(set(log.names())) == 3
    assert len(everything(service, LogProof)) == 2


def test_a_log_that_is_away_costs_nothing(service, rows, log, sending):
    """Receipts wait; one entry alone finds out that the log is away; it is said once, and once that it is over."""
    said = []
    sender = sending(said)
    settled(sender, service.clock)
    for _ in range(20):
        service.post(rows[0])
    log.away, before = 3, len(log.asked)
    for _ in range(3):
        sender.step(service.clock())
    assert len(log.asked) - before == 3
    assert not everything(service, LogProof)
    service.clock.now += MAX_WAIT
    settled(sender, service.clock)
    assert said == ["receipts: the log is away", "receipts: the log takes them again"]
    assert sum(row.body is not None for row in everything(service, LogProof)) == 20


@pytest.mark.parametrize("hours", [-10_000, 10_000])
def test_a_clock_that_jumps_strands_nothing(service, rows, log, sending, hours):
    """A receipt that was put off while the clock was years ahead, or behind, is sent within a minute."""
    sender = sending()
    settled(sender, service.clock)
    service.post(rows[0])
    real, log.away = service.clock.now, 1
    sender.step(real + hours * 3600 * MICROSECONDS)
    assert everything(service, Outgoing)[0].attempts == 1
    sender.step(real + MAX_WAIT)
    assert everything(service, Outgoing)[0].done


def cosigned(log, at):
    """Publish the log's checkpoint with the witness's signature of a time."""
    text = log.folder.text()
    log.folder.publish(cosign(WITNESS, parse_checkpoint(text), at))


def test_a_proof_is_kept_once_witnesses_have_seen_it(service, rows, log, sending):
    """A pinned witness that has not signed, or whose time is not yet, leaves the decision without a proof."""
    log.pins = LogPins(SIGNER.verifier, (WITNESS.verifier,), 1)
    service.post(rows[0])
    said = []
    sender = sending(said)
    settled(sender, service.clock)
    at = service.clock.now // MICROSECONDS
    cosigned(log, at + SKEW + 60)
    settled(sender, service.clock)
    (row,) = everything(service, LogProof)
    assert row.body is None
    assert lacking(service) == 2  # the decision and its model
    assert "0 of the 1 accepted witnesses" in said[0]
    cosigned(log, at)
    settled(sender, service.clock)
    (row,) = everything(service, LogProof)
    assert lacking(service) == 0
    assert standing(row.body, log.pins, at).witnesses == (WITNESS.verifier.name,)


def test_a_log_that_lies_about_an_index_is_not_believed(service, rows, log, sending):
    """The entry at that index is another one, so no proof is kept; the others' proofs are."""
    said = []
    sender = sending(said)
    settled(sender, service.clock)
    service.post(rows[0])
    log.lies = -1
    sender.step(service.clock())
    log.lies = 0
    service.post(rows[0])
    for _ in range(3):
        sender.step(service.clock())
    wrong, right = sorted(everything(service, LogProof), key=lambda row: row.entry)
    assert (wrong.body, right.body is None) == (None, False)
    assert any("entry 0 is another one" in line for line in said)


@BOTH
def test_two_processes_at_once_are_as_one(service, rows, log, sending):
    """Both append the same receipts, and each is there once."""
    service.post(rows[0])
    first, second = sending(), sending()
    for _ in range(3):
        first.step(service.clock())
        second.step(service.clock())
    assert len(log.folder.entries) == 2
    assert len(everything(service, LogProof)) == 1


def test_the_log_is_told_of_models_and_keys(service, log, sending, tmp_path):
    """The commitment, then the key once there is one, then the next model and that it takes the first one's place."""
    sender = sending()
    settled(sender, service.clock)
    (row,) = everything(service, Model)
    assert row.entry == 0
    other = Opening.of(network(LOANS, (2,), 7), LOANS, blinding=6)
    (tmp_path / "other.json").write_bytes(other.secret())
    with service.shared.database.transaction() as session:
        add_model(session, "loans", Files(tmp_path / "other.json", tmp_path / "keys"), service.clock())
    settled(sender, service.clock)
    settled(sending(), service.clock)  # another process says it again, and the log has it
    said = [parse_entry(entry, "entry") for entry in log.folder.entries]
    assert [entry.kind for entry in said] == ["commitment", "commitment", "retire"]
    assert (said[2].digest, said[2].successor) == (said[0].commitment, said[1].commitment)
    assert {entry.owner for entry in said} == {"North Bank"}
    assert not KeyStore(tmp_path / "keys").all()


def test_a_model_that_cannot_be_read_holds_up_no_receipt(service, rows, log, sending, tmp_path):
    """One line names its file; receipts are sent all the same."""
    service.post(rows[0])
    (tmp_path / "opening.json").write_bytes(b"{}")
    said = []
    settled(sending(said), service.clock)
    assert "opening.json" in said[0]
    assert len(log.folder.entries) == 1


@BOTH
def test_certificates_reach_the_log_at_their_release(service, rows, log):
    """The time of an entry is public: it is that of the next multiple of the delay, not that of the search's end."""
    decision = service.post(rows[0]).json()["id"]
    made.end(service, decision, State.CERTIFIED)
    public = PublicLog(str(log.folder.root), log.pins, log.append)
    sender = Sender(service.shared.database, Models(), public, "North Bank", release_seconds=600)

    def kinds():
        settled(sender, service.clock)
        return [parse_entry(entry, "entry").kind for entry in log.folder.entries]

    assert "certificate" not in kinds()
    service.clock.now += 600 * MICROSECONDS
    assert kinds().count("certificate") == 1
