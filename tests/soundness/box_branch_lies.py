"""Lies about a network on a box: what relation `branch-box` has in place of a ball, and some of the rules of both.

:mod:`tests.soundness.box_branch_case` fills anew what follows from a lie, with nothing to spare.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import cache

from equiproof.certify.network import Layer, QuantisedNetwork
from equiproof.certify.people import Box
from equiproof.circuits.categories import Choice
from equiproof.circuits.field import ORDER
from equiproof.circuits.statement import Statement
from tests.soundness.box_branch_case import SPARE, UNIT, Case, Words, searched, told, unchecked
from tests.soundness.box_told import Told, stated
from tests.soundness.branch_case import FREE, NOTHING, OFF, ON, split_of
from tests.support import changed

BEND, IDLE = 2, 4
"""The neurons of layer 1, and of all, of which one has both signs in the box; nothing is made of the other one."""

FIRST = Layer(((1, 1, 2), (-2, 1, -2), (1, 1, 0), (1, 0, 0), (0, 1, 0)), (40, 40, -1, 60, 60))
STRAIGHT = (FIRST, Layer(((2, -1, 0, 0, 0), (-1, 3, 0, 0, 0)), (50, 0)), Layer(((3, -2),), (0,)))
"""Of two columns: all neurons that count are positive, so that the bound is exact."""

BENT = (FIRST, Layer(((1, 0, -1, 0, 0), (0, 0, 1, 0, 0)), (0, -4)), Layer(((1, -1),), (0,)))
"""relu(x + y - 1) is taken off a number that grows with it, and what it is above 4 once more."""

RANGE = Box((-4, 2), (6, 5))
NUMBERS = Case(STRAIGHT, RANGE).divided(IDLE)

LOW, HIGH = -1, 2
(OWN, RENT), HOME = (1, 2), Choice(1, 2, LOW, HIGH)
HOMES = (
    Layer(
        ((1, 3, -3, 1, 2), (-2, -1, 2, 1, -2), (1, 1, -2, 1, 0), (1, 0, 0, 0, 0), (0, 0, 0, 1, 0)),
        (40, 60, -1, 60, 60),
    ),
    *BENT[1:],
)
"""The same of two columns around a home, of which owning helps."""
OPEN = Case(HOMES, Box((-4, LOW, LOW, 2), (6, HIGH, HIGH, 5), (HOME,))).divided(IDLE)

BOTH = (0, 1)
"""Both slices."""


def straight() -> Told:
    """Return the witness of neurons that are positive in the box."""
    return told(NUMBERS)


def refused() -> Told:
    """Return that of the other label."""
    return told(replace(NUMBERS, label=0))


def alone() -> Told:
    """Return that of one person."""
    return told(ALONE)


def bent() -> Told:
    """Return that of a neuron that has both signs, as lines say."""
    return told(CURVED)


def halved() -> Told:
    """Return that of the same, as leaves of each sign say."""
    return told(CURVED.divided(BEND))


ALONE = replace(NUMBERS, box=Box((-4, 2), (-4, 2)))
CURVED = replace(NUMBERS, layers=BENT)
LIFTED = replace(CURVED, layers=(*BENT[:2], Layer(((1, 0),), (0,))))
"""Least where relu(x + y - 1) is 0: more, if it were x + y - 1 there."""
LOWERED = replace(CURVED, layers=(*BENT[:2], Layer(((3, -1),), (0,)))).divided(BEND)
"""Least there, too: more, if the second neuron of layer 2 were at least 0."""


def open_home() -> Told:
    """Return that of a box whose home is open."""
    return told(OPEN)


def one_home() -> Told:
    """Return that of a home which is open to renting alone."""
    return told(of_home((LOW, LOW), (LOW, HIGH)))


def owner() -> Told:
    """Return that of owners."""
    return told(of_home((HIGH, LOW), (HIGH, LOW)))


def of_home(low: tuple[int, int], high: tuple[int, int]) -> Case:
    """Return the case of other ends of the home."""
    ends = ((x, *home, y) for (x, *_, y), home in zip((OPEN.box.low, OPEN.box.high), (low, high), strict=True))
    return replace(OPEN, box=unchecked(*ends, (HOME,)))


def third_label() -> Told:
    """Return that of a network of three logits, of which the last is the largest in all of the box."""
    layers = (FIRST, Layer(((1, 0, 0, 0, 0), (0, 1, 0, 0, 0), (1, 1, 0, 1, 0)), (0, 0, 40)))
    return searched(QuantisedNetwork(layers, 1, (0, 0)), RANGE, NUMBERS.table, 2)


def two_columns() -> Told:
    """Return that of neurons that read two sensitive columns, the second slice's values being other ones."""
    ends = ((-1, -2), (3, 1), (0, 1), (1, -1), (-1, 2))
    first = Layer(tuple((*row[:2], *end) for row, end in zip(FIRST.weights, ends, strict=True)), FIRST.biases)
    return told(replace(NUMBERS, layers=(first, *STRAIGHT[1:]), table=((0, 0), (2, -1))))


TRUTHS: Mapping[str, tuple[Callable[[], Told], ...]] = {
    "networks": (straight, refused, alone, bent, halved),
    "network_homes": (open_home, one_home, owner),
    "network_labels": (third_label,),
    "network_columns": (two_columns,),
}
"""The honest witnesses by shape."""

LIES: dict[str, tuple[str, Callable[[], Told], Callable[[], Told]]] = {}
"""By name: the rule, the honest witness of the shape, and what tells the lie."""

HARMLESS: set[str] = set()
"""The lies of which enumeration finds nothing false: about nobody, about another statement, or that is only unusual."""


def lie(rule: str, of: Callable[[], Told] = straight, *, harmless: bool = False):
    """Register a lie that breaks a rule."""

    def register(telling: Callable[[], Told]) -> Callable[[], Told]:
        name = telling.__name__.replace("_", "-")
        LIES[name] = (rule, of, telling)
        if harmless:
            HARMLESS.add(name)
        return telling

    return register


@cache
def _told(name: str) -> Told:
    rule, _, telling = LIES[name]
    return replace(telling(), rule=rule)


def told_by(name: str) -> Told:
    """Return the witness of a lie, whose wires are not to be changed."""
    return _told(name)


def least_bias(case: Case) -> int:
    """Return the bias of a case's logit that its leaves close with."""
    return told(case).wires["biases.3"][0]


# -- the box


@lie("R-X-ENDS", alone, harmless=True)
def a_box_of_a_network_without_anybody() -> Told:
    """The largest value of a column is below the least one."""
    return told(replace(ALONE, box=unchecked((-4, 2), (-5, 2))))


@lie("R-X-ENDS", harmless=True)
def a_box_of_a_network_upside_down() -> Told:
    """Both ends of a column are exchanged: what would harm helps."""
    return told(replace(NUMBERS, box=unchecked((-4, 5), (6, 2))))


@lie("R-X-CATEGORY", open_home, harmless=True)
def thirds_of_homes() -> Told:
    """A third of owning and two of renting are one home together; what coefficients differ by are thirds, too."""
    return told(of_home((LOW, LOW), (LOW + 1, LOW + 2)))


@lie("R-X-CATEGORY", open_home)
def a_network_and_two_homes() -> Told:
    """Everybody owns a home, and is said to rent one as well."""
    return told(replace(of_home((HIGH, LOW), (HIGH, HIGH)), layers=_turned()))


def _turned() -> tuple[Layer, ...]:
    """Return the layers of a network that renting helps, too."""
    (x, own, rent, *rest), *others = HOMES[0].weights
    return (Layer(((x, own, -rent, *rest), *others), HOMES[0].biases), *HOMES[1:])


@lie("R-X-CATEGORY", open_home, harmless=True)
def a_network_and_no_home() -> Told:
    """Nobody has a home; the best of no home is as good as is said."""
    words = Words(free=(1,), least=lambda top, _: 8 * UNIT * UNIT if top == 3 else 0)
    return told(of_home((LOW, LOW), (LOW, LOW)), words)


@lie("R-X-CATEGORY", open_home)
def an_open_home_that_is_not_free() -> Told:
    """Whoever rents counts as if they had no home."""
    return told(OPEN, Words(free=(0,)))


@lie("R-RANGE", open_home, harmless=True)
def a_home_that_is_less_than_settled() -> Told:
    """A bit of -1, where nobody has a home: what it is said to harm helps."""
    words = Words(free=(-1,), least=lambda top, _: -8 * UNIT * UNIT if top == 3 else 0)
    return told(of_home((LOW, LOW), (LOW, LOW)), words)


# -- how far forms fall


@lie("R-X-FALL")
def a_column_that_falls_by_nothing() -> Told:
    """Coefficients below 0 count as if they were above."""
    return told(NUMBERS, Words(below=lambda top, c: int(c < 0 and top < 3)))


@lie("R-X-FALL")
def a_column_that_rises() -> Told:
    """Coefficients above 0 count as if they were below: the form is said to rise from the least end."""
    return told(NUMBERS, Words(below=lambda top, c: int(c < 0 or (top == 3 and c > 0))))


@lie("R-X-FALL", harmless=True)
def a_column_that_does_not_count() -> Told:
    """A coefficient of 0 counts as below 0: the same statement has another witness."""
    case = replace(NUMBERS, layers=(*STRAIGHT[:2], Layer(((7, 4),), (0,))))
    of = told(case, Words(below=lambda top, c: int(c < 0 or (top == 3 and c == 0))))
    assert 0 in of.wires["coefficients.3.0"]
    return of


@lie("R-X-FALL", bent)
def a_bound_that_falls_by_nothing() -> Told:
    """The same in the passes of bounds: the second neuron of layer 2 is at most what it is at the least ends."""
    return told(CURVED, Words(below=lambda top, c: int(c < 0 and top != 2)))


@lie("R-X-FALL", bent)
def a_bound_that_rises() -> Told:
    """Coefficients of lower bounds that are above 0 count as if they were below: the neuron is at least 0."""
    return told(LOWERED, Words(below=lambda top, c: int(c < 0 or (top == 2 and c > 0))))


@lie("R-RANGE", alone, harmless=True)
def a_fraction_of_a_sign() -> Told:
    """What the range check sees is 0."""
    of = told(ALONE)
    c = of.wires["coefficients.3.0"][0]
    of.wires["negative.3.0"][0] = c * pow(2 * c + 1, -1, ORDER) % ORDER
    return of


@lie("R-X-FALL", open_home)
def the_better_home_of_a_leaf() -> Told:
    """The home counts as the better of both values."""
    return told(OPEN, Words(least=lambda top, values: max(values) if top == 3 else min(values)))


@lie("R-X-FALL", open_home)
def the_better_home_of_a_bound() -> Told:
    """The same in the passes of bounds."""
    return told(OPEN, Words(least=lambda top, values: max(values) if top == 2 else min(values)))


@lie("R-X-FALL", open_home)
def the_better_home_of_a_neuron() -> Told:
    """The same of the weights of layer 1."""
    return told(OPEN, Words(least=lambda top, values: max(values) if top == 1 else min(values)))


@lie("R-X-FALL", one_home)
def a_home_that_nobody_has() -> Told:
    """The value that is not open counts as the only one."""
    case = of_home((LOW, LOW), (LOW, HIGH))
    return told(case, Words(least=lambda top, values: values[0] + UNIT * UNIT * (top == 3)))


@lie("R-RANGE", owner, harmless=True)
def a_least_of_a_settled_home_too_small() -> Told:
    """It counts for nothing, and takes another number's bits."""
    of = told(of_home((HIGH, LOW), (HIGH, LOW)))
    of.wires["least.3.0"][0] = -(1 << 200)
    return of


@lie("R-RANGE", owner, harmless=True)
def a_least_weight_of_a_settled_home_too_large() -> Told:
    """The same of layer 1."""
    of = told(of_home((HIGH, LOW), (HIGH, LOW)))
    of.wires["first_least"][1] = 1 << 8
    return of


# -- bounds


def at(neuron: int, value, layer: int = 1) -> dict:
    """Return words about a neuron on both slices."""
    return {(number, layer, neuron): value for number in BOTH}


@lie("R-B-BACKWARD", bent)
def a_weight_that_counts_as_below_0() -> Told:
    """The neuron of both signs is said not to grow with a column."""
    return told(LIFTED, Words(weights={(BEND, 0): 1}))


@lie("R-B-BACKWARD", bent)
def a_weight_that_counts_as_above_0() -> Told:
    """A neuron that falls by a column is said to rise by it from its largest value, and so to be above 0."""
    first = Layer(((-1, 4, 2), FIRST.weights[1], (-1, 4, 0), *FIRST.weights[3:]), (40, 40, -5, 60, 60))
    case = replace(LIFTED, layers=(first, *LIFTED.layers[1:]))
    return told(case, Words(weights={(BEND, 0): 0}))


@lie("R-X-FIRST", bent)
def a_largest_value_too_small() -> Told:
    """The neuron is at most 0 by word."""
    return told(CURVED, Words(ends=at(BEND, (-3, 0))))


@lie("R-X-FIRST", bent)
def a_least_value_too_large() -> Told:
    """It is at least 0 by word, and relu(z) at most z."""
    return told(LIFTED, Words(ends=at(BEND, (0, 10))))


@lie("R-X-FIRST", two_columns, harmless=True)
def bounds_of_the_other_slice() -> Told:
    """A neuron has on the second slice the bounds that it has on the first one, whose values differ."""
    of = two_columns()
    for name in ("low.1", "high.1"):
        ends = of.wires[name]
        ends[len(ends) // 2 + SPARE] = ends[SPARE]
    return of


@lie("R-X-FIRST", harmless=True)
def a_largest_value_too_large() -> Told:
    """A neuron is said to reach further than it does."""
    of = straight()
    of.wires["high.1"][0] += 1
    return of


@lie("R-X-FIRST", harmless=True)
def a_least_value_too_small() -> Told:
    """The same of the least value."""
    of = straight()
    of.wires["low.1"][0] -= 1
    return of


@lie("R-B-BOUND", bent)
def a_bound_too_near() -> Told:
    """A neuron of layer 2 is at most 0 by word."""
    return told(CURVED, Words(ends=at(1, (-4, 0), layer=2)))


@lie("R-B-BOUND", bent)
def a_lower_bound_too_near() -> Told:
    """It is at least 0 by word."""
    return told(LOWERED, Words(ends=at(1, (0, 6), layer=2)))


@lie("R-B-RELAXATION", bent)
def a_line_below_a_neuron() -> Told:
    """relu(z) is at most 0 by word."""
    return told(CURVED, Words(lines=at(BEND, (0, *NOTHING))))


# -- leaves


@lie("R-B-LEAF")
def a_tie_of_a_network_in_the_box() -> Told:
    """The form is 0 for somebody."""
    return told(NUMBERS, Words(bias=least_bias(NUMBERS) - 1))


@lie("R-B-LEAF", refused)
def a_tie_of_the_other_label_in_the_box() -> Told:
    """The same of the other label."""
    case = replace(NUMBERS, label=0)
    return told(case, Words(bias=least_bias(case) + 1))


@lie("R-B-LEAF")
def a_form_that_is_nothing() -> Told:
    """Whoever takes nothing of a margin has 0."""
    return told(NUMBERS, Words(multiplier=0, bias=-1))


@lie("R-B-LEAF")
def the_other_label_of_a_network() -> Told:
    """Everybody is granted; refused is stated, with all that follows."""
    return told(replace(NUMBERS, label=0), Words(bias=least_bias(NUMBERS)))


@lie("R-B-BACKWARD")
def coefficients_of_a_box_that_are_0() -> Told:
    """Those of the form that harm are 0 by claim."""
    of = told(NUMBERS, Words(below=lambda top, c: int(c < 0 and top < 3)))
    of.wires["coefficients.3.0"] = [max(c, 0) for c in of.wires["coefficients.3.0"]]
    return of


@lie("R-B-BACKWARD")
def a_constant_of_a_box_by_claim() -> Told:
    """It makes up for what is wanting."""
    of = told(NUMBERS, Words(bias=least_bias(NUMBERS) - 1))
    of.wires["constant.3.1"] = [value + 1 for value in of.wires["constant.3.1"]]
    return of


# -- the tree


def by(case: Case, splits, leaves) -> Told:
    """Claim by another tree."""
    return told(replace(case, splits=splits, leaves=leaves))


def sign(on_off, rest=FREE):
    """Return the signs of a leaf whose neuron of both signs has this one, and the idle one another."""
    return (FREE, FREE, on_off, FREE, rest, FREE, FREE)


ROOTS = tuple(split_of(number, sign(FREE), BEND) for number in BOTH)


@lie("R-B-SPLIT", halved)
def two_halves_of_a_box_that_are_off() -> Told:
    """Off and off again."""
    return by(CURVED, ROOTS, tuple((number, sign(OFF)) for number in (0, 0, 1, 1)))


@lie("R-B-ROOT", halved)
def roots_of_a_box_that_are_not_empty() -> Told:
    """The trees begin where the neuron is off."""
    inner = tuple(split_of(number, sign(OFF), IDLE) for number in BOTH)
    return by(CURVED, inner, tuple((number, sign(OFF, end)) for number in BOTH for end in (ON, OFF)))


@lie("R-B-KEY", halved, harmless=True)
def a_leaf_of_no_slice() -> Told:
    """It is of the first one by number, and has no lines."""
    of = halved()
    of.wires["chosen_slice"][:2] = [0, 0]
    return of


# -- the statement


def elsewhere(case: Case, of: Callable[[], Told]) -> Told:
    """Return the honest witness of another case under the statement of a truth."""
    return replace(told(case, Words(bias=of().wires["biases.3"][0])), digest=of().public)


@lie("R-STATEMENT", harmless=True)
def a_smaller_box_than_is_stated() -> Told:
    """The proof is of the half of the box."""
    return elsewhere(replace(NUMBERS, box=Box((-4, 2), (1, 5))), straight)


@lie("R-STATEMENT", harmless=True)
def the_box_of_somebody_else() -> Told:
    """The proof is of a box around others."""
    return elsewhere(replace(NUMBERS, box=Box((-3, 1), (1, 2))), straight)


@lie("R-STATEMENT", harmless=True)
def another_blinding_of_a_box() -> Told:
    """The box is the one that is stated, and opens another commitment."""
    of = straight()
    public = of.public
    of.wires["box_blinding"] = [10]
    return replace(of, digest=public)


@lie("R-STATEMENT", harmless=True)
def the_other_label_is_stated() -> Told:
    """Of the parts of the statement only the label is another."""
    of = straight()
    return replace(of, digest=replace(stated(of.shape, of.wires), label=0).digest(of.shape))


@lie("R-STATEMENT", third_label, harmless=True)
def the_first_of_three_labels_is_stated() -> Told:
    """Of the parts of the statement only the label is another, as if its bits stood the other way around."""
    of = third_label()
    return replace(of, digest=replace(stated(of.shape, of.wires), label=0).digest(of.shape))


@lie("R-STATEMENT", harmless=True)
def a_statement_about_a_radius() -> Told:
    """It is one about the ball of radius 0 around nobody."""
    of = straight()
    own = stated(of.shape, of.wires)
    parts = own.model_commitment, own.spec_digest, own.domain_digest, own.box_commitment, own.label, 0
    return replace(of, digest=Statement(*parts, own.context_digest).digest(of.shape))


@lie("R-STATEMENT", harmless=True)
def the_same_parts_of_another_relation() -> Told:
    """The parts are those of a box, and the relation's name that of balls."""
    of = straight()
    return replace(of, digest=stated(of.shape, of.wires).digest(changed(of.shape, scheme="branch")))


@lie("R-RANGE", harmless=True)
def an_end_of_a_network_too_wide() -> Told:
    """A largest value that packs into the bits of the next one."""
    return told(replace(ALONE, box=Box((-4, 2), (1 << 11, 2))))
