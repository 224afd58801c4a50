"""The kept results: one JSON file for each suite, in bench/results unless another folder is named."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

RESULTS = Path(__file__).resolve().parent / "results"


def load(suite: str, folder: Path = RESULTS) -> dict[str, Any]:
    """Read the kept results of a suite; raises OSError where none are kept."""
    results: dict[str, Any] = json.loads((folder / f"{suite}.json").read_text(encoding="utf-8"))
    return results


def is_kept(suite: str, folder: Path = RESULTS) -> bool:
    """Tell whether a suite has kept results."""
    return (folder / f"{suite}.json").is_file()


def load_all(suites: Iterable[str], folder: Path = RESULTS) -> dict[str, dict[str, Any] | None]:
    """Read the results of several suites; None for a suite without."""
    return {suite: load(suite, folder) if is_kept(suite, folder) else None for suite in suites}


def keep(suite: str, results: Mapping[str, Any], folder: Path = RESULTS) -> None:
    """Write the results of a suite, one entry a line, so that a change shows in review."""
    folder.mkdir(exist_ok=True)
    text = json.dumps(results, indent=1, ensure_ascii=False)
    # Lists of numbers stay on one line.
    text = re.sub(r"\[\s+([-+\d.,eE\s]+?)\s+\]", lambda match: f"[{' '.join(match[1].split())}]", text)
    (folder / f"{suite}.json").write_text(text + "\n", encoding="utf-8")
