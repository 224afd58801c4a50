"""The table of the relation: every permanent rule id with its sentence, its checks, its gate and its sub-circuits.

Each id has a section in docs/relation.md or docs/relation-branch.md, a function in certify/traversal or certify/branch
where the rule can be checked without cryptography, a function over the field in circuits/reference, and constraints in
go-gnark. Text, functions and gates may move; an id never changes its meaning. R-B-CENTRE is not here: it follows from
R-B-LEAF. Scheme `trees` has tables of its own: its rules share one reference, and their sub-circuits several rules. So
have the relations of boxes, and relation `gain`, kept models and counts over tables, whose rules are proven with the
whole relation only.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType


@dataclass(frozen=True)
class Rule:
    """One rule: its sentence, and where it is checked.

    `evidence` is the function of a plaintext checker (or None), `reference` that of circuits/reference, `gate` the Go
    package under go-gnark, `circuits` the sub-circuits that prove the rule alone, `parts` what those prove of it that
    prove a part.
    """

    sentence: str
    evidence: str | None
    reference: str
    gate: str
    circuits: tuple[str, ...]
    parts: Mapping[str, str] = field(default_factory=dict)

    def says(self, gadget: str) -> str:
        """Return what a sub-circuit proves of the rule."""
        return self.parts.get(gadget, self.sentence)


_EVERY_CIRCUIT = (
    "inference", "polytope", "distance", "neighbor", "boundary", "order",
    "first_bounds", "relaxation", "bounds", "tree", "leaf",
    "predicates", "centre", "slots", "chain", "cover", "nodes", "rows",
    "people", "sides", "levels", "gains", "falls", "minimum", "commitment", "digest",
)  # fmt: skip


RULES: MappingProxyType[str, Rule] = MappingProxyType(
    {
        "R-RANGE": Rule(
            sentence="Every private number is an integer of its width, every bit is 0 or 1, and one label is chosen.",
            evidence=None,
            reference="ranges",
            gate="relation",
            circuits=_EVERY_CIRCUIT,
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
        "R-B-FIRST": Rule(
            sentence="Bounds of a neuron of layer 1 hold its values on the slice's ball.",
            evidence="first_bounds",
            reference="first_bounds",
            gate="gadget/interval",
            circuits=("first_bounds",),
        ),
        "R-B-RELAXATION": Rule(
            sentence="Over its bounds a ReLU lies between A z and K z + T, with slopes from 0 to 1 and T not negative.",
            evidence="relaxation",
            reference="relaxation",
            gate="gadget/relaxation",
            circuits=("relaxation",),
        ),
        "R-B-BACKWARD": Rule(
            sentence="Step by step a form over a layer is no less than the next one over the layer below.",
            evidence="backward",
            reference="bounds",
            gate="gadget/backward",
            circuits=("bounds", "leaf", "falls"),
            parts={"falls": "A weight of layer 1 is split into its positive and its negative part."},
        ),
        "R-B-RADIUS": Rule(
            sentence="On the ball a form c.x + d changes by no more than a reach with reach^2 >= R2 |c|^2.",
            evidence="radius",
            reference="bounds",
            gate="gadget/radius",
            circuits=("bounds", "leaf"),
        ),
        "R-B-BOUND": Rule(
            sentence="Bounds of a deeper neuron are no nearer than the forms of its row and its negated row show.",
            evidence="bounds",
            reference="bounds",
            gate="gadget/interval",
            circuits=("bounds",),
        ),
        "R-B-KEY": Rule(
            sentence="A leaf of the tree is of one slice and has for each neuron one sign: on, off or free.",
            evidence="key",
            reference="tree",
            gate="gadget/tree",
            circuits=("tree",),
        ),
        "R-B-ROOT": Rule(
            sentence="For every slice one row has all neurons free.",
            evidence="root",
            reference="tree",
            gate="gadget/tree",
            circuits=("tree",),
        ),
        "R-B-SPLIT": Rule(
            sentence="A row that is split has a neuron with which on, and off, its halves are rows of the tree.",
            evidence="split",
            reference="tree",
            gate="gadget/tree",
            circuits=("tree",),
        ),
        "R-B-LEAF": Rule(
            sentence="Every margin is positive on a leaf's part of the slice's open ball, or the box, or it is empty.",
            evidence="leaf",
            reference="leaf",
            gate="gadget/leaf",
            circuits=("leaf",),
        ),
        "R-B-RANGES": Rule(
            sentence="Where neighbors are kept to ranges, the query lies inside them.",
            evidence="inside",
            reference="inside",
            gate="gadget/ranges",
            circuits=("leaf", "predicates"),
        ),
        "R-B-CUT": Rule(
            sentence="A leaf's form is cut only by what is never negative inside the ranges.",
            evidence="cut",
            reference="cut",
            gate="gadget/ranges",
            circuits=("leaf",),
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
            circuits=_EVERY_CIRCUIT,
        ),
    }
)
"""Rule id -> rule, in the order of docs/relation.md."""


@dataclass(frozen=True)
class ScoreRule:
    """A rule of scheme `trees`: its sentence, the sub-circuits that prove it, and those of a part, with that."""

    sentence: str
    whole: tuple[str, ...]
    parts: Mapping[str, str] = field(default_factory=dict)

    @property
    def circuits(self) -> tuple[str, ...]:
        """The sub-circuits that prove the rule or a part of it."""
        return (*self.whole, *self.parts)

    def says(self, gadget: str) -> str:
        """Return what a sub-circuit proves of the rule."""
        return self.parts.get(gadget, self.sentence)


TREES_RULES: MappingProxyType[str, ScoreRule] = MappingProxyType(
    {
        "R-T-ORDER": ScoreRule(
            "Predicates ascend strictly by column and threshold, those of plain columns first.", ("predicates", "sides")
        ),
        "R-T-SIDE": ScoreRule(
            "Every predicate is compared with the query's value, or the slice's, in its own column.",
            ("predicates",),
            {"sides": "Every sensitive predicate is compared with the slice's value in its own column."},
        ),
        "R-T-SLICES": ScoreRule(
            "Of an additive model, what the worst slice is said to add is at most what any slice adds.",
            ("centre", "levels"),
        ),
        "R-T-DEAD": ScoreRule(
            "A predicate that is no slot is as far as the radius, or crossed outside the ranges only.", ("predicates",)
        ),
        "R-T-MISSING": ScoreRule(
            "Where values can be missing, those are that are the largest integer, and their predicates are dead.",
            ("predicates", "sides"),
        ),
        "R-T-SETS": ScoreRule(
            "Where nodes ask sets of values, the query has one value of each category; the radius reaches no other.",
            ("predicates", "sides"),
        ),
        "R-T-CAPACITY": ScoreRule("There are as many live slots as live predicates.", ("slots",)),
        "R-T-SLOT": ScoreRule(
            "Slots are the live predicates in order, then phantoms, joined where their columns are one.",
            ("slots",),
            {
                "centre": "A step is what crossing its predicate adds for the label.",
                "chain": "Along a column no slot below the query is behind one above it, and gaps grow outwards.",
            },
        ),
        "R-T-LEAF": ScoreRule(
            "In a leaf every slot is crossed, stayed or free.",
            ("chain", "cover"),
            {
                "rows": "A row has its child's value where the leaf's sign decides, else the smaller one's and a "
                "charge up to the difference."
            },
        ),
        "R-T-CHAIN": ScoreRule("A level is the least charged sum along its column from a slot outwards.", ("chain",)),
        "R-T-CLOSE": ScoreRule(
            "A live leaf is closed by its score, or by its distance.",
            ("chain",),
            {
                "centre": "The base is the score for the label at the query, or at the least ends of a box, of an "
                "additive model on the worst slice."
            },
        ),
        "R-T-COVER": ScoreRule(
            "Every cell of the slots is in exactly one live leaf.",
            ("cover",),
            {"chain": "A leaf that is above a threshold is above all lower ones of the column."},
        ),
    }
)
"""The rules of scheme `trees` (docs/relation-trees.md), gate go-gnark/gadget/additive.

R-B-RANGES holds there, too. The reference over the field is the function `trees`.
"""


ENSEMBLE_RULES: MappingProxyType[str, ScoreRule] = MappingProxyType(
    {
        "R-T-NODE": ScoreRule(
            "The r-th child that is a node is node T + r, the r-th that is a leaf has the r-th value.",
            ("nodes", "rows"),
        ),
        "R-T-RESOLVE": ScoreRule(
            "Behind nodes that no neighbor crosses, every tree begins with a value or a row.", ("nodes", "rows")
        ),
        "R-T-CHARGE": ScoreRule(
            "What a slot's rows charge is the sum of what crossing pays, less what staying pays.", ("rows",)
        ),
    }
)
"""What relations `trees` and `trees-ranges` require besides the rules of additive models, R-T-SLICES apart.

The page is docs/relation-ensembles.md, the gate go-gnark/gadget/trees.
"""


GAIN_RULES: MappingProxyType[str, str] = MappingProxyType(
    {
        "R-G-COPIES": "Layers, sensitive columns and upper lines of the pair are those of both rows' copies, by place.",
        "R-G-GAIN": "The pair's margins are the differences of the copies', less the least gain, plus 1.",
    }
)
"""The rules that relation `gain` has beside those of scheme `branch`, with their sentences: docs/relation-gain.md.

They have no evidence function, since the pair is built of committed numbers, and no sub-circuit.
"""


KEPT_RULES: MappingProxyType[str, str] = MappingProxyType(
    {
        "R-K-FIRST": "The first commitment is of the words in order, the model commitment and a mask, and no more.",
        "R-K-POLY": "What a certificate evaluates has the model commitment and the words as coefficients.",
        "R-K-SHOWN": "What is shown hashes a blinding and that value, and is the last element of the statement.",
        "R-L-OPEN": "A link's numbers, the spec digest and a blinding open the model commitment.",
        "R-L-RANGE": "A link's numbers have their widths, predicates their order, and nodes are a forest.",
        "R-L-DERIVED": "Negative parts are those of their weights, places or references those of nodes' children.",
        "R-L-POLY": "What a link evaluates has the model commitment and the words as coefficients.",
        "R-L-SHOWN": "A link's public input hashes commitment, spec digest, key, point, and what is shown.",
    }
)
"""The rules of kept models' certificates and of their links, with their sentences: docs/relation-kept.md.

They take the place of R-COMMITMENT, and of what is required of the model's numbers. They have no evidence function, and
no sub-circuit.
"""


TABLE_RULES: MappingProxyType[str, str] = MappingProxyType(
    {
        "R-V-TABLE": "The public input hashes the statement and the value of the polynomial of the rows.",
        "R-V-LAYER": "The values of a layer are its weights times the outputs below, and its biases, on every row.",
        "R-V-ACTIVATION": "An output is its value where that is not negative, else 0.",
        "R-V-DECISION": "A row is granted, a tie or refused as its margin is above, at or below 0.",
        "R-V-COUNT": "Counts after a part are those before, and the units of its rows that are granted, or are ties.",
        "R-V-CHAIN": "The counts before and after a part are behind their digests.",
        "R-V-STATEMENT": "The statement hashes model, spec, context, table, part, both digests, and what is shown.",
    }
)
"""The rules of counts over tables beside those of kept models, with their sentences: docs/relation-table.md.

They have no evidence function, and no sub-circuit.
"""


_INHABITED = ("people", "sides", "gains", "falls", "bounds", "leaf")
"""The sub-circuits that read a box, with somebody in it."""

BOX_RULES: MappingProxyType[str, ScoreRule] = MappingProxyType(
    {
        "R-X-BOX": ScoreRule("The ends of all columns and a blinding open the stated box commitment.", ("commitment",)),
        "R-X-ENDS": ScoreRule(
            "No column's largest value is below its least one.",
            _INHABITED,
            {"chain": "Where categories may be open, no column's largest value is below its least one."},
        ),
        "R-X-CATEGORY": ScoreRule(
            "An open category has `low` in all columns, and `high` as the largest end of a value at least.",
            (*_INHABITED, "chain"),
        ),
        "R-X-SIDE": ScoreRule(
            "Every predicate is compared with both ends of its own column.",
            ("sides",),
            dict.fromkeys(
                ("levels", "gains"), "A largest end is at most a threshold nowhere that the least end is not."
            ),
        ),
        "R-X-LEVEL": ScoreRule(
            "A level is the least sum of steps along its column from a predicate on, 0 without any.", ("levels",)
        ),
        "R-X-GAIN": ScoreRule(
            "What an open category adds is no more than what any of its values adds.",
            ("gains",),
            {"chain": "What an open category adds to a leaf is no more than what any value of somebody in it adds."},
        ),
        "R-X-FALL": ScoreRule(
            "A form falls from the least ends by all that its coefficients say of numbers and open categories.",
            ("falls", "bounds", "leaf"),
        ),
        "R-X-FIRST": ScoreRule("Bounds of layer 1 are each neuron's least and largest value in the box.", ("falls",)),
        "R-X-CLOSE": ScoreRule(
            "The score for the label is at least 1 where the box is worst, on the worst slice.", ("levels",)
        ),
    }
)
"""The rules that the relations of boxes have beside those of balls: docs/relation-box.md.

They have no evidence function, since everything follows from model and box.
"""


_OF_BALLS = frozenset({"R-QUERY", "R-B-RADIUS", "R-B-RANGES", "R-B-CUT"})
"""The rules of balls whose sub-circuits prove others in their place where the statement is about a box."""


EVERY_RULE: MappingProxyType[str, Rule | ScoreRule] = MappingProxyType(
    {**RULES, **TREES_RULES, **ENSEMBLE_RULES, **BOX_RULES}
)
"""Every rule that a sub-circuit proves by its id."""


def own_rules(gadget: str, *, of_box: bool) -> dict[str, str]:
    """Return the rules that a sub-circuit of a ball or of a box proves, with their sentences.

    Those are left out that every sub-circuit proves.
    """
    others = _OF_BALLS if of_box else BOX_RULES.keys()
    return {
        rule: at.says(gadget)
        for rule, at in EVERY_RULE.items()
        if gadget in at.circuits and at.circuits != _EVERY_CIRCUIT and rule not in others
    }
