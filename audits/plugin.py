"""What an audit plug-in is, and how they are found: by entry points of the group `equiproof.audits`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from importlib.metadata import EntryPoint, entry_points
from typing import Protocol, runtime_checkable

from audits.context import NEEDS, AuditContext
from audits.errors import AuditError
from audits.report import AuditReport, Cell

GROUP = "equiproof.audits"


@dataclass(frozen=True)
class Option:
    """An option of an audit: its name, what it is (with its unit), and its value where none is given.

    The kind of the default is the kind of the value: a whole number, a number, a text, or true and false.
    """

    name: str
    help: str
    default: str | int | float | bool


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
    options: tuple[Option, ...]

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
    except Exception as error:  # noqa: BLE001  # somebody else's code
        return Broken(point.name, f"{type(error).__name__}: {' '.join(str(error).split())}")
    if not isinstance(plugin, Audit):
        return Broken(point.name, "not an audit: want name, version, about, needs, options and run")
    if plugin.name != point.name or not plugin.needs <= set(NEEDS):
        return Broken(
            point.name, f"calls itself {plugin.name!r} and needs {', '.join(sorted(plugin.needs)) or 'nothing'}"
        )
    return plugin


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
        if kind is bool:
            return {"true": True, "false": False}[text.lower()]
        return kind(text)
    except (KeyError, ValueError):
        wanted = {bool: "true or false", int: "a whole number", float: "a number"}.get(kind, "a text")
        raise AuditError(f"{audit.name}: option {option.name}: {text[:40]!r} is not {wanted}") from None
