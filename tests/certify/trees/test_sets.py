"""Ensembles whose nodes ask sets of a category's values, against everybody in the ball."""

import random
from dataclasses import replace

import numpy as np
import pytest

from equiproof.certify.ensemble import EnsembleModel
from equiproof.certify.errors import EvidenceError
from equiproof.certify.sets import Sets, reach, seen, seen_box, seen_rows
from equiproof.certify.traversal.search import Counterexample
from equiproof.certify.trees.ensemble_check import check
from equiproof.certify.trees.ensemble_search import ensemble_search
from equiproof.certify.trees.scale import ensemble_scale
from equiproof.circuits.categories import Category
from tests.certify.trees.ensembles import drawn

STEP = 3
VALUES = 3
TABLE = ((0,), (1,))
BLOCKS = [tuple(STEP * (place == own) for place in range(VALUES)) for own in range(VALUES)]
ABSENT = 7


def model_of(seed, sets=2, *, lacking=False):
    """A random ensemble over a number, a category of three values, so many sets of them and a sensitive bit."""
    rng = random.Random(seed)
    category = Category(1, VALUES, 0, STEP, sets)
    members = tuple(tuple(rng.randint(0, 1) for _ in range(category.members(missing=lacking))) for _ in range(sets))
    found = drawn(rng, plain=1 + VALUES + sets, sensitive=1, predicates=10, trees=3, depth=3, reach=3)
    own = found.additive
    thresholds = [
        0 if column > VALUES else threshold for column, threshold in zip(own.columns, own.thresholds, strict=True)
    ]
    kept = sorted(set(zip(own.columns, thresholds, strict=True)))
    if any(0 < column <= VALUES for column, _ in kept):
        # The category is asked by sets alone.
        return None
    places = {place: kept.index(place) for place in kept}
    again = [places[place] for place in zip(own.columns, thresholds, strict=True)]
    additive = replace(
        own,
        columns=tuple(column for column, _ in kept),
        thresholds=tuple(threshold for _, threshold in kept),
        jumps=tuple(rng.randint(-2, 2) for _ in kept),
        sets=(Sets(category, members),),
        absent=ABSENT if lacking else None,
    )
    nodes = replace(found.nodes, predicates=tuple(again[place] for place in found.nodes.predicates))
    if lacking:
        nodes = replace(nodes, highs=tuple(rng.randint(0, 1) for _ in nodes.predicates))
    return EnsembleModel(additive, nodes)


def models(count, **options):
    """So many of them, with their seeds."""
    found = ((seed, model_of(seed, **options)) for seed in range(100_000))
    there = ((seed, model) for seed, model in found if model is not None)
    return [next(there) for _ in range(count)]


@pytest.mark.parametrize("lacking", [False, True])
@pytest.mark.parametrize("count", [12, pytest.param(120, marks=pytest.mark.slow)])
def test_everybody_in_the_ball_is_decided_alike(count, lacking):
    """Certificates hold for all numbers and values in the open ball; the radius ends at a flip, or at another value."""
    capped = flips = 0
    for seed, model in models(count, lacking=lacking):
        for block in [*BLOCKS, *([(ABSENT,) * VALUES] if lacking else [])]:
            query = (seed % 5 - 2, *block)
            found = ensemble_search(model, query, TABLE, max_radius_squared=64, max_leaves=64)
            if isinstance(found, Counterexample):
                assert {model.decide((*query, *row)) for row in TABLE} not in ({0}, {1})
                continue
            apart = reach(model.sets)
            assert found.complete
            assert found.radius_squared <= apart == 2 * STEP**2
            blocks = [block] if block not in BLOCKS else BLOCKS
            for number in range(-12, 13):
                for other in blocks:
                    distance = sum((a - b) ** 2 for a, b in zip((number, *other), query, strict=True))
                    if distance < found.radius_squared and number != ABSENT:
                        labels = {model.decide((number, *other, *row)) for row in TABLE}
                        assert labels == {found.label}, (seed, query, number, other)
            capped += found.radius_squared == apart
            flips += found.flip is not None and len(found.flip.point) == len(query)
    assert capped
    assert flips


def test_evidence_beyond_another_value_is_refused():
    """By the rule of sets, whatever the leaves say."""
    _, model = models(1)[0]
    ample = replace(model, additive=replace(model.additive, bias=4000))
    query = (0, *BLOCKS[0])
    found = ensemble_search(ample, query, TABLE, max_radius_squared=64, max_leaves=64)
    assert found.capped
    assert found.radius_squared == 18
    wider = replace(found.evidence, radius_squared=19)
    with pytest.raises(EvidenceError, match="R-T-SETS"):
        check(wider, ensemble_scale(ample), ample, query, TABLE)


def test_columns_of_sets_are_the_same_for_one_and_for_many():
    """Behind the columns of the query, before sensitive ones; who has no value or two has none."""
    _, model = models(1, lacking=True)[0]
    rows = [(2, *block, 1) for block in (*BLOCKS, (ABSENT,) * VALUES)]
    many = seen_rows(model.sets, np.array(rows), 1 + VALUES)
    assert many.tolist() == [list(seen(model.sets, row, 1 + VALUES)) for row in rows]
    members = model.sets[0].members
    assert many[:, 1 + VALUES : -1].tolist() == [[bits[place] for bits in members] for place in range(VALUES + 1)]
    low, high = seen_box(model.sets, rows[1][:-1], None, 8)
    assert (low[0], high[0], low[4:], high[4:]) == (-8, 7, tuple(many[1, 4:-1]), tuple(many[1, 4:-1]))
    for block in ((0, 0, 0), (STEP, STEP, 0), (1, 0, 0), (ABSENT, ABSENT, 0)):
        with pytest.raises(ValueError, match="has not one value of the category"):
            seen(model.sets, (0, *block), 1 + VALUES)
    assert reach(()) is None
    assert seen_box((), (0,), None) is None
