"""Put a changed source in place of the one that was imported, where the change is in the body of functions alone."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from inspect import CO_NEWLOCALS, CO_OPTIMIZED
from itertools import zip_longest
from types import CodeType, FunctionType

FUNCTION = CO_NEWLOCALS | CO_OPTIMIZED
"""What the code of a function is marked by; that of a module or of the body of a class is not."""


class RunsOnImportError(Exception):
    """A change of what runs when the module is imported."""


def swap(file: str, before: str, after: str) -> bool:
    """Give every function of a file the code that a changed source has for it.

    Returns False where that is not possible, since the change is of what runs on import or of what a function has from
    outside, or the file was not imported; then nothing may be run in this process.
    """
    try:
        codes = (compile(text, file, "exec", dont_inherit=True) for text in (before, after))
        pairs = list(_changed(*codes))
    except RunsOnImportError:
        return False
    functions = [one for one in gc.get_objects() if type(one) is FunctionType and one.__code__.co_filename == file]
    swapped = 0
    for old, new in pairs:
        for function in functions:
            if function.__code__ == old:
                if old.co_freevars != new.co_freevars:
                    return False
                function.__code__ = new
                swapped += 1
    return swapped > 0


def _changed(before: CodeType, after: CodeType) -> Iterator[tuple[CodeType, CodeType]]:
    """Yield the functions that differ, with those within them; raises RunsOnImportError where other code does."""
    if before == after:
        return
    inner = ([one for one in code.co_consts if isinstance(one, CodeType)] for code in (before, after))
    if before.co_flags & FUNCTION == FUNCTION:
        yield before, after
    elif _own(before) != _own(after):
        raise RunsOnImportError
    for old, new in zip_longest(*inner):
        if old is None or new is None:
            if before.co_flags & FUNCTION != FUNCTION:
                raise RunsOnImportError
            continue
        yield from _changed(old, new)


def _own(code: CodeType) -> tuple[object, ...]:
    """Return what code does itself, whatever the functions and classes within it do."""
    constants = [one if not isinstance(one, CodeType) else one.co_name for one in code.co_consts]
    return code.co_code, code.co_names, code.co_varnames, list(map(repr, constants))
