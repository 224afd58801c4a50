"""The calls that a front end makes: the service's public interface and nothing else. docs/service.md describes them."""

from __future__ import annotations

import hmac
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from http.client import HTTPConnection, HTTPException, HTTPSConnection
from typing import Any
from urllib.parse import urlsplit


@dataclass
class ProblemError(Exception):
    """No success: `detail` is the service's one line, `retry` the seconds after which to ask again."""

    status: int
    kind: str
    detail: str
    retry: int | None = None


@dataclass(frozen=True)
class Service:
    """A service, by its address and an API key."""

    url: str
    key: str = field(repr=False)

    def models(self) -> list[dict[str, Any]]:
        """Return the models that decide, each with the features that it needs."""
        found: list[dict[str, Any]] = self._asked("GET", "/v1/models")["models"]
        return found

    def decide(self, model: str, features: Mapping[str, str], request: str, person: str) -> dict[str, Any]:
        """Ask for a decision about a person, by pseudonym.

        The same `request` again is the same decision, so sending twice does no harm.
        """
        body = {"model": model, "features": dict(features), "person": person}
        return self._asked("POST", "/v1/decisions", body, {"Idempotency-Key": request})

    def decision(self, identifier: str) -> dict[str, Any]:
        """Return a decision as it is now."""
        return self._asked("GET", f"/v1/decisions/{identifier}")

    def link(self, identifier: str) -> str:
        """Return a new link with which the applicant sees the decision; the service shows it this once."""
        return str(self._asked("POST", f"/v1/decisions/{identifier}/links")["url"])

    def letter(self, identifier: str) -> bytes:
        """Return the letter, an HTML page to print."""
        return self._answer("GET", f"/v1/decisions/{identifier}/letter")

    def _asked(self, method: str, path: str, body: object = None, headers: Mapping[str, str] | None = None) -> Any:
        return json.loads(self._answer(method, path, body, headers))

    def _answer(self, method: str, path: str, body: object = None, headers: Mapping[str, str] | None = None) -> bytes:
        """Make a request; raises ProblemError for what the service refuses, and where it is away."""
        place = urlsplit(self.url)
        connection = (HTTPSConnection if place.scheme == "https" else HTTPConnection)(place.netloc, timeout=30)
        data = None if body is None else json.dumps(body).encode()
        more = {"Authorization": f"Bearer {self.key}", "Content-Type": "application/json", **(headers or {})}
        try:
            connection.request(method, path, data, more)
            answer = connection.getresponse()
            found = answer.read()
        except (OSError, HTTPException):
            raise ProblemError(503, "away", "the service does not answer", 5) from None
        finally:
            connection.close()
        if answer.status >= 400:
            raise problem(answer.status, found, answer.headers.get("Retry-After", ""))
        return found


def pseudonym(key: bytes, number: str) -> str | None:
    """Return the pseudonym of whom a number identifies, however it is spaced; None for a text without one.

    It is always the same for one person, so that the service can count and compare, and tells nobody who it is.
    """
    alike = "".join(character for character in number.upper() if character.isalnum())
    return hmac.new(key, alike.encode(), "sha256").hexdigest() if alike else None


def problem(status: int, body: bytes, wait: str) -> ProblemError:
    """Read an error of the service, application/problem+json."""
    try:
        said = json.loads(body)
        kind, detail = str(said["type"]).rpartition(":")[2], str(said["detail"])
    except (ValueError, KeyError, TypeError):
        kind, detail = "unknown", f"the service answered with {status}"
    return ProblemError(status, kind, detail, int(wait) if wait.isdecimal() else None)
