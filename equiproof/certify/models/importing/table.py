"""The maps of a ColumnTransformer from named numbers to its outputs, with all its transformers side by side.

The numbers are those that a spec's columns stand for in raw units: a number itself or its logarithm, of a ranked
category the rank of its value, and 0 or 1 for each value of a one-hot category. Which category has which values, and in
which order, is kept for the binding to a spec.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction

from equiproof.certify.models.importing.chain import Affine, identity
from equiproof.certify.models.importing.curves import Curve, Curves, FrontStep, outputs_of
from equiproof.certify.models.importing.errors import ModelImportError, shown
from equiproof.certify.models.importing.imputers import Fills

_WHERE = "the ColumnTransformer"


@dataclass
class Table:
    """The maps from named numbers to the outputs of a ColumnTransformer, and the raw columns behind the names.

    `ranked` and `one_hot` have the values of categories, in the encoder's order, by column; `logarithms` has by the
    name of a number the column that it is the logarithm of, and the offset. `blocks` has each transformer's steps, the
    first of which is affine, and the places of its inputs among `names`. `fills` says what missing values become.
    """

    names: list[str] = field(default_factory=list)
    blocks: list[tuple[list[int], list[FrontStep]]] = field(default_factory=list)
    ranked: dict[str, tuple[str, ...]] = field(default_factory=dict)
    one_hot: dict[str, tuple[str, ...]] = field(default_factory=dict)
    logarithms: dict[str, tuple[str, str]] = field(default_factory=dict)
    fills: Fills = field(default_factory=Fills)

    def add(self, names: Sequence[str], steps: list[FrontStep]) -> None:
        """Add one transformer, whose inputs have these names."""
        for name in names:
            if name not in self.names:
                self.names.append(name)
        self.blocks.append(([self.names.index(name) for name in names], steps))

    def steps(self) -> list[FrontStep]:
        """Return the maps, the first one first; a transformer that has no step of the kind passes its numbers on."""
        waiting = [list(steps) for _, steps in self.blocks]
        widths = [0] * len(waiting)
        levels: list[FrontStep] = []
        while any(waiting):
            # Curves wait until no transformer has an affine step before them.
            affine = any(some and isinstance(some[0], Affine) for some in waiting)
            own = [some.pop(0) if some and isinstance(some[0], Affine) == affine else None for some in waiting]
            levels.append(self._affine(own, widths, first=not levels) if affine else _curves(own, widths))
            widths = [width if step is None else outputs_of(step) for step, width in zip(own, widths, strict=True)]
        return levels

    def _affine(self, own: Sequence[FrontStep | None], widths: Sequence[int], *, first: bool) -> Affine:
        """Return what all transformers do in one affine step."""
        rows: list[Mapping[int, Fraction]] = []
        biases: list[Fraction] = []
        inputs = 0
        for (places, _), part, width in zip(self.blocks, own, widths, strict=True):
            step = part if isinstance(part, Affine) else identity(width, _WHERE)
            # The first step reads the named numbers, which several transformers may share; later ones read their own.
            taken = places if first else range(inputs, inputs + step.inputs)
            rows += [{taken[column]: weight for column, weight in row.items()} for row in step.rows]
            biases += step.biases
            inputs += step.inputs
        return Affine(len(self.names) if first else inputs, tuple(rows), tuple(biases), _WHERE)


def _curves(own: Sequence[FrontStep | None], widths: Sequence[int]) -> Curves:
    """Return what all transformers do in one step of curves."""
    functions: list[Curve | None] = []
    named: Curves | None = None
    for step, width in zip(own, widths, strict=True):
        functions += step.functions if isinstance(step, Curves) else [None] * width
        named = named or (step if isinstance(step, Curves) else None)
    where, remedy = (named.where, named.remedy) if named else (_WHERE, "")
    return Curves(tuple(functions), where, remedy)


def refuse_two_ways(table: Table, where: str) -> None:
    """Raise ModelImportError for a column that is encoded in two ways, or taken as it is and as its logarithm too."""
    logged = [column for column, _ in table.logarithms.values()]
    ways = [*table.ranked, *table.one_hot, *dict.fromkeys(table.logarithms.values())]
    names = [way if isinstance(way, str) else way[0] for way in ways]
    both = [name for number, name in enumerate(names) if name in names[:number]]
    if both := both or [column for column in logged if column in table.names]:
        raise ModelImportError(f"{where}: column {shown(both[0])!r} is encoded in two ways; a spec has one of them")
