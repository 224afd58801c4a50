"""A model as it was read, and its committed integers, beside the decisions that its owner's own system made.

What reports call the float model is our reading of a file. Whether that is the model which decides elsewhere, only
decisions that were made elsewhere can show.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING

import msgspec
import numpy as np

from equiproof.certify.data.dataset import Row, column_values, encode_rows
from equiproof.certify.decisions import TIE, BigIntegers, Floats, Integers, decided, integer_logits
from equiproof.certify.models.comparison import Comparison, LabelCount
from equiproof.certify.models.own_decisions import DecisionsError, OwnDecisions
from equiproof.circuits.arguments import argument
from equiproof.circuits.spec import Spec

if TYPE_CHECKING:
    from equiproof.certify.models.network import Network
    from equiproof.certify.network import QuantisedNetwork

LEAST_ROWS = 20
"""Fewer rows may all get one label without anything being wrong."""

_OF_NETWORKS = Fraction(1, 1000)
"""The share of rows that may differ from a network, unless another is given: elsewhere it is computed in floats."""

_MOST_EXAMINED = 10_000
"""Of more differing rows, the rest count as not near a threshold."""

_LINE = 400
"""The most characters of a refusal."""

MAX_LISTED = 5
"""The differing rows that are printed."""


@dataclass(frozen=True, eq=False)
class Decided:
    """What a model makes of rows: by our reading and by its committed integers.

    `labels`, by our reading, have shape (rows,). `logits`, (rows, logits), are those of the reading, the threshold of a
    single one subtracted, and `integers` those of the committed model. `near(row, label)` returns whether the row,
    counted from 0, may get a label by our reading where its numbers move by at most half a step of the grid.
    `tolerance` is the share of rows that may differ, unless the owner gives another.
    """

    labels: Integers
    integers: Integers | BigIntegers
    logits: Floats
    near: Callable[[int, int], bool]
    tolerance: Fraction

    @cached_property
    def committed(self) -> Integers:
        """The labels by the integers, shape (rows,); an undecided row is TIE."""
        return decided(self.integers)


class DifferingRow(msgspec.Struct, frozen=True):
    """A row that is decided otherwise, for printing only: its number counted from 1, and what each side says."""

    row: int
    own: str
    label: str
    logits: tuple[float, ...]
    committed: str | None
    near: bool

    def line(self, whose: str) -> str:
        """Return the row as one line of text; `whose` is the decision of the other side."""
        logits = ", ".join(f"{logit:+.6g}" for logit in self.logits)
        committed = "" if self.committed == self.label else f", committed {self.committed or 'a tie'}"
        near = ", within half a step of a threshold" if self.near else ""
        return f"row {self.row}: {whose} {self.own}, as read {self.label} ({logits}){committed}{near}"


@dataclass(frozen=True)
class Compared:
    """A comparison: counts to keep, and the first differing rows to print; `counted` of them are not near."""

    counts: Comparison
    examples: tuple[DifferingRow, ...]
    counted: int

    def lines(self) -> list[str]:
        """Return counts and differing rows as lines of text."""
        return [*self.counts.summary(), *(f"  {row.line(self.counts.whose)}" for row in self.examples)]

    def named(self, refusal: str) -> str:
        """Return a refusal with as many of the differing rows as one line holds."""
        for row in self.examples:
            longer = f"{refusal}; {row.line(self.counts.whose)}"
            if len(longer) > _LINE and row is not self.examples[0]:
                break
            refusal = longer
        return refusal


@dataclass(frozen=True)
class Judged:
    """How a model decides rows: counts by label, none without rows, and the comparisons with others' decisions."""

    counts: Sequence[LabelCount] = ()
    comparisons: tuple[Compared, ...] = ()

    def refuse(self, *, meant: bool) -> None:
        """Raise DecisionsError as :func:`refuse_differing`, and for one label for everybody unless it is `meant`."""
        for compared in self.comparisons:
            refuse_differing(compared, meant=meant)
        if not self.comparisons and not meant:
            refuse_one_label(self.counts)


def network_decided(network: Network, quantised: QuantisedNetwork, spec: Spec, rows: Sequence[Row]) -> Decided:
    """Decide raw rows by a network as read, on columns that are not rounded, and by its integers.

    Raises DataError naming a row that does not fit the spec.
    """
    columns = column_values(spec, rows)
    threshold = float(spec.threshold)
    logits = network.logits(columns) - (threshold if spec.logits == 1 else 0.0)
    return Decided(
        network.decide(columns, threshold),
        integer_logits(quantised, encode_rows(spec, rows)),
        logits,
        lambda _row, _label: False,
        _OF_NETWORKS,
    )


def judge(
    made: Decided, labels: Sequence[str], others: Sequence[OwnDecisions], allowed: Fraction | None = None
) -> Judged:
    """Count labels, and compare row by row with the decisions of others, the owner's last; raises as :func:`compare`.

    The counts are those of the last comparison, if there is one.
    """
    comparisons = tuple(compare(own, made, labels, allowed) for own in others)
    return Judged(comparisons[-1].counts.labels if comparisons else label_counts(made, labels), comparisons)


def compare(own: OwnDecisions, made: Decided, labels: Sequence[str], allowed: Fraction | None = None) -> Compared:
    """Compare row by row; raises DecisionsError for another number of rows.

    `allowed` is the share of rows that may differ before :func:`refuse_differing` refuses, besides those near a
    threshold; by default that of the model's kind.
    """
    if len(own.labels) != len(made.labels):
        raise DecisionsError(
            f"give one decision for each row: {own.where} has {len(own.labels)} decisions for {len(made.labels)} rows"
        )
    if not own.labels:
        raise DecisionsError(f"give at least one row: {own.where} has no decision to compare")
    theirs = np.asarray(own.labels, dtype=np.int64)
    as_read = made.labels != theirs
    as_committed = made.committed != theirs
    differing = np.flatnonzero(as_read | as_committed).tolist()
    excused = {row for row in differing[:_MOST_EXAMINED] if made.near(row, own.labels[row])}
    first = sorted(differing, key=lambda row: (row in excused, row))[:MAX_LISTED]
    counts = Comparison(
        source=own.where,
        rows=len(theirs),
        differing=int(as_read.sum()),
        differing_integers=int(as_committed.sum()),
        near=len(excused),
        allowed=str(made.tolerance if allowed is None else allowed),
        labels=label_counts(made, labels, own),
    )
    examples = tuple(_example(own, made, labels, row, near=row in excused) for row in first)
    return Compared(counts, examples, len(differing) - len(excused))


def label_counts(made: Decided, labels: Sequence[str], own: OwnDecisions | None = None) -> tuple[LabelCount, ...]:
    """Return how many rows get each label by each side."""
    return tuple(
        LabelCount(
            name,
            None if own is None else own.labels.count(number),
            int(np.sum(made.labels == number)),
            int(np.sum(made.committed == number)),
        )
        for number, name in enumerate(labels)
    )


def refuse_differing(compared: Compared, *, meant: bool) -> None:
    """Raise DecisionsError for one label for everybody, for agreement below one half, and for rows that differ.

    `meant`: the owner accepts the first, and the second as far as the share of rows that may differ allows it.
    """
    counts = compared.counts
    if not meant:
        refuse_one_label(counts.labels, counts.source)
        if counts.agreement < Fraction(1, 2):
            raise DecisionsError(
                compared.named(
                    f"name the label of each class in the model's order ({argument('classes')}), or accept it with "
                    f"{argument('accept_labels', True)} and {argument('allow_differing', '1')}: labels may be "
                    f"exchanged, as {counts.differing} of {counts.rows} rows are decided otherwise than by "
                    f"{counts.source}"
                )
            )
    most = Fraction(counts.allowed) * counts.rows
    if compared.counted > most >= counts.differing:
        # As read, few enough rows differ: what is left is what integers round.
        raise DecisionsError(
            compared.named(
                f"round inputs more finely ({argument('input_fraction_bits')}), or give a network wider weights "
                f"({argument('widen', True)}): rounded to integers, {counts.differing_integers} of {counts.rows} rows "
                f"are decided otherwise than by {counts.source}, and as read {counts.differing}"
            )
        )
    if compared.counted > most:
        raise DecisionsError(
            compared.named(
                f"check the classes ({argument('classes')}), threshold, units and codes, or allow a share "
                f"({argument('allow_differing')}): {compared.counted} of {counts.rows} rows are decided "
                f"otherwise than by {counts.source}"
            )
        )


def refuse_one_label(counts: Sequence[LabelCount], source: str = "") -> None:
    """Raise DecisionsError where all rows get one label, by our reading or by the owner's decisions, unless few do."""
    rows = sum(one.reading for one in counts)
    sides = [(one.label, one.own, source) for one in counts]
    sides += [(one.label, one.reading, "the model as read") for one in counts]
    alone = next(((label, where) for label, count, where in sides if count == rows), None)
    if rows >= LEAST_ROWS and alone is not None:
        raise DecisionsError(
            f"check threshold, units and the classes ({argument('classes')}), or accept one label for everybody "
            f"({argument('accept_labels', True)}): all {rows} rows get {alone[0]!r} by {alone[1]}"
        )


def _example(own: OwnDecisions, made: Decided, labels: Sequence[str], row: int, *, near: bool) -> DifferingRow:
    """Return a differing row as it is printed."""
    committed = None if made.committed[row] == TIE else labels[made.committed[row]]
    own_label = labels[own.labels[row]]
    written = own.written[row]
    return DifferingRow(
        row + 1,
        own_label if written == own_label else f"{written} ({own_label})",
        labels[made.labels[row]],
        tuple(made.logits[row].tolist()),
        committed,
        near,
    )
