"""Poseidon2 agrees with gnark-crypto on pinned vectors and with a second implementation over galois everywhere."""

import hashlib
import json
from pathlib import Path

import galois
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from equiproof.circuits.field import ORDER
from equiproof.circuits.poseidon2 import compress, hash_elements, permute
from equiproof.circuits.poseidon2_constants import ROUND_KEYS
from scripts import poseidon2_parameters as parameters

GOLDEN = json.loads((Path(__file__).parents[1] / "golden" / "poseidon2.json").read_text())

ELEMENTS = st.integers(0, ORDER - 1)


@pytest.fixture(scope="module")
def galois_field():
    """BN254's scalar field; 5 generates it, and without the hint galois would factor ORDER - 1."""
    return galois.GF(ORDER, primitive_element=5, verify=False)


def permute_by_matrices(galois_field, left, right):
    """Permute by the paper's definition: linear layers are matrices, rounds add keys and apply x^5."""
    external = galois_field([[2, 1], [1, 2]])
    internal = galois_field([[2, 1], [1, 3]])
    state = external @ galois_field([left, right])
    for keys in ROUND_KEYS:
        full = len(keys) == 2
        state = state + galois_field([int(key) for key in keys] if full else [int(keys[0]), 0])
        fifth = state**5
        state = external @ fifth if full else internal @ galois_field([fifth[0], state[1]])
    return tuple(int(value) for value in state)


@pytest.mark.parametrize(("elements", "digest"), GOLDEN["hash"])
def test_hash_is_gnark_cryptos(elements, digest):
    """The hash of a list is the one that gnark-crypto computes."""
    assert hash_elements(int(text) % ORDER for text in elements) == int(digest, 16)


@pytest.mark.parametrize(("pair", "left", "right"), GOLDEN["permutation"])
def test_permutation_is_gnark_cryptos(pair, left, right):
    """The permutation is the one that gnark-crypto computes."""
    assert permute(*(int(text) % ORDER for text in pair)) == (int(left, 16), int(right, 16))


@settings(max_examples=10)
@given(left=ELEMENTS, right=ELEMENTS)
def test_permutation_agrees_with_galois(galois_field, left, right):
    """Plain integers and galois's field arithmetic give the same permutation."""
    assert permute(left, right) == permute_by_matrices(galois_field, left, right)


def test_rounds_have_the_designers_margin():
    """The designers' inequalities hold from 6 full and 52 partial rounds; with their margin there are 8 and 56."""
    assert parameters.cheapest() == (6, 52)
    assert parameters.with_margin(6, 52) == (8, 56)
    assert not parameters.resists(6, 50)  # the default of gnark
    assert [len(keys) for keys in ROUND_KEYS] == [2] * 4 + [1] * 56 + [2] * 4


def test_round_keys_are_the_scripts():
    """The table is what the script writes."""
    assert tuple(parameters.round_keys(8, 56)) == ROUND_KEYS
    assert parameters.TABLE.read_text() == parameters.written(8, 56)
    assert all(0 <= key < ORDER for keys in ROUND_KEYS for key in keys)


@pytest.mark.parametrize("length", [0, 1, 135, 136, 137, 271, 272, 500])
def test_keccak_differs_from_sha3_in_the_padding_only(length):
    """With the other domain bits the script's permutation gives hashlib's SHA3-256."""
    data = bytes(number % 251 for number in range(length))
    assert parameters.keccak_256(data, domain=0x06) == hashlib.sha3_256(data).digest()
    assert parameters.keccak_256(data) != parameters.keccak_256(data, domain=0x06)


@settings(max_examples=50)
@given(elements=st.lists(ELEMENTS, max_size=4), last=ELEMENTS)
def test_hash_compresses_element_by_element(elements, last):
    """Appending an element compresses it into the hash of the elements before it."""
    assert hash_elements([*elements, last]) == compress(hash_elements(elements), last)
