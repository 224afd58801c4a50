"""Every gadget as a function over the field: the readable second opinion on the circuits.

Each function has the name of its gadget. It takes a shape and the named private wires as field elements, and returns
where they satisfy the gadget's rule; else it raises RuleError with the rule's id. `check` holds a sub-circuit's whole
witness to it, `traversal` and `branch` that of a whole relation: all accept exactly what the circuits accept. Nothing
here is fast, and nothing is used where proofs are made or verified.
"""

from circuits.reference.boundary import boundary
from circuits.reference.bounds import bounds
from circuits.reference.branch import branch
from circuits.reference.check import check
from circuits.reference.commitment import commitment
from circuits.reference.cut import cut
from circuits.reference.digest import digest
from circuits.reference.distance import distance
from circuits.reference.field import RuleError
from circuits.reference.first_bounds import first_bounds
from circuits.reference.inference import inference
from circuits.reference.inside import inside
from circuits.reference.instance import instance
from circuits.reference.leaf import leaf
from circuits.reference.minimum import minimum
from circuits.reference.neighbor import neighbor
from circuits.reference.order import order
from circuits.reference.polytope import polytope
from circuits.reference.ranges import ranges
from circuits.reference.relaxation import relaxation
from circuits.reference.traversal import traversal
from circuits.reference.tree import tree

__all__ = [
    "RuleError",
    "boundary",
    "bounds",
    "branch",
    "check",
    "commitment",
    "cut",
    "digest",
    "distance",
    "first_bounds",
    "inference",
    "inside",
    "instance",
    "leaf",
    "minimum",
    "neighbor",
    "order",
    "polytope",
    "ranges",
    "relaxation",
    "traversal",
    "tree",
]
