"""The Go tests for a few mutants: what takes long is measured where a mutant comes to it, and not before."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from functools import cached_property
from threading import Lock
from typing import TYPE_CHECKING

from research.mutations import suite
from research.mutations.build import prepare
from research.mutations.judge import CIRCUIT, NOTHING, PATIENCE, SAME, failure, order

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from research.mutations.build import Mutant
    from research.mutations.suite import Suite, Test

QUICK = 0.5
"""After how many seconds a test is left for mutants that come to it."""


class Few:
    """All tests that a mutant may fail, of which the quick ones are measured; mutants are judged in several threads."""

    def __init__(self, programs: dict[str, Path], workers: int) -> None:
        names = [one for one in suite.named(programs) if one[0] != suite.SYSTEMS]
        with ThreadPoolExecutor(workers) as pool:
            found = list(pool.map(lambda one: suite.within(QUICK, *one), names))
        self.quick = [one[0] for one in found if one is not None]
        self._slow = [name for name, one in zip(names, found, strict=True) if one is None]
        self._writes = next(one for one in suite.named(programs) if one[0] == suite.SYSTEMS)
        self._measured: dict[tuple[str, Path, str], Test] = {}
        self._lock = Lock()

    @cached_property
    def _systems(self) -> Suite:
        """The constraint systems of all shapes."""
        return suite.Suite([], suite.systems(suite.measured(*self._writes)[0]))

    def same(self, mutant: Mutant) -> bool:
        """Whether the constraint systems of every shape that reaches a mutant are those without it."""
        with self._lock:
            systems = self._systems
        return systems.same(mutant.id)

    def slow(self, mutant: Mutant) -> Iterator[Test]:
        """Yield the slow tests that reach a mutant, those of its own package first, each measured once."""
        own = f"equiproof/{mutant.file.rpartition('/')[0]}"
        for name in sorted(self._slow, key=lambda name: name[0] != own):
            with self._lock:
                if name not in self._measured:
                    self._measured[name] = suite.measured(*name)[0]
            if mutant.id in self._measured[name].reaches:
                yield self._measured[name]


def ready(workers: int) -> tuple[list[Mutant], Few]:
    """Return the mutants of the sources as they are, and the tests."""
    mutants, programs = prepare()
    return mutants, Few(programs, workers)


def judge(mutant: Mutant, few: Few) -> list[str]:
    """Run tests until one fails, slow ones unless the circuit is the same; returns how, and the test."""
    if found := _first(mutant, order(mutant, few.quick)):
        return found
    if few.same(mutant):
        return [SAME, ""]
    return _first(mutant, few.slow(mutant)) or [NOTHING, ""]


def _first(mutant: Mutant, tests: Iterator[Test] | list[Test]) -> list[str]:
    """Return how the first test fails that does, and its name; nothing where none does."""
    for test in tests:
        limit = 60 + PATIENCE * test.seconds
        status, output = suite.execute(test.package, test.program, test.name, limit, EQUIPROOF_MUTANT=str(mutant.id))
        if status != 0:
            how = CIRCUIT if status is None else failure(output)
            return [how, f"{test.package.partition('/')[2]}: {test.name}"]
    return []
