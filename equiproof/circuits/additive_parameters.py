"""The parameters of a shape of an additive model; mirrors go-gnark/shape/additive.go.

All follow from the shape. With r = radius_bits, lambda = 1 never decides a leaf that lambda = 0 proves: lambda times a
distance below the radius, and lambda R2, are then below 2^r. The largest lambda makes any crossing cost more than all
predicates together can change the score, so that its width never refuses a leaf that any lambda would prove.
"""

from __future__ import annotations

from dataclasses import dataclass

from equiproof.circuits.branch_parameters import FIELD_BITS, WidthError
from equiproof.circuits.shape import Shape
from equiproof.circuits.spec import JUMP_BITS, SCORE_BIAS_BITS, Spec


@dataclass(frozen=True)
class AdditiveParameters:
    """r, and the widths of lambda (unsigned), of the worst slice's sum (signed) and of levels (their magnitude)."""

    scale: int
    multiplier_bits: int
    worst_bits: int
    level_bits: int

    @classmethod
    def of(cls, shape: Shape) -> AdditiveParameters:
        """Return the parameters of a shape; raises WidthError where its values could exceed the field."""
        return derive(shape.architecture.predicate_counts, shape.slot_count, shape.input_bits, shape.radius_bits)


def multiplier_width(predicates: int, radius_bits: int) -> int:
    """Return the unsigned width of lambda for a model of so many predicates, with r = radius_bits."""
    return radius_bits + JUMP_BITS + predicates.bit_length()


def derive(predicates: tuple[int, int], slots: int, input_bits: int, radius_bits: int) -> AdditiveParameters:
    """Return the parameters of a model with P_x and P_s predicates, V slots and these widths.

    Raises WidthError where values could exceed the field, naming them.
    """
    multiplier_bits = multiplier_width(sum(predicates), radius_bits)
    # A level is steps at scale 2^r and lambda times at most one squared gap.
    steps = slots << (radius_bits + JUMP_BITS - 1)
    level = steps + (1 << (multiplier_bits + 2 * input_bits))
    # n jumps add up to at most n 2^(JUMP_BITS - 1) in magnitude, and n is below 2 to the power of its bit length.
    worst_bits = JUMP_BITS + predicates[1].bit_length()
    base = (1 << (SCORE_BIAS_BITS - 1)) + (sum(predicates) << (JUMP_BITS - 1)) + (1 << (worst_bits - 1))
    closing = (base << radius_bits) + slots * level + (1 << (multiplier_bits + radius_bits))
    if (wide := (4 * closing).bit_length()) > FIELD_BITS:
        raise WidthError(f"leaves: sums of levels take {wide} bits, the field holds {FIELD_BITS}")
    return AdditiveParameters(radius_bits, multiplier_bits, worst_bits, level.bit_length())


def spec_parameters(spec: Spec, predicates: tuple[int, int], slots: int) -> AdditiveParameters:
    """Return the parameters of a model with P_x and P_s predicates and V slots under a spec; raises as derive."""
    return derive(predicates, slots, spec.input_bits, spec.max_radius_squared.bit_length())
