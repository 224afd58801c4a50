"""Powers of tau in a folder: metadata, the sealed powers, and their Lagrange form, which takes long to make.

Nothing in the folder is believed: powers and form are checked by the library, once for each pair of digests.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from pathlib import Path

from equiproof.circuits.canonical import DocumentError, canonical_bytes, read_regular
from equiproof.ffi import ceremony as native
from equiproof.prover.ceremony.checked import once
from equiproof.prover.ceremony.documents import (
    FORM_BYTES,
    POWERS,
    POWERS_BYTES,
    POWERS_FILE,
    PowersDocument,
    parse_powers,
)
from equiproof.prover.ceremony.errors import CeremonyError, naming
from equiproof.verifier.documents import PowersReference
from equiproof.verifier.errors import CertificateFormatError, Reason

_LEAST_BYTES = 1 << 12
_BYTES_PER_ELEMENT = 320
"""Of the Lagrange form, for each element of the domain; of the powers it is 192."""


@dataclass(frozen=True)
class Powers:
    """Powers of tau over a domain of 2^power, with their Lagrange form; `data` and `form` are the library's bytes."""

    document: PowersDocument
    data: bytes
    form: bytes

    @property
    def power(self) -> int:
        """The logarithm of the domain's size."""
        return self.document.power

    @property
    def reference(self) -> PowersReference:
        """What a ceremony for a key says of its powers."""
        return PowersReference(self.document.origin, self.document.source, self.document.powers)

    @property
    def files(self) -> dict[str, bytes]:
        """The files of a folder of these powers, by name."""
        return {POWERS_BYTES: self.data, FORM_BYTES: self.form, POWERS_FILE: canonical_bytes(self.document)}

    def cut(self, power: int) -> Powers:
        """Return those of a smaller domain, with its own Lagrange form; raises CeremonyError for a larger one."""
        if power > self.power:
            raise CeremonyError(
                f"give powers of tau up to 2^{power}: this circuit needs them, these reach 2^{self.power}"
            )
        if power == self.power:
            return self
        return described(power, cut(self.power, self.data, power), self.document.origin, self.document.source)


def described(power: int, data: bytes, origin: str, source: str) -> Powers:
    """Return checked powers with their metadata, and with their Lagrange form, which is made here."""
    form = native.lagrange(power, data)
    document = PowersDocument(
        format=POWERS[0],
        version=POWERS[1],
        power=power,
        origin="imported" if origin == "imported" else "ceremony",
        source=source,
        powers=sha256(data),
        form=sha256(form),
    )
    return Powers(document, data, form)


def imported(path: Path, power: int | None) -> Powers:
    """Return the powers of a .ptau file with their Lagrange form; raises as :func:`points`.

    They are known to be consistent, and not that anybody contributed to them: their source is the file's digest.
    """
    own_power, data, source = points(path, power)
    return described(own_power, data, "imported", source)


def points(path: Path, power: int | None) -> tuple[int, bytes, str]:
    """Read a file in the format .ptau, check every point of it, and cut its powers to a domain, by default its own.

    Returns the logarithm of the domain's size, the powers and the file's digest. Raises CertificateFormatError,
    TranscriptError, OSError.
    """
    if path.exists() and not path.is_file():
        raise CertificateFormatError(f"{path}: name a .ptau file: this is not a regular file", Reason.UNREADABLE)
    with path.open("rb") as stream:
        source = hashlib.file_digest(stream, "sha256").hexdigest()
    with naming(path):
        own_power, data = native.powers_import(str(path), power)
    return own_power, data, source


def read_powers(folder: Path) -> Powers:
    """Read powers of tau and check them, those and the form that were checked before by their digests alone.

    Raises CertificateFormatError, TranscriptError, and CeremonyError for a folder without powers.
    """
    where = folder / POWERS_FILE
    if not where.exists():
        raise CeremonyError(
            f"{folder}: make powers of tau with `equiproof ceremony finish` or `equiproof ceremony import`: it holds "
            "none"
        )
    document = parse_powers(_read(where, _LEAST_BYTES), str(where))
    most = _LEAST_BYTES + (_BYTES_PER_ELEMENT << document.power)
    powers = Powers(document, _read(folder / POWERS_BYTES, most), _read(folder / FORM_BYTES, most))
    for name, data, digest in (
        (POWERS_BYTES, powers.data, document.powers),
        (FORM_BYTES, powers.form, document.form),
    ):
        if sha256(data) != digest:
            raise CertificateFormatError(
                f"{folder / name}: get the folder again: not the file that {POWERS_FILE} names", Reason.KEY_BYTES_DIFFER
            )
    _check(powers, folder)
    return powers


def _check(powers: Powers, folder: Path) -> None:
    """Check powers and form, unless that was done before of these very bytes."""
    power = powers.power
    document = powers.document
    with naming(folder / POWERS_BYTES):
        once(lambda: native.powers_check(power, powers.data), "powers", str(power), document.powers)
    with naming(folder / FORM_BYTES):
        parts = ("form", str(power), document.powers, document.form)
        once(lambda: native.lagrange_check(power, powers.data, powers.form), *parts)


def cut(power: int, data: bytes, to: int) -> bytes:
    """Return the powers of a domain of 2^to, of which there are no more than in `data`."""
    return data if to == power else native.powers_cut(power, data, to)


def sha256(data: bytes) -> str:
    """Return the digest of bytes in hexadecimal."""
    return hashlib.sha256(data).hexdigest()


def _read(path: Path, most: int) -> bytes:
    """Read a regular file, of a longer one no more than tells that."""
    try:
        return read_regular(path, most)
    except DocumentError as error:
        raise CertificateFormatError(str(error), Reason.UNREADABLE) from None
