"""Signing in by the word of a web server in front, which has asked the person already and says so in headers.

This route alone reads them, from the proxy of the settings alone, and begins a session as any other.
"""

from __future__ import annotations

from fastapi import APIRouter, Request, Response

from equiproof.service.console import sign_on_words
from equiproof.service.console.guard import Cookie, token_of
from equiproof.service.console.identities import Refusal, SignOnError, identity_by_headers
from equiproof.service.console.languages import language_of
from equiproof.service.console.pages import bare
from equiproof.service.console.proxies import Proxy
from equiproof.service.console.refusals import missing
from equiproof.service.console.sessions import digest_of
from equiproof.service.console.throttle import Throttle
from equiproof.service.console.views.sign_on import begun, refusal_page, refused
from equiproof.service.console.views.signing import inside
from equiproof.service.web.guard import address_of
from equiproof.service.web.state import Shared

ISSUER = "proxy"
"""What stands for a provider with accounts of this kind; no provider's address is this."""

DETAIL = "by=proxy"

router = APIRouter(prefix="/sign-on/proxy")


@router.get("")
def enter(request: Request, next: str = "", language: str = "") -> Response:  # noqa: A002 -- the name in the address
    """Begin a session for whom the proxy names, or say why there is none; either is a line of the trail.

    It leads on by a page of its own, as the way back from a provider does: a browser may come from another site.
    """
    shared: Shared = request.app.state.shared
    proxy: Proxy | None = request.app.state.proxy
    language = language_of(language)
    if proxy is None:
        raise missing()
    throttle: Throttle = request.app.state.throttle
    if throttle.wait_anybody(address_of(request), shared.clock()):
        return refusal_page(request, Refusal.TRIES, language)
    try:
        proxy.refuse_stranger(request.client.host if request.client else "", request.headers)
        identity = identity_by_headers(request.headers, proxy.settings)
        token = begun(request, ISSUER, identity, digest_of(token_of(request)), DETAIL)
    except SignOnError as error:
        return refused(request, error, language, DETAIL)
    throttle.succeeded_anybody(address_of(request))
    say = sign_on_words.texts(language)
    answer = bare(request, "signed-on", language=language, say=say, then=inside(next))
    answer.set_cookie(value=token, **Cookie.of(shared).words)
    return answer
