from dataclasses import replace

import numpy as np
import pytest

from equiproof.certify.errors import EvidenceError
from equiproof.certify.network import Layer, NetworkError, QuantisedNetwork
from equiproof.certify.polytope import LinearForm, slices
from equiproof.certify.traversal import evidence_check
from equiproof.certify.traversal.evidence import Evidence, Region
from equiproof.certify.traversal.evidence_check import RULES, check
from equiproof.certify.traversal.search import search
from tests.certify.tiny import larger, zero

# One neuron h = x - 3 + s on each slice s = 0, 1; logit 2 h - 10: label 1 from x = 9 - s up.
STEP = QuantisedNetwork((Layer(((1, 1),), (-3,)), Layer(((2,),), (-10,))), 1, (0, 0))
TABLE = ((0,), (1,))
ABOVE = Evidence(1, 144, (Region(0, 1), Region(1, 1)))
"""Evidence for x = 20: slice 0 ties at x = 8, twelve away."""
BELOW = Evidence(0, 144, (Region(0, 0), Region(1, 0), Region(1, 1), Region(0, 1)))
"""Evidence for x = -5: slice 1 ties at x = 7, twelve away, behind the facet x = 2."""


def refused(rule, evidence, query, where="", network=STEP, table=TABLE):
    """Assert that the check raises this rule at a place that contains `where`."""
    with pytest.raises(EvidenceError) as caught:
        check(evidence, network, query, table)
    assert caught.value.rule == rule
    assert where in caught.value.where
    assert rule in str(caught.value)


def accepted(evidence, query):
    check(evidence, STEP, query, TABLE)


def test_every_rule_has_its_id():
    """The table lists the seven permanent ids and nothing else."""
    assert list(RULES) == [
        "R-INFERENCE",
        "R-POLYTOPE",
        "R-DISTANCE",
        "R-NEIGHBOR",
        "R-BOUNDARY",
        "R-ORDER",
        "R-MIN",
    ]
    assert all(rule.__doc__.startswith(f"{name}: ") for name, rule in RULES.items())


def test_hand_made_evidence_is_accepted():
    """Both labels, a smaller radius, repeated rows and regions that are not needed are all accepted."""
    accepted(ABOVE, (20,))
    accepted(BELOW, (-5,))
    accepted(replace(ABOVE, radius_squared=0), (20,))
    accepted(replace(BELOW, regions=BELOW.regions + BELOW.regions[:3]), (-5,))
    accepted(replace(BELOW, radius_squared=49), (-5,))


class TestInference:
    def test_the_label_is_that_of_every_slice(self):
        """The other label and labels that do not exist are refused at the first slice."""
        refused("R-INFERENCE", replace(ABOVE, label=0), (20,), "slice 0")
        refused("R-INFERENCE", replace(BELOW, label=1), (-5,), "slice 0")
        refused("R-INFERENCE", replace(ABOVE, label=2), (20,), "label")
        refused("R-INFERENCE", replace(ABOVE, label=-1), (20,), "label")

    def test_a_slice_that_decides_otherwise_is_refused(self):
        """With a third slice s = -15 on which x = 20 is decided 0, no label is accepted."""
        table = (*TABLE, (-15,))
        regions = (*ABOVE.regions, Region(2, 1))
        refused("R-INFERENCE", Evidence(1, 0, regions), (20,), "slice 2", table=table)
        refused("R-INFERENCE", Evidence(0, 0, regions), (20,), "slice 0", table=table)

    @pytest.mark.parametrize("label", [0, 1])
    def test_a_tie_is_refused_for_either_label(self, label):
        """A logit of exactly 0 decides nothing, so slice 0 at x = 8 is refused."""
        refused("R-INFERENCE", Evidence(label, 0, ABOVE.regions), (8,), "slice 0")

    @pytest.mark.parametrize("label", [0, 1])
    @pytest.mark.parametrize("logits", [1, 2])
    def test_an_all_zero_network_is_refused_for_either_label(self, label, logits):
        """Zero weights, biases and query with a squared radius of 10^12 give no evidence whatever the set."""
        everything = tuple(Region(s, v) for v in (3, 2, 1, 0) for s in (0, 1))
        for regions in (everything, everything[:2]):
            claim = Evidence(label, 10**12, regions)
            refused("R-INFERENCE", claim, (0,), network=zero(logits=logits))

    def test_the_first_rows_are_the_centres_in_order(self):
        """A centre that is missing, swapped, or replaced by another region of its slice is refused."""
        refused("R-INFERENCE", replace(ABOVE, regions=()), (20,), "slice 0")
        refused("R-INFERENCE", replace(ABOVE, regions=ABOVE.regions[:1]), (20,), "slice 1")
        refused("R-INFERENCE", replace(ABOVE, regions=ABOVE.regions[::-1]), (20,), "slice 0")
        refused("R-INFERENCE", replace(ABOVE, regions=(Region(0, 1), Region(1, 0), Region(1, 1))), (20,), "slice 1")

    def test_a_neuron_at_exactly_0_is_active(self):
        """At x = 3 the neuron of slice 0 is 0: only the pattern with the neuron on is the centre's."""
        check(Evidence(0, 4, (Region(0, 1), Region(1, 1), Region(0, 0), Region(1, 0))), STEP, (3,), TABLE)
        refused("R-INFERENCE", Evidence(0, 4, (Region(0, 0), Region(1, 1), Region(0, 1), Region(1, 0))), (3,))


class TestPolytope:
    @pytest.mark.parametrize("extra", [Region(2, 0), Region(-1, 0), Region(0, 2), Region(0, -1)])
    def test_regions_are_of_the_shape(self, extra):
        """Slices outside the table and patterns with other neurons are refused, unused though they be."""
        refused("R-POLYTOPE", replace(ABOVE, regions=(*ABOVE.regions, extra)), (20,), "region 2")

    def test_the_forms_are_returned(self):
        """The rule gives the forms of the region that it names: on slice 1 with the neuron on, x - 2 and 2 x - 14."""
        hidden, margins = evidence_check.polytope(slices(STEP, TABLE), Region(1, 1), 1, "here")
        assert hidden == (LinearForm((1,), -2),)
        assert margins == (LinearForm((2,), -14),)

    def test_only_plain_integers_are_judged(self):
        """Floats, booleans and fixed-width integers are refused wherever they stand."""
        refused("R-POLYTOPE", ABOVE, (20.0,), "query")
        refused("R-POLYTOPE", ABOVE, np.array([20]), "query")
        refused("R-POLYTOPE", ABOVE, (20,), "table row 1", table=((0,), (1.0,)))
        refused("R-POLYTOPE", replace(ABOVE, radius_squared=143.5), (20,), "label and radius")
        refused("R-POLYTOPE", replace(ABOVE, label=True), (20,), "label and radius")
        refused("R-POLYTOPE", replace(ABOVE, regions=(Region(0, 1.0), Region(1, 1))), (20,), "region 0")
        with pytest.raises(NetworkError, match="layer 2: a number is not a plain integer"):
            replace(STEP, layers=(STEP.layers[0], Layer(((2,),), (-10.5,))))

    @pytest.mark.parametrize("table", [(), ((0, 1),), ((0,), (0, 1)), ((), ())])
    def test_query_and_table_fit_the_network(self, table):
        """No slice at all, and rows that do not complete the query to the network's inputs, are refused."""
        refused("R-POLYTOPE", ABOVE, (20,), table=table)


class TestDistance:
    def test_hand_computed_excess(self):
        """The line 3 x + 4 y = 25 is five away from the origin: zero excess at 25, negative from 26 on."""
        form = LinearForm((3, 4), -25)
        assert [evidence_check.distance(form, (0, 0), radius) for radius in (0, 24, 25, 26)] == [625, 25, 0, -25]

    def test_a_constant_form_is_no_hyperplane(self):
        """With c = 0 no radius makes the excess negative."""
        assert evidence_check.distance(LinearForm((0, 0), 0), (5, 7), 10**9) == 0
        assert evidence_check.distance(LinearForm((0, 0), -3), (5, 7), 10**9) == 9


class TestNeighbor:
    members = frozenset({Region(0, 0b00), Region(0, 0b01), Region(0, 0b11), Region(1, 0b01)})

    def test_exactly_the_crossed_bit_differs(self):
        """Across neuron 0 of (0, 00) lies (0, 01) and nothing else of the set."""
        evidence_check.neighbor(Region(0, 0b00), 0, Region(0, 0b01), self.members, "here", crossed=True)
        for other in (Region(0, 0b11), Region(0, 0b00), Region(1, 0b01)):
            with pytest.raises(EvidenceError, match=r"R-NEIGHBOR.*differs"):
                evidence_check.neighbor(Region(0, 0b00), 0, other, self.members, "here", crossed=True)

    def test_the_region_across_is_in_the_set(self):
        """A crossing into a region that is not in the set is refused; a facet that is not crossed asks nothing."""
        with pytest.raises(EvidenceError, match=r"R-NEIGHBOR.*not in the set"):
            evidence_check.neighbor(Region(0, 0b00), 1, Region(0, 0b10), self.members, "here", crossed=True)
        evidence_check.neighbor(Region(0, 0b00), 1, Region(0, 0b10), self.members, "here", crossed=False)


class TestOrder:
    def test_a_region_that_was_left_out_is_refused(self):
        """Dropping either region behind a near facet is refused at the region and neuron that lead there."""
        refused("R-ORDER", replace(BELOW, regions=BELOW.regions[:3]), (-5,), "slice 0, region 0, neuron 0")
        refused("R-ORDER", replace(BELOW, regions=BELOW.regions[:2]), (-5,), "slice 0, region 0, neuron 0")

    def test_the_set_of_one_slice_does_not_serve_another(self):
        """A region of slice 1 with the right pattern is no neighbor on slice 0."""
        regions = (Region(0, 0), Region(1, 0), Region(1, 1), Region(1, 1))
        refused("R-ORDER", replace(BELOW, regions=regions), (-5,), "slice 0, region 0")

    def test_a_facet_at_exactly_the_radius_need_not_be_crossed(self):
        """The ball is open: at squared radius 49 the facet seven away stays shut, at 50 it does not."""
        accepted(Evidence(0, 49, BELOW.regions[:2]), (-5,))
        refused("R-ORDER", Evidence(0, 50, BELOW.regions[:2]), (-5,), "slice 1")


class TestBoundary:
    def test_a_decision_hyperplane_at_exactly_the_radius_is_allowed(self):
        """The ball is open: 144 is accepted where 145 is refused."""
        refused("R-BOUNDARY", replace(ABOVE, radius_squared=145), (20,), "slice 0, region 0")
        refused("R-BOUNDARY", replace(BELOW, radius_squared=145), (-5,), "slice 1, region 2")


class TestMin:
    def test_a_negative_radius_is_refused(self):
        """Every comparison of distances holds for a negative radius, which is why it has a rule of its own."""
        refused("R-MIN", replace(ABOVE, radius_squared=-1), (20,), "radius")

    def test_the_minimum_of_the_slices(self):
        """The stated radius is above no slice's, and is one of them."""
        evidence_check.minimum(3, [5, 3, 4])
        for smallest, where in ((4, "slice 1"), (2, "radius")):
            with pytest.raises(EvidenceError, match=f"R-MIN: {where}"):
                evidence_check.minimum(smallest, [5, 3, 4])


@pytest.mark.parametrize(
    ("rule", "pass_all", "false_claim", "query"),
    [
        ("inference", lambda *a, **k: None, replace(ABOVE, label=0), (20,)),
        ("order", lambda *a, **k: None, Evidence(0, 10**6, BELOW.regions[:2]), (-5,)),
        ("boundary", lambda *a, **k: None, replace(ABOVE, radius_squared=200), (20,)),
        ("distance", lambda *a, **k: 0, replace(ABOVE, radius_squared=200), (20,)),
        ("minimum", lambda *a, **k: None, replace(ABOVE, radius_squared=-1), (20,)),
    ],
)
def test_no_rule_can_be_left_out(monkeypatch, rule, pass_all, false_claim, query):
    """Without this one rule a false claim passes; with it the same claim is refused."""
    with pytest.raises(EvidenceError):
        accepted(false_claim, query)
    monkeypatch.setattr(evidence_check, rule, pass_all)
    accepted(false_claim, query)


@pytest.mark.parametrize(("hidden", "logits", "sensitive"), [((8, 2), 1, 1), ((5, 4, 3), 3, 2), ((10,), 2, 1)])
def test_evidence_of_larger_networks_is_accepted(hidden, logits, sensitive):
    """The checker accepts what the search returns on wider and deeper networks, for every capacity it lists."""
    count = 0
    for seed in range(12):
        case = larger(seed, 12, hidden, logits, sensitive)
        found = search(case.network, case.query, case.table, max_radius_squared=1 << 28, max_regions=256)
        if hasattr(found, "capacities"):
            count += 1
            for capacity, _ in found.capacities():
                check(found.evidence_within(capacity), case.network, case.query, case.table)
    assert count > 3
