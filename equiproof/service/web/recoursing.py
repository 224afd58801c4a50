"""Recourse of a refused decision: asked for, looked at, and handed out with its certificates, boxes and letter."""

from __future__ import annotations

from typing import Annotated, Any

import msgspec
from fastapi import APIRouter, Path, Request, Response
from sqlalchemy.orm import Session

from equiproof.circuits.allowed import Wish
from equiproof.service import recourse_letters, recourses
from equiproof.service.leaving import left
from equiproof.service.policy import HeldError
from equiproof.service.recourses import ErasedError, Opened, ProvenBox, RecourseError, Stage, WishesError
from equiproof.service.settings import PolicySettings
from equiproof.service.store.tables import Decision, Recourse
from equiproof.service.trail import Act
from equiproof.service.web.bodies import NewRecourse, RecourseBody, WayBody
from equiproof.service.web.guard import Submit, who_calls
from equiproof.service.web.papers import (
    HTML,
    JSON,
    LETTER_POLICY,
    PaperSource,
    RequestedPapers,
    attached,
    file_answer,
    held,
)
from equiproof.service.web.problems import ProblemError, documented
from equiproof.service.web.repeating import IdempotencyKey, respond
from equiproof.service.web.shown import Identifier, own, time
from equiproof.service.web.state import Shared
from equiproof.verifier.recourse import in_words
from equiproof.verifier.words import Language

router = APIRouter(prefix="/v1/decisions/{decision_id}/recourse", tags=["recourse"])

FileName = Annotated[str, Path(pattern="^(none|part|way-[1-4])$", examples=["way-1"])]


@router.post(
    "",
    operation_id="ask_for_recourse",
    status_code=201,
    response_model=RecourseBody,
    responses=documented(400, 404, 408, 409, 410, 413),
)
def ask(asked: NewRecourse, decision_id: Identifier, caller: Submit, key: IdempotencyKey, request: Request) -> Response:
    """Have it looked for what a refused applicant could have changed: once for a certified decision.

    The same `Idempotency-Key` and body give the same answer again.
    """
    shared: Shared = request.app.state.shared
    now = shared.clock()
    wishes = {
        name: msgspec.convert(wish.model_dump(by_alias=True, exclude_none=True), Wish)
        for name, wish in asked.wishes.items()
    }

    def done(session: Session) -> RecourseBody:
        decision = own(session, caller, decision_id)
        (view,) = left(session, [decision], shared.settings.policy, now)
        model = shared.models.of(session, decision.model_id)
        try:
            row = recourses.ask(
                session, view, model, wishes, shared.holders, shared.settings, now, who_calls(request, caller)
            )
        except ErasedError as error:
            raise ProblemError(410, "erased", str(error)) from None
        except WishesError as error:
            raise ProblemError(422, "invalid-request", str(error)) from None
        except RecourseError as error:
            raise ProblemError(409, "not-open", str(error)) from None
        except HeldError as error:
            raise ProblemError(409, "held", str(error)) from None
        return _unended(row)

    return respond(shared, (caller.client, key), request, asked, now, done)


@router.get("", operation_id="recourse", responses=documented(404))
def one(papers: RequestedPapers, language: Language = "en") -> RecourseBody:
    """Return how recourse of a decision stands, and in words what it says once its end has left."""
    policy = papers.shared.settings.policy
    with papers.reading() as source:
        row = _row(source.session, source.decision)
        if not recourses.has_ended(row, policy, papers.shared.clock()):
            return _unended(row)
        spec = source.model.spec
        try:
            found = recourses.of_decision(source.session, source.decision, spec, source.vault)
        except ErasedError:
            found = None
        said = None if found is None or found.told is None else in_words(spec, found.told, language)
        body = _ended(row, found, said, policy)
    if said is not None:
        papers.handed_out(Act.RECOURSE_READ)
    return body


@router.get(
    "/letter",
    operation_id="recourse_letter",
    responses=file_answer(HTML, "the letter, to print") | documented(404, 409, 410),
    response_class=Response,
)
def letter(papers: RequestedPapers, language: Language = "en") -> Response:
    """Return the letter about recourse, once an officer has released it; it is kept as it left."""
    with papers.writing() as source:
        _found(source)
        with held():
            page = recourse_letters.letter_of(
                source.session, source.model, source.decision, source.vault, language, papers.shared.settings
            )
        papers.note(source.session, Act.RECOURSE_LETTER)
    return Response(page, media_type=HTML, headers={"Content-Security-Policy": LETTER_POLICY})


@router.get(
    "/{name}/certificate",
    operation_id="recourse_certificate",
    responses=file_answer(JSON, "the box certificate's file") | documented(404, 410),
    response_class=Response,
)
def certificate(papers: RequestedPapers, name: FileName) -> Response:
    """Return a box certificate; it fits the decision's certificate and query."""
    with papers.reading() as source:
        body = _box(source, name).certificate
    return attached(body, JSON, "certificate.json")


@router.get(
    "/{name}/box",
    operation_id="recourse_box",
    responses=file_answer(JSON, "the opened box's file") | documented(404, 410),
    response_class=Response,
)
def box(papers: RequestedPapers, name: FileName) -> Response:
    """Return an opened box: it is the applicant's, and says what the certificate is about."""
    with papers.reading() as source:
        body = _box(source, name).opened
    papers.handed_out(Act.RECOURSE_BOX)
    return attached(body, JSON, "opened.json")


def _row(session: Session, decision: Decision) -> Recourse:
    """Return the row of a decision's recourse; raises the problem of one that was not asked for."""
    if (row := session.get(Recourse, decision.id)) is None:
        raise ProblemError(404, "no-recourse", "nobody has asked for recourse of this decision")
    return row


def _found(source: PaperSource) -> Opened:
    """Return recourse that was made and has left; raises ProblemError."""
    row = _row(source.session, source.decision)
    missing = ProblemError(404, "no-recourse", "recourse of this decision is not made yet: see its stage")
    if not recourses.has_ended(row, source.shared.settings.policy, source.shared.clock()):
        raise missing
    try:
        found = recourses.of_decision(source.session, source.decision, source.model.spec, source.vault)
    except ErasedError as error:
        raise ProblemError(410, "erased", str(error)) from None
    if found is None or found.told is None:
        raise missing
    return found


def _box(source: PaperSource, name: str) -> ProvenBox:
    """Return what is handed out under a name; raises ProblemError."""
    if (made := _found(source).box(name)) is None:
        raise ProblemError(404, "no-recourse", "recourse of this decision has no such file: see its files")
    return made


def _unended(row: Recourse) -> RecourseBody:
    """Return recourse as it is known before its end has left."""
    return RecourseBody(
        decision=row.decision_id,
        stage="waiting",
        asked=time(row.asked),
        ended=None,
        outcome=None,
        within=None,
        ways=[],
        sentences=[],
        files=[],
        review=None,
        released=None,
    )


def _ended(row: Recourse, found: Opened | None, said: dict[str, Any] | None, policy: PolicySettings) -> RecourseBody:
    """Return recourse that has ended; once erased, stage and outcome are left."""
    ways = []
    if found is not None and said is not None and row.outcome == "way":
        named = zip(found.names, found.kept.boxes, said["ways"], strict=True)
        ways = [WayBody(name=name, changed=list(box.changed), sentence=words["sentence"]) for name, box, words in named]
    at = recourses.ended_at(row, policy)
    return RecourseBody.model_validate(
        {
            "decision": row.decision_id,
            "stage": Stage(row.stage).value,
            "asked": time(row.asked),
            "ended": time(at),
            "outcome": row.outcome,
            "within": None if found is None or said is None else found.kept.within,
            "ways": ways,
            "sentences": [] if said is None else said["sentences"],
            "files": [] if found is None or said is None else found.names,
            "review": None if row.outcome != "dependent" else "open" if row.answered is None else "answered",
            "released": None if row.released is None else time(max(at, row.released)),
        }
    )
