"""Requests that are sent again: what is done once for each `Idempotency-Key`, and what refuses another try."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated

from fastapi import Header, Request, Response
from pydantic import BaseModel
from sqlalchemy.orm import Session

from equiproof.service import idempotency
from equiproof.service.idempotency import Answer, Name, ReusedError, RunningError
from equiproof.service.store.database import insert_rows
from equiproof.service.web.problems import ProblemError
from equiproof.service.web.state import Shared

IdempotencyKey = Annotated[
    str,
    Header(
        alias="Idempotency-Key",
        min_length=8,
        max_length=128,
        pattern=r"^[!-~]+$",
        examples=["6b3f2a52-7f0e-4c58"],
        description="the caller's name for this request: sent again with the same body, it gives the same answer",
    ),
]


def repeated(error: RunningError | ReusedError) -> ProblemError:
    """Return what the client is told of a request that cannot be done under its key."""
    if isinstance(error, RunningError):
        return ProblemError(409, "still-running", "the first request under this Idempotency-Key still runs")
    return ProblemError(422, "key-reused", "this Idempotency-Key came with another body")


def respond(
    shared: Shared, name: Name, request: Request, body: BaseModel, now: int, do: Callable[[Session], BaseModel]
) -> Response:
    """Answer a request by what :func:`once` gives; path and body tell it from others under its name."""
    said = f"{request.url.path}\n{body.model_dump_json(by_alias=True)}"
    answer = once(shared, name, said.encode(), now, do)
    return Response(answer.body, answer.status, media_type="application/json")


def once(shared: Shared, name: Name, said: bytes, now: int, do: Callable[[Session], BaseModel]) -> Answer:
    """Return the answer that is kept under a name, or do in one transaction what gives it, and keep it.

    `said` is the whole request, as far as another one under the same name would not be the same. Raises ProblemError
    for one that runs or was another one, and whatever `do` raises: then nothing is kept.
    """
    digests = shared.holders.vault.digests(said)
    try:
        with shared.once.alone(name), shared.database.transaction() as session:
            if name not in idempotency.hold(session, {name}):
                raise RunningError
            if (stored := idempotency.answered(session, {name}).get(name)) is not None:
                return stored.again(digests)
            answer = Answer(201, do(session).model_dump_json().encode())
            insert_rows(session, idempotency.row(name, digests[0], answer, now))
            return answer
    except (RunningError, ReusedError) as error:
        raise repeated(error) from None
