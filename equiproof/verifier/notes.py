"""Signed notes: a text with Ed25519 signatures below it, as C2SP describes them (https://c2sp.org/signed-note).

A note is text that ends with a line break, an empty line, and lines of "— NAME BASE64". The base64 holds four bytes of
the key's hash, and the signature. A key is one line, NAME+HASH+BASE64 to verify, with "PRIVATE+KEY+" before it to sign.
Names are narrower here than there: visible ASCII only, so that no two of them look alike.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import re
from collections.abc import Collection
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey

from equiproof.circuits.exit_codes import MISUSED
from equiproof.circuits.tables import say

MAX_NOTE_BYTES = 1 << 16
MAX_SIGNATURES = 64

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._@:/-]{0,63}")
_ED25519 = b"\x01"
_COSIGNATURE = b"\x04"
"""What a key is for: signatures of notes, and those of witnesses, which hold a time (https://c2sp.org/tlog-cosignature)."""

_PRIVATE = "PRIVATE+KEY+"
_HASH_BYTES = 4
_SIGNATURE_BYTES = _HASH_BYTES + 64


class NoteError(ValueError):
    """Text that is no signed note, or no key of one; one line that says why."""

    exit_code: ClassVar[int] = MISUSED


@dataclass(frozen=True)
class VerifierKey:
    """The name and the public key of a signer."""

    name: str
    public: bytes

    @classmethod
    def parse(cls, text: str, *, witness: bool = False) -> VerifierKey:
        """Read "NAME+HASH+BASE64"; raises NoteError. That of a `witness` may be a key for cosignatures alone."""
        name, public = _key_parts(text, _ED25519 + _COSIGNATURE if witness else _ED25519)
        return cls(name, public)

    @property
    def text(self) -> str:
        """The key in one line."""
        return _key_text(self.name, self.identifier, self.public)

    @cached_property
    def identifier(self) -> bytes:
        """The four bytes by which a signature names this key."""
        return _identifier(self.name, self.public, _ED25519)

    @cached_property
    def cosigner(self) -> bytes:
        """The four bytes by which a cosignature names this key."""
        return _identifier(self.name, self.public, _COSIGNATURE)

    def signed(self, note: Note) -> bool:
        """Return whether a note has a signature under this key; raises NoteError for one that does not hold."""
        # Two keys may share four bytes of a hash, so the name counts too. A line under both that does not hold makes
        # the note invalid, as the format demands: it cannot be passed over as somebody else's signature.
        lines = [line for line in note.signatures if (line.name, line.identifier) == (self.name, self.identifier)]
        for line in lines:
            if not holds(self.public, line.signature, note.text.encode()):
                raise NoteError(say("note.signature_wrong", signer=self.name))
        return bool(lines)


@dataclass(frozen=True)
class Signer:
    """A name and the secret from which its key follows."""

    name: str
    secret: bytes

    @classmethod
    def new(cls, name: str) -> Signer:
        """Draw a new key; raises NoteError for a name that no key can have."""
        return cls(known_name(name), Ed25519PrivateKey.generate().private_bytes_raw())

    @classmethod
    def parse(cls, text: str) -> Signer:
        """Read "PRIVATE+KEY+NAME+HASH+BASE64"; raises NoteError, which repeats nothing of the text."""
        if not text.startswith(_PRIVATE):
            raise NoteError(say("note.not_signing_key"))
        name, hash_text, _, secret = _split_key(text.removeprefix(_PRIVATE), _ED25519)
        signer = cls(name, secret)
        if signer.verifier.identifier.hex() != hash_text:
            raise NoteError("a damaged signing key: its parts do not belong together")
        return signer

    def __repr__(self) -> str:
        """Show the name, and nothing of the secret."""
        return f"Signer({self.name!r})"

    @property
    def text(self) -> str:
        """The secret key in one line."""
        return _PRIVATE + _key_text(self.name, self.verifier.identifier, self.secret)

    @cached_property
    def verifier(self) -> VerifierKey:
        """The public half."""
        return VerifierKey(self.name, self._key.public_key().public_bytes_raw())

    def sign(self, text: str) -> str:
        """Return the note of a text with this signature alone; raises NoteError for text that no note can hold."""
        _known_text(text)
        signature = self.verifier.identifier + self.signature(text.encode())
        return f"{text}\n— {self.name} {base64.b64encode(signature).decode()}\n"

    def signature(self, message: bytes) -> bytes:
        """Return the 64 bytes of a signature over a message, which is no text of a note unless `sign` calls this.

        One key signs several kinds of messages: each kind must begin or end as no other does.
        """
        return self._key.sign(message)

    @cached_property
    def _key(self) -> Ed25519PrivateKey:
        return Ed25519PrivateKey.from_private_bytes(self.secret)


@dataclass(frozen=True)
class Signature:
    """One line below a note."""

    name: str
    identifier: bytes
    signature: bytes


@dataclass(frozen=True)
class Note:
    """A text and the signatures below it, none of them verified."""

    text: str
    signatures: tuple[Signature, ...]


def holds(public: bytes, signature: bytes, message: bytes) -> bool:
    """Return whether a signature over a message holds under a public key of 32 bytes."""
    try:
        Ed25519PublicKey.from_public_bytes(public).verify(signature, message)
    except InvalidSignature:
        return False
    return True


def parse_note(data: bytes, *, any_kind: bool = False) -> Note:
    """Read a signed note; raises NoteError. Nothing is verified.

    All signatures are of Ed25519, but for those of a note of `any_kind`, such as a checkpoint with cosignatures.
    """
    if len(data) > MAX_NOTE_BYTES:
        raise NoteError(say("note.too_long", bytes=MAX_NOTE_BYTES))
    try:
        whole = data.decode()
    except UnicodeDecodeError:
        raise NoteError(say("note.not_utf8")) from None
    # The last empty line: the text may have some of its own.
    text, blank, below = whole.rpartition("\n\n")
    if not blank or not below.endswith("\n"):
        raise NoteError(say("note.malformed"))
    lines = below.removesuffix("\n").split("\n")
    if len(lines) > MAX_SIGNATURES:
        raise NoteError(say("note.too_many_signatures", count=MAX_SIGNATURES))
    _known_text(text + "\n")
    return Note(text + "\n", tuple(_signature(line, any_kind=any_kind) for line in lines))


def who_signed(note: Note, keys: Collection[VerifierKey]) -> frozenset[VerifierKey]:
    """Return those of the keys that signed a note; raises NoteError if a signature under one of them does not hold.

    Signatures under other keys mean nothing and are passed over.
    """
    return frozenset(key for key in keys if key.signed(note))


def parse_keys(text: str, where: str, *, witnesses: bool = False) -> tuple[VerifierKey, ...]:
    """Read verifier keys, one a line, without empty lines and those that begin with "#".

    Those of `witnesses` may be keys for cosignatures alone. Raises NoteError naming `where` and the line, also for no
    key, or a name or a public key that stands there twice.
    """
    keys: list[VerifierKey] = []
    for number, line in enumerate(text.splitlines(), 1):
        if not line.strip() or line.startswith("#"):
            continue
        try:
            key = VerifierKey.parse(line.strip(), witness=witnesses)
        except NoteError as error:
            raise NoteError(f"{where}: line {number}: {error}") from None
        keys.append(key)
    try:
        return distinct(keys)
    except NoteError as error:
        raise NoteError(f"{where}: {error}") from None


def distinct(keys: Collection[VerifierKey]) -> tuple[VerifierKey, ...]:
    """Return the keys; raises NoteError for none, or a name or a public key that stands there twice.

    One person with two names must not count as two.
    """
    if not keys:
        raise NoteError(say("note.no_verifier_key"))
    for values in ([key.name for key in keys], [key.public for key in keys]):
        if len(set(values)) != len(values):
            raise NoteError(say("note.signer_twice"))
    return tuple(keys)


def _signature(line: str, *, any_kind: bool) -> Signature:
    """Read a line of a signature."""
    dash, _, rest = line.partition(" ")
    name, _, encoded = rest.partition(" ")
    data = read_base64(encoded)
    if dash != "—" or (not any_kind and len(data) != _SIGNATURE_BYTES):
        raise NoteError(say("note.line_not_ed25519"))
    if len(data) <= _HASH_BYTES:
        raise NoteError(say("note.line_not_signature"))
    return Signature(known_name(name), data[:4], data[4:])


def _key_text(name: str, identifier: bytes, key: bytes) -> str:
    return f"{name}+{identifier.hex()}+{base64.b64encode(_ED25519 + key).decode()}"


def _key_parts(text: str, kinds: bytes) -> tuple[str, bytes]:
    """Read name and public key of a line of one of these kinds; raises NoteError."""
    if text.startswith(_PRIVATE):
        raise NoteError(say("note.secret_key"))
    name, hash_text, kind, public = _split_key(text, kinds)
    if _identifier(name, public, kind).hex() != hash_text:
        raise NoteError(say("note.verifier_key_damaged"))
    return name, public


def _split_key(text: str, kinds: bytes) -> tuple[str, str, bytes, bytes]:
    """Return name, hash, kind and the 32 bytes of a key's line."""
    # Only the first two: base64 has the sign as well.
    parts = text.split("+", 2)
    key = read_base64(parts[-1])
    if len(parts) != 3 or len(key) != 33 or key[0] not in kinds:
        raise NoteError(say("note.not_ed25519_key"))
    return known_name(parts[0]), parts[1], key[:1], key[1:]


def _identifier(name: str, public: bytes, kind: bytes) -> bytes:
    """Return the hash that stands in keys and signatures, four bytes."""
    return hashlib.sha256(name.encode() + b"\n" + kind + public).digest()[:4]


def read_base64(text: str) -> bytes:
    """Read base64 in its one spelling; returns nothing for anything else, which no key or signature is."""
    try:
        data = base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError):
        return b""
    return data if base64.b64encode(data).decode() == text else b""


def known_name(name: str) -> str:
    """Return a name that a signer can have; raises NoteError."""
    if not _NAME.fullmatch(name):
        raise NoteError(say("note.signer_name_malformed"))
    return name


def _known_text(text: str) -> None:
    """Raise NoteError unless a note can hold the text."""
    if not text.endswith("\n") or not text.strip() or any(ord(sign) < 0x20 and sign != "\n" for sign in text):
        raise NoteError(say("note.text_malformed"))
