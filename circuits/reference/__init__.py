"""Every gadget as a function over the field: the readable second opinion on the circuits.

Each function has the name of its gadget. It takes a shape and the named private wires as field elements, and returns
where they satisfy the gadget's rule; else it raises RuleError with the rule's id. `check` holds a sub-circuit's whole
witness to it, `traversal` that of a whole relation: both accept exactly what the circuits accept. Nothing here is fast,
and nothing is used where proofs are made or verified.
"""

from circuits.reference.boundary import boundary
from circuits.reference.check import check
from circuits.reference.commitment import commitment
from circuits.reference.digest import digest
from circuits.reference.distance import distance
from circuits.reference.field import RuleError
from circuits.reference.inference import inference
from circuits.reference.instance import instance
from circuits.reference.minimum import minimum
from circuits.reference.neighbor import neighbor
from circuits.reference.order import order
from circuits.reference.polytope import polytope
from circuits.reference.ranges import ranges
from circuits.reference.traversal import traversal

__all__ = [
    "RuleError",
    "boundary",
    "check",
    "commitment",
    "digest",
    "distance",
    "inference",
    "instance",
    "minimum",
    "neighbor",
    "order",
    "polytope",
    "ranges",
    "traversal",
]
