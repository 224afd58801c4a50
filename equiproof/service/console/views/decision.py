"""The page of a decision, its files, and the form by which a person decides."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated

from fastapi import APIRouter, Depends, Path, Response
from fastapi.responses import RedirectResponse
from sqlalchemy.orm import Session

from equiproof.service import persons, recourse_letters, recourses
from equiproof.service.again import AgainError, again
from equiproof.service.console import words
from equiproof.service.console.dossier import dossier_of
from equiproof.service.console.guard import HOME, Permission, Post, Visit, posting, visiting
from equiproof.service.console.pages import page
from equiproof.service.console.refusals import PageError, missing
from equiproof.service.console.rows import BADGES
from equiproof.service.console.speech import heard
from equiproof.service.console.views.lots import closed
from equiproof.service.corrections import Asked, CorrectionError, Means, close, file
from equiproof.service.decisions import opened, stated
from equiproof.service.leaving import at_once, left
from equiproof.service.letters import letter_of
from equiproof.service.overrides import MAX_REASON, OverrideError, override, standing
from equiproof.service.package import EvidenceError, evidence
from equiproof.service.policy import HeldError
from equiproof.service.recourses import ErasedError, RecourseError
from equiproof.service.store import queries
from equiproof.service.store.tables import Decision, Person, Recourse
from equiproof.service.trail import Act, note
from equiproof.verifier.letter import LetterError
from equiproof.verifier.words import Language

router = APIRouter(prefix="/decisions/{decision_id}")

Read = Annotated[Visit, Depends(visiting(Permission.READ))]
Details = Annotated[Visit, Depends(visiting(Permission.DETAILS))]
Decides = Annotated[Post, Depends(posting(Permission.DECIDE))]
Again = Annotated[Post, Depends(posting(Permission.AGAIN))]
Identifier = Annotated[str, Path(pattern="^[0-9a-f]{32}$")]
BoxName = Annotated[str, Path(pattern="^(none|way-[1-4])$")]


@router.get("")
def decision(decision_id: Identifier, visit: Read) -> Response:
    """Show a decision."""
    return _shown(visit, decision_id)


@router.post("")
def decide(decision_id: Identifier, sent: Decides) -> Response:
    """Record a person's decision under the name of the account; the page shows it, or what is wrong with the form."""
    visit = sent.visit
    form = sent.fields
    reason = form.get("reason", "")
    try:
        with visit.shared.database.transaction() as session:
            decision = _decision(session, decision_id)
            labels = visit.shared.models.of(session, decision.model_id).spec.labels
            label = _label(form.get("label", ""), len(labels))
            policy = visit.shared.settings.policy
            override(session, decision, label, reason, visit.signed.name, visit.now, policy, by=visit.who)
    except OverrideError as error:
        return _shown(
            visit, decision_id, status=422, wrong=heard(str(error)), reason=reason, chosen=form.get("label", "")
        )
    return RedirectResponse(f"{HOME}decisions/{decision_id}", 303)


@router.post("/again")
def certify_again(decision_id: Identifier, sent: Again) -> Response:
    """Have a decision proven once more that failed or stayed undecided, unless a person has decided since."""
    visit = sent.visit
    try:
        with visit.shared.database.transaction() as session:
            if standing(session, _decision(session, decision_id).id) is not None:
                raise AgainError("a person has decided")
            again(session, [decision_id], visit.now)
            note(session, Act.AGAIN, visit.who, visit.now, about=decision_id)
    except AgainError:
        text = "It is being certified already, or has ended in another way; its page says how it stands."
        raise PageError(409, "This is not certified again", text) from None
    return RedirectResponse(f"{HOME}decisions/{decision_id}", 303)


@router.post("/allow")
def allow_once_more(decision_id: Identifier, sent: Decides) -> Response:
    """Let the person of a decision apply once more, under the name of the account."""
    visit = sent.visit
    reason = sent.fields.get("reason", "")
    try:
        with visit.shared.database.transaction() as session:
            person = session.get(Person, _decision(session, decision_id).id)
            if person is None:
                raise missing()
            persons.allow(session, person, reason, visit.signed.name, visit.now)
            note(session, Act.ALLOWANCE, visit.who, visit.now, about=decision_id)
    except OverrideError as error:
        return _shown(visit, decision_id, status=422, wrong_allowance=heard(str(error)))
    return RedirectResponse(f"{HOME}decisions/{decision_id}", 303)


@router.post("/correction")
def file_request(decision_id: Identifier, sent: Decides) -> Response:
    """File, under the name of the account, that the applicant asked for details to be put right."""
    asked = Asked(sent.fields.get("asked", ""), sent.fields.get("request", ""))

    def filed(session: Session, first: Decision) -> None:
        file(session, first, asked, _means(sent), sent.visit.now, (sent.visit.signed.name, sent.visit.who))

    return _stepped(sent, decision_id, filed, wrong="wrong_request", asked=asked.day, request=asked.request)


@router.post("/correction/second")
def close_request(decision_id: Identifier, sent: Decides) -> Response:
    """Close the request, under the name of the account, by the decision that was made with details put right."""
    second = sent.fields.get("second", "")

    def closed(session: Session, first: Decision) -> None:
        close(session, first, second, _means(sent), sent.visit.now, (sent.visit.signed.name, sent.visit.who))

    return _stepped(sent, decision_id, closed, wrong="wrong_correction", second=second)


@router.post("/recourse")
def look_for_recourse(decision_id: Identifier, sent: Decides) -> Response:
    """Have recourse of a decision looked for, under the name of the account."""
    shared, visit = sent.visit.shared, sent.visit

    def asked(session: Session, decision: Decision) -> None:
        model = shared.models.of(session, decision.model_id)
        (view,) = left(session, [decision], shared.settings.policy, visit.now)
        recourses.ask(session, view, model, {}, shared.holders, shared.settings, visit.now, visit.who)

    return _stepped(sent, decision_id, asked, wrong="wrong_recourse")


@router.post("/recourse/answer")
def answer_recourse(decision_id: Identifier, sent: Decides) -> Response:
    """Keep what a person says, under the name of the account, where recourse depends on a sensitive feature."""
    said = sent.fields.get("answer", "")

    def answered(session: Session, decision: Decision) -> None:
        row = _recourse(session, decision)
        recourses.answer(session, row, said, sent.visit.signed.name, sent.visit.now, sent.visit.who)

    return _stepped(sent, decision_id, answered, wrong="wrong_answer", answer=said)


@router.post("/recourse/release")
def release_recourse(decision_id: Identifier, sent: Decides) -> Response:
    """Let the letter about recourse leave, under the name of the account."""

    def released(session: Session, decision: Decision) -> None:
        row = _recourse(session, decision)
        recourses.release(session, row, sent.visit.signed.name, sent.visit.now, sent.visit.who)

    return _stepped(sent, decision_id, released, wrong="wrong_recourse")


@router.get("/recourse/letter")
def recourse_letter(decision_id: Identifier, visit: Details, language: Language = "en") -> Response:
    """Return the letter about recourse as the applicant gets it, or would, shut off from the console."""
    shared = visit.shared
    try:
        with shared.database.transaction() as session:
            decision = _decision(session, decision_id)
            model = shared.models.of(session, decision.model_id)
            found = recourses.of_decision(session, decision, model.spec, shared.holders.vault)
            if found is None:
                raise missing()
            if found.row.released is None:
                body = recourse_letters.preview(session, model, decision, found, language, shared.settings)
            else:
                parts = session, model, decision, shared.holders.vault
                body = recourse_letters.letter_of(*parts, language, shared.settings)
            note(session, Act.RECOURSE_LETTER, visit.who, visit.now, about=decision_id)
    except (HeldError, LetterError, ErasedError) as error:
        raise PageError(409, "There is no letter now", _sentence(error)) from None
    return closed(body)


@router.get("/recourse/{name}/certificate")
def recourse_certificate(decision_id: Identifier, name: BoxName, visit: Read) -> Response:
    """Return a box certificate, which holds none of the applicant's details."""
    made = _box(visit, decision_id, name)
    return attached(made.certificate, "application/json", f"{name}-certificate-{decision_id[:8]}.json")


@router.get("/recourse/{name}/box")
def recourse_box(decision_id: Identifier, name: BoxName, visit: Details) -> Response:
    """Return an opened box, which is the applicant's."""
    made = _box(visit, decision_id, name)
    _seen(visit, Act.RECOURSE_BOX, decision_id)
    return attached(made.opened, "application/json", f"{name}-opened-{decision_id[:8]}.json")


def _box(visit: Visit, decision_id: str, name: str) -> recourses.ProvenBox:
    """Return what recourse hands out under a name; raises PageError."""
    shared = visit.shared
    with shared.database.reading() as session:
        decision = _decision(session, decision_id)
        spec = shared.models.of(session, decision.model_id).spec
        try:
            found = recourses.of_decision(session, decision, spec, shared.holders.vault)
        except ErasedError:
            found = None
    if found is None or found.told is None or (made := found.box(name)) is None:
        raise missing()
    return made


def _recourse(session: Session, decision: Decision) -> Recourse:
    """Return the row of a decision's recourse, locked; raises PageError."""
    if (row := session.get(Recourse, decision.id, with_for_update=True)) is None:
        raise missing()
    return row


def _means(sent: Post) -> Means:
    shared = sent.visit.shared
    return Means.of(shared.holders.vault, shared.models, shared.settings)


def _stepped(
    sent: Post, decision_id: str, step: Callable[[Session, Decision], None], *, wrong: str, **given: str
) -> Response:
    """Take a step, and show the decision again; `wrong` names the place for what refuses it."""
    try:
        with sent.visit.shared.database.transaction() as session:
            step(session, _decision(session, decision_id))
    except (CorrectionError, OverrideError, RecourseError, HeldError) as error:
        return _shown(sent.visit, decision_id, status=422, **{wrong: heard(str(error))}, **given)
    return RedirectResponse(f"{HOME}decisions/{decision_id}", 303)


@router.get("/certificate")
def certificate(decision_id: Identifier, visit: Read) -> Response:
    """Return the certificate's file, which holds none of the applicant's details."""
    with visit.shared.database.reading() as session:
        decision = _decision(session, decision_id)
        row = queries.certificate(session, decision.id)
    if row is None:
        raise missing()
    stated(decision, row, opened(decision, visit.shared.holders.vault))
    return attached(row.body, "application/json", f"certificate-{decision_id[:8]}.json")


@router.get("/letter")
def letter(decision_id: Identifier, visit: Details) -> Response:
    """Return the letter as the applicant gets it, shut off from the console; a page says why it is held."""
    shared = visit.shared
    try:
        with shared.database.transaction() as session:
            decision = _decision(session, decision_id)
            model = shared.models.of(session, decision.model_id)
            body = letter_of(
                session,
                model,
                at_once(session, decision),
                shared.holders.vault,
                words.reader().language,
                shared.settings,
            )
            note(session, Act.LETTER, visit.who, visit.now, about=decision_id)
    except (HeldError, LetterError) as error:
        raise PageError(409, "There is no letter now", _sentence(error)) from None
    return closed(body)


@router.get("/evidence")
def package(decision_id: Identifier, visit: Details) -> Response:
    """Return the evidence package, to keep."""
    shared = visit.shared
    try:
        with shared.database.reading() as session:
            decision = _decision(session, decision_id)
            model = shared.models.of(session, decision.model_id)
            body = evidence(
                session, model, at_once(session, decision), shared.holders.vault, shared.settings, visit.now
            )
    except EvidenceError as error:
        raise PageError(409, "There is no evidence package", _sentence(error)) from None
    _seen(visit, Act.PACKAGE, decision_id)
    return attached(body, "application/octet-stream", f"evidence-{decision_id[:8]}.equiproof")


def _sentence(error: Exception) -> str:
    """Return why there is something missing, as a sentence."""
    why = heard(str(error))
    return f"{why[:1].upper()}{why[1:]}."


def attached(body: bytes, kind: str, name: str) -> Response:
    """Return a file to keep; `name` is ours."""
    return Response(body, media_type=kind, headers={"Content-Disposition": f'attachment; filename="{name}"'})


def _shown(visit: Visit, decision_id: str, *, status: int = 200, **form: str) -> Response:
    """Show a decision; `form` is what a form that was refused had, and what is wrong with it."""
    with visit.shared.database.reading() as session:
        dossier = dossier_of(session, visit, _decision(session, decision_id))
    if visit.may(Permission.DETAILS):
        _seen(visit, Act.DETAILS, decision_id)
    wrongs = ("wrong_allowance", "wrong_request", "wrong_correction", "wrong_recourse", "wrong_answer")
    empty = dict.fromkeys((*wrongs, "wrong", "reason", "chosen", "second", "asked", "request", "answer"), "")
    return page(visit, "decision", status=status, it=dossier, about=BADGES, most_reason=MAX_REASON, **(empty | form))


def _seen(visit: Visit, act: Act, decision_id: str) -> None:
    """Write the line of the trail about what was put together and is shown next."""
    with visit.shared.database.transaction() as session:
        note(session, act, visit.who, visit.now, about=decision_id)


def _decision(session: Session, decision_id: str) -> Decision:
    """Return a decision of any client; raises PageError."""
    decision = session.get(Decision, decision_id)
    if decision is None:
        raise missing()
    return decision


def _label(text: str, most: int) -> int:
    """Return the label that a form names by its number; raises OverrideError."""
    if text not in map(str, range(most)):
        raise OverrideError("decision: choose one")
    return int(text)
