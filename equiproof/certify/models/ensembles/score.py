"""The exact score of an ensemble, before its numbers become integers, and the file that keeps it.

Notation: the score of a row is base + the sum of the jumps of all steps that the row's columns pass + a leaf of each
tree that reads several columns. A column v is scaled and not rounded. Beside the exact end of its ray, each step has
the integer threshold that is committed; the jump of a step that only trees ask is 0.
"""

from __future__ import annotations

import math
from bisect import bisect_left, bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cache, cached_property
from itertools import accumulate, groupby
from typing import Any, NamedTuple

import msgspec
import numpy as np
import numpy.typing as npt

from equiproof.certify.additive import EnsembleError
from equiproof.certify.data.dataset import Row
from equiproof.certify.data.decimals import decimals
from equiproof.certify.models.ensembles.columns import exact_columns, placed
from equiproof.certify.models.ensembles.exact_sum import ExactSum
from equiproof.certify.models.ensembles.exact_trees import (
    Asked,
    ExactTree,
    Places,
    TreeDocument,
    check_tree,
    read_trees_of,
)
from equiproof.certify.models.ensembles.rays import Ray, read_fraction
from equiproof.certify.sets import Sets
from equiproof.circuits.canonical import DocumentError, canonical_bytes, parse
from equiproof.circuits.categories import Category
from equiproof.circuits.once import remembered
from equiproof.circuits.spec import Feature, Spec

FORMAT = "equiproof-ensemble"
ADDITIVE_VERSION = 1
TREES_VERSION = 2
"""The versions of files without and with trees of several columns."""

MAX_STEPS = 1 << 16
"""The most steps of a score, before those that become one predicate are merged."""

Exact = npt.NDArray[np.object_]


class Step(NamedTuple):
    """A jump of the score where a column lies on a ray; `threshold` is the integer that the committed column passes."""

    column: int
    ray: Ray
    threshold: int
    jump: Fraction


@dataclass(frozen=True, repr=False)
class Score:
    """An ensemble in exact numbers, bound to the columns of a spec; steps ascend by column and ray.

    `trees` are those that read several columns. `sets` are those of values of categories that trees ask: the last of
    the `plain` columns are theirs. `absent` has each column whose value can be missing, and what the score
    gains from steps where it is. Raises EnsembleError for columns out of range, steps whose rays or thresholds descend,
    and trees whose parts do not fit together.
    """

    kind: str
    plain: int
    sensitive: int
    input_fraction_bits: int
    base: Fraction
    steps: tuple[Step, ...]
    trees: tuple[ExactTree, ...] = ()
    absent: Mapping[int, Fraction] = field(default_factory=dict)
    sets: tuple[Sets, ...] = ()
    by_column: Mapping[int, tuple[Step, ...]] = field(init=False, compare=False)

    def __post_init__(self) -> None:
        """Refuse steps that are out of order, and group them."""
        if len(self.steps) > MAX_STEPS:
            raise EnsembleError(f"{len(self.steps)} thresholds; at most {MAX_STEPS} are read")
        columns = {step.column for step in self.steps} | set(self.absent)
        if any(not 0 <= column < self.plain + self.sensitive for column in columns):
            raise EnsembleError(f"a threshold is of no column from 0 to {self.plain + self.sensitive - 1}")
        for one, other in zip(self.steps, self.steps[1:], strict=False):
            if one.column > other.column or (one.column == other.column and not _ascend(one, other)):
                raise EnsembleError("thresholds do not ascend by column")
        for number, tree in enumerate(self.trees, start=1):
            check_tree(tree, len(self.steps), number)
        groups = {column: tuple(some) for column, some in groupby(self.steps, key=lambda step: step.column)}
        object.__setattr__(self, "by_column", groups)

    def __repr__(self) -> str:
        """Show the sizes only: thresholds and jumps are secret."""
        trees = f", {len(self.trees)} trees" if self.trees else ""
        return f"<{type(self).__name__} {self.kind} {self.plain}+{self.sensitive}, {len(self.steps)} thresholds{trees}>"

    @property
    def set_count(self) -> int:
        """How many columns of sets stand behind the plain ones of the spec."""
        return sum(len(one.members) for one in self.sets)

    @cached_property
    def unit(self) -> int:
        """The least number of which base, all jumps and all leaves are multiples of the reciprocal."""
        jumps = {jump.denominator for jump in (*(step.jump for step in self.steps), *self.absent.values())}
        return math.lcm(self.base.denominator, *jumps, self._leaf_unit)

    @cached_property
    def _leaf_unit(self) -> int:
        """The least number of which all leaves are multiples of the reciprocal."""
        unit: int = remembered("unit", lambda: math.lcm(*_denominators(self.trees)), self.trees)
        return unit

    def totals(self, spec: Spec, rows: Sequence[Row]) -> Exact:
        """Return the scores of raw rows in multiples of 1 / unit; raises DataError as :meth:`ranks`."""
        return self.totals_at(self.ranks(spec, rows))

    def totals_at(self, ranks: Places) -> Exact:
        """Return the scores of rows of these ranks in multiples of 1 / unit."""
        grown = remembered("grown", lambda: self._grown(self.trees, ranks), self.trees, self._leaf_unit, ranks)
        total: Exact = self._jumped(ranks, range(self.plain + self.sensitive)) + grown * (self.unit // self._leaf_unit)
        return total

    def extremes_at(self, spec: Spec, ranks: Places) -> tuple[Exact, Exact]:
        """Return the least and the largest score of each row over all values of its sensitive features."""
        sensitivity = [
            any(self.step_columns[branch.step] >= self.plain for branch in tree.branches) for tree in self.trees
        ]
        fixed = [tree for tree, sensitive in zip(self.trees, sensitivity, strict=True) if not sensitive]
        moving = [tree for tree, sensitive in zip(self.trees, sensitivity, strict=True) if sensitive]
        grown = self._grown(fixed, ranks) * (self.unit // self._leaf_unit)
        fixed_sum: Exact = self._jumped(ranks, range(self.plain)) + grown
        names = [feature.name for feature in spec.sensitive_features]
        own = slice(self.plain, None)
        assigned = [dict(zip(names, values, strict=True)) for values in spec.domain_values]
        bounds: list[Exact] = []
        for values in np.unique(self._ranks_of(spec, assigned, sensitive=True)[:, own], axis=0):
            changed = ranks.copy()
            changed[:, own] = values
            total = fixed_sum + self._jumped(changed[:1], range(self.plain, self.plain + self.sensitive))
            total = total - self._start + self._grown(moving, changed) * (self.unit // self._leaf_unit)
            bounds = [np.minimum(bounds[0], total), np.maximum(bounds[1], total)] if bounds else [total, total]
        return bounds[0], bounds[1]

    @cached_property
    def _start(self) -> int:
        """The base in multiples of 1 / unit."""
        return int(self.base * self.unit)

    def _jumped(self, ranks: Places, columns: range) -> Exact:
        """Return the base and what the jumps of some columns add, in multiples of 1 / unit."""
        total: Exact = np.full(len(ranks), self._start, dtype=object)
        for column in columns:
            if column in self.ends:
                absent = int(self.absent.get(column, 0) * self.unit)
                total += np.array([*self.ends[column][1], absent], dtype=object)[ranks[:, column]]
        return total

    def _grown(self, trees: Sequence[ExactTree], ranks: Places) -> Exact:
        """Return the sum of the leaves of some trees, in multiples of 1 / _leaf_unit."""
        total = ExactSum(len(ranks))
        unit = self._leaf_unit
        if self.absent:
            # What is missing passes every step. Behind all columns stand the same for branches that send it low.
            behind = np.array([self._beyond.get(column, -1) for column in range(ranks.shape[1])], dtype=np.int64)
            ranks = np.hstack([ranks, np.where(ranks == behind, 0, ranks)])
        for tree in trees:
            branches = np.array(tree.branches, dtype=np.int64)
            columns, places = self.step_columns[branches[:, 0]], self.step_places[branches[:, 0]]
            if self.absent:
                columns = columns + np.where(branches[:, 3] == 0, self.plain + self.sensitive, 0)
            branches[:, 0] = range(len(branches))
            # A step is passed where a row's rank in its column is above the step's place there.
            asked = Asked.of(branches, columns, places)
            total.add([_multiple(leaf, unit) for leaf in tree.leaves], asked.reached(0, ranks))
        return total.whole()

    @cached_property
    def _beyond(self) -> dict[int, int]:
        """The rank of a missing value in each column that can lack one: one more than there are steps."""
        return {column: len(self.by_column.get(column, ())) + 1 for column in self.absent}

    def ranks(self, spec: Spec, rows: Sequence[Row]) -> Places:
        """Return how many steps of each column a raw row passes, shape (rows, columns); one more for a missing value.

        Raises DataError naming a row (counted from 1) and a feature that does not fit the spec.
        """
        return remembered("ranks", lambda: self._ranks_of(spec, rows, sensitive=False), self.steps, spec, rows)

    def _ranks_of(self, spec: Spec, rows: Sequence[Row], *, sensitive: bool) -> Places:
        """Return the ranks of raw rows, with `sensitive` only of the sensitive columns; each value is read once."""
        ranks = np.zeros((len(rows), self.plain + self.sensitive), dtype=np.int64)
        behind = spec.plain_columns
        members = {one.category.first: one.members for one in self.sets}
        for feature, first in placed(spec, self.set_count):
            if first in members and not feature.sensitive:
                asked = range(behind, behind := behind + len(members[first]))
                if not sensitive:
                    ranks[:, asked] = self._in_sets(feature, members[first], asked, rows)
            columns = [column for column in range(first, first + feature.width) if column in self.ends]
            if not columns or (sensitive and not feature.sensitive):
                continue
            if (numbers := decimals(feature, rows)) is not None:
                ranks[:, first] = numbers.passed(feature, ((end, not after) for end, after in self.ends[first][0]))
                continue
            known: dict[Any, list[int]] = {}
            values = [row.get(feature.name) for row in rows]
            if feature.may_miss:
                known[None] = [self._beyond[one] for one in columns]
            for index, value in enumerate(values):
                if value not in known:
                    exact = exact_columns(feature, value, index + 1)
                    known[value] = [self._place(one, exact[one - first]) for one in columns]
            if values:
                ranks[:, columns] = [known[value] for value in values]
        return ranks

    def _in_sets(
        self, feature: Feature, members: Sequence[Sequence[int]], columns: range, rows: Sequence[Row]
    ) -> Places:
        """Return the ranks of raw rows in the columns of a category's sets, shape (rows, sets)."""
        places: dict[Any, int] = {value: place for place, value in enumerate(map(str, feature.domain))}
        if feature.may_miss:
            places[None] = feature.width
        own = []
        for index, row in enumerate(rows):
            value = row.get(feature.name)
            place = places.get(value if value is None else str(value))
            if place is None:
                exact_columns(feature, value, index + 1)  # which says what is wrong with it
            own.append(place or 0)
        bits = np.array(members, dtype=np.int64).T[own]
        return bits * np.array([column in self.ends for column in columns], dtype=np.int64)

    def _place(self, column: int, value: Fraction) -> int:
        """Return how many steps of a column a value passes.

        Rounding keeps order, so ends whose nearest float differs from the value's lie on the same side of it.
        """
        rough = _rough(value)
        some = self._rough_ends[column]
        low, high = bisect_left(some, rough), bisect_right(some, rough)
        return low if low == high else bisect_right(self.ends[column][0], (value, 1), low, high)

    @cached_property
    def _rough_ends(self) -> dict[int, list[float]]:
        """The floats nearest to the ends of each column's rays."""
        return {column: [_rough(end) for end, _ in ends] for column, (ends, _) in self.ends.items()}

    @cached_property
    def step_columns(self) -> Places:
        """The column of each step."""
        return np.array([step.column for step in self.steps], dtype=np.int64)

    @cached_property
    def step_places(self) -> Places:
        """The place of each step among those of its column."""
        return np.array([place for some in self.by_column.values() for place in range(len(some))], dtype=np.int64)

    def level(self, column: int, value: Fraction) -> Fraction:
        """Return what one scaled column adds to the score."""
        return Fraction(self._level(column, value), self.unit)

    def _level(self, column: int, value: Fraction) -> int:
        """Return what one column adds, in multiples of 1 / unit."""
        ends, levels = self.ends.get(column, ((), (0,)))
        return levels[bisect_right(ends, (value, 1))]

    @cached_property
    def ends(self) -> dict[int, tuple[tuple[tuple[Fraction, int], ...], tuple[int, ...]]]:
        """The ends of each column's rays, an open one behind a closed one and behind its end, and the levels."""
        return {
            column: (
                tuple((step.ray.end, 0 if step.ray.closed else 2) for step in some),
                tuple(accumulate((_multiple(step.jump, self.unit) for step in some), initial=0)),
            )
            for column, some in self.by_column.items()
        }

    def to_bytes(self) -> bytes:
        """Return the file of the score."""
        predicates = tuple(
            StepDocument(step.column, str(step.ray.end), step.ray.closed, step.threshold, str(step.jump))
            for step in self.steps
        )
        trees = tuple(
            TreeDocument(
                tuple((one.step, one.low, one.high) for one in tree.branches),
                tuple(map(str, tree.leaves)),
                tuple(place for place, one in enumerate(tree.branches) if one.up) or msgspec.UNSET,
            )
            for tree in self.trees
        )
        return canonical_bytes(
            ScoreDocument(
                FORMAT,
                TREES_VERSION if self.trees else ADDITIVE_VERSION,
                self.kind,
                self.plain,
                self.sensitive,
                self.input_fraction_bits,
                str(self.base),
                predicates,
                trees or msgspec.UNSET,
                tuple((column, str(level)) for column, level in sorted(self.absent.items())) or msgspec.UNSET,
                tuple((one.category, one.members) for one in self.sets) or msgspec.UNSET,
            )
        )

    @classmethod
    def parse(cls, data: bytes, where: str) -> Score:
        """Read the file of :meth:`to_bytes`; raises DocumentError naming `where` and the field for anything else."""
        document = parse(data, ScoreDocument, where)
        written = () if isinstance(document.trees, msgspec.UnsetType) else document.trees
        version = TREES_VERSION if written else ADDITIVE_VERSION
        if (document.format, document.version) != (FORMAT, version):
            raise DocumentError(f"{where}: not {FORMAT!r} version {version}")
        read = cache(read_fraction)  # the leaves of pairs repeat each number a dozen times
        try:
            steps = tuple(
                Step(one.column, Ray(read(one.end), one.closed), one.threshold, read(one.jump))
                for one in document.steps
            )
            return cls(
                document.kind,
                document.plain,
                document.sensitive,
                document.input_fraction_bits,
                read(document.base),
                steps,
                read_trees_of(written, [[read(leaf) for leaf in tree.leaves] for tree in written]),
                {column: read(level) for column, level in document.absent or ()},
                tuple(Sets(category, members) for category, members in document.sets or ()),
            )
        except EnsembleError as error:
            raise DocumentError(f"{where}: {error}") from None


class StepDocument(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A step: the end of its ray in scaled columns and its jump as fractions, the threshold as an integer."""

    column: int
    end: str
    closed: bool
    threshold: int
    jump: str

    def __repr__(self) -> str:
        """Show the column only: the other numbers are secret."""
        return f"StepDocument(column={self.column})"


class ScoreDocument(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The file of a score: an ensemble before its numbers become integers; `trees` only in version 2."""

    format: str
    version: int
    kind: str
    plain: int
    sensitive: int
    input_fraction_bits: int
    base: str
    steps: tuple[StepDocument, ...]
    trees: tuple[TreeDocument, ...] | msgspec.UnsetType = msgspec.UNSET
    absent: tuple[tuple[int, str], ...] | msgspec.UnsetType = msgspec.UNSET
    sets: tuple[tuple[Category, tuple[tuple[int, ...], ...]], ...] | msgspec.UnsetType = msgspec.UNSET

    def __repr__(self) -> str:
        """Show the sizes only."""
        return f"ScoreDocument({self.kind}, {len(self.steps)} steps)"


def _denominators(trees: Sequence[ExactTree]) -> set[int]:
    """Return the denominators of all leaves."""
    return {leaf.denominator for tree in trees for leaf in tree.leaves}


def _multiple(number: Fraction, unit: int) -> int:
    """Return a number in multiples of 1 / unit, in integers: fractions would be reduced each time."""
    above, below = number.as_integer_ratio()
    return above * (unit // below)


def _rough(value: Fraction) -> float:
    """Return the float nearest to a number, an infinity past the largest one."""
    try:
        return value.numerator / value.denominator
    except OverflowError:
        return math.inf if value > 0 else -math.inf


def first_on(ray: Ray, ascending: Sequence[Fraction]) -> int:
    """Return the place of the first number on a ray."""
    return (bisect_left if ray.closed else bisect_right)(ascending, ray.end)


def _ascend(one: Step, other: Step) -> bool:
    """Return whether two steps of a column are in order: a closed ray holds the open one of the same end."""
    rays = (one.ray.end, not one.ray.closed) < (other.ray.end, not other.ray.closed)
    return rays and one.threshold <= other.threshold
