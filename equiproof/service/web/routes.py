"""The operations on decisions."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query, Request, Response

from equiproof.service.leaving import state_is
from equiproof.service.states import State
from equiproof.service.store import queries
from equiproof.service.web.bodies import DecisionBody, DecisionList, NewDecision
from equiproof.service.web.deciding import Ask
from equiproof.service.web.guard import Decides, Read
from equiproof.service.web.problems import documented
from equiproof.service.web.repeating import IdempotencyKey
from equiproof.service.web.shown import Identifier, bodies, own
from equiproof.service.web.state import Shared

router = APIRouter(prefix="/v1/decisions", tags=["decisions"])


@router.post(
    "",
    operation_id="decide",
    status_code=201,
    response_model=DecisionBody,
    responses=documented(400, 404, 408, 409, 413),
)
async def decide(application: NewDecision, caller: Decides, key: IdempotencyKey, request: Request) -> Response:
    """Decide about an applicant at once; the receipt is written with the decision, the certificate follows.

    The same `Idempotency-Key` and body give the same answer again.
    """
    shared: Shared = request.app.state.shared
    # As it was before there were persons: an answer that is kept stays known.
    left_out = {"person"} if application.person is None else None
    digests = shared.holders.vault.digests(application.model_dump_json(exclude=left_out).encode())
    named = request.state.request, shared.tracing.here
    answer = await request.app.state.decisions(Ask(caller, key, application, digests, shared.clock(), *named))
    return Response(answer.body, answer.status, media_type="application/json")


@router.get("/{decision_id}", operation_id="decision", responses=documented(404))
def one(decision_id: Identifier, caller: Read, request: Request) -> DecisionBody:
    """Return a decision with its history."""
    shared: Shared = request.app.state.shared
    with shared.database.reading() as session:
        return bodies(shared, session, [own(session, caller, decision_id)])[0]


@router.get("", operation_id="decisions", responses=documented())
def many(
    caller: Read,
    request: Request,
    state: State | None = None,
    cursor: Annotated[str | None, Query(max_length=64, pattern=queries.CURSOR)] = None,
    limit: Annotated[int, Query(ge=1, le=100)] = 50,
) -> DecisionList:
    """Return the caller's decisions, the newest first; take `cursor` from the field `next` of a page."""
    shared: Shared = request.app.state.shared
    with shared.database.reading() as session:
        after = queries.parse_cursor(cursor) if cursor else None
        which = None if state is None else state_is(state, shared.settings.policy, shared.clock())
        decisions = queries.page(session, caller.client, which, after, limit + 1)
        page = bodies(shared, session, decisions[:limit])
    return DecisionList(decisions=page, next=queries.cursor(decisions[limit - 1]) if len(decisions) > limit else None)
