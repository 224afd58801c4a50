"""People are compared by each feature, by all jointly, and numbers of many values in bands."""

import pytest

from equiproof.audits.context import AuditContext
from equiproof.audits.groups.grouping import groupings
from tests.support import AGE, INCOME, SEX, changed, network, spec_of

AGES = tuple(str(age) for age in range(18, 78))
SPEC = spec_of(INCOME, SEX, changed(AGE, domain=AGES), bits=(8, 16))


def of(ages, bands, features=()):
    """Return the groupings of people of these ages, women and men in turn."""
    rows = [{"income": 30000, "sex": "fm"[n % 2], "age": age} for n, age in enumerate(ages)]
    where = AuditContext(
        network=network(SPEC, (2,), 1), spec=SPEC, commitment="", rows=rows, sensitive_features=features
    )
    return groupings(where, bands)


def test_each_feature_alone_and_all_jointly():
    """Two features make three groupings, one feature one."""
    found = of(["30", "40"], 4)
    assert found == {
        "sex": {"sex": ["f", "m"]},
        "age": {"age": ["30", "40"]},
        "sex and age": {"sex": ["f", "m"], "age": ["30", "40"]},
    }
    assert list(of(["30", "40"], 4, ("age",))) == ["age"]


def test_many_ages_become_bands_of_as_many_people():
    """Sixty people of sixty ages are four bands of fifteen, named by their ends."""
    column = of(list(AGES), 4)["age"]["age"]
    assert {name: column.count(name) for name in column} == {
        "18 to 32": 15, "33 to 47": 15, "48 to 62": 15, "63 to 77": 15,
    }  # fmt: skip


@pytest.mark.parametrize("bands", [2, 3, 5])
def test_bands_cover_everybody_in_order(bands):
    """Each person is in the band that encloses their age; equal ages are in one band."""
    ages = [AGES[(7 * n * n) % 60] for n in range(200)] + ["40"] * 150
    column = of(ages, bands)["age"]["age"]
    assert len(set(column)) <= bands
    for age, name in zip(ages, column, strict=True):
        first, _, last = name.partition(" to ")
        assert float(first) <= float(age) <= float(last or first)
    assert len({name for age, name in zip(ages, column, strict=True) if age == "40"}) == 1


def test_few_values_stay_as_they_are():
    """As many values as bands need none."""
    assert set(of(["20", "30", "40", "50"], 4)["age"]["age"]) == {"20", "30", "40", "50"}
