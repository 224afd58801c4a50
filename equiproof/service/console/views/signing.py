"""Signing in and out, and one's own password."""

from __future__ import annotations

import re
import secrets
from typing import Annotated
from urllib.parse import urlencode

from fastapi import APIRouter, Depends, Request, Response
from fastapi.responses import RedirectResponse

from equiproof.circuits.tables import LANGUAGES, spoken
from equiproof.service.console import factors, officers, sessions, sign_on_words, words
from equiproof.service.console.forms import Fields, fields
from equiproof.service.console.guard import (
    HOME,
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
from equiproof.service.console.officers import OfficerError
from equiproof.service.console.pages import bare, page
from equiproof.service.console.refusals import PageError, missing
from equiproof.service.console.speech import heard, say
from equiproof.service.console.throttle import Throttle
from equiproof.service.store.tables import Officer
from equiproof.service.trail import Act, Who, note
from equiproof.service.web.cookies import LANGUAGE
from equiproof.service.web.guard import address_of
from equiproof.service.web.state import Shared

SIGN_IN_FAILURE = "Name and password do not belong together, or the account is closed."
STEP = f"{SIGN_IN}/key"
KEYS = f"{HOME}security-keys"
LANGUAGE_TIME = 365 * 86_400
"""Seconds."""

DETAIL = "by=key"
"""How the trail says that a security key had a say."""

_CONSOLE_PATH = re.compile(r"/console/[A-Za-z0-9/_-]{0,150}")

router = APIRouter()

Read = Annotated[Visit, Depends(visiting(Permission.READ))]
Sent = Annotated[Post, Depends(posting(Permission.READ))]


@router.get("/sign-in")
def form(request: Request, next: str = "") -> Response:  # noqa: A002 -- the name in the address
    """Show the form; `next` is where to go afterwards."""
    return _form(request, "", "", inside(next))


@router.post("/sign-in")
def sign_in(request: Request, form: Annotated[Fields, Depends(fields)]) -> Response:
    """Begin a session, a new one whatever cookie came along, or ask for a security key; too many tries have to wait."""
    shared: Shared = request.app.state.shared
    throttle: Throttle = request.app.state.throttle
    name = form.get("name", "").strip()
    then = inside(form.get("next", ""))
    address = address_of(request)
    if wait := throttle.wait(name, address, shared.clock()):
        refused = _form(request, name, _later(wait), then, status=429)
        refused.headers["Retry-After"] = str(wait)
        return refused
    begun = _begun(request, name, form.get("password", ""), then)
    if begun is None:
        return _form(request, name, say(SIGN_IN_FAILURE), then, status=403)
    token, waits = begun
    if waits:
        answer = RedirectResponse(STEP, 303)
        lives = factors.STEP_TIME // 1_000_000
        answer.set_cookie(value=token, max_age=lives, **Cookie.of_key_step(shared).words)
        return answer
    throttle.succeeded(name, address)
    answer = RedirectResponse(then, 303)
    answer.set_cookie(value=token, **Cookie.of(shared).words)
    return answer


@router.get("/language/{language}")
def speak(language: str, request: Request, next: str = "") -> Response:  # noqa: A002 -- the name in the address
    """Have the console speak a language in this browser, and go on with the page it came from."""
    if language not in LANGUAGES:
        raise missing()
    answer = RedirectResponse(inside(next), 303)
    own = Cookie.of(request.app.state.shared).words
    answer.set_cookie(value=language, max_age=LANGUAGE_TIME, **(own | {"key": LANGUAGE, "path": HOME}))
    return answer


@router.post("/sign-out")
def sign_out(sent: Sent) -> Response:
    """End the session."""
    shared = sent.visit.shared
    with shared.database.transaction() as session:
        sessions.end(session, token_of(sent.visit.request))
        note(session, Act.SIGN_OUT, sent.visit.who, sent.visit.now)
    answer = RedirectResponse(SIGN_IN, 303)
    answer.delete_cookie(**Cookie.of(shared).words)
    return answer


@router.get("/password")
def password(visit: Read) -> Response:
    """Show the form for another password."""
    refuse_without(visit)
    return _own(visit)


@router.post("/password")
def change_password(sent: Sent) -> Response:
    """Change one's own password; all sessions of the account end, and this one goes on as a new one."""
    visit = sent.visit
    refuse_without(visit)
    form = sent.fields
    old = form.get("old", "")
    new = form.get("new", "")
    if refused := unconfirmed(visit, old, say("The present password is another one.")):
        status, wrong = refused
        return _own(visit, status=status, wrong=wrong)
    if new != form.get("again", ""):
        return _own(visit, status=422, wrong=say("The new password is not the same in both fields."))
    try:
        with visit.shared.database.transaction() as session:
            account = session.get_one(Officer, visit.signed.officer)
            officers.set_password(session, account, new)
            session.flush()
            token = sessions.begin(session, account, visit.now)
            note(session, Act.PASSWORD, visit.who, visit.now)
    except OfficerError as error:
        return _own(visit, status=422, wrong=heard(str(error)))
    answer = RedirectResponse(HOME, 303)
    answer.set_cookie(value=token, **Cookie.of(visit.shared).words)
    return answer


def _own(visit: Visit, *, status: int = 200, wrong: str = "") -> Response:
    """Return the page of one's own password, with the way to one's keys where they are used."""
    keys = KEYS if visit.shared.settings.console.second_factor != "off" else ""
    return page(visit, "password", status=status, wrong=wrong, keys=keys)


def _form(request: Request, name: str, wrong: str, then: str, *, status: int = 200) -> Response:
    """Return the page of the sign-in, with the way to the provider, or to the proxy's word, where there is one."""
    way = "sign-on" if request.app.state.provider else "sign-on/proxy" if request.app.state.proxy else ""
    begin = sign_on_words.texts(spoken())["begin"] if way else ""
    words = {"name": name, "wrong": wrong, "then": then, "begin": begin, "way": way}
    return bare(request, "sign-in", status=status, query=urlencode({"next": then}), **words)


def _begun(request: Request, name: str, password: str, then: str) -> tuple[str, bool] | None:
    """Return the token of a new session, or of the step that asks for a key, and whether it is of that.

    None is for a wrong name or password. The session before a new one ends. The trail has a line of a
    session and of a failure; of a name without an account it holds nothing, since it may be a password.
    """
    shared: Shared = request.app.state.shared
    with shared.database.reading() as session:
        account = officers.named(session, name)
    who = who_of(request, "" if account is None else account.id)
    if not officers.opens(account, password) or account is None:
        _failed(shared, who)
        return None
    with shared.database.transaction() as session:
        now = session.get(Officer, account.id)
        if now is None or now.disabled is not None or now.password != account.password:
            note(session, Act.SIGN_IN_FAILED, who, shared.clock())
            return None
        if purpose := factors.purpose_of(session, now, shared.settings.console):
            token = secrets.token_hex(32)
            factors.ask(session, token, now.id, purpose, then, shared.clock())
            return token, True
        sessions.end(session, token_of(request))
        token = sessions.begin(session, now, shared.clock())
        note(session, Act.SIGN_IN, who, shared.clock())
        return token, False


def unconfirmed(visit: Visit, password: str, wrong: str) -> tuple[int, str] | None:
    """Return status and words where a password, given once more, is not the visitor's, or comes too often; else None.

    `wrong` are the words for another password, of which there is a line.
    """
    throttle: Throttle = visit.request.app.state.throttle
    name = visit.signed.name
    if wait := throttle.wait(name, visit.signed.officer, visit.now):
        return 429, _later(wait)
    with visit.shared.database.reading() as session:
        account = officers.named(session, name)
    if not officers.opens(account, password):
        _failed(visit.shared, visit.who)
        return 422, wrong
    throttle.succeeded(name, visit.signed.officer)
    return None


def _failed(shared: Shared, who: Who) -> None:
    """Write the line of a password that was wrong."""
    with shared.database.transaction() as session:
        note(session, Act.SIGN_IN_FAILED, who, shared.clock())


def refuse_without(visit: Visit) -> None:
    """Raise PageError for an account that has no password here."""
    if not visit.signed.has_password:
        raise PageError(409, "You have no password here", "You sign in by your organisation’s account.")


def _later(wait: int) -> str:
    """Return when to try again."""
    return say("Too many tries. Try again in {time}.", time=words.lasted(max(wait, 60) * words.SECOND))


def inside(address: str) -> str:
    """Return an address of the console as it is, and the console's first page for any other."""
    return address if _CONSOLE_PATH.fullmatch(address) else HOME
