"""Which addresses belong to the public network, by a table of ours: Python's own differs from patch to patch.

The blocks are those that IANA's special-purpose address registries (RFC 6890, RFC 8190) do not call globally reachable,
with those that lead to addresses of another kind. Of IPv6 nothing but the space that is given out (2000::/3, RFC 4291)
is public, so a block that is reserved tomorrow is none today.
"""

from __future__ import annotations

from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network

_GIVEN_OUT = IPv6Network("2000::/3")

_NOT_PUBLIC_4 = tuple(
    map(
        IPv4Network,
        (
            "0.0.0.0/8",  # this network, RFC 791
            "10.0.0.0/8",  # private, RFC 1918
            "100.64.0.0/10",  # shared by carriers, RFC 6598
            "127.0.0.0/8",  # this machine, RFC 1122
            "169.254.0.0/16",  # link-local, RFC 3927; a cloud's data about its machines
            "172.16.0.0/12",  # private, RFC 1918
            "192.0.0.0/24",  # protocols of the IETF, RFC 6890
            "192.0.2.0/24",  # documentation, RFC 5737
            "192.88.99.0/24",  # relays of 6to4, RFC 7526
            "192.168.0.0/16",  # private, RFC 1918
            "198.18.0.0/15",  # benchmarks, RFC 2544
            "198.51.100.0/24",  # documentation, RFC 5737
            "203.0.113.0/24",  # documentation, RFC 5737
            "224.0.0.0/4",  # multicast, RFC 5771
            "240.0.0.0/4",  # reserved, RFC 1112, and broadcast, RFC 919
        ),
    )
)

_NOT_PUBLIC_6 = tuple(
    map(
        IPv6Network,
        (
            "2001::/23",  # protocols of the IETF, RFC 2928: Teredo, benchmarks, ORCHID
            "2001:db8::/32",  # documentation, RFC 3849
            "2002::/16",  # 6to4, RFC 3056: an address of IPv4 stands in it
            "3fff::/20",  # documentation, RFC 9637
        ),
    )
)

_HERE_4 = IPv4Network("127.0.0.0/8")
_HERE_6 = IPv6Address("::1")

_ISATAP = 0x5EFE
"""In the lower half of an address of IPv6 (RFC 5214), with an address of IPv4 behind it."""


def is_public(address: IPv4Address | IPv6Address) -> bool:
    """Tell whether an address is one of the public network, whatever form it is written in."""
    if isinstance(address, IPv4Address):
        return not any(address in block for block in _NOT_PUBLIC_4)
    if (mapped := address.ipv4_mapped) is not None:
        return is_public(mapped)
    if address not in _GIVEN_OUT or any(address in block for block in _NOT_PUBLIC_6):
        return False
    return int(address) >> 32 & 0xFCFF_FFFF != _ISATAP


def is_here(address: IPv4Address | IPv6Address) -> bool:
    """Tell whether an address is one of this machine alone, in its own form: ::ffff:127.0.0.1 is none."""
    return address in _HERE_4 if isinstance(address, IPv4Address) else address == _HERE_6
