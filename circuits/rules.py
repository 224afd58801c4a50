"""The table of the relation: every permanent rule id with its sentence, its checks, its gate and its sub-circuits.

docs/relation.md has a section for each id, certify/evidence.py a function where the rule can be checked without
cryptography, circuits/reference one over the field, go-gnark the constraints. Text, functions and gates may move; an
id never changes its meaning.
"""

from __future__ import annotations

from dataclasses import dataclass
from types import MappingProxyType


@dataclass(frozen=True)
class Rule:
    """One rule: what it says, and where it stands.

    `evidence` is the function of certify/evidence.py (or None), `reference` that of circuits/reference, `gate` the Go
    package under go-gnark, `circuits` the sub-circuits that hold the rule alone.
    """

    sentence: str
    evidence: str | None
    reference: str
    gate: str
    circuits: tuple[str, ...]


_EVERY = (
    "inference", "polytope", "distance", "neighbor", "boundary", "order", "minimum", "commitment", "digest",
)  # fmt: skip


RULES: MappingProxyType[str, Rule] = MappingProxyType(
    {
        "R-RANGE": Rule(
            sentence="Every private number is an integer of its width, every bit is 0 or 1, and one label is chosen.",
            evidence=None,
            reference="ranges",
            gate="relation",
            circuits=_EVERY,
        ),
        "R-COMMITMENT": Rule(
            sentence="The weights, the spec digest and a blinding open the stated model commitment.",
            evidence=None,
            reference="commitment",
            gate="gadget/commitment",
            circuits=("commitment",),
        ),
        "R-QUERY": Rule(
            sentence="The non-sensitive integers and a blinding open the stated query commitment.",
            evidence=None,
            reference="commitment",
            gate="gadget/commitment",
            circuits=("commitment",),
        ),
        "R-DOMAIN": Rule(
            sentence="The table of sensitive assignments and its scale have the stated domain digest.",
            evidence=None,
            reference="commitment",
            gate="gadget/commitment",
            circuits=("commitment",),
        ),
        "R-STATEMENT": Rule(
            sentence="The one public input is the digest of the whole statement, with scheme and shape as constants.",
            evidence=None,
            reference="digest",
            gate="gadget/commitment",
            circuits=("digest",),
        ),
        "R-INFERENCE": Rule(
            sentence="Row s of the set has the activation pattern of slice s's centre, and the label is strict there.",
            evidence="inference",
            reference="inference",
            gate="gadget/inference",
            circuits=("inference",),
        ),
        "R-POLYTOPE": Rule(
            sentence="The forms of a region are those of the committed network with exactly its pattern's neurons on.",
            evidence="polytope",
            reference="polytope",
            gate="gadget/polytope",
            circuits=("polytope",),
        ),
        "R-DISTANCE": Rule(
            sentence="A hyperplane c.x + d = 0 is no nearer than the radius where (c.x + d)^2 >= R2 |c|^2.",
            evidence="distance",
            reference="distance",
            gate="gadget/distance",
            circuits=("distance",),
        ),
        "R-NEIGHBOR": Rule(
            sentence="Where a facet is crossed, the region of the same slice that differs in that bit is in the set.",
            evidence="neighbor",
            reference="neighbor",
            gate="gadget/neighbor",
            circuits=("neighbor",),
        ),
        "R-ORDER": Rule(
            sentence="A facet that is not crossed is no nearer than the radius.",
            evidence="order",
            reference="order",
            gate="gadget/order",
            circuits=("order",),
        ),
        "R-BOUNDARY": Rule(
            sentence="No decision hyperplane of a region of the set is nearer than the radius.",
            evidence="boundary",
            reference="boundary",
            gate="gadget/boundary",
            circuits=("boundary",),
        ),
        "R-MIN": Rule(
            sentence="The stated squared radius is the minimum of the squared radii of all slices.",
            evidence="minimum",
            reference="minimum",
            gate="gadget/minimum",
            circuits=("minimum",),
        ),
        "R-INSTANCE": Rule(
            sentence="The one public input of a sub-circuit is the digest of its name, its shape and its instance.",
            evidence=None,
            reference="instance",
            gate="subcircuit",
            circuits=_EVERY,
        ),
    }
)
"""Rule id -> rule, in the order of docs/relation.md."""
