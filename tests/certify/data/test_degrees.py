"""Categories of words of degree: asked about, and ranked in the order that people give."""

import pytest

from equiproof.certify.data.dataset import DataError
from equiproof.certify.data.spec_draft import draft_spec
from equiproof.certify.data.wishes import Wishes


def rows_of(words):
    """Return rows with a category of these words."""
    return [{"risk": words[k % len(words)], "sex": "fm"[k % 2], "ok": "ny"[k % 5 > 1]} for k in range(60)]


def domain(words, **wishes):
    """Return the values of the category in the order that a draft gives them."""
    return draft_spec("mine", rows_of(words), Wishes("ok", ("sex",), ("n", "y"), **wishes)).spec.features[0].domain


@pytest.mark.parametrize(
    "words",
    [
        ("low", "medium", "high"),
        ("Very low", "Low", "High"),
        ("niedrig", "mittel", "hoch"),
        ("young adult", "adult", "old"),
        ("S", "M", "L", "XL"),
        ("never", "sometimes", "often", "always"),
        ("very_poor", "poor", "good"),
    ],
)
def test_words_of_degree_are_asked_about(words):
    """The alphabet would put the highest before the lowest: the order is asked for, and the one offered is taken."""
    order = "<".join(words)
    asked = rf"^give the order of column 'risk', such as order=\{{'risk': '{order}'\}}, or one_hot=True for none"
    with pytest.raises(DataError, match=asked) as caught:
        domain(tuple(reversed(words)))
    assert len(str(caught.value)) <= 400
    assert domain(words, order={"risk": order}) == words
    other = words[::-1]
    assert domain(words, order={"risk": " < ".join(other)}) == other
    assert set(domain(words, one_hot=True)) == set(words)


@pytest.mark.parametrize(
    "words",
    [
        ("car", "home", "study"),
        ("high", "low"),
        ("adult", "old", "senior"),
        ("low", "medium", "other"),
        ("low", "Low", "high"),
    ],
)
def test_other_words_are_no_degrees(words):
    """Words without an order, two values, words that the alphabet orders rightly and half a scale are left."""
    assert domain(words) == tuple(sorted(words))


def test_a_sensitive_category_is_not_asked_about():
    """Every one of its values is compared with every other."""
    rows = [row | {"group": ("low", "medium", "high")[k % 3]} for k, row in enumerate(rows_of(("a", "b")))]
    assert draft_spec("mine", rows, Wishes("ok", ("group",))).spec.sensitive_features[0].name == "group"


@pytest.mark.parametrize(
    ("order", "said"),
    [
        ({"risk": "low<high"}, "give the place of 'medium' too in the order of column 'risk'"),
        ({"risk": "low<<high"}, "give each value of 'risk' once, the least first"),
        ({"risk": "low<high<low"}, "give each value of 'risk' once"),
        ({"risk": "low"}, "give each value of 'risk' once"),
        ({"rank": "low<high"}, "order: no column is called 'rank'"),
        ({"share": "1<2"}, r"call 'share' a category \(categories=\['share'\]\)"),
    ],
)
def test_orders_that_do_not_fit_are_named(order, said):
    """A value without a place, a gap, a twin, no second value, no such column, and a column of numbers."""
    rows = [row | {"share": k} for k, row in enumerate(rows_of(("low", "medium", "high")))]
    with pytest.raises(DataError, match=said):
        draft_spec("mine", rows, Wishes("ok", ("sex",), ("n", "y"), order=order))
