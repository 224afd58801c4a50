"""Wires of sub-circuits of scheme `trees`: what each gadget accepts, and lies about the relations that break its rules.

`python -m tests.vectors.generate.score_circuits` writes the bases, on purpose only: they are of searches.
"""

from __future__ import annotations

from collections.abc import Callable

import msgspec

from equiproof.circuits.subcircuit import subcircuit
from equiproof.circuits.trees_parameters import VALUE_BITS
from tests.circuits.score_cases import LIES, Scored, docstring
from tests.soundness import additive_lies, trees_told
from tests.soundness.additive_column_lies import full
from tests.soundness.additive_missing_lies import lacking_at_the_query
from tests.soundness.additive_range_lies import kept_at_the_query
from tests.soundness.additive_told import Told
from tests.soundness.trees_column_lies import several
from tests.soundness.trees_missing_lies import lacking_ensemble
from tests.soundness.trees_set_lies import sorted_ensemble
from tests.vectors.generate.cases import Named
from tests.vectors.generate.circuits import Wires, more, vector_of
from tests.vectors.vector import FOLDER, CircuitBase, circuit_base

BASES: dict[str, Callable[[], Told]] = {
    "predicates": additive_lies.nothing_live,
    "predicates_inside": kept_at_the_query,
    "predicates_missing": lacking_at_the_query,
    "predicates_sets": sorted_ensemble,
    "predicates_trees": trees_told.nothing_live,
    "centre": additive_lies.honest,
    "centre_slices": full,
    "centre_trees": trees_told.ample,
    "slots": additive_lies.one_leaf,
    "slots_trees": trees_told.wide,
    "chain": additive_lies.one_leaf,
    "chain_trees": trees_told.wide,
    "cover": additive_lies.honest,
    "cover_trees": trees_told.ample,
    "cover_slices": several,
    "nodes": trees_told.ample,
    "nodes_missing": lacking_ensemble,
    "rows": trees_told.ample,
    "commitment_additive": additive_lies.honest,
    "commitment_trees": trees_told.ample,
}
"""By name: the honest witness; the gadget's name is in front. Of those about one leaf it is the first one."""

TOLD = {
    "predicates": (
        "a-plain-predicate-of-a-sensitive-column",
        "a-sensitive-predicate-of-a-plain-column",
        "a-jump-ahead-of-the-query",
        "dead-inside-the-ball",
    ),
    "predicates_inside": (
        "beyond-a-threshold-above",
        "beyond-a-threshold-below",
        "the-end-of-another-column",
        "a-query-below-its-range",
        "a-query-above-its-range",
    ),
    "predicates_missing": (
        "a-stated-value-that-is-absent",
        "a-missing-value-that-is-stated",
        "a-predicate-away-from-a-stated-value",
        "a-missing-value-with-a-slot",
    ),
    "predicates_trees": (
        "an-ensemble-dead-inside-the-ball, of an ensemble",
        "a-plain-predicate-of-an-ensemble-of-a-sensitive-column, of an ensemble",
    ),
    "predicates_sets": (
        "a-category-of-two-values, of an ensemble",
        "a-category-without-a-value, of an ensemble",
        "another-value-inside-the-ball, of an ensemble",
        "a-set-without-its-member, of an ensemble",
        "an-income-that-nobody-leaves, of an ensemble",
    ),
    "centre": ("the-better-slice",),
    "centre_slices": ("the-last-slice-left-out", "a-slice-with-the-other-label"),
    "slots": (
        "another-gap",
        "another-step",
        "another-side-of-a-slot",
        "a-phantom-for-a-live-predicate",
        "a-phantom-with-a-step",
        "one-column-as-two",
        "two-columns-as-one",
    ),
    "slots_trees": ("two-columns-of-an-ensemble-as-one, of an ensemble",),
    "chain": ("the-larger-sum",),
    "chain_trees": ("the-larger-sum-of-an-ensemble, of an ensemble",),
    "cover": ("a-leaf-left-out", "rising-signs"),
    "cover_trees": (
        "a-slice-that-no-leaf-serves, of an ensemble",
        "a-leaf-that-is-not-live-serves, of an ensemble",
        "a-sensitive-sign-of-one-slice-alone, of an ensemble",
    ),
    "cover_slices": ("the-last-slice-of-an-ensemble-left-out, of an ensemble",),
    "nodes": (
        "a-count-that-is-shifted, of an ensemble",
        "a-better-value, of an ensemble",
        "a-node-of-another-slot, of an ensemble",
        "a-value-where-a-row-is, of an ensemble",
        "a-root-that-is-left-out, of an ensemble",
    ),
    "nodes_missing": (
        "a-missing-value-on-the-other-side-of-a-node, of an ensemble",
        "a-side-that-is-turned-afterwards, of an ensemble",
    ),
    "rows": (
        "the-value-of-another-row, of an ensemble",
        "the-larger-child-as-the-least, of an ensemble",
        "a-row-that-goes-the-other-way, of an ensemble",
        "charges-of-another-slot, of an ensemble",
    ),
}
"""By base: lies about the relation that this gadget refuses."""

CHANGED = (
    ("centre", "R-T-SLOT", "another-step", "crossing adds another jump", more("step", 0)),
    ("centre", "R-T-SLOT", "another-last-step", "crossing adds another jump", more("step", -1)),
    ("centre", "R-T-CLOSE", "a-better-base", "the score at the query is one less", more("base", 0)),
    ("centre_trees", "R-T-SLOT", "another-sensitive-step", "passing adds another jump", more("sensitive_step", -1)),
    ("centre_trees", "R-T-CLOSE", "a-better-base", "the score at the query is one less", more("base", 0)),
    ("slots", "R-T-CAPACITY", "a-slot-too-few", "a live predicate has no slot", lambda w: {**w, "dead": [0] * 6}),
    ("chain", "R-T-CHAIN", "a-level-of-ones-choice", "no sum of charges is as large", more("level", -1)),
    ("chain", "R-T-CLOSE", "a-lower-base", "the bound of the score is not positive", more("base", 0, -(1 << 20))),
    ("chain", "R-T-SLOT", "nearer-behind", "a farther threshold has a smaller gap", more("slot_gap2", 0, -850)),
    ("chain_trees", "R-T-CLOSE", "a-lower-score", "trees add much less", more("score", 0, -(1 << 23))),
    ("commitment_additive", "R-COMMITMENT", "another-jump", "the commitment is to another jump", more("jumps", 0)),
    ("commitment_additive", "R-COMMITMENT", "another-bias", "the commitment is to another bias", more("bias", 0)),
    ("commitment_trees", "R-COMMITMENT", "another-leaf", "a leaf has another value", more("node_value", -1)),
    ("commitment_trees", "R-COMMITMENT", "another-predicate", "a node asks another one", more("node_predicate", 0)),
    ("nodes_missing", "R-T-RESOLVE", "a-missing-slice", "a slice lacks a value", more("predicate_away", -1)),
    ("rows", "R-T-CHARGE", "a-better-score", "the rows add one unit less", more("score", 0)),
)
"""Changes of honest wires that alone break a rule."""


def _worth(wires: Wires) -> Wires:
    """Return the wires of an ensemble whose second tree, dead nodes above a leaf of 0, is worth 3."""
    changed = {name: list(wires[name]) for name in ("node_value", "low_reference", "root_value")}
    changed["node_value"][7] = changed["low_reference"][7] = changed["low_reference"][1] = changed["root_value"][1] = 3
    if "score" in wires:
        changed["score"] = [wires["score"][0] + 3 * 2**VALUE_BITS]
    return {**wires, **changed}


KEPT = (
    ("nodes", "a-constant-tree", "a root is the value of the leaf that its dead nodes stand for", _worth),
    ("rows", "a-constant-tree", "a tree of dead nodes counts with its leaf, under the label", _worth),
)
"""Changes of honest wires that break no rule."""


def vectors() -> Named:
    """Yield every vector with its name."""
    for base in BASES:
        yield base, vector_of(base, "accept", "what a search found", "every rule of the gadget holds", lambda w: w)
    for base, names in TOLD.items():
        for name in names:
            told, words = LIES[name](name), name.partition(",")[0]
            wires = Scored(told).alone(circuit_base(base).circuit, 0)
            what, why = words.replace("-", " "), docstring(name)
            yield f"{base}-{words}", vector_of(base, "reject", what, why, lambda _, wires=wires: wires, told.rule)
    for base, name, why, kept in KEPT:
        yield f"{base}-{name}", vector_of(base, "accept", name.replace("-", " "), why, kept)
    for base, rule, name, why, change in CHANGED:
        yield f"{base}-{name}", vector_of(base, "reject", name.replace("-", " "), why, change, rule)


def write() -> None:
    """Write the bases."""
    for name, truth in BASES.items():
        of = Scored(truth())
        circuit = subcircuit(name.partition("_")[0], of.shape)
        wires = {run: [str(value) for value in values] for run, values in of.alone(circuit, 0).items()}
        base = msgspec.json.encode(CircuitBase(circuit, wires))
        (FOLDER / "base" / f"{name}.json").write_bytes(msgspec.json.format(base, indent=1) + b"\n")


if __name__ == "__main__":
    write()
