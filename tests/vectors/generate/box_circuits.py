"""Wires of sub-circuits of boxes: what each gadget accepts, and lies about the relations that break its rules.

`python -m tests.vectors.generate.box_circuits` writes the bases, on purpose only: some are of searches.
"""

from __future__ import annotations

from collections.abc import Callable

import msgspec

from equiproof.circuits.subcircuit import subcircuit
from tests.circuits.box_cases import LIES, OnBox, docstring
from tests.soundness import box_branch_lies, box_choices_lies, box_lies, box_trees_lies, box_values_lies
from tests.soundness.box_told import Told
from tests.vectors.generate.cases import Named
from tests.vectors.generate.circuits import Wires, more, to, vector_of
from tests.vectors.vector import FOLDER, CircuitBase, circuit_base

BASES: dict[str, Callable[[], Told]] = {
    "people": box_lies.opened,
    "people_settled": box_lies.settled,
    "people_columns": box_lies.by_columns,
    "people_choices": box_choices_lies.clerks,
    "people_sets": box_trees_lies.in_sets,
    "people_network": box_branch_lies.open_home,
    "people_values": box_values_lies.opened,
    "sides": box_lies.opened,
    "sides_trees": box_trees_lies.around,
    "sides_missing": box_trees_lies.lacking,
    "sides_sets": box_trees_lies.in_sets,
    "sides_values": box_values_lies.opened,
    "levels": box_lies.opened,
    "levels_refused": box_lies.refused,
    "levels_choices": box_choices_lies.no_nurse,
    "gains": box_lies.opened,
    "gains_settled": box_lies.settled,
    "gains_choices": box_choices_lies.no_nurse,
    "gains_least": box_lies.far_less,
    "falls": box_branch_lies.open_home,
    "falls_numbers": box_branch_lies.straight,
    "falls_columns": box_branch_lies.two_columns,
    "bounds_box": box_branch_lies.open_home,
    "leaf_box": box_branch_lies.open_home,
    "leaf_box_numbers": box_branch_lies.straight,
    "leaf_box_labels": box_branch_lies.third_label,
    "centre_box": box_trees_lies.around,
    "slots_box": box_trees_lies.around,
    "chain_box": box_trees_lies.around,
    "chain_values": box_values_lies.opened,
    "chain_values_settled": box_values_lies.settled,
    "chain_values_renting": box_values_lies.by_renting,
    "chain_values_owning": box_values_lies.by_owning,
    "chain_values_nobody": box_values_lies.by_both,
    "chain_values_helping": box_values_lies.helping,
    "cover_box": box_trees_lies.around,
    "rows_box": box_trees_lies.around,
    "commitment_box": box_lies.opened,
    "commitment_box_network": box_branch_lies.open_home,
    "digest_box": box_lies.opened,
}
"""By name: the honest witness; the gadget's name is in front. Of those about one slice or leaf it is the first one."""

NUMBERS = {"falls_columns": 1}
"""By base: which slice or leaf it is, where it is not the first one."""

TOLD = {
    "people": (
        "a-value-that-is-half-open", "a-category-with-two-values", "a-value-beyond-its-high", "an-end-too-wide",
    ),
    "people_settled": ("a-box-without-anybody", "a-box-upside-down", "an-open-category-without-a-value"),
    "people_sets": ("an-open-home-of-sets",),
    "people_network": (
        "thirds-of-homes", "a-network-and-two-homes", "a-network-and-no-home", "an-open-home-that-is-not-free",
    ),
    "people_values": ("people-of-trees-with-two-homes",),
    "sides": (
        "a-least-end-of-another-column",
        "a-threshold-that-counts-as-an-open-categorys",
        "a-jump-that-counts-as-passed",
        "a-jump-that-nobody-is-said-to-pass",
        "a-slice-with-the-value-of-another",
        "a-threshold-of-a-box-twice",
        "a-box-without-anybody",
        "a-category-with-two-values",
    ),
    "sides_trees": (
        "an-end-of-another-column-of-trees",
        "a-predicate-that-nobody-is-said-to-pass",
        "a-predicate-that-everybody-is-said-to-pass",
        "thresholds-of-trees-that-descend",
    ),
    "sides_values": ("people-of-trees-with-two-homes",),
    "sides_missing": ("others-than-those-who-lack-a-value", "a-missing-home-that-is-stated"),
    "levels": (
        "the-better-slice-of-a-box",
        "a-largest-end-of-another-column",
        "columns-that-are-one-column",
        "a-column-that-is-two",
        "a-step-that-is-not-taken",
        "a-step-that-everybody-takes",
        "a-least-gain-too-small",
        "a-tie-in-the-box",
        "the-other-label",
    ),
    "levels_refused": ("a-tie-in-the-box-of-the-other-label",),
    "levels_choices": ("a-tie-without-sensitive-thresholds",),
    "gains": (
        "a-value-that-adds-more",
        "gains-of-the-other-value",
        "the-better-value",
        "a-category-that-adds-nothing",
        "a-largest-end-of-another-column",
        "a-value-that-is-half-open",
    ),
    "gains_settled": ("a-settled-category-that-adds", "a-box-without-anybody"),
    "gains_choices": (
        "the-leasts-of-two-categories-exchanged",
        "a-first-category-that-adds-nothing",
        "a-second-category-that-adds-nothing",
    ),
    "falls": ("the-better-home-of-a-neuron", "a-network-and-two-homes", "a-least-weight-of-a-settled-home-too-large"),
    "falls_numbers": (
        "a-weight-that-counts-as-below-0",
        "a-weight-that-counts-as-above-0",
        "a-largest-value-too-small",
        "a-least-value-too-large",
        "a-largest-value-too-large",
        "a-least-value-too-small",
        "a-box-of-a-network-without-anybody",
    ),
    "bounds_box": ("the-better-home-of-a-bound", "an-open-home-that-is-not-free"),
    "leaf_box": ("the-better-home-of-a-leaf", "a-home-that-nobody-has", "a-network-and-no-home"),
    "leaf_box_numbers": (
        "a-column-that-falls-by-nothing",
        "a-column-that-rises",
        "a-column-that-does-not-count",
        "a-fraction-of-a-sign",
        "a-tie-of-a-network-in-the-box",
        "a-form-that-is-nothing",
        "a-box-of-a-network-upside-down",
    ),
    "slots_box": ("a-step-of-ones-choice",),
    "chain_box": ("a-level-that-is-higher", "a-smaller-bias"),
    "chain_values": (
        "people-of-trees-with-two-homes",
        "a-slot-that-neither-a-level-nor-a-value-has",
        "a-slot-of-no-category-that-is-said-to-be-open",
        "a-value-of-trees-that-adds-more",
        "gains-of-trees-that-values-share",
        "a-value-that-is-said-to-be-stayed",
        "a-value-that-everybody-is-said-to-have",
        "the-better-value-of-trees",
        "a-value-without-a-slot-that-adds",
        "a-tie-of-open-homes",
    ),
    "chain_values_settled": (
        "a-home-of-trees-that-is-half-open",
        "an-open-home-of-trees-without-a-value",
        "a-settled-category-of-trees-that-adds",
    ),
    "chain_values_renting": ("a-crossed-slot-of-another-value",),
    "chain_values_owning": ("a-value-that-takes-back-what-is-crossed",),
    "chain_values_nobody": ("a-least-gain-of-nobody-too-large",),
    "chain_values_helping": ("a-tie-of-homes-that-help",),
    "cover_box": ("cells-that-no-leaf-holds",),
    "rows_box": ("the-larger-child", "a-charge-that-nobody-pays"),
}  # fmt: skip
"""By base: lies about the relation that this gadget refuses."""


def without_clerks(wires: Wires) -> Wires:
    """Make the last slot, which is of clerks, that of a column that nobody has, with a level in place of a gain."""
    moved = to("slot_column", -1, box_values_lies.SPEC.plain_columns)(to("slot_open", -1, 0)(wires))
    return to("gain", box_values_lies.at(box_values_lies.CLERK), 0)(to("least", 1, 0)(moved))


def far_apart(wires: Wires) -> Wires:
    """Put a predicate of a column before one of the column before it, with a threshold that is much less."""
    found = {name: [*values] for name, values in wires.items()}
    for place, column, threshold in ((3, 1, -100_000), (4, 0, 100_000)):
        low, high = (found[name][column] for name in ("box_low", "box_high"))
        found["columns"][place], found["thresholds"][place] = column, threshold
        found["low_at"][place], found["high_at"][place] = low, high
        found["side_low"][place], found["side_high"][place] = int(low <= threshold), int(high <= threshold)
    return found


SETS = "somebody without a value is in no set"

CHANGED = (
    ("sides_sets", "R-T-SETS", "no-value", SETS, lambda w: {**w, "box_low": w["box_low"][:1] + [w["box_low"][2]] * 2}),
    ("sides", "R-T-ORDER", "columns-that-descend-by-far", "what thresholds ascend by makes up for it", far_apart),
    (
        "sides_values",
        "R-T-ORDER",
        "the-last-threshold-twice",
        "it is that of the one before it",
        to("thresholds", -1, 0),
    ),
    ("falls_columns", "R-X-FIRST", "a-last-neuron-that-falls-less", "its least value is less", more("low.1", -1)),
    ("gains", "R-X-GAIN", "a-number-that-adds", "the income adds what a home would", to("loose_at", 1, 1)),
    ("levels", "R-X-LEVEL", "columns-that-descend", "its column stands twice", more("columns", 4, 2)),
    ("levels", "R-X-CLOSE", "a-lower-gain", "the category adds one less than it is said to", more("least", 0, -1)),
    ("levels", "R-X-CLOSE", "a-lower-bias", "the score is one less", more("bias", 0, -1)),
    ("centre_box", "R-T-SLOT", "another-step", "crossing adds another jump", more("step", 0)),
    ("centre_box", "R-T-CLOSE", "a-better-base", "the score at the least ends is one less", more("base", 0)),
    ("slots_box", "R-T-CAPACITY", "a-slot-too-few", "a live predicate has no slot", lambda w: {**w, "dead": [0] * 6}),
    ("chain_box", "R-T-CLOSE", "a-lower-score", "trees add much less", more("score", 0, -(1 << 20))),
    ("chain_values", "R-X-GAIN", "a-column-of-nobody", "no predicate reads it", without_clerks),
    ("chain_values", "R-X-ENDS", "an-income-of-nobody", "its ends are upside down", to("box_high", 0, -31)),
    ("commitment_box", "R-X-BOX", "another-least-end", "the commitment is to another box", more("box_low", 0)),
    ("commitment_box", "R-X-BOX", "another-largest-end", "the commitment is to another box", more("box_high", -1, -1)),
    ("commitment_box", "R-X-BOX", "another-blinding", "it opens another commitment", more("box_blinding", 0)),
    ("commitment_box", "R-COMMITMENT", "another-jump", "the commitment is to another jump", more("jumps", 0)),
    ("commitment_box", "R-DOMAIN", "another-table", "the digest is that of another table", more("table", 0)),
    ("commitment_box_network", "R-COMMITMENT", "another-weight", "the commitment is to another", more("weights.1", 0)),
    ("digest_box", "R-STATEMENT", "another-box", "the digest is about another box", more("box_commitment", 0)),
    ("digest_box", "R-STATEMENT", "another-label", "the digest is about the other label", to("label", 0, 0)),
    ("digest_box", "R-STATEMENT", "another-digest", "it is no statement's", more("statement_digest", 0)),
)
"""Changes of honest wires that alone break a rule."""


def vectors() -> Named:
    """Yield every vector with its name."""
    for base in BASES:
        yield base, vector_of(base, "accept", "what is true of a box", "every rule of the gadget holds", lambda w: w)
    for base, names in TOLD.items():
        for name in names:
            told = LIES[name](name)
            circuit = circuit_base(base).circuit
            wires = OnBox(told).alone(circuit, NUMBERS.get(base, 0))
            what, why = name.replace("-", " "), docstring(name)
            yield f"{base}-{name}", vector_of(base, "reject", what, why, lambda _, wires=wires: wires, told.rule)
    for base, rule, name, why, change in CHANGED:
        yield f"{base}-{name}", vector_of(base, "reject", name.replace("-", " "), why, change, rule)


def write() -> None:
    """Write the bases."""
    for name, truth in BASES.items():
        of = OnBox(truth())
        circuit = subcircuit(name.partition("_")[0], of.shape)
        wires: Wires = of.alone(circuit, NUMBERS.get(name, 0))
        texts = {run: [str(value) for value in values] for run, values in wires.items()}
        base = msgspec.json.encode(CircuitBase(circuit, texts))
        (FOLDER / "base" / f"{name}.json").write_bytes(msgspec.json.format(base, indent=1) + b"\n")


if __name__ == "__main__":
    write()
