"""What a lot shows of a whole period: the exact one-sided bound of a draw without putting back.

Of N decisions an unknown number G is good: it has a certificate. m are drawn, every set of m with the same chance, and
b of them turn out bad. The number of bad ones among the drawn is then hypergeometric. `at_least` returns the least G
under which b bad ones or fewer still had a chance above 1 - confidence.

Why the sentence "at least `at_least` are good" is wrong with a chance of at most 1 - confidence, whatever the truth is:
let G be the truth, and let c be the largest number of bad ones for which the chance of c or fewer is at most
1 - confidence under G. That chance falls as the number of bad ones grows, so the bound exceeds G only where c or fewer
are drawn. It is the inversion of a one-sided test: C. J. Clopper and E. S. Pearson, Biometrika 26 (1934), p. 404; for a
finite population J. P. Buonaccorsi, The American Statistician 41 (1987), p. 215, and T. Wright, Exact Confidence Bounds
when Sampling from Small Finite Universes, Springer 1991. Nobody's draw has to be "large", and nothing is rounded here:
all is integers.
"""

from __future__ import annotations

from bisect import bisect_left
from fractions import Fraction
from math import ceil, comb

from equiproof.circuits.tables import say
from equiproof.register.lot.errors import LotError

MOST_RECEIPTS = 1 << 32
"""The most decisions of one period."""

MOST_DRAWN = 10_000
"""The most that one lot draws: the numbers of the bound have some 2 bytes for each."""


def at_least(receipts: int, drawn: int, bad: int, confidence: Fraction) -> int:
    """Return how many of all receipts are good at least, with this confidence, where `bad` of the drawn are not.

    Raises LotError for numbers that no lot can have.
    """
    check_numbers(receipts, drawn, confidence)
    if not 0 <= bad <= drawn:
        raise LotError(say("bound.bad_out_of_bounds", bad=bad, drawn=drawn, most=drawn))
    all_draws = comb(receipts, drawn)
    doubt = 1 - confidence
    # Draws are counted in whole numbers, so "chance above doubt" is a comparison of integers.
    enough = all_draws * doubt.numerator // doubt.denominator + 1

    def too_many(wrong: int) -> bool:
        return _draws_with(receipts, drawn, bad, wrong) < enough

    # Fewer than `bad` are impossible, and at most all but the good ones that were seen.
    possible = range(bad, receipts - (drawn - bad) + 1)
    # The more bad ones there are, the fewer draws hold so few of them: halving finds the largest possible number.
    return receipts - possible[bisect_left(possible, True, key=too_many) - 1]


def draws_for(receipts: int, share: Fraction, confidence: Fraction, bad: int = 0) -> int | None:
    """Return how many must be drawn so that `share` is shown although `bad` of them are bad; None if no lot shows it.

    Raises LotError for numbers that no lot can have.
    """
    most = min(receipts, MOST_DRAWN)
    check_numbers(receipts, most, confidence)
    least_good = ceil(share * receipts)

    def shown(drawn: int) -> bool:
        return at_least(receipts, drawn, bad, confidence) >= least_good

    counts = range(max(1, bad), most + 1)
    place = bisect_left(counts, True, key=shown)
    return counts[place] if place < len(counts) else None


def check_numbers(receipts: int, drawn: int, confidence: Fraction) -> None:
    """Raise LotError unless so many can be drawn, and unless the confidence lies between 0 and 1."""
    if not 1 <= receipts <= MOST_RECEIPTS:
        raise LotError(say("bound.receipts_out_of_bounds", receipts=receipts, most=MOST_RECEIPTS))
    if not 1 <= drawn <= min(receipts, MOST_DRAWN):
        raise LotError(say("bound.drawn_out_of_bounds", drawn=drawn, most=min(receipts, MOST_DRAWN)))
    if not 0 < confidence < 1:
        raise LotError(say("option.confidence_out_of_bounds", confidence=str(confidence)))


def _draws_with(receipts: int, drawn: int, bad: int, wrong: int) -> int:
    """Return how many of all sets of `drawn` hold at most `bad` of `wrong` bad ones."""
    good = receipts - wrong
    fewest = max(0, drawn - good)
    sets = comb(wrong, fewest) * comb(good, drawn - fewest)
    total = 0
    for wrong_drawn in range(fewest, min(bad, wrong, drawn) + 1):
        total += sets
        # The next product of binomials from this one; the division leaves nothing over.
        factor = (wrong - wrong_drawn) * (drawn - wrong_drawn)
        divisor = (wrong_drawn + 1) * (good - drawn + wrong_drawn + 1)
        sets = sets * factor // divisor
    return total
