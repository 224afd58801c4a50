"""Which cookies reach the application: the console's own, by their exact form, and no other.

A framework parses the cookies of every request before anybody is known, and parsers that are old take a time that grows
with the square of a hostile header. One pass over the bytes finds what a browser of ours sends.
"""

from __future__ import annotations

import re

Head = tuple[bytes, bytes]

PLAIN = "equiproof-console"
SECURE = f"__Host-{PLAIN}"
"""The cookie without TLS, on loopback, and with it."""

SIGN_ON = "equiproof-sign-on"
"""That of a sign-on that is under way; with TLS it has the same prefix."""

KEY_STEP = "equiproof-key-step"
"""That of a sign-in whose password was right, and which waits for a security key; the same."""

LANGUAGE = "equiproof-language"
"""The language that a reader of the console chose."""

_TOKENS = f"(?:__Host-)?(?:{PLAIN}|{SIGN_ON}|{KEY_STEP})=[0-9a-f]{{64}}"
_OWN = re.compile(f"(?:^|;) ?({_TOKENS}|{LANGUAGE}=[a-z]{{2}})(?=;|$)".encode())


def own_alone(headers: list[Head]) -> list[Head]:
    """Return the head of a request with our cookies alone; without one that comes with several values."""
    others = [one for one in headers if one[0] != b"cookie"]
    if len(others) == len(headers):
        return headers
    found = {match for name, value in headers if name == b"cookie" for match in _OWN.findall(value)}
    names = [one.partition(b"=")[0] for one in found]
    own = sorted(one for one in found if names.count(one.partition(b"=")[0]) == 1)
    return [*others, (b"cookie", b"; ".join(own))] if own else others
