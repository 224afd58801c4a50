"""Public names of a package that are imported when they are first used."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from importlib import import_module


def lazily(package: str, modules: Mapping[str, str]) -> tuple[Callable[[str], object], Callable[[], list[str]]]:
    """Return a package's `__getattr__` and `__dir__`, from its public names and the modules that define them.

    Modules are named below the package. `__getattr__` raises AttributeError for any other name.
    """

    def getattribute(name: str) -> object:
        """Import a public name from the module that defines it."""
        if name not in modules:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        value = getattr(import_module(f"{package}.{modules[name]}"), name)
        setattr(sys.modules[package], name, value)
        return value

    def listed() -> list[str]:
        """List the public names, so that completion finds those that are not imported yet."""
        return sorted({*modules, *vars(sys.modules[package])})

    return getattribute, listed
