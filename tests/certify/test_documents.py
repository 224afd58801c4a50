"""Documents of searches say what the searches found, in plain JSON; lengths are rounded towards the safe side."""

import json
from fractions import Fraction

import pytest

from equiproof.certify import documents
from equiproof.certify.errors import CapacityError, ExhaustedError, SearchBudgetError
from equiproof.certify.many.point import Limits
from equiproof.certify.single import branch_and_bound, traverse
from equiproof.certify.traversal.search import Counterexample
from equiproof.circuits.units import cut, radius_of_any
from tests.support import LOANS, RATES, network

SECONDS = 30.0


def queries(spec, count=40):
    """Return queries of small integers on the grid."""
    steps = range(-count // 2, count // 2)
    return [tuple((7 * step + 3 * place) % 601 - 300 for place in range(spec.plain_columns)) for step in steps]


@pytest.fixture(scope="module", params=["traversal", "branch"])
def found(request):
    """What one scheme finds for several applicants of one network: documents of fair ones, and counterexamples."""
    model, limits = network(LOANS, (3,), 5), Limits(scheme=request.param, max_seconds=SECONDS, exact=True)
    pairs = []
    for query in queries(LOANS, 12):
        if request.param == "branch":
            search = branch_and_bound(model, LOANS, query, limits)
            make = documents.branch_search
        else:
            search = traverse(model, LOANS, query, limits)

            def make(spec, walked):
                return documents.traversal_search(spec, walked.search, walked.flip, walked.exact)

        if isinstance(search, Counterexample):
            pairs.append((search, documents.counterexample(LOANS, model, search)))
        else:
            pairs.append((search, make(LOANS, search)))
    return pairs


def test_documents_are_plain_json(found):
    """A document survives a trip through JSON unchanged."""
    for _, document in found:
        assert json.loads(json.dumps(document)) == document


def test_a_fair_document_states_the_radius_that_is_certified(found):
    """The radius in units is that of the squared radius, and the boundary's interval begins no lower."""
    fair = [document for _, document in found if document["verdict"] == "fair"]
    assert fair
    for document in fair:
        squared = document["radius_squared"]
        assert document["radius"] == documents.radius_text(LOANS, squared)
        assert Fraction(document["exact"]["lower"]["squared"]) >= squared
        upper = document["exact"]["upper"]
        assert upper is None or Fraction(upper["squared"]) >= Fraction(document["exact"]["lower"]["squared"])


def test_a_counterexample_names_values_and_decisions(found):
    """Each case has the sensitive values by name, a label of the spec and the exact logits as text."""
    for search, document in found:
        if not isinstance(search, Counterexample):
            continue
        assert document["verdict"] == ("unfair" if search.kind == "flip" else "undecided")
        for case, logits in zip(document["cases"], search.logits, strict=True):
            assert set(case["sensitive"]) == {feature.name for feature in LOANS.sensitive_features}
            assert case["label"] is None or case["label"] in LOANS.labels
            assert case["integer_logits"] == [str(logit) for logit in logits]


def test_radii_are_cut_and_marked_at_the_cap():
    """A radius is rounded down; the largest that is ever stated is marked, and no radius at all is written as 0."""
    assert documents.radius_text(LOANS, 12345) == f"{cut(radius_of_any(LOANS, 12345)):.6f}"
    assert documents.radius_text(LOANS, LOANS.max_radius_squared).startswith("at least ")
    assert documents.radius_text(LOANS, -1) == "0.000000"
    assert documents.distance_text(LOANS, 2, up=True) > documents.distance_text(LOANS, 2, up=False)


def test_an_exhausted_search_is_told_in_units():
    """A budget and a capacity that end a search become one error in the spec's units, with its exit code."""
    said = r"after 3 regions; radius 0\.\d{6} is certain"
    with pytest.raises(ExhaustedError, match=said) as budget, documents.in_spec_units(LOANS):
        raise SearchBudgetError(9, 3, "3 regions")
    assert budget.value.exit_code == 4
    said = "9 leaves are needed and there is room for 4; 16 would do"
    with pytest.raises(ExhaustedError, match=said), documents.in_spec_units(RATES):
        raise CapacityError(9, 4, None, "leaves")
