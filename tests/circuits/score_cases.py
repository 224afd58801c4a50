"""Cases of scheme `trees` as filled witnesses, and their sub-circuits' wires."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, cached_property

from equiproof.circuits.shape import Shape
from equiproof.circuits.statement import Statement
from equiproof.circuits.subcircuit import GADGETS, SubCircuit, gadget_scheme, gadget_subjects
from equiproof.prover.witness.score_alone import alone, part
from tests.soundness import additive_told, trees_lies
from tests.soundness.additive_told import Told, stated
from tests.vectors.generate import additive, trees

SCORING = tuple(name for name in GADGETS if gadget_scheme(name) == "trees" and "ball" in gadget_subjects(name))
"""The gadgets of scheme `trees` alone."""

OF_ENSEMBLES = ("nodes", "rows")
"""Those of them that additive models lack."""

OF_LEAVES = ("chain", "rows")
"""Those of them that are about one leaf."""

ADDITIVE = tuple(truth for truths in additive.TRUTHS.values() for truth in truths)
ENSEMBLES = tuple(truth for truths in trees.TRUTHS.values() for truth in truths)
"""The honest witnesses that the lies about the relations change."""

LIES: dict[str, Callable[[str], Told]] = dict.fromkeys(additive_told.LIES, additive_told.told)
LIES |= {f"{name}, of an ensemble": lambda name: trees_lies.told(name.partition(",")[0]) for name in trees_lies.LIES}
"""By name: what tells each lie about the relations."""


def docstring(name: str) -> str:
    """Return what a lie is, in words."""
    words, _, of_ensemble = name.partition(",")
    change = trees_lies.LIES[words][2] if of_ensemble else additive_told.LIES[words][2]
    return (change.__doc__ or "").partition("\n")[0].removesuffix(".")


@dataclass(frozen=True)
class Scored:
    """The wires of a relation of scheme `trees`, which may lie."""

    told: Told

    @property
    def shape(self) -> Shape:
        """The shape of the relation."""
        return self.told.shape

    @cached_property
    def statement(self) -> Statement:
        """What the wires state."""
        return stated(self.shape, self.told.wires)

    @cached_property
    def statement_digest(self) -> int:
        """The public input of the relation."""
        return self.statement.digest(self.shape)

    def alone(self, circuit: SubCircuit, number: int, blinding: int = 99) -> dict[str, list[int]]:
        """Return the wires of a sub-circuit at one leaf."""
        wires, statement = self.told.wires, self.statement
        names = ("model_commitment", "spec_digest", "domain_digest", "query_commitment", "context_digest")
        pool = {
            **wires,
            **alone(self.shape, wires, number),
            **{name: [getattr(statement, name)] for name in names},
            "blinding": [blinding],
            "statement_digest": [self.statement_digest],
            "radii": wires["radius_squared"] * self.shape.slices,
        }
        return {segment.name: part(pool, segment.name, len(segment.intervals), number) for segment in circuit.segments}


def scored(gadget: str, seed: int) -> Scored:
    """Return a seed's honest witness of a relation that has a gadget of scheme `trees`."""
    truths = ENSEMBLES if gadget in OF_ENSEMBLES else (*ADDITIVE, *ENSEMBLES)
    return _honest(truths[seed % len(truths)])


@cache
def _honest(truth: Callable[[], Told]) -> Scored:
    """Return an honest witness, filled once."""
    return Scored(truth())


def leaves(circuit: SubCircuit) -> int:
    """Return how many leaves a gadget can be proven of; 1 where it is about no single one."""
    return circuit.shape.capacity if circuit.gadget in OF_LEAVES else 1
