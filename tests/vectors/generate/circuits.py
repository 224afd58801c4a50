"""Wires of sub-circuits of scheme `branch`: what each gadget accepts, and what breaks one rule of it."""

from __future__ import annotations

from collections.abc import Callable

from equiproof.circuits.field import to_hex
from tests.circuits.tiny_cases import altered, instance_digest
from tests.vectors.generate.cases import Named
from tests.vectors.vector import CircuitVector, circuit_base

Wires = dict[str, list[int]]


def to(name: str, number: int, value: int) -> Callable[[Wires], Wires]:
    """Return the change that sets a wire."""
    return lambda wires: altered(wires, name, number, value)


def more(name: str, number: int, by: int = 1) -> Callable[[Wires], Wires]:
    """Return the change that adds to a wire."""
    return lambda wires: altered(wires, name, number, wires[name][number] + by)


def crossed(layer: int) -> Callable[[Wires], Wires]:
    """Return the change that swaps a neuron's bounds, of which the lower one is smaller."""

    def change(wires: Wires) -> Wires:
        low, high = wires[f"low.{layer}"][0], wires[f"high.{layer}"][0]
        return altered(altered(wires, f"low.{layer}", 0, high), f"high.{layer}", 0, low)

    return change


def of_the_other_sign(wires: Wires) -> Wires:
    """Call a negative weight positive, so that P is below 0."""
    return altered(wires, "negative_weight.2", next(i for i, w in enumerate(wires["weights.2"]) if w < 0), 0)


def reaching_further(wires: Wires) -> Wires:
    """Make r of a neuron larger, and its bounds as much wider."""
    return more("first_radii", 1, 9)(more("low.1", 1, -9)(more("high.1", 1, 9)(wires)))


def of_the_centre(wires: Wires) -> Wires:
    """Make the bounds of the last neuron those of its value at the centre."""
    radius = wires["first_radii"][-1]
    return more("low.1", -1, radius)(more("high.1", -1, -radius)(wires))


def without_the_root(wires: Wires) -> Wires:
    """Make the first split row, the root of its slice, the second one again."""
    return to("key", 0, wires["key"][1])(to("digit", 0, wires["digit"][1])(wires))


def wider(layer: int) -> Callable[[Wires], Wires]:
    """Return the change that makes the bounds of a neuron wider."""
    return lambda wires: more(f"low.{layer}", 0, -9)(more(f"high.{layer}", 0, 9)(wires))


def negated(name: str) -> Callable[[Wires], Wires]:
    """Return the change that turns the sign of a wire."""
    return lambda wires: altered(wires, name, 0, -wires[name][0])


def past(name: str, other: str, by: int, at: int = 0) -> Callable[[Wires], Wires]:
    """Return the change that sets a bound beside the other one, on its far side."""
    return lambda wires: altered(wires, name, at, wires[other][at] + by)


def swapped(wires: Wires) -> Wires:
    """Swap the first two leaves."""
    neurons = len(wires["signs"]) // 4
    signs = wires["signs"]
    return {**wires, "signs": signs[neurons : 2 * neurons] + signs[:neurons] + signs[2 * neurons :]}


def of_both(wires: Wires) -> Wires:
    """Split a row by two neurons at once."""
    first, second = (1 << wires["digit"][0].bit_length() - 1 + 4 * number for number in range(2))
    return altered(wires, "digit", 0, first + second)


def around(name: str, by: int) -> Callable[[Wires], Wires]:
    """Return the change that sets an end of the first column's range beside the query."""
    return lambda wires: altered(wires, name, 0, wires["query"][0] + by)


FAR = 1 << 20

ACCEPTED = [
    ("first_bounds", "wider", "bounds need only hold", wider(1)),
    ("first_bounds", "larger-radius", "r is any number from sqrt(R2) |c| up to the bounds", reaching_further),
    ("relaxation", "higher-line", "a line may be any distance above the neuron", more("offset.1", 0, 1000)),
    ("relaxation", "any-lower-slope", "every slope from 0 to 1 is a lower line", to("lower.1", 0, 77)),
    ("bounds", "wider", "bounds need only hold", wider(2)),
    ("tree", "swapped", "the order of leaves says nothing", swapped),
    ("leaf", "smaller-ball", "what holds on a ball holds on a smaller one", to("radius_squared", 0, 7)),
    ("leaf", "slope-of-a-fixed-neuron", "a lower slope is for free neurons", to("leaf_lower.1", 0, 5)),
    ("leaf_inside", "narrower", "what holds in a range holds in a narrower one", around("range_low", 0)),
]

REFUSED = [
    ("first_bounds", "R-B-FIRST", "lower-bound", "a value of the ball lies below", past("low.1", "high.1", 0)),
    ("first_bounds", "R-B-FIRST", "upper-bound", "a value of the ball lies above", past("high.1", "low.1", 0)),
    ("first_bounds", "R-B-FIRST", "no-radius", "the bounds are the centre's, not the ball's", to("first_radii", 0, 0)),
    ("first_bounds", "R-B-FIRST", "larger-ball", "the radii are of a smaller ball", to("radius_squared", 0, 4095)),
    ("first_bounds", "R-RANGE", "negative-radius", "the square of r below 0 is as large", negated("first_radii")),
    ("relaxation", "R-B-RELAXATION", "upper-end", "at high the line is below the neuron", to("high.1", 0, FAR)),
    ("relaxation", "R-B-RELAXATION", "lower-end", "at low the line is below 0", to("low.1", 0, -FAR)),
    ("relaxation", "R-RANGE", "slope-above-1", "A z is above the neuron right of 0", to("lower.1", 0, 257)),
    ("relaxation", "R-RANGE", "slope-below-0", "A z is above the neuron left of 0", to("lower.1", 0, -1)),
    ("bounds", "R-B-BOUND", "lower-bound", "the form of the row shows no such bound", past("low.2", "high.2", 1)),
    ("bounds", "R-B-BOUND", "upper-bound", "the negated row's form shows none such", past("high.2", "low.2", -1)),
    ("bounds", "R-B-RADIUS", "no-radius", "the form changes on the ball by more than r", to("radius.2.0", 0, 0)),
    ("bounds", "R-B-BACKWARD", "coefficient", "it is not the product with the weights", more("coefficients.2.0", 0)),
    ("bounds", "R-B-BACKWARD", "constant", "it is not the product with the biases", more("constant.2.1", 1)),
    ("bounds", "R-B-BACKWARD", "other-weights", "the passes are those of other weights", more("weights.1", 0)),
    ("bounds", "R-B-BACKWARD", "negative-part", "below 0, P takes the lower line for an upper", of_the_other_sign),
    ("bounds", "R-RANGE", "negative-radius", "with r below 0 every bound holds", negated("radius.2.0")),
    ("tree", "R-B-KEY", "two-slices", "a leaf of two slices has the key of a third", to("chosen_slice", 1, 1)),
    ("tree", "R-B-KEY", "no-slice", "a leaf of no slice has the key of slice 0", to("chosen_slice", 0, 0)),
    ("tree", "R-B-ROOT", "no-root", "no row is the whole ball of slice 0", to("key", 0, 1)),
    ("tree", "R-B-SPLIT", "same-halves", "points with the neuron off are in no leaf", to("signs", 3, 1)),
    (
        "tree",
        "R-B-SPLIT",
        "other-neuron",
        "the half fixes another neuron",
        lambda w: to("signs", 3, 0)(to("signs", 4, -1)(w)),
    ),
    ("tree", "R-B-SPLIT", "freed", "the half is the row itself again", to("signs", 0, 0)),
    ("tree", "R-B-SPLIT", "further", "the half fixes a second neuron besides", to("signs", 1, 1)),
    ("tree", "R-B-SPLIT", "two-neurons", "two quarters of the row are in no leaf", of_both),
    ("tree", "R-B-SPLIT", "no-neuron", "a row that is its own halves never ends", to("digit", 0, 0)),
    ("leaf", "R-B-LEAF", "two-slices", "lines of two slices bound neither", to("chosen_slice", 1, 1)),
    ("leaf", "R-B-LEAF", "larger-ball", "the form is not positive so far out", to("radius_squared", 0, 4095)),
    ("leaf", "R-B-BACKWARD", "other-line", "the pass is under another line", more("offset.1", 1, 1000)),
    ("leaf", "R-B-BACKWARD", "freed", "the multiplier is of a sign that the leaf does not have", to("signs", 0, 0)),
    (
        "leaf",
        "R-B-BACKWARD",
        "other-label",
        "the margin is the other label's",
        lambda w: to("label", 0, 1 - w["label"][0])(w),
    ),
    ("leaf", "R-B-BACKWARD", "coefficient", "it is not the product with the weights", more("coefficients.3.0", 0)),
    ("leaf", "R-B-BACKWARD", "constant", "it is not the product with the biases", more("constant.3.1", 0)),
    ("leaf", "R-RANGE", "slope-above-1", "A z is above the neuron right of 0", to("leaf_lower.1", 0, 257)),
    ("leaf_inside", "R-B-RANGES", "query-below", "the query is outside its range", around("range_low", 1)),
    ("leaf_inside", "R-B-RANGES", "query-above", "the query is outside its range", around("range_high", -1)),
    (
        "leaf_inside_wide",
        "R-B-RANGES",
        "last-query-above",
        "the query is outside its range",
        past("range_high", "query", -1, -1),
    ),
    ("leaf_inside", "R-B-CUT", "sign", "a multiple of a range below 0 raises the form", to("negative_cut", 0, 1)),
]


LAST = [
    ("first_bounds", "R-B-FIRST", "lower-bound", "a value of the ball lies below", past("low.1", "high.1", 0, -1)),
    ("first_bounds", "R-B-FIRST", "no-radius", "the bounds are the centre's, not the ball's", to("first_radii", -1, 0)),
    ("first_bounds", "R-B-FIRST", "centre", "the bounds leave the radius out", of_the_centre),
    ("relaxation", "R-B-RELAXATION", "upper-end", "at high the line is below the neuron", to("high.2", -1, FAR)),
    ("relaxation", "R-RANGE", "slope-above-1", "A z is above the neuron right of 0", to("lower.1", -1, 257)),
    ("bounds", "R-B-BOUND", "lower-bound", "the form of the row shows no such bound", past("low.2", "high.2", 1, -1)),
    ("bounds", "R-B-BOUND", "upper-bound", "the negated row's form shows none such", past("high.2", "low.2", -1, -1)),
    ("bounds", "R-B-BACKWARD", "coefficient", "it is not the product with the weights", more("coefficients.2.0", -1)),
    ("tree", "R-B-ROOT", "no-root", "no row is the whole ball of slice 1: one stands twice", without_the_root),
    ("tree", "R-B-SPLIT", "freed", "the half is the row itself again", to("signs", -1, 0)),
    ("leaf", "R-B-LEAF", "other-bias", "with class 2's own bias the margin is not positive", more("biases.3", -1, 10)),
    ("leaf", "R-B-LEAF", "other-row", "in the leaf's own slice the margin is not positive", more("table", 0, 3)),
    ("leaf", "R-B-BACKWARD", "coefficient", "it is not the product with the weights", more("coefficients.3.0", -1)),
    ("leaf", "R-B-BACKWARD", "constant", "it is not the product with the biases", more("constant.3.1", -1)),
]
"""What breaks a rule at the last neuron or margin of a wider network."""

REFUSED += [
    ("bounds_deep", "R-B-BOUND", "lower-bound", "the form of the row shows no such bound", past("low.3", "high.3", 1)),
    ("leaf_inside_wide", "R-B-RANGES", "query-above", "inside another range only", past("range_high", "query", -1)),
    ("leaf_many", "R-B-LEAF", "other-lines", "the slice has no such offset", more("of_slice", -1)),
    *((f"{gadget}_wide", rule, f"last-{name}", why, change) for gadget, rule, name, why, change in LAST),
]


def vectors() -> Named:
    """Yield every vector with its name."""
    for gadget in dict.fromkeys(row[0] for row in (*ACCEPTED, *REFUSED)):
        yield gadget, vector_of(gadget, "accept", "what a search found", "every rule of the gadget holds", lambda w: w)
    for gadget, name, why, change in ACCEPTED:
        yield f"{gadget}-{name}", vector_of(gadget, "accept", name.replace("-", " "), why, change)
    for gadget, rule, name, why, change in REFUSED:
        yield f"{gadget}-{name}", vector_of(gadget, "reject", name.replace("-", " "), why, change, rule)


def vector_of(
    gadget: str, verdict: str, what: str, why: str, change: Callable[[Wires], Wires], rule: str | None = None
) -> CircuitVector:
    """Return a vector of changed wires of a base under the digest that goes with them."""
    base = circuit_base(gadget)
    honest = {name: [int(text) for text in values] for name, values in base.wires.items()}
    wires = change(honest)
    return CircuitVector(
        what=what,
        why=why,
        verdict=verdict,
        exception=None if rule is None else "UnsatisfiedError",
        base=gadget,
        digest=to_hex(instance_digest(base.circuit, wires)),
        wires={name: [str(value) for value in values] for name, values in wires.items() if values != honest[name]},
        rule=rule,
    )
