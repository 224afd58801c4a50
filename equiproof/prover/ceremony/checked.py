"""A record of checks that this user's programs have made, so that long ones are made once.

One empty file per check in a folder of the user's own, named by a hash over the digests of all that was checked. A
record in the ceremony's folder would be somebody else's word: that folder travels.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

CACHE_VARIABLE = "EQUIPROOF_CHECKED"


def once(check: Callable[[], None], *checked: str) -> None:
    """Make a check, unless it was made before of the same things; `checked` are their digests and the check's name.

    Raises what the check raises. Where no record can be written, the check is made again each time.
    """
    record = _folder() / hashlib.sha256("\n".join(("equiproof.checked.v2", *checked)).encode()).hexdigest()
    if record.is_file():
        return
    check()
    with suppress(OSError):
        record.parent.mkdir(0o700, parents=True, exist_ok=True)
        record.touch(0o600)


def _folder() -> Path:
    """Return the folder of records: the variable EQUIPROOF_CHECKED, or one of the user's caches."""
    if named := os.environ.get(CACHE_VARIABLE):
        return Path(named)
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "equiproof" / "checked"
