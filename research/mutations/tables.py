"""Change each row of the tables that programs share and check that a test of each language notices: `make mutations`.

Every program reads the same tables, so that two of them agree on a row that is wrong. A mutant is one row with one
change (research/mutations/rows.py). Each language has a test that lists the rows that differ (tests/said.py), so that
mutants of different rows are tried together in one copy of the tables; where that test ends before its list, halves of
them are tried. A mutant is noticed where the test fails and lists its row, or fails with no other mutant beside it.
Exits 1 if one survives.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from research.mutations.build import ROOT, go, run
from research.mutations.rows import LIST, Mutant, batches, listed, mutants

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

TABLES = Path("go-gnark", "verify", "tables")
MODULES = ROOT / "web" / "verifier" / "node_modules"
PAGE = Path(__file__).with_name("tables.md")
DIFFER = "rows differ from tests/golden/tables.json"
LANGUAGES = {"python": "Python", "go": "Go", "typescript": "TypeScript"}

OPTIONS = re.compile(r" \([^()]*--[^()]*\)")
"""Brackets with options of a command line, which TypeScript leaves out of sentences."""

_PYTHON = """
import importlib, json, sys
from equiproof.circuits import kinds, tables
from equiproof.verifier import lines, reasons, reports, words
from tests.circuits.test_said import test_each_row_is_that_of_the_list as test
for _ in sys.stdin:
    for read in (tables.every_message, tables.written_sentences):
        read.cache_clear()
    words.table.cache_clear()
    reports.table.cache_clear()
    try:
        for module in (kinds, reasons, lines):
            importlib.reload(module)
        test()
        said = ""
    except Exception as error:
        said = f"{type(error).__name__}: {error}"
    print(json.dumps(said), flush=True)
"""
"""Runs Python's test for each line that it reads: in one process, which reads the tables anew each time."""

_TYPESCRIPT = """
import json, pathlib, sys, tempfile
from tests.web.test_said import test_each_row_is_that_of_the_list as test
for _ in sys.stdin:
    try:
        with tempfile.TemporaryDirectory() as folder:
            test(pathlib.Path(folder))
        said = ""
    except Exception as error:
        said = f"{type(error).__name__}: {error}"
    print(json.dumps(said), flush=True)
"""
"""The same for TypeScript's test, which makes a program of the sources each time."""


class Copy:
    """A copy of what the tests of one language need, with tables to be changed."""

    def __init__(self, language: str, folder: Path) -> None:
        self.language, self.folder = language, folder
        self._settings = {**os.environ, "PYTHONPATH": str(folder), "PYTHONDONTWRITEBYTECODE": "1", "CI": "true"}
        self._served: subprocess.Popen[str] | None = None
        ignored = shutil.ignore_patterns("node_modules", "dist", "__pycache__", "*.so", "equiproof-log")
        helpers = (str(path.relative_to(ROOT)) for path in sorted((ROOT / "tests").glob("*.py")))
        for name in {
            "python": ("equiproof", "tests/golden/tables.json", "tests/said.py", "tests/circuits/test_said.py"),
            "go": ("go-gnark", "tests/golden/tables.json"),
            "typescript": ("web", "tests/golden/tables.json", "tests/web/web.py", "tests/web/test_said.py", *helpers),
        }[language]:
            target = folder / name
            target.parent.mkdir(parents=True, exist_ok=True)
            if (ROOT / name).is_dir():
                shutil.copytree(ROOT / name, target, ignore=ignored, symlinks=True)
            else:
                shutil.copy(ROOT / name, target)
        if language == "typescript":
            (folder / MODULES.relative_to(ROOT)).symlink_to(MODULES.resolve())
        if language != "go":
            shutil.copytree(ROOT / TABLES, folder / TABLES)
        else:
            self.program = folder / "tables.test"
            run(folder / "go-gnark", go(), "test", "-c", "-o", str(self.program), "./verify/tables")

    def write(self, batch: Iterable[Mutant]) -> None:
        """Write the tables, with these mutants in them."""
        changed: dict[str, Any] = {}
        for path in (ROOT / TABLES).glob("*.json"):
            shutil.copy(path, self.folder / TABLES / path.name)
        for mutant in batch:
            if mutant.table not in changed:
                text = (ROOT / TABLES / f"{mutant.table}.json").read_text(encoding="utf-8")
                changed[mutant.table] = json.loads(text)
            *keys, last = mutant.row.split(" ")
            within = changed[mutant.table]
            for key in keys:
                within = within[key]
            if mutant.becomes is None:
                del within[last]
            else:
                within[last] = mutant.becomes
        for name, table in changed.items():
            (self.folder / TABLES / f"{name}.json").write_text(json.dumps(table), encoding="utf-8")

    def test(self) -> tuple[bool, str]:
        """Run the language's test; returns whether it passes, and what it prints."""
        if self.language != "go":
            return self._ask(_PYTHON if self.language == "python" else _TYPESCRIPT)
        words, where = [str(self.folder / "tables.test"), "-test.run", "^TestRows$"], self.folder / TABLES
        settings = self._settings | {"EQUIPROOF_TABLES": str(where)}
        done = subprocess.run(words, cwd=where, env=settings, capture_output=True, text=True, timeout=300, check=False)
        return done.returncode == 0, done.stdout + done.stderr

    def _ask(self, program: str) -> tuple[bool, str]:
        """Have the test run by the process that is there."""
        if self._served is None:
            self._served = subprocess.Popen(
                [sys.executable, "-c", program],
                cwd=self.folder,
                env=self._settings,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                text=True,
            )
        asked, answers = self._served.stdin, self._served.stdout
        if asked is None or answers is None:
            raise RuntimeError("a process without pipes")
        asked.write("\n")
        asked.flush()
        found: str = json.loads(answers.readline())
        return found == "", found

    def close(self) -> None:
        """End the process."""
        if self._served is not None and self._served.stdin is not None:
            self._served.stdin.close()
            self._served.wait(timeout=30)


def noticed(copy: Copy, batch: list[Mutant]) -> set[Mutant]:
    """Return the mutants of a batch that the test notices; no two are of the same row."""
    if not batch:
        return set()
    copy.write(batch)
    passed, output = copy.test()
    if passed:
        return set()
    if DIFFER in output:
        lines = {tuple(line.strip().split(": ", 2)[:2]) for line in output.splitlines() if line.count(": ") >= 2}
        return {one for one in batch if (f"{one.table}.json", one.row) in lines}
    if len(batch) == 1:
        return set(batch)
    half = len(batch) // 2
    return noticed(copy, batch[:half]) | noticed(copy, batch[half:])


def in_typescript(pattern: str) -> set[str]:
    """Return what TypeScript sources have of a pattern."""
    sources = [path for path in (ROOT / "web").glob("*/src/**/*.ts") if "node_modules" not in path.parts]
    return {found for path in sources for found in re.findall(pattern, path.read_text(encoding="utf-8"))}


def tables_of(language: str) -> dict[str, dict[str, Any]]:
    """Return the rows that a language uses, by table."""
    found = listed()
    if language == "typescript":
        imported = in_typescript(r'from "[./]+/go-gnark/verify/tables/(\w+)\.json"')
        fields = {name: row for name, row in found["documents"].items() if not name.endswith(" since")}
        # Builds write what reads documents; since when there is one decides nothing there.
        found = {table: rows for table, rows in found.items() if table in imported} | {"documents": fields}
        for table, function in (("messages", "sentence"), ("written", "written")):
            said = in_typescript(rf'(?<![.\w]){function}\(\s*"([a-z0-9_.]+)"')
            rows = found[table].items()
            found[table] = {name: OPTIONS.sub("", text) for name, text in rows if name.split(" ")[-1] in said}
    return found


def sampled(found: dict[str, list[Mutant]], number: int) -> dict[str, list[Mutant]]:
    """Return some of the mutants, from every table in proportion; which ones depends on the tables as they are."""
    source = random.Random(hashlib.sha256((ROOT / LIST).read_bytes()).digest())  # noqa: S311 -- a sample is no secret
    whole = [one for some in found.values() for one in some]
    kept = set(source.sample(whole, min(number, len(whole))))
    return {table: [one for one in some if one in kept] for table, some in found.items()}


def require_pass(copy: Copy) -> None:
    """End the program unless the test passes without a mutant, which it must before mutants and after them."""
    copy.write([])
    passed, output = copy.test()
    if not passed:
        sys.exit(f"mutations: the test of {LANGUAGES[copy.language]} fails without a mutant: {output[-2000:]}")


def judged(language: str, wanted: dict[str, list[Mutant]], say: Callable[[str], None]) -> dict[str, set[Mutant]]:
    """Return the mutants that a language's test notices, by table."""
    with tempfile.TemporaryDirectory() as folder:
        copy, found = Copy(language, Path(folder)), {}
        require_pass(copy)
        for table, some in wanted.items():
            found[table] = {one for batch in batches(some) for one in noticed(copy, batch)}
            say(f"{LANGUAGES[language]}, {table}.json: {len(found[table])} of {len(some)} mutants are noticed")
        require_pass(copy)
        copy.close()
        return found


_TOP = """\
# Changes of the tables that tests must notice

`make mutations-tables` writes this page. The verifiers in Python, Go and TypeScript read what they say and accept
from the same tables (`go-gnark/verify/tables`), so a comparison of two programs cannot find a row that is wrong: they
agree on it. Each row is therefore also in `tests/golden/tables.json`, and in each language a test reads every row as
its program does and lists those that differ: `tests/circuits/test_said.py`, `go-gnark/verify/tables/said_test.go` and
`tests/web/test_said.py`.

A mutant is one row with one change:

- a sentence gets another character, loses a place, has a place of another name, or two neighboring places in the other
  order; English and German are rows of their own;
- in a part of an answer, a sentence goes, two neighbors change their order, a fact or a value of a condition goes or is
  another one, or another field changes or goes; a part is one row;
- a field of a row gets another value, which another row has, or a list loses an entry, turns, or is another row's; a
  field goes; a switch turns; a number grows by one;
- the row goes.

A mutant is noticed by a language where its test fails and lists the row, or where the program ends because it refuses
the table, with no other mutant in it.

{total} mutants of {rows} rows in {tables} tables, tried in each language that uses the row, are {tried} tries:
{noticed} are noticed, {survive} survive.

| table | language | rows | mutants | noticed | survive |
|---|---|---:|---:|---:|---:|
"""

_END = """
This shows that no row changes in a language without a test that fails there. It does not show that a row was right when
it was listed, nor that programs use it where they should: vectors and readers are for that. A change on purpose
rewrites the list (`EQUIPROOF_REGENERATE=golden`).

What is not counted:

- Of `messages.json`, TypeScript has {said} rows, those that its sources say; no bundle holds the others, nor brackets
  that name options of a command line. Of `written.json` it has {written}. Of the other tables that it imports, its
  bundles hold the fields that it reads; its test holds whole rows.
- Go gives values to a sentence by their order. Two places that change their order say the same in Go, and another thing
  in Python and TypeScript: Go's test compares the names of the places too. Which value each place gets in each call is
  listed in `go-gnark/verify/tables/testdata/calls.json`, to which another test holds the calls.
- Of `documents.json`, TypeScript reads no row of since when there is a document. Go ends at its start where a structure
  does not fit its row; what is counted is its test's list.
- The rows of `names.json` and `normal.json` are ranges of characters that a script writes; tests hold them to it.
"""


def counted(language: str) -> dict[str, tuple[int, int]]:
    """Return how many rows and mutants a language has of each table."""
    return {table: (len(rows), len(mutants(table, rows))) for table, rows in tables_of(language).items()}


def page(found: dict[str, dict[str, int]]) -> str:
    """Return the page, of how many mutants each language noticed in each table."""
    counts = {language: counted(language) for language in LANGUAGES}
    whole = listed()
    lines = [
        f"| `{table}.json` | {name} | {rows} | {many} | {found[language][table]} | {many - found[language][table]} |"
        for table in whole
        for language, name in LANGUAGES.items()
        if table in counts[language]
        for rows, many in [counts[language][table]]
    ]
    every = sum(many for one in counts.values() for _, many in one.values())
    good = sum(many for one in found.values() for many in one.values())
    top = _TOP.format(
        total=sum(len(mutants(table, rows)) for table, rows in whole.items()),
        rows=sum(map(len, whole.values())),
        tables=len(whole),
        tried=every,
        noticed=good,
        survive=every - good,
    )
    return (
        top
        + "\n".join(lines)
        + "\n"
        + _END.format(said=counts["typescript"]["messages"][0], written=counts["typescript"]["written"][0])
    )


def given() -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(
        prog="tables", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--sample", type=int, metavar="N", help="N mutants in each language; writes no page")
    parser.add_argument("--table", choices=list(listed()), help="one table only; writes no page")
    parser.add_argument("--language", choices=list(LANGUAGES), help="one language only; writes no page")
    return parser.parse_args()


def main() -> None:
    """Try the mutants that the command line names, and write the page of all."""
    options, found, survivors = given(), {}, []
    for language in [options.language] if options.language else LANGUAGES:
        if options.sample is not None and language == "typescript" and not (MODULES / ".installed").exists():
            print("TypeScript: not tried, its packages are not here (`make web`)")
            continue
        used = {table: rows for table, rows in tables_of(language).items() if options.table in (None, table)}
        wanted = {table: mutants(table, rows) for table, rows in used.items()}
        if options.sample is not None:
            wanted = sampled(wanted, options.sample)
        noticed_ones = judged(language, wanted, partial(print, flush=True))
        found[language] = {table: len(some) for table, some in noticed_ones.items()}
        left = [one for table, some in wanted.items() for one in some if one not in noticed_ones[table]]
        survivors += [f"{LANGUAGES[language]}: {one}" for one in left]
    if options.sample is None and options.language is None and options.table is None:
        PAGE.write_text(page(found), encoding="utf-8")
    for name in survivors:
        print(f"survives: {name}")
    sys.exit(bool(survivors))


if __name__ == "__main__":
    main()
