"""The workers with what each of them proves, and the form by which an admin has a proof ended."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import Annotated

from fastapi import APIRouter, Depends, Path, Response
from fastapi.responses import RedirectResponse
from sqlalchemy.orm import Session

from equiproof.service import attempts
from equiproof.service.attempts import AttemptError
from equiproof.service.console import words
from equiproof.service.console.guard import HOME, Permission, Post, Visit, posting, visiting
from equiproof.service.console.pages import page
from equiproof.service.console.refusals import missing
from equiproof.service.console.speech import heard, say
from equiproof.service.console.views.overseeing import HEARTBEAT_LIMIT
from equiproof.service.store import overview
from equiproof.service.store.tables import Attempt, Decision, Heartbeat, Model
from equiproof.service.trail import Act, note
from equiproof.verifier.words import NO_BREAK

MAX_LISTED = 100
FORGOTTEN = 24 * 3600 * words.SECOND
"""A worker that has been silent for longer, and holds nothing, is not listed."""

router = APIRouter(prefix="/workers")

Read = Annotated[Visit, Depends(visiting(Permission.READ))]
Cancels = Annotated[Post, Depends(posting(Permission.CANCEL))]
Identifier = Annotated[str, Path(pattern="^[0-9a-f]{32}$")]


@dataclass(frozen=True)
class Working:
    """A worker: how long ago it was last seen, and how many decisions it has."""

    name: str
    seen: str
    alive: bool
    starves: bool
    holds: int


@dataclass(frozen=True)
class Job:
    """A decision with its attempts; `worker` is "" where it waits again, and `then` what an admin wants of it."""

    id: str
    reference: str | None
    model: str
    worker: str
    alive: bool
    number: int
    lasted: str
    forecast: str
    then: str


@router.get("")
def workers(visit: Read) -> Response:
    """Show which worker has which decision since when."""
    return _shown(visit)


@router.post("/{decision_id}/cancel")
def cancel(decision_id: Identifier, sent: Cancels) -> Response:
    """Have the worker end the attempt of a decision, which then waits again or is marked failed."""
    visit, then = sent.visit, sent.fields.get("then", "")
    try:
        with visit.shared.database.transaction() as session:
            decision = session.get(Decision, decision_id, with_for_update=True)
            if decision is None:
                raise missing()
            attempts.ask(session, decision, then)
            note(session, Act.CANCEL, visit.who, visit.now, about=decision_id, detail=f"then={then}")
    except AttemptError as error:
        return _shown(visit, status=409, wrong=heard(str(error)))
    return RedirectResponse(f"{HOME}workers", 303)


def _shown(visit: Visit, *, status: int = 200, wrong: str = "") -> Response:
    """Show the page; `wrong` says why nothing was ended."""
    now = visit.now
    with visit.shared.database.reading() as session:
        found, total = overview.attempts(session, MAX_LISTED)
        alive = {row.name for row in overview.heartbeats(session, now - HEARTBEAT_LIMIT, ())}
        jobs = [_job(*one, alive, now) for one in found]
        listed = _workers(session, jobs, now)
    return page(visit, "workers", status=status, wrong=wrong, workers=listed, jobs=jobs, more=total - len(jobs))


def _workers(session: Session, jobs: list[Job], now: int) -> list[Working]:
    """Return the workers that were seen of late, or hold something."""
    holds = Counter(job.worker for job in jobs if job.worker)
    rows: list[Heartbeat] = overview.heartbeats(session, now - FORGOTTEN, holds)
    return [
        Working(
            row.name,
            words.lasted(now - row.beat),
            row.beat >= now - HEARTBEAT_LIMIT,
            row.starved == 1,
            holds[row.name],
        )
        for row in rows
    ]


def _job(attempt: Attempt, decision: Decision, model: Model, alive: set[str], now: int) -> Job:
    """Return a decision's line."""
    return Job(
        decision.id,
        decision.reference,
        model.name,
        attempt.worker or "",
        attempt.worker in alive,
        attempt.number,
        "" if attempt.begun is None else words.lasted(now - attempt.begun),
        _forecast(attempt, model),
        attempt.wish or "",
    )


def _forecast(attempt: Attempt, model: Model) -> str:
    """Return how long search and proof may take; "" where nothing is known of the proof."""
    if not attempt.forecast:
        return ""
    proof = words.seconds(round(attempt.forecast * words.SECOND))
    search = f"{words.number(round(model.max_seconds))}{NO_BREAK}s"
    return say("up to {search} of search, then about {proof} of proof", search=search, proof=proof)
