"""Scheme `branch` in the clear: branch and bound to the exact radius, and the checker of its evidence."""

from certify.branch.checker import check
from certify.branch.evidence import BranchEvidence
from certify.branch.parameters import Parameters, Sizes, WidthError, parameters_of
from certify.branch.search import BranchSearch, PrecisionError, branch_search, search_under

__all__ = [
    "BranchEvidence",
    "BranchSearch",
    "Parameters",
    "PrecisionError",
    "Sizes",
    "WidthError",
    "branch_search",
    "check",
    "parameters_of",
    "search_under",
]
