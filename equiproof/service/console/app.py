"""The console as an application of its own, mounted under /console beside the interface for programs."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from fastapi import FastAPI, Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.responses import FileResponse, RedirectResponse
from starlette.datastructures import MutableHeaders
from starlette.exceptions import HTTPException
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from equiproof.circuits.tables import LANGUAGES, speaking
from equiproof.prover.opening import OpeningError
from equiproof.service.console import pages
from equiproof.service.console.proxies import Proxy
from equiproof.service.console.refusals import PageError, missing
from equiproof.service.console.speech import heard, preferred, say
from equiproof.service.console.throttle import Throttle
from equiproof.service.console.views import (
    accounts,
    decision,
    factor,
    lots,
    overseeing,
    proxied,
    sign_on,
    signing,
    today,
    trail,
    workers,
)
from equiproof.service.entrance import line_of
from equiproof.service.models import ModelError
from equiproof.service.store.database import UnavailableError
from equiproof.service.vault import VaultError
from equiproof.service.web.cookies import LANGUAGE
from equiproof.service.web.state import Shared

if TYPE_CHECKING:
    from equiproof.service.console.provider import Provider

HEADERS = {
    "Cache-Control": "no-store",
    "Content-Security-Policy": pages.POLICY,
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    # With no-referrer, browsers would send forms with the origin "null", and forms.py could not tell whose they are.
    "Referrer-Policy": "same-origin",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "X-Robots-Tag": "noindex",
}
PART_SECONDS = 300
_log = logging.getLogger("equiproof.service.console")
_FRAMEWORK_PAGES = {
    405: PageError(405, "There is no such page", "Nothing was recorded."),
    408: PageError(408, "The form did not come in time", "Nothing was recorded."),
    413: PageError(413, "This form is too long", "Nothing was recorded."),
}
MODEL_FAULTS = (OSError, ModelError, OpeningError, VaultError)


def create_console(shared: Shared) -> FastAPI:
    """Return the application over what requests share; raises as `provider.Provider` and `Proxy` do."""
    app = FastAPI(openapi_url=None, docs_url=None, redoc_url=None, redirect_slashes=False)
    app.state.shared = shared
    app.state.throttle = Throttle()
    app.state.provider = _provider(shared)
    proxied_by = shared.settings.proxy_sign_on
    app.state.proxy = None if proxied_by is None else Proxy(proxied_by)
    for part in (signing, sign_on, proxied, factor, today, decision, overseeing, lots, accounts, trail, workers):
        app.include_router(part.router)
    app.add_api_route("/style.css", _style, methods=["GET"])
    app.add_api_route("/key.js", _script, methods=["GET"])
    app.add_middleware(Speaking)
    app.add_middleware(Headers)
    for kind in (PageError, HTTPException, RequestValidationError, *MODEL_FAULTS, UnavailableError):
        app.add_exception_handler(kind, _refused)
    app.add_exception_handler(Exception, _failed)
    return app


def _provider(shared: Shared) -> Provider | None:
    """Return the provider of the settings; its libraries are loaded where there is one."""
    if shared.settings.sign_on is None:
        return None
    from equiproof.service.console.provider import Provider

    return Provider(shared.settings.sign_on, shared.settings.public_url, shared.clock)


def _style() -> Response:
    """Return the style."""
    return _part("style.css", "text/css")


def _script() -> Response:
    """Return the script of the pages that ask for a security key."""
    return _part("key.js", "text/javascript")


def _part(name: str, kind: str) -> Response:
    """Return a file without anybody's data, which browsers may keep for a while."""
    return FileResponse(pages.FOLDER / name, media_type=kind, headers={"Cache-Control": f"max-age={PART_SECONDS}"})


def _refused(request: Request, error: Exception) -> Response:
    """Return the page of a refusal, which repeats nothing of the request."""
    if isinstance(error, HTTPException):
        error = _FRAMEWORK_PAGES.get(error.status_code, missing())
    elif isinstance(error, RequestValidationError):
        error = missing()
    elif isinstance(error, UnavailableError):
        text = "The database does not answer. Nothing was recorded. Try again in a minute."
        error = PageError(503, "This cannot be shown now", text, headers={"Retry-After": "60"})
    elif not isinstance(error, PageError):
        _log.error("unusable", extra={"fields": {"cause": line_of(error)}})
        text = "A file of the model, or the key of the vault, cannot be used. An admin of the service has to look."
        error = PageError(503, "This cannot be shown now", text)
    if error.to:
        return RedirectResponse(error.to, error.status)
    answer = pages.bare(request, "refused", status=error.status, heading=heard(error.heading), text=heard(error.text))
    answer.headers.update(error.headers)
    return answer


def _failed(request: Request, _: Exception) -> Response:
    """Return the page of a fault of ours, which says nothing of it; the log does, since it is raised further."""
    text = "The service failed here. An admin of the service finds the cause in its log."
    return pages.bare(request, "refused", status=500, heading=say("This did not work"), text=say(text))


class Headers:
    """Sets the headers of every answer, those that a page has set itself left as they are."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Add them as the answer starts."""

        async def sent(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in HEADERS.items():
                    headers.setdefault(name, value)
            await send(message)

        await self.app(scope, receive, sent)


class Speaking:
    """Answers each request in the language of its reader: the one that was chosen, else what the browser prefers."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Speak the language while the request is answered; threads that help have the same context."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        request = Request(scope)
        chosen = request.cookies.get(LANGUAGE, "")
        with speaking(chosen if chosen in LANGUAGES else preferred(request.headers.get("accept-language", ""))):
            await self.app(scope, receive, send)
