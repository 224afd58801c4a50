"""Influences that add up, on the rows of the two groups that a model accepts most and least.

Rows decide, and no network: the decomposition is that of the difference among the rows. Features have few values here,
since each set of features needs enough rows for all their combinations.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from equiproof.audits.fvgm.budget import check
from equiproof.audits.fvgm.coding import even
from equiproof.audits.fvgm.decomposition import Group, Layout, family, influences
from equiproof.audits.fvgm.network import Group as Assignment
from equiproof.audits.fvgm.pipeline import Prepared, PreparedValues
from equiproof.audits.fvgm.told import table
from equiproof.audits.intervals import CONFIDENCE
from equiproof.audits.presentation import in_words
from equiproof.audits.records import Table
from equiproof.certify.digits import number, percent

_ROWS_EACH = 10
"""A group needs so many rows for each fitted number."""

_LEAST_REFUSED = 10
"""The group accepted most needs so many refused rows: its decisions vary then in practically every resample."""

Integers = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]
Mask = npt.NDArray[np.bool_]


@dataclass(frozen=True)
class Sizes:
    """How finely influences are told apart.

    Args:
        order: The most features of a set; sets that are named may have more.
        values: The most values of a feature, not counting one of what is not stated.
        resamples: How many resamples of the rows the intervals are from.
        seed: The seed of parts of the rows and of resamples.
    """

    order: int = 2
    values: int = 3
    resamples: int = 100
    seed: int = 0


@dataclass(frozen=True)
class Added:
    """The table of influences, None where there is none, and notes on what it covers or why it is missing."""

    table: Table | None
    notes: tuple[str, ...]


def added(
    model: str,
    prepared: Prepared | PreparedValues,
    accepted: Mask,
    groups: Sequence[Assignment],
    subsets: Sequence[tuple[str, ...]],
    sizes: Sizes,
    deadline: float | None = None,
) -> Added:
    """Decompose the difference of the rows' shares between the groups accepted most and least.

    `accepted` is what the model says of each row. Features that have one value among these rows are left out and named.
    Without a table: where either group has too few rows even for single features, where the model accepts almost all of
    a group or nobody, and where no feature is left. Raises OutOfTimeError past the deadline.
    """
    check(deadline, "influences that add up were computed")
    pair = _Pair.of(prepared, accepted, groups)
    if (why := pair.undivided) is not None:
        return _missing(model, why)
    coarse = _coarse(prepared, np.concatenate(pair.rows), sizes.values)
    constant = [name for name, codes in coarse.items() if not codes.any()]
    features = [name for name in coarse if name not in constant]
    notes = [f"{', '.join(constant)}: one value among the rows, so no influence on the {model}"] if constant else []
    if not features:
        return _missing(model, "no feature has two values among the rows of both groups")
    codes = np.stack([coarse[name] for name in features], axis=1)
    named = [tuple(sorted(features.index(name) for name in own)) for own in subsets if set(own) <= set(features)]
    layout = _layout(codes, named, sizes.order, pair.fewest)
    if layout is None:
        wanted = number(_ROWS_EACH * _of_order(codes, 1, ()).width)
        return _missing(
            model, f"give more rows: single features need {wanted} of each group, and one has {number(pair.fewest)}"
        )
    if not set(_of_order(codes, sizes.order, named).sets) <= set(layout.sets):
        notes.append(
            f"influences on the {model} are of {number(len(layout.sets))} sets of at most {len(layout.sets[-1])} "
            f"features: more need {_ROWS_EACH} rows for each combination of values; a group has {number(pair.fewest)}"
        )
    first = len(pair.rows[0])
    known = [
        Group.of_rows(layout, own, accepted[places], sizes.seed)
        for own, places in zip((codes[:first], codes[first:]), pair.rows, strict=True)
    ]
    parts = [one.parts() for one in known]
    rest = sum(float(one.rest) for one in parts)
    variance = sum(float(one.share * (1 - one.share)) for one in parts)
    notes.append(
        f"influences on the {model} that add up are of the rows, with at most {sizes.values} values of a feature; "
        f"sets of features cover {percent(min(1.0, max(0.0, 1 - rest / variance)))} of the variance of its decisions; "
        f"intervals are from {number(sizes.resamples)} resamples, each at {percent(CONFIDENCE)}"
    )
    sets = [", ".join(features[place] for place in own) for own in layout.sets]
    errors = _errors(known, sizes, deadline)
    return Added(table(model, sets, pair.rates, [one.scaled for one in parts], errors), tuple(notes))


@dataclass(frozen=True)
class _Pair:
    """The groups accepted most and least: the numbers of their rows, and their rates by the group in words."""

    rows: tuple[Integers, Integers]
    rates: Mapping[str, float]
    refused: int

    @classmethod
    def of(cls, prepared: Prepared | PreparedValues, accepted: Mask, groups: Sequence[Assignment]) -> _Pair:
        """Choose two of the groups; of equal rates the first one is the most."""
        rows = [np.flatnonzero(prepared.rows_of(group)) for group in groups]
        rates = [float(accepted[own].mean()) for own in rows]
        most = int(np.argmax(rates))
        least = min((place for place in range(len(groups)) if place != most), key=lambda place: rates[place])
        names = {in_words(tuple(groups[place].items())): rates[place] for place in (most, least)}
        return cls((rows[most], rows[least]), names, int(np.count_nonzero(~accepted[rows[most]])))

    @property
    def fewest(self) -> int:
        """The rows of the smaller group."""
        return min(map(len, self.rows))

    @property
    def undivided(self) -> str | None:
        """Why decisions have no variance to split, None where they have."""
        most = next(iter(self.rates))
        if self.refused < _LEAST_REFUSED:
            return f"{self.refused} rows of {most} are refused; {_LEAST_REFUSED} are needed for a variance to split"
        return None if self.rates[most] else "every row is refused, so there is no variance to split"


def _errors(known: Sequence[Group], sizes: Sizes, deadline: float | None) -> Floats:
    """Return the standard error of each influence and of the rest, shape (sets + 1,).

    A resample without a refused row of the group accepted most has no influences and is left out.
    """
    most, least = (one.resampled(sizes.resamples, sizes.seed + n, deadline) for n, one in enumerate(known, 1))
    errors: Floats = np.nanstd(influences(most, least), axis=0, ddof=1)
    return errors


def _missing(model: str, why: str) -> Added:
    """Return that there is no table, and why."""
    return Added(None, (f"no influences that add up for the {model}: {why}",))


def _layout(codes: Integers, named: Sequence[tuple[int, ...]], order: int, rows: int) -> Layout | None:
    """Return the sets of as many features as rows suffice for; None where they do not for single features.

    Named sets are left out before the sets have fewer features.
    """
    for most in range(min(order, codes.shape[1]), 0, -1):
        for own in (named, ()):
            layout = _of_order(codes, most, own)
            if _ROWS_EACH * layout.width <= rows:
                return layout
    return None


def _of_order(codes: Integers, order: int, named: Sequence[tuple[int, ...]]) -> Layout:
    """Return the layout of all sets of at most so many features, and of named ones."""
    return Layout(tuple(int(size) + 1 for size in codes.max(axis=0)), family(codes.shape[1], order, named))


def _coarse(prepared: Prepared | PreparedValues, rows: Integers, most: int) -> dict[str, Integers]:
    """Return the plain features of rows with few values each, numbered from 0 without gaps.

    Neighboring bins of a number share a value, and so do rarer values of a category. What is not stated stays apart.
    """
    coarse = {}
    for name in prepared.coded.names:
        if name in prepared.sensitive:
            continue
        codes = prepared.coded.column(name)[rows]
        binning = prepared.coder.numbers.get(name)
        times = np.bincount(codes, minlength=len(prepared.coded.values[name]))
        if binning is None:
            kept = np.argsort(-times, kind="stable")[: most if np.count_nonzero(times) <= most else most - 1]
            places = np.full(len(times), len(kept))
            places[kept] = np.arange(len(kept))
        else:
            stated = times[: len(times) - binning.lacking]
            places = np.searchsorted(even(stated, most), np.arange(len(stated)), side="left")
            places = np.append(places, [most] * binning.lacking)
        coarse[name] = np.unique(places[codes], return_inverse=True)[1].reshape(-1).astype(np.int64)
    return coarse
