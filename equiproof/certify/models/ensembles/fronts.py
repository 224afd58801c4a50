"""What stands before trees in a pipeline: more of its inputs are carried through it, and logarithms become numbers."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from fractions import Fraction

from equiproof.certify.models.ensembles.ensemble import Ensemble
from equiproof.certify.models.importing.bind import other_names
from equiproof.certify.models.importing.chain import Affine, identity
from equiproof.certify.models.importing.curves import Curves, FrontStep, outputs_of
from equiproof.certify.models.importing.scalers import FUNCTIONS, curve_of
from equiproof.circuits.spec import Spec

_ONE = Fraction(1)


def carried(steps: Sequence[FrontStep], inputs: int, more: Sequence[int]) -> tuple[tuple[FrontStep, ...], list[int]]:
    """Return steps that also pass these inputs on as they are, and their places among the outputs of the last step."""
    if not steps:
        return (), list(more)
    first = outputs_of(steps[-1])
    if isinstance(steps[0], Curves):
        steps = (identity(inputs, steps[0].where), *steps)
    longer: list[FrontStep] = []
    for number, step in enumerate(steps):
        if isinstance(step, Curves):
            longer.append(dataclasses.replace(step, functions=step.functions + (None,) * len(more)))
            continue
        taken = [place if not number else step.inputs + index for index, place in enumerate(more)]
        rows = (*step.rows, *({place: _ONE} for place in taken))
        width = step.inputs + (len(more) if number else 0)
        longer.append(Affine(width, rows, step.biases + (Fraction(0),) * len(more), step.where))
    return tuple(longer), [first + index for index in range(len(more))]


def by_numbers(ensemble: Ensemble, spec: Spec) -> Ensemble:
    """Return an ensemble that takes numbers itself where the spec has no logarithm of them."""
    known = other_names(spec)
    numbers = {feature.name for feature in spec.features if feature.kind == "numeric"}
    names = list(ensemble.columns or ())
    curves = {}
    for place, name in enumerate(names):
        column, _ = ensemble.logarithms.get(name, ("", ""))
        if column in numbers and name not in known:
            function = next(one for one in FUNCTIONS if one.compute.__name__ == name.partition("(")[0])
            names[place], curves[place] = column, curve_of(function)
    if not curves:
        return ensemble
    first = Curves(tuple(curves.get(place) for place in range(len(names))), "the logarithms", "")
    return dataclasses.replace(ensemble, columns=tuple(names), front=(first, *ensemble.front))
