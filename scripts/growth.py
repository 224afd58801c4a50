"""Report how the sources grow: files and functions above the usual sizes, and those that grew most since a revision.

Nothing here is a limit. A long function that reads from top to bottom is better than three that were cut to a size;
what grows from change to change deserves a look, and this report says where.
"""

from __future__ import annotations

import argparse
import ast
import re
import subprocess
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SHOWN = 8
"""Rows of each list; the rest is counted."""
NOTABLE = 40
"""Lines of growth of one file, from which on a change is listed."""

_GENERATED = re.compile(r"^(// Code generated .* DO NOT EDIT\.$|/\*\* .*Builds write this file by )", re.MULTILINE)


@dataclass(frozen=True)
class Function:
    """A function: where it starts, what it is called, and its lines."""

    line: int
    name: str
    length: int


@dataclass(frozen=True)
class Language:
    """The sources of one language, the usual sizes of its files and functions, and what finds its functions."""

    places: tuple[str, ...]
    file_lines: int
    function_lines: int
    functions: Callable[[str], Iterator[Function]]


def python_functions(text: str) -> Iterator[Function]:
    """Yield every function and method of a Python file."""
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield Function(node.lineno, node.name, (node.end_lineno or node.lineno) - node.lineno + 1)


def braced_functions(text: str) -> Iterator[Function]:
    """Yield every top-level function of Go or TypeScript: its last brace stands alone at the margin."""
    started = None
    for number, line in enumerate(text.splitlines(), 1):
        if match := re.match(r"(?:export )?(?:async )?func(?:tion)?\b\s*(?:\([^)]*\)\s*)?(\w+)", line):
            started = None if line.endswith("}") else (number, match[1])
        elif line == "}" and started is not None:
            yield Function(started[0], started[1], number - started[0] + 1)
            started = None


RESEARCH = ("research/*.py", "research/mutations/**/*.py", "research/suites/**/*.py")
LANGUAGES = {
    "Python": Language(("bench/**/*.py", "equiproof/**/*.py", *RESEARCH), 400, 50, python_functions),
    "Go": Language(("go-gnark/**/*.go", "go-log/**/*.go"), 400, 60, braced_functions),
    "TypeScript": Language(("web/*/src/**/*.ts",), 300, 50, braced_functions),
}


def sources(language: Language) -> dict[str, str]:
    """Return the text of each file of a language by its path: written by hand, and no test."""
    paths = sorted(path for place in language.places for path in ROOT.glob(place) if "node_modules" not in path.parts)
    texts = {path.relative_to(ROOT).as_posix(): path.read_text(encoding="utf-8") for path in paths}
    return {name: text for name, text in texts.items() if not name.endswith("_test.go") and not _GENERATED.search(text)}


def added(revision: str) -> dict[str, int]:
    """Return by how many lines each file grew since a revision, renames followed; empty where git does not know it."""
    command = ["git", "diff", "--numstat", "-M", "-z", revision, "--"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        return {}
    growth = dict[str, int]()
    fields = iter(done.stdout.split("\0"))
    for field in filter(None, fields):
        more, less, name = field.split("\t")
        if not name:  # of a renamed file both names follow
            next(fields)
            name = next(fields)
        if more != "-":  # a binary file has no lines
            growth[name] = int(more) - int(less)
    return growth


def listed(title: str, rows: list[tuple[int, str]]) -> list[str]:
    """Return a list's lines: what it is, its largest rows, and how many more there are."""
    largest = sorted(rows, key=lambda row: (-row[0], row[1]))
    lines = [f"  {number:5} {what}" for number, what in largest[:SHOWN]]
    return [f"{title}: {len(rows)}", *lines] if rows else []


def report(revision: str) -> list[str]:
    """Return the lines of the report."""
    grown = [
        (lines, name)
        for name, lines in added(revision).items()
        if lines >= NOTABLE and name.endswith((".py", ".go", ".ts"))
    ]
    report_lines = listed(f"files that grew by {NOTABLE} lines or more since {revision}", grown)
    for name, language in LANGUAGES.items():
        texts = sources(language)
        lengths = [(len(text.splitlines()), path) for path, text in texts.items()]
        long_files = [(length, path) for length, path in lengths if length > language.file_lines]
        long_functions = [
            (function.length, f"{path}:{function.line} {function.name}")
            for path, text in texts.items()
            for function in language.functions(text)
            if function.length > language.function_lines
        ]
        report_lines += listed(f"{name} files above {language.file_lines} lines", long_files)
        report_lines += listed(f"{name} functions above {language.function_lines} lines", long_functions)
    return report_lines or ["nothing is above the usual sizes"]


def main() -> None:
    """Print the report; it never fails."""
    parser = argparse.ArgumentParser(description="how the sources grow; nothing here is a limit")
    parser.add_argument("--since", default="HEAD", help="the revision that growth is counted from (HEAD)")
    print("\n".join(["growth (a report, no limit):", *report(parser.parse_args().since)]))


if __name__ == "__main__":
    main()
