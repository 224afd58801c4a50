"""Lies about an additive model on a box, by the lines of the tables of docs/relation-box.md.

:mod:`tests.soundness.box_told` says what a lie is. The score is 1 at the worst person of each honest box: nothing is to
spare.
"""

from __future__ import annotations

from equiproof.certify.people import Box
from equiproof.certify.trees.box import worst
from equiproof.circuits.categories import choices_of
from equiproof.circuits.field import ORDER
from tests.prover.additive_case import additive_model
from tests.soundness.additive_told import HALF
from tests.soundness.box_told import Told, filled, lie
from tests.soundness.cheating_owner import Wires
from tests.support import HOUSING, INCOME, SAVINGS, SEX, spec_of

SPEC = spec_of(INCOME, SAVINGS, HOUSING, SEX)
(HOMES,) = choices_of(SPEC)
LOW, HIGH = HOMES.low, HOMES.high
OWN, RENT = HOMES.columns
PREDICATES = (
    (0, -30, 40), (0, -10, -25), (0, 20, 60), (0, 45, -70), (1, -20, 15), (1, 5, -30), (1, 9, 20), (1, 30, -8),
    (OWN, 10, 35), (OWN, 300, -10), (RENT, 10, -45), (RENT, 200, 5), (4, 0, -5),
)  # fmt: skip
"""Of the income, the savings, both values of the home, and the one sensitive column."""

OPEN = Box((-20, -5, LOW, LOW), (30, 12, HIGH, HIGH), (HOMES,))
"""Passing -10 and 20 of the income, 5 and 9 of the savings; the home is open."""

SETTLED = Box((-20, -5, HIGH, LOW), (30, 12, HIGH, LOW), (HOMES,))
"""The same of an owner."""

THIRD = pow(3, -1, ORDER)

LAST = 11
"""The place of the last plain predicate."""


def case(box: Box, label: int = 1) -> Told:
    """Return the honest witness whose bias leaves a margin of 1."""
    sign = 2 * label - 1
    predicates = [(column, threshold, sign * jump) for column, threshold, jump in PREDICATES]
    left = worst(additive_model(SPEC, predicates, 0), box, SPEC.domain_table, label).margin
    return filled(SPEC, additive_model(SPEC, predicates, sign * (1 - left)), box, label)


def opened() -> Told:
    """Return the witness of the box with an open home."""
    return case(OPEN)


def settled() -> Told:
    """Return that of an owner."""
    return case(SETTLED)


def refused() -> Told:
    """Return that of the other label."""
    return case(OPEN, label=0)


def alone() -> Told:
    """Return that of one person: every column has one value."""
    return case(Box((0, 0, LOW, HIGH), (0, 0, LOW, HIGH), (HOMES,)))


def one_open_value() -> Told:
    """Return that of a box whose home is open to one value alone."""
    return case(Box((-20, -5, LOW, LOW), (30, 12, LOW, HIGH), (HOMES,)))


def far_less() -> Told:
    """Return that of an open home that is said to add as little as fits, for which the bias makes up."""
    found = case(OPEN)
    least = -(1 << 19)
    found.wires["bias"][0] += found.wires["least"][0] - least
    found.wires["least"] = [least]
    return found


def by_columns() -> Told:
    """Return that of an open home which is said to be two columns: then somebody could have two, and none is enough."""
    found = case(OPEN)
    wires = found.wires
    wires["free"], wires["gain"], wires["least"] = [0], [0, 0], [0]
    for place in range(8, LAST + 1):
        wires["loose_at"][place] = 0
    again(wires)
    # Renting harms by 45 before it helps by 5, and owning helps nobody who does not own.
    wires["bias"][0] += 5
    return found


TRUTHS = (opened, settled, refused, alone, one_open_value)


# -- the model and the table, as of additive models


@lie("R-RANGE", opened)
def a_threshold_of_a_box_too_wide(wires: Wires) -> None:
    """A threshold that packs into its neighbor's bits."""
    wires["thresholds"][3] = 1 << 17


@lie("R-RANGE", opened)
def an_end_too_wide(wires: Wires) -> None:
    """The largest savings pack into the bits of the next column."""
    ends(wires, 1, -5, 1 << 17)
    wires["bias"][0] += 8


@lie("R-T-ORDER", settled)
def a_threshold_of_a_box_twice(wires: Wires) -> None:
    """The last two predicates of the income are one."""
    wires["thresholds"][3] = wires["thresholds"][2]
    wires["jumps"][3], wires["side_high"][3] = 5, wires["side_high"][2]
    again(wires)


@lie("R-T-ORDER", alone)
def a_plain_predicate_of_the_sensitive_column(wires: Wires) -> None:
    """It is compared with an end that no box has."""
    wires["columns"][LAST], wires["thresholds"][LAST], wires["same_column"][LAST - 1] = 4, -1, 0


@lie("R-T-SIDE", opened)
def a_slice_with_the_value_of_another(wires: Wires) -> None:
    """Both slices have the first one's value."""
    wires["sensitive_at"] = [wires["sensitive_at"][0]] * 2
    wires["side_of_slice"] = [wires["side_of_slice"][0]] * 2
    wires["worst"] = [0]


@lie("R-T-SLICES", opened)
def the_better_slice_of_a_box(wires: Wires) -> None:
    """The label gains what it gains on the better slice."""
    wires["worst"] = [wires["worst"][0] + 1]


# -- the box


@lie("R-X-ENDS", settled)
def a_box_without_anybody(wires: Wires) -> None:
    """The largest income is below the least one: every statement about nobody is true."""
    ends(wires, 0, 30, 29)


@lie("R-X-ENDS", settled)
def a_box_upside_down(wires: Wires) -> None:
    """Both ends of the savings are exchanged: what would lower the score raises it."""
    ends(wires, 1, 12, -5)


@lie("R-X-CATEGORY", opened)
def a_value_that_is_half_open(wires: Wires) -> None:
    """Nobody who rents passes a threshold: the largest end is below."""
    ends(wires, RENT, LOW, 5)
    wires["gain"][1], wires["least"] = 0, [0]


@lie("R-X-CATEGORY", opened)
def a_category_with_two_values(wires: Wires) -> None:
    """Everybody owns a home, and may rent one as well."""
    ends(wires, OWN, HIGH, HIGH)
    wires["gain"][0] = 0


@lie("R-X-CATEGORY", settled)
def an_open_category_without_a_value(wires: Wires) -> None:
    """Nobody is in the box, as nobody has a home; the best of no value is as good as is said."""
    ends(wires, OWN, LOW, LOW)
    wires["free"], wires["least"] = [1], [100]
    for place in range(8, LAST + 1):
        wires["loose_at"][place] = 1


@lie("R-X-CATEGORY", opened)
def a_value_beyond_its_high(wires: Wires) -> None:
    """Who rents is said to pass a threshold that nobody reaches, as the largest end is two steps from the least one."""
    wires["thresholds"][LAST] = HIGH + 10
    ends(wires, RENT, LOW, LOW + 2 * (HIGH - LOW))


@lie("R-X-CATEGORY", alone)
def half_an_open_category(wires: Wires) -> None:
    """Neither open nor settled."""
    wires["free"] = [HALF]
    for place in range(8, LAST + 1):
        wires["loose_at"][place] = HALF


# -- predicates and the ends


def ends(wires: Wires, column: int, low: int, high: int) -> None:
    """Set both ends of a column, and what predicates see of them."""
    wires["box_low"][column], wires["box_high"][column] = low, high
    for place in range(LAST + 1):
        if wires["columns"][place] == column:
            wires["low_at"][place], wires["high_at"][place] = low, high
            wires["side_low"][place] = int(low <= wires["thresholds"][place])
            wires["side_high"][place] = int(high <= wires["thresholds"][place])
    again(wires)


def again(wires: Wires) -> None:
    """Fill anew whether levels are lowered, from what predicates say of themselves."""
    sigma, behind = 2 * wires["label"][0] - 1, 0
    for place in reversed(range(LAST + 1)):
        inside = (wires["side_low"][place] - wires["side_high"][place]) * (1 - wires["loose_at"][place])
        across = sigma * inside * wires["jumps"][place]
        across += behind if place < LAST and wires["same_column"][place] else 0
        wires["lowers"][place], behind = int(across < 0), min(across, 0)


@lie("R-X-SIDE", opened)
def a_least_end_of_another_column(wires: Wires) -> None:
    """The income's least end is the savings': one threshold is out of the box."""
    for place in range(4):
        wires["low_at"][place] = -5
        wires["side_low"][place] = int(wires["thresholds"][place] >= -5)
    again(wires)


@lie("R-X-SIDE", opened)
def a_largest_end_of_another_column(wires: Wires) -> None:
    """The savings' largest end is the least one."""
    for place in range(4, 8):
        wires["high_at"][place] = -5
        wires["side_high"][place] = 1
    again(wires)


@lie("R-X-SIDE", opened)
def a_threshold_that_counts_as_an_open_categorys(wires: Wires) -> None:
    """Two steps of the income that add up to nothing are none of a column: the one that harms comes first."""
    wires["jumps"][2] = -wires["jumps"][1]
    wires["loose_at"][1:3] = [1, 1]
    again(wires)


@lie("R-X-SIDE", opened)
def a_jump_that_counts_as_passed(wires: Wires) -> None:
    """The least savings count as above a threshold whose jump helps."""
    wires["side_low"][6] = 0
    again(wires)


@lie("R-X-SIDE", opened)
def a_jump_that_nobody_is_said_to_pass(wires: Wires) -> None:
    """The largest savings count as at most a threshold whose jump harms."""
    wires["side_high"][5] = 1
    again(wires)


@lie("R-X-SIDE", settled)
def half_a_side(wires: Wires) -> None:
    """Half of a jump is passed."""
    wires["side_low"][5] = HALF


@lie("R-X-SIDE", alone)
def two_thirds_of_a_side(wires: Wires) -> None:
    """A third of a jump of 3 is passed, one step below the threshold: what the range check sees is 0."""
    wires["thresholds"][2], wires["jumps"][2] = 1, 3
    wires["side_low"][2] = wires["side_high"][2] = 2 * THIRD
    wires["bias"][0] -= 1


# -- levels


@lie("R-X-LEVEL", opened)
def columns_that_are_one_column(wires: Wires) -> None:
    """Whoever loses by the savings is said to gain by the income first."""
    wires["same_column"][3] = 1
    again(wires)


@lie("R-X-LEVEL", opened)
def a_column_that_is_two(wires: Wires) -> None:
    """Nothing false follows, but the same statement has another witness."""
    wires["same_column"][0] = 0
    again(wires)


@lie("R-X-LEVEL", opened)
def half_a_column(wires: Wires) -> None:
    """Half of a level leads on, half is summed."""
    wires["same_column"][0] = HALF


@lie("R-X-LEVEL", opened)
def a_column_twice(wires: Wires) -> None:
    """What the second threshold takes away is given back once more, and hidden behind what the first one adds."""
    wires["jumps"][1:3] = [200, -60]
    again(wires)
    wires["same_column"][1] = 2
    wires["bias"][0] -= 25 + 60


@lie("R-X-LEVEL", opened)
def thirds_of_levels(wires: Wires) -> None:
    """Of 1 that is gained a third, of 2 that are lost four thirds: together 1 less than is lost."""
    wires["jumps"][:3], wires["jumps"][4:7] = [1, 0, 0], [-2, 0, 0]
    ends(wires, 0, -40, 30)
    ends(wires, 1, -25, 12)
    wires["lowers"][0], wires["lowers"][4] = THIRD, 2 * THIRD
    wires["bias"][0] += 1


@lie("R-X-LEVEL", opened)
def a_step_that_is_not_taken(wires: Wires) -> None:
    """Nobody is said to pass the threshold that harms, nor the one before it, which leads there."""
    wires["lowers"][4:6] = [0, 0]


@lie("R-X-LEVEL", opened)
def a_step_that_everybody_takes(wires: Wires) -> None:
    """Everybody is said to pass the threshold that helps."""
    wires["lowers"][6] = 1


@lie("R-X-LEVEL", opened)
def a_level_of_a_half(wires: Wires) -> None:
    """A half of the harm."""
    wires["lowers"][5] = HALF


# -- categories


@lie("R-X-GAIN", opened)
def a_value_that_adds_more(wires: Wires) -> None:
    """Renting harms less than it does."""
    wires["gain"][1] += 1
    wires["least"][0] += 1


@lie("R-X-GAIN", opened)
def gains_of_the_other_value(wires: Wires) -> None:
    """What both values add is their sum, shared as the owner likes."""
    total = sum(wires["gain"])
    wires["gain"] = [total - total // 2, total // 2]
    wires["least"] = [min(wires["gain"])]


@lie("R-X-GAIN", opened)
def the_better_value(wires: Wires) -> None:
    """The category adds what its better value adds."""
    wires["least"] = [max(wires["gain"])]


@lie("R-X-GAIN", opened)
def a_category_that_adds_nothing(wires: Wires) -> None:
    """Whoever rents is said to lose nothing by it."""
    wires["least"] = [0]


@lie("R-X-GAIN", settled)
def a_settled_category_that_adds(wires: Wires) -> None:
    """An owner's home is worth more than it is."""
    wires["least"] = [1]


@lie("R-RANGE", opened)
def a_least_gain_too_small(wires: Wires) -> None:
    """It is below every gain, and the bias makes up for it."""
    least = -(1 << 19) - 1
    wires["bias"][0] += wires["least"][0] - least
    wires["least"] = [least]


@lie("R-X-CLOSE", opened)
def a_tie_in_the_box(wires: Wires) -> None:
    """The worst person has a score of 0."""
    wires["bias"][0] -= 1


@lie("R-X-CLOSE", refused)
def a_tie_in_the_box_of_the_other_label(wires: Wires) -> None:
    """The same below 0."""
    wires["bias"][0] += 1


@lie("R-X-CLOSE", opened)
def the_other_label(wires: Wires) -> None:
    """Everybody is granted; refused is stated, with all that follows filled for it."""
    wires["label"] = [0]
    wires["worst"] = [0]
    wires["least"] = [-35]
    wires["gain"] = [-gain for gain in wires["gain"]]
    again(wires)
