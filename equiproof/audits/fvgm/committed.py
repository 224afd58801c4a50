"""The committed model itself under a network: its own integers decide, whatever kind of model it is.

A value of a feature, such as a bin, stands for the columns of the rows that have it, each as often as it occurs there.
Given the values of all features, which of these columns somebody has is independent from feature to feature. Where few
joint columns exist, shares are added up over all of them. Otherwise applicants are drawn: the model decides each of
them exactly, and only the number of draws leaves the share open (Clopper and Pearson 1934).

Notation: an axis is a feature or a variable of the network; T is a variable's table, shape (parents' values, values).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from equiproof.audits.fvgm.bounds import Bounds, OpenError, Sampled
from equiproof.audits.fvgm.budget import check
from equiproof.audits.fvgm.network import Chance, Group, Network, NetworkError

Integers = npt.NDArray[np.int64]

MAX_ENUMERATED = 1 << 18
"""The most joint columns that are added up; of more, applicants are drawn."""

_CHUNK = 1 << 15
_ROUNDING = Fraction(1, 1 << 53)
_MAX_DENOMINATOR = 1 << 62
"""Rows of a table whose common denominator is larger are not drawn from."""


class DrawsError(OpenError):
    """The draws leave a comparison open; more of them may settle it."""

    def __init__(self, draws: int) -> None:
        """Say how many there were, and how to mend it."""
        super().__init__(f"{draws:,} draws leave it open; raise the option draws")


@dataclass(frozen=True, eq=False)
class Members:
    """The columns that the values of one feature stand for.

    `columns` has a line for each different one, shape (members, width), at `places` of the model's input. `codes` is
    the number of the value that each belongs to, ascending, and `counts` how many rows have it.
    """

    places: tuple[int, ...]
    columns: Integers
    codes: Integers
    counts: Integers

    @classmethod
    def of(cls, places: tuple[int, ...], columns: Integers, codes: Integers, told: Integers) -> Members:
        """Return the members of rows: `columns` (rows, width), `codes` (rows,).

        `told` (rows, any width) is what the model can tell apart of the columns: those of equal ones are one member.
        """
        kinds = np.unique(np.column_stack([codes, told]), axis=0, return_index=True, return_counts=True)
        first = kinds[1]
        counts = kinds[2]
        return cls(places, columns[first], codes[first], counts.astype(np.int64))

    @property
    def sharp(self) -> bool:
        """Whether each value stands for columns that the model does not tell apart."""
        return len(np.unique(self.codes)) == len(self.codes)

    @cached_property
    def totals(self) -> Integers:
        """The number of rows of each value."""
        return np.bincount(self.codes, weights=self.counts).astype(np.int64)

    def within(self, code: int) -> Members:
        """Return the members of one value."""
        own = self.codes == code
        return Members(self.places, self.columns[own], self.codes[own], self.counts[own])


@dataclass(frozen=True, eq=False)
class Committed:
    """The committed model as a classifier over the values of features.

    Args:
        decide: Labels of rows of integers, shape (rows, inputs) to (rows,); 1 is accepted.
        base: Any row's integers, shape (inputs,): columns of features without members, which do not matter.
        members: The members of each feature that the model can tell apart, sensitive ones too.
        draws: How many applicants are drawn for a share.
        seed: The seed of every drawing.
        level: The confidence of each share's interval.
        read_from: The variable of the network that a feature is read from, where it has another name.
        deadline: A moment of `time.monotonic` after which no share is begun.
    """

    decide: Callable[[Integers], Integers]
    base: Integers
    members: Mapping[str, Members]
    draws: int
    seed: int
    level: float
    read_from: Mapping[str, str] = field(default_factory=dict)
    deadline: float | None = None
    _known: dict[Any, tuple[Network, Bounds]] = field(default_factory=dict, repr=False)

    def acceptance(
        self,
        network: Network,
        group: Group,
        *,
        mediators: Collection[str] = (),
        favored: Group | None = None,
        exact: bool = False,
    ) -> Bounds:
        """Return Pr[accepted | group]; `mediators` and `favored` as in `equiproof.audits.fvgm.programme.acceptance`.

        Both ends enclose the share: with certainty where columns are enumerated (equal ends with `exact`), with the
        confidence `level` where applicants are drawn. Raises DrawsError where drawn shares are wanted `exact`,
        NetworkError for what does not fit together, OutOfTimeError past the deadline.
        """
        favored_by = () if favored is None else (tuple(sorted(mediators)), tuple(sorted(favored.items())))
        key = (id(network), tuple(sorted(group.items())), favored_by, exact)
        if key not in self._known:
            check(self.deadline, "shares of the committed model were computed")
            network.check_group(group)
            joint = _Joint.of(self, network, group, set(mediators), favored)
            if joint.size <= MAX_ENUMERATED:
                bounds = self._exact(joint) if exact else self._floats(joint)
            elif exact:
                raise DrawsError(self.draws)
            else:
                bounds = self._drawn(joint)
            # The network is kept as well: while it lives, no other one has its id.
            self._known[key] = (network, bounds)
        return self._known[key][1]

    def reading(self, renamed: Mapping[str, str]) -> Committed:
        """Return the classifier that reads some features from other variables of a network."""
        return replace(self, read_from={**self.read_from, **renamed}, _known={})

    def enumerates(self, network: Network, group: Group) -> bool:
        """Return whether the share of a group is added up over all joint columns, and not drawn."""
        return _Joint.of(self, network, group, set(), None).size <= MAX_ENUMERATED

    def _floats(self, joint: _Joint) -> Bounds:
        """Add up probabilities in floats.

        Only products and sums of numbers of one sign occur, with at most m roundings of each: 4 for each axis, those of
        a part's sum in any order, and one of the last sum. None of them is near the least float: at most 18 axes have
        two members or more.
        """
        total = math.fsum(float(part[mask].sum()) for part, mask in self._parts(joint, exact=False))
        m = 4 * len(joint.axes) + _CHUNK + 1
        error = m * _ROUNDING / (1 - 2 * m * _ROUNDING) * Fraction(total)
        return Bounds(max(Fraction(total) - error, Fraction(0)), min(Fraction(total) + error, Fraction(1)))

    def _exact(self, joint: _Joint) -> Bounds:
        """Add up probabilities in whole numbers over a common denominator."""
        total = sum(int(part[mask].sum()) for part, mask in self._parts(joint, exact=True) if mask.any())
        return Bounds.of(Fraction(total, math.prod(axis.denominator for axis in joint.axes)))

    def _parts(self, joint: _Joint, *, exact: bool) -> Iterator[tuple[npt.NDArray[Any], npt.NDArray[np.bool_]]]:
        """Yield probabilities of joint columns, and which of them the model accepts, some at a time."""
        for first in range(0, joint.size, _CHUNK):
            numbers = np.arange(first, min(first + _CHUNK, joint.size))
            probability, X = joint.cells(numbers, self.base, exact=exact)
            yield probability, self.decide(X) == 1

    def _drawn(self, joint: _Joint) -> Bounds:
        """Draw applicants and count those accepted."""
        accepted = 0
        generator = np.random.default_rng(self.seed)
        for first in range(0, self.draws, _CHUNK):
            X = joint.drawn(min(_CHUNK, self.draws - first), self.base, generator)
            accepted += int(np.count_nonzero(self.decide(X) == 1))
        return Sampled.drawn(accepted, self.draws, self.level)


@dataclass(frozen=True, eq=False)
class _Axis:
    """A variable of the network, or a sensitive feature inside its group, with the members that the model reads.

    `table` is T as fractions, None inside a group; `parents` are the places of axes that it depends on with the number
    of values, or the number of the value that a choice has; `members` is None for a variable that is not read.
    """

    table: tuple[tuple[Fraction, ...], ...] | None
    parents: tuple[tuple[int | None, int, int], ...]
    members: Members | None

    @property
    def values(self) -> int:
        """The number of values of the variable."""
        return 1 if self.table is None else len(self.table[0])

    @property
    def size(self) -> int:
        """The number of members, or of values where the variable is not read."""
        return self.values if self.members is None else len(self.members.codes)

    @cached_property
    def codes(self) -> Integers:
        """The value of each member."""
        return np.arange(self.values) if self.members is None else self.members.codes

    @cached_property
    def denominator(self) -> int:
        """A common denominator of all probabilities of the axis."""
        table = math.lcm(*(cell.denominator for row in self.table or () for cell in row))
        return table * (1 if self.members is None else math.lcm(*(int(n) for n in self.members.totals if n)))

    @cached_property
    def of_value(self) -> list[Fraction]:
        """The share of each member among the rows of its value."""
        if self.members is None:
            return [Fraction(1)] * self.size
        totals = self.members.totals[self.members.codes]
        return [Fraction(int(n), int(rows)) for n, rows in zip(self.members.counts, totals, strict=True)]

    @cached_property
    def floats(self) -> npt.NDArray[np.float64]:
        """The probability of each member by row of the table."""
        own = np.array([float(one) for one in self.of_value])
        if self.table is None:
            return own[None, :]
        table: npt.NDArray[np.float64] = np.array([[float(cell) for cell in row] for row in self.table])
        probabilities: npt.NDArray[np.float64] = table[:, self.codes] * own
        return probabilities

    @cached_property
    def wholes(self) -> npt.NDArray[np.object_]:
        """The same over the common denominator."""
        if self.table is None:
            return np.array([[int(own * self.denominator) for own in self.of_value]], dtype=object)
        members = list(zip(self.codes.tolist(), self.of_value, strict=True))
        return np.array(
            [[int(row[code] * own * self.denominator) for code, own in members] for row in self.table], dtype=object
        )

    @cached_property
    def ends(self) -> tuple[Integers, Integers]:
        """Cumulative probabilities by row of the table in whole numbers, and each row's denominator."""
        rows = self.table or ()
        totals = [math.lcm(*(cell.denominator for cell in row)) for row in rows]
        if max(totals) > _MAX_DENOMINATOR:
            raise NetworkError("a table of the network has too many digits to draw from")
        ends = [np.cumsum([int(cell * total) for cell in row]) for row, total in zip(rows, totals, strict=True)]
        return np.array(ends, dtype=np.int64), np.array(totals, dtype=np.int64)

    def drawn(self, row: Integers, generator: np.random.Generator) -> Integers:
        """Draw values for rows of the table, without any rounding."""
        if self.table is None:
            return np.broadcast_to(self.codes[:1], row.shape)
        ends, totals = self.ends
        place = generator.integers(0, totals[row])
        values: Integers = (place[:, None] >= ends[row]).sum(axis=1).astype(np.int64)
        return values


@dataclass(frozen=True, eq=False)
class _Joint:
    """The axes of a group: sensitive features that the model reads, then variables of the network, parents first."""

    axes: tuple[_Axis, ...]

    @classmethod
    def of(
        cls, model: Committed, network: Network, group: Group, mediators: Collection[str], favored: Group | None
    ) -> _Joint:
        """Return the joint columns of a group under a network; raises NetworkError for a feature it does not have."""
        features = {model.read_from.get(name, name): name for name in model.members}
        if unknown := [name for name in features if name not in network.values]:
            raise NetworkError(f"the model reads {unknown[0]!r}, which is not a variable of the network")
        axes = [
            _Axis(None, (), model.members[features[choice.name]].within(choice.values.index(group[choice.name])))
            for choice in network.choices
            if choice.name in features
        ]
        ancestors = network.above(features)
        places = {chance.name: len(axes) + place for place, chance in enumerate(ancestors.order)}
        for chance in ancestors.order:
            source = favored if favored is not None and chance.name in mediators else group
            own = features.get(chance.name)
            members = None if own is None else model.members[own]
            axes.append(_Axis(chance.table, _parents(ancestors, chance, places, source), members))
        return cls(tuple(axes))

    @property
    def size(self) -> int:
        """The number of joint columns."""
        return math.prod(axis.size for axis in self.axes)

    def cells(self, numbers: Integers, base: Integers, *, exact: bool) -> tuple[npt.NDArray[Any], Integers]:
        """Return the probabilities of joint columns by number, and these columns, shape (numbers, inputs)."""
        members = np.unravel_index(numbers, [axis.size for axis in self.axes]) if self.axes else ()
        X = np.tile(base, (len(numbers), 1))
        codes: list[Integers] = []
        probability = np.ones(len(numbers), dtype=object if exact else np.float64)
        for axis, member in zip(self.axes, members, strict=True):
            weights = axis.wholes if exact else axis.floats
            probability = probability * weights[_row(axis, codes, len(numbers)), member]
            codes.append(axis.codes[member])
            if axis.members is not None:
                X[:, axis.members.places] = axis.members.columns[member]
        return probability, X

    def drawn(self, count: int, base: Integers, generator: np.random.Generator) -> Integers:
        """Return applicants drawn from the joint columns, without any rounding, shape (count, inputs)."""
        X = np.tile(base, (count, 1))
        codes: list[Integers] = []
        for axis in self.axes:
            own = axis.drawn(_row(axis, codes, count), generator)
            codes.append(own)
            if axis.members is not None:
                ends = np.cumsum(axis.members.counts)
                before = np.cumsum(axis.members.totals) - axis.members.totals
                place = before[own] + generator.integers(0, axis.members.totals[own])
                X[:, axis.members.places] = axis.members.columns[np.searchsorted(ends, place, side="right")]
        return X


def _parents(
    network: Network, chance: Chance, places: Mapping[str, int], source: Group
) -> tuple[tuple[int | None, int, int], ...]:
    """Return for each parent its axis (None for a choice), its number of values, and the value that a choice has."""
    return tuple(
        (places.get(name), len(values), values.index(source[name]) if name not in places else 0)
        for name in chance.parents
        for values in (network.values[name],)
    )


def _row(axis: _Axis, codes: list[Integers], count: int) -> Integers:
    """Return the row of an axis's table for the values drawn so far."""
    row = np.zeros(count, dtype=np.int64)
    for place, size, fixed in axis.parents:
        row = row * size + (fixed if place is None else codes[place])
    return row
