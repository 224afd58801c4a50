"""scikit-learn: MLPClassifier, LogisticRegression, and a Pipeline of encoders and scalers before one of them."""

from __future__ import annotations

from functools import reduce
from typing import Any, NamedTuple

import numpy as np

from equiproof.certify.data.labels import class_of
from equiproof.certify.models.importing.chain import Affine, Relu, Step
from equiproof.certify.models.importing.errors import ModelImportError
from equiproof.certify.models.importing.searches import chosen
from equiproof.certify.models.importing.source import Source
from equiproof.certify.models.importing.transformers import Table, is_logarithm, logarithms_of, read_table

KIND = "scikit-learn"


class Front(NamedTuple):
    """What stands in a Pipeline before its classifier: maps of numbers, and the names of those, None without names.

    `encoding` are the steps of a ColumnTransformer, `scaling` those behind it.
    """

    names: tuple[str, ...] | None
    encoding: tuple[Affine, ...]
    scaling: tuple[Affine, ...]
    table: Table


def read_estimator(model: Any) -> Source:
    """Read a fitted estimator; raises ModelImportError naming the step or attribute that cannot be imported exactly.

    Derived classes are refused, since they may decide differently.
    """
    front, last = read_front(model)
    chain, classes = _classifier(last)
    encoding = [reduce(lambda below, above: above.after(below), front.encoding)] if front.encoding else []
    steps = (*encoding, *front.scaling, *chain)
    return Source(
        KIND,
        steps[0].inputs if isinstance(steps[0], Affine) else 0,
        steps,
        front.names,
        classes,
        ranked=front.table.ranked,
        one_hot=front.table.one_hot,
        logarithms=front.table.logarithms,
    )


def read_front(model: Any) -> tuple[Front, Any]:
    """Return what stands before the last step of a Pipeline, and that step; of another estimator nothing, and itself.

    Raises ModelImportError naming the step that cannot be read exactly.
    """
    from sklearn.compose import ColumnTransformer
    from sklearn.pipeline import Pipeline

    model = chosen(model)
    before, last = (list(model.steps[:-1]), chosen(model.steps[-1][1])) if type(model) is Pipeline else ([], model)
    named = getattr(model, "feature_names_in_", None)
    names = None if named is None else list(map(str, named))
    table = Table()
    encoding: list[Affine] = []
    if before and type(before[0][1]) is ColumnTransformer:
        name, part = before.pop(0)
        table = read_table(part, _scaler, f"step {name!r} (ColumnTransformer)")
        encoding = table.steps()
        names = table.names
    elif before and is_logarithm(before[0][1], f"step {before[0][0]!r}"):
        name, part = before.pop(0)
        if names is None:
            raise ModelImportError(f"step {name!r}: fitted on a table without names of columns; fit it on a DataFrame")
        names = logarithms_of(part, names, table)
    scalers = [step for name, part in before for step in _scaler(part, f"step {name!r}")]
    return Front(None if names is None else tuple(names), tuple(encoding), tuple(scalers), table), last


def _scaler(part: Any, where: str) -> list[Affine]:
    """Read a step before the classifier."""
    from sklearn.preprocessing import MinMaxScaler, StandardScaler

    if part is None or part == "passthrough":
        return []
    name = f"{where} ({type(part).__name__})"
    if is_logarithm(part, where):
        raise ModelImportError(f"{name}: a logarithm is read as the first step of its columns only")
    if type(part) is StandardScaler:
        _fitted(part, "n_features_in_", name)
        width = part.n_features_in_
        means = part.mean_.tolist() if part.with_mean else [0.0] * width
        scales = part.scale_.tolist() if part.with_std else [1.0] * width
        return [Affine.diagonal([1.0] * width, [-mean for mean in means], name), Affine.divided(scales, name)]
    if type(part) is MinMaxScaler:
        _fitted(part, "scale_", name)
        if part.clip:
            raise ModelImportError(f"{name}: clip=True is not an affine map; fit it with clip=False")
        return [Affine.diagonal(part.scale_.tolist(), part.min_.tolist(), name)]
    raise ModelImportError(
        f"{name}: only StandardScaler and MinMaxScaler are read before a classifier, behind a ColumnTransformer of "
        "these, logarithms, OneHotEncoder, OrdinalEncoder, SimpleImputer and passthrough"
    )


def _classifier(model: Any) -> tuple[list[Step], tuple[str | int, ...]]:
    """Read the classifier: its chain and its classes."""
    from sklearn.linear_model import LogisticRegression
    from sklearn.neural_network import MLPClassifier

    name = type(model).__name__
    if type(model) is LogisticRegression:
        _fitted(model, "coef_", name)
        if not isinstance(model.coef_, np.ndarray):
            raise ModelImportError(f"{name}: its weights are sparse; call densify() first")
        chain: list[Step] = [Affine.dense(model.coef_.tolist(), model.intercept_.tolist(), name)]
    elif type(model) is MLPClassifier:
        _fitted(model, "coefs_", name)
        chain = _perceptron(model, name)
    else:
        raise ModelImportError(
            f"a {name} is not read; only MLPClassifier and LogisticRegression are, alone or last in a Pipeline"
        )
    return chain, tuple(_class(value, name) for value in model.classes_.tolist())


def _perceptron(model: Any, name: str) -> list[Step]:
    """Read the layers of an MLPClassifier."""
    if model.activation not in ("relu", "identity"):
        raise ModelImportError(f"{name}: activation {model.activation!r}; only relu and identity are read")
    outputs = model.coefs_[-1].shape[1]
    if (model.out_activation_, outputs > 1) not in (("logistic", False), ("softmax", True)):
        raise ModelImportError(f"{name}: {outputs} labels at once ({model.out_activation_}); one decision is certified")
    steps: list[Step] = []
    for index, (weights, biases) in enumerate(zip(model.coefs_, model.intercepts_, strict=True)):
        if index and model.activation == "relu":
            steps.append(Relu(f"{name} ReLU {index}"))
        steps.append(Affine.dense(weights.T.tolist(), biases.tolist(), f"{name} coefs_[{index}]"))
    return steps


def _fitted(part: Any, attribute: str, name: str) -> None:
    """Raise ModelImportError for an estimator that is not fitted."""
    if not hasattr(part, attribute):
        raise ModelImportError(f"{name}: not fitted")


def _class(value: Any, name: str) -> str | int:
    """Return a class as text or whole number."""
    if (own := class_of(value)) is not None:
        return own
    raise ModelImportError(
        f"{name}: the class {value!r} is neither a text nor a whole number; fit it on names of labels"
    )
