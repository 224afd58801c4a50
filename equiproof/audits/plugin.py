"""The interface of audit plug-ins, which are found by entry points of the group `equiproof.audits`."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from importlib.metadata import EntryPoint, entry_points
from typing import Any, Protocol, runtime_checkable

from equiproof.audits.context import NEEDS, AuditContext
from equiproof.audits.errors import AuditError, OptionError
from equiproof.audits.records import Cell
from equiproof.audits.report import AuditReport

GROUP = "equiproof.audits"

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,63}")
_KINDS: Mapping[type, str] = {bool: "true or false", int: "a whole number", float: "a number", str: "a text"}
"""The kinds of values that options have, in words."""


@dataclass(frozen=True)
class Option:
    """An option of an audit: its name, a description with the unit, and its default.

    The type of the default is the type of the option: a whole number, a number, a text, or true and false.
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
    """A plug-in: the entry point names a class without constructor arguments.

    `needs` are names of :data:`equiproof.audits.context.NEEDS`; an audit whose needs are not met is reported as not
    applicable. `run` raises NotApplicableError if the audit does not apply to the model, and keeps to `max_seconds`.
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
        """Examine the model and return a report."""
        ...


@dataclass(frozen=True)
class Broken:
    """A plug-in that does not load, and why."""

    name: str
    error: str


def installed() -> dict[str, Audit | Broken]:
    """Return the installed plug-ins by name, sorted; those that do not load are :class:`Broken`."""
    return load(entry_points(group=GROUP))


def load(points: Iterable[EntryPoint]) -> dict[str, Audit | Broken]:
    """Load plug-ins of entry points; two of the same name are both refused."""
    plugins: dict[str, Audit | Broken] = {}
    for point in sorted(points, key=lambda one: one.name):
        is_duplicate = point.name in plugins
        plugins[point.name] = Broken(point.name, "two plug-ins have this name") if is_duplicate else _loaded(point)
    return plugins


def _loaded(point: EntryPoint) -> Audit | Broken:
    """Load one plug-in; any exception makes it :class:`Broken`."""
    try:
        plugin = point.load()()
        fault = _fault(plugin, point.name)
    except (Exception, SystemExit) as error:  # noqa: BLE001  # third-party code
        return Broken(point.name, one_line(error))
    return Broken(point.name, fault) if fault else plugin


def _fault(candidate: object, name: str) -> str | None:
    """Return why an object is not a valid audit of this name, None if it is."""
    plugin: Any = candidate
    if not isinstance(candidate, Audit) or not callable(plugin.run):
        return "not an audit: want name, version, about, needs, options and run"
    if plugin.name != name:
        return f"calls itself {plugin.name!r}"
    if not _NAME.fullmatch(name):
        return "a name consists of letters, digits, - and _"
    if not isinstance(plugin.version, str) or not isinstance(plugin.about, str):
        return "version and about must be texts"
    if not isinstance(plugin.needs, set | frozenset):
        return "needs must be a set of names"
    if unknown := sorted(set(plugin.needs) - set(NEEDS)):
        return f"needs {', '.join(unknown)}; an audit may need {', '.join(NEEDS)}"
    names = [option.name for option in plugin.options if isinstance(option, Option) and type(option.default) in _KINDS]
    if len(names) != len(plugin.options) or len(set(names)) != len(names):
        return "options must be audits.plugin.Option with distinct names and defaults of a known type"
    return None


def one_line(error: BaseException) -> str:
    """Return an exception of third-party code as one line: its type and message, or the missing package."""
    package = (error.name or "").partition(".")[0] if isinstance(error, ModuleNotFoundError) else ""
    if package and package != __name__.partition(".")[0]:
        return f"{package} is not installed; the audits of this project need the packages of equiproof[audit]"
    message = " ".join(str(error).split())
    return f"{type(error).__name__}: {message}" if message else type(error).__name__


def describe(name: str, audit: Audit | Broken) -> dict[str, Any]:
    """Return an audit as JSON data; a broken one has an `error` and nothing else besides its name."""
    if isinstance(audit, Broken):
        return {"name": name, "version": None, "about": None, "needs": [], "options": [], "error": audit.error}
    options = [{"name": one.name, "kind": one.kind, "default": one.default, "help": one.help} for one in audit.options]
    needs = sorted(audit.needs)
    return {
        "name": name,
        "version": audit.version,
        "about": audit.about,
        "needs": needs,
        "options": options,
        "error": None,
    }


def find(name: str, audits: Mapping[str, Audit | Broken]) -> Audit:
    """Return an installed audit by name; raises AuditError for an unknown or a broken one."""
    if name not in audits:
        raise AuditError(f"no audit is called {name!r}; there are {', '.join(audits) or 'none'}")
    audit = audits[name]
    if isinstance(audit, Broken):
        raise AuditError(f"{name}: does not load: {audit.error}")
    return audit


def read_options(texts: Sequence[str]) -> dict[str, dict[str, str]]:
    """Return options by audit and name from texts such as "groups.people=50".

    Raises OptionError for a text of another form, and for an option that is given twice.
    """
    options: dict[str, dict[str, str]] = {}
    for text in texts:
        place, equals, value = text.partition("=")
        audit, dot, name = place.partition(".")
        if not (equals and dot and audit and name):
            raise OptionError(f"want audit.name=value, such as groups.people=50, not {text[:60]!r}")
        if name in options.setdefault(audit, {}):
            raise OptionError(f"{place}: give it once")
        options[audit][name] = value
    return options


def settings(audit: Audit, texts: Mapping[str, str]) -> dict[str, Cell]:
    """Return an audit's options with values given as text; raises AuditError for unknown names and invalid values."""
    options = {option.name: option for option in audit.options}
    if unknown := sorted(set(texts) - set(options)):
        there = ", ".join(options) or "none"
        raise AuditError(f"{audit.name}: no option is called {unknown[0]!r}; there are {there}")
    return {
        name: _value(audit, option, texts[name]) if name in texts else option.default
        for name, option in options.items()
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
