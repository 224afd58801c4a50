"""Results in a notebook: counted, the worst first, and never markup of whoever wrote the document."""

import random
import re
from html.parser import HTMLParser

from equiproof.certify.many.certifier import Certifier
from equiproof.certify.many.point import PointResult
from tests.certify.hand_made import by_sex
from tests.support import LOANS, applicant, changed, network


class Tags(HTMLParser):
    """The names of all elements, none with an attribute."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.names: set[str] = set()
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        assert attrs == []
        self.names.add(tag)


def results(model):
    """Return what is known of twelve applicants under a model."""
    rng = random.Random(3)
    return Certifier(model, LOANS, progress=False).certify([applicant(LOANS, rng) for _ in range(12)])


def test_results_are_counted_and_the_worst_stand_first():
    """Verdicts with their shares, the radii in the middle, eight applicants of twelve."""
    found = results(network(LOANS, (4, 2), seed=4, sensitivity=0.4))
    text = found._repr_html_()
    fair = found.having("fair")
    assert f"<tr><td>fair</td><td>{len(fair)}</td>" in text
    assert "Certified radius of the fair, in the spec's units: " in text
    assert "The worst 8 of 12" in text
    assert Tags(text).names == {"b", "code", "p", "table", "tbody", "td", "th", "thead", "tr"}


def test_without_a_fair_one_there_is_no_radius():
    """The decisions of the unfair stand beside each other."""
    text = results(by_sex())._repr_html_()
    assert "Certified radius" not in text
    assert re.search("<td>unfair</td><td>[a-z]+ / [a-z]+</td>", text)


def test_texts_of_a_document_are_no_markup():
    """A label of a foreign document is read, not obeyed."""
    hostile = PointResult(row=1, verdict="fair", label="<script>alert(1)</script>", seconds=0.0)
    text = changed(results(by_sex()), points=(hostile,))._repr_html_()
    assert "<script" not in text
    assert "&lt;script&gt;" in text
