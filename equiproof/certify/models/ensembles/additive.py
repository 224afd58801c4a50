"""Binds an ensemble to the columns of a spec: exactly, on all declared values and given rows, or not at all.

Notation: b is the end of a split's upper ray, f_x the fractional bits of inputs. A committed column is floor(v 2^f_x +
1/2) and passes an integer threshold t where it is above t. With n = floor(b 2^f_x + 1/2), t is n for a split that lets
b itself stay below, and n - 1 for one that does not, unless a known value demands the other one of the two.

A threshold of a number whose column is not linear in it, such as a logarithm, is one of the column: a half-line again,
because no column falls as its number grows. Numbers on both sides may share a column there, and a pipeline rounds what
it computes, so that known values move the end to where the library has them.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Sequence
from fractions import Fraction
from typing import Any, NamedTuple

import msgspec

from equiproof.certify.arguments import argument
from equiproof.certify.data.dataset import Row
from equiproof.certify.data.spec_builder import most_fraction_bits
from equiproof.certify.models.ensembles.columns import exact_columns, placed, scaled
from equiproof.certify.models.ensembles.compared import Library, Source, column_of
from equiproof.certify.models.ensembles.ensemble import Ensemble, Split, Tree
from equiproof.certify.models.ensembles.exact_trees import Branch, ExactTree
from equiproof.certify.models.ensembles.rays import Ray, before_cast, before_grid
from equiproof.certify.models.ensembles.score import Score, Step, first_on
from equiproof.certify.models.importing.bind import Units, bent, bind_inputs, bind_outputs
from equiproof.certify.models.importing.chain import Affine
from equiproof.certify.models.importing.errors import CoarseGridError, ModelImportError
from equiproof.circuits.encodings import ENCODINGS
from equiproof.circuits.numbers import read_number
from equiproof.circuits.spec import Feature, Spec

_SPEC_UNIT = 1 << 24
"""Models that take the spec's columns are given them in steps of 2^-24."""

_FINE_BITS = 64
"""The bits of a grid that is finer than any that a spec has."""


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
    values = _Settled(spec, rows)
    library = Library(ensemble, binding, columns or (), spec if units == "raw" else None)
    jumps: dict[tuple[int, Ray], Fraction] = {}
    nominal: dict[tuple[int, Ray], Ray] = {}
    base = ensemble.base
    trees: list[tuple[Tree, list[Threshold]]] = []
    for tree in ensemble.trees:
        thresholds = [_bound(split, library, values, units) for split in tree.splits]
        if len({threshold.column for threshold in thresholds}) > 1:
            trees.append((tree, thresholds))
            first = Fraction(0)
            steps = [(threshold, Fraction(0)) for threshold in thresholds]
        else:
            # Trees of one column add up to steps of that column, whatever their order.
            first, steps = _steps(tree, thresholds)
        base += first
        for threshold, jump in steps:
            place = (threshold.column, threshold.exact)
            jumps[place] = jumps.get(place, Fraction(0)) + jump
            nominal.setdefault(place, threshold.nominal)
    merged_steps: list[Step] = []
    # Of two rays with one end, the closed one has more numbers: its threshold is the lower one.
    places = sorted(jumps, key=lambda place: (place[0], place[1].end, not place[1].closed))
    values.refuse_coarse(places)
    for column, ray in places:
        t = values.threshold(column, nominal[column, ray], ray)
        if merged_steps and merged_steps[-1].column == column:
            # Each threshold was settled alone, and rounding may have put two close ones in the other order; the rays
            # ascend.
            t = max(t, merged_steps[-1].threshold)
        merged_steps.append(Step(column, ray, t, sign * jumps[column, ray]))
    numbers = {(step.column, step.ray): number for number, step in enumerate(merged_steps)}
    return Score(
        ensemble.kind,
        spec.plain_columns,
        spec.sensitive_columns,
        spec.input_fraction_bits,
        sign * base,
        tuple(merged_steps),
        tuple(_tree(tree, thresholds, numbers, sign) for tree, thresholds in trees),
    )


def _sign(last: Affine) -> Fraction:
    """Return 1, or -1 where the model's classes stand in the other order than the spec's labels."""
    return last.rows[0][0]


def _tree(
    tree: Tree, thresholds: Sequence[Threshold], numbers: dict[tuple[int, Ray], int], sign: Fraction
) -> ExactTree:
    """Return a tree whose branches ask the steps of these numbers."""
    branches = []
    for split, threshold in zip(tree.splits, thresholds, strict=True):
        low, high = (split.above, split.below) if threshold.flipped else (split.below, split.above)
        branches.append(Branch(numbers[threshold.column, threshold.exact], low, high))
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


def _bound(split: Split, library: Library, values: _Settled, units: Units) -> Threshold:
    """Return a split's threshold in the spec's columns."""
    nominal = exact = Ray(split.threshold, split.strict)
    try:
        if library.ensemble.single:
            exact = before_cast(exact, "single")
        if not library.ensemble.exact:
            exact = before_cast(exact, "double")
    except OverflowError:
        raise ModelImportError(f"a threshold of input {split.column + 1} is past the largest float") from None
    source = library.source(split.column)
    compared = exact
    nominal, exact = (source.before(ray) for ray in (nominal, exact))
    if units == "spec" and not library.ensemble.exact:
        exact = before_grid(exact, _SPEC_UNIT)
    if source.is_computed:
        nominal = exact = values.agreeing(source, exact, compared)
    return Threshold(source.column, nominal, exact, source.flipped)


class _Settled:
    """The known values of each column, and the integer thresholds that agree with all of them."""

    def __init__(self, spec: Spec, rows: Iterable[Row]) -> None:
        """Collect the values that the spec declares and those of the rows."""
        self._spec = spec
        self._features: dict[int, Feature] = {}
        self._known: dict[int, list[Fraction]] = {}
        self._numbers: dict[int, dict[Fraction, set[Fraction]]] = {}
        self._whole: dict[tuple[int, Fraction], list[tuple[Fraction, Fraction]]] = {}
        raw_rows = list(rows)
        curved = bent(spec)
        for feature, first in placed(spec):
            value_sets = [set(some) for some in _declared(feature)]
            if not feature.domain:
                # Libraries put thresholds next to 0, the value that many rows have: it is known without any row.
                value_sets[0].update(exact_columns(feature, 0, 1) if _takes_zero(feature) else ())
                for number, value in _distinct(raw_rows, feature.name):
                    value_sets[0].update(exact_columns(feature, value, number))
            for offset, values in enumerate(value_sets):
                self._features[first + offset] = feature
                self._known[first + offset] = sorted(values)
            if feature.name in curved:
                self._numbers[first] = _numbers_of(feature, raw_rows)

    def agreeing(self, source: Source, ray: Ray, compared: Ray) -> Ray:
        """Return a ray of a column on which just those of the known numbers lie that the library has above a threshold.

        `ray` has them but for those beside its end that share a column or are rounded by the library, which compares
        them with `compared`. Raises ModelImportError where numbers of one column are on both sides.
        """
        values = self._known[source.column]
        place = first_on(ray, values)
        near = [
            (value, number) for value in values[max(0, place - 2) : place + 2] for number in self._behind(source, value)
        ]
        near += self._whole_neighbors(source.column, ray.end)
        above = {value for value, number in near if (source.compared(value, number) in compared) != source.flipped}
        below = {value for value, number in near if (source.compared(value, number) in compared) == source.flipped}
        if above and below and max(below) >= min(above):
            name = self._features[source.column].name
            raise ModelImportError(
                f"feature {name!r}: move a threshold of the model, or leave out rows that it parts by so little: "
                f"numbers beside {self._raw(source.column, max(below))} have one column, however fine the grid is"
            )
        if any(value in ray for value in below):
            return Ray(max(below), closed=False)
        return ray if all(value in ray for value in above) else Ray(min(above), closed=True)

    def _behind(self, source: Source, value: Fraction) -> Iterable[Fraction]:
        """Return the known raw numbers of a scaled column."""
        feature = self._features[source.column]
        linear = Fraction(feature.mean) + Fraction(feature.scale) * value
        return self._numbers.get(source.column, {}).get(value, (linear,))

    def refuse_coarse(self, places: Iterable[tuple[int, Ray]]) -> None:
        """Raise ModelImportError for the first threshold whose two sides the grid makes one, naming the grid to use."""
        neighbors = [(column, *self._beside(column, ray)) for column, ray in places]
        sides = [
            (column, below, above) for column, below, above in neighbors if below is not None and above is not None
        ]
        own = self._spec.input_fraction_bits
        most = most_fraction_bits(self._spec)
        for column, below, above in sides:
            if self._grid(below) < self._grid(above):
                continue
            finer = (
                bits
                for bits in range(own + 1, most + 1)
                if all(_rounded(low, 1 << bits) < _rounded(high, 1 << bits) for _, low, high in sides)
            )
            bits = next(finer, None)
            mend = (
                f"use {argument('input_fraction_bits', bits)}, or that many input_fraction_bits in the spec"
                if bits
                else f"even {most} input_fraction_bits do not tell all such values apart: move the threshold, or leave "
                "out rows that it parts by so little"
            )
            feature = self._features[column]
            raise CoarseGridError(
                f"feature {feature.name!r}: a threshold of the model lies between {self._raw(column, below)} and "
                f"{self._raw(column, above)}, which become the same integer: {mend}",
                bits,
            )

    def threshold(self, column: int, nominal: Ray, exact: Ray) -> int:
        """Return the integer that committed columns pass; `refuse_coarse` has not refused the threshold."""
        below, above = self._beside(column, exact)
        on = self._grid(exact.end)
        # The threshold as written decides the grid point of the end itself; casts move an end by far less than a step,
        # so that only n - 1 and n are possible.
        threshold = min(max(self._grid(nominal.end) - nominal.closed, on - 1), on)
        if above is not None:
            # Known values decide before the rule of the end: the least value on the ray passes the threshold, the
            # largest one off it does not.
            threshold = min(threshold, self._grid(above) - 1)
        return threshold if below is None else max(threshold, self._grid(below))

    def _beside(self, column: int, ray: Ray) -> tuple[Fraction | None, Fraction | None]:
        """Return the largest known value that is not on a ray, and the least that is; None where there is none."""
        values = self._known[column]
        near = [value for value, _ in self._whole_neighbors(column, ray.end)]
        place = first_on(ray, values)
        below = max([*values[max(0, place - 1) : place], *(one for one in near if one not in ray)], default=None)
        above = min([*values[place : place + 1], *(one for one in near if one in ray)], default=None)
        return below, above

    def _whole_neighbors(self, column: int, end: Fraction) -> list[tuple[Fraction, Fraction]]:
        """Return the scaled columns and numbers of the whole numbers next to the end of a ray, within their range.

        They are known values even where no row has them: of two neighbors one is on each side.
        """
        feature = self._features[column]
        if feature.whole is not True:
            return []
        if (column, end) in self._whole:
            return self._whole[column, end]
        encoding = ENCODINGS[feature.encoding]
        fine = msgspec.structs.replace(self._spec, input_fraction_bits=_FINE_BITS)
        first = encoding.begin(fine, feature, math.ceil(end * fine.scale_unit), Fraction(1)) or 0
        near = [Fraction(first + step) for step in (-2, -1, 0, 1)]
        ends = [encoding.held(feature), None if feature.range is None else tuple(map(Fraction, feature.range))]
        near = [number for number in near if all(one is None or one[0] <= number <= one[1] for one in ends)]
        self._whole[column, end] = [(column_of(feature, number), number) for number in near]
        return self._whole[column, end]

    def _raw(self, column: int, value: Fraction) -> str:
        """Write a raw number of a scaled column."""
        feature = self._features[column]
        for number in self._numbers.get(column, {}).get(value, ()):
            return f"{float(number):.12g}"
        unit = self._spec.scale_unit
        return ENCODINGS[feature.encoding].decoded(feature, [value * unit], unit, lambda one, _: f"{float(one):.12g}")

    def _grid(self, value: Fraction) -> int:
        """Return the committed integer of a scaled column."""
        return _rounded(value, self._spec.scale_unit)


def _rounded(value: Fraction, unit: int) -> int:
    """Return the integer of a scaled column on a grid of so many steps a unit."""
    return int((value * unit + Fraction(1, 2)) // 1)


def _declared(feature: Feature) -> list[list[Fraction]]:
    """Return the scaled values of each column that the spec declares: its domain, or the ends of its range."""
    encoding = ENCODINGS[feature.encoding]
    if feature.domain:
        rows = [[scaled(feature, one) for one in encoding.raw_columns(feature, value)] for value in feature.domain]
        return [list(column) for column in zip(*rows, strict=True)]
    return [[scaled(feature, end) for end in ends or ()] for ends in encoding.ends(feature)]


def _takes_zero(feature: Feature) -> bool:
    """Return whether 0 is a value of a number: inside its range, and one that its encoding has a column for."""
    ends = [ENCODINGS[feature.encoding].held(feature), None if feature.range is None else map(Fraction, feature.range)]
    return all(low <= 0 <= high for low, high in (one for one in ends if one is not None))


def _numbers_of(feature: Feature, rows: Sequence[Row]) -> dict[Fraction, set[Fraction]]:
    """Return the known raw numbers of each scaled column of a feature: those that it declares, and those of rows."""
    own = [row[feature.name] for row in rows] if not feature.domain else []
    if not feature.domain and _takes_zero(feature):
        own.append(0)
    numbers: dict[Fraction, set[Fraction]] = {}
    for value in {*own, *feature.domain, *(feature.range or ())}:
        number = read_number(value)
        numbers.setdefault(column_of(feature, number), set()).add(number)
    return numbers


def _distinct(rows: Sequence[Row], name: str) -> list[tuple[int, Any]]:
    """Return each value of a feature once, with the number of the first row that has it."""
    first_rows: dict[Any, int] = {}
    for number, row in enumerate(rows, start=1):
        first_rows.setdefault(row.get(name), number)
    return [(number, value) for value, number in first_rows.items()]
