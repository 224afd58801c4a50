"""The digest of a statement on the chain is that of Python, and every number of a statement has one form."""

import random

import pytest

from equiproof.circuits.field import ORDER
from equiproof.circuits.statement import Statement
from equiproof.verifier import parse_certificate
from equiproof.verifier.calldata import points_of
from equiproof.verifier.trust import TrustedKey
from tests.chain.chain import DIGEST_OF, GOLDEN, statement_call

EDGES = (0, 1, 2, ORDER - 1, ORDER - 2, (1 << 253) - 1, 1 << 253)


@pytest.fixture(scope="module", params=["loans", pytest.param("rates", marks=pytest.mark.slow)])
def published(request, chain):
    """A published key with its contract and its certificate."""
    key = TrustedKey.read(GOLDEN / request.param / "keys" / "key")
    certificate = parse_certificate((GOLDEN / request.param / "certificate.json").read_bytes(), request.param)
    return key, chain.contract(key), certificate


def words(elements):
    """Return numbers as they stand in a call."""
    return b"".join(element.to_bytes(32, "big") for element in elements)


def test_digests_are_those_of_python(published):
    """Drawn statements, and those of numbers at the ends of the field, have the same digest in both programs."""
    key, contract, _ = published
    rng = random.Random("statements")
    cases = [[edge] * 7 for edge in EDGES] + [[rng.choice(EDGES) for _ in range(7)] for _ in range(6)]
    cases += [[rng.randrange(ORDER) for _ in range(7)] for _ in range(12)]
    for elements in cases:
        digest = Statement(*elements).digest(key.document.shape)
        answer = contract.call(DIGEST_OF + words(elements))
        assert (answer["failed"], int(answer["output"], 16)) == (None, digest), elements


def test_numbers_that_are_not_below_the_order_are_malformed(published):
    """Each of the seven numbers plus the order stands for the same element, and is no number of a statement."""
    _, contract, certificate = published
    points, elements = points_of(certificate.proof_bytes), certificate.to_statement().elements()
    assert contract.verdict(statement_call(points, elements)) == "accepted"
    for place in range(7):
        for value in (elements[place] + ORDER, ORDER, (1 << 256) - 1):
            altered = [*elements[:place], value, *elements[place + 1 :]]
            assert contract.verdict(statement_call(points, altered)) == "malformed"


def test_each_number_is_bound(published):
    """A proof says nothing about a statement with any of its numbers changed, or with two of them exchanged."""
    _, contract, certificate = published
    points, elements = points_of(certificate.proof_bytes), certificate.to_statement().elements()
    for place in range(7):
        altered = [*elements[:place], (elements[place] + 1) % ORDER, *elements[place + 1 :]]
        assert contract.verdict(statement_call(points, altered)) == "refused"
    swapped = [elements[1], elements[0], *elements[2:]]
    assert contract.verdict(statement_call(points, swapped)) == "refused"


@pytest.mark.slow
def test_without_its_check_a_number_has_two_forms(chain):
    """The check of each number is needed: without it, the order more is the same statement."""
    key = TrustedKey.read(GOLDEN / "loans" / "keys" / "key")
    certificate = parse_certificate((GOLDEN / "loans" / "certificate.json").read_bytes(), "loans")
    contract = chain.contract(key, ("if (right >= ORDER) revert Malformed();", ""))
    elements = certificate.to_statement().elements()
    points = points_of(certificate.proof_bytes)
    assert contract.verdict(statement_call(points, [*elements[:-1], elements[-1] + ORDER])) == "accepted"
