"""Tiny seeded gains as filled witnesses."""

from __future__ import annotations

import random
from dataclasses import dataclass, replace
from functools import cache

from equiproof.certify.branch import BranchSearch, branch_search
from equiproof.certify.gain import GainEvidence, gain_at
from equiproof.circuits.branch_layout import shape_parameters
from equiproof.circuits.shape import Shape
from equiproof.circuits.statement import GainStatement
from equiproof.prover.witness.relation import Secrets, fill
from tests.certify.tiny import Case, tiny
from tests.circuits import tiny_cases
from tests.soundness.gain_case import pair_of
from tests.support import changed

HIDDEN = ((2,), (1,), (2, 1), (3,), (1, 2), (1, 1, 1))
CAPACITY = 8


@dataclass(frozen=True)
class Gained:
    """A case whose table is the two rows, and the wires of the relation."""

    case: Case
    shape: Shape
    statement: GainStatement
    wires: dict[str, list[int]]


@cache
def gained(seed: int) -> Gained:
    """Return the first case from a seed on of which a gain below that at the query is shown within a radius above 0."""
    hidden = HIDDEN[seed % len(HIDDEN)]
    while True:
        case = tiny(seed, shapes=(hidden,))
        rng = random.Random(seed)
        seed += 1_000_003
        case = replace(case, table=tuple(rng.sample(case.table, 2)))
        label = rng.randrange(max(2, case.network.logit_count))
        least = gain_at(case.network, case.query, *case.table, label) - rng.choice((0, 1, 5, 40))
        shape = changed(tiny_cases.shape_of(case, CAPACITY), scheme="gain")
        pair = pair_of(case, label, least)
        found = branch_search(
            pair.network,
            pair.query,
            pair.table,
            max_radius_squared=(1 << shape.radius_bits) - 1,
            max_leaves=CAPACITY,
            parameters=shape_parameters(shape),
        )
        if isinstance(found, BranchSearch) and found.radius_squared > 0:
            return _filled(case, shape, GainEvidence(least, found.evidence))


def _filled(case: Case, shape: Shape, evidence: GainEvidence) -> Gained:
    """Fill the wires of the least capacity that holds the evidence."""
    shape = changed(shape, capacity=max(2, 1 << (evidence.size - 1).bit_length()))
    secrets = Secrets(case.network, 5, case.query, 6, case.table, None)
    head = (0, tiny_cases.SPEC_DIGEST, 0, 0, evidence.label, evidence.radius_squared, 22)
    wires = fill(shape, GainStatement(*head, evidence.least_gain, 1), secrets, evidence)
    found = tiny_cases.implied(shape, wires)
    assert isinstance(found, GainStatement)
    return Gained(case, shape, replace(found, least_gain=evidence.least_gain), wires)
