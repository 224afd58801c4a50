"""One message to one endpoint: to the configured host alone, at a public address, without following anything.

The name is resolved once, and the address that was looked at is the one that is spoken to: a name that changes between
the look and the call reaches nothing inside. An endpoint on loopback is one only where the settings say so.
"""

from __future__ import annotations

import socket
import ssl
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from http import HTTPStatus
from ipaddress import ip_address
from urllib.parse import urlsplit

from equiproof.service.public_addresses import is_public

TIMEOUT_SECONDS = 10.0
MAX_STATUS_BYTES = 1024
PORTS = {"http": 80, "https": 443}

Resolve = Callable[[str, int], list[str]]


class DeliveryError(Exception):
    """A message that was not taken; one line without anything that the other side sent."""


@dataclass(frozen=True)
class Endpoint:
    """Where messages go: over TLS, or to this machine."""

    host: str
    port: int
    path: str
    secure: bool
    local: bool


def endpoint(url: str) -> Endpoint:
    """Read an address; raises DeliveryError unless it is https, or http to loopback, without a user or a fragment."""
    try:
        parts = urlsplit(url)
        port = parts.port or PORTS.get(parts.scheme, 0)
    except ValueError:
        raise DeliveryError("not an address") from None
    host = parts.hostname or ""
    local = host == "localhost" or _is_loopback(host)
    secure = parts.scheme == "https"
    if not host or not (secure or (parts.scheme == "http" and local)):
        raise DeliveryError("want https://, or http:// to 127.0.0.1")
    if parts.username is not None or parts.fragment or any(sign <= " " or sign > "~" for sign in url):
        raise DeliveryError("want neither user nor fragment, and no blanks")
    path = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
    return Endpoint(host, port, path, secure, local)


def resolved(host: str, port: int) -> list[str]:
    """Return the addresses of a name; raises OSError."""
    return [str(entry[4][0]) for entry in socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)]


def deliver(
    at: Endpoint,
    headers: Mapping[str, str],
    body: bytes,
    resolve: Resolve = resolved,
    context: ssl.SSLContext | None = None,
) -> None:
    """Send a message; raises DeliveryError unless the answer is a success, which a redirect is not."""
    until = time.monotonic() + TIMEOUT_SECONDS
    try:
        address = _allowed(at, resolve(at.host, at.port))
        with socket.create_connection((address, at.port), TIMEOUT_SECONDS) as plain:
            if not at.secure:
                status = _exchanged(plain, _request(at, headers, body), until)
            else:
                trusted = context or _trusted()
                with trusted.wrap_socket(plain, server_hostname=at.host) as encrypted:
                    status = _exchanged(encrypted, _request(at, headers, body), until)
    except OSError as error:
        raise DeliveryError(f"no connection: {type(error).__name__}") from None
    if not HTTPStatus.OK <= status < HTTPStatus.MULTIPLE_CHOICES:
        raise DeliveryError(f"answered {status}")


@cache
def _trusted() -> ssl.SSLContext:
    """Return what decides whom to trust: that of this machine, read once."""
    return ssl.create_default_context()


def _allowed(at: Endpoint, addresses: list[str]) -> str:
    """Return the address to speak to; raises DeliveryError where one of them is not where messages may go."""
    # One private address among several refuses the name: who owns it chooses which one answers.
    for text in addresses:
        address = ip_address(text.partition("%")[0])
        if at.local:
            fits = address.is_loopback
        else:
            fits = is_public(address)
        if not fits:
            raise DeliveryError("the name leads to an address of a private network")
    if not addresses:
        raise DeliveryError("the name leads nowhere")
    return addresses[0]


def _is_loopback(host: str) -> bool:
    """Tell whether a host is written as an address of this machine."""
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return False


def _request(at: Endpoint, headers: Mapping[str, str], body: bytes) -> bytes:
    """Return the bytes of a request."""
    host = f"[{at.host}]" if ":" in at.host else at.host
    named = host if at.port in PORTS.values() else f"{host}:{at.port}"
    lines = [f"POST {at.path} HTTP/1.1", f"Host: {named}", "Content-Type: application/json", "Connection: close"]
    lines += [f"Content-Length: {len(body)}", *(f"{name}: {value}" for name, value in headers.items())]
    return "\r\n".join([*lines, "", ""]).encode("ascii") + body


def _exchanged(connection: socket.socket, request: bytes, until: float) -> int:
    """Send a request, and return the status of the answer, of which nothing more is read."""
    connection.sendall(request)
    answer = b""
    while b"\r\n" not in answer and len(answer) < MAX_STATUS_BYTES:
        remainder = until - time.monotonic()
        if remainder <= 0:
            raise TimeoutError
        connection.settimeout(remainder)
        part = connection.recv(MAX_STATUS_BYTES)
        if not part:
            break
        answer += part
    words = answer.partition(b"\r\n")[0].split(b" ")
    if len(words) < 2 or not words[0].startswith(b"HTTP/1.") or not words[1].isdigit() or len(words[1]) != 3:
        raise DeliveryError("the answer is not HTTP")
    return int(words[1])
