"""Tiny seeded cases of scheme `branch` as filled witnesses, and their sub-circuits' wires."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cache, cached_property
from itertools import product

from equiproof.certify.branch import BranchEvidence, BranchSearch, branch_search
from equiproof.circuits.branch_layout import shape_parameters
from equiproof.circuits.shape import Shape, least_capacity
from equiproof.circuits.statement import Statement
from equiproof.circuits.subcircuit import GADGETS, SubCircuit, gadget_scheme, gadgets_of
from equiproof.prover.witness.relation import Secrets, fill
from equiproof.prover.witness.subcircuit import BranchPlaces
from tests.certify.branch.cases import wide
from tests.certify.tiny import Case, boxed, tiny
from tests.circuits import box_cases, score_cases, tiny_cases
from tests.support import changed

HIDDEN = ((2,), (1,), (2, 1), (3,), (1, 2), (2, 2), (1, 1, 1), (2, 1, 1, 2, 1), (2,), (1,), (2,))
COARSE = (8, 9)
"""The places of the cases whose shape has weights of 57 bits, so that final coefficients are rounded."""

MANY_SLICES = 10
"""The place of the case with so many slices that leaves look up the lines of theirs."""

PASSED = (1, 47, 30, 12, 7, 7, 18, 1, 3, 3, 16, 26, 33, 11, 3, 5, 0, 26, 60, 14)
PASSED_INSIDE = (1, 5, 30, 3, 0, 1, 18, 1, 3, 3, 16, 0, 15, 11, 3, 5, 0, 26, 60, 6)
"""By seed: after how many others the first case follows that has what is asked for. Those are not searched again."""

MAX_CAPACITY = 16

BRANCHING = tuple(name for name in GADGETS if gadget_scheme(name) == "branch" and name not in box_cases.ON_BOXES)
"""The gadgets of scheme `branch` alone."""


@dataclass(frozen=True)
class Branched:
    """A case with the evidence of its search, and the wires of its relation."""

    case: Case
    shape: Shape
    secrets: Secrets
    evidence: BranchEvidence
    statement: Statement
    wires: dict[str, list[int]]

    def alone(self, circuit: SubCircuit, number: int, blinding: int = 99) -> dict[str, list[int]]:
        """Return the wires of a sub-circuit of one slice or leaf."""
        return self.searched.values(circuit, number, blinding)

    @cached_property
    def searched(self) -> BranchPlaces:
        """The same as the prover holds it."""
        return BranchPlaces(self.shape, self.statement, self.secrets, self.evidence)


def places(circuit: SubCircuit) -> int:
    """Return how many regions, slices or leaves a gadget can be proven of."""
    if circuit.shape.boxes:
        return box_cases.places(circuit)
    by_slice = ("inference", "first_bounds", "relaxation", "bounds")
    return circuit.shape.slices if circuit.gadget in by_slice else circuit.shape.capacity


def having(gadget: str, seed: int) -> tiny_cases.Filled | Branched | score_cases.Scored | box_cases.OnBox:
    """Return a seed's case of the scheme that a gadget is of; where it has no such gadget, another seed's."""
    if gadget in box_cases.ON_BOXES:
        return box_cases.honest(gadget, seed)
    if gadget in score_cases.SCORING:
        return score_cases.scored(gadget, seed)
    if gadget not in BRANCHING:
        return tiny_cases.filled(seed)
    while gadget not in gadgets_of(branched(seed).shape):
        seed += 1
    return branched(seed)


def kept(seed: int) -> Branched:
    """Return such a case as :func:`branched` whose neighbors are kept to ranges."""
    return branched(seed, inside=True)


@cache
def branched(seed: int, *, inside: bool = False) -> Branched:
    """Return the first case from a seed on that has a tree with a split of its own and few leaves.

    Weights of deep networks are as wide as real ones: coefficients over hidden neurons are rounded there. `inside`:
    neighbors are kept to ranges.
    """
    kind = seed % len(HIDDEN)
    make = wide if kind in COARSE or len(HIDDEN[kind]) > 2 else tiny
    passed = PASSED_INSIDE if inside else PASSED
    seed += 1_000_003 * (passed[seed] if seed < len(passed) else 0)
    while True:
        case = make(seed, shapes=(HIDDEN[kind],))
        seed += 1_000_003
        if kind == MANY_SLICES:
            rows = {row[:1] * len(row) for row in product(range(-2, 3), repeat=len(case.table[0]))}
            case = replace(case, table=tuple(sorted(rows)))
        shape = changed(tiny_cases.shape_of(case, MAX_CAPACITY, 57 if kind in COARSE else 16), scheme="branch")
        if inside:
            case, shape = boxed(seed, case, shape.input_bits), changed(shape, scheme="branch-ranges")
        found = branch_search(
            case.network,
            case.query,
            case.table,
            max_radius_squared=(1 << shape.radius_bits) - 1,
            max_leaves=MAX_CAPACITY,
            parameters=shape_parameters(shape),
            box=case.box,
        )
        if isinstance(found, BranchSearch) and found.leaves > shape.slices + 1 and found.radius_squared > 0:
            return _branched(case, shape, found.evidence)


def _branched(case: Case, shape: Shape, evidence: BranchEvidence) -> Branched:
    capacity = max(least_capacity("branch", shape.slices), 1 << (len(evidence.leaves) - 1).bit_length())
    shape = changed(shape, capacity=capacity)
    secrets = Secrets(case.network, 5, case.query, 6, case.table, case.box)
    blank = Statement(0, tiny_cases.SPEC_DIGEST, 0, 0, evidence.label, evidence.radius_squared, 22)
    wires = fill(shape, blank, secrets, evidence)
    return Branched(case, shape, secrets, evidence, tiny_cases.implied(shape, wires), wires)
