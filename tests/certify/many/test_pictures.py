"""Several models beside each other: each curve is the share of applicants that is certified at least so far."""

import io
import random

import pytest
from matplotlib.figure import Figure

from equiproof.certify.many.certifier import Certifier
from equiproof.certify.many.pictures import against
from tests.certify.hand_made import by_income, by_sex
from tests.support import LOANS, applicant


def results(model):
    """Return what is known of twelve applicants under a model."""
    rng = random.Random(3)
    return Certifier(model, LOANS, progress=False).certify([applicant(LOANS, rng) for _ in range(12)])


def test_a_curve_begins_at_the_fair_and_falls_to_none():
    """At radius 0 it is the share of the fair, at the largest radius it ends; the legend names the model."""
    fair, unfair = results(by_income()), results(by_sex())
    figure = against({"by income": fair, "by sex": unfair})
    first, second = figure.axes[0].lines
    heights = first.get_ydata()
    assert heights[0] == 100 * len(fair.having("fair")) / 12
    assert list(heights) == sorted(heights, reverse=True)
    assert (heights[-1], max(second.get_ydata())) == (0, 100 * len(unfair.having("fair")) / 12)
    texts = [text.get_text() for text in figure.axes[0].get_legend().get_texts()]
    assert texts[0].startswith("by income: ")
    assert texts[1] == "by sex: 0 % fair"
    figure.savefig(io.BytesIO(), format="png")


def test_axes_of_ones_own_are_used():
    """And nothing at all is refused."""
    axes = Figure().subplots()
    assert against({"one": results(by_income())}, axes) is axes.get_figure()
    for models in ({}, {"none": results(by_income())[:0]}):
        with pytest.raises(ValueError, match="at least one applicant"):
            against(models)
