"""Lies about an ensemble whose nodes ask sets of values: what is in a set, whom the query has, how far others are."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

from equiproof.certify.additive import AdditiveModel
from equiproof.certify.ensemble import EnsembleModel
from equiproof.certify.sets import Sets
from equiproof.certify.trees.ensemble_evidence import EnsembleEvidence, EnsembleLeaf
from equiproof.certify.trees.ensemble_search import EnsembleSearch, ensemble_search
from equiproof.certify.trees.rows import live_rows
from equiproof.circuits.categories import with_sets
from equiproof.circuits.encodings.missing import Missing
from equiproof.circuits.shape import Shape, ensemble_shape
from equiproof.prover.witness.relation import Secrets
from tests.certify.trees.ensembles import table_of
from tests.soundness.additive_told import HALF, Told
from tests.soundness.cheating_owner import Wires
from tests.soundness.trees_lies import lie
from tests.soundness.trees_told import CAPACITY, again, filled_under
from tests.support import HOUSING, INCOME, SEX, changed, spec_of

SORTED = spec_of(INCOME, changed(HOUSING, domain=("own", "rent", "free")), SEX)
"""An income, a category of three values in three columns, and one sensitive feature of two values."""

LACKING = spec_of(
    changed(INCOME, missing=Missing()), changed(HOUSING, domain=("own", "rent", "free"), missing=Missing()), SEX
)
"""The same, whose plain features may be missing."""

(CATEGORY,) = with_sets(SORTED, {1: 2})
LOW, HIGH = CATEGORY.low, CATEGORY.high
MEMBERS = ((0, 1, 0), (0, 0, 1))
"""Who rents, and who lives for free."""

PREDICATES = ((0, -30, 0), (0, 20, 0), (4, 0, 3), (5, 0, 0), (6, 0, 1))
"""Two thresholds of the income, both sets, the first with a jump, and one of the sensitive column."""

TREES = [(2, (1, 8, -4), (3, 0, -6)), (3, (0, 4, 1), -9), (4, (2, 6, 2), (1, 0, 4))]
OWNER, TENANT = (0, HIGH, LOW, LOW), (0, LOW, HIGH, LOW)
SOMEWHERE = (0, *[LACKING.absent] * 3)
"""Somebody who owns, who rents, and who does not say."""


def model(bias: int, *, lacking: bool = False) -> EnsembleModel:
    """Return the model with a bias; with `lacking` values can be missing, and a missing home is in the second set."""
    columns, thresholds, jumps = zip(*PREDICATES, strict=True)
    members = tuple((*some, number) for number, some in enumerate(MEMBERS)) if lacking else MEMBERS
    additive = AdditiveModel(
        columns, thresholds, jumps, bias, 6, 1, SORTED.input_fraction_bits, sets=(Sets(CATEGORY, members),)
    )
    nodes = table_of(TREES)
    if not lacking:
        return EnsembleModel(additive, nodes)
    highs = tuple(number % 2 for number in range(len(nodes.predicates)))
    return EnsembleModel(replace(additive, absent=LACKING.absent), replace(nodes, highs=highs))


def shape(*, lacking: bool = False) -> Shape:
    """Return the shape of all cases here."""
    own = model(0, lacking=lacking)
    return ensemble_shape(
        LACKING if lacking else SORTED,
        own.predicates,
        own.nodes.sizes,
        4,
        own.nodes.sizes[1],
        CAPACITY,
        {CATEGORY.first: 2},
    )


@cache
def searched(query: tuple[int, ...], bias: int, most: int, *, lacking: bool = False) -> EnsembleSearch:
    """Return the search about a query up to a squared radius."""
    spec = LACKING if lacking else SORTED
    found = ensemble_search(
        model(bias, lacking=lacking), query, spec.domain_table, max_radius_squared=most, max_leaves=CAPACITY
    )
    assert isinstance(found, EnsembleSearch)
    return found


def told_of(query: tuple[int, ...], bias: int, most: int, *, lacking: bool = False) -> Told:
    """Return the wires of evidence."""
    spec = LACKING if lacking else SORTED
    secrets = Secrets(model(bias, lacking=lacking), 7, query, 9, spec.domain_table, spec.box)
    return filled_under(shape(lacking=lacking), secrets, searched(query, bias, most, lacking=lacking).evidence)


def sorted_ensemble() -> Told:
    """Return evidence of the exact radius around somebody who owns."""
    return told_of(OWNER, 9, 1 << 30)


def sorted_ensemble_at_the_query() -> Told:
    """Return evidence of the radius 0 around somebody who rents."""
    return told_of(TENANT, 30, 0)


def far() -> Told:
    """Return evidence of a ball that ends where another home begins, closed whatever trees are worth."""
    own = model(4000)
    slots = (0, 1)
    leaf = EnsembleLeaf((0, 0), (0,), (0, 1), 0, True, (0,) * len(live_rows(own, own.additive.seen(OWNER), slots)))
    secrets = Secrets(own, 7, OWNER, 9, SORTED.domain_table, SORTED.box)
    return filled_under(shape(), secrets, EnsembleEvidence(1, CATEGORY.apart, slots, (leaf,)))


def homeless_ensemble() -> Told:
    """Return evidence around somebody whose home is missing."""
    return told_of(SOMEWHERE, 40, 0, lacking=True)


@lie("R-RANGE", sorted_ensemble_at_the_query)
def a_member_twice(wires: Wires) -> None:
    """Who owns is two times in a set, which nobody asks here: it packs into the bit of the next value."""
    wires["sets"][0] = 2


@lie("R-RANGE", sorted_ensemble_at_the_query)
def half_a_member(wires: Wires) -> None:
    """Who owns is in a set by half."""
    wires["sets"][0] = HALF


@lie("R-T-SETS", sorted_ensemble_at_the_query)
def a_category_of_two_values(wires: Wires) -> None:
    """Somebody owns and rents; the columns of both sets stay as they are."""
    wires["query"][1] = HIGH


@lie("R-T-SETS", sorted_ensemble_at_the_query)
def a_category_without_a_value(wires: Wires) -> None:
    """Somebody neither owns, nor rents, nor lives for free, and no set has them: not even that of who rents."""
    wires["query"][2] = LOW
    _in_sets(wires, 0, 0)


@lie("R-T-SETS", sorted_ensemble_at_the_query)
def a_value_by_half(wires: Wires) -> None:
    """A column stands in the middle, and so does another one: both are one value together."""
    wires["query"][1] = wires["query"][3] = (LOW + HIGH) // 2
    wires["query"][2] = LOW
    wires["sets"] = [1, 0, 1, 0, 0, 0]
    _in_sets(wires, 1, 0)


@lie("R-T-SETS", far)
def another_value_inside_the_ball(wires: Wires) -> None:
    """The ball is larger by one, so that somebody with another home is in it."""
    wires["radius_squared"][0] += 1


@lie("R-T-SIDE", sorted_ensemble_at_the_query)
def a_set_without_its_member(wires: Wires) -> None:
    """Who rents is in the set of those who rent, and passes no threshold of it."""
    _in_sets(wires, 0, 0)


@lie("R-T-DEAD", sorted_ensemble_at_the_query)
def an_income_that_nobody_leaves(wires: Wires) -> None:
    """A threshold of the income is dead inside the ball, as if the income were a set's column."""
    _end(wires, wires["at"][1])


@lie("R-T-DEAD", sorted_ensemble_at_the_query)
def a_column_that_ends_early(wires: Wires) -> None:
    """The largest integer of the width is said to be less, without any ranges."""
    _end(wires, wires["thresholds"][1])


@lie("R-T-SIDE", homeless_ensemble)
def a_missing_home_in_no_set(wires: Wires) -> None:
    """Somebody who does not say where they live is in the second set, and passes no threshold of it."""
    _in_sets(wires, 0, 0)


@lie("R-T-SETS", homeless_ensemble)
def a_home_beside_missing_ones(wires: Wires) -> None:
    """Somebody owns, and the other columns of the category are missing, of which no set has the value."""
    wires["query"][1], wires["absent"][1] = HIGH, 0
    wires["sets"] = [1, 0, 0, 0, 0, 0, 0, 1]
    _in_sets(wires, 1, 0)


def _in_sets(wires: Wires, *columns: int) -> None:
    """Put the query in these of the sets: predicates and nodes follow."""
    for place, own in enumerate(columns, start=2):
        wires["at"][place] = own
        wires["side"][place] = 1 - own
        wires["end"][place] = own
    asked = [place - 2 if 2 <= place < 4 else None for place in wires["node_predicate"]]
    for node, place in enumerate(asked):
        if place is not None:
            wires["node_side"][node] = 1 - columns[place]
    again(Told("", shape(lacking="absent" in wires), wires), "references")


def _end(wires: Wires, end: int) -> None:
    """Have a threshold of the income dead by an end of its column, in a ball that it is inside of."""
    wires["end"][1], wires["beyond"][1] = end, 1
    wires["radius_squared"] = [(wires["at"][1] - wires["thresholds"][1]) ** 2 + 1]
