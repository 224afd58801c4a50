"""Signing in by a provider: the way there, and the way back.

The way back comes from another site, with which browsers send no cookie that is Strict: that of the session is set on a
page that leads on by itself, and what is under way has a cookie of its own, which is Lax.
"""

from __future__ import annotations

import hmac
import logging
from http import HTTPStatus
from typing import TYPE_CHECKING

from fastapi import APIRouter, Request, Response
from fastapi.responses import RedirectResponse
from sqlalchemy import select

from equiproof.circuits.tables import spoken
from equiproof.service.console import officers, pending, sessions, sign_on_words
from equiproof.service.console.guard import Cookie, token_of, who_of
from equiproof.service.console.identities import Identity, Refusal, SignOnError
from equiproof.service.console.languages import language_of
from equiproof.service.console.officers import OfficerError
from equiproof.service.console.pages import bare
from equiproof.service.console.refusals import missing
from equiproof.service.console.throttle import Throttle
from equiproof.service.console.views.signing import inside
from equiproof.service.store.tables import Officer, SignOn
from equiproof.service.trail import Act, note
from equiproof.service.web.guard import address_of
from equiproof.service.web.state import Shared

if TYPE_CHECKING:
    from equiproof.service.console.provider import Provider

DETAIL = "by=provider"
STATUS = {Refusal.PROVIDER: HTTPStatus.SERVICE_UNAVAILABLE, Refusal.TRIES: HTTPStatus.TOO_MANY_REQUESTS}
"""Of refusals that are not 403."""

_ONCE = ("state", "code", "iss", "error")
_log = logging.getLogger("equiproof.service.console")

router = APIRouter(prefix="/sign-on")


@router.get("")
def leave(request: Request, next: str = "", language: str = "") -> Response:  # noqa: A002 -- the name in the address
    """Send the browser to the provider; `next` is where to go afterwards, and `language` that of our pages."""
    provider, shared, language = _provider(request), _shared(request), language_of(language)
    throttle: Throttle = request.app.state.throttle
    if throttle.wait_anybody(address_of(request), shared.clock()):
        return refusal_page(request, Refusal.TRIES, language)
    with shared.database.transaction() as session:
        token, row = pending.begin(session, inside(next), language, token_of(request), shared.clock())
        session.expunge(row)
    try:
        answer = RedirectResponse(provider.address(row), 303)
    except SignOnError as error:
        return refused(request, error, language)
    answer.set_cookie(value=token, max_age=pending.PENDING_TIME // 1_000_000, **Cookie.of_sign_on(shared).words)
    return answer


@router.get("/callback")
def come_back(request: Request) -> Response:
    """Begin a session for whom the provider names, or say why there is none; either is a line of the trail."""
    provider, shared = _provider(request), _shared(request)
    throttle: Throttle = request.app.state.throttle
    cookie = Cookie.of_sign_on(shared)
    with shared.database.transaction() as session:
        row = pending.take(session, request.cookies.get(cookie.name, ""), shared.clock())
    # A sign-on that is under way was counted when it began.
    if row is None and throttle.wait_anybody(address_of(request), shared.clock()):
        return refusal_page(request, Refusal.TRIES, spoken())
    language = row.language if row else spoken()
    try:
        row, code = _answered(request, provider, row)
        identity = provider.identity(code, row)
        token = begun(request, provider.settings.issuer, identity, row.before, DETAIL)
    except SignOnError as error:
        answer = refused(request, error, language)
    else:
        throttle.succeeded_anybody(address_of(request))
        answer = bare(request, "signed-on", language=language, say=sign_on_words.texts(language), then=row.then)
        answer.set_cookie(value=token, **Cookie.of(shared).words)
    answer.delete_cookie(**cookie.words)
    return answer


def _answered(request: Request, provider: Provider, row: SignOn | None) -> tuple[SignOn, str]:
    """Return the sign-on that an answer belongs to, and its code; raises SignOnError for any other answer."""
    pairs = request.query_params.multi_items()
    given = {name: value for name, value in pairs if name in _ONCE}
    state = given.get("state", "")
    if row is None or not hmac.compare_digest(state.encode(), row.state.encode()):
        raise SignOnError(Refusal.STATE)
    if len([name for name, _ in pairs if name in _ONCE]) != len(given):
        raise SignOnError(Refusal.STATE, "a parameter stands there twice")
    # RFC 9207: where the answer says whose it is, it is our provider's.
    if given.get("iss", provider.settings.issuer) != provider.settings.issuer:
        raise SignOnError(Refusal.ISSUER)
    if "error" in given or not given.get("code"):
        raise SignOnError(Refusal.DENIED)
    return row, given["code"]


def begun(request: Request, issuer: str, identity: Identity, before_it: str, detail: str) -> str:
    """Return the token of a new session of the account that is this person's, whose role and name it takes over.

    `issuer` is who says so, `before_it` the digest of the session's token that ends with it, and `detail` how the trail
    names the way. Raises SignOnError for an account that is closed, and for a name that cannot be had.
    """
    shared = _shared(request)
    now = shared.clock()
    with shared.database.transaction() as session:
        kept = select(Officer.role, Officer.disabled, Officer.id).where(
            Officer.issuer == issuer, Officer.subject == identity.subject
        )
        before = session.execute(kept).first()
        if before is not None and before.disabled is not None:
            raise SignOnError(Refusal.CLOSED, officer=before.id)
        try:
            officer = officers.joined(session, issuer, identity.subject, identity.name, identity.role, now)
        except OfficerError:
            raise SignOnError(Refusal.NAME, officer=before.id if before else "") from None
        sessions.end_by_digest(session, before_it)
        session.flush()
        token = sessions.begin(session, officer, now)
        who = who_of(request, officer.id)
        if before is None or before.role != officer.role:
            act = Act.ACCOUNT if before is None else Act.ACCOUNT_ROLE
            note(session, act, who, now, about=officer.id, detail=f"role={officer.role},{detail}")
        note(session, Act.SIGN_IN, who, now, detail=detail)
        return token


def refused(request: Request, error: SignOnError, language: str, detail: str = DETAIL) -> Response:
    """Write the line of the trail and that of the log about a refusal, and return its page."""
    shared = _shared(request)
    who = who_of(request, error.officer)
    with shared.database.transaction() as session:
        note(session, Act.SIGN_IN_FAILED, who, shared.clock(), detail=f"{detail},reason={error.refusal}")
    _log.warning("sign-on refused", extra={"fields": {"cause": str(error)}})
    return refusal_page(request, error.refusal, language)


def refusal_page(request: Request, refusal: Refusal, language: str) -> Response:
    """Return the page that says why there is no session."""
    status = STATUS.get(refusal, HTTPStatus.FORBIDDEN)
    text = sign_on_words.refusal(refusal, language)
    say = sign_on_words.texts(language)
    answer = bare(request, "sign-on-refused", status=status, language=language, say=say, text=text)
    if status != HTTPStatus.FORBIDDEN:
        answer.headers["Retry-After"] = "60" if status == HTTPStatus.SERVICE_UNAVAILABLE else "900"
    return answer


def _provider(request: Request) -> Provider:
    """Return the provider; raises PageError where there is none."""
    provider: Provider | None = request.app.state.provider
    if provider is None:
        raise missing()
    return provider


def _shared(request: Request) -> Shared:
    shared: Shared = request.app.state.shared
    return shared
