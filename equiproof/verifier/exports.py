"""Certificates in the envelopes of other programs, signed by whoever hands them out.

Each export has one byte string: a reader builds the file again from what it read, and compares. The key stands in the
file, and counts for nothing until it is the pinned one.

The signature says who hands the certificate out. That the statement is true is shown by the proof alone.
"""

from __future__ import annotations

from dataclasses import dataclass

import msgspec

from equiproof.circuits.canonical import MAX_DOCUMENT_BYTES
from equiproof.circuits.tables import say
from equiproof.verifier.certificate import Certificate
from equiproof.verifier.errors import CertificateFormatError, ExportError, ExportReason, Reason
from equiproof.verifier.export_forms import Export, Form, read_envelope, read_token
from equiproof.verifier.facts import Policy
from equiproof.verifier.identity import Identity
from equiproof.verifier.link import LinkDocument
from equiproof.verifier.listed import digest
from equiproof.verifier.notes import Signer, holds
from equiproof.verifier.verify import Verified, Verifier


@dataclass(frozen=True)
class Signed:
    """An export as it was read: well formed, and nothing of it verified."""

    export: Export
    signature: bytes

    def require(self, fingerprint: str) -> Certificate:
        """Return the certificate if the pinned identity signed the export; raises ExportError."""
        export = self.export
        if export.signer.fingerprint != fingerprint:
            raise ExportError(
                f"the export is signed by {export.signer.fingerprint[:16]}..., not by the pinned {fingerprint[:16]}...",
                ExportReason.IDENTITY_DIFFERS,
            )
        if not holds(export.signer.public, self.signature, export.message()):
            raise ExportError("the signature of the export does not hold", ExportReason.BAD_SIGNATURE)
        return export.certificate

    def require_link(self, link: LinkDocument | None) -> None:
        """Raise ExportError unless a link is the one that the export names; a missing one is left to the verifier."""
        if self.export.link is not None and link is not None and digest(link.to_bytes()) != self.export.link:
            raise ExportError(
                "the export names the link of its certificate's key by another digest than this one's",
                ExportReason.NAME_DIFFERS,
            )

    def require_name(self, verified: Verified) -> None:
        """Raise ExportError unless the export names the certificate that was verified by its own digest."""
        if verified.identity != self.export.name:
            raise ExportError("the export gives its certificate the name of another one", ExportReason.NAME_DIFFERS)


def make_export(
    form: Form, certificate: Certificate, name: str, signer: Signer, link: LinkDocument | None = None
) -> bytes:
    """Return the file of a signed export; `name` is the certificate's statement digest, in hexadecimal.

    `link` is the one that a certificate of a kept key needs: the export names it by its digest.
    """
    named = None if link is None else digest(link.to_bytes())
    export = Export(form, certificate, name, Identity(signer.verifier.public), named)
    return export.file(signer.signature(export.message()))


def verify_export(data: bytes, fingerprint: str, verifier: Verifier, policy: Policy, where: str = "export") -> Verified:
    """Return what was verified of the certificate in an export, if the pinned identity signed it.

    Raises CertificateFormatError for a file that is no export, ExportError unless the pinned identity signed it and
    names the certificate and the verifier's link by their own digests, and what `Verifier.verify` raises.
    """
    signed = parse_export(data, where)
    certificate = signed.require(fingerprint)
    signed.require_link(verifier.link)
    verified = verifier.verify(certificate, policy)
    signed.require_name(verified)
    return verified


def without_data(certificate: Certificate) -> Certificate:
    """Return a certificate without the applicant's data; it makes the same statement."""
    return msgspec.structs.replace(certificate, query=None)


def parse_export(data: bytes, where: str) -> Signed:
    """Read an export of either form; raises CertificateFormatError naming `where` and the field."""
    if len(data) > MAX_DOCUMENT_BYTES:
        raise CertificateFormatError(say("format.too_long", where=where, bytes=MAX_DOCUMENT_BYTES), Reason.TOO_LONG)
    export, signature = read_envelope(data, where) if data.startswith(b"{") else read_token(data, where)
    if export.file(signature) != data:
        raise CertificateFormatError(f"{where}: not in the one form that exports have", Reason.NOT_CANONICAL)
    return Signed(export, signature)
