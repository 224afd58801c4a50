"""What is known so far of a run, kept so that a run that was stopped goes on where it was."""

from __future__ import annotations

import json
import os
import sys
from typing import TYPE_CHECKING

from research.mutations.build import FOLDER, digest

if TYPE_CHECKING:
    from pathlib import Path

JOURNAL = FOLDER / "journal.jsonl"
PART = FOLDER / "part.jsonl"
"""Of a run that writes no page, so that it does not end one that does."""


class Journal:
    """Outcomes by key, one line each, on the disk before the next one is looked for.

    The first line is digests of the sources, and of the sources with their tests. Outcomes of other sources are
    refused; those of other tests, too, but with `again`, after which those that survived are to be forgotten.
    """

    def __init__(self, resume: bool, again: bool, path: Path) -> None:
        self.known: dict[str, list[str]] = {}
        self._path, now = path, [digest(tests=False), digest()]
        if (resume or again) and path.exists():
            lines = [line for line in path.read_text(encoding="utf-8").splitlines(keepends=True) if line.endswith("\n")]
            made = json.loads(lines[0]) if lines else []
            if made[:1] != now[:1] or not (again or made == now):
                sys.exit("mutations: the sources have changed since the last run: start without --resume or --again")
            self.known = dict(map(json.loads, lines[1:]))
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(_line(now) + "".join(map(_line, self.known.items())), encoding="utf-8")

    def add(self, key: str, outcome: list[str]) -> None:
        """Keep an outcome."""
        self.known[key] = outcome
        with self._path.open("a", encoding="utf-8") as file:
            file.write(_line([key, outcome]))
            file.flush()
            os.fsync(file.fileno())


def _line(value: object) -> str:
    return json.dumps(value, ensure_ascii=False) + "\n"
