"""Searches of an ensemble of trees around a query, in the native library: its nearest wrong decision, and few leaves.

A problem is JSON text, made once and used for several searches (go-gnark/search/problem.go has its members): numbers are
oriented by the label, so a decision is wrong where base, steps of crossed slots, and a value of each tree add up to at
most 0. Every claim of a result was decided in integers. Ctrl-C ends a search at once.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from equiproof.ffi.backend import _buffer, _call, _interruptible, _library


@dataclass(frozen=True)
class Nearest:
    """No decision is wrong below the squared distance `lower2`.

    `upper2` is the squared distance of a wrong cell, None where none is known: `signs` has 1 for each plain predicate
    that it crosses and -1 for any other, on slice number `slice`. Where `complete`, `lower2` is `upper2`, or without a
    wrong cell the limit. `nodes` counts boxes.
    """

    lower2: int
    upper2: int | None
    signs: tuple[int, ...] | None
    slice: int | None
    complete: bool
    nodes: int


def nearest(
    problem: str, limit2: int | None = None, *, milliseconds: int | None = None, nodes: int | None = None
) -> Nearest:
    """Find the wrong decision at the least squared distance, below `limit2` if given, within a budget.

    A budget of None is none. Raises MalformedInputError for a problem that is malformed or whose numbers are too wide.
    """
    found = _searched("nearest", problem, {"limit2": limit2, "budget": _budget(milliseconds, nodes)})
    cell = found["cell"]
    signs = None if cell is None else tuple(cell["signs"])
    return Nearest(
        lower2=found["lower2"],
        upper2=found["upper2"],
        signs=signs,
        slice=None if cell is None else cell["slice"],
        complete=found["complete"],
        nodes=found["nodes"],
    )


def _budget(milliseconds: int | None, nodes: int | None) -> dict[str, int | None]:
    """Return the member `budget` of a request."""
    return {"milliseconds": milliseconds, "nodes": nodes}


def _searched(task: str, problem: str, members: dict[str, Any]) -> dict[str, Any]:
    """Run a task on a problem, and stop it in the library where the caller is interrupted."""
    request = f'{{"problem":{problem},{json.dumps(members)[1:]}'.encode()
    slot = _library().ffi.new("uint64_t *")
    _call("ep_search_open", slot)
    handle = int(slot[0])
    try:
        found = _interruptible(lambda: _call("ep_search", handle, *_buffer(task.encode()), *_buffer(request)))
    finally:
        _call("ep_search_stop", handle)
    document: dict[str, Any] = json.loads(found)
    return document
