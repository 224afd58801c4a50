"""The papers of a decision: what the applicant may have, once the policy lets it leave, and what the lender keeps."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Request, Response
from sqlalchemy.orm import Session

from equiproof.circuits.canonical import canonical_bytes
from equiproof.service.bundled import bundle_of
from equiproof.service.clients import Caller
from equiproof.service.decisions import Sealed, opened, stated
from equiproof.service.leaving import Left, left
from equiproof.service.letters import letter_of
from equiproof.service.models import CommittedModel
from equiproof.service.package import EvidenceError, RefusedEvidenceError, evidence
from equiproof.service.policy import HeldError, may_leave
from equiproof.service.recourses import Opened, released_of
from equiproof.service.store.tables import Certificate, Decision
from equiproof.service.trail import Act, Who, note
from equiproof.service.vault import Vault
from equiproof.service.web.guard import Read, who_calls
from equiproof.service.web.problems import ProblemError, documented
from equiproof.service.web.shown import Identifier, own
from equiproof.service.web.state import Shared
from equiproof.verifier.letter import LetterError
from equiproof.verifier.words import Language

router = APIRouter(prefix="/v1/decisions/{decision_id}", tags=["papers"])

JSON = "application/json"
HTML = "text/html; charset=utf-8"
BUNDLE = "application/octet-stream"

LETTER_POLICY = (
    "default-src 'none'; style-src 'unsafe-inline'; img-src data:; frame-ancestors 'none'; base-uri 'none'; "
    "form-action 'none'"
)
"""A letter is one file with its style inside."""


def file_answer(media_type: str, description: str) -> dict[int | str, dict[str, Any]]:
    """Return what the OpenAPI document says of an answer that is a file."""
    kind = {"type": "object"} if media_type == JSON else {"type": "string"}
    return {200: {"description": description, "content": {media_type: {"schema": kind}}}}


@dataclass(frozen=True)
class PaperSource:
    """A decision of the caller's as it has left, read in the transaction of the block, and what papers are made of."""

    shared: Shared
    session: Session
    view: Left

    @property
    def decision(self) -> Decision:
        """The decision's row, which says more than has left."""
        return self.view.decision

    @property
    def model(self) -> CommittedModel:
        """The model that decided."""
        return self.shared.models.of(self.session, self.decision.model_id)

    @property
    def vault(self) -> Vault:
        """What opens the applicant's data."""
        return self.shared.holders.vault

    def certificate(self) -> Certificate:
        """Return the certificate's row; raises the problem of a decision that has none."""
        if (row := self.view.certificate(self.session)) is None:
            raise ProblemError(404, "no-certificate", "this decision has no certificate, or not yet: see its state")
        return row

    def kept(self) -> Sealed:
        """Return the applicant's data; raises the problem of data that have been erased."""
        if (sealed := opened(self.decision, self.vault)) is None:
            raise ProblemError(410, "erased", "the applicant's data have been erased")
        return sealed

    def recourse(self) -> Opened | None:
        """Return the applicant's recourse where its letter was released, None for none."""
        policy = self.shared.settings.policy
        return released_of(self.session, self.decision, self.model.spec, self.vault, policy, self.shared.clock())

    def refuse_held(self) -> None:
        """Raise the problem of a bundle that may not leave."""
        row = self.view.certificate(self.session)
        overridden = self.view.person is not None
        with held():
            may_leave(self.view.state, self.decision.label, row, self.shared.settings.policy, overridden)
        if row is not None and overridden:
            raise ProblemError(409, "held", "a person has decided: the certificate of the model's decision stays here")


@dataclass(frozen=True)
class Papers:
    """Whose papers a request asks for; `reading` and `writing` are blocks of one transaction each."""

    shared: Shared
    caller: Caller
    who: Who
    decision_id: str

    @contextmanager
    def reading(self) -> Iterator[PaperSource]:
        """Read the decision; raises the problem of one that is not the caller's."""
        with self.shared.database.reading() as session:
            yield self._source(session)

    @contextmanager
    def writing(self) -> Iterator[PaperSource]:
        """Do the same where something may be kept."""
        with self.shared.database.transaction() as session:
            yield self._source(session)

    def handed_out(self, act: Act) -> None:
        """Write the line of the trail about a paper that was read and leaves next."""
        with self.shared.database.transaction() as session:
            self.note(session, act)

    def note(self, session: Session, act: Act) -> None:
        """Write the same in a transaction that keeps the paper."""
        note(session, act, self.who, self.shared.clock(), about=self.decision_id)

    def _source(self, session: Session) -> PaperSource:
        decision = own(session, self.caller, self.decision_id)
        (view,) = left(session, [decision], self.shared.settings.policy, self.shared.clock())
        return PaperSource(self.shared, session, view)


def papers_of(decision_id: Identifier, caller: Read, request: Request) -> Papers:
    """Return what a request for a paper begins with: a caller who may read, and the decision's id."""
    return Papers(request.app.state.shared, caller, who_calls(request, caller), decision_id)


RequestedPapers = Annotated[Papers, Depends(papers_of)]


@router.get(
    "/certificate",
    operation_id="certificate",
    responses=file_answer(JSON, "the certificate's file") | documented(404),
    response_class=Response,
)
def certificate(papers: RequestedPapers) -> Response:
    """Return the certificate's file once there is one."""
    with papers.reading() as source:
        row = source.certificate()
        stated(source.decision, row, opened(source.decision, source.vault))
    return attached(row.body, JSON, "certificate.json")


@router.get(
    "/receipt",
    operation_id="receipt",
    responses=file_answer(JSON, "the receipt's file") | documented(404, 410),
    response_class=Response,
)
def receipt(papers: RequestedPapers) -> Response:
    """Return the receipt: it is the applicant's, and opens the entry in the public register."""
    with papers.reading() as source:
        body = canonical_bytes(source.kept().receipt)
    papers.handed_out(Act.RECEIPT)
    return attached(body, JSON, "receipt.json")


@router.get(
    "/bundle",
    operation_id="bundle",
    responses=file_answer(BUNDLE, "one file that verifies by itself") | documented(404, 409, 410),
    response_class=Response,
)
def bundle(papers: RequestedPapers) -> Response:
    """Return the applicant's own bundle: the certificate with all that verifies it, and the applicant's data.

    Recourse is in it once its letter was released.
    """
    with papers.reading() as source:
        source.refuse_held()
        whole = bundle_of(
            source.session,
            source.model,
            source.decision,
            source.certificate(),
            source.kept(),
            source.recourse(),
        )
    papers.handed_out(Act.BUNDLE)
    return attached(whole.to_bytes(), BUNDLE, "decision.equiproof")


@router.get(
    "/letter",
    operation_id="letter",
    responses=file_answer(HTML, "the letter, to print") | documented(404, 409, 410),
    response_class=Response,
)
def letter(papers: RequestedPapers, language: Language = "en") -> Response:
    """Return the letter to the applicant, where the policy lets it leave; it is kept as it left."""
    with papers.writing() as source:
        source.kept()  # erased data are told apart from a letter that is held
        with held():
            parts = (
                source.session,
                source.model,
                source.view,
                source.vault,
            )
            page = letter_of(*parts, language, papers.shared.settings)
        papers.note(source.session, Act.LETTER)
    return Response(page, media_type=HTML, headers={"Content-Security-Policy": LETTER_POLICY})


@router.get(
    "/package",
    operation_id="package",
    responses=file_answer(BUNDLE, "what shows the decision later") | documented(404, 409),
    response_class=Response,
)
def package(papers: RequestedPapers) -> Response:
    """Return the evidence package of a certified decision: it is the lender's, and holds the applicant's data."""
    shared = papers.shared
    with papers.reading() as source:
        try:
            whole = evidence(
                source.session,
                source.model,
                source.view,
                source.vault,
                shared.settings,
                shared.clock(),
            )
        except RefusedEvidenceError as error:
            raise ProblemError(409, "refused", str(error)) from None
        except EvidenceError as error:
            raise ProblemError(404, "no-package", str(error)) from None
    papers.handed_out(Act.PACKAGE)
    return attached(whole, BUNDLE, "evidence.equiproof")


@contextmanager
def held() -> Iterator[None]:
    """Give what the policy holds, and a letter that would not fit its page, the shape of a problem."""
    try:
        yield
    except (HeldError, LetterError) as error:
        raise ProblemError(409, "held", str(error)) from None


def attached(body: bytes, media_type: str, name: str) -> Response:
    """Return a file to keep."""
    return Response(body, media_type=media_type, headers={"Content-Disposition": f'attachment; filename="{name}"'})
