"""Where a request comes from: trusted proxies are believed, and nobody else."""

import pytest

from equiproof.service.origins import Origins

USUAL = ("127.0.0.0/8", "::1")
CHAIN = ("127.0.0.1", "10.0.0.0/24", "fd00::/64")


@pytest.mark.parametrize(
    ("trusted", "peer", "forwarded", "address"),
    [
        (USUAL, "127.0.0.1", [], "127.0.0.1"),
        (USUAL, "127.0.0.1", ["203.0.113.9"], "203.0.113.9"),
        (USUAL, "127.0.0.1", ["198.51.100.1, 203.0.113.9"], "203.0.113.9"),
        (USUAL, "::1", ["2001:db8:1:2:3:4:5:6"], "2001:db8:1:2::/64"),
        (USUAL, "127.0.0.1", ["203.0.113.9, nonsense"], "127.0.0.1"),
        (USUAL, "203.0.113.7", ["203.0.113.9"], "203.0.113.7"),
        (USUAL, "testclient", ["203.0.113.9"], ""),
        (USUAL, "127.0.0.1", ["203.0.113.9, 10.0.0.5"], "10.0.0.5"),
        (CHAIN, "127.0.0.1", ["203.0.113.9, 10.0.0.5"], "203.0.113.9"),
        (CHAIN, "127.0.0.1", ["198.51.100.1, 203.0.113.9", "10.0.0.7,10.0.0.5"], "203.0.113.9"),
        (CHAIN, "127.0.0.1", ["10.0.0.9, 203.0.113.9, fd00::5"], "203.0.113.9"),
        (CHAIN, "127.0.0.1", ["10.0.0.9, 10.0.0.5"], "10.0.0.9"),
        (CHAIN, "127.0.0.2", ["203.0.113.9"], "127.0.0.2"),
        ((), "127.0.0.1", ["203.0.113.9"], "127.0.0.1"),
    ],
)
def test_where_a_request_comes_from(trusted, peer, forwarded, address):
    """The header is read from the right until somebody whom nobody vouches for; what stands before may be made up."""
    assert Origins(trusted).of(peer, forwarded) == address
