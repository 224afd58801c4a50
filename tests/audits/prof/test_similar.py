"""S(x): which inputs are similar to an applicant."""

from fractions import Fraction

import numpy as np
import pytest

from equiproof.audits.prof.similar import Similarity, SimilarityError
from equiproof.circuits.spec import Feature
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
    [({"sex": 1}, "plain features of the spec"), ({"shoe": 1}, "plain features of the spec"),
     ({"income": -1}, "want 0 or more, not -1"), ({"gender": 1}, "plain features of the spec")],
)  # fmt: skip
def test_relaxations_without_a_meaning_are_refused(relaxed, complaint):
    """A sensitive feature, an unknown one and a negative distance are named in one line."""
    with pytest.raises(SimilarityError, match=complaint):
        Similarity.of(spec_of(INCOME, SEX, GENDER), relaxed)


def test_every_raw_value_as_near_is_similar_after_rounding():
    """Whatever two raw values are within the reach, the columns of either are similar to the other's."""
    amount = Feature("amount", "numeric", "scaled", False, mean="5", scale="13", range=("0", "90"))
    spec = spec_of(amount, SEX, bits=(4, 16))
    similarity = Similarity.of(spec, {"amount": 2})
    columns = [spec.encode({"amount": value})[0] for value in range(91)]
    for value in range(91):
        low, high = similarity.hull((columns[value],))
        near = columns[max(0, value - 2) : value + 3]
        assert low[0] <= min(near)
        assert max(near) <= high[0]


def test_nothing_similar_is_wider_than_inputs_are():
    """A number without a range moves no further than its signed width holds."""
    spec = spec_of(Feature("amount", "numeric", "scaled", False), SEX, bits=(4, 8))
    low, high = Similarity.of(spec, {"amount": 100}).hull((3,))
    assert (low[0], high[0]) == (-128, 127)


def test_ranks_that_coincide_after_rounding_are_all_ones_own():
    """Where the scale brings three ranks to one column, the fourth is within one rank of it."""
    size = Feature("size", "categorical", "rank", False, scale="4", domain=("xs", "s", "m", "l"))
    spec = spec_of(size, SEX, bits=(1, 8))
    columns = [spec.encode({"size": one})[0] for one in size.domain]
    assert len(set(columns)) < len(columns)
    similarity = Similarity.of(spec, {"size": 1})
    for rank, column in enumerate(columns):
        near = {row[0] for row in similarity.points((column,)).tolist()}
        assert near >= set(columns[max(0, rank - 1) : rank + 2])
