"""Endpoints as settings name them: a name, or an address in the one form that every program reads alike.

Programs differ in what they take a host of digits for: 0177.0.0.1, 0x7f.1 and 2130706433 are this machine for some, and
another one or none for others. So such a form is refused, whatever it would be read as here.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv6Address, ip_address
from typing import ClassVar
from urllib.parse import urlsplit

from equiproof.circuits.exit_codes import MISUSED
from equiproof.service.public_addresses import is_here, is_public

PORTS = {"http": 80, "https": 443}

_NAME = re.compile(r"[a-z0-9_-]+(\.[a-z0-9_-]+)*\.?")
_NUMBER = re.compile(r"[0-9]+|0x[0-9a-f]*")
"""Of a host's last part: no name ends so, and what looks for an address takes the whole for one."""

_MAX_SHOWN = 60


class EndpointError(ValueError):
    """An address that is no endpoint; one line that says what to write instead."""

    exit_code: ClassVar[int] = MISUSED


@dataclass(frozen=True)
class Endpoint:
    """Where something is sent: over TLS, or to this machine."""

    host: str
    port: int
    path: str
    secure: bool
    local: bool

    @property
    def named(self) -> str:
        """Host and port as the header `Host` has them."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return host if self.port in PORTS.values() else f"{host}:{self.port}"


def endpoint(url: str, *, inside: bool = False) -> Endpoint:
    """Read an address; raises EndpointError unless it is https, or http to loopback, without a user or a fragment.

    A host of numbers is an address in its usual form, of the public network or of this machine; where what is asked for
    may be `inside`, of a private network too.
    """
    if any(sign <= " " or sign > "~" for sign in url):
        raise EndpointError("want an address without blanks, in ASCII")
    try:
        parts = urlsplit(url)
        port = parts.port or PORTS.get(parts.scheme, 0)
    except ValueError:
        raise EndpointError("want an address such as https://bank.example/hook") from None
    host = parts.hostname or ""
    address = _address(host)
    local = host == "localhost" or (address is not None and is_here(address))
    secure = parts.scheme == "https"
    if not host or not (secure or (parts.scheme == "http" and local)):
        raise EndpointError("want https://, or http:// to 127.0.0.1")
    if parts.username is not None or parts.fragment:
        raise EndpointError("want neither user nor fragment")
    if address is not None and not (local or inside or is_public(address)):
        raise EndpointError(f"name a host of the public network, or 127.0.0.1: {host} is of a private network")
    path = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
    return Endpoint(host, port, path, secure, local)


def _address(host: str) -> IPv4Address | IPv6Address | None:
    """Return the address that a host is, None for a name; raises EndpointError for other forms of an address."""
    shown = host[:_MAX_SHOWN]
    if "%" in host:
        raise EndpointError(f"leave out the zone behind %, or name a host: {shown!r} is of one machine's own network")
    if ":" not in host and not _NUMBER.fullmatch(host.rstrip(".").rpartition(".")[2]):
        if host and not _NAME.fullmatch(host):
            raise EndpointError(f"want a host of letters, digits, hyphens and dots, not {shown!r}")
        return None
    try:
        return ip_address(host)
    except ValueError:
        raise EndpointError(
            f"write an address as four decimal numbers, such as 93.184.215.14, or name a host: {shown!r} is read as"
            " different addresses by different programs"
        ) from None
