"""Periods that break a rule of the lot, and periods whose files nobody can use."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from equiproof.circuits.canonical import canonical_bytes
from equiproof.register.lot.documents import digest_of_seals, parse_opening, parse_seal, signed
from equiproof.register.lot.folder import PeriodFolder
from equiproof.verifier.entries import ENTRY, BoxEntry, CommitmentEntry, KeyEntry, RetireEntry, commitment_digest
from equiproof.verifier.notes import Signer
from tests.register.lot.test_lottery import rewritten, sealed_before_the_round
from tests.register.lot.world import AUDITOR, LENDER, LOG, OWNER, Period, commitment, key, levelled, receipt, signer
from tests.static.periods import Case, answered
from tests.support import changed


def file(name: str, data: bytes | Callable[[bytes], bytes]) -> Callable[[Period], PeriodFolder]:
    """Return an owner who writes another file over one of a period that is closed, and answered."""

    def made(period: Period) -> PeriodFolder:
        folder = period.close() if name == "period.json" else answered(period)
        path = (folder.root / name) if not name.startswith("log/") else period.base / name
        path.write_bytes(data(path.read_bytes()) if callable(data) else data)
        return folder

    return made


def fields(name: str, /, **wrong: Any) -> Callable[[Period], PeriodFolder]:
    """Return an owner who writes other fields into a file of an answered period, `policy__` for those of its policy."""

    def made(data: bytes) -> bytes:
        document = json.loads(data)
        for field, value in wrong.items():
            inner, _, own = field.rpartition("__")
            (document[inner] if inner else document)[own] = value
        return canonical_bytes(document)

    return file(name, made)


def changed_log(period: Period) -> PeriodFolder:
    folder = answered(period)
    period.log.entries[5] = receipt(77).entry().data
    period.log.publish()
    return folder


def reclosed(change: Callable[[Period], None], **terms: Any) -> Callable[[Period], PeriodFolder]:
    """Return an owner whose period names the checkpoint of a log that it changed, where closing would have refused."""

    def made(period: Period) -> PeriodFolder:
        folder = period.close(**terms)
        change(period)
        period.log.publish()
        newest = period.opened.newest()[1].checkpoint
        document = changed(folder.period, size=newest.size, root=newest.root.hex(), last=newest.size - 1)
        (folder.root / "period.json").write_bytes(canonical_bytes(document))
        (folder.root / "checkpoint").write_bytes(period.log.checkpoint())
        return folder

    return made


def doubled(period: Period) -> None:
    period.log.entries.insert(10, period.receipts[0].entry().data)


def more(period: Period) -> None:
    period.log.entries.append(receipt(77).entry().data)


def wrong_kind(what: str) -> Callable[[Period], None]:
    """Return an owner whose key stands in the log as a commitment, or the reverse."""

    def made(period: Period) -> None:
        if what == "key":
            entry = CommitmentEntry(*ENTRY, "commitment", OWNER, key().document.fingerprint, "2026-01-01")
            period.log.entries[1] = entry.data
        else:
            period.log.entries[0] = KeyEntry(*ENTRY, "key", OWNER, commitment_digest(commitment()), None).data

    return made


def box_instead(place: int) -> Callable[[Period], None]:
    """Return an owner in whose log an entry of a box certificate has the digest of the commitment, or of the key."""

    def made(period: Period) -> None:
        digest = (commitment_digest(commitment()), key().document.fingerprint)[place]
        period.log.entries[place] = BoxEntry(*ENTRY, "box", digest).data

    return made


def retired_before(period: Period) -> PeriodFolder:
    period.log.append(receipt(40).entry().data)
    folder = period.close(first=22)
    entry = RetireEntry(*ENTRY, "retire", OWNER, "key", key().document.fingerprint, "lost", None)
    period.log.entries.insert(2, entry.data)
    period.log.publish()
    newest = period.opened.newest()[1].checkpoint
    document = changed(folder.period, size=newest.size, root=newest.root.hex(), first=23, last=newest.size - 1)
    (folder.root / "period.json").write_bytes(canonical_bytes(document))
    (folder.root / "checkpoint").write_bytes(period.log.checkpoint())
    return folder


def levels_below_the_radius(period: Period) -> PeriodFolder:
    period.published = levelled("0.02", "0.05")
    digest = commitment_digest(period.published)
    period.log.entries[0] = CommitmentEntry(*ENTRY, "commitment", OWNER, digest, "2026-01-01").data
    period.log.publish()
    folder = period.close(min_radius="0.04")
    document = changed(folder.period, policy=changed(folder.period.policy, min_radius="0.05"))
    (folder.root / "period.json").write_bytes(canonical_bytes(document))
    return folder


def sealed_again(period: Period) -> PeriodFolder:
    folder = period.drawn()
    rewritten(folder, "seal-1.json", parse_seal, LENDER, sealed="11" * 32)
    return folder


def opened_otherwise(period: Period) -> PeriodFolder:
    folder = period.drawn()
    rewritten(folder, "opening-1.json", parse_opening, LENDER, nonce="00" * 32)
    return folder


def copied_seal(period: Period) -> PeriodFolder:
    folder = period.close()
    period.seal(folder, AUDITOR)
    period.seal(folder, LENDER)
    copied = parse_seal((folder.root / "seal-2.json").read_bytes(), "seal-2.json").sealed
    rewritten(folder, "seal-1.json", parse_seal, LENDER, sealed=copied)
    period.open(folder, AUDITOR)
    nonce = parse_opening((folder.root / "opening-2.json").read_bytes(), "opening-2.json")
    mine = changed(nonce, party=1, seals=digest_of_seals([seal for seal in folder.seals if seal]))
    folder.add(signed(mine, LENDER))
    return folder


def not_opened(period: Period) -> PeriodFolder:
    folder = period.close()
    for who in (LENDER, AUDITOR):
        period.seal(folder, who)
    period.open(folder, AUDITOR)
    return folder


def rewrote(name: str, parse: Any, who: Signer, **wrong: Any) -> Callable[[Period], PeriodFolder]:
    """Return a party that writes its file again, rightly signed."""

    def made(period: Period) -> PeriodFolder:
        folder = answered(period)
        rewritten(folder, name, parse, who, **wrong)
        return folder

    return made


def swapped(period: Period) -> PeriodFolder:
    folder = answered(period)
    (folder.root / "seal-1.json").write_bytes((folder.root / "seal-2.json").read_bytes())
    return folder


def too_late(period: Period) -> PeriodFolder:
    folder = sealed_before_the_round(period)
    rewritten(folder, "seal-1.json", parse_seal, LENDER, time="2023-08-23T15:59:24Z")
    return folder


def nonce_for_a_beacon(period: Period) -> PeriodFolder:
    folder = sealed_before_the_round(period)
    rewritten(folder, "seal-1.json", parse_seal, LENDER, sealed="00" * 32)
    return folder


def forged_checkpoint(period: Period) -> PeriodFolder:
    folder = answered(period)
    forged = Signer(LOG.name, signer("other").secret).sign(period.log.text())
    (folder.root / "checkpoint").write_bytes(forged.encode())
    return folder


def another_key(period: Period) -> PeriodFolder:
    folder = answered(period)
    (folder.root / "key-1.json").write_bytes(canonical_bytes(key(5).document))
    (folder.root / "verifying-1.key").write_bytes(key(5).verifying)
    return folder


def another_close(period: Period) -> PeriodFolder:
    early, late = period.close("early"), period.close("late", drawn=9)
    period.seal(early, AUDITOR)
    (late.root / "seal-2.json").write_bytes((early.root / "seal-2.json").read_bytes())
    period.seal(late, LENDER)
    return late


REFUSED = {
    "no seals": Case(lambda period: period.close(), "not drawn: lender and auditor have not sealed this period"),
    "no answers": Case(lambda period: period.drawn(), "ask Example Lending for the answers: .*answers is missing"),
    "no answers by a day": Case(lambda period: period.drawn(due="2026-05-31"), "answers are due by 2026-05-31"),
    "one party has not opened": Case(not_opened, "not drawn: lender has not opened what was sealed"),
    "sealed again": Case(sealed_again, "opened when other seals were there than these"),
    "a copied seal": Case(copied_seal, "have the period closed again: auditor opened|ask lender for the nonce"),
    "another nonce": Case(opened_otherwise, "ask lender for the nonce that was sealed"),
    "somebody else's seal": Case(rewrote("seal-2.json", parse_seal, LENDER), "ask auditor for it again: the signature"),
    "a seal at another place": Case(swapped, "seal-1.json: want it of party 1, not 2"),
    "the seal of another close": Case(another_close, "of another period, or of another close of it"),
    "opened before the last seal": Case(
        rewrote("opening-2.json", parse_opening, AUDITOR, time="2026-03-31T00:00:00Z"), "before the last seal"
    ),
    "sealed when the round was out": Case(too_late, "when round 1000 was out"),
    "a round that nobody brought": Case(
        sealed_before_the_round, "round 1000 is not in the folder; it comes out at 2023-08-23T15:59:24Z"
    ),
    "a nonce for a beacon": Case(nonce_for_a_beacon, "where the draw is by nonces, and nowhere else"),
    "a changed log": Case(changed_log, "not those of the period's checkpoint"),
    "a doubled receipt": Case(reclosed(doubled), "entries 2 and 10 are the same receipt"),
    "a dropped receipt": Case(reclosed(more), "the log has 21 receipts in it, its file says 20"),
    "a key as a commitment": Case(reclosed(wrong_kind("key")), "register key"),
    "a commitment as a key": Case(reclosed(wrong_kind("commitment")), "register commitment"),
    "a box certificate as a commitment": Case(reclosed(box_instead(0)), "register commitment"),
    "a box certificate as a key": Case(reclosed(box_instead(1)), "register key"),
    "a key that was retired": Case(retired_before, "register key"),
    "a radius above the levels": Case(levels_below_the_radius, r"min_radius: want at most 0\.04\d{4}, the largest"),
    "a radius above all": Case(fields("period.json", policy__min_radius="16"), "min_radius: want at most 15.99"),
    "a checkpoint of another size": Case(
        lambda period: file("checkpoint", period.log.checkpoint(10))(period), "not the one that the period names"
    ),
    "another commitment": Case(fields("commitment.json", model_commitment="00" * 32), "put the commitment there"),
    "another key in the folder": Case(another_key, "put the keys there that the period names"),
}


def without(name: str) -> Callable[[Period], PeriodFolder]:
    """Return an owner who removes a file of an answered period."""

    def made(period: Period) -> PeriodFolder:
        folder = answered(period)
        (period.base / name).unlink()
        return folder

    return made


def instead(name: str, other: str) -> Callable[[Period], PeriodFolder]:
    """Return an owner who puts one file of an answered period in the place of another."""

    def made(period: Period) -> PeriodFolder:
        folder = answered(period)
        (period.base / name).write_bytes((period.base / other).read_bytes())
        return folder

    return made


def an_answer_that_is_a_folder(period: Period) -> PeriodFolder:
    folder = answered(period)
    path = folder.root / "answers" / f"{period.entries(folder)[0]}.json"
    path.unlink()
    path.mkdir()
    return folder


def entries(change: Callable[[list[bytes]], None]) -> Callable[[Period], PeriodFolder]:
    """Return an owner whose log has other entries than those that were closed."""

    def made(period: Period) -> PeriodFolder:
        folder = answered(period)
        change(period.log.entries)
        period.log.publish()
        return folder

    return made


def a_root_that_is_missing(period: Period) -> PeriodFolder:
    folder = period.close()
    folder.root = period.base / "april"
    return folder


BUNDLE = "log/tile/entries/000.p/22"
LINE, OTHER = AUDITOR.verifier.text, signer("other").verifier.text
WRONG_FIELDS: dict[str, tuple[str, Any]] = {
    "a name that is none": ("field name", {"name": "March_"  * 100}),
    "an owner that is none": ("field owner", {"owner": ""}),
    "groups that are none": ("field groups", {"groups": " x"}),
    "a root that is none": ("field root", {"root": "AB"}),
    "a commitment that is none": ("field policy.commitment", {"policy__commitment": "ab"}),
    "keys that are none": (r"field policy.keys\[0\]", {"policy__keys": ["ab"]}),
    "no key": ("field policy.keys", {"policy__keys": []}),
    "a key twice": ("field policy.keys", {"policy__keys": ["ab" * 32] * 2}),
    "too many keys": ("field policy.keys", {"policy__keys": [f"{number:064x}" for number in range(65)]}),
    "entries in the wrong order": ("first <= last < size", {"first": 22}),
    "an entry past the end": ("first <= last < size", {"last": 22}),
    "a first entry below 0": ("first <= last < size", {"first": -1}),
    "no receipts": ("field receipts", {"receipts": 0}),
    "more receipts than entries": ("field receipts", {"receipts": 23}),
    "nothing drawn": ("0 drawn: want 1 to 20", {"drawn": 0}),
    "more drawn than there are": ("21 drawn: want 1 to 20", {"drawn": 21}),
    "too many receipts": ("receipts: want 1 to 4294967296", {"size": 1 << 34, "last": 1 << 33, "receipts": 1 << 33}),
    "too many drawn": ("want 1 to 10000", {"size": 1 << 34, "last": 1 << 33, "receipts": 1 << 30, "drawn": 10_001}),
    "a share above 1": ("field policy.share", {"policy__share": "1.5"}),
    "a share that is no number": ("is not a decimal number", {"policy__share": "0,9"}),
    "a radius below 0": ("field policy.min_radius", {"policy__min_radius": "-1"}),
    "a radius with an exponent": ("is not a decimal number", {"policy__min_radius": "1e-1"}),
    "a confidence of 1": ("confidence 1: want a number between", {"policy__confidence": "1"}),
    "a confidence of 0": ("confidence 0: want a number between", {"policy__confidence": "0.00"}),
    "a day that is none": ("field policy.due", {"policy__due": "2026-02-30"}),
    "an empty day": ("field policy.due", {"policy__due": ""}),
    "a round for nonces": ("field round", {"round": 5}),
    "a beacon without a round": ("field round", {"by": "beacon"}),
    "round 0": ("round 0: want 1 to", {"by": "beacon", "round": 0}),
    "a round that never comes": ("want 1 to 68719476735", {"by": "beacon", "round": 1 << 47}),
    "one party": ("field parties", {"parties": [LINE]}),
    "no party": ("field parties", {"parties": []}),
    "a party twice": ("the same signer stands there twice", {"parties": [LINE, LINE]}),
    "a party without a key": ("field parties", {"parties": ["lender", LINE]}),
    "too many parties": (
        "1 to 15 auditors", {"parties": [signer(f"p{number}").verifier.text for number in range(17)]},
    ),
    "a log without a key": ("field parties", {"log": "log"}),
    "a later version": ("version 2", {"version": 2}),
}  # fmt: skip
LONG = b" " * (4 << 20)

UNUSABLE = {
    **{name: Case(fields("period.json", **wrong), said) for name, (said, wrong) in WRONG_FIELDS.items()},
    "no folder": Case(a_root_that_is_missing, "april/period.json: No such file or directory"),
    "a commitment for a period": Case(
        instead("march/period.json", "march/commitment.json"), "this is a commitment, want a period of an audit"
    ),
    "a receipt for a seal": Case(
        lambda period: file("seal-1.json", canonical_bytes(period.receipts[0]))(period), "the applicant's own"
    ),
    "a period that is too long": Case(file("period.json", LONG + b"{}"), "want at most"),
    "a period in another spelling": Case(file("period.json", lambda data: data + b"\n"), "not in canonical form"),
    "a checkpoint of another key": Case(forged_checkpoint, "has no signature of this log's key"),
    "a checkpoint of another log": Case(
        file("checkpoint", signer("other").sign("other\n1\n" + "A" * 43 + "=\n").encode()), "is of the log other, want"
    ),
    "a checkpoint that is none": Case(file("checkpoint", b"march"), "not a signed note"),
    "a checkpoint that is too long": Case(
        file("checkpoint", b"x" * 70_000), "want at most 65536 bytes: the note is longer"
    ),
    "no checkpoint": Case(without("march/checkpoint"), "checkpoint: No such file or directory"),
    "a seal of no party": Case(fields("seal-1.json", party=0), "field party: want 1 to 16"),
    "a seal of no time": Case(fields("seal-1.json", time="2026-04-31T09:00:00Z"), "field time"),
    "a seal of a leap second": Case(fields("seal-1.json", time="2026-04-30T23:59:60Z"), "field time"),
    "a seal of another time zone": Case(fields("seal-1.json", time="2026-04-01T09:00:00+02:00"), "field time"),
    "a seal without a signature": Case(fields("seal-1.json", signature="00"), "field signature"),
    "a seal of no period": Case(fields("seal-2.json", period="00"), "field period"),
    "a seal of nothing": Case(fields("seal-2.json", sealed="00"), "field sealed"),
    "an opening of no seals": Case(fields("opening-2.json", seals="00"), "field seals"),
    "an opening of nothing": Case(fields("opening-2.json", nonce="0" * 63 + "g"), "field nonce"),
    "no commitment": Case(without("march/commitment.json"), "commitment.json: No such file or directory"),
    "no key file": Case(without("march/key-1.json"), "key-1.json: No such file or directory"),
    "no verifying key": Case(without("march/verifying-1.key"), "verifying-1.key: No such file or directory"),
    "another verifying key": Case(file("verifying-1.key", b"\x00" * 300), "not the key that key-1.json names"),
    "an answer that is a folder": Case(an_answer_that_is_a_folder, "not a regular file"),
    "no file of entries": Case(without(BUNDLE), "no file tile/entries/000.p/22"),
    "a file of entries that is cut off": Case(file(BUNDLE, lambda data: data[:-1]), "cut off: 21 entries, want 22"),
    "a file of entries with half a length": Case(file(BUNDLE, lambda data: data[:200] + b"\x00"), "cut off"),
    "an empty file of entries": Case(file(BUNDLE, b""), "cut off: 0 entries, want 22"),
    "an entry of another version": Case(
        entries(lambda all_: all_.__setitem__(7, all_[7].replace(b'"version":1', b'"version":2'))), "entry 7: this is"
    ),
    "an entry in another spelling": Case(
        entries(lambda all_: all_.__setitem__(7, all_[7] + b" ")),
        "entry 7: use the file as you received it: not in canonical form",
    ),
    "an entry that is a receipt": Case(
        lambda period: entries(lambda all_: all_.__setitem__(3, canonical_bytes(period.receipts[0])))(period),
        "entry 3: this is a receipt",
    ),
}

UNLIKE = {
    "a period of the wrong types": fields("period.json", size="22"),
    "a period with a field too many": fields("period.json", more=1),
    "a period that lacks a field": file("period.json", b"{}"),
    "a period that is no JSON": file("period.json", b"[" * 100_000),
    "a way of drawing that is none": fields("period.json", by="dice"),
    "a seal that is null": fields("seal-1.json", sealed=None),
    "an opening that is no JSON": file("opening-1.json", b"\xff"),
    "a commitment of the wrong types": file("commitment.json", b"[]"),
    "an entry that is no JSON": entries(lambda all_: all_.__setitem__(4, b"\x00")),
    "an entry of the greatest length": entries(lambda all_: all_.__setitem__(3, b"x" * 65_535)),
}
