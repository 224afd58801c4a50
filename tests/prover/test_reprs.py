"""No repr of the owner's objects shows a weight, a blinding or a query: logs and tracebacks hold none of them."""

import re

import pytest

from equiproof.circuits.canonical import parse
from equiproof.circuits.subcircuit import subcircuit
from equiproof.prover import subcircuits
from equiproof.prover.evidence import Found
from equiproof.prover.opening import OpeningDocument
from equiproof.prover.witness.relation import Secrets, fill
from equiproof.prover.witness.subcircuit import TraversalPlaces
from tests.support import LOANS

KINDS = (
    "opening",
    "opening file",
    "a layer of the file",
    "secrets",
    "witness",
    "places of gadgets",
    "a gadget's wires",
    "a gadget's instance file",
    "search",
    "prover",
    "certificate with its query",
)


@pytest.fixture(scope="module")
def objects(loans, owner, proven):
    """Every object of the prover that holds secrets, by its kind."""
    opening, query = loans.opening, loans.spec.encode(proven.query.features)
    statement = proven.certificate.to_statement()
    secrets = Secrets.of(opening, query, int(proven.query.blinding, 16))
    places = TraversalPlaces.of(opening, loans.shape, query, proven.evidence)
    circuit = subcircuit("polytope", loans.shape)
    wires = places.values(circuit, 0, blinding=7)
    document = parse(opening.secret(), OpeningDocument, "opening.json")
    found = (
        opening,
        document,
        document.layers[0],
        secrets,
        fill(loans.shape, statement, secrets, proven.evidence),
        places,
        wires,
        subcircuits.instance(circuit, wires),
        Found(proven.search, proven.evidence),
        owner,
        proven,
    )
    return dict(zip(KINDS, found, strict=True))


@pytest.fixture(scope="module")
def secret(loans, proven):
    """The numbers that are secret, as their digits; small ones and those of the public table stand anywhere."""
    network = loans.opening.network
    numbers = [number for layer in network.layers for row in (*layer.weights, layer.biases) for number in row]
    numbers += loans.spec.encode(proven.query.features)
    numbers += [proven.query.features["income"], int(proven.query.blinding, 16)]
    public = {abs(number) for row in loans.spec.domain_table for number in row}
    return {str(abs(number)) for number in numbers if abs(number) > 99} - {*map(str, public)} | {proven.query.blinding}


def shown(thing):
    """Return the words and numbers of a repr."""
    return set(re.findall(r"\w+", repr(thing)))


@pytest.mark.parametrize("kind", KINDS)
def test_reprs_show_no_secret(objects, secret, kind):
    """The repr has a name, and no number of the model or the applicant."""
    assert shown(objects[kind])
    assert not shown(objects[kind]) & secret
    assert "blinding=" not in repr(objects[kind])


def test_the_secrets_would_be_noticed(loans, proven, secret):
    """The plain values show theirs, so the test above is able to see them."""
    assert shown([layer.weights for layer in loans.opening.network.layers]) & secret
    assert proven.query.blinding in shown(proven.query.blinding) & secret


def test_reprs_show_what_is_public(objects, loans):
    """An opening shows its spec and its commitment, a witness the names of its wires with their numbers."""
    assert repr(LOANS) in repr(objects["opening"])
    assert str(loans.opening.commitment) in repr(objects["opening"])
    assert "weights.1: 8" in repr(objects["witness"])
