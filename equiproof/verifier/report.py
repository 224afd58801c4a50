"""What one program said of a certificate at one time, as a file; reading one needs none of the programs."""

from __future__ import annotations

from typing import Literal

from equiproof.verifier.documents import Document, parse_document

REPORT = ("equiproof-report", 1)


class Report(Document, frozen=True, forbid_unknown_fields=True):
    """One verification: by which program, when, of which file under which policy file, and with what verdict.

    `certificate` is the SHA-256 of the certificate's file and `policy` that of the policy's. `reason` is None for one
    that was verified, and `said` is the statement then, else the message.
    """

    checker: Literal["native", "python"]
    at: str
    certificate: str
    policy: str
    verdict: Literal["verified", "refused"]
    reason: str | None
    said: str


def parse_report(data: bytes, where: str) -> Report:
    """Read a report; raises CertificateFormatError naming `where` and the field."""
    return parse_document(data, Report, REPORT, where, only_canonical=True)
