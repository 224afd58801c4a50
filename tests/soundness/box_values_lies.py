"""Lies about an ensemble on a box that leaves categories open: who has which value in a leaf, and what it adds.

The bias is the least with which the leaves of each honest box close, so that nothing is to spare.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Sequence
from copy import deepcopy
from dataclasses import replace
from functools import cache

from equiproof.certify.ensemble import EnsembleModel
from equiproof.certify.people import Box
from equiproof.certify.trees.box_leaves import box_leaves
from equiproof.certify.trees.ensemble_evidence import EnsembleEvidence, EnsembleLeaf
from equiproof.certify.trees.rows import live_rows
from equiproof.circuits.categories import choices_of
from equiproof.circuits.shape import Shape, ensemble_box_shape
from equiproof.circuits.statement import BoxStatement
from equiproof.circuits.trees_parameters import VALUE_BITS, TreesParameters
from equiproof.prover.witness.box import Secrets, fill
from tests.certify.trees.ensembles import ensemble
from tests.circuits.tiny_cases import broken_rule
from tests.soundness.additive_told import HALF
from tests.soundness.box_told import Told
from tests.soundness.cheating_owner import CONTEXT_DIGEST, SPEC_DIGEST, Wires
from tests.support import HOUSING, INCOME, SEX, changed, spec_of

JOB = changed(HOUSING, name="job", domain=("clerk", "farmer"))
SPEC = spec_of(INCOME, changed(HOUSING, domain=("own", "rent", "free")), JOB, SEX)
CHOICES = HOMES, JOBS = choices_of(SPEC)
LOW, HIGH = HOMES.low, HOMES.high
OWN, RENT, FREE = HOMES.columns
CLERK, FARMER = JOBS.columns
PREDICATES = (
    (0, 20, 4), (OWN, 10, 3), (OWN, 300, -6), (RENT, 10, 8), (RENT, 200, -11), (CLERK, 10, -2), (6, 0, -3),
    (6, 500, 2),
)  # fmt: skip
"""One of the income, two of each of two homes, one of one job, and two of the sensitive column."""

TREES = [(1, (0, 5, -4), (5, 7, -8)), (4, (6, 2, -5), (0, -6, 3)), (3, (2, 4, 1), -2), (0, (4, 6, -1), (5, -3, 2))]
CAPACITY = 4
SLOTS, ROWS = 6, 11
SIGNS = SLOTS + 2
"""How many signs a leaf has: those of all predicates."""

OWNING = 1
"""The first slot of who owns a home; the second one stands behind it."""


def shape() -> Shape:
    """Return the shape of all cases here."""
    return ensemble_box_shape(SPEC, (SLOTS, 2), (4, 11), SLOTS, ROWS, CAPACITY)


def box(homes: Sequence[int] = (OWN, RENT, FREE), jobs: Sequence[int] = (CLERK, FARMER)) -> Box:
    """Return the box of incomes around the threshold, with homes and jobs that are open, or one of each."""
    low, high = [-30, *[LOW] * 5], [40, *[LOW] * 5]
    for values in (homes, jobs):
        for column in values:
            high[column] = HIGH
        if len(values) == 1:
            low[values[0]] = HIGH
    return Box(tuple(low), tuple(high), CHOICES)


def of_bias(bias: int, label: int = 1) -> EnsembleModel:
    """Return the model with a bias; predicates add for the label what they have for the label 1."""
    sign = 2 * label - 1
    return ensemble(SPEC, [(column, at, sign * jump) for column, at, jump in PREDICATES], TREES, sign * bias)


def filled(model: EnsembleModel, around: Box, evidence: EnsembleEvidence) -> Told:
    """Return the wires of evidence."""
    blank = BoxStatement(0, SPEC_DIGEST, 0, 0, evidence.label, CONTEXT_DIGEST)
    secrets = Secrets(model, 7, around, 9, SPEC.domain_table, evidence)
    return Told("", shape(), {name: list(values) for name, values in fill(shape(), blank, secrets).items()})


def searched(around: Box, label: int = 1) -> Told:
    """Return the witness of one leaf that was found under the least bias that has one."""
    for bias in range(-60, 200):
        leaves = box_leaves(of_bias(bias, label), around, SPEC.domain_table, label, (1, SLOTS, ROWS))
        if isinstance(leaves, EnsembleEvidence):
            return filled(of_bias(bias, label), around, leaves)
    raise AssertionError("no bias is enough")


def parted(*leaves: Sequence[int]) -> Told:
    """Return the witness of leaves by their signs, in which no row charges, under the least bias that closes them."""
    around, slots = box(), tuple(range(SLOTS))
    rows = len(live_rows(of_bias(0), around.low, slots))
    evidence = EnsembleEvidence(
        1, 0, slots, tuple(EnsembleLeaf(tuple(signs), (0, 0), (0, 1), 0, True, (0,) * rows) for signs in leaves)
    )

    def closes(bias: int) -> bool:
        told = filled(of_bias(bias), around, evidence)
        return broken_rule(told.shape, told.public, told.wires) is None

    return filled(of_bias(bisect_left(range(200), True, key=closes)), around, evidence)


@cache
def _opened() -> Told:
    return searched(box())


@cache
def _refused() -> Told:
    return searched(box(), 0)


@cache
def _settled() -> Told:
    return searched(box((FREE,), (FARMER,)))


@cache
def _renting() -> Told:
    return searched(box((RENT,), (CLERK,)))


@cache
def _helping() -> Told:
    around = box((OWN, RENT), (CLERK,))
    for bias in range(60, -200, -1):
        leaves = box_leaves(of_bias(bias), around, SPEC.domain_table, 0, (1, SLOTS, ROWS))
        if isinstance(leaves, EnsembleEvidence):
            return filled(of_bias(bias), around, leaves)
    raise AssertionError("no bias is enough")


@cache
def _rented() -> Told:
    return parted((0, 0, 0, 1, 0, 0), (0, 0, 0, -1, -1, 0))


@cache
def _above() -> Told:
    return parted((0, 1, 1, 0, 0, 0), (0, 0, -1, 0, 0, 0))


@cache
def _twice() -> Told:
    return parted((0, 1, 0, 1, 0, 0), (0, 1, 0, -1, -1, 0), (0, -1, -1, 0, 0, 0))


def opened() -> Told:
    """Return the witness of one leaf in which everybody is: homes and jobs are open."""
    return deepcopy(_opened())


def refused() -> Told:
    """Return that of the other label."""
    return deepcopy(_refused())


def settled() -> Told:
    """Return that of people of one home and one job, neither of which has a slot."""
    return deepcopy(_settled())


def renting() -> Told:
    """Return that of clerks who rent: thresholds of both are below everybody."""
    return deepcopy(_renting())


def helping() -> Told:
    """Return that of clerks who own or rent, of the other label, to which either home adds."""
    return deepcopy(_helping())


def by_renting() -> Told:
    """Return that of two leaves: whoever rents, by one of two thresholds, and whoever does not."""
    return deepcopy(_rented())


def by_owning() -> Told:
    """Return that of two leaves: whoever owns, by the upper one of two thresholds, and whoever does not."""
    return deepcopy(_above())


def by_both() -> Told:
    """Return that of three leaves: nobody, who would own and rent, whoever owns, and whoever does not."""
    return deepcopy(_twice())


TRUTHS = {"values": (opened, refused, settled, renting, helping, by_renting, by_owning, by_both)}
"""The honest witnesses, which are of one shape."""

LIES: dict[str, tuple[str, Callable[[], Told], Callable[[Wires], None]]] = {}
"""By name: the rule, the honest witness, and the change."""


def lie(rule: str, of: Callable[[], Told] = opened):
    """Register a change of honest wires as a lie that breaks a rule."""

    def register(change: Callable[[Wires], None]) -> Callable[[Wires], None]:
        LIES[change.__name__.replace("_", "-")] = (rule, of, change)
        return change

    return register


def told(name: str) -> Told:
    """Return the witness of a lie."""
    rule, of, change = LIES[name]
    found = replace(of(), rule=rule)
    change(found.wires)
    return found


VALUES = tuple(column for choice in CHOICES for column in choice.columns)
"""The column of each value of a leaf."""

MOST = (1 << (TreesParameters.of(shape()).gain_bits - 1)) - 1
"""The most that a category can be said to add."""


def sums(wires: Wires) -> None:
    """Fill anew what values add, and how many of their slots are stayed and crossed, by what slots say."""
    of = [[j for j in range(SLOTS) if wires["slot_open"][j] and wires["slot_column"][j] == value] for value in VALUES]
    wires |= {"gain": [], "value_stayed": [], "value_crossed": []}
    for leaf in range(CAPACITY):
        signs, charged = wires["signs"][leaf * SIGNS :], wires["charged"][leaf * SIGNS :]
        wires["gain"] += [sum((wires["slot_step"][j] << VALUE_BITS) - charged[j] for j in at) for at in of]
        wires["value_stayed"] += [sum(signs[j] == -1 for j in at) for at in of]
        wires["value_crossed"] += [sum(signs[j] == 1 for j in at) for at in of]
    leasts(wires)


def leasts(wires: Wires) -> None:
    """Fill anew what open categories add at least, by what is said of their values."""
    wires["least"] = []
    for leaf in range(CAPACITY):
        for choice, is_open in zip(CHOICES, wires["open"], strict=True):
            places = [leaf * len(VALUES) + VALUES.index(column) for column in choice.columns]
            crossed = sum(wires["value_crossed"][at] for at in places)
            had = [
                wires["gain"][at]
                for at, column in zip(places, choice.columns, strict=True)
                if wires["box_low"][column] != wires["box_high"][column]
                and not wires["value_stayed"][at]
                and wires["value_crossed"][at] == crossed
            ]
            wires["least"].append(min(had, default=MOST) if is_open else 0)


def at(column: int, leaf: int = 0) -> int:
    """Return the place of a value in a leaf."""
    return leaf * len(VALUES) + VALUES.index(column)


# -- the box


@lie("R-X-CATEGORY", settled)
def a_home_of_trees_that_is_half_open(wires: Wires) -> None:
    """Whoever owns passes no threshold: the largest end is below all."""
    wires["box_high"][OWN] = LOW + 5
    wires["high_at"][OWNING : OWNING + 2] = [LOW + 5] * 2


@lie("R-X-CATEGORY")
def people_of_trees_with_two_homes(wires: Wires) -> None:
    """Everybody lives for free, and may own a home as well."""
    wires["box_low"][FREE] = HIGH


@lie("R-X-CATEGORY", settled)
def an_open_home_of_trees_without_a_value(wires: Wires) -> None:
    """Nobody is in the box, as nobody has a home; the best of no value is as good as is said."""
    wires["box_low"][FREE] = wires["box_high"][FREE] = LOW
    wires["open"][0] = 1
    leasts(wires)


@lie("R-X-CATEGORY", settled)
def half_an_open_home_of_trees(wires: Wires) -> None:
    """Neither open nor settled."""
    wires["open"][0] = HALF


# -- slots of open categories


@lie("R-X-GAIN")
def a_slot_that_neither_a_level_nor_a_value_has(wires: Wires) -> None:
    """The upper threshold of owning harms; it leads to no level that counts, and is said to be of no value."""
    wires["slot_open"][OWNING + 1] = 0
    sums(wires)


@lie("R-X-GAIN")
def a_slot_of_no_category_that_is_said_to_be_open(wires: Wires) -> None:
    """What the income takes away is in no level."""
    wires["slot_open"][0] = 1
    sums(wires)


@lie("R-X-GAIN")
def half_a_slot_that_is_open(wires: Wires) -> None:
    """A slot is half a value's, and half in a level."""
    wires["slot_open"][OWNING + 1] = HALF


# -- what values add


@lie("R-X-GAIN")
def a_value_of_trees_that_adds_more(wires: Wires) -> None:
    """Renting harms less than it does."""
    wires["gain"][at(RENT)] += 1
    leasts(wires)


@lie("R-X-GAIN")
def gains_of_trees_that_values_share(wires: Wires) -> None:
    """What all homes add is their sum, shared as the owner likes."""
    homes = slice(at(OWN), at(FREE) + 1)
    total = sum(wires["gain"][homes])
    wires["gain"][homes] = [total // 3, total // 3, total - 2 * (total // 3)]
    leasts(wires)


@lie("R-X-GAIN")
def a_value_that_is_said_to_be_stayed(wires: Wires) -> None:
    """Nobody in the leaf is said to rent."""
    wires["value_stayed"][at(RENT)] = 1
    leasts(wires)


@lie("R-X-GAIN")
def a_value_that_everybody_is_said_to_have(wires: Wires) -> None:
    """Everybody in the leaf is said to live for free, by a slot that this value does not have."""
    wires["value_crossed"][at(FREE)] = 1
    leasts(wires)


@lie("R-X-GAIN", by_renting)
def a_crossed_slot_of_another_value(wires: Wires) -> None:
    """Whoever rents is said to own."""
    wires["value_crossed"][at(RENT)], wires["value_crossed"][at(OWN)] = 0, 1
    leasts(wires)


@lie("R-X-GAIN", by_renting)
def a_stayed_slot_of_another_value(wires: Wires) -> None:
    """Whoever does not rent is said not to own."""
    wires["value_stayed"][at(RENT, 1)], wires["value_stayed"][at(OWN, 1)] = 0, 2
    leasts(wires)


@lie("R-X-GAIN", by_owning)
def a_value_that_takes_back_what_is_crossed(wires: Wires) -> None:
    """Whoever owns crosses two slots, which are said to be none of the category."""
    wires["value_stayed"][at(OWN)], wires["value_crossed"][at(RENT)] = 1, 1
    leasts(wires)


@lie("R-X-GAIN")
def the_better_value_of_trees(wires: Wires) -> None:
    """Homes add what the best one adds."""
    wires["least"][0] = max(wires["gain"][at(OWN) : at(FREE) + 1])


@lie("R-X-GAIN")
def a_value_without_a_slot_that_adds(wires: Wires) -> None:
    """Jobs add what a clerk's does, and farmers add nothing."""
    wires["least"][1] = 1


@lie("R-X-GAIN", settled)
def a_settled_category_of_trees_that_adds(wires: Wires) -> None:
    """A home is worth more than it is."""
    wires["least"][0] = 1


@lie("R-RANGE", by_both)
def a_least_gain_of_nobody_too_large(wires: Wires) -> None:
    """Nobody is in the leaf, and it has no width."""
    wires["least"][0] = MOST + 1


@lie("R-RANGE", by_both)
def a_least_gain_of_trees_too_small(wires: Wires) -> None:
    """It is below every gain, in a leaf that is none."""
    wires["least"][-1] = -MOST - 2


@lie("R-T-CLOSE")
def a_tie_of_open_homes(wires: Wires) -> None:
    """The leaf does not close."""
    wires["bias"][0] -= 1


@lie("R-T-CLOSE", helping)
def a_tie_of_homes_that_help(wires: Wires) -> None:
    """Each home adds something, and is said to add less, by all that the leaf can spare and no more."""
    own = _helping()

    def closes(less: int) -> bool:
        said = [own.wires["least"][0] - less, *own.wires["least"][1:]]
        return broken_rule(own.shape, own.public, own.wires | {"least": said}) is None

    wires["least"][0] -= bisect_left(range(1 << VALUE_BITS), True, key=lambda less: not closes(less))


@lie("R-T-COVER", by_both)
def a_leaf_of_nobody_that_is_left_out(wires: Wires) -> None:
    """Nobody owns and rents, and the cells of it are in no leaf."""
    wires["leaf_live"][0] = 0
    wires["serves"][:2] = [0, 0]
