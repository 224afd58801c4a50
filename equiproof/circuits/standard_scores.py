"""Standard shapes of additive models and of ensembles of trees, as :mod:`.standard` has them for networks.

Padding adds non-sensitive columns that are 0 for everybody, predicates that change no score, and trees and splits
whose leaves are equal. (docs/adr/0018-standard-shapes.md)
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from equiproof.circuits.shape import Shape, additive_shape, ensemble_shape
from equiproof.circuits.spec import Spec, SpecError
from equiproof.circuits.standard import padded_spec, unalike, unpadded


@dataclass(frozen=True)
class StandardScore:
    """The sizes that a score is padded to: non-sensitive columns, (P_x, P_s), and of an ensemble (T, N).

    `slots` and `rows` are V and A of its keys where nothing else is named.
    """

    columns: int
    predicates: tuple[int, int]
    slots: int
    nodes: tuple[int, int] | None = None
    rows: int = 0

    @property
    def name(self) -> str:
        """The name on the command line, such as "32p256" or "32p256t100x800"."""
        trees = "" if self.nodes is None else "t{}x{}".format(*self.nodes)
        return f"{self.columns}p{self.predicates[0]}{trees}"

    def misfit(self, spec: Spec, sizes: Sequence[int]) -> str:
        """Return why a score cannot be padded to this shape, in one line; "" if it can.

        `sizes` are the model's P_x and P_s, of an ensemble T and N, and more where its trees ask sets of values.
        """
        if len(sizes) > 4:
            return "no standard shape has sets of the values of categories, which the trees ask"
        if wrong := unalike(spec, self.columns):
            return wrong
        if (len(sizes) == 4) != (self.nodes is not None):
            return "the shape is of additive models" if self.nodes is None else "the shape is of ensembles of trees"
        # Splits of the padding ask a predicate of the padding: any other one may be near an applicant.
        most = self.predicates[0] - (self.nodes is not None), self.predicates[1]
        if sizes[0] > most[0] or sizes[1] > most[1]:
            return (
                f"the model has {sizes[0]} thresholds of non-sensitive and {sizes[1]} of sensitive features, "
                f"the shape has room for {most[0]} and {most[1]}"
            )
        return "" if self.nodes is None else _crowded((sizes[2], sizes[3]), self.nodes)

    def spec(self, spec: Spec) -> Spec:
        """Return the spec of a model that is padded to this shape; raises SpecError for one that does not fit."""
        if wrong := unalike(spec, self.columns):
            raise SpecError(f"standard shape {self.name}: {wrong}")
        return padded_spec(spec, self.columns)

    def shape(self, spec: Spec, capacity: int, slots: int | None = None, rows: int | None = None) -> Shape:
        """Return the shape of keys for models that are padded to this one; `spec` is that of any of them, or its own.

        Raises SpecError as :meth:`spec` does.
        """
        padded = self.spec(unpadded(spec))
        room = self.slots if slots is None else slots
        if self.nodes is None:
            return additive_shape(padded, self.predicates, room, capacity)
        return ensemble_shape(padded, self.predicates, self.nodes, room, self.rows if rows is None else rows, capacity)


def _crowded(own: tuple[int, int], nodes: tuple[int, int]) -> str:
    """Return why T trees with N splits do not fit, or ""; each further tree of the shape takes a split."""
    if own[0] <= nodes[0] and own[1] - own[0] <= nodes[1] - nodes[0]:
        return ""
    spare = nodes[1] - nodes[0]
    return (
        f"the model has {own[0]} trees with {own[1] - own[0]} splits beside their first ones, the shape has room for "
        f"{nodes[0]} and {spare}"
    )


CATALOGUE = (
    StandardScore(16, (64, 8), 40),
    StandardScore(32, (256, 8), 40),
    StandardScore(64, (1024, 16), 80),
    StandardScore(32, (192, 8), 80, (100, 800), 288),
    StandardScore(32, (384, 8), 120, (200, 1600), 576),
    StandardScore(64, (768, 8), 192, (300, 12000), 640),
)
"""Every standard shape of scores: additive models, then ensembles, the cheapest first.

Ensembles have the room of 100 and 200 boosted trees of depth 3 or 4, and of 300 of depth 6.
"""


def smallest(spec: Spec, sizes: Sequence[int]) -> StandardScore | str:
    """Return the cheapest standard shape that a score fits, or why there is none, in one line."""
    own = [one for one in CATALOGUE if (one.nodes is not None) == (len(sizes) >= 4)]
    return next((one for one in own if not one.misfit(spec, sizes)), own[-1].misfit(spec, sizes))
