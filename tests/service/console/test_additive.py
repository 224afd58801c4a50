"""An additive model in the service: rolled over from a network, it decides, is proven by a real key, and reviewed."""

import random
import re
from fractions import Fraction

import msgspec
import pytest

from equiproof.certify.traversal.search import Counterexample
from equiproof.certify.trees.search import search_under
from equiproof.circuits.shape import additive_shape
from equiproof.prover.keys import KeyStore
from equiproof.prover.opening import Opening
from equiproof.service.decisions import opened
from equiproof.service.findings import finding_of
from equiproof.service.leaving import at_once
from equiproof.service.models import Files, add_model
from equiproof.service.package import evidence
from equiproof.service.store.tables import Decision
from equiproof.service.worker.certifying import Certifying
from equiproof.service.worker.child import Order, prove, ready
from equiproof.verifier import ForQuery, Verifier
from equiproof.verifier.bundle import parse_bundle
from equiproof.verifier.documents import parse_commitment, parse_query
from equiproof.verifier.package import parse_package
from equiproof.verifier.report import parse_report
from tests.additive_small import additive
from tests.support import LOANS, applicant, copied_key, trusting

MODEL = additive()
SLOTS, CAPACITY = 8, 4


def found(row):
    """Search around a row as the key has room for it."""
    return search_under(MODEL, LOANS, LOANS.encode(row), max_leaves=CAPACITY, max_slots=SLOTS)


@pytest.fixture(scope="module")
def applicants():
    """One whom the model decides alike for both values of sex, and one whom sex decides."""
    rng = random.Random(1)
    rows = [applicant(LOANS, rng) for _ in range(40)]
    fair = next(row for row in rows if not isinstance(one := found(row), Counterexample) and one.radius_squared > 0)
    return fair, next(row for row in rows if isinstance(found(row), Counterexample))


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """The opening of the model and a real key for it."""
    folder = tmp_path_factory.mktemp("additive")
    (folder / "scorecard.json").write_bytes(Opening.of(MODEL, LOANS, blinding=7).secret())
    copied_key(folder / "keys", additive_shape(LOANS, MODEL.predicates, SLOTS, CAPACITY))
    yield Files(folder / "scorecard.json", folder / "keys")
    ready.cache_clear()


@pytest.fixture
def rolled(service, files):
    """The service after the roll-over from its network."""
    service.before = service.post({"income": 42000, "housing": "own"}).json()["id"]
    with service.shared.database.transaction() as session:
        add_model(session, "loans", files, service.clock())
    return service


def work(service, decision):
    """Prove a decision in this process, as a worker does in another one."""
    said = []
    Certifying(service.shared.database, service.shared.holders.vault, prove, service.clock, said.append)(decision)
    assert said == []


def text(response):
    """Return the words of a page."""
    assert response.status_code == 200
    return " ".join(re.sub("<[^>]*>", " ", response.text).split())


def test_a_certified_decision_with_its_papers(rolled, files, applicants, officer):
    """The certificate verifies by itself, in its bundle, and by two programs in its package; the console has bars."""
    row, decision = applicants[0], rolled.post(applicants[0]).json()["id"]
    work(rolled, decision)
    said = rolled.get(f"/v1/decisions/{decision}").json()
    expected = found(row)
    assert (said["state"], said["label"]) == ("certified", LOANS.labels[expected.label])
    body = rolled.get(f"/v1/decisions/{decision}/certificate").content
    bundle = parse_bundle(rolled.get(f"/v1/decisions/{decision}/bundle").content, "bundle")
    assert bundle.certificate == body
    (key,) = KeyStore(files.keys).all()
    commitment = parse_commitment(Opening.of(MODEL, LOANS, blinding=7).public(), "commitment")
    result = Verifier(commitment, trusting(key)).verify(body, ForQuery(parse_query(bundle.query, "query")))
    assert result.statement.radius_squared == expected.radius_squared
    letter = text(rolled.get(f"/v1/decisions/{decision}/letter"))
    page = text(officer.get(f"decisions/{decision}"))
    for feature in LOANS.plain_features:
        assert feature.name in letter
        assert feature.name in page
    with rolled.shared.database.transaction() as session:
        held, shared = session.get(Decision, decision), rolled.shared
        model = shared.models.of(session, held.model_id)
        packed = evidence(session, model, at_once(session, held), shared.holders.vault, shared.settings, rolled.clock())
    package = parse_package(packed, "package")
    reports = [parse_report(one, "report") for one in (package.native_report, package.python_report)]
    assert [one.verdict for one in reports] == ["verified", "verified"]


def test_a_review_shows_both_cases_with_the_points_of_the_model(rolled, applicants, officer):
    """Nothing is certified; side by side are both values of sex, each with the score of the committed integers."""
    row = applicants[1]
    said = rolled.post(row).json()
    assert (said["state"], said["outcome"]) == ("review", None)
    with rolled.shared.database.reading() as session:
        finding = finding_of(session, session.get(Decision, said["id"]), rolled.shared.holders.vault)
    assert (finding.kind, {side.label for side in finding.sides}) == ("flip", {0, 1})
    page = text(officer.get(f"decisions/{said['id']}"))
    assert "Only sex differs, and so does the decision" in page
    scores = [Fraction(MODEL.score((*LOANS.encode(row), *values)), 1 << 10) for values in LOANS.domain_table]
    for score in scores:
        assert f"score {'+' if score > 0 else '−'}{abs(float(score)):.2f}" in page


def test_the_prover_finds_the_counterexample_that_the_decision_found(rolled, applicants, files):
    """A worker that is given a decision in review's applicant proves nothing, and reports both sides."""
    decision = rolled.post(applicants[0]).json()["id"]
    with rolled.shared.database.reading() as session:
        kept = opened(session.get(Decision, decision), rolled.shared.holders.vault)
    query = msgspec.structs.replace(kept.query, features=kept.query.features | applicants[1])
    outcome = prove(Order(files.opening, files.keys, 60.0, msgspec.structs.replace(kept, query=query)))
    assert (outcome.verdict, {side.label for side in outcome.found.sides}) == ("unfair", {0, 1})


def test_a_roll_over_leaves_earlier_decisions_to_the_network(rolled, files, applicants):
    """Decisions of the network stay its own; the name's next ones are of the scorecard, and there is no way back."""
    after = rolled.post(applicants[0]).json()["id"]
    with rolled.shared.database.reading() as session:
        models = [
            rolled.shared.models.of(session, session.get(Decision, one).model_id) for one in (rolled.before, after)
        ]
    assert [model.opening.own_scheme for model in models] == [None, "trees"]
    assert models[1].key == KeyStore(files.keys).all()[0].document.fingerprint
    (listed,) = rolled.get("/v1/models").json()["models"]
    assert listed["name"] == "loans"
    with rolled.shared.database.transaction() as session:
        network = session.get(Decision, rolled.before).model_id
        old = rolled.shared.models.of(session, network)
        path = files.opening.parent / "old.json"
        path.write_bytes(old.opening.secret())
        assert add_model(session, "loans", Files(path, files.keys), rolled.clock()).retired is not None
    (listed,) = rolled.get("/v1/models").json()["models"]
    assert listed["commitment"] == Opening.of(MODEL, LOANS, blinding=7).digests()["model_commitment"]
