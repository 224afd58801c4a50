"""What is known so far of a run, kept so that a run that was stopped goes on where it was."""

from __future__ import annotations

import json
import os
import sys
from typing import TYPE_CHECKING

from scripts.mutations.build import FOLDER, digest

if TYPE_CHECKING:
    from pathlib import Path

JOURNAL = FOLDER / "journal.jsonl"


class Journal:
    """Outcomes by key, one line each, on the disk before the next one is looked for.

    The first line is the digest of the sources: outcomes of other sources are refused.
    """

    def __init__(self, resume: bool, path: Path = JOURNAL) -> None:
        self.known: dict[str, list[str]] = {}
        self._path, now = path, digest()
        if resume and path.exists():
            lines = path.read_text(encoding="utf-8").splitlines(keepends=True)
            if lines[:1] != [json.dumps(now) + "\n"]:
                sys.exit("mutations: the sources have changed since the last run: start without --resume")
            whole = [line for line in lines[1:] if line.endswith("\n")]
            self.known = dict(map(json.loads, whole))
            path.write_text("".join([lines[0], *whole]), encoding="utf-8")
            return
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(now) + "\n", encoding="utf-8")

    def add(self, key: str, outcome: list[str]) -> None:
        """Keep an outcome."""
        self.known[key] = outcome
        with self._path.open("a", encoding="utf-8") as file:
            file.write(json.dumps([key, outcome], ensure_ascii=False) + "\n")
            file.flush()
            os.fsync(file.fileno())
