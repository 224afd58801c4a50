"""A report in a notebook: outcome, numbers, the worst case side by side, and no markup of whoever wrote it."""

from equiproof.audits.records import Estimate
from tests.audits.html import sample
from tests.audits.made import report


def test_a_report_shows_outcome_estimates_and_the_worst_case():
    """Shares are in percent as in the terminal, and the cases of the first unfair finding stand beside each other."""
    text = report()._repr_html_()
    assert "<b>made: loans: cases found</b>" in text
    assert "<tr><td>rate</td><td>sex = f</td><td>25.0 %</td><td>0 to 100 %</td><td>4</td></tr>" in text
    assert "<b>row 2</b>: sex alone decides" in text
    assert "<tr><th></th><th>case 1</th><th>case 2</th></tr>" in text
    assert "<tr><td>sex</td><td>f</td><td>m</td></tr>" in text
    assert "<tr><td>decision</td><td>" in text


def test_of_many_estimates_the_rest_is_counted():
    """Twelve are shown."""
    many = tuple(Estimate(measure=f"rate {n}", value=0.5, n=40, method="exact") for n in range(15))
    assert "<p>and 3 more estimates</p>" in report(estimates=many)._repr_html_()


def test_hostile_reports_are_read_and_not_obeyed():
    """Names of a document are escaped, and what they hide is shown."""
    _, run, _ = sample.hostile()
    for one in run.reports:
        text = one._repr_html_()
        assert "<img" not in text
        assert "<b onclick" not in text
        assert "&lt;img" in text
    assert "\u202e" not in "".join(one._repr_html_() for one in run.reports)
