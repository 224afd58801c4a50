"""Owners who log, count or answer otherwise than they should: what a check finds, and what it cannot find."""

import html
import json
import re
from decimal import Decimal
from fractions import Fraction

import msgspec
import pytest

from equiproof.circuits.canonical import canonical_bytes
from equiproof.circuits.exit_codes import MISUSED
from equiproof.circuits.levels import squares
from equiproof.circuits.units import radius_of_any
from equiproof.register.errors import LogError
from equiproof.register.lot import check
from equiproof.register.lot.answering import answer
from equiproof.register.lot.bound import at_least
from equiproof.register.lot.counted import Counted
from equiproof.register.lot.documents import parse_answer, signed
from equiproof.register.lot.errors import LotError, LotRefusedError
from equiproof.register.lot.folder import PeriodFolder
from equiproof.register.lot.lottery import draw
from equiproof.register.lot.page import page
from equiproof.register.lot.receipts import Receipts
from equiproof.register.lot.report import Report, plain
from equiproof.verifier.checkpoint import UnsignedError, cosign, parse_checkpoint
from equiproof.verifier.documents import parse_query
from equiproof.verifier.entries import (
    ENTRY,
    CommitmentEntry,
    KeyEntry,
    RetireEntry,
    box_entry,
    certificate_entry,
    commitment_digest,
)
from equiproof.verifier.errors import CertificateFormatError
from tests.pins import FOLDER
from tests.register.lot.world import (
    AUDITOR,
    LENDER,
    LOG,
    OWNER,
    START,
    Period,
    certificate,
    commitment,
    key,
    levelled,
    receipt,
    signer,
)
from tests.register.samples import head
from tests.support import changed


@pytest.fixture
def period(tmp_path):
    """A log of twenty receipts."""
    return Period(tmp_path)


def verdicts(found):
    """Return how many of each verdict there are, and the first reason."""
    counts = {verdict: sum(one.verdict == verdict for one in found.judgements) for verdict in check.Verdict.__args__}
    return {name: count for name, count in counts.items() if count}, next(
        (one.why for one in found.judgements if one.why), ""
    )


def rewritten(folder, at, **fields):
    """Write another answer about a drawn receipt, signed by the owner."""
    path = folder.root / "answers" / f"{at}.json"
    answer = changed(parse_answer(path.read_bytes(), path.name), **fields)
    path.write_bytes(canonical_bytes(signed(answer, LENDER)))


def test_an_honest_period(period):
    """Every answer is certified, and the bound is that of no bad one among eight of twenty."""
    folder = period.answered(period.drawn())
    found = period.found(folder)
    assert verdicts(found) == ({"certified": 8}, "")
    assert found.at_least == at_least(20, 8, 0, folder.period.confidence) == 15
    assert (found.kept, found.honest) == (True, True)


def test_all_are_drawn_where_there_are_fewer_receipts(tmp_path):
    """A small period is looked at whole."""
    period = Period(tmp_path, [receipt(number) for number in range(3)])
    found = period.found(period.answered(period.drawn()))
    assert (found.period.drawn, found.at_least) == (3, 3)


def test_none_is_an_answer(period):
    """Decisions without a certificate count as bad, and nothing about them is disclosed."""
    period.certificates = dict.fromkeys([one.digest for one in period.receipts[::2]])
    found = period.found(period.answered(period.drawn()))
    bad = sum((one.entry - 2) % 2 == 0 for one in found.judgements)
    assert bad
    assert verdicts(found)[0] == {"certified": 8 - bad, "none": bad}
    assert found.at_least == at_least(20, 8, bad, found.period.confidence)
    assert found.honest
    none = next(one.entry for one in found.judgements if one.verdict == "none")
    data = json.loads((period.base / "march" / "answers" / f"{none}.json").read_bytes())
    assert not {"receipt", "certificate"} & set(data)


LIES = {
    "another model": ({"model": 77}, "about another model"),
    "another key": ({"secret": 5}, "is not among the 1 trusted keys"),
    "a smaller radius": ({"radius_squared": 1000}, "the policy requires 0.1"),
}


@pytest.mark.parametrize("lie", LIES)
def test_a_certificate_that_is_not_of_the_periods_policy(period, lie):
    """An owner that certifies with another model or key, or with a smaller radius than it promised."""
    fields, said = LIES[lie]
    folder = period.answered(period.drawn())
    entry = period.entries(folder)[3]
    rewritten(folder, entry, certificate=certificate(entry - 2, **fields))
    found = period.found(folder)
    counts, why = verdicts(found)
    assert counts == {"certified": 7, "refused": 1}
    assert said in why
    assert found.at_least == at_least(20, 8, 1, found.period.confidence)
    assert not found.honest


def test_the_owner_does_not_answer_with_what_its_receipts_do_not_fit(period):
    """A certificate of another model is about no receipt of this one, so the owner's own answer is "none"."""
    period.certificates = {one.digest: certificate(number, model=77) for number, one in enumerate(period.receipts)}
    assert verdicts(period.found(period.answered(period.drawn())))[0] == {"none": 8}


def test_the_certificate_of_another_receipt(period):
    """A good certificate is about one receipt only."""
    folder = period.answered(period.drawn())
    first, second = period.entries(folder)[:2]
    rewritten(folder, first, certificate=certificate(second - 2))
    counts, why = verdicts(period.found(folder))
    assert counts == {"certified": 7, "refused": 1}
    assert why == "the certificate is about other data than the receipt"


def test_receipt_and_certificate_of_another_decision(period):
    """Both fit each other, and neither is what was drawn."""
    folder = period.answered(period.drawn())
    first, second = period.entries(folder)[:2]
    rewritten(folder, first, certificate=certificate(second - 2), receipt=receipt(second - 2))
    assert verdicts(period.found(folder)) == ({"certified": 7, "refused": 1}, "the receipt is not the drawn one")


def test_a_decision_of_a_person_has_no_certificate(tmp_path):
    """Its receipt says so, and a certificate about the same data does not count."""
    period = Period(tmp_path, [receipt(number, label=None) for number in range(4)])
    folder = period.answered(period.drawn())
    assert verdicts(period.found(folder))[0] == {"none": 4}
    rewritten(folder, 2, receipt=period.receipts[0], certificate=certificate(0))
    assert "a person decides" in verdicts(period.found(folder))[1]


@pytest.mark.parametrize(("name", "most"), [("MOST_AT_ONCE", 3), ("MOST_BYTES", 1)])
def test_certificates_do_not_wait_for_all_others(period, monkeypatch, name, most):
    """An owner that answers with many long certificates fills no memory, and the verdicts are the same."""
    monkeypatch.setattr(check, name, most)
    sizes, judge = [], check.judge
    monkeypatch.setattr(check, "judge", lambda demands, chunk: sizes.append(chunk.size) or judge(demands, chunk))
    folder = period.answered(period.drawn())
    rewritten(folder, period.entries(folder)[3], certificate=certificate(period.entries(folder)[3] - 2, model=77))
    assert verdicts(period.found(folder))[0] == {"certified": 7, "refused": 1}
    assert (sum(sizes), max(sizes)) == (7, most)


def test_an_answer_that_is_left_out(period):
    """It counts as bad, is named, and the period is not in order."""
    folder = period.answered(period.drawn())
    (folder.root / "answers" / f"{period.entries(folder)[0]}.json").unlink()
    found = period.found(folder)
    assert verdicts(found) == ({"certified": 7, "left-out": 1}, "no answer")
    assert not found.honest


def test_an_answer_of_another_period_or_place(period):
    """An answer is kept to its period and its entry."""
    folder = period.answered(period.drawn())
    first, second = period.entries(folder)[:2]
    rewritten(folder, first, period="00" * 32)
    rewritten(folder, second, entry=first)
    assert verdicts(period.found(folder)) == (
        {"certified": 6, "refused": 2},
        "the answer is of another period or another receipt",
    )


def test_an_answer_that_is_broken(period):
    """A broken file is a fault of that answer, not the end."""
    folder = period.answered(period.drawn())
    entry = period.entries(folder)[0]
    (folder.root / "answers" / f"{entry}.json").write_bytes(b"{}")
    counts, why = verdicts(period.found(folder))
    assert counts == {"certified": 7, "refused": 1}
    assert f"{entry}.json" in why


def test_no_answers_at_all(period):
    """Whoever did not answer is named, with the day by which that was due."""
    with pytest.raises(LotRefusedError, match=r"^ask Example Lending for the answers: .*answers is missing$"):
        period.found(period.drawn())
    period.log.append(receipt(40).entry().data)
    april = period.drawn("april", first=22, due="2026-05-31")
    with pytest.raises(LotRefusedError, match=r"answers are due by 2026-05-31$"):
        period.found(april)


@pytest.mark.parametrize("who", [AUDITOR, signer("stranger"), type(LENDER)("lender", bytes(32))])
def test_an_answer_that_the_owner_did_not_sign(period, who):
    """Nobody puts words into the owner's mouth: an answer of somebody else does not count, whatever it says."""
    folder = period.answered(period.drawn())
    path = folder.root / "answers" / f"{period.entries(folder)[0]}.json"
    own = parse_answer(path.read_bytes(), path.name)
    none = changed(own, receipt=msgspec.UNSET, certificate=msgspec.UNSET)
    for said in (none, signed(none, who), signed(changed(none, party=2), who)):
        path.write_bytes(canonical_bytes(said))
        assert verdicts(period.found(folder)) == (
            {"certified": 7, "refused": 1},
            "the signature is not that of lender",
        )
    path.write_bytes(canonical_bytes(signed(none, LENDER)))
    assert verdicts(period.found(folder))[0] == {"certified": 7, "none": 1}


def test_nobody_else_answers(period):
    """The command takes the owner's key alone."""
    folder, counted = period.drawn(), {}
    with pytest.raises(LotError, match="answer with the owner's key of this period: auditor is not its owner"):
        answer(folder, counted, draw(folder, period.closed(folder).counted), period.base, {}, AUDITOR, START)


@pytest.mark.parametrize(
    ("due", "late", "said"),
    [
        ("2026-04-01", False, "They were due by 1 April 2026."),
        ("2026-03-31", True, "They were due by 31 March 2026: late."),
        (None, False, "The period names no day by which they were due."),
    ],
)
def test_the_day_by_which_answers_are_due(period, due, late, said):
    """The report says by when answers were due, and when the owner signed them, by its own word."""
    found = period.found(period.answered(period.drawn(due=due)))
    report = Report.of(found, check.Pins())
    assert (found.answered, found.late) == ("2026-04-01T09:05:00Z", late)
    wanted = f"The lender signed its answers by 1 April 2026, 09:05 UTC, as it states. {said}"
    assert plain(report.answered) == wanted
    assert (report.document["due"], report.document["late"]) == (due, late)
    assert wanted in plain(html.unescape(page(report)))


def test_the_latest_answer_counts(period):
    """An answer that was signed again later makes all of them later; one that is not the owner's does not."""
    folder = period.answered(period.drawn(due="2026-04-02"))
    first, second = period.entries(folder)[:2]
    rewritten(folder, first, time="2026-04-03T00:00:00Z")
    path = folder.root / "answers" / f"{second}.json"
    late = changed(parse_answer(path.read_bytes(), path.name), time="2027-01-01T00:00:00Z")
    path.write_bytes(canonical_bytes(signed(late, AUDITOR)))
    found = period.found(folder)
    assert (found.answered, found.late) == ("2026-04-03T00:00:00Z", True)
    for one in (folder.root / "answers").iterdir():
        one.unlink()
    found = period.found(folder)
    assert (found.answered, found.late) == (None, False)
    assert Report.of(found, check.Pins()).answered.startswith("No answer is signed.")


def test_a_dropped_receipt_is_found_by_its_applicant(period):
    """Nobody else can know of it; whoever holds the receipt asks, and the answer is no."""
    dropped = receipt(99)
    closed = period.closed(period.drawn())
    assert closed.entry_of(dropped.digest) is None
    assert closed.entry_of(period.receipts[5].digest) == 7


def test_a_least_radius_that_no_certificate_has(tmp_path):
    """The owner closes no period that demands more than the largest level, and no auditor seals or checks one."""
    period = Period(tmp_path, published=levelled("0.02", "0.05"))
    spec = period.published.spec
    most = radius_of_any(spec, squares(("0.05",), spec.input_fraction_bits)[0])
    reached, beyond = (
        f"{Decimal(number.numerator) / number.denominator:f}" for number in (most, most + Fraction(1, 10**9))
    )
    shown = "the largest radius that certificates of this model show"
    why = f"min_radius: want at most {reached[:8]}, {shown}, not {beyond}"
    with pytest.raises(LotError, match=f"^{re.escape(why)}$") as caught:
        period.close(min_radius=beyond)
    assert caught.value.exit_code == MISUSED
    assert not (tmp_path / "march").exists()
    folder = period.close(min_radius=reached)
    period.closed(folder)
    document = changed(folder.period, policy=changed(folder.period.policy, min_radius=beyond))
    (folder.root / "period.json").write_bytes(canonical_bytes(document))
    for step in (period.closed, lambda other: period.seal(other, AUDITOR)):
        with pytest.raises(LotRefusedError, match=f"^{re.escape(why)}$"):
            step(PeriodFolder(folder.root))


def test_a_doubled_receipt(tmp_path, monkeypatch):
    """A log that an owner writes itself may hold one receipt twice: the period is not closed, nor checked."""
    period = Period(tmp_path)
    period.log.entries.insert(10, period.receipts[0].entry().data)
    period.log.publish()
    with pytest.raises(LotRefusedError, match="entries 2 and 10 are the same receipt"):
        period.close()
    twice = Counted(Receipts(), frozenset())
    for number in range(2, 23):
        twice.receipts.add(number, bytes(32))
    monkeypatch.setattr("equiproof.register.lot.close.count", lambda *_: twice)
    monkeypatch.setattr("equiproof.register.lot.close.refuse_unshown", lambda *_: None)
    with pytest.raises(LotRefusedError, match="entries 2 and 10 are the same receipt"):
        period.closed(period.close())


def test_certificates_boxes_and_trails_in_the_log_are_no_receipts(tmp_path):
    """Entries of them between receipts count for nothing."""
    period = Period(tmp_path)
    period.log.entries[10:10] = [certificate_entry(b"one").data, box_entry(b"one").data, head(1)]
    period.log.publish()
    assert len(period.closed(period.close()).counted) == len(period.receipts)


def test_a_receipt_from_an_earlier_period(tmp_path):
    """Old receipts do not come back, certified as they are."""
    period = Period(tmp_path)
    march = period.drawn()
    period.log.entries += [receipt(30).entry().data, period.receipts[0].entry().data]
    period.log.publish()
    with pytest.raises(LotRefusedError, match="entries 2 and 23 are the same receipt"):
        period.close("april", first=march.period.last + 1)


def test_one_decision_under_two_salts(tmp_path):
    """Two receipts of one decision have different digests: where both are drawn, one of them does not count."""
    period = Period(tmp_path, [receipt(number, salt) for number in range(3) for salt in (0, 1)])
    counts, why = verdicts(period.found(period.answered(period.drawn())))
    assert counts == {"certified": 3, "refused": 3}
    assert "one decision left two receipts" in why


def test_invented_receipts_thin_out_the_share(tmp_path):
    """What no check can find, and what every report says: people who never applied, with certificates."""
    real = [receipt(number) for number in range(10)]
    period = Period(tmp_path, [*real, *(receipt(number) for number in range(100, 190))])
    period.certificates = dict.fromkeys(one.digest for one in real[:5])
    found = period.found(period.answered(period.drawn(drawn=20)))
    assert found.at_least > 50  # whichever are drawn: of ten real decisions, five have a certificate


def test_a_log_that_was_changed_after_the_close(period):
    """Another entry in the past, and the tiles no longer hash to the signed checkpoint."""
    folder = period.drawn()
    period.log.entries[5] = receipt(77).entry().data
    period.log.publish()
    with pytest.raises(LotRefusedError, match="not those of the period's checkpoint"):
        period.closed(folder)


def test_a_log_that_grew_is_the_same_log(period):
    """Later entries change nothing about a closed period."""
    folder = period.answered(period.drawn())
    before = period.entries(folder)
    period.log.append(*(receipt(number).entry().data for number in range(40, 400)))
    assert period.entries(folder) == before


def test_a_checkpoint_that_the_log_did_not_sign(period):
    """The close stands under the log's key."""
    folder = period.drawn()
    other = signer("other")
    forged = type(other)(LOG.name, other.secret).sign(period.log.text())
    (folder.root / "checkpoint").write_bytes(forged.encode())
    with pytest.raises((LogError, UnsignedError), match="no signature of this log's key"):
        period.closed(folder)


def test_a_checkpoint_of_another_size(period):
    """The checkpoint in the folder is the one that the period names."""
    folder = period.drawn()
    (folder.root / "checkpoint").write_bytes(period.log.checkpoint(10))
    with pytest.raises(LotRefusedError, match="not the one that the period names"):
        period.closed(folder)


def test_pins(period):
    """A reader's own log key, auditors and witnesses must be the period's."""
    folder = period.drawn()
    stranger = signer("stranger").verifier
    assert period.closed(folder, log=LOG.verifier, auditors=[AUDITOR.verifier])
    for pins, said in (
        ({"log": stranger}, "of another key than yours"),
        ({"auditors": [stranger]}, "ask for a period with your auditor: stranger is no auditor"),
        ({"auditors": [signer("lender").verifier]}, "lender is no auditor"),
        ({"witnesses": [stranger], "least": 1}, "want 1 of your witnesses to cosign the close, not 0"),
    ):
        with pytest.raises(LotRefusedError, match=said):
            period.closed(folder, **pins)


def test_witnesses(period):
    """Cosignatures below the closing checkpoint are counted, with their times."""
    witness = signer("witness")
    line = cosign(witness, parse_checkpoint(period.log.text()), 1_775_000_000)
    period.log.publish(line)
    closed = period.closed(period.drawn(), witnesses=[witness.verifier], least=1)
    assert closed.witnessed == {"witness": 1_775_000_000}


@pytest.mark.parametrize("what", ["commitment", "key"])
def test_what_the_log_does_not_show_is_of_no_period(period, what):
    """Model and keys stand in the log under the owner's name, and were not retired before the period began."""
    with pytest.raises(LotError, match=r"register commitment .*: the log does not show it as one of Somebody"):
        period.close("other", owner="Somebody else")
    digest = key().document.fingerprint if what == "key" else commitment_digest(commitment())
    period.log.append(RetireEntry(*ENTRY, "retire", OWNER, what, digest, "replaced", None).data)
    assert period.close("before")
    period.log.append(receipt(50).entry().data)
    with pytest.raises(LotError, match=f"register {what} .* the log does not show it"):
        period.close("after", first=23)


@pytest.mark.parametrize("what", ["commitment", "key"])
def test_an_entry_of_another_kind_shows_nothing(tmp_path, what):
    """A key that the log shows as a commitment, or the reverse, is not shown: monitors tell it as something else."""
    period = Period(tmp_path)
    digests = {"commitment": commitment_digest(commitment()), "key": key().document.fingerprint}
    if what == "key":
        period.log.entries[1] = CommitmentEntry(*ENTRY, "commitment", OWNER, digests["key"], "2026-01-01").data
    else:
        period.log.entries[0] = KeyEntry(*ENTRY, "key", OWNER, digests["commitment"], None).data
    period.log.publish()
    with pytest.raises(LotError, match=f"register {what} .* the log does not show it"):
        period.close()


def test_who_retires_a_key_retires_no_commitment(period):
    """What is retired is named by its kind, too."""
    digest = commitment_digest(commitment())
    period.log.append(RetireEntry(*ENTRY, "retire", OWNER, "key", digest, "replaced", None).data)
    period.log.append(receipt(50).entry().data)
    assert period.close("after", first=23)


def test_other_files_in_the_folder_than_the_period_names(period):
    """Commitment and keys that came with the folder are those that were fixed."""
    folder = period.answered(period.drawn())
    document = json.loads((folder.root / "commitment.json").read_bytes())
    document["spec"]["name"] = "other"
    (folder.root / "commitment.json").write_bytes(canonical_bytes(document))
    with pytest.raises(LotRefusedError, match="put the commitment there that the period names: this is another"):
        period.found(folder)


def test_another_key_in_the_folder(period):
    """A key that the owner alone can forge under does not replace the period's."""
    folder = period.answered(period.drawn())
    (folder.root / "key-1.json").write_bytes(canonical_bytes(key(5).document))
    with pytest.raises(CertificateFormatError, match="not the key that"):
        period.found(folder)
    (folder.root / "verifying-1.key").write_bytes(key(5).verifying)
    with pytest.raises(LotRefusedError, match="put the keys there that the period names: these are others"):
        period.found(folder)


def test_groups_are_shown_where_they_were_announced(period):
    """The group of a drawn applicant is the owner's word; a period that announced none shows none."""
    groups = {one.digest: "women" if number % 3 else "men" for number, one in enumerate(period.receipts)}
    found = period.found(period.answered(period.drawn(groups="sex as applicants state it"), groups))
    assert {one.group for one in found.judgements} <= {"women", "men"}
    assert "" not in {one.group for one in found.judgements}


def test_groups_that_nobody_announced(period):
    """They could have been chosen when the draw was known."""
    folder = period.drawn()
    with pytest.raises(LotError, match="leave the groups out: the period's file does not say that they are disclosed"):
        period.answered(folder, {period.receipts[0].digest: "men"})


def test_what_an_applicant_disclosed_stays_out_of_answers(period):
    """Certificates with the applicant's data in them are answered without."""
    query = parse_query((FOLDER / "loans" / "query.json").read_bytes(), "query.json")
    period.certificates = {
        one.digest: changed(certificate(number), query=query) for number, one in enumerate(period.receipts)
    }
    folder = period.answered(period.drawn())
    for path in (folder.root / "answers").iterdir():
        assert msgspec.json.decode(path.read_bytes())["certificate"]["query"] is None
