"""BN254's scalar field in galois, and what a comparison means in it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, cast

import galois

from equiproof.circuits.field import ORDER

# 5 generates the field; without the hint galois would factor ORDER - 1.
GF = galois.GF(ORDER, primitive_element=5, verify=False)

Elements = Any
"""An array of field elements."""

Wires = Mapping[str, Elements]
"""Private wires by name, each an array of field elements."""


class RuleError(Exception):
    """Wires that break a rule."""

    def __init__(self, rule: str, where: str, message: str) -> None:
        super().__init__(f"{rule}: {where}: {message}")
        self.rule = rule
        self.where = where


def elements(values: Iterable[int]) -> Elements:
    """Return integers, negative ones too, as field elements."""
    return GF([int(value) % ORDER for value in values])


def residues(values: Elements) -> list[int]:
    """Return the integers of 0 to ORDER - 1 of an array; much faster than to ask element by element."""
    return cast("list[int]", values.tolist())


def centered(value: Elements) -> int:
    """Return the integer of smallest magnitude that an element stands for."""
    residue = int(value)
    return residue if residue <= ORDER // 2 else residue - ORDER


def integers(wires: Wires) -> dict[str, list[int]]:
    """Return the integers of smallest magnitude that wires stand for."""
    return {name: [centered(value) for value in residues(values)] for name, values in wires.items()}


def require_non_negative(rule: str, where: str, value: Elements) -> None:
    """Refuse an element that stands for a negative integer.

    Precondition: the element was computed from range-checked wires, by operations that cannot leave (-2^250, 2^250)
    under the shape. Then it stands for exactly one integer, and the negative ones are in the upper half of the field.
    """
    if centered(value) < 0:
        raise RuleError(rule, where, f"{centered(value)} is negative")


def require_equal(rule: str, where: str, claim: Elements, value: Elements) -> None:
    """Refuse an element that is not the computed one."""
    if int(claim) != int(value):
        raise RuleError(rule, where, f"{centered(claim)} is stated, it is {centered(value)}")
