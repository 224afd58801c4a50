"""The verifier's own arithmetic of BN254 equals that of noble-curves, an audited library, wherever both are asked."""

import itertools
import math
import os
import random

import pytest

ORDER = 21888242871839275222246405745257275088548364400416034343698204186575808495617
MODULUS = 21888242871839275222246405745257275088696311157297823662689037894645226208583
X = 4965661367192848881
COFACTOR = 2 * MODULUS - ORDER
REST = COFACTOR // 10069
"""The order of the twist is ORDER times COFACTOR, whose least factor is 10069."""
TIMES = int(os.environ.get("EQUIPROOF_FUZZ", "0")) or 1
EDGES = (0, 1, 2, 3, ORDER - 2, ORDER - 1, ORDER, 6 * X * X, 6 * X + 2)


@pytest.fixture
def rng(request):
    """A source of random numbers: the same in every run, unless more are asked for."""
    return random.Random(request.node.name if TIMES == 1 else None)


def alike(pairs):
    """Fail unless both parts of every pair are the same."""
    assert pairs
    for place, (own, other) in enumerate(pairs):
        assert own == other, place


def test_fields(package, rng):
    """Products, squares, inverses, conjugates, lines and last powers, of full, sparse and extreme elements."""
    draws = (
        lambda: rng.randrange(MODULUS),
        lambda: rng.choice((0, 0, 1, MODULUS - 1, rng.randrange(MODULUS))),
        lambda: MODULUS - 1,
    )
    for draw, _ in itertools.product(draws, range(6 * TIMES)):
        left, right = ([str(draw()) for _ in range(12)] for _ in range(2))
        left[0] = str(rng.randrange(1, MODULUS))
        alike(package.call("curve_fields", left, right))


@pytest.mark.parametrize("group", [1, 2])
def test_points(package, rng, group):
    """Sums, doubles and multiples: of random points, of a point with itself and its negative, and with infinity."""
    scalars = [(a, b) for a, b in itertools.product(EDGES, repeat=2) if rng.random() < 0.4]
    drawn = [rng.randrange(ORDER) for _ in range(4 * TIMES)]
    scalars += [(a, b) for a in drawn for b in (a, ORDER - a, 0, rng.randrange(ORDER))]
    for left, right in scalars:
        alike(package.call("curve_points", group, str(left), str(right)))


def test_the_subgroup(package, rng):
    """A random point of the twist is outside the subgroup of prime order, and both say so."""
    found = []
    while len(found) < 6:
        x = str(rng.randrange(MODULUS)), str(rng.randrange(MODULUS))
        # As it is; cleared of everything but the prime order; of a small order; and the sum of the last two.
        answers = [package.call("curve_subgroup", *x, str(factor)) for factor in (1, COFACTOR, ORDER * REST, REST)]
        if None not in answers:
            alike(answers)
            found.append([own for own, _ in answers])
    assert found == [["false", "true", "false", "false"]] * 6
    base = (
        "10857046999023057135944570762232829481370756359578518086990519993285655852781",
        "11559732032986387107991004021392285783925812861821192530917403151452391805634",
    )
    assert package.call("curve_subgroup", *base, "1") == ["true", "true"]


def test_pairings(package, rng):
    """Products of one to four pairings are the same element, not only the same verdict."""
    for count in (1, 2, 3, 4) * TIMES:
        factors = [(str(rng.randrange(1, ORDER)), str(rng.randrange(1, ORDER))) for _ in range(count)]
        alike([package.call("curve_pairings", factors)])
    one = str([["1", "0"], *[["0", "0"]] * 5]).replace("'", '"').replace(" ", "")
    for a, b in ((2, 3), (rng.randrange(1, ORDER), rng.randrange(1, ORDER))):
        opened = package.call("curve_pairings", [(str(a), str(b)), (str(-a * b % ORDER), "1")])
        assert opened == [one, one]


def test_the_check_of_the_subgroup_is_enough():
    """The norm that it multiplies by has no factor of the twist's order but the prime, of which it is a multiple."""
    trace = 6 * X * X + 1
    assert MODULUS + 1 - trace == ORDER
    # X + 1 + X psi + X psi^2 - 2 X psi^3, as a + b psi by psi^2 = t psi - p; then its norm.
    a = X + 1 - X * MODULUS + 2 * X * trace * MODULUS
    b = X + X * trace - 2 * X * (trace * trace - MODULUS)
    norm = a * a + a * b * trace + b * b * MODULUS
    assert norm != 0
    assert math.gcd(norm, ORDER * COFACTOR) == ORDER
    # Points of the subgroup pass: there psi multiplies by p.
    assert (a + b * MODULUS) % ORDER == 0
