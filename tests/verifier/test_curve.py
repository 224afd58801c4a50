"""Points are read from exactly one spelling each, and only points of their group are."""

import random
import subprocess
import sys

import pytest
from py_ecc.optimized_bn128 import FQ12, final_exponentiate, normalize, pairing

from equiproof.ffi.errors import MalformedInputError
from equiproof.verifier.curve import (
    G1,
    G2,
    _finished,
    add,
    has_prime_order,
    is_inf,
    multiply,
    multiply_to_one,
    neg,
    read_g1,
    read_g2,
)
from tests.support import ROOT
from tests.trapdoor import INFINITY_G1, INFINITY_G2, ORDER, PRIME, g1, g2, outside_subgroup, spell_g2, spelled

BOTH = pytest.mark.parametrize(("read", "spell", "generator"), [(read_g1, g1, G1), (read_g2, g2, G2)])


@BOTH
def test_points_read_back(read, spell, generator):
    """Multiples of the generator, with a small and with a large y, are read as what was spelled."""
    rng = random.Random(1)
    flags = set()
    for factor in (1, 2, ORDER - 1, *(rng.randrange(ORDER) for _ in range(6))):
        data = spell(factor)
        flags.add(data[0] >> 6)
        point, wanted = read(data, "P"), multiply(generator, factor)
        assert is_inf(add(point, neg(wanted)))
    assert flags == {0b10, 0b11}


@BOTH
def test_the_other_flag_is_the_negative(read, spell, generator):
    """The two flags of one x mean a point and its negative."""
    data = spell(12345)
    other = bytes([data[0] ^ 0x40]) + data[1:]
    assert is_inf(add(read(data, "P"), read(other, "P")))


@pytest.mark.parametrize(("read", "data"), [(read_g1, INFINITY_G1), (read_g2, INFINITY_G2)])
def test_infinity_has_one_spelling(read, data):
    """Infinity is its flag and zeros; any other bit beside that flag is refused."""
    assert is_inf(read(data, "P"))
    for place in range(2, 8 * len(data)):
        loose = bytearray(data)
        loose[place // 8] |= 0x80 >> place % 8
        with pytest.raises(MalformedInputError, match=r"^P is not in canonical form$"):
            read(bytes(loose), "P")


@BOTH
def test_the_uncompressed_flag_is_refused(read, spell, generator):
    """A point without a flag, as the longer spelling begins, is refused."""
    data = spell(5)
    with pytest.raises(MalformedInputError, match="canonical form"):
        read(bytes([data[0] & 0x3F]) + data[1:], "P")


@pytest.mark.parametrize("excess", [0, 1, 2])
def test_coordinates_are_below_the_modulus(excess):
    """The same x plus the modulus is another spelling of the same point, and refused; so is the modulus itself."""
    for read, numbers in ((read_g1, [PRIME + excess]), (read_g2, [PRIME + excess, 1]), (read_g2, [1, PRIME + excess])):
        with pytest.raises(MalformedInputError, match="below the field's modulus"):
            read(spelled(numbers, larger=False), "P")


def test_points_off_the_curve_are_refused():
    """An x without a y is refused: about every second one, in both groups."""
    refused = {read_g1: 0, read_g2: 0}
    for x in range(60):
        for read, numbers in ((read_g1, [x]), (read_g2, [x, 1])):
            try:
                read(spelled(numbers, larger=False), "P")
            except MalformedInputError as error:
                refused[read] += "not on the curve" in str(error)
    assert all(15 <= count <= 45 for count in refused.values()), refused


def test_points_outside_the_subgroup_are_refused():
    """A point of the twist that is not of prime order is refused: alone, of cofactor order, and added to a good one."""
    stranger = outside_subgroup()
    torsion = multiply(stranger, ORDER)
    for point in (stranger, torsion, add(G2, torsion), neg(add(multiply(G2, 7), torsion))):
        with pytest.raises(MalformedInputError, match="P is not in the subgroup of prime order"):
            read_g2(spell_g2(point), "P")


COFACTOR = 2 * PRIME - ORDER
"""The twist has this many points for each of those of prime order."""
SMALL = (10069, 5864401)
"""Prime orders that points of the twist have: the least two."""


def test_orders_are_those_of_the_library():
    """Times the prime order, multiples of the generator are infinity by py_ecc; points of any other order are not."""
    stranger = outside_subgroup()
    small = [multiply(stranger, COFACTOR * ORDER // order) for order in SMALL]
    assert all(is_inf(multiply(point, order)) and not is_inf(point) for point, order in zip(small, SMALL, strict=True))
    points = [G2, neg(G2), multiply(stranger, COFACTOR), *(multiply(G2, factor) for factor in (2, 3, ORDER - 2))]
    others = [stranger, multiply(stranger, ORDER), *small, *(add(G2, point) for point in small)]
    for point in (*points, *others):
        x, y = ([int(part) % PRIME for part in value.coeffs] for value in normalize(point))
        assert has_prime_order((x[0], x[1]), (y[0], y[1])) == is_inf(multiply(point, ORDER)) == (point in points)


def test_pairings_are_bilinear():
    """e(aP, bQ) e(-abP, Q) = 1, infinity pairs to one, and e(P, Q) is not one."""
    a, b = 123456789, 987654321
    assert multiply_to_one((multiply(G1, a), multiply(G2, b)), (neg(multiply(G1, a * b)), G2))
    assert multiply_to_one((read_g1(INFINITY_G1, "P"), G2), (G1, read_g2(INFINITY_G2, "P")))
    assert not multiply_to_one((G1, G2))


def test_the_last_power_is_that_of_the_library():
    """The last step of a pairing, taken in two powers, is py_ecc's own in one."""
    product = pairing(multiply(G2, 5), multiply(G1, 7), final_exponentiate=False)
    assert _finished(product) == final_exponentiate(product)
    assert _finished(product) != FQ12.one()


def test_the_interpreter_keeps_its_recursion_limit():
    """Loading the curve leaves the limit alone that keeps nested documents from overflowing the stack."""
    code = "import sys; print(sys.getrecursionlimit()); import verifier.curve; print(sys.getrecursionlimit())"
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    before, after = done.stdout.split()
    assert before == after
