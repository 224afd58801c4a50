"""A front end as far as the demo and benchmarks need one: a few requests to a service on this machine."""

from __future__ import annotations

import json
import secrets
from collections.abc import Mapping
from dataclasses import dataclass, field
from http import HTTPStatus
from http.client import HTTPConnection
from typing import Any

from equiproof.circuits.text import plain

PATIENCE = 60.0
"""Seconds until a request that nobody answers ends."""

MAX_SHOWN_BYTES = 300


class AskingError(Exception):
    """An answer that is not the expected one; one line with the request, the status and how the answer begins."""


def send(
    address: str, method: str, path: str, headers: Mapping[str, str], body: bytes | None, seconds: float = PATIENCE
) -> tuple[int, bytes]:
    """Make one request of a service at HOST:PORT; return status and body. Raises OSError and HTTPException."""
    host, _, port = address.rpartition(":")
    connection = HTTPConnection(host, int(port), timeout=seconds)
    try:
        connection.request(method, path, body, dict(headers))
        answer = connection.getresponse()
        return answer.status, answer.read()
    finally:
        connection.close()


@dataclass(frozen=True)
class FrontEnd:
    """A client with its key, and the address of the service, HOST:PORT."""

    address: str
    key: str = field(repr=False)

    def decide(self, model: str, features: Mapping[str, Any]) -> dict[str, Any]:
        """Ask for a decision."""
        return self._request("POST", "/v1/decisions", {"model": model, "features": features})

    def decision(self, identifier: str) -> dict[str, Any]:
        """Return a decision as it is now."""
        return self._request("GET", f"/v1/decisions/{identifier}")

    def link(self, identifier: str) -> str:
        """Return a link for the applicant."""
        return str(self._request("POST", f"/v1/decisions/{identifier}/links")["url"])

    def _request(self, method: str, path: str, body: Mapping[str, Any] | None = None) -> dict[str, Any]:
        """Make a request that is none of those before; raises AskingError for any answer but success."""
        headers = {"Authorization": f"Bearer {self.key}", "Content-Type": "application/json"}
        headers["Idempotency-Key"] = secrets.token_hex(16)
        sent = None if body is None else json.dumps(body).encode()
        status, data = send(self.address, method, path, headers, sent)
        if status not in (HTTPStatus.OK, HTTPStatus.CREATED):
            answer_text = plain(data[:MAX_SHOWN_BYTES].decode("utf-8", "replace"))
            raise AskingError(f"{method} {path} was answered with {status}: {answer_text}")
        return dict(json.loads(data))
