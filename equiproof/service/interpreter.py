"""Holes of Python itself that a service on the web must not have, and the first release without them."""

from __future__ import annotations

import sys

_MENDED = {(3, 11): 10, (3, 12): 6}
"""By release, the patch since which `http.cookies` takes a time that grows with a header's length, not with its square:
CVE-2024-7592."""


def holes(version: tuple[int, int, int] = sys.version_info[:3]) -> str | None:
    """Say which newer patch of this Python to take, and why; None for one without known holes.

    The service reads cookies before that library does, so nothing of it is reached from outside: it is one reason less
    to rely on that.
    """
    mended = _MENDED.get(version[:2], 0)
    if version[2] >= mended:
        return None
    release = f"{version[0]}.{version[1]}"
    return f"take Python {release}.{mended} or newer: {release}.{version[2]} has known holes (CVE-2024-7592, cookies)"
