"""Explainable boosting machines of interpret: the JSON that `to_json` writes; the library itself is not needed."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import msgspec

from equiproof.certify.models.ensembles.ensemble import Ensemble, Tree, steps
from equiproof.certify.models.importing.errors import ModelImportError, shown

KIND = "interpret"


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
    """Read the function of one feature."""
    if len(term.term_features) != 1:
        raise ModelImportError(
            f"the pair {shown(' and '.join(term.term_features))} is not additive; train with interactions=0"
        )
    name = term.term_features[0]
    if name not in places:
        raise ModelImportError(f"a term of {shown(name)!r}, which is no feature of the machine")
    feature = machine.features[places[name]]
    if feature.type != "continuous":
        raise ModelImportError(
            f"feature {shown(name)!r} is {shown(feature.type)}, only continuous ones are read: give the machine ranks "
            "or one-hot columns, with feature_types all 'continuous'"
        )
    cuts = [_finite(cut, name) for cut in (feature.cuts[0] if feature.cuts else [])]
    levels = [_finite(score, name) for score in term.scores[1:-1]]
    if len(levels) != len(cuts) + 1:
        raise ModelImportError(f"feature {shown(name)!r} has {len(cuts)} cuts and {len(levels)} bins")
    return steps(places[name], cuts, levels, strict=True)


def _finite(number: Any, where: str) -> Fraction:
    """Return a number as a fraction."""
    if not isinstance(number, int | float) or not math.isfinite(number):
        raise ModelImportError(f"{shown(where)}: {shown(str(number))!r} is not a finite number; only mains are read")
    return Fraction(number)
