"""How a refusal names what mends it: an argument in Python, an option on the command line.

A message is written once, where the fault is seen. Who reads it decides how its remedy is spelled.
"""

from __future__ import annotations

import shlex
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from numbers import Number

_are_options = ContextVar("_are_options", default=False)


def argument(name: str, value: object = None) -> str:
    """Return `name=value` as Python has it, or `--name value` inside of :func:`as_options`.

    Without a value, `name=` and `--name`. A list is separated by commas in an option, and so are the pairs of a
    mapping; of a mapping of mappings, each has its key and a colon before it. True is an option alone.
    """
    if not _are_options.get():
        return f"{name}={'' if value is None else repr(value)}"
    option = f"--{name.replace('_', '-')}"
    return option if value is None or value is True else f"{option} {_written(value)}"


def not_texts(name: str, value: object) -> str | None:
    """Return how to give the argument `name` as a list of texts where it is none, in one line; None where it is one.

    A text alone would be read as a list of its letters.
    """
    if isinstance(value, str) or not isinstance(value, Collection):
        return f"write {argument(name, [str(value)[:40]])}, a list of texts: {repr(value)[:40]} is none"
    odd = next((one for one in value if not isinstance(one, str)), "")
    if isinstance(odd, str):
        return None
    text = repr(str(odd)[:40])
    remedy = f"write {text} in {argument(name)}" if isinstance(odd, Number) else f"write texts in {argument(name)}"
    return f"{remedy}, a list of texts: {repr(odd)[:40]} is none"


@contextmanager
def as_options() -> Iterator[None]:
    """Name arguments as options while a command runs."""
    before = _are_options.set(True)
    try:
        yield
    finally:
        _are_options.reset(before)


def _written(value: object) -> str:
    """Return a value as a shell takes it."""
    if isinstance(value, Mapping):
        value = [pair for key, one in value.items() for pair in _pairs(str(key), one)]
    return shlex.quote(",".join(map(str, value)) if isinstance(value, list | tuple) else str(value))


def _pairs(key: str, value: object) -> list[str]:
    """Return one entry of a mapping as an option writes it, `sex:" male"=male` for what ours is to another."""
    if not isinstance(value, Mapping):
        return [f"{key}={value}"]
    return [f'{key}:"{theirs}"={ours}' for ours, theirs in value.items()]
