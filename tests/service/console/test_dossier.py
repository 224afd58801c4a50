"""An applicant's details as the console shows them."""

from types import SimpleNamespace

import pytest

from equiproof.circuits.spec import Feature
from equiproof.service.console import dossier, pages
from equiproof.service.console.applicants import details_of
from equiproof.verifier.bars import bars
from equiproof.verifier.words import Words
from tests.support import INCOME, SEX, changed, spec_of

OPENED = Feature("opened", "numeric", "scaled", False, "8800", "900", unit="days", whole=True, start="2000-01-01")
DATE, DAYS = "14\u00a0March 2024", "8,839\u00a0\u2068days\u2069"


@pytest.mark.parametrize(("change", "own"), [({}, DATE), ({"range": ("-800000", "9000")}, DAYS)])
def test_days_are_dates(change, own):
    """The details have the date; a bar whose ends are no dates has the number with its unit, as each other number."""
    spec = spec_of(changed(OPENED, **change), changed(INCOME, unit="EUR"), SEX)
    query = {"opened": 8839, "income": 2410}
    sealed = SimpleNamespace(query=SimpleNamespace(features=query))
    assert dict(details_of(spec, sealed))["\u2068opened\u2069"] == DATE
    made = zip(bars(spec, 66_000, query, Words("en")), spec.plain_features, strict=True)
    given = [dossier._with_unit(bar["own"], feature, sealed) for bar, feature in made]
    assert given == [own, "2,410\u00a0\u2068EUR\u2069"]


def test_the_page_of_a_decision_has_the_dates_between_which_it_stands():
    """The bar of a feature in days reads as dates from end to end, as in letters, and has no number of days."""
    spec = spec_of(OPENED, changed(INCOME, unit="EUR"), SEX)
    made = bars(spec, 66_000, {"opened": 8839, "income": 2410}, Words("en"))
    drawn = pages._templates.get_template("parts.html").module.bars({"bars": made})
    shown = drawn.replace("\u00a0", " ")
    assert '<span class="num">14 March 2024</span>' in shown
    assert "4 August 2023 to 23 October 2024" in shown
    assert "8839" not in shown
    assert "8,839" not in shown
