"""Proofs of networks about applicants who lack a value: columns that mark it, end to end."""

import itertools
import random

import pytest

from equiproof.certify.traversal.search import Counterexample
from equiproof.circuits.encodings.missing import Missing
from equiproof.circuits.shape import branch_shape
from equiproof.prover import KeyStore
from equiproof.prover.opening import Opening
from equiproof.prover.prove import Prover
from equiproof.verifier import ForQuery, TrustStore, Verifier
from equiproof.verifier.documents import parse_commitment
from equiproof.verifier.errors import PolicyError
from equiproof.verifier.trust import TrustedKey
from tests.kept import kept_keys
from tests.support import HOUSING, INCOME, LOANS, SEX, applicant, changed, key_of, network, spec_of

MARKED = spec_of(
    changed(INCOME, missing=Missing(mark=True)), changed(HOUSING, missing=Missing(mark=True)), SEX, bits=(8, 16)
)
"""Five plain columns: a number and its mark, two values of a category and its mark."""


def people(seed=5):
    """Yield applicants of whom some do not state their income, or how they live."""
    rng = random.Random(seed)
    for number in range(40):
        row = applicant(LOANS, random.Random(number))
        yield row | {name: None for name in ("income", "housing") if rng.random() < 0.5}


def test_nobody_within_a_radius_differs_in_what_is_missing():
    """The largest radius that is stated ends where the nearest of them is."""
    for first, second in itertools.combinations(people(), 2):
        lacking = [{name for name, value in row.items() if value is None} for row in (first, second)]
        columns = [MARKED.encode(row) for row in (first, second)]
        assert [MARKED.missing(own) for own in columns] == lacking
        if lacking[0] != lacking[1]:
            assert sum((a - b) ** 2 for a, b in zip(*columns, strict=True)) >= MARKED.max_radius_squared


@pytest.fixture(scope="module")
def prover():
    """A key for a network of three hidden values, and its prover."""
    opening = Opening.of(network(MARKED, (3,), 4), MARKED, 7)
    stored = key_of(kept_keys(), branch_shape(MARKED, (3,), 8))
    with Prover(opening, KeyStore(stored.folder.parent).find_for(opening)) as made:
        yield made


def test_who_does_not_state_everything_is_proven_and_verified(prover):
    """The query leaves out what is missing; one that states it, or that leaves out more, is another one."""
    commitment = parse_commitment(prover.opening.public(), "commitment")
    trusted = TrustStore([TrustedKey(prover.key.document, prover.key.verifying)])
    proven = 0
    for row in people():
        found = prover.prove(row)
        if isinstance(found, Counterexample) or None not in row.values():
            continue
        proven += 1
        certificate, query = found.certificate.to_bytes(), found.query
        for program in ("native", "python") if proven == 1 else ("native",):
            Verifier(commitment, trusted, program).verify(certificate, ForQuery(query))
        assert {name for name, value in query.row(MARKED).items() if value is None} == {
            name for name in row if row[name] is None
        }
        stated = {"income": "30000", "housing": "own"} | query.features
        fewer = {name: value for name, value in query.features.items() if name != "income"}
        for other in (stated, fewer):
            if other != query.features:
                with pytest.raises(PolicyError):
                    Verifier(commitment, trusted).verify(certificate, ForQuery(changed(query, features=other)))
        if proven == 3:
            break
    assert proven == 3
