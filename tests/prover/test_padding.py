"""Standard shapes end to end: one key for two lenders, and every way of hiding something in the padding."""

import random
from dataclasses import replace

import pytest

from equiproof.certify.branch import check, network_parameters, search_under
from equiproof.certify.errors import EvidenceError
from equiproof.certify.network import Layer, NetworkError
from equiproof.certify.traversal.search import Counterexample
from equiproof.circuits import field
from equiproof.circuits.commitment import query_commitment
from equiproof.circuits.shape import branch_shape
from equiproof.circuits.standard import StandardShape, unpadded
from equiproof.prover import KeyStore, Opening, OpeningError, Prover, parse_opening
from equiproof.prover.evidence import find_evidence
from equiproof.prover.features import plain_features
from equiproof.prover.padding import pad
from equiproof.prover.prove import state
from equiproof.prover.witness.relation import Secrets, generate
from equiproof.verifier import AllOf, ForContext, ForQuery, PolicyError, ProofError, Verifier, parse_commitment
from equiproof.verifier.documents import QUERY, QueryDocument
from equiproof.verifier.errors import CertificateFormatError
from tests.circuits.test_standard import OTHER
from tests.conftest import CONTEXT
from tests.kept import kept_keys
from tests.support import KEPT, LOANS, Setting, applicant, changed, key_for, network, trusting

SHAPE, CAPACITY = StandardShape(5, (3, 2)), 4
MOST = LOANS.max_radius_squared


@pytest.fixture(scope="module")
def key():
    """The one key of the standard shape."""
    return key_for(kept_keys(), SHAPE.spec(LOANS), SHAPE.hidden, CAPACITY, "branch")


def lender(key, spec, hidden, seed):
    """Return a padded model under the shared key."""
    return Setting(Opening.of(*pad(network(spec, hidden, seed), spec, SHAPE), blinding=5), key)


@pytest.fixture(scope="module")
def bank(key):
    """Three columns, two and one neurons."""
    return lender(key, LOANS, (2, 1), 0)


@pytest.fixture(scope="module")
def shop(key):
    """Another lender: other features in two columns, narrower weights, other labels."""
    narrow = network(OTHER, (3, 2), 5)
    layers = tuple(Layer(tuple(tuple(w // 8 for w in row) for row in one.weights), one.biases) for one in narrow.layers)
    return Setting(Opening.of(*pad(replace(narrow, layers=layers), OTHER, SHAPE), blinding=6), key)


def proven(setting):
    """Return a proof about the first random applicant with a radius that is not the largest."""
    rng = random.Random(0)
    for row in (applicant(setting.spec, rng) for _ in range(20)):
        found = search_under(setting.opening.network, setting.spec, setting.spec.encode(row), max_leaves=CAPACITY)
        if not isinstance(found, Counterexample) and 0 < found.radius_squared < MOST:
            with Prover(setting.opening, setting.key) as prover:
                return prover.prove(row, CONTEXT)
    raise AssertionError("nobody is fair")


@pytest.fixture(scope="module")
def honest(bank):
    """An honest certificate of the first lender."""
    return proven(bank)


def verified(setting, made, commitment=None):
    """Return what an applicant verifies, under the setting's commitment or another one."""
    verifier = Verifier(commitment or setting.commitment, trusting(setting.key))
    return verifier.verify(made.certificate, AllOf(ForQuery(made.query), ForContext(CONTEXT)))


def test_one_key_serves_two_lenders(bank, shop, honest):
    """Two specs, two models, one set-up: each certificate holds for its own lender, and not for the other one."""
    assert bank.spec != shop.spec
    for own, other, made in ((bank, shop, honest), (shop, bank, proven(shop))):
        found = verified(own, made)
        assert found.key.fingerprint == own.key.document.fingerprint == other.key.document.fingerprint
        assert set(found.reading.features) == {feature.name for feature in own.spec.plain_features}
        with pytest.raises(ProofError, match="another model"):
            verified(other, made)
    assert KeyStore(bank.key.folder.parent).find(shop.spec, SHAPE.hidden, None).folder == bank.key.folder


def test_the_proven_radius_is_that_of_the_model_itself(bank, honest):
    """Leaves and radius of the evidence are those of the search before padding."""
    own = network(LOANS, (2, 1), 0)
    made = honest
    alone = search_under(own, LOANS, LOANS.encode(made.query.features), max_leaves=CAPACITY)
    assert (made.evidence.radius_squared, made.evidence.size) == (alone.radius_squared, alone.leaves)
    assert parse_opening(bank.opening.secret(), "opening.json") == bank.opening


def with_weight(opening, weight):
    """Return an opening whose neurons have a weight from the first column of the padding."""
    first, own = opening.network.layers[0], opening.spec.own_columns
    rows = tuple((*row[:own], weight, *row[own + 1 :]) for row in first.weights)
    layers = (Layer(rows, first.biases), *opening.network.layers[1:])
    return Opening.of(replace(opening.network, layers=layers), opening.spec, opening.blinding)


def test_a_weight_in_the_padding_gives_its_owner_a_smaller_radius(bank, honest):
    """It is committed and proven like any other: neighbors that no applicant can be are covered as well."""
    lying = Setting(with_weight(bank.opening, 2000), bank.key)
    with Prover(lying.opening, lying.key) as prover:
        made = prover.prove(honest.query.features, CONTEXT)
    assert verified(lying, made).statement.label == honest.certificate.to_statement().label
    assert 0 < made.evidence.radius_squared < honest.evidence.radius_squared
    with pytest.raises(ProofError, match="another model"):
        verified(bank, made)


def test_neurons_of_the_padding_with_weights_are_a_larger_network(bank):
    """Nothing says that they are zero: the certificate is about the committed network, which fills the whole shape."""
    larger = Setting(Opening.of(network(bank.spec, SHAPE.hidden, 0), bank.spec, blinding=5), bank.key)
    assert all(any(row) for layer in larger.opening.network.layers for row in layer.weights)
    found = verified(larger, proven(larger))
    assert found.reading.label in LOANS.labels


def prove_integers(setting, row, integers):
    """Prove a query that is no encoding of a row, as a changed program would; return certificate and query file."""
    evidence = find_evidence(setting.opening, setting.key.document.shape, integers, None, None).evidence
    blinding = field.random()
    statement = state(setting.opening, evidence, integers, blinding, CONTEXT)
    secrets = Secrets.of(setting.opening, integers, blinding)
    query = QueryDocument(QUERY[0], QUERY[1], plain_features(setting.spec, row), field.to_hex(blinding))
    with Prover(setting.opening, setting.key) as prover, setting.key.load() as native:
        proof = native.prove(generate(setting.key.document.shape, statement, secrets, evidence))
        return prover._certificate(statement, proof, None), query


def test_a_value_in_the_padding_is_another_query(bank, honest):
    """A proof about a point off zero exists; it is about no applicant, since everybody appends zeros."""
    lying = Setting(with_weight(bank.opening, 2000), bank.key)
    row = honest.query.features
    integers = lying.spec.encode(row)
    off = (*integers[: lying.spec.own_columns], 8, *integers[lying.spec.own_columns + 1 :])
    certificate, query = prove_integers(lying, row, off)
    assert certificate.to_statement().query_commitment == query_commitment(24, int(query.blinding, 16), off)
    verifier = Verifier(lying.commitment, trusting(lying.key))
    assert verifier.verify(certificate, ForContext(CONTEXT)).statement == certificate.to_statement()
    with pytest.raises(PolicyError, match="about other data"):
        verifier.verify(certificate, ForQuery(query))
    named = changed(query, features={**query.features, "padding": 8})
    with pytest.raises(CertificateFormatError, match="not a non-sensitive feature"):
        verifier.verify(certificate, ForQuery(named))


def test_inside_ranges_a_value_in_the_padding_has_no_evidence():
    """Where neighbors keep to ranges, those of the padding are 0 to 0, and the query must be inside them."""
    model, spec = pad(network(KEPT, (2, 2), 7), KEPT, StandardShape(6, (2, 2)))
    row = applicant(KEPT, random.Random(2))
    query = spec.encode(row)
    found = search_under(model, spec, query, max_leaves=8)
    case = network_parameters(spec, model.hidden), model
    check(found.evidence, *case, query, spec.domain_table, spec.box)
    with pytest.raises(EvidenceError, match="R-B-RANGES"):
        check(found.evidence, *case, (*query[:-1], 1), spec.domain_table, spec.box)


def test_the_shape_is_the_specs(bank, honest):
    """A key of the exact sizes proves nothing under a padded spec, nor the standard shape's key under an exact one."""
    exact = key_for(kept_keys(), LOANS, (2, 2), 8, "branch")
    reference = changed(honest.certificate.key, fingerprint=exact.document.fingerprint)
    moved = replace(honest, certificate=changed(honest.certificate, key=reference))
    with pytest.raises(ProofError, match="does not fit this spec"):
        verified(Setting(bank.opening, exact), moved)
    assert bank.key.document.shape != branch_shape(LOANS, SHAPE.hidden, CAPACITY)


@pytest.mark.parametrize("told", [unpadded, lambda spec: changed(spec, pad_to=6), lambda spec: changed(spec, pad_to=4)])
def test_a_commitment_binds_its_padding(bank, honest, told):
    """The same commitment published beside a spec of other padding is refused, with and without changed digests."""
    made, other = honest, told(bank.spec)
    document = changed(bank.commitment, spec=other)
    with pytest.raises(ProofError, match="another spec"):
        verified(bank, made, document)
    statement = changed(made.certificate.statement, spec_digest=field.to_hex(other.digest))
    with pytest.raises(ProofError, match="made for other values of the sensitive features"):
        verified(bank, replace(made, certificate=changed(made.certificate, statement=statement)), document)


def test_a_model_of_other_columns_is_not_committed(bank):
    """A padded spec goes with a padded network only, and a file says so."""
    with pytest.raises(OpeningError, match="the network has 4 inputs and 1 logits, the spec wants 6 and 1"):
        Opening.of(network(LOANS, (3, 2), 0), bank.spec, 1)
    with pytest.raises(OpeningError, match="the network has 6 inputs"):
        Opening.of(bank.opening.network, LOANS, 1)
    with pytest.raises(NetworkError, match="standard shape 5x3-2: hidden layers 4,2 do not fit into 3,2"):
        pad(network(LOANS, (4, 2), 0), LOANS, SHAPE)
    with pytest.raises(CertificateFormatError, match="pad_to must be above"):
        parse_commitment(bank.opening.public().replace(b'"pad_to":5', b'"pad_to":3'), "commitment.json")
