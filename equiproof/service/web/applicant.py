"""An applicant's page: one and the same for everybody, and what a token in a request's body opens.

The token is in the fragment of the page's address, so that no address that is sent or kept anywhere has it; the page's
script sends it in the body. There is no account and no cookie.

While a decision waits, nothing here shows what for: one that a prover works on, one that a person must decide and one
that failed have the same answers, made by the same steps. A decision is ready once there is a certificate that may
leave, and closed once a person has decided.
"""

from __future__ import annotations

from datetime import UTC, datetime
from functools import lru_cache
from typing import Annotated, Any, Literal
from urllib.parse import parse_qs

from fastapi import APIRouter, Body, Request, Response
from fastapi.responses import FileResponse
from pydantic import BaseModel
from sqlalchemy.orm import Session

from equiproof.circuits.tables import LANGUAGES
from equiproof.service.bundled import bundle_of
from equiproof.service.decisions import MICROSECONDS, opened
from equiproof.service.leaving import Left, left
from equiproof.service.letters import letter_of
from equiproof.service.links import PATH, decision_of
from equiproof.service.policy import HeldError, may_leave
from equiproof.service.public_log import public_log
from equiproof.service.recourses import released_of
from equiproof.service.settings import LogSettings
from equiproof.service.store.tables import Certificate, Decision
from equiproof.service.trail import BY_LINK, Act, note
from equiproof.service.web import built
from equiproof.service.web.papers import BUNDLE, HTML, LETTER_POLICY
from equiproof.service.web.problems import ProblemError
from equiproof.service.web.state import Shared
from equiproof.verifier.letter import LetterError

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src data:; form-action 'self'; "
    "base-uri 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'"
)
FORM = "application/x-www-form-urlencoded"
UNKNOWN_LINK = "no link"
"""Whose requests those are that open nothing, for the limit of all of them together; no client has such a name."""

LINK_REQUESTS = 120
"""How many requests a minute the links of one decision have: a page asks twice a minute, and for a few files."""

router = APIRouter(prefix=PATH, include_in_schema=False)

Form = Annotated[bytes, Body(media_type=FORM)]
Standing = Literal["waiting", "ready", "closed"]


class StandingBody(BaseModel):
    """What a link shows at once. `label` is there where a person has decided, and `log` where there is one.

    `receipt` is the digest that the public register has: the receipt itself would say whether a person decides.
    """

    standing: Standing
    label: str | None
    lender: str
    contact: str
    received: str
    receipt: str
    log: dict[str, Any] | None


@router.get("")
def page() -> Response:
    """Return the page; it holds nothing of anybody."""
    return _asset(built.PAGE, "text/html; charset=utf-8", {"Content-Security-Policy": POLICY})


@router.get("/{name}")
def asset(name: str) -> Response:
    """Return a file of the page's own."""
    if name not in built.FILES:
        raise ProblemError(404, "not-found", "no such page")
    return _asset(name, built.FILES[name], {})


@router.post("/standing")
def stands(form: Form, request: Request) -> StandingBody:
    """Return how a decision stands, as its applicant may know."""
    shared, decision_id, _ = _received(request, form)
    with shared.database.reading() as session:
        view, _, phase = _phase(shared, session, decision_id)
        decision, person = view.decision, view.person
        labels = shared.models.of(session, decision.model_id).spec.labels
    label = labels[person.label] if person is not None and phase == "closed" else None
    lender = shared.settings.lender
    day = datetime.fromtimestamp(decision.received // MICROSECONDS, UTC).date()
    return StandingBody(
        standing=phase,
        label=label,
        lender=lender.name,
        contact=lender.contact,
        received=day.isoformat(),
        receipt=decision.receipt,
        log=None if shared.settings.log is None else pinned(shared.settings.log, lender.owner or lender.name),
    )


@router.post("/file")
def bundle(form: Form, request: Request) -> Response:
    """Return the applicant's own file, once there is one; with recourse, once its letter was released."""
    shared, decision_id, _ = _received(request, form)
    with shared.database.reading() as session:
        view, certificate, phase = _phase(shared, session, decision_id)
        sealed = opened(view.decision, shared.holders.vault)
        if phase != "ready" or certificate is None or sealed is None:
            raise _not_yet()
        model = shared.models.of(session, view.decision.model_id)
        policy, vault = shared.settings.policy, shared.holders.vault
        found = released_of(session, view.decision, model.spec, vault, policy, shared.clock())
        whole = bundle_of(session, model, view.decision, certificate, sealed, found)
    with shared.database.transaction() as session:
        note(session, Act.BUNDLE, BY_LINK, shared.clock(), about=decision_id)
    return Response(whole.to_bytes(), media_type=BUNDLE)


@router.post("/letter")
def letter(form: Form, request: Request) -> Response:
    """Return the letter to print, once there is one."""
    shared, decision_id, fields = _received(request, form)
    language = fields.get("language", "en")
    with shared.database.transaction() as session:
        view, _, phase = _phase(shared, session, decision_id)
        if phase == "waiting" or language not in LANGUAGES:
            raise _not_yet()
        model = shared.models.of(session, view.decision.model_id)
        try:
            page = letter_of(session, model, view, shared.holders.vault, language, shared.settings)
        except (HeldError, LetterError):
            raise _not_yet() from None
        note(session, Act.LETTER, BY_LINK, shared.clock(), about=decision_id)
    return Response(page, media_type=HTML, headers={"Content-Security-Policy": LETTER_POLICY})


def _received(request: Request, form: bytes) -> tuple[Shared, str, dict[str, str]]:
    """Return what all requests share, the decision that a token opens, and the fields, of one that is twice the last.

    Each decision has a limit of requests of its own, so that nobody's guesses hold up those who have a link. Nothing is
    locked for a token that opens nothing.
    """
    shared: Shared = request.app.state.shared
    fields = {name: values[-1] for name, values in parse_qs(form.decode("ascii", "replace"), max_num_fields=8).items()}
    now = shared.clock()
    with shared.database.reading() as session:
        decision = decision_of(session, fields.get("token", ""), now)
    if decision is not None:
        shared.rates.take(f"link to {decision.id}", now, LINK_REQUESTS)
    else:
        shared.rates.take(UNKNOWN_LINK, now)
        raise ProblemError(404, "no-link", "this link opens nothing, or no longer")
    return shared, decision.id, fields


def _phase(shared: Shared, session: Session, decision_id: str) -> tuple[Left, Certificate | None, Standing]:
    """Return a decision as it has left, its certificate, and how it stands: by the same steps whatever that is.

    A policy that lets letters leave before their certificates says nothing here: a page that showed the model's
    decision at once would show by its silence that a person decides.
    """
    decision = session.get_one(Decision, decision_id)
    policy = shared.settings.policy
    (view,) = left(session, [decision], policy, shared.clock())
    certificate = view.certificate(session)
    try:
        may_leave(view.state, decision.label, certificate, policy, view.person is not None)
    except HeldError:
        return view, certificate, "waiting"
    if certificate is not None and view.person is None:
        return view, certificate, "ready"
    return view, None, "closed" if view.person is not None else "waiting"


@lru_cache(maxsize=4)
def pinned(log: LogSettings, owner: str) -> dict[str, Any]:
    """Return what the page pins of the public log, as plain values; raises as `public_log`."""
    pins = public_log(log).pins
    witnesses = [witness.text for witness in pins.witnesses]
    return {"key": pins.log.text, "witnesses": witnesses, "least": pins.least, "owner": owner}


def _not_yet() -> ProblemError:
    return ProblemError(409, "not-yet", "there is nothing to give out yet")


def _asset(name: str, media_type: str, headers: dict[str, str]) -> Response:
    """Return a file that was built; raises ProblemError where it was not."""
    path = built.ASSETS / name
    if not path.is_file():
        raise ProblemError(503, "not-built", built.BUILD_HINT)
    return FileResponse(path, media_type=media_type, headers=headers)
