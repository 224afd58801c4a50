"""What a number of a report is, and how people read it: shares in percent, other numbers with a few digits."""

from __future__ import annotations

import re
from collections.abc import Sequence

from equiproof.audits.gaps import ALL_PAIRS, HIGHER, RATIO, RATIO_ALL_PAIRS
from equiproof.audits.intervals import DIFFERENCE, MEDIANS, ORDER
from equiproof.audits.records import Cell, Estimate
from equiproof.certify.digits import Rounding, between, number, percent

DASH = "–"

_SHARE = re.compile(
    r"\b(share|rate|accuracy|agreement|model error|(parity|odds|rate|path-specific) difference|IDI-[DS]|CUR)\b", re.I
)
_COMPARISON = re.compile(r"\b(difference|impact|gap)\b", re.I)
_RATIO = re.compile(r"\b(ratio|impact)\b", re.I)


def is_share(estimate: Estimate) -> bool:
    """Return whether an estimate is a share: it has Wilson's interval, or its name says so and it lies in 0 to 1."""
    numbers = (estimate.value, estimate.lower, estimate.upper)
    return estimate.method.startswith("Wilson") or named_share(estimate.measure, *numbers)


def named_share(name: str, *values: Cell) -> bool:
    """Return whether a name is that of a share, and none of the numbers contradicts it."""
    return (
        bool(_SHARE.search(name))
        and not _RATIO.search(name)
        and all(0 <= value <= 1 for value in values if isinstance(value, int | float))
    )


_METHODS = {
    "Wilson": "shares of rows by Wilson",
    "Wilson, undecided either way": "shares of rows by Wilson",
    "Clopper-Pearson, draws from the network": "shares of draws by Clopper and Pearson",
    ORDER: "medians by order statistics",
    MEDIANS: "differences of medians by order statistics and Bonferroni, all groups together",
    "Student": "means by Student",
    DIFFERENCE: "differences of two shares by Newcombe",
    HIGHER: "differences of two shares by Newcombe",
    ALL_PAIRS: "largest differences of several shares by Newcombe and Tukey, all pairs together",
    RATIO: "ratios of two shares by Newcombe",
    RATIO_ALL_PAIRS: "least ratios of several shares by Newcombe and Tukey, all pairs together",
}


def how(estimates: Sequence[Estimate]) -> str:
    """Say how the intervals of estimates were made, and what n counts if some compare groups; empty without any."""
    intervals = [one for one in estimates if interval_of(one) != DASH and one.confidence < 1]
    parts = dict.fromkeys(
        f"{_METHODS.get(one.method, one.method)} at {100 * one.confidence:.4g} %" for one in intervals
    )
    if not parts:
        return ""
    compared = any(_COMPARISON.search(one.measure) for one in intervals)
    rows = "; n of a figure that compares groups is that of the smallest group" if compared else ""
    return f"intervals: {', '.join(parts)}{rows}"


def value_of(estimate: Estimate) -> str:
    """Return the value of an estimate, or a dash."""
    if estimate.value is None:
        return DASH
    return percent(estimate.value) if _in_percent(estimate) else number(estimate.value)


def _in_percent(estimate: Estimate) -> bool:
    """Return whether an estimate is a share or a difference of two shares, which may be below 0."""
    return is_share(estimate) or estimate.method in {DIFFERENCE, HIGHER, ALL_PAIRS}


def interval_of(estimate: Estimate, places: int = 1) -> str:
    """Return the interval of an estimate, rounded outward; a dash if it has none, or one without any width."""
    if estimate.lower is None or estimate.upper is None or estimate.lower == estimate.upper == estimate.value:
        return DASH
    return between(estimate.lower, estimate.upper, share=_in_percent(estimate), places=places)


def cell(value: Cell, *names: str) -> str:
    """Return a cell of a table as text: a dash for None, yes and no, and in percent where a name says share.

    The ends of an interval, columns named least and largest, are rounded outward.
    """
    if value is None:
        return DASH
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, str):
        return value
    column = names[0] if names else ""
    rounding: Rounding = "down" if column.startswith("least ") else "up" if column.startswith("largest ") else "nearest"
    if any(named_share(name, value) for name in names):
        return percent(value, rounding)
    return number(value, rounding)
