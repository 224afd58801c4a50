"""The additive model: a score that jumps at thresholds, as scorecards, stumps and explainable boosting machines have.

F(x) = bias + sum of jumps[p] over predicates p with x[columns[p]] > thresholds[p]. Label 1 is decided strictly where
F >= 1, label 0 where F <= -1. All numbers are integers, thresholds and inputs at scale 2^f_x.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import ClassVar

from equiproof.certify.sets import Sets, seen
from equiproof.circuits.exit_codes import MISUSED
from equiproof.circuits.spec import JUMP_BITS, SCORE_BIAS_BITS


class EnsembleError(ValueError):
    """A model of scheme `trees` whose numbers do not fit together or leave their widths; one line naming the place."""

    exit_code: ClassVar[int] = MISUSED


@dataclass(frozen=True, repr=False)
class AdditiveModel:
    """One integer per predicate (column, threshold), which is the jump of the score where the column passes it.

    Predicates ascend strictly by (column, threshold); the `plain` columns come first, then the `sensitive` ones, so
    column `plain + i` is the sensitive column i. Of an ensemble, the last plain columns may be those of `sets`.
    `value_fraction_bits` is the scale of jumps and bias, for the owner's
    eyes only: no proof depends on it. `absent` is the integer of a missing value of a plain column, above all others,
    None where no value can be missing. Raises EnsembleError where predicates do not ascend or a number is too wide.
    """

    columns: tuple[int, ...]
    thresholds: tuple[int, ...]
    jumps: tuple[int, ...]
    bias: int
    plain: int
    sensitive: int
    input_fraction_bits: int
    value_fraction_bits: int = 0
    absent: int | None = None
    sets: tuple[Sets, ...] = ()

    def __post_init__(self) -> None:
        """Refuse inexact numbers, lists of different lengths, predicates out of order and integers out of width."""
        lists = (self.columns, self.thresholds, self.jumps)
        if len({len(numbers) for numbers in lists}) != 1:
            raise EnsembleError(f"{', '.join(str(len(numbers)) for numbers in lists)} columns, thresholds and jumps")
        if any(type(number) is not int for numbers in (*lists, (self.bias,)) for number in numbers):
            raise EnsembleError("a number of the model is not a plain integer")
        if any(not 0 <= column < self.plain + self.sensitive for column in self.columns):
            raise EnsembleError(f"a predicate is of no column from 0 to {self.plain + self.sensitive - 1}")
        for place, (one, other) in enumerate(pairwise(zip(self.columns, self.thresholds, strict=True)), start=1):
            if one >= other:
                raise EnsembleError(f"predicates {place} and {place + 1} do not ascend by column and threshold")
        for jump in self.jumps:
            if not -(1 << (JUMP_BITS - 1)) <= jump < 1 << (JUMP_BITS - 1):
                raise EnsembleError(f"a jump does not fit {JUMP_BITS} signed bits")
        if not -(1 << (SCORE_BIAS_BITS - 1)) <= self.bias < 1 << (SCORE_BIAS_BITS - 1):
            raise EnsembleError(f"the bias does not fit {SCORE_BIAS_BITS} signed bits")

    @property
    def stated(self) -> int:
        """The number of plain columns that a query has, n_x: all but those of sets."""
        return self.plain - sum(len(one.members) for one in self.sets)

    @property
    def inputs(self) -> int:
        """The number of input columns that predicates read, n_x + n_s and one for each set."""
        return self.plain + self.sensitive

    def seen(self, inputs: Sequence[int]) -> Sequence[int]:
        """Return inputs of n_x integers, or n_x + n_s, with the columns of the sets behind the n_x."""
        return seen(self.sets, inputs, self.stated) if self.sets else inputs

    def read_of(self, column: int) -> list[int]:
        """Return what predicates read of a query's column: its own, and the sets of a category that begins there."""
        if column >= self.stated:
            return [column + self.plain - self.stated]
        behind = self.stated
        own = [column]
        for one in self.sets:
            own += range(behind, behind + len(one.members)) if one.category.first == column else ()
            behind += len(one.members)
        return own

    @property
    def predicates(self) -> tuple[int, int]:
        """(P_x, P_s): the numbers of predicates over plain and over sensitive columns."""
        plain = sum(1 for column in self.columns if column < self.plain)
        return plain, len(self.columns) - plain

    def lacks(self, place: int, query: Sequence[int]) -> bool:
        """Return whether the value that a predicate asks for is missing in a query of n_x integers or more."""
        column = self.columns[place]
        return self.absent is not None and column < self.plain and query[column] == self.absent

    def __repr__(self) -> str:
        """Show the sizes only: thresholds and jumps are secret."""
        return f"<{type(self).__name__} {self.plain}+{self.sensitive}, {len(self.columns)} predicates>"

    @property
    def logit_count(self) -> int:
        """The number of logits: the score alone."""
        return 1

    @property
    def logit_fraction_bits(self) -> int:
        """The fractional bits that the score carries."""
        return self.value_fraction_bits

    def logits(self, inputs: Sequence[int]) -> tuple[int, ...]:
        """Return the score at one input of n_x + n_s integers, as the one logit of a model for two labels."""
        return (self.score(inputs),)

    def score(self, inputs: Sequence[int]) -> int:
        """Return F at one input of n_x + n_s integers, with or without the columns of the sets."""
        if len(inputs) == self.stated + self.sensitive:
            inputs = self.seen(inputs)
        return self.bias + sum(
            jump
            for column, threshold, jump in zip(self.columns, self.thresholds, self.jumps, strict=True)
            if inputs[column] > threshold
        )

    def decide(self, inputs: Sequence[int]) -> int | None:
        """Return the label that is decided strictly, or None for a tie."""
        score = self.score(inputs)
        return None if score == 0 else int(score > 0)
