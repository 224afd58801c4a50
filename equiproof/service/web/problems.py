"""Errors in one shape: application/problem+json, RFC 9457. None repeats what an applicant gave."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from dataclasses import dataclass, field
from http import HTTPStatus
from typing import Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from pydantic import BaseModel, ConfigDict, Field
from starlette.exceptions import HTTPException
from starlette.routing import compile_path

from equiproof.service.models import ModelError
from equiproof.service.store.database import UnavailableError
from equiproof.service.vault import MissingKeyError

MEDIA_TYPE = "application/problem+json"
MAX_PLACE = 100
UNAVAILABLE_RETRY = "5"

FRAMEWORK_KINDS = {
    400: "bad-request",
    404: "not-found",
    405: "method-not-allowed",
    408: "request-timeout",
    413: "request-entity-too-large",
}
"""What is refused before an operation is reached. The kinds are fixed here: a status is called otherwise in time."""

BODY_HINT = "want a JSON object as the body, and the header Content-Type: application/json"
INNER_PARTS = ("body", "constrained-str", "int")
"""Parts of a place that say nothing to the caller: the body itself, and the kinds that a value may have."""

PLAIN_MESSAGES = {
    "missing": "is missing",
    "extra_forbidden": "is unknown here; leave it out",
    "dict_type": "want an object with names and values",
    "string_type": "want a text in quotation marks",
}
"""What the kinds of mistakes are called; others in the words of the library."""

_log = logging.getLogger("equiproof.service.web")


class Problem(BaseModel):
    """What went wrong: `title` is the status in words, `detail` one line about this request."""

    model_config = ConfigDict(extra="forbid")

    type: str = Field(pattern=r"^urn:equiproof:[a-z-]+$", examples=["urn:equiproof:no-key"])
    title: str
    status: int
    detail: str


@dataclass
class ProblemError(Exception):
    """A request that gets a problem for an answer."""

    status: int
    kind: str
    detail: str
    headers: Mapping[str, str] = field(default_factory=dict)


def no_key() -> ProblemError:
    """Return the problem of a request without a live key."""
    detail = "want a live API key: Authorization: Bearer eqp_..."
    return ProblemError(401, "no-key", detail, {"WWW-Authenticate": "Bearer"})


def problem(error: ProblemError) -> JSONResponse:
    """Return the answer to a request that failed."""
    body = Problem(
        type=f"urn:equiproof:{error.kind}",
        title=HTTPStatus(error.status).phrase,
        status=error.status,
        detail=error.detail,
    )
    return JSONResponse(body.model_dump(), error.status, error.headers, media_type=MEDIA_TYPE)


def documented(*statuses: int) -> dict[int | str, dict[str, Any]]:
    """Return what the OpenAPI document says of failures with these statuses, and with those of every operation."""
    schema = {"schema": {"$ref": "#/components/schemas/Problem"}}
    return {
        status: {"description": HTTPStatus(status).phrase, "content": {MEDIA_TYPE: schema}}
        for status in sorted({*statuses, 401, 403, 421, 422, 429, 500, 503})
    }


def install(app: FastAPI) -> None:
    """Give every failure of an application the one shape, and its OpenAPI document the schema of it."""
    described = app.openapi

    def with_problems() -> dict[str, Any]:
        document = described()
        schemas: dict[str, Any] = document["components"]["schemas"]
        schemas.setdefault("Problem", Problem.model_json_schema())
        return document

    setattr(app, "openapi", with_problems)  # noqa: B010 -- the framework's own way of adding to the document

    @app.exception_handler(ProblemError)
    def told(_: Request, error: ProblemError) -> JSONResponse:
        return problem(error)

    @app.exception_handler(RequestValidationError)
    def invalid(_: Request, error: RequestValidationError) -> JSONResponse:
        return problem(ProblemError(422, "invalid-request", _message(error)))

    @app.exception_handler(HTTPException)
    def http(request: Request, error: HTTPException) -> JSONResponse:
        usual = HTTPStatus(error.status_code).phrase.lower().replace(" ", "-")
        kind = FRAMEWORK_KINDS.get(error.status_code, usual)
        headers = dict(error.headers or {})
        if error.status_code == HTTPStatus.METHOD_NOT_ALLOWED and (methods := _methods(app, request.url.path)):
            headers["Allow"] = ", ".join(methods)
        usual_words = str(error.detail) == HTTPStatus(error.status_code).phrase
        message = _mending(error.status_code, headers) if usual_words else str(error.detail)
        return problem(ProblemError(error.status_code, kind, message, headers))

    @app.exception_handler(ModelError)
    def unreadable(_: Request, error: ModelError) -> JSONResponse:
        _log.error("no model", extra={"fields": {"cause": str(error)}})
        detail = "the model's files cannot be read now; the operator's log says which"
        return problem(ProblemError(503, "no-model", detail, {"Retry-After": UNAVAILABLE_RETRY}))

    @app.exception_handler(MissingKeyError)
    def sealed(_: Request, error: MissingKeyError) -> JSONResponse:
        _log.error("no key of the vault", extra={"fields": {"cause": str(error)}})
        detail = "the applicant's data cannot be opened now; the operator's log says which key of the vault is missing"
        return problem(ProblemError(503, "no-vault-key", detail, {"Retry-After": UNAVAILABLE_RETRY}))

    @app.exception_handler(UnavailableError)
    def unavailable(_: Request, error: UnavailableError) -> JSONResponse:
        _log.error("no database", extra={"fields": {"cause": str(error)}})
        headers = {"Retry-After": UNAVAILABLE_RETRY}
        return problem(ProblemError(503, "no-database", "the database does not answer now", headers))


def _mending(status: int, headers: Mapping[str, str]) -> str:
    """Return what to do about a request that reached no operation, where the framework repeats the status alone."""
    if status == HTTPStatus.NOT_FOUND:
        return "no operation has this path; /openapi.json lists them"
    if status == HTTPStatus.METHOD_NOT_ALLOWED and (allowed := headers.get("Allow")):
        return f"this path takes {allowed}"
    return "the request reached no operation; /openapi.json lists them"


def _methods(app: FastAPI, path: str) -> list[str]:
    """Return every method of a path; the framework's own answer has those of one of its operations."""
    matches = (
        operations for template, operations in app.openapi()["paths"].items() if compile_path(template)[0].match(path)
    )
    return sorted({method.upper() for operations in matches for method in operations})


def _message(error: RequestValidationError) -> str:
    """Return the first thing that is wrong with a request, and where, without the value."""
    first = error.errors()[0]
    if first["type"] == "json_invalid":
        return f"the body is not JSON, from character {first['loc'][-1]} on"
    place = ".".join(str(part) for part in first["loc"] if part not in INNER_PARTS)[:MAX_PLACE]
    message = PLAIN_MESSAGES.get(first["type"], first["msg"])
    return f"{place}: {message}" if place else BODY_HINT
