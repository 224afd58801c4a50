"""The schemes that prove the statement, and the defaults of certification in plaintext.

No module of a room is imported here: options of commands are defined before any room is loaded.
"""

from __future__ import annotations

from typing import Literal, get_args

Scheme = Literal["traversal", "branch"]
"""`traversal` enumerates polytopes (:mod:`equiproof.certify.traversal.search`), `branch` is branch and bound
(:mod:`equiproof.certify.branch`)."""

SCHEMES: tuple[Scheme, ...] = get_args(Scheme)
"""The schemes of networks."""

AnyScheme = Literal["traversal", "branch", "trees"]
"""A scheme of networks, or `trees`, which proves additive models (:mod:`equiproof.certify.trees`)."""

Relation = Literal["traversal", "branch", "branch-ranges", "additive", "additive-ranges"]
"""The relation of a constraint system: that of a scheme of networks, `additive` of scheme trees, or one of both for
neighbors inside ranges only.

People name a scheme; the relation then follows from the spec.
"""

DEFAULT_SCHEME: Scheme = "branch"
"""The scheme of certification and set-up where none is named: exact within its budget, on larger networks too."""

MAX_REGIONS = 4096
"""The default budget of a search of scheme traversal."""

MAX_LEAVES = 256
"""The default budget of a search of scheme branch."""


def scheme_of(relation: Relation) -> AnyScheme:
    """Return the scheme of a relation."""
    match relation:
        case "branch" | "branch-ranges":
            return "branch"
        case "additive" | "additive-ranges":
            return "trees"
        case "traversal":
            return "traversal"


def least_room(scheme: AnyScheme, slices: int) -> int:
    """Return the smallest number of rows of evidence: a region per slice, or a leaf per slice and one more for a split.

    Scheme trees has one leaf at least, as the worst slice stands for all.

    Constraint systems of scheme branch always have a split row: where no split is needed, a root is split all the same.
    """
    return {"traversal": slices, "branch": slices + 1, "trees": 1}[scheme]


DEFAULT_CAPACITY = 32
"""The least capacity of keys that are made without an explicit one; costs are shown at least up to it."""


def counted(scheme: AnyScheme) -> str:
    """Return the name of the rows of evidence."""
    return "regions" if scheme == "traversal" else "leaves"
