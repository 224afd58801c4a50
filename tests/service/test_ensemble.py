"""An ensemble in the service: it decides by its integers, a real key proves it, and the unfair go to review."""

import random
from dataclasses import replace

import pytest

from equiproof.certify.traversal.search import Counterexample
from equiproof.certify.trees.ensemble_search import search_under
from equiproof.circuits.shape import ensemble_shape
from equiproof.prover.opening import Opening
from equiproof.service.models import Files, add_model
from equiproof.service.store.tables import Decision
from equiproof.service.worker.certifying import Certifying
from equiproof.service.worker.child import prove, ready
from equiproof.verifier import AllOf, ForQuery, NoRanges, PolicyError, Verifier
from equiproof.verifier.bundle import parse_bundle
from equiproof.verifier.documents import parse_commitment, parse_query
from tests.certify.trees.ensembles import drawn
from tests.support import KEPT, LOANS, applicant, copied_key, trusting


def boosted(spec=LOANS):
    """Five trees whose thresholds lie among the applicants' values."""
    found = drawn(random.Random(3), plain=spec.plain_columns, sensitive=spec.sensitive_columns, predicates=14, trees=5)
    own, bits = found.additive, spec.input_fraction_bits
    places = zip(own.columns, own.thresholds, strict=True)
    thresholds = tuple(t << (bits - 2 if column < own.plain else bits) for column, t in places)
    return replace(found, additive=replace(own, thresholds=thresholds, input_fraction_bits=bits))


MODEL = boosted()
SLOTS, ROWS, CAPACITY = MODEL.predicates[0], MODEL.nodes.sizes[1], 8


def found(row, model=MODEL, spec=LOANS):
    """Search around a row."""
    return search_under(model, spec, spec.encode(row), max_leaves=CAPACITY)


@pytest.mark.parametrize("spec", [LOANS, pytest.param(KEPT, marks=pytest.mark.slow)], ids=["trees", "trees-ranges"])
def test_decisions_are_certified_or_reviewed(service, tmp_path, spec):
    """The certificate verifies under the model's commitment, about its query; the other one waits for a person."""
    model = boosted(spec)
    (tmp_path / "trees.json").write_bytes(Opening.of(model, spec, blinding=7).secret())
    sizes = model.predicates, model.nodes.sizes, model.predicates[0], model.nodes.sizes[1], CAPACITY
    key = copied_key(tmp_path / "keys", ensemble_shape(spec, *sizes))
    assert key.document.shape.scheme == ("trees-ranges" if spec.use_ranges else "trees")
    with service.shared.database.transaction() as session:
        add_model(session, "loans", Files(tmp_path / "trees.json", tmp_path / "keys"), service.clock())
    rng, wanted = random.Random(1), {False: None, True: None}
    while None in wanted.values():
        row = applicant(spec, rng)
        wanted[isinstance(found(row, model, spec), Counterexample)] = row
    fair, unfair = (service.post(row).json() for row in (wanted[False], wanted[True]))
    assert (fair["state"], unfair["state"]) == ("decided", "review")
    said = []
    Certifying(service.shared.database, service.shared.holders.vault, prove, service.clock, said.append)(fair["id"])
    ready.cache_clear()
    assert said == []
    with service.shared.database.reading() as session:
        assert session.get_one(Decision, fair["id"]).state == "certified"
    bundle = parse_bundle(service.get(f"/v1/decisions/{fair['id']}/bundle").content, "bundle")
    public = parse_commitment(Opening.of(model, spec, blinding=7).public(), "commitment")
    verifier, query = Verifier(public, trusting(key)), ForQuery(parse_query(bundle.query, "query"))
    report = verifier.verify(bundle.certificate, query)
    assert report.statement.radius_squared == found(wanted[False], model, spec).radius_squared
    if spec.use_ranges:
        with pytest.raises(PolicyError, match="ranges"):
            verifier.verify(bundle.certificate, AllOf(query, NoRanges()))
        outside = service.post({**wanted[False], "income": 60001})
        assert (outside.status_code, outside.json()["type"]) == (422, "urn:equiproof:unusable-features")
