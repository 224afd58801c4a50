"""A service that is brought back from an older copy, beside a log that went on: what is lost, and what is not."""

import base64
import json
import secrets
import sqlite3
from contextlib import closing

import pytest

from equiproof.circuits.canonical import canonical_bytes
from equiproof.circuits.proof_systems import DEFAULT_PROOF_SYSTEM, PROOF_BYTES
from equiproof.circuits.shape import shape_of
from equiproof.register.errors import LogError
from equiproof.register.log import Log as Reader
from equiproof.service import checking
from equiproof.service.checking import CheckResult, check, compared
from equiproof.service.clients import Scope
from equiproof.service.kept_certificates import KeptCertificates
from equiproof.service.models import Models
from equiproof.service.outbox import Sender
from equiproof.service.public_log import PublicLog
from equiproof.service.settings import LogSettings
from equiproof.service.store.tables import Certificate, Decision, LogProof
from equiproof.service.vault import new_line
from equiproof.service.worker import child
from equiproof.service.worker.certifying import Certifying
from equiproof.service.worker.child import Outcome
from equiproof.verifier.certificate import parse_certificate
from equiproof.verifier.entries import ENTRY, KeyEntry, certificate_entry
from tests.service import databases, made
from tests.service.databases import BOTH
from tests.service.test_decisions import everything
from tests.service.test_outbox import SIGNER, log, settled  # noqa: F401 -- a fixture
from tests.support import LOANS, changed, copied_key


@pytest.fixture
def lender(request, address, started, log, tmp_path, monkeypatch):  # noqa: F811
    """A lender's service, its log and its folder of certificates, and what an operator does with them."""
    return Lender(request, address, started, log, tmp_path, monkeypatch)


class Lender:
    """One service after the other on copies of one database; the log and the certificates beside it go on."""

    def __init__(self, request, address, started, log, folder, monkeypatch):  # noqa: F811
        self.line, self.started, self.log, self.folder, self.address = new_line("first"), started, log, folder, address
        self.server = request.getfixturevalue("postgres") if address.startswith("postgresql") else None
        self.kept = KeptCertificates(folder / "certificates")
        self.starts = 0
        monkeypatch.setattr(checking, "public_log", lambda _: self.public)
        self.start(address)

    @property
    def public(self):
        return PublicLog(str(self.log.folder.root), self.log.pins, self.log.append)

    def start(self, address):
        """Start on a database; no request is one that was sent before."""
        self.address, self.service = address, self.started(address, self.line)
        self.starts += 1
        self.service.count = 1000 * self.starts
        headers = {"Authorization": f"Bearer {self.service.key(Scope.SUBMIT, Scope.READ).text}"}
        self.service.headers = headers

    def send(self, *, kept=True):
        """Do all that the log is owed; returns the troubles that there were."""
        said = []
        folder = self.kept if kept else None
        settled(
            Sender(self.service.shared.database, Models(), self.public, "North Bank", said.append, 0, folder),
            self.service.clock,
        )
        return said

    def prove(self, prover, *, kept=True):
        """Have all decisions proven that wait; returns what the worker said."""
        said = []
        shared, folder = self.service.shared, self.kept if kept else None
        work = Certifying(shared.database, shared.holders.vault, prover, self.service.clock, said.append, kept=folder)
        for row in everything(self.service, Decision):
            work(row.id)
        return said

    def copy(self):
        """Return a function that puts this moment back into a fresh database, and starts the service on it."""
        name = databases.fresh_name()
        if self.server is None:
            file = self.folder / f"{name}.db"
            with closing(sqlite3.connect(databases.name_of(self.address), isolation_level=None)) as connection:
                connection.execute(f"vacuum into '{file}'")
            return lambda: self.start(f"sqlite:///{file}")
        dump = self.folder / f"{name}.dump"
        self.server.call("pg_dump", "--format=custom", f"--file={dump}", databases.name_of(self.address))

        def back():
            self.server.call("createdb", name)
            self.server.call("pg_restore", "--exit-on-error", "--no-owner", f"--dbname={name}", str(dump))
            self.start(self.server.address(name))

        return back

    @property
    def settings(self):
        """The settings of the service, with a log."""
        at = LogSettings("http://127.0.0.1:9", "log.pub")
        return changed(self.service.shared.settings, database=self.address, log=at)

    def compared(self):
        """Return what `service check --compare-log` says: the summary, and lines about what one of both lacks."""
        first, *others = compared(self.settings)
        assert all(not one.good for one in others)
        return first.text, [one.text for one in others]

    def names(self, kind):
        """Return the entries of a kind in the log."""
        return [one for one in map(json.loads, self.log.folder.entries) if one["kind"] == kind]


def prover(order):
    """Prove with random bytes, another certificate each time; of one that there is, take the bytes."""
    if order.first is not None:
        return Outcome("fair", order.first.read_bytes(), made.KEY_DOCUMENT.fingerprint)
    document = json.loads(made.row("", label=order.kept.receipt.label, receipt=order.kept.receipt).body)
    document["proof"] = base64.b64encode(secrets.token_bytes(PROOF_BYTES[DEFAULT_PROOF_SYSTEM])).decode()
    return Outcome("fair", canonical_bytes(document), made.KEY_DOCUMENT.fingerprint)


@BOTH
def test_decisions_that_are_proven_again_keep_one_certificate(lender, rows):
    """They wait in the copy, were certified since, and get the certificate that the log has an entry of."""
    first = [lender.service.post(rows[0], reference=str(number)).json()["id"] for number in range(3)]
    lender.send()
    back = lender.copy()
    lender.prove(prover)
    lender.send()
    known = {row.decision_id: (row.body, row.entry) for row in everything(lender.service, Certificate)}
    assert len(lender.names("certificate")) == len(known) == 3
    back()
    assert everything(lender.service, Certificate) == []
    assert lender.compared()[1] == [
        f"entry {entry}: the certificate {certificate_entry(body).certificate}: not in the database"
        for body, entry in sorted(known.values(), key=lambda one: one[1])
    ]
    assert lender.prove(prover) == []
    assert lender.send() == []
    assert {row.decision_id: (row.body, row.entry) for row in everything(lender.service, Certificate)} == known
    assert len(lender.names("certificate")) == 3
    assert sorted(known) == sorted(first)
    assert lender.compared()[1] == []


@BOTH
def test_receipts_that_a_copy_lacks_are_listed(lender, rows):
    """Each with its entry; what both have is counted, and what the service decides after it is none of them."""
    for number in range(2):
        lender.service.post(rows[0], reference=f"before-{number}")
    lender.send()
    back = lender.copy()
    for number in range(300):
        lender.service.post(rows[0], reference=f"after-{number}")
    lender.send()
    lost = {row.receipt for row in everything(lender.service, Decision) if row.reference.startswith("after")}
    assert lender.compared() == (
        f"log and database: {1 + 302} entries; 302 receipts and 0 certificates are of decisions here",
        [],
    )
    back()
    lender.service.post(rows[0], reference="again")
    lender.send()
    summary, (sentence, *listed) = lender.compared()
    assert "304 entries; 3 receipts and 0 certificates" in summary
    assert sentence.startswith("log and database: 300 receipts are of no decision here; one that a lot draws counts")
    assert {one.split()[3].rstrip(":") for one in listed} == lost
    entries = lender.log.folder.entries
    for line in listed:
        number = int(line.split()[1].rstrip(":"))
        assert json.loads(entries[number])["receipt"] in line


def test_entries_of_others_are_listed(lender, rows):
    """A key of another owner, and a certificate that somebody entered by hand."""
    lender.service.post(rows[0])
    lender.send()
    numbers = lender.log.folder.append(
        KeyEntry(*ENTRY, "key", "South Bank", "ab" * 32, None).data, certificate_entry(b"by hand").data
    )
    lender.log.folder.publish()
    assert sorted(lender.compared()[1]) == [
        f"entry {numbers[0]}: key {'ab' * 32} of South Bank: not in the database",
        f"entry {numbers[1]}: the certificate {certificate_entry(b'by hand').certificate}: not in the database",
    ]


def test_an_older_copy_of_the_log_is_noticed(lender, rows):
    """The database was shown proofs of entries that this log has not; nothing else compares the two."""
    lender.service.post(rows[0], reference="1")
    lender.send()
    old = lender.log.folder.forked(lender.folder / "old", len(lender.log.folder.entries))
    old.publish()
    lender.service.post(rows[0], reference="2")
    lender.send()
    assert lender.compared()[1] == []
    (decision,) = [row.id for row in everything(lender.service, Decision) if row.reference == "2"]
    assert all(row.body for row in everything(lender.service, LogProof))
    lender.log.folder = old
    (said,) = lender.compared()[1]
    assert said.startswith(f"decision {decision}: its receipt or certificate is not where the log had it: ")


def test_a_worker_that_does_not_see_the_folder(lender, rows):
    """The log's process does: the first certificate takes the place of the one that was proven again."""
    lender.service.post(rows[0])
    back = lender.copy()
    lender.prove(prover)
    lender.send()
    (known,) = everything(lender.service, Certificate)
    back()
    lender.prove(prover, kept=False)
    (other,) = everything(lender.service, Certificate)
    assert other.body != known.body
    lender.send()
    (row,) = everything(lender.service, Certificate)
    assert (row.body, row.entry, row.radius_squared) == (known.body, known.entry, known.radius_squared)
    assert row.proof is not None
    assert len(lender.names("certificate")) == 1


def test_a_certificate_that_cannot_be_kept_is_not_entered(lender, rows):
    """The log never has an entry of one that is nowhere but in the database; the others go on."""
    for number in range(2):
        lender.service.post(rows[0], reference=str(number))
    lender.prove(prover)
    one, other = sorted(everything(lender.service, Decision), key=lambda row: row.receipt)
    path = lender.kept.path(one.receipt)
    path.parent.mkdir(parents=True)
    path.mkdir()
    (said,) = [line for line in lender.send() if "not entered" in line]
    assert str(path) in said
    assert len(said) <= 400
    (entry,) = lender.names("certificate")
    path.rmdir()
    path.write_bytes(lender.kept.path(other.receipt).read_bytes())
    (said,) = [line for line in lender.send() if "not entered" in line]
    assert f"remove {path}: it is about another decision than its name says" in said
    path.unlink()
    lender.send()
    assert len(lender.names("certificate")) == 2
    assert entry in lender.names("certificate")


def test_no_log_and_a_log_that_is_away_are_lines(lender, monkeypatch):
    """Nothing is compared, and nothing is raised."""
    (said,) = compared(lender.service.shared.settings)
    assert said == CheckResult(False, "log and database: the settings have no section `log`")

    def away(*_):
        raise LogError("http://127.0.0.1:9: the log is away")

    monkeypatch.setattr(Reader, "newest", away)
    assert lender.compared() == ("log and database: http://127.0.0.1:9: the log is away", [])


def test_a_database_that_is_away_is_not_compared(lender, tmp_path):
    """A line about it is enough; where it is there, what was compared comes last."""
    assert list(check(lender.settings, with_log=True))[-1].text.startswith("log and database: 0 entries")
    away = changed(lender.settings, database=f"sqlite:///{tmp_path}/nowhere/service.db")
    assert not [one for one in check(away, with_log=True) if one.text.startswith("log and database")]


def test_a_log_whose_entries_were_changed_is_told(lender, rows):
    """One byte of an entry, under the same checkpoint."""
    lender.service.post(rows[0])
    lender.send()
    file = lender.log.folder.root / "tile" / "entries" / "000.p" / str(len(lender.log.folder.entries))
    data = file.read_bytes()
    receipt = everything(lender.service, Decision)[0].receipt.encode()
    file.write_bytes(data.replace(receipt, receipt[:-1] + (b"0" if receipt[-1:] != b"0" else b"1")))
    assert "are not those of its checkpoint" in lender.compared()[0]


@pytest.mark.slow
def test_a_real_proof_is_made_once(lender, rows, tmp_path):
    """With a key and both verifiers: what comes back is verified, and not proven."""
    copied_key(tmp_path / "keys", shape_of("traversal", LOANS, (2,), 4))
    lender.service.post(rows[0])
    back = lender.copy()
    lender.prove(child.prove)
    lender.send()
    (known,) = everything(lender.service, Certificate)
    back()
    lender.prove(child.prove)
    (row,) = everything(lender.service, Certificate)
    assert row.body == known.body
    assert parse_certificate(row.body, "certificate").key.fingerprint == row.key_fingerprint
    child.ready.cache_clear()  # the loaded key is closed now, and not when the library is gone
