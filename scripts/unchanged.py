"""Say which folders of tests need no run: neither they nor what they use have changed since a revision.

`make test SINCE=REV` leaves them out. What a folder uses are the modules that its files import, by any number
of steps, the data files of their packages, and the sources that it reads or drives and that no import names: FOLDERS
has them. Where something changed that decides about all tests (ALWAYS), nothing is left out. Prints one
`--ignore=FOLDER` a line, for pytest, and `--whole=FILE` for each file of tests that changed: it runs on every day. With
--go it prints the files of tests in Go that changed instead, a name a line.
"""

from __future__ import annotations

import argparse
import ast
import subprocess
import sys
from collections.abc import Iterable, Iterator
from functools import cache
from itertools import pairwise
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent

ALWAYS = ("Makefile", "pyproject.toml", "requirements", "scripts", "tests/golden", "tests/vectors")
"""The environment, and data that tests of every room read."""

FOLDERS = {
    "tests/audits": ("docs/audit.schema.json", "docs/audit-documents.md", "equiproof/audits"),
    "tests/browser": ("web", "go-gnark/verify", "examples", "equiproof/audits"),
    "tests/chain": ("contracts", "web", "docs/chain.md"),
    "research/tests/mutations": ("research", "tests", "bench", "equiproof", "go-gnark", "web"),
    "research/tests/suites": ("research/suites", "research/results"),
}
"""The folders that may be left out, and what they use beside what they import."""

NATIVE = ("equiproof/ffi/backend.py", ("go-gnark", "go-log"))
"""Who imports the first runs a library or a program that is built from the others."""


def changed(root: Path, since: str) -> list[str]:
    """Return the files that differ from a revision, those that git does not have yet included."""
    tracked = ["git", "diff", "--name-only", "--no-renames", "-z", since, "--"]
    untracked = ["git", "ls-files", "--others", "--exclude-standard", "-z"]
    names: set[str] = set()
    for command in (tracked, untracked):
        done = subprocess.run(command, cwd=root, capture_output=True, text=True, check=False)
        if done.returncode:
            said = (done.stderr.strip().splitlines() or ["git says nothing"])[0]
            sys.exit(f"Name a revision that git has, SINCE=REV: {since} is none ({said[:200]})")
        names.update(filter(None, done.stdout.split("\0")))
    return sorted(names)


def left_main(root: Path) -> str | None:
    """Return the commit at which the checkout left origin/main, None where there is no such branch."""
    asked = ["git", "merge-base", "origin/main", "HEAD"]
    done = subprocess.run(asked, cwd=root, capture_output=True, text=True, check=False)
    return done.stdout.strip() or None


def below(file: str, places: Iterable[str]) -> bool:
    """Return whether a file is one of these, or stands below one of them."""
    return any(file == place or file.startswith(f"{place}/") for place in places)


class Sources:
    """The modules of a checkout, and what imports what."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.imported = cache(self._imported)

    def used(self, folder: str) -> set[str]:
        """Return the Python files of a folder of tests, and those that they import; some may be gone."""
        ahead = {path.relative_to(self.root).as_posix() for path in (self.root / folder).rglob("*.py")}
        ahead |= {(above / "conftest.py").as_posix() for above in Path(folder).parents}
        reached: set[str] = set()
        while ahead:
            file = ahead.pop()
            reached.add(file)
            if (self.root / file).is_file():
                ahead |= self.imported(file) - reached
        return reached

    def _imported(self, file: str) -> frozenset[str]:
        """Return the files that one names: in imports wherever they stand, and as the text of a module's full name."""
        tree = ast.parse((self.root / file).read_text(encoding="utf-8"))
        return frozenset(path for name in names(tree, file) for path in self._files(name))

    def _files(self, name: str) -> Iterator[str]:
        """Yield the files that an import of a name runs, whether or not they are there: packages run their __init__."""
        parts = name.split(".")
        if (self.root / parts[0]).is_dir() and not (self.root / parts[0]).is_symlink():
            for length in range(1, len(parts) + 1):
                path = "/".join(parts[:length])
                yield f"{path}/__init__.py"
                yield f"{path}.py"
            yield f"{'/'.join(parts)}/__main__.py"


def names(tree: ast.AST, file: str) -> Iterator[str]:
    """Yield the full names of modules that a file may import; those of what they define are among them."""
    for node in ast.walk(tree):
        match node:
            case ast.Import(names=aliases):
                yield from (alias.name for alias in aliases)
            case ast.ImportFrom(module=module, names=aliases, level=level):
                above = file.split("/")[:-level] if level else []
                base = ".".join([*above, *([module] if module else [])])
                yield from (f"{base}.{alias.name}" for alias in aliases)
            case ast.Constant(value=str(text)) if "." in text and all(part.isidentifier() for part in text.split(".")):
                yield text
            case ast.List(elts=words) | ast.Tuple(elts=words) | ast.Call(args=words):
                yield from started(words)


def started(words: list[ast.expr]) -> Iterator[str]:
    """Yield the modules that a command line runs: words that follow -m."""
    texts = [word.value if isinstance(word, ast.Constant) else None for word in words]
    yield from (name for option, name in pairwise(texts) if option == "-m" and isinstance(name, str))


def unchanged(root: Path, files: list[str]) -> list[str]:
    """Return the folders of FOLDERS that none of the changed files belongs to."""
    if any(below(file, ALWAYS) for file in files):
        return []
    sources = Sources(root)
    return [folder for folder in FOLDERS if not _concerned(root, files, folder, sources.used(folder))]


def _concerned(root: Path, files: list[str], folder: str, used: set[str]) -> bool:
    """Return whether a changed file is a folder's own, one that it uses, or data of a package that it uses."""
    module, built_from = NATIVE
    driven = (folder, *FOLDERS[folder], *(built_from if module in used else ()))
    packages = {(root / file).parent for file in used if not below(file, ("tests",)) and (root / file).is_file()}
    return any(file in used or below(file, driven) or _package(root, file) in packages for file in files)


def _package(root: Path, file: str) -> Path | None:
    """Return the package that a data file belongs to, None for modules, and for files outside of packages."""
    above = () if file.endswith(".py") else (root / file).parents
    return next((folder for folder in above if (folder / "__init__.py").is_file()), None)


def main() -> None:
    """Print what pytest is to leave out."""
    parser = argparse.ArgumentParser(description="Print the folders of tests that a change does not concern.")
    parser.add_argument("--since", help="compare with this revision, not with that at which it left origin/main")
    parser.add_argument("--go", action="store_true", help="print the changed files of tests in Go, and nothing else")
    given = parser.parse_args()
    since = given.since or left_main(ROOT)
    if since is None:
        return  # a source archive, or a checkout that nothing is to be merged into
    files = changed(ROOT, since)
    if given.go:
        print("\n".join(file for file in files if file.endswith("_test.go")))
        return
    for folder in unchanged(ROOT, files):
        print(f"--ignore={folder}")
    for file in files:
        if below(file, ("tests",)) and file.endswith(".py"):
            print(f"--whole={file}")


if __name__ == "__main__":
    main()
