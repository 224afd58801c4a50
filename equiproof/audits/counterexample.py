"""Counterexamples: inputs that differ in sensitive values and are decided differently, replayed in exact numbers."""

from __future__ import annotations

import re
from collections.abc import Sequence
from fractions import Fraction

import msgspec

from equiproof.audits.errors import CounterexampleError
from equiproof.certify.ensemble import ScoredModel
from equiproof.certify.many.point import Assignment
from equiproof.certify.network import QuantisedNetwork
from equiproof.certify.padding import without_columns
from equiproof.circuits.spec import Spec

_NUMBER = re.compile(r"-?[0-9]+(/0*[1-9][0-9]*)?")
_DIGITS = 4000
"""Python's default limit for reading integers is slightly higher; a point between grid points has about a hundred."""


class DecidedInput(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """One case of a counterexample: the n_x plain columns in grid units, the sensitive values, decision and logits.

    Numbers are exact, as the text of an integer or of a fraction "n/d"; `label` is None for a tie.
    """

    inputs: tuple[str, ...]
    sensitive: Assignment
    label: str | None
    logits: tuple[str, ...]


class Counterexample(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Decided inputs that together refute fairness; `shows` is one sentence on what they show. In JSON: `witness`."""

    shows: str
    cases: tuple[DecidedInput, ...]

    def __post_init__(self) -> None:
        """Raise ValueError for a counterexample without cases."""
        if not self.cases:
            raise ValueError("a counterexample without cases")

    def replay(self, network: QuantisedNetwork | ScoredModel, spec: Spec) -> None:
        """Recompute every case; raises CounterexampleError if the model gives other logits or another decision.

        Network and spec may be padded: cases have no columns of the padding.
        """
        if isinstance(network, QuantisedNetwork):
            network, spec = without_columns(network, spec)
        for number, stated in enumerate(self.cases, start=1):
            inputs = [_number(text, number) for text in stated.inputs]
            slices = [
                index for index, values in enumerate(spec.domain_values) if assignment(spec, values) == stated.sensitive
            ]
            if len(slices) != 1 or len(inputs) != spec.plain_columns:
                raise CounterexampleError(f"case {number}: not an input of this spec")
            if decided_input(network, spec, inputs, slices[0]) != stated:
                raise CounterexampleError(f"case {number}: the model decides otherwise")


def assignment(spec: Spec, values: Sequence[str]) -> Assignment:
    """Return raw sensitive values with the names of their features."""
    return tuple((feature.name, value) for feature, value in zip(spec.sensitive_features, values, strict=True))


def decided_input(
    network: QuantisedNetwork | ScoredModel, spec: Spec, inputs: Sequence[int | Fraction], number: int
) -> DecidedInput:
    """Return logits and decision for n_x plain columns, in grid units, in slice `number` of the sensitive table.

    Fractions between grid points are exact like integers.
    """
    exact = [Fraction(value) for value in inputs]
    whole = [int(value) if value.denominator == 1 else value for value in exact]
    # A model only adds, multiplies, compares and takes maxima, so fractions stay exact.
    logits = network.logits([*whole, *spec.domain_table[number]])  # type: ignore[list-item]
    decided = network.decide([*whole, *spec.domain_table[number]])  # type: ignore[list-item]
    return DecidedInput(
        inputs=tuple(map(str, whole)),
        sensitive=assignment(spec, spec.domain_values[number]),
        label=None if decided is None else spec.labels[decided],
        logits=tuple(map(str, logits)),
    )


def _number(text: str, number: int) -> Fraction:
    """Read an exact number; raises CounterexampleError for any other text.

    Exponents such as "1e9" are refused: a short text could stand for a number of any length.
    """
    if len(text) > _DIGITS or not _NUMBER.fullmatch(text):
        raise CounterexampleError(f"case {number}: {text[:40]!r} is not an exact number")
    return Fraction(text)
