"""Explainable boosting machines of interpret: the JSON that `to_json` writes; the library itself is not needed."""

from __future__ import annotations

import dataclasses
import math
from fractions import Fraction
from itertools import pairwise
from typing import Any

import msgspec

from equiproof.certify.models.ensembles.ensemble import Ensemble, Split, Tree, steps
from equiproof.certify.models.importing.errors import ModelImportError, shown

KIND = "interpret"

MAX_CELLS = 4096
"""The most cells of a pair that are read."""


class _Output(msgspec.Struct):
    task: str
    link: str = ""
    classes: list[str | int | bool] = []


class _Feature(msgspec.Struct):
    name: str
    type: str
    cuts: list[list[float]] = []


class _Term(msgspec.Struct):
    term_features: list[str]
    scores: list[Any]


class _Machine(msgspec.Struct):
    outputs: list[_Output]
    intercept: list[float]
    features: list[_Feature]
    terms: list[_Term]


class _File(msgspec.Struct):
    ebm: _Machine


def read_ebm(data: bytes) -> Ensemble:
    """Read the bytes of a JSON file; raises ModelImportError naming the feature or pair that is not imported.

    A cut belongs to the bin above it. The bins of missing and of unknown values are dropped, as a row with one has no
    certificate.
    """
    try:
        machine = msgspec.json.decode(data, type=_File).ebm
    except (msgspec.MsgspecError, UnicodeError, RecursionError) as error:
        raise ModelImportError(f"not a JSON file of an explainable boosting machine: {shown(str(error))}") from None
    output = machine.outputs[0] if len(machine.outputs) == 1 else None
    if output is None or (output.task, output.link) != ("classification", "logit") or len(machine.intercept) != 1:
        raise ModelImportError("only a classifier of two classes with the link logit is read")
    places = {feature.name: place for place, feature in enumerate(machine.features)}
    trees = tuple(_term(term, machine, places) for term in machine.terms)
    classes = tuple(int(one) if isinstance(one, bool) else one for one in output.classes)
    names = tuple(feature.name for feature in machine.features)
    return Ensemble(KIND, len(names), trees, base=_finite(machine.intercept[0], "intercept"), columns=names,
                    classes=classes or None)  # fmt: skip


def _term(term: _Term, machine: _Machine, places: dict[str, int]) -> Tree:
    """Read the function of one feature, or of a pair."""
    together = " and ".join(term.term_features)
    if len(term.term_features) > 2:
        raise ModelImportError(f"the term of {shown(together)} has more than two features; train on pairs at most")
    cuts = [_cuts(name, machine, places, len(term.term_features)) for name in term.term_features]
    if len(cuts) == 1:
        levels = [_finite(score, together) for score in term.scores[1:-1]]
        if len(levels) != len(cuts[0]) + 1:
            raise ModelImportError(f"feature {shown(together)!r} has {len(cuts[0])} cuts and {len(levels)} bins")
        return steps(places[together], cuts[0], levels, strict=True)
    if (len(cuts[0]) + 1) * (len(cuts[1]) + 1) > MAX_CELLS:
        raise ModelImportError(
            f"the pair {shown(together)} has more than {MAX_CELLS} cells; train with fewer max_interaction_bins"
        )
    inner = [row[1:-1] if isinstance(row, list) else [] for row in term.scores[1:-1]]
    if [len(row) for row in inner] != [len(cuts[1]) + 1] * (len(cuts[0]) + 1):
        raise ModelImportError(f"the pair {shown(together)} does not have one score for each cell")
    cells = [[_finite(score, together) for score in row] for row in inner]
    first, second = (places[name] for name in term.term_features)
    return _grid(first, second, cuts, cells)


def _grid(first: int, second: int, cuts: list[list[Fraction]], cells: list[list[Fraction]]) -> Tree:
    """Return the tree of a table of two columns, which halves the first column's cuts and then the second's."""
    splits: list[Split] = []
    leaves: list[Fraction] = []

    def grown(rows: tuple[int, int], columns: tuple[int, int]) -> int:
        """Add the tree of the cells from the first to the last row and column, and return its place."""
        along = 0 if rows[0] < rows[1] else 1
        low, high = (rows, columns)[along]
        if low == high:
            leaves.append(cells[rows[0]][columns[0]])
            return ~(len(leaves) - 1)
        place, middle = len(splits), (low + high) // 2
        splits.append(Split((first, second)[along], cuts[along][middle], True, 0, 0))
        halves = ((low, middle), (middle + 1, high))
        children = [grown(half, columns) if along == 0 else grown(rows, half) for half in halves]
        splits[place] = dataclasses.replace(splits[place], below=children[0], above=children[1])
        return place

    grown((0, len(cells) - 1), (0, len(cells[0]) - 1))
    return Tree(tuple(splits), tuple(leaves))


def _cuts(name: str, machine: _Machine, places: dict[str, int], features: int) -> list[Fraction]:
    """Return the ascending cuts of a feature in terms of so many features; the coarsest stand last in the file."""
    if name not in places:
        raise ModelImportError(f"a term of {shown(name)!r}, which is no feature of the machine")
    feature = machine.features[places[name]]
    if feature.type != "continuous":
        raise ModelImportError(
            f"feature {shown(name)!r} is {shown(feature.type)}, only continuous ones are read: give the machine ranks "
            "or one-hot columns, with feature_types all 'continuous'"
        )
    cuts = [_finite(cut, name) for cut in (feature.cuts[min(features, len(feature.cuts)) - 1] if feature.cuts else [])]
    if any(one >= other for one, other in pairwise(cuts)):
        raise ModelImportError(f"the cuts of feature {shown(name)!r} do not ascend")
    return cuts


def _finite(number: Any, where: str) -> Fraction:
    """Return a number as a fraction."""
    if not isinstance(number, int | float) or not math.isfinite(number):
        raise ModelImportError(f"{shown(where)}: {shown(str(number))!r} is not a finite number")
    return Fraction(number)
