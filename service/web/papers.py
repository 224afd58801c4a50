"""The papers of a decision: what the applicant may have, once the policy lets it leave, and what the lender keeps."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter, Request, Response
from sqlalchemy.orm import Session

from equiproof.circuits.canonical import canonical_bytes
from equiproof.service.bundled import bundle_of
from equiproof.service.decisions import Sealed, opened, stated
from equiproof.service.letters import letter_of
from equiproof.service.overrides import standing
from equiproof.service.package import EvidenceError, RefusedEvidenceError, evidence
from equiproof.service.policy import HeldError, may_leave
from equiproof.service.store import queries
from equiproof.service.store.tables import Decision
from equiproof.service.web.guard import Read
from equiproof.service.web.problems import ProblemError, documented
from equiproof.service.web.shown import Identifier, own
from equiproof.service.web.state import Shared
from equiproof.verifier.words import Language

router = APIRouter(prefix="/v1/decisions/{decision_id}", tags=["papers"])

JSON, HTML, BUNDLE = "application/json", "text/html; charset=utf-8", "application/octet-stream"

LETTER_POLICY = (
    "default-src 'none'; style-src 'unsafe-inline'; img-src data:; frame-ancestors 'none'; base-uri 'none'; "
    "form-action 'none'"
)
"""A letter is one file with its style inside."""


def _file(media_type: str, description: str) -> dict[int | str, dict[str, Any]]:
    """Return what the OpenAPI document says of an answer that is a file."""
    kind = {"type": "object"} if media_type == JSON else {"type": "string"}
    return {200: {"description": description, "content": {media_type: {"schema": kind}}}}


@router.get(
    "/certificate",
    operation_id="certificate",
    responses=_file(JSON, "the certificate's file") | documented(404),
    response_class=Response,
)
def certificate(decision_id: Identifier, caller: Read, request: Request) -> Response:
    """Return the certificate's file once there is one."""
    shared: Shared = request.app.state.shared
    with shared.database.reading() as session:
        decision = own(session, caller, decision_id)
        made = queries.certificate(session, decision.id)
    if made is None:
        raise ProblemError(404, "no-certificate", "this decision has no certificate, or not yet: see its state")
    stated(decision, made, opened(decision, shared.holders.vault))
    return _attached(made.body, JSON, "certificate.json")


@router.get(
    "/receipt",
    operation_id="receipt",
    responses=_file(JSON, "the receipt's file") | documented(404, 410),
    response_class=Response,
)
def receipt(decision_id: Identifier, caller: Read, request: Request) -> Response:
    """Return the receipt: it is the applicant's, and opens the entry in the public register."""
    shared: Shared = request.app.state.shared
    with shared.database.reading() as session:
        kept = _kept(shared, own(session, caller, decision_id))
    return _attached(canonical_bytes(kept.receipt), JSON, "receipt.json")


@router.get(
    "/bundle",
    operation_id="bundle",
    responses=_file(BUNDLE, "one file that verifies by itself") | documented(404, 409, 410),
    response_class=Response,
)
def bundle(decision_id: Identifier, caller: Read, request: Request) -> Response:
    """Return the applicant's own bundle: the certificate with all that verifies it, and the applicant's data."""
    shared: Shared = request.app.state.shared
    with shared.database.reading() as session:
        decision = own(session, caller, decision_id)
        made = queries.certificate(session, decision.id)
        _refuse_held(shared, session, decision)
        if made is None:
            raise ProblemError(404, "no-certificate", "this decision has no certificate, or not yet: see its state")
        model = shared.models.of(session, decision.model_id)
        whole = bundle_of(session, model, decision, made, _kept(shared, decision))
    return _attached(whole.to_bytes(), BUNDLE, "decision.equiproof")


@router.get(
    "/letter",
    operation_id="letter",
    responses=_file(HTML, "the letter, to print") | documented(404, 409, 410),
    response_class=Response,
)
def letter(
    decision_id: Identifier,
    caller: Read,
    request: Request,
    language: Language = "en",
) -> Response:
    """Return the letter to the applicant, where the policy lets it leave; it is kept as it left."""
    shared: Shared = request.app.state.shared
    with shared.database.transaction() as session:
        decision = own(session, caller, decision_id)
        _kept(shared, decision)
        model = shared.models.of(session, decision.model_id)
        try:
            page = letter_of(session, model, decision, shared.holders.vault, language, shared.settings)
        except HeldError as error:
            raise ProblemError(409, "held", str(error)) from None
    return Response(page, media_type=HTML, headers={"Content-Security-Policy": LETTER_POLICY})


@router.get(
    "/package",
    operation_id="package",
    responses=_file(BUNDLE, "what shows the decision later") | documented(404, 409),
    response_class=Response,
)
def package(decision_id: Identifier, caller: Read, request: Request) -> Response:
    """Return the evidence package of a certified decision: it is the lender's, and holds the applicant's data."""
    shared: Shared = request.app.state.shared
    with shared.database.reading() as session:
        decision = own(session, caller, decision_id)
        model = shared.models.of(session, decision.model_id)
        try:
            whole = evidence(session, model, decision, shared.holders.vault, shared.settings, shared.clock())
        except RefusedEvidenceError as error:
            raise ProblemError(409, "refused", str(error)) from None
        except EvidenceError as error:
            raise ProblemError(404, "no-package", str(error)) from None
    return _attached(whole, BUNDLE, "evidence.equiproof")


def _refuse_held(shared: Shared, session: Session, decision: Decision) -> None:
    """Raise the problem of a bundle that may not leave."""
    made = queries.certificate(session, decision.id)
    overridden = standing(session, decision.id) is not None
    try:
        may_leave(decision, made, shared.settings.policy, overridden)
    except HeldError as error:
        raise ProblemError(409, "held", str(error)) from None
    if made is not None and overridden:
        raise ProblemError(409, "held", "a person has decided: the certificate of the model's decision stays here")


def _kept(shared: Shared, decision: Decision) -> Sealed:
    """Return the applicant's data; raises the problem of data that have been erased."""
    if (kept := opened(decision, shared.holders.vault)) is None:
        raise ProblemError(410, "erased", "the applicant's data have been erased")
    return kept


def _attached(body: bytes, media_type: str, name: str) -> Response:
    """Return a file to keep."""
    return Response(body, media_type=media_type, headers={"Content-Disposition": f'attachment; filename="{name}"'})
