"""A certificate that was published stays one: the files under tests/golden/loans must verify for ever.

They are written anew, with the keys of that run, by EQUIPROOF_REGENERATE=golden, and only for a change that is meant
to break every published certificate.
"""

import os
import shutil

import pytest

from circuits.canonical import canonical_bytes
from tests.conftest import CONTEXT
from tests.pins import FOLDER
from tests.support import changed
from verifier import (
    AllOf,
    ForContext,
    ForQuery,
    MinRadius,
    ProofError,
    TrustStore,
    Verifier,
    parse_certificate,
    parse_commitment,
    parse_query,
)
from verifier.documents import KEY_FILE, VERIFYING_FILE

GOLDEN = FOLDER / "loans"


@pytest.fixture(scope="module")
def golden(request):
    """The folder of published files, made anew where that was asked for."""
    if os.environ.get("EQUIPROOF_REGENERATE") == "golden":
        loans, proven = (request.getfixturevalue(name) for name in ("loans", "proven"))
        (GOLDEN / "keys" / "key").mkdir(parents=True, exist_ok=True)
        for name in (KEY_FILE, VERIFYING_FILE):
            shutil.copy(loans.key.folder / name, GOLDEN / "keys" / "key" / name)
        (GOLDEN / "commitment.json").write_bytes(loans.opening.public())
        (GOLDEN / "query.json").write_bytes(canonical_bytes(proven.query))
        (GOLDEN / "certificate.json").write_bytes(proven.certificate.to_bytes())
    return GOLDEN


@pytest.fixture
def verifier(golden):
    """The verifier of the published commitment under the published key."""
    commitment = parse_commitment((golden / "commitment.json").read_bytes(), "commitment.json")
    return Verifier(commitment, TrustStore.open(golden / "keys"))


def test_a_published_certificate_verifies(golden, verifier):
    """The published certificate convinces its applicant, for its context, with the radius that was published."""
    query = parse_query((golden / "query.json").read_bytes(), "query.json")
    policy = AllOf(ForQuery(query), ForContext(CONTEXT), MinRadius("0.25"))
    assert verifier.verify((golden / "certificate.json").read_bytes(), policy).statement.label == 1


def test_a_published_certificate_is_pinned(golden):
    """The published file is the canonical form of what is read from it."""
    data = (golden / "certificate.json").read_bytes()
    assert parse_certificate(data, "certificate.json").to_bytes() == data


def test_a_published_proof_is_about_nothing_else(golden, verifier, proven):
    """The published proof does not carry over to a certificate of today."""
    old = parse_certificate((golden / "certificate.json").read_bytes(), "certificate.json")
    mixed = changed(old, statement=proven.certificate.statement, reading=proven.certificate.reading)
    if proven.certificate.proof != old.proof:
        with pytest.raises(ProofError, match="does not hold"):
            verifier.verify(mixed, AllOf())
