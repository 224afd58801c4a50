"""What the plaintext room raises. A counterexample is a result, not an error; a tie is one too."""

from __future__ import annotations


class EvidenceError(Exception):
    """The plaintext checker refuses evidence.

    `rule` is the permanent id of the rule that does not hold (docs/relation.md), `where` says at which slice, region
    and neuron, counted from 0.
    """

    def __init__(self, rule: str, where: str, message: str) -> None:
        """Keep the parts beside the line for people."""
        super().__init__(f"{rule}: {where}: {message}")
        self.rule = rule
        self.where = where
        self.message = message

    def __reduce__(self) -> tuple[type[EvidenceError], tuple[str, str, str]]:
        """Travel between processes by the parts: the line for people alone would not make an error again."""
        return EvidenceError, (self.rule, self.where, self.message)


class SearchBudgetError(Exception):
    """The budget of a search ended before its radius did; this says nothing about fairness.

    `radius_squared` was already certain after `regions` regions, in grid units squared. The search is deterministic:
    run again with `max_regions=regions`, it returns that radius with its evidence.
    """

    def __init__(self, radius_squared: int, regions: int, budget: str) -> None:
        """Keep what was certain when the budget ended."""
        super().__init__(
            f"{budget} ended the search after {regions} regions; squared radius {radius_squared} is certain so far, "
            "and nothing is known beyond it"
        )
        self.radius_squared = radius_squared
        self.regions = regions


class CapacityError(Exception):
    """The evidence has more regions, or leaves of a tree, than a shape has rows: `counted` says which of them.

    `needed` of them were to fit `capacity` rows; `room`, a power of two, is the least capacity that holds them;
    `radius_squared` is the largest that fits the present capacity, None where not even the slices alone do.
    """

    def __init__(self, needed: int, capacity: int, radius_squared: int | None, counted: str = "regions") -> None:
        """Say how many, where there is room, and what fits here."""
        self.needed = needed
        self.counted = counted
        self.capacity = capacity
        self.room = 1 << max(needed - 1, 0).bit_length()
        self.radius_squared = radius_squared
        fits = "no radius fits here" if radius_squared is None else f"squared radius {radius_squared} fits here"
        super().__init__(f"{needed} {counted} are needed and the capacity is {capacity}; {self.room} has room; {fits}")


class RunError(ValueError):
    """A run over many applicants that cannot begin, or results that cannot be read: one line that says how to mend it.

    Its parameters contradict each other, or a file to resume from belongs to another run.
    """
