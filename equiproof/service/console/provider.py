"""A provider of OpenID Connect, asked by authlib: the authorization code with PKCE, and an ID token that is checked.

Nothing but the provider's own addresses is spoken to, and no redirect is followed. An answer has a size and a time, few
requests are under way at once, and keys are fetched again at most once a minute, whatever a token names.
"""

from __future__ import annotations

import ssl
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from http import HTTPStatus
from threading import BoundedSemaphore
from typing import Any, TypeVar

import httpx2
from authlib.common.errors import AuthlibBaseError
from authlib.integrations.httpx_client import OAuth2Client
from authlib.oidc.core import CodeIDToken
from authlib.oidc.discovery import get_well_known_url
from joserfc import jwt
from joserfc.errors import InvalidKeyIdError, JoseError
from joserfc.jwk import ECKey, KeySet, OKPKey, RSAKey
from joserfc.jws import JWSRegistry

from equiproof.service.console.identities import Identity, Refusal, SignOnError, identity_of, secret_of
from equiproof.service.settings import SignOnSettings, is_providers
from equiproof.service.store.tables import SignOn

CALLBACK = "/console/sign-on/callback"

MAX_ANSWER_BYTES = 1 << 18
MAX_TOKEN = 1 << 14
"""Characters of an ID token."""

ANSWER_SECONDS = 4.0
"""Of one answer: a sign-on asks for two at most while the browser waits, three where keys are new."""

TURNS = 4
TURN_SECONDS = 2.0
"""How many requests are under way at once in a process, and how long another one waits for its turn."""

FRESH = 3600 * 1_000_000
AGAIN = 60 * 1_000_000
"""For how long what the provider says of itself is kept, and how soon keys are fetched again; microseconds."""

LEEWAY = 60
"""Seconds by which clocks may differ."""

MIN_RSA_BITS = 2048

_PAIRS: dict[str, type[RSAKey] | type[ECKey] | type[OKPKey]] = {"RSA": RSAKey, "EC": ECKey, "OKP": OKPKey}
_ENDPOINTS = ("authorization_endpoint", "token_endpoint", "jwks_uri")

Kept = TypeVar("Kept")


class Provider:
    """A provider, for any number of threads; raises SignOnError for whatever it says that does not hold."""

    def __init__(self, settings: SignOnSettings, public_url: str, clock: Callable[[], int]) -> None:
        """Take the time in microseconds since 1970; raises OSError and SecretError."""
        self.settings = settings
        self._secret = secret_of(settings)
        self._redirect = public_url.rstrip("/") + CALLBACK
        self._clock = clock
        self._turns = BoundedSemaphore(TURNS)
        # Each is read and replaced as a whole.
        self._described: tuple[int, Mapping[str, Any]] | None = None
        self._keys: tuple[int, KeySet] | None = None
        self._context = ssl.create_default_context()

    def address(self, row: SignOn) -> str:
        """Return where the browser goes with a sign-on."""
        described = self._description()
        with self._client(described) as client:
            address, _ = client.create_authorization_url(
                described["authorization_endpoint"], state=row.state, nonce=row.nonce, code_verifier=row.verifier
            )
        return str(address)

    def identity(self, code: str, row: SignOn) -> Identity:
        """Return who has signed in, by the code that the browser brought back."""
        described = self._description()
        with self._client(described) as client, self._asking():
            token = client.fetch_token(
                described["token_endpoint"], code=code, code_verifier=row.verifier, grant_type="authorization_code"
            )
        return identity_of(self._claims(token, row.nonce), self.settings)

    def keys(self) -> int:
        """Return how many keys the provider has that may sign."""
        return len(self._key_set(FRESH).keys)

    def _claims(self, token: Mapping[str, Any], nonce: str) -> Mapping[str, Any]:
        """Return the claims of an ID token that is the provider's, for this service and this sign-on, and lives."""
        text = token.get("id_token")
        if not isinstance(text, str) or not len(text) <= MAX_TOKEN:
            raise SignOnError(Refusal.TOKEN, "no ID token")
        options: dict[str, Any] = {
            "iss": {"essential": True, "value": self.settings.issuer},
            "aud": {"essential": True, "value": self.settings.client_id},
        }
        given = {"nonce": nonce, "client_id": self.settings.client_id, "access_token": token.get("access_token")}
        try:
            read = self._opened(text)
            claims = CodeIDToken(read.claims, read.header, options, given)
            claims.validate(now=self._clock() // 1_000_000, leeway=LEEWAY)
        except JoseError as error:
            raise SignOnError(Refusal.TOKEN, _named(error)) from None
        except (ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
            # What a claim may be is the library's to say; a token that trips it is none of ours.
            raise SignOnError(Refusal.TOKEN, f"unreadable: {type(error).__name__}") from None
        return dict(claims)

    def _opened(self, text: str) -> jwt.Token:
        """Return a token whose signature holds, by keys that are fetched anew for one that is not known."""
        registry = JWSRegistry(algorithms=list(self.settings.algorithms), strict_check_header=False)
        try:
            return jwt.decode(text, self._key_set(FRESH), registry=registry)
        except InvalidKeyIdError:
            return jwt.decode(text, self._key_set(AGAIN), registry=registry)

    def _description(self) -> Mapping[str, Any]:
        """Return the addresses of the provider: those that are stated, or those of its discovery document."""
        if self.settings.jwks_uri:
            return {name: getattr(self.settings, name) for name in _ENDPOINTS}
        if (known := self._young(self._described, FRESH)) is not None:
            return known
        document = self._fetched(get_well_known_url(self.settings.issuer, external=True))
        if document.get("issuer") != self.settings.issuer:
            raise SignOnError(Refusal.PROVIDER, "its discovery document is of another issuer")
        for name in _ENDPOINTS:
            if not isinstance(document.get(name), str) or not is_providers(document[name], self.settings.issuer):
                raise SignOnError(Refusal.PROVIDER, f"its discovery document has no {name} that can be used")
        self._described = self._clock(), document
        return document

    def _key_set(self, age: int) -> KeySet:
        """Return the provider's keys, which are at most so old."""
        if (known := self._young(self._keys, age)) is not None:
            return known
        document = self._fetched(self._description()["jwks_uri"])
        listed = document.get("keys")
        if not isinstance(listed, list):
            raise SignOnError(Refusal.PROVIDER, "its keys cannot be read")
        found = KeySet(list(_usable(listed)))
        self._keys = self._clock(), found
        return found

    def _young(self, kept: tuple[int, Kept] | None, age: int) -> Kept | None:
        """Return what was kept at a time, unless that is too long ago, or not yet by the clock of now."""
        return kept[1] if kept is not None and kept[0] <= self._clock() < kept[0] + age else None

    def _fetched(self, address: str) -> Mapping[str, Any]:
        """Return a JSON object of the provider's."""
        with httpx2.Client(**self._bounds()) as client, self._asking():
            answer = client.get(address)
            document = answer.json() if answer.status_code == HTTPStatus.OK else None
        if not isinstance(document, dict):
            raise SignOnError(Refusal.PROVIDER, f"answered {answer.status_code}, and not with a JSON object")
        return document

    def _client(self, described: Mapping[str, Any]) -> OAuth2Client:
        """Return a client for one request."""
        methods = described.get("token_endpoint_auth_methods_supported")
        basic = not isinstance(methods, list) or "client_secret_basic" in methods
        return OAuth2Client(
            self.settings.client_id,
            self._secret or None,
            token_endpoint_auth_method=("client_secret_basic" if basic else "client_secret_post")
            if self._secret
            else "none",
            scope=" ".join(self.settings.scopes),
            redirect_uri=self._redirect,
            code_challenge_method="S256",
            **self._bounds(),
        )

    def _bounds(self) -> dict[str, Any]:
        """Return what every client of ours is made with: no proxy or password of the environment has a say."""
        inner = httpx2.HTTPTransport(verify=self._context, trust_env=False)
        return {
            "transport": _Bounded(inner),
            "timeout": ANSWER_SECONDS,
            "trust_env": False,
            "follow_redirects": False,
            "headers": {"Accept-Encoding": "identity"},
        }

    @contextmanager
    def _asking(self) -> Iterator[None]:
        """Have a turn, and say of every answer that is none that it is the provider's."""
        if not self._turns.acquire(timeout=TURN_SECONDS):
            raise SignOnError(Refusal.PROVIDER, "too many sign-ons at once")
        try:
            yield
        except AuthlibBaseError as error:
            raise SignOnError(Refusal.PROVIDER, f"the token endpoint refused: {type(error).__name__}") from None
        except (httpx2.HTTPError, httpx2.InvalidURL) as error:
            raise SignOnError(Refusal.PROVIDER, f"no answer: {type(error).__name__}") from None
        except (ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
            raise SignOnError(Refusal.PROVIDER, f"an answer that cannot be read: {type(error).__name__}") from None
        finally:
            self._turns.release()


class _Bounded(httpx2.BaseTransport):
    """Reads an answer to its end within a size and a time, as it is: what is packed is not unpacked."""

    def __init__(self, inner: httpx2.BaseTransport) -> None:
        self._inner = inner

    def handle_request(self, request: httpx2.Request) -> httpx2.Response:
        """Return an answer that is whole; raises ReadError for one that is too long, takes too long or is packed."""
        until = time.monotonic() + ANSWER_SECONDS
        answer = self._inner.handle_request(request)
        body = bytearray()
        try:
            if answer.headers.get("content-encoding", "identity") != "identity":
                raise httpx2.ReadError("packed")
            for part in answer.iter_raw():
                body += part
                if len(body) > MAX_ANSWER_BYTES or time.monotonic() > until:
                    raise httpx2.ReadError("too long")
        finally:
            answer.close()
        kind = answer.headers.get("content-type", "")
        return httpx2.Response(answer.status_code, headers={"Content-Type": kind}, content=bytes(body))

    def close(self) -> None:
        """Close the connections."""
        self._inner.close()


def _usable(listed: list[Any]) -> Iterator[RSAKey | ECKey | OKPKey]:
    """Yield the keys that may sign: those of pairs alone, so that none is taken for a secret that both sides have."""
    for one in listed:
        if not isinstance(one, dict) or one.get("use", "sig") != "sig":
            continue
        kind = _PAIRS.get(str(one.get("kty")))
        if kind is None:
            continue
        try:
            key = kind.import_key(one)
            weak = isinstance(key, RSAKey) and key.public_key.key_size < MIN_RSA_BITS
        except (JoseError, ValueError, TypeError, KeyError, AttributeError):
            continue
        if not weak:
            yield key


def _named(error: JoseError) -> str:
    """Return the kind of an error, and the claim where it is of one: the library's text may repeat the token's."""
    claim = getattr(error, "claim", None)
    return f"{error.error} {claim}" if isinstance(claim, str) else str(error.error)
