"""Features that move a score one way only: read off jumps and trees, and true of the score everywhere."""

import random
from dataclasses import replace

import pytest

from equiproof.certify.ensemble import EnsembleModel
from equiproof.certify.trees.monotone import MonotoneError, directions, monotone_features, refuse_false_directions
from tests.additive_small import INCOME, additive
from tests.certify.trees.ensembles import drawn, table_of
from tests.support import LOANS, changed, network


def stating(way):
    """Return the loans spec with a direction of income."""
    features = (changed(one, monotone=way) if one.name == "income" else one for one in LOANS.features)
    return changed(LOANS, features=tuple(features))


def test_jumps_of_one_sign_are_a_direction():
    """Income and the first column of housing raise the score; with one falling jump income does not any more."""
    assert directions(additive()) == {0: 1, 1: 1}
    assert monotone_features(additive(), LOANS) == {"income": "+"}
    jumps = (-1, *additive().jumps[1:])
    assert directions(replace(additive(), jumps=jumps)) == {1: 1}
    assert directions(replace(additive(), jumps=tuple(-jump for jump in additive().jumps))) == {0: -1, 1: -1}


def test_a_direction_that_the_integers_do_not_show_is_refused():
    """By a single jump against it, by overlapping leaves, and of any network; unread columns show every direction."""
    rising, falling = stating("increasing"), stating("decreasing")
    refuse_false_directions(additive(), rising)
    refuse_false_directions(replace(additive(), jumps=tuple(-jump for jump in additive().jumps)), falling)
    refuse_false_directions(replace(additive(), jumps=(0,) * len(additive().jumps)), falling)
    refuse_false_directions(EnsembleModel(additive(), table_of([(3, (4, 0, 10), (5, 10, 30))])), rising)
    for model, spec in (
        (additive(), falling),
        (replace(additive(), jumps=(-1, *additive().jumps[1:])), rising),
        (EnsembleModel(additive(), table_of([(3, (4, 0, 11), (5, 10, 30))])), rising),
    ):
        with pytest.raises(MonotoneError, match=r"feature 'income': take monotone out .*: the spec says monotone"):
            refuse_false_directions(model, spec)
        refuse_false_directions(model, LOANS)


def test_networks_state_no_direction():
    """Of a network nothing is shown; without a direction it passes."""
    owned = network(LOANS, (3,), seed=1)
    refuse_false_directions(owned, LOANS)
    with pytest.raises(MonotoneError, match=r"'income': take monotone out of spec.json: it is for additive models"):
        refuse_false_directions(owned, stating("increasing"))


@pytest.mark.parametrize(
    ("tree", "found"),
    [
        ((3, (4, 0, 10), (5, 10, 30)), {0: 1, 1: 1}),
        ((3, (4, 0, 11), (5, 10, 30)), {1: 1}),
        ((3, (len(INCOME), 0, 10), (len(INCOME), 10, 30)), {0: 1, 1: 1}),
        ((len(INCOME), 9, (3, 0, 30)), {0: 1}),
    ],
)
def test_no_leaf_of_one_side_may_exceed_one_of_the_other(tree, found):
    """Below a split of income, or of housing, leaves overlap in one point at most."""
    assert directions(EnsembleModel(additive(), table_of([tree]))) == found


def test_a_direction_is_true_of_the_score_at_random_points():
    """Whatever the other columns are, a step of the column moves the score that way or not at all."""
    rng, judged = random.Random(3), 0
    for seed in range(300):
        model = drawn(random.Random(seed), trees=1, depth=2, jumps=0.1)
        for column, sign in directions(model).items():
            judged += 1
            for _ in range(40):
                low = [rng.randint(-6, 6) for _ in range(model.inputs)]
                high = [x + (number == column) * rng.randint(1, 6) for number, x in enumerate(low)]
                assert sign * (model.score(high) - model.score(low)) >= 0
    assert judged > 30
