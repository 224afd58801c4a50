"""Work that several steps of one command ask for alike, such as the columns of its rows: done once while a block runs.

Nothing is kept after the block, for what is remembered comes from applicants' rows.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, TypeVar

T = TypeVar("T")

_KNOWN: ContextVar[dict[tuple[str, tuple[int, ...]], tuple[Any, Any]] | None] = ContextVar("known", default=None)


@contextmanager
def once() -> Iterator[None]:
    """Remember what :func:`remembered` makes while the block runs; inside another such block, that one remembers."""
    if _KNOWN.get() is not None:
        yield
        return
    token = _KNOWN.set({})
    try:
        yield
    finally:
        _KNOWN.reset(token)


def remembered(name: str, make: Callable[[], T], *of: object) -> T:
    """Return what `make` returns, which depends on nothing but the objects `of`; outside a block it is made each time.

    Objects are told apart by identity, so they must not change while the block runs; they are held until its end, so
    that no other object takes their place.
    """
    known = _KNOWN.get()
    if known is None:
        return make()
    key = (name, tuple(map(id, of)))
    if key not in known:
        known[key] = (make(), of)
    made: T = known[key][0]
    return made
