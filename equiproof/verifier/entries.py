"""What a public register holds: eight kinds of entries, each one canonical JSON document of at most 65,535 bytes.

An entry is known by its name, the SHA-256 of its bytes. None holds anything of an applicant: of a decision there is the
digest of a receipt, whose salt only the applicant and the owner have; of a certificate or a box certificate, the digest
of its file; of an owner's trail, the hash of a line that holds a random value.
"""

from __future__ import annotations

import hashlib
import re
from datetime import date
from functools import cached_property
from typing import Any, ClassVar, Literal, TypeAlias

import msgspec

from equiproof.circuits.canonical import canonical_bytes
from equiproof.circuits.names import complaint
from equiproof.circuits.tables import say
from equiproof.verifier.documents import CommitmentDocument, Document, parse_document
from equiproof.verifier.errors import CertificateFormatError, Reason
from equiproof.verifier.link import LinkDocument

ENTRY = ("equiproof-entry", 1)
MAX_ENTRY_BYTES = (1 << 16) - 1
"""What the two bytes hold by which a log states an entry's length (https://c2sp.org/tlog-tiles)."""

MAX_WHY = 200
"""The most characters of why something is retired."""

_DIGITS = re.compile("[0-9a-f]{64}")
_DATE = re.compile("[1-9][0-9]{3}-[0-9]{2}-[0-9]{2}")
_CONTROL_CHARACTERS = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029]")


class _Entry(Document, frozen=True, forbid_unknown_fields=True, dict=True):
    """What the kinds have in common."""

    digests: ClassVar[tuple[str, ...]] = ()

    @cached_property
    def data(self) -> bytes:
        """The entry's bytes."""
        return canonical_bytes(self)

    @property
    def name(self) -> str:
        """The SHA-256 of the entry's bytes, in hexadecimal."""
        return hashlib.sha256(self.data).hexdigest()


class CommitmentEntry(_Entry, frozen=True, forbid_unknown_fields=True):
    """A commitment file that an owner shows everybody, by its SHA-256, and the first day that it is used."""

    kind: Literal["commitment"]
    owner: str
    commitment: str
    valid_from: str
    digests: ClassVar[tuple[str, ...]] = ("commitment",)


class KeyEntry(_Entry, frozen=True, forbid_unknown_fields=True):
    """A key of an owner's, by its fingerprint, and its transcript digest where it has one."""

    kind: Literal["key"]
    owner: str
    key: str
    transcript: str | None
    digests: ClassVar[tuple[str, ...]] = ("key", "transcript")


class LinkEntry(_Entry, frozen=True, forbid_unknown_fields=True):
    """The link of an owner's model under a kept key, by the SHA-256 of its file.

    `commitment` is the digest of the commitment file as its own entry has it, `key` the fingerprint of the kept key.
    """

    kind: Literal["link"]
    owner: str
    link: str
    commitment: str
    key: str
    digests: ClassVar[tuple[str, ...]] = ("link", "commitment", "key")


class RetireEntry(_Entry, frozen=True, forbid_unknown_fields=True):
    """A commitment or a key that an owner uses no more, by its digest, and what takes its place."""

    kind: Literal["retire"]
    owner: str
    what: Literal["commitment", "key"]
    digest: str
    why: str
    successor: str | None
    digests: ClassVar[tuple[str, ...]] = ("digest", "successor")


class DecisionEntry(_Entry, frozen=True, forbid_unknown_fields=True):
    """A decision, by the digest of its receipt."""

    kind: Literal["decision"]
    receipt: str
    digests: ClassVar[tuple[str, ...]] = ("receipt",)


class CertificateEntry(_Entry, frozen=True, forbid_unknown_fields=True):
    """A certificate, by the SHA-256 of its file: what is in the log by a day was not forged later."""

    kind: Literal["certificate"]
    certificate: str
    digests: ClassVar[tuple[str, ...]] = ("certificate",)


class BoxEntry(_Entry, frozen=True, forbid_unknown_fields=True):
    """A box certificate, by the SHA-256 of its file; it is no entry of a certificate about a decision."""

    kind: Literal["box"]
    box: str
    digests: ClassVar[tuple[str, ...]] = ("box",)


class TrailEntry(_Entry, frozen=True, forbid_unknown_fields=True):
    """How far an owner's own record of who did what has come: the hash of its newest line, chained to all before."""

    kind: Literal["trail"]
    owner: str
    head: str
    digests: ClassVar[tuple[str, ...]] = ("head",)


Entry: TypeAlias = (
    CommitmentEntry | KeyEntry | LinkEntry | RetireEntry | DecisionEntry | CertificateEntry | BoxEntry | TrailEntry
)

_KINDS: dict[str, type[Entry]] = {
    "commitment": CommitmentEntry,
    "key": KeyEntry,
    "link": LinkEntry,
    "retire": RetireEntry,
    "decision": DecisionEntry,
    "certificate": CertificateEntry,
    "box": BoxEntry,
    "trail": TrailEntry,
}


def commitment_digest(commitment: CommitmentDocument) -> str:
    """Return the digest by which the register knows a commitment file."""
    return hashlib.sha256(canonical_bytes(commitment)).hexdigest()


def link_entry(owner: str, link: LinkDocument, commitment: CommitmentDocument) -> LinkEntry:
    """Return the entry of a link; raises ValueError for one of another commitment."""
    if link.model_commitment != commitment.model_commitment:
        raise ValueError("the link is of another commitment")
    digest = hashlib.sha256(link.to_bytes()).hexdigest()
    return LinkEntry(*ENTRY, "link", owner, digest, commitment_digest(commitment), link.key)


def certificate_entry(certificate: bytes) -> CertificateEntry:
    """Return the entry of a certificate's file."""
    return CertificateEntry(*ENTRY, "certificate", hashlib.sha256(certificate).hexdigest())


def box_entry(certificate: bytes) -> BoxEntry:
    """Return the entry of a box certificate's file."""
    return BoxEntry(*ENTRY, "box", hashlib.sha256(certificate).hexdigest())


def parse_entry(data: bytes, where: str) -> Entry:
    """Read an entry; raises CertificateFormatError naming `where` and the field."""
    if len(data) > MAX_ENTRY_BYTES:
        raise CertificateFormatError(say("entry.too_long", where=where, bytes=MAX_ENTRY_BYTES), Reason.TOO_LONG)
    try:
        document: Any = msgspec.json.decode(data)
    except msgspec.ValidationError as error:  # a number that no double holds: well formed, and no value of any field
        raise CertificateFormatError(f"{where}: {error}", Reason.WRONG_FIELDS) from None
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise CertificateFormatError(f"{where}: not valid JSON: {error}", Reason.NOT_JSON) from None
    kind = document.get("kind") if isinstance(document, dict) else None
    # Where the kind is unknown, any of them names what is wrong.
    schema = _KINDS.get(kind, DecisionEntry) if isinstance(kind, str) else DecisionEntry
    entry: Entry = parse_document(data, schema, ENTRY, where, only_canonical=True)
    _check(entry, where)
    return entry


def is_digits(text: str) -> bool:
    """Return whether a text is 64 lower-case hexadecimal digits."""
    return bool(_DIGITS.fullmatch(text))


def _check(entry: Entry, where: str) -> None:
    """Refuse what the form alone lets through."""
    for name in entry.digests:
        text = getattr(entry, name)
        if text is not None and not is_digits(text):
            raise _wrong(where, name, say("format.want_digest"))
    if not isinstance(entry, DecisionEntry | CertificateEntry | BoxEntry) and (wrong := complaint(entry.owner)):
        raise _wrong(where, "owner", wrong.message)
    if isinstance(entry, CommitmentEntry) and not is_date(entry.valid_from):
        raise _wrong(where, "valid_from", say("entry.want_day"))
    if isinstance(entry, RetireEntry) and (len(entry.why) > MAX_WHY or _CONTROL_CHARACTERS.search(entry.why)):
        raise _wrong(where, "why", say("entry.want_one_line", most=MAX_WHY))


def is_date(text: str) -> bool:
    """Return whether a text is a day, from the year 1000 on, in its one spelling."""
    try:
        return bool(_DATE.fullmatch(text)) and bool(date.fromisoformat(text))
    except ValueError:
        return False


def _wrong(where: str, name: str, why: str) -> CertificateFormatError:
    return CertificateFormatError(f"{where}: field {name}: {why}", Reason.WRONG_FIELDS)
