"""The errors of certification. A counterexample is a result, not an error, and so is a tie."""

from __future__ import annotations

from typing import ClassVar

from equiproof.circuits.exit_codes import EXHAUSTED, MISUSED


class EvidenceError(Exception):
    """The plaintext checker refuses evidence.

    `rule` is the permanent id of the broken rule (docs/relation.md), `where` the slice, region and neuron, counted from
    0.
    """

    def __init__(self, rule: str, where: str, message: str) -> None:
        """Keep the parts beside the message."""
        super().__init__(f"{rule}: {where}: {message}")
        self.rule = rule
        self.where = where
        self.message = message

    def __reduce__(self) -> tuple[type[EvidenceError], tuple[str, str, str]]:
        """Pickle the parts, since the message alone cannot rebuild the error."""
        return EvidenceError, (self.rule, self.where, self.message)


class SearchBudgetError(Exception):
    """The budget of a search ended before the search did; nothing is known about fairness.

    `radius_squared`, in squared grid units, was certain after `regions` regions. The search is deterministic: with
    `max_regions=regions` it returns that radius with its evidence.
    """

    exit_code: ClassVar[int] = EXHAUSTED

    def __init__(self, radius_squared: int, regions: int, budget: str) -> None:
        """Keep what was certain when the budget ended."""
        super().__init__(
            f"{budget} ended the search after {regions} regions; squared radius {radius_squared} is certain so far, "
            "and nothing is known beyond it"
        )
        self.radius_squared = radius_squared
        self.regions = regions


class CapacityError(Exception):
    """The evidence has more than a shape has room for: regions, leaves, rows or `passed` nodes, as `counted` says.

    The evidence needs `needed` and there is room for `capacity`; `room` is the least that holds it, a power of two
    except of an ensemble's rows and passed nodes; `radius_squared` is the largest that fits the present capacity, None
    where not even the slices fit.
    """

    exit_code: ClassVar[int] = EXHAUSTED

    def __init__(self, needed: int, capacity: int, radius_squared: int | None, counted: str = "regions") -> None:
        """Keep the parts and compose the message."""
        self.needed = needed
        self.counted = counted
        self.capacity = capacity
        self.room = needed if counted in ("rows", "passed") else 1 << max(needed - 1, 0).bit_length()
        self.radius_squared = radius_squared
        fits = "no radius fits here" if radius_squared is None else f"squared radius {radius_squared} fits here"
        self.words = "passed nodes" if counted == "passed" else counted
        needs = f"{needed} {self.words} are needed and the capacity is {capacity}"
        super().__init__(f"{needs}; {self.room} has room; {fits}")


class ExhaustedError(Exception):
    """A budget or a capacity ended before the work was done; one line, with any radius in the spec's units."""

    exit_code: ClassVar[int] = EXHAUSTED


class RunError(ValueError):
    """A run over many applicants that cannot begin, or results that cannot be read: one line with the remedy.

    Its parameters contradict each other, or a file to resume from belongs to another run.
    """

    exit_code: ClassVar[int] = MISUSED
