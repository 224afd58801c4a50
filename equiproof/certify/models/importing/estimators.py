"""scikit-learn: MLPClassifier, LogisticRegression, and a Pipeline of encoders and scalers before one of them."""

from __future__ import annotations

from typing import Any

import numpy as np

from equiproof.certify.models.importing.chain import Affine, Relu, Step
from equiproof.certify.models.importing.errors import ModelImportError
from equiproof.certify.models.importing.source import Source
from equiproof.certify.models.importing.transformers import read_table

KIND = "scikit-learn"


def read_estimator(model: Any) -> Source:
    """Read a fitted estimator; raises ModelImportError naming the step or attribute that cannot be imported exactly.

    Derived classes are refused, since they may decide differently.
    """
    from sklearn.compose import ColumnTransformer
    from sklearn.pipeline import Pipeline

    before, last = (list(model.steps[:-1]), model.steps[-1][1]) if type(model) is Pipeline else ([], model)
    table = None
    if before and type(before[0][1]) is ColumnTransformer:
        name, part = before.pop(0)
        table = read_table(part, _scaler, f"step {name!r} (ColumnTransformer)")
    scalers = [step for name, part in before for step in _scaler(part, f"step {name!r}")]
    chain, classes = _classifier(last)
    if table is not None:
        return Source(
            KIND,
            len(table.names),
            (table.affine(), *scalers, *chain),
            tuple(table.names),
            classes,
            ranked=table.ranked,
            one_hot=table.one_hot,
        )
    first = (scalers + chain)[0]
    names = getattr(model, "feature_names_in_", None)
    return Source(
        KIND,
        first.inputs if isinstance(first, Affine) else 0,
        (*scalers, *chain),
        None if names is None else tuple(map(str, names)),
        classes,
    )


def _scaler(part: Any, where: str) -> list[Affine]:
    """Read a step before the classifier."""
    from sklearn.preprocessing import MinMaxScaler, StandardScaler

    if part is None or part == "passthrough":
        return []
    name = f"{where} ({type(part).__name__})"
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
        "these, OneHotEncoder, OrdinalEncoder, SimpleImputer and passthrough"
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
    """Return a class as text or integer."""
    if type(value) in (str, int):
        return value  # type: ignore[no-any-return]  # one of the two, as was just seen
    raise ModelImportError(f"{name}: the class {value!r} is neither a text nor an integer; fit it on names of labels")
