"""Bars of how far a feature may move: never longer than what was certified, and where the words say."""

import random
from fractions import Fraction

from equiproof.audits.html.bars import BOXES, bar
from equiproof.verifier.bars import bars
from equiproof.verifier.words import Words
from tests.support import INCOME, LOANS, RATES, applicant, changed


def test_bars_are_those_of_letters():
    """Of random applicants, radii and ranges, every number is the one that an answer has for the same feature."""
    rng, drawn = random.Random(5), 0
    for spec in (LOANS, RATES):
        ranged = [
            changed(one, range=("-1000000", "1000000")) if one.kind == "numeric" else one for one in spec.features
        ]
        for kept in (spec, changed(spec, features=tuple(ranged))):
            for _ in range(40):
                squared, row = rng.randint(1, 10**7), applicant(spec, rng)
                for feature, said in zip(kept.plain_features, bars(kept, squared, row, Words("en")), strict=True):
                    found = bar(kept, feature, squared, row[feature.name])
                    if feature.kind == "numeric" and found is not None:
                        places = [Fraction(str(end)) * 100 for end in (found.low, found.own, found.high)]
                        assert places == [said["low"], said["you"], said["high"]]
                        assert [*found.caps] == said["caps"]
                        drawn += 1
                    elif found is not None and said["kind"] == "category":
                        assert [(one.covered, one.own) for one in found.boxes] == [
                            (one["in"], one["you"]) for one in said["values"]
                        ]
    assert drawn > 80


def test_without_a_range_the_line_goes_somewhat_beyond_the_bar():
    """A quarter of the bar on both sides, so that the bar is two thirds of the line."""
    found = bar(LOANS, changed(INCOME, range=None), 1 << 20, 30000)
    assert (found.low, found.own, found.high) == (16.67, 50.0, 83.33)
    assert found.caps == (True, True)


def test_categories_are_boxes():
    """Those within reach are covered, the own one is marked; of very many values nothing is drawn."""
    rank = RATES.plain_features[1]
    own = rank.domain[1]
    near = bar(RATES, rank, 1, own)
    assert [box.covered for box in near.boxes] == [box.own for box in near.boxes] == [one == own for one in rank.domain]
    assert all(box.covered for box in bar(RATES, rank, 10**12, own).boxes)
    many = changed(rank, domain=tuple(f"value {number}" for number in range(BOXES + 1)))
    assert bar(RATES, many, 1 << 20, "value 1") is None


def test_what_cannot_move_has_no_bar():
    """Nothing is drawn where the two ends are one."""
    assert bar(LOANS, INCOME, 0, 30000) is None
