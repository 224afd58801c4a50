"""A real small period: real decisions, real proofs, one person without a certificate, from receipts to the sentence."""

import random

import pytest

from equiproof.certify.traversal.search import Counterexample
from equiproof.circuits.canonical import canonical_bytes
from equiproof.prover.receipts import decide
from equiproof.register.log import Log
from equiproof.register.lot import check, conduct
from equiproof.register.lot.answering import answer
from equiproof.register.lot.close import Terms, close
from equiproof.register.lot.lottery import draw
from equiproof.verifier.entries import ENTRY, CommitmentEntry, KeyEntry, commitment_digest
from equiproof.verifier.trust import TrustedKey
from tests.register.log_folder import LogFolder
from tests.register.lot.world import AUDITOR, LENDER, LOG, OWNER, START
from tests.support import applicant

PEOPLE = 8


@pytest.mark.slow
def test_a_real_period(tmp_path, loans, owner):
    """Everybody gets a receipt; the unfair decision has no certificate, and every other drawn one verifies."""
    log, owned = LogFolder(tmp_path / "log", LOG), tmp_path / "owned"
    fingerprint = loans.key.document.fingerprint
    log.append(
        CommitmentEntry(*ENTRY, "commitment", OWNER, commitment_digest(loans.commitment), "2026-01-01").data,
        KeyEntry(*ENTRY, "key", OWNER, fingerprint, None).data,
    )
    rng, unfair = random.Random(3), loans.unfair(seed=2)[0]
    rows = [applicant(loans.spec, rng) for _ in range(PEOPLE - 1)] + [unfair]
    certified = 0
    for number, row in enumerate(rows):
        decided = decide(loans.opening, row, {"nonce": f"nonce number {number:06d}"}, START)
        log.append(decided.entry)
        folder = owned / str(number)
        folder.mkdir(parents=True)
        (folder / "receipt.json").write_bytes(canonical_bytes(decided.receipt))
        if not isinstance(loans.search(row), Counterexample):
            proven = owner.prove(row, decided.context, blinding=int(decided.query.blinding, 16))
            (folder / "certificate.json").write_bytes(proven.certificate.to_bytes())
            certified += 1
    assert certified < PEOPLE

    reader = Log(str(log.root), LOG.verifier)
    terms = Terms("March 2026", OWNER, (LENDER.verifier, AUDITOR.verifier), 300, "0", "0.5")
    period = close(tmp_path / "march", reader, terms, loans.commitment, [TrustedKey.read(loans.key.folder)])
    for step in (conduct.seal, conduct.open_seal):
        for who in (AUDITOR, LENDER):
            step(period, who, tmp_path / who.name, START)
    closed = check.read_close(period, reader, check.Pins(log=LOG.verifier, auditors=[AUDITOR.verifier]))
    receipts = closed.counted.of(closed.counted.receipts)
    period.write_answers(answer(period, receipts, draw(period, closed.counted), owned, {}, LENDER, START))
    found = check.check(closed)
    assert (found.certified, found.at_least, found.honest) == (certified, certified, True)
    last = next(one for one in found.judgements if one.entry == 1 + PEOPLE)
    assert last.verdict == "none"
