"""How faithful the committed integers are to the float model that they come from.

Rounding can wash out what is to be proven: where the weights of a sensitive column round to 0, every decision is proven
fair. The report compares the two models in three ways: how much of the weight of each sensitive column is lost, how far
a logit can move at most, and which decisions change, on rows of data and on random points.

The float model is the function of exact numbers that its floats stand for, on columns that are not rounded; the
committed model takes columns rounded to 2^-f_x.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import ROUND_UP, Decimal
from fractions import Fraction
from functools import lru_cache
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from equiproof.certify.data.dataset import Dataset, Row, column_values, encode_rows
from equiproof.certify.decisions import TIE, decided, decisions_under, integer_logits
from equiproof.certify.digits import percent
from equiproof.certify.models.importing.bind import column_names
from equiproof.certify.models.logit_bound import logit_bound
from equiproof.certify.models.network import Floats, Integers, Network, decisions_under_all
from equiproof.certify.models.random_rows import random_rows
from equiproof.certify.network import QuantisedNetwork
from equiproof.circuits.arguments import argument
from equiproof.circuits.exit_codes import MISUSED
from equiproof.circuits.spec import Spec

MAX_LOSS = 0.01
"""The share of a sensitive column's weight that may be lost in rounding, unless the spec allows more."""

RANDOM_POINTS = 10_000
SEED = 0

_EVALUATIONS = 2_000_000
"""How many decisions are made for random points, and how many at a time for rows: points times slices."""

_ROW_EVALUATIONS = 20_000_000
"""How many decisions are made for rows in all; of more rows, evenly spread ones are examined for flips."""

_MAX_LISTED = 4
_MILLION = 1_000_000


class LossError(ValueError):
    """A model that rounding to integers changes too much: one line with the column or row, and how to mend it."""

    exit_code: ClassVar[int] = MISUSED


@dataclass(frozen=True)
class Agreement:
    """The two models compared on some points: rows of data, or random points of the domain.

    `differing` counts the points with another label, ties of the integers included; `ties` counts those ties.
    `largest_gap` is the largest difference of a logit that was seen, in the float network's logit units. `accuracy` is
    (float, committed) over all points, None where they have no labels.

    A point is a flip of a model if its label is not the same under all values of the sensitive features. Of `examined`
    points, evenly spread, `flips` counts those of (float, committed); `flips_lost` are flips of the float model only,
    `flips_gained` of the committed one only. `first_lost` is the number of the first lost point, counted from 1.
    """

    name: str
    points: int
    differing: int
    ties: int
    largest_gap: float
    accuracy: tuple[float, float] | None
    examined: int
    flips: tuple[int, int]
    flips_lost: int
    flips_gained: int
    first_lost: int | None

    def summary(self) -> list[str]:
        """Return the figures as two lines of text, or three."""
        ties = f"{self.ties:,} tie{'' if self.ties == 1 else 's'}"
        counts = f"{self.differing:,} of {self.points:,} labels differ from the float model ({ties})"
        lines = [f"{self.name}: {counts}, largest gap of a logit {self.largest_gap:.2g}"]
        if self.accuracy is not None:
            floats, integers = map(percent, self.accuracy)
            lines.append(f"  accuracy {floats} in floats, {integers} in integers, over all these rows")
        lines.append(
            f"  of {self.examined:,}, {self.flips[0]:,} flip with the sensitive features in the float model; "
            f"committed: {_counted(self.flips_lost)} lost, {self.flips_gained:,} gained"
        )
        return lines


@dataclass(frozen=True)
class Rounding:
    """What rounding changes, from the two models alone.

    `weight_loss` has, for each sensitive column, sum |w - committed w| / sum |w| over its weights in layer 1, rounded
    up to a millionth; 0 for a column without weight. `logit_bound` is proven: on no row of the spec's domain does a
    logit of the two models differ by more (see :func:`logit_bound`).
    """

    weight_loss: Mapping[str, float]
    logit_bound: float


@dataclass(frozen=True)
class Fidelity:
    """The difference between the committed integers and the float model.

    `weight_loss` and `logit_bound` are those of :class:`Rounding`. `rows` are rows of data, where there are any, and
    `random` are random points of the domain. `input_rounding_loss` is ceil(sqrt n_x) / 2^f_x, by which a radius shrinks
    for real-valued neighbors, in the spec's units. `weight_fraction_bits[l]` is the scale of layer l's weights.
    """

    weight_loss: Mapping[str, float]
    logit_bound: float
    rows: Agreement | None
    random: Agreement
    input_rounding_loss: float
    weight_fraction_bits: tuple[int, ...]
    logit_fraction_bits: int

    lost: ClassVar[str] = "its weight in layer 1"
    of_column: ClassVar[str] = "the weight of its column"
    rounded: ClassVar[str] = "weights"
    """What the share of a sensitive column is a share of."""

    def summary(self) -> str:
        """Return the figures as a few lines of text."""
        scales = ", ".join(f"2^-{bits}" for bits in self.weight_fraction_bits)
        remedy = f"give raw rows with {argument('rows')}"
        unmeasured = [f"not measured on rows: {remedy}, to see whether rounding changes their decisions"]
        radius = rounded_up(self.input_rounding_loss)
        return "\n".join(
            [
                *(unmeasured if self.rows is None else self.rows.summary()),
                *self.random.summary(),
                *self._losses(),
                f"logits differ by at most {rounded_up(self.logit_bound)} anywhere in the domain",
                f"{self.rounded} in steps of {scales}; rounded inputs cost a radius at most {radius}",
            ]
        )

    def _losses(self) -> list[str]:
        """Write the share that each sensitive column loses; of many columns the largest."""
        largest = sorted(self.weight_loss, key=self.weight_loss.__getitem__, reverse=True)[:_MAX_LISTED]
        lines = [
            f"{name}: {percent(self.weight_loss[name], 'up')} of {self.of_column} is lost in rounding"
            for name in self.weight_loss
            if name in largest
        ]
        rest = len(self.weight_loss) - len(largest)
        return [*lines, f"and no larger share in {rest} more sensitive columns"] if rest else lines


def measure_on(network: Network, quantised: QuantisedNetwork, dataset: Dataset) -> Fidelity:
    """Compare on every row of a data set, with its labels; see :func:`measure`."""
    return measure(network, quantised, dataset.spec, dataset.rows, dataset.name, dataset.label_array())


def measure(
    network: Network,
    quantised: QuantisedNetwork,
    spec: Spec,
    rows: Sequence[Row] | None = None,
    name: str = "rows",
    labels: Integers | None = None,
    *,
    points: int = RANDOM_POINTS,
) -> Fidelity:
    """Compare a float model with its committed integers, on raw rows called `name` and on random points.

    Random points are the same every time; with many slices there are fewer, so that points times slices is at most two
    million. Raises DataError naming a row that does not fit the spec.
    """
    fewer = max(1, min(points, _EVALUATIONS // len(spec.domain_table)))
    effect = rounding(network, quantised, spec)
    return Fidelity(
        weight_loss=effect.weight_loss,
        logit_bound=effect.logit_bound,
        rows=None if rows is None else agreement(network, quantised, spec, rows, name, labels),
        random=_agreement(network, quantised, spec, _random_points(spec, fewer), "random points"),
        # Rounding moves each of two points by half a step a column: their distance changes by at most sqrt(n_x) steps,
        # and isqrt(n - 1) + 1 is the ceiling of sqrt(n).
        input_rounding_loss=(math.isqrt(spec.plain_columns - 1) + 1) / spec.scale_unit,
        weight_fraction_bits=quantised.weight_fraction_bits,
        logit_fraction_bits=quantised.logit_fraction_bits,
    )


def rounding(network: Network, quantised: QuantisedNetwork, spec: Spec) -> Rounding:
    """Return what rounding a float model to these integers changes."""
    bound = logit_bound(network, quantised, spec)
    return Rounding(weight_loss(network, quantised, spec), _float_above(bound))


def weight_loss(network: Network, quantised: QuantisedNetwork, spec: Spec) -> dict[str, float]:
    """Return the share of layer 1's weight that each sensitive column loses; see :class:`Rounding`.

    Computed exactly and rounded up to a millionth, so that it is above :data:`MAX_LOSS` exactly where the share is.
    """
    unit = 1 << quantised.weight_fraction_bits[0]
    names = column_names(spec)[spec.plain_columns :]
    shares = {}
    for column, name in enumerate(names, start=spec.plain_columns):
        weights = [Fraction(weight) for weight in network.weights[0][:, column].tolist()]
        rounded = [Fraction(row[column], unit) for row in quantised.layers[0].weights]
        whole = sum(map(abs, weights))
        loss = sum(abs(weight - other) for weight, other in zip(weights, rounded, strict=True))
        shares[name] = math.ceil(loss / whole * _MILLION) / _MILLION if whole else 0.0
    return shares


def refuse_loss(spec: Spec, report: Fidelity, mend: str, *, flips: bool) -> None:
    """Raise LossError for a sensitive column that loses more than 1 % of its weight, unless the spec allows loss.

    With `flips`, also where a flip is lost on a row of data. `mend` begins the line: how to mend it.
    """
    if spec.allow_loss:
        return
    for column, share in report.weight_loss.items():
        if share > MAX_LOSS:
            raise LossError(
                f"{mend}: column {column} loses {percent(share, 'up')} of {report.lost} in rounding to integers, "
                f"more than {percent(MAX_LOSS, places=0)}, so a proof may call decisions fair that are not"
            )
    if flips and report.rows is not None and report.rows.flips_lost:
        raise LossError(
            f"{mend}, or use finer inputs (input_fraction_bits of a spec file): {report.rows.name}: row "
            f"{report.rows.first_lost}: its decision changes with the sensitive features in the float model, but not "
            "after rounding to integers"
        )


def agreement(
    network: Network,
    quantised: QuantisedNetwork,
    spec: Spec,
    rows: Sequence[Row],
    name: str,
    labels: Integers | None = None,
) -> Agreement:
    """Compare the two models on raw rows, which may have no labels; raises DataError naming a row."""
    return _agreement(network, quantised, spec, (column_values(spec, rows), encode_rows(spec, rows)), name, labels)


@lru_cache(maxsize=2)
def _random_points(spec: Spec, count: int) -> tuple[Floats, Integers]:
    """Return random points before and after rounding: the same for all models of a spec, so that none may change them.

    Encoding them takes longer than all decisions about them.
    """
    rows = random_rows(spec, count, SEED)
    columns, integers = column_values(spec, rows), encode_rows(spec, rows)
    columns.setflags(write=False)
    integers.setflags(write=False)
    return columns, integers


def _agreement(
    network: Network,
    quantised: QuantisedNetwork,
    spec: Spec,
    points: tuple[Floats, Integers],
    name: str,
    labels: Integers | None = None,
) -> Agreement:
    """Compare on points, whose columns are given before and after rounding, each of shape (points, n_x + n_s)."""
    columns, integers = points
    logits = integer_logits(quantised, integers)
    committed = decided(logits)
    # The float model decides on unrounded columns: what is compared includes the rounding of inputs.
    own = network.decide(columns, float(spec.threshold))
    in_units = logits.astype(np.float64) / 2.0**quantised.logit_fraction_bits + float(spec.threshold)
    accuracy = None
    if labels is not None:
        accuracy = (float(np.mean(own == labels)), float(np.mean(committed == labels)))
    count = min(len(columns), max(1, _ROW_EVALUATIONS // len(spec.domain_table)))
    examined = np.arange(count) * len(columns) // count
    ours, theirs = _flips(network, quantised, spec, columns[examined], integers[examined])
    losses = np.flatnonzero(ours & ~theirs)
    return Agreement(
        name=name,
        points=len(columns),
        differing=int(np.sum(committed != own)),
        ties=int(np.sum(committed == TIE)),
        largest_gap=float(np.max(np.abs(in_units - network.logits(columns)))),
        accuracy=accuracy,
        examined=count,
        flips=(int(ours.sum()), int(theirs.sum())),
        flips_lost=len(losses),
        flips_gained=int(np.sum(theirs & ~ours)),
        first_lost=int(examined[losses[0]]) + 1 if len(losses) else None,
    )


def rounded_up(number: float) -> str:
    """Write a number with two digits, never too small."""
    if not number:
        return "0"
    exact = Decimal(number)
    short = exact.quantize(Decimal(1).scaleb(exact.adjusted() - 1), rounding=ROUND_UP)
    return f"{float(short):g}"


def _flips(
    network: Network, quantised: QuantisedNetwork, spec: Spec, columns: Floats, integers: Integers
) -> tuple[npt.NDArray[np.bool_], npt.NDArray[np.bool_]]:
    """Return which points flip in the float model and which in the committed one."""
    table = np.array(spec.domain_table, dtype=np.int64)
    plain = spec.plain_columns
    size = max(1, _EVALUATIONS // len(table))
    ours = np.zeros(len(columns), dtype=np.bool_)
    theirs = np.zeros(len(columns), dtype=np.bool_)
    for first in range(0, len(columns), size):
        some = slice(first, first + size)
        for flips, labels in (
            (ours, decisions_under_all(network, spec, columns[some])),
            (theirs, decisions_under(quantised, integers[some, :plain], table)),
        ):
            flips[some] = (labels != labels[0]).any(axis=0)
    return ours, theirs


def _float_above(number: Fraction) -> float:
    """Return the least float that is not below a number."""
    nearest = float(number)
    return nearest if nearest >= number else math.nextafter(nearest, math.inf)


def _counted(flips: int) -> str:
    """Write a number of flips."""
    return f"{flips:,} flip{'' if flips == 1 else 's'}"
