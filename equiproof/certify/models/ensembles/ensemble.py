"""A tree ensemble as a foreign library leaves it, in plain exact numbers; trees may have any depth.

The score is base + the sum of one leaf of each tree. A split sends a row below or above its threshold; a model that
casts rows to single precision compares the cast numbers. The label is the second class where the score is above 0.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from itertools import pairwise
from typing import Literal, NamedTuple

from equiproof.certify.models.importing.curves import Curve, Curves, FrontStep, outputs_of
from equiproof.certify.models.importing.errors import ModelImportError
from equiproof.certify.sets import Sets

MAX_NODES = 1 << 18
"""The most splits of an ensemble that are read."""

BEYOND = Fraction(1 << 2048)
"""A threshold that no stated value passes."""

Map = tuple[Fraction, Fraction]
"""A factor, and the shift that is added behind it."""


@dataclass(frozen=True)
class Split:
    """A comparison of one column, and where it leads: a child from 0 is a split of the tree, ~i is leaf i.

    `below` is taken where the column is at most the threshold, with `strict` where it is less than the threshold. With
    `missing` a missing value goes above, without it below; None where the model says nothing of one. A threshold of
    BEYOND parts missing values from all others. With `among` the column has codes of a category, and `above` is taken
    where the code is one of these; the threshold says nothing then.
    """

    column: int
    threshold: Fraction
    strict: bool
    below: int
    above: int
    missing: bool | None = None
    among: frozenset[int] | None = None


@dataclass(frozen=True)
class Category:
    """The codes that a model has for the values of a category; with `numbers` the values are whole numbers themselves.

    `unseen` is what the library takes a value for that the model never saw: a code of no set, or None, a missing one.
    `silent`: of a missing value itself it is not known where it goes, as an encoder before the trees sees it first.
    """

    codes: Mapping[str, int]
    numbers: bool = False
    unseen: int | None = -1
    silent: bool = False

    def known(self, texts: Sequence[str]) -> dict[str, int]:
        """Return the codes of the model's values, and of these texts where they have one."""
        more = [text for text in texts if text.isascii() and text.isdecimal() and len(text) < 9] if self.numbers else []
        return {**self.codes, **{text: int(text) for text in more}}


@dataclass(frozen=True)
class Tree:
    """Splits, the root first, and the values of the leaves; a tree without splits is its only leaf."""

    splits: tuple[Split, ...]
    leaves: tuple[Fraction, ...]

    @property
    def columns(self) -> list[int]:
        """The columns that the tree reads, in ascending order."""
        return sorted({split.column for split in self.splits})


class Ties(NamedTuple):
    """How a library decides scores at the threshold: for the second class if `second`, else for the first.

    Exact scores at most `width` from the threshold are ties to it, because it rounds its sum. `likely`: ties are no
    accident, as where trees vote.
    """

    second: bool = False
    width: Fraction = Fraction(0)
    likely: bool = False


FIRST = Ties()
"""Ties of exact numbers, for the first class."""

REGRESSOR_NOTE = (
    "a regressor of 0 and 1: the second label is decided above one half, or above the threshold that is given, such as "
    "share=0.6"
)
"""What is said of a model without classes."""

Scale = Literal["logit", "share", "score", "cut"]
"""What a score is: the logit of a probability, a share less one half, a number of another kind, or what is left behind
a cut that the model has itself."""


def summed(trees: Iterable[Tree], bits: int, *, second: bool = False, likely: bool = False) -> Ties:
    """Return the ties of a sum of leaves in floats of so many bits: the sum is off by this width at most."""
    largest = [max(map(abs, tree.leaves)) for tree in trees]
    return Ties(second, len(largest) * sum(largest, Fraction(0)) / (1 << bits), likely)


@dataclass(frozen=True)
class Ensemble:
    """An ensemble as read; `name` and `sha256` are those of its file, if it has one.

    `single`: rows are cast to single precision before they are compared. `exact`:
    numbers are compared as they are, without any cast. `columns` and `classes` are the names that
    the model has itself. `front` are the steps of a pipeline between its inputs and the columns that the trees read;
    `fills` has by category the text that these put in place of a missing value;
    `ranked` has the values of categories that it ranks, by column; `categories` has by input those that trees split by
    sets, and `sets` the sets of the spec's values that trees ask as columns behind the inputs (:mod:`.by_category`);
    `one_hot` and `logarithms` are as of
    :class:`~equiproof.certify.models.importing.source.Source`. `ties` says how it decides a score of 0, and `scale`
    what its score is. `notes` are sentences about the file for whoever imports it. `reading` names who decides as this
    ensemble does, and `other` is the same file as another program decides it, where such a program is known: only the
    lender's own decisions show which of both is theirs. `own_objective`: a function of the lender's own trained it, and
    they said that its score is a logit. Raises ModelImportError naming the tree whose parts do not fit
    together.
    """

    kind: str
    inputs: int
    trees: tuple[Tree, ...]
    base: Fraction = Fraction(0)
    single: bool = False
    exact: bool = False
    columns: tuple[str, ...] | None = None
    classes: tuple[str | int, ...] | None = None
    name: str = ""
    sha256: str | None = None
    notes: tuple[str, ...] = field(default_factory=tuple)
    front: tuple[FrontStep, ...] = ()
    fills: Mapping[str, str] = field(default_factory=dict)
    ranked: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    categories: Mapping[int, Category] = field(default_factory=dict)
    sets: tuple[Sets, ...] = ()
    one_hot: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    logarithms: Mapping[str, tuple[str, str]] = field(default_factory=dict)
    ties: Ties = FIRST
    scale: Scale = "logit"
    reading: str = ""
    other: Ensemble | None = None
    own_objective: bool = False

    outputs = 1
    """The number of logits: two classes only."""

    def __post_init__(self) -> None:
        """Refuse children that do not exist or stand above their parent, and columns that do not exist."""
        if sum(len(tree.splits) for tree in self.trees) > MAX_NODES:
            raise ModelImportError(f"train with fewer trees, or less depth: there are more than {MAX_NODES:,} splits")
        read = self.read + self.set_count
        for number, tree in enumerate(self.trees, start=1):
            _check(tree, read, f"tree {number}", self.categories)

    def __repr__(self) -> str:
        """Show the sizes only: thresholds and values are secret."""
        return f"<{type(self).__name__} {self.kind}, {len(self.trees)} trees, {self.inputs} inputs>"

    @property
    def read(self) -> int:
        """How many columns trees read that come from inputs, behind which those of sets stand."""
        return outputs_of(self.front[-1]) if self.front else self.inputs

    @property
    def set_count(self) -> int:
        """How many columns of sets stand behind the others."""
        return sum(len(one.members) for one in self.sets)

    def way(self, column: int) -> tuple[int, list[Map | Curve]]:
        """Return the input that a column of the trees comes from, and the maps and curves on the way, in order.

        Raises ModelImportError for a column that comes from several inputs, or from none.
        """
        place = column
        steps: list[Map | Curve] = []
        for step in reversed(self.front):
            if isinstance(step, Curves):
                curve = step.functions[place]
                steps += [] if curve is None else [curve]
                continue
            if len(step.rows[place]) != 1:
                raise ModelImportError(
                    "before trees, put numbers into bins with encode='ordinal': column "
                    f"{column + 1} of the trees is not made of a single input: {step.where}"
                )
            ((below, factor),) = step.rows[place].items()
            steps.append((factor, step.biases[place]))
            place = below
        return place, steps[::-1]


def of_number(ensemble: Ensemble, more: str = "") -> Ensemble:
    """Return the ensemble of a regressor of 0 and 1, of which the score is the number itself less one half.

    `more` is said behind what is said of every regressor.
    """
    notes = (*ensemble.notes, f"{REGRESSOR_NOTE}{more}")
    return replace(ensemble, base=ensemble.base - Fraction(1, 2), ties=FIRST, scale="share", notes=notes)


def tree_of(
    children: tuple[Sequence[int], Sequence[int]],
    columns: Sequence[int],
    thresholds: Sequence[float],
    leaf: Callable[[int], Fraction],
    where: str,
    *,
    strict: bool,
    missing_left: Sequence[bool] | None = None,
    among: Mapping[int, frozenset[int]] | None = None,
) -> Tree:
    """Return the tree of nodes whose children (left, right) are -1 at leaves; node 0 is the root.

    `leaf` gives the value of a leaf's node, `missing_left` says of each node whether missing values go left, `among`
    has the codes that go right by the nodes that split a category. A split at infinity parts missing values from all
    others: where it is not known that they go right, no row does, so that its left child takes its place. Raises
    ModelImportError, which names the tree by `where`, for nodes that do not form one tree.
    """
    left, right = children
    order: list[int] = []
    through: dict[int, int] = {}
    waiting = [0]
    while waiting:
        start = node = waiting.pop()
        skips = 0
        while 0 <= node < len(left) and left[node] != -1 and thresholds[node] == math.inf and skips < len(left):
            if missing_left is not None and not missing_left[node]:
                break
            node = left[node]
            skips += 1
        if not 0 <= node < len(left) or len(order) > len(left) or skips == len(left) or start in through:
            raise ModelImportError(f"{where}: its nodes do not form one tree")
        through[start] = node
        order.append(node)
        if left[node] != -1:
            waiting += [right[node], left[node]]
    splits = [node for node in order if left[node] != -1]
    leaves = [node for node in order if left[node] == -1]
    place = {node: at for at, node in enumerate(splits)} | {node: ~at for at, node in enumerate(leaves)}
    return Tree(
        tuple(
            Split(
                columns[node],
                BEYOND if thresholds[node] == math.inf else Fraction(thresholds[node]),
                strict,
                place[through[left[node]]],
                place[through[right[node]]],
                None if missing_left is None else not missing_left[node],
                None if among is None else among.get(node),
            )
            for node in splits
        ),
        tuple(map(leaf, leaves)),
    )


def steps(column: int, cuts: Sequence[Fraction], levels: Sequence[Fraction], *, strict: bool) -> Tree:
    """Return the tree of a function of one column with these levels between ascending cuts; see :class:`Split`.

    Raises ModelImportError for cuts that do not ascend.
    """
    if any(one >= other for one, other in pairwise(cuts)):
        raise ModelImportError(f"the cuts of input {column + 1} do not ascend")
    splits = tuple(
        Split(column, cut, strict, ~place, place + 1 if place + 1 < len(cuts) else ~(place + 1))
        for place, cut in enumerate(cuts)
    )
    return Tree(splits, tuple(levels))


def _check(tree: Tree, inputs: int, where: str, categories: Collection[int]) -> None:
    """Refuse a tree whose references are not those of a tree: every split and leaf has one parent."""
    children = [child for split in tree.splits for child in (split.below, split.above)]
    references = [*range(1, len(tree.splits)), *(~leaf for leaf in range(len(tree.leaves)))] if tree.splits else []
    if sorted(children) != sorted(references) or (not tree.splits and len(tree.leaves) != 1):
        raise ModelImportError(f"{where}: its nodes do not form one tree")
    for place, split in enumerate(tree.splits):
        if any(0 <= child <= place for child in (split.below, split.above)):
            raise ModelImportError(f"{where}: node {place + 1} has a child that stands before it")
        if not 0 <= split.column < inputs:
            raise ModelImportError(f"{where}: splits on input {split.column + 1} of {inputs}")
        if (split.among is None) == (split.column in categories):
            raise ModelImportError(
                f"{where}: save the model again: it splits input {split.column + 1} as a number and as a category"
            )
