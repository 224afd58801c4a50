"""docs/benchmarks.md: prose by hand, and between marks the tables of the results that are kept in bench/results."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from bench.harness import BenchError

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs" / "benchmarks.md"
FIGURES = ROOT / "docs" / "figures"
RESULTS = ROOT / "bench" / "results"

_BLOCK = re.compile(r"(?P<open><!-- bench: (?P<name>[a-z-]+) -->\n).*?(?P<close><!-- /bench -->)", re.DOTALL)


def load(suite: str) -> dict[str, Any]:
    """Read the kept results of a suite."""
    found: dict[str, Any] = json.loads((RESULTS / f"{suite}.json").read_text(encoding="utf-8"))
    return found


def is_kept(suite: str) -> bool:
    """Tell whether a suite has kept results."""
    return (RESULTS / f"{suite}.json").is_file()


def keep(suite: str, results: Mapping[str, Any]) -> None:
    """Keep results, one entry a line, so that a change shows in review."""
    RESULTS.mkdir(exist_ok=True)
    text = json.dumps(results, indent=1, ensure_ascii=False)
    # Lists of numbers stay on one line.
    text = re.sub(r"\[\s+([-+\d.,eE\s]+?)\s+\]", lambda match: f"[{' '.join(match[1].split())}]", text)
    (RESULTS / f"{suite}.json").write_text(text + "\n", encoding="utf-8")


def render(blocks: Mapping[str, str], page: str) -> str:
    """Put blocks into a page's marks; raises BenchError for a mark without a block and a block without a mark."""
    marks = [match["name"] for match in _BLOCK.finditer(page)]
    if sorted(marks) != sorted(blocks):
        raise BenchError(f"{PAGE.name}: marks {sorted(marks)} and blocks {sorted(blocks)} are not the same")
    return _BLOCK.sub(lambda match: f"{match['open']}\n{blocks[match['name']]}\n\n{match['close']}", page)


def conditions(machine: Mapping[str, Any]) -> str:
    """Say in one sentence what the figures of a suite were measured on."""
    versions = ", ".join(f"{name} {machine[name]}" for name in ("equiproof", "gnark", "python", "numpy", "torch"))
    return (
        f"Measured on {machine['cores']} cores of {machine['processor']}, {machine['memory_gb']} GiB, "
        f"{machine['system']}; {versions}."
    )
