"""A front end that has decisions made by a service, however often it must ask for one."""

from __future__ import annotations

import http.client
import json
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from http import HTTPStatus
from typing import Any

from bench.harness import BenchError
from equiproof.service.asking import send

PATIENCE = 600.0
"""How many seconds one answer may take, however often it is asked for."""

ANSWER_SECONDS, PAUSE_SECONDS = 20.0, 0.5
"""How long one request may take, and what lies between two."""

_RETRIED = (409, 429, 500, 502, 503, 504)


@dataclass(frozen=True)
class Asked:
    """A decision as it was answered, and when it was first refused or cut off, by the monotonic clock, if it was."""

    made: dict[str, Any]
    refused: float | None


@dataclass(frozen=True)
class Asker:
    """A client of the service at `address`, HOST:PORT, with its key."""

    address: str
    key: str = field(repr=False)

    def ask(self, name: str, wanted: Mapping[str, Any]) -> Asked:
        """Have one decision made under a name, by which the service knows it when it is asked for again.

        Raises BenchError for an answer after which no front end would ask again, and where none comes in PATIENCE.
        """
        headers = {
            "Authorization": f"Bearer {self.key}",
            "Idempotency-Key": name,
            "Content-Type": "application/json",
        }
        body = json.dumps(wanted).encode()
        end, refused = time.monotonic() + PATIENCE, None
        while time.monotonic() < end:
            try:
                status, said = send(self.address, "POST", "/v1/decisions", headers, body, ANSWER_SECONDS)
            except (OSError, http.client.HTTPException):
                status, said = HTTPStatus.SERVICE_UNAVAILABLE, b""
            if status == HTTPStatus.CREATED:
                return Asked(json.loads(said), refused)
            if status not in _RETRIED:
                raise BenchError(f"{name}: {status} {said[:300]!r}")
            refused = refused or time.monotonic()
            time.sleep(PAUSE_SECONDS)
        raise BenchError(f"{name}: no answer in {PATIENCE:g} s")
