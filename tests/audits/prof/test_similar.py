"""S(x): which inputs are similar to an applicant."""

from fractions import Fraction

import numpy as np
import pytest

from audits.prof.similar import Similarity, SimilarityError
from tests.audits.prof.tiny import LOANS
from tests.support import GENDER, INCOME, SEX, spec_of

ROW = {"amount": 7, "home": "rent"}
QUERY = LOANS.encode(ROW)


def test_every_joint_value_of_the_sensitive_features_is_similar():
    """Without a relaxation the similar inputs are the plain columns with each line of the domain table."""
    similarity = Similarity.of(LOANS)
    assert similarity.finite
    assert similarity.columns == (2, 3)
    assert similarity.points(QUERY).tolist() == [[*QUERY, *line] for line in LOANS.domain_table]


def test_ranks_move_by_ranks():
    """A category within one rank takes its neighbors in the domain's order, each with every sensitive value."""
    similarity = Similarity.of(LOANS, {"home": 1})
    homes = {LOANS.encode(ROW | {"home": home})[1] for home in ("own", "rent", "none")}
    assert similarity.finite
    assert set(similarity.points(QUERY)[:, 1].tolist()) == homes
    end = similarity.points(LOANS.encode(ROW | {"home": "own"}))
    assert len(end) == 2 * len(LOANS.domain_table)


def test_numbers_move_over_the_grid_inside_their_range():
    """A number within 2.5 units takes every grid point there, and none outside its range."""
    similarity = Similarity.of(LOANS, {"amount": Fraction(5, 2)})
    assert not similarity.finite
    low, high = similarity.hull(QUERY)
    unit = LOANS.scale_unit / 10
    assert (low[0], high[0]) == (QUERY[0] - int(2.5 * unit), QUERY[0] + int(2.5 * unit))
    assert len(similarity.boxes(QUERY)) == len(LOANS.domain_table)
    edge = similarity.hull(LOANS.encode(ROW | {"amount": 19}))
    assert edge[1][0] == LOANS.encode(ROW | {"amount": 20})[0]
    with pytest.raises(ValueError, match="too many values"):
        similarity.points(QUERY)


def test_the_hull_holds_every_similar_input():
    """Every listed input lies between the hull's ends, and each end is reached."""
    similarity = Similarity.of(LOANS, {"home": 2})
    low, high = similarity.hull(QUERY)
    listed = similarity.points(QUERY)
    assert np.array_equal(low, listed.min(axis=0))
    assert np.array_equal(high, listed.max(axis=0))


@pytest.mark.parametrize(
    ("relaxed", "complaint"),
    [({"sex": 1}, "is no feature beside"), ({"shoe": 1}, "is no feature beside"), ({"income": -1}, "is negative"),
     ({"gender": 1}, "is no feature beside")],
)  # fmt: skip
def test_relaxations_without_a_meaning_are_refused(relaxed, complaint):
    """A sensitive feature, an unknown one and a negative distance are named in one line."""
    with pytest.raises(SimilarityError, match=complaint):
        Similarity.of(spec_of(INCOME, SEX, GENDER), relaxed)
