"""The files of a ceremony beside its steps: what `new` writes, the beacon, and metadata of powers of tau.

Each is one JSON object in canonical form. Parsers raise CertificateFormatError naming file and field.
"""

from __future__ import annotations

import hashlib
import re
from typing import Generic, Literal, TypeVar

import msgspec

from equiproof.circuits.canonical import canonical_bytes
from equiproof.circuits.link_shape import LinkShape
from equiproof.circuits.shape import Shape
from equiproof.circuits.tables import say
from equiproof.ffi.ceremony import MAX_POWER, MIN_POWER
from equiproof.verifier.documents import (
    Document,
    PowersReference,
    check_link_shape,
    check_shape,
    parse_document,
)
from equiproof.verifier.errors import CertificateFormatError, Reason
from equiproof.verifier.notes import NoteError, VerifierKey, distinct

CEREMONY = ("equiproof-ceremony", 2)
BEACON = ("equiproof-ceremony-beacon", 2)
POWERS = ("equiproof-powers", 2)

CEREMONY_FILE = "ceremony.json"
BEACON_FILE = "beacon.json"
POWERS_FILE = "powers.json"
POWERS_BYTES = "powers.bin"
FORM_BYTES = "lagrange.bin"

MAX_SIGNERS = 256
MAX_SOURCE = 200

_DIGEST = re.compile(r"[0-9a-f]{64}")
_VALUE = re.compile(r"(?:[0-9a-f]{2}){32,64}")

S = TypeVar("S", Shape, LinkShape)

Phase = Literal["powers", "key"]
"""Phase 1 makes powers of tau for any circuit, phase 2 the key of one circuit from them."""


class NamedBeacon(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Which public random value will close the ceremony: its source, and a round that is not drawn yet."""

    source: str
    round: int


class KeyTarget(msgspec.Struct, Generic[S], frozen=True, forbid_unknown_fields=True):
    """What a phase 2 makes: a key for this shape's compiled circuit, from these powers of tau."""

    shape: S
    system_digest: str
    powers: PowersReference


class CeremonyDocument(Document, frozen=True, forbid_unknown_fields=True):
    """What is fixed before the first contribution: phase, size, who may contribute, and the beacon.

    `signers` are verifier keys; in phase 2 only, there is `key` or `link_key`, for certificates or for links of kept
    models. The domain has 2^`power` elements.
    """

    phase: Phase
    power: int
    beacon: NamedBeacon
    signers: tuple[str, ...]
    key: KeyTarget[Shape] | msgspec.UnsetType = msgspec.UNSET
    link_key: KeyTarget[LinkShape] | msgspec.UnsetType = msgspec.UNSET

    @property
    def digest(self) -> str:
        """The digest that the first step names as its previous file."""
        return hashlib.sha256(b"equiproof.ceremony.v2\x00" + canonical_bytes(self)).hexdigest()

    @property
    def keys(self) -> tuple[VerifierKey, ...]:
        """The signers; raises NoteError for text that is no key, and for one that stands there twice."""
        return distinct([VerifierKey.parse(text) for text in self.signers])

    @property
    def target(self) -> KeyTarget[Shape] | KeyTarget[LinkShape]:
        """What a phase 2 makes; raises ValueError in phase 1."""
        target = self.link_key if isinstance(self.key, msgspec.UnsetType) else self.key
        if isinstance(target, msgspec.UnsetType):
            raise ValueError("phase 1 makes no key")
        return target


class BeaconDocument(Document, frozen=True, forbid_unknown_fields=True):
    """The value of the round that the ceremony's file names, and the step after which it closes the ceremony."""

    after: str
    value: str


class PowersDocument(Document, frozen=True, forbid_unknown_fields=True):
    """Powers of tau and their Lagrange form, by digest, and where they come from.

    `source` is the chain digest of the ceremony that made them, or the digest of the imported file.
    """

    power: int
    origin: Literal["ceremony", "imported"]
    source: str
    powers: str
    form: str


def parse_ceremony(data: bytes, where: str) -> CeremonyDocument:
    """Read the file that `ceremony new` wrote."""
    document = parse_document(data, CeremonyDocument, CEREMONY, where, only_canonical=True)
    _power(document.power, where)
    targets = [target for target in (document.key, document.link_key) if target is not msgspec.UNSET]
    if len(targets) != (document.phase == "key"):
        raise _malformed(where, "key", "want it or `link_key` in phase `key`, and none of them in another")
    if not 0 < len(document.signers) <= MAX_SIGNERS:
        raise _malformed(where, "signers", f"want 1 to {MAX_SIGNERS} verifier keys")
    try:
        document.keys  # noqa: B018 -- raises
    except NoteError as error:
        raise _malformed(where, "signers", str(error)) from None
    named = document.beacon
    if not (0 < len(named.source) <= MAX_SOURCE and named.source.isprintable()) or named.round < 0:
        raise _malformed(where, "beacon", f"want a source of 1 to {MAX_SOURCE} printable characters and a round from 0")
    if not isinstance(document.key, msgspec.UnsetType):
        check_shape(document.key.shape, f"{where}: field key")
        _target(document.key, where, "key")
    if not isinstance(document.link_key, msgspec.UnsetType):
        check_link_shape(document.link_key.shape, f"{where}: field link_key")
        _target(document.link_key, where, "link_key")
    return document


def _target(target: KeyTarget[Shape] | KeyTarget[LinkShape], where: str, field: str) -> None:
    """Check the digests of what a phase 2 makes."""
    _digests(
        where,
        {
            f"{field}.system_digest": target.system_digest,
            f"{field}.powers.source": target.powers.source,
            f"{field}.powers.digest": target.powers.digest,
        },
    )


def parse_beacon(data: bytes, where: str) -> BeaconDocument:
    """Read the file that `ceremony beacon` wrote."""
    document = parse_document(data, BeaconDocument, BEACON, where, only_canonical=True)
    _digests(where, {"after": document.after})
    if not _VALUE.fullmatch(document.value):
        raise _malformed(where, "value", "want 32 to 64 bytes as lower-case hexadecimal digits")
    return document


def parse_powers(data: bytes, where: str) -> PowersDocument:
    """Read the metadata of powers of tau."""
    document = parse_document(data, PowersDocument, POWERS, where, only_canonical=True)
    _power(document.power, where)
    _digests(where, {"source": document.source, "powers": document.powers, "form": document.form})
    return document


def _power(power: int, where: str) -> None:
    if not MIN_POWER <= power <= MAX_POWER:
        raise _malformed(where, "power", f"want {MIN_POWER} to {MAX_POWER}, not {power}")


def _digests(where: str, values: dict[str, str]) -> None:
    for name, text in values.items():
        if not _DIGEST.fullmatch(text):
            raise _malformed(where, name, say("format.want_digest"))


def _malformed(where: str, field: str, why: str) -> CertificateFormatError:
    return CertificateFormatError(f"{where}: field {field}: {why}", Reason.WRONG_FIELDS)
