"""Personal data and secrets at rest: AES-256-GCM under keys of a file, each box bound to what it is about.

The file has one key a line, a name and 32 bytes in base64, the newest first. Boxes are sealed under the first and
opened under the one that they name, so that a key is changed by putting a new line on top, and retired by sealing anew.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import re
import secrets
from dataclasses import dataclass, field
from pathlib import Path
from typing import ClassVar

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from equiproof.circuits.canonical import read_limited
from equiproof.circuits.exit_codes import MISUSED
from equiproof.circuits.files import write_file
from equiproof.service.own_files import refuse_shared

KEY_BYTES = 32
NONCE_BYTES = 12

_NAME = re.compile(r"[a-z0-9][a-z0-9-]{0,15}")


class VaultError(ValueError):
    """A key file that is none, or a box that no key of it opens; one line that repeats nothing of either."""

    exit_code: ClassVar[int] = MISUSED


class MissingKeyError(VaultError):
    """A box under a key that the file does not have; with the key back it can be opened. `key` is the key's name."""

    def __init__(self, key: str) -> None:
        super().__init__(f"sealed under the key {key!r}, which the key file does not have")
        self.key = key


@dataclass(frozen=True)
class Vault:
    """The keys of a file by name, the newest first; the repr shows the names."""

    keys: dict[str, bytes] = field(repr=False)

    def __post_init__(self) -> None:
        """Refuse a vault without a key, and keys of another length."""
        if not self.keys or any(len(key) != KEY_BYTES for key in self.keys.values()):
            raise VaultError(f"want keys of {KEY_BYTES} bytes, and at least one")

    @property
    def newest(self) -> str:
        """The name of the key that seals."""
        return next(iter(self.keys))

    @property
    def heads(self) -> list[bytes]:
        """What the boxes of each key begin with."""
        return [_head(name) for name in self.keys]

    def seal(self, plain: bytes, about: str) -> bytes:
        """Return a box of `plain` that opens only as one about the same thing, such as a decision's id."""
        # Random nonces of 96 bits are safe for some 2^32 boxes under one key (NIST SP 800-38D, section 8.3).
        nonce = secrets.token_bytes(NONCE_BYTES)
        head = _head(self.newest)
        return head + nonce + AESGCM(self.keys[self.newest]).encrypt(nonce, plain, head + about.encode())

    def open(self, sealed: bytes, about: str) -> bytes:
        """Return what was sealed; raises VaultError for another thing's box or a changed one, and MissingKeyError."""
        name = key_name(sealed)
        if name not in self.keys:
            raise MissingKeyError(name)
        head = _head(name)
        nonce = sealed[len(head) : len(head) + NONCE_BYTES]
        rest = sealed[len(head) + NONCE_BYTES :]
        try:
            return AESGCM(self.keys[name]).decrypt(nonce, rest, head + about.encode())
        except (InvalidTag, ValueError):
            raise VaultError("a box that was changed, or that is about something else") from None

    def digests(self, plain: bytes) -> list[str]:
        """Return the digest of a text under each key, the newest first: without a key no guess can be checked."""
        return [hmac.new(_digest_key(key), plain, hashlib.sha256).hexdigest() for key in self.keys.values()]

    def renewed(self, sealed: bytes, about: str) -> bytes | None:
        """Return the box sealed under the newest key, or None where it is already; raises as `open` does."""
        return None if key_name(sealed) == self.newest else self.seal(self.open(sealed, about), about)


def key_name(sealed: bytes) -> str:
    """Return the name of the key under which a box was sealed; raises VaultError for what is no box."""
    length = sealed[0] if sealed else 0
    try:
        name = sealed[1 : 1 + length].decode("ascii")
    except UnicodeDecodeError:
        name = ""
    if not _NAME.fullmatch(name) or len(sealed) < 1 + length + NONCE_BYTES:
        raise VaultError("not a box that was sealed here")
    return name


def new_line(name: str) -> str:
    """Return a line with a fresh key; raises VaultError for a name that no key can have."""
    if not _NAME.fullmatch(name):
        raise VaultError("a key's name has up to 16 small letters, digits and hyphens")
    return f"{name} {base64.b64encode(secrets.token_bytes(KEY_BYTES)).decode()}\n"


def parse_vault(text: str, where: str) -> Vault:
    """Read a key file; raises VaultError naming `where` and the line, and nothing of a key."""
    keys: dict[str, bytes] = {}
    for number, line in enumerate(text.splitlines(), 1):
        if not line.strip() or line.startswith("#"):
            continue
        name, _, encoded = line.strip().partition(" ")
        try:
            key = base64.b64decode(encoded, validate=True)
        except binascii.Error:
            key = b""
        if not _NAME.fullmatch(name) or len(key) != KEY_BYTES:
            raise VaultError(f"{where}: line {number}: want a name and {KEY_BYTES} bytes in base64")
        if name in keys:
            raise VaultError(f"{where}: line {number}: leave out the second of the two keys called {name!r}")
        keys[name] = key
    if not keys:
        raise VaultError(
            f"{where}: put your vault key back, or begin anew with `equiproof service init`: there is no key in it"
        )
    return Vault(keys)


def load_vault(path: Path) -> Vault:
    """Read a key file; raises OSError, and VaultError for one that is none or that others may read."""
    refuse_shared(path, VaultError)
    return parse_vault(read_limited(path).decode("ascii", "replace"), str(path))


def make_vault(path: Path, name: str) -> None:
    """Write a key file with one fresh key, for its owner only; raises OSError where it cannot be, or is there."""
    write_file(path, new_line(name).encode(), secret=True)


def _digest_key(key: bytes) -> bytes:
    """Return the key for digests that goes with one that seals, so that no key does both."""
    return hmac.new(key, b"equiproof.service.digest", hashlib.sha256).digest()


def add_key(path: Path, name: str) -> None:
    """Put a fresh key on top of a key file; raises as `load_vault`, and VaultError for a name that is taken."""
    vault = load_vault(path)
    if name in vault.keys:
        raise VaultError(f"{path}: choose another name: a key {name!r} is there already")
    write_file(path, new_line(name).encode() + read_limited(path), secret=True, force=True)


def _head(name: str) -> bytes:
    """Return what a box begins with."""
    return bytes([len(name)]) + name.encode("ascii")
