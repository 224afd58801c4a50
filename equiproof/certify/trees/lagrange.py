"""Lagrangian bounds of the score in a box of positions: exact, since the multiplier is a fraction of integers.

A box allows some positions of each column. With a multiplier n / d, every choice of one position per column has

    d change + n cost >= the sum over columns of the least d change + n cost,

so that a choice whose change is at most -base costs a certain amount at least.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from equiproof.certify.trees.oriented import Position

Options = Sequence[Sequence[Position]]
"""The positions of each column that a box allows."""


class Multiplier(NamedTuple):
    """A multiplier as a fraction of integers, not negative; the denominator is positive."""

    numerator: int
    denominator: int


class Choice(NamedTuple):
    """The sums of one position per column."""

    cost: int
    change: int


def cheapest(options: Options) -> Choice:
    """Return the choice of least cost, of these the one of least change."""
    picks = [min(column) for column in options]
    return Choice(sum(cost for cost, _ in picks), sum(change for _, change in picks))


def lowest(options: Options) -> Choice:
    """Return the choice of least change, of these the one of least cost."""
    picks = [min((change, cost) for cost, change in column) for column in options]
    return Choice(sum(cost for _, cost in picks), sum(change for change, _ in picks))


def least(options: Options, by: Multiplier) -> Choice:
    """Return a choice of the least d change + n cost."""
    n, d = by
    picks = [min((d * change + n * cost, cost, change) for cost, change in column) for column in options]
    return Choice(sum(cost for _, cost, _ in picks), sum(change for _, _, change in picks))


def best(
    options: Options, far: Choice, near: Choice, is_far: Callable[[Choice], bool]
) -> tuple[Multiplier, list[Multiplier], list[Choice]]:
    """Return the multiplier of the best bound, those that were tried, and the choices that were met.

    The bound is concave in the multiplier, and its slope changes its sign between choices that are far and those that
    are not. `far` is a choice of the least change, `near` one of the least cost. The multiplier at which both are
    equally good is tried, and a better choice takes the place of one of them, until there is none.
    """
    choices = [far, near]
    multipliers = []
    while True:
        by = Multiplier(near.change - far.change, far.cost - near.cost)
        multipliers.append(by)
        choice = least(options, by)
        # Both choices attain the minimum here, and the slope changes its sign between them: the bound is at its
        # largest.
        if value(choice, by) == value(near, by):
            return by, multipliers, choices
        choices.append(choice)
        if is_far(choice):
            far = choice
        else:
            near = choice


def value(choice: Choice, by: Multiplier) -> int:
    """Return d change + n cost of a choice."""
    return by.denominator * choice.change + by.numerator * choice.cost
