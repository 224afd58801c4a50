"""The schemes that prove the statement, and the defaults of certification in plaintext.

No module of a room is imported here: options of commands are defined before any room is loaded.
"""

from __future__ import annotations

from typing import Literal, get_args

Scheme = Literal["traversal", "branch", "trees"]
"""`traversal` enumerates polytopes (:mod:`equiproof.certify.traversal.search`), `branch` is branch and bound
(:mod:`equiproof.certify.branch`), both for networks; `trees` is for additive models and
ensembles of trees (:mod:`equiproof.certify.trees`)."""

NetworkScheme = Literal["traversal", "branch"]
"""The schemes of networks, for options of commands that take a network only."""

NETWORK_SCHEMES: tuple[NetworkScheme, ...] = get_args(NetworkScheme)
"""The schemes of networks."""

Relation = Literal[
    "traversal",
    "branch",
    "branch-ranges",
    "additive",
    "additive-ranges",
    "trees",
    "trees-ranges",
    "gain",
    "additive-box",
    "trees-box",
    "branch-box",
]
"""The relation of a constraint system: that of a scheme, those with `ranges` for neighbors inside ranges only.

People name a scheme; the relation then follows from the spec. `gain` is that of another statement, about how much a
sensitive value gains, and is proven as scheme `branch` proves. `additive-box`, `trees-box` and `branch-box` are those
of a third one, about everybody in a box, of additive models, of ensembles and of networks.
"""

BOXES: tuple[Relation, ...] = ("additive-box", "trees-box", "branch-box")
"""The relations of the statement about everybody in a box."""

DEFAULT_SCHEME: NetworkScheme = "branch"
"""The scheme of certification and set-up where none is named: exact within its budget, on larger networks too."""

MAX_REGIONS = 4096
"""The default budget of a search of scheme traversal."""

MAX_LEAVES = 256
"""The default budget of a search of scheme branch."""


def scheme_of(relation: Relation) -> Scheme:
    """Return the scheme of a relation."""
    return _SCHEME_OF[relation]


_SCHEME_OF: dict[Relation, Scheme] = {
    "traversal": "traversal",
    "branch": "branch",
    "branch-ranges": "branch",
    "additive": "trees",
    "additive-ranges": "trees",
    "trees": "trees",
    "trees-ranges": "trees",
    "gain": "branch",
    "additive-box": "trees",
    "trees-box": "trees",
    "branch-box": "branch",
}


def key_kind(relation: Relation) -> str:
    """Return what people call the keys of a relation: its scheme, or `gain` or `box`, whose keys prove no radius."""
    if relation in BOXES:
        return "box"
    return relation if relation == "gain" else scheme_of(relation)


def least_room(scheme: Scheme, slices: int) -> int:
    """Return the smallest number of rows of evidence: a region per slice, or a leaf per slice and one more for a split.

    Constraint systems of scheme branch always have a split row: where no split is needed, a root is split all the same.
    A leaf of scheme trees serves all slices, as the worst one stands for all: one is enough.
    """
    if scheme == "trees":
        return 1
    return slices + 1 if scheme == "branch" else slices


_LEAVES_OF_BOXES = 16
"""The leaves of a key of boxes of a network with few slices, where nobody says how many."""


def leaves_of_boxes(slices: int) -> int:
    """Return the leaves of a key of boxes of a network where nobody says how many: 16, or as a split of each slice."""
    return max(_LEAVES_OF_BOXES, 1 << (least_room("branch", slices) - 1).bit_length())


MAX_TREES = 4096
MAX_NODES = 1 << 16
"""The most trees of an ensemble that has a circuit, and the most nodes of all of them."""

DEFAULT_CAPACITY = 32
"""The least capacity of keys that are made without an explicit one; costs are shown at least up to it."""

DEFAULT_SLOTS = 40
"""The slots of keys that are made without --slots: nine of ten applicants of a scorecard need no more."""

DEFAULT_TREE_SLOTS = 120
DEFAULT_ROWS = 480
"""The slots and rows of keys of ensembles that are made without --slots and --rows: those of 100 trees of depth 4."""


def counted(scheme: Scheme) -> str:
    """Return the name of the rows of evidence."""
    return "regions" if scheme == "traversal" else "leaves"
