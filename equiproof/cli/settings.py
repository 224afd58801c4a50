"""`equiproof.toml`: paths and defaults of the owner's commands, in the working folder or named by --config.

Options of the command line and variables of the environment go before it. It may come with a folder of somebody else's,
so it sets nothing that decides whom the user trusts, what is given away, or what is overwritten.
"""

from __future__ import annotations

import difflib
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

from equiproof.circuits.canonical import DocumentError, read_regular
from equiproof.circuits.exit_codes import MISUSED
from equiproof.circuits.text import plain

FILE = "equiproof.toml"
MAX_BYTES = 1 << 16
PATHS = "paths"

COMMANDS = frozenset(
    {
        *("train", "spec", "import", "inspect", "commit", "setup", "certify", "predict", "prove", "bundle", "letter"),
        *(
            "recourse",
            "repair",
            "mitigate",
            "data list",
            "data describe",
            "data fetch",
            "audit run",
            "audit report",
            "circuit prove",
            "gain prove",
            "table setup",
            "table prove",
        ),
    }
)
"""The commands that it has defaults for: those of a model's owner. Who checks others names everything himself."""

NEVER = {
    "force": "it overwrites files",
    "yes": "it confirms",
    "allow-loss": "it is a statement about one model",
    "allow-differing": "it is a statement about one model",
    "accept-labels": "it is a statement about one model",
    "disclose": "it gives applicants' data away",
    "owner-secret": "it decides whose keys are trusted with the model",
    "engine": "it decides which machines see the model",
    "base-url": "it decides where data come from",
    "json": "it is for programs, which can give it",
}
"""Options that are given on the command line only, and why."""

_PLACES = {
    "opening": dict.fromkeys(
        (
            *(
                "certify",
                "prove",
                "recourse",
                "repair",
                "mitigate",
                "setup",
                "audit run",
                "circuit prove",
                "gain prove",
            ),
            *("table setup", "table prove"),
        ),
        "opening",
    ),
    "commitment": dict.fromkeys(("setup", "bundle", "letter"), "commitment"),
    "keys": {
        **dict.fromkeys(("setup", "prove", "repair", "gain prove", "table setup", "table prove"), "keys"),
        **dict.fromkeys(("bundle", "letter"), "key"),
    },
    "data": dict.fromkeys(
        ("train", "import", "inspect", "commit", "data list", "data describe", "audit run", "mitigate"), "data-dir"
    ),
    "log": dict.fromkeys(COMMANDS, "log"),
}
"""The names of the table `paths`: by command, the option that each stands for."""

_GIVES_WAY = {
    ("setup", "opening"): ("commitment", "hidden", "pad-to", "predicates"),
    ("setup", "kept"): ("self-contained", "box", "catalogue", "proof-system"),
    ("setup", "self-contained"): ("kept",),
    ("audit run", "opening"): ("model",),
    ("mitigate", "opening"): ("model",),
    ("mitigate", "rows"): ("dataset",),
    ("mitigate", "dataset"): ("rows",),
    ("audit run", "rows"): ("dataset",),
    ("audit run", "dataset"): ("rows",),
    ("prove", "out-dir"): ("out", "query-out"),
    ("certify", "jobs"): ("explain",),
    ("certify", "resume"): ("explain",),
    ("certify", "out"): ("explain",),
    ("certify", "exact"): ("explain",),
}
"""What a command takes from the file only where the command line gives none of these options, which replace it."""

_BELONGS_TO = {
    ("setup", "commitment"): ("hidden", "pad-to", "predicates"),
    ("repair", "keys"): ("prove",),
    ("repair", "context"): ("prove",),
    **{("prove", name): ("out-dir",) for name in ("id", "nonce", "bundles", "letters", "jobs")},
    **{("prove", name): ("letters",) for name in ("lender", "link")},
}
"""What a command takes from the file only together with one of these options."""


class SettingsError(ValueError):
    """A file of settings that cannot be used; one line naming file and setting."""

    exit_code: ClassVar[int] = MISUSED


@dataclass(frozen=True)
class Option:
    """An option of a command, as settings need to know it: its parameter, and what kind of value it takes."""

    parameter: str
    switch: bool = False
    several: bool = False
    path: bool = False


Options = Mapping[str, Option]

_PATH = Option("path", path=True)


@dataclass(frozen=True)
class Settings:
    """A file of settings as it was read; `found` has the values by table and name."""

    path: Path
    found: Mapping[str, Mapping[str, Any]]

    @classmethod
    def read(cls, named: Path | None, commands: Mapping[str, Options]) -> Settings | None:
        """Read the file `named`, or that of the working folder; None where there is none.

        `commands` has the options of each of COMMANDS. Raises SettingsError for what is no TOML, and naming an unknown
        table or setting, a value of the wrong kind, and one that is for the command line only.
        """
        path = named or Path(FILE)
        try:
            data = read_regular(path, MAX_BYTES)
        except FileNotFoundError:
            if named is None:
                return None
            raise
        except DocumentError as error:
            raise SettingsError(str(error)) from None
        if len(data) > MAX_BYTES:
            raise SettingsError(f"{path}: larger than {MAX_BYTES >> 10} KiB")
        settings = cls(path, _tables(_document(data, path), path))
        for table, values in settings.found.items():
            settings._check(table, values, commands)
        return settings

    def defaults(self, command: str, options: Options, typed: Collection[str]) -> dict[str, Any]:
        """Return the values for one command by option, without those that the options `typed` replace.

        Paths are relative to the file.
        """
        values: dict[str, Any] = {
            _PLACES[name][command]: self._placed(value)
            for name, value in self.found.get(PATHS, {}).items()
            if command in _PLACES[name]
        }
        for name, value in self.found.get(command, {}).items():
            values[name] = self._value(options[name], name, value)
        while True:  # what belongs to something that is left out is left out as well
            present = {name for name, value in values.items() if value not in (False, "")} | set(typed)
            fitting = {name: value for name, value in values.items() if _fits(command, name, typed, present)}
            if fitting == values:
                return values
            values = fitting

    def _check(self, table: str, values: Mapping[str, Any], commands: Mapping[str, Options]) -> None:
        """Raise SettingsError for a table or a setting that does not exist, and for a value of another kind."""
        if table != PATHS and table not in commands:
            raise self._unknown("table", table, (PATHS, *commands))
        for name, value in values.items():
            if table == PATHS:
                if name not in _PLACES:
                    raise self._unknown(f"setting of [{table}]", name, _PLACES)
                fault = _fault(_PATH, value)
            elif name in NEVER:
                fault = f"give it on the command line only: {NEVER[name]}"
            elif name not in commands[table]:
                raise self._unknown(f"setting of [{table}]", name, set(commands[table]) - set(NEVER))
            else:
                fault = _fault(commands[table][name], value)
            if fault is not None:
                raise SettingsError(f"{self.path}: {table}: {name}: {fault}")

    def _unknown(self, kind: str, name: str, known: Iterable[str]) -> SettingsError:
        """Return the error about a name that nothing has, with the nearest name that something has."""
        known = sorted(known)
        near = difflib.get_close_matches(name, known, 1)
        there = f"did you mean {near[0]!r}?" if near else f"there are {', '.join(known)}"
        return SettingsError(plain(f"{self.path}: no {kind} is called {name[:40]!r}; {there}"))

    def _value(self, option: Option, name: str, value: Any) -> Any:
        """Return a value as the parser of the command line takes it."""
        if isinstance(value, list):
            return [str(one) for one in value]
        if option.path:
            return self._placed(value)
        if name == "columns" and str(value).startswith("@"):
            return f"@{self._placed(value[1:])}"
        return value if isinstance(value, bool) else str(value)

    def _placed(self, value: str) -> str:
        """Return a path of the file, seen from the working folder."""
        return str(self.path.parent / value)


def _document(data: bytes, path: Path) -> dict[str, Any]:
    """Return what a file says; raises SettingsError for what is no TOML."""
    import tomllib

    try:
        return tomllib.loads(data.decode())
    except UnicodeDecodeError:
        raise SettingsError(f"{path}: not UTF-8") from None
    except (ValueError, RecursionError) as error:  # TOMLDecodeError, and integers of too many digits
        raise SettingsError(plain(f"{path}: not TOML: {error}")) from None


def _tables(document: Mapping[str, Any], path: Path) -> dict[str, dict[str, Any]]:
    """Return settings by table, `audit.run` as the command is called; raises SettingsError for one outside a table."""
    tables: dict[str, dict[str, Any]] = {}
    for table, values in document.items():
        if not isinstance(values, dict):
            raise SettingsError(plain(f"{path}: {table[:40]!r} stands in no table, such as [{PATHS}] or [prove]"))
        nested = {name: value for name, value in values.items() if isinstance(value, dict)}
        if own := {name: value for name, value in values.items() if name not in nested}:
            tables[table] = own
        tables |= {f"{table} {name}": dict(value) for name, value in nested.items()}
    return tables


def _fault(option: Option, value: Any) -> str | None:
    """Return what is wrong with the kind of a value, None if nothing is; the parser judges the value itself."""
    if option.switch:
        return None if isinstance(value, bool) else "want true or false"
    if option.several:
        fits = isinstance(value, list) and all(isinstance(one, str) and one.isprintable() for one in value)
        return None if fits else 'want a list of texts, such as ["a", "b"]'
    if option.path:
        return None if isinstance(value, str) and value and value.isprintable() else "want a path, as text"
    if isinstance(value, bool) or not isinstance(value, str | int | float) or not str(value).isprintable():
        return "want a text or a number"
    return None


def _fits(command: str, name: str, typed: Collection[str], present: Collection[str]) -> bool:
    """Return whether a command takes a value of the file beside the options of the command line."""
    if set(_GIVES_WAY.get((command, name), ())) & set(typed):
        return False
    companions = _BELONGS_TO.get((command, name))
    return companions is None or bool(set(companions) & set(present))
