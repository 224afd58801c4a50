"""Who hands out certificates: an Ed25519 key as a `did:jwk`, and the fingerprint by which it is pinned.

The fingerprint is the key's JWK thumbprint (RFC 7638) in hexadecimal, so that other programs can compute it. The key's
file is that of a signer of notes (`notes.py`).
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import re
from dataclasses import dataclass

from equiproof.verifier.errors import CertificateFormatError, Reason

_METHOD = "did:jwk:"
_JWK = '{{"crv":"Ed25519","kty":"OKP","x":"{}"}}'
"""A public key as a JWK (RFC 8037), with the members of its thumbprint and no others."""

# Made from the one spelling, so that a key with other members, order or blanks is refused.
_READ_JWK = re.compile(re.escape(_JWK.format("@")).replace("@", "([A-Za-z0-9_-]{43})").encode())
_FINGERPRINT = re.compile("[0-9a-f]{64}")


@dataclass(frozen=True)
class Identity:
    """The public key, 32 bytes, of whoever signs exports."""

    public: bytes

    @classmethod
    def parse(cls, did: str, where: str) -> Identity:
        """Read a `did:jwk` in its one spelling; raises CertificateFormatError naming `where`."""
        if did.startswith(_METHOD):
            jwk = _READ_JWK.fullmatch(from_base64url(did.removeprefix(_METHOD), where))
            if jwk is not None:
                return cls(from_base64url(jwk[1].decode(), where))
        raise CertificateFormatError(f"{where}: not an Ed25519 key as {_METHOD}...", Reason.WRONG_FIELDS)

    @property
    def did(self) -> str:
        """The key as an identifier that holds it."""
        return _METHOD + base64url(self._jwk)

    @property
    def fingerprint(self) -> str:
        """SHA-256 over the key's JWK, 64 hexadecimal digits."""
        return hashlib.sha256(self._jwk).hexdigest()

    @property
    def _jwk(self) -> bytes:
        return _JWK.format(base64url(self.public)).encode()


def is_fingerprint(text: str) -> bool:
    """Return whether a text has the form of a fingerprint."""
    return _FINGERPRINT.fullmatch(text) is not None


def base64url(data: bytes) -> str:
    """Write bytes as JOSE does: URL-safe, without padding."""
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def from_base64url(text: str, where: str) -> bytes:
    """Read base64url in its one spelling; raises CertificateFormatError naming `where`."""
    try:
        data = base64.b64decode(text.replace("-", "+").replace("_", "/") + "=" * (-len(text) % 4), validate=True)
    except (binascii.Error, ValueError):
        data = b""
    # No text is a spelling of nothing, and no part of a signed file is empty.
    if not data or base64url(data) != text:
        raise CertificateFormatError(f"{where}: not base64url", Reason.NOT_BASE64)
    return data
