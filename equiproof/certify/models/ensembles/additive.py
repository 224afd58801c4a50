"""Binds an ensemble to the columns of a spec: exactly, on all declared values and given rows, or not at all.

Notation: b is the end of a split's upper ray, f_x the fractional bits of inputs. A committed column is floor(v 2^f_x +
1/2) and passes an integer threshold t where it is above t. With n = floor(b 2^f_x + 1/2), t is n for a split that lets
b itself stay below, and n - 1 for one that does not, unless a known value demands the other one of the two.

A threshold of a number whose column is not linear in it, such as a logarithm, is one of the column: a half-line again,
because no column falls as its number grows. Numbers on both sides may share a column there, and a pipeline rounds what
it computes, so that known values move the end to where the library has them.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from fractions import Fraction
from typing import NamedTuple

from equiproof.certify.data.dataset import Row
from equiproof.certify.models.ensembles.compared import Library
from equiproof.certify.models.ensembles.ensemble import BEYOND, Ensemble, Split, Tree
from equiproof.certify.models.ensembles.exact_trees import Branch, ExactTree
from equiproof.certify.models.ensembles.lacking import Lacking
from equiproof.certify.models.ensembles.rays import Ray, before_cast, before_grid
from equiproof.certify.models.ensembles.score import Score, Step
from equiproof.certify.models.ensembles.settled import Settled
from equiproof.certify.models.importing.bind import Units, bind_inputs, bind_outputs
from equiproof.certify.models.importing.chain import Affine
from equiproof.certify.models.importing.errors import ModelImportError
from equiproof.circuits.spec import Spec

_SPEC_UNIT = 1 << 24
"""Models that take the spec's columns are given them in steps of 2^-24."""


class Threshold(NamedTuple):
    """A split's upper ray in a column of the spec: as written, and with the casts of the library.

    `flipped`: the library's column descends where the spec's ascends, so the ray is the lower side.
    """

    column: int
    nominal: Ray
    exact: Ray
    flipped: bool


def additive(
    ensemble: Ensemble,
    spec: Spec,
    *,
    units: Units,
    columns: Sequence[str] | None = None,
    classes: Sequence[str | int] | None = None,
    rows: Iterable[Row] = (),
    unused: Collection[str] = (),
) -> Score:
    """Return the score of an ensemble: trees of one column become steps, the others ask steps.

    On `rows`, and on every value that the spec declares, each committed comparison agrees with the library's. Raises
    ModelImportError naming the values that the grid of the spec does not tell apart although a threshold does,
    EnsembleError for a tree that is too deep, DataError naming a row that does not fit the spec.
    """
    if spec.logits != 1:
        raise ModelImportError(f"an ensemble of two classes has one logit; the spec has {spec.logits}")
    binding = bind_inputs(ensemble.inputs, columns, spec, units, ensemble.ranked, unused, stepped=True)
    sign = _sign(bind_outputs(1, classes, spec))
    values = Settled(spec, rows)
    library = Library(ensemble, binding, columns or (), spec if units == "raw" else None)
    known: dict[tuple[int, Fraction, bool], Threshold] = {}
    lacking = Lacking(spec)
    parts = _Parts(ensemble.base, lacking.columns)
    for tree in ensemble.trees:
        parts.add(*lacking.read(tree, lambda split: _known_bound(split, library, values, units, known)))
    seen = _Seen(spec, ensemble.set_count)
    steps = parts.steps(values, sign, seen)
    numbers = {(step.column, step.ray): number for number, step in enumerate(steps)}
    return Score(
        ensemble.kind,
        spec.plain_columns + ensemble.set_count,
        spec.sensitive_columns,
        spec.input_fraction_bits,
        sign * parts.base,
        steps,
        tuple(_tree(tree, thresholds, numbers, sign, lacking.columns, seen) for tree, thresholds in parts.trees),
        {column: sign * level for column, level in parts.absent.items()},
        ensemble.sets,
    )


class _Seen(NamedTuple):
    """Where columns stand once there are sets: behind the plain ones, before the sensitive ones.

    Before that, those of sets stand behind all columns of the spec.
    """

    spec: Spec
    sets: int

    def is_set(self, column: int) -> bool:
        """Return whether a column is that of a set."""
        return column >= self.spec.plain_columns + self.spec.sensitive_columns

    def place(self, column: int) -> int:
        """Return the place of a column."""
        if column < self.spec.plain_columns:
            return column
        return column - self.spec.sensitive_columns if self.is_set(column) else column + self.sets


class _Parts:
    """What trees add up to: a base, jumps at rays of columns, and trees of several columns with their thresholds.

    `absent` has for each of the `lacking` columns what trees of it alone add where its value is missing.
    """

    def __init__(self, base: Fraction, lacking: Collection[int]) -> None:
        self.base = base
        self.trees: list[tuple[Tree, Sequence[Threshold]]] = []
        self.absent = dict.fromkeys(lacking, Fraction(0))
        self._jumps: dict[tuple[int, Ray], Fraction] = {}
        self._nominal: dict[tuple[int, Ray], Ray] = {}

    def add(self, tree: Tree, thresholds: Sequence[Threshold]) -> None:
        """Add a tree."""
        asked = {threshold.column for threshold in thresholds}
        if len(asked) > 1:
            self.trees.append((tree, thresholds))
            first = Fraction(0)
            steps = [(threshold, Fraction(0)) for threshold in thresholds]
        else:
            # Trees of one column add up to steps of that column, whatever their order.
            first, steps = _steps(tree, thresholds)
            for column in asked & self.absent.keys():
                self.absent[column] += _without(tree) - first
        self.base += first
        for threshold, jump in steps:
            place = (threshold.column, threshold.exact)
            self._jumps[place] = self._jumps.get(place, Fraction(0)) + jump
            self._nominal.setdefault(place, threshold.nominal)

    def steps(self, values: Settled, sign: Fraction, columns: _Seen) -> tuple[Step, ...]:
        """Return the steps by column and ray, with thresholds on which all known values agree with the library."""
        steps: list[Step] = []
        # Of two rays with one end, the closed one has more numbers: its threshold is the lower one.
        places = sorted(self._jumps, key=lambda place: (columns.place(place[0]), place[1].end, not place[1].closed))
        values.refuse_coarse([place for place in places if not columns.is_set(place[0])])
        for column, ray in places:
            if columns.is_set(column):
                steps.append(Step(columns.place(column), ray, 0, sign * self._jumps[column, ray]))
                continue
            t = values.threshold(column, self._nominal[column, ray], ray)
            if steps and steps[-1].column == columns.place(column):
                # Each threshold was settled alone, and rounding may have put two close ones in the other order; the
                # rays ascend.
                t = max(t, steps[-1].threshold)
            steps.append(Step(columns.place(column), ray, t, sign * self._jumps[column, ray]))
        return tuple(steps)


def _sign(last: Affine) -> Fraction:
    """Return 1, or -1 where the model's classes stand in the other order than the spec's labels."""
    return last.rows[0][0]


def _tree(
    tree: Tree,
    thresholds: Sequence[Threshold],
    numbers: dict[tuple[int, Ray], int],
    sign: Fraction,
    lacking: Collection[int],
    columns: _Seen,
) -> ExactTree:
    """Return a tree whose branches ask the steps of these numbers; values of columns that lack some go as it says."""
    branches = []
    for split, threshold in zip(tree.splits, thresholds, strict=True):
        low, high = (split.above, split.below) if threshold.flipped else (split.below, split.above)
        up = threshold.column in lacking and bool(split.missing) != threshold.flipped
        branches.append(Branch(numbers[columns.place(threshold.column), threshold.exact], low, high, up))
    return ExactTree(tuple(branches), tuple(sign * leaf for leaf in tree.leaves))


def _steps(tree: Tree, thresholds: Sequence[Threshold]) -> tuple[Fraction, list[tuple[Threshold, Fraction]]]:
    """Return the value of a tree of one column below all its thresholds, and its jump at each, in ascending order."""
    distinct = {one.exact: one for one in thresholds}.values()
    order = sorted(distinct, key=lambda one: (one.exact.end, not one.exact.closed))
    ranks = {one.exact: place for place, one in enumerate(order)}
    values = [_value(tree, thresholds, ranks, cell) for cell in range(len(order) + 1)]
    return values[0], [(one, values[place + 1] - values[place]) for place, one in enumerate(order)]


def _value(tree: Tree, thresholds: Sequence[Threshold], ranks: dict[Ray, int], cell: int) -> Fraction:
    """Return the leaf of rows that lie on the first `cell` rays of the tree, in ascending order."""
    place = 0 if tree.splits else ~0
    while place >= 0:
        split = tree.splits[place]
        threshold = thresholds[place]
        above = (ranks[threshold.exact] < cell) != threshold.flipped
        place = split.above if above else split.below
    return tree.leaves[~place]


def _without(tree: Tree) -> Fraction:
    """Return the leaf of rows that lack the one value that a tree reads."""
    place = 0 if tree.splits else ~0
    while place >= 0:
        split = tree.splits[place]
        place = split.above if split.missing else split.below
    return tree.leaves[~place]


def _known_bound(
    split: Split,
    library: Library,
    values: Settled,
    units: Units,
    known: dict[tuple[int, Fraction, bool], Threshold],
) -> Threshold:
    """Return a split's threshold: many splits ask the same."""
    key = split.column, split.threshold, split.strict
    if key not in known:
        known[key] = _bound(split, library, values, units)
    return known[key]


def _bound(split: Split, library: Library, values: Settled, units: Units) -> Threshold:
    """Return a split's threshold in the spec's columns."""
    nominal = exact = Ray(split.threshold, split.strict)
    beyond = split.column - library.ensemble.read
    if beyond >= 0:
        return Threshold(library.columns + beyond, exact, exact, flipped=False)
    if split.threshold == BEYOND:
        # No stated value passes it, whatever is rounded on the way.
        column = library.source(split.column).column
        return Threshold(column, exact, exact, flipped=False)
    try:
        if library.ensemble.single:
            exact = before_cast(exact, "single")
        if not library.ensemble.exact:
            exact = before_cast(exact, "double")
    except OverflowError:
        raise ModelImportError(f"a threshold of input {split.column + 1} is past the largest float") from None
    source = library.source(split.column)
    if source.is_computed:
        own = values.agreeing(source, exact)
        return Threshold(source.column, own, own, source.flipped)
    nominal, exact = (source.before(ray) for ray in (nominal, exact))
    if units == "spec" and not library.ensemble.exact:
        exact = before_grid(exact, _SPEC_UNIT)
    return Threshold(source.column, nominal, exact, source.flipped)
