"""The kept results: one JSON file for each suite, in bench/results."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

RESULTS = Path(__file__).resolve().parent / "results"


def load(suite: str) -> dict[str, Any]:
    """Read the kept results of a suite; raises OSError where none are kept."""
    results: dict[str, Any] = json.loads((RESULTS / f"{suite}.json").read_text(encoding="utf-8"))
    return results


def is_kept(suite: str) -> bool:
    """Tell whether a suite has kept results."""
    return (RESULTS / f"{suite}.json").is_file()


def load_all(suites: Iterable[str]) -> dict[str, dict[str, Any] | None]:
    """Read the results of several suites; None for a suite without."""
    return {suite: load(suite) if is_kept(suite) else None for suite in suites}


def keep(suite: str, results: Mapping[str, Any]) -> None:
    """Write the results of a suite, one entry a line, so that a change shows in review."""
    RESULTS.mkdir(exist_ok=True)
    text = json.dumps(results, indent=1, ensure_ascii=False)
    # Lists of numbers stay on one line.
    text = re.sub(r"\[\s+([-+\d.,eE\s]+?)\s+\]", lambda match: f"[{' '.join(match[1].split())}]", text)
    (RESULTS / f"{suite}.json").write_text(text + "\n", encoding="utf-8")
