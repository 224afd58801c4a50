"""A sample of mutants by file, and what the share of those that tests notice says about all of them."""

from __future__ import annotations

import random
from dataclasses import dataclass
from math import sqrt
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

Z = 1.959963984540054
"""The quantile of the normal distribution for an interval of 95 %."""


@dataclass(frozen=True)
class Mutant:
    """One change of one place: the file seen from the top, its line, the kind, the code before and after.

    `at` is where the place begins in the line; `variant` counts the changes of one kind at one place. `lines` are those
    that run where the place does.
    """

    file: str
    line: int
    at: int
    kind: str
    before: str
    after: str
    variant: int
    lines: tuple[int, int]

    def __str__(self) -> str:
        """Show it to a reader."""
        return f"{self.file}:{self.line}:{self.at} {self.kind}: `{self.before}` becomes `{self.after}`"


def shares(sizes: dict[str, int], number: int) -> dict[str, int]:
    """Divide a number among files in proportion to their places, by the largest remainders; no file has more than all.

    Each file has one at least where the number allows it.
    """
    total = sum(sizes.values())
    if number >= total:
        return dict(sizes)
    least = min(1, number // len(sizes))
    share = (number - least * len(sizes)) / (total - least * len(sizes))
    exact = {file: least + share * (size - least) for file, size in sizes.items()}
    given = {file: int(part) for file, part in exact.items()}
    for file in sorted(exact, key=lambda file: (given[file] - exact[file], file))[: number - sum(given.values())]:
        given[file] += 1
    return given


def sampled(mutants: Iterable[Mutant], number: int, seed: str) -> list[Mutant]:
    """Choose places by file in proportion, then one change of each; the same seed gives the same sample.

    A place counts once for each kind of change, however many changes of that kind there are.
    """
    places: dict[str, dict[tuple[int, int, str], list[Mutant]]] = {}
    for one in mutants:
        places.setdefault(one.file, {}).setdefault((one.line, one.at, one.kind), []).append(one)
    given = shares({file: len(own) for file, own in places.items()}, number)
    chosen = []
    for file in sorted(places):
        source = random.Random(f"{seed} {file}")  # noqa: S311 -- a sample is no secret
        chosen += [source.choice(places[file][place]) for place in source.sample(sorted(places[file]), given[file])]
    return chosen


def wilson(noticed: int, tried: int) -> tuple[float, float]:
    """Return the ends of Wilson's interval of 95 % for a share, as percentages; nothing tried leaves all open."""
    if not tried:
        return 0.0, 100.0
    share, spread = noticed / tried, Z * Z / tried
    centre = (share + spread / 2) / (1 + spread)
    reach = Z * sqrt(share * (1 - share) / tried + spread / (4 * tried)) / (1 + spread)
    return 100 * max(0.0, centre - reach), 100 * min(1.0, centre + reach)


def score(outcomes: Sequence[bool]) -> str:
    """Write a share with its interval: `95.0 % (93.5 to 96.2)`."""
    low, high = wilson(sum(outcomes), len(outcomes))
    return f"{100 * sum(outcomes) / max(1, len(outcomes)):.1f} % ({low:.1f} to {high:.1f})"
