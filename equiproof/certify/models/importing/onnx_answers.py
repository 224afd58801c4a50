"""What an ONNX graph answers behind its logits: the class of each row, and scores that rise or fall with a logit.

Of two classes the logits become one, the score, and what stands behind it is read as behind trees. Of more classes the
largest logit decides; what leaves their order as it is may follow.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from functools import reduce
from typing import Any, NamedTuple

from onnx import TensorProto

from equiproof.certify.models.ensembles.ensemble import Scale
from equiproof.certify.models.ensembles.onnx_behind import READERS, Behind
from equiproof.certify.models.ensembles.onnx_columns import Column, Columns, Label, Result, numbers, probabilities
from equiproof.certify.models.ensembles.onnx_ends import ended
from equiproof.certify.models.importing.chain import Affine, Relu, Step, Work
from equiproof.certify.models.importing.errors import ModelImportError
from equiproof.certify.models.importing.onnx_flow import Flow
from equiproof.certify.models.importing.onnx_linear import Classified
from equiproof.certify.models.importing.onnx_values import Constants, Operator, listed

_ONE, _ZERO, _HALF = Fraction(1), Fraction(0), Fraction(1, 2)

_ORDERED = ("LogSoftmax", "Sigmoid", "Softmax", "ai.onnx.ml.Normalizer", "ai.onnx.ml.ZipMap")
"""What may follow the scores of several classes: none of it changes which one is the largest."""

_SHAPED = ("Cast", "Flatten", "Identity", "Reshape")
"""What may follow scores and classes."""

SEVERAL = (*_SHAPED, *_ORDERED, "ArgMax", "ai.onnx.ml.ArrayFeatureExtractor")
"""The operators behind the logits of three classes or more."""


Classes = tuple[str | int, ...] | None
"""The classes that a label is one of, None for scores."""


class Answer(NamedTuple):
    """What a graph decides: steps behind the logits, the classes if they are answered, and what the score is."""

    steps: list[Step]
    classes: tuple[str | int, ...] | None
    scale: Scale


class Two:
    """The results of a graph of two classes behind its score."""

    def __init__(self, constants: Constants, steps: list[Step], given: Sequence[Result], names: Sequence[str]) -> None:
        """Begin with the results of the operator that gives the logits, of these names; `steps` make the score."""
        self.steps = steps
        self._behind = Behind(constants)
        self._behind.results.update(zip(names, given, strict=False))
        self._given = next(one for one in given if isinstance(one, Columns))

    @classmethod
    def of_flow(cls, constants: Constants, steps: list[Step], flow: Flow, operator: Operator) -> Two:
        """Begin behind one logit, or behind two, which become their difference."""
        if flow.width == 1:
            column = Column().logistic() if flow.ended else Column()
            return cls(constants, steps, [Columns((column,))], [flow.name])
        logits = _composed(steps)
        if logits is None or (flow.ended and flow.ended.startswith("Sigmoid") and not _are_opposite(logits)):
            raise operator.refused(
                "export the logits of the network: it takes two numbers whose difference is no logit"
            )
        transform = "NONE" if not flow.ended else "LOGISTIC" if flow.ended.startswith("Sigmoid") else "SOFTMAX"
        score, columns = _of_two(logits, transform)
        return cls(constants, [*_without_last(steps), score], [columns], [flow.name])

    @classmethod
    def of_classifier(cls, constants: Constants, steps: list[Step], read: Classified, operator: Operator) -> Two:
        """Begin behind a LinearClassifier of two classes."""
        if read.transform == "LOGISTIC" and not _are_opposite(read.logits):
            raise operator.refused(
                "export it with NONE: post_transform LOGISTIC with coefficients of both classes that are not opposite "
                "is no logit"
            )
        score, columns = _of_two(read.logits, read.transform)
        return cls(constants, [*steps, score], [Label(read.classes), columns], operator.outputs)

    def read(self, operator: Operator) -> None:
        """Read an operator behind the score; raises ModelImportError naming it where it cannot be read."""
        if operator.kind not in READERS:
            raise operator.refused(f"is not read behind the logits; only {', '.join(sorted(READERS))} are")
        self._behind.results[operator.outputs[0]] = READERS[operator.kind](operator, self._behind)

    def answer(self, outputs: Sequence[str]) -> Answer:
        """Return what the outputs of the graph decide."""
        end = ended(outputs, self._behind.results, self._given)
        steps = self.steps
        if (end.scale, end.cut) != (_ONE, _ZERO):
            steps = [*steps, Affine.diagonal([end.scale], [-end.scale * end.cut], "the answers of the graph")]
        return Answer(steps, end.classes, end.kind)


class Several:
    """The results of a graph of three classes or more, by name."""

    def __init__(self, constants: Constants, steps: list[Step], count: int, results: dict[str, Classes]) -> None:
        """Begin with results of the operator that gives the logits."""
        self.steps = steps
        self._constants = constants
        self._count = count
        self._results = results

    def read(self, operator: Operator) -> None:
        """Read an operator behind the logits."""
        first, *_ = operator.inputs or ("",)
        own = self._results.get(first)
        is_score = own is None and first in self._results
        if operator.kind in _SHAPED and first in self._results:
            self._refuse_shape(operator, is_score=is_score)
        elif operator.kind in _ORDERED and is_score:
            _refuse_order(operator)
        elif operator.kind == "ArgMax" and is_score:
            options = operator.values(axis=0, keepdims=1, select_last_index=0)
            if options["axis"] not in (1, -1) or options["select_last_index"]:
                raise operator.refused(
                    "only the largest score along axis 1 is read, the first one where some are equal"
                )
            own = tuple(range(self._count))
        elif operator.kind == "ai.onnx.ml.ArrayFeatureExtractor" and self._results.get(operator.inputs[-1]):
            own = tuple(listed(self._constants, operator, 0))
            if len(own) != self._count:
                raise operator.refused(f"names {len(own)} classes of {self._count}")
        else:
            raise operator.refused(f"is not read behind the logits of several classes; only {', '.join(SEVERAL)} are")
        self._results[operator.outputs[0]] = own

    def _refuse_shape(self, operator: Operator, *, is_score: bool) -> None:
        """Raise ModelImportError for a cast that rounds scores, and for shapes that mix rows or classes."""
        values = operator.values(to=0, saturate=1, axis=1, allowzero=0)
        if operator.kind == "Cast" and is_score and values["to"] not in (TensorProto.FLOAT, TensorProto.DOUBLE):
            raise operator.refused("rounds scores to another type of numbers; only FLOAT and DOUBLE are read")
        width = self._count if is_score else 1
        shapes: list[list[int]] = [[-1, width], [0, width], [0, -1], *([] if is_score else [[-1]])]
        is_reshaped = operator.kind == "Reshape" and listed(self._constants, operator, 1) not in shapes
        if is_reshaped or values["axis"] not in (1, -1):
            raise operator.refused("mixes rows or classes; only shapes of rows and classes are read")

    def answer(self, outputs: Sequence[str]) -> Answer:
        """Return what the outputs of the graph decide."""
        unknown = [name for name in outputs if name not in self._results]
        labels = [own for name in outputs if (own := self._results.get(name)) is not None]
        if unknown or len(labels) > 1:
            names = ", ".join(repr(name[:80]) for name in outputs)
            raise ModelImportError(f"the outputs are {names or 'none'}; want the class of each row, or its scores")
        return Answer(self.steps, labels[0] if labels else None, "logit")


def _refuse_order(operator: Operator) -> None:
    """Raise ModelImportError for attributes by which an operator may change which score is the largest."""
    kinds: dict[str, dict[str, Any]] = {
        "LogSoftmax": {"axis": -1},
        "Softmax": {"axis": -1},
        "ai.onnx.ml.Normalizer": {"norm": b"MAX"},
        "ai.onnx.ml.ZipMap": {"classlabels_int64s": [], "classlabels_strings": []},
    }
    values = operator.values(**kinds.get(operator.kind, {}))
    if values.get("axis", 1) not in (1, -1) or values.get("norm") not in (None, b"L1"):
        raise operator.refused("may change which score is the largest; only axis 1 and norm L1 are read")


def _of_two(logits: Affine, transform: str) -> tuple[Affine, Columns]:
    """Return the score of two logits, and what the operator's numbers are in terms of it.

    Of opposite logits the score is the second one; a softmax makes their difference the logit.
    """
    if _are_opposite(logits) and transform != "SOFTMAX":
        score = Affine(logits.inputs, logits.rows[1:], logits.biases[1:], logits.where)
        return score, numbers(_ZERO) if transform == "NONE" else probabilities()
    part = _ONE if transform == "SOFTMAX" else _HALF
    difference = Affine.dense([[-part, part]], [_ZERO], "the difference of both logits")
    return difference.after(logits), numbers(relative=True) if transform == "NONE" else probabilities()


def _are_opposite(logits: Affine) -> bool:
    """Return whether the second of two logits is the first one negated."""
    first, second = logits.rows
    negated = {column: -weight for column, weight in first.items()}
    return negated == dict(second) and logits.biases[0] == -logits.biases[1]


def _composed(steps: Sequence[Step]) -> Affine | None:
    """Return the affine steps at the end as one map, None where there are none."""
    last = steps[len(_without_last(steps)) :]
    work = Work()
    parts = [step for step in last if isinstance(step, Affine)]
    return reduce(lambda below, above: above.after(below, work), parts) if parts else None


def _without_last(steps: Sequence[Step]) -> list[Step]:
    """Return the steps up to the last ReLU."""
    ends = [place for place, step in enumerate(steps) if isinstance(step, Relu)]
    return list(steps[: ends[-1] + 1]) if ends else []
