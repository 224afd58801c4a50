"""Scores without the padding of a standard shape, for what judges models and reports sizes."""

from __future__ import annotations

from dataclasses import dataclass, replace

import msgspec

from equiproof.certify.additive import AdditiveModel
from equiproof.certify.ensemble import Child, EnsembleModel, ScoredModel
from equiproof.certify.models.ensembles.folding import Nested, asked, joined
from equiproof.certify.models.ensembles.quantise import table_of
from equiproof.circuits.spec import Spec


def without_padding(model: ScoredModel, spec: Spec) -> tuple[ScoredModel, Spec]:
    """Return model and spec without the columns of the padding, and without thresholds and splits that change nothing.

    Padded columns are 0 in every query, so a threshold there is passed by everybody or by nobody, whatever its jump is:
    every applicant has the same score. A model in which nothing else is left keeps one threshold without a jump.
    """
    bare = msgspec.structs.replace(spec, pad_to=msgspec.UNSET)
    padded = _Padded(spec.own_columns, spec.plain_columns)
    if not isinstance(model, EnsembleModel):
        return _rebuilt(model, padded, []), bare
    trees = [padded.tree(model, Child(True, root)) for root in range(model.nodes.roots)]
    return _rebuilt(model.additive, padded, trees), bare


@dataclass(frozen=True)
class _Padded:
    """The padded columns: from `own` up to `end`."""

    own: int
    end: int

    def passed(self, column: int, threshold: int) -> bool | None:
        """Return whether 0 passes a threshold of a padded column; None of any other column."""
        return threshold < 0 if self.own <= column < self.end else None

    def moved(self, column: int) -> int:
        """Return the place of a column without the padding."""
        return column if column < self.own else column - (self.end - self.own)

    def tree(self, model: EnsembleModel, child: Child) -> Nested:
        """Return the tree below a child without splits by padded columns, and without those whose sides are equal."""
        if not child.is_node:
            return child.number
        place = model.nodes.predicates[child.number]
        column = model.additive.columns[place]
        threshold = model.additive.thresholds[place]
        low, high = model.nodes.children[child.number]
        passed = self.passed(column, threshold)
        if passed is not None:
            return self.tree(model, high if passed else low)
        up = bool(model.nodes.highs and model.nodes.highs[child.number])
        return joined(self.moved(column), threshold, self.tree(model, low), self.tree(model, high), up=up)


def _rebuilt(model: AdditiveModel, padded: _Padded, all_trees: list[Nested]) -> ScoredModel:
    """Return the additive part and the trees; constant ones are in the bias."""
    jumps = dict[tuple[int, int], int]()
    bias = model.bias
    for column, threshold, jump in zip(model.columns, model.thresholds, model.jumps, strict=True):
        passed = padded.passed(column, threshold)
        if passed is not None:
            bias += jump if passed else 0
        elif jump:
            jumps[padded.moved(column), threshold] = jump
    trees = [tree for tree in all_trees if isinstance(tree, tuple)]
    bias += sum(int(tree) for tree in all_trees if not isinstance(tree, tuple))
    places = sorted(set(jumps).union(*map(asked, trees)))
    if not any(column < padded.own for column, _ in places):
        places = [(0, model.thresholds[0]), *places]
    additive = replace(
        model,
        columns=tuple(column for column, _ in places),
        thresholds=tuple(threshold for _, threshold in places),
        jumps=tuple(jumps.get(place, 0) for place in places),
        bias=bias,
        plain=padded.own + model.plain - model.stated,
    )
    return EnsembleModel(additive, table_of(trees, places, lacking=model.absent is not None)) if trees else additive
