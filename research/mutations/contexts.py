"""A plugin of pytest that says which test, or which fixture, runs while coverage is measured.

`EQUIPROOF_TESTS` names the file that it leaves: for each test its seconds of processor time, which a busy machine does
not change, those of the clock, and the names of its fixtures; and which tests and fixtures read the text of a source.
What runs is in the file that `EQUIPROOF_CONTEXT` names, if it does, for programs that tests start (reached.mjs).
They are told by `EQUIPROOF_STARTER` who started them.
"""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Generator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import coverage
import pytest

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from types import FrameType

FIXTURE = "fixture "
"""What the context of a fixture begins with; that of a test is its name."""

_tests: dict[str, dict[str, Any]] = {}
_contexts: list[str] = [""]
_readers: set[str] = set()
_OTHERS = ("importlib", "constants_ast", f"tests{os.sep}kept")
"""Who reads sources for no test: imports; hypothesis, for constants to try; who keeps keys, by their digest."""


def _note_reading(event: str, values: tuple[Any, ...]) -> None:
    """Note who opens a source of the product, but for those who do it for no test."""
    if event != "open" or not str(values[0]).endswith(".py") or f"{os.sep}equiproof{os.sep}" not in str(values[0]):
        return
    frame: FrameType | None = sys._getframe()  # noqa: SLF001  # who asks is only on the stack
    while frame is not None and not any(name in frame.f_code.co_filename for name in _OTHERS):
        frame = frame.f_back
    if frame is None:
        _readers.add(_contexts[-1])


sys.addaudithook(_note_reading)


def users(noted: Mapping[str, Any]) -> Callable[[str], set[str]]:
    """Return what gives the tests of a context, by what this plugin left: a test's own, and who asks for a fixture."""
    asking: dict[str, set[str]] = {}
    for name, test in noted["tests"].items():
        for fixture in test["fixtures"]:
            asking.setdefault(FIXTURE + fixture, set()).add(name)
    return lambda context: asking.get(context, {context})


def united(contexts: Iterable[str], using: Callable[[str], set[str]]) -> set[str]:
    """Return the tests of some contexts."""
    return {test for context in contexts for test in using(context)}


def _switch() -> None:
    if place := os.environ.get("EQUIPROOF_CONTEXT"):
        Path(place).write_text(_contexts[-1], encoding="utf-8")
        os.environ["EQUIPROOF_STARTER"] = _contexts[-1]  # a program may begin to run when its starter is over
    measured = coverage.Coverage.current()
    if measured is not None:
        measured.switch_context(_contexts[-1])


def _within(context: str) -> Callable[[], None]:
    """Enter a context; what is returned leaves it."""
    _contexts.append(context)
    _switch()

    def leave() -> None:
        _contexts.pop()
        _switch()

    return leave


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Generator[None, object, object]:
    """Note a test's time, and that it runs."""
    leave, start, clock = _within(item.nodeid), sum(os.times()[:4]), time.monotonic()
    try:
        return (yield)
    finally:
        leave()
        fixtures = list(getattr(item, "fixturenames", []))
        seconds = {"seconds": sum(os.times()[:4]) - start, "clock": time.monotonic() - clock}
        _tests[item.nodeid] = {**seconds, "fixtures": fixtures}


@pytest.hookimpl(wrapper=True)
def pytest_fixture_setup(fixturedef: pytest.FixtureDef[object]) -> Generator[None, object, object]:
    """Note what a fixture runs as the fixture's: every test that asks for it needs this, not only the first."""
    leave = _within(FIXTURE + fixturedef.argname)
    try:
        return (yield)
    finally:
        leave()


def pytest_sessionfinish() -> None:
    """Leave the list of tests."""
    Path(os.environ["EQUIPROOF_TESTS"]).write_text(
        json.dumps({"tests": _tests, "readers": sorted(_readers)}), encoding="utf-8"
    )
