"""Receipts: fixed when the decision is made, and the certificate made later is about them, or is refused."""

import hashlib
from dataclasses import replace
from datetime import UTC, datetime
from itertools import islice

import pytest

from equiproof.certify.traversal.search import Counterexample, Search
from equiproof.circuits import field
from equiproof.circuits.canonical import canonical_bytes
from equiproof.circuits.statement import context_digest
from equiproof.prover import Opening
from equiproof.prover.receipts import decide, label_of
from equiproof.verifier.entries import parse_entry
from equiproof.verifier.errors import CertificateFormatError, PolicyError
from equiproof.verifier.receipt import parse_receipt
from tests.conftest import CONTEXT
from tests.support import LOANS, network

NOW = datetime(2026, 3, 4, 10, tzinfo=UTC)


@pytest.fixture(scope="module")
def fair(loans):
    """A row that the model treats fairly."""
    return next(row for row, found in loans.applicants(seed=1) if isinstance(found, Search))


def test_a_receipt_fixes_model_data_context_and_decision(loans, fair):
    """Each field is the statement's; time is in UTC; the entry for the log holds the digest and nothing else."""
    made = decide(loans.opening, fair, CONTEXT, NOW)
    receipt = made.receipt
    assert receipt.model_commitment == field.to_hex(loans.opening.commitment)
    assert receipt.query_commitment == field.to_hex(made.query.commitment(loans.spec))
    assert receipt.context_digest == field.to_hex(context_digest(CONTEXT))
    assert receipt.time == "2026-03-04T10:00:00Z"
    assert parse_receipt(made.files()["receipt.json"], "receipt") == receipt
    assert parse_entry(made.entry, "entry").receipt == hashlib.sha256(canonical_bytes(receipt)).hexdigest()


def test_two_receipts_of_one_applicant_have_nothing_in_common(loans, fair):
    """Blinding and salt are drawn each time, so that no digest can be guessed, and none stands there twice."""
    one, two = (decide(loans.opening, fair, CONTEXT, NOW) for _ in range(2))
    assert one.receipt.query_commitment != two.receipt.query_commitment
    assert one.receipt.salt != two.receipt.salt
    assert one.entry != two.entry


def test_a_context_without_a_nonce_is_refused(loans, fair):
    """What a certificate could not be made for is no context of a receipt."""
    with pytest.raises(CertificateFormatError, match="nonce"):
        decide(loans.opening, fair, {"date": "2026-03-04"})


def test_the_label_is_what_a_search_finds(loans):
    """Where a search finds a counterexample a person decides, and otherwise the label is the one that it certifies."""
    seen = set()
    for row, found in islice(loans.applicants(seed=2), 40):
        label = decide(loans.opening, row, CONTEXT, NOW).receipt.label
        assert label == (found.label if isinstance(found, Search) else None)
        seen.add(label)
    assert None in seen


def test_a_tie_is_decided_by_a_person(loans, fair):
    """A model that is tied under every sensitive value has no label to state."""
    layers = loans.opening.network.layers
    silent = tuple(replace(layer, weights=tuple((0,) * len(row) for row in layer.weights)) for layer in layers)
    silent = tuple(replace(layer, biases=(0,) * len(layer.biases)) for layer in silent)
    tied = Opening.of(replace(loans.opening.network, layers=silent), LOANS, blinding=5)
    assert label_of(tied, LOANS.encode(fair)) is None


def test_a_certificate_made_later_is_about_the_receipt(loans, owner, fair):
    """With the blinding and the context of the decision, the statement is the receipt's, and so is the query."""
    made = decide(loans.opening, fair, CONTEXT, NOW)
    blinding = field.from_hex(made.query.blinding)
    proven = owner.prove(made.query.features, made.context, blinding=blinding)
    assert not isinstance(proven, Counterexample)
    statement = proven.certificate.to_statement()
    made.receipt.refuse_other(statement)
    assert proven.query == made.query
    other = decide(loans.opening, fair, CONTEXT, NOW).receipt
    with pytest.raises(PolicyError, match="other data than the receipt"):
        other.refuse_other(statement)


def test_a_certificate_of_another_model_does_not_fit_the_receipt(loans, owner, fair):
    """An owner who decides with one model and certifies with another one is found by the receipt."""
    other = Opening.of(network(LOANS, (2, 2), 15), LOANS, blinding=7)
    made = decide(other, fair, CONTEXT, NOW)
    proven = owner.prove(made.query.features, made.context, blinding=field.from_hex(made.query.blinding))
    with pytest.raises(PolicyError, match="about another model than the receipt"):
        made.receipt.refuse_other(proven.certificate.to_statement())
