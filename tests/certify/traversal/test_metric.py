"""Exact radii in weighted distances: against enumeration in fractions, and matrices that are no distance."""

import itertools
import math
import random
from dataclasses import replace
from decimal import Decimal
from fractions import Fraction

import pytest

from equiproof.certify.network import Layer, QuantisedNetwork
from equiproof.certify.traversal.exact import exact_search
from equiproof.certify.traversal.metric import MAX_BITS, MAX_SLACK, Metric, MetricError, metric_search
from equiproof.certify.traversal.search import Counterexample
from tests.certify import oracle
from tests.certify.tiny import larger, tiny
from tests.sampling import blocks

CAP = 1 << 20
LIMITS = {"max_radius_squared": CAP, "max_regions": 1 << 12}


def solved(rows, right):
    """Solve a square system in fractions; None where it has no single solution."""
    rows = [[*map(Fraction, row), Fraction(last)] for row, last in zip(rows, right, strict=True)]
    for place in range(len(rows)):
        pivot = next((at for at in range(place, len(rows)) if rows[at][place]), None)
        if pivot is None:
            return None
        rows[place], rows[pivot] = rows[pivot], rows[place]
        rows[place] = [cell / rows[place][place] for cell in rows[place]]
        for at, row in enumerate(rows):
            if at != place:
                rows[at] = [a - row[place] * b for a, b in zip(row, rows[place], strict=True)]
    return [row[-1] for row in rows]


def weighted(S, way):
    """The squared distance way' S^-1 way."""
    return sum(a * b for a, b in zip(way, solved(S, way), strict=True))


def times(S, row):
    """S c."""
    return [sum(a * b for a, b in zip(line, row, strict=True)) for line in S]


def nearest(case, label, S):
    """The squared distance of the nearest flip under S: the least over all faces of all polytopes, in fractions.

    On the intersection of some hyperplanes A x + d = 0 the nearest point is q - S A' (A S A')^-1 (A q + d).
    """
    best = None
    for row in case.table:
        for pattern in range(1 << case.network.neurons):
            hidden, margins = oracle._forms(case, row, pattern, label)
            polytope = [form if pattern >> n & 1 else [-c for c in form] for n, form in enumerate(hidden)]
            for margin in margins:
                for size in range(case.columns):
                    for others in itertools.combinations(polytope, size):
                        A = [form[:-1] for form in (margin, *others)]
                        right = [
                            sum(c * v for c, v in zip(form, (*case.query, 1), strict=True))
                            for form in (margin, *others)
                        ]
                        product = [
                            [sum(a * b for a, b in zip(one, times(S, two), strict=True)) for two in A] for one in A
                        ]
                        weights = solved(product, right)
                        if weights is None:
                            continue
                        way = [
                            -sum(w * c for w, c in zip(weights, line, strict=True))
                            for line in zip(*(times(S, a) for a in A), strict=True)
                        ]
                        point = [q + step for q, step in zip(case.query, way, strict=True)]
                        if all(sum(c * v for c, v in zip(form, (*point, 1), strict=True)) >= 0 for form in polytope):
                            squared = weighted(S, way)
                            best = squared if best is None else min(best, squared)
    return best


def drawn(rng, columns):
    """A random positive-definite matrix with small whole numbers."""
    root = [[rng.randint(-4, 4) for _ in range(columns)] for _ in range(columns + 1)]
    return [[sum(line[a] * line[b] for line in root) + (a == b) for b in range(columns)] for a in range(columns)]


def judged(seed):
    """Hold a tiny case under a random matrix against enumeration; return whether it has a flip."""
    rng = random.Random(seed)
    case = tiny(seed)
    metric = Metric.of(drawn(rng, case.columns), bits=rng.randint(6, 12))
    found = metric_search(case.network, case.query, case.table, metric, **LIMITS)
    plain = exact_search(case.network, case.query, case.table, **LIMITS)
    if isinstance(plain, Counterexample):
        assert found == plain
        return False
    assert found.label == plain.label
    truth = nearest(case, found.label, metric.matrix)
    if truth is None:
        assert (found.upper, found.boundary_point) == (None, None)
        return False
    assert found.complete
    assert found.lower == found.upper == min(truth, CAP)
    point = found.boundary_point.point
    way = [p - q for p, q in zip(point, case.query, strict=True)]
    assert metric.squared(way) == weighted(metric.matrix, way) == found.upper
    assert min(oracle.true_margins(case, point, case.table[found.boundary_point.slice], found.label)) == 0
    return True


@pytest.mark.sampled(2)
@pytest.mark.parametrize("seeds", blocks(400, 10), ids=str)
def test_radii_are_those_of_enumeration(seeds):
    """Of tiny networks with every degeneracy, under random matrices: exactly, and so is the boundary point."""
    assert sum(map(judged, seeds)) > len(seeds) // 8


def test_the_identity_is_the_ordinary_distance():
    """The same interval, and the same point."""
    case = larger(3, 5, (6,))
    plain = exact_search(case.network, case.query, case.table, **LIMITS | {"max_radius_squared": 1 << 28})
    one = Metric.of([[int(a == b) for a in range(4)] for b in range(4)], bits=0)
    assert one.slack <= Fraction(1, 1 << 30)
    found = metric_search(case.network, case.query, case.table, one, **LIMITS | {"max_radius_squared": 1 << 28})
    assert (found.lower, found.upper, found.boundary_point) == (plain.lower, plain.upper, plain.boundary_point)


def test_a_multiple_of_the_identity_scales_the_radius():
    """With S = 4 times the identity, a way counts half."""
    case = larger(3, 5, (6,))
    limits = LIMITS | {"max_radius_squared": 1 << 28}
    plain = exact_search(case.network, case.query, case.table, **limits)
    four = Metric.of([[4 * int(a == b) for a in range(4)] for b in range(4)])
    assert metric_search(case.network, case.query, case.table, four, **limits).upper == plain.upper / 4


def test_everybody_nearer_is_decided_alike():
    """Points inside the ellipsoid have the label for every row of the table, also beyond the ordinary radius."""
    rng = random.Random(1)
    metric = Metric.of([[16, "0.5"], [0.5, Decimal("0.0625")]])
    limits = LIMITS | {"max_radius_squared": 1 << 28}
    inside = beyond = 0
    for seed in range(12):
        case = larger(seed, 3, (5,))
        found = metric_search(case.network, case.query, case.table, metric, **limits)
        if isinstance(found, Counterexample):
            continue
        plain = exact_search(case.network, case.query, case.table, **limits)
        reach = math.isqrt(found.radius_squared)
        for _ in range(1000):
            way = (rng.randint(-4 * reach, 4 * reach), rng.randint(-reach // 4, reach // 4))
            if metric.squared(way) < found.lower:
                inside += 1
                beyond += way[0] ** 2 + way[1] ** 2 > plain.lower
                point = [q + step for q, step in zip(case.query, way, strict=True)]
                assert {case.network.decide((*point, *row)) for row in case.table} == {found.label}
    assert inside > 1000
    assert beyond > 100


def test_a_radius_for_the_matrix_itself_is_smaller_by_the_slack():
    """Ways within it under the given matrix are within the factor's radius; with few bits the slack is larger."""
    rng = random.Random(2)
    S = drawn(rng, 3)
    slacks = []
    for bits in (3, 8, 16):
        metric = Metric.of(S, bits)
        slacks.append(metric.slack)
        closest = 0
        for _ in range(300):
            way = [rng.randint(-50, 50) for _ in range(3)]
            own, near = weighted(S, way), metric.squared(way)
            assert near <= own * (1 + metric.slack)
            assert own <= near * (1 + metric.slack)
            assert metric.within(near) <= own
            closest = max(closest, abs(near / (own or 1) - 1)) if any(way) else closest
        assert closest > metric.slack / 10
    assert slacks[0] > slacks[1] > slacks[2] > 0
    assert slacks[0] <= MAX_SLACK


def test_a_network_in_other_coordinates_decides_alike():
    """All of its values are 2^bits times those at the point q + B y, for every row of the table."""
    rng = random.Random(4)
    case = larger(7, 4, (5, 4), logits=2)
    metric = Metric.of(drawn(rng, 3), bits=4)
    turned = metric.around(case.network, case.query)
    for _ in range(50):
        y = [rng.randint(-300, 300) << 4 for _ in range(3)]
        point = metric.back([Fraction(one) for one in y], case.query)
        assert all(one.denominator == 1 for one in point)
        for row in case.table:
            expected = case.network.pre_activations((*map(int, point), *row))
            found = turned.pre_activations((*y, *row))
            assert found == tuple(tuple(value << 4 for value in layer) for layer in expected)
    assert turned.logit_fraction_bits == case.network.logit_fraction_bits + 4


def test_a_flip_at_the_query_has_the_logits_of_the_network():
    """A counterexample is about the network itself."""
    layers = (Layer(((1, 3), (1, -2)), (0, 1)), Layer(((1, -1),), (-1,)))
    network = QuantisedNetwork(layers, 1, (0, 0))
    found = metric_search(network, (1,), ((0,), (3,)), Metric.of([[7]], 5), **LIMITS)
    assert isinstance(found, Counterexample)
    assert found == exact_search(network, (1,), ((0,), (3,)), **LIMITS)


def test_an_ended_time_leaves_an_interval():
    """Nothing is lost that was certain."""
    case = larger(3, 7, (12,))
    metric = Metric.of(drawn(random.Random(0), 6))
    limits = LIMITS | {"max_radius_squared": 1 << 40}
    found = metric_search(case.network, case.query, case.table, metric, max_seconds=0.0, **limits)
    assert not found.complete
    whole = metric_search(case.network, case.query, case.table, metric, **limits | {"max_regions": 1 << 14})
    assert found.lower <= whole.lower <= whole.upper <= found.upper


@pytest.mark.parametrize(
    ("matrix", "said"),
    [
        ([], "as many columns as rows"),
        ([[1, 0]], "as many columns as rows"),
        ([[1, 0], [0]], "as many columns as rows"),
        ([[1, 2], [3, 9]], "symmetric"),
        ([[1, float("nan")], [float("nan"), 1]], "row 1 of the matrix"),
        ([[1, 0], [0, float("inf")]], "row 2 of the matrix"),
        ([["1/0", 0], [0, 1]], "row 1 of the matrix"),
        ([[1, 0], [0, "one"]], "row 2 of the matrix"),
        ([[1, 0], [0, None]], "row 2 of the matrix"),
        ([[0]], "first 1 rows"),
        ([[-1, 0], [0, 1]], "first 1 rows"),
        ([[1, 0, 0], [0, 1, 1], [0, 1, 1]], "first 3 rows"),
        ([[1, 2, 0], [2, 1, 0], [0, 0, 1]], "first 2 rows"),
        ([[1, 0], [0, "1e-9"]], "more than 10 fractional bits"),
        ([[1, "0.99999999"], ["0.99999999", 1]], "more than 10 fractional bits"),
        ([[1, Fraction(10**40 - 1, 10**40)], [Fraction(10**40 - 1, 10**40), 1]], "more than 10 fractional bits"),
    ],
)
def test_what_is_no_distance_is_refused(matrix, said):
    """In one line that says what to change."""
    with pytest.raises(MetricError, match=said) as error:
        Metric.of(matrix)
    assert len(str(error.value)) <= 400


def test_more_bits_represent_what_few_do_not():
    """The refused matrix of a small variance has a factor of 20 bits."""
    assert Metric.of([[1, 0], [0, "1e-9"]], 22).slack < MAX_SLACK
    for bits in (-1, MAX_BITS + 1):
        with pytest.raises(MetricError, match="use 0 to 24 fractional bits"):
            Metric.of([[1]], bits)


def test_slack_is_proven_and_not_guessed(monkeypatch):
    """A guess of floats that is far too small is not believed."""
    from equiproof.certify.traversal import metric as module

    monkeypatch.setattr(module.np.linalg, "eigvalsh", lambda _: [1.0, 1.0])
    S = drawn(random.Random(2), 3)
    found = Metric.of(S, 6)
    for way in itertools.product(range(-3, 4), repeat=3):
        assert found.squared(way) <= weighted(S, way) * (1 + found.slack)


def test_what_does_not_fit_is_refused():
    """A query or a network of other columns, and weights that leave 32 bits in other coordinates."""
    case = larger(3, 5, (6,))
    metric = Metric.of([[1]])
    with pytest.raises(ValueError, match="the matrix has 1 columns, the query 4"):
        metric.around(case.network, case.query)
    wide = Metric.of([[10**9 * int(a == b) for a in range(4)] for b in range(4)], 20)
    with pytest.raises(MetricError, match="use fewer than 20 fractional bits: in other coordinates, layer 1"):
        wide.around(case.network, case.query)
    assert replace(wide, bits=0).columns == 4
