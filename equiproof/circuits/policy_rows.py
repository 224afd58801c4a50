"""The policies that programs know, as policies.json has them: what each is called, and what kind of value it takes.

Options of commands and public names are made of these rows before any package is loaded, so none is needed here.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Any

from equiproof.circuits import tables


@dataclass(frozen=True)
class PolicyRow:
    """A policy by the `name` of its class; `option`, `argument` and `field` are empty where it has none.

    `commands` have the option, whose help is a sentence: `python_help` where it says more than that of other programs.
    Digits in `groups` may be typed with blanks and in any case.
    """

    name: str
    kind: str
    fact: str
    reasons: tuple[str, ...]
    covers: tuple[str, ...]
    option: str = ""
    help: str = ""
    python_help: str = ""
    commands: tuple[str, ...] = ()
    groups: bool = False
    argument: str = ""
    field: str = ""

    @property
    def parameter(self) -> str:
        """The option as a name in Python: min_radius of --min-radius."""
        return self.option.removeprefix("--").replace("-", "_")

    @property
    def sentence(self) -> str:
        """The help of the option."""
        return tables.written_sentences()[self.python_help or self.help]


@cache
def policy_rows() -> tuple[PolicyRow, ...]:
    """Return the policies in the order in which they are checked; raises TableError for a malformed row."""
    rows = []
    for name, row in tables.read("policies").items():
        try:
            values: dict[str, Any] = {
                key: tuple(value) if isinstance(value, list) else value for key, value in row.items()
            }
            rows.append(PolicyRow(name, **values))
        except (AttributeError, TypeError) as error:
            raise tables.TableError(f"policies.json: {name}: {error}") from None
    return tuple(rows)


def by_argument() -> dict[str, PolicyRow]:
    """Return the policies that plain values stand for, by the argument of `policy_of`."""
    return {row.argument: row for row in policy_rows() if row.argument}
