"""The argued survivors, research/mutations/survivors.toml."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from pathlib import Path

SURVIVORS = Path(__file__).with_name("survivors.toml")


@dataclass(frozen=True)
class Argument:
    """Why mutants of one file may survive, and which: function, line of the source, and what becomes of what."""

    file: str
    reason: str
    mutants: tuple[tuple[str, str, str], ...]

    @property
    def keys(self) -> list[tuple[str, ...]]:
        """Name them as a Mutant does."""
        return [(self.file, *mutant) for mutant in self.mutants]


def arguments() -> list[Argument]:
    """Read the arguments."""
    entries = tomllib.loads(SURVIVORS.read_text(encoding="utf-8")).get("survivor", [])
    return [Argument(entry["file"], entry["reason"], tuple(map(tuple, entry["mutants"]))) for entry in entries]


def argued() -> set[tuple[str, ...]]:
    """Return the keys of all mutants that may survive."""
    return {key for argument in arguments() for key in argument.keys}
