"""Who a provider, or a proxy, says somebody is, which role that gives, why somebody is refused, and the secrets."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any, ClassVar

from starlette.datastructures import Headers

from equiproof.circuits.canonical import read_limited
from equiproof.circuits.exit_codes import MISUSED
from equiproof.service.console.officers import Role
from equiproof.service.own_files import refuse_shared
from equiproof.service.settings import ProxySignOnSettings, SignOnSettings

MAX_SUBJECT = 255
MIN_SECRET = 24
MAX_VALUES = 1000
"""Values of the claim of roles that are looked at."""


class Refusal(StrEnum):
    """Why a sign-on is refused, as the trail names it; sign_on_words.py has a sentence for each."""

    STATE = "state"
    """It was not begun in this browser, or long ago, or it is over."""
    ISSUER = "issuer"
    """The answer names another provider."""
    DENIED = "denied"
    """The provider says no."""
    PROVIDER = "provider"
    """The provider does not answer as it should."""
    TOKEN = "token"  # noqa: S105 -- a reason
    """The ID token does not hold."""
    ROLE = "role"
    """No value of the claim gives a role."""
    ROLES = "roles"
    """Values of the claim give several roles."""
    NAME = "name"
    """The name is another account's, or none that can be shown."""
    CLOSED = "closed"
    """The account is closed here."""
    PROXY = "proxy"
    """The request did not come from a proxy that may say who somebody is."""
    TRIES = "tries"
    """Too many tries from this address."""


@dataclass
class SignOnError(Exception):
    """A sign-on that is refused: `cause` is for the log, one line without a word of any token; `officer` is whose.

    That is the id of an account, "" where nobody is known.
    """

    exit_code: ClassVar[int] = MISUSED

    refusal: Refusal
    cause: str = ""
    officer: str = ""

    def __str__(self) -> str:
        return f"{self.refusal}: {self.cause}" if self.cause else str(self.refusal)


class SecretError(ValueError):
    """A client's secret that cannot be used; one line naming the file."""

    exit_code: ClassVar[int] = MISUSED


@dataclass(frozen=True)
class Identity:
    """Somebody by the word of a provider or a proxy: the subject there, the name, and the role here."""

    subject: str
    name: str
    role: Role


def identity_of(claims: Mapping[str, Any], settings: SignOnSettings) -> Identity:
    """Return who claims are about; raises SignOnError for somebody without a name, and unless one role is theirs."""
    subject, name = claims.get("sub"), claims.get(settings.name_claim)
    # OpenID Connect Core, section 2: at most 255 characters of ASCII.
    readable = isinstance(subject, str) and subject.isascii() and subject.isprintable()
    if not isinstance(subject, str) or not readable or not 0 < len(subject) <= MAX_SUBJECT:
        raise SignOnError(Refusal.TOKEN, f"claim sub: want up to {MAX_SUBJECT} printable characters of ASCII")
    if not isinstance(name, str):
        raise SignOnError(Refusal.NAME, f"claim {settings.name_claim}: want a text")
    given = claims.get(settings.roles_claim, [])
    values = [given] if isinstance(given, str) else given
    if not isinstance(values, list) or len(values) > MAX_VALUES or not all(isinstance(one, str) for one in values):
        raise SignOnError(Refusal.ROLE, f"claim {settings.roles_claim}: want a text, or a list of at most {MAX_VALUES}")
    return Identity(subject, name.strip(), _role_of(values, settings.roles))


def identity_by_headers(headers: Headers, settings: ProxySignOnSettings) -> Identity:
    """Return who a proxy's headers are about; raises SignOnError as `identity_of`.

    A header that stands there twice is refused: one of the two may be what a client has sent.
    """
    names, groups = headers.getlist(settings.header), headers.getlist(settings.roles_header)
    if len(names) != 1 or not names[0].isascii() or not names[0].isprintable() or len(names[0]) > MAX_SUBJECT:
        raise SignOnError(Refusal.NAME, f"header {settings.header}: want it once, with a name in ASCII")
    if len(groups) != 1:
        raise SignOnError(Refusal.ROLE, f"header {settings.roles_header}: want it once")
    name = names[0].strip()
    return Identity(name, name, _role_of([one.strip() for one in groups[0].split(",")], settings.roles))


def _role_of(values: Sequence[str], given: Mapping[str, str]) -> Role:
    """Return the one role that values give; raises SignOnError for none and for several."""
    roles = {given[value] for value in values if value in given}
    if not roles:
        raise SignOnError(Refusal.ROLE)
    if len(roles) > 1:
        raise SignOnError(Refusal.ROLES, f"roles {', '.join(sorted(roles))}")
    return Role(roles.pop())


def secret_of(settings: SignOnSettings) -> str:
    """Return the client's secret, "" for a client without one; raises OSError, and SecretError for no secret file."""
    return _secret(Path(settings.client_secret), "the client's secret") if settings.client_secret else ""


def secret_of_proxy(settings: ProxySignOnSettings) -> str:
    """Return what the proxy sends so that it is known; raises OSError, and SecretError for a file without it."""
    path = Path(settings.secret)
    text = _secret(path, "the proxy's secret")
    if len(text) < MIN_SECRET:
        raise SecretError(f"{path}: want at least {MIN_SECRET} random characters")
    return text


def _secret(path: Path, what: str) -> str:
    refuse_shared(path, SecretError)
    text = read_limited(path).decode("utf-8", "replace").strip()
    if not text or not text.isascii() or not text.isprintable():
        raise SecretError(f"{path}: want {what} alone, in one line of ASCII")
    return text
