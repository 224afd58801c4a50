"""Who could choose the draw, and how: each way is closed, and each is a test here."""

import json

import msgspec
import pytest

from equiproof.circuits.canonical import canonical_bytes
from equiproof.circuits.files import FileExistsRefusedError
from equiproof.register.lot import conduct, drand
from equiproof.register.lot.documents import digest_of_seals, parse_opening, parse_seal, signed
from equiproof.register.lot.draw import drawn_places, sealed
from equiproof.register.lot.errors import BeaconError, LotError, LotRefusedError, NotDrawnError
from equiproof.register.lot.lottery import draw, seed_of
from tests.register.lot.world import AUDITOR, LENDER, Period, receipt, signer
from tests.support import ROOT, changed

ROUNDS = json.loads((ROOT / "tests" / "vectors" / "lot.json").read_bytes())["rounds"]
LATER = ROUNDS[0]


@pytest.fixture
def period(tmp_path):
    """A log of twenty receipts."""
    return Period(tmp_path)


def rewritten(folder, name, parse, who, **fields):
    """Let a party write another version of its file, rightly signed."""
    path = folder.root / name
    document = signed(changed(parse(path.read_bytes(), name), **fields), who)
    path.write_bytes(canonical_bytes(document))
    return document


def refused(period, folder, match, kind=LotRefusedError):
    """Expect a refusal of the draw."""
    with pytest.raises(kind, match=match):
        draw(folder, period.closed(folder).counted)


def test_anybody_draws_the_same(period):
    """The draw follows from the folder and the log: 8 different receipts of the period."""
    folder = period.drawn()
    entries = period.entries(folder)
    assert len(set(entries)) == 8
    assert set(entries) <= set(range(2, 22))
    places = drawn_places(seed_of(folder), 20, 8)
    assert entries == tuple(place + 2 for place in places)


def test_the_owner_seals_when_it_knows_the_auditors_nonce(period):
    """The auditor's opening names the seals that it saw, so a seal that is written later does not fit it."""
    folder = period.drawn()
    chosen = bytes(32)
    (folder.root / "opening-1.json").unlink()
    again = sealed(folder.period.digest, LENDER.verifier.public, chosen).hex()
    rewritten(folder, "seal-1.json", parse_seal, LENDER, sealed=again)
    seals = [seal for seal in folder.seals if seal]
    opening = parse_opening((folder.root / "opening-2.json").read_bytes(), "opening-2.json")
    mine = changed(opening, party=1, nonce=chosen.hex(), seals=digest_of_seals(seals))
    folder.add(signed(mine, LENDER))
    refused(period, folder, r"opening-2.json: have the period closed again: auditor opened when other seals were there")


def test_nobody_opens_before_all_have_sealed(period):
    """The command itself waits: an opening cannot be taken back."""
    folder = period.close()
    period.seal(folder, AUDITOR)
    with pytest.raises(NotDrawnError, match="lender has not sealed"):
        period.open(folder, AUDITOR)
    assert conduct.next_step(folder, AUDITOR) == "wait"


def test_the_owner_copies_the_auditors_seal(period):
    """A seal is bound to its party's key: the same nonce does not open it."""
    folder = period.close()
    period.seal(folder, AUDITOR)
    period.seal(folder, LENDER)
    copied = parse_seal((folder.root / "seal-2.json").read_bytes(), "seal-2.json").sealed
    rewritten(folder, "seal-1.json", parse_seal, LENDER, sealed=copied)
    period.open(folder, AUDITOR)
    nonce = parse_opening((folder.root / "opening-2.json").read_bytes(), "opening-2.json")
    folder.add(signed(changed(nonce, party=1), LENDER))
    refused(period, folder, "opening-1.json: ask lender for the nonce that was sealed")


def test_another_nonce_than_the_sealed_one(period):
    """Who opens last knows the draw, and cannot change it any more."""
    folder = period.drawn()
    rewritten(folder, "opening-1.json", parse_opening, LENDER, nonce="00" * 32)
    refused(period, folder, "ask lender for the nonce that was sealed")


def test_who_does_not_open_is_named(period):
    """Not opening stops the draw, and it shows."""
    folder = period.close()
    period.seal(folder, LENDER)
    period.seal(folder, AUDITOR)
    period.open(folder, AUDITOR)
    refused(period, folder, "^not drawn: lender has not opened what was sealed$", NotDrawnError)


def test_who_does_not_seal_is_named(period):
    """All that are missing are named."""
    refused(period, period.close(), "^not drawn: lender and auditor have not sealed this period$", NotDrawnError)


def test_the_draw_is_not_repeated_until_it_pleases(period):
    """After a draw that does not please, the auditor seals no other close of any of its entries."""
    period.drawn()
    for terms in ({"drawn": 9}, {"first": 10}, {"name": "March again"}):
        again = period.close(f"again-{len(terms)}-{next(iter(terms))}", **terms)
        with pytest.raises(LotRefusedError, match="take part in one close alone: you sealed another of entries"):
            period.seal(again, AUDITOR)


def test_two_closes_with_different_ends(period):
    """A period closed early and again later: the auditor seals one of them, and seals of one do not fit the other."""
    early = period.close("early")
    period.log.append(*(receipt(number).entry().data for number in range(20, 30)))
    late = period.close("late")
    period.seal(early, AUDITOR)
    with pytest.raises(LotRefusedError, match="you sealed another of entries 0 to 21"):
        period.seal(late, AUDITOR)
    (late.root / "seal-2.json").write_bytes((early.root / "seal-2.json").read_bytes())
    period.seal(late, LENDER)
    refused(period, late, "seal-2.json: put that of this period there: it is of another period, or of")


def test_the_next_period_may_begin_where_the_last_one_ended(period):
    """Periods that share no entry are sealed one after the other."""
    march = period.drawn()
    period.log.append(*(receipt(number).entry().data for number in range(20, 30)))
    april = period.drawn("april", first=march.period.last + 1, name="April 2026")
    assert set(period.entries(april)) <= set(range(22, 32))


def test_a_period_is_sealed_once(period):
    """A second seal of the same party is not written over the first; its nonce is the one that was kept."""
    folder = period.close()
    period.seal(folder, AUDITOR)
    before = (folder.root / "seal-2.json").read_bytes()
    with pytest.raises(FileExistsRefusedError):
        period.seal(folder, AUDITOR)
    (folder.root / "seal-2.json").unlink()
    period.seal(folder, AUDITOR)
    after = parse_seal((folder.root / "seal-2.json").read_bytes(), "seal-2.json")
    assert after.sealed == parse_seal(before, "seal-2.json").sealed


def test_a_nonce_is_for_its_party_only(period):
    """What is kept until the opening is readable by its owner only, and lies outside the period's folder."""
    folder = period.close()
    period.seal(folder, AUDITOR)
    (kept,) = (period.base / "kept-auditor").iterdir()
    assert kept.stat().st_mode & 0o777 == 0o600
    assert json.loads(kept.read_bytes())["nonce"] not in "".join(
        path.read_text() for path in folder.root.glob("*.json")
    )


def test_a_seal_of_somebody_else(period):
    """A seal needs the signature of the party at its place, whoever signs it."""
    folder = period.drawn()
    rewritten(folder, "seal-2.json", parse_seal, LENDER)
    refused(period, folder, "seal-2.json: ask auditor for it again: the signature is not theirs")


def test_a_seal_at_another_place(period):
    """One party does not sit on two chairs."""
    folder = period.drawn()
    (folder.root / "seal-1.json").write_bytes((folder.root / "seal-2.json").read_bytes())
    refused(period, folder, "seal-1.json: want it of party 1, not 2")


def test_an_opening_from_before_the_last_seal(period):
    """What the parties themselves say of the order must agree."""
    folder = period.drawn()
    rewritten(folder, "opening-2.json", parse_opening, AUDITOR, time="2026-03-31T00:00:00Z")
    refused(period, folder, "opened at 2026-03-31T00:00:00Z, before the last seal")


def test_a_stranger_seals_nothing(period):
    """Whoever is no party of the period is told so, and a namesake too."""
    folder = period.close()
    for stranger in (signer("stranger"), type(AUDITOR)("auditor", bytes(32))):
        with pytest.raises(LotError, match=r"sign with a key that the period names: .* is not its party"):
            period.seal(folder, stranger)


def test_fewer_receipts_than_the_log_has(period):
    """The number of receipts follows from the log, and a period's file with another is refused."""
    folder = period.close()
    document = changed(folder.period, receipts=19)
    (folder.root / "period.json").write_bytes(canonical_bytes(document))
    folder = type(folder)(folder.root)
    for step in (period.seal, period.open):
        for who in (AUDITOR, LENDER):
            step(folder, who)
    refused(period, folder, "have the period closed again: the log has 20 receipts in it, its file says 19")


def test_a_round_that_nobody_brought(period):
    """The line says when it comes out."""
    folder = sealed_before_the_round(period)
    refused(period, folder, "round 1000 is not in the folder; it comes out at 2023-08-23T15:59:24Z", NotDrawnError)


def sealed_before_the_round(period, number=LATER["round"]):
    """Close a period that is drawn by beacon, and seal it in time."""
    folder = period.close(round=number)
    period.time = drand.time_of(number).replace(year=2023, month=1)
    for who in (AUDITOR, LENDER):
        period.seal(folder, who)
    return folder


@pytest.mark.slow
def test_a_round_of_the_beacon_draws(period):
    """Without nonces: the round that was named beforehand, under the signature of its network."""
    folder = sealed_before_the_round(period)
    conduct.bring_round(folder, bytes.fromhex(LATER["signature"]))
    assert len(period.entries(folder)) == 8
    assert not (folder.root / "opening-1.json").exists()


@pytest.mark.slow
def test_another_round_is_not_brought(period):
    """A round that draws more kindly is not the one that was named."""
    folder = sealed_before_the_round(period)
    with pytest.raises(BeaconError, match="get the signature of round 1000 again: this one is not quicknet's"):
        conduct.bring_round(folder, bytes.fromhex(ROUNDS[1]["signature"]))


def test_a_round_that_is_out_seals_nothing(period):
    """Whoever closes when the value is known could have chosen among many closes."""
    folder = period.close(round=LATER["round"])
    with pytest.raises(LotRefusedError, match="round 1000 is out since 2023-08-23T15:59:24Z"):
        period.seal(folder, AUDITOR)


def test_a_seal_that_says_it_came_too_late(period):
    """The same is checked of the seals themselves."""
    folder = sealed_before_the_round(period)
    rewritten(folder, "seal-1.json", parse_seal, LENDER, time="2023-08-23T15:59:24Z")
    refused(period, folder, "when round 1000 was out")


def test_a_nonce_in_a_draw_by_beacon(period):
    """Each way of drawing has its own seals."""
    folder = sealed_before_the_round(period)
    rewritten(folder, "seal-1.json", parse_seal, LENDER, sealed="00" * 32)
    refused(period, folder, "want a nonce sealed where the draw is by nonces, and nowhere else")
    assert folder.period.round is not msgspec.UNSET
