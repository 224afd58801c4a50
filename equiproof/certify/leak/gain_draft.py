"""A draft of levels of gains: the least loss by another sensitive value that nine in ten applicants can have proven.

A gain certificate of the level says that a value loses no more than it, so the level is the ninth tenth of the losses
that the product's own search proves, up to the first level of radii. It is rounded up to 1, 2 or 5 and zeros: the spec
is public, and so tells the order of the model's gains and no more.
"""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction

import msgspec
import numpy as np

from equiproof.certify.branch import PrecisionError
from equiproof.certify.decisions import integer_logits
from equiproof.certify.errors import CapacityError, EvidenceError
from equiproof.certify.gain import Case, GainError, most
from equiproof.certify.leak.candidates import LEAST_FAIR, LevelError
from equiproof.certify.leak.certificates import MAX_LEAVES
from equiproof.certify.network import NetworkError, QuantisedNetwork
from equiproof.certify.polytope import margin_signs
from equiproof.circuits.branch_parameters import WidthError
from equiproof.circuits.levels import LARGEST_LEVEL, squares
from equiproof.circuits.spec import Spec

APPLICANTS = 40
"""The most rows whose losses are searched for."""

SECONDS = 2.0
"""The processor seconds of these searches."""

_UNPROVEN = (GainError, CapacityError, PrecisionError, EvidenceError, NetworkError, WidthError)
"""A gain that is not found, and numbers that are too wide for a key or for a network of two copies."""

_TENTH = 10
_DIGITS = ("1", "2", "5")
_LEAST_EXPONENT = -7
_GUESSES = {"0.5": "1.65", "1": "2.72"}
"""Half of a log odd, and what stands for it on grids that are too coarse, with what odds are multiplied by."""


@dataclass(frozen=True)
class GainDraft:
    """Levels of gains as decimal texts in log odds, none where 0 alone does, and a line for people."""

    levels: tuple[str, ...]
    note: str


def guessed_gain(spec: Spec) -> str:
    """Return the level that is proposed where no losses are known, as decimal text in log odds."""
    return next(text for text in _GUESSES if squares((text,), spec.input_fraction_bits)[0])


def guess_note(level: str, why: str) -> str:
    """Return in words what the guessed level means, and why it is not drafted from gains."""
    return f"gain levels {level}, odds at most {_GUESSES[level]} times as large or small; not drafted from gains: {why}"


def draft_gains(
    network: QuantisedNetwork,
    spec: Spec,
    queries: Sequence[tuple[int, ...]],
    levels: Sequence[str],
    *,
    seconds: float = SECONDS,
) -> GainDraft:
    """Return the draft for a network whose certificates show these levels of radii, from the queries of rows.

    Raises LevelError where the losses of fewer than 20 rows are proven in `seconds` of the processor, and where the
    ninth tenth is above the largest level of any spec.
    """
    radius_squared = squares(levels, spec.input_fraction_bits)[0]
    exact = msgspec.structs.replace(spec, levels=msgspec.UNSET, gain_levels=msgspec.UNSET)
    begun = time.process_time()
    losses: list[Fraction | float] = []
    for query in queries[:APPLICANTS]:
        left = seconds - (time.process_time() - begun)
        if left <= 0:
            break
        case = worst(network, exact, query)
        try:
            found = most(case, radius_squared, max_leaves=MAX_LEAVES, max_seconds=left) if case else None
        except _UNPROVEN:
            if time.process_time() - begun < seconds:
                losses.append(math.inf)
            continue
        proven = -found.evidence.least_gain if found else 0
        losses.append(Fraction(proven, 1 << network.logit_fraction_bits))
    if len(losses) < LEAST_FAIR:
        raise LevelError(
            f"gain_levels: the gains of {len(losses)} rows were found in time, and a draft needs {LEAST_FAIR}; give "
            "more rows, or name the levels"
        )
    return _of(sorted(losses), spec, levels[0])


def worst(network: QuantisedNetwork, spec: Spec, query: Sequence[int]) -> Case | None:
    """Return the label and the two rows of sensitive values that lose most at a query, None where nothing is lost."""
    table = np.array(spec.domain_table, dtype=np.int64)
    plain = np.broadcast_to(np.array(query, dtype=np.int64), (len(table), len(query)))
    logits = integer_logits(network, np.concatenate([plain, table], axis=1))
    best, found = 0, None
    for label in range(len(spec.labels)):
        for signs in margin_signs(network.logit_count, label):
            margins = logits @ np.array(signs, dtype=object)
            low, high = int(margins.argmin()), int(margins.argmax())
            if margins[high] - margins[low] > best:
                best = margins[high] - margins[low]
                found = Case(network, spec, tuple(query), low, high, label)
    return found


def _of(losses: Sequence[Fraction | float], spec: Spec, radius: str) -> GainDraft:
    """Return the draft from rising losses in log odds."""
    reached = losses[len(losses) - 1 - len(losses) // _TENTH]
    within = f"nine in ten of {len(losses)} rows are proven to lose no more by another sensitive value within {radius}"
    if not reached:
        return GainDraft((), f"gain levels: 0 alone; {within}")
    level = _rounded_up(spec, reached)
    if level is None:
        raise LevelError(
            f"gain_levels: look at the model, or name the levels: fewer than nine in ten of {len(losses)} rows are "
            f"proven to lose {LARGEST_LEVEL} or less by another sensitive value"
        )
    middle = float(losses[(len(losses) - 1) // 2])
    return GainDraft(
        (level,),
        f"drafted gain levels: {level} in log odds; {within}, half of them no more than {middle:.2g}; a gain "
        f"certificate shows -{level}, 0 or {level}, where the exact gain would be an equation about the model",
    )


def _rounded_up(spec: Spec, loss: Fraction | float) -> str | None:
    """Return the least level of one digit that is no less than a loss, None where it is above the largest."""
    for exponent in range(_LEAST_EXPONENT, 2):
        for digit in _DIGITS:
            level = Decimal(digit).scaleb(exponent)
            text = f"{level:f}"
            if level <= LARGEST_LEVEL and level >= loss and squares((text,), spec.input_fraction_bits)[0]:
                return text
    return None
