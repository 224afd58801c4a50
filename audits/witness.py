"""Witnesses: inputs that the model treats otherwise though only sensitive values differ, replayed in exact numbers."""

from __future__ import annotations

import re
from collections.abc import Sequence
from fractions import Fraction

import msgspec

from audits.errors import WitnessError
from certify.network import QuantisedNetwork
from circuits.spec import Spec

_NUMBER = re.compile(r"-?[0-9]+(/0*[1-9][0-9]*)?")
_DIGITS = 4000
"""Python reads no longer integers; a point between grid points has some hundred."""

Assignment = tuple[tuple[str, str], ...]
"""Sensitive features with one value each, in the spec's order."""


class Case(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """One input under one sensitive assignment: the n_x plain columns in grid units, the decision, and the logits.

    Numbers are exact, as the text of an integer or of a fraction "n/d"; `label` is None for a tie.
    """

    inputs: tuple[str, ...]
    sensitive: Assignment
    label: str | None
    logits: tuple[str, ...]


class Witness(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Cases that show together what they are a witness of; `shows` says it in one sentence."""

    shows: str
    cases: tuple[Case, ...]

    def __post_init__(self) -> None:
        """Refuse a witness that has seen nothing."""
        if not self.cases:
            raise ValueError("a witness without cases")

    def replay(self, network: QuantisedNetwork, spec: Spec) -> None:
        """Recompute every case; raises WitnessError where the model gives other logits or another decision."""
        for number, told in enumerate(self.cases, start=1):
            inputs = [_number(text, number) for text in told.inputs]
            slices = [
                index for index, values in enumerate(spec.domain_values) if assignment(spec, values) == told.sensitive
            ]
            if len(slices) != 1 or len(inputs) != spec.plain_columns:
                raise WitnessError(f"case {number}: no input of this spec")
            if case(network, spec, inputs, slices[0]) != told:
                raise WitnessError(f"case {number}: the model decides otherwise")


def assignment(spec: Spec, values: Sequence[str]) -> Assignment:
    """Return raw sensitive values with the names of their features."""
    return tuple((feature.name, value) for feature, value in zip(spec.sensitive_features, values, strict=True))


def case(network: QuantisedNetwork, spec: Spec, inputs: Sequence[int | Fraction], number: int) -> Case:
    """Return what the model makes of n_x plain columns, in grid units, in slice `number` of the sensitive table.

    Fractions between grid points are exact like integers.
    """
    exact = [Fraction(value) for value in inputs]
    whole = [int(value) if value.denominator == 1 else value for value in exact]
    # The network's arithmetic is that of its inputs: additions, products and maxima, exact for fractions, too.
    logits = network.logits([*whole, *spec.domain_table[number]])  # type: ignore[list-item]
    decided = network.decide([*whole, *spec.domain_table[number]])  # type: ignore[list-item]
    return Case(
        inputs=tuple(map(str, whole)),
        sensitive=assignment(spec, spec.domain_values[number]),
        label=None if decided is None else spec.labels[decided],
        logits=tuple(map(str, logits)),
    )


def _number(text: str, number: int) -> Fraction:
    """Read an exact number; raises WitnessError for other text, "1e9" among it: an exponent has no length."""
    if len(text) > _DIGITS or not _NUMBER.fullmatch(text):
        raise WitnessError(f"case {number}: {text[:40]!r} is no number")
    return Fraction(text)
