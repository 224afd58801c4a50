"""Trees that split by categories behind an encoder of a pipeline: they are given the categories themselves."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from fractions import Fraction

from equiproof.certify.models.ensembles.ensemble import Category, Ensemble, Tree
from equiproof.certify.models.importing.errors import ModelImportError, shown

_AS_IT_IS = (Fraction(1), Fraction(0))


def without_encoder(ensemble: Ensemble) -> Ensemble:
    """Return an ensemble without the steps before it, where these only order its inputs and count categories.

    What an encoder makes of a missing value is not known: the ensemble says nothing of it then. Raises ModelImportError
    for steps that do more, and for categories that only the encoder knows.
    """
    if not ensemble.categories or not ensemble.front:
        return ensemble
    names = ensemble.columns or ()
    read = {split.column for tree in ensemble.trees for split in tree.splits} | ensemble.categories.keys()
    inputs = {column: _input(ensemble, column) for column in sorted(read)}
    ranked = {place for place, name in enumerate(names) if name in ensemble.ranked}
    of_categories = {inputs[column] for column in ensemble.categories}
    if plain := sorted(ranked & {*inputs.values()} - of_categories):
        raise ModelImportError(
            f"make {shown(names[plain[0]])!r} a category of the model too, or of none: an encoder counts it, and the "
            "model splits others by categories"
        )
    categories = {}
    for column, category in ensemble.categories.items():
        place = inputs[column]
        codes = [code for tree in ensemble.trees for split in tree.splits if split.column == column
                 for code in split.among or ()]  # fmt: skip
        encoded = ensemble.ranked[names[place]] if place in ranked else None
        categories[place] = category if encoded is None else _of_ranks(category, encoded, codes, names[place])
    trees = tuple(_moved(tree, inputs, ranked) for tree in ensemble.trees)
    return dataclasses.replace(ensemble, trees=trees, categories=categories, front=(), ranked={})


def _input(ensemble: Ensemble, column: int) -> int:
    """Return the input that a column of trees is."""
    place, maps = ensemble.way(column)
    if any(one != _AS_IT_IS for one in maps):
        raise ModelImportError(
            f"leave scalers and functions out before trees that split by categories: column {column + 1} of the trees "
            "is not an input as it is"
        )
    return place


def _of_ranks(category: Category, encoded: Sequence[str], codes: Sequence[int], name: str) -> Category:
    """Return a category by the texts that an encoder counts, for one that has its counts as values."""
    ranks = {str(rank) for rank in range(len(encoded))}
    strangers = [code for code in codes if code >= len(encoded)] if category.numbers else category.codes.keys() - ranks
    if strangers:
        raise ModelImportError(
            f"train on values that the encoder knows: the model has categories of {shown(name)!r} that it does not"
        )
    counts = enumerate(encoded)
    if category.numbers:
        return dataclasses.replace(category, codes={text: rank for rank, text in counts}, numbers=False, silent=True)
    known = {text: code for rank, text in counts if (code := category.codes.get(str(rank))) is not None}
    return dataclasses.replace(category, codes=known, silent=True)


def _moved(tree: Tree, inputs: dict[int, int], encoded: set[int]) -> Tree:
    """Return a tree that asks inputs, and says nothing of missing values of those that are encoded.

    A category's say where a value goes that the trees never saw.
    """
    splits = (
        dataclasses.replace(
            split,
            column=inputs[split.column],
            missing=None if inputs[split.column] in encoded and split.among is None else split.missing,
        )
        for split in tree.splits
    )
    return Tree(tuple(splits), tree.leaves)
