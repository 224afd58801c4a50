"""What an audit plug-in is, and how they are found: by entry points of the group `equiproof.audits`."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from importlib.metadata import EntryPoint, entry_points
from typing import Any, Protocol, runtime_checkable

from audits.context import NEEDS, AuditContext
from audits.errors import AuditError
from audits.report import AuditReport, Cell

GROUP = "equiproof.audits"

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,63}")
_KINDS: Mapping[type, str] = {bool: "true or false", int: "a whole number", float: "a number", str: "a text"}
"""The kinds of values that options have, in words."""


@dataclass(frozen=True)
class Option:
    """An option of an audit: its name, what it is (with its unit), and its value where none is given.

    The kind of the default is the kind of the value: a whole number, a number, a text, or true and false.
    """

    name: str
    help: str
    default: str | int | float | bool

    @property
    def kind(self) -> str:
        """The kind of its values, in words."""
        return _KINDS[type(self.default)]


@runtime_checkable
class Audit(Protocol):
    """A plug-in: the entry point names a class that is made without arguments.

    `needs` are names of :data:`audits.context.NEEDS`; an audit that lacks one is not run, and reported so. `run` raises
    NotApplicableError where it has nothing to say of this model, and keeps to `max_seconds`.
    """

    name: str
    version: str
    about: str
    needs: frozenset[str]

    @property
    def options(self) -> tuple[Option, ...]:
        """Its own options."""
        ...

    def run(self, context: AuditContext) -> AuditReport:
        """Look at the model and return what was found."""
        ...


@dataclass(frozen=True)
class Broken:
    """A plug-in that does not load, and why."""

    name: str
    error: str


def found() -> dict[str, Audit | Broken]:
    """Return the installed plug-ins by name, sorted; one that does not load is there as broken."""
    return load(entry_points(group=GROUP))


def load(points: Iterable[EntryPoint]) -> dict[str, Audit | Broken]:
    """Load plug-ins of entry points; of two with one name neither is taken."""
    plugins: dict[str, Audit | Broken] = {}
    for point in sorted(points, key=lambda one: one.name):
        taken = point.name in plugins
        plugins[point.name] = Broken(point.name, "two plug-ins have this name") if taken else _loaded(point)
    return plugins


def _loaded(point: EntryPoint) -> Audit | Broken:
    """Load one plug-in; whatever it raises is its fault, and no other's."""
    try:
        plugin = point.load()()
        fault = _fault(plugin, point.name)
    except (Exception, SystemExit) as error:  # noqa: BLE001  # somebody else's code
        return Broken(point.name, one_line(error))
    return Broken(point.name, fault) if fault else plugin


def _fault(found: object, name: str) -> str | None:
    """Say what keeps an object from being the audit of this name, None for nothing."""
    plugin: Any = found
    if not isinstance(found, Audit) or not callable(plugin.run):
        return "not an audit: want name, version, about, needs, options and run"
    if plugin.name != name:
        return f"calls itself {plugin.name!r}"
    if not _NAME.fullmatch(name):
        return "a name has letters, digits, - and _"
    if not isinstance(plugin.version, str) or not isinstance(plugin.about, str):
        return "version and about are texts"
    if not isinstance(plugin.needs, set | frozenset):
        return "needs is a set of names"
    if unknown := sorted(set(plugin.needs) - set(NEEDS)):
        return f"needs {', '.join(unknown)}; an audit may need {', '.join(NEEDS)}"
    names = [option.name for option in plugin.options if isinstance(option, Option) and type(option.default) in _KINDS]
    if len(names) != len(plugin.options) or len(set(names)) != len(names):
        return "options are of audits.plugin.Option, each with a name of its own and a default of its kind"
    return None


def one_line(error: BaseException) -> str:
    """Return what somebody else's code raised, as one line: its kind and what it says, or the package it misses."""
    package = (error.name or "").partition(".")[0] if isinstance(error, ModuleNotFoundError) else ""
    if package and package != __package__:
        return f"{package} is not installed; the audits of this project need the packages of requirements/audit.txt"
    said = " ".join(str(error).split())
    return f"{type(error).__name__}: {said}" if said else type(error).__name__


def settings(audit: Audit, given: Mapping[str, str]) -> dict[str, Cell]:
    """Return an audit's options with the values given as text; raises AuditError for names and values that are none."""
    known = {option.name: option for option in audit.options}
    if unknown := sorted(set(given) - set(known)):
        there = ", ".join(known) or "none"
        raise AuditError(f"{audit.name}: no option is called {unknown[0]!r}; there are {there}")
    return {
        name: _value(audit, option, given[name]) if name in given else option.default for name, option in known.items()
    }


def _value(audit: Audit, option: Option, text: str) -> Cell:
    """Read the value of an option."""
    kind = type(option.default)
    try:
        value = {"true": True, "false": False}[text.lower()] if kind is bool else kind(text)
        if isinstance(value, float) and not math.isfinite(value):
            raise ValueError
    except (KeyError, ValueError):
        raise AuditError(f"{audit.name}: option {option.name}: {text[:40]!r} is not {_KINDS[kind]}") from None
    return value
