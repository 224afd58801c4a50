"""Thresholds that exact radii name, and levels do not."""

import math
import random

import msgspec

from equiproof.certify.additive import AdditiveModel
from equiproof.certify.ensemble import EnsembleModel
from equiproof.certify.leak.certificates import Certificate
from equiproof.certify.leak.curve import aimed_at
from equiproof.certify.leak.thresholds import claimed, explained, secret_columns, thresholds_of
from equiproof.circuits.spec import Feature, checked
from tests.certify.leak.made import additive, additive_certificates, drawn, lacking, spec
from tests.certify.trees.ensembles import table_of

COLUMNS, THRESHOLDS = 4, 12


def test_exact_radii_name_thresholds():
    """From 100 certificates most of what is claimed is true, and it is much of the model."""
    some = additive_certificates(COLUMNS, THRESHOLDS, 100)
    true = thresholds_of(additive(COLUMNS, THRESHOLDS), spec(COLUMNS))
    claims = claimed(some, spec(COLUMNS), None)
    assert len(claims & true) >= 5
    assert len(claims - true) <= len(claims & true) // 4


def test_thresholds_of_trees_are_named_too():
    """Trees ask predicates, so that their radii are gaps to thresholds as those of an additive model are."""
    some = additive_certificates(COLUMNS, THRESHOLDS, 100)
    score = additive(COLUMNS, THRESHOLDS)
    trees = EnsembleModel(score, table_of([(0, 0, 0)]))
    point = aimed_at(trees, spec(COLUMNS), drawn(COLUMNS, 40, seed=11)).attacked(some, None)
    true = claimed(some, spec(COLUMNS), None) & thresholds_of(score, spec(COLUMNS))
    assert point.known == len(true) >= 5


def test_a_level_names_none():
    """At a level, no threshold of the model is claimed; labels alone claim nothing at all."""
    some = additive_certificates(COLUMNS, THRESHOLDS, 100)
    radii = sorted(one.radius_squared for one in some)
    level = math.isqrt(radii[len(radii) // 10]) ** 2
    assert claimed(some, spec(COLUMNS), (level,)) & thresholds_of(additive(COLUMNS, THRESHOLDS), spec(COLUMNS)) == set()
    assert claimed(some, spec(COLUMNS), ()) == set()


def test_sums_of_two_gaps_are_explained_by_known_thresholds():
    """One threshold or two of different columns explain a squared radius; two of one column do not."""
    assert explained((0, 0), 9, {(0, 3), (1, 5)}) == ((0, 3),)
    assert set(explained((0, 0), 25, {(0, 3), (1, 4)})) == {(0, 3), (1, 4)}
    assert explained((0, 0), 25, {(0, 3), (0, 4)}) == ()
    assert explained((0, 0), 26, {(0, 3), (1, 4)}) == ()


def test_indicators_have_no_secret_threshold():
    """Columns of a category's values are left out: there is one place between 0 and 1."""
    kind = Feature("kind", "categorical", "one-hot", False, domain=("a", "b", "c"))
    given = checked(msgspec.structs.replace(spec(2), features=(kind, *spec(2).features)))
    assert secret_columns(given) == (3, 4)


def test_who_lacks_a_value_says_nothing_of_its_column():
    """A radius is no gap from the integer of a missing value, which does not widen the column either."""
    given = lacking(1)
    rng = random.Random(2)
    stated = [Certificate((rng.randrange(300),), 0, rng.randrange(1, 60) ** 2) for _ in range(60)]
    absent = [Certificate((given.absent,), 0, rng.randrange(1, 60) ** 2) for _ in range(20)]
    assert claimed([*stated, *absent], given, None) == claimed(stated, spec(1), None) == set()


def test_the_threshold_of_missing_values_is_no_secret():
    """Only what stands for them passes it, which the spec says."""
    given = lacking(2)
    model = AdditiveModel((0, 1), (given.absent - 1, 5), (1, 1), 0, 2, 1, 10, absent=given.absent)
    assert thresholds_of(model, given) == {(1, 5)}
