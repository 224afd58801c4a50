"""Every gadget as a function over the field: the readable second opinion on the circuits.

Each function has the name of its gadget. It takes a shape and the named private wires as field elements, and raises
RuleError with the rule's id unless they satisfy the gadget's rule. `check` applies it to the whole witness of a
sub-circuit, `traversal`, `branch` and `gain` apply all functions to the witness of a whole relation, `trees` and `box`
have the rules of additive models and ensembles themselves, `link` those of links and `table` those of counts over
tables: each accepts exactly what the circuits accept. None of it is fast, and neither proving nor verifying uses it.
"""

from equiproof.circuits.reference.boundary import boundary
from equiproof.circuits.reference.bounds import bounds
from equiproof.circuits.reference.box import box
from equiproof.circuits.reference.branch import branch
from equiproof.circuits.reference.check import check
from equiproof.circuits.reference.commitment import commitment
from equiproof.circuits.reference.cut import cut
from equiproof.circuits.reference.digest import digest
from equiproof.circuits.reference.distance import distance
from equiproof.circuits.reference.field import RuleError
from equiproof.circuits.reference.first_bounds import first_bounds
from equiproof.circuits.reference.gain import gain
from equiproof.circuits.reference.inference import inference
from equiproof.circuits.reference.inside import inside
from equiproof.circuits.reference.instance import instance
from equiproof.circuits.reference.leaf import leaf
from equiproof.circuits.reference.link import link
from equiproof.circuits.reference.minimum import minimum
from equiproof.circuits.reference.neighbor import neighbor
from equiproof.circuits.reference.order import order
from equiproof.circuits.reference.polytope import polytope
from equiproof.circuits.reference.ranges import ranges
from equiproof.circuits.reference.relaxation import relaxation
from equiproof.circuits.reference.table import table
from equiproof.circuits.reference.traversal import traversal
from equiproof.circuits.reference.tree import tree
from equiproof.circuits.reference.trees import trees

__all__ = [
    "RuleError",
    "boundary",
    "bounds",
    "box",
    "branch",
    "check",
    "commitment",
    "cut",
    "digest",
    "distance",
    "first_bounds",
    "gain",
    "inference",
    "inside",
    "instance",
    "leaf",
    "link",
    "minimum",
    "neighbor",
    "order",
    "polytope",
    "ranges",
    "relaxation",
    "table",
    "traversal",
    "tree",
    "trees",
]
