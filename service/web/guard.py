"""Who may call what: API keys in the header `Authorization: Bearer eqp_...`, never in an address."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated

from fastapi import Depends, Request
from fastapi.security import HTTPAuthorizationCredentials, HTTPBearer

from equiproof.service.clients import Caller, Scope, caller_of
from equiproof.service.web.problems import ProblemError
from equiproof.service.web.state import Shared

_bearer = HTTPBearer(auto_error=False, description="an API key, eqp_ID_SECRET")


def allowed(scope: Scope) -> Callable[..., Caller]:
    """Return what lets a request pass whose key has a scope, and tells whose key it is."""

    def check(request: Request, given: Annotated[HTTPAuthorizationCredentials | None, Depends(_bearer)]) -> Caller:
        shared: Shared = request.app.state.shared
        now = shared.clock()
        with shared.database.reading() as session:
            caller = caller_of(session, given.credentials if given else "", now)
        if caller is None:
            detail = "want a live API key: Authorization: Bearer eqp_..."
            raise ProblemError(401, "no-key", detail, {"WWW-Authenticate": "Bearer"})
        request.state.client = caller.client
        shared.rates.take(caller.client, now)
        if scope not in caller.scopes:
            raise ProblemError(403, "missing-scope", f"this key lacks the scope {scope}")
        return caller

    return check


Submit = Annotated[Caller, Depends(allowed(Scope.SUBMIT))]
Read = Annotated[Caller, Depends(allowed(Scope.READ))]
Admin = Annotated[Caller, Depends(allowed(Scope.ADMIN))]
