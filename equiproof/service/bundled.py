"""The files of a certified decision, put together: the applicant's own bundle, or the public one."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

from sqlalchemy.orm import Session

from equiproof.circuits.canonical import DocumentError, canonical_bytes, read_regular
from equiproof.prover.errors import KeyStoreError
from equiproof.prover.published import published_link
from equiproof.service.decisions import Sealed, stated
from equiproof.service.keys import link_of, links_beside
from equiproof.service.models import CommittedModel, ModelError
from equiproof.service.recourses import Opened
from equiproof.service.store.tables import Certificate, Decision, LogProof, Model
from equiproof.verifier.box import parse_box
from equiproof.verifier.bundle import ANSWERS, README, Bundle, recourse_fields
from equiproof.verifier.merkle import MAX_PROOF_BYTES
from equiproof.verifier.trust import TrustedKey, TrustStore
from equiproof.verifier.wishes import WISHES, WishesDocument

PROOF_SUFFIX = ".tlog-proof"
"""What the name of a link's log proof ends with, in place of the link's own ending."""


def key_of(session: Session, model: CommittedModel, certificate: Certificate) -> TrustedKey:
    """Return the key of a certificate from the model's folder of keys.

    Raises CertificateFormatError for a broken folder, UntrustedKeyError where the key is no longer in it.
    """
    return _keys(session, model).find(certificate.key_fingerprint)


def _keys(session: Session, model: CommittedModel) -> TrustStore:
    """Return a model's folder of keys."""
    return TrustStore.open(Path(session.get_one(Model, model.id).keys))


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
        **_link_files(session, model, key),
    )
    return whole if sealed is None or recourse is None else replace(whole, **_files(session, model, recourse))


def link_proof_of(session: Session, model: CommittedModel, certificate: Certificate) -> bytes | None:
    """Return the log proof that lies beside the link of a certificate's key, None for none.

    Raises ModelError for a folder of links that cannot be used.
    """
    links = links_beside(session.get_one(Model, model.id).opening)
    try:
        found = published_link(links, certificate.key_fingerprint)
        proof = None if found is None else found[0].with_suffix(PROOF_SUFFIX)
        return None if proof is None or not proof.exists() else read_regular(proof, MAX_PROOF_BYTES)
    except (KeyStoreError, DocumentError, OSError) as error:
        raise ModelError(str(error)) from None


def _link_files(session: Session, model: CommittedModel, key: TrustedKey) -> dict[str, bytes | None]:
    """Return the files of a kept key's link by their fields of a bundle; none for a key that needs no link.

    Raises ModelError where the link is not beside the opening, UntrustedKeyError where its key is not in the folder.
    """
    if not key.document.shape.kept:
        return {}
    links = links_beside(session.get_one(Model, model.id).opening)
    try:
        link = link_of(key.document.fingerprint, links)
    except KeyStoreError as error:
        raise ModelError(str(error)) from None
    if link is None:
        raise ModelError(f"{links}: put the link of the key {key.document.fingerprint[:16]}... back: it is not there")
    of_link = _keys(session, model).find_link_key(link.link_key.fingerprint)
    return {
        "link": link.to_bytes(),
        "link_key": canonical_bytes(of_link.document),
        "link_verifying_key": of_link.verifying,
        "link_signatures": of_link.signatures or None,
    }


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
    key = _keys(session, model).find(parse_box(first, "box certificate").key.fingerprint)
    wishes = recourse.kept.wishes
    return recourse_fields(key, canonical_bytes(WishesDocument(*WISHES, wishes)) if wishes else None, boxes)
