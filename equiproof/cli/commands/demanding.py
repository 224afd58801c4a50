"""The options of policies: one value for all of them, however many rows policies.json has for a command."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, get_type_hints

import typer

from equiproof.circuits.policy_rows import PolicyRow, policy_rows
from equiproof.cli.commands.demands import (
    LeastSigners,
    LeastWitnesses,
    LogDays,
    LogOwner,
    OwnFirst,
    OwnSecond,
    PolicyFile,
    SmallestTree,
    WitnessesFile,
    accepted_signers,
    compared,
    digits,
    log_terms,
    named_ranges,
    own_query,
    required_policy,
)

if TYPE_CHECKING:
    from equiproof.verifier.documents import CommitmentDocument, QueryDocument
    from equiproof.verifier.facts import Policy
    from equiproof.verifier.logged import LogTerms

POLICY = "policy"
"""The option of a policy file, the last of them."""

LOG_PROOF = "log_proof"
"""The option with what a log is judged by, which a command declares itself: it says where else the proof is found."""

_TYPES: Mapping[str, Any] = {
    "decimal": str | None,
    "digits": str | None,
    "setup": str | None,
    "names": str | None,
    "compared": str | None,
    "log": str | None,
    "flag": bool,
    "ranges": list[str] | None,
    "query": Path | None,
    "context": Path | None,
    "signers": Path | None,
}
"""The type of the option of each kind of value; what is of another kind, a command declares itself."""

_METAVARS = {"ranges": "NAME=LOW:HIGH", "log": "KEY", "names": "NAME,NAME"}

_COMPANIONS: Mapping[str, Mapping[str, Any]] = {
    "signers": {"least_signers": LeastSigners},
    "log": {
        "witnesses": WitnessesFile,
        "least_witnesses": LeastWitnesses,
        "smallest_tree": SmallestTree,
        "max_log_age": LogDays,
        "log_owner": LogOwner,
    },
    "compared": {"first": OwnFirst, "second": OwnSecond},
}
"""The options that say more about a value of a kind."""


@dataclass(frozen=True)
class Demanded:
    """What the options of a command demand, as they were typed: `typed` are values by parameter, None for none."""

    rows: tuple[PolicyRow, ...] = ()
    typed: Mapping[str, Any] = field(default_factory=dict)

    def path(self, parameter: str) -> Path | None:
        """Return the file that an option names."""
        file: Path | None = self.typed.get(parameter)
        return file

    def query(self, commitment: CommitmentDocument | None) -> QueryDocument | None:
        """Read the reader's own query; raises as :func:`own_query`."""
        return own_query(commitment, self.path("query"))

    def terms(self) -> LogTerms | None:
        """Return what is demanded of a log; raises typer's own error for an option that is nothing without another."""
        names = ("log_key", *_COMPANIONS["log"])
        return log_terms(*(self.typed.get(name) for name in names))

    def compared(self) -> tuple[str, dict[str, str], dict[str, str]] | None:
        """Return the label and the two rows of a gain; raises typer's own error for a part of it."""
        typed = self.typed
        return compared(typed.get("label"), typed.get("first") or [], typed.get("second") or [])

    def policy(self, query: QueryDocument | None = None, log_proof: bytes | None = None) -> Policy:
        """Return the policy of the options and of the policy file; raises typer's own error naming an option.

        `log_proof` is empty for none that came along; None leaves what is demanded of a log to the caller.
        """
        plain = {row.argument: self._value(row) for row in self.rows if row.kind not in ("query", "context", "log")}
        terms = None if log_proof is None else self.terms()
        return required_policy(self.path(POLICY), plain, query, self.path("context"), log_proof or b"", terms)

    def _value(self, row: PolicyRow) -> Any:
        """Return what an option demands as a value of its kind, None for nothing."""
        from equiproof.cli.commands.common import split_names

        value = self.typed[row.parameter]
        match row.kind:
            case "ranges":
                return named_ranges(value or [])
            case "names":
                return split_names(value)
            case "digits" if row.groups:
                return digits(value)
            case "signers":
                return accepted_signers(value, self.typed["least_signers"])
            case "compared":
                return self.compared()
            case _:
                return value


NOTHING = Demanded()
"""What a command's parameter is before its options are read."""


def demanding(
    command: str, *, first: Sequence[str] = (), without: Sequence[str] = ()
) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Give a command the options of its policies in place of its parameter `demanded`, which holds them all.

    They come in the order of the table, but for `first`; the command lacks those of `without`. An option that the
    command has as a parameter too keeps its place among these, and is handed over on its own.
    """

    def decorated(function: Callable[..., None]) -> Callable[..., None]:
        """Return the command with these options in its signature, where typer reads them."""
        rows = tuple(row for row in _rows(command, first) if row.kind in _TYPES)
        listed = {name: option for name, option in _options(_rows(command, first)) if name not in without}
        own = _declared(function)
        added = {name: option for name, option in listed.items() if option is not None and name not in own}
        spliced: list[inspect.Parameter] = []
        for name, parameter in own.items():
            if name == "demanded":
                spliced += [own.get(option) or added[option] for option in listed if option in {*own, *added}]
            elif name not in listed:
                spliced.append(parameter)

        @wraps(function)
        def wrapper(**values: Any) -> None:
            typed = {name: values.pop(name) for name in added}
            function(**values, demanded=Demanded(rows, typed))

        wrapper.__annotations__ = {one.name: one.annotation for one in spliced} | {"return": None}
        wrapper.__signature__ = inspect.Signature(spliced)  # type: ignore[attr-defined]
        return wrapper

    return decorated


def _rows(command: str, first: Sequence[str]) -> list[PolicyRow]:
    """Return the policies that a command has options of, in the order of its help."""
    places = {name: place for place, name in enumerate(first)}
    rows = [row for row in policy_rows() if command in row.commands]
    return sorted(rows, key=lambda row: places.get(row.parameter, len(places)))


def _options(rows: Sequence[PolicyRow]) -> Iterator[tuple[str, inspect.Parameter | None]]:
    """Yield the options of policies and of a policy file by parameter; None for one that a command declares itself."""
    for row in rows:
        if row.kind == "log":
            yield LOG_PROOF, None
        yield row.parameter, _option(row) if row.kind in _TYPES else None
        for name, annotation in _COMPANIONS.get(row.kind, {}).items():
            yield name, _parameter(name, annotation, None)
    yield POLICY, _parameter(POLICY, PolicyFile, None)


def _option(row: PolicyRow) -> inspect.Parameter:
    """Return the option of a policy."""
    annotated: Any = Annotated
    option = typer.Option(row.option, metavar=_METAVARS.get(row.kind), help=row.sentence)
    return _parameter(row.parameter, annotated[_TYPES[row.kind], option], False if row.kind == "flag" else None)


def _parameter(name: str, annotation: Any, default: bool | None) -> inspect.Parameter:
    """Return a parameter of a command."""
    return inspect.Parameter(name, inspect.Parameter.POSITIONAL_OR_KEYWORD, default=default, annotation=annotation)


def _declared(function: Callable[..., None]) -> dict[str, inspect.Parameter]:
    """Return the parameters of a command, with their types."""
    types = get_type_hints(function, include_extras=True)
    return {name: one.replace(annotation=types[name]) for name, one in inspect.signature(function).parameters.items()}
