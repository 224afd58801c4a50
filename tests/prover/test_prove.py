"""The prover certifies exactly what a search finds, within what its key has room for."""

from itertools import islice

import msgspec
import pytest

from equiproof.certify.errors import CapacityError, SearchBudgetError
from equiproof.certify.traversal.evidence_check import check
from equiproof.certify.traversal.search import Counterexample, Search
from equiproof.circuits import field
from equiproof.circuits.commitment import domain_digest, query_commitment
from equiproof.circuits.spec import SpecError
from equiproof.circuits.statement import context_digest
from equiproof.ffi.errors import MalformedInputError
from equiproof.prover import Proven, Prover
from equiproof.verifier import AllOf, CertificateFormatError, ForContext, ForQuery, Verifier, parse_certificate
from equiproof.verifier.documents import QueryDocument
from tests.conftest import CONTEXT
from tests.support import LOANS, changed, trusting


def verified(setting, proven, context=None):
    """Return what an applicant verifies about his certificate, from its bytes."""
    policy = AllOf(ForQuery(proven.query), *([] if context is None else [ForContext(context)]))
    return Verifier(setting.commitment, trusting(setting.key)).verify(proven.certificate.to_bytes(), policy)


def fits(proven, setting, found):
    """Hold a certificate to the search that a third person runs."""
    capacity = setting.shape.capacity
    assert proven.search == found
    assert proven.evidence == found.evidence_within(capacity)
    assert proven.certificate.statement.radius_squared == found.radius_for(capacity)
    assert proven.certificate.statement.label == found.label


@pytest.mark.sampled(2)
@pytest.mark.parametrize("seed", range(3))
def test_applicants_get_what_the_search_finds(loans, owner, seed):
    """A fairly treated applicant gets a certificate of the search's radius, an unfairly treated one the flip."""
    for row, found in islice(loans.applicants(seed), 4):
        result = owner.prove(row, CONTEXT)
        if isinstance(found, Counterexample):
            assert result == found
        else:
            fits(result, loans, found)
            assert verified(loans, result, CONTEXT).reading.label == LOANS.labels[found.label]


def test_both_labels_are_certified(loans, owner):
    """Refusals are certified as approvals are."""
    wanted = {0, 1}
    for row, found in loans.applicants(seed=20):
        if isinstance(found, Search) and found.label in wanted:
            wanted.remove(found.label)
            assert verified(loans, owner.prove(row)).statement.label == found.label
        if not wanted:
            break


def test_an_unfair_applicant_gets_the_counterexample(loans, owner):
    """Where the sensitive value decides, there is no certificate: the owner is shown the two slices."""
    row, expected = loans.unfair(7)
    found = owner.prove(row)
    assert found == expected
    assert isinstance(found, Counterexample)
    query = LOANS.encode(row)
    for number, label in zip(found.slices, found.labels, strict=True):
        assert loans.opening.network.decide((*query, *LOANS.domain_table[number])) == label


def test_several_sensitive_features_and_logits(rates):
    """With six joint values of two sensitive features and three logits, every label is certified."""
    wanted = {0, 1, 2}
    with Prover(rates.opening, rates.key) as prover:
        for row, found in rates.applicants(seed=5):
            if isinstance(found, Search) and found.label in wanted:
                wanted.remove(found.label)
                proven = prover.prove(row)
                fits(proven, rates, found)
                assert verified(rates, proven).reading.sensitive == ("gender", "age")
            if not wanted:
                break
        assert isinstance(prover.prove(rates.unfair(5)[0]), Counterexample)


def test_a_small_key_gives_a_smaller_radius(loans, cramped, proven):
    """A key with room for the centres only certifies the radius up to the first facet, about the same commitment."""
    with Prover(cramped.opening, cramped.key) as prover:
        small = prover.prove(proven.query.features)
    fits(small, cramped, cramped.search(proven.query.features))
    assert 0 < small.certificate.statement.radius_squared < proven.certificate.statement.radius_squared
    assert small.certificate.statement.model_commitment == proven.certificate.statement.model_commitment
    assert verified(cramped, small)


def test_the_statement_is_about_model_query_and_context(loans, proven):
    """Every part of the statement is what the applicant recomputes."""
    statement = proven.certificate.to_statement()
    query = LOANS.encode(proven.query.features)
    assert statement.model_commitment == loans.opening.commitment
    assert (statement.spec_digest, statement.domain_digest) == (LOANS.digest, domain_digest(LOANS))
    assert statement.query_commitment == query_commitment(18, field.from_hex(proven.query.blinding), query)
    assert statement.context_digest == context_digest(CONTEXT)


def test_queries_are_blinded_anew_each_time(owner, proven):
    """Two certificates about the same applicant cannot be linked by their query commitments."""
    again = owner.prove(proven.query.features, CONTEXT)
    assert again.certificate.statement.query_commitment != proven.certificate.statement.query_commitment
    assert again.certificate.statement.model_commitment == proven.certificate.statement.model_commitment


def test_sensitive_values_of_the_row_do_not_enter(owner, proven):
    """The applicant's own sensitive value changes nothing, and is in no file."""
    again = owner.prove(proven.query.features | {"sex": "m"}, CONTEXT)
    assert again.evidence == proven.evidence
    assert "sex" not in again.query.features


def test_data_are_shown_only_on_demand(loans, owner, proven):
    """The applicant's data and blinding are in the certificate exactly where disclosure was asked for."""
    text = proven.certificate.to_bytes().decode()
    assert proven.certificate.query is None
    assert proven.query.blinding not in text
    open_one = owner.prove(proven.query.features, CONTEXT, disclose=True)
    assert open_one.certificate.query == open_one.query
    read = parse_certificate(open_one.certificate.to_bytes(), "c")
    assert read.query == open_one.query
    assert "it is about the data in the certificate itself" in verified(loans, open_one, CONTEXT).made


@pytest.mark.parametrize("income", [30000, 30000.25, "30000.25", "-5"])
def test_the_query_file_reopens_the_query(loans, owner, income):
    """Whatever type a number had, the query file that the applicant keeps opens the query commitment."""
    result = owner.prove({"income": income, "housing": "own"}, disclose=True)
    assert isinstance(result, Proven)
    kept = msgspec.json.decode(msgspec.json.encode(result.query), type=QueryDocument)
    assert kept.commitment(LOANS) == result.certificate.to_statement().query_commitment
    assert verified(loans, result)


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ({"income": 30000}, "feature 'housing' is missing"),
        ({"income": "much", "housing": "own"}, "feature 'income'"),
        ({"income": 10**9, "housing": "own"}, "more than 18 bits hold"),
        ({"income": 30000, "housing": "hotel"}, "feature 'housing'"),
    ],
)
def test_rows_that_do_not_fit_get_nothing(owner, row, message):
    """A row that does not fit the spec is refused before anything is searched."""
    with pytest.raises(SpecError, match=message):
        owner.prove(row)


def test_time_ends_a_search_with_what_is_certain(owner, proven):
    """A search that has no time left ends with SearchBudgetError, which says nothing about fairness."""
    with pytest.raises(SearchBudgetError, match="certain so far"):
        owner.prove(proven.query.features, max_seconds=0)


def test_progress_is_reported_per_region(owner, proven):
    """The progress of a search is reported region by region."""
    seen = []
    owner.prove(proven.query.features, progress=lambda regions, radius: seen.append(regions))
    assert seen == list(range(3, 3 + len(seen)))


def test_seconds_are_reported_for_each_step(proven):
    """The wall time of each step is recorded."""
    assert list(proven.seconds) == ["certify", "witness", "prove", "verify"]


def test_evidence_is_checked_before_it_is_proven(loans, owner, proven, monkeypatch):
    """The plaintext checker stands between search and proof: what it refuses is not proven."""
    seen = []

    def watched(*arguments):
        seen.append(arguments)
        check(*arguments)

    monkeypatch.setattr("equiproof.prover.evidence.check", watched)
    result = owner.prove(proven.query.features)
    assert seen == [(result.evidence, loans.opening.network, LOANS.encode(proven.query.features), LOANS.domain_table)]


def test_certificates_are_doubted_before_they_are_shown(owner, proven, monkeypatch):
    """A proof that does not hold never becomes a certificate."""
    good = proven.certificate.proof_bytes
    monkeypatch.setattr(owner, "_native", type("Native", (), {"prove": lambda self, witness: good})())
    with pytest.raises(Exception, match="does not hold"):
        owner.prove(proven.query.features, CONTEXT | {"other": "context"})


@pytest.mark.parametrize(
    "context", [{}, {"date": "2026-01-31"}, {"nonce": ""}, {"nonce": "0" * 15}, {"nonce": " " * 40}, {"nonce": 10**20}]
)
def test_a_context_that_no_policy_accepts_is_not_proven(owner, proven, context):
    """What the relying party's own policy refuses is refused before anything is searched, in the same words."""
    with pytest.raises(CertificateFormatError, match=r"^context: .*want") as refused:
        owner.prove(proven.query.features, context)
    with pytest.raises(CertificateFormatError) as demanded:
        ForContext(context)
    assert str(refused.value) == str(demanded.value)


def test_a_closed_prover_proves_nothing(loans, proven):
    """A closed prover refuses to prove, and closes twice without harm."""
    prover = Prover(loans.opening, loans.key)
    prover.close()
    prover.close()
    with pytest.raises(MalformedInputError, match="no such handle"):
        prover.prove(proven.query.features)


def test_a_key_without_room_for_the_slices_is_refused(rates, loans):
    """A key that has no room for the centres of all slices certifies nothing."""
    key = type(rates.key)(rates.key.folder, changed(rates.key.document, shape=changed(rates.shape, capacity=2)))
    prover = object.__new__(Prover)
    prover.opening, prover.key = rates.opening, key
    with pytest.raises(CapacityError, match="6 regions are needed"):
        prover.prove(rates.fair(1)[0])
