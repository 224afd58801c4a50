"""Witnesses about additive models: honest ones, and for every rule of docs/relation-trees.md ones that break only it.

Where a lie changes what other wires follow from, these are filled anew, so that nothing but the broken rule refuses it.
"""

from __future__ import annotations

from collections.abc import Callable
from copy import deepcopy
from dataclasses import dataclass, replace
from itertools import accumulate

from equiproof.certify.trees.evidence import AdditiveEvidence
from equiproof.circuits.additive_parameters import AdditiveParameters
from equiproof.circuits.commitment import tag
from equiproof.circuits.field import ORDER
from equiproof.circuits.poseidon2 import hash_elements
from equiproof.circuits.shape import Shape
from equiproof.circuits.statement import Statement
from equiproof.circuits.widths import Interval, signed
from equiproof.prover.witness.additive import Slot, distances, least_levels
from equiproof.prover.witness.relation import Secrets, fill
from tests.prover.additive_case import Case, additive_model
from tests.soundness.cheating_owner import CONTEXT_DIGEST, SPEC_DIGEST, Wires
from tests.support import LOANS

HALF = pow(2, -1, ORDER)
PREDICATES = ((0, -30, 40), (0, -10, 60), (0, 20, -50), (0, 45, -70), (1, 15, -40), (1, 70, 30), (3, 0, -5))
"""Around (0, 0, 0): two thresholds of column 0 below, two above; two of column 1 above; one of the sensitive column."""

CASE = Case(additive_model(LOANS, PREDICATES, 40), LOANS, (0, 0, 0))
EXACT = CASE.exact()
SLOTS, CAPACITY = 6, 8


@dataclass(frozen=True)
class Told:
    """Wires under a shape; `rule` is the one they break, none for an honest witness."""

    rule: str
    shape: Shape
    wires: Wires

    @property
    def public(self) -> int:
        """The digest of the statement that these wires open."""
        return stated(self.shape, self.wires).digest(self.shape)


def filled(evidence: AdditiveEvidence, case: Case = CASE, slots: int = SLOTS, capacity: int = CAPACITY) -> Told:
    """Return the wires of evidence as it is."""
    shape = case.shape(slots, capacity)
    blank = Statement(0, SPEC_DIGEST, 0, 0, evidence.label, evidence.radius_squared, CONTEXT_DIGEST)
    secrets = Secrets(case.model, 7, case.query, 9, case.spec.domain_table, None)
    return Told("", shape, deepcopy(fill(shape, blank, secrets, evidence)))


def honest() -> Told:
    """Return evidence of the exact radius."""
    return filled(CASE.evidence(EXACT))


def nothing_live() -> Told:
    """Return evidence of the radius 0: every predicate is dead, and one leaf holds the query's own cell."""
    return filled(CASE.evidence(0))


def one_leaf() -> Told:
    """Return evidence of one leaf in which all four slots are free, so that it covers any cells."""
    evidence = CASE.evidence(901)
    assert [leaf.signs for leaf in evidence.leaves] == [(0, 0, 0, 0)]
    assert evidence.leaves[0].multiplier > 0
    return filled(evidence)


def stated(shape: Shape, wires: Wires) -> Statement:
    """Return the statement that these wires open."""
    a, entry = shape.architecture, signed(shape.input_bits)
    column = Interval(0, a.plain + a.sensitive - 1)
    numbers = []
    for place, threshold in zip(wires["columns"], wires["thresholds"], strict=True):
        numbers += [(place, column), (threshold, entry)]
    numbers += [(jump, signed(a.weight_bits[0])) for jump in wires["jumps"]]
    model = packed([*numbers, (wires["bias"][0], signed(a.bias_bits[0]))])
    query, table = (packed([(value, entry) for value in wires[name]]) for name in ("query", "table"))
    sizes = [a.plain, a.sensitive, shape.slices, shape.input_fraction_bits, shape.input_bits]
    head = [tag("equiproof.trees"), 2, len(model), a.digest, SPEC_DIGEST, wires["model_blinding"][0]]
    asked = [tag("equiproof.query"), 2, a.plain, shape.input_bits, len(query), wires["query_blinding"][0]]
    return Statement(
        model_commitment=hash_elements(head + model),
        spec_digest=SPEC_DIGEST,
        domain_digest=hash_elements([tag("equiproof.domain"), 2, *sizes, len(table), *table]),
        query_commitment=hash_elements(asked + query),
        label=wires["label"][0] % ORDER,
        radius_squared=wires["radius_squared"][0] % ORDER,
        context_digest=CONTEXT_DIGEST,
    )


def packed(values: list[tuple[int, Interval]]) -> list[int]:
    """Pack as the circuit does, whatever the values are."""
    found, used = [], 248
    for value, interval in values:
        if used + interval.bits > 248:
            found.append(0)
            used = 0
        found[-1] = (found[-1] + ((value - interval.low) << used)) % ORDER
        used += interval.bits
    return found


def again(told: Told) -> None:
    """Fill levels and what is taken anew, from the wires of the slots and the signs.

    Columns are told by the claims of `same`, as the circuit does.
    """
    wires, count = told.wires, told.shape.slot_count
    wires = dict(wires)
    wires["slot_column"] = list(accumulate((0, *wires["same"]), lambda column, same: column + 1 - same))
    slots = [
        Slot(*of)
        for of in zip(*(wires[f"slot_{name}"] for name in ("column", "gap2", "side", "step", "live")), strict=True)
    ]
    deltas, scale = distances(slots), AdditiveParameters.of(told.shape).scale
    levels: list[int] = []
    taken: list[int] = []
    for k, multiplier in enumerate(wires["multiplier"]):
        charges = [(slot.step << scale) + multiplier * delta for slot, delta in zip(slots, deltas, strict=True)]
        row, bits = least_levels(slots, charges, wires["signs"][k * count : (k + 1) * count])
        levels, taken = levels + row, taken + bits
    told.wires["level"], told.wires["taken"] = levels, taken


Lie = Callable[[Wires], None]
"""What changes honest wires."""

LIES: dict[str, tuple[str, Callable[[], Told], Lie]] = {}
"""By name: the rule that is broken, the honest witness, and the change."""


def lie(rule: str, of: Callable[[], Told] = honest) -> Callable[[Lie], Lie]:
    """Register a change of honest wires as a lie that breaks a rule."""

    def register(change: Lie) -> Lie:
        LIES[change.__name__.replace("_", "-")] = (rule, of, change)
        return change

    return register


def told(name: str) -> Told:
    """Return the witness of a lie."""
    rule, of, change = LIES[name]
    found = replace(of(), rule=rule)
    change(found.wires)
    if rule == "R-T-SLOT":
        again(found)
    return found


@lie("R-RANGE")
def a_multiplier_below_0(wires: Wires) -> None:
    """A negative lambda of a leaf that is not live."""
    wires["multiplier"][-1] = -1


@lie("R-RANGE")
def a_threshold_too_wide(wires: Wires) -> None:
    """A threshold that packs into its neighbor's bits."""
    wires["thresholds"][5] = 1 << 17
    wires["dead"][5] = 1


@lie("R-T-ORDER")
def a_plain_predicate_of_a_sensitive_column(wires: Wires) -> None:
    """A column that is none of the query's."""
    wires["columns"][6] = 2


@lie("R-T-ORDER")
def a_threshold_twice(wires: Wires) -> None:
    """The last two predicates of column 1 are one; the second is not live."""
    wires["thresholds"][5] = wires["thresholds"][4]


@lie("R-T-SIDE")
def a_value_of_another_column(wires: Wires) -> None:
    """The query's value of a predicate is one that the query does not have."""
    wires["at"][5] = 1


@lie("R-T-SIDE")
def another_side_of_a_dead_predicate(wires: Wires) -> None:
    """The query counts as above a threshold that it is below of: the jump behind it counts for it."""
    wires["side"][5] = 0


@lie("R-T-SIDE")
def another_side_of_a_slice(wires: Wires) -> None:
    """A slice's value counts as below a threshold that it is above of."""
    wires["side_of_slice"] = [1, 1]


@lie("R-T-SIDE")
def a_value_of_another_slice(wires: Wires) -> None:
    """Both slices are proven with the value of the first one."""
    wires["sensitive_at"] = [wires["sensitive_at"][0]] * 2
    wires["side_of_slice"] = [wires["side_of_slice"][0]] * 2
    wires["worst"] = [0]


@lie("R-T-SLICES")
def the_better_slice(wires: Wires) -> None:
    """The label gains what it gains on the better slice."""
    wires["worst"] = [wires["worst"][0] + 1]


@lie("R-T-DEAD", nothing_live)
def dead_inside_the_ball(wires: Wires) -> None:
    """All predicates stay dead under a radius that reaches them."""
    wires["radius_squared"] = [101]


@lie("R-T-CAPACITY")
def a_live_predicate_without_a_slot(wires: Wires) -> None:
    """One live predicate more than there are live slots."""
    wires["dead"][5] = 0


@lie("R-T-SLOT", one_leaf)
def a_phantom_for_a_live_predicate(wires: Wires) -> None:
    """The last live slot has the numbers of its phantom: crossing it costs nothing."""
    for name, value in (("column", 3 + 4), ("gap2", 0), ("side", 1), ("step", 0)):
        wires[f"slot_{name}"][3] = value


@lie("R-T-SLOT", one_leaf)
def a_phantom_with_a_step(wires: Wires) -> None:
    """The slot behind the last live one is worth something to the label."""
    wires["slot_step"][5] = 1000


@lie("R-T-SLOT", one_leaf)
def a_phantom_with_a_gap(wires: Wires) -> None:
    """The slot behind the last live one is far away."""
    wires["slot_gap2"][5] = 1000


@lie("R-T-SLOT", one_leaf)
def another_gap(wires: Wires) -> None:
    """A slot is farther away than its predicate."""
    wires["slot_gap2"][3] += 1


@lie("R-T-SLOT", one_leaf)
def another_step(wires: Wires) -> None:
    """Crossing a slot costs less than its predicate's jump."""
    wires["slot_step"][3] += 1


@lie("R-T-SLOT", one_leaf)
def one_column_as_two(wires: Wires) -> None:
    """Two thresholds of a column are independent: their distances add up."""
    wires["same"][0] = 0


@lie("R-T-SLOT", one_leaf)
def two_columns_as_one(wires: Wires) -> None:
    """Thresholds of two columns are a chain: who crosses the outer one crosses the nearer one."""
    wires["same"][2] = 1


@lie("R-T-LEAF")
def half_a_sign(wires: Wires) -> None:
    """A slot that is half crossed, in a leaf that is not live."""
    wires["signs"][-1] = HALF


@lie("R-T-LEAF")
def a_sign_of_two(wires: Wires) -> None:
    """A slot that is crossed twice, in a leaf that is not live."""
    wires["signs"][-1] = 2


@lie("R-T-CHAIN")
def a_crossing_left_out(wires: Wires) -> None:
    """A crossed slot whose crossing does not count."""
    at = next(i for i, sign in enumerate(wires["signs"]) if sign == 1)
    wires["taken"][at], wires["level"][at] = 0, 0


@lie("R-T-CHAIN")
def a_level_of_ones_choice(wires: Wires) -> None:
    """A level that no charge leads to."""
    wires["level"][-1] = 1


@lie("R-T-CLOSE")
def a_radius_too_large(wires: Wires) -> None:
    """A radius beyond the exact one, with the same leaves."""
    wires["radius_squared"] = [EXACT + 1]


@lie("R-T-CLOSE")
def a_use_of_minus_one(wires: Wires) -> None:
    """A leaf that is used the other way round, and not live."""
    wires["used"][-1] = -1


@lie("R-T-CLOSE", nothing_live)
def the_own_cell_by_distance(wires: Wires) -> None:
    """At the radius 0 the query's own cell is as far away as the radius."""
    wires["used"][0] = 0


@lie("R-T-CLOSE", nothing_live)
def a_tie(wires: Wires) -> None:
    """The score at the query is 0 on the worst slice."""
    wires["bias"] = [wires["bias"][0] - CASE.margin({0, 1})]


@lie("R-T-CLOSE", nothing_live)
def the_other_label(wires: Wires) -> None:
    """The label that the model does not decide."""
    wires["label"] = [1 - wires["label"][0]]
    wires["worst"] = [0]
    for name in ("slot_step",):
        wires[name] = [-step for step in wires[name]]


@lie("R-T-CLOSE")
def half_a_leaf(wires: Wires) -> None:
    """Two leaves of everything count by a half and by minus a half."""
    wires["leaf_live"][-2:] = [HALF, -HALF]


@lie("R-T-COVER")
def a_leaf_left_out(wires: Wires) -> None:
    """The first leaf is not live, so nobody proves its cells."""
    wires["leaf_live"][0] = 0


@lie("R-T-COVER", nothing_live)
def a_leaf_twice(wires: Wires) -> None:
    """One leaf stands twice: everything is covered twice."""
    wires["leaf_live"][1], wires["used"][1] = 1, 1


@lie("R-T-COVER", nothing_live)
def half_of_the_cells(wires: Wires) -> None:
    """A leaf fixes a phantom, and nothing holds the other half of the cells."""
    wires["signs"][5] = -1


@lie("R-T-COVER")
def rising_signs(wires: Wires) -> None:
    """A leaf that is not above a threshold of column 0 but above the next one, where nobody is; it is not live."""
    at = 7 * SLOTS
    wires["signs"][at + 2], wires["signs"][at + 3] = -1, 1
