"""What an attacker could aim at in the verifier's own arithmetic: at each edge it is py_ecc's and noble-curves'."""

import itertools

import pytest
from py_ecc.optimized_bn128 import FQ2, b2, is_inf, multiply, normalize

from equiproof.ffi.errors import MalformedInputError
from equiproof.verifier.curve import G1, G2, multiply_to_one, read_g1, read_g2
from tests.trapdoor import (
    INFINITY_G1,
    INFINITY_G2,
    ORDER,
    PRIME,
    g1,
    g2,
    off_curve,
    off_twist,
    outside_subgroup,
    spell_g2,
    spelled,
)
from tests.web.test_agreement import TIMES, generator
from tests.web.test_curve import COFACTOR, EDGES, alike

NUMBERS = (0, 1, 2, PRIME // 2, PRIME // 2 + 1, PRIME - 1, PRIME, PRIME + 1, 2**254 - 1, 2**256 - 1)
FLAGS = (0x00, 0x40, 0x80, 0xC0)


def python(group, data):
    """Return the point that Python, with py_ecc, reads; or why it refuses the bytes."""
    try:
        point = (read_g1, read_g2)[group - 1](data, "P")
    except MalformedInputError as error:
        return str(error.reason)
    if is_inf(point):
        return "null"
    parts = [getattr(part, "coeffs", part) for part in normalize(point)]
    found = [[str(int(one) % PRIME) for one in part] if group == 2 else str(int(part)) for part in parts]
    return str(found).replace("'", '"').replace(" ", "")


def flagged(numbers, flag):
    """Return coordinates behind a flag; a number of 255 bits or more keeps its lower 254."""
    data = bytearray(b"".join((number % 2**256).to_bytes(32, "big") for number in numbers))
    data[0] = data[0] & 0x3F | flag
    return bytes(data)


def spellings(group, rng):
    """Return bytes around points of a group."""
    honest = [(g1, g2)[group - 1](factor) for factor in (1, 2, ORDER - 1, rng.randrange(ORDER))]
    yield from (*honest, (INFINITY_G1, INFINITY_G2)[group - 1])
    for numbers, flag in itertools.product(itertools.product(NUMBERS, repeat=group), FLAGS):
        if group == 1 or rng.random() < 0.25:
            yield flagged(numbers, flag)
    for data in (*honest, (INFINITY_G1, INFINITY_G2)[group - 1]):
        for place in {
            0,
            1,
            2,
            255,
            8 * len(data) - 1,
            *(rng.randrange(8 * len(data)) for _ in range(6 * (TIMES or 1))),
        }:
            changed = bytearray(data)
            changed[place // 8] ^= 0x80 >> place % 8
            yield bytes(changed)
    if group == 2:
        stranger = outside_subgroup()
        yield from (off_twist(), *(spell_g2(multiply(stranger, factor)) for factor in (1, 2, ORDER)))
        yield spell_g2(multiply(stranger, COFACTOR))
    else:
        yield off_curve()


@pytest.mark.parametrize("group", [1, 2])
def test_points_are_read_as_py_ecc_has_them(package, group):
    """Flags, coordinates from the modulus up, bits beside infinity, strangers: the same point or the same reason."""
    seen = set()
    for data in spellings(group, generator(f"spellings {group}")):
        wanted = python(group, data)
        assert package.call("edge_read", group, data.hex()) == wanted, data.hex()
        seen.add(wanted if wanted[0] not in "[" else "point")
    reasons = {"point", "null", "point-not-canonical", "coordinate-too-large", "off-curve"}
    assert seen == reasons | ({"outside-subgroup"} if group == 2 else set())


def test_roots(package):
    """Squares and others in Fp2: with both parts, with one of them 0, and 0 itself."""
    rng, found = generator("roots"), []
    drawn = [rng.randrange(PRIME) for _ in range(8 * (TIMES or 1))]
    values = [(0, 0), *((a, 0) for a in drawn), *((0, a) for a in drawn), *zip(drawn, reversed(drawn), strict=True)]
    values += [(a * a % PRIME, 0) for a in drawn[:2]] + [(-a * a % PRIME, 0) for a in drawn[:2]]
    for real, imaginary in values:
        both = package.call("edge_root", str(real), str(imaginary))
        alike([both])
        found.append(both[0])
    assert set(found) == {"[true,true]", "[false,true]"}


@pytest.mark.parametrize("group", [1, 2])
def test_sums_of_multiples(package, group):
    """Equal, opposite and infinite points, factors of 0 and of the order, no part at all: the library's sum."""
    rng = generator(f"sums {group}")
    some = str(rng.randrange(1, ORDER))
    alike([package.call("edge_sum", group, [])])
    for factors in itertools.product((0, 1, ORDER - 1, ORDER, rng.randrange(ORDER)), repeat=2):
        for bases in (("1", "1"), ("0", "1"), (some, str(ORDER - int(some)))):
            alike(
                [package.call("edge_sum", group, [(base, str(one)) for base, one in zip(bases, factors, strict=True)])]
            )
    for edge in EDGES:
        alike([package.call("edge_sum", group, [("1", str(edge)), ("1", "1"), ("1", "1")])])


def test_products(package):
    """Pairs with infinity, pairs that cancel, a point twice, no pair: one exactly where the exponents add to 0."""
    rng = generator("products")
    a, b = rng.randrange(1, ORDER), rng.randrange(1, ORDER)
    cases = [
        [], [(0, 1)], [(1, 0)], [(0, 0)],
        [(1, 1)], [(1, 1), (ORDER - 1, 1)], [(1, 1), (1, ORDER - 1)], [(1, 1), (1, 1)],
        [(a, b), (-a * b % ORDER, 1)], [(a, b), (a * b % ORDER, 1)], [(a, b), (0, b), (a, 0), (ORDER - a, b)],
        [(a, 1), (b, 1), (-(a + b) % ORDER, 1)], [(1, a), (1, b), (ORDER - 1, (a + b) % ORDER)],
    ]  # fmt: skip
    for case in cases:
        wanted = sum(left * right for left, right in case) % ORDER == 0
        assert package.call("edge_product", [(str(left), str(right)) for left, right in case]) is wanted, case
    for case in cases[5:7]:
        pairs = [(multiply(G1, left), multiply(G2, right)) for left, right in case]
        assert multiply_to_one(*pairs) is (sum(left * right for left, right in case) % ORDER == 0)


def test_the_group_law_has_no_exceptions_on_the_twist(package):
    """Equal, opposite and infinite points of small and of mixed order are added as the library adds them."""
    rng, x = generator("twist"), 0
    while (FQ2([x, 1]) ** 3 + b2) ** ((PRIME**2 - 1) // 2) != FQ2.one():
        x += 1
    small = ORDER * (COFACTOR // 10069)
    whole = ORDER * COFACTOR
    some = rng.randrange(whole)
    for left, right in [
        (1, 1), (1, whole - 1), (1, 0), (0, 0), (small, small), (small, 10068 * small), (small, 2 * small), (small, 0),
        (ORDER, COFACTOR), (some, whole - some), (some, some), (some, small), (whole, 1),
    ]:  # fmt: skip
        alike(package.call("edge_twist", str(x), "1", str(left), str(right)))


def test_towers(package):
    """Subfields are sent to 1, 0 has no inverse anywhere, and only 1 is 1."""
    rng = generator("towers")
    for _ in range(2 * (TIMES or 1)):
        alike(package.call("edge_tower", [str(rng.randrange(2, PRIME)) for _ in range(12)]))


def test_constants(package):
    """Moduli, generators, coefficients and tables are the library's."""
    alike(package.call("edge_constants"))
    assert spelled([1], larger=False) == g1(1)


def test_a_pairing_without_lines_is_none(package):
    """A fault inside must not make a pairing count as one."""
    assert package.call("edge_no_lines") == "RangeError"
