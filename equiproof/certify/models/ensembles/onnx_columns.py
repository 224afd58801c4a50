"""Numbers and classes that rise or fall with the score of an operator of trees.

Notation: s is the score of the operator of trees.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction

from equiproof.certify.models.ensembles.ensemble import Scale

ONE, ZERO = Fraction(1), Fraction(0)


@dataclass(frozen=True)
class Column:
    """A number of each row: factor x s + shift, or with `inner` factor x logistic(rise x s + start) + shift.

    `inner` is (rise, start), with a rise above 0: logistic(-u) is 1 - logistic(u).
    """

    factor: Fraction = ONE
    shift: Fraction = ZERO
    inner: tuple[Fraction, Fraction] | None = None

    def logistic(self) -> Column:
        """Return the logistic function of a column that varies and is not a probability yet."""
        if self.factor > 0:
            return Column(ONE, ZERO, (self.factor, self.shift))
        return Column(-ONE, ONE, (-self.factor, -self.shift))


@dataclass(frozen=True)
class Columns:
    """The numbers of each row; of `relative` ones only the differences are known."""

    columns: tuple[Column, ...]
    relative: bool = False


@dataclass(frozen=True)
class Label:
    """The class of each row: the second one where s is above the cut, or with `falling` where it is below."""

    names: tuple[str | int, ...] = (0, 1)
    cut: Fraction = ZERO
    falling: bool = False


Result = Columns | Label


def scale_of(columns: Columns) -> Scale:
    """Return what a score is that these numbers are made of."""
    last = columns.columns[-1]
    if last.inner is not None:
        return "logit"
    is_share = len(columns.columns) == 2 and last.shift == Fraction(1, 2) and abs(last.factor) == 1
    return "share" if is_share and not columns.relative else "score"


def numbers(shift: Fraction = ZERO, *, relative: bool = False) -> Columns:
    """Return scores of two classes that add up to twice a number, the second one s + shift."""
    return Columns((Column(-ONE, shift), Column(ONE, shift)), relative)


def probabilities() -> Columns:
    """Return the probabilities of two classes of which s is the logit."""
    logistic = Column().logistic()
    return Columns((replace(logistic, factor=-ONE, shift=ONE), logistic))
