"""What a lender's front end says of corrections: that somebody asked for one, and which decision followed."""

from __future__ import annotations

from collections.abc import Callable

from fastapi import APIRouter, Request, Response
from sqlalchemy.orm import Session

from equiproof.service.clients import Caller
from equiproof.service.corrections import (
    Asked,
    CorrectionError,
    ErasedError,
    Means,
    Record,
    StandingError,
    changed,
    close,
    corrections,
    file,
)
from equiproof.service.overrides import OverrideError
from equiproof.service.store.tables import Correction, CorrectionRequest, Decision
from equiproof.service.web.bodies import (
    CorrectionBody,
    CorrectionList,
    NewCorrection,
    SaidBody,
    SecondDecision,
    Strict,
)
from equiproof.service.web.guard import Read, Submit, refuse_account, who_calls
from equiproof.service.web.problems import ProblemError, documented
from equiproof.service.web.repeating import IdempotencyKey, respond
from equiproof.service.web.shown import Identifier, own, time
from equiproof.service.web.state import Shared

router = APIRouter(prefix="/v1/decisions/{decision_id}/corrections", tags=["corrections"])

Step = Callable[[Session, Decision, Means, int], object]


@router.get("", operation_id="corrections", responses=documented(404))
def listed(decision_id: Identifier, caller: Read, request: Request) -> CorrectionList:
    """Return the corrections of a decision: the one that led to it, and the one that followed or was asked for."""
    shared: Shared = request.app.state.shared
    with shared.database.reading() as session:
        own(session, caller, decision_id)
        return CorrectionList(corrections=[_body(one) for one in corrections(session, decision_id)])


@router.post(
    "",
    operation_id="ask_for_correction",
    status_code=201,
    response_model=CorrectionBody,
    responses=documented(400, 404, 408, 409, 410, 413),
)
def ask(
    asked: NewCorrection, decision_id: Identifier, caller: Submit, key: IdempotencyKey, request: Request
) -> Response:
    """File that the applicant asked for details to be put right: at most once for a decision.

    The same `Idempotency-Key` and body give the same answer again.
    """

    def step(session: Session, first: Decision, means: Means, now: int) -> None:
        what = Asked(asked.asked, asked.request)
        file(session, first, what, means, now, (asked.name, who_calls(request, caller)))

    return _stepped(asked, asked.name, decision_id, caller, key, request, step)


@router.post(
    "/second",
    operation_id="correct",
    status_code=201,
    response_model=CorrectionBody,
    responses=documented(400, 404, 408, 409, 410, 413),
)
def correct(
    second: SecondDecision, decision_id: Identifier, caller: Submit, key: IdempotencyKey, request: Request
) -> Response:
    """Close the request: name the second decision, which was made with the details put right.

    The same `Idempotency-Key` and body give the same answer again.
    """

    def step(session: Session, first: Decision, means: Means, now: int) -> None:
        close(session, first, second.second, means, now, (second.name, who_calls(request, caller)))

    return _stepped(second, second.name, decision_id, caller, key, request, step)


def _stepped(
    body: Strict, name: str, decision_id: str, caller: Caller, key: str, request: Request, step: Step
) -> Response:
    """Take a step of a correction once, and answer with the record; raises ProblemError."""
    shared: Shared = request.app.state.shared
    means = Means.of(shared.holders.vault, shared.models, shared.settings)
    now = shared.clock()

    def done(session: Session) -> CorrectionBody:
        first = own(session, caller, decision_id)
        try:
            refuse_account(session, name)
            step(session, first, means, now)
        except StandingError as error:
            raise ProblemError(409, "not-open", str(error)) from None
        except ErasedError as error:
            raise ProblemError(410, "erased", str(error)) from None
        except (CorrectionError, OverrideError) as error:
            raise ProblemError(422, "invalid-request", str(error)) from None
        return _body(corrections(session, decision_id)[-1])

    return respond(shared, (caller.client, key), request, body, now, done)


def _body(one: Record) -> CorrectionBody:
    """Return a record, without the applicant's words: who filed them has them, and answers are kept."""
    row = one.correction
    return CorrectionBody(
        decision=one.request.decision_id,
        second=None if row is None else row.second_id,
        asked=one.request.asked,
        changed=[] if row is None else changed(row),
        way=None if row is None else row.way,
        filed=_said(one.request),
        closed=None if row is None else _said(row),
    )


def _said(row: Correction | CorrectionRequest) -> SaidBody:
    return SaidBody(name=row.name, at=time(row.at))
