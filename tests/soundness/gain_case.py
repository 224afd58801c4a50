"""Networks whose gains are known, with evidence written by hand: what an owner would like to state of a gain.

Neurons of the pair are those of the copy with the first row, then those of the other. The column x is 0 at the query,
and the radius is REACH unless given.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from equiproof.certify.branch.evidence import BranchEvidence, Split
from equiproof.certify.gain import GainEvidence
from equiproof.certify.gain.pair import paired
from equiproof.circuits.field import ORDER
from equiproof.circuits.layout import layout
from equiproof.circuits.shape import Shape
from equiproof.circuits.statement import GainStatement
from equiproof.prover.witness.relation import Secrets, fill
from tests.certify.oracle import nearest_flip
from tests.certify.tiny import Case
from tests.soundness.branch_case import REACH, Lie, Place, Told, proven, shape_of
from tests.soundness.cheating_owner import CONTEXT_DIGEST, SPEC_DIGEST, implied
from tests.soundness.composed_lies import net
from tests.support import changed

UNIT_BITS = 10


@dataclass(frozen=True)
class GainLie(Lie):
    """A case whose table is the two rows, and the wires of what would be a false gain."""

    @property
    def is_false(self) -> bool:
        """Whether the query or a point closer than the radius gains less, by all patterns of both copies."""
        stated = implied(self.shape, self.wires)
        assert isinstance(stated, GainStatement)
        half = 1 << (self.shape.sizes.gain_bits - 1)
        gain = stated.least_gain - ORDER if stated.least_gain >= ORDER - half else stated.least_gain
        pair = pair_of(self.case, stated.label, gain)
        nearest = nearest_flip(pair, stated.label)
        # At a distance of 0 it is the query itself, which every radius covers.
        return nearest is not None and (nearest[0] < stated.radius_squared or nearest[0] == 0)


def pair_of(case: Case, label: int, least_gain: int) -> Case:
    """Return the network of two copies that decides a label where each margin gains so much, on its one slice."""
    row = tuple(value for row in case.table for value in row)
    return Case(paired(case.network, case.columns, label, least_gain), case.query, (row,))


def gain_shape_of(case: Case, capacity: int = 2, **options: Any) -> Shape:
    """Return the shape of relation `gain` for a case of two rows."""
    return changed(shape_of(case, capacity, **options), scheme="gain")


def filled(case: Case, least_gain: int, tree: BranchEvidence, capacity: int = 2, **options: Any) -> GainLie:
    """Fill wires with evidence as it is."""
    shape = gain_shape_of(case, capacity, **options)
    blank = GainStatement(0, SPEC_DIGEST, 0, 0, tree.label, tree.radius_squared, CONTEXT_DIGEST, least_gain, UNIT_BITS)
    secrets = Secrets(case.network, 7, case.query, 9, case.table, None)
    return GainLie(case, shape, fill(shape, blank, secrets, GainEvidence(least_gain, tree)))


def shown(
    case: Case, least_gain: int, leaves: tuple[Place, ...] = (), splits: tuple[Split, ...] = (), *,
    told: Told | None = None, reach: int = REACH, label: int = 1, **options: Any,
) -> BranchEvidence:  # fmt: skip
    """Return evidence of a gain with true bounds but for what is told, however far it is from enough.

    Without leaves the tree splits the third neuron, for nothing; what is told is of slice 0.
    """
    pair, shape = pair_of(case, label, least_gain), gain_shape_of(case, **options)
    return proven(pair, leaves, splits, told=told, reach=reach, label=label, shape=shape)


def stated(case: Case, least_gain: int, *leaves: Any, **options: Any) -> GainLie:
    """Fill wires with the evidence of :func:`shown`."""
    known = {name: value for name, value in options.items() if name not in ("told", "reach", "label")}
    return filled(case, least_gain, shown(case, least_gain, *leaves, **options), **known)


def with_leaves_of(lie: GainLie, other: GainLie) -> GainLie:
    """Take what is claimed at the leaves of another witness: all behind the rows of the tree."""
    names = [name for name, _ in layout(lie.shape)]
    for name in names[names.index("digit") + 1 :]:
        lie.wires[name] = other.wires[name]
    return lie


def one(weight: int, moves: int, base: int, rows: tuple[int, int] = (1, 0)) -> Case:
    """Return the case of weight relu(x + moves s + base) + 7 on two rows."""
    return net(rows, (((1, moves), (1, 0), (1, 0)), (base, 100, 0)), (((weight, 0, 0),), (7,)))


RISES = one(1, 45, 0)
"""relu(x + 45) - relu(x) falls towards 25 at -REACH, and is 45 where x is positive."""
LEAST = 26
