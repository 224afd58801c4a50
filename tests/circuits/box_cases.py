"""Witnesses about boxes, which may lie, and the wires of their sub-circuits."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache

from equiproof.circuits.shape import Shape
from equiproof.circuits.statement import BoxStatement
from equiproof.circuits.subcircuit import GADGETS, SubCircuit, gadget_scheme, gadget_subjects
from equiproof.prover.witness.box_alone import BY_LEAF, BY_SLICE, values
from tests.soundness import box_branch_lies, box_lies, box_trees_lies, box_values_lies
from tests.soundness.box_told import Told, stated
from tests.vectors.generate import box

ON_BOXES = tuple(name for name in GADGETS if gadget_subjects(name) == ("box",))
"""The gadgets that statements about balls lack."""

TRUTHS = tuple(truth for truths in box.TRUTHS.values() for truth in truths)
"""The honest witnesses that the lies about the relations change."""

LIES: dict[str, Callable[[str], Told]] = {name: telling for lies, telling in box.REGISTERS for name in lies}
"""By name: what tells each lie about the relations."""


def docstring(name: str) -> str:
    """Return what a lie is, in words."""
    register = next(lies for lies, _ in box.REGISTERS if name in lies)
    return (register[name][2].__doc__ or "").partition("\n")[0].removesuffix(".")


@dataclass(frozen=True)
class OnBox:
    """The wires of a relation of boxes, which may lie."""

    told: Told

    @property
    def shape(self) -> Shape:
        """The shape of the relation."""
        return self.told.shape

    @property
    def statement(self) -> BoxStatement:
        """What the wires state."""
        return stated(self.shape, self.told.wires)

    def alone(self, circuit: SubCircuit, number: int, blinding: int = 99) -> dict[str, list[int]]:
        """Return the wires of a sub-circuit at one slice or leaf; what is stated is the statement of the witness."""
        wires = values(circuit, self.told.wires, self.statement, number, blinding)
        return {**wires, "statement_digest": [self.told.public]} if "statement_digest" in wires else dict(wires)


def honest(gadget: str, seed: int) -> OnBox:
    """Return a seed's honest witness of a relation that has a gadget of boxes alone."""
    if gadget_scheme(gadget) == "branch":
        truths: tuple[Callable[[], Told], ...] = tuple(
            truth for some in box_branch_lies.TRUTHS.values() for truth in some
        )
    elif gadget in ("levels", "gains"):
        truths = box_lies.TRUTHS
    else:
        trees = (*box_trees_lies.TRUTHS.values(), *box_values_lies.TRUTHS.values())
        truths = (*box_lies.TRUTHS, *(truth for some in trees for truth in some))
    return _honest(truths[seed % len(truths)])


@cache
def _honest(truth: Callable[[], Told]) -> OnBox:
    """Return an honest witness, filled once."""
    return OnBox(truth())


def places(circuit: SubCircuit) -> int:
    """Return how many slices or leaves a gadget can be proven of; 1 where it is about no single one."""
    if circuit.gadget in BY_SLICE:
        return circuit.shape.slices
    return circuit.shape.capacity if circuit.gadget in BY_LEAF else 1
