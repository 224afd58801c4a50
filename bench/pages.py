"""The benchmark pages: prose by hand, and between marks the tables of the kept results.

docs/benchmarks.md has the headlines; PAGE.md in a collection's folder has the tables of one or several suites.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from bench import headlines, kept
from bench.harness import BenchError
from bench.suite import Collection

ROOT = Path(__file__).resolve().parents[1]
OVERVIEW = ROOT / "docs" / "benchmarks.md"

_BLOCK = re.compile(r"(?P<open><!-- bench: (?P<name>[a-z-]+) -->\n).*?(?P<close><!-- /bench -->)", re.DOTALL)

Results = Mapping[str, Any]


def write(collection: Collection) -> None:
    """Write headlines, tables and figures from a collection's kept results; raises BenchError as :func:`render`."""
    results = kept.load_all(collection.suites, collection.results)
    headlines.keep(collection.headlines(results))
    for page, made in blocks(collection, results).items():
        page.write_text(render(made, page.read_text(encoding="utf-8"), page.name), encoding="utf-8")
    collection.figures.mkdir(exist_ok=True)
    for name, suite in collection.suites.items():
        measured = results[name]
        if measured is not None:
            for figure, draw in suite.figures.items():
                draw(measured, collection.figures / f"{figure}.svg")


def blocks(collection: Collection, results: Mapping[str, Results | None]) -> dict[Path, dict[str, str]]:
    """Return the text of every mark by page, for results by suite (None: not measured), and the overview's as kept."""
    made: dict[Path, dict[str, str]] = {OVERVIEW: headlines.blocks(headlines.read())}
    for name, suite in collection.suites.items():
        page = collection.pages / f"{suite.page}.md"
        made.setdefault(page, {}).update(_suite_blocks(collection, name, results[name]))
    return made


def _suite_blocks(collection: Collection, name: str, results: Results | None) -> dict[str, str]:
    """Return a suite's blocks, and one that names the machine; without results they say how to measure."""
    suite, machine = collection.suites[name], f"{name}-machine"
    if results is None:
        lacking = f"No results are kept: `python -m {collection.name} {name}` measures."
        return dict.fromkeys((*suite.blocks, machine), lacking)
    made = {block: write(dict(results)) for block, write in suite.blocks.items()}
    return made | {machine: conditions(results["machine"])}


def render(made: Mapping[str, str], page: str, name: str) -> str:
    """Put blocks into a page's marks; raises BenchError for a mark without a block and a block without a mark."""
    marks = [match["name"] for match in _BLOCK.finditer(page)]
    if sorted(marks) != sorted(made):
        raise BenchError(f"{name}: marks {sorted(marks)} and blocks {sorted(made)} differ")
    return _BLOCK.sub(lambda match: f"{match['open']}\n{made[match['name']]}\n\n{match['close']}", page)


def conditions(machine: Mapping[str, Any]) -> str:
    """Name in one sentence the machine and the versions that a suite was measured with."""
    versions = ", ".join(f"{name} {machine[name]}" for name in ("equiproof", "gnark", "python", "numpy", "torch"))
    return (
        f"Measured on {machine['cores']} cores of {machine['processor']}, {machine['memory_gb']} GiB, "
        f"{machine['system']}; {versions}."
    )
