"""The files of a certified decision, put together: the applicant's own bundle, or the public one."""

from __future__ import annotations

from pathlib import Path

from sqlalchemy.orm import Session

from equiproof.circuits.canonical import canonical_bytes
from equiproof.service.decisions import Sealed, stated
from equiproof.service.models import CommittedModel
from equiproof.service.store.tables import Certificate, Decision, LogProof, Model
from equiproof.verifier.bundle import Bundle
from equiproof.verifier.trust import TrustedKey, TrustStore


def key_of(session: Session, model: CommittedModel, certificate: Certificate) -> TrustedKey:
    """Return the key of a certificate from the model's folder of keys.

    Raises CertificateFormatError for a broken folder, UntrustedKeyError where the key is no longer in it.
    """
    keys = Path(session.get_one(Model, model.id).keys)
    return TrustStore.open(keys).find(certificate.key_fingerprint)


def bundle_of(
    session: Session, model: CommittedModel, decision: Decision, certificate: Certificate, sealed: Sealed | None
) -> Bundle:
    """Return the bundle of a certificate; with `sealed` the applicant's own, without it nothing of the applicant's.

    Raises as `key_of` and :func:`.decisions.stated`.
    """
    stated(decision, certificate, sealed)
    key = key_of(session, model, certificate)
    proof = session.get(LogProof, decision.id)
    return Bundle(
        certificate=certificate.body,
        commitment=model.opening.public(),
        key=canonical_bytes(key.document),
        verifying_key=key.verifying,
        signatures=key.signatures or None,
        log_proof=session.get_one(Model, model.id).proof,
        query=None if sealed is None else canonical_bytes(sealed.query),
        context=None if sealed is None else canonical_bytes(sealed.context),
        receipt=None if sealed is None else canonical_bytes(sealed.receipt),
        receipt_proof=None if sealed is None or proof is None else proof.body,
    )
