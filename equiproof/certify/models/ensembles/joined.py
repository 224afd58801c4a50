"""Trees that ask an encoder's column for all rare values: they ask for each of these values in turn.

The column of an encoder that joins rare values is 1 where a row has any one of them. A split on it becomes a chain of
splits on the values' own columns, and what stands on the side of the joined values is repeated for each.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from fractions import Fraction
from typing import NamedTuple

from equiproof.certify.models.ensembles.compared import computed
from equiproof.certify.models.ensembles.ensemble import MAX_NODES, Ensemble, Map, Split, Tree
from equiproof.certify.models.ensembles.fronts import carried
from equiproof.certify.models.ensembles.rays import cast
from equiproof.certify.models.importing.chain import Affine
from equiproof.certify.models.importing.curves import Curve, Curves
from equiproof.certify.models.importing.errors import ModelImportError
from equiproof.circuits.encodings import ONE_HOT

_HALF = Fraction(1, 2)

State = Mapping[tuple[int, ...], bool]
"""Of which joined values it was asked on the way to a node, and whether the row has one of them."""


class Joined(NamedTuple):
    """A column of trees that is made of several inputs, and what it is without any of them and with one."""

    inputs: tuple[int, ...]
    without: Fraction
    of_one: Fraction

    def side(self, split: Split, *, one: bool) -> int:
        """Return where a split on the column leads."""
        value = self.of_one if one else self.without
        below = value < split.threshold if split.strict else value <= split.threshold
        return split.below if below else split.above


def asking_each(ensemble: Ensemble) -> Ensemble:
    """Return an ensemble without splits on joined values; raises ModelImportError where there are too many then."""
    asked = sorted({split.column for tree in ensemble.trees for split in tree.splits})
    columns = {column: joined for column in asked if (joined := _joined(ensemble, column)) is not None}
    if not columns:
        return ensemble
    inputs = sorted({place for joined in columns.values() for place in joined.inputs})
    front, places = carried(ensemble.front, ensemble.inputs, inputs)
    own = dict(zip(inputs, places, strict=True))
    trees: list[Tree] = []
    left = MAX_NODES
    for tree in ensemble.trees:
        trees.append(_asking_each(tree, columns, own, left))
        left -= len(trees[-1].splits)
    return dataclasses.replace(ensemble, trees=tuple(trees), front=front)


def _joined(ensemble: Ensemble, column: int) -> Joined | None:
    """Return a column that is made of several values of one category, None for another one."""
    place = column
    maps: list[Map | Curve] = []
    for number, step in reversed([*enumerate(ensemble.front)]):
        if isinstance(step, Curves):
            curve = step.functions[place]
            maps += [] if curve is None else [curve]
            continue
        if len(step.rows[place]) != 1:
            return _of_values(ensemble, step, place, maps[::-1]) if number == 0 else None
        ((below, factor),) = step.rows[place].items()
        maps.append((factor, step.biases[place]))
        place = below
    return None


def _of_values(ensemble: Ensemble, step: Affine, place: int, maps: list[Map | Curve]) -> Joined | None:
    """Return an output of the first step that counts several values of one category, with the maps behind it."""
    row = step.rows[place]
    names = [] if ensemble.columns is None else [ensemble.columns[one] for one in row]
    category = {name.partition(ONE_HOT)[0] for name in names}
    values = {f"{column}{ONE_HOT}{value}" for column, some in ensemble.one_hot.items() for value in some}
    if not row or len(category) != 1 or not values.issuperset(names) or {*row.values()} != {1} or step.biases[place]:
        return None
    without, of_one = computed(maps, [Fraction(0), Fraction(1)])
    if ensemble.single:
        without, of_one = cast(without, "single"), cast(of_one, "single")
    return Joined(tuple(row), without, of_one)


def _asking_each(tree: Tree, columns: Mapping[int, Joined], own: Mapping[int, int], left: int) -> Tree:
    """Return a tree that asks the carried columns `own` of inputs, with `left` splits at most."""
    splits: list[list[int]] = []
    cuts: list[tuple[Fraction, bool]] = []
    missing: list[bool | None] = []
    leaves: list[Fraction] = []
    waiting: list[tuple[int, State, tuple[int, int] | None]] = [(0 if tree.splits else ~0, {}, None)]
    while waiting:
        node, state, parent = waiting.pop()
        node = _past_answers(tree, node, columns, state)
        place = len(splits) if node >= 0 else ~len(leaves)
        if parent is not None:
            splits[parent[0]][parent[1]] = place
        if node < 0:
            leaves.append(tree.leaves[~node])
            continue
        split = tree.splits[node]
        if split.column not in columns:
            splits.append([split.column, 0, 0])
            cuts.append((split.threshold, split.strict))
            missing.append(split.missing)
            waiting += [(split.above, state, (place, 2)), (split.below, state, (place, 1))]
        else:
            joined = columns[split.column]
            asked = [own[one] for one in joined.inputs]
            # Each question leads to the next one where the row has not this value; the last to what has none.
            splits += [[one, place + number + 1, 0] for number, one in enumerate(asked)]
            cuts += [(_HALF, False)] * len(asked)
            missing += [None] * len(asked)
            has, lacks = (joined.side(split, one=one) for one in (True, False))
            waiting.append((lacks, {**state, joined.inputs: False}, (place + len(asked) - 1, 1)))
            waiting += [(has, {**state, joined.inputs: True}, (place + number, 2)) for number in range(len(asked))]
        if len(splits) > left:
            raise ModelImportError(
                "encode the category with an OrdinalEncoder of the same min_frequency: once trees ask for each rare "
                "value, there are more splits than are read"
            )
    return Tree(
        tuple(
            Split(column, *cut, below, above, side)
            for (column, below, above), cut, side in zip(splits, cuts, missing, strict=True)
        ),
        tuple(leaves),
    )


def _past_answers(tree: Tree, node: int, columns: Mapping[int, Joined], state: State) -> int:
    """Return the node that is reached from a node past splits whose answer is known, or the same for every row."""
    while node >= 0 and (joined := columns.get(tree.splits[node].column)) is not None:
        split = tree.splits[node]
        sides = {joined.side(split, one=one) for one in (False, True)}
        if joined.inputs in state:
            node = joined.side(split, one=state[joined.inputs])
        elif len(sides) == 1:
            (node,) = sides
        else:
            break
    return node
