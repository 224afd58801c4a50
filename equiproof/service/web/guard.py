"""Who may call what: API keys in the header `Authorization: Bearer eqp_...`, never in an address."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated

from fastapi import Depends, Request
from fastapi.security import HTTPAuthorizationCredentials, HTTPBearer
from sqlalchemy.orm import Session
from starlette.concurrency import run_in_threadpool

from equiproof.service.clients import Caller, Scope, caller_of
from equiproof.service.console.officers import named
from equiproof.service.trail import Channel, Who, address_digest
from equiproof.service.web.problems import ProblemError, no_key
from equiproof.service.web.state import Shared

_bearer = HTTPBearer(auto_error=False, description="an API key, eqp_ID_SECRET")
Credentials = Annotated[HTTPAuthorizationCredentials | None, Depends(_bearer)]


def allowed(scope: Scope) -> Callable[..., Caller]:
    """Return what lets a request pass whose key has a scope, and tells whose key it is."""

    def check(request: Request, credentials: Credentials) -> Caller:
        shared: Shared = request.app.state.shared
        return _let_pass(request, _looked_up(shared, credentials.credentials if credentials else ""), scope)

    return check


async def deciding(request: Request, credentials: Credentials) -> Caller:
    """Let a request for a decision pass, by what this process knows of its key.

    That the key lives still is seen again in the transaction of the decision.
    """
    shared: Shared = request.app.state.shared
    text = credentials.credentials if credentials else ""
    caller = shared.callers.find(text)
    if caller is None:
        caller = await run_in_threadpool(_looked_up, shared, text)
        shared.callers.learn(text, caller)
    return _let_pass(request, caller, Scope.SUBMIT)


def _looked_up(shared: Shared, text: str) -> Caller:
    """Return whose key a text is; raises ProblemError for what is no live key."""
    with shared.database.reading() as session:
        caller = caller_of(session, text, shared.clock())
    if caller is None:
        raise no_key()
    return caller


def _let_pass(request: Request, caller: Caller, scope: Scope) -> Caller:
    """Count a request of a caller's; raises ProblemError for too many, and where the key lacks the scope."""
    shared: Shared = request.app.state.shared
    request.state.client = caller.client
    shared.rates.take(caller.client, shared.clock())
    if scope not in caller.scopes:
        raise ProblemError(403, "missing-scope", f"this key lacks the scope {scope}")
    return caller


def address_of(request: Request) -> str:
    """Return where a request comes from, by the word of trusted proxies."""
    shared: Shared = request.app.state.shared
    peer = request.client.host if request.client else ""
    return shared.origins.of(peer, request.headers.getlist("x-forwarded-for"))


def refuse_account(session: Session, name: str) -> None:
    """Raise ProblemError for the name of an account of the console: whoever has one says in it what they say."""
    if named(session, name.strip()) is not None:
        detail = "name: give another; it is that of an account of the console, and whoever has it says so there"
        raise ProblemError(422, "invalid-request", detail)


def who_calls(request: Request, caller: Caller) -> Who:
    """Return a key by its id, and where its request comes from, as the trail names them."""
    vault = request.app.state.shared.holders.vault
    return Who(Channel.KEY, caller.key, address_digest(vault, address_of(request)))


Decides = Annotated[Caller, Depends(deciding)]
Submit = Annotated[Caller, Depends(allowed(Scope.SUBMIT))]
Read = Annotated[Caller, Depends(allowed(Scope.READ))]
Admin = Annotated[Caller, Depends(allowed(Scope.ADMIN))]
