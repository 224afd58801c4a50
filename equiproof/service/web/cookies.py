"""Which cookies reach the application: the console's own, by its exact form, and no other.

A framework parses the cookies of every request before anybody is known, and parsers that are old take a time that grows
with the square of a hostile header. One pass over the bytes finds what a browser of ours sends.
"""

from __future__ import annotations

import re

Head = tuple[bytes, bytes]

PLAIN = "equiproof-console"
SECURE = f"__Host-{PLAIN}"
"""The cookie without TLS, on loopback, and with it."""

_OWN = re.compile(f"(?:^|;) ?((?:{PLAIN}|{SECURE})=[0-9a-f]{{64}})(?=;|$)".encode())


def own_alone(headers: list[Head]) -> list[Head]:
    """Return the head of a request with our cookie alone; with none where there is no such, or more than one."""
    others = [one for one in headers if one[0] != b"cookie"]
    if len(others) == len(headers):
        return headers
    found = {match for name, value in headers if name == b"cookie" for match in _OWN.findall(value)}
    return [*others, (b"cookie", found.pop())] if len(found) == 1 else others
