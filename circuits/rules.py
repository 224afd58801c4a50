"""The table of the relation: every permanent rule id with its sentence, its plaintext check and its gate.

docs/relation.md has a section for each id, certify/evidence.py a function where the rule can be checked without
cryptography, go-gnark the constraints. Text, functions and gates may move; an id never changes its meaning.
"""

from __future__ import annotations

from dataclasses import dataclass
from types import MappingProxyType


@dataclass(frozen=True)
class Rule:
    """One rule: what it says, the function of certify/evidence.py (or None), the Go package under go-gnark."""

    sentence: str
    evidence: str | None
    gate: str


RULES: MappingProxyType[str, Rule] = MappingProxyType(
    {
        "R-RANGE": Rule(
            sentence="Every private number is an integer of its width, every bit is 0 or 1, and one label is chosen.",
            evidence=None,
            gate="relation",
        ),
        "R-COMMITMENT": Rule(
            sentence="The weights, the spec digest and a blinding open the stated model commitment.",
            evidence=None,
            gate="gadget/commitment",
        ),
        "R-QUERY": Rule(
            sentence="The non-sensitive integers and a blinding open the stated query commitment.",
            evidence=None,
            gate="gadget/commitment",
        ),
        "R-DOMAIN": Rule(
            sentence="The table of sensitive assignments and its scale have the stated domain digest.",
            evidence=None,
            gate="gadget/commitment",
        ),
        "R-STATEMENT": Rule(
            sentence="The one public input is the digest of the whole statement, with scheme and shape as constants.",
            evidence=None,
            gate="gadget/commitment",
        ),
        "R-INFERENCE": Rule(
            sentence="Row s of the set has the activation pattern of slice s's centre, and the label is strict there.",
            evidence="inference",
            gate="gadget/inference",
        ),
        "R-POLYTOPE": Rule(
            sentence="The forms of a region are those of the committed network with exactly its pattern's neurons on.",
            evidence="polytope",
            gate="gadget/polytope",
        ),
        "R-DISTANCE": Rule(
            sentence="A hyperplane c.x + d = 0 is no nearer than the radius where (c.x + d)^2 >= R2 |c|^2.",
            evidence="distance",
            gate="gadget/distance",
        ),
        "R-NEIGHBOR": Rule(
            sentence="Where a facet is crossed, the region of the same slice that differs in that bit is in the set.",
            evidence="neighbor",
            gate="gadget/neighbor",
        ),
        "R-ORDER": Rule(
            sentence="A facet that is not crossed is no nearer than the radius.",
            evidence="order",
            gate="gadget/order",
        ),
        "R-BOUNDARY": Rule(
            sentence="No decision hyperplane of a region of the set is nearer than the radius.",
            evidence="boundary",
            gate="gadget/boundary",
        ),
        "R-MIN": Rule(
            sentence="The stated squared radius is the minimum of the squared radii of all slices.",
            evidence="minimum",
            gate="gadget/minimum",
        ),
    }
)
"""Rule id -> rule, in the order of docs/relation.md."""
