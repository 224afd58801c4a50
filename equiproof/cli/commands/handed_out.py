"""What an applicant of a run gets: a folder of files or a bundle, and a letter if asked for."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from equiproof.prover.linking import OwnLink
    from equiproof.prover.many.applicants import Applicant
    from equiproof.prover.many.task import Made
    from equiproof.verifier.letter import Sender
    from equiproof.verifier.presented import Presented


class HandedOut:
    """Makes the files of a row: call it with an applicant and what was made for them.

    `own` is the link of a kept key. `letter` has lender, link and language; letters show the row's name as their
    reference. Raises CertificateFormatError for a key's folder that cannot be read.
    """

    def __init__(
        self, commitment: bytes, key: Path, own: OwnLink | None, *, bundles: bool, letter: dict[str, str] | None
    ) -> None:
        from equiproof.verifier.documents import parse_commitment
        from equiproof.verifier.trust import TrustedKey, TrustedLinkKey

        self._commitment = parse_commitment(commitment, "commitment")
        self._key = TrustedKey.read(key)
        self._link = None if own is None else own.document
        self._link_key = None if own is None else TrustedLinkKey.read(own.link_key.folder)
        self._bundles = bundles
        self._letter = letter
        self._day = datetime.now(UTC).date()

    def __call__(self, applicant: Applicant, made: Made) -> dict[str, bytes]:
        """Return the files by name; raises LetterError for words that are too long for one page."""
        from equiproof.prover.many.run import plain_files
        from equiproof.verifier.bundle import SUFFIX

        presented = self._presented(applicant, made)
        if self._bundles:
            files = {applicant.name + SUFFIX: presented.bundle().to_bytes()}
            letter = f"{applicant.name}.html"
        else:
            files = plain_files(applicant, made)
            letter = f"{applicant.name}/letter.html"
        if self._letter is not None:
            files[letter] = self._page(applicant, presented)
        return files

    def sender(self, applicant: Applicant) -> Sender:
        """Return what a letter says of its sender; raises LetterError for what cannot stand there."""
        from equiproof.verifier.letter import Sender

        terms = self._letter or {}
        return Sender(terms["lender"], self._day, applicant.reference, terms["link"])

    def _presented(self, applicant: Applicant, made: Made) -> Presented:
        """Return a certificate with everything that belongs to it."""
        from equiproof.verifier import parse_certificate
        from equiproof.verifier.documents import parse_query
        from equiproof.verifier.presented import Presented

        certificate = parse_certificate(made.certificate, "certificate")
        query = parse_query(made.query, "query file")
        parts = (certificate, self._commitment, self._key, query, applicant.context)
        presented = Presented(*parts, link=self._link, link_key=self._link_key)
        if (fixed := applicant.fixed) is None:
            return presented
        return replace(presented, receipt=fixed.receipt, receipt_proof=fixed.proof)

    def _page(self, applicant: Applicant, presented: Presented) -> bytes:
        """Return the letter about a certificate, which is verified for it."""
        from equiproof.verifier import policy_of
        from equiproof.verifier.findings import findings
        from equiproof.verifier.letter import letter

        policy = policy_of()
        verified = presented.verify(policy)
        page_findings = findings(verified, policy, presented)
        return letter(verified, page_findings, self.sender(applicant), (self._letter or {})["language"]).encode()
