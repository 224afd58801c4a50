"""The scale of multipliers: a leaf's lambda counts score per squared grid unit in units of 2^-r."""

from __future__ import annotations

from typing import NamedTuple

from equiproof.certify.additive import AdditiveModel
from equiproof.certify.ensemble import EnsembleModel
from equiproof.circuits.additive_parameters import multiplier_width
from equiproof.circuits.spec import JUMP_BITS
from equiproof.circuits.trees_parameters import VALUE_BITS, ensemble_multiplier_width


class Scale(NamedTuple):
    """`fraction_bits` is r, `multiplier_bits` the unsigned width of lambda, `radius_bits` that of a squared radius."""

    fraction_bits: int
    multiplier_bits: int
    radius_bits: int


def scale_of(model: AdditiveModel) -> Scale:
    """Return the scale of a model's multipliers.

    A squared radius has at most 2 f_x + 9 bits, those of eps = 16. With r as many fractional bits, lambda = 1 takes
    less than one unit of the score off a bound. The largest lambda outweighs all jumps together within one unit of
    squared distance, so that the width limits no proof.
    """
    radius_bits = 2 * model.input_fraction_bits + 9
    return Scale(radius_bits, multiplier_width(len(model.columns), radius_bits), radius_bits)


class EnsembleScale(NamedTuple):
    """The scale of evidence about an ensemble: values and charges have `value_bits` = q, lambda q + `fraction_bits`.

    `charge_bits` is the unsigned width of a charge; the others are those of :class:`Scale`.
    """

    fraction_bits: int
    value_bits: int
    multiplier_bits: int
    radius_bits: int

    @property
    def charge_bits(self) -> int:
        """A charge is at most the difference of two leaves."""
        return JUMP_BITS + self.value_bits


def ensemble_scale(model: EnsembleModel) -> EnsembleScale:
    """Return the scale of evidence about an ensemble.

    The largest lambda outweighs all jumps and trees together within one unit of squared distance, as in
    :func:`scale_of`.
    """
    radius_bits = 2 * model.input_fraction_bits + 9
    own = ensemble_multiplier_width(len(model.additive.columns), model.nodes.roots, radius_bits)
    return EnsembleScale(radius_bits - VALUE_BITS, VALUE_BITS, own, radius_bits)
