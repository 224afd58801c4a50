"""Real small periods: real decisions, real proofs, from receipts to the sentence."""

import random
import re

import pytest

from equiproof.certify.traversal.search import Counterexample
from equiproof.circuits.canonical import canonical_bytes
from equiproof.prover import Opening, Prover
from equiproof.prover.receipts import decide
from equiproof.register.log import Log
from equiproof.register.lot import check, conduct
from equiproof.register.lot.answering import answer
from equiproof.register.lot.close import Terms, close
from equiproof.register.lot.lottery import draw
from equiproof.register.lot.page import page
from equiproof.register.lot.report import Report
from equiproof.verifier import parse_commitment
from equiproof.verifier.entries import ENTRY, CommitmentEntry, KeyEntry, commitment_digest
from equiproof.verifier.trust import TrustedKey
from tests.prover.test_levels import moved, of_equal_level
from tests.register.log_folder import LogFolder
from tests.register.lot.world import AUDITOR, LENDER, LOG, OWNER, START
from tests.support import LOANS, applicant, changed

PEOPLE = 8
DIGEST = "[0-9a-f]{8,}|[0-9a-f]{4}([\xa0 ][0-9a-f]{4})+"
PINS = check.Pins(log=LOG.verifier, auditors=[AUDITOR.verifier])


def whole(base, opening, key, rows, min_radius="0"):
    """Decide, certify who is treated fairly, close a period, draw and answer; return its folder and what it shows."""
    log, owned = LogFolder(base / "log", LOG), base / "owned"
    commitment = parse_commitment(opening.public(), "commitment.json")
    log.append(
        CommitmentEntry(*ENTRY, "commitment", OWNER, commitment_digest(commitment), "2026-01-01").data,
        KeyEntry(*ENTRY, "key", OWNER, key.document.fingerprint, None).data,
    )
    with Prover(opening, key) as owner:
        for number, row in enumerate(rows):
            decided = decide(opening, row, {"nonce": f"nonce number {number:06d}"}, START)
            log.append(decided.entry)
            folder = owned / str(number)
            folder.mkdir(parents=True)
            (folder / "receipt.json").write_bytes(canonical_bytes(decided.receipt))
            proven = owner.prove(row, decided.context, blinding=int(decided.query.blinding, 16))
            if not isinstance(proven, Counterexample):
                (folder / "certificate.json").write_bytes(proven.certificate.to_bytes())
    reader = Log(str(log.root), LOG.verifier)
    terms = Terms("March 2026", OWNER, (LENDER.verifier, AUDITOR.verifier), 300, min_radius, "0.5")
    period = close(base / "march", reader, terms, commitment, [TrustedKey.read(key.folder)])
    for step in (conduct.seal, conduct.open_seal):
        for who in (AUDITOR, LENDER):
            step(period, who, base / who.name, START)
    closed = check.read_close(period, reader, PINS)
    receipts = closed.counted.of(closed.counted.receipts)
    period.write_answers(answer(period, receipts, draw(period, closed.counted), owned, {}, LENDER, START))
    return period, check.check(closed)


@pytest.mark.slow
def test_a_real_period(tmp_path, loans):
    """Everybody gets a receipt; the unfair decision has no certificate, and every other drawn one verifies."""
    rng, unfair = random.Random(3), loans.unfair(seed=2)[0]
    rows = [applicant(loans.spec, rng) for _ in range(PEOPLE - 1)] + [unfair]
    certified = sum(not isinstance(loans.search(row), Counterexample) for row in rows)
    assert certified < PEOPLE
    _, found = whole(tmp_path, loans.opening, loans.key, rows)
    assert (found.certified, found.at_least, found.honest) == (certified, certified, True)
    last = next(one for one in found.judgements if one.entry == 1 + PEOPLE)
    assert last.verdict == "none"


@pytest.mark.slow
def test_two_models_of_one_level_have_one_report(tmp_path, loans):
    """With other radii: report, page, and the names and lengths of all files are the same but for digests."""
    models, spec = (loans.opening.network, moved(loans.opening.network)), changed(LOANS, levels=("0.02",))
    rng = random.Random(6)
    rows = [of_equal_level(loans, spec, *models, rng)]  # of several the draw has another order each time
    told = []
    for place, model in enumerate(models):
        base = tmp_path / str(place)
        period, found = whole(base, Opening.of(model, spec, 5), loans.key, rows, "0.01")
        assert found.certified == len(rows)
        report = Report.of(found, PINS)
        sizes = sorted((str(path.relative_to(base)), path.stat().st_size) for path in period.root.rglob("*.*"))
        told.append(([re.sub(DIGEST, "", text) for text in (str(report.document), page(report))], sizes))
    assert told[0] == told[1]
