"""The owner's mark on keys that were made here: nothing is proven under a key without it.

Whoever makes a proving key can choose it so that certificates give secrets away: the points that the proof's commitment
is made of can be altered, and its mask dropped, and every check still accepts the proofs. Metadata and digests beside
such a key are as easy to write. So `setup` leaves a mark in the folder of each key: HMAC-SHA256 of the key's
fingerprint, which covers the digest of `proving.key`, under a secret that only the owner has.
"""

from __future__ import annotations

import hashlib
import hmac
import os
import secrets
import stat
from contextlib import suppress
from pathlib import Path

from equiproof.circuits.canonical import DocumentError, canonical_bytes, read_regular
from equiproof.circuits.files import FileExistsRefusedError, write_file
from equiproof.prover.errors import KeyStoreError
from equiproof.verifier.documents import Document, parse_document
from equiproof.verifier.errors import CertificateFormatError

MARK = ("equiproof-key-mark", 2)
MARK_FILE = "owner.json"
SECRET_VARIABLE = "EQUIPROOF_OWNER_SECRET"  # noqa: S105 -- the name of a variable
SECRET_BYTES = 32


class Mark(Document, frozen=True, forbid_unknown_fields=True):
    """The file `owner.json` of a key's folder: the fingerprint of the key, and its code under the owner's secret."""

    fingerprint: str
    code: str


def default_secret() -> Path:
    """Return where the owner's secret is: the variable EQUIPROOF_OWNER_SECRET, or a file of the user's settings."""
    if named := os.environ.get(SECRET_VARIABLE):
        return Path(named)
    settings = os.environ.get("XDG_CONFIG_HOME") or Path.home() / ".config"
    return Path(settings) / "equiproof" / "owner.secret"


def ready_secret(secret: Path | None) -> bytes:
    """Return the owner's secret, made (0600) where there is none yet; raises KeyStoreError, OSError naming its file."""
    path = secret or default_secret()
    if not path.exists():
        with suppress(FileExistsRefusedError):  # another process has made it meanwhile
            write_file(path, secrets.token_hex(SECRET_BYTES).encode() + b"\n", secret=True)
    return _read(path)


def mark(fingerprint: str, secret: bytes) -> bytes:
    """Return the mark of a key that was just made."""
    return canonical_bytes(Mark(MARK[0], MARK[1], fingerprint, _code(fingerprint, secret)))


def require_mark(folder: Path, fingerprint: str, secret: Path | None) -> None:
    """Raise KeyStoreError unless the key of this fingerprint, in this folder, was made with the owner's secret."""
    path = secret or default_secret()
    try:
        data = read_regular(folder / MARK_FILE)
        document = parse_document(data, Mark, MARK, str(folder / MARK_FILE), only_canonical=True)
    except FileNotFoundError:
        raise _unmarked(folder, f"has no {MARK_FILE}") from None
    except (DocumentError, CertificateFormatError, OSError) as error:
        raise KeyStoreError(str(error)) from None
    try:
        code = _code(fingerprint, _read(path))
    except FileNotFoundError:
        raise KeyStoreError(
            f"{folder}: let {SECRET_VARIABLE} name the file of the owner's secret, which is not at {path}; if it is "
            "lost, make the key again (`equiproof setup --force`); of a ceremony's key: `equiproof keys check --accept`"
        ) from None
    # Compared in constant time, so that nobody who plants marks learns the code digit by digit.
    if document.fingerprint != fingerprint or not hmac.compare_digest(document.code, code):
        raise _unmarked(folder, f"was not made with the owner's secret {path}")


def _unmarked(folder: Path, why: str) -> KeyStoreError:
    """Return the error for a key without the owner's mark, with what that means and the way out."""
    return KeyStoreError(
        f"{folder}: make the key again (`equiproof setup --force`), or bring {MARK_FILE} and the owner's secret; of a "
        f"ceremony's key: `equiproof keys check --accept`: it {why}, and who makes a proving key can read the model"
    )


def _code(fingerprint: str, secret: bytes) -> str:
    """Return the code of a fingerprint under the owner's secret."""
    return hmac.new(secret, b"equiproof.key-mark.v2\x00" + fingerprint.encode("ascii"), hashlib.sha256).hexdigest()


def _read(path: Path) -> bytes:
    """Read the owner's secret; raises FileNotFoundError, KeyStoreError for no secret and one that others can read."""
    try:
        text = read_regular(path).decode("ascii").strip()
        secret = bytes.fromhex(text)
    except FileNotFoundError:
        raise
    except (DocumentError, OSError) as error:
        raise KeyStoreError(str(error)) from None
    except ValueError:
        secret = b""
    if len(secret) != SECRET_BYTES:
        raise KeyStoreError(f"{path}: not an owner's secret: want {2 * SECRET_BYTES} hexadecimal digits")
    if os.name == "posix" and stat.S_IMODE(path.stat().st_mode) & 0o077:
        raise KeyStoreError(f"{path}: others can read or change the owner's secret: `chmod 600` it")
    return secret
