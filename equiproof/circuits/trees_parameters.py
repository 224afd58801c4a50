"""The parameters of a shape of an ensemble; mirrors go-gnark/shape/trees.go.

All follow from the shape. Values of rows and charges have q fractional bits; lambda has q + r = radius_bits, so that
lambda = 1 never decides a leaf that lambda = 0 proves.
"""

from __future__ import annotations

from dataclasses import dataclass

from equiproof.circuits.additive_parameters import multiplier_width
from equiproof.circuits.branch_parameters import FIELD_BITS, WidthError
from equiproof.circuits.shape import Shape
from equiproof.circuits.spec import JUMP_BITS, SCORE_BIAS_BITS

VALUE_BITS = 4
"""q, the fractional bits of the values of rows and of their charges."""


@dataclass(frozen=True)
class TreesParameters:
    """q + r and r, and the widths of lambda, charges (unsigned), values, sums of charges and levels (magnitudes).

    `gain_bits` is the signed width of what the values of a category add in a box: its least one has room for the
    negative of all that there is besides.
    """

    scale: int
    charge_scale: int
    multiplier_bits: int
    charge_bits: int
    value_bits: int
    charged_bits: int
    level_bits: int
    gain_bits: int

    @classmethod
    def of(cls, shape: Shape) -> TreesParameters:
        """Return the parameters of a shape; raises WidthError where its values could exceed the field."""
        predicates = shape.architecture.predicate_counts
        trees, _ = shape.architecture.node_counts
        radius_bits = shape.radius_bits
        count = sum(predicates)
        multiplier_bits = ensemble_multiplier_width(count, trees, radius_bits)
        slots = shape.slot_count + predicates[1]
        # In units of the largest jump: the bias, jumps and steps, values of rows and of constant trees, and two of each
        # row's loss and charge.
        every = (1 << (SCORE_BIAS_BITS - JUMP_BITS)) + count + shape.slot_count + trees + 5 * shape.row_count
        # A slot's charges are at most those of all rows; a level is steps, charges, and lambda times one squared gap.
        charged = shape.row_count << (JUMP_BITS + VALUE_BITS)
        level = slots << (radius_bits + JUMP_BITS)
        level += slots * (charged << (radius_bits - VALUE_BITS)) + (1 << (multiplier_bits + 2 * shape.input_bits))
        base = (1 << (SCORE_BIAS_BITS - 1)) + ((count + trees) << JUMP_BITS)
        closing = (base << radius_bits) + slots * level + (1 << (multiplier_bits + radius_bits))
        closing += charged << (radius_bits - VALUE_BITS + 1)
        if (wide := (4 * closing).bit_length()) > FIELD_BITS:
            raise WidthError(f"leaves: sums of levels take {wide} bits, the field holds {FIELD_BITS}")
        return cls(
            scale=radius_bits,
            charge_scale=radius_bits - VALUE_BITS,
            multiplier_bits=multiplier_bits,
            charge_bits=JUMP_BITS + VALUE_BITS,
            value_bits=JUMP_BITS + VALUE_BITS,
            charged_bits=charged.bit_length(),
            level_bits=level.bit_length(),
            gain_bits=JUMP_BITS + VALUE_BITS + every.bit_length(),
        )


def ensemble_multiplier_width(predicates: int, trees: int, radius_bits: int) -> int:
    """Return the unsigned width of lambda; the largest one outweighs all predicates and trees together.

    A tree changes the score by as much as two jumps do, from the least to the largest leaf.
    """
    return multiplier_width(predicates + 2 * trees, radius_bits)
