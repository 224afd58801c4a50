"""What people do beside the model: decide themselves, and give an applicant a link or take it away."""

from __future__ import annotations

from datetime import timedelta
from typing import Annotated

from fastapi import APIRouter, Query, Request, Response

from equiproof.service.leaving import left
from equiproof.service.links import address, make_link, revoke_links
from equiproof.service.overrides import NotOpenError, OverrideError, not_open, override
from equiproof.service.trail import Act, note
from equiproof.service.web.bodies import DecisionBody, LinkBody, NewOverride
from equiproof.service.web.guard import Admin, Submit, refuse_account, who_calls
from equiproof.service.web.problems import ProblemError, documented
from equiproof.service.web.shown import Identifier, bodies, own, time
from equiproof.service.web.state import Shared

MAX_DAYS = 3650

router = APIRouter(prefix="/v1/decisions/{decision_id}", tags=["people"])


@router.post("/override", operation_id="override", status_code=201, responses=documented(400, 404, 408, 409, 413))
def decide_instead(verdict: NewOverride, decision_id: Identifier, caller: Admin, request: Request) -> DecisionBody:
    """Add a person's decision beside the model's, where no certificate may leave; the newest one stands.

    The state stays. The same label, reason and name again add nothing. Beside the name stands that this key said it;
    the name of an account of the console is refused, since whoever has one decides there.
    """
    shared: Shared = request.app.state.shared
    with shared.database.transaction() as session:
        decision = own(session, caller, decision_id)
        session.refresh(decision, with_for_update=True)  # nothing ends between what has left and what is open
        labels = shared.models.of(session, decision.model_id).spec.labels
        if verdict.label not in labels:
            raise ProblemError(422, "unknown-label", f"label: want one of {', '.join(map(repr, labels))}")
        try:
            label = labels.index(verdict.label)
            policy = shared.settings.policy
            (view,) = left(session, [decision], policy, shared.clock())
            if not view.whole:
                raise NotOpenError(not_open(view.state))
            refuse_account(session, verdict.name)
            who = who_calls(request, caller)
            override(session, decision, label, verdict.reason, verdict.name, shared.clock(), policy, by=who)
        except NotOpenError as error:
            raise ProblemError(409, "not-open", str(error)) from None
        except OverrideError as error:
            raise ProblemError(422, "invalid-request", str(error)) from None
        return bodies(shared, session, [decision])[0]


@router.post("/links", operation_id="make_link", status_code=201, responses=documented(404))
def give_link(
    decision_id: Identifier,
    caller: Submit,
    request: Request,
    days: Annotated[
        int | None, Query(ge=1, le=MAX_DAYS, description="how long it lives: at most the operator's `link_days`")
    ] = None,
) -> LinkBody:
    """Make a link with which the applicant sees this decision; it is shown once."""
    shared: Shared = request.app.state.shared
    now = shared.clock()
    most = shared.settings.retention.link_days
    if days is not None and days > most:
        raise ProblemError(422, "invalid-request", f"days: want at most {most}, which is how long links live here")
    lives = days or most
    with shared.database.transaction() as session:
        token = make_link(session, own(session, caller, decision_id).id, now, lives)
        note(session, Act.LINK, who_calls(request, caller), now, about=decision_id, detail=f"days={lives}")
    return LinkBody(url=address(shared.settings.public_url, token), expires=time(now) + timedelta(days=lives))


@router.delete(
    "/links", operation_id="revoke_links", status_code=204, responses=documented(404), response_class=Response
)
def take_links(decision_id: Identifier, caller: Submit, request: Request) -> Response:
    """End the life of all links of a decision."""
    shared: Shared = request.app.state.shared
    with shared.database.transaction() as session:
        revoke_links(session, own(session, caller, decision_id).id, shared.clock())
        note(session, Act.LINKS_REVOKED, who_calls(request, caller), shared.clock(), about=decision_id)
    return Response(status_code=204)
