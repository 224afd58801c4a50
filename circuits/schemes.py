"""The two ways to prove the statement, and what certification in plaintext takes where nothing is asked for.

No module of a room is imported here: options of commands are defined before any room is loaded.
"""

from __future__ import annotations

from typing import Literal, get_args

Scheme = Literal["traversal", "branch"]
"""traversal: the walk through the polytopes, :mod:`certify.search`. branch: branch and bound, :mod:`certify.branch`."""

SCHEMES: tuple[Scheme, ...] = get_args(Scheme)

Relation = Literal["traversal", "branch", "branch-ranges"]
"""What a constraint system is of: the statement of a scheme, or of scheme branch for neighbors inside ranges only.

People name schemes; which relation it is follows from the spec.
"""

DEFAULT_SCHEME: Scheme = "branch"
"""What certification and set-up take where no scheme is named: exact where the budget lasts, on larger networks too."""

MAX_REGIONS = 4096
"""The budget of a search of scheme traversal where none is given."""

MAX_LEAVES = 256
"""The budget of a search of scheme branch where none is given."""


def scheme_of(relation: Relation) -> Scheme:
    """Return the scheme of a relation."""
    return "branch" if relation == "branch-ranges" else relation


def least_room(scheme: Scheme, slices: int) -> int:
    """Return the rows that evidence takes at least: a region per slice, or a leaf per slice and one more for a split.

    Constraint systems of scheme branch have a split row always: where nothing needs one, a root is split needlessly.
    """
    return slices + 1 if scheme == "branch" else slices


def counted(scheme: Scheme) -> str:
    """Return what the rows of evidence are called."""
    return "leaves" if scheme == "branch" else "regions"
