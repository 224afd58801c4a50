"""scikit-learn: MLPClassifier, linear classifiers, and a Pipeline of encoders and scalers before one of them."""

from __future__ import annotations

from functools import reduce
from typing import Any

from equiproof.certify.models.importing.chain import Affine, Step
from equiproof.certify.models.importing.classifiers import is_linear, is_logistic, read_classifier
from equiproof.certify.models.importing.curves import Curves, only_affine
from equiproof.certify.models.importing.errors import ModelImportError
from equiproof.certify.models.importing.fronts import Front, of_complete_rows, read_front
from equiproof.certify.models.importing.imputers import names_of
from equiproof.certify.models.importing.source import Lacking, Source

KIND = "scikit-learn"


def read_estimator(model: Any) -> Source:
    """Read a fitted estimator; raises ModelImportError naming the step or attribute that cannot be imported exactly.

    Derived classes are refused, since they may decide differently.
    """
    front, last = read_front(model)
    chain, classes = read_classifier(last)
    if is_linear(last) and any(isinstance(step, Curves) and is_binned(step) for step in front.steps):
        raise ModelImportError(f"import it with equiproof.import_model: a {type(last).__name__} on bins is a scorecard")
    if front.cut is not None:
        chain = [*chain, front.cut.step(f"{type(last).__name__} at its cut")]
    complete = of_complete_rows(front)
    steps = (*_before(complete), *chain)
    inputs = steps[0].inputs if isinstance(steps[0], Affine) else 0
    names = names_of(inputs, complete.names)
    everything = front.names or (*names, *front.table.fills.indicators)
    lacking = Lacking(everything, (*_before(front), *chain), front.table.fills) if front.encoding else None
    return Source(
        KIND,
        inputs,
        steps,
        complete.names,
        front.classes or classes,
        ranked=front.table.ranked,
        one_hot=front.table.one_hot,
        logarithms=front.table.logarithms,
        scale="cut" if front.cut is not None else "score" if is_linear(last) and not is_logistic(last) else "logit",
        lacking=lacking,
    )


def _before(front: Front) -> list[Step]:
    """Return the steps before a classifier; raises ModelImportError for one that is a curve."""
    encoding = [reduce(lambda below, above: above.after(below), only_affine(front.encoding))] if front.encoding else []
    return [*encoding, *only_affine(front.scaling)]


def is_binned(step: Curves) -> bool:
    """Return whether some column of a step is in bins."""
    return any(curve is not None and curve.edges is not None for curve in step.functions)
