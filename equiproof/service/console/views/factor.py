"""Security keys: the step of a sign-in that asks for one, and the page on which people keep their own."""

from __future__ import annotations

import logging
from http import HTTPStatus
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Path, Request, Response
from fastapi.responses import RedirectResponse

from equiproof.service.console import factor_words, factors, sessions
from equiproof.service.console.factors import FactorError, Fault, Purpose
from equiproof.service.console.forms import Fields, fields
from equiproof.service.console.guard import (
    SIGN_IN,
    Cookie,
    Permission,
    Post,
    Visit,
    posting,
    token_of,
    visiting,
    who_of,
)
from equiproof.service.console.languages import language_of
from equiproof.service.console.pages import POLICY, bare, page
from equiproof.service.console.refusals import PageError
from equiproof.service.console.throttle import Throttle
from equiproof.service.console.views.signing import DETAIL, KEYS, refuse_without, unconfirmed
from equiproof.service.sites import site_of
from equiproof.service.store.tables import KeyStep, Officer
from equiproof.service.trail import Act, note
from equiproof.service.web.guard import address_of
from equiproof.service.web.state import Shared

_log = logging.getLogger("equiproof.service.console")

router = APIRouter()

Read = Annotated[Visit, Depends(visiting(Permission.READ))]
Sent = Annotated[Post, Depends(posting(Permission.READ))]
Digest = Annotated[str, Path(pattern="^[0-9a-f]{64}$")]


@router.get("/sign-in/key")
def step(request: Request, language: str = "") -> Response:
    """Ask for a key, the first one where the account has none; without a password before it, for that."""
    shared: Shared = request.app.state.shared
    language = language_of(language)
    site = site_of(shared.settings.public_url)
    with shared.database.reading() as session:
        row = factors.waiting(session, _token(request), shared.clock())
        if row is None:
            return RedirectResponse(SIGN_IN, 303)
        options = factors.questions(session, site, row) if site.takes_keys else ""
        first = row.purpose == Purpose.FIRST
    say = factor_words.texts(language)
    return _scripted(bare(request, "key", language=language, say=say, options=options, first=first))


@router.post("/sign-in/key")
def answer(request: Request, form: Annotated[Fields, Depends(fields)]) -> Response:
    """Begin a session for whose key has answered; any answer ends the step, and one that failed is a line."""
    shared: Shared = request.app.state.shared
    cookie = Cookie.of_key_step(shared)
    language = language_of(form.get("language", ""))
    with shared.database.transaction() as session:
        row = factors.take(session, _token(request), (Purpose.SIGN_IN, Purpose.FIRST), shared.clock())
    try:
        if row is None:
            raise FactorError(Fault.STEP)
        name, token = _begun(request, row, form)
    except FactorError as error:
        sent = _refused(request, error, language)
    else:
        throttle: Throttle = request.app.state.throttle
        throttle.succeeded(name, address_of(request))
        sent = RedirectResponse(row.then, 303)
        sent.set_cookie(value=token, **Cookie.of(shared).words)
    sent.delete_cookie(**cookie.words)
    return sent


@router.get("/security-keys")
def keys(visit: Read, language: str = "") -> Response:
    """List the keys of the visitor's account, with the form for another one."""
    _refuse_elsewhere(visit)
    return _shown(visit, language_of(language))


@router.post("/security-keys")
def add(sent: Sent) -> Response:
    """Add a key to the visitor's account."""
    visit = sent.visit
    _refuse_elsewhere(visit)
    language = language_of(sent.fields.get("language", ""))
    with visit.shared.database.transaction() as session:
        row = factors.take(session, token_of(visit.request), (Purpose.ADD,), visit.now)
    try:
        if row is None:
            raise FactorError(Fault.STEP)
        with visit.shared.database.transaction() as session:
            site = site_of(visit.shared.settings.public_url)
            name = sent.fields.get("name", "").strip()
            key = factors.add(session, site, row, sent.fields.get("answer", ""), name, visit.now)
            about = visit.signed.officer
            note(session, Act.SECURITY_KEY, visit.who, visit.now, about=about, detail=factors.detail_of(key.hash))
    except FactorError as error:
        return _shown(visit, language, status=422, wrong=factor_words.fault(error.fault, language))
    return RedirectResponse(f"{KEYS}?language={language}", 303)


@router.post("/security-keys/{key}/remove")
def remove(key: Digest, sent: Sent) -> Response:
    """Remove a key of the visitor's account, whose password is asked for once more."""
    visit = sent.visit
    _refuse_elsewhere(visit)
    language = language_of(sent.fields.get("language", ""))
    given = sent.fields.get("password", "")
    if refused := unconfirmed(visit, given, factor_words.texts(language)["wrong"]):
        status, wrong = refused
        return _shown(visit, language, status=status, wrong=wrong)
    try:
        with visit.shared.database.transaction() as session:
            factors.remove(session, visit.signed.officer, key, visit.shared.settings.console)
            about = visit.signed.officer
            note(session, Act.SECURITY_KEY_REMOVED, visit.who, visit.now, about=about, detail=factors.detail_of(key))
    except FactorError as error:
        return _shown(visit, language, status=422, wrong=factor_words.fault(error.fault, language))
    return RedirectResponse(f"{KEYS}?language={language}", 303)


def _begun(request: Request, row: KeyStep, form: Fields) -> tuple[str, str]:
    """Return the name of the account whose key has answered, and the token of its new session; raises FactorError."""
    shared: Shared = request.app.state.shared
    now, site = shared.clock(), site_of(shared.settings.public_url)
    given = form.get("answer", "")
    with shared.database.transaction() as session:
        officer = session.get(Officer, row.officer_id)
        if officer is None or officer.disabled is not None:
            raise FactorError(Fault.CLOSED, row.officer_id)
        first = row.purpose == Purpose.FIRST
        # Between password and answer somebody else may have brought the first key.
        if first and factors.keys_of(session, officer.id):
            raise FactorError(Fault.STEP, officer.id)
        if first:
            key = factors.add(session, site, row, given, form.get("name", "").strip(), now)
        else:
            key = factors.prove(session, site, row, given)
        sessions.end(session, token_of(request))
        session.flush()
        token = sessions.begin(session, officer, now)
        who = who_of(request, officer.id)
        if first:
            note(session, Act.SECURITY_KEY, who, now, about=officer.id, detail=factors.detail_of(key.hash))
        note(session, Act.SIGN_IN, who, now, detail=f"{DETAIL},{factors.detail_of(key.hash)}")
        return officer.name, token


def _refused(request: Request, error: FactorError, language: str) -> Response:
    """Return the page of a step that failed; there is a line of it where it is known whose it was."""
    shared: Shared = request.app.state.shared
    if error.officer:
        with shared.database.transaction() as session:
            detail = f"{DETAIL},reason={error.fault}"
            note(session, Act.SIGN_IN_FAILED, who_of(request, error.officer), shared.clock(), detail=detail)
    _log.warning("security key refused", extra={"fields": {"cause": str(error)}})
    say, text = factor_words.texts(language), factor_words.fault(error.fault, language)
    return bare(request, "sign-on-refused", status=HTTPStatus.FORBIDDEN, language=language, say=say, text=text)


def _shown(visit: Visit, language: str, *, status: int = 200, wrong: str = "") -> Response:
    """Return the page of the visitor's keys, with a challenge for another one."""
    shared, officer = visit.shared, visit.signed.officer
    with shared.database.transaction() as session:
        row = factors.ask(session, token_of(visit.request), officer, Purpose.ADD, KEYS, visit.now)
        options = factors.questions(session, site_of(shared.settings.public_url), row)
        kept = factors.keys_of(session, officer)
        session.expunge_all()
    values: dict[str, Any] = {"say": factor_words.texts(language), "language": language, "options": options}
    return _scripted(page(visit, "security-keys", status=status, keys=kept, wrong=wrong, **values))


def _refuse_elsewhere(visit: Visit) -> None:
    """Raise PageError for accounts without a password, and where no key is asked for or could be used."""
    refuse_without(visit)
    if visit.shared.settings.console.second_factor == "off":
        raise PageError(409, "Security keys are not used here", "Whoever runs this service can switch them on.")
    if not site_of(visit.shared.settings.public_url).takes_keys:
        text = "Browsers use them over TLS, under a name. Whoever runs this service can give it one: public_url."
        raise PageError(409, "Security keys cannot be used here", text)


def _scripted(answer: Response) -> Response:
    """Let a page have the one script of the console, which talks to the key."""
    answer.headers["Content-Security-Policy"] = f"script-src 'self'; {POLICY}"
    return answer


def _token(request: Request) -> str:
    """Return the token of a sign-in that waits for a key, or nothing."""
    return request.cookies.get(Cookie.of_key_step(request.app.state.shared).name, "")
