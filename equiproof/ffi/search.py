"""Searches of an ensemble of trees around a query, in the native library: its nearest wrong decision, and few leaves.

A problem is JSON text, made once for several searches; go-gnark/search/problem.go has its members. Numbers are oriented
by the label: a decision is wrong where base, steps of crossed slots, and a value of each tree add up to at most 0; with
its member `every`, where they do on all slices. Squared distances may be any costs. Every claim of a result was decided
in integers. Ctrl-C ends a search at once.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
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


@dataclass(frozen=True)
class Scale:
    """The scale of evidence: `value_bits` of values and charges, `fraction_bits` more of multipliers.

    A multiplier has at most `multiplier_bits`.
    """

    fraction_bits: int
    value_bits: int
    multiplier_bits: int


@dataclass(frozen=True)
class Leaf:
    """A box of cells: `signs` by live plain slot, 1 crossed, -1 stayed, 0 free, and `sensitive` by sensitive predicate.

    `slices` are those that it serves, `charges` by live row at the scale of values. A leaf that is not `used` is closed
    by its distance, any other by the inequality with its `multiplier`.
    """

    signs: tuple[int, ...]
    sensitive: tuple[int, ...]
    slices: tuple[int, ...]
    multiplier: int
    used: bool
    charges: tuple[int, ...]


@dataclass(frozen=True)
class Partition:
    """Leaves that prove a radius, or the `reason` why there are none.

    `slots` are the places of live plain predicates, `rows` the live nodes in ascending order. `reason` is None,
    "slots", "rows", "leaves", "time", or "wrong" for a wrong cell at the squared distance `upper2`, as in Nearest.
    `needed` is how many slots or rows are needed, or leaves; with a `reason`, at least so many leaves. `nodes` counts
    boxes.
    """

    slots: tuple[int, ...]
    rows: tuple[int, ...]
    leaves: tuple[Leaf, ...]
    reason: str | None
    needed: int
    upper2: int | None
    signs: tuple[int, ...] | None
    slice: int | None
    nodes: int


def nearest(
    problem: str, limit2: int | None = None, *, milliseconds: int | None = None, nodes: int | None = None
) -> Nearest:
    """Find the wrong decision at the least squared distance, below `limit2` if given, within a budget.

    A budget of None is none. Raises MalformedInputError for a problem that is malformed or whose numbers are too wide.
    """
    document = _searched("nearest", problem, {"limit2": limit2, "budget": _budget(milliseconds, nodes)})
    signs, row = _cell(document["cell"])
    return Nearest(document["lower2"], document["upper2"], signs, row, document["complete"], document["nodes"])


def leaves(
    problem: str,
    radius2: int,
    capacity: int,
    scale: Scale,
    *,
    slots: int | None = None,
    rows: int | None = None,
    milliseconds: int | None = None,
    nodes: int | None = None,
) -> Partition:
    """Look for at most `capacity` leaves that prove the open ball of a squared radius, within limits and a budget.

    Limits of None are none. Raises MalformedInputError as :func:`nearest`, for a scale or radius that is too wide, and
    for a problem with groups whose radius is not beyond all cells.
    """
    members = {"radius2": radius2, "capacity": capacity, "slots": slots, "rows": rows, "scale": asdict(scale)}
    document = _searched("leaves", problem, {**members, "budget": _budget(milliseconds, nodes)})
    signs, row = _cell(document["cell"])
    return Partition(
        slots=tuple(document["slots"] or ()),
        rows=tuple(document["rows"]),
        leaves=tuple(_leaf(leaf) for leaf in document["leaves"] or ()),
        reason=document["reason"],
        needed=document["needed"],
        upper2=document["upper2"],
        signs=signs,
        slice=row,
        nodes=document["nodes"],
    )


def _leaf(document: dict[str, Any]) -> Leaf:
    """Read a leaf."""
    lists = {name: tuple(document[name]) for name in ("signs", "sensitive", "slices", "charges")}
    return Leaf(**lists, multiplier=document["multiplier"], used=document["used"])


def _cell(document: dict[str, Any] | None) -> tuple[tuple[int, ...] | None, int | None]:
    """Return signs and slice of a cell, None where there is none."""
    return (None, None) if document is None else (tuple(document["signs"]), document["slice"])


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
        answer = _interruptible(lambda: _call("ep_search", handle, *_buffer(task.encode()), *_buffer(request)))
    finally:
        # Also where Ctrl-C was raised here: the search runs on in a thread of the library's until it is stopped.
        _call("ep_search_stop", handle)
    document: dict[str, Any] = json.loads(answer)
    return document
