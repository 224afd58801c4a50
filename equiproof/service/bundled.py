"""The files of a certified decision, put together: the applicant's own bundle, or the public one."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

from sqlalchemy.orm import Session

from equiproof.circuits.canonical import canonical_bytes
from equiproof.service.decisions import Sealed, stated
from equiproof.service.models import CommittedModel
from equiproof.service.recourses import Opened
from equiproof.service.store.tables import Certificate, Decision, LogProof, Model
from equiproof.verifier.box import parse_box
from equiproof.verifier.bundle import ANSWERS, README, Bundle, recourse_fields
from equiproof.verifier.trust import TrustedKey, TrustStore
from equiproof.verifier.wishes import WISHES, WishesDocument


def key_of(session: Session, model: CommittedModel, certificate: Certificate) -> TrustedKey:
    """Return the key of a certificate from the model's folder of keys.

    Raises CertificateFormatError for a broken folder, UntrustedKeyError where the key is no longer in it.
    """
    keys = Path(session.get_one(Model, model.id).keys)
    return TrustStore.open(keys).find(certificate.key_fingerprint)


def bundle_of(
    session: Session,
    model: CommittedModel,
    decision: Decision,
    certificate: Certificate,
    sealed: Sealed | None,
    recourse: Opened | None = None,
) -> Bundle:
    """Return the bundle of a certificate; with `sealed` the applicant's own, without it nothing of the applicant's.

    The applicant's own has their `recourse`, as :func:`.recourses.released_of` returns it. Raises as `key_of`, also of
    the key of boxes, and as :func:`.decisions.stated`.
    """
    stated(decision, certificate, sealed)
    key = key_of(session, model, certificate)
    proof = session.get(LogProof, decision.id)
    whole = Bundle(
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
        readme=README,
    )
    return whole if sealed is None or recourse is None else replace(whole, **_files(session, model, recourse))


def _files(session: Session, model: CommittedModel, recourse: Opened) -> dict[str, Any]:
    """Return the files of a recourse by their fields of a bundle; none of a part, as no file says which part it is."""
    boxes = [
        (name, box.certificate, box.opened)
        for name, box in zip(recourse.names, recourse.kept.boxes, strict=True)
        if name in ANSWERS
    ]
    if not boxes:
        return {}
    _, first, _ = boxes[0]
    keys = TrustStore.open(Path(session.get_one(Model, model.id).keys))
    key = keys.find(parse_box(first, "box certificate").key.fingerprint)
    wishes = recourse.kept.wishes
    return recourse_fields(key, canonical_bytes(WishesDocument(*WISHES, wishes)) if wishes else None, boxes)
