"""How wide the committed weights of an imported model must be, for a spec that leaves it open.

A declared domain divides each input by its range, so that one wide column (a credit of up to 20,000 beside a sex of 0
or 1) would give all weights of layer 1 its coarse step. What a weight counts for is measured in units of its column.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import msgspec
import numpy as np

from equiproof.certify.models.network import Network
from equiproof.certify.network import QuantisedNetwork
from equiproof.circuits.branch_parameters import WidthError, network_parameters
from equiproof.circuits.spec import Spec

FIRST_BITS = (24, 28, 32)
"""Candidate widths of layer 1's weights, the first that is precise is taken."""

OTHER_BITS = (24, 20, 16)
"""Candidate widths of all other weights; the first that the field holds is taken, as width adds up over layers."""

WEIGHT_PRECISION = 2.0**-10
ROW_PRECISION = 2.0**-12
"""A weight is precise within this part of itself, or within this part of the norm of its neuron's weights."""

SENSITIVE_LOSS = 2.0**-8
"""The most of a sensitive column's weight that may be lost, well below what is refused."""


def widenings(spec: Spec, hidden: Sequence[int]) -> Iterator[Spec]:
    """Yield the spec with the widths to try for hidden layers of these sizes, the narrowest of layer 1 first."""
    for first in FIRST_BITS:
        wider = [msgspec.structs.replace(spec, weight_bits=(first, other)) for other in OTHER_BITS]
        yield next((candidate for candidate in wider if _fits(candidate, hidden)), wider[-1])


def is_precise(network: Network, quantised: QuantisedNetwork, plain: int) -> bool:
    """Return whether every weight of layer 1 is precise, and every sensitive column loses no more than SENSITIVE_LOSS.

    The first `plain` columns are not sensitive.
    """
    weights = network.weights[0]
    committed = np.array(quantised.layers[0].weights, dtype=np.float64) * 2.0 ** -quantised.weight_fraction_bits[0]
    norms = np.linalg.norm(weights, axis=1, keepdims=True)
    # A weight that is tiny beside its neuron's others moves no decision by itself, so it need not be precise itself.
    allowed = np.maximum(WEIGHT_PRECISION * np.abs(weights), ROW_PRECISION * norms)
    loss = np.abs(weights - committed)
    columns = np.s_[:, plain:]
    spared = loss[columns].sum(axis=0) <= SENSITIVE_LOSS * np.abs(weights[columns]).sum(axis=0)
    return bool(np.all(loss <= allowed) and np.all(spared))


def _fits(spec: Spec, hidden: Sequence[int]) -> bool:
    """Return whether a proof can be made for networks of these sizes at all."""
    try:
        network_parameters(spec, hidden)
    except WidthError:
        return False
    return True
