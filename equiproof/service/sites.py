"""What security keys know a service by: the host's name and the origin of its public address."""

from __future__ import annotations

from dataclasses import dataclass
from ipaddress import ip_address
from urllib.parse import urlsplit

_PORTS = {"http": 80, "https": 443}


@dataclass(frozen=True)
class Site:
    """A host and an origin, as browsers write them."""

    host: str
    origin: str

    @property
    def takes_keys(self) -> bool:
        """Whether browsers let security keys be used there: under a name, over TLS or on this machine."""
        try:
            ip_address(self.host)
        except ValueError:
            return self.origin.startswith("https://") or self.host == "localhost"
        return False


def site_of(public_url: str) -> Site:
    """Return the site of a public address that the settings allow."""
    address = urlsplit(public_url)
    host = address.hostname or ""
    port = "" if address.port in (None, _PORTS[address.scheme]) else f":{address.port}"
    return Site(host, f"{address.scheme}://{host}{port}")
