"""A decision in review, side by side: the same details with different values of the sensitive features.

The finding says which two; its decisions are computed again, from the committed integers, as are those of every other
value. Once the applicant's details have been erased, what is left of it is shown as it was sealed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations
from typing import Any

from equiproof.certify.network import decide
from equiproof.circuits.spec import Spec
from equiproof.prover.opening import Opening
from equiproof.service.console import words
from equiproof.service.console.speech import say
from equiproof.service.findings import CounterexampleDocument

MAX_CASES = 200
"""Of more combinations of sensitive values, only so many are compared and shown."""


@dataclass(frozen=True)
class Case:
    """One combination of sensitive values, in the spec's order; `label` is None for a tie."""

    values: tuple[str, ...]
    label: int | None
    scores: tuple[Fraction, ...]


@dataclass(frozen=True)
class Compared:
    """Two cases that are decided differently, and which of the sensitive features differ in them."""

    first: Case
    second: Case
    differ: tuple[bool, ...]


def computed(opening: Opening, features: Mapping[str, Any]) -> list[Case]:
    """Return what the model decides for these details and each combination of sensitive values."""
    return [_case(opening, features, values) for values in opening.spec.domain_values[:MAX_CASES]]


def of_finding(opening: Opening, finding: CounterexampleDocument, features: Mapping[str, Any] | None) -> list[Case]:
    """Return the cases of a sealed finding; without the applicant's details, as after their erasure, no scores."""
    names = [feature.name for feature in opening.spec.sensitive_features]
    sides = [(tuple(side.values[name] for name in names), side.label) for side in finding.sides]
    if features is None:
        return [Case(values, label, ()) for values, label in sides]
    return [_case(opening, features, values) for values, _ in sides]


def compared(cases: Sequence[Case]) -> Compared | None:
    """Return the two cases with different decisions that differ in the fewest features, or None for one decision."""
    pairs = [(one, other) for one, other in combinations(cases, 2) if one.label != other.label]
    if not pairs:
        return None
    first, second = min(pairs, key=lambda pair: sum(_differ(*pair)))
    return Compared(first, second, _differ(first, second))


def scores(spec: Spec, case: Case) -> str:
    """Return the scores of a case in words."""
    if len(case.scores) == 1:
        return say("score {n}", n=words.score(case.scores[0]))
    named = (f"{label} {words.score(score)}" for label, score in zip(spec.labels, case.scores, strict=True))
    return say("scores: {list}", list=", ".join(named))


def axis(both: Compared) -> tuple[int, int] | None:
    """Return where two single scores stand on a line around 0, in hundredths of a percent; None without such."""
    if len(both.first.scores) != 1:
        return None
    one = both.first.scores[0]
    other = both.second.scores[0]
    most = max(abs(one), abs(other)) * 5 / 4 or Fraction(1)
    first, second = (round((score / most + 1) * 5000) for score in (one, other))
    return first, second


def _case(opening: Opening, features: Mapping[str, Any], values: tuple[str, ...]) -> Case:
    """Return what the model decides for these details and sensitive values."""
    spec = opening.spec
    model = opening.model
    integers = spec.domain_table[spec.domain_values.index(values)]
    logits = model.logits((*spec.encode(features), *integers))
    unit = 1 << model.logit_fraction_bits
    return Case(values, decide(logits), tuple(Fraction(logit, unit) for logit in logits))


def _differ(one: Case, other: Case) -> tuple[bool, ...]:
    return tuple(a != b for a, b in zip(one.values, other.values, strict=True))
