"""A network as a chain of exact steps: affine maps in rationals, and ReLU.

A reader turns a model of any origin into this chain. A float is the fraction that it represents, so consecutive affine
steps compose without rounding; in this way scaling folds into the first layer.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import reduce
from itertools import pairwise
from typing import TypeVar

from equiproof.certify.limits import MAX_NUMBERS, MAX_WORK
from equiproof.certify.models.importing.errors import ModelImportError

T = TypeVar("T", float, Fraction)
Row = Mapping[int, Fraction]
"""The weights of one output by input, without zeros, so that scaling and reordering are cheap."""

MAX_WIDTH = 4096
MAX_BITS = 4096
"""The most bits that numerator and denominator of a composed weight may have; those of a float have at most 1075."""

BIAS_BITS = 128
"""The additional bits of a composed bias for each weight of its row: the bias sums a fraction for each of them."""

_STEP_SEPARATOR = ", then "

ROUNDED = "roots rounded"
"""What the name of a step says whose numbers are not exact."""


class Work:
    """What multiplying the steps of one model may still cost."""

    def __init__(self) -> None:
        self._left = MAX_WORK

    def spend(self, units: int) -> bool:
        """Take off so many units; return whether there were as many."""
        self._left -= units
        return self._left >= 0

    def product(self, bits: int) -> bool:
        """Take off what a product or a sum of so many bits costs beyond one unit: its common divisors are sought."""
        return self.spend(bits // 200 + bits * bits // 1_600_000)


@dataclass(frozen=True)
class Affine:
    """The map x -> W x + b in exact numbers; `rows[i]` holds output i's weights, `where` names it in the source."""

    inputs: int
    rows: tuple[Row, ...]
    biases: tuple[Fraction, ...]
    where: str

    def __repr__(self) -> str:
        """Show the sizes only: the weights are secret."""
        return f"<{type(self).__name__} {self.inputs}-{len(self.rows)}: {self.where}>"

    @classmethod
    def dense(cls, weights: Sequence[Sequence[T]], biases: Sequence[T], where: str) -> Affine:
        """Take weights of shape (outputs, inputs) and biases (outputs,); raises ModelImportError for other shapes."""
        inputs = len(weights[0]) if weights else 0
        if not inputs or len(weights) != len(biases) or any(len(row) != inputs for row in weights):
            raise ModelImportError(f"{where}: weights of {len(weights)} x {inputs} numbers, {len(biases)} biases")
        if max(inputs, len(weights)) > MAX_WIDTH:
            raise ModelImportError(f"{where}: {len(weights)} x {inputs} weights; a layer has at most {MAX_WIDTH} wide")
        rows = tuple({column: exact(weight, where) for column, weight in enumerate(row) if weight} for row in weights)
        return cls(inputs, rows, tuple(exact(bias, where) for bias in biases), where)

    @classmethod
    def diagonal(cls, factors: Sequence[T], shifts: Sequence[T], where: str) -> Affine:
        """Multiply each input by its factor, then add its shift."""
        rows = tuple({index: exact(factor, where)} if factor else {} for index, factor in enumerate(factors))
        return cls(len(rows), rows, tuple(exact(shift, where) for shift in shifts), where)

    @classmethod
    def divided(cls, divisors: Sequence[T], where: str) -> Affine:
        """Divide each input by its divisor; raises ModelImportError for 0."""
        if not all(divisors):
            raise ModelImportError(f"{where}: divides by 0")
        return cls.diagonal([1 / exact(divisor, where) for divisor in divisors], [Fraction(0)] * len(divisors), where)

    def after(self, below: Affine, work: Work | None = None) -> Affine:
        """Return the map that applies `below` first; raises ModelImportError where the two do not fit.

        It is also raised where the result is too large, or takes more than is left of `work` (by default of new work).
        """
        follow(below, self)
        work = work or Work()
        if not work.spend(sum(len(below.rows[column]) for row in self.rows for column in row)):
            raise self._too_much(below)
        rows = []
        biases = []
        weights = 0
        for row, bias in zip(self.rows, self.biases, strict=True):
            total: dict[int, Fraction] = {}
            for middle, weight in row.items():
                for column, lower in below.rows[middle].items():
                    number = total.get(column, Fraction(0)) + weight * lower
                    total[column] = self._short(number, MAX_BITS, below, work)
            rows.append({column: value for column, value in total.items() if value})
            weights += len(rows[-1])
            if weights > MAX_NUMBERS:
                raise ModelImportError(f"{self._both(below)}: more than {MAX_NUMBERS} weights when they are multiplied")
            shift = bias
            most = MAX_BITS + BIAS_BITS * len(rows[-1])
            for middle, weight in row.items():
                shift = self._short(shift + weight * below.biases[middle], most, below, work)
            biases.append(shift)
        return Affine(below.inputs, tuple(rows), tuple(biases), f"{below.where}{_STEP_SEPARATOR}{self.where}")

    def only(self, kept: Sequence[int]) -> Affine:
        """Return the map of these inputs alone, all others being 0."""
        place_of = {place: number for number, place in enumerate(kept)}
        rows = tuple(
            {place_of[place]: weight for place, weight in row.items() if place in place_of} for row in self.rows
        )
        return Affine(len(kept), rows, self.biases, self.where)

    def _short(self, number: Fraction, most: int, below: Affine, work: Work) -> Fraction:
        """Return a number of at most `most` bits that its work allows; longer ones make each composition slower."""
        bits = max(number.numerator.bit_length(), number.denominator.bit_length())
        if bits > most:
            raise ModelImportError(
                f"{self._both(below)}: a number has more than {most} bits when they are multiplied "
                "exactly; multiply them before the export"
            )
        if not work.product(bits):
            raise self._too_much(below)
        return number

    def _too_much(self, below: Affine) -> ModelImportError:
        """Return the error for steps that take too long to multiply."""
        return ModelImportError(
            f"{self.where}: follows {below.where[:200]} without a ReLU, and both are too large to be multiplied "
            "exactly; multiply them before the export"
        )

    def _both(self, below: Affine) -> str:
        """Name both steps, one of which may stand for hundreds."""
        return f"{below.where[:200]}{_STEP_SEPARATOR}{self.where}"

    def __call__(self, values: Sequence[Fraction]) -> tuple[Fraction, ...]:
        """Return W x + b."""
        return tuple(
            sum((weight * values[column] for column, weight in row.items()), bias)
            for row, bias in zip(self.rows, self.biases, strict=True)
        )


@dataclass(frozen=True)
class Relu:
    """The map x -> max(x, 0) of every coordinate."""

    where: str


Step = Affine | Relu


def exact(number: float | Fraction, where: str) -> Fraction:
    """Return the fraction that a number represents; raises ModelImportError for infinity and NaN."""
    if not isinstance(number, Fraction) and not math.isfinite(number):
        raise ModelImportError(f"{where}: a number is not finite")
    return Fraction(number)


def follow(below: Affine, above: Affine) -> None:
    """Raise ModelImportError for two maps that do not fit together."""
    if above.inputs != len(below.rows):
        raise ModelImportError(f"{above.where}: takes {above.inputs} values, {below.where} gives {len(below.rows)}")


def identity(width: int, where: str) -> Affine:
    """Return the identity map."""
    return Affine.diagonal([Fraction(1)] * width, [Fraction(0)] * width, where)


def layers_of(steps: Sequence[Step], inputs: int, work: Work | None = None) -> tuple[Affine, ...]:
    """Return a chain as at least two affine layers, with a ReLU between each two.

    Affine steps without a ReLU between them become one, and so do ReLUs without a step between them. A ReLU before the
    first layer gets an identity layer; a chain without any ReLU becomes two layers by z = relu(z) - relu(-z). Raises
    ModelImportError for a chain that ends in a ReLU, for steps that do not fit, and as :meth:`Affine.after`.
    """
    work = work or Work()
    layers: list[Affine] = []
    run: list[Affine] = []
    for step in steps:
        if isinstance(step, Affine):
            _join(run, step, work)
        else:
            layers += [_composed(run, work)] if run else [] if layers else [identity(inputs, "the inputs")]
            run = []
    if run:
        layers.append(_composed(run, work))
    else:
        last = steps[-1].where if steps else "the model"
        raise ModelImportError(f"{last}: nothing follows it; a model ends in its logits: export it without a last ReLU")
    if len(layers) == 1:
        layers = _split(layers[0])
    for below, above in pairwise(layers):
        follow(below, above)
    if sum(len(row) for layer in layers for row in layer.rows) > MAX_NUMBERS:
        raise ModelImportError(f"the model has more than {MAX_NUMBERS} weights")
    return tuple(layers)


def _join(run: list[Affine], step: Affine, work: Work) -> None:
    """Add a step to affine steps that wait to be composed; raises ModelImportError where it does not fit.

    A step is composed at once with a preceding step whose outputs depend on at most one input each: hundreds of
    scalings behind a large layer then cost one composition.
    """
    if not run:
        run.append(step)
        return
    follow(run[-1], step)
    if all(len(row) <= 1 for row in run[-1].rows):
        run[-1] = step.after(run[-1], work)
    else:
        run.append(step)


def _composed(run: Sequence[Affine], work: Work) -> Affine:
    """Return affine steps as one."""
    return reduce(lambda below, above: above.after(below, work), run)


def folded(layers: Sequence[Affine]) -> tuple[str, ...]:
    """Return, for each layer made of several steps of the source or of rounded numbers, which steps these were."""
    return tuple(
        f"layer {index}: {layer.where}"
        for index, layer in enumerate(layers, start=1)
        if _STEP_SEPARATOR in layer.where or ROUNDED in layer.where
    )


def _split(single: Affine) -> list[Affine]:
    """Return z as two layers: the neurons of z and -z, and their difference."""
    negated = tuple({column: -weight for column, weight in row.items()} for row in single.rows)
    count = len(single.rows)
    one = Fraction(1)
    biases = single.biases + tuple(-bias for bias in single.biases)
    hidden = Affine(
        single.inputs, single.rows + negated, biases, f"{single.where}{_STEP_SEPARATOR}both signs of each logit"
    )
    rows = tuple({index: one, count + index: -one} for index in range(count))
    return [hidden, Affine(2 * count, rows, (Fraction(0),) * count, "the difference relu(z) - relu(-z)")]
