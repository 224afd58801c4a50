"""Searches around queries of ensembles against all cells of small ones, and points of the ball of larger ones."""

import random
from dataclasses import replace
from fractions import Fraction
from itertools import product

import msgspec
import pytest

from equiproof.certify.additive import AdditiveModel
from equiproof.certify.ensemble import EnsembleModel
from equiproof.certify.errors import CapacityError, RunError
from equiproof.certify.many.certifier import Certifier
from equiproof.certify.traversal.search import Counterexample
from equiproof.certify.trees.ensemble_search import ensemble_search, search_under
from equiproof.circuits.spec import Feature, checked
from tests.certify.trees.ensembles import drawn, table_of
from tests.support import LOANS, applicant

CAP = 400


def enumerated(model, query, table, box=None):
    """The least squared distance of a wrong decision, over all cells; None for none below the cap, -1 if unfair.

    With a box, over the cells that it reaches into.
    """
    labels = {model.decide((*query, *row)) for row in table}
    if len(labels) != 1 or None in labels:
        return -1
    (label,) = labels
    own, best = model.additive, None
    ends = []
    for column, x in enumerate(query):
        thresholds = [t for c, t in zip(own.columns, own.thresholds, strict=True) if c == column]
        # A cell is entered at a threshold: from above at the threshold itself, from below just behind it.
        entered = [((t - x) ** 2, t + 1 if x <= t else t) for t in thresholds]
        low, high = (None, None) if box is None else (box[0][column], box[1][column])
        ends.append([(0, x), *(end for end in entered if box is None or low <= end[1] <= high)])
    for cell in product(*ends):
        distance = sum(gap for gap, _ in cell)
        if distance < CAP and (best is None or distance < best):
            point = [x for _, x in cell]
            if any(model.decide((*point, *row)) != label for row in table):
                best = distance
    return best


def case(rng):
    """A small ensemble with a query and the table of its sensitive columns."""
    sizes = {"plain": rng.randint(1, 3), "sensitive": rng.randint(1, 2), "predicates": rng.randint(2, 7)}
    model = drawn(rng, **sizes, trees=rng.randint(1, 4), depth=rng.randint(1, 3), jumps=rng.choice([0, 0.5]))
    values = [sorted({rng.randint(-3, 3) for _ in range(2)}) for _ in range(model.sensitive)]
    return model, [rng.randint(-4, 4) for _ in range(model.plain)], list(product(*values))


def searched(seed, **room):
    """Search one case, and compare with all cells; return the radius, None for a counterexample."""
    model, query, table = case(random.Random(seed))
    if not model.predicates[0]:
        return None
    wanted = enumerated(model, query, table)
    found = ensemble_search(model, query, table, max_radius_squared=CAP, max_leaves=64, **room)
    if wanted == -1:
        assert isinstance(found, Counterexample)
        return None
    assert not isinstance(found, Counterexample)
    if found.complete:
        assert found.radius_squared == (CAP if wanted is None else wanted), seed
        assert found.upper == (None if wanted is None else Fraction(wanted))
    else:
        assert found.ended is not None
        assert wanted is None or found.radius_squared <= wanted
    if found.flip is not None:
        point = (*found.flip.point, *table[found.flip.slice])
        assert model.decide(point) == found.flip.label != found.label
    return found


def test_small_ensembles_have_the_radius_of_all_cells():
    """Evidence holds by the checker, and reaches the nearest wrong cell; most cases are exact."""
    found = [one for seed in range(400) if (one := searched(seed)) is not None]
    assert len(found) > 150
    assert sum(one.complete for one in found) > 0.98 * len(found)
    assert max(one.leaves for one in found) > 3
    assert sum(one.upper is not None for one in found) > 100


@pytest.mark.slow
def test_thousands_of_small_ensembles_have_the_radius_of_all_cells():
    """As above."""
    found = [one for seed in range(1000, 6000) if (one := searched(seed)) is not None]
    assert sum(one.complete for one in found) > 0.98 * len(found)


def test_less_room_proves_less_and_says_what_ended():
    """Slots, rows and leaves each limit the radius; what is left is still proven."""
    ends = set()
    for seed in range(120):
        for room in ({"max_slots": 1}, {"max_rows": 2}):
            try:
                found = searched(seed, **room)
            except CapacityError as error:
                ends.add(f"no {error.counted}")
                continue
            if found is None:
                continue
            assert len(found.evidence.slots) <= room.get("max_slots", 99)
            assert all(len(leaf.charges) <= room.get("max_rows", 99) for leaf in found.evidence.leaves)
            ends.add(found.ended)
            if not found.complete:
                few = found.evidence_within(1)
                assert few.size == 1
                assert few.radius_squared <= found.radius_squared
    assert {"slots", "rows", "no rows"} <= ends


def many_slices(rng):
    """An ensemble that asks sensitive columns above all, five values as one-hot and two more, and its table."""
    plain, sensitive = [(0, -8), (0, 8), (1, -8), (1, 8)], [(column, 8) for column in range(2, 8)]
    columns, thresholds = zip(*plain, *sensitive, strict=True)
    additive = AdditiveModel(columns, thresholds, (0,) * len(columns), rng.randint(0, 6), 2, 6, 4)

    def below(left):
        if left and rng.random() < 0.95:
            return (rng.choice([4, 5, 6, 7, 8, 9, 9, rng.randrange(10)]), below(left - 1), below(left - 1))
        return rng.randint(-6, 8)

    trees = [(rng.randrange(4, 10), below(3), below(3)) for _ in range(3)]
    table = [[16 * (value == one) for one in range(5)] + [16 * other] for value in range(5) for other in (0, 1)]
    return EnsembleModel(additive, table_of(trees)), table


def test_too_few_leaves_for_a_query_are_said_with_how_many_do():
    """Each capacity gives evidence that fits, or the number that is needed, which then suffices; never a fault.

    Evidence that fits already is never looked for again: leaves of a radius may be fewer than those of the query alone.
    """
    refused, fitted, looked = 0, 0, {"max_radius_squared": 1 << 16}
    for seed in range(120):
        model, table = many_slices(random.Random(seed))
        whole = ensemble_search(model, (0, 0), table, max_leaves=64, **looked)
        if isinstance(whole, Counterexample):
            continue
        assert whole.evidence_within(whole.leaves) == whole.evidence
        for capacity in (1, 2, 4):
            room = capacity
            try:
                found = ensemble_search(model, (0, 0), table, max_leaves=capacity, **looked)
                fitted += 1
            except CapacityError as error:
                assert error.counted == "leaves"  # noqa: PT017 -- not every case raises it
                room = error.needed
                found = ensemble_search(model, (0, 0), table, max_leaves=room, **looked)
                refused += 1
            assert found.leaves <= room
    assert refused > 20
    assert fitted > 20


@pytest.mark.parametrize("budget", [{"max_leaves": 2}, {"capacity": 2}])
def test_one_applicant_without_room_stops_no_other(budget):
    """That row is undecided, with what it needs; the others have their result."""
    features = [Feature(name, "numeric", "scaled", False, mean="0", scale="1", unit="u") for name in ("a", "b")]
    features.append(Feature("race", "categorical", "one-hot", True, domain=tuple("vwxyz")))
    features.append(Feature("sex", "categorical", "rank", True, domain=("f", "m")))
    spec = checked(msgspec.structs.replace(LOANS, features=tuple(features), logits=1, input_fraction_bits=4))
    rows = [{"a": one, "b": other} for one in ("-1", "0", "1") for other in ("-1", "0", "1")]
    ends = set()
    for seed in range(40):
        model, _ = many_slices(random.Random(seed))
        found = Certifier(model, spec, scheme="trees", progress=False, **budget).certify(rows)
        assert len(found.points) == len(rows)
        for point in found.points:
            ends.add((point.verdict, point.reason))
            if (point.verdict, point.reason) == ("undecided", "leaves"):
                assert point.leaves > 2
                assert point.radius is None
                assert point.label in spec.labels
    assert {("undecided", "leaves"), ("fair", None)} <= ends


def test_a_table_of_applicants_is_certified_like_each_alone():
    """By the certifier, with ranges of the spec and the room of a key; other schemes are refused in one line."""
    spec = msgspec.structs.replace(LOANS, logits=1)
    scale = 1 << spec.input_fraction_bits
    model = drawn(random.Random(5), plain=spec.plain_columns, sensitive=spec.sensitive_columns, predicates=16, trees=4)
    own = replace(
        model.additive, thresholds=tuple(t * scale // 4 for t in model.additive.thresholds),
        input_fraction_bits=spec.input_fraction_bits,
    )  # fmt: skip
    model = replace(model, additive=own)
    rows = [applicant(LOANS, random.Random(seed)) for seed in range(12)]
    found = Certifier(model, spec, scheme="trees", capacity=4, slots=6, rows=12, progress=False).certify(rows)
    assert len(found.points) == 12
    assert {point.verdict for point in found.points} >= {"fair"}
    for point, row in zip(found.points, rows, strict=True):
        alone = search_under(model, spec, spec.encode(row), max_leaves=256)
        if isinstance(alone, Counterexample):
            assert point.verdict == "unfair"
            continue
        assert (point.radius_squared, point.leaves, point.rows) == (alone.radius_squared, alone.leaves, alone.rows)
        assert point.radius_squared_at_capacity <= point.radius_squared
    with pytest.raises(RunError, match="want trees for an additive model or ensemble, not 'branch'"):
        Certifier(model, spec, progress=False).certify(rows)
