"""The files of a period: what closing fixes, seals, openings, a beacon's round, and answers.

Each is one JSON object in canonical form. Seals, openings and answers are signed by their party. Parsers raise
CertificateFormatError naming file and field.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from datetime import datetime
from fractions import Fraction
from typing import Literal, TypeVar

import msgspec

from equiproof.circuits.canonical import canonical_bytes
from equiproof.circuits.names import complaint
from equiproof.circuits.numbers import exact
from equiproof.circuits.spec import SpecError, decimal
from equiproof.circuits.tables import say
from equiproof.register.lot import drand
from equiproof.register.lot.bound import check_numbers
from equiproof.register.lot.errors import LotError
from equiproof.verifier.certificate import Certificate
from equiproof.verifier.documents import Document, parse_document
from equiproof.verifier.entries import is_date
from equiproof.verifier.errors import CertificateFormatError, Reason
from equiproof.verifier.notes import NoteError, Signer, VerifierKey, distinct, holds
from equiproof.verifier.receipt import Receipt, parse_receipt

PERIOD = ("equiproof-lot-period", 1)
SEAL = ("equiproof-lot-seal", 1)
OPENING = ("equiproof-lot-opening", 1)
BEACON = ("equiproof-lot-beacon", 1)
ANSWER = ("equiproof-lot-answer", 1)
NONCE = ("equiproof-lot-nonce", 1)

MAX_PARTIES = 16
MAX_KEYS = 64

_DIGEST = re.compile("[0-9a-f]{64}")
_SIGNATURE = re.compile("[0-9a-f]{128}")
_TIME = "%Y-%m-%dT%H:%M:%SZ"

T = TypeVar("T", bound="Signed")


class Demanded(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What every certificate of the period must satisfy, and what the owner promises.

    `commitment` is the digest of the commitment file as the log has it, `keys` are fingerprints, `min_radius`, `share`
    and `confidence` exact decimal text, `due` the day by which the owner answers, where it names one. `links` are the
    SHA-256 of the links of those keys that are kept, in their order; it is there only where some are.
    """

    commitment: str
    keys: tuple[str, ...]
    min_radius: str
    share: str
    confidence: str
    due: str | msgspec.UnsetType = msgspec.UNSET
    links: tuple[str, ...] | msgspec.UnsetType = msgspec.UNSET

    @property
    def own_links(self) -> tuple[str, ...]:
        """The digests of links, none where no key is kept."""
        return () if self.links is msgspec.UNSET else self.links


class PeriodDocument(Document, frozen=True, forbid_unknown_fields=True):
    """What closing a period fixes, before anybody knows what will be drawn.

    `log` is the log's verifier key; `size` and `root` are those of its checkpoint; `first` and `last` are entries, both
    included, with `receipts` receipts among them. `parties` are verifier keys, the owner's first. `round` is there
    where the draw is by beacon, `groups` where the owner will disclose the group of each drawn applicant.
    """

    name: str
    owner: str
    log: str
    size: int
    root: str
    first: int
    last: int
    receipts: int
    policy: Demanded
    drawn: int
    by: Literal["nonces", "beacon"]
    parties: tuple[str, ...]
    round: int | msgspec.UnsetType = msgspec.UNSET
    groups: str | msgspec.UnsetType = msgspec.UNSET

    @property
    def digest(self) -> bytes:
        """The name of the period, 32 bytes: everything that is fixed goes into it, and it into every draw."""
        return hashlib.sha256(b"equiproof.lot.period.v1\x00" + canonical_bytes(self)).digest()

    @property
    def keys(self) -> tuple[VerifierKey, ...]:
        """The parties' keys; raises NoteError for text that is no key, and for one that stands there twice."""
        return distinct([VerifierKey.parse(text) for text in self.parties])

    @property
    def round_number(self) -> int:
        """The beacon's round; raises ValueError for a period that is drawn by nonces."""
        if isinstance(self.round, msgspec.UnsetType):
            raise ValueError("want a draw by beacon: this period is drawn by nonces")
        return self.round

    @property
    def confidence(self) -> Fraction:
        """The confidence as a number."""
        return exact(self.policy.confidence)


class Signed(Document, frozen=True, forbid_unknown_fields=True):
    """A document of one party of a period: its place among the parties from 1, when it was made, and its signature."""

    period: str
    party: int
    time: str
    signature: str

    def message(self) -> bytes:
        """Return what is signed: a tag that no text of a note begins with, and the document without its signature."""
        return b"\x00" + self.format.encode() + b"\x00" + canonical_bytes(msgspec.structs.replace(self, signature=""))

    def holds(self, key: VerifierKey) -> bool:
        """Return whether the signature is that of a key."""
        return holds(key.public, bytes.fromhex(self.signature), self.message())


class Seal(Signed, frozen=True, forbid_unknown_fields=True):
    """One party stands by this close of the period and, where the draw is by nonces, has fixed its nonce."""

    sealed: str | msgspec.UnsetType = msgspec.UNSET


class Opening(Signed, frozen=True, forbid_unknown_fields=True):
    """A party's nonce, made known after all have sealed: `seals` is the digest of every seal that it saw."""

    seals: str
    nonce: str


class Beacon(Document, frozen=True, forbid_unknown_fields=True):
    """The signature of the round that the period names."""

    period: str
    signature: str


class Answer(Signed, frozen=True, forbid_unknown_fields=True):
    """The owner's answer about one drawn receipt, entry `entry` of the log: receipt and certificate, or neither.

    The owner is party 1, and signs each: nobody else can answer for it, and it cannot say that somebody did.
    """

    entry: int
    receipt: Receipt | msgspec.UnsetType = msgspec.UNSET
    certificate: Certificate | msgspec.UnsetType = msgspec.UNSET
    group: str | msgspec.UnsetType = msgspec.UNSET


class NonceDocument(Document, frozen=True, forbid_unknown_fields=True):
    """What a party keeps to itself when it seals: its nonce, and which entries of which log it sealed."""

    period: str
    log: str
    first: int
    last: int
    nonce: str


def signed(document: T, signer: Signer) -> T:
    """Return a document with its party's signature."""
    return msgspec.structs.replace(document, signature=signer.signature(document.message()).hex())


def digest_of_seals(seals: Sequence[Seal]) -> str:
    """Return the digest of all seals in the order of the parties."""
    parts = (hashlib.sha256(canonical_bytes(seal)).digest() for seal in seals)
    return hashlib.sha256(b"equiproof.lot.seals.v1\x00" + b"".join(parts)).hexdigest()


def parse_period(data: bytes, where: str) -> PeriodDocument:
    """Read what closing a period wrote."""
    document = parse_document(data, PeriodDocument, PERIOD, where, only_canonical=True)
    policy = document.policy
    for name in ("name", "owner", *(["groups"] if document.groups is not msgspec.UNSET else [])):
        if wrong := complaint(getattr(document, name)):
            raise _malformed(where, name, wrong.message)
    _digests(where, {"root": document.root, "policy.commitment": policy.commitment})
    _digests(where, {f"policy.keys[{place}]": key for place, key in enumerate(policy.keys)})
    if not 1 <= len(set(policy.keys)) == len(policy.keys) <= MAX_KEYS:
        raise _malformed(where, "policy.keys", say("lot.fingerprints_out_of_bounds", most=MAX_KEYS))
    _digests(where, {f"policy.links[{place}]": link for place, link in enumerate(policy.own_links)})
    if policy.links is not msgspec.UNSET and not 1 <= len(set(policy.links)) == len(policy.links) <= len(policy.keys):
        raise _malformed(where, "policy.links", say("lot.fingerprints_out_of_bounds", most=len(policy.keys)))
    if not 0 <= document.first <= document.last < document.size < 1 << 53:
        raise _malformed(where, "first", say("lot.first_last_size"))
    if not 1 <= document.receipts <= document.last - document.first + 1:
        raise _malformed(where, "receipts", say("lot.drawn_out_of_bounds"))
    _numbers(document, where)
    if policy.due is not msgspec.UNSET and not is_date(policy.due):
        raise _malformed(where, "policy.due", say("lot.want_day"))
    if (document.by == "beacon") != (document.round is not msgspec.UNSET):
        raise _malformed(where, "round", say("lot.round_where_beacon"))
    try:
        if not 2 <= len(document.keys) <= MAX_PARTIES:
            raise _malformed(where, "parties", say("lot.want_parties", most=MAX_PARTIES - 1))
        VerifierKey.parse(document.log)
        if document.round is not msgspec.UNSET:
            drand.time_of(document.round)
    except (NoteError, LotError) as error:
        field = "round" if isinstance(error, LotError) else "parties"
        raise _malformed(where, field, str(error)) from None
    return document


def _numbers(document: PeriodDocument, where: str) -> None:
    """Check what is promised and how many are drawn."""
    policy = document.policy
    for name in ("min_radius", "share", "confidence"):
        try:
            number = decimal(getattr(policy, name), name)
        except SpecError as error:
            raise _malformed(where, f"policy.{name}", str(error)) from None
        if number < 0 or (name != "min_radius" and number > 1):
            raise _malformed(where, f"policy.{name}", say("lot.promise_out_of_bounds"))
    try:
        check_numbers(document.receipts, document.drawn, document.confidence)
    except LotError as error:
        raise _malformed(where, "drawn", str(error)) from None


def parse_seal(data: bytes, where: str) -> Seal:
    """Read one party's seal."""
    document = parse_document(data, Seal, SEAL, where, only_canonical=True)
    _signed(document, where)
    if document.sealed is not msgspec.UNSET:
        _digests(where, {"sealed": document.sealed})
    return document


def parse_opening(data: bytes, where: str) -> Opening:
    """Read one party's opening."""
    document = parse_document(data, Opening, OPENING, where, only_canonical=True)
    _signed(document, where)
    _digests(where, {"seals": document.seals, "nonce": document.nonce})
    return document


def parse_beacon(data: bytes, where: str) -> Beacon:
    """Read the round that was drawn."""
    document = parse_document(data, Beacon, BEACON, where, only_canonical=True)
    _digests(where, {"period": document.period})
    if not re.fullmatch(f"[0-9a-f]{{{2 * drand.SIGNATURE_BYTES}}}", document.signature):
        raise _malformed(where, "signature", say("lot.want_bytes", bytes=drand.SIGNATURE_BYTES))
    return document


def parse_answer(data: bytes, where: str) -> Answer:
    """Read the owner's answer about one receipt; the certificate in it is read by whoever verifies it."""
    document = parse_document(data, Answer, ANSWER, where, only_canonical=True)
    _signed(document, where)
    if not 0 <= document.entry < 1 << 53:
        raise _malformed(where, "entry", say("lot.want_entry"))
    if (document.receipt is msgspec.UNSET) != (document.certificate is msgspec.UNSET):
        raise _malformed(where, "certificate", say("lot.receipt_and_certificate"))
    if document.receipt is not msgspec.UNSET:
        parse_receipt(canonical_bytes(document.receipt), f"{where}: field receipt")
    if document.group is not msgspec.UNSET and (wrong := complaint(document.group)):
        raise _malformed(where, "group", wrong.message)
    return document


def parse_nonce(data: bytes, where: str) -> NonceDocument:
    """Read what a party kept when it sealed."""
    document = parse_document(data, NonceDocument, NONCE, where, only_canonical=True)
    _digests(where, {"period": document.period, "nonce": document.nonce})
    return document


def time_text(time: datetime) -> str:
    """Return a time of UTC as files have it."""
    return time.strftime(_TIME)


def _signed(document: Signed, where: str) -> None:
    """Check what documents of one party have in common, but for the signature itself."""
    _digests(where, {"period": document.period})
    if not 1 <= document.party <= MAX_PARTIES:
        raise _malformed(where, "party", say("lot.want_party", most=MAX_PARTIES))
    if not _SIGNATURE.fullmatch(document.signature):
        raise _malformed(where, "signature", say("lot.want_signature"))
    try:
        same = time_text(datetime.strptime(document.time, _TIME)) == document.time  # noqa: DTZ007  # Z is literal
    except ValueError:
        same = False
    if not same:
        raise _malformed(where, "time", say("lot.want_time"))


def _digests(where: str, named: dict[str, str]) -> None:
    """Refuse what is not a digest."""
    for name, value in named.items():
        if not _DIGEST.fullmatch(value):
            raise _malformed(where, name, say("format.want_digest"))


def _malformed(where: str, name: str, what: str) -> CertificateFormatError:
    return CertificateFormatError(f"{where}: field {name}: {what}", Reason.WRONG_FIELDS)
