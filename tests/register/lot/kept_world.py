"""A period of the published kept model: its log, its folder, and answers of which one has a certificate."""

from equiproof.circuits.canonical import canonical_bytes
from equiproof.register.log import Log
from equiproof.register.lot import check, conduct
from equiproof.register.lot.answering import answer
from equiproof.register.lot.close import Terms, close
from equiproof.register.lot.folder import PeriodLink
from equiproof.register.lot.lottery import draw
from equiproof.verifier import TrustStore, parse_certificate
from equiproof.verifier.documents import load_commitment
from equiproof.verifier.entries import ENTRY, CommitmentEntry, KeyEntry, commitment_digest, link_entry
from equiproof.verifier.link import LINK_FILE, load_link
from equiproof.verifier.receipt import RECEIPT, Receipt
from tests.pins import FOLDER
from tests.register.log_folder import LogFolder
from tests.register.lot.world import AUDITOR, LENDER, LOG, OWNER, START
from tests.support import changed

KEPT = FOLDER / "loans-kept"
COMMITMENT = load_commitment(KEPT / "commitment.json")
CERTIFICATE = parse_certificate((KEPT / "certificate.json").read_bytes(), "certificate.json")
TRUSTED = TrustStore.open(KEPT / "keys")
KEY = TRUSTED.find(CERTIFICATE.key.fingerprint)
LINK = load_link(KEPT / LINK_FILE)
OWN = PeriodLink(LINK, TRUSTED.find_link_key(LINK.link_key.fingerprint))


def receipts():
    """Return the receipt of the published certificate's decision, and two of decisions without one."""
    stated = CERTIFICATE.statement
    known = {"time": "2026-03-04T10:00:00Z", "model_commitment": COMMITMENT.model_commitment, "label": stated.label}
    about = {"query_commitment": stated.query_commitment, "context_digest": stated.context_digest}
    first = Receipt(*RECEIPT, **known, **about, salt="5a" * 32)
    return first, *(changed(first, query_commitment=f"{number:064x}") for number in (7, 8))


def log_of(base):
    """Return a log with commitment, key, link and receipts."""
    folder = LogFolder(base / "log", LOG)
    folder.append(
        CommitmentEntry(*ENTRY, "commitment", OWNER, commitment_digest(COMMITMENT), "2026-01-01").data,
        KeyEntry(*ENTRY, "key", OWNER, KEY.document.fingerprint, None).data,
        link_entry(OWNER, LINK, COMMITMENT).data,
        *(one.entry().data for one in receipts()),
    )
    return folder


def reader(log):
    """Return the log as readers have it."""
    return Log(str(log.root), LOG.verifier)


def closed(base, log, links=(OWN,), **terms):
    """Close a period."""
    known = {"name": "March 2026", "owner": OWNER, "parties": (LENDER.verifier, AUDITOR.verifier), "drawn": 3}
    whole = Terms(**(known | {"min_radius": "0", "share": "0.2"} | terms))
    return close(base / "march", reader(log), whole, COMMITMENT, [KEY], links)


def answered(base, log):
    """Close a period, draw, and answer."""
    period = closed(base, log)
    for step in (conduct.seal, conduct.open_seal):
        for who in (AUDITOR, LENDER):
            step(period, who, base / who.name, START)
    owned = base / "owned"
    owned.mkdir()
    (owned / "receipt.json").write_bytes(canonical_bytes(receipts()[0]))
    (owned / "certificate.json").write_bytes(CERTIFICATE.to_bytes())
    counted = check.read_close(period, reader(log), check.Pins()).counted
    period.write_answers(answer(period, counted.of(counted.receipts), draw(period, counted), owned, {}, LENDER, START))
    return period
