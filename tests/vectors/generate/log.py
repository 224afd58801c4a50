"""Log proofs, entries and receipts with the verdict that every program gives of them."""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from equiproof.circuits.canonical import canonical_bytes
from equiproof.verifier.checkpoint import Checkpoint, cosign
from equiproof.verifier.entries import (
    ENTRY,
    BoxEntry,
    CertificateEntry,
    CommitmentEntry,
    DecisionEntry,
    KeyEntry,
    LinkEntry,
    RetireEntry,
    TrailEntry,
)
from equiproof.verifier.errors import Reason
from equiproof.verifier.logged import (
    DAY,
    NO_PROOF,
    NOT_IN_LOG,
    OTHER_ENTRY,
    OTHER_LOG,
    OTHER_OWNER,
    TOO_FEW,
    TOO_OLD,
    TOO_SMALL,
)
from equiproof.verifier.merkle import root_of
from equiproof.verifier.notes import Signer
from equiproof.verifier.receipt import OTHER_RECEIPT, RECEIPT, Receipt
from tests.support import changed
from tests.vectors.vector import COMMITMENT, certificate_base
from tests.verifier.logs import ANNA, BEN, CARL, LOG, NOON, Log

FILE = "log.json"
DIGEST = hashlib.sha256(certificate_base("loans")[COMMITMENT]).hexdigest()
OTHER = "0b" * 32
STATED = json.loads(certificate_base("loans")["certificate.json"])["statement"]

RECEIVED = Receipt(
    *RECEIPT,
    model_commitment=STATED["model_commitment"],
    query_commitment=STATED["query_commitment"],
    context_digest=STATED["context_digest"],
    label=STATED["label"],
    time="2026-03-04T10:00:00Z",
    salt="5a" * 32,
)
ENTRIES = [
    KeyEntry(*ENTRY, "key", "Example Bank", OTHER, None),
    CommitmentEntry(*ENTRY, "commitment", "Example Bank", OTHER, "2025-01-01"),
    DecisionEntry(*ENTRY, "decision", OTHER),
    CommitmentEntry(*ENTRY, "commitment", "Example Bank", DIGEST, "2026-03-01"),
    RetireEntry(*ENTRY, "retire", "Example Bank", "commitment", DIGEST, "replaced", None),
    CommitmentEntry(*ENTRY, "commitment", "Another Bank", OTHER, "2026-03-01"),
    RECEIVED.entry(),
]
AT, RETIRED, OTHERS, RECEIPTS = 3, 4, 5, 6
REGISTER = Log([entry.data for entry in ENTRIES])
THREE = ((ANNA, NOON), (BEN, NOON - DAY), (CARL, NOON - 3 * DAY))
PINS: dict[str, Any] = {
    "key": LOG.verifier.text,
    "witnesses": [signer.verifier.text for signer in (ANNA, BEN, CARL)],
    "least": 2,
    "smallest_tree": 7,
    "max_days": 2,
    "owner": None,
}
GOOD = REGISTER.proof(AT, THREE)
MALFORMED = str(Reason.NOT_A_LOG_PROOF)


def document() -> bytes:
    """Return the file of vectors."""
    sections = {
        "logged": list(_logged()),
        "receipts": list(_receipts()),
        "boxes": list(_boxes()),
        "entries": list(_entries()),
    }
    return (json.dumps(sections, indent=1) + "\n").encode()


def _case(what: str, reason: str | None, proof: bytes = GOOD.data, **others: Any) -> dict[str, Any]:
    """Return a case about a commitment; `others` are pins, and `now`."""
    now = others.pop("now", NOON)
    return {
        "what": what,
        "digest": DIGEST,
        "pins": PINS | others,
        "now": now,
        "proof": proof.decode("utf-8"),
        **_verdict(reason),
    }


def _verdict(reason: str | None) -> dict[str, Any]:
    known = {NO_PROOF, OTHER_LOG, NOT_IN_LOG, OTHER_ENTRY, OTHER_OWNER, TOO_FEW, TOO_OLD, TOO_SMALL, OTHER_RECEIPT}
    exception = "PolicyError" if reason in known else "CertificateFormatError"
    return {"exception": None if reason is None else exception, "reason": reason}


def _logged() -> Iterator[dict[str, Any]]:
    """Log proofs of a commitment, each with what a relying party pins."""
    accepted = {"owner": "Example Bank", "index": AT, "size": 7}
    found = accepted | {"witnesses": 3, "time": "2026-03-03T12:00:00Z"}
    yield _case("two of three witnesses, one old", None) | {"found": found}
    alone = {"witnesses": [], "least": 0, "max_days": None}
    yield _case("no witnesses, no age", None, **alone) | {"found": accepted | {"witnesses": 0, "time": ""}}
    yield _case("the owner named", None, owner="Example Bank")
    yield _case("seen by one witness just now", None, least=1, max_days=0)
    yield _case("as old as may be", None, now=NOON + DAY)
    yield _case("a clock ahead by five minutes", None, now=NOON - 300, least=1)
    yield from (*_of_others(), *_of_witnesses(), *_of_paths(), *_of_entries(), *_misspelled())


def _of_others() -> Iterator[dict[str, Any]]:
    """Checkpoints that the pinned log did not sign."""
    same = Signer(LOG.name, b"x" * 32)
    tree = REGISTER.checkpoint()
    moved = Log(REGISTER.entries, Signer("register.example/other", LOG.secret))
    yield _case("no proof", NO_PROOF, b"")
    yield _case("another log's key under the same name", OTHER_LOG, Log(REGISTER.entries, same).proof(AT, THREE).data)
    yield _case("the same key under another origin", OTHER_LOG, moved.proof(AT, THREE).data)
    yield _case(
        "an origin that is not the key's name",
        OTHER_LOG,
        replace(GOOD, checkpoint=LOG.sign(replace(tree, origin="register.example/other").text).encode()).data,
    )
    yield _case("a size that the log did not sign", OTHER_LOG, GOOD.data.replace(b"\n7\n", b"\n8\n"))
    yield _case("signed by a witness alone", OTHER_LOG, replace(GOOD, checkpoint=ANNA.sign(tree.text).encode()).data)
    for what, more in (("a longer", b"x" * 65), ("a shorter", b"x")):
        line = f"\u2014 {LOG.name} {base64.b64encode(LOG.verifier.identifier + more).decode()}\n".encode()
        yield _case(f"{what} signature under the log's key", OTHER_LOG, GOOD.data + line)
    yield _case("a smaller tree than pinned", TOO_SMALL, smallest_tree=8)  # fmt: skip


def _of_witnesses() -> Iterator[dict[str, Any]]:
    """Too few witnesses, and times that show nothing."""
    at = REGISTER.checkpoint()
    public, name = ANNA.verifier, ANNA.name
    line = f"{name}+{public.cosigner.hex()}+{base64.b64encode(bytes([4]) + public.public).decode()}"
    yield _case("a witness's key for cosignatures alone", None, witnesses=[line, *PINS["witnesses"][1:]])
    longer = f"\u2014 other.example {base64.b64encode(b'x' * 2428).decode()}\n".encode()
    yield _case("a signature of a kind that is not known", None, GOOD.data + longer)
    forged = cosign(ANNA, Checkpoint(LOG.name, 6, root_of(REGISTER.leaves[:6])), NOON)
    yield _case("too few witnesses", TOO_FEW, REGISTER.proof(AT, THREE[:1]).data)
    yield _case("no witness at all", TOO_FEW, REGISTER.proof(AT).data, least=1)
    yield _case("one witness twice", TOO_FEW, REGISTER.proof(AT, ((ANNA, NOON), (ANNA, NOON - 60))).data)
    stranger = Signer("anna.example", b"s" * 32)
    yield _case(
        "a stranger of a witness's name", TOO_FEW, REGISTER.proof(AT, (THREE[0], (stranger, NOON))).data, least=2
    )
    known = [signer.verifier.text for signer in (ANNA, CARL)]
    yield _case("a witness that is not pinned", TOO_FEW, REGISTER.proof(AT, THREE[:2]).data, witnesses=known)
    yield _case(
        "a cosignature of another checkpoint",
        OTHER_LOG,
        replace(GOOD, checkpoint=REGISTER.signed(THREE[1:]) + forged.encode()).data,
    )
    plain = ANNA.sign(at.text).rpartition("\n\n")[2].encode()
    yield _case(
        "a signature without a time", TOO_FEW, replace(GOOD, checkpoint=REGISTER.signed(THREE[1:2]) + plain).data
    )
    yield _case("times that are not yet", TOO_FEW, REGISTER.proof(AT, ((ANNA, NOON + 301), (BEN, NOON))).data)
    yield _case(
        "one of the pinned witnesses ahead of time",
        None,
        REGISTER.proof(AT, (*THREE[1:], (ANNA, 2**62))).data,
        max_days=3,
    )
    yield _case("an old checkpoint", TOO_OLD, now=NOON + DAY + 1)
    yield _case(
        "one witness alone saw it lately", TOO_OLD, REGISTER.proof(AT, ((ANNA, NOON), (BEN, NOON - 9 * DAY))).data
    )
    yield _case("all three asked, one saw it long ago", TOO_OLD, least=3)
    yield _case("a time of the year 1970", TOO_OLD, REGISTER.proof(AT, ((ANNA, 0), (BEN, 1))).data)  # fmt: skip


def _of_paths() -> Iterator[dict[str, Any]]:
    """Paths and indexes that do not lead to the root."""
    path = GOOD.path
    for what, changes in (
        ("index off by one", {"index": AT - 1}),
        ("index past the tree", {"index": 7}),
        ("a path too long", {"path": (*path, path[0])}),
        ("a path too short", {"path": path[:-1]}),
        ("a path turned round", {"path": path[::-1]}),
        ("a hash of a path changed", {"path": (bytes(32), *path[1:])}),
        ("an entry that is not in the tree", {"extra": ENTRIES[AT].data.replace(b"2026-03-01", b"2026-03-02")}),
    ):
        yield _case(what, NOT_IN_LOG, replace(GOOD, **changes).data)


def _of_entries() -> Iterator[dict[str, Any]]:
    """Entries that are in the log, and are not of this commitment."""
    yield _case("another owner's commitment", OTHER_ENTRY, REGISTER.proof(OTHERS, THREE).data)
    yield _case("the owner's last commitment", OTHER_ENTRY, REGISTER.proof(1, THREE).data)
    yield _case("that the commitment is retired", OTHER_ENTRY, REGISTER.proof(RETIRED, THREE).data)
    yield _case("a decision", OTHER_ENTRY, REGISTER.proof(RECEIPTS, THREE).data)
    yield _case("under another name than the owner's", OTHER_OWNER, owner="Another Bank")
    for entry in (
        BoxEntry(*ENTRY, "box", DIGEST),
        CertificateEntry(*ENTRY, "certificate", DIGEST),
        LinkEntry(*ENTRY, "link", "Example Bank", DIGEST, DIGEST, DIGEST),
    ):
        proof = Log([*REGISTER.entries[:6], entry.data]).proof(6, THREE).data
        yield _case(f"the commitment's digest in an entry of the kind {entry.kind}", OTHER_ENTRY, proof)
    data = ENTRIES[AT].data
    for what, reason, entry in (
        ("an entry that is not canonical", Reason.NOT_CANONICAL, data.replace(b",", b", ")),
        ("an entry with bytes behind it", Reason.NOT_JSON, data + b"\n{}"),
        ("an entry of no known kind", Reason.WRONG_FIELDS, data.replace(b'"kind":"commitment"', b'"kind":"promise"')),
        (
            "an owner whose name hides something",
            Reason.WRONG_FIELDS,
            data.replace(b"Example Bank", "Ex\u0430mple".encode()),
        ),
        ("no entry in it", MALFORMED, b""),
    ):
        yield _case(what, str(reason), Log([*REGISTER.entries[:6], entry]).proof(6, THREE).data)


def _misspelled() -> Iterator[dict[str, Any]]:
    """Bytes that are no log proof: each part has one spelling."""
    data = GOOD.data
    encoded, longer = base64.b64encode(GOOD.path[0]), LOG.sign(REGISTER.checkpoint().text + "x\n")
    for what, wrong in (
        ("another first line", data.replace(b"@v1", b"@v2")),
        ("an index with a zero before it", data.replace(b"index 3", b"index 03")),
        ("an index past 2^63", data.replace(b"index 3", b"index 9223372036854775808")),
        ("no index", data.replace(b"index 3\n", b"")),
        ("a hash of another length", data.replace(encoded, encoded[4:])),
        ("base64 in another spelling", data.replace(encoded, encoded[:-2] + bytes([encoded[-2] + 1]) + b"=")),
        ("more than 63 hashes", replace(GOOD, path=(bytes(32),) * 64).data),
        ("a blank in front", b" " + data),
        ("no line break at the end", data[:-1]),
        ("bytes behind the checkpoint", data + b"more\n"),
        ("a checkpoint with a fourth line", replace(GOOD, checkpoint=longer.encode()).data),
        ("a size with a zero before it", data.replace(b"\n7\n", b"\n07\n")),
        ("no checkpoint", data.partition(b"\n\n")[0] + b"\n\n"),
        ("nothing but words", b"anything\n"),
    ):  # fmt: skip
        yield _case(what, MALFORMED, wrong)


def _receipts() -> Iterator[dict[str, Any]]:
    """Receipts with the statement of a certificate, and with a log proof of theirs."""

    def one(what: str, reason: str | None, receipt: bytes = canonical_bytes(RECEIVED), **stated: Any) -> dict[str, Any]:
        """Return a case; a `proof` of the statement's is the receipt's."""
        proof = stated.pop("proof", None)
        logged = {} if proof is None else {"pins": PINS | {"max_days": None}, "now": NOON, "proof": proof.decode()}
        return {"what": what, "receipt": receipt.decode(), "statement": STATED | stated, **logged, **_verdict(reason)}

    yield one("the certificate of this receipt", None)
    yield one("another radius", None, radius_squared=0)
    yield one("of another certificate: its data", OTHER_RECEIPT, query_commitment="0" * 64)
    yield one("of another certificate: its model", OTHER_RECEIPT, model_commitment="0" * 64)
    yield one("of another certificate: its context", OTHER_RECEIPT, context_digest="0" * 64)
    yield one("of another certificate: its decision", OTHER_RECEIPT, label=1 - STATED["label"])
    person = canonical_bytes(changed(RECEIVED, label=None))
    yield one("a person decided", OTHER_RECEIPT, person)
    yield one("in the log", None, proof=REGISTER.proof(RECEIPTS, THREE).data)
    yield one("in the log, another receipt", OTHER_ENTRY, proof=REGISTER.proof(2, THREE).data)
    for entry in (BoxEntry(*ENTRY, "box", RECEIVED.digest), CertificateEntry(*ENTRY, "certificate", RECEIVED.digest)):
        proof = Log([*REGISTER.entries[:6], entry.data]).proof(6, THREE).data
        yield one(f"in the log, in an entry of the kind {entry.kind}", OTHER_ENTRY, proof=proof)
    yield one("in the log, with too few witnesses", TOO_FEW, proof=REGISTER.proof(RECEIPTS).data)
    salted = canonical_bytes(changed(RECEIVED, salt="5b" * 32))
    yield one("in the log with another salt", OTHER_ENTRY, salted, proof=REGISTER.proof(RECEIPTS, THREE).data)
    for name, value, reason in (
        ("salt", "5A" * 32, Reason.WRONG_FIELDS), ("time", "2026-02-29T10:00:00Z", Reason.WRONG_FIELDS),
        ("time", "2026-03-04T10:00:60Z", Reason.WRONG_FIELDS), ("time", "2026-03-04T24:00:00Z", Reason.WRONG_FIELDS),
        ("time", "2026-03-04T10:00:00", Reason.WRONG_FIELDS), ("label", -1, Reason.OUT_OF_RANGE),
        ("label", 1 << 14, Reason.OUT_OF_RANGE), ("label", "0", Reason.WRONG_FIELDS),
        ("model_commitment", "f" * 64, Reason.BAD_ELEMENT), ("version", 2, Reason.OTHER_FORMAT),
        ("note", "x", Reason.WRONG_FIELDS),
    ):  # fmt: skip
        fields = json.loads(canonical_bytes(RECEIVED)) | {name: value}
        yield one(f"no receipt: {name} {str(value)[:20]}", str(reason), canonical_bytes(fields))
    yield one("no receipt: a line break behind it", str(Reason.NOT_CANONICAL), canonical_bytes(RECEIVED) + b"\n")


def _boxes() -> Iterator[dict[str, Any]]:
    """Log proofs that date a box certificate's file: that it is one, the log does not show."""
    file = "a box certificate"
    own = hashlib.sha256(file.encode()).hexdigest()
    entries = [
        BoxEntry(*ENTRY, "box", own),
        CertificateEntry(*ENTRY, "certificate", own),
        DecisionEntry(*ENTRY, "decision", own),
        CommitmentEntry(*ENTRY, "commitment", "Example Bank", own, "2026-03-01"),
        BoxEntry(*ENTRY, "box", OTHER),
        TrailEntry(*ENTRY, "trail", "Example Bank", own),
        LinkEntry(*ENTRY, "link", "Example Bank", own, own, own),
    ]
    register = Log([entry.data for entry in entries])

    def one(what: str, reason: str | None, proof: bytes, **pins: Any) -> dict[str, Any]:
        """Return a case; `since` is by when as many witnesses as are pinned had seen it."""
        case = {
            "what": what,
            "file": file,
            "pins": PINS | {"smallest_tree": 1} | pins,
            "now": NOON,
            "proof": proof.decode(),
        }
        return case | _verdict(reason)

    found = register.proof(0, THREE).data
    yield one("its entry, seen by two", None, found) | {"since": "2026-03-03T12:00:00Z"}
    yield one("its entry, seen by one", None, found, least=1) | {"since": "2026-03-01T12:00:00Z"}
    yield one("its entry, seen by all", None, found, least=3) | {"since": "2026-03-04T12:00:00Z"}
    yield one("a tree that is smaller than pinned", None, found, smallest_tree=100)
    for place, entry in enumerate(entries[1:4], start=1):
        yield one(f"its digest in an entry of the kind {entry.kind}", OTHER_ENTRY, register.proof(place, THREE).data)
    yield one("another box certificate", OTHER_ENTRY, register.proof(4, THREE).data)
    for place in (5, 6):
        kind = entries[place].kind
        yield one(f"its digest in an entry of the kind {kind}", OTHER_ENTRY, register.proof(place, THREE).data)
    yield one("another log", OTHER_LOG, Log(register.entries, Signer(LOG.name, b"x" * 32)).proof(0, THREE).data)
    yield one("too few witnesses", TOO_FEW, register.proof(0, THREE[:1]).data)
    yield one("no proof", NO_PROOF, b"")
    yield one("an entry that is not in the log", NOT_IN_LOG, replace(register.proof(0, THREE), index=1).data)


def _entries() -> Iterator[dict[str, Any]]:
    """Entries, and what is none."""
    for entry in ENTRIES:
        yield {"what": f"a {entry.kind}", "entry": entry.data.decode(), "name": entry.name, **_verdict(None)}
    long = RetireEntry(*ENTRY, "retire", "Example Bank", "key", OTHER, "\U0001f600" * 200, OTHER)
    yield {"what": "a reason of 200 characters", "entry": long.data.decode(), "name": long.name, **_verdict(None)}
    for of, name, value, reason in (
        (AT, "valid_from", "2026-02-29", Reason.WRONG_FIELDS), (AT, "valid_from", "2026-3-01", Reason.WRONG_FIELDS),
        (AT, "valid_from", "0000-01-01", Reason.WRONG_FIELDS), (AT, "commitment", "0B" * 32, Reason.WRONG_FIELDS),
        (AT, "commitment", None, Reason.WRONG_FIELDS), (AT, "owner", "", Reason.WRONG_FIELDS),
        (AT, "owner", "Bank ", Reason.WRONG_FIELDS), (AT, "kind", "decision", Reason.WRONG_FIELDS),
        (AT, "kind", 1, Reason.WRONG_FIELDS), (AT, "version", 2, Reason.OTHER_FORMAT),
        (AT, "format", "equiproof-note", Reason.OTHER_FORMAT), (AT, "more", 1, Reason.WRONG_FIELDS),
        (0, "transcript", "", Reason.WRONG_FIELDS), (RETIRED, "what", "decision", Reason.WRONG_FIELDS),
        (RETIRED, "why", "\U0001f600" * 201, Reason.WRONG_FIELDS), (RETIRED, "why", "a\u0085b", Reason.WRONG_FIELDS),
        (RETIRED, "successor", "no", Reason.WRONG_FIELDS), (2, "receipt", OTHER[1:], Reason.WRONG_FIELDS),
    ):  # fmt: skip
        data = canonical_bytes(json.loads(ENTRIES[of].data) | {name: value}).decode()
        yield {"what": f"{name}: {str(value)[:20]!a}", "entry": data, **_verdict(str(reason))}
    known = CertificateEntry(*ENTRY, "certificate", OTHER)
    yield {"what": "a certificate", "entry": known.data.decode(), "name": known.name, **_verdict(None)}
    for name, value in (("certificate", OTHER.upper()), ("certificate", None), ("owner", "Bank"), ("kind", "decision")):
        wrong = canonical_bytes(json.loads(known.data) | {name: value}).decode()
        what = f"a certificate: {name} {str(value)[:4]}"
        yield {"what": what, "entry": wrong, **_verdict(str(Reason.WRONG_FIELDS))}
    head = TrailEntry(*ENTRY, "trail", "Example Bank", OTHER)
    yield {"what": "a trail's head", "entry": head.data.decode(), "name": head.name, **_verdict(None)}
    for name, value in (("head", OTHER.upper()), ("head", None), ("owner", ""), ("kind", "certificate")):
        wrong = canonical_bytes(json.loads(head.data) | {name: value}).decode()
        what = f"a trail's head: {name} {str(value)[:4]}"
        yield {"what": what, "entry": wrong, **_verdict(str(Reason.WRONG_FIELDS))}
    link = LinkEntry(*ENTRY, "link", "Example Bank", OTHER, DIGEST, OTHER)
    yield {"what": "a link", "entry": link.data.decode(), "name": link.name, **_verdict(None)}
    for name, value in (
        ("link", OTHER.upper()), ("link", None), ("commitment", OTHER[1:]), ("key", "x" * 64), ("owner", ""),
        ("kind", "key"), ("kind", "commitment"), ("transcript", OTHER), ("valid_from", "2026-03-01"),
    ):  # fmt: skip
        wrong = canonical_bytes(json.loads(link.data) | {name: value}).decode()
        yield {"what": f"a link: {name} {str(value)[:4]}", "entry": wrong, **_verdict(str(Reason.WRONG_FIELDS))}
    box = BoxEntry(*ENTRY, "box", OTHER)
    yield {"what": "a box certificate", "entry": box.data.decode(), "name": box.name, **_verdict(None)}
    for name, value in (
        ("box", OTHER.upper()), ("box", None), ("owner", "Bank"), ("kind", "certificate"), ("kind", "decision"),
        ("certificate", OTHER), ("receipt", OTHER), ("commitment", OTHER),
    ):  # fmt: skip
        wrong = canonical_bytes(json.loads(box.data) | {name: value}).decode()
        what = f"a box certificate: {name} {str(value)[:4]}"
        yield {"what": what, "entry": wrong, **_verdict(str(Reason.WRONG_FIELDS))}
    data = ENTRIES[AT].data.decode()
    for what, text, reason in (
        ("blanks", data.replace(",", ", "), Reason.NOT_CANONICAL), ("a line break", data + "\n", Reason.NOT_CANONICAL),
        ("twice a field", data[:-1] + ',"version":1}', Reason.NOT_CANONICAL), ("nothing", "", Reason.NOT_JSON),
        ("a list", "[]", Reason.WRONG_FIELDS),
    ):  # fmt: skip
        yield {"what": what, "entry": text, **_verdict(str(reason))}
    # In each place where something may stand: a known field, an unknown one, and the kind itself.
    for what, value, reason in (
        ("a number that no double holds", "1e400", Reason.WRONG_FIELDS),
        ("a number below all doubles", "-1e999", Reason.WRONG_FIELDS),
        ("an integer that no double holds", "1" + "0" * 400, Reason.WRONG_FIELDS),
        ("half of a surrogate pair", r'"\ud800"', Reason.NOT_JSON),
        ("the other half", r'"a\udfffb"', Reason.NOT_JSON),
        ("two first halves", r'"\ud800\ud800"', Reason.NOT_JSON),
        ("no number", "1e", Reason.NOT_JSON), ("no word", "NaN", Reason.NOT_JSON),
    ):  # fmt: skip
        places = {
            "a field": data.replace('"Example Bank"', value, 1), "another field": f'{data[:-1]},"z":{value}}}',
            "a first one": f'{{"a":{value},{data[1:]}',
            "the kind": data.replace('"kind":"commitment"', f'"kind":{value}'),
            "a list": f'{data[:-1]},"z":[{value}]}}',
        }  # fmt: skip
        for place, text in places.items():
            assert value in text
            yield {"what": f"{what} as {place}", "entry": text, **_verdict(str(reason))}
        if value.startswith('"'):
            text = f"{data[:-1]},{value}:1}}"
            yield {"what": f"{what} as a name", "entry": text, **_verdict(str(reason))}
