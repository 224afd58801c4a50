"""Where a request comes from: whoever is connected or, behind the proxies that the settings name, whom they name.

A proxy appends the address of its own neighbour to X-Forwarded-For. So that is read from the right: what a trusted
proxy wrote counts, and the first address there that is no such proxy is the caller's. What stands before it a caller
may have made up.
"""

from __future__ import annotations

from collections.abc import Sequence
from ipaddress import IPv4Address, IPv6Address, ip_address, ip_network


class Origins:
    """The proxies that are trusted, by addresses and networks; raises ValueError for a text that is neither."""

    def __init__(self, trusted: Sequence[str]) -> None:
        self._trusted = tuple(map(ip_network, trusted))

    def trusts(self, text: str) -> bool:
        """Return whether an address is a trusted proxy's."""
        address = _address(text)
        return address is not None and any(address in network for network in self._trusted)

    def of(self, peer: str, forwarded: Sequence[str]) -> str:
        """Return where a request comes from, by its connection's address and the lines of X-Forwarded-For.

        Of IPv6 that is the network of 64 bits, which one household has all of; of no address, nothing.
        """
        found = peer
        for text in reversed(",".join(forwarded).split(",")):
            if not self.trusts(found) or _address(text.strip()) is None:
                break
            found = text.strip()
        address = _address(found)
        if address is None:
            return ""
        return str(address if address.version == 4 else ip_network((address, 64), strict=False))


def _address(text: str) -> IPv4Address | IPv6Address | None:
    """Return the address that a text is; None for anything else."""
    try:
        return ip_address(text)
    except ValueError:
        return None
