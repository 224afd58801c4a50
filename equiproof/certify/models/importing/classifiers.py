"""scikit-learn's linear classifiers and its MLPClassifier, as chains of exact steps."""

from __future__ import annotations

from typing import Any

from equiproof.certify.data.labels import class_of
from equiproof.certify.models.importing.attributes import fitted, numbers_of, width_of
from equiproof.certify.models.importing.chain import Affine, Relu, Step
from equiproof.certify.models.importing.errors import ModelImportError, shown

LINEAR = (
    "LogisticRegression", "LogisticRegressionCV", "SGDClassifier", "LinearSVC", "RidgeClassifier", "RidgeClassifierCV",
    "LinearDiscriminantAnalysis", "Perceptron", "PassiveAggressiveClassifier",
)  # fmt: skip
"""Classifiers that decide by one sum of two classes, and by the largest of several, whatever they were fitted for."""

_LOGISTIC = ("LogisticRegression", "LogisticRegressionCV", "LinearDiscriminantAnalysis")

PERCEPTRON = "MLPClassifier"

_REMEDIES = {
    "SVC": "train a LinearSVC",
    "MLPRegressor": "train an MLPClassifier on the decisions",
}
"""What to do with objects that hold a readable model or resemble one."""


def is_linear(model: Any) -> bool:
    """Return whether a model is one of the linear classifiers; derived classes may decide differently."""
    kind = type(model)
    return kind.__module__.partition(".")[0] == "sklearn" and kind.__name__ in LINEAR


def is_logistic(model: Any) -> bool:
    """Return whether the sum of a linear classifier of two classes is the logit of a probability."""
    name = type(model).__name__
    return name in _LOGISTIC or (name == "SGDClassifier" and model.loss == "log_loss")


def read_classifier(model: Any) -> tuple[list[Step], tuple[str | int, ...]]:
    """Return a classifier's chain and its classes; raises ModelImportError naming what cannot be imported exactly."""
    name = type(model).__name__
    if is_linear(model):
        return [read_linear(model)], classes_of(model)
    if type(model).__module__.partition(".")[0] == "sklearn" and name == PERCEPTRON:
        return _perceptron(model, name), classes_of(model)
    remedy = _REMEDIES.get(name)
    raise ModelImportError(
        f"a {name} is not read: {remedy}"
        if remedy
        else f"a {name} is not read; only {PERCEPTRON}, {', '.join(LINEAR)} are, alone or last in a Pipeline"
    )


def read_linear(model: Any) -> Affine:
    """Return the sums of a linear classifier: one of two classes, else one of each."""
    name = type(model).__name__
    fitted(model, "coef_", name)
    labels = getattr(model, "_label_binarizer", None)
    if str(getattr(labels, "y_type_", "")).startswith("multilabel"):
        raise ModelImportError(f"{name}: several labels at once; one decision is certified")
    count = len(classes_of(model))
    rows = 1 if count == 2 else count
    weights = numbers_of(model, "coef_", (rows, width_of(model, name)), name)
    biases = numbers_of(model, "intercept_", (rows,), name)
    return Affine.dense(weights.tolist(), biases.tolist(), name)


def classes_of(model: Any) -> tuple[str | int, ...]:
    """Return the classes as texts or integers, of which there are two at least."""
    name = type(model).__name__
    values = fitted(model, "classes_", name)
    listed = values.tolist() if hasattr(values, "tolist") else values
    if not isinstance(listed, list) or len(listed) < 2 or any(isinstance(value, list) for value in listed):
        raise ModelImportError(f"{name}: fit it on one decision of two at least: several labels at once, or one class")
    return tuple(_class(value, name) for value in listed)


def _perceptron(model: Any, name: str) -> list[Step]:
    """Read the layers of an MLPClassifier."""
    layers = fitted(model, "coefs_", name)
    if model.activation not in ("relu", "identity"):
        raise ModelImportError(f"{name}: activation {shown(repr(model.activation))}; only relu and identity are read")
    outputs = layers[-1].shape[1]
    if (model.out_activation_, outputs > 1) not in (("logistic", False), ("softmax", True)):
        raise ModelImportError(f"{name}: {outputs} labels at once ({model.out_activation_}); one decision is certified")
    steps: list[Step] = []
    for index, (weights, biases) in enumerate(zip(layers, model.intercepts_, strict=True)):
        if index and model.activation == "relu":
            steps.append(Relu(f"{name} ReLU {index}"))
        steps.append(Affine.dense(weights.T.tolist(), biases.tolist(), f"{name} coefs_[{index}]"))
    return steps


def _class(value: Any, name: str) -> str | int:
    """Return a class as text or whole number."""
    if (own := class_of(value)) is not None:
        return own
    raise ModelImportError(
        f"{name}: fit it on names of labels: the class {shown(repr(value))} is neither a text nor a whole number"
    )
