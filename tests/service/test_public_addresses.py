"""What is public is told by our own table, whatever the interpreter's patch: never more than any of them says."""

import random
from ipaddress import IPv4Address, IPv6Address, ip_address

import pytest

from equiproof.service.public_addresses import is_public


@pytest.mark.parametrize(
    "address",
    [
        "0.0.0.1", "0.255.255.255", "10.0.0.1", "100.64.0.0", "100.127.255.255", "127.0.0.1", "169.254.169.254",
        "172.16.0.1", "172.31.255.255", "192.0.0.9", "192.0.2.1", "192.88.99.2", "192.168.1.1", "198.18.0.1",
        "198.19.255.255", "198.51.100.1", "203.0.113.1", "224.0.0.1", "239.255.255.255", "240.0.0.1",
        "255.255.255.255", "::", "::1", "::ffff:10.0.0.1", "::ffff:127.0.0.1", "::ffff:0:10.0.0.1", "::10.0.0.1",
        "64:ff9b::10.0.0.1", "64:ff9b:1::1", "100::1", "100:0:0:1::1", "1fff:ffff::1", "2001::1", "2001:2::1",
        "2001:10::1", "2001:1ff::1", "2001:db8::1", "2002:a00:1::1", "3fff::1", "4000::1", "5f00::1", "fc00::1",
        "fd00::1", "fe80::1", "fec0::1", "ff02::1", "2a00:1450::5efe:10.0.0.1", "2a00:1450::200:5efe:10.0.0.1",
    ],
)  # fmt: skip
def test_addresses_of_special_use_are_not_public(address):
    """The ends of each block, and each form in which an address of IPv4 stands in one of IPv6."""
    assert not is_public(ip_address(address))


@pytest.mark.parametrize(
    "address",
    [
        "1.1.1.1", "9.255.255.255", "11.0.0.0", "100.63.255.255", "100.128.0.0", "172.15.255.255", "172.32.0.0",
        "192.0.1.0", "198.17.255.255", "198.20.0.0", "223.255.255.255", "::ffff:8.8.8.8", "2000::1", "2001:200::1",
        "2001:4860:4860::8888", "2003::1", "2606:4700::1111", "3ffe:ffff::1", "2a00:1450::5eff:10.0.0.1",
    ],
)  # fmt: skip
def test_others_are_public(address):
    """Right beside the blocks as well."""
    assert is_public(ip_address(address))


def test_no_interpreter_knows_an_address_of_special_use_that_we_do_not():
    """Random ones, with more of those whose first byte begins a block."""
    rng = random.Random(4)
    for _ in range(20_000):
        first = rng.choice((0, 10, 100, 127, 169, 172, 192, 198, 203, 224, 240, rng.randrange(256)))
        four = IPv4Address(first << 24 | rng.getrandbits(24))
        six = IPv6Address(rng.choice((0x2001, 0x2002, 0x3FFF, rng.getrandbits(16))) << 112 | rng.getrandbits(112))
        for one in (four, six):
            assert one.is_global or not is_public(one), one
