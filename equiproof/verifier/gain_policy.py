"""Policies about gain certificates: how large the gain must be, and what must be compared."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from types import MappingProxyType
from typing import ClassVar

from equiproof.circuits.assignments import row_of
from equiproof.circuits.commitment import pair_digest
from equiproof.circuits.names import quoted
from equiproof.circuits.spec import SpecError, decimal
from equiproof.circuits.statement import GainStatement
from equiproof.circuits.tables import say
from equiproof.circuits.text import plain
from equiproof.verifier.errors import PolicyError
from equiproof.verifier.facts import ABOUT_GAIN, ABOUT_GAIN_OF, Facts
from equiproof.verifier.gain import gain_text, values_in_words

__all__ = [
    "GainOf",
    "MinGain",
]


@dataclass(frozen=True)
class MinGain:
    """Require a gain of at least `gain` log odds, as exact decimal text; SpecError for other text.

    `0` requires that the first values are never worse. A gain below 0 is the most that they may lose.
    """

    gain: str
    covers: ClassVar[frozenset[str]] = frozenset({ABOUT_GAIN})
    reason: ClassVar[str] = "gain-too-small"

    def __post_init__(self) -> None:
        """Refuse text that is not a decimal number."""
        decimal(self.gain, "minimum gain")

    def check(self, facts: Facts) -> tuple[str, ...]:
        """Compare exactly, not with the rounded text."""
        statement = about_a_gain(facts)
        exact = Fraction(statement.least_gain, 1 << statement.logit_fraction_bits)
        if exact < decimal(self.gain, "minimum gain"):
            shown = gain_text(statement.least_gain, statement.logit_fraction_bits)
            raise PolicyError(say("policy.gain_too_small", stated=shown, required=self.gain), self.reason)
        return (say("checked.gain", gain=self.gain),)


@dataclass(frozen=True)
class GainOf:
    """Require that the gain is in this label, by name, with the values `first` in place of `second`.

    Both name a value of each sensitive feature.
    """

    label: str
    first: Mapping[str, str]
    second: Mapping[str, str]
    covers: ClassVar[frozenset[str]] = frozenset({ABOUT_GAIN_OF})
    reason: ClassVar[str] = "other-gain"

    def __post_init__(self) -> None:
        """Keep copies that cannot be changed."""
        object.__setattr__(self, "first", MappingProxyType(dict(self.first)))
        object.__setattr__(self, "second", MappingProxyType(dict(self.second)))

    def __reduce__(self) -> tuple[type[GainOf], tuple[str, dict[str, str], dict[str, str]]]:
        """Support pickling, which a mapping proxy does not."""
        return GainOf, (self.label, dict(self.first), dict(self.second))

    def check(self, facts: Facts) -> tuple[str, ...]:
        """Compare the label's name, and the digest of the two rows."""
        statement = about_a_gain(facts)
        spec = facts.spec
        if spec.labels[statement.label] != self.label:
            raise PolicyError(
                say(
                    "policy.gain_label_differs",
                    stated=quoted(spec.labels[statement.label]),
                    required=repr(plain(self.label)[:40]),
                ),
                self.reason,
            )
        try:
            rows = row_of(spec, self.first), row_of(spec, self.second)
        except SpecError as error:
            raise PolicyError(say("policy.gain_values_unknown", problem=plain(str(error))), self.reason) from None
        if pair_digest(spec, *rows) != statement.domain_digest:
            raise PolicyError(
                say(
                    "policy.gain_values_differ", first=values_in_words(self.first), second=values_in_words(self.second)
                ),
                self.reason,
            )
        return (say("checked.gain_subject", subject=quoted(self.label)),)


def about_a_gain(facts: Facts) -> GainStatement:
    """Return the statement; raises TypeError for one about a decision, of which no gain can be required."""
    if not isinstance(facts.statement, GainStatement):
        raise TypeError(say("policy.gain_policy_elsewhere"))
    return facts.statement
