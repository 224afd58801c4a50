"""The coordinator's own look at what a worker made: no certificate is kept on a worker's word."""

from __future__ import annotations

from equiproof.certify.documents import radius_text
from equiproof.certify.errors import RunError
from equiproof.circuits import field
from equiproof.circuits.canonical import DocumentError
from equiproof.circuits.commitment import domain_digest, query_commitment
from equiproof.circuits.spec import SpecError
from equiproof.circuits.statement import Statement, context_digest
from equiproof.ffi.errors import MalformedInputError, RefusedError
from equiproof.prover.keys import StoredKey, load_verifying
from equiproof.prover.linking import OwnLink
from equiproof.prover.many.applicants import Applicant
from equiproof.prover.many.manifest import Entry
from equiproof.prover.many.task import Made
from equiproof.prover.opening import Opening
from equiproof.verifier.certificate import Certificate, parse_certificate
from equiproof.verifier.documents import QueryDocument, parse_query
from equiproof.verifier.errors import CertificateFormatError, PolicyError


class Examiner:
    """Verifies what workers made against the opening, the verifying key and the link of this machine."""

    def __init__(self, opening: Opening, key: StoredKey, link: OwnLink | None = None) -> None:
        self._opening = opening
        self._key = key
        self._domain = domain_digest(opening.spec)
        self._link = link
        self._verifier = (
            load_verifying(key.folder, key.verifying, key.document.proof_system) if link is None else link.opened()
        )

    def entry(self, applicant: Applicant, made: Made, finished: str) -> Entry:
        """Return what the manifest says of a row, without its files.

        Raises RunError unless a certificate is the applicant's, for their context, about their receipt, and holds.
        """
        receipt = None if applicant.fixed is None else applicant.fixed.receipt.digest
        if made.verdict != "fair":
            return Entry(
                row=applicant.row,
                name=applicant.name,
                verdict=made.verdict,
                finished=finished,
                seconds=made.seconds,
                reason=made.reason,
                size=made.size,
                cases=made.cases,
                receipt=receipt,
            )
        statement, digest = self._verified(applicant, made)
        spec = self._opening.spec
        return Entry(
            row=applicant.row,
            name=applicant.name,
            verdict="fair",
            finished=finished,
            seconds=made.seconds,
            certificate=digest.hex(),
            label=spec.labels[statement.label],
            radius=radius_text(spec, statement.radius_squared),
            radius_squared=statement.radius_squared,
            size=None if spec.levels else made.size,
            nonce=applicant.context["nonce"],
            receipt=receipt,
        )

    def _verified(self, applicant: Applicant, made: Made) -> tuple[Statement, bytes]:
        """Return the statement of a certificate that holds, and its digest, which is its name."""
        at = f"row {applicant.row}: a worker sent what does not hold"
        try:
            certificate = parse_certificate(made.certificate, "certificate")
            statement = self._statement(applicant, certificate, parse_query(made.query, "query file"))
            digest = field.to_bytes(statement.digest(self._key.document.shape))
            self._verifier.verify(digest, certificate.proof_bytes)
        except (
            *(CertificateFormatError, DocumentError, RunError, SpecError, field.FieldError),
            *(RefusedError, MalformedInputError, PolicyError),
        ) as error:
            raise RunError(f"{at}: {error}") from None
        return statement, digest

    def _statement(self, applicant: Applicant, certificate: Certificate, query: QueryDocument) -> Statement:
        """Return the statement that is wanted; raises RunError where the certificate makes another.

        Raises PolicyError for one about another decision than the receipt.
        """
        spec = self._opening.spec
        statement = certificate.to_statement()
        expected = Statement(
            model_commitment=self._opening.commitment,
            spec_digest=spec.digest,
            domain_digest=self._domain,
            query_commitment=query_commitment(spec.input_bits, field.from_hex(query.blinding), applicant.integers),
            # Label and radius are the worker's to find, and the proof shows them; everything else is known here.
            label=statement.label,
            radius_squared=statement.radius_squared,
            context_digest=context_digest(applicant.context),
            shown=None if self._link is None else self._link.document.shown_element,
        )
        if statement != expected or spec.encode(query.row(spec)) != applicant.integers:
            raise RunError("another statement than the one that was asked for")
        if certificate.key.fingerprint != self._key.document.fingerprint:
            raise RunError("a certificate under another key than the run's")
        if applicant.fixed is not None:
            applicant.fixed.receipt.refuse_other(expected)
        return expected
