"""Certification of many applicants by branch and bound: intervals, anytime, checked in the clear."""

import random
from dataclasses import replace
from decimal import Decimal
from fractions import Fraction

import msgspec
import pytest

from equiproof.certify import branch
from equiproof.certify.branch import BranchSearch, branch_search, network_parameters, search_under
from equiproof.certify.digits import percent
from equiproof.certify.errors import EvidenceError
from equiproof.certify.many.certifier import Certifier
from equiproof.certify.many.results import Results
from equiproof.certify.network import Layer, QuantisedNetwork
from equiproof.certify.traversal.exact import exact_search
from equiproof.certify.traversal.search import Counterexample
from tests.certify.hand_made import by_income, by_sex, never
from tests.support import LOANS, RATES, applicant, network

RICH = {"income": 42000, "housing": "own"}


def certifier(model, spec=LOANS, **parameters):
    """Return a certifier of scheme branch that shows no progress."""
    return Certifier(model, spec, scheme="branch", progress=False, **parameters)


def untimed(results):
    """Return the points without what the machine decides."""
    return [msgspec.structs.replace(point, seconds=0.0) for point in results]


@pytest.fixture(scope="module")
def model():
    """A network with fair and unfair points, some of which need many leaves."""
    return network(LOANS, (8, 4), seed=4, sensitivity=0.5)


@pytest.fixture(scope="module")
def rows():
    """Twenty random applicants."""
    rng = random.Random(1)
    return [applicant(LOANS, rng) for _ in range(20)]


@pytest.fixture(scope="module")
def results(model, rows):
    """What is known of them, in one process."""
    return certifier(model, capacity=4).certify(rows)


@pytest.fixture(scope="module")
def few(model, rows):
    """The same with three leaves at most."""
    return certifier(model, max_leaves=3).certify(rows)


def test_a_fair_point_is_what_a_hand_computes():
    """The decision by income alone holds down to the mean at exactly 1024: the integer below is proven, one less."""
    (point,) = certifier(by_income(), capacity=4).certify([RICH])
    assert (point.row, point.verdict, point.label) == (1, "fair", "granted")
    assert (point.radius_squared, point.reason) == ((1 << 20) - 1, "digits")
    # (1023 - ceil(sqrt 3)) / 1024, cut after six decimals.
    assert point.radius == Decimal("0.997070")
    assert (point.exact.lower_squared, point.exact.upper_squared) == ("1048575", "1048576")
    assert (point.exact.complete, point.exact.gap) == (False, Decimal("0.000001"))
    # A leaf per sex, and one more for the split that every tree has.
    assert (point.leaves, point.needed_capacity, point.regions) == (3, 4, None)
    assert point.radius_squared_at_capacity == point.radius_squared


def test_the_scheme_is_branch_where_none_is_named(model, rows, results):
    """Without a wish the certifier branches and bounds: it finds the same, and its document says the scheme."""
    found = Certifier(model, LOANS, capacity=4, progress=False).certify(rows)
    assert found.limits.scheme == "branch"
    assert untimed(found) == untimed(results)


def test_unfair_points_and_ties_are_those_of_every_scheme():
    """A query that is itself unfair or tied needs no search: the result is that of the other scheme."""
    for broken in (by_sex(), never()):
        (point,) = untimed(certifier(broken).certify([RICH]))
        (other,) = untimed(Certifier(broken, LOANS, scheme="traversal", progress=False).certify([RICH]))
        assert point == other
        assert point.verdict != "fair"


def test_points_are_their_searches(model, rows, results):
    """Each point says what a search alone says, at the capacity too, and some reach their largest radius."""
    parameters = network_parameters(LOANS, model.hidden)
    limits = {"max_radius_squared": LOANS.max_radius_squared, "max_leaves": 256, "parameters": parameters}
    complete = 0
    for point, row in zip(results, rows, strict=True):
        found = branch_search(model, LOANS.encode(row), LOANS.domain_table, **limits)
        if isinstance(found, Counterexample):
            assert (point.verdict, point.exact) == ("unfair", None)
            continue
        assert (point.verdict, point.label) == ("fair", LOANS.labels[found.label])
        assert (point.radius_squared, point.reason, point.leaves) == (found.radius_squared, found.ended, found.leaves)
        assert point.radius_squared_at_capacity == found.evidence_within(4).radius_squared <= point.radius_squared
        assert point.needed_capacity // 2 < point.leaves <= point.needed_capacity
        assert (point.exact.complete, point.exact.capped) == (found.complete, found.capped)
        complete += found.complete
    assert complete > 5


def test_the_interval_holds_the_distance_of_the_boundary(model, rows, results):
    """What GeoCert finds lies between the ends, and a complete interval holds no integer but its lower end."""
    judged = 0
    for point, row in zip(results, rows, strict=True):
        if point.exact is None:
            continue
        limits = {"max_radius_squared": LOANS.max_radius_squared, "max_regions": 1 << 12}
        true = exact_search(model, LOANS.encode(row), LOANS.domain_table, **limits)
        lower = Fraction(point.exact.lower_squared)
        assert lower == point.radius_squared
        assert not true.complete or lower <= true.lower
        if point.exact.upper is not None:
            upper = Fraction(point.exact.upper_squared)
            assert true.lower <= upper
            assert point.exact.gap == point.exact.upper - point.exact.lower >= 0
            assert not point.exact.complete or lower <= upper < lower + 1
            judged += true.complete
    assert judged > 5


def test_a_budget_that_ends_first_leaves_a_gap(model, rows, results, few):
    """With few leaves or no time a point is fair still, up to a smaller radius; what ended the search is reported."""
    hurried = certifier(model, max_seconds=0).certify(rows)
    assert {point.reason for point in few} == {None, "leaves"}
    assert {point.reason for point in hurried} >= {"seconds"}
    for short, full in zip([*few, *hurried], [*results, *results], strict=True):
        assert (short.verdict, short.label) == (full.verdict, full.label)
        if short.verdict == "fair":
            assert 0 <= short.radius_squared <= full.radius_squared
            assert short.exact.complete == (short.reason is None)
    assert all(point.leaves <= 3 for point in few.having("fair"))


def test_results_do_not_depend_on_the_number_of_processes(model, rows, results):
    """Two processes at a time find the same points in the same order."""
    assert untimed(certifier(model, capacity=4, jobs=2).certify(rows)) == untimed(results)


def test_evidence_that_does_not_hold_is_never_reported(model, rows, monkeypatch):
    """A search whose evidence claims more than its tree proves is refused by the checker; nothing is returned."""

    def boasting(*arguments, **limits):
        found = search_under(*arguments, **limits)
        if not isinstance(found, BranchSearch):
            return found
        evidence = replace(found.evidence, radius_squared=2 * found.radius_squared + 2)
        return replace(found, evidence=evidence)

    monkeypatch.setattr(branch, "search_under", boasting)
    with pytest.raises(EvidenceError):
        certifier(model).certify(rows)


def test_numbers_without_digits_are_undecided():
    """Where rounding leaves nothing of a margin, not even the query is proven: undecided, with its label."""
    layers = [Layer(((1, 0, 0, 0),), (1 << 20,))] + [Layer(((1,),), (0,)) for _ in range(4)]
    deep = QuantisedNetwork((*layers, Layer(((1,),), (-(1 << 20),))), 10, (0,) * 6)
    (point,) = certifier(deep).certify([RICH])
    assert (point.verdict, point.reason, point.label) == ("undecided", "digits", "granted")
    assert (point.radius, point.exact, point.needed_capacity) == (None, None, None)
    assert "1 with too few digits" in certifier(deep).certify([RICH]).summary()


def test_several_labels_and_slices():
    """Three labels over six joint values: evidence has room for every slice, and the intervals are in order."""
    rng = random.Random(5)
    rows = [applicant(RATES, rng) for _ in range(6)]
    fair = certifier(network(RATES, (4, 3), 13), RATES, max_leaves=64).certify(rows).having("fair")
    assert fair
    for point in fair:
        assert point.leaves >= 7
        assert point.exact.upper is None or point.exact.lower <= point.exact.upper


def test_json_comes_back(results, few):
    """What is written reads back equal, gaps included, and is written the same again."""
    for one in (results, few):
        again = Results.from_json(one.to_json())
        assert again == one
        assert again.to_json() == one.to_json()


def test_the_frame_has_the_columns_of_the_scheme(results):
    """Leaves, programs and both ends of the interval are there; what only the other scheme finds is not."""
    frame = results.to_frame()
    assert {"leaves", "programs", "exact_lower", "exact_upper", "needed_capacity"} < set(frame)
    assert not {"regions", "flip_distance", "flip_sensitive"} & set(frame)
    fair = frame[frame["verdict"] == "fair"]
    assert list(fair["leaves"]) == [point.leaves for point in results.having("fair")]
    assert (fair["exact_lower"] >= fair["radius"]).all()


def test_the_summary_tells_how_near_the_largest_radius_is(results, few):
    """How many radii are the largest there are, what ended the other searches, and how far those are."""
    fair = results.having("fair")
    complete = sum(point.reason is None for point in fair)
    assert f"{complete} of {len(fair)} are the largest there are" in results.summary()
    short = [point for point in few.having("fair") if point.reason == "leaves"]
    shares = sorted(point.exact.lower / point.exact.upper for point in short)
    assert f"the others reach {percent(shares[0], 'down')} of it at least" in few.summary()
    assert f"{len(short)} ended by the budget of leaves" in few.summary()
    assert "the certified radius fits a key of capacity K = 4: 100 % of the fair" in few.summary()
