"""A linear classifier of scikit-learn on bins and categories is a scorecard: a score that jumps at the edges."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from fractions import Fraction
from functools import reduce
from typing import Any

from equiproof.certify.models.ensembles.ensemble import Ensemble, Tree, steps, summed
from equiproof.certify.models.ensembles.fronts import carried
from equiproof.certify.models.ensembles.imputed import imputed
from equiproof.certify.models.importing.chain import Affine
from equiproof.certify.models.importing.classifiers import classes_of, is_logistic, read_linear
from equiproof.certify.models.importing.curves import Curves, FrontStep, only_affine
from equiproof.certify.models.importing.errors import ModelImportError, shown
from equiproof.certify.models.importing.fronts import Front
from equiproof.certify.models.importing.imputers import Fill, Fills
from equiproof.circuits.encodings import ONE_HOT

KIND = "scikit-learn"

_HALF = Fraction(1, 2)

_DOUBLE = 53
"""The bits of a double."""


def read_binned(front: Front, last: Any) -> Ensemble:
    """Read a linear classifier of two classes behind bins.

    Raises ModelImportError naming a column that is neither in bins nor a category, and a classifier without bins.
    """
    name = type(last).__name__
    own = read_linear(last)
    if len(own.rows) != 1:
        raise ModelImportError(f"{name}: only one decision of two classes is read on bins")
    level = max((place for place, step in enumerate(front.steps) if _has_bins(step)), default=None)
    if level is None:
        raise ModelImportError(f"a {name} is not read as an ensemble: import it as a network, with import_model")
    below, binned = front.steps[:level], front.steps[level]
    total = reduce(lambda under, over: over.after(under), (*only_affine(front.steps[level + 1 :]), own))
    inputs = front.steps[0].inputs
    names = front.names or tuple(f"number {place + 1}" for place in range(inputs))
    trees, rest = _jumps(total.rows[0], binned, names, below, front)
    base = total.biases[0] + rest.biases[0]
    front_steps, places = carried(below, inputs, [*rest.rows[0]])
    for place, (column, weight) in zip(places, rest.rows[0].items(), strict=True):
        count = _count(front, column, names)
        cuts = [number + _HALF for number in range(count - 1)]
        trees.append(steps(place, cuts, [weight * number for number in range(count)], strict=False))
    score = Ensemble(
        KIND,
        inputs,
        tuple(trees),
        base=base,
        columns=front.names,
        classes=classes_of(last),
        front=front_steps,
        ranked=front.table.ranked,
        one_hot=front.table.one_hot,
        logarithms=front.table.logarithms,
        ties=summed(trees, _DOUBLE),
        scale="logit" if is_logistic(last) else "score",
    )
    return imputed(score, _of_jumps(front))


def _of_jumps(front: Front) -> Fills:
    """Return what missing values become; a rank that no value has is not read, as the score does not jump to it."""
    fills, ranked = front.table.fills, front.table.ranked
    known = {name: fill in range(len(ranked[name])) for name, fill in fills.of.items() if name in ranked}
    of: dict[str, Fill] = {name: fill if known.get(name, True) else "unknown" for name, fill in fills.of.items()}
    return dataclasses.replace(fills, of=of)


def _has_bins(step: FrontStep) -> bool:
    """Return whether a step has bins of some column."""
    return isinstance(step, Curves) and any(one is not None and one.edges is not None for one in step.functions)


def _jumps(
    weights: Mapping[int, Fraction],
    binned: FrontStep,
    names: tuple[str, ...],
    below: tuple[FrontStep, ...],
    front: Front,
) -> tuple[list[Tree], Affine]:
    """Return the trees of the columns in bins, and the rest as a sum of the model's inputs."""
    functions = binned.functions if isinstance(binned, Curves) else ()
    trees = []
    others: dict[int, Fraction] = {}
    for column, weight in weights.items():
        curve = functions[column]
        if curve is not None and curve.edges is not None:
            levels = [weight * number for number in range(len(curve.edges) + 1)]
            trees.append(steps(column, [Fraction(edge) for edge in curve.edges], levels, strict=True))
        else:
            others[column] = weight
    rest = Affine(len(functions), (others,), (Fraction(0),), "the rest")
    for number, step in reversed([*enumerate((*below, binned))]):
        if isinstance(step, Affine):
            rest = rest.after(step)
        elif odd := [column for column in rest.rows[0] if step.functions[column] is not None]:
            raise ModelImportError(_unbinned(_name_of(odd[0], below[:number], names), front))
    return trees, rest


def _name_of(column: int, below: tuple[FrontStep, ...], names: tuple[str, ...]) -> str:
    """Return the name of the input that a column comes from."""
    for step in reversed(below):
        if isinstance(step, Affine):
            column = next(iter(step.rows[column]), 0)
    return names[column]


def _count(front: Front, column: int, names: tuple[str, ...]) -> int:
    """Return how many values an input has; raises ModelImportError for a number."""
    name = names[column]
    if name in front.table.fills.indicators:
        return 2
    if name in front.table.ranked:
        return len(front.table.ranked[name])
    if any(name == f"{one}{ONE_HOT}{value}" for one, some in front.table.one_hot.items() for value in some):
        return 2
    raise ModelImportError(_unbinned(name, front))


def _unbinned(name: str, front: Front) -> str:
    """Return why a number cannot stand beside bins."""
    return (
        f"column {shown(front.table.fills.told(name))!r} is a number beside others in bins, and such a score neither "
        "jumps nor is a network: put a KBinsDiscretizer before it too, or before none"
    )
