"""Scheme `branch` in plaintext: branch and bound to the exact radius, and the checker of its evidence."""

from equiproof.certify.branch.evidence import BranchEvidence
from equiproof.certify.branch.evidence_check import check
from equiproof.certify.branch.radius_search import PrecisionError
from equiproof.certify.branch.search import BranchSearch, branch_search, search_under
from equiproof.circuits.branch_parameters import Parameters, Sizes, WidthError, network_parameters

__all__ = [
    "BranchEvidence",
    "BranchSearch",
    "Parameters",
    "PrecisionError",
    "Sizes",
    "WidthError",
    "branch_search",
    "check",
    "network_parameters",
    "search_under",
]
