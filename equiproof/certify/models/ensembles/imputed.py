"""Trees behind the steps of a pipeline: a missing value goes where what an imputer puts in its place goes.

An input that only shows where a value is missing is no column of a spec: splits on it part missing values of that
column from all others.
"""

from __future__ import annotations

import dataclasses
import typing
from collections.abc import Mapping, Sequence
from fractions import Fraction

from equiproof.certify.models.ensembles.compared import computed
from equiproof.certify.models.ensembles.ensemble import BEYOND, Ensemble, Map, Split, Tree
from equiproof.certify.models.ensembles.fronts import carried
from equiproof.certify.models.ensembles.lacking import passing
from equiproof.certify.models.ensembles.rays import cast
from equiproof.certify.models.importing.chain import Affine
from equiproof.certify.models.importing.curves import Curve
from equiproof.certify.models.importing.errors import ModelImportError
from equiproof.certify.models.importing.imputers import Fill, Fills, names_of
from equiproof.circuits.encodings import ENCODINGS, ONE_HOT
from equiproof.circuits.spec import Spec

Way = tuple[int, list[Map | Curve]]


def imputed(ensemble: Ensemble, fills: Fills) -> Ensemble:
    """Return an ensemble that says of each split where missing values go, without inputs that show where some are.

    Where it is not known, its splits say nothing of missing values.
    """
    names = names_of(ensemble.inputs - (0 if ensemble.columns else len(fills.indicators)), ensemble.columns)
    names = names if ensemble.columns else [*names, *fills.indicators]
    of = [fills.of.get(name, "kept") for name in names]

    def told(split: Split, way: Way | None) -> Split:
        if split.among is not None:
            # It says where a value goes that the trees never saw, too; of a missing one its category is silent.
            return split
        fill = "unknown" if way is None else of[way[0]]
        return dataclasses.replace(split, missing=_missing(ensemble, split, fill, [] if way is None else way[1]))

    trees = tuple(
        Tree(tuple(told(split, _way(ensemble, split.column)) for split in tree.splits), tree.leaves)
        for tree in ensemble.trees
    )
    shown = {names.index(name): names.index(fills.input_of(column)) for name, column in fills.indicators.items()}
    categories = {
        column: one
        if (way := _way(ensemble, column)) and of[way[0]] == "kept"
        else dataclasses.replace(one, silent=True)
        for column, one in ensemble.categories.items()
    }
    told_of = dataclasses.replace(ensemble, trees=trees, categories=categories, fills=dict(fills.texts))
    return _without(told_of, shown) if shown else told_of


def without_fills(ensemble: Ensemble, spec: Spec) -> Ensemble:
    """Return an ensemble without one-hot inputs of texts that stand for missing values alone, and are in no domain."""
    names = list(ensemble.columns or ())
    shown = {}
    for feature in spec.plain_features:
        text = ensemble.fills.get(feature.name)
        own = ENCODINGS[feature.encoding].column_names(feature)
        alone = f"{feature.name}{ONE_HOT}{text}"
        known = [names.index(name) for name in own if name in names]
        if text is not None and feature.kind == "categorical" and alone in names and alone not in own and known:
            shown[names.index(alone)] = known[0]
    return _without(ensemble, shown) if shown else ensemble


def _way(ensemble: Ensemble, column: int) -> Way | None:
    """Return the input that a column of the trees comes from, and the steps on the way; None where it is not one."""
    try:
        return ensemble.way(column)
    except ModelImportError:
        return None


def _missing(ensemble: Ensemble, split: Split, fill: Fill, steps: Sequence[Map | Curve]) -> bool | None:
    """Return whether a missing value goes above a split, None where that is not known."""
    if fill == "kept":
        # Scalers leave a missing value missing. Of curves, some refuse it.
        return None if any(isinstance(step, Curve) for step in steps) else split.missing
    if not isinstance(fill, Fraction):
        return None
    return _is_above(split, _computed(ensemble, steps, fill))


def _computed(ensemble: Ensemble, steps: Sequence[Map | Curve], number: Fraction) -> Fraction:
    """Return what the trees compare for a number at an input."""
    (value,) = computed(steps, [number])
    return cast(value, "single") if ensemble.single else value


def _is_above(split: Split, number: Fraction) -> bool:
    """Return whether a number goes above a split."""
    return number > split.threshold or (split.strict and number == split.threshold)


def _without(ensemble: Ensemble, shown: Mapping[int, int]) -> Ensemble:
    """Return an ensemble without inputs that are 1 where another input is missing, and 0 elsewhere."""
    front, places = carried(ensemble.front, ensemble.inputs, [*shown.values()])
    column_of = dict(zip(shown, places, strict=True))
    asked = {split.column for tree in ensemble.trees for split in tree.splits}
    ways = {column: way for column in asked if (way := _way(ensemble, column)) is not None and way[0] in shown}
    trees = tuple(_asking(ensemble, tree, ways, column_of) for tree in ensemble.trees)
    kept = [place for place in range(ensemble.inputs) if place not in shown]
    # Whatever else is carried through it, a front begins with an affine map.
    first = typing.cast("Affine", front[0])
    columns = None if ensemble.columns is None else tuple(ensemble.columns[place] for place in kept)
    return dataclasses.replace(
        ensemble, inputs=len(kept), trees=trees, columns=columns, front=(first.only(kept), *front[1:])
    )


def _asking(ensemble: Ensemble, tree: Tree, ways: Mapping[int, Way], column_of: Mapping[int, int]) -> Tree:
    """Return a tree that asks whether a value is missing in place of the inputs that show it."""
    splits = []
    idle = set()
    for place, split in enumerate(tree.splits):
        if split.column not in ways:
            splits.append(split)
            continue
        source, steps = ways[split.column]
        stated, missing = (_is_above(split, _computed(ensemble, steps, Fraction(number))) for number in (0, 1))
        below, above = (split.above, split.below) if stated else (split.below, split.above)
        splits.append(Split(column_of[source], BEYOND, False, below, above, True))
        if stated == missing:
            idle.add(place)
    asking = Tree(tuple(splits), tree.leaves)
    return passing(asking, idle) if idle else asking
