"""Fitted scorecards of optbinning and toad in memory: ends and points as the library computes with them.

The library itself is not needed: an object is read by its attributes, and nothing of it is called that computes.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from equiproof.certify.models.ensembles.cards import Card, Group, Interval
from equiproof.certify.models.ensembles.printed_cards import MISSING, OPTBINNING, OTHER, TOAD
from equiproof.certify.models.importing.errors import ModelImportError, shown

_ELSE = "else"

_BINNINGS = ("OptimalBinning", "ContinuousOptimalBinning")


def read_optbinning(model: Any) -> Card:
    """Read a fitted Scorecard of optbinning; raises ModelImportError naming the feature that is not read."""
    if not getattr(model, "_is_fitted", False):
        raise ModelImportError("Scorecard: not fitted")
    process = model.binning_process_
    special = getattr(process, "binning_transform_params", None) or {}
    if odd := next((name for name, own in special.items() if "metric" in own), None):
        raise ModelImportError(f"feature {shown(str(odd))!r}: leave out its metric of binning_transform_params")
    table = model.table("summary")
    rows: dict[str, list[Fraction]] = {}
    for name, points in zip(table["Variable"].tolist(), table["Points"].tolist(), strict=True):
        rows.setdefault(str(name), []).append(_exact(points, str(name)))
    groups = {}
    for name in process.get_support(names=True):
        binning = process.get_binned_variable(name)
        if type(binning).__name__ not in _BINNINGS:
            raise ModelImportError(f"feature {shown(str(name))!r}: a {type(binning).__name__} is not read")
        groups[str(name)] = _binned(str(name), binning, rows.get(str(name), []))
    base = model.intercept_
    base = base.item() if hasattr(base, "item") else base
    return Card(OPTBINNING, groups, _exact(base, "intercept_"), OTHER[OPTBINNING], MISSING[OPTBINNING])


def _binned(name: str, binning: Any, points: Sequence[Fraction]) -> tuple[Group, ...]:
    """Return the rows of a variable: its bins, its special codes, missing values, in the order of their points."""
    codes = _codes(binning.special_codes)
    if binning.dtype == "numerical":
        parts = [Group("", Fraction(0), interval) for interval in _intervals(_floats(name, binning.splits))]
    else:
        reserved = {code for own in codes for code in own}
        values = [tuple(str(value) for value in own if str(value) not in reserved) for own in binning.splits]
        parts = [Group("", Fraction(0), values=own) for own in values]
    parts += [Group("Special", Fraction(0), values=own) for own in codes]
    parts.append(Group("Missing", Fraction(0)))
    if len(parts) != len(points):
        raise ModelImportError(f"feature {shown(name)!r}: {len(points)} points for {len(parts)} bins")
    return tuple(part._replace(points=own) for part, own in zip(parts, points, strict=True))


def _codes(special: Any) -> list[tuple[str, ...]]:
    """Return the special codes of each row of them: one row for a list or none, one for each name of a mapping."""
    if isinstance(special, dict):
        return [tuple(map(str, own if hasattr(own, "__len__") and not isinstance(own, str) else [own]))
                for own in special.values()]  # fmt: skip
    return [() if special is None else tuple(map(str, special))]


def read_toad(model: Any) -> Card:
    """Read a fitted ScoreCard of toad; raises ModelImportError naming the feature that is not read."""
    rules = model.rules
    if not rules:
        raise ModelImportError("ScoreCard: not fitted")
    groups = {str(name): _ruled(str(name), rule) for name, rule in rules.items()}
    return Card(TOAD, groups, Fraction(0), OTHER[TOAD], MISSING[TOAD])


def _ruled(name: str, rule: Any) -> tuple[Group, ...]:
    """Return the rows of a rule of toad."""
    points = [_exact(one, name) for one in rule["scores"]]
    bins = list(rule["bins"])
    parts: list[Group]
    if not any(isinstance(one, str) or hasattr(one, "__len__") for one in bins):
        ends = [float(one) for one in bins]
        missing = bool(ends) and math.isnan(ends[-1])
        parts = [Group("", Fraction(0), one) for one in _intervals(_floats(name, ends[:-1] if missing else ends))]
        parts += [Group("nan", Fraction(0))] * missing
    else:
        parts = [
            Group(_ELSE, Fraction(0), rest=True)
            if isinstance(own, str)
            else Group("", Fraction(0), values=tuple(map(str, own)))
            for own in bins
        ]
    if len(parts) != len(points) or any(isinstance(own, str) and own != _ELSE for own in bins):
        raise ModelImportError(f"feature {shown(name)!r}: {len(points)} points for {len(parts)} bins")
    return tuple(part._replace(points=own) for part, own in zip(parts, points, strict=True))


def _intervals(ends: Sequence[Fraction]) -> list[Interval]:
    """Return the intervals between ends; each holds its lower end."""
    return [
        Interval(low, high, (low is not None, False)) for low, high in zip([None, *ends], [*ends, None], strict=True)
    ]


def _floats(name: str, ends: Any) -> list[Fraction]:
    """Return ends as the numbers that their floats stand for."""
    return [_exact(end, name) for end in ends]


def _exact(number: Any, what: str) -> Fraction:
    """Return the number that a float stands for."""
    value = float(number)
    if not math.isfinite(value):
        raise ModelImportError(f"{shown(what)}: {value} is not finite")
    return Fraction(value)
