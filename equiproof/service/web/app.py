"""The application: routes, limits, numbers, and the one shape of errors."""

from __future__ import annotations

from typing import Annotated
from urllib.parse import urlsplit

from fastapi import Depends, FastAPI, Response

from equiproof.service.clients import Caller, Scope
from equiproof.service.console.app import create_console
from equiproof.service.web import applicant, correcting, models, papers, people, problems, recoursing, routes
from equiproof.service.web.deciding import Decisions
from equiproof.service.web.guard import allowed
from equiproof.service.web.limits import Addresses, BodyLimit
from equiproof.service.web.metrics import MEDIA_TYPE
from equiproof.service.web.problems import UNAVAILABLE_RETRY, ProblemError
from equiproof.service.web.readiness import Readiness
from equiproof.service.web.state import Shared
from equiproof.service.web.watched import Bounds, Watched

DESCRIPTION = """Decisions by a committed model, with a receipt for each at once and a certificate of individual
fairness as soon as it is proven. Sensitive features are neither needed nor taken.

Every request needs an API key in the header `Authorization: Bearer eqp_ID_SECRET`. Errors are
`application/problem+json` ([RFC 9457](https://www.rfc-editor.org/rfc/rfc9457)); their `type` says which one it is, and
nothing in them repeats what an applicant gave."""


def create_app(shared: Shared) -> FastAPI:
    """Return the application over what its requests share."""
    app = FastAPI(
        title="Equiproof lending service", version="1", description=DESCRIPTION, docs_url=None, redoc_url=None
    )
    app.state.shared = shared
    app.state.decisions = Decisions(shared)
    for part in (routes, papers, people, correcting, recoursing, models, applicant):
        app.include_router(part.router)
    app.mount("/console", create_console(shared))
    limits = shared.settings.limits
    public = urlsplit(shared.settings.public_url)
    app.add_middleware(BodyLimit)
    hosts = frozenset(name.lower() for name in (*shared.settings.hosts, public.hostname or ""))
    bounds = Bounds(limits.running, limits.request_seconds, public.scheme == "https", hosts)
    addresses = Addresses(limits.requests_per_address, shared.origins, shared.clock)
    app.add_middleware(Watched, metrics=shared.metrics, bounds=bounds, addresses=addresses, tracing=shared.tracing)
    problems.install(app)
    _add_operators(app, shared)
    return app


def _add_operators(app: FastAPI, shared: Shared) -> None:
    """Add what an operator's tools ask for; numbers are for keys of admins, since they tell of all clients."""

    @app.get("/healthz", include_in_schema=False)
    async def alive() -> dict[str, str]:
        return {"status": "alive"}

    readiness = Readiness(shared)

    @app.get("/readyz", include_in_schema=False)
    def ready() -> dict[str, str]:
        if faults := readiness.faults():
            raise ProblemError(503, "not-ready", "; ".join(faults), {"Retry-After": UNAVAILABLE_RETRY})
        return {"status": "ready"}

    @app.get("/metrics", include_in_schema=False)
    def numbers(_: Annotated[Caller, Depends(allowed(Scope.ADMIN))]) -> Response:
        return Response(shared.metrics.text(shared.database, shared.clock()), media_type=MEDIA_TYPE)
