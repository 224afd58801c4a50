"""What a process has loaded when it begins its work stays for its life: the collector of cycles need not look at it."""

from __future__ import annotations

import gc


def settle() -> None:
    """Take all that is loaded now out of the collector's sight, once it is free of cycles that nothing needs.

    Python stops every thread of a process while it looks for cycles, and a full look goes through all objects. Those
    that the libraries made while they were loaded are most of them; without them a look is over before it is noticed.
    """
    gc.collect()
    gc.freeze()
