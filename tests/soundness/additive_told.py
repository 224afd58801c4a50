"""Wires about additive models, the statements that they open, and the register of those that lie.

Where a lie changes what other wires follow from, these are filled anew, so that nothing but the broken rule refuses it.
"""

from __future__ import annotations

from collections.abc import Callable
from copy import deepcopy
from dataclasses import dataclass, replace
from itertools import accumulate

from equiproof.certify.trees.evidence import AdditiveEvidence
from equiproof.circuits.additive_parameters import AdditiveParameters
from equiproof.circuits.field import ORDER
from equiproof.circuits.link_shape import LinkShape
from equiproof.circuits.shape import Shape
from equiproof.circuits.statement import Statement, start
from equiproof.circuits.widths import Interval, signed
from equiproof.prover.witness.additive import Slot, distances, least_levels
from equiproof.prover.witness.relation import Secrets, fill
from tests.prover.additive_case import Case
from tests.soundness.cheating_owner import CONTEXT_DIGEST, SPEC_DIGEST, Wires, continued, hashed, shown_by

HALF = pow(2, -1, ORDER)


@dataclass(frozen=True)
class Told:
    """Wires under a shape; `rule` is the one they break, none for an honest witness."""

    rule: str
    shape: Shape
    wires: Wires

    @property
    def public(self) -> int:
        """The digest of the statement that these wires open."""
        return continued(start(self.shape), *stated(self.shape, self.wires).elements())


def filled(evidence: AdditiveEvidence, case: Case, slots: int, capacity: int) -> Told:
    """Return the wires of evidence as it is."""
    shape = case.shape(slots, capacity)
    blank = Statement(0, SPEC_DIGEST, 0, 0, evidence.label, evidence.radius_squared, CONTEXT_DIGEST)
    secrets = Secrets(case.model, 7, case.query, 9, case.spec.domain_table, case.spec.box)
    return Told("", shape, deepcopy(fill(shape, blank, secrets, evidence)))


def stated(shape: Shape, wires: Wires) -> Statement:
    """Return the statement that these wires open."""
    a, entry = shape.architecture, signed(shape.input_bits)
    domain = [*wires["table"], *wires["range_low"], *wires["range_high"]] if shape.ranges else wires["table"]
    query, table = (packed([(value, entry) for value in values]) for values in (wires["query"], domain))
    sizes = [a.plain, a.sensitive, shape.slices, shape.input_fraction_bits, shape.input_bits]
    asked = [a.plain, shape.input_bits, len(query), wires["query_blinding"][0]]
    return Statement(
        model_commitment=wires["model_commitment"][0] if shape.kept else scored_commitment(shape, wires),
        spec_digest=SPEC_DIGEST,
        domain_digest=hashed(f"equiproof.domain{'.ranges' * shape.ranges}", *sizes, len(table), *table),
        query_commitment=hashed("equiproof.query", *asked, *query),
        label=wires["label"][0] % ORDER,
        radius_squared=wires["radius_squared"][0] % ORDER,
        context_digest=CONTEXT_DIGEST,
        shown=shown_by(shape, wires) if shape.kept else None,
    )


def scored_commitment(shape: Shape | LinkShape, wires: Wires) -> int:
    """Return the commitment that these wires of an additive model or an ensemble open."""
    model = packed(numbers_of(shape, wires) + (nodes_of(shape, wires) if shape.has_nodes else []))
    (spec,), (blinding,) = wires["spec_digest"], wires["model_blinding"]
    return hashed("equiproof.trees", len(model), shape.architecture.digest, spec, blinding, *model)


def numbers_of(shape: Shape | LinkShape, wires: Wires) -> list[tuple[int, Interval]]:
    """Return the numbers of an additive model with their intervals, in the order of its commitment."""
    a = shape.architecture
    column = Interval(0, a.columns + a.sensitive - 1)
    numbers = []
    for place, threshold in zip(wires["columns"], wires["thresholds"], strict=True):
        numbers += [(place, column), (threshold, signed(shape.input_bits))]
    numbers += [(jump, signed(a.weight_bits[0])) for jump in wires["jumps"]]
    return [*numbers, (wires["bias"][0], signed(a.bias_bits[0]))]


def nodes_of(shape: Shape | LinkShape, wires: Wires) -> list[tuple[int, Interval]]:
    """Return the numbers of an ensemble's nodes with their intervals, in the order of its commitment."""
    place = Interval(0, max(1, sum(shape.architecture.predicate_counts) - 1))
    kinds = zip(wires["node_low"], wires["node_high"], strict=True)
    return [
        *((predicate, place) for predicate in wires["node_predicate"]),
        *((kind, Interval(0, 1)) for pair in kinds for kind in pair),
        *((high, Interval(0, 1)) for high in wires.get("node_missing", ())),
        *((value, signed(shape.architecture.weight_bits[0])) for value in wires["node_value"]),
        *((member, Interval(0, 1)) for member in wires.get("sets", ())),
    ]


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

Honest = Callable[[], Told]
"""What makes an honest witness."""

LIES: dict[str, tuple[str, Honest, Lie, bool]] = {}
"""By name: the rule that is broken, the honest witness, the change, and whether levels are filled anew behind it."""


def lie(rule: str, of: Honest, refilled: bool = False) -> Callable[[Lie], Lie]:
    """Register a change of honest wires as a lie that breaks a rule."""

    def register(change: Lie) -> Lie:
        LIES[change.__name__.replace("_", "-")] = (rule, of, change, refilled)
        return change

    return register


def told(name: str) -> Told:
    """Return the witness of a lie."""
    rule, of, change, refilled = LIES[name]
    found = replace(of(), rule=rule)
    change(found.wires)
    if refilled:
        again(found)
    return found
