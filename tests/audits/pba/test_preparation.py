"""The paper's data sets: groups of two values, balanced Adult, one-hot categories, the split of 80 to 20."""

from __future__ import annotations

from collections import Counter

import pytest

from equiproof.audits.pba.definition import checked_units
from equiproof.audits.pba.preparation import PREPARATIONS, prepare
from equiproof.certify.data import DataError


@pytest.mark.shared
@pytest.mark.parametrize("name", PREPARATIONS)
def test_prepared_rows_fit_their_spec(public_data, name):
    """Rows are encoded, attributes have two values, one split covers them, and every unit is of a numeric feature."""
    data, how = prepare(name, public_data), PREPARATIONS[name]
    assert data.spec.logits == 2
    assert {one.name: one.domain for one in data.spec.sensitive_features} == how.attributes
    assert {one.encoding for one in data.spec.plain_features} == {"scaled", "one-hot"}
    assert len(data.test) == len(data.rows) // 5
    assert len(data.spec.encode(data.rows[0])) == data.spec.plain_columns
    assert set(how.units) <= set(checked_units(data.spec, how.units))


@pytest.mark.shared
@pytest.mark.slow
def test_adult_has_as_many_of_each_gender_and_label(public_data):
    """The four cells of gender and label are equal, no value is missing, and no spouse has a gender."""
    data = prepare("adult", public_data)
    cells = Counter((row["sex"], label) for row, label in zip(data.rows, data.labels, strict=True))
    assert len(cells) == 4
    assert len(set(cells.values())) == 1
    values = {value for row in data.rows for value in row.values()}
    assert not values & {"?", "Husband", "Wife"}
    assert prepare("adult", public_data, seed=1).rows != data.rows


@pytest.mark.shared
def test_german_has_the_papers_share_of_juniors(public_data):
    """190 of the 1,000 are up to 25 years old, 19 percent, as 38 of the paper's 200 test rows."""
    assert Counter(row["age"] for row in prepare("german", public_data).rows) == {"Junior": 190, "Senior": 810}


def test_other_names_are_refused():
    """A data set that the paper does not have is an error that lists those it has."""
    with pytest.raises(DataError, match="adult, compas, german"):
        prepare("bank", None)
