"""Float networks as plain arrays, and the report that measures them."""

from __future__ import annotations

import io
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from equiproof.certify.archive import ArchiveError
from equiproof.certify.data.dataset import Dataset, assignment_values, column_values
from equiproof.certify.digits import percent
from equiproof.certify.limits import MAX_DENSE_NUMBERS, MAX_MODEL_BYTES
from equiproof.certify.models.arrays import read_arrays
from equiproof.certify.network import NetworkError
from equiproof.circuits.canonical import read_limited
from equiproof.circuits.spec import Spec

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]

_MAX_LAYERS = 64


@dataclass(frozen=True, eq=False)
class Network:
    """A fully connected ReLU network in floats; inputs are standardised columns in the spec's column order.

    `weights[l]` has shape (outputs, inputs) of layer l, `biases[l]` shape (outputs,); the last layer gives the logits
    and has no ReLU. Raises NetworkError for layers that do not fit and values that are not finite.
    """

    weights: tuple[Floats, ...]
    biases: tuple[Floats, ...]

    def __post_init__(self) -> None:
        """Refuse layers that do not follow each other."""
        if len(self.weights) < 2 or len(self.weights) != len(self.biases):
            raise NetworkError("a network has at least one hidden layer, and one bias vector per layer")
        for index, (weight, bias) in enumerate(zip(self.weights, self.biases, strict=True), start=1):
            if weight.ndim != 2 or bias.shape != weight.shape[:1] or not weight.size:
                raise NetworkError(f"layer {index}: weights of shape {weight.shape}, biases of shape {bias.shape}")
            if index > 1 and weight.shape[1] != len(self.biases[index - 2]):
                raise NetworkError(f"layer {index} takes {weight.shape[1]}, layer {index - 1} gives another number")
            if not (np.isfinite(weight).all() and np.isfinite(bias).all()):
                raise NetworkError(f"layer {index}: a weight or bias is not finite")

    @property
    def inputs(self) -> int:
        """The number of input columns, n_x + n_s."""
        return int(self.weights[0].shape[1])

    @property
    def hidden(self) -> tuple[int, ...]:
        """The sizes of the hidden layers."""
        return tuple(len(bias) for bias in self.biases[:-1])

    @property
    def logit_count(self) -> int:
        """The number of logits."""
        return len(self.biases[-1])

    def __repr__(self) -> str:
        """Show the sizes only: the weights are secret."""
        return f"<{type(self).__name__} {'-'.join(map(str, (self.inputs, *self.hidden, self.logit_count)))}>"

    def logits(self, columns: Floats) -> Floats:
        """Return the logits of rows of columns: shape (rows, n_x + n_s) to (rows, logits)."""
        values = columns
        for weight, bias in zip(self.weights[:-1], self.biases[:-1], strict=True):
            values = np.maximum(values @ weight.T + bias, 0)
        return values @ self.weights[-1].T + self.biases[-1]

    def decide(self, columns: Floats, threshold: float = 0.0) -> Integers:
        """Return each row's label: logit > threshold for one logit, else the largest logit (the first of equals)."""
        logits = self.logits(columns)
        if logits.shape[1] == 1:
            return np.asarray(logits[:, 0] > threshold, dtype=np.int64)
        return np.asarray(logits.argmax(axis=1), dtype=np.int64)

    def to_bytes(self) -> bytes:
        """Return the arrays W0, b0, W1, b1, ... as an .npz file's bytes; raises NetworkError where none would read."""
        refuse_large(sum(array.size for array in (*self.weights, *self.biases)))
        arrays = {f"W{index}": weight for index, weight in enumerate(self.weights)}
        arrays |= {f"b{index}": bias for index, bias in enumerate(self.biases)}
        stream = io.BytesIO()
        np.savez(stream, allow_pickle=False, **arrays)
        return stream.getvalue()

    @classmethod
    def load(cls, path: Path) -> Network:
        """Read the file of :meth:`to_bytes`; raises NetworkError naming the file for anything else."""
        try:
            data = read_limited(path, MAX_MODEL_BYTES)
            if len(data) > MAX_MODEL_BYTES:
                raise NetworkError(f"larger than {MAX_MODEL_BYTES >> 20} MiB")
            return cls._of(read_arrays(data))
        except OSError as error:
            raise NetworkError(f"{path}: {error.strerror or 'cannot be read'}") from None
        except ArchiveError as error:
            raise NetworkError(f"{path}: not a file of network weights: {error}") from None
        except NetworkError as error:
            raise NetworkError(f"{path}: {error}") from None

    @classmethod
    def _of(cls, arrays: Mapping[str, npt.NDArray[Any]]) -> Network:
        """Take the arrays of :meth:`to_bytes`; raises NetworkError for others."""
        count = len(arrays) // 2
        if count > _MAX_LAYERS or set(arrays) != {f"{kind}{index}" for kind in "Wb" for index in range(count)}:
            raise NetworkError("want arrays W0, b0, W1, b1, ... and nothing else")
        refuse_large(sum(int(np.size(array)) for array in arrays.values()))
        weights = tuple(_floats(f"W{index}", arrays[f"W{index}"]) for index in range(count))
        return cls(weights, tuple(_floats(f"b{index}", arrays[f"b{index}"]) for index in range(count)))


@dataclass(frozen=True)
class TrainingReport:
    """The figures of a float network on its data set.

    `accuracy` and `balanced_accuracy` are (training rows, test rows); the balanced one is the mean, over the labels, of
    the share that is decided correctly. `flip_share` is the share of all rows whose label changes for some assignment
    of the sensitive features, over the whole domain table. `constant`: the same label for every row under every
    assignment.
    """

    data: str
    hidden: tuple[int, ...]
    seed: int
    epochs: int
    decay: float
    accuracy: tuple[float, float]
    balanced_accuracy: tuple[float, float]
    flip_share: float
    constant: bool

    def summary(self) -> str:
        """Return the figures as a few lines of text."""
        shares = (*self.accuracy, *self.balanced_accuracy)
        train, test, balanced_train, balanced_test = map(percent, shares)
        how = f"weight decay {self.decay:g}, seed {self.seed}, {self.epochs} epochs"
        lines = [
            f"{self.data}, hidden layers {self.hidden}, {how}",
            f"training rows: accuracy {train}, balanced {balanced_train}",
            f"test rows: accuracy {test}, balanced {balanced_test}",
            f"the label of {percent(self.flip_share)} of all rows changes when only the sensitive value changes",
        ]
        if self.constant:
            lines.append("this network gives every row the same label: it is trivially fair, and useless")
        return "\n".join(lines)


def judge(network: Network, dataset: Dataset, *, seed: int, epochs: int, decay: float) -> TrainingReport:
    """Measure a float network on its data set; seed, epochs and decay are copied to the report."""
    columns = column_values(dataset.spec, dataset.rows)
    threshold = float(dataset.spec.threshold)
    decided = network.decide(columns, threshold)
    labels = dataset.label_array()
    parts = [np.asarray(part) for part in (dataset.train, dataset.test)]
    accuracies = [float(np.mean(decided[part] == labels[part])) for part in parts]
    balanced = [balanced_accuracy(decided[part], labels[part]) for part in parts]
    under = decisions_under_all(network, dataset.spec, columns)
    return TrainingReport(
        data=dataset.name,
        hidden=network.hidden,
        seed=seed,
        epochs=epochs,
        decay=decay,
        accuracy=(accuracies[0], accuracies[1]),
        balanced_accuracy=(balanced[0], balanced[1]),
        flip_share=float(np.mean(under.min(axis=0) != under.max(axis=0))),
        constant=bool(under.min() == under.max()),
    )


def decisions_under_all(network: Network, spec: Spec, columns: Floats) -> Integers:
    """Return the label of each row of unrounded columns under each assignment, shape (S, rows)."""
    rows_there = columns.copy()
    table = assignment_values(spec)
    result = np.empty((len(table), len(columns)), dtype=np.int64)
    for index, assignment in enumerate(table):
        rows_there[:, spec.plain_columns :] = assignment
        result[index] = network.decide(rows_there, float(spec.threshold))
    return result


def balanced_accuracy(decided: Integers, labels: Integers) -> float:
    """Return the mean, over the labels that occur, of the share of its rows that is decided correctly."""
    return float(np.mean([np.mean(decided[labels == label] == label) for label in np.unique(labels)]))


def refuse_large(numbers: int) -> None:
    """Raise NetworkError for more weights and biases than a model folder holds."""
    if numbers > MAX_DENSE_NUMBERS:
        raise NetworkError(f"{numbers} weights and biases; a network has at most {MAX_DENSE_NUMBERS}")


def _floats(name: str, array: npt.NDArray[Any]) -> Floats:
    """Return an array of real numbers as floats; raises NetworkError for text, bytes and complex numbers."""
    if array.dtype.kind not in "fiu":
        raise NetworkError(f"not a file of network weights: {name} is no array of real numbers")
    return np.asarray(array, dtype=np.float64)
