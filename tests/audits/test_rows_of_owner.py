"""Rows of the owner's own: what an error says of their columns."""

import pytest

from equiproof.audits.data import read_labels
from equiproof.audits.errors import AuditError
from tests.audits.made import context


def test_many_long_columns_are_cut_in_the_middle_with_a_count():
    """The message keeps to 400 characters, and names the first and the last column."""
    names = [f"column {number} {'long ' * 40}" for number in range(50)]
    rows = [{"first": 1, **dict.fromkeys(names, 1), "last": 1}]
    with pytest.raises(AuditError) as caught:
        read_labels(rows, "decison", context().spec, "rows.csv")
    said = str(caught.value)
    assert len(said) <= 400
    assert "there are first, " in said
    assert said.endswith(", last")
