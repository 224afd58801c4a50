"""A copy of the checkout in which tests of pytest are run, with one file changed or with a mutant switched on."""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
import signal
import subprocess
import sys
from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Protocol

from research.mutations.build import FOLDER, ROOT, run
from research.mutations.served import VARIABLE
from research.mutations.swapped import RunsOnImportError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from pathlib import Path

    from research.mutations.sample import Mutant

BUILT = ("equiproof/ffi/*.so", "equiproof/ffi/equiproof-log", "dist/equiproof-verify")
"""What builds leave and tests use."""
MODULES = ("web/verifier/node_modules", "contracts/node_modules")

NOTICED, LOADED, UNTYPED = "a test fails", "nothing loads", "types do not fit"
COUNTED = (NOTICED, LOADED, UNTYPED)
"""How a mutant ends that is noticed: by tests first, else by the type checker."""
ENDED, SURVIVES, UNREACHED = "time is over", "survives", "not reached"
HOWS = (*COUNTED, ENDED, SURVIVES, UNREACHED)
"""How a mutant ends; time is also over for tests that the system ends."""

PATIENCE = 60
"""How many seconds tests may take beside a multiple of their own: a busy machine makes them slow, not endless."""

_HOWS = {0: SURVIVES, 1: NOTICED, 2: LOADED, 3: LOADED, 4: LOADED}
"""How a mutant ends by the exit status of pytest: an error while tests are collected stops it, or is one of usage."""

_FAILED = re.compile(r"^(?:FAILED|ERROR) (.+?)(?: - .*)?$", re.MULTILINE)
_MARKS = "not slow and not release and not shared"
_BASE = ("-m", "pytest", "-q", "--tb=line", "-p", "no:cacheprovider", "-m", _MARKS)


@dataclass(frozen=True)
class Outcome:
    """How tests ended: one of HOWS, the first test that failed, all that failed, and what was printed last."""

    how: str
    test: str = ""
    failed: tuple[str, ...] = ()
    output: str = ""


class Suite(Protocol):
    """Tests of one language, in a copy where mutants are tried."""

    def population(self) -> list[Mutant]:
        """List the mutants of the sources as they are."""

    def judge(self, mutant: Mutant) -> Outcome:
        """Try one mutant."""

    def complaint(self, mutant: Mutant) -> str:
        """Return what the type checker says of a mutant, or nothing."""


def module(test: str) -> str:
    """Return the file of a test."""
    return test.partition("::")[0]


def ordered(tests: Iterable[str], seconds: Mapping[str, float], own: str = "") -> list[str]:
    """Order tests by when they are tried: a source's own file first, then those that take less time, and so within."""
    tests = list(tests)
    time: dict[str, float] = {}
    for test in tests:
        time[module(test)] = time.get(module(test), 0.0) + seconds[test]

    def place(test: str) -> tuple[object, ...]:
        file = module(test)
        return not (own and file.endswith(own)), time[file], file, seconds[test], test

    return sorted(tests, key=place)


def failing(done: Outcome) -> set[str]:
    """Return the tests that failed without a mutant; the program ends where none ran."""
    if done.how not in (SURVIVES, NOTICED):
        sys.exit(f"mutations: the tests do not run without a mutant: {done.how}: {done.output[-600:]}")
    return set(done.failed)


def state() -> str:
    """Return a digest of the last commit and of what differs from it, in all that outcomes depend on."""
    results = (":(exclude)research/mutations/*.md", ":(exclude)research/mutations/*.json")
    places = ("equiproof", "go-gnark", "research/mutations", "tests", "web", *results)
    asked = (("rev-parse", "HEAD"), ("diff", "HEAD", "--", *places))
    texts = [run(ROOT, "git", *words) for words in asked]
    untracked = run(ROOT, "git", "ls-files", "-o", "--exclude-standard", "--", *places).split("\n")
    texts += [f"{name}\0{(ROOT / name).read_bytes().hex()}" for name in untracked if name]
    return hashlib.sha256("\0".join(texts).encode()).hexdigest()


def measured(name: str, measure: Callable[[Path], dict[str, Any]], tests: Iterable[str]) -> tuple[Path, dict[str, Any]]:
    """Return a copy, and what was measured in it: what is kept of these tests and sources as they are, or anew."""
    kept, folder, now = FOLDER / f"{name}.json", FOLDER / name, " ".join([state(), *tests])
    results: dict[str, Any] = json.loads(kept.read_text(encoding="utf-8")) if kept.exists() else {}
    if results.get("state") != now:
        _copy(folder)
        results = {**measure(folder), "state": now}
        kept.write_text(json.dumps(results), encoding="utf-8")
    return folder, results


def _copy(folder: Path) -> None:
    """Copy every file of the checkout that git does not ignore, and what was built."""
    shutil.rmtree(folder, ignore_errors=True)
    listed = run(ROOT, "git", "ls-files", "-z", "-co", "--exclude-standard").split("\0")
    built = [path.relative_to(ROOT).as_posix() for pattern in BUILT for path in ROOT.glob(pattern)]
    for file in [*filter(None, listed), *built]:
        if (ROOT / file).is_symlink() or (ROOT / file).is_file():
            (folder / file).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / file, folder / file, follow_symlinks=False)
    for place in MODULES:
        if (ROOT / place).is_dir():
            (folder / place).symlink_to((ROOT / place).resolve())


def settings(folder: Path) -> dict[str, str]:
    """Return the environment of tests in a copy; keys are made while lines are traced, and kept for all mutants."""
    own = {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1", "CI": "true", "EQUIPROOF_KEPT": str(folder / "build" / "tests")}
    return os.environ | own | {"PYTHONPATH": os.pathsep.join([str(folder), str(ROOT)])}


class Served:
    """Tests of a copy, collected once: each trial of some of them is a process forked from there (served.py)."""

    def __init__(self, folder: Path, places: Iterable[str]) -> None:
        asked, answers = os.pipe(), os.pipe()
        self._questions, self._answers = os.fdopen(asked[1], "w"), os.fdopen(answers[0])
        numbers = {VARIABLE: f"{asked[0]},{answers[1]}"}
        self._process = subprocess.Popen(
            [sys.executable, *_BASE, "-x", "-p", "research.mutations.served", *places],
            cwd=folder,
            env=settings(folder) | numbers,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            pass_fds=(asked[0], answers[1]),
        )
        os.close(asked[0])
        os.close(answers[1])
        first = self._answers.readline()
        if not first:
            sys.exit("mutations: the tests are not collected without a mutant")
        answer = json.loads(first)
        if isinstance(answer, dict):
            sys.exit(f"mutations: {answer['error']}")
        self.tests = frozenset(answer)

    def outcome_of(
        self,
        tests: Iterable[str],
        limit: float,
        environment: Mapping[str, str] = MappingProxyType({}),
        change: tuple[Path, str, str] | None = None,
    ) -> Outcome:
        """Run tests until one fails or takes longer than the limit, with a file's text before and after a change.

        Raises RunsOnImportError where the change cannot be made in a process that has imported the file.
        """
        named = None if change is None else dict(zip(("file", "before", "after"), map(str, change), strict=True))
        question = {"tests": list(tests), "limit": limit, "environment": dict(environment), "change": named}
        self._questions.write(json.dumps(question) + "\n")
        self._questions.flush()
        answer: dict[str, Any] = json.loads(self._answers.readline())
        if answer.get("unswapped"):
            raise RunsOnImportError
        if answer.get("over") or "error" in answer:
            return Outcome(ENDED, output=answer.get("error", ""))
        failed = tuple(answer["failed"])
        return Outcome(NOTICED, failed[0], failed) if failed else Outcome(SURVIVES)

    def close(self) -> None:
        """End the process."""
        self._questions.close()
        self._process.wait(timeout=60)
        self._answers.close()


def outcome_of(
    folder: Path,
    tests: Iterable[str],
    limit: float,
    before: Iterable[str] = (),
    options: Iterable[str] = ("-x",),
    environment: Mapping[str, str] = MappingProxyType({}),
) -> Outcome:
    """Run tests in a copy, until one fails unless options say otherwise; `before` is a program that measures pytest."""
    listed = folder / "tests.txt"
    listed.write_text("\n".join(tests), encoding="utf-8")
    process = subprocess.Popen(
        [sys.executable, *before, *_BASE, *options, f"@{listed}"],
        cwd=folder,
        env=settings(folder) | dict(environment),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        start_new_session=True,
        text=True,
        errors="replace",
    )
    try:
        output, _ = process.communicate(timeout=limit)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        process.communicate()
        return Outcome(ENDED)
    failed = tuple(_FAILED.findall(output))
    first = failed[0] if failed else ""
    how = _HOWS.get(process.returncode, ENDED)
    return Outcome(how, first, failed, output[-2000:])
