"""A plugin of pytest that collects tests once, and then runs some of them as often as it is asked, each time anew.

Each time is a process that is forked after the collection: it has what was imported, and leaves nothing behind. Lines
of JSON come from and go to the two descriptors that EQUIPROOF_SERVED names: first the names of all tests; then, for
tests with an environment, a limit in seconds for each test, and a change of a source, how they ended (`trial.Served`
asks).
"""

from __future__ import annotations

import gc
import json
import os
import shutil
import signal
import sys
import tempfile
import time
from contextlib import suppress
from functools import _lru_cache_wrapper
from pathlib import Path
from typing import Any

import pytest
from _pytest.main import pytest_runtestloop as run_tests

from research.mutations.swapped import swap

VARIABLE = "EQUIPROOF_SERVED"
NATIVE = "equiproof.ffi._native"
"""The module that loads the native library, whose threads no forked process has."""
PAUSE = 0.002
"""How many seconds pass between two looks at whether a process has ended."""


class Reports:
    """Notes which tests failed, and when the last one was reported: the time of a file."""

    def __init__(self, file: Path) -> None:
        self.failed: list[str] = []
        self._file = file

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Note a test that failed, in its set-up and in what comes after it too."""
        self._file.touch()
        if report.failed:
            self.failed.append(report.nodeid)


@pytest.hookimpl(tryfirst=True)
def pytest_runtestloop(session: pytest.Session) -> bool | None:
    """Serve until nobody asks any more; where the collection failed, pytest says so and ends."""
    if session.testsfailed:
        return None
    asked, answered = (int(number) for number in os.environ.pop(VARIABLE).split(","))
    items = {item.nodeid: item for item in session.items}
    with os.fdopen(asked, encoding="utf-8") as questions, os.fdopen(answered, "w", encoding="utf-8") as answers:
        if NATIVE in sys.modules:
            _say(answers, {"error": "a test loads the native library when it is collected, so that no fork can use it"})
            return True
        _say(answers, sorted(items))
        for line in questions:
            _say(answers, _tried(session, items, json.loads(line)))
    return True


def _say(answers: Any, value: object) -> None:
    answers.write(json.dumps(value) + "\n")
    answers.flush()


def _tried(session: pytest.Session, items: dict[str, pytest.Item], question: dict[str, Any]) -> dict[str, Any]:
    """Run tests in a forked process; returns which failed, what kept them from being run, or that time was over."""
    place = Path(tempfile.mkdtemp())
    try:
        forked = os.fork()
        if forked == 0:
            _run(session, items, question, place)
        reported = place / "reported"
        reported.touch()
        while not (ended := os.waitpid(forked, os.WNOHANG)[0] == forked):
            if time.time() > reported.stat().st_mtime + question["limit"]:
                break
            time.sleep(PAUSE)
        with suppress(ProcessLookupError):
            os.killpg(forked, signal.SIGKILL)  # and what it started
        if not ended:
            os.waitpid(forked, 0)
            return {"over": True}
        result = place / "result.json"
        return json.loads(result.read_text(encoding="utf-8")) if result.exists() else {"over": True}
    finally:
        shutil.rmtree(place, ignore_errors=True)


def _run(session: pytest.Session, items: dict[str, pytest.Item], question: dict[str, Any], place: Path) -> None:
    """Run the tests in this process, which is a forked one, and end it."""
    os.setsid()
    result: dict[str, Any] = {}
    reports = Reports(place / "reported")
    try:
        os.environ.update(question["environment"], PYTEST_DEBUG_TEMPROOT=str(place), TMPDIR=str(place))
        tempfile.tempdir = str(place)
        gc.unfreeze()
        for one in gc.get_objects():
            if isinstance(one, _lru_cache_wrapper) and str(one.__module__).startswith("equiproof."):
                one.cache_clear()
        change = question["change"]
        if change is not None and not swap(change["file"], change["before"], change["after"]):
            result = {"unswapped": True}
        else:
            session.config.pluginmanager.register(reports)
            session.items = [items[name] for name in question["tests"]]
            session.testscollected = len(session.items)
            with suppress(session.Failed):
                run_tests(session)
            result = {"failed": reports.failed}
    except BaseException as error:  # noqa: BLE001 -- whatever it is, the process ends here
        result = {"failed": reports.failed, "error": f"{type(error).__name__}: {error}"}
    (place / "part.json").write_text(json.dumps(result), encoding="utf-8")
    (place / "part.json").rename(place / "result.json")
    sys.stdout.flush()
    os._exit(0)
