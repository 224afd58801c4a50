"""ONNX operators of classic models: a Scaler, and linear regressors and classifiers, as exact affine maps."""

from __future__ import annotations

from fractions import Fraction
from typing import NamedTuple

from equiproof.certify.models.importing.chain import Affine, Step, exact
from equiproof.certify.models.importing.errors import shown
from equiproof.certify.models.importing.onnx_flow import Flow
from equiproof.certify.models.importing.onnx_values import Constants, Operator

CLASSIFIER = "ai.onnx.ml.LinearClassifier"

_ONE, _ZERO = Fraction(1), Fraction(0)


class Classified(NamedTuple):
    """A LinearClassifier: the logit of each class, the classes, and what is made of the logits at its output."""

    logits: Affine
    classes: tuple[str | int, ...]
    transform: str


def scaler(operator: Operator, flow: Flow, _constants: Constants) -> list[Step]:
    """Read (x - offset) scale: two steps, since a runtime rounds twice."""
    offsets, scales = scaled_by(operator, flow.width)
    ones, zeros = [_ONE] * flow.width, [_ZERO] * flow.width
    negated = [-number for number in offsets]
    return [Affine.diagonal(ones, negated, operator.where), Affine.diagonal(scales, zeros, operator.where)]


def scaled_by(operator: Operator, width: int) -> tuple[list[Fraction], list[Fraction]]:
    """Return the offset and the factor of each column of a Scaler."""
    values = operator.values(offset=[], scale=[])
    parts = []
    for name in ("offset", "scale"):
        numbers = _numbers(operator, values[name])
        if len(numbers) not in (1, width):
            raise operator.refused(f"{name} has {len(numbers)} numbers for {width} columns")
        parts.append(numbers * width if len(numbers) == 1 else numbers)
    return parts[0], parts[1]


def regressor(operator: Operator, flow: Flow, _constants: Constants) -> list[Step]:
    """Read a LinearRegressor of one target, whose score is the number itself."""
    values = operator.values(coefficients=[], intercepts=[], post_transform=b"NONE", targets=1)
    if values["targets"] != 1 or values["post_transform"] != b"NONE":
        raise operator.refused("only one target without a post_transform is read")
    flow.scale = "score"
    return [_sums(operator, values["coefficients"], values["intercepts"], 1, flow.width)]


def classified(operator: Operator, width: int) -> Classified:
    """Read a LinearClassifier of two classes or more, which decides for the largest logit."""
    values = operator.values(
        classlabels_ints=[],
        classlabels_strings=[],
        coefficients=[],
        intercepts=[],
        multi_class=0,
        post_transform=b"NONE",
    )
    texts = [name.decode(errors="replace") for name in values["classlabels_strings"]]
    classes = tuple(values["classlabels_ints"] or texts)
    transform = values["post_transform"].decode(errors="replace")
    if len(classes) < 2 or len(set(classes)) != len(classes):
        raise operator.refused(f"{len(classes)} names of classes; want two or more, each once")
    if transform not in ("NONE", "LOGISTIC", "SOFTMAX"):
        raise operator.refused(f"export it with NONE or LOGISTIC: post_transform {shown(transform)!r} is not read")
    logits = _sums(operator, values["coefficients"], values["intercepts"], len(classes), width)
    return Classified(logits, classes, transform)


def _sums(operator: Operator, coefficients: list[float], intercepts: list[float], rows: int, width: int) -> Affine:
    """Return sums of columns, one of each class or target."""
    if len(coefficients) != rows * width or len(intercepts) not in (0, rows):
        raise operator.refused(
            f"{len(coefficients)} coefficients and {len(intercepts)} intercepts; want {rows * width} and {rows}, one "
            "row for each class"
        )
    weights = _numbers(operator, coefficients)
    biases = _numbers(operator, intercepts) or [_ZERO] * rows
    return Affine.dense([weights[row * width : (row + 1) * width] for row in range(rows)], biases, operator.where)


def _numbers(operator: Operator, values: list[float]) -> list[Fraction]:
    """Return an attribute's numbers as fractions; raises ModelImportError for one that is not finite."""
    return [exact(value, operator.where) for value in values]
