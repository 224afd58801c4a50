"""An ensemble in the service: it decides by its integers, a real key proves it, and the unfair go to review."""

import random
from dataclasses import replace

from equiproof.certify.traversal.search import Counterexample
from equiproof.certify.trees.ensemble_search import search_under
from equiproof.circuits.shape import ensemble_shape
from equiproof.prover.keys import KeyStore
from equiproof.prover.opening import Opening
from equiproof.service.models import Files, add_model
from equiproof.service.store.tables import Decision
from equiproof.service.worker.certifying import Certifying
from equiproof.service.worker.child import prove, ready
from equiproof.verifier import ForQuery, Verifier
from equiproof.verifier.bundle import parse_bundle
from equiproof.verifier.documents import parse_commitment, parse_query
from tests.certify.trees.ensembles import drawn
from tests.support import LOANS, applicant, trusting


def boosted():
    """Five trees whose thresholds lie among the applicants' values."""
    found = drawn(
        random.Random(3), plain=LOANS.plain_columns, sensitive=LOANS.sensitive_columns, predicates=14, trees=5
    )
    own, bits = found.additive, LOANS.input_fraction_bits
    places = zip(own.columns, own.thresholds, strict=True)
    thresholds = tuple(t << (bits - 2 if column < own.plain else bits) for column, t in places)
    return replace(found, additive=replace(own, thresholds=thresholds, input_fraction_bits=bits))


MODEL = boosted()
SLOTS, ROWS, CAPACITY = MODEL.predicates[0], MODEL.nodes.sizes[1], 8


def found(row):
    """Search around a row."""
    return search_under(MODEL, LOANS, LOANS.encode(row), max_leaves=CAPACITY)


def test_decisions_are_certified_or_reviewed(service, tmp_path):
    """The certificate verifies under the model's commitment, about its query; the other one waits for a person."""
    (tmp_path / "trees.json").write_bytes(Opening.of(MODEL, LOANS, blinding=7).secret())
    key = KeyStore(tmp_path / "keys").setup(
        ensemble_shape(LOANS, MODEL.predicates, MODEL.nodes.sizes, SLOTS, ROWS, CAPACITY)
    )
    with service.shared.database.transaction() as session:
        add_model(session, "loans", Files(tmp_path / "trees.json", tmp_path / "keys"), service.clock())
    rng, wanted = random.Random(1), {False: None, True: None}
    while None in wanted.values():
        row = applicant(LOANS, rng)
        wanted[isinstance(found(row), Counterexample)] = row
    fair, unfair = (service.post(row).json() for row in (wanted[False], wanted[True]))
    assert (fair["state"], unfair["state"]) == ("decided", "review")
    said = []
    Certifying(service.shared.database, service.shared.holders.vault, prove, service.clock, said.append)(fair["id"])
    ready.cache_clear()
    assert said == []
    with service.shared.database.reading() as session:
        assert session.get_one(Decision, fair["id"]).state == "certified"
    bundle = parse_bundle(service.get(f"/v1/decisions/{fair['id']}/bundle").content, "bundle")
    public = parse_commitment(Opening.of(MODEL, LOANS, blinding=7).public(), "commitment")
    report = Verifier(public, trusting(key)).verify(bundle.certificate, ForQuery(parse_query(bundle.query, "query")))
    assert report.statement.radius_squared == found(wanted[False]).radius_squared
