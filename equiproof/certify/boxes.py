"""Whether a model of any class decides everybody in a box alike: one question, whatever evidence the class needs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from equiproof.certify.additive import AdditiveModel
from equiproof.certify.branch.box_search import decide_on_box
from equiproof.certify.branch.budget import MAX_WORK, Meter
from equiproof.certify.branch.evidence import BranchEvidence
from equiproof.certify.ensemble import EnsembleModel
from equiproof.certify.network import QuantisedNetwork
from equiproof.certify.people import Box
from equiproof.certify.polytope import margin_signs
from equiproof.certify.trees.box import Worst, worst
from equiproof.certify.trees.box_leaves import box_leaves
from equiproof.certify.trees.ensemble_evidence import EnsembleEvidence
from equiproof.circuits.branch_parameters import Parameters, box_parameters
from equiproof.circuits.schemes import leaves_of_boxes
from equiproof.circuits.spec import Spec

Model = QuantisedNetwork | AdditiveModel | EnsembleModel


class BoxRoom(NamedTuple):
    """What a key of boxes holds: K leaves; of an ensemble V slots and A rows; of a network its roundings and widths."""

    capacity: int
    slots: int = 0
    rows: int = 0
    parameters: Parameters | None = None


_ROOM_OF_TREES = BoxRoom(64, 1 << 16, 1 << 16)
"""The room of a search for an ensemble without a key: any number of slots and rows, and leaves as a large key has."""


def room_without_key(model: Model, spec: Spec) -> BoxRoom:
    """Return the room of a search without a key: that of a key that `setup --box` makes, or more.

    Raises WidthError for a network whose boxes no circuit holds.
    """
    if not isinstance(model, QuantisedNetwork):
        return _ROOM_OF_TREES
    return BoxRoom(leaves_of_boxes(len(spec.domain_table)), parameters=box_parameters(spec, model.hidden))


@dataclass(frozen=True)
class Decided:
    """Whether a label is decided on a box.

    `wrong` is somebody who is decided otherwise, where somebody is known. Else `lacking` names what does not suffice:
    "leaves", "slots" or "rows" of the room, of which `needed` would at least, or the "time" or "digits" of the search.
    Where neither is there it is decided, and `leaves` are the evidence, of an additive model none.
    """

    leaves: EnsembleEvidence | BranchEvidence | None = field(default=None, repr=False)
    wrong: Worst | None = None
    lacking: str | None = None
    needed: int = 0

    @property
    def holds(self) -> bool:
        """Whether everybody in the box is decided so, as far as is known."""
        return self.wrong is None and self.lacking is None


def decide_box(
    model: Model,
    box: Box,
    table: Sequence[Sequence[int]],
    label: int,
    room: BoxRoom,
    seconds: float | None = None,
) -> Decided:
    """Return whether a model decides a label on a box for all rows of a table (S, n_s), with evidence for the room.

    Without `seconds` work is limited. Raises BoxError for an open category of whose values an ensemble asks sets.
    """
    if isinstance(model, AdditiveModel):
        found = worst(model, box, table, label)
        return Decided() if found.decided else Decided(wrong=found)
    if isinstance(model, EnsembleModel):
        milliseconds = None if seconds is None else max(1, int(1e3 * seconds))
        leaves = box_leaves(model, box, table, label, (room.capacity, room.slots, room.rows), milliseconds)
        if isinstance(leaves, EnsembleEvidence):
            return Decided(leaves)
        if leaves.point is not None and leaves.row is not None:
            return Decided(
                wrong=Worst((2 * label - 1) * model.score((*leaves.point, *leaves.row)), leaves.point, leaves.row)
            )
        return Decided(lacking=leaves.reason, needed=leaves.needed)
    if room.parameters is None:
        raise TypeError("a network's boxes have the parameters of their shape")
    meter = Meter(seconds, MAX_WORK)
    tree = decide_on_box(room.parameters, model, box, table, label, room.capacity, meter)
    if isinstance(tree, BranchEvidence):
        return Decided(tree)
    if tree.point is not None and tree.row is not None:
        return Decided(wrong=Worst(margin(model, label, (*tree.point, *tree.row)), tree.point, tree.row))
    return Decided(lacking=tree.ended or "digits", needed=room.capacity + 1)


def margin(model: Model, label: int, inputs: Sequence[int]) -> int:
    """Return the least margin of a label at n_x + n_s integers: at least 1 where it is decided strictly."""
    if not isinstance(model, QuantisedNetwork):
        return (2 * label - 1) * model.score(inputs)
    logits = model.logits(inputs)
    return min(sum(s * z for s, z in zip(signs, logits, strict=True)) for signs in margin_signs(len(logits), label))
