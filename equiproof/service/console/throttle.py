"""How often somebody may try to sign in: counted before a password is looked at, in this process's memory.

An account and an address together have five tries in a quarter of an hour, so that strangers elsewhere do not lock an
officer out; an address alone has thirty, and an account from all addresses a hundred. A sign-in that succeeds clears
its pair, and does not count for the others. Each web process counts for itself: two allow twice as many.
"""

from __future__ import annotations

from collections import OrderedDict, deque
from threading import Lock

WINDOW = 15 * 60_000_000
"""Microseconds."""

PAIR_LIMIT = 5
ADDRESS_LIMIT = 30
NAME_LIMIT = 100
MAX_KEYS = 10_000
"""Of more keys, those that were not tried for longest are forgotten."""

_Key = tuple[str, str, str]


class Throttle:
    """Tries by account and address."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._tries: OrderedDict[_Key, deque[int]] = OrderedDict()

    def wait(self, name: str, address: str, now: int) -> int:
        """Count a try, and return 0; where there were too many, return after how many seconds the next one counts."""
        keys = self._keys(name, address)
        with self._lock:
            rest = max(self._rest(key, most, now) for key, most in keys)
            # A try that is refused does not count, so that waiting does end.
            if rest == 0:
                for key, _ in keys:
                    self._count(key, now)
        return -(-rest // 1_000_000)

    def wait_anybody(self, address: str, now: int) -> int:
        """Count a try from an address by somebody who names no account, and return as `wait`."""
        key = ("address", "", address)
        with self._lock:
            rest = self._rest(key, ADDRESS_LIMIT, now)
            if rest == 0:
                self._count(key, now)
        return -(-rest // 1_000_000)

    def succeeded_anybody(self, address: str) -> None:
        """Forget the last try of an address by somebody who named no account."""
        with self._lock:
            if tries := self._tries.get(("address", "", address)):
                tries.pop()

    def succeeded(self, name: str, address: str) -> None:
        """Forget the tries of an account from an address, and the last one of each of the two."""
        (pair, _), *others = self._keys(name, address)
        with self._lock:
            self._tries.pop(pair, None)
            for key, _ in others:
                if tries := self._tries.get(key):
                    tries.pop()

    def _count(self, key: _Key, now: int) -> None:
        self._tries.setdefault(key, deque()).append(now)
        self._tries.move_to_end(key)
        while len(self._tries) > MAX_KEYS:
            self._tries.popitem(last=False)

    def _keys(self, name: str, address: str) -> tuple[tuple[_Key, int], ...]:
        who = name.lower()[:200]
        return (
            (("pair", who, address), PAIR_LIMIT),
            (("address", "", address), ADDRESS_LIMIT),
            (("name", who, ""), NAME_LIMIT),
        )

    def _rest(self, key: _Key, most: int, now: int) -> int:
        """Return how many microseconds a key has to wait."""
        tries = deque(at for at in self._tries.get(key, ()) if now - WINDOW < at <= now)
        if key in self._tries:
            self._tries[key] = tries
        return tries[-most] + WINDOW - now if len(tries) >= most else 0
